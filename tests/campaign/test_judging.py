"""That the campaign would notice: an obligation that is proved away, a wrong address, an excuse that is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from proofs.claims import Claim, all_claims
from proofs.entry import Analysis
from proofs.intervals import Member
from proofs.records import Access
from proofs.terms import FALSE
from spec.ptx.program import decode
from tests.campaign.addresses import Compared, Crosscheck
from tests.campaign.families.rings import generate
from tests.campaign.judging import MEMORY, Outcome, judged, orderly, runner_of, wrongly_proved
from tests.campaign.kernel import Launch
from tests.campaign.launching import Misfit, concrete, fitting
from tests.campaign.proving import PROVED, REFUTED, Proof, prove
from tests.campaign.seeing import LONG as LONG_RUN
from tests.campaign.seeing import STEPS, Seen, watched
from tests.campaign.small import ALONE, ENDLESS, FAULTY, GOOD, LONG, UNWRITTEN, WRAPS, kernel

ALL = dict.fromkeys(("race", "barrier", "bounds", "single-writer", "no-wrap", "init", "no-trap"), PROVED)
RACY_RINGS = (4, 6, 14)


def without_claims(monkeypatch: pytest.MonkeyPatch, obligation: str) -> None:
    """A prover to which it does not occur that this kind may fail."""

    def overlooking(*args: Any) -> list[Claim]:
        return [claim for claim in all_claims(*args) if claim.obligation != obligation]

    monkeypatch.setattr("proofs.entry.all_claims", overlooking)


def test_a_good_kernel_is_proved_and_all_its_addresses_agree() -> None:
    outcome = judged(kernel(GOOD))
    assert (outcome.proof.verdict, outcome.wrong, outcome.seen) == (PROVED, {}, {})
    assert outcome.compared.agree == 32 * 3
    assert not outcome.compared.disagree
    assert not outcome.compared.left_out


@pytest.mark.parametrize("obligation", FAULTY)
def test_an_honest_prover_refutes_what_the_machine_sees(obligation: str) -> None:
    outcome = judged(kernel(FAULTY[obligation]))
    assert outcome.proof.statuses[obligation] == REFUTED
    assert obligation in outcome.seen
    assert not outcome.wrong


@pytest.mark.parametrize("obligation", FAULTY)
def test_an_obligation_that_is_proved_away_is_found_out(obligation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    without_claims(monkeypatch, obligation)
    outcome = judged(kernel(FAULTY[obligation]))
    assert outcome.proof.statuses[obligation] == PROVED
    assert obligation in outcome.wrong


def test_a_loop_that_never_ends_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    without_claims(monkeypatch, "no-trap")
    outcome = judged(kernel(ENDLESS))
    assert outcome.proof.statuses["no-trap"] == PROVED
    assert "no-trap" in outcome.wrong


def test_a_loop_that_is_only_long_is_no_fault() -> None:
    outcome = judged(kernel(LONG))
    assert outcome.proof.statuses["no-trap"] == PROVED
    assert set(outcome.seen) == {LONG_RUN}
    assert not outcome.wrong


def test_wrapping_that_is_overlooked_is_found_out_by_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not judged(kernel(WRAPS)).compared.disagree
    monkeypatch.setattr("proofs.entry.Prover.__call__", lambda *args: True)
    without_claims(monkeypatch, "no-wrap")
    outcome = judged(kernel(WRAPS))
    assert outcome.proof.statuses["no-wrap"] == PROVED
    assert outcome.compared.disagree == 16


def test_a_prover_that_overlooks_accesses_between_barriers_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(walker: object, start: object, ways: object) -> tuple[Member, ...]:
        return ()

    monkeypatch.setattr("proofs.intervals.between", nothing)
    assert any("race" in judged(generate(seed)).wrong for seed in RACY_RINGS)


def compared(change: Callable[[Access], Access | None]) -> Compared:
    """The addresses of the good kernel, with recorded accesses changed or left out."""
    good = kernel(GOOD)
    analysis = prove(good).analysis
    assert analysis is not None
    accesses = tuple(a for access in analysis.records.accesses if (a := change(access)) is not None)
    analysis = replace(analysis, records=replace(analysis.records, accesses=accesses))
    runner = runner_of(good, analysis)
    given = runner.concrete(0)
    checking = Crosscheck(analysis, decode(runner.function, runner.module), given, exact=True)
    runner.run(0, STEPS, given, on_access=checking.on_access, on_step=checking.on_step)
    checking.finish()
    return checking.result


def test_a_recorded_address_beside_the_real_one_is_found_out() -> None:
    beside = compared(lambda a: replace(a, address=a.address + 4) if a.space == "global" else a)
    assert (beside.agree, beside.disagree) == (64, 32)
    assert "recorded is" in beside.words[0]


def test_an_access_that_is_not_recorded_is_found_out() -> None:
    missing = compared(lambda a: None if a.kind == "read" else a)
    assert (missing.agree, missing.disagree) == (64, 32)
    assert "nothing is recorded" in missing.words[0]


def test_an_access_of_another_width_is_found_out() -> None:
    assert compared(lambda a: replace(a, width=8) if a.kind == "read" else a).disagree == 32


def test_a_condition_that_does_not_hold_is_found_out() -> None:
    impossible = compared(lambda a: replace(a, at=replace(a.at, control=(FALSE,))) if a.kind == "read" else a)
    assert impossible.disagree == 32
    assert "is here without false" in impossible.words[0]


def test_an_exchange_that_goes_on_without_some_lanes_is_not_taken_for_another_instruction() -> None:
    three_warps = tuple(Launch((1, 1, 1), (96, 1, 1), {"n": n}) for n in (0, 3))
    outcome = judged(replace(kernel(ALONE), block=(96, 1, 1), launches=three_warps))
    assert outcome.proof.statuses["barrier"] == REFUTED
    assert outcome.compared.left_out["an exchange for which some lanes never came"] == 31
    assert not outcome.compared.disagree


def test_nothing_is_expected_of_a_register_that_a_thread_has_not_written() -> None:
    outcome = judged(kernel(UNWRITTEN))
    assert outcome.proof.analysis is not None
    conditions = [c.text for a in outcome.proof.analysis.records.accesses for c in a.at.known()]
    assert any("%r6" in text for text in conditions), "the prover says something of it"
    assert not outcome.compared.disagree


def seen_of(body: str) -> tuple[Outcome, Analysis, Seen]:
    outcome = judged(kernel(body))
    analysis = outcome.proof.analysis
    assert analysis is not None
    return outcome, analysis, watched(runner_of(outcome.kernel, analysis))


def test_stores_that_are_wrongly_taken_for_one_value_are_found_out() -> None:
    outcome, analysis, seen = seen_of(FAULTY["single-writer"])
    line = FAULTY["single-writer"].count("\n") + 19
    planted = replace(analysis, one_value=frozenset({frozenset({line})}))
    proof = Proof({**ALL, "race": "unknown"}, planted)
    found = wrongly_proved(runner_of(outcome.kernel, planted), planted, proof, seen)
    assert "they are taken for one store, and store" in found["single-writer"]


def test_stores_of_one_value_are_excused() -> None:
    outcome = judged(kernel("st.global.u32 [%d1], %r1;\n"))
    assert (outcome.proof.verdict, outcome.wrong) == (PROVED, {})
    assert "single-writer" in outcome.seen


ONE_WORD = "st.shared.u32 [%r2], {};\nst.global.u32 [%d3], %r0;\n"


def test_one_store_of_a_warp_that_a_schedule_tears_apart_is_one_store() -> None:
    outcome = judged(kernel(ONE_WORD.format("%r1")))
    assert (outcome.proof.verdict, outcome.wrong) == (PROVED, {})
    assert "race" in outcome.seen


def test_stores_of_a_warp_that_are_wrongly_taken_for_one_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    without_claims(monkeypatch, "race")
    monkeypatch.setattr("tests.campaign.judging.alike_lines", lambda analysis: frozenset({20}))
    outcome = judged(kernel(ONE_WORD.format("%r0")))
    assert "they are taken for one store, and store" in outcome.wrong["race"]


def test_memory_that_depends_on_the_schedule_is_found_out() -> None:
    outcome, analysis, _ = seen_of(GOOD)
    runner = runner_of(outcome.kernel, analysis)
    assert MEMORY in wrongly_proved(runner, analysis, Proof(ALL, analysis), Seen(settled=False))
    assert not wrongly_proved(runner, analysis, Proof(ALL, analysis), Seen(settled=True))


@pytest.mark.parametrize(("body", "depends"), [
    (GOOD, False),
    ("red.global.add.u32 [%d1], %r0;\n", False),
    ("red.global.add.f32 [%d1], 0f3F800000;\n", True),
    ("red.global.add.u32 [%d1], %r0;\nred.global.max.u32 [%d1], %r0;\n", True),
    ("atom.global.add.u32 %r5, [%d1], 1;\nst.global.u32 [%d3], %r5;\n", True),
    ("mov.u32 %r5, %clock;\nst.global.u32 [%d3], %r5;\n", True),
])  # fmt: skip
def test_what_may_depend_on_order_is_told_apart(body: str, depends: bool) -> None:
    assert orderly(runner_of(kernel(body), None).function) is not depends


def test_two_schedules_of_an_exchange_leave_different_values() -> None:
    takes = "atom.global.add.u32 %r5, [%d1], 1;\nmul.wide.u32 %d4, %r0, 4;\nadd.u64 %d4, %d0, %d4;\n"
    two_warps = replace(
        kernel(takes + "st.global.u32 [%d4], %r5;\n"), block=(64, 1, 1), buffers=("x=u32[64]:rw", "y=u32[64]:rw"),
        launches=(Launch((1, 1, 1), (64, 1, 1), {"n": 0}),),
    )  # fmt: skip
    assert not watched(runner_of(two_warps, None)).settled
    assert not judged(two_warps).wrong


def test_a_launch_that_the_flags_do_not_allow_is_a_mistake_of_the_generator() -> None:
    good = kernel(GOOD)
    for launch in (Launch((1, 1, 1), (32, 1, 1), {"n": 9}), Launch((1, 1, 1), (16, 1, 1), {"n": 1})):
        with pytest.raises(Misfit):
            fitting(replace(good, launches=(launch,)))


@pytest.mark.parametrize("fact", ["x[i] in [0, n)", "x[i] <= x[j] for i <= j", "x[i] != x[j] for i < j"])
def test_memory_is_as_the_facts_say(fact: str) -> None:
    stated = replace(kernel(GOOD), facts=(fact,), assumes=("n >= 1 && n <= 64",))
    given = concrete(stated, runner_of(stated, None).function, Launch((1, 1, 1), (32, 1, 1), {"n": 5}), 1)
    held = given.memory["x"].array("u4").tolist()
    if "in" in fact:
        assert all(v < 5 for v in held)
    elif "<=" in fact:
        assert held == sorted(held)
    else:
        assert len(set(held)) == 32
