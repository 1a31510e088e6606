"""Limits of a check: every one of them ends in *unknown* with a way out, and keeps what was decided before."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from fltc.cli import main
from proofs.check.decisions import NOT_ASKED, decide_all
from proofs.check.entry import in_turn
from proofs.check.findings import Finding
from proofs.check.flags import problems
from proofs.check.report import check
from proofs.check.request import CheckRequest
from proofs.check.work import workers
from proofs.claims import Claim
from proofs.decide import LINEAR_PART, LINEAR_RLIMIT, MAX_TEXT, Answer, decide
from proofs.discharge import Decision, decide_claim
from proofs.effort import (
    LAST_PART,
    MAX_EFFORT,
    OVERHEAD,
    SPENT,
    STEP,
    SUMS,
    UNCOUNTED,
    UNIT,
    Limits,
    Meter,
    key_of,
    limits_of,
)
from proofs.entry import Prover, analyse
from proofs.enumeration import Enumerator
from proofs.linear import Reasoner
from proofs.records import Records
from proofs.replay import Replay, replay
from proofs.results import Report
from proofs.symbolic import Machine
from proofs.terms import LAUNCH, Poly, Symbol, le
from proofs.verdict import Verdict
from spec.errors import BadInput

N = Poly.symbol(Symbol("n", "parameter", LAUNCH, None, None))
ROOT = Path(__file__).resolve().parents[2]
HARD = "(set-logic QF_NIA)\n(declare-const a Int)\n(declare-const b Int)\n(declare-const c Int)\n" \
       "(assert (and (< 1 a) (< 1 b) (< 1 c)))\n(assert (= (+ (* a a a) (* b b b)) (* c c c)))\n(check-sat)\n"
EASY = "(set-logic QF_NIA)\n(declare-const a Int)\n(assert (< a 0))\n(assert (< 0 a))\n(check-sat)\n"


STORES = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y)
{
    .reg .b32 %t;
    .reg .b64 %d, %y;
    mov.u32 %t, %tid.x;
    ld.param.u64 %y, [y];
    mul.wide.u32 %d, %t, 16;
    add.u64 %y, %y, %d;
    st.global.u32 [%y], %t;
    st.global.u32 [%y+4], %t;
    st.global.u32 [%y+8], %t;
    st.global.u32 [%y+12], %t;
    ret;
}
"""


def saxpy(**flags: Any) -> CheckRequest:
    path = ROOT / "tests/ptx/corpus/saxpy.ptx"
    return CheckRequest(path=path.name, text=path.read_text(), **flags)


def verdicts(report: Report) -> dict[str, Verdict]:
    return {row.obligation: row.verdict for row in report.rows}


