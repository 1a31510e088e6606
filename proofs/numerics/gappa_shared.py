"""Scripts that several operators use, and how their constants become multiples of powers of two."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from proofs.numerics.gappa import Script, magnitude, within
from proofs.numerics.gappa_terms import Term, error, real, rn16
from spec.scalar import F16, OVERFLOW16, U16, floor_log2, power_of_two

BITS = 50
"""Ends of ranges keep so many bits: what is assumed is rounded outward, what is claimed inward."""
LEAST16 = power_of_two(F16.least)
NORMAL16 = power_of_two(-14)
SLACK = 1 + power_of_two(-40)
"""How much larger a goal may be than the bound's formula: spec.scalar.inflate makes every bound so much larger."""
ALMOST = 1 - power_of_two(-10)


def up(x: Fraction) -> Fraction:
    """The least number of BITS bits that is not below x > 0."""
    step = power_of_two(floor_log2(x) - BITS)
    return ceil(x / step) * step


def down(x: Fraction) -> Fraction:
    """The greatest number of BITS bits that is not above x > 0."""
    step = power_of_two(floor_log2(x) - BITS)
    return floor(x / step) * step


def finite16(t: Term, what: str) -> tuple[Term, Fraction, Fraction, str]:
    """The magnitude of a binary16 number that is finite and not 0."""
    return t, LEAST16, F16.largest, f"{what}: finite, not 0"


def conversions() -> list[Script]:
    """cvt.rn.f16.f32 in the normal range and below it."""
    x, y = real("x"), real("y")
    definitions = (("y", rn16(x)),)
    return [
        Script(
            "cvt-relative",
            "cvt.rn.f16.f32 of a normal result that does not overflow is within relative 2^-11.",
            definitions,
            (magnitude(x, NORMAL16, OVERFLOW16, "normal in binary16, no overflow"),),
            (within(error(y, x), U16),),
            (within(error(y, x), U16 * ALMOST),),
            {"x": 1 + U16},
        ),
        Script(
            "cvt-absolute",
            "cvt.rn.f16.f32 of a result below the normal range is within 2^-25.",
            definitions,
            (magnitude(x, Fraction(0), NORMAL16, "subnormal in binary16, or 0"),),
            (within(y - x, LEAST16 / 2),),
            (within(y - x, LEAST16 / 2 * ALMOST),),
            {"x": LEAST16 / 2},
        ),
    ]
