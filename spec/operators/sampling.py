"""Sampling of one index from a row of logits: which indices a kernel may return. binary32 or binary16 logits, widened.

The order is part of the contract:

    1. a NaN or +Inf among the logits, or nothing above -Inf: status INVALID, no index
       temperature 0: the greatest logit, exactly (4 and 5 do not happen)
    2. top-k on the raw logits, descending, equal ones (-0 = +0 too) by ascending index: the candidates
    3. w[i] = ex2.approx.ftz(mul.rn(sub.rn(x[i], x[0]), c)),  c = div.rn(RN32(log2 e), T)
    4. top-p on the candidates alone: the shortest prefix with C[j] >= mul.rn(P, C[last]);  C: scan of w by add.rn
    5. the first candidate of the prefix with C[i] > mul.rn(U, C[j]); if there is none, the last with w > 0

U is given, 0 <= U < 1; top-k 0 and top-p 1 leave everything. The order of the scan is open, its depth is not.

Acceptance (docs/numerics.md, L10). With t[i] = (x[i] - x[0]) log2 e / T, w = 2^t, W = sums of w, h the scan's depth:

    eps[i] = 2^(4u |t[i]|) (1 + 2.5 * 2^-23) - 1, and 2^-125 where it may be flushed
    b[i]   = (1 + g_h) (sum of w eps up to i) + g_h W[i]                                       |C[i] - W[i]| <= b[i]
    bt     = Q b[j] + u Q (W[j] + b[j]) + 2^-149     for a threshold at the part Q of W[j]:    |computed - Q W[j]| <= bt
    cuts   J = {j : W[j] + b[j] + bt >= P Z and W[j-1] - b[j-1] - bt < P Z},  Z = W[last], bt at Q = P
    index  i <= j of some j in J, w[i] not surely flushed, W[i-1] - b[i-1] - bt <= U W[j] < W[i] + b[i] + bt

Weights of logits equal to the greatest are 1 exactly, sums of them too; thresholds on such sums are known to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spec.approximations import TABLE
from spec.assumptions import IEEE
from spec.errors import BadInput
from spec.operators.build import approximate, div, mul
from spec.ptx.node import Node, constant
from spec.scalar import U32, Reals

LOG2_E_BITS = 0x3FB8AA3B
"""RN32(log2 e)."""
TEMPERATURES = (2.0**-20, 2.0**20)
"""Least and greatest temperature but 0."""
MOST = 2**20
"""Logits in a row, at most."""
APPROXIMATIONS = ("ex2",)
ASSUMPTIONS = (IEEE, "doc-ex2")

Bools = NDArray[np.bool_]
Logits = NDArray[Any]
_U, _EX2 = float(U32), float(TABLE["ex2"].relative)
_ARGUMENT = 4 * _U
"""Three roundings and log2 e: (1 + u)^3 (1 + 1.34e-8) - 1 <= 3.3 u; the rest is room for the float64 reference."""
_REFERENCE = 2.0**-48
_FLUSH = 2.0**-125
_SURELY_FLUSHED = 2.0**-127


class Status(IntEnum):
    """What a row's status says."""

    OK = 0
    INVALID = 1


