"""Verdicts combine soundly, and a report cannot say more than its rows."""

from __future__ import annotations

import itertools
import json

import pytest

from proofs.results import Report, Row
from proofs.verdict import Verdict, conjunction


def row(verdict: Verdict, obligation: str = "race", kernel: str = "k") -> Row:
    counterexample = {"line": 7} if verdict is Verdict.REFUTED else None
    detail = "" if verdict is Verdict.PROVED else "line 7: because"
    assumptions = ("doc-ex2",) if verdict is Verdict.VIOLATED else ()
    return Row(kernel, obligation, verdict, detail=detail, counterexample=counterexample, assumptions=assumptions)


def test_verdicts_are_ordered_from_refuted_to_proved() -> None:
    assert sorted(Verdict) == [Verdict.REFUTED, Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.DERIVED, Verdict.PROVED]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(Verdict, repeat=2)))
def test_conjunction_is_the_weaker_of_two(a: Verdict, b: Verdict) -> None:
    assert conjunction([a, b]) is min(a, b)
    assert conjunction([a, b]) <= a


def test_nothing_examined_is_unknown_not_proved() -> None:
    assert conjunction([]) is Verdict.UNKNOWN
    empty = Report([])
    assert (empty.verdict, empty.exit_code) == (Verdict.UNKNOWN, 2)
    assert empty.summary_line() == "proved 0 \u00b7 derived 0 \u00b7 refuted 0 \u00b7 unknown 0 \u00b7 of 0 obligations"


def test_summary_line_counts_derived_apart_from_proved() -> None:
    report = Report([row(Verdict.PROVED), row(Verdict.DERIVED, "numerics"), row(Verdict.PROVED, "bounds")])
    assert report.summary_line() == (
        "proved 2 \u00b7 derived 1 \u00b7 refuted 0 \u00b7 unknown 0 \u00b7 of 3 obligations"
    )
    assert (report.verdict, report.exit_code) == (Verdict.DERIVED, 0)


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ([Verdict.PROVED, Verdict.PROVED], 0),
        ([Verdict.PROVED, Verdict.UNKNOWN], 2),
        ([Verdict.UNKNOWN, Verdict.REFUTED], 1),
        ([Verdict.PROVED, Verdict.REFUTED], 1),
        ([Verdict.PROVED, Verdict.VIOLATED], 1),
        ([Verdict.UNKNOWN, Verdict.VIOLATED], 1),
    ],
)
def test_exit_code_is_that_of_the_weakest_row(verdicts: list[Verdict], code: int) -> None:
    report = Report([row(verdict, kernel=f"k{i}") for i, verdict in enumerate(verdicts)])
    assert report.exit_code == code


def test_violated_assumptions_are_counted_where_there_are_some() -> None:
    report = Report([row(Verdict.PROVED), row(Verdict.VIOLATED, "numerics"), row(Verdict.UNKNOWN, "bounds")])
    assert report.summary_line() == (
        "proved 1 \u00b7 derived 0 \u00b7 refuted 0 \u00b7 unknown 1 \u00b7 assumption violated 1 "
        "\u00b7 of 3 obligations"
    )
    summary = report.to_json()["summary"]
    assert isinstance(summary, dict)
    assert summary["assumption violated"] == 1
    assert sum(summary.values()) == 2 * summary["total"]


def test_a_violated_assumption_has_a_name() -> None:
    with pytest.raises(ValueError, match="none is named"):
        Row("k", "numerics", Verdict.VIOLATED, detail="why")


def test_only_numerics_may_be_derived() -> None:
    row(Verdict.DERIVED, "numerics/long-rows")
    with pytest.raises(ValueError, match="only numerics may be derived"):
        row(Verdict.DERIVED, "bounds")


def test_a_refutation_needs_a_counterexample_and_nothing_else_has_one() -> None:
    with pytest.raises(ValueError, match="carries its counterexample"):
        Row("k", "race", Verdict.REFUTED, detail="two writers")
    with pytest.raises(ValueError, match="nothing else carries one"):
        Row("k", "race", Verdict.PROVED, counterexample={})


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.REFUTED])
def test_what_is_not_proved_says_why(verdict: Verdict) -> None:
    with pytest.raises(ValueError, match="must say why"):
        Row("k", "race", verdict, counterexample={} if verdict is Verdict.REFUTED else None)


def test_one_obligation_has_one_row() -> None:
    with pytest.raises(ValueError, match="two rows for one obligation"):
        Report([row(Verdict.PROVED), row(Verdict.UNKNOWN)])


def test_unknown_source_is_refused() -> None:
    with pytest.raises(ValueError, match="source must be one of"):
        Row("k", "race", Verdict.PROVED, source="guessed")  # type: ignore[arg-type]


def test_json_holds_every_row_and_assumption_once() -> None:
    report = Report([row(Verdict.PROVED), row(Verdict.REFUTED, "bounds/L7")], ["n >= 1", "disjoint", "n >= 1"])
    read = json.loads(json.dumps(report.to_json()))
    assert read["schema"] == "fltc-report/1"
    assert read["verdict"] == "refuted"
    assert read["summary"] == {
        "refuted": 1, "assumption violated": 0, "unknown": 0, "derived": 0, "proved": 1, "total": 2,
    }  # fmt: skip
    assert read["assumptions"] == ["n >= 1", "disjoint"]
    named = [(r["obligation"], r["counterexample"]) for r in read["rows"]]
    assert named == [("race", None), ("bounds/L7", {"line": 7})]


def test_a_report_does_not_change_with_the_list_it_came_from() -> None:
    rows = [row(Verdict.PROVED)]
    report = Report(rows)
    rows.append(row(Verdict.REFUTED, "bounds"))
    assert report.exit_code == 0
