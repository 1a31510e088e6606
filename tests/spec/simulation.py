"""Shared by the tests of operators: choices of approximations, words of results, data that operators are tried on."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from hypothesis import strategies as st

from spec.enclosure import exp
from spec.operators.exact import Choice, Value
from spec.operators.model import NAN16
from spec.ptx.node import Node
from spec.scalar import F16, F32, Bits16, decode, encode

finite_word = st.integers(0, 0x7BFF) | st.integers(0x8000, 0xFBFF)
any_word = st.sampled_from([0, 0x8000, 0x3C00, 0xC500, 0x7C00, 0xFC00, 0x7E00, 0xFC01, 1, 0xFBFF])
"""Zeros, infinities, NaN, and a few numbers: for tables of exceptional classes."""


def choices(rng: random.Random) -> Choice:
    """Each approximation anywhere in its range, ends preferred."""

    def choose(node: Node, low: Value, high: Value) -> Value:
        if isinstance(low, float) or isinstance(high, float) or rng.random() < 0.6:
            return rng.choice([low, high])
        return decode(encode(low + (high - low) * Fraction(rng.random()), F32), F32)

    return choose


def word(value: Value) -> int:
    """The binary16 word of a value that is one, or NaN."""
    if isinstance(value, float):
        return NAN16 if math.isnan(value) else (0x7C00 if value > 0 else 0xFC00)
    return encode(value, F16)


def exact_silu(x: Fraction) -> tuple[Fraction, Fraction]:
    """An enclosure of silu(x)."""
    low, high = exp(-x)
    a, b = x / (1 + low), x / (1 + high)
    return min(a, b), max(a, b)


def unsigned_zeros(bits: Bits16) -> Bits16:
    """The words with -0 as +0."""
    found: Bits16 = (bits & (0x7FFF | (0x8000 * ((bits & 0x7FFF) != 0)))).astype(bits.dtype)
    return found
