"""Exact binary16, bfloat16, binary32 and binary64: decode, round, ulp, classes, and which stored results are accepted.

Words are unsigned integers (IEEE 754 bits), values are Fractions. Rounding goes to nearest, ties to even, unless a
direction is named, and has subnormals; to nearest, from half an ulp above the largest finite value on the result is
infinite (65520 for binary16).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spec.errors import BadInput

U16 = Fraction(1, 2**11)
"""Unit roundoff of binary16."""
U32 = Fraction(1, 2**24)
"""Unit roundoff of binary32."""
OVERFLOW16 = Fraction(65520)
"""The least magnitude that rounds to infinity in binary16."""

Bits16 = NDArray[np.uint16]
Reals = NDArray[np.float64]


class Kind(IntEnum):
    """Classes of values that results are compared by before any number is: the payload of a NaN never counts."""

    FINITE = 0
    PLUS_INF = 1
    MINUS_INF = 2
    NAN = 3


class Size(IntEnum):
    """What the magnitude of a word is."""

    ZERO = 0
    SUBNORMAL = 1
    NORMAL = 2
    INFINITE = 3
    NAN = 4


class Rounding(StrEnum):
    """Where a value between two neighbours goes, as PTX spells it (PTX ISA 6.5.2)."""

    NEAREST = "rn"
    """To the nearer one, of two equally near to the one whose last bit is 0."""
    ZERO = "rz"
    DOWN = "rm"
    UP = "rp"


@dataclass(frozen=True)
class Format:
    """A binary interchange format: `precision` counts the hidden bit, `least` is the exponent of the last subnormal."""

    name: str
    width: int
    precision: int
    least: int

    @property
    def fraction_bits(self) -> int:
        return self.precision - 1

    @property
    def infinity(self) -> int:
        """Bits of +Inf."""
        return (1 << (self.width - 1)) - (1 << self.fraction_bits)

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.width - 1)

    @property
    def least_normal(self) -> int:
        """Exponent of the least normal number: all smaller ones have its ulp."""
        return self.least + self.fraction_bits

    @property
    def largest(self) -> Fraction:
        """The largest finite value."""
        return decode(self.infinity - 1, self)


F16 = Format("f16", 16, 11, -24)
BF16 = Format("bf16", 16, 8, -133)
F32 = Format("f32", 32, 24, -149)
F64 = Format("f64", 64, 53, -1074)


def kind_of(bits: int, form: Format) -> Kind:
    """The class of a word."""
    magnitude = bits & (form.sign - 1)
    if magnitude > form.infinity:
        return Kind.NAN
    if magnitude == form.infinity:
        return Kind.MINUS_INF if bits & form.sign else Kind.PLUS_INF
    return Kind.FINITE


def size_of(bits: int, form: Format) -> Size:
    """What the magnitude of a word is; the sign does not matter."""
    magnitude = bits & (form.sign - 1)
    if magnitude >= form.infinity:
        return Size.NAN if magnitude > form.infinity else Size.INFINITE
    if magnitude >> form.fraction_bits:
        return Size.NORMAL
    return Size.SUBNORMAL if magnitude else Size.ZERO


def decode(bits: int, form: Format) -> Fraction:
    """The value of a finite word; both zeros give 0. BadInput for NaN, Inf and words that are too wide."""
    if not 0 <= bits < 2 * form.sign:
        raise BadInput(f"{bits:#x} is not a word of {form.width} bits")
    if kind_of(bits, form) is not Kind.FINITE:
        raise BadInput(f"{form.name} {bits:#x} is not finite and has no real value; look at kind_of first")
    exponent, fraction = divmod(bits & (form.sign - 1), 1 << form.fraction_bits)
    if exponent:
        fraction += 1 << form.fraction_bits
    value = Fraction(fraction) * power_of_two(form.least + max(exponent, 1) - 1)
    return -value if bits & form.sign else value


def power_of_two(exponent: int) -> Fraction:
    """2^exponent, exactly."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def floor_log2(x: Fraction) -> int:
    """The e with 2^e <= |x| < 2^(e+1); x must not be 0."""
    a = abs(x)
    e = a.numerator.bit_length() - a.denominator.bit_length()
    return e if a >= power_of_two(e) else e - 1


def ulp(x: Fraction, form: Format) -> Fraction:
    """The distance between neighbours of the format in the binade of x; that of the subnormals for 0."""
    return power_of_two(max(floor_log2(x) - form.fraction_bits, form.least) if x else form.least)


