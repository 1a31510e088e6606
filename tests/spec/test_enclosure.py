"""Enclosures and the documented errors: they hold the true value, are narrow, and the constants are the documented."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.approximations import ROOT_2_TO_THE_TENTH, TABLE, admissible
from spec.enclosure import exp, exp2, ln2, log2, sqrt, tanh
from spec.errors import BadInput
from spec.scalar import F32, decode, power_of_two, rn32, ulp


@given(st.floats(-700, 700))
def test_exp_encloses(x: float) -> None:
    low, high = exp(Fraction(x))
    assert low < high < low * (1 + power_of_two(-100))
    # math.exp is within a few units of 2^-53; a wrong enclosure is off by far more.
    assert math.exp(x) == pytest.approx(float(low), rel=1e-14, abs=0)


def test_exp_is_a_homomorphism_within_its_width() -> None:
    a, b = exp(Fraction(7, 3)), exp(Fraction(-41, 9))
    low, high = exp(Fraction(7, 3) - Fraction(41, 9))
    assert a[0] * b[0] < high
    assert low < a[1] * b[1]


def test_ln2_inverts_exp() -> None:
    low, high = ln2()
    assert exp(low)[0] < 2 < exp(high)[1]
    assert high - low < power_of_two(-120)


def test_powers_of_two_are_exact_at_integers() -> None:
    assert exp2(Fraction(-126)) == (power_of_two(-126), power_of_two(-126))
    low, high = exp2(Fraction(1, 2))
    assert low**2 < 2 < high**2


def real(value: mpmath.mpf) -> Fraction:
    sign, mantissa, exponent, _ = value._mpf_
    magnitude = Fraction(int(mantissa)) * power_of_two(exponent)
    return -magnitude if sign else magnitude


@given(st.integers(1, F32.infinity - 1) | st.integers(0x3F800000 - 4000, 0x3F800000 + 4000))
def test_log2_encloses(word: int) -> None:
    x = decode(word, F32)
    low, high = log2(x)
    with mpmath.workprec(400):
        exact = real(mpmath.log(mpmath.mpf(x.numerator) / x.denominator, 2))
    assert low <= exact <= high
    assert high - low <= abs(exact) * power_of_two(-120)


@given(st.integers(1, 0x43000000), st.sampled_from([1, -1]))
def test_tanh_encloses(word: int, sign: int) -> None:
    x = decode(word, F32) * sign
    low, high = tanh(x)
    with mpmath.workprec(900):
        exact = real(mpmath.tanh(mpmath.mpf(x.numerator) / x.denominator))
    assert low <= exact <= high
    assert high - low <= abs(exact) * power_of_two(-80)


@given(st.floats(-150, 150, width=32))
def test_powers_of_two_are_those_of_another_library(x: float) -> None:
    low, high = exp2(Fraction(x))
    with mpmath.workprec(400):
        exact = real(mpmath.power(2, mpmath.mpf(x)))
    assert low <= exact <= high
    assert high - low <= exact * power_of_two(-100)


@given(st.fractions(min_value=0, max_value=10**9))
def test_sqrt_encloses(x: Fraction) -> None:
    low, high = sqrt(x)
    assert low**2 <= x < high**2


def test_the_constants_are_the_documented_ones() -> None:
    """NUMERICS section 1: relative bounds as powers of two, 2^-22.9 from above and not by much."""
    u = power_of_two(-24)
    assert TABLE["ex2"].relative == Fraction(5, 2) * power_of_two(-23)
    assert TABLE["rcp"].relative == Fraction(3, 2) * power_of_two(-23)
    assert TABLE["rsqrt"].relative == ROOT_2_TO_THE_TENTH * power_of_two(-23)
    assert ROOT_2_TO_THE_TENTH**10 > 2 > (ROOT_2_TO_THE_TENTH - Fraction(1, 10**13)) ** 10
    assert TABLE["sqrt"].relative == 2 * u
    assert TABLE["tanh"].relative == 2**13 * u


@given(st.floats(-125, 127, width=32))
def test_ex2_stays_within_its_relative_constant(x: float) -> None:
    low, high = admissible("ex2", True, Fraction(x))
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    true = exp2(Fraction(x))
    rel = TABLE["ex2"].relative
    assert low >= true[0] * (1 - rel)
    assert high <= true[1] * (1 + rel)


@given(st.floats(2**-100, 2**100, width=32))
def test_rcp_and_rsqrt_stay_within_their_relative_constants(x: float) -> None:
    value = Fraction(x)
    low, high = admissible("rcp", True, value)
    rel = TABLE["rcp"].relative
    assert 1 - rel <= low * value <= high * value <= 1 + rel
    low, high = admissible("rsqrt", False, value)
    rel = TABLE["rsqrt"].relative
    assert (1 - rel) ** 2 <= low * low * value <= high * high * value <= (1 + rel) ** 2
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    assert rn32(low) == low
    assert ((high + ulp(high, F32)) ** 2) * value > (1 + rel) ** 2


def test_special_results_of_the_approximations() -> None:
    assert admissible("ex2", True, Fraction(0)) == (1, 1)
    assert admissible("ex2", True, power_of_two(-140)) == (1, 1)  # a flushed argument
    assert admissible("ex2", True, Fraction(-127)) == (0, 0)  # a flushed result
    assert admissible("ex2", True, Fraction(200)) == (math.inf, math.inf)
    assert admissible("ex2", True, Fraction(128)) == (F32.largest - ulp(F32.largest, F32), math.inf)
    assert admissible("rcp", True, power_of_two(126) * Fraction(3, 2)) == (0, 0)
    with pytest.raises(BadInput, match="no model of rsqrt"):
        admissible("rsqrt", False, Fraction(-1))


@given(st.floats(2.0**-120, 2.0**120, width=32))
def test_lg2_and_sqrt_stay_within_their_constants(x: float) -> None:
    value = Fraction(x)
    low, high = admissible("lg2", False, value)
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    true, entry = math.log2(x), TABLE["lg2"]
    error = float(entry.near_one) if 0.5 < x < 2 else float(entry.relative) * abs(true)
    slack = 2.0**-50 * max(1.0, abs(true))
    assert true - error - slack <= float(low) <= float(high) <= true + error + slack
    # Two units in the last place at the ends are enough for what is not a binary32 number.
    assert float(high - low) >= 2 * error - 4 * float(ulp(high or low, F32)) - slack
    low, high = admissible("sqrt", False, value)
    rel = TABLE["sqrt"].relative
    assert (1 - rel) ** 2 * value <= low * low <= high * high <= (1 + rel) ** 2 * value


@given(st.floats(-20, 20, width=32))
def test_tanh_stays_within_its_constant(x: float) -> None:
    low, high = admissible("tanh", False, Fraction(x))
    true, rel = math.tanh(x), float(TABLE["tanh"].relative)
    allowed = (rel + 2.0**-40) * abs(true) + 2.0**-149
    assert true - allowed <= float(low) <= float(high) <= true + allowed
    assert float(high - low) >= 1.9 * rel * abs(true) - 2.0**-148


def test_ends_of_lg2_sqrt_and_tanh() -> None:
    assert admissible("lg2", True, power_of_two(-140)) == (-math.inf, -math.inf)
    assert admissible("lg2", False, Fraction(1)) == (-power_of_two(-22), power_of_two(-22))
    low, high = admissible("lg2", False, Fraction(4))
    assert low < 2 < high
    assert admissible("sqrt", False, Fraction(0)) == (0, 0)
    assert admissible("tanh", False, Fraction(0)) == (0, 0)
    assert admissible("tanh", False, Fraction(1000))[0] < 1
    for name in ("lg2", "sqrt"):
        with pytest.raises(BadInput, match=f"no model of {name}"):
            admissible(name, False, Fraction(-1))
