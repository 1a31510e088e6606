"""Operators: known answers, the order of the expressions, and bounds fuzzed against exact simulation of them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.refinement_cases import cases_of
from spec.contracts import STEMS, contracts_of
from spec.enclosure import sqrt
from spec.errors import BadInput
from spec.operators import operator_of, rmsnorm, silu
from spec.operators.exact import Choice, Value, evaluate, highest, lowest, read
from spec.operators.model import NAN16, Expected, raw, words
from spec.ptx.node import Node, label, topological
from spec.scalar import F16, F32, Kind, accepts16, decode, encode, kind_of, kinds16
from tests.spec.simulation import any_word, choices, exact_silu, finite_word, unsigned_zeros, word

WITHOUT_KERNEL = (
    *(f"dequant_{kind}{stored}" for kind in ("q4_0", "q8_0", "q4_k") for stored in ("", "_f16")),
    *("copy", "gemm", "gemm_add", "gemm_f32", "residual", "rope", "rope_interleaved", "swiglu"),
)
"""Operators that no shipped kernel has yet."""
NAMES = sorted({c.operator for stem in STEMS for c in contracts_of(stem)} | set(WITHOUT_KERNEL))
FINITE = np.array([b for b in range(2**16) if (b & 0x7FFF) < 0x7C00], dtype=np.uint16)


# --- the model --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_known_answers_are_the_nearest_results_and_accepted(name: str) -> None:
    operator = operator_of(name)
    assert operator.name == name
    for case in operator.known_answers:
        expected = operator.expected(case.inputs, case.floats)
        assert expected.accepts(case.output).all(), case.name
        nearest = expected.nearest()
        assert np.array_equal(unsigned_zeros(nearest), unsigned_zeros(case.output)), case


@pytest.mark.parametrize("name", NAMES)
def test_a_known_answer_with_one_changed_word_is_refused(name: str) -> None:
    operator = operator_of(name)
    for case in operator.known_answers:
        expected = operator.expected(case.inputs, case.floats)
        for i in range(min(case.output.size, 6)):
            wrong = case.output.copy()
            flat = wrong.reshape(-1)
            bits = int(flat[i])
            number = kind_of(bits, expected.form) is Kind.FINITE
            flat[i] = bits ^ 4 << (expected.form.fraction_bits - 10) if number else 0x3555
            assert not expected.accepts(wrong).all(), (case.name, i)
            assert expected.ratio(wrong).max() > 1


def test_ratio_and_class_rules() -> None:
    expected = Expected(
        np.array([Kind.FINITE, Kind.FINITE, Kind.NAN, Kind.PLUS_INF], np.int8),
        np.array([1.0, 65519.0, 0.0, 0.0]),
        np.array([2.0**-12, 2.0, 0.0, 0.0]),
    )
    assert expected.accepts(raw(0x3C00, 0x7C00, 0x7FFF, 0x7C00)).all()
    assert not expected.accepts(raw(0x3C01, 0x7E00, 0x7C00, 0x7BFF)).any()
    assert expected.ratio(raw(0x3C00, 0x7C00, 0xFE00, 0x7C00)).tolist() == [0.0, 0.5, 0.0, 0.0]
    assert expected.ratio(raw(0x3C01, 0x7C00, 0x7C00, 0x7C00)).tolist() == [2.0, 0.5, math.inf, 0.0]
    assert expected.nearest().tolist() == [0x3C00, 0x7BFF, NAN16, 0x7C00]
    with pytest.raises(BadInput, match="shape"):
        expected.accepts(raw(0))


def test_a_bound_is_vacuous_where_every_finite_word_is_accepted_or_the_operator_says_so() -> None:
    exact = np.array([0.0, 0.0, 1000.0, 1000.0, 0.0, 0.0, 7.0])
    bound = np.array([65488.0, 65489.0, 66000.0, 66489.0, np.inf, np.inf, 1.0])
    kinds = np.zeros(7, np.int8)
    kinds[5] = Kind.NAN
    expected = Expected(kinds, exact, bound)
    every = FINITE
    accepts_all = [
        kind == Kind.FINITE and Expected(
            np.zeros(every.shape, np.int8), np.full(every.shape, s), np.full(every.shape, e)
        ).accepts(every).all()
        for kind, s, e in zip(kinds, exact, bound, strict=True)
    ]  # fmt: skip
    assert expected.says_nothing().tolist() == accepts_all
    assert accepts_all == [True, True, False, True, True, False, False]
    declared = np.array([False, False, True, False, False, True, True])
    assert Expected(kinds, exact, bound, declared).says_nothing().tolist() == [True] * 5 + [False, True]
    assert declared.tolist() == [False, False, True, False, False, True, True]
    with pytest.raises(BadInput, match="vacuous is a bool array of shape"):
        Expected(kinds, exact, bound, declared[:3])
    with pytest.raises(BadInput, match="vacuous is a bool array of shape"):
        Expected(kinds, exact, bound, declared.astype(np.int8))


# --- order ------------------------------------------------------------------------------------------------------------

ROUNDED = {"fadd", "ffma", "fdiv", "fmul"}
SIZES = st.integers(1, 300) | st.sampled_from([2047, 2048, 2049, 2056, 4096, 8191, 8192, 8200, 10_250])


@given(SIZES)
@settings(max_examples=25, deadline=None)
def test_depth_is_the_longest_path_of_the_expression(columns: int) -> None:
    """h of the bound against the graph itself: roundings from a square to S, exact first fmas not counted."""
    y = rmsnorm.expression(_sizes(1, columns), "y", 0)
    mean = y.args[0].args[0].args[1].args[0].args[0]
    assert mean.op == "fdiv"
    depth: dict[Node, int] = {}
    for node in topological([mean.args[0]]):
        exact = node.op == "ffma" and node.args[2].op == "const"
        depth[node] = max((depth[a] for a in node.args), default=0) + (node.op in ROUNDED and not exact)
    assert depth[mean.args[0]] == rmsnorm.depth(columns)


@given(SIZES)
@settings(max_examples=25, deadline=None)
def test_threads_own_every_column_once(columns: int) -> None:
    owned = [c for t in range(rmsnorm.THREADS) for c in rmsnorm.owned(columns, t)]
    assert sorted(owned) == list(range(columns))


def test_depth_of_the_documented_case() -> None:
    """4096 columns, 256 threads: 15 in the thread, 5 in the warp, 3 over 8 warps."""
    assert rmsnorm.depth(4096) == 23
    assert rmsnorm.depth(8192) == 39
    with pytest.raises(BadInput, match="columns"):
        rmsnorm.depth(2**16 + 1)


def test_rows_use_their_strides() -> None:
    values = {"rows": 3, "columns": 2, "x_stride": 5, "y_stride": 7}
    y = rmsnorm.expression(values, "y", 15)
    leaves = {label(n) for n in topological([y]) if n.op == "input"}
    assert leaves == {"input.x.10", "input.x.11", "input.w.1"}
    for element in (2, 21, 16):
        with pytest.raises(BadInput, match="no output element"):
            rmsnorm.expression(values, "y", element)


def test_silu_expression_is_the_stated_sequence() -> None:
    y = silu.expression({"n": 4}, "y", 3)
    assert [label(n) for n in topological([y])] == [
        "input.x.3",
        "fconvert.f16.f32.-.False.-",
        "const.32.0x3f800000",
        "const.32.0xbfb8aa3b",
        "fmul.f32.rn.False.False",
        "approximate.ex2.f32.True",
        "fadd.f32.rn.False.False",
        "approximate.rcp.f32.True",
        "fmul.f32.rn.False.False",
        "fconvert.f32.f16.rn.False.-",
    ]
    assert [label(a) for a in y.args[0].args[1].args[0].args] == ["const.32.0x3f800000", "approximate.ex2.f32.True"]
    with pytest.raises(BadInput, match="no output element"):
        silu.expression({"n": 4}, "y", 4)


def _sizes(rows: int, columns: int) -> dict[str, int]:
    return {"rows": rows, "columns": columns, "x_stride": columns, "y_stride": columns}


# --- exact simulation -------------------------------------------------------------------------------------------------


def _simulate_rmsnorm(x: list[int], w: list[int], eps: float, choose: Choice) -> tuple[list[Value], list[Value]]:
    """(binary32 results before the conversion, binary16 results) of one row of words."""
    values = _sizes(1, len(x))
    stored = [rmsnorm.expression(values, "y", c) for c in range(len(x))]
    inputs = {("x", c): read(b, F16) for c, b in enumerate(x)} | {("w", c): read(b, F16) for c, b in enumerate(w)}
    results = evaluate([n.args[0] for n in stored] + stored, inputs, {"eps": Fraction(eps)}, choose)
    return results[: len(x)], results[len(x) :]


def _exact_rms(x: list[int], w: list[int], eps: float) -> list[tuple[Fraction, Fraction]]:
    xs, ws = [decode(b, F16) for b in x], [decode(b, F16) for b in w]
    low, high = sqrt(sum((a * a for a in xs), Fraction(0)) / len(x) + Fraction(eps))
    ends = [(a * b / low, a * b / high) for a, b in zip(xs, ws, strict=True)]
    return [(min(e), max(e)) for e in ends]


eps_value = st.floats(2.0**-30, 1.0, width=32)


@given(st.data(), st.integers(1, 40), eps_value, st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_rmsnorm_bound_holds_for_exact_simulations(data: st.DataObject, columns: int, eps: float, seed: int) -> None:
    x = data.draw(st.lists(finite_word, min_size=columns, max_size=columns))
    w = data.draw(st.lists(finite_word, min_size=columns, max_size=columns))
    singles, stored = _simulate_rmsnorm(x, w, eps, choices(random.Random(seed)))
    phi = rmsnorm.phi({"columns": columns})
    expected = rmsnorm.expected({"x": np.array([x], np.uint16), "w": np.array(w, np.uint16)}, {"eps": eps})
    for c, (low, high) in enumerate(_exact_rms(x, w, eps)):
        single = singles[c]
        assert isinstance(single, Fraction)
        assert max(abs(single - low), abs(single - high)) <= phi * max(abs(low), abs(high))
        assert abs(Fraction(float(expected.exact[0, c])) - low) + phi * abs(low) <= Fraction(
            float(expected.bound[0, c])
        ) + (high - low)
        assert accepts16(word(stored[c]), (low + high) / 2, phi * max(abs(low), abs(high)) + (high - low))
    got = np.array([[word(v) for v in stored]], np.uint16)
    assert expected.accepts(got).all()
    assert expected.ratio(got).max() <= 1


@given(finite_word, st.integers(0, 2**32))
@settings(max_examples=300, deadline=None)
def test_silu_bound_holds_for_exact_simulations(bits: int, seed: int) -> None:
    stored = silu.expression({"n": 1}, "y", 0)
    x = decode(bits, F16)
    single, result = evaluate([stored.args[0], stored], {("x", 0): x}, {}, choices(random.Random(seed)))
    assert isinstance(single, Fraction)
    low, high = exact_silu(x)
    bound = silu.phi_at(x) * max(abs(low), abs(high)) + silu.FLUSH * abs(x)
    assert max(abs(single - low), abs(single - high)) <= bound + (high - low)
    expected = silu.expected({"x": raw(bits)}, {})
    assert expected.accepts(raw(word(result))).all()


def test_silu_reference_holds_for_every_binary16_word() -> None:
    """float64 value and bound against a rational enclosure: |s - silu| + E_exact <= E for all finite x."""
    expected = silu.expected({"x": FINITE}, {})
    for i, x in enumerate(decode(b, F16) for b in FINITE.tolist()):
        if abs(x) > 110:
            continue  # silu is x or 0 there within 2^-126 |x|; looked at below
        low, high = exact_silu(x)
        error = max(abs(Fraction(float(expected.exact[i])) - low), abs(Fraction(float(expected.exact[i])) - high))
        needed = error + silu.phi_at(x) * max(abs(low), abs(high)) + silu.FLUSH * abs(x)
        assert needed <= Fraction(float(expected.bound[i])), x
    x64 = FINITE.view(np.float16).astype(np.float64)
    assert np.array_equal(expected.exact[x64 > 110], x64[x64 > 110])
    assert (np.abs(expected.exact[x64 < -110]) < 2.0**-140 * 65504).all()


def test_silu_phi_covers_all_x_from_minus_43() -> None:
    uniform = silu.phi({"n": 1})
    assert uniform < Fraction(406, 10**8)
    for bits in [*FINITE[:: len(FINITE) // 997].tolist(), 0xD160]:
        x = decode(bits, F16)
        assert x < silu.LEAST_UNIFORM or silu.phi_at(x) <= uniform
    assert decode(0xD160, F16) == -43


def test_silu_constants() -> None:
    assert decode(silu.LOG2_E_BITS, F32) == Fraction(float.fromhex("0x1.715476p0"))
    with pytest.raises(BadInput, match="below 1"):
        silu.tail_phi(Fraction(1))


# --- bounds are near --------------------------------------------------------------------------------------------------


def _worst(measure: Callable[[random.Random], float], tries: int) -> float:
    rng = random.Random(20)
    return max(measure(rng) for _ in range(tries))


@pytest.mark.parametrize("columns", [1, 7, 64])
def test_rmsnorm_has_cases_near_its_bound(columns: int) -> None:
    """Real roundings, rsqrt at its documented limits: error / bound reaches 0.3."""
    eps = rmsnorm.EPS_1E5
    phi = rmsnorm.phi({"columns": columns})

    def measure(rng: random.Random) -> float:
        x = [rng.randrange(0x3800, 0x4400) for _ in range(columns)]
        w = [rng.randrange(0x3800, 0x4400) for _ in range(columns)]
        worst = Fraction(0)
        for choose in (lowest, highest):
            singles, _ = _simulate_rmsnorm(x, w, eps, choose)
            for single, (low, _high) in zip(singles, _exact_rms(x, w, eps), strict=True):
                assert isinstance(single, Fraction)
                worst = max(worst, abs(single - low) / (phi * abs(low)))
        return float(worst)

    assert _worst(measure, 60 if columns < 10 else 8) >= 0.3


@pytest.mark.parametrize(("columns", "reached"), [(2048, 0.3), (4096, 0.5), (8192, 0.65)])
def test_rmsnorm_long_rows_come_near_their_bound(columns: int, reached: float) -> None:
    """Each thread starts with 1 and goes on with squares just below half an ulp of it: every one of them is lost."""
    starts = {rmsnorm.owned(columns, t)[0] for t in range(min(rmsnorm.THREADS, columns // rmsnorm.VECTOR))}
    swamped = encode(Fraction(2) ** -12 * (1 - Fraction(2) ** -11), F16)
    x = [0x3C00 if c in starts else swamped for c in range(columns)]
    weight, eps = 0x3E55, Fraction(rmsnorm.EPS_1E5)
    inputs = {("x", c): read(b, F16) for c, b in enumerate(x)} | {("w", 0): read(weight, F16)}
    single = evaluate([rmsnorm.expression(_sizes(1, columns), "y", 0).args[0]], inputs, {"eps": eps}, highest)[0]
    exact = decode(weight, F16) / sqrt(sum((decode(b, F16) ** 2 for b in x), Fraction(0)) / columns + eps)[0]
    assert isinstance(single, Fraction)
    assert reached <= abs(single - exact) / (rmsnorm.phi({"columns": columns}) * exact) <= 1


def test_silu_has_cases_near_its_bound() -> None:
    """Real roundings, ex2 and rcp at their documented limits."""
    stored = silu.expression({"n": 1}, "y", 0).args[0]

    def measure(rng: random.Random) -> float:
        x = decode(rng.randrange(0xC800, 0xCD00) if rng.random() < 0.5 else rng.randrange(0x3000, 0x4800), F16)
        low = exact_silu(x)[0]
        bound = silu.phi_at(x) * abs(low) + silu.FLUSH * abs(x)
        ends = []
        for choose in (_ex2_low_rcp_high, _ex2_high_rcp_low):
            single = evaluate([stored], {("x", 0): x}, {}, choose)[0]
            assert isinstance(single, Fraction)
            ends.append(abs(single - low) / bound)
        return float(max(ends))

    assert _worst(measure, 400) >= 0.3


def _ex2_low_rcp_high(node: Node, low: Value, high: Value) -> Value:
    """A smaller e makes a larger result, and so does a larger reciprocal."""
    return low if node.attrs[0] == "ex2" else high


def _ex2_high_rcp_low(node: Node, low: Value, high: Value) -> Value:
    return high if node.attrs[0] == "ex2" else low


# --- exceptional inputs -----------------------------------------------------------------------------------------------

@given(st.data(), st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_rmsnorm_exceptional_table_is_that_of_the_sequence(data: st.DataObject, columns: int) -> None:
    x = data.draw(st.lists(any_word, min_size=columns, max_size=columns))
    w = data.draw(st.lists(any_word, min_size=columns, max_size=columns))
    expected = rmsnorm.expected({"x": np.array([x], np.uint16), "w": np.array(w, np.uint16)}, {"eps": 2.0**-20})
    # The stored sequence on the host: binary32 throughout, so the class comes out as on the device.
    with np.errstate(all="ignore"):
        xs, ws = (np.array(part, np.uint16).view(np.float16).astype(np.float32) for part in (x, w))
        scale = np.float32(1) / np.sqrt((xs * xs).sum() / np.float32(columns) + np.float32(2.0**-20))
        y = (xs * scale * ws).astype(np.float32)
    plain = np.isfinite(y)
    kinds = kinds16(np.where(plain, np.float32(0), y).astype(np.float16).view(np.uint16))
    assert np.array_equal(expected.kinds[0], kinds)


def test_inputs_outside_the_contract_are_refused() -> None:
    row = words(1.0, 2.0)[np.newaxis, :]
    with pytest.raises(BadInput, match="eps"):
        rmsnorm.expected({"x": row, "w": words(1.0, 1.0)}, {"eps": 0.0})
    with pytest.raises(BadInput, match="eps"):
        rmsnorm.expected({"x": row, "w": words(1.0, 1.0)}, {"eps": 1e-5})  # not a binary32 value
    with pytest.raises(BadInput, match="columns"):
        rmsnorm.expected({"x": row, "w": words(1.0)}, {"eps": rmsnorm.EPS_1E5})
    with pytest.raises(BadInput, match="binary16"):
        words(0.1)


@pytest.mark.parametrize("stem", STEMS)
def test_operators_name_the_approximations_they_use(stem: str) -> None:
    for contract in contracts_of(stem):
        operator = operator_of(contract.operator)
        root = operator.expression(cases_of(stem)[-1].values, operator.output, 0)
        assert set(operator.approximations) == {str(n.attrs[0]) for n in topological([root]) if n.op == "approximate"}
