"""How far attention may be from the real softmax: the bound E of docs/numerics.md, section *Attention*, in float64.

Everything is relative to w[j] = 2^(z[j] - zmax), z = c q.k, W = sum of w. With k = 2.5 * 2^-23 (ex2),
rho = 1.5 * 2^-23 (rcp), kappa = 10 * 2^-23 (mma), u = 2^-24, r = (1 + u)^2 - 1 (u where fused):

    ds[j]   error of the score: E <- E + kappa (|s| + E + Y) per mma, or u (|s| + E) per fma and add
    D       how far the kernel's last maximum may be from zmax: c max ds (+ u |zmax| and residuals where fused)
    R[j]    zmax - z[j] + D + c ds[j] (+ residuals): what arguments of ex2 add up to on the way of key j (L9)
    n[j]    blocks after that of j at which the maximum may rise, and 1 for a merge that may rescale its split
    eps[j]  2^(c ds[j] + r R[j]) (1 + k)^(1 + n[j]) - 1: how far the weight of j may be from w[j], relatively
    P[j]    error of the weight in binary16: 2^-11 of it, at least 2^-25, at most all of it, in the block's scale
    F       numerator without the weights' own error, running over the kernel's steps (L4): + sum of P |v|, then
            + kappa (|sum of w v| + sum of w eps |v| + F + A), A = sum of cl(p) cl(v), cl(x) = max(|x|, 2^-14) or 0;
            + u (...) for each rescaling, fma and merge
    Num     sum of w eps |v - o| + F + |o| sum of w (1 + eps) g[h + n[j] + splits] + flushes
    Den     sum of w 2^-(...) (1 - k)^(1 + n[j]) (1 - g[...]) - flushes
    E       Num / Den + (|o| + Num / Den) ((1 + rho) (1 + u) - 1) + 2^-149                                          (L6)

A weight that is surely the maximum of its block is exactly 1 (not where fused). Where E is at least the largest |v| of
the column it tells nothing: such elements are `vacuous`; without `fused` they still obey |result| <= C max |v|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spec.approximations import TABLE
from spec.errors import BadInput
from spec.operators.attention_order import STEP, VECTOR, Order
from spec.scalar import U16, U32, Reals, inflate
from spec.tensor_core import KAPPA, chains

SCALES = (2.0**-20, 2.0**20)
"""Least and greatest c."""
MOST_KEYS, MOST_HEAD = 2**20, 2**12
RESIDUAL = 8.0
"""Where fused, exponents beyond the maximum that binary16 weights surely bear."""
_U, _HALF, _KAPPA = float(U32), float(U16), float(KAPPA)
_EX2, _RCP = float(TABLE["ex2"].relative), float(TABLE["rcp"].relative)
_LN2 = float(np.log(2.0))
_NORMAL16, _TINY16 = 2.0**-14, 2.0**-25
_FLUSH = 2.0**-124
"""A weight, or what a rescaling leaves of it, may be flushed below 2^-126 (1 + 3 * 2^-23); the rest is room for the
subnormal results of the products, each off by at most 2^-150."""

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Bound:
    """Of each (row, column) the real result, E, whether E tells nothing; of each row whether even the class is open."""

    exact: Reals
    error: Reals
    vacuous: Bools
    open: Bools


def bound(q: Reals, k: Reals, v: Reals, visible: Bools, scale: float, order: Order) -> Bound:
    """E for binary16 values q (rows, head), k (keys, head), v (keys, columns), all finite, and visible (rows, keys).

    Rows without a visible key are 0 exactly.
    """
    _check(q, k, v, visible, scale)
    if not visible.shape[1]:
        nothing = np.zeros((len(q), v.shape[1]))
        return Bound(nothing, nothing, nothing != 0.0, np.zeros(len(q), np.bool_))
    with np.errstate(all="ignore"):
        return _Rows(q, k, v, visible, scale, order).bound()


def _check(q: Reals, k: Reals, v: Reals, visible: Bools, scale: float) -> None:
    if not SCALES[0] <= scale <= SCALES[1] or float(np.float32(scale)) != scale:
        raise BadInput(f"the scale is a binary32 value from {SCALES[0]} to {SCALES[1]}, got {scale!r}")
    if k.shape[1] != q.shape[1] or len(v) != len(k) or visible.shape != (len(q), len(k)):
        shapes = ", ".join(str(part.shape) for part in (q, k, v, visible))
        raise BadInput(f"q (rows, head), k (keys, head), v (keys, columns), visible (rows, keys), got {shapes}")
    if len(k) > MOST_KEYS or q.shape[1] > MOST_HEAD:
        raise BadInput(f"at most {MOST_KEYS} keys and heads of {MOST_HEAD}, got {k.shape}")


def clipped(x: Reals) -> Reals:
    """cl: the magnitude that sets a product's exponent in an mma, at least 2^-14 where x is not 0."""
    found: Reals = np.where(x != 0.0, np.maximum(np.abs(x), _NORMAL16), 0.0)
    return found


