"""Matrix products: the running bound fuzzed against exact tensor-core models, cases near it, order and classes."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.assumptions import needed
from spec.errors import BadInput, Unsupported
from spec.operators import formats, gemm, gemm_add, gemm_f32
from spec.operators.exact import Value, evaluate, read
from spec.operators.model import raw, words
from spec.ptx.node import Node, constant, input_element, topological
from spec.scalar import F16, F32, Bits16, decode, encode, power_of_two
from spec.tensor_core import ADA, HOPPER, KAPPA, MODELS, TensorCore, chain, chains
from tests.spec.simulation import any_word, finite_word, word

EACH = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())


def _sizes(rows: int, inner: int, columns: int) -> dict[str, int]:
    return {
        "rows": rows, "inner": inner, "columns": columns, "a_stride": inner, "b_stride": columns, "y_stride": columns,
    }  # fmt: skip


def _simulate(a: list[int], b: list[int], model: TensorCore) -> tuple[Value, Value]:
    """The binary32 sum and the binary16 result of one element."""
    stored = gemm.expression(_sizes(1, len(a), 1), "y", 0)
    inputs = {("a", k): read(w, F16) for k, w in enumerate(a)} | {("b", k): read(w, F16) for k, w in enumerate(b)}
    single, result = evaluate([stored.args[0], stored], inputs, {}, tensor_core=model)
    return single, result


def _column(bits: list[int]) -> Bits16:
    return np.array(bits, np.uint16)[:, np.newaxis]


def _row(bits: list[int]) -> Bits16:
    return np.array(bits, np.uint16)[np.newaxis, :]


def _check(a: list[int], b: list[int], model: TensorCore) -> Fraction:
    """The error is within E, and E within the harness's; error / bound."""
    single, stored = _simulate(a, b, model)
    assert isinstance(single, Fraction)
    x, y = ([decode(w, F16) for w in part] for part in (a, b))
    found = chain(x, y)
    exact, bound = found.exact, found.running
    assert abs(single - exact) <= bound
    expected = gemm.expected({"a": _row(a), "b": _column(b)}, {})
    off = abs(Fraction(float(expected.exact[0, 0])) - exact)
    assert bound + off <= Fraction(float(expected.bound[0, 0]))
    assert expected.accepts(raw(word(stored))[np.newaxis]).all()
    return abs(single - exact) / bound if bound else Fraction(0)


# --- order ------------------------------------------------------------------------------------------------------------


def test_the_expression_adds_blocks_of_16_in_order_of_k() -> None:
    y = gemm.expression({**_sizes(3, 20, 4), "a_stride": 24, "b_stride": 8, "y_stride": 5}, "y", 2 * 5 + 3)
    last, first = y.args[0], y.args[0].args[32]
    assert (y.op, last.op, first.op) == ("fconvert", "mma", "mma")
    assert first.args == (
        *(f for k in range(16) for f in (input_element("a", 48 + k), input_element("b", 8 * k + 3))), constant(32, 0),
    )
    assert last.args[:8] == tuple(
        f for k in range(16, 20) for f in (input_element("a", 48 + k), input_element("b", 8 * k + 3))
    )
    assert set(last.args[8:32]) == {constant(16, 0)}
    assert needed([y]) == gemm.OPERATOR.assumptions


def test_padding_is_whole_blocks_and_an_empty_sum_is_zero() -> None:
    counts = {
        inner: sum(n.op == "mma" for n in topological([gemm.accumulated(_sizes(1, inner, 1), "y", 0)]))
        for inner in (0, 1, 16, 17, 32)
    }
    assert counts == {0: 0, 1: 1, 16: 1, 17: 2, 32: 2}
    assert gemm.accumulated(_sizes(1, 0, 1), "y", 0) is constant(32, 0)
    with pytest.raises(BadInput, match="no output element"):
        gemm.expression(_sizes(2, 3, 4), "y", 8)


# --- bound ------------------------------------------------------------------------------------------------------------

near_one = st.integers(0x3800, 0x4400) | st.integers(0xB800, 0xC400)


@EACH
@given(st.data(), st.integers(1, 70))
@settings(max_examples=150, deadline=None)
def test_the_bound_holds_for_exact_models(model: TensorCore, data: st.DataObject, inner: int) -> None:
    words_of = data.draw(st.sampled_from([finite_word, near_one, st.integers(0, 0x0BFF) | st.integers(0x7000, 0x7BFF)]))
    a, b = (data.draw(st.lists(words_of, min_size=inner, max_size=inner)) for _ in range(2))
    if inner > 3 and data.draw(st.booleans()):  # cancellation across blocks
        half = inner // 2
        a[half : 2 * half], b[half : 2 * half] = [w ^ 0x8000 for w in a[:half]], b[:half]
    _check(a, b, model)


