"""The bound of attention against exact runs of its sequence, and what goes wrong without each of its parts."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.errors import BadInput
from spec.operators import attention
from spec.operators.attention_bound import bound
from spec.operators.attention_order import Order
from spec.operators.build import ONE
from spec.operators.model import NAN16, Operator, raw, words
from spec.ptx.node import Node, label, topological
from spec.scalar import F16, Kind, decode, encode, kinds16
from spec.tensor_core import ADA, HOPPER, TensorCore
from tests.spec.attention_cases import ORDERS, Case, normal_word, random_case, ratio, simulate
from tests.spec.exact_run import Choose, Value, anywhere

CORES = (ADA, HOPPER, TensorCore("one group of 24 bits", 24, 256))
"""All of them are TC(24,2)."""


def _check(case: Case, order: Order, choose: Choose, core: TensorCore) -> float:
    allowed = case.allowed(order)
    if not any(case.visible):
        assert simulate(case, order, choose, core)[1] == [0] * case.v.shape[1]
        return 0.0
    _, stored = simulate(case, order, choose, core)
    got = np.array([stored], np.uint16)
    assert allowed.accepts(got).all()
    assert allowed.ratio(got).max() <= 1
    return ratio(case, order, choose, core)


@pytest.mark.parametrize("name", ORDERS)
def test_the_bound_holds_for_exact_runs(name: str) -> None:
    rng = random.Random(name)
    worst = 0.0
    for _ in range(30):
        core = rng.choice(CORES)
        found = _check(random_case(rng), ORDERS[name], anywhere(rng), core)
        assert found <= 1
        worst = max(worst, found)
    assert worst > 0.3  # the fuzz comes somewhere near


@given(st.sampled_from(sorted(ORDERS)), st.integers(0, 2**64))
@settings(max_examples=60, deadline=None)
def test_the_bound_holds_for_random_exact_runs(name: str, seed: int) -> None:
    rng = random.Random(seed)
    assert _check(random_case(rng), ORDERS[name], anywhere(rng), rng.choice(CORES)) <= 1


# --- the bound is near, and each part of it is needed -----------------------------------------------------------------


def highest(_: Node, __: Value, high: Value) -> Value:
    return high


def halves_up(keys: int) -> Case:
    """All weights but one lie just above a tie of binary16, 1/2 + 2^-12, and all values are 1: the errors add up."""
    step = words(0.0)
    step[0] = encode(Fraction(7042627, 10**10), F16) + 1  # log2(1 + 2^-11), rounded up
    near = [-1.0, float(decode(int(step[0]), F16)), *[0.0] * 14]
    return Case.of([1.0, 1.0, *[0.0] * 14], [[0.0] * 16, *[near] * (keys - 1)], [[1.0]] * keys, 1.0)


RISING = Order(block=32, lanes=16, tensor=False)


def rising(blocks: int) -> Case:
    """A key per block, each weighing twice the one before; values halve, so all count alike; the last cancels them."""
    k, v, visible = [], [], []
    for b in range(blocks):
        for i in range(RISING.block):
            counts = i == 2 * (b % RISING.lanes)
            last = -(blocks - 1.0) if b == blocks - 1 else 1.0
            k.append([float(b) if counts else 0.0])
            v.append([last * 2.0 ** (13 - b) if counts else 0.0])
            visible.append(counts)
    return replace(Case.of([1.0], k, v, 1.0), visible=tuple(visible))


def swamped(scale: float) -> Case:
    """In every group of 8 products a subnormal factor sets the exponent, and the rest is cut off."""
    q = [2.0**-24, *[2.0**-12 * (2 - 2.0**-10)] * 7] * 16
    k = [2.0**15, *[2.0**-12 * (1 - 2.0**-11)] * 7] * 16
    return Case.of(q, [k, [0.0] * 128], [[1.0], [-1.0]], scale)


HERE, CORE = "spec.operators.attention_bound", "spec.tensor_core"
# Case, order, what error / E reaches there, and the parts of the bound that are forgotten.
CONTROLS: dict[str, tuple[Case, Order, float, dict[str, object]]] = {
    "binary16 weights": (halves_up(64), Order(block=64), 0.98, {f"{HERE}._HALF": 0.0, f"{HERE}._TINY16": 0.0}),
    "binary16 weights, fused": (
        halves_up(64), Order(block=64, fused=True), 0.98, {f"{HERE}._HALF": 0.0, f"{HERE}._TINY16": 0.0}
    ),
    "rescalings": (rising(12), RISING, 0.5, {f"{HERE}._Rows._later": lambda rows: np.zeros_like(rows.s)}),
    "clipped magnitudes": (
        swamped(64.0), Order(block=16), 0.25, {f"{CORE}._clipped": np.abs, f"{HERE}.clipped": np.abs}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTROLS)
def test_a_bound_without_one_of_its_parts_is_violated(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case, order, reached, forgotten = CONTROLS[name]
    assert reached <= ratio(case, order, highest, ADA) <= 1
    assert not case.bound(order).vacuous.any()
    for part, value in forgotten.items():
        monkeypatch.setattr(part, value)
    assert ratio(case, order, highest, ADA) > 1


@pytest.mark.parametrize("name", [name for name in CONTROLS if name.startswith("binary16")])
def test_stored_words_of_a_near_case_are_accepted(name: str) -> None:
    case, order, _, _ = CONTROLS[name]
    stored = np.array([simulate(case, order, highest, ADA)[1]], np.uint16)
    allowed = case.allowed(order)
    assert stored[0, 0] == 0x3C00
    assert allowed.accepts(stored).all()
    assert not allowed.accepts(raw(0x3C02)[np.newaxis]).any()


def test_a_long_row_in_one_pass_and_in_splits() -> None:
    """500 keys in one pass and in splits, each within its bound; the last keys weigh most."""
    rng = random.Random(77)
    k = [[encode(Fraction(rng.gauss(j / 500, 0.5)), F16) for _ in range(16)] for j in range(500)]
    v = [[normal_word(rng, 1.0)] for _ in k]
    case = Case(words(*[1.0] * 16), np.array(k, np.uint16), np.array(v, np.uint16), (True,) * 500, 0.5)
    for order in (attention.PREFILL, attention.DECODE):
        assert _check(case, order, anywhere(rng), ADA) <= 1


def test_rows_are_bounded_one_by_one() -> None:
    """The same numbers for a row alone and among others."""
    rng = random.Random(5)
    case = replace(random_case(rng), visible=())
    while len(case.k) < 40:
        case = random_case(rng)
    q, k, v = (part.view(np.float16).astype(np.float64) for part in (np.array([case.q, case.q[::-1]]), case.k, case.v))
    visible = np.array([[True] * len(k), [j % 3 != 0 for j in range(len(k))]])
    for order in ORDERS.values():
        both = bound(q, k, v, visible, case.scale, order)
        for r in range(2):
            alone = bound(q[r : r + 1], k, v, visible[r : r + 1], case.scale, order)
            np.testing.assert_allclose(both.error[r], alone.error[0], rtol=1e-12)
            np.testing.assert_allclose(both.exact[r], alone.exact[0], rtol=1e-12, atol=1e-15)


# --- scores that are too large ----------------------------------------------------------------------------------------

HUGE = Case.of(
    [65504.0] * 128,
    [[65504.0] * 127 + [65472.0], [65504.0] * 128],
    [[5.0], [1.0]],
    float(np.float32(128**-0.5 * 1.442695)),
)


@pytest.mark.parametrize("core", [ADA, HOPPER])
def test_huge_scores_are_vacuous_and_give_the_value_of_the_greatest(core: TensorCore) -> None:
    allowed = HUGE.allowed(attention.PREFILL)
    assert allowed.vacuous is not None
    assert allowed.vacuous.all()
    assert allowed.says_nothing().all()
    stored = simulate(HUGE, attention.PREFILL, highest, core)[1]
    assert stored == [0x3C00]
    assert allowed.accepts(np.array([stored], np.uint16)).all()
    # Vacuous is not lawless: the class is due, and C max |v| is never exceeded.
    assert not allowed.accepts(raw(NAN16)[np.newaxis]).any()
    assert not allowed.accepts(words(16.0)[np.newaxis]).any()
    assert not allowed.accepts(raw(0x7C00)[np.newaxis]).any()


def test_the_fused_form_is_no_contract_for_huge_scores() -> None:
    """What fma keeps of c s - RN(c s) is an exponent of hundreds: NaN from finite inputs."""
    order = replace(attention.PREFILL, fused=True)
    allowed = HUGE.allowed(order)
    stored = [simulate(replace(HUGE, k=HUGE.k[i:], v=HUGE.v[i:], visible=(True,) * (2 - i)), order, highest, ADA)[1]
              for i in range(2)]  # fmt: skip
    assert [NAN16] in stored
    assert allowed.vacuous is not None
    assert allowed.vacuous.all()
    assert all(allowed.accepts(np.array([s], np.uint16)).all() for s in stored)


def test_vacuous_elements_are_counted_and_their_results_bounded() -> None:
    rng = random.Random(11)
    counted = total = 0
    for _ in range(60):
        case = random_case(rng)
        if case.scale < 100.0 or not any(case.visible):
            continue
        allowed = case.allowed(ORDERS["prefill"])
        _, stored = simulate(case, ORDERS["prefill"], anywhere(rng), ADA)
        assert allowed.accepts(np.array([stored], np.uint16)).all()
        assert allowed.vacuous is not None
        counted, total = counted + int(allowed.vacuous.sum()), total + allowed.vacuous.size
    assert 0 < counted < total


# --- exceptional inputs -----------------------------------------------------------------------------------------------

_SPECIAL = [0, 0x8000, 0x3C00, 0xC500, 0x7C00, 0xFC00, 0x7E00, 1, 0x7BFF, 0xFBFF]


def _special_case(rng: random.Random) -> Case:
    keys, few = rng.choice([1, 3, 20]), rng.choice([0.0, 0.02, 0.2])

    def word() -> int:
        return rng.choice(_SPECIAL) if rng.random() < few else normal_word(rng, 1.0)

    q, k = [word() for _ in range(16)], [[word() for _ in range(16)] for _ in range(keys)]
    v = [[rng.choice(_SPECIAL) if rng.random() < 0.2 else normal_word(rng, 1.0) for _ in range(3)] for _ in range(keys)]
    if rng.random() < 0.3:  # scores of -Inf
        q = [0x3C00, *[0] * 15]
        k = [[rng.choice([0xFC00, 0x3C00]), *[0] * 15] for _ in range(keys)]
    visible = tuple(rng.random() < 0.8 for _ in range(keys))
    return Case(np.array(q, np.uint16), np.array(k, np.uint16), np.array(v, np.uint16), visible, 0.125)


@pytest.mark.parametrize("name", ORDERS)
def test_the_exceptional_table_is_that_of_the_sequence(name: str) -> None:
    """Masked keys keep their Inf and NaN here: the sequence puts -Inf for the score and 0 for the value."""
    rng = random.Random(name)
    seen = set()
    for _ in range(60):
        case = _special_case(rng)
        allowed = case.allowed(ORDERS[name])
        got = np.array([simulate(case, ORDERS[name], anywhere(rng), ADA)[1]], np.uint16)
        assert allowed.accepts(got).all(), case
        seen |= set(allowed.kinds[0].tolist())
        strict = allowed.also == 0
        assert (kinds16(got)[strict & (allowed.kinds != Kind.FINITE)] == allowed.kinds[
            strict & (allowed.kinds != Kind.FINITE)]).all()  # fmt: skip
    assert seen == {int(kind) for kind in Kind}


def test_an_infinite_value_may_vanish_with_its_weight() -> None:
    """Inf under a weight that binary16 rounds to 0 is NaN, under a larger one Inf; both are allowed, no number is."""
    case = Case.of([1.0, *[0.0] * 15], [[0.0] * 16, [-30.0, *[0.0] * 15]], [[1.0], [float("inf")]], 1.0)
    light = simulate(case, attention.PREFILL, highest, ADA)[1]
    heavy = simulate(replace(case, scale=0.125), attention.PREFILL, highest, ADA)[1]
    assert (light, heavy) == ([NAN16], [0x7C00])
    allowed = case.allowed(attention.PREFILL)
    for word, fine in ((NAN16, True), (0x7C00, True), (0x3C00, False), (0xFC00, False)):
        assert allowed.accepts(raw(word)[np.newaxis]).all() == fine
    assert allowed.ratio(raw(NAN16)[np.newaxis]).max() == 0


# --- operator, order, pages -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", [attention.OPERATOR, attention.DECODE_OPERATOR], ids=lambda o: str(o.name))
def test_known_answers(operator: Operator) -> None:
    for case in operator.known_answers:
        expected = operator.expected(case.inputs, case.floats)
        assert expected.accepts(case.output).all(), case.name
        assert not expected.says_nothing().any(), case.name
        if case.bitwise:
            for flip in (1, 2, 0x8000):
                wrong = case.output ^ np.uint16(flip)
                if (case.output & 0x7FFF).all() and (case.output != NAN16).all():
                    assert not expected.accepts(wrong).any(), case.name


def test_known_answers_are_what_the_sequence_gives() -> None:
    for answer in attention.DECODE_ANSWERS:
        if not len(answer.inputs["k"]):
            continue  # nothing is computed
        q, k, v = (answer.inputs[name] for name in "qkv")
        visible = attention.causal(len(q), len(k)) if answer.floats.get("causal") else np.ones((len(q), len(k)), bool)
        if "visible" in answer.inputs:
            visible = answer.inputs["visible"] != 0
        for r in range(len(q)):
            case = Case(q[r], k, v, tuple(visible[r].tolist()), answer.floats["scale_log2"])
            for order in (Order(block=16), Order(block=16, split=16), ORDERS["binary32 weights"]):
                stored = np.array(simulate(case, order, anywhere(random.Random(1)), ADA)[1], np.uint16)
                assert case.allowed(order).accepts(stored[np.newaxis]).all(), answer.name
                if answer.bitwise and answer.output[r, 0] != NAN16:
                    assert stored.tolist() == answer.output[r].tolist(), answer.name


def test_the_expression_is_the_stated_sequence() -> None:
    values = {"rows": 2, "keys": 2, "head": 16, "columns": 3, "causal": 1}
    first = attention.OPERATOR.expression(values, "y", 1)
    whole = attention.OPERATOR.expression(values, "y", 5)
    used = {n.attrs for n in topological([first]) if n.op == "input"}
    assert used >= {("q", 15), ("k", 15), ("v", 1)}
    assert not used & {("q", 16), ("k", 16), ("v", 4)}
    operations = {label(n) for n in topological([whole])}
    assert operations >= {
        "approximate.ex2.f32.True", "approximate.rcp.f32.True", "fconvert.f32.f16.rn.False.-",
        "fadd.f32.rn.False.False",
        "fmul.f32.rn.False.False", "fsub.f32.rn.False.False", "mma.f16.f32", "select.32",
    }  # fmt: skip
    assert "ffma.f32.rn.False.False" not in operations
    assert attention.DECODE_OPERATOR.expression(values, "y", 5) is not whole
    for element in (6, -1):
        with pytest.raises(BadInput, match="no output element"):
            attention.OPERATOR.expression(values, "y", element)
    assert "mma over 16 keys" in attention.OPERATOR.sequence
    assert "fma.rn per key" in ORDERS["binary32 weights"].sequence
    with pytest.raises(BadInput, match="no bound that holds for all data"):
        attention.OPERATOR.phi(values)


def test_pages_are_keys_in_logical_order() -> None:
    rng = np.random.default_rng(3)
    pages = rng.integers(0, 0x7C00, (6, 4, 2), dtype=np.uint16)
    plain = attention.from_pages(pages, np.array([4, 1, 5, -1], np.int32), 11)
    assert plain.shape == (11, 2)
    assert (plain[:4] == pages[4]).all()
    assert (plain[8:] == pages[5, :3]).all()
    order = rng.permutation(6)
    moved = attention.from_pages(pages[order], np.argsort(order)[[4, 1, 5, 0]].astype(np.int32), 11)
    assert (plain == moved).all()
    assert attention.from_pages(pages, np.array([-1], np.int32), 0).shape == (0, 2)
    for table, length in (([4], 5), ([4, -1], 5), ([6], 1)):
        with pytest.raises(BadInput, match="the table"):
            attention.from_pages(pages, np.array(table, np.int32), length)


def test_an_empty_sequence_is_zero() -> None:
    none = np.zeros((0, 16), np.uint16)
    seen = np.ones((1, 0), bool)
    found = attention.attend(words(*[1.0] * 16)[np.newaxis], none, np.zeros((0, 3), np.uint16), seen, 1.0)
    assert found.accepts(raw(0, 0, 0)[np.newaxis]).all()
    assert not found.accepts(raw(1, 1, 1)[np.newaxis]).any()


def test_inputs_outside_the_contract_are_refused() -> None:
    case = Case.of([1.0] * 16, [[1.0] * 16], [[1.0]], 1.0)
    for scale in (0.0, -1.0, 2.0**21, 0.1):
        with pytest.raises(BadInput, match="the scale"):
            replace(case, scale=scale).allowed(attention.PREFILL)
    with pytest.raises(BadInput, match="visible is"):
        replace(case, visible=(True, True)).allowed(attention.PREFILL)
    with pytest.raises(BadInput, match="head"):
        replace(case, q=case.q[:8]).allowed(attention.PREFILL)
    with pytest.raises(BadInput, match="mma takes heads"):
        simulate(replace(case, q=case.q[:8], k=case.k[:, :8]), attention.PREFILL, highest, ADA)
    for block, lanes, split, dot_lanes in ((8, 4, 0, 1), (16, 4, 24, 1), (16, 3, 0, 1), (16, 4, 0, 0)):
        with pytest.raises(BadInput, match=r"block|lanes"):
            Order(block, lanes, split=split, dot_lanes=dot_lanes)


# --- mistakes ---------------------------------------------------------------------------------------------------------


def _normal_row() -> Case:
    rng = random.Random(8)
    k = [[normal_word(rng, 1.0) for _ in range(16)] for _ in range(40)]
    v = [[normal_word(rng, 1.0)] for _ in k]
    visible = (*[True] * 37, *[False] * 3)
    return Case(words(*[1.0] * 16), np.array(k, np.uint16), np.array(v, np.uint16), visible, 0.25)


MISTAKES: dict[str, Case] = {
    "a key too many": replace(_normal_row(), visible=(*[True] * 38, *[False] * 2)),
    "a key too few": replace(_normal_row(), visible=(*[True] * 36, *[False] * 4)),
    "scale without log2 e": replace(_normal_row(), scale=float(np.float32(0.25 / 1.4426950408889634))),
    "pages of k and v out of step": replace(_normal_row(), v=np.roll(_normal_row().v, 16, axis=0)),
    "the last element of the head left out": replace(_normal_row(), q=words(*[1.0] * 15, 0.0)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_rows_are_refused(mistake: str) -> None:
    case, order = _normal_row(), ORDERS["prefill"]
    right, wrong = (
        np.array([simulate(c, order, anywhere(random.Random(1)), ADA)[1]], np.uint16) for c in (case, MISTAKES[mistake])
    )
    assert case.allowed(order).accepts(right).all()
    assert not case.allowed(order).accepts(wrong).any()


def test_sums_that_are_not_rescaled_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    case, order = _normal_row(), ORDERS["prefill, fused"]
    rising_scores = np.argsort(case.k.view(np.float16).astype(np.float64).sum(axis=1))
    case = replace(case, k=case.k[rising_scores])
    assert case.allowed(order).accepts(np.array([simulate(case, order, highest, ADA)[1]], np.uint16)).all()
    monkeypatch.setattr("spec.operators.attention_order._power", lambda *_: ONE)
    assert not case.allowed(order).accepts(np.array([simulate(case, order, highest, ADA)[1]], np.uint16)).any()
