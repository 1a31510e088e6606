"""A differential run as text: a line for each operator, what failed, where error/bound lies, and the closing line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.table import Table
from rich.text import Text

from common.histogram import Bin, Histogram, Standing
from fltc.render import STYLES, plain

_COLUMNS = ("operator", "cases", "results", "wrong class", "outside", "vacuous", "worst error/bound", "result")
_LABEL = 15  # the column of bin names
_CELL = 26  # a bar, a count and padding
_LONGEST = 12  # characters of a bar
_BAD = (Standing.OUTSIDE, Standing.WRONG_CLASS)


class DiffRow(Protocol):
    """One operator of a differential run; worst_ratio is error / bound."""

    @property
    def op(self) -> str: ...
    @property
    def cases(self) -> int: ...
    @property
    def worst_ratio(self) -> float: ...
    @property
    def failures(self) -> Sequence[object]: ...
    @property
    def histogram(self) -> Histogram: ...


def print_diff(console: Console, device: str, seed: int, rows: Sequence[DiffRow]) -> None:
    """One line for each operator, each failing case, the histograms, and the closing line."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in _COLUMNS:
        table.add_column(heading, justify="left" if heading in ("operator", "result") else "right", overflow="fold")
    for row in rows:
        counts = row.histogram
        numbers = (row.cases, counts.total, counts.wrong_class, counts.outside, counts.vacuous)
        style = "green" if passed(row) else "bold red"
        table.add_row(row.op, *map(str, numbers), f"{row.worst_ratio:.3f}", Text(_result(row), style))
    console.print(table)
    for row in rows:
        for failure in row.failures:
            plain(console, f"FAILED {row.op}: {failure}", STYLES["refuted"])
    for table in histograms(rows, console.width, blocks=_has_blocks(console.encoding)):
        console.print(table)
    plain(console, diff_line(device, seed, rows))


def passed(row: DiffRow) -> bool:
    """Whether results were compared that could have been refused, and none was."""
    return row.cases > 0 and row.histogram.tried > 0 and not row.failures


def _result(row: DiffRow) -> str:
    if row.failures:
        return f"FAILED {len(row.failures)}"
    if row.cases == 0:
        return "no case ran"
    return "inside the bound" if passed(row) else "no bound says anything" if row.histogram.total else "no result"


def diff_line(device: str, seed: int, rows: Sequence[DiffRow]) -> str:
    """The last line of `fltc diff`."""
    cases, failed = sum(row.cases for row in rows), sum(len(row.failures) for row in rows)
    worst = max((row.worst_ratio for row in rows), default=0.0)
    return (
        f"diff on {device}, seed {seed}: {len(rows)} operators, {cases} cases, {failed} failed, "
        f"worst error/bound {worst:.3f}, {sum(row.histogram.vacuous for row in rows)} vacuous"
    )


def histograms(rows: Sequence[DiffRow], width: int, *, blocks: bool) -> list[Table]:
    """Bins down, operators across, as many tables as the width asks for; none for a run that compared nothing.

    A bar grows with the logarithm of its count, to one scale in all tables, so that a single result can be seen
    beside millions. Bars are ASCII unless the terminal has `blocks`.
    """
    shown = [row for row in rows if row.histogram.total]
    most = max((bar.count for row in shown for bar in row.histogram.bins()), default=0)
    across = max(1, (width - _LABEL) // _CELL)
    tables = []
    for start in range(0, len(shown), across):
        part = shown[start : start + across]
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("error/bound", no_wrap=True)
        for row in part:
            table.add_column(f"results of {row.op}", overflow="fold")
        for bars in zip(*(row.histogram.bins() for row in part), strict=True):
            table.add_row(bars[0].label, *(_cell(bar, most, blocks) for bar in bars))
        tables.append(table)
    return tables


def _cell(bar: Bin, most: int, blocks: bool) -> Text:
    style = STYLES["refuted"] if bar.standing in _BAD else "yellow" if bar.standing is Standing.VACUOUS else "cyan"
    drawn = ("\u2588" if blocks else "#") * length(bar.count, most)
    return Text.assemble((drawn, style if bar.count else ""), " " if drawn else "", str(bar.count))


def length(count: int, most: int) -> int:
    """Characters of a bar: none for 0, one for a single result, all for the largest count."""
    if count == 0:
        return 0
    return 1 + round((_LONGEST - 1) * math.log(count) / math.log(most)) if most > 1 else 1


def _has_blocks(encoding: str) -> bool:
    try:
        "\u2588".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True