@EACH
def test_it_has_cases_near_its_bound(model: TensorCore) -> None:
    """15 products just below two units of alignment next to 1 all but vanish: 0.74 of the bound on Ada, 0.44 on Hopper,
    whose own bound would be half as large. Over many instructions sums of one sign come near too."""
    swamped = [encode(Fraction(2047, 1024) * power_of_two(-13), F16)] * 15
    one_mma = _check([0x3C00, *swamped], [0x3C00, *swamped], model)
    assert one_mma >= (Fraction(7, 10) if model is ADA else Fraction(4, 10))
    long = _check([0x3C00, *swamped, *swamped * 16], [0x3C00, *swamped, *swamped * 16], model)
    assert long >= Fraction(3, 10)


@EACH
@pytest.mark.parametrize(("size", "allowed"), [(2048, {0x3C00}), (4096, {0, 0x3C00}), (8192, {0})])
def test_what_cancels_may_vanish(model: TensorCore, size: int, allowed: set[int]) -> None:
    """size^2 + 1 - size^2: exactly 1, but 1 lies within the error of size^2."""
    large, negative = (encode(Fraction(v), F16) for v in (size, -size))
    _, stored = _simulate([large, 0x3C00, negative], [large, 0x3C00, large], model)
    assert word(stored) in allowed
    expected = gemm.expected({"a": _row([large, 0x3C00, negative]), "b": _column([large, 0x3C00, large])}, {})
    for result in (*allowed, 0x3C00):
        assert expected.accepts(raw(result)[np.newaxis]).all()


@EACH
def test_thirty_ones_vanish_between_two_products_that_cancel(model: TensorCore) -> None:
    large, negative = (encode(Fraction(v), F16) for v in (8192, -8192))
    a, b = [large, *[0x3C00] * 30, negative], [large, *[0x3C00] * 30, large]
    assert word(_simulate(a, b, model)[1]) == 0
    expected = gemm.expected({"a": _row(a), "b": _column(b)}, {})
    assert expected.exact[0, 0] == 30
    assert expected.accepts(raw(0)[np.newaxis]).all()


@EACH
@pytest.mark.parametrize(("count", "result"), [(65_519, 0x7BFF), (65_520, 0x7C00)])
def test_sums_of_ones_are_exact_up_to_the_conversion(model: TensorCore, count: int, result: int) -> None:
    found = chains(np.ones((1, count)), np.ones((count, 1)))
    assert found.sums[0, 0] == count
    assert found.running[0, 0] < 200
    ones, start = np.full(16, 0x3C00, np.uint16), np.array(encode(Fraction(count - 16), F32), np.uint32)
    assert encode(decode(int(model.dot("f16", "f32", ones, ones, start)), F32), F16) == result


def test_alternating_ones_cancel_to_zero_or_what_the_bound_allows() -> None:
    ones = words(*[(-1.0) ** k for k in range(4096)])
    expected = gemm.expected({"a": ones[np.newaxis, :], "b": np.full((4096, 1), 0x3C00, np.uint16)}, {})
    assert expected.exact[0, 0] == 0
    assert expected.accepts(raw(0x8000)[np.newaxis]).all()
    assert expected.bound[0, 0] < 0.005


@given(st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_scaling_by_a_power_of_two_and_zeros_in_front_of_blocks_change_no_bit(seed: int) -> None:
    rng = random.Random(seed)
    a, b = ([rng.randrange(0x3400, 0x4400) for _ in range(40)] for _ in range(2))
    for model in MODELS.values():
        single = _simulate(a, b, model)[0]
        scaled = _simulate([w + 0x0800 for w in a], b, model)[0]
        assert isinstance(single, Fraction)
        assert scaled == 4 * single
        assert _simulate([*a, *[0] * 24], [*b, *[0] * 24], model)[0] == single


def test_the_running_bound_is_below_that_of_all_magnitudes() -> None:
    """E_t <= kappa * sum of T_j over j <= t, T_j the magnitudes up to there; what the harness uses is far smaller."""
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal((1, 1024)).astype(np.float16).astype(np.float64) for _ in range(2))
    sizes = np.cumsum((np.abs(a) * np.abs(b)).reshape(-1, 16).sum(axis=1))
    assert float(chains(a, b.T).running[0, 0]) < 0.2 * float(KAPPA) * sizes.sum()
    with pytest.raises(BadInput, match="no relative bound"):
        gemm.phi({"inner": 16})


