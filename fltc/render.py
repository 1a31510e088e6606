"""Reports of the prover as text: the matrix of kernels and obligations, what failed and why, what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fltc.diagnostic import details, folded

if TYPE_CHECKING:
    from proofs.results import Report, Row

# Column order of design and documentation; kinds not named here follow in alphabetical order.
KINDS = (
    "coverage", "single-writer", "bounds", "alignment", "barrier", "race", "resources", "power-gate", "abi",
    "numerics", "identities", "roundings", "refinement", "no-wrap", "init", "no-trap", "composition",
)  # fmt: skip

STYLES = {
    "refuted": "bold red", "assumption violated": "bold red", "unknown": "yellow", "derived": "cyan", "proved": "green",
}  # fmt: skip
_LOUD = ("refuted", "assumption violated")
_TOLD = (*_LOUD, "unknown")
_COLUMN = 18  # characters a kernel's column needs: "unknown 12 of 34" and padding
_LABEL = 18  # the column of obligation names


def print_report(console: Console, report: Report) -> None:
    """Matrix, details of all that is not proved, assumptions, where verdicts come from, closing line."""
    for table in matrices(report.rows, console.width):
        console.print(table)
    for row, kinds in told_once([r for r in report.rows if r.verdict.value in _TOLD]):
        plain(console, "\n".join(details(row, kinds)), STYLES[row.verdict.value])
    derived = [row for row in report.rows if row.verdict.value == "derived"]
    for row in derived:
        plain(console, f"derived {row.kernel} {row.obligation}: {row.detail}")
    for row in report.rows:
        if row.assumptions:
            plain(console, f"{row.kernel} {row.obligation} assumes of the device: {', '.join(row.assumptions)}")
    if report.assumptions:
        plain(console, "assumed:")
    for assumption in folded(report.assumptions):
        plain(console, f"  {assumption}")
    now = sum(row.source == "decided now" for row in report.rows)
    plain(console, f"decided now {now}, taken from the store {len(report.rows) - now}")
    plain(console, report.summary_line())


def told_once(rows: Sequence[Row]) -> list[tuple[Row, str]]:
    """The rows with their obligations; those of an entry that say one thing are one, where the first is."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for number, row in enumerate(rows):
        plain = not row.open and row.counterexample is None and row.verdict.value == "unknown"
        groups.setdefault((row.kernel, row.detail) if plain else (number,), []).append(row)
    return [(found[0], ", ".join(row.obligation for row in found)) for found in groups.values()]


def matrices(rows: Sequence[Row], width: int) -> list[Table]:
    """Obligations down, kernels across; as many tables as the width asks for."""
    kernels = list(dict.fromkeys(row.kernel for row in rows))
    kinds = sorted({row.kind for row in rows}, key=lambda kind: (_place(kind), kind))
    across = max(1, (width - _LABEL) // _COLUMN)
    tables = []
    for start in range(0, len(kernels), across):
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("obligation", no_wrap=True)
        shown = kernels[start : start + across]
        for kernel in shown:
            table.add_column(kernel, overflow="fold")
        for kind in kinds:
            table.add_row(kind, *(cell([r for r in rows if (r.kernel, r.kind) == (kernel, kind)]) for kernel in shown))
        tables.append(table)
    return tables


def cell(rows: Sequence[Row]) -> Text:
    """The weakest verdict, and of how many rows if there are several; a dash where nothing was asked."""
    if not rows:
        return Text("-", style="dim")
    weakest = min(row.verdict for row in rows)
    count = sum(row.verdict is weakest for row in rows)
    word = weakest.value.upper() if weakest.value in _LOUD else weakest.value
    text = word if len(rows) == 1 else f"{word} {count}" if count == len(rows) else f"{word} {count} of {len(rows)}"
    return Text(text, style=STYLES[weakest.value])


def _place(kind: str) -> int:
    return KINDS.index(kind) if kind in KINDS else len(KINDS)


def plain(console: Console, text: str, style: str = "") -> None:
    """Text as it is: no markup, no wrapping, since lines may be searched for."""
    console.print(Text(text, style=style), soft_wrap=True)