def encode(x: Fraction, form: Format, direction: Rounding = Rounding.NEAREST) -> int:
    """The word that x is rounded to. Negative values that vanish give -0, 0 gives +0.

    Beyond the largest finite value lies Inf where rounding goes away from zero, or to nearest; else that value.
    """
    negative = x < 0
    away = direction is (Rounding.DOWN if negative else Rounding.UP)
    unit = ulp(x, form)
    scaled = abs(x) / unit
    # A carry into the next binade lands on the right word by itself. round() of a Fraction is to even.
    if direction is Rounding.NEAREST:
        word = round(scaled)
    else:
        word = -(-scaled.numerator // scaled.denominator) if away else scaled.numerator // scaled.denominator
    if word >> form.fraction_bits:
        word += (floor_log2(unit) - form.least) << form.fraction_bits
    if word >= form.infinity:
        word = form.infinity if away or direction is Rounding.NEAREST else form.infinity - 1
    return (form.sign if negative else 0) | word


def rounded(x: Fraction, form: Format, direction: Rounding = Rounding.NEAREST) -> Fraction:
    """The finite value of the format that x is rounded to; BadInput where that is infinite."""
    bits = encode(x, form, direction)
    if kind_of(bits, form) is not Kind.FINITE:
        # Not float(x), which has no room for the largest rationals.
        raise BadInput(
            f"a magnitude of at least 2^{floor_log2(x)} overflows {form.name}, whose largest value is "
            f"{float(form.largest)!r}; encode gives the infinite word"
        )
    return decode(bits, form)


def rn16(x: Fraction) -> Fraction:
    """RN16 as a value; BadInput from 65520 on."""
    return rounded(x, F16)


def rn32(x: Fraction) -> Fraction:
    """RN32 as a value; BadInput on overflow."""
    return rounded(x, F32)


def rz32(x: Fraction) -> Fraction:
    """RZ32 as a value: the binary32 number next to x toward zero, the largest one for all beyond it."""
    return rounded(x, F32, Rounding.ZERO)


def order(bits: int, form: Format) -> int:
    """An integer that orders all words but NaN as extended reals; +0 and -0 are equal."""
    magnitude = bits & (form.sign - 1)
    return -magnitude if bits & form.sign else magnitude


def acceptance16(s: Fraction, bound: Fraction) -> tuple[int, int]:
    """RN16(s - bound) and RN16(s + bound): the ends of the words that may stand for s.

    s is the exact result, bound limits the error of the last binary32 value before the conversion; rounding is
    monotone, so what is stored lies between the ends. BadInput for a negative bound.
    """
    if bound < 0:
        raise BadInput(f"an error bound is not negative, got {bound}")
    return encode(s - bound, F16), encode(s + bound, F16)


def accepts16(bits: int, s: Fraction, bound: Fraction) -> bool:
    """Whether a stored binary16 word lies in `acceptance16` of s and bound.

    Ordered as extended reals, zeros equal; so +Inf is accepted exactly where s + bound >= 65520. NaN is never accepted.
    """
    low, high = (order(end, F16) for end in acceptance16(s, bound))
    return kind_of(bits, F16) is not Kind.NAN and low <= order(bits, F16) <= high


# --- the same for arrays, in float64 and outward ----------------------------------------------------------------------


def inflate(bound: Any, reference_error: Any) -> Reals:
    """(E + Eref) (1 + 2^-40): room for the reference's own rounding and for that of computing the bound."""
    widened: Reals = np.asarray((np.asarray(bound) + np.asarray(reference_error)) * (1 + 2.0**-40), dtype=np.float64)
    return widened


def kinds16(bits: Bits16) -> NDArray[np.int8]:
    """The class of each word, as integers of Kind."""
    magnitude = bits & 0x7FFF
    infinite = np.where(bits & 0x8000, Kind.MINUS_INF, Kind.PLUS_INF)
    found: NDArray[np.int8] = np.where(magnitude > 0x7C00, Kind.NAN, np.where(magnitude == 0x7C00, infinite, 0)).astype(
        np.int8
    )
    return found


def orders16(bits: Bits16) -> NDArray[np.int32]:
    """`order` of each word."""
    magnitude = (bits & 0x7FFF).astype(np.int32)
    return np.where(bits & 0x8000, -magnitude, magnitude)


def encode16(values: Reals) -> Bits16:
    """RN16 of each float64 in one rounding (never through binary32)."""
    with np.errstate(over="ignore"):
        return values.astype(np.float16).view(np.uint16)


def accept16(bits: Bits16, s: Reals, bound: Reals) -> NDArray[np.bool_]:
    """`accepts16` of each element, never stricter: s and bound are float64, the ends are rounded outward.

    Where s is exact and bound exact or inflated, an accepted element that `accepts16` refuses lies within one
    float64 step of the end. A bound of 0 says that s is exact, and the result is RN16(s) alone, at a tie too.
    """
    low = orders16(encode16(np.where(bound == 0.0, s, np.nextafter(s - bound, -np.inf))))
    high = orders16(encode16(np.where(bound == 0.0, s, np.nextafter(s + bound, np.inf))))
    position = orders16(bits)
    verdict: NDArray[np.bool_] = (kinds16(bits) != Kind.NAN) & (low <= position) & (position <= high)
    return verdict


def error16(bits: Bits16, s: Reals) -> Reals:
    """The least error before the conversion that explains each word: distance from s to what rounds to the word.

    NaN words give infinity. The value is rounded down by at most 2^-52 |s|; 0 wherever RN16(s) is the word.
    """
    position = orders16(bits)
    middle = _values_of_order(position)
    # Half a step to both sides; beyond the largest finite value steps go on as if the exponent did.
    low = (middle + _values_of_order(position - 1)) / 2
    high = (middle + _values_of_order(position + 1)) / 2
    high = np.where(position == 0x7C00, np.inf, high)
    low = np.where(position == -0x7C00, -np.inf, low)
    distance = np.maximum(np.maximum(low - s, s - high), 0.0)
    explained: Reals = np.where(kinds16(bits) == Kind.NAN, np.inf, distance)
    return explained


def _values_of_order(position: NDArray[np.int32]) -> Reals:
    """The value at a place of the order; the places of infinities count as 65536, one step beyond 65504."""
    magnitude = np.abs(position)
    exponent, fraction = magnitude >> 10, magnitude & 0x3FF
    significand = np.where(exponent > 0, fraction + 1024, fraction).astype(np.float64)
    value = np.ldexp(significand, np.maximum(exponent, 1) - 25)
    signed: Reals = np.copysign(value, position.astype(np.float64))
    return signed