class CountingWorkers:
    """Says how many claims were asked at once, and gives each a share of the units."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def map(self, function: Any, items: Sequence[Any], broken: Any, alone: bool = False) -> Iterator[Any]:
        self.asked.append(len(items))
        return map(function, items)


@pytest.mark.parametrize(("effort", "at_once"), [(1, 1), (100, 7)])
def test_little_effort_is_not_spent_on_many_claims_at_once(effort: int, at_once: int) -> None:
    (problem,) = problems(saxpy())
    analysis = analyse(problem)
    meter, crew = Meter(limits_of(effort).units // 2), CountingWorkers()
    decide_all(analysis.claims, meter, cast(Any, crew), None, lambda *_: None)
    assert max(crew.asked) == at_once
    assert meter.left is not None
    assert meter.left > -1_500_000, "the last query may take more than there was, not the last sixteen"


def test_enumeration_has_its_part_of_the_effort() -> None:
    (problem,) = problems(saxpy())
    full, small = (analyse(problem, limits=limits_of(effort)).enumerator for effort in (100, 1))
    assert full.work == Enumerator(problem).work
    assert small.work.left == full.work.left // 100


def test_reading_an_entry_is_counted_with_what_linear_arithmetic_goes_through() -> None:
    (problem,) = problems(saxpy())
    meter = Meter()
    machine = Machine(problem, Prover(problem))
    machine.run()
    analyse(problem, ask=meter)
    assert machine.carried_out >= sum(1 for _ in problem.function.instructions())
    assert meter.used > STEP * machine.carried_out
    reasoner = Reasoner()
    assert reasoner.follows([le(0, N)], le(0, N + 1))
    once = reasoner.work
    assert not reasoner.follows([le(0, N)], le(1, N))
    assert 0 < once < reasoner.work


def test_a_reading_proves_nothing_more_once_the_effort_is_used_up() -> None:
    (problem,) = problems(saxpy())
    for units, proved in ((UNIT, True), (0, False)):
        meter = Meter(units)
        assert Prover(problem, ask=meter)((le(0, N),), le(0, N + 1)) is proved
        assert (meter.used > 0) is proved


def test_claims_are_charged_for_their_sums() -> None:
    (problem,) = problems(saxpy())
    claims = analyse(problem).claims
    meter = Meter(limits_of(100).units)
    decide_all(claims, meter, cast(Any, CountingWorkers()), None, lambda *_: None)
    few = Meter(SUMS * len(claims))
    decided, _ = decide_all(claims, few, cast(Any, CountingWorkers()), None, lambda *_: None)
    assert any(d.reason == SPENT for d in decided.values()), "the sums alone took more than each claim costs at least"
    assert meter.used > SUMS * len(claims)


@pytest.mark.parametrize(("times", "looks"), [(1, 1), (2, 2)])
def test_a_second_look_is_taken_only_if_steps_are_left_for_it(
    monkeypatch: pytest.MonkeyPatch, times: int, looks: int
) -> None:
    path = ROOT / "tests/ptx/small/covers_rows_in_steps_unrolled.ptx"
    (problem,) = problems(CheckRequest(path.name, path.read_text(), block=(32, 1, 1), grid=(1, 1, 1)))
    steps: list[int] = []
    run = Machine.run

    def counted(machine: Machine) -> Records:
        try:
            return run(machine)
        finally:
            steps.append(machine.carried_out)

    monkeypatch.setattr(Machine, "run", counted)
    analyse(problem)
    assert len(steps) == 2
    once = steps[0]
    steps.clear()
    analyse(problem, limits=Limits(steps=times * once))
    assert len(steps) == looks


def test_a_wait_for_a_number_of_groups_in_a_register_is_not_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.flags.assemble", lambda *_, **__: None)  # ptxas refuses it as well
    text = STORES.replace("    ret;\n}", "    cp.async.wait_group %t;\n    ret;\n}")
    report = check(CheckRequest("k.ptx", text, block=(32, 1, 1), grid=(1, 1, 1), buffers=("y=u32[128]:w",)))
    assert report.verdict is Verdict.UNKNOWN
    assert "takes a number of groups, not a register" in report.rows[0].detail


# --- one query ---
def test_the_attempt_without_products_has_a_part_of_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer for a unit, and the search comes after it."""
    given: list[int] = []

    def linearly(assertions: object, context: object, rlimit: int) -> tuple[bool, int]:
        given.append(rlimit)
        return False, 0

    monkeypatch.setattr("proofs.decide._linearly", linearly)
    decide(HARD, 40_000)
    decide(HARD.replace("(check-sat)", "(assert (< a a))\n(check-sat)"))
    assert given == [40_000 // LINEAR_PART, LINEAR_RLIMIT]


def test_search_ends_at_the_resource_limit_and_says_what_it_took() -> None:
    answer = decide(HARD, 50_000)
    assert answer.status == "unknown"
    assert 0 < answer.used < 1_000_000


def test_a_text_that_is_too_long_is_not_given_to_the_solver() -> None:
    answer = decide(EASY + ";" * MAX_TEXT)
    assert answer.status == "unknown"
    assert "characters" in answer.reason
    assert answer.used == 0


# --- the meter ---
def test_the_meter_stops_when_its_units_are_used_up() -> None:
    meter = Meter(left=1)
    assert meter(EASY).status == "unsat"
    assert meter.left is not None
    assert meter.left <= 0
    assert meter(EASY) == Answer("unknown", reason=SPENT)


def test_a_remembered_answer_costs_what_it_cost() -> None:
    first = Meter()
    first(EASY)
    again = Meter(store=first.fresh)
    assert again(EASY).status == "unsat"
    assert again.fresh == {}
    assert again.used == first.used > 0


def test_giving_up_is_remembered_for_no_more_effort_than_it_had() -> None:
    known = {key_of(EASY): (10, Answer("unknown", reason="max. resource limit exceeded", used=10))}
    assert Meter(store=known)(EASY, 10).status == "unknown"
    assert Meter(store=known)(EASY, 1_000_000).status == "unsat"


@pytest.mark.parametrize("effort", [1, 2, 100])
def test_limits_tell_their_effort_and_leave_something_for_what_is_not_counted(effort: int) -> None:
    limits = limits_of(effort)
    assert limits.effort == effort
    assert limits.units == effort * UNIT - UNCOUNTED


@pytest.mark.parametrize("effort", [0, -1, MAX_EFFORT + 1])
def test_an_effort_that_is_none_is_bad_input(effort: int) -> None:
    with pytest.raises(BadInput, match="it is a number from 1 to"):
        limits_of(effort)


def test_a_query_near_the_end_of_the_effort_gets_a_part_of_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit of products may take far longer than usual, so that one query alone would take longer than a second."""
    given: list[int] = []

    def record(text: str, rlimit: int) -> Answer:
        given.append(rlimit)
        return Answer("unknown")

    monkeypatch.setattr("proofs.effort.decide", record)
    for left in (None, 2 * UNIT, UNIT, 1):
        Meter(left)(HARD, 10 * UNIT)
    assert given == [10 * UNIT, 2 * UNIT, UNIT // LAST_PART, OVERHEAD]


# --- a whole check ---
def test_without_effort_everything_that_needs_a_solver_is_open_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.report.limits_of", lambda effort: Limits(units=1))
    report = check(saxpy(assumes=("p0 >= 1 && p0 <= 2^20",)))
    assert report.verdict is Verdict.UNKNOWN
    row = next(r for r in report.rows if r.obligation == "no-wrap")
    assert {str(o["why"]) for o in row.open} == {f"{SPENT} before this was decided"}
    assert "--effort" in row.detail


def test_what_was_decided_before_the_effort_ran_out_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = check(saxpy())
    few = {kind: v for kind, v in verdicts(whole).items() if v is not Verdict.UNKNOWN}
    monkeypatch.setattr("proofs.check.decisions.PASSES", (300_000,))
    assert {k: v for k, v in verdicts(check(saxpy())).items() if k in few} == few


def test_too_many_steps_name_the_line_and_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.report.limits_of", lambda effort: Limits(steps=5))
    report = check(saxpy())
    assert {row.verdict for row in report.rows} == {Verdict.UNKNOWN}
    assert "in 5 steps" in report.rows[0].detail
    assert "--effort" in report.rows[0].detail
    assert "PTX line" in report.rows[0].detail


def test_pairs_beyond_the_limit_leave_race_and_single_writer_open(monkeypatch: pytest.MonkeyPatch) -> None:
    request = CheckRequest("k.ptx", STORES, block=(32, 1, 1), grid=(1, 1, 1), buffers=("y=u32[128]:w",))
    assert set(verdicts(check(request)).values()) == {Verdict.PROVED}
    monkeypatch.setattr("proofs.check.report.limits_of", lambda effort: Limits(claims=6))
    fewer = verdicts(check(request))
    assert fewer["race"] is fewer["single-writer"] is Verdict.UNKNOWN
    assert fewer["bounds"] is Verdict.PROVED


def test_more_accesses_than_the_limit_leave_everything_open(monkeypatch: pytest.MonkeyPatch) -> None:
    request = CheckRequest("k.ptx", STORES, block=(32, 1, 1), grid=(1, 1, 1), buffers=("y=u32[128]:w",))
    monkeypatch.setattr("proofs.check.report.limits_of", lambda effort: Limits(claims=3))
    report = check(request)
    assert {row.verdict for row in report.rows} == {Verdict.UNKNOWN}
    assert "--effort" in report.rows[0].detail


def test_processes_change_no_verdict() -> None:
    path = ROOT / "tests/ptx/corpus/reduce_race.ptx"
    request = CheckRequest(path=path.name, text=path.read_text(), block=(256, 1, 1))
    one, two = check(request, jobs=1), check(request, jobs=2)
    strip = [{k: v for k, v in r.to_json().items() if k != "seconds"} for r in one.rows]
    assert strip == [{k: v for k, v in r.to_json().items() if k != "seconds"} for r in two.rows]


def test_entries_are_checked_side_by_side_with_the_same_verdicts() -> None:
    text = (ROOT / "tests/ptx/corpus/saxpy.ptx").read_text()
    body = text[text.index(".visible .entry") : text.index("\t.file")]
    both = text + body.replace("saxpy", "another")
    request = CheckRequest(path="both.ptx", text=both)
    one, two = check(request, jobs=1), check(request, jobs=2)
    assert verdicts(one) == verdicts(two)
    assert {row.kernel for row in two.rows} == {"saxpy", "another"}


def test_running_a_counterexample_costs_effort_and_ends_with_it() -> None:
    path = ROOT / "tests/ptx/corpus/reduce_race.ptx"
    (problem,) = problems(CheckRequest(path.name, path.read_text(), block=(256, 1, 1)))
    analysis = analyse(problem)
    claims = {c.name: (c, d) for c in analysis.claims if c.obligation == "race" and (d := decide_claim(c)).model}
    claim, decision = next(iter(claims.values()))
    plenty, little = Meter(10**9), Meter(1_000)
    assert replay(analysis, claim, decision.model, cost=plenty).reproduced
    assert 1_000 < plenty.used < 10**9
    found = replay(analysis, claim, decision.model, cost=little)
    assert not found.reproduced
    assert SPENT in found.detail


def claims_of(*kinds: str) -> list[Decision]:
    """Decisions with a counterexample each, of these obligations."""
    return [Decision(Claim(f"c.{n}", kind, (), None, ""), "sat", "", 0.0) for n, kind in enumerate(kinds)]


def test_each_obligation_has_its_part_of_the_effort_for_counterexamples() -> None:
    findings = {kind: Finding() for kind in ("bounds", "no-wrap")}
    meter = Meter(left=90)
    given = []
    for decision, units in in_turn(claims_of("bounds", "bounds", "no-wrap", "bounds"), findings, meter):
        given.append((decision.claim.name, units))
        with meter.part(units):
            meter.spend(units)  # none shows, and each takes all it can
    assert given == [("c.0", 30), ("c.2", 30), ("c.1", 30), ("c.3", 0)]


def test_further_counterexamples_get_little_and_what_is_left_goes_to_the_obligations_without_one() -> None:
    findings = {kind: Finding() for kind in ("bounds", "no-wrap")}
    meter = Meter(left=120)
    given = []
    for decision, units in in_turn(claims_of("bounds", "bounds", "bounds", "no-wrap", "no-wrap"), findings, meter):
        given.append((decision.claim.name, units))
        meter.spend(min(units, 10))
        if decision.claim.obligation == "bounds":
            findings["bounds"].refuted.append(("", {}))
    assert given == [("c.0", 40), ("c.3", 40), ("c.4", 30), ("c.1", 10), ("c.2", 0)]


def test_what_was_not_used_of_a_part_is_left_again() -> None:
    meter = Meter(left=100)
    with meter.part(30):
        assert meter.left == 30
        meter.spend(12)
    assert meter.left == 88
    with meter.part(1000):
        assert meter.left == 88


# --- Ctrl-C ---
def interrupted(done: int, total: int, item: str) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_check_ends_its_processes() -> None:
    before = multiprocessing.active_children()

    def work() -> None:
        with workers(2) as pool:
            next(pool.map(str, [1, 2, 3], str))
            assert len(multiprocessing.active_children()) > len(before)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert [c for c in multiprocessing.active_children() if c not in before] == []


def test_an_interrupted_check_leaves_no_report_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fltc.output.Progress.update", lambda *args, **kwargs: interrupted(0, 0, ""))
    report = tmp_path / "report.json"
    ptx = str(ROOT / "tests/ptx/corpus/saxpy.ptx")
    assert main(["check", ptx, "--jobs", "1", "--json", str(report)]) == 130
    assert not report.exists()
    assert "interrupted" in capsys.readouterr().err


def test_a_process_that_dies_leaves_its_claims_open() -> None:
    with workers(2) as pool:
        assert list(pool.map(os._exit, [1, 1, 1], lambda code: -code)) == [-1, -1, -1]
        assert list(pool.map(abs, [-1, -2, -3], lambda code: 0)) == [1, 2, 3], "the next tasks find new processes"


def test_with_enough_counterexamples_of_a_kind_no_others_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.decisions.ENOUGH", 1)
    monkeypatch.setattr("proofs.check.decisions.CHUNK", 1)
    path = ROOT / "tests/ptx/corpus/reduce_race.ptx"
    report = check(CheckRequest(
        path.name, path.read_text(), names=("in", "out", "n"), block=(256, 1, 1), grid=("ceil_div(n, 256)", 1, 1),
        assumes=("n >= 1 && n <= 2^30",), buffers=("in=f32[n]:r", "out=f32[ceil_div(n, 256)]:w"),
    ))  # fmt: skip
    (race,) = (row for row in report.rows if row.obligation == "race")
    assert race.verdict is Verdict.REFUTED
    assert {one["why"] for one in race.open} == {NOT_ASKED}
    assert all(row.verdict is Verdict.PROVED for row in report.rows if row is not race)


@pytest.mark.parametrize("most", [1, 2])
def test_counterexamples_that_show_are_run_a_few_times_though_they_are_one_fault(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("proofs.check.entry.MAX_SHOWN", most)
    shown: list[str] = []

    def counted(*given: Any) -> Replay:
        found = replay(*given)
        shown.extend([str(found.content["obligation"])] * found.reproduced)
        return found

    monkeypatch.setattr("proofs.check.entry.replay", counted)
    monkeypatch.setattr("proofs.check.entry._again", lambda finding, content: bool(finding.refuted))
    path = ROOT / "tests/ptx/corpus/reduce_race.ptx"
    report = check(CheckRequest(
        path.name, path.read_text(), names=("in", "out", "n"), block=(256, 1, 1), grid=("ceil_div(n, 256)", 1, 1),
        assumes=("n >= 1 && n <= 2^30",), buffers=("in=f32[n]:r", "out=f32[ceil_div(n, 256)]:w"),
    ))  # fmt: skip
    (race,) = (row for row in report.rows if row.obligation == "race")
    assert race.verdict is Verdict.REFUTED
    assert shown == ["race"] * most
