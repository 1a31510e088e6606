"""Exact binary16 and binary32 against NumPy: every word, every tie, and the acceptance rule at its edges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.errors import BadInput
from spec.scalar import (
    F16,
    F32,
    Kind,
    accept16,
    accepts16,
    decode,
    encode,
    encode16,
    error16,
    inflate,
    kind_of,
    kinds16,
    order,
    orders16,
    rn16,
    rn32,
    ulp,
)

ALL = np.arange(2**16, dtype=np.uint16)
FINITE = [b for b in range(2**16) if (b & 0x7FFF) < 0x7C00]


def test_every_binary16_word_decodes_as_numpy_and_encodes_back() -> None:
    values = ALL.view(np.float16).astype(np.float64)
    for bits in FINITE:
        value = decode(bits, F16)
        assert value == Fraction(float(values[bits]))
        assert encode(value, F16) == (0 if bits == 0x8000 else bits)
        assert encode(value, F32) == int(np.array(values[bits], dtype=np.float32).view(np.uint32)) or bits == 0x8000


def test_every_binary16_class_is_numpys() -> None:
    values = ALL.view(np.float16)
    kinds = kinds16(ALL)
    for bits in range(2**16):
        assert kinds[bits] == kind_of(bits, F16)
    assert np.array_equal(kinds == Kind.NAN, np.isnan(values))
    assert np.array_equal(kinds == Kind.PLUS_INF, np.isposinf(values))
    assert np.array_equal(kinds == Kind.MINUS_INF, np.isneginf(values))
    assert np.array_equal(orders16(ALL), [order(b, F16) for b in range(2**16)])


def test_rounding_at_and_beside_every_tie_is_numpys() -> None:
    """Ties between all neighbours, and one float64 step to each side: scalar and array forms against NumPy."""
    positive = ALL[:0x7C00].view(np.float16).astype(np.float64)
    ties = (positive + np.append(positive[1:], 65536.0)) / 2
    points = np.concatenate([ties, np.nextafter(ties, np.inf), np.nextafter(ties, 0), -ties])
    with np.errstate(over="ignore"):
        expected = points.astype(np.float16).view(np.uint16)
    assert np.array_equal(encode16(points), expected)
    assert [encode(Fraction(p), F16) for p in points.tolist()] == expected.tolist()


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_rounding_to_binary32_is_numpys(x: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        expected = int(np.float64(x).astype(np.float32).view(np.uint32))
    assert encode(Fraction(x), F32) == (0 if x == 0 else expected)


# NUMERICS: cvt.rn.f16.f32 known answers.
P = Fraction(2)
KNOWN = [
    (Fraction(65504), 0x7BFF),
    (Fraction(65519), 0x7BFF),
    (Fraction(65520), 0x7C00),
    (Fraction(65535), 0x7C00),
    (P**-25, 0x0000),
    (P**-25 * (1 + P**-23), 0x0001),
    (3 * P**-26, 0x0001),
    (1 + P**-11, 0x3C00),
    (1 + 3 * P**-11, 0x3C02),
    (P**-14 - P**-26, 0x0400),
    (Fraction(2049), 0x6800),
    (Fraction(2051), 0x6802),
    (-(P**-26), 0x8000),
]


@pytest.mark.parametrize(("x", "bits"), KNOWN)
def test_known_conversions(x: Fraction, bits: int) -> None:
    assert encode(x, F16) == bits


def test_values_and_units() -> None:
    assert rn16(Fraction(2049)) == 2048
    assert rn32(Fraction(2**24 + 1)) == 2**24
    assert F16.largest == 65504
    assert F32.largest == 2**128 - 2**104
    assert ulp(Fraction(1), F32) == P**-23
    assert ulp(Fraction(0), F16) == P**-24
    assert ulp(P**-20, F16) == P**-24


def test_what_has_no_value_is_refused() -> None:
    with pytest.raises(BadInput, match="not finite"):
        decode(0x7C00, F16)
    with pytest.raises(BadInput, match="16 bits"):
        decode(0x10000, F16)
    with pytest.raises(BadInput, match="largest value is 65504"):
        rn16(Fraction(65520))
    with pytest.raises(BadInput, match="not negative"):
        accepts16(0, Fraction(0), Fraction(-1))


def test_acceptance_without_slack_is_rounding() -> None:
    for bits in range(0, 0x7C00, 1999):
        s = decode(bits, F16)
        accepted = [b for b in range(0, 2**16, 1 if bits == 0 else 211) if accepts16(b, s, Fraction(0))]
        assert set(accepted) <= ({0, 0x8000} if s == 0 else {bits})
        assert accepts16(bits, s, Fraction(0))
        assert not accepts16(bits + 1, s, Fraction(0))


@pytest.mark.parametrize(
    ("bits", "s", "bound", "accepted"),
    [
        (0x7C00, Fraction(65519), Fraction(1), True),
        (0x7C00, Fraction(65519), Fraction(999, 1000), False),
        (0x7BFF, Fraction(65520), Fraction(1, 1000), True),
        (0x7BFF, Fraction(65521), Fraction(1), False),  # s - E = 65520 already rounds to Inf
        (0xFC00, Fraction(-65519), Fraction(1), True),
        (0x7E00, Fraction(0), Fraction(10**9), False),
        (0x8000, Fraction(1, 2**40), Fraction(0), True),  # zeros are equal
        (0x0001, P**-25, Fraction(0), False),  # the tie goes to even
        (0x0001, P**-25, P**-60, True),
        (0x0000, P**-25, P**-60, True),
    ],
)
def test_acceptance_at_its_edges(bits: int, s: Fraction, bound: Fraction, accepted: bool) -> None:
    assert accepts16(bits, s, bound) is accepted
    got = accept16(np.array([bits], np.uint16), np.array([float(s)]), np.array([float(bound)]))
    assert bool(got[0]) or not accepted


def test_array_acceptance_without_slack_is_rounding_at_ties_too() -> None:
    bits, s = np.array([0x3C00, 0x3C01, 0x3C02], np.uint16), np.full(3, 1 + 3 * 2.0**-11)
    assert accept16(bits, s, np.zeros(3)).tolist() == [False, False, True]
    assert accept16(bits, s, np.full(3, 2.0**-60)).tolist() == [False, True, True]


finite16 = st.integers(0, 2**16 - 1).filter(lambda b: (b & 0x7FFF) < 0x7C00)


@given(finite16, st.floats(-70000, 70000), st.floats(0, 100))
def test_array_acceptance_is_never_stricter_and_one_step_wider_at_most(bits: int, s: float, bound: float) -> None:
    got = bool(accept16(np.array([bits], np.uint16), np.array([s]), np.array([bound]))[0])
    exact = accepts16(bits, Fraction(s), Fraction(bound))
    assert got or not exact
    if got and not exact:
        wider = Fraction(bound) + Fraction(abs(s) + bound) / 2**50 + P**-1074
        assert accepts16(bits, Fraction(s), wider)


@given(st.integers(0, 0xFFFF), st.floats(-70000, 70000))
def test_least_error_agrees_with_acceptance(bits: int, s: float) -> None:
    """A bound just above the least error accepts the word, one clearly below does not."""
    error = float(error16(np.array([bits], np.uint16), np.array([s]))[0])
    if kind_of(bits, F16) is Kind.NAN:
        assert error == np.inf
        return
    above = Fraction(error) * (1 + P**-40) + Fraction(abs(s)) / 2**50 + P**-80
    assert accepts16(bits, Fraction(s), above)
    below = Fraction(error) * (1 - P**-40) - Fraction(abs(s)) / 2**50 - P**-80
    assert below <= 0 or not accepts16(bits, Fraction(s), below)


def test_inflation_only_widens() -> None:
    bound = inflate(np.array([1.0, 0.0]), np.array([0.5, 2.0**-60]))
    assert (bound > np.array([1.5, 2.0**-60])).all()
