"""Rotary embedding: tables, the bound fuzzed against exact runs and against cosine and sine, cases near it, classes."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.assumptions import needed
from spec.enclosure import cos_sin, log, pi
from spec.errors import BadInput
from spec.operators import operator_of, rope
from spec.operators.exact import Value, evaluate, read
from spec.operators.model import Expected, raw
from spec.scalar import F16, F32, decode, encode, power_of_two
from tests.spec.simulation import any_word, finite_word, word

VALUES = {"rows": 1, "columns": 2, "half": 1, "x_stride": 2, "table_stride": 1, "y_stride": 2}
STORED = [rope.OPERATOR.expression(VALUES, "y", k) for k in (0, 1)]


def _simulate(x: list[int], c: int, s: int) -> tuple[list[Value], list[Value]]:
    """Both results in binary32, and both in binary16."""
    inputs = {("x", k): read(w, F16) for k, w in enumerate(x)} | {("cos", 0): read(c, F32), ("sin", 0): read(s, F32)}
    found = evaluate([*(n.args[0] for n in STORED), *STORED], inputs, {})
    return found[:2], found[2:]


def _expected(x: list[int], c: int, s: int) -> Expected:
    tables = {"cos": np.array([[c]], np.uint32), "sin": np.array([[s]], np.uint32)}
    return rope.OPERATOR.expected({"x": np.array([x], np.uint16), **tables}, {})


def _terms(x: list[int], c: Fraction, s: Fraction) -> list[tuple[Fraction, Fraction]]:
    """The term that fma takes exactly and the other, of both results."""
    a, b = (decode(w, F16) for w in x)
    return [(a * c, -b * s), (b * c, a * s)]


# --- enclosures and tables --------------------------------------------------------------------------------------------


@given(st.floats(-1e6, 1e6))
@settings(max_examples=100, deadline=None)
def test_cosine_and_sine_are_enclosed(x: float) -> None:
    for (low, high), value in zip(cos_sin(Fraction(x)), (math.cos(x), math.sin(x)), strict=True):
        assert low < high < low + power_of_two(-100)
        assert abs(float(low) - value) <= 2.0**-50
    cosine, sine = cos_sin(Fraction(x))
    assert cosine[0] ** 2 + sine[0] ** 2 <= 1 + power_of_two(-90)


@given(st.floats(1e-300, 1e300))
@settings(max_examples=100, deadline=None)
def test_logarithms_are_enclosed(x: float) -> None:
    low, high = log(Fraction(x))
    assert low < high < low + power_of_two(-110)
    assert abs(float(low) - math.log(x)) <= 2.0**-50 * max(1.0, abs(math.log(x)))


def test_pi_is_enclosed() -> None:
    low, high = pi()
    known = Fraction(314159265358979323846264338327950288419, 10**38)
    assert known - power_of_two(-120) < low < known + Fraction(1, 10**38) < high + Fraction(1, 10**38)
    assert low < high < low + power_of_two(-120)


def test_tables_hold_the_nearest_numbers() -> None:
    known = [float.fromhex(text) for text in ("0x1.14a28p-1", "0x1.aed548p-1")]
    assert [decode(w, F32) for w in rope.table(1, 0, 64)] == known
    assert rope.table(0, 5, 64) == (0x3F800000, 0)
    rng = random.Random(3)
    for _ in range(200):
        position, pair = rng.randrange(1, 2**17), rng.randrange(64)
        angle = position * 10_000.0 ** (-pair / 64)
        for found, value in zip(rope.table(position, pair, 64), (math.cos(angle), math.sin(angle)), strict=True):
            assert abs(float(decode(found, F32)) - value) <= 2.0**-24 * abs(value) + 2.0**-30


# --- order ------------------------------------------------------------------------------------------------------------


def test_pairs_of_heads() -> None:
    values = {"rows": 2, "columns": 16, "half": 4, "x_stride": 20, "table_stride": 5, "y_stride": 18}
    found = {}
    for name in ("rope", "rope_interleaved"):
        root = operator_of(name).expression(values, "y", 18 + 8 + 1)
        assert needed([root]) == operator_of(name).assumptions
        fma = root.args[0]
        product = fma.args[2].args[0] if fma.args[2].op == "fneg" else fma.args[2]
        found[name] = [n.args[0].attrs[1] if n.args else n.attrs[1] for n in (*fma.args[:2], *product.args)]
    assert found["rope"] == [29, 6, 33, 6]
    assert found["rope_interleaved"] == [29, 5, 28, 5]
    with pytest.raises(BadInput, match="no output element"):
        rope.OPERATOR.expression(values, "y", 17)


# --- bound ------------------------------------------------------------------------------------------------------------

table_word = st.floats(-1, 1, width=32).map(lambda v: encode(Fraction(v), F32))


@given(finite_word, finite_word, table_word, table_word)
@settings(max_examples=300, deadline=None)
def test_the_bound_holds_for_exact_runs(a: int, b: int, c: int, s: int) -> None:
    singles, stored = _simulate([a, b], c, s)
    expected = _expected([a, b], c, s)
    for k, (straight, crossed) in enumerate(_terms([a, b], decode(c, F32), decode(s, F32))):
        single, exact = singles[k], straight + crossed
        assert isinstance(single, Fraction)
        bound = rope.bound(crossed, exact)
        assert abs(single - exact) <= bound
        assert bound + abs(Fraction(float(expected.exact[0, k])) - exact) <= Fraction(float(expected.bound[0, k]))
    got = np.array([[word(v) for v in stored]], np.uint16)
    assert expected.accepts(got).all()
    assert expected.ratio(got).max() <= 1


@given(finite_word, finite_word, st.integers(0, 2**17), st.integers(0, 63))
@settings(max_examples=100, deadline=None)
def test_the_bound_of_the_angle_holds(a: int, b: int, position: int, pair: int) -> None:
    c, s = rope.table(position, pair, 64)
    cosine, sine = rope.angle(position, pair, 64)
    singles, _ = _simulate([a, b], c, s)
    for k, (straight, crossed) in enumerate(_terms([a, b], cosine[0], sine[0])):
        single = singles[k]
        assert isinstance(single, Fraction)
        slack = power_of_two(-70)
        assert abs(single - straight - crossed) <= rope.bound_of_angle(straight, crossed, straight + crossed) + slack


def test_it_has_cases_near_its_bound() -> None:
    rng, worst = random.Random(7), Fraction(0)
    for _ in range(4000):
        x = [rng.randrange(0x3C00, 0x3C80), rng.randrange(0x3C00, 0x4000)]
        c, s = (encode(Fraction(rng.uniform(0.45, 1.0)), F32) for _ in range(2))
        singles, _ = _simulate(x, c, s)
        for single, (straight, crossed) in zip(singles, _terms(x, decode(c, F32), decode(s, F32)), strict=True):
            assert isinstance(single, Fraction)
            worst = max(worst, abs(single - straight - crossed) / rope.bound(crossed, straight + crossed))
    assert Fraction(7, 10) <= worst <= 1


def test_there_is_no_relative_bound() -> None:
    with pytest.raises(BadInput, match="no relative bound"):
        rope.phi(VALUES)


# --- classes ----------------------------------------------------------------------------------------------------------


@given(any_word, any_word, st.sampled_from([0, 0x3F800000, 0xBF000000]), st.sampled_from([0, 0x3F800000, 0xBF000000]))
@settings(max_examples=200, deadline=None)
def test_the_exceptional_table_is_that_of_the_sequence(a: int, b: int, c: int, s: int) -> None:
    _, stored = _simulate([a, b], c, s)
    assert _expected([a, b], c, s).accepts(np.array([[word(v) for v in stored]], np.uint16)).all()


def test_inputs_outside_the_contract_are_refused() -> None:
    with pytest.raises(BadInput, match="magnitude at most 1"):
        _expected([0, 0], 0x3F800001, 0)
    with pytest.raises(BadInput, match="magnitude at most 1"):
        _expected([0, 0], 0, 0x7FC00000)
    tables = {"cos": np.zeros((1, 2), np.uint32), "sin": np.zeros((1, 2), np.uint32)}
    with pytest.raises(BadInput, match="whole heads of 4"):
        rope.OPERATOR.expected({"x": raw(0, 0)[np.newaxis], **tables}, {})
