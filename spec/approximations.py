"""The documented errors of the approximate instructions, and which results they allow.

This is the only home of these constants: bounds (spec.operators), proofs and device checks take them from here.
Source: PTX ISA 9.7.3 (ex2, lg2, rcp, rsqrt, sqrt, div, tanh); the text is paraphrased in `documented`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from spec.enclosure import Enclosure, exp, exp2, ln2, log, sqrt
from spec.errors import BadInput
from spec.scalar import F32, U32, Rounding, encode, power_of_two, rn32, rounded, ulp

Infinite = float
"""Python's float stands for +-Inf and NaN only; every finite value is a Fraction."""

SMALLEST_NORMAL = power_of_two(-126)
ROOT_2_TO_THE_TENTH = Fraction(10_717_734_625_363, 10**13)
"""2^(1/10), rounded up in the 13th decimal."""


@dataclass(frozen=True)
class Approximation:
    """What the ISA promises of one instruction in binary32.

    Args:
        name: as Domain.approximate spells it.
        documented: the promise.
        relative: the relative error that proofs use, at least what the promise means for normal results.
        units: the promise in units in the last place of the correctly rounded result; 0 where it is relative.
        near_one: absolute error that takes the place of the relative one for arguments in (1/2, 2); 0 where none does.
    """

    name: str
    documented: str
    relative: Fraction
    units: int = 0
    near_one: Fraction = Fraction(0)


TABLE = {
    a.name: a
    for a in (
        Approximation(
            "ex2",
            "2 ulp from the correctly rounded result over the full range",
            Fraction(5, 2) * 2 * U32,  # two units and the half of the correct rounding
            units=2,
        ),
        Approximation(
            "rcp",
            "1 ulp over the full range; read as from the correctly rounded result",
            Fraction(3, 2) * 2 * U32,
            units=1,
        ),
        Approximation(
            "rsqrt",
            "relative 2^-22.9 over the positive finite range",
            ROOT_2_TO_THE_TENTH * 2 * U32,
        ),
        Approximation(
            "lg2",
            "absolute 2^-22 for arguments in (0.5, 2), relative 2^-22 for others",
            4 * U32,
            near_one=4 * U32,
        ),
        Approximation("sqrt", "relative 2^-23", 2 * U32),
        Approximation("tanh", "relative 2^-11", power_of_two(-11)),
    )
}


def admissible(name: str, ftz: bool, x: Fraction) -> tuple[Fraction | Infinite, Fraction | Infinite]:
    """The least and the greatest binary32 result that the documentation allows for a finite argument.

    Raises:
        BadInput: for an instruction without an entry here, or an argument outside its domain.
    """
    if ftz and x and abs(x) < SMALLEST_NORMAL:
        x = Fraction(0)
    if name == "ex2":
        return _ex2(ftz, x)
    if name == "rcp" and x:
        return _units_around(1 / x, TABLE["rcp"].units, ftz)
    if name == "rcp":
        return float("inf"), float("inf")
    if name == "rsqrt" and x > 0:
        return _within(sqrt(1 / x), TABLE["rsqrt"].relative)
    if name == "sqrt" and x >= 0:
        return _within(sqrt(x), TABLE["sqrt"].relative) if x else (x, x)
    if name == "lg2" and x >= 0:
        return _lg2(x) if x else (float("-inf"), float("-inf"))
    if name == "tanh":
        low, high = _within(_tanh(abs(x)), TABLE["tanh"].relative)
        return (low, high) if x >= 0 else (-high, -low)
    raise BadInput(
        f"no model of {name} at {float(x)!r}; modelled are ex2, rcp, tanh, lg2 and sqrt from 0 on and, above 0, rsqrt"
    )


def _within(value: Enclosure, relative: Fraction) -> tuple[Fraction, Fraction]:
    """The binary32 numbers within a relative error of a value that is not negative."""
    return _inward(value[0] * (1 - relative), value[1] * (1 + relative))


def _inward(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """The least and the greatest binary32 number of an interval that holds some."""
    return rounded(low, F32, Rounding.UP), rounded(high, F32, Rounding.DOWN)


def _lg2(x: Fraction) -> tuple[Fraction, Fraction]:
    ends = [a / b for a in log(x) for b in ln2()]
    low, high = min(ends), max(ends)
    near = Fraction(1, 2) < x < 2
    error = TABLE["lg2"].near_one if near else TABLE["lg2"].relative * max(abs(low), abs(high))
    return _inward(low - error, high + error)


def _tanh(x: Fraction) -> Enclosure:
    """Of x >= 0: (e^2x - 1) / (e^2x + 1), where that loses too much between x - x^3 / 3 and x."""
    if x < power_of_two(-20):
        return x - x**3 / 3, x
    if x > 64:
        return 1 - power_of_two(-90), Fraction(1)
    low, high = exp(2 * x)
    return (low - 1) / (low + 1), (high - 1) / (high + 1)


def _ex2(ftz: bool, x: Fraction) -> tuple[Fraction | Infinite, Fraction | Infinite]:
    if x == 0:
        return Fraction(1), Fraction(1)  # documented exactly
    if x >= 129:
        return float("inf"), float("inf")
    if x < -160:
        return Fraction(0), Fraction(0)
    low, high = exp2(x)
    if encode(low, F32) != encode(high, F32):
        raise BadInput(f"2^{x} is too near a tie for the precision kept")
    return _units_around(low, TABLE["ex2"].units, ftz)


def _units_around(value: Fraction, units: int, ftz: bool) -> tuple[Fraction | Infinite, Fraction | Infinite]:
    """RN32(value) -+ units, overflowing and flushing where the ends do; a subnormal result flushes to 0."""
    top = F32.largest + ulp(F32.largest, F32)
    middle = top if encode(abs(value), F32) == F32.infinity else rn32(abs(value))
    step = ulp(min(middle, F32.largest), F32)
    ends = [max(middle - units * step, Fraction(0)), middle + units * step]
    if ftz:
        ends = [Fraction(0) if e < SMALLEST_NORMAL else e for e in ends]
    shown: list[Fraction | Infinite] = [float("inf") if e >= top else rn32(e) for e in ends]
    return (shown[0], shown[1]) if value > 0 else (-shown[1], -shown[0])
