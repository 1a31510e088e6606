"""What stands against one kind of obligation, and the row that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proofs.check.open_claims import Open, told
from proofs.check.source import Places
from proofs.discharge import UNASKED
from proofs.outcome import NOTHING, first_of, missing_premises
from proofs.results import Row, Source
from proofs.verdict import Verdict


@dataclass
class Finding:
    """Claims of one kind that are refuted or open.

    Args:
        claims: how many there are.
        replays: how many counterexamples were run; `failed` of them showed nothing.
        remembered: how many of them earlier answers decided.
        rungs: what decided each of them, '' where nothing did.
        assumed: what could not be asked for want of a declaration. The kind itself is then unknown, not the kinds that
            stand on it, since what is missing is among the assumptions of the report.
    """

    claims: int = 0
    remembered: int = 0
    seconds: float = 0.0
    replays: int = 0
    failed: int = 0
    refuted: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    open: list[Open] = field(default_factory=list)
    assumed: list[Open] = field(default_factory=list)
    rungs: dict[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        return not self.refuted and not self.open

    @property
    def source(self) -> Source:
        asked = sum(rung not in UNASKED for rung in self.rungs.values())
        whole = asked and self.remembered == asked and not self.replays
        return "taken from the store" if whole else "decided now"


@dataclass(frozen=True)
class Context:
    """What the rows of one entry have in common.

    Args:
        registers: every register is written before it is read; otherwise no term is what it says.
        memory: the obligations whose claims speak of what memory holds.
        vacuous: why nothing of this entry may be called proved, or ''.
        shares: something is the same in all threads since they load it from one place of shared memory.
        rows: rows of buffers do not overlap; otherwise elements that differ may be the same bytes.
    """

    entry: str
    findings: Mapping[str, Finding]
    registers: bool
    vacuous: str
    places: Places
    memory: frozenset[str] = frozenset()
    rows: bool = True
    shares: bool = False

    def row(self, kind: str) -> Row:
        """The row of one kind: its own claims first, then those that it stands on."""
        finding = self.findings[kind]
        if finding.refuted:
            detail = "\n".join(text for text, _ in finding.refuted)
            example = first_of([found for _, found in finding.refuted])
            return self._row(kind, Verdict.REFUTED, detail, example)
        undecided = [*finding.open, *finding.assumed]
        if undecided:
            return self._row(kind, Verdict.UNKNOWN, self._first() + told(undecided, self.places))
        failing = {k for k, f in self.findings.items() if not f.holds}
        detail = missing_premises(kind, failing, self.registers, kind in self.memory, self.rows, self.shares)
        detail = self._first() + detail if detail else self.vacuous
        if detail:
            return self._row(kind, Verdict.UNKNOWN, detail)
        return self._row(kind, Verdict.PROVED, f"{finding.claims} claims" if finding.claims else NOTHING[kind])

    def _first(self) -> str:
        """That something is refuted, before all that is unknown: it may be so for no other reason."""
        refuted = [k for k, f in self.findings.items() if f.refuted]
        return f"mend what is refuted first ({', '.join(refuted)}): the rest may follow\n" if refuted else ""

    def _row(self, kind: str, verdict: Verdict, detail: str, example: Mapping[str, Any] | None = None) -> Row:
        finding = self.findings[kind]
        open_ = tuple(o.to_json(self.places) for o in (*finding.open, *finding.assumed))
        return Row(
            self.entry, kind, verdict, finding.source, finding.seconds, detail, example, claims=finding.claims,
            open=open_, rungs=finding.rungs,
        )
