"""SwiGLU: its bound fuzzed against exact simulation of its sequence, cases near it, its table of classes."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.assumptions import needed
from spec.errors import BadInput
from spec.operators import silu, swiglu
from spec.operators.exact import Choice, Value, evaluate, highest, lowest, read
from spec.operators.model import raw, words
from spec.ptx.node import Node
from spec.scalar import F16, decode, encode
from tests.spec.simulation import any_word, choices, exact_silu, finite_word, word

STORED = swiglu.expression({"n": 1}, "y", 0)


def _simulate(gate: Value, up: Value, choose: Choice) -> tuple[Value, Value]:
    single, stored = evaluate([STORED.args[0], STORED], {("gate", 0): gate, ("up", 0): up}, {}, choose)
    return single, stored


def _exact(gate: Fraction, up: Fraction) -> tuple[Fraction, Fraction]:
    ends = [end * up for end in exact_silu(gate)]
    return min(ends), max(ends)


def test_the_expression_needs_its_assumptions_and_knows_its_elements() -> None:
    assert needed([STORED]) == swiglu.OPERATOR.assumptions
    with pytest.raises(BadInput, match="no output element"):
        swiglu.expression({"n": 1}, "y", 1)


@given(finite_word, finite_word, st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_the_bound_holds_for_exact_simulations(g: int, v: int, seed: int) -> None:
    gate, up = decode(g, F16), decode(v, F16)
    single, stored = _simulate(gate, up, choices(random.Random(seed)))
    assert isinstance(single, Fraction)
    low, high = _exact(gate, up)
    bound = swiglu.bound_at(gate, up, max(abs(low), abs(high)))
    assert max(abs(single - low), abs(single - high)) <= bound + (high - low)
    expected = swiglu.expected({"gate": raw(g), "up": raw(v)}, {})
    needed_bound = bound + abs(Fraction(float(expected.exact[0])) - low)
    assert needed_bound <= Fraction(float(expected.bound[0])) + (high - low)
    assert expected.accepts(raw(word(stored))).all()


def test_it_has_cases_near_its_bound() -> None:
    """Real roundings, ex2 and rcp at their documented limits: error / bound reaches 0.7."""
    rng, worst = random.Random(20), 0.0
    for _ in range(300):
        gate = decode(rng.randrange(0xC800, 0xCD00), F16)
        up = decode(rng.randrange(0x3000, 0x4800), F16)
        low, high = _exact(gate, up)
        bound = swiglu.bound_at(gate, up, max(abs(low), abs(high)))
        for choose in (_large, _small):
            single, _ = _simulate(gate, up, choose)
            assert isinstance(single, Fraction)
            worst = max(worst, float(abs(single - low) / bound))
    assert 0.7 <= worst <= 1


def _large(node: Node, low: Value, high: Value) -> Value:
    return (lowest if node.attrs[0] == "ex2" else highest)(node, low, high)


def _small(node: Node, low: Value, high: Value) -> Value:
    return (highest if node.attrs[0] == "ex2" else lowest)(node, low, high)


@given(
    any_word | st.sampled_from([0xD574, 0xD575, 0xD576, 0xD577, 0xFBFF]), any_word, st.sampled_from([lowest, highest])
)
@settings(max_examples=300, deadline=None)
def test_the_exceptional_table_is_that_of_the_sequence(g: int, v: int, choose: Choice) -> None:
    expected = swiglu.expected({"gate": raw(g), "up": raw(v)}, {})
    _, stored = _simulate(read(g, F16), read(v, F16), choose)
    assert expected.accepts(raw(word(stored))).all(), (g, v, stored, expected)


def test_rounding_silu_first_leaves_the_bound() -> None:
    expected = swiglu.expected({"gate": words(-20.0), "up": words(65504.0)}, {})
    rounded = decode(encode(exact_silu(Fraction(-20))[0], F16), F16) * 65504
    assert not expected.accepts(raw(encode(rounded, F16))).any()


def test_phi_covers_gates_from_minus_43() -> None:
    uniform = swiglu.phi({"n": 1})
    assert silu.phi({"n": 1}) < uniform < silu.phi({"n": 1}) + Fraction(6, 10**8)


def test_shapes_must_agree() -> None:
    with pytest.raises(BadInput, match="one shape"):
        swiglu.expected({"gate": np.zeros(2, np.uint16), "up": np.zeros(3, np.uint16)}, {})
