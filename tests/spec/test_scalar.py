"""Exact formats against NumPy: every word of 16 bits, every tie, every direction, and acceptance at its edges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.errors import BadInput
from spec.scalar import (
    BF16,
    F16,
    F32,
    F64,
    Format,
    Kind,
    Rounding,
    Size,
    accept16,
    acceptance16,
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
    power_of_two,
    rn16,
    rn32,
    rounded,
    rz32,
    size_of,
    ulp,
)

ALL = np.arange(2**16, dtype=np.uint16)
FINITE = [b for b in range(2**16) if (b & 0x7FFF) < 0x7C00]
FINITE_BF16 = [b for b in range(2**16) if (b & 0x7FFF) < 0x7F80]


def _bf16_values() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Every bf16 word read as the upper half of a binary32 word."""
    with np.errstate(invalid="ignore"):
        return (ALL.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)


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


def test_every_bf16_word_decodes_as_the_upper_half_of_binary32_and_encodes_back() -> None:
    values = _bf16_values()
    for bits in FINITE_BF16:
        value = decode(bits, BF16)
        assert value == Fraction(float(values[bits]))
        for direction in Rounding:
            assert encode(value, BF16, direction) == (0 if bits == 0x8000 else bits)
        assert encode(value, F32) == (0 if bits == 0x8000 else bits << 16)


def test_every_bf16_class_is_numpys() -> None:
    values = _bf16_values()
    kinds = np.array([kind_of(b, BF16) for b in range(2**16)])
    assert np.array_equal(kinds == Kind.NAN, np.isnan(values))
    assert np.array_equal(kinds == Kind.PLUS_INF, np.isposinf(values))
    assert np.array_equal(kinds == Kind.MINUS_INF, np.isneginf(values))
    sizes = np.array([size_of(b, BF16) for b in range(2**16)])
    assert np.array_equal(sizes == Size.ZERO, values == 0)
    assert np.array_equal(sizes == Size.SUBNORMAL, (values != 0) & (np.abs(values) < 2.0**-126))
    assert np.array_equal(sizes == Size.NORMAL, np.isfinite(values) & (np.abs(values) >= 2.0**-126))


def test_every_binary16_size_is_numpys() -> None:
    values = ALL.view(np.float16)
    least = np.finfo(np.float16).smallest_normal
    sizes = np.array([size_of(b, F16) for b in range(2**16)])
    assert np.array_equal(sizes == Size.ZERO, values == 0)
    assert np.array_equal(sizes == Size.SUBNORMAL, (values != 0) & (np.abs(values) < least))
    assert np.array_equal(sizes == Size.NORMAL, np.isfinite(values) & (np.abs(values) >= least))
    assert np.array_equal(sizes == Size.INFINITE, np.isinf(values))
    assert np.array_equal(sizes == Size.NAN, np.isnan(values))


def test_the_ulp_of_every_binary16_number_is_the_spacing_to_the_next_one_away_from_zero() -> None:
    """np.spacing is infinite at the largest number, whose ulp is that of its binade."""
    values = ALL.view(np.float16)
    with np.errstate(all="ignore"):
        spacing = np.spacing(np.abs(values)).astype(np.float64)
    for bits in FINITE:
        expected = Fraction(32) if bits & 0x7FFF == 0x7BFF else Fraction(float(spacing[bits]))
        assert ulp(decode(bits, F16), F16) == expected


def test_the_ulp_of_every_bf16_number_is_65536_times_that_of_binary32() -> None:
    spacing = np.abs(np.spacing(np.abs(_bf16_values()).astype(np.float32))).astype(np.float64)
    for bits in FINITE_BF16:
        assert ulp(decode(bits, BF16), BF16) == 65536 * Fraction(float(spacing[bits]))


def test_neighbours_of_every_binary16_number_are_numpys() -> None:
    values = ALL.view(np.float16)
    with np.errstate(over="ignore"):
        up, down = (np.nextafter(values, np.float16(end)).view(np.uint16) for end in (np.inf, -np.inf))
    tiny = power_of_two(-60)
    for bits in FINITE:
        value = decode(bits, F16)
        # NumPy's smaller neighbour of the least positive number is +0, the other way round -0.
        assert encode(value + tiny, F16, Rounding.UP) == up[bits]
        assert encode(value - tiny, F16, Rounding.DOWN) == down[bits]


def _neighbours(form: Format) -> list[tuple[int, Fraction, Fraction]]:
    """Each positive finite word with its value and the next one; past the largest, the step goes on."""
    numbers = [decode(bits, form) for bits in range(form.infinity)]
    return list(zip(range(form.infinity), numbers, [*numbers[1:], numbers[-1] + ulp(numbers[-1], form)], strict=True))


@pytest.mark.parametrize("form", [F16, BF16], ids=lambda form: form.name)
def test_every_tie_goes_to_the_even_word_and_beside_it_to_the_nearer(form: Format) -> None:
    for bits, low, high in _neighbours(form):
        tie, step = (low + high) / 2, (high - low) / 2**30
        even = bits + (bits & 1)
        assert encode(tie, form) == even
        assert encode(-tie, form) == even | form.sign
        assert encode(tie - step, form) == bits
        assert encode(tie + step, form) == bits + 1


