"""The closing summary of a campaign: a table by family, one line, and whether the goals are reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.campaign.proving import PROVED, REFUTED, UNKNOWN
from tests.campaign.rows import ERROR, MISFIT, REFUSED, Row
from tests.campaign.seeing import LONG

UNKNOWN_AT_MOST, PROVED_AT_LEAST, REFUTED_AT_LEAST = 0.05, 0.30, 0.30
SHARES_FROM = 1000  # kernels from which on the shares are judged
ADDRESSES_AT_LEAST, ADDRESSES_FROM = 1_000_000, 20_000  # addresses that agree, judged from so many kernels on
COLUMNS = ("kernels", PROVED, REFUTED, UNKNOWN, "faulty seen", "wrong")
FAULTY, WRONG, APART = "faulty seen", "wrong", "apart"


@dataclass
class Summary:
    """Counts over rows.

    Args:
        families: by family, how many of each column.
        left_out: accesses not compared, by reason.
    """

    asked: int
    families: dict[str, Counter[str]] = field(default_factory=dict)
    total: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    bad: list[int] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Count a row."""
        counted = ["kernels", row.verdict]
        faulty = bool(row.seen.keys() - {LONG})
        counted += [FAULTY] if faulty else []
        counted += [WRONG] if row.wrong else []
        counted += [APART] if row.disagree else []
        counted += ["faulty and unknown"] if faulty and row.verdict == UNKNOWN else []
        counted += ["refuted, no fault seen"] if row.verdict == REFUTED and not faulty else []
        for counter in (self.total, self.families.setdefault(row.family or "?", Counter())):
            counter.update(counted)
        self.total["agree"] += row.agree
        self.total["disagree"] += row.disagree
        self.left_out.update(row.left_out)
        self.seconds += row.seconds
        if row.bad:
            self.bad.append(row.seed)

    def share(self, what: str) -> float:
        """Of all kernels."""
        return self.total[what] / max(self.total["kernels"], 1)

    @property
    def short_of(self) -> list[str]:
        """The goals that are not reached."""
        kernels, found = self.total["kernels"], []
        if kernels < self.asked:
            found.append(f"{self.asked - kernels} kernels are not done yet")
        for what in (WRONG, APART, REFUSED, MISFIT, ERROR):
            if self.total[what]:
                found.append(f"{self.total[what]} kernels {what}")
        if kernels >= SHARES_FROM:
            if self.share(UNKNOWN) > UNKNOWN_AT_MOST:
                found.append(f"more than {UNKNOWN_AT_MOST:.0%} unknown")
            if self.share(PROVED) < PROVED_AT_LEAST:
                found.append(f"less than {PROVED_AT_LEAST:.0%} proved")
            if self.share(REFUTED) < REFUTED_AT_LEAST:
                found.append(f"less than {REFUTED_AT_LEAST:.0%} refuted")
        if kernels >= ADDRESSES_FROM and self.total["agree"] < ADDRESSES_AT_LEAST:
            found.append(f"less than {ADDRESSES_AT_LEAST} addresses agree")
        return found

    def table(self) -> list[str]:
        """Lines of text: a family each, and the total."""
        rows = [["family", *COLUMNS]]
        for name, counts in (*sorted(self.families.items()), ("all", self.total)):
            rows.append([name, *(str(counts[c]) for c in COLUMNS)])
        name_width, *widths = (max(len(row[i]) for row in rows) for i in range(len(rows[0])))
        return [
            "  ".join((name.ljust(name_width), *(c.rjust(w) for c, w in zip(cells, widths, strict=True))))
            for name, *cells in rows
        ]

    def line(self) -> str:
        """The closing line. (The dot is U+00B7.)"""
        total = self.total
        parts = [
            f"{total['kernels']} kernels",
            f"proved {total[PROVED]} ({self.share(PROVED):.1%})",
            f"refuted with replay {total[REFUTED]} ({self.share(REFUTED):.1%})",
            f"unknown {total[UNKNOWN]} ({self.share(UNKNOWN):.1%})",
            f"wrong {total[WRONG]}",
            f"addresses {total['agree']} agree, {total['disagree']} disagree, {self.left_out.total()} not compared",
            f"ptxas refused {total[REFUSED]}",
        ]
        parts += [f"{what} {total[what]}" for what in (MISFIT, ERROR) if total[what]]
        return " \u00b7 ".join((*parts, f"{self.seconds:.0f} s"))

    def to_json(self) -> dict[str, object]:
        """JSON values."""
        return {
            "kernels": self.total["kernels"], "asked": self.asked, "total": dict(self.total),
            "families": {name: dict(counts) for name, counts in sorted(self.families.items())},
            "left_out": dict(self.left_out.most_common()), "seconds": round(self.seconds, 1), "bad": self.bad[:1000],
            "short_of": self.short_of, "line": self.line(),
        }  # fmt: skip


def summary(rows: Iterable[Row], asked: int) -> Summary:
    """The summary of a campaign that was asked for so many kernels."""
    found = Summary(asked)
    for row in rows:
        found.add(row)
    return found
