"""Shared by the tests of operators: choices of approximations, words of results, data that operators are tried on."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from spec.enclosure import exp
from spec.operators.exact import Choice, TensorCore, Value
from spec.operators.model import NAN16
from spec.ptx.node import Node
from spec.scalar import F16, F32, Bits16, decode, encode, floor_log2, power_of_two, ulp

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


def truncated(x: Fraction, unit: Fraction) -> Fraction:
    """x cut toward zero to a multiple of the unit."""
    count = abs(x) // unit
    return unit * (count if x > 0 else -count)


def tensor_core(kept: int, group: int) -> TensorCore:
    """One mma in plain rationals: groups of so many products and the accumulator, `kept` fraction bits when aligned."""

    def add(a: Sequence[Fraction], b: Sequence[Fraction], start: Fraction) -> Fraction:
        total = start
        for k in range(0, 16, group):
            pairs = [(x, y) for x, y in zip(a[k : k + group], b[k : k + group], strict=True) if x and y]
            exponents = [max(floor_log2(x), -14) + max(floor_log2(y), -14) for x, y in pairs]
            exponents += [max(floor_log2(total), -126)] if total else []
            if not exponents:
                continue
            unit = power_of_two(max(exponents) - kept)
            found = sum((truncated(v, unit) for v in [total, *(x * y for x, y in pairs)]), Fraction(0))
            total = truncated(found, ulp(found, F32)) if found else found
        return total

    return add


TENSOR_CORES = {"TC(24,2)": tensor_core(24, 8), "TC(25,1)": tensor_core(25, 16)}
"""Ampere and Ada, and Hopper."""
