"""What a tensor core computes: the exact models TC(F, g), and the error bounds that follow from them.

PTX leaves order, rounding and subnormal inputs of the sums of `mma` open (PTX ISA 9.7.15.5). What is assumed instead:

    TC(F, g): the 16 products of one m16n8k16 come in at most g groups, one after the other. In a group the products are
    exact; each addend, the accumulator among them, is cut toward zero to a multiple of one power of two, which is at
    most 2^(Emax - F); the sum is exact and is rounded toward zero to binary32. 2^Emax is the power of two of the
    largest addend that is not 0, as the exponents of its factors have it: e(a) + e(b), of subnormals the least.

Two models are exact, bit for bit as far as measurements go: ADA (Ampere too) is TC(24, 2), HOPPER TC(25, 1). VOLTA,
near to TC(23, 4), is here because it breaks the bound of TC(24, 2). All arithmetic is in scaled 64-bit integers.

Theorem 2.1. Let Y = |c| + sum of cl(a) cl(b). Under TC(F, g), F >= 23, for finite binary16 factors and Y < 2^128,

    |d - (c + sum a b)| <= kappa(F, g) Y   and   |d| <= |c| + sum |a b|.

cl(x) is |x|, of subnormals 2^-14: what is cut off next to a subnormal factor is set by its exponent, not by its value.
Theorem 2.2. Of instructions in a chain, s_t the exact sum after t of them and Y_t the products of the t-th alone,

    E_t = E_(t-1) + kappa (|s_(t-1)| + E_(t-1) + Y_t)   and, without the values,   E_t <= kappa sum of T_j, j <= t,

both bound |acc_t - s_t|; T_j = |c| + Y_1 + .. + Y_j. The first is the better one where sums cancel, the second may be
by the factor (1 + kappa)^t where nothing does. Proofs: docs/numerics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.errors import BadInput
from spec.ptx import floats
from spec.scalar import BF16, F16, F32, Format, Reals

Array = npt.NDArray[Any]

PRODUCTS = 16
"""Of one m16n8k16, for each element of D."""
_FORMATS = {"f16": F16, "bf16": BF16, "tf32": F32, "f32": F32}
_READ = {"tf32": np.uint32(0xFFFFE000)}
"""The bits of a word that count, where not all do."""
_NOTHING = -(1 << 20)
"""An exponent below all others, of addends that are 0."""


@dataclass(frozen=True)
class TensorCore:
    """A model.

    Args:
        kept: F, the fraction bits that an addend keeps below the power of two of the largest.
        row: bits of a row of A that one fused sum takes: 128 are 8 products of 16 bits, or 4 of tf32.
    """

    name: str
    kept: int
    row: int

    def products(self, kind: str) -> int:
        """How many products of a type are summed at once."""
        return self.row // (8 * floats.WORD[_FORMATS[kind].width].itemsize)

    def groups(self, kind: str, count: int) -> int:
        """How many sums one after the other `count` products take."""
        return -(-count // self.products(kind))

    def dot(self, kind: str, c_kind: str, a: Array, b: Array, c: Array) -> Array:
        """Bits of c + sum over the last axis of a*b, all given as bits of their formats.

        A binary32 accumulator is rounded toward zero, a binary16 one to nearest. NaN has one pattern.

        Args:
            kind: of the factors: f16, bf16, tf32.
            c_kind: of accumulator and result: f32, f16.
        """
        size = self.products(kind)
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, a.shape[-1], size):
                c = self._fused(kind, c_kind, a[..., first : first + size], b[..., first : first + size], c)
        return c

    def _fused(self, kind: str, c_kind: str, a: Array, b: Array, c: Array) -> Array:
        form, c_form = _FORMATS[kind], _FORMATS[c_kind]
        if kind in _READ:
            a, b = a & _READ[kind], b & _READ[kind]
        (x, ex), (y, ey), (z, ez) = _parts(form, a), _parts(form, b), _parts(c_form, c)
        products, exponents = x * y, ex + ey
        ez = np.where(z == 0, _NOTHING, ez)
        top = np.maximum(np.where(products == 0, _NOTHING, exponents).max(axis=-1, initial=_NOTHING), ez)
        fraction = 2 * form.fraction_bits
        total = _cut(products, exponents - fraction - top[..., None] + self.kept).sum(axis=-1)
        total = total + _cut(z, ez - c_form.fraction_bits - top + self.kept)
        # Exact in binary64: below 2^33, and no exponent is near its ends.
        value = np.ldexp(total.astype(np.float64), np.where(top == _NOTHING, 0, top - self.kept))
        if c_form is F32:
            # Rounding toward zero stops at the greatest finite number, but what is beyond its binade is infinite.
            value = np.where(np.abs(value) >= 2.0**128, np.copysign(np.inf, value), value)
        special = ~(_finite(form, a) & _finite(form, b)).all(axis=-1) | ~_finite(c_form, c)
        if special.any():
            sums = (floats.widen(form.name, a) * floats.widen(form.name, b)).sum(axis=-1)
            value = np.where(special, sums + floats.widen(c_kind, c), value)
        return floats.narrow(c_kind, "rz" if c_form is F32 else "rn", value)


ADA = TensorCore("ada", 24, 128)
HOPPER = TensorCore("hopper", 25, 256)
VOLTA = TensorCore("volta", 23, 64)
MODELS = {core.name: core for core in (ADA, HOPPER)}
"""Those of devices that kernels are for, by name."""


def model(name: str) -> TensorCore:
    """A model by name; BadInput for one that is not in MODELS."""
    if name not in MODELS:
        raise BadInput(f"no tensor core {name!r}; have {', '.join(MODELS)}")
    return MODELS[name]


def _magnitude(form: Format, bits: Array) -> Array:
    return bits.astype(np.int64) & (form.sign - 1)


def _finite(form: Format, bits: Array) -> Array:
    return np.asarray(_magnitude(form, bits) < form.infinity)


def _parts(form: Format, bits: Array) -> tuple[Array, Array]:
    """Significands as signed integers and exponents, of subnormals the least: value = m 2^(e - fraction bits)."""
    magnitude = _magnitude(form, bits)
    field = magnitude >> form.fraction_bits
    significand = (magnitude & ((1 << form.fraction_bits) - 1)) | (np.minimum(field, 1) << form.fraction_bits)
    negative = (bits.astype(np.int64) & form.sign) != 0
    return np.where(negative, -significand, significand), np.maximum(field, 1) - 1 + form.least_normal


def _cut(values: Array, places: Array) -> Array:
    """values * 2^places, what is below 1 cut off toward zero."""
    up, down = np.clip(places, 0, 31), np.clip(-places, 0, 63)
    return np.asarray(np.sign(values) * (np.abs(values) << up >> down))


# --- theorem 2.1: one instruction -------------------------------------------------------------------------------------


def kappa(kept: int, groups: int, products: int = PRODUCTS) -> Fraction:
    """The factor of theorem 2.1 for TC(kept, groups). BadInput outside of what the proof covers."""
    if kept < 23 or groups < 1 or products < 1:
        raise BadInput(
            f"no bound for TC({kept}, {groups}) with {products} products: the proof needs at least 23 bits, one group "
            "and one product"
        )
    return Fraction(products, 2**kept) + Fraction(groups, 2**23)


KAPPA = kappa(24, 2)
"""10 * 2^-23, of TC(24, 2): it holds for both MODELS, and is the constant of every contract with a matrix product."""
KAPPA_LITERAL = (1 + Fraction(1, 2**23)) ** PRODUCTS - 1
"""What the PTX ISA promises read literally: 16 additions in any order, each to single precision or better."""


def clipped(x: Fraction) -> Fraction:
    """cl(x) of a binary16 number: |x|, of subnormals 2^-14, of 0 nothing."""
    return max(abs(x), Fraction(1, 2**14)) if x else Fraction(0)


def weight(a: Sequence[Fraction], b: Sequence[Fraction], c: Fraction) -> Fraction:
    """Y of theorem 2.1."""
    return abs(c) + sum((clipped(x) * clipped(y) for x, y in zip(a, b, strict=True)), Fraction(0))


def judge(a: Array, b: Array, c: Array, d: Array, factor: Fraction = KAPPA) -> tuple[Array, Reals]:
    """Whether |d - (c + sum a b)| <= factor Y, decided exactly, and error / bound for each vector.

    Args:
        a, b: finite binary16 words, products along the last axis.
        c, d: binary32 words; c finite. A d that is not finite keeps no bound, its ratio is infinite.
    """
    (x, ex), (y, ey) = _parts(F16, a), _parts(F16, b)
    exponents = ex + ey
    exact = _units(x * y, exponents)
    least = 1 << F16.fraction_bits
    sizes = _units(np.where((x == 0) | (y == 0), 0, np.maximum(abs(x), least) * np.maximum(abs(y), least)), exponents)
    start, found = (_parts(F32, v) for v in (c, d))
    begin, end = (m.astype(object) << (e - F32.least_normal).astype(object) for m, e in (start, found))
    error = abs(end - begin - exact)
    limit = (abs(begin) + sizes) * factor.numerator
    error = error * factor.denominator
    known = _finite(F32, d)
    kept = known & (error <= limit).astype(bool)
    ratio = np.where(limit == 0, error != 0, error) / np.where(limit == 0, 1, limit)
    return kept, np.where(known, ratio.astype(np.float64), np.inf)


_LIMB = 40


def _units(products: Array, exponents: Array) -> Array:
    """Sums over the last axis of products of binary16 numbers, in units of 2^-149 as integers of any size.

    Products of 22 bits are shifted by at most 58 places; two limbs of 40 bits hold 16 of them and more.
    """
    places = exponents - 2 * F16.least_normal
    low = np.minimum(places, _LIMB)
    shifted = products << low
    high = (shifted >> _LIMB) << (places - low)
    total = (high.sum(axis=-1).astype(object) << _LIMB) + (shifted & ((1 << _LIMB) - 1)).sum(axis=-1).astype(object)
    return np.asarray(total << (2 * F16.least - F32.least))


# --- theorem 2.2: instructions in a chain -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Chain:
    """Of one element of D after a chain: the exact sum, the running bound and the one without values."""

    exact: Fraction
    running: Fraction
    a_priori: Fraction


def chain(
    a: Sequence[Fraction], b: Sequence[Fraction], c: Fraction = Fraction(0), factor: Fraction = KAPPA,
    step: int = PRODUCTS,
) -> Chain:
    """Theorem 2.2, exactly. Binary16 numbers in the order of the kernel, `step` of them in an instruction."""
    exact, running, a_priori, total = c, Fraction(0), Fraction(0), abs(c)
    for first in range(0, len(a), step):
        x, y = a[first : first + step], b[first : first + step]
        products = weight(x, y, Fraction(0))
        running += factor * (abs(exact) + running + products)
        total += products
        a_priori += factor * total
        exact += sum((p * q for p, q in zip(x, y, strict=True)), Fraction(0))
    return Chain(exact, running, a_priori)


@dataclass(frozen=True)
class Chains:
    """The same for the elements of a matrix, in binary64: sums as computed, bounds never too small for them.

    |acc - exact| <= running and |exact - sums| is in it: what a kernel has before its last rounding lies within
    `running` of `sums`, and within `a_priori`.
    """

    sums: Reals
    running: Reals
    a_priori: Reals


def chains(a: Reals, b: Reals, c: Reals | float = 0.0, factor: Fraction = KAPPA, step: int = PRODUCTS) -> Chains:
    """Theorem 2.2 for every element of a @ b + c, rounded outward.

    Args:
        a, b: finite binary16 numbers as binary64, (.., m, k) and (.., k, n), k in the order of the kernel.
        c: binary32 numbers, what the accumulators begin with.
        step: products of one instruction.
    """
    length = a.shape[-1]
    if b.ndim < 2 or b.shape[-2] != length:
        raise BadInput(f"a of shape {a.shape} and b of shape {b.shape} have no product: columns of a are rows of b")
    up = float(factor)
    if Fraction(up) < factor:
        up = float(np.nextafter(up, np.inf))
    sums = np.zeros((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1])) + c
    total, running, a_priori = np.abs(sums), np.zeros(sums.shape), np.zeros(sums.shape)
    for first in range(0, length, step):
        x, y = a[..., first : first + step], b[..., first : first + step, :]
        products = _clipped(x) @ _clipped(y)
        running = running + up * (np.abs(sums) + _reference(first, total) + running + products)
        total = total + products
        a_priori = a_priori + up * total
        sums = sums + x @ y
    # Every number of a bound is not negative, so n roundings on a path make it too small by n 2^-53 at most.
    roundings = 6 * (-(-length // step)) + 2 * step + 16
    widen, reference = 1 + roundings * 2.0**-52, _reference(length, total)
    return Chains(sums, (running + reference) * widen, (a_priori + reference) * widen)


def _reference(count: int, total: Reals) -> Reals:
    """What a binary64 sum of `count` exact products and a start may be off, in any order: (n + 1) 2^-53 T."""
    error: Reals = (count + 1) * 2.0**-53 * total if count else np.zeros(total.shape)
    return error


def _clipped(x: Reals) -> Reals:
    size: Reals = np.where(x == 0, 0.0, np.maximum(np.abs(x), 2.0**-14))
    return size
