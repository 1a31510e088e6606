"""What a run of the prover says: one row for each obligation of each kernel, and the report they form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from proofs.verdict import Verdict, conjunction

Source = Literal["decided now", "taken from the store"]

SCHEMA = "fltc-report/1"
EXIT_CODES = {
    Verdict.REFUTED: 1, Verdict.VIOLATED: 1, Verdict.UNKNOWN: 2, Verdict.DERIVED: 0, Verdict.PROVED: 0,
}  # fmt: skip
_KIND = re.compile(r"[a-z][a-z-]*")


@dataclass(frozen=True)
class Row:
    """One obligation of one kernel.

    Args:
        kernel: the stem of a shipped kernel, or the entry of a file under `fltc check`.
        obligation: its kind as in docs/obligations ("race", "numerics", ...), optionally followed by `/` and a part
            ("bounds/L41"); the part tells rows of one kind apart, the kind names the column.
        verdict: DERIVED only where the kind is "numerics".
        source: whether this run decided it, or it stands in the store under the same query hash.
        seconds: time spent in this run.
        detail: one or more lines for the reader. Required of anything that is not proved: what is missing, which
            instruction, on which line.
        counterexample: JSON values only: lines, threads, blocks, parameters and what the replay saw. Required of a
            refutation, absent from everything else.
        rungs: claim to what decided it (proofs.discharge.RUNGS), '' where nothing did.
        claims: statements that were examined, where they are counted.
        open: JSON values: each statement that was not decided, why, and what would help.
        assumptions: names in spec.assumptions: what the verdict takes for granted of a device. VIOLATED needs one.
    """

    kernel: str
    obligation: str
    verdict: Verdict
    source: Source = "decided now"
    seconds: float = 0.0
    detail: str = ""
    counterexample: Mapping[str, object] | None = None
    rungs: Mapping[str, str] = field(default_factory=dict)
    claims: int = 0
    open: Sequence[Mapping[str, Any]] = ()
    assumptions: Sequence[str] = ()

    def __post_init__(self) -> None:
        where = f"{self.kernel}: {self.obligation}"
        if _KIND.fullmatch(self.kind) is None:
            raise ValueError(f"{where}: an obligation's kind is lower case letters and hyphens, got {self.kind!r}")
        if self.source not in get_args(Source):
            raise ValueError(f"{where}: source must be one of {get_args(Source)}, got {self.source!r}")
        if self.verdict is Verdict.DERIVED and self.kind != "numerics":
            raise ValueError(f"{where}: only numerics may be derived; anything else is proved or it is unknown")
        if self.verdict is Verdict.VIOLATED and not self.assumptions:
            raise ValueError(f"{where}: violated is an assumption; none is named")
        if self.verdict is not Verdict.PROVED and not self.detail:
            raise ValueError(f"{where}: a verdict of {self.verdict.value} must say why in `detail`")
        if (self.verdict is Verdict.REFUTED) != (self.counterexample is not None):
            raise ValueError(f"{where}: a refutation carries its counterexample, and nothing else carries one")

    @property
    def kind(self) -> str:
        return self.obligation.partition("/")[0]

    def to_json(self) -> dict[str, object]:
        return {
            "kernel": self.kernel,
            "obligation": self.obligation,
            "verdict": self.verdict.value,
            "source": self.source,
            "seconds": round(self.seconds, 3),
            "detail": self.detail,
            "counterexample": None if self.counterexample is None else dict(self.counterexample),
            "rungs": dict(self.rungs),
            "claims": self.claims,
            "open": [dict(o) for o in self.open],
            "assumptions": list(self.assumptions),
        }


@dataclass(frozen=True)
class Report:
    """All rows of a run and every assumption that a verdict in it rests on."""

    rows: Sequence[Row]
    assumptions: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        object.__setattr__(self, "assumptions", tuple(dict.fromkeys(self.assumptions)))
        seen: set[tuple[str, str]] = set()
        for row in self.rows:
            key = (row.kernel, row.obligation)
            if key in seen:
                raise ValueError(f"{row.kernel}: {row.obligation}: two rows for one obligation")
            seen.add(key)

    @property
    def verdict(self) -> Verdict:
        """The conjunction; a report without rows is UNKNOWN."""
        return conjunction(row.verdict for row in self.rows)

    @property
    def exit_code(self) -> int:
        """0 all proved (numerics may be derived), 1 something refuted or resting on a violated assumption, 2 something
        unknown or nothing examined."""
        return EXIT_CODES[self.verdict]

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict is verdict for row in self.rows)

    def summary_line(self) -> str:
        """The last line of `fltc verify` and `fltc check`; CI reads it. (The dot is U+00B7.)

        Violated assumptions are counted there only where there are some.
        """
        order = [Verdict.PROVED, Verdict.DERIVED, Verdict.REFUTED, Verdict.UNKNOWN]
        if self.count(Verdict.VIOLATED):
            order.append(Verdict.VIOLATED)
        counts = " \u00b7 ".join(f"{verdict.value} {self.count(verdict)}" for verdict in order)
        return f"{counts} \u00b7 of {len(self.rows)} obligations"

    def to_json(self) -> dict[str, object]:
        """The report as docs/check.md describes it; `json.dumps` takes it as it is."""
        return {
            "schema": SCHEMA,
            "verdict": self.verdict.value,
            "summary": {verdict.value: self.count(verdict) for verdict in Verdict} | {"total": len(self.rows)},
            "assumptions": list(self.assumptions),
            "rows": [row.to_json() for row in self.rows],
        }
