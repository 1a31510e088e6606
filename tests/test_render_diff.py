"""How a differential run reads: outcomes of each operator, bars that any terminal can draw, nothing left out."""

from __future__ import annotations

import io
from dataclasses import dataclass, field

import pytest
from rich.console import Console

from common.histogram import Histogram
from fltc.render_diff import length, passed, print_diff


@dataclass
class Row:
    op: str
    histogram: Histogram
    cases: int = 3
    worst_ratio: float = 0.25
    failures: list[str] = field(default_factory=list)


def printed(*rows: Row, encoding: str = "utf-8", width: int = 120) -> list[str]:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    print_diff(Console(file=file, width=width, highlight=False), "emulator", 7, rows)
    file.flush()
    return [line.rstrip() for line in raw.getvalue().decode(encoding).splitlines()]


GOOD = Row("silu", Histogram(class_only=4, zero=10_000, tenths=[0, 0, 7, 0, 0, 0, 0, 0, 0, 0], vacuous=1))
BAD = Row("gemm", Histogram(zero=50, outside=3, wrong_class=2), failures=["n=3: y[0] = ..."])


def test_outcomes_stand_in_the_operators_line_and_what_is_vacuous_in_the_last_one() -> None:
    lines = printed(GOOD, BAD)
    head = "operator cases results wrong class outside vacuous worst error/bound result"
    assert " ".join(lines[0].split()) == head
    assert lines[1].split() == ["silu", "3", "10012", "0", "0", "1", "0.250", "inside", "the", "bound"]
    assert lines[2].split() == ["gemm", "3", "55", "2", "3", "0", "0.250", "FAILED", "1"]
    assert lines[3] == "FAILED gemm: n=3: y[0] = ..."
    assert lines[-1] == "diff on emulator, seed 7: 2 operators, 6 cases, 1 failed, worst error/bound 0.250, 1 vacuous"


@pytest.mark.parametrize(("encoding", "block"), [("utf-8", "\u2588"), ("ascii", "#"), ("latin-1", "#")])
def test_every_bin_of_every_operator_has_a_row_and_a_bar_where_it_has_results(encoding: str, block: str) -> None:
    lines = printed(GOOD, BAD, encoding=encoding)
    start = next(i for i, line in enumerate(lines) if line.startswith("error/bound"))
    table = lines[start + 1 : -1]
    for line, silu, gemm in zip(table, GOOD.histogram.bins(), BAD.histogram.bins(), strict=True):
        assert line.startswith(silu.label)
        words = line.removeprefix(silu.label).split()
        bars = [word for word in words if set(word) == {block}]
        assert [word for word in words if word not in bars] == [str(silu.count), str(gemm.count)]
        assert len(bars) == (silu.count > 0) + (gemm.count > 0)


def test_a_narrow_terminal_gets_one_table_for_each_operator_to_one_scale() -> None:
    lines = printed(GOOD, BAD, width=60, encoding="ascii")
    heads = [line.split(maxsplit=1)[1] for line in lines if line.startswith("error/bound")]
    assert heads == ["results of silu", "results of gemm"]
    zero = [line.split()[1] for line in lines if line.startswith("0 ")]
    assert [len(bar) for bar in zero] == [length(10_000, 10_000), length(50, 10_000)]


def test_bars_grow_with_the_count_and_a_single_result_is_seen() -> None:
    assert [length(n, 10**6) for n in (0, 1, 1000, 10**6)] == [0, 1, 7, 12]
    assert length(1, 1) == 1


def test_an_operator_that_compared_nothing_has_no_histogram() -> None:
    lines = printed(Row("silu", Histogram(), cases=0, worst_ratio=0.0))
    assert not any(line.startswith("error/bound") for line in lines)
    assert "no case ran" in lines[1]


def test_what_nothing_could_have_refused_has_not_passed() -> None:
    only_vacuous, nothing = Row("attention", Histogram(vacuous=9)), Row("silu", Histogram())
    lines = printed(only_vacuous, nothing)
    assert lines[1].endswith("no bound says anything")
    assert lines[2].endswith("no result")
    assert [passed(row) for row in (only_vacuous, nothing, BAD, GOOD)] == [False, False, False, True]
    assert passed(Row("gemm", Histogram(class_only=1, vacuous=9)))
