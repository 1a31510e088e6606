"""The kill table, docs/kill-table.md: every mutant, what refuted it, and whether the emulator showed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofs.claims import OBLIGATIONS
from proofs.mutation.killing import REPLAYED, Killed, Survived
from proofs.mutation.model import Mutant

TABLE = Path("docs/kill-table.md")
MOST_SURVIVORS = 0.02
# Mutants that no obligation refutes because nothing is wrong with them, each with the reason.
EQUIVALENT: Mapping[str, str] = {}

_HEAD = """# Kill table

Written by `python -m proofs.mutation`. Each row is a faulty copy of a shipped kernel, made by the edit it names, that
the assembler still takes. It must be refuted by the obligation named, not by some other. *Shown* says how: `replayed`,
the solver's counterexample was run in the emulator, which reported the fault; `compared`, the obligation is decided by
running a program or comparing two lists, so that its answer is the counterexample; `lemma`, a solver has a model of
the negated claim. A kernel that has nothing to break for an obligation is extended first by something sound (ids with
`exchange-`: an exchange through shared memory across a barrier), and the extension is proved before it is broken.
"""


@dataclass(frozen=True)
class Entry:
    """One row: a mutant and what became of it."""

    mutant: Mutant
    outcome: Killed | Survived

    @property
    def good(self) -> bool:
        """Refuted by the obligation named and, where that is possible, shown; or argued equivalent."""
        if isinstance(self.outcome, Survived):
            return self.mutant.id in EQUIVALENT
        named = self.outcome.obligation == self.mutant.obligation
        return named and (self.outcome.replayed or self.outcome.obligation not in REPLAYED)


def row(entry: Entry) -> str:
    """The row of a mutant. Claims by kind: their numbers change with every line of a kernel."""
    mutant, outcome = entry.mutant, entry.outcome
    words = mutant.words.replace("|", "\\|")
    place = f"L{mutant.line}" if mutant.line else "-"
    if isinstance(outcome, Survived):
        return f"| {mutant.id} | {place} | {words} | survives | - |"
    shown = "replayed" if outcome.replayed else "lemma" if outcome.obligation == "numerics" else "compared"
    claim = outcome.claim.partition(".")[0]
    by = outcome.obligation + (f" ({claim})" if claim else "")
    return f"| {mutant.id} | {place} | {words} | {by} | {shown} |"


def table(entries: Sequence[Entry]) -> str:
    """The whole document."""
    stems = list(dict.fromkeys(e.mutant.stem for e in entries))
    killed = sum(e.good and isinstance(e.outcome, Killed) for e in entries)
    survivors = [e for e in entries if isinstance(e.outcome, Survived)]
    replayed = sum(isinstance(e.outcome, Killed) and e.outcome.replayed for e in entries)
    lines = [
        _HEAD, f"{len(entries)} mutants: {killed} refuted by the obligation named, {replayed} of them replayed; "
        f"{len(survivors)} survive.", "", "| obligation | " + " | ".join(stems) + " |", "|---" * (len(stems) + 1) + "|",
    ]
    for obligation in OBLIGATIONS:
        counts = []
        for stem in stems:
            mine = [e for e in entries if (e.mutant.stem, e.mutant.obligation) == (stem, obligation)]
            counts.append(f"{sum(e.good for e in mine)} of {len(mine)}")
        lines.append(f"| {obligation} | " + " | ".join(counts) + " |")
    lines += ["", "## Survivors", ""]
    lines += [f"- {e.mutant.id}: {EQUIVALENT.get(e.mutant.id, 'no reason given')}" for e in survivors] or ["None."]
    for stem in stems:
        for obligation in OBLIGATIONS:
            mine = [e for e in entries if (e.mutant.stem, e.mutant.obligation) == (stem, obligation)]
            lines += ["", f"## {stem}: {obligation}", "", "| mutant | line | edit | refuted by | shown |"]
            lines += ["|---" * 5 + "|", *(row(e) for e in mine)]
    return "\n".join(lines) + "\n"
