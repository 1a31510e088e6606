"""Which indices sampling may return, against kernels that are run exactly, right ones and wrong ones."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.enclosure import exp
from spec.errors import BadInput
from spec.operators import sampling
from spec.operators.sampling import KNOWN_ANSWERS, NOT_DIVIDED, Order, Request, Status, accepted, sums
from spec.operators.silu import LOG2_E_ERROR
from spec.ptx.node import Node, label, parameter, topological
from spec.scalar import F32, U32, decode
from tests.spec.exact_run import Choose, Value, anywhere
from tests.spec.sampling_kernels import (
    MISTAKES,
    Scan,
    by_threads,
    doubling,
    draw,
    each_its_own,
    in_sequence,
    total_of,
    weights,
)

ANSWERS = [*KNOWN_ANSWERS, NOT_DIVIDED]
DRAWN = [a for a in ANSWERS if a.index is not None and a.request.temperature > 0]


def lowest(_: Node, low: Value, __: Value) -> Value:
    return low


def highest(_: Node, __: Value, high: Value) -> Value:
    return high


def _scan(rng: random.Random, count: int) -> tuple[Scan, Order]:
    """A scan and a contract that allows its depth."""
    threads = rng.choice([2, 8])
    return rng.choice(
        [
            (in_sequence, Order(1)),
            (each_its_own(rng), Order(1)),
            (doubling, Order(1 << (count - 1).bit_length())),
            (by_threads(threads), Order(threads)),
        ]
    )


# --- known answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: str(a.name))
def test_known_answers_are_the_only_ones_accepted(answer: sampling.KnownDraw) -> None:
    for kind in (np.float32, np.float16):
        logits = np.array(answer.logits, kind)
        if not np.array_equal(logits.astype(np.float64), answer.logits, equal_nan=True):
            assert answer is NOT_DIVIDED
            continue
        found = accepted(logits, answer.request)
        assert found.status == (Status.INVALID if answer.index is None else Status.OK)
        assert found.indices == (set() if answer.index is None else {answer.index})
        assert not found.ambiguous


@pytest.mark.parametrize("answer", DRAWN, ids=lambda a: str(a.name))
def test_right_kernels_give_the_known_answers(answer: sampling.KnownDraw) -> None:
    logits = np.array(answer.logits, np.float32)
    rng = random.Random(2)
    for scan in (in_sequence, doubling, by_threads(2), each_its_own(rng)):
        for choose in (lowest, highest, anywhere(rng)):
            assert draw(logits, answer.request, scan, choose, rng) == answer.index


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_gives_an_index_that_a_known_answer_refuses(mistake: str) -> None:
    rng = random.Random(3)
    wrong = [
        a.name
        for a in DRAWN
        if draw(logits := np.array(a.logits, np.float32), a.request, in_sequence, lowest, rng, mistake)
        not in accepted(logits, a.request).indices
    ]
    assert wrong
    expected = {
        "top-p of all logits": "top-k 3, then top-p 0.9", "temperature before top-k": NOT_DIVIDED.name,
        "at least in place of greater": "equal logits, U = 0.25", "equal logits by descending index": "equal logits",
    }.get(mistake, "")  # fmt: skip
    assert any(name.startswith(expected) for name in wrong), wrong


# --- exact runs -------------------------------------------------------------------------------------------------------


def _random_draw(rng: random.Random) -> tuple[np.ndarray[tuple[int], np.dtype[np.float32]], Request]:
    count = rng.choice([1, 2, 3, 10, 40])
    spread = rng.choice([0.01, 1.0, 5.0, 60.0])
    logits = np.array([rng.gauss(0, spread) for _ in range(count)], np.float32)
    if rng.random() < 0.3:  # ties
        logits = np.round(logits)
    if rng.random() < 0.2:
        logits[rng.randrange(count)] = -np.inf
    if np.isneginf(logits).all():
        logits[0] = 0.0
    k = rng.choice([0, 0, 1, 5, 100])
    p = rng.choice([1.0, 1.0, 0.9, 0.5])
    temperature = float(np.float32(rng.choice([0.3, 0.7, 1.0, 2.5])))
    request = Request(0.0, temperature, k, float(np.float32(p)))
    # Half of the numbers lie at the boundaries, where rounding decides.
    values = np.sort(logits)[::-1][: k or count].astype(np.float64)
    w = np.cumsum(np.exp((values - values[0]) / temperature))
    near = [float(np.float32(rng.random() * (1 - 2.0**-24))), float(np.float32(p))]
    for i in range(2):
        if rng.random() < 0.5:
            at = np.float32(w[rng.randrange(len(w))] / w[-1])
            for _ in range(rng.randrange(4)):
                at = np.nextafter(at, np.float32(rng.choice([0, 1])))
            near[i] = float(at)
    uniform, p = min(near[0], 1 - 2.0**-24), min(max(near[1], 2.0**-20), 1.0)
    return logits, replace(request, uniform=uniform, p=p)


def _check(rng: random.Random) -> bool:
    """Whether rounding decided."""
    logits, request = _random_draw(rng)
    scan, order = _scan(rng, len(logits))
    found = accepted(logits, request, order)
    assert draw(logits, request, scan, rng.choice([lowest, highest, anywhere(rng)]), rng) in found.indices
    return found.ambiguous


def test_indices_of_exact_runs_are_accepted() -> None:
    rng = random.Random(17)
    ambiguous = sum(_check(rng) for _ in range(600))
    assert ambiguous > 60  # the boundaries are met


@given(st.integers(0, 2**64))
@settings(max_examples=100, deadline=None)
def test_indices_of_random_exact_runs_are_accepted(seed: int) -> None:
    _check(random.Random(seed))


def test_sums_of_exact_runs_are_within_their_bounds() -> None:
    """|C - W| <= b for every candidate, C of any scan, W by rational enclosures."""
    rng = random.Random(23)
    worst = 0.0
    for _ in range(60):
        logits, request = _random_draw(rng)
        values = np.sort(logits)[::-1]
        scan, order = _scan(rng, len(values))
        worst = max(worst, _sum_ratio(values, request.temperature, scan, order, rng.choice([lowest, highest])))
    assert 0.6 < worst <= 1


def test_sums_come_near_their_bounds() -> None:
    """Two weights, the second just above a power of two and too large by all that ex2 may be."""
    reached = max(
        _sum_ratio(np.array([0.0, i / 1024 - 2.05], np.float32), 1.0, in_sequence, Order(1), choose)
        for i in range(60)
        for choose in (lowest, highest)
    )
    assert 0.6 < reached <= 1


def _sum_ratio(values: sampling.Logits, temperature: float, scan: Scan, order: Order, choose: Choose) -> float:
    found = sums(values.astype(np.float64), temperature, order)
    exact = [exp((Fraction(float(v)) - Fraction(float(values[0]))) / Fraction(temperature))[0] if v > values[0] - 2000
             else Fraction(0) for v in values]  # fmt: skip
    worst = 0.0
    for i, c in enumerate(scan(weights(values, temperature, choose))):
        error = max(abs(c - total_of(exact[: i + 1])), abs(c - Fraction(float(found.total[i]))))
        bound = float(found.error[i])
        assert error <= Fraction(bound) or (bound == 0.0 and error < Fraction(1, 2**60))
        worst = max(worst, float(error) / bound if bound else 0.0)
    return worst


# Two logits and a number at the boundary; a run whose index is refused if that part of the bound is forgotten.
CONTROLS: dict[str, tuple[float, str, dict[str, object]]] = {
    "weights": (float.fromhex("-0x1.4c5e3p-1"), "0x1.504abcp-1", {"_EX2": 0.0, "_ARGUMENT": 0.0}),
    "sums": (float.fromhex("-0x1.78a046p+2"), "0x1.fe946ep-1", {"Order.depth": lambda *_: 0}),
    "thresholds": (float.fromhex("-0x1.184c2p+2"), "0x1.f9aa02p-1", {"_rounding": lambda _: 0.0}),
}


@pytest.mark.parametrize("part", CONTROLS)
def test_a_set_without_one_of_its_parts_refuses_a_right_kernel(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    second, uniform, forgotten = CONTROLS[part]
    logits, request = np.array([0.0, second], np.float32), Request(float.fromhex(uniform))
    index = draw(logits, request, in_sequence, highest, random.Random(0))
    assert accepted(logits, request, Order(1)).indices == {0, 1}
    for name, value in forgotten.items():
        monkeypatch.setattr(f"spec.operators.sampling.{name}", value)
    assert index not in accepted(logits, request, Order(1)).indices


# --- how sharp the sets are -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "p", "allowed"), [(50, 0.95, 2), (20, 1.0, 2), (0, 0.9, 2), (0, 1.0, 10)])
def test_nearly_every_set_is_a_singleton(k: int, p: float, allowed: int) -> None:
    """99.9 % of random logits and numbers, so that comparing is in effect equality; 99.5 % of 1000 that are not cut."""
    rng = np.random.default_rng(1000 + k)
    draws, ambiguous = 2000, 0
    for _ in range(draws):
        logits = rng.normal(0.0, 3.0, 1000).astype(np.float32)
        uniform = float(np.float32(rng.random() * (1 - 2.0**-24)))
        found = accepted(logits, Request(uniform, float(np.float32(rng.uniform(0.3, 1.2))), k, float(np.float32(p))))
        assert found.indices
        ambiguous += found.ambiguous
    assert ambiguous <= allowed


def test_sets_are_intervals_of_the_ranking_around_the_boundary() -> None:
    """U exactly at a boundary: both neighbours, nothing else; a little off: one."""
    logits = np.array([3.0, 2.0, 1.0], np.float32)
    w = np.cumsum(np.exp(logits.astype(np.float64) - 3.0))
    at = float(np.float32(w[0] / w[2]))
    assert accepted(logits, Request(at)).indices == {0, 1}
    assert accepted(logits, Request(float(np.float32(at - 1e-5)))).indices == {0}
    assert accepted(logits, Request(float(np.float32(at + 1e-5)))).indices == {1}


def test_an_open_cut_accepts_the_draws_of_both() -> None:
    """P at a boundary: with or without the candidate there; its own draw and what else U then picks."""
    logits = np.array([3.0, 2.0, 1.0], np.float32)
    w = np.cumsum(np.exp(logits.astype(np.float64) - 3.0))
    p = float(np.float32(w[1] / w[2]))
    last = 1 - 2.0**-24
    assert accepted(logits, Request(last, p=p)).indices == {1, 2}
    assert accepted(logits, Request(last, p=float(np.float32(p - 1e-5)))).indices == {1}
    assert accepted(logits, Request(last, p=float(np.float32(p + 1e-5)))).indices == {2}


# --- exact parts ------------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, -2.0, 65504.0, float("-inf"), 2.0**-24]), min_size=1, max_size=20))
def test_greedy_and_top_k_are_exact(values: list[float]) -> None:
    logits = np.array(values, np.float32)
    expected = sorted(range(len(values)), key=lambda i: (-values[i], i))
    assert sampling.ranked(logits).tolist() == expected
    assert sampling.ranked(logits, 3).tolist() == expected[:3]
    found = accepted(logits, Request(0.5, 0.0))
    if max(values) == float("-inf"):
        assert found.status is Status.INVALID
    else:
        assert found.indices == {expected[0]}
        assert accepted(logits, Request(1 - 2.0**-24, 1.0, 1)).indices == {expected[0]}


@given(st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_binary16_logits_are_their_widened_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 4, 30).astype(np.float16)
    request = Request(float(np.float32(rng.random() * 0.999)), 0.75, 10, 0.875)
    assert accepted(logits, request) == accepted(logits.astype(np.float32), request)


def test_equal_logits_are_counted_exactly() -> None:
    """1000 equal logits: every boundary i / 1000 is decided to the bit of mul.rn(U, 1000)."""
    logits = np.full(1000, -7.25, np.float32)
    for i in range(1, 1000, 37):
        for u in (np.float32(i / 1000), np.nextafter(np.float32(i / 1000), np.float32(0))):
            assert accepted(logits, Request(float(u))).indices == {int(np.float32(u * np.float32(1000)))}


# --- constants, order, inputs -----------------------------------------------------------------------------------------


def test_the_error_of_an_argument_leaves_room_for_the_reference() -> None:
    three = (1 + U32) ** 3 * (1 + LOG2_E_ERROR) - 1
    assert three < Fraction(33, 10) * U32
    assert Fraction(sampling._ARGUMENT) == 4 * U32
    assert decode(sampling.LOG2_E_BITS, F32) == Fraction(float.fromhex("0x1.715476p0"))


def test_weights_and_thresholds_are_the_stated_sequence() -> None:
    root = sampling.weight(parameter("x"), parameter("m"), parameter("t"))
    assert [label(n) for n in topological([root]) if n.op not in ("param", "const")] == [
        "fsub.f32.rn.False.False", "fdiv.f32.rn.False", "fmul.f32.rn.False.False", "approximate.ex2.f32.True",
    ]  # fmt: skip
    assert [label(n) for n in topological([root]) if n.op == "const"] == [f"const.32.{sampling.LOG2_E_BITS:#x}"]
    assert label(sampling.threshold(parameter("u"), parameter("z"))) == "fmul.f32.rn.False.False"


@pytest.mark.parametrize("threads", [1, 2, 8, 1024])
def test_depth_covers_the_scan_by_threads(threads: int) -> None:
    """The longest path of additions in the scan itself."""

    def depths(count: int) -> int:
        size = -(-count // threads)
        own = [min(size, count - i) - 1 for i in range(0, count, size)]
        rounds = (len(own) - 1).bit_length()
        return max(max(own), own[0] + rounds + 1 if len(own) > 1 else 0)

    for count in (1, 2, 3, 7, 8, 9, 100, 1000, 5000):
        assert depths(count) <= Order(threads).depth(count)
    assert Order(1).depth(100) == 99


def test_inputs_outside_the_contract_are_refused() -> None:
    for uniform, temperature, k, p in ((1.0, 1, 0, 1), (-0.1, 1, 0, 1), (0.5, -1, 0, 1), (0.5, 2.0**21, 0, 1),
                                       (0.5, 1, -1, 1), (0.5, 1, 0, 0), (0.5, 1, 0, 1.5), (0.1, 1, 0, 1)):  # fmt: skip
        with pytest.raises(BadInput, match=r"temperature|uniform|binary32"):
            Request(uniform, temperature, k, p)
    with pytest.raises(BadInput, match="float16 or float32"):
        accepted(np.zeros(3), Request(0.5))
    with pytest.raises(BadInput, match="1 to"):
        accepted(np.zeros(0, np.float32), Request(0.5))
    with pytest.raises(BadInput, match="powers of two"):
        Order(3)