@dataclass(frozen=True)
class Order:
    """How C is added: `threads` (a power of two) sum neighbouring candidates each, then their sums are scanned."""

    threads: int = 1024

    def __post_init__(self) -> None:
        if self.threads < 1 or self.threads & (self.threads - 1):
            raise BadInput(f"threads come in powers of two, got {self.threads}")

    def depth(self, candidates: int) -> int:
        """h: the most roundings between a weight and any C. A thread's own prefix is added to those before it."""
        own = -(-candidates // self.threads) - 1
        return own + (self.threads.bit_length() if self.threads > 1 else 0)


@dataclass(frozen=True)
class Request:
    """Parameters of a draw, binary32 values but k."""

    uniform: float
    temperature: float = 1.0
    k: int = 0
    p: float = 1.0

    def __post_init__(self) -> None:
        low, high = TEMPERATURES
        if not (self.temperature == 0.0 or low <= self.temperature <= high):
            raise BadInput(f"the temperature is 0 or from {low} to {high}, got {self.temperature!r}")
        if not (0.0 <= self.uniform < 1.0 and 0.0 < self.p <= 1.0 and self.k >= 0):
            raise BadInput(f"0 <= uniform < 1, 0 < p <= 1 and k >= 0, got {self}")
        for value in (self.uniform, self.temperature, self.p):
            if float(np.float32(value)) != value:
                raise BadInput(f"parameters are binary32 values, got {value!r}")


@dataclass(frozen=True)
class Accepted:
    """Which indices are right; none where the status is INVALID."""

    status: Status
    indices: frozenset[int]

    @property
    def ambiguous(self) -> bool:
        """Whether rounding decides between indices."""
        return len(self.indices) > 1


# --- order ------------------------------------------------------------------------------------------------------------


def weight(x: Node, greatest: Node, temperature: Node) -> Node:
    """Step 3, of binary32 nodes."""
    scale = div(constant(32, LOG2_E_BITS), temperature)
    return approximate("ex2", True, mul(Node("fsub", ("f32", "rn", False, False), (x, greatest)), scale))


def threshold(part: Node, total: Node) -> Node:
    """What steps 4 and 5 compare C with."""
    return mul(part, total)


def ranked(logits: Logits, k: int = 0) -> NDArray[np.int64]:
    """The candidates: indices by descending logit, equal ones by ascending index; exact."""
    found: NDArray[np.int64] = np.argsort(-logits.astype(np.float64), kind="stable")
    return found[:k] if k else found


# --- bound ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sums:
    """W and b of the candidates in order; which may have a weight at all; how many of the first weigh exactly 1."""

    total: Reals
    error: Reals
    possible: Bools
    exact: int

    def place(self, j: int, part: float) -> tuple[float, float]:
        """(Q W[j], bt)."""
        total, error = float(self.total[j]), float(self.error[j])
        if error == 0.0:
            return float(np.float32(part * total)), 0.0  # 48 bits at most: exact in float64, rounded once
        return part * total, part * error + _rounding(part * (total + error)) + 2.0**-149

    def crossed(self, t: float, bt: float, strict: bool) -> Bools:
        """Candidates i with C[i-1] <= computed < C[i] for some admissible C, or C[i-1] < computed <= C[i]."""
        before, error_before = (np.concatenate([[0.0], part[:-1]]) for part in (self.total, self.error))
        low, high = before - error_before - bt, self.total + self.error + bt
        found: Bools = (low <= t) & (t < high) if strict else (low < t) & (t <= high)
        return found


def _rounding(size: float) -> float:
    """Of one result of this size."""
    return _U * size


def sums(values: Reals, temperature: float, order: Order) -> Sums:
    """W and b for candidates' logits in descending order, the first finite."""
    t = (values - values[0]) / (np.log(2.0) * temperature)
    w = np.exp2(t)
    size = np.where(w > 0.0, -t, 0.0)
    eps = np.expm1(np.log(2.0) * _ARGUMENT * size + np.log1p(_EX2)) + _REFERENCE
    top = values == values[0]
    flushed = w <= 2 * _FLUSH
    off = np.where(top | (values == -np.inf), 0.0, w * eps + np.where(flushed, _FLUSH, 0.0))
    h = order.depth(len(values))
    gamma = h * _U / (1.0 - h * _U)
    total = np.cumsum(w)
    error = np.cumsum(off) * (1.0 + gamma) + gamma * total + len(values) * 2.0**-52 * total
    exact = int(top.sum())
    # Sums of ones are exact in any order; zeros after them change nothing.
    ones = np.arange(len(values)) < exact
    error = np.where(ones | (np.cumsum(~top & (values != -np.inf)) == 0), 0.0, error)
    return Sums(total, error, w >= _SURELY_FLUSHED, exact)


def accepted(logits: Logits, request: Request, order: Order | None = None) -> Accepted:
    """The indices that a kernel may return for one row of float16 or float32 logits."""
    if logits.ndim != 1 or logits.dtype not in (np.dtype(np.float16), np.dtype(np.float32)):
        raise BadInput(f"logits are a row of float16 or float32, got {logits.dtype} {logits.shape}")
    if not 1 <= len(logits) <= MOST:
        raise BadInput(f"a row has 1 to {MOST} logits, got {len(logits)}")
    if np.isnan(logits).any() or (logits == np.inf).any() or (logits == -np.inf).all():
        return Accepted(Status.INVALID, frozenset())
    if request.temperature == 0.0:
        return Accepted(Status.OK, frozenset({int(ranked(logits, 1)[0])}))
    candidates = ranked(logits, request.k)
    values = logits[candidates].astype(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        found = sums(values, request.temperature, order or Order())
    indices: set[int] = set()
    for j in _cuts(found, request.p):
        t, bt = found.place(j, request.uniform)
        inside = found.crossed(t, bt, strict=True) & found.possible
        indices |= {int(candidates[i]) for i in np.flatnonzero(inside[: j + 1])}
    return Accepted(Status.OK, frozenset(indices))


def _cuts(found: Sums, p: float) -> list[int]:
    """J: where the nucleus may end."""
    last = len(found.total) - 1
    if p == 1.0:
        return [last]
    t, bt = found.place(last, p)
    return [int(j) for j in np.flatnonzero(found.crossed(t, bt, strict=False))]


# --- known answers ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KnownDraw:
    """Logits and requests with the only right index, None for INVALID."""

    name: str
    logits: tuple[float, ...]
    request: Request
    index: int | None


def _uniform(value: float) -> float:
    return float(np.float32(value))


def _draws(
    name: str, logits: Sequence[float], pairs: Sequence[tuple[float, int | None]], temperature: float = 1.0, k: int = 0,
    p: float = 1.0,
) -> list[KnownDraw]:  # fmt: skip
    requests = [(Request(_uniform(u), temperature, k, _uniform(p)), index) for u, index in pairs]
    return [KnownDraw(f"{name}, U = {r.uniform:.4g}", tuple(logits), r, index) for r, index in requests]


_LAST = 1.0 - 2.0**-24
_RAMP = (0.0, 1.0, 2.0, 3.0)
_INF, _NAN = float("inf"), float("nan")

KNOWN_ANSWERS = (
    *_draws("0 to 3", _RAMP, [(0.0, 3), (0.6, 3), (0.65, 2), (0.9, 1), (0.97, 0), (_LAST, 0)]),
    *_draws("0 to 3, T = 2", _RAMP, [(0.4, 3), (0.5, 2), (0.8, 1), (0.9, 0)], temperature=2.0),
    *_draws("0 to 3, top-k 2", _RAMP, [(0.7, 3), (0.8, 2), (_LAST, 2)], k=2),
    *_draws("0 to 3, top-p 0.9", _RAMP, [(0.6, 3), (0.72, 2), (0.95, 1)], p=0.9),
    *_draws("0 to 3, top-p 0.6", _RAMP, [(0.0, 3), (_LAST, 3)], p=0.6),
    *_draws("top-k 3, then top-p 0.9 of what is left", _RAMP, [(0.7, 3), (0.95, 2), (_LAST, 2)], k=3, p=0.9),
    *_draws("equal logits", (5.0,) * 4, [(0.2499, 0), (0.25, 1), (0.5, 2), (0.75, 3), (_LAST, 3)]),
    *_draws("equal logits, top-k 2", (5.0,) * 4, [(0.49, 0), (0.5, 1), (_LAST, 1)], k=2),
    *_draws("equal logits, top-p 1/2", (5.0,) * 4, [(0.49, 0), (0.5, 1), (_LAST, 1)], p=0.5),
    *_draws("equal logits, T = 0", (5.0,) * 4, [(0.0, 0), (_LAST, 0)], temperature=0.0),
    *_draws("a weight that is flushed", (0.0, -200.0), [(0.0, 0), (0.5, 0), (_LAST, 0)]),
    *_draws("-Inf is not drawn", (0.0, -_INF), [(0.0, 0), (_LAST, 0)]),
    *_draws("-Inf first", (-_INF, 2.0), [(0.0, 1), (_LAST, 1)]),
    *_draws("all -Inf", (-_INF, -_INF), [(0.5, None)]),
    *_draws("all -Inf, T = 0", (-_INF, -_INF), [(0.5, None)], temperature=0.0),
    *_draws("a NaN", (1.0, _NAN, 2.0), [(0.5, None)]),
    *_draws("a NaN, T = 0", (1.0, _NAN, 2.0), [(0.5, None)], temperature=0.0),
    *_draws("+Inf", (1.0, _INF), [(0.5, None)]),
    *_draws("T = 1/2", (1.0, 0.0), [(0.88, 0), (0.881, 1)], temperature=0.5),
    *_draws("zeros are equal", (-0.0, 0.0), [(0.3, 0), (0.5, 1)]),
    *_draws("zeros are equal, T = 0", (-0.0, 0.0), [(0.5, 0)], temperature=0.0),
    *_draws("the ends of binary16", (65504.0, -65504.0), [(0.0, 0), (_LAST, 0)]),
    *_draws("a tie of binary16 (2049 is stored as 2048)", (2048.0, 2048.0), [(0.5, 1)]),
    *_draws("a tie of binary16, T = 0", (2048.0, 2048.0), [(0.5, 0)], temperature=0.0),
    *_draws("subnormal logits", (2.0**-24, 0.0), [(0.4999, 0), (0.5001, 1)]),
)
"""Each for float32 and, since all these logits are binary16 numbers, for float16."""

# Raw, the second is greater; divided by 3 first, both round to the same, and the first would be kept.
NOT_DIVIDED = KnownDraw("top-k before the temperature", (2.0 - 3 * 2.0**-23, 2.0 - 2.0**-22), Request(0.5, 3.0, 1), 1)