def scores(q: Reals, k: Reals, order: Order) -> tuple[Reals, Reals, Reals]:
    """(s, ds, t): products of rows and keys, the bound of the kernel's error, and of float64's in s."""
    head = q.shape[1]
    reference = head * 2.0**-52 * (np.abs(q) @ np.abs(k).T)
    if order.tensor:
        found = chains(q, k.T)
        return found.sums, found.running, reference
    lane_of = np.arange(head) // VECTOR % order.dot_lanes
    lanes = [_sequence(q[:, lane_of == lane], k[:, lane_of == lane]) for lane in range(order.dot_lanes)]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [_sum_of(lanes[t], lanes[t + half]) for t in range(half)]
    s, error = lanes[0]
    return s, error + reference, reference


def _sequence(q: Reals, k: Reals) -> tuple[Reals, Reals]:
    """A chain of fma.rn; its first is exact, a product of 22 bits."""
    s = np.zeros((len(q), len(k)))
    error = np.zeros_like(s)
    for i in range(q.shape[1]):
        s = s + np.outer(q[:, i], k[:, i])
        if i:
            error = error + _U * (np.abs(s) + error)
    return s, error


def _sum_of(a: tuple[Reals, Reals], b: tuple[Reals, Reals]) -> tuple[Reals, Reals]:
    s, error = a[0] + b[0], a[1] + b[1]
    return s, error + _U * (np.abs(s) + error)


@dataclass
class _Running:
    """Sums over the keys so far: w v, the weights' own error times |v|, and F."""

    exact: Reals
    weights: Reals
    rest: Reals

    @property
    def magnitude(self) -> Reals:
        return np.abs(self.exact) + self.weights + self.rest


