"""Arrays of binary16 and binary32 words: classes, order, rounding from float64, and which results a bound admits.

The rule is that of `spec.scalar` (accepts16), for results stored in either format.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spec.errors import BadInput
from spec.scalar import Format, Kind, Reals

Words = NDArray[Any]
"""Words of a format, unsigned integers of its width."""
_FLOATS = {"f16": np.float16, "f32": np.float32}


def word_type(form: Format) -> np.dtype[Any]:
    """The type of words of the format."""
    return np.dtype(f"u{form.width // 8}")


def nan_of(form: Format) -> int:
    """A quiet NaN; stands for any."""
    return form.infinity | 1 << (form.fraction_bits - 1)


def kinds(bits: Words, form: Format) -> NDArray[np.int8]:
    """The class of each word, as integers of Kind."""
    magnitude = bits & word_type(form).type(form.sign - 1)
    infinite = np.where(bits & word_type(form).type(form.sign), Kind.MINUS_INF, Kind.PLUS_INF)
    special = np.where(magnitude == form.infinity, infinite, Kind.FINITE)
    return np.where(magnitude > form.infinity, Kind.NAN, special).astype(np.int8)


def orders(bits: Words, form: Format) -> NDArray[np.int64]:
    """Integers that order all words but NaN as extended reals; +0 and -0 are equal."""
    wide = bits.astype(np.int64)
    magnitude = wide & (form.sign - 1)
    return np.where(wide & form.sign, -magnitude, magnitude)


def encode(values: Reals, form: Format) -> Words:
    """Each float64 rounded once to nearest, ties to even."""
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(_FLOATS[form.name]).view(word_type(form))


def values_of(bits: Words, form: Format) -> Reals:
    """The numbers that words stand for, exactly; Inf and NaN as they are."""
    with np.errstate(invalid="ignore"):
        found: Reals = np.ascontiguousarray(bits).view(_FLOATS[form.name]).astype(np.float64)
    return found


def finite_values(bits: Words, form: Format) -> Reals:
    """The numbers, 0 in place of Inf and NaN, whose results are decided by class."""
    return values_of(np.where(kinds(bits, form) == Kind.FINITE, bits, 0).astype(word_type(form)), form)


def value_at(position: NDArray[np.int64], form: Format) -> Reals:
    """The value at a place of the order; that of Inf counts as one step beyond the largest finite value."""
    magnitude = np.abs(position)
    exponent, fraction = magnitude >> form.fraction_bits, magnitude & ((1 << form.fraction_bits) - 1)
    significand = np.where(exponent > 0, fraction + (1 << form.fraction_bits), fraction).astype(np.float64)
    value = np.ldexp(significand, np.maximum(exponent, 1) - 1 + form.least)
    signed: Reals = np.copysign(value, position.astype(np.float64))
    return signed


def accept(bits: Words, s: Reals, bound: Reals, form: Format) -> NDArray[np.bool_]:
    """Where RN(s - bound) <= y <= RN(s + bound), never stricter: the ends are rounded outward in float64.

    A bound of 0 says that s is exact, and the result is RN(s) alone.
    """
    low = orders(encode(np.where(bound == 0.0, s, np.nextafter(s - bound, -np.inf)), form), form)
    high = orders(encode(np.where(bound == 0.0, s, np.nextafter(s + bound, np.inf)), form), form)
    position = orders(bits, form)
    verdict: NDArray[np.bool_] = (kinds(bits, form) != Kind.NAN) & (low <= position) & (position <= high)
    return verdict


def error(bits: Words, s: Reals, form: Format) -> Reals:
    """The least error before the conversion that explains each word: distance from s to what rounds to the word.

    NaN words give infinity. The value is rounded down by at most 2^-52 |s|; 0 wherever RN(s) is the word.
    """
    position = orders(bits, form)
    middle = value_at(position, form)
    # Half a step to both sides; beyond the largest finite value steps go on as if the exponent did.
    low = (middle + value_at(position - 1, form)) / 2
    high = (middle + value_at(position + 1, form)) / 2
    high = np.where(position == form.infinity, np.inf, high)
    low = np.where(position == -form.infinity, -np.inf, low)
    distance = np.maximum(np.maximum(low - s, s - high), 0.0)
    explained: Reals = np.where(kinds(bits, form) == Kind.NAN, np.inf, distance)
    return explained


def check(bits: Words, shape: tuple[int, ...], form: Format) -> None:
    """BadInput unless these are words of the format in that shape."""
    if bits.dtype != word_type(form) or bits.shape != shape:
        raise BadInput(f"results are {word_type(form)} words of shape {shape}, got {bits.dtype} {bits.shape}")
