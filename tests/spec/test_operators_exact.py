"""Operators without an error bound: copies, residual addition, quantised blocks. Every word is due."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.assumptions import needed
from spec.errors import BadInput, Unsupported
from spec.operators import copy, dequant, formats, operator_of, residual
from spec.operators.build import add, widen
from spec.operators.exact import Value, Word, evaluate, read
from spec.operators.model import raw
from spec.ptx.node import bits, input_element
from spec.scalar import F16, F32, Bits16, encode, kinds16
from tests.spec.simulation import unsigned_zeros, word

LAYOUTS = {layout.name: layout for layout in (dequant.Q4_0, dequant.Q8_0, dequant.Q4_K)}


# --- residual ---------------------------------------------------------------------------------------------------------


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
@settings(max_examples=500, deadline=None)
def test_the_two_roundings_of_a_residual_are_one(a: int, b: int) -> None:
    stored = residual.expression({"n": 1}, "y", 0)
    (found,) = evaluate([stored], {("a", 0): read(a, F16), ("b", 0): read(b, F16)}, {})
    expected = residual.expected({"a": raw(a), "b": raw(b)}, {})
    if isinstance(found, float) and math.isnan(found):
        assert expected.accepts(raw(0xFE01)).all()
    else:
        assert unsigned_zeros(raw(word(found))) == unsigned_zeros(expected.nearest())


def test_a_residual_needs_its_assumption() -> None:
    assert needed([residual.expression({"n": 1}, "y", 0)]) == residual.OPERATOR.assumptions


def test_a_residual_is_what_addition_in_binary16_gives() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(0, 2**16, 200_000).astype(np.uint16) for _ in range(2))
    with np.errstate(all="ignore"):
        direct = (a.view(np.float16) + b.view(np.float16)).view(np.uint16)
    assert residual.expected({"a": a, "b": b}, {}).accepts(direct).all()


def test_a_residual_has_the_sign_of_zero_and_any_nan() -> None:
    expected = residual.expected({"a": raw(0x8000, 0x3C00, 0x7E00), "b": raw(0x8000, 0xBC00, 0x3C00)}, {})
    assert expected.accepts(raw(0x8000, 0x0000, 0xFE05)).all()
    assert expected.accepts(raw(0x0000, 0x8000, 0x7C00)).tolist() == [False, False, False]
    assert expected.ratio(raw(0x8000, 0x8000, 0x7E00)).tolist() == [0.0, math.inf, 0.0]
    with pytest.raises(BadInput, match="one shape"):
        residual.expected({"a": raw(0), "b": raw(0, 0)}, {})


# --- copy -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [16, 32])
def test_a_copy_is_every_word(width: int) -> None:
    rng = np.random.default_rng(5)
    x: formats.Words = rng.integers(0, 2**width, 5000).astype(f"u{width // 8}")
    x[:2] = 0x7E01, 0x8000
    expected = copy.expected({"x": x}, {})
    assert expected.accepts(x).all()
    assert not expected.accepts(x ^ x.dtype.type(1)).any()
    assert expected.accepts(x & x.dtype.type(0x7FFF)).tolist()[:2] == [True, False]


def test_a_copy_is_of_words_of_16_or_32_bits() -> None:
    with pytest.raises(BadInput, match="16 or 32 bits"):
        copy.expected({"x": np.zeros(3, np.uint8)}, {})
    assert needed([copy.expression({"n": 3}, "y", 2)]) == ()
    with pytest.raises(BadInput, match="no output element"):
        copy.expression({"n": 3}, "y", 3)


# --- quantised blocks -------------------------------------------------------------------------------------------------


def _blocks(layout: dequant.Layout, seed: int) -> list[int]:
    rng = random.Random(seed)
    block = [rng.randrange(256) for _ in range(layout.bytes)]
    if rng.random() < 0.8:  # finite scales, small ones among them
        for high in (1, 3) if layout is dequant.Q4_K else (1,):
            block[high] = block[high] & 0x80 | rng.choice([0, 1, 2, rng.randrange(0x7C), rng.randrange(0x7C)])
    return block


@pytest.mark.parametrize("stored", ["", "_f16"])
@pytest.mark.parametrize("name", LAYOUTS)
@given(st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_quantised_blocks_are_the_words_of_their_sequence(name: str, stored: str, seed: int) -> None:
    layout, operator = LAYOUTS[name], operator_of(f"dequant_{name}{stored}")
    block = _blocks(layout, seed)
    elements = random.Random(seed).sample(range(layout.elements), 8)
    inputs: dict[tuple[str, int], Value | Word] = {("x", layout.bytes + k): b for k, b in enumerate(block)}
    roots = [operator.expression({"n": 2 * layout.elements}, "y", layout.elements + i) for i in elements]
    form = F16 if stored else F32
    bytes_of = np.array([*[0] * layout.bytes, *block], np.uint8)
    expected = operator.expected({"x": bytes_of}, {})
    results = expected.nearest().copy()
    for i, value in zip(elements, evaluate(roots, inputs, {}), strict=True):
        word_ = formats.encode(np.array(value), form) if isinstance(value, float) else encode(value, form)
        results[layout.elements + i] = word_
    assert expected.accepts(results).all()
    assert needed(roots) == operator.assumptions


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_scale_times_every_integer_is_exact(name: str) -> None:
    """All finite scales: the products have at most 21 bits, so binary32 holds them. float64 rounds none either."""
    d = np.arange(2**16, dtype=np.uint32).astype(np.uint16)
    d = d[kinds16(d) == 0]
    values = d.view(np.float16).astype(np.float64)[:, np.newaxis]
    integers = {"q4_0": np.arange(-8, 8), "q8_0": np.arange(-128, 128), "q4_k": np.outer(range(64), range(16)).ravel()}
    products = values * integers[name].astype(np.float64)
    assert np.array_equal(products, products.astype(np.float32).astype(np.float64))


def test_q4_k_to_binary16_is_rounded_twice() -> None:
    """The block of the known answer: 16801791 / 2^24 is nearest to 0x3C01, its binary32 a tie that goes to 0x3C02."""
    answer = next(a for a in operator_of("dequant_q4_k_f16").known_answers if a.name == "one rounding to binary32")
    assert set(answer.output.tolist()) == {0x3C02}
    once: Bits16 = np.full(256, encode(Fraction(16801791, 2**24), F16), np.uint16)
    assert set(once.tolist()) == {0x3C01}
    expected = operator_of("dequant_q4_k_f16").expected(answer.inputs, {})
    assert expected.accepts(answer.output).all()
    assert not expected.accepts(once).any()


def test_blocks_must_be_whole() -> None:
    operator = operator_of("dequant_q4_0")
    with pytest.raises(BadInput, match="18 for each block"):
        operator.expected({"x": np.zeros(17, np.uint8)}, {})
    with pytest.raises(BadInput, match="no output element"):
        operator.expression({"n": 33}, "y", 0)


# --- words in the exact evaluation ------------------------------------------------------------------------------------


def test_words_are_numbers_only_where_their_width_says_so() -> None:
    half = bits([(input_element("x", 0), 0, 8), (input_element("x", 1), 0, 8)])
    assert evaluate([widen(half)], {("x", 0): 0x00, ("x", 1): 0x3C}, {}) == [1]
    with pytest.raises(Unsupported, match="no word of a floating format"):
        evaluate([widen(bits([(input_element("x", 0), 0, 8)]))], {("x", 0): 1}, {})
    number = add(widen(half), widen(half))
    with pytest.raises(Unsupported, match="cuts up a number"):
        evaluate([bits([(number, 0, 16)])], {("x", 0): 0, ("x", 1): 0}, {})