class _Rows:
    """All quantities of the heading for all rows, arrays (rows, keys), (rows, 1) or (rows, columns)."""

    def __init__(self, q: Reals, k: Reals, v: Reals, visible: Bools, scale: float, order: Order) -> None:
        self.v, self.visible, self.order = v, visible, order
        self.splits = order.splits(len(k))
        self.some = visible.any(axis=1, keepdims=True)
        self.s, ds, reference = scores(q, k, order)
        self.upper = np.where(visible, self.s + ds, -np.inf)
        self.lower = np.where(visible, self.s - ds, -np.inf)
        z = scale * self.s
        zmax = np.where(self.some, np.where(visible, z, -np.inf).max(axis=1, keepdims=True), 0.0)
        self._off = scale * ds
        # What float64 loses in z, and in the weights; the kernel is compared with the weights as computed here.
        self.reference = scale * reference + 2.0**-51 * (np.abs(z) + np.abs(zmax) + 1.0)
        gap = np.where(visible, zmax - z, np.inf)
        size = _U * (np.abs(z) + self._off)
        self.residual = _most(size, visible) if order.fused else np.zeros_like(zmax)
        self.drift = _most(self._off, visible) + self.residual
        lag = gap + self.drift + self._off + 2 * self.residual
        rounding = _U if order.fused else 2 * _U + _U * _U
        self.argument = np.where(visible, self._off + rounding * lag + self.reference, 0.0)
        self.w = np.exp2(-gap)
        self.rises = {part: self._rises(part) for part in self.splits}
        self.later = self._later()
        self.top = np.concatenate([self._surely_top(part) for part in self.splits], axis=1)
        self._weigh(gap)

    def _rises(self, part: range) -> list[Bools]:
        """For each block of a split (rows, 1): whether the maximum may go up there from a finite one."""
        found = []
        least = np.full_like(self.drift, -np.inf)
        for keys in self.order.blocks(part):
            at = slice(keys.start, keys.stop)
            most = self.upper[:, at].max(axis=1, keepdims=True)
            found.append((most > least) & (least > -np.inf))
            least = np.maximum(least, self.lower[:, at].max(axis=1, keepdims=True))
        return found

    def _later(self) -> Reals:
        """n[j]."""
        count = np.zeros_like(self.s)
        for part in self.splits:
            after = np.zeros_like(self.drift)
            for keys, rises in reversed(list(zip(self.order.blocks(part), self.rises[part], strict=True))):
                count[:, keys.start : keys.stop] = after
                after = after + rises
            if self.order.split:
                at = slice(part.start, part.stop)
                others = np.delete(self.upper, np.r_[at], axis=1).max(axis=1, keepdims=True, initial=-np.inf)
                count[:, at] += others > self.lower[:, at].max(axis=1, keepdims=True)
        return count

    def _surely_top(self, part: range) -> Bools:
        """Keys whose score is the maximum when their block is weighed, whatever the errors."""
        found = np.zeros((len(self.s), len(part)), np.bool_)
        before = np.full_like(self.drift, -np.inf)
        for keys in self.order.blocks(part):
            upper, lower = self.upper[:, keys.start : keys.stop], self.lower[:, keys.start : keys.stop]
            best = upper.argmax(axis=1)[:, np.newaxis]
            rest = upper.copy()
            np.put_along_axis(rest, best, -np.inf, axis=1)
            others = np.broadcast_to(upper.max(axis=1, keepdims=True), upper.shape).copy()
            np.put_along_axis(others, best, rest.max(axis=1, keepdims=True), axis=1)
            others = np.maximum(others, before)
            found[:, keys.start - part.start : keys.stop - part.start] = (lower >= others) & (lower > -np.inf)
            before = np.maximum(before, upper.max(axis=1, keepdims=True))
        return found

    def _weigh(self, gap: Reals) -> None:
        """Weights as the kernel may have them, their binary16 errors, and what of them sets exponents in the mma."""
        exact_one = self.top & (not self.order.fused)
        powers = self.later + ~exact_one
        growth = _LN2 * self.argument + powers * np.log1p(_EX2)
        own = np.where(growth < 1.0, self.w * np.expm1(growth), np.exp2(growth / _LN2 - gap))
        self.own = np.where(self.visible, own, 0.0)  # w eps
        self.high = self.w + self.own
        self.low = self.w * np.exp(powers * np.log1p(-_EX2) - _LN2 * self.argument)
        # 2^(scale of the block against that of zmax), at most.
        block = np.exp2(self.drift) * (1.0 + _EX2) ** self.later
        self.halving = np.minimum(self.high, np.maximum(_HALF * self.high, _TINY16 * block))
        near_one = np.expm1(_LN2 * self.residual - np.log1p(-_EX2)) if self.order.fused else 0.0 * self.residual
        self.halving = np.where(
            self.top & (near_one <= 2.0**-12), np.minimum(self.halving, near_one * self.high), self.halving
        )
        if not self.order.tensor:
            self.halving = np.zeros_like(self.halving)
        self.clipped = np.minimum(2.0**11 * self.high, np.maximum((1.0 + _HALF) * self.high, _NORMAL16 * block))
        self.flush = _FLUSH * np.exp2(2.0 * self.drift) * (1.0 + _EX2) ** (self.later.max(axis=1, keepdims=True) + 1)
        rounds = self._depth() + self.later + (len(self.splits) if self.order.split else 0)
        self.gamma = rounds * _U / (1.0 - rounds * _U)

    def _depth(self) -> Reals:
        """(rows, 1): additions between a weight and l that may round; the first of a lane adds to 0."""
        lanes = np.zeros(self.visible.shape[1], np.int64)
        for index, part in enumerate(self.splits):
            for keys in self.order.blocks(part):
                lanes[keys.start : keys.stop] = [
                    index * self.order.lanes + self.order.lane(j - keys.start) for j in keys
                ]
        counts = [self.visible[:, lanes == lane].sum(axis=1) for lane in np.unique(lanes)]
        longest = np.maximum(np.max(counts, axis=0) - 1, 0) + self.order.lanes.bit_length() - 1
        found: Reals = longest[:, np.newaxis].astype(np.float64)
        return found

    # --- numerator ---

    def _split(self, part: range) -> _Running:
        zero = np.zeros((len(self.s), self.v.shape[1]))
        run = _Running(zero, zero, zero)
        for keys, rises in zip(self.order.blocks(part), self.rises[part], strict=True):
            run.rest = run.rest + np.where(rises, _U * run.magnitude, 0.0)
            for start in range(keys.start, keys.stop, STEP):
                self._step(run, slice(start, min(start + STEP, keys.stop)))
        return run

    def _step(self, run: _Running, at: slice) -> None:
        v, w, own = self.v[at], self.w[:, at], self.own[:, at]
        if self.order.tensor:
            entered = self.clipped[:, at] @ clipped(v)
            used = self.visible[:, at].any(axis=1, keepdims=True)
            cut = np.where(used, _KAPPA * (run.magnitude + entered), 0.0)
            run.rest = run.rest + self.halving[:, at] @ np.abs(v) + cut
        else:
            exact = run.exact[:, np.newaxis] + np.cumsum(w[:, :, np.newaxis] * v, axis=1)
            weights = run.weights[:, np.newaxis] + np.cumsum(own[:, :, np.newaxis] * np.abs(v), axis=1)
            each = np.where(self.visible[:, at, np.newaxis], np.abs(exact) + weights, 0.0)
            run.rest = (run.rest + _U * each.sum(axis=1)) * (1.0 + _U) ** STEP
        run.exact = run.exact + w @ v
        run.weights = run.weights + own @ np.abs(v)

    def _numerator(self) -> _Running:
        if not self.order.split:
            return self._split(self.splits[0])
        zero = np.zeros((len(self.s), self.v.shape[1]))
        whole = _Running(zero, zero, zero)
        for part in self.splits:
            run = self._split(part)
            whole = _Running(whole.exact + run.exact, whole.weights + run.weights, whole.rest + run.rest)
            whole.rest = whole.rest + _U * whole.magnitude
        return whole

    # --- quotient ---

    def bound(self) -> Bound:
        keys = len(self.v)
        run = self._numerator()
        total = self.w.sum(axis=1, keepdims=True)
        exact = np.where(self.some, run.exact / np.where(self.some, total, 1.0), 0.0)
        spread = np.zeros_like(exact)
        for start in range(0, keys, STEP):
            at = slice(start, start + STEP)
            distance = np.abs(self.v[at][np.newaxis] - exact[:, np.newaxis])
            spread = spread + (self.own[:, at, np.newaxis] * distance).sum(axis=1)
        sums = np.abs(exact) * (self.high * self.gamma).sum(axis=1, keepdims=True)
        flushed = self.flush * (keys + 1) * (1.0 + self.visible @ np.abs(self.v))
        numerator = spread + run.rest + sums + flushed
        denominator = (self.low * (1.0 - self.gamma)).sum(axis=1, keepdims=True) - self.flush * keys
        quotient = np.where(denominator > 0.0, numerator / denominator, np.inf)
        error = quotient + (np.abs(exact) + quotient) * ((1.0 + _RCP) * (1.0 + _U) - 1.0) + 2.0**-149
        return self._judge(exact, np.where(np.isnan(error), np.inf, error))

    def _judge(self, exact: Reals, error: Reals) -> Bound:
        keys = len(self.v)
        largest = np.zeros_like(exact)
        for value, seen in zip(np.abs(self.v), self.visible.T, strict=True):
            largest = np.maximum(largest, np.outer(seen, value))
        # The reference's own error: weights off by `reference`, sums of keys; and E is computed from them.
        off = _most(self.reference, self.visible) + (keys + 8) * 2.0**-51
        error = inflate(error * (1.0 + 16.0 * off), 4.0 * off * largest)
        vacuous = ~(error < largest) & (largest > 0.0)
        unknown = (self.residual > RESIDUAL) & self.some
        if not self.order.fused:
            error = np.minimum(error, inflate(np.abs(exact) + largest * self._cap(keys), 0.0))
        # Columns of zeros and rows without keys are 0 whatever the weights are.
        error = np.where((largest > 0.0) & self.some, error, 0.0)
        return Bound(exact, np.where(unknown, np.inf, error), vacuous | unknown, unknown[:, 0])

    def _cap(self, keys: int) -> float:
        """C: |result| <= C max |v|, because no rounding lets sums of p v outgrow sums of p by more."""
        blocks = keys // self.order.block + 2
        return (1.0 + _HALF + keys * 2.0**-24) * (1.0 + _EX2) ** blocks * (1.0 + _U) ** (8 * keys + 64)


def _most(values: Reals, visible: Bools) -> Reals:
    found: Reals = np.where(visible, values, 0.0).max(axis=1, keepdims=True)
    return found