@pytest.mark.parametrize("form", [F16, BF16], ids=lambda form: form.name)
def test_directed_rounding_between_all_neighbours(form: Format) -> None:
    """Beyond the largest number: infinite away from zero, the largest number toward it."""
    for bits, low, high in _neighbours(form):
        x = low + (high - low) / 3
        assert encode(x, form, Rounding.ZERO) == encode(x, form, Rounding.DOWN) == bits
        assert encode(x, form, Rounding.UP) == bits + 1
        assert encode(-x, form, Rounding.ZERO) == encode(-x, form, Rounding.UP) == bits | form.sign
        assert encode(-x, form, Rounding.DOWN) == bits + 1 | form.sign


def test_far_beyond_the_largest_number() -> None:
    for x in (Fraction(10**9), Fraction(10**400)):
        assert encode(x, F16) == encode(x, F16, Rounding.UP) == 0x7C00
        assert encode(x, F16, Rounding.ZERO) == encode(x, F16, Rounding.DOWN) == 0x7BFF
        assert encode(-x, F16) == encode(-x, F16, Rounding.DOWN) == 0xFC00
        assert encode(-x, F16, Rounding.ZERO) == encode(-x, F16, Rounding.UP) == 0xFBFF


def test_bf16_rounding_is_that_of_binary32_words_cut_in_half() -> None:
    """The usual way to round binary32 words to bf16 in integers, at and beside ties."""
    lower = np.array([0, 1, 0x7FFF, 0x8000, 0x8001], np.uint32)[ALL % 5]
    words = (ALL.astype(np.uint32) << np.uint32(16)) | lower
    with np.errstate(invalid="ignore"):
        values = words.view(np.float32).astype(np.float64)
    for bits in FINITE_BF16:
        expected = int(words[bits]) + 0x7FFF + (bits & 1) >> 16
        assert encode(Fraction(float(values[bits])), BF16) == (0 if values[bits] == 0 else expected)


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_directed_rounding_to_binary32_brackets_the_value(x: float) -> None:
    """The neighbours that NumPy names around the one nearest to x."""
    with np.errstate(all="ignore"):
        near = np.float64(x).astype(np.float32)
        down = near if np.float64(near) <= x else np.nextafter(near, np.float32(-np.inf))
        up = near if np.float64(near) >= x else np.nextafter(near, np.float32(np.inf))
    words = {Rounding.DOWN: down, Rounding.UP: up, Rounding.ZERO: down if x > 0 else up}
    for direction, word in words.items():
        bits = int(word.view(np.uint32))
        found = encode(Fraction(x), F32, direction)
        assert found == bits or (found | bits) & 0x7FFFFFFF == 0


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_binary64_is_its_own(x: float) -> None:
    bits = int(np.float64(x).view(np.uint64))
    assert encode(Fraction(x), F64) == (0 if x == 0 else bits)
    assert decode(bits, F64) == Fraction(x)


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
    assert BF16.largest == 2**128 - 2**120
    assert [form.least_normal for form in (F16, BF16, F32, F64)] == [-14, -126, -126, -1022]
    assert rz32(Fraction(2**24 + 3)) == 2**24 + 2
    assert rz32(-Fraction(2**200)) == -F32.largest
    assert rounded(1 + P**-30, BF16, Rounding.UP) == 1 + P**-7
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
    with pytest.raises(BadInput, match="bf16 0x7f80 is not finite"):
        decode(0x7F80, BF16)
    with pytest.raises(BadInput, match=r"at least 2\^1024 overflows f32"):
        rn32(Fraction(2) ** 1024)
    with pytest.raises(BadInput, match="overflows bf16"):
        rounded(Fraction(2) ** 128, BF16, Rounding.UP)
    for asked in (accepts16, lambda bits, s, bound: acceptance16(s, bound)):
        with pytest.raises(BadInput, match="not negative, got -1"):
            asked(0, Fraction(0), Fraction(-1))


def test_acceptance_without_slack_is_rounding() -> None:
    for bits in range(0, 0x7C00, 1999):
        s = decode(bits, F16)
        accepted = [b for b in range(0, 2**16, 1 if bits == 0 else 211) if accepts16(b, s, Fraction(0))]
        assert set(accepted) <= ({0, 0x8000} if s == 0 else {bits})
        assert accepts16(bits, s, Fraction(0))
        assert not accepts16(bits + 1, s, Fraction(0))


@pytest.mark.parametrize(
    ("s", "bound", "ends"),
    [
        (Fraction(65519), Fraction(1), (0x7BFF, 0x7C00)),
        (Fraction(-65519), Fraction(1), (0xFC00, 0xFBFF)),
        (Fraction(0), P**-25, (0x8000, 0x0000)),
        (Fraction(0), 3 * P**-26, (0x8001, 0x0001)),
        (Fraction(1), P**-12, (0x3C00, 0x3C00)),
        (Fraction(1), 3 * P**-11, (0x3BFD, 0x3C02)),
        (Fraction(1), 10**6 * P**0, (0xFC00, 0x7C00)),
    ],
)
def test_the_ends_of_acceptance(s: Fraction, bound: Fraction, ends: tuple[int, int]) -> None:
    assert acceptance16(s, bound) == ends
    for end in ends:
        assert accepts16(end, s, bound)
    low, high = (order(end, F16) for end in ends)
    near = {(end + step) % 2**16 for end in ends for step in (-1, 1)}
    for bits in (*near, *range(0, 2**16, 37)):
        inside = kind_of(bits, F16) is not Kind.NAN and low <= order(bits, F16) <= high
        assert accepts16(bits, s, bound) is inside


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