@EACH
@given(st.lists(finite_word, min_size=1, max_size=40), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_sum_stored_in_binary32_is_accepted_by_the_same_bound(model: TensorCore, a: list[int], seed: int) -> None:
    b = random.Random(seed).choices(range(0x7C00), k=len(a))
    single, _ = _simulate(a, b, model)
    assert isinstance(single, Fraction)
    expected = gemm_f32.expected({"a": _row(a), "b": _column(b)}, {})
    stored = encode(single, F32)
    assert expected.accepts(np.array([[stored]], np.uint32)).all()
    assert expected.ratio(np.array([[stored]], np.uint32)).max() <= 1
    assert needed([gemm_f32.OPERATOR.expression(_sizes(1, len(a), 1), "y", 0)]) == gemm_f32.OPERATOR.assumptions
    with pytest.raises(BadInput, match="results are uint32 words"):
        expected.accepts(raw(0)[np.newaxis])


float_word = st.floats(-(2.0**100), 2.0**100, width=32).map(lambda v: encode(Fraction(v), F32))


@EACH
@given(st.data(), st.integers(1, 40), float_word | st.integers(1, 2**12))
@settings(max_examples=100, deadline=None)
def test_a_sum_that_goes_on_from_another_obeys_the_bound(
    model: TensorCore, data: st.DataObject, inner: int, c: int
) -> None:
    a, b = (data.draw(st.lists(finite_word, min_size=inner, max_size=inner)) for _ in range(2))
    root = gemm_add.expression({**_sizes(1, inner, 1), "c_stride": 1}, "y", 0)
    inputs = {("a", k): read(w, F16) for k, w in enumerate(a)} | {("b", k): read(w, F16) for k, w in enumerate(b)}
    (single,) = evaluate([root], {**inputs, ("c", 0): read(c, F32)}, {}, tensor_core=model)
    assert isinstance(single, Fraction)
    found = chain([decode(w, F16) for w in a], [decode(w, F16) for w in b], decode(c, F32))
    assert abs(single - found.exact) <= found.running
    expected = gemm_add.expected({"a": _row(a), "b": _column(b), "c": np.array([[c]], np.uint32)}, {})
    off = abs(Fraction(float(expected.exact[0, 0])) - found.exact)
    assert found.running + off <= Fraction(float(expected.bound[0, 0]))
    assert expected.accepts(np.array([[encode(single, F32)]], np.uint32)).all()
    assert needed([root]) == gemm_add.OPERATOR.assumptions


@given(any_word, any_word, st.sampled_from([0, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00001]))
@settings(max_examples=150, deadline=None)
def test_classes_of_a_sum_that_goes_on_from_another(a: int, b: int, c: int) -> None:
    root = gemm_add.expression({**_sizes(1, 1, 1), "c_stride": 1}, "y", 0)
    inputs = {("a", 0): read(a, F16), ("b", 0): read(b, F16), ("c", 0): read(c, F32)}
    (single,) = evaluate([root], inputs, {})
    stored = formats.encode(np.array([[single]]), F32) if isinstance(single, float) else encode(single, F32)
    expected = gemm_add.expected({"a": _row([a]), "b": _column([b]), "c": np.array([[c]], np.uint32)}, {})
    assert expected.accepts(np.array(stored, np.uint32).reshape(1, 1)).all()


# --- classes ----------------------------------------------------------------------------------------------------------


@given(st.data(), st.integers(1, 20))
@settings(max_examples=200, deadline=None)
def test_the_exceptional_table_is_that_of_the_sequence(data: st.DataObject, inner: int) -> None:
    a, b = (data.draw(st.lists(any_word, min_size=inner, max_size=inner)) for _ in range(2))
    expected = gemm.expected({"a": _row(a), "b": _column(b)}, {})
    for model in MODELS.values():
        assert expected.accepts(raw(word(_simulate(a, b, model)[1]))[np.newaxis]).all(), (a, b)


def test_the_model_is_the_callers_choice_and_knows_its_formats() -> None:
    """1 + 2^-24 - 1: what Ada keeps beside 1 in its first eight products, and Hopper over all sixteen."""
    a = [0x3C00, 0x0C00, *[0] * 6, 0xBC00]
    b = [0x3C00, 0x0C00, *[0] * 6, 0x3C00]
    assert _simulate(a, b, ADA)[0] == 0
    assert _simulate(a, b, HOPPER)[0] == power_of_two(-24)
    stored = gemm.expression(_sizes(1, 1, 1), "y", 0)
    other = Node("mma", ("e4m3", "f32"), stored.args[0].args)
    with pytest.raises(Unsupported, match=r"no exact model of mma\.e4m3"):
        evaluate([other], {("a", 0): Fraction(1), ("b", 0): Fraction(1)}, {})


def test_shapes_must_fit() -> None:
    with pytest.raises(BadInput, match=r"\(rows, inner\)"):
        gemm.expected({"a": _row([0, 0]), "b": _column([0, 0, 0])}, {})
    with pytest.raises(BadInput, match=r"c is \(rows, columns\) = \(1, 1\)"):
        gemm_add.expected({"a": _row([0]), "b": _column([0]), "c": np.zeros((1, 2), np.uint32)}, {})
