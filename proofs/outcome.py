"""From answers to verdicts: an obligation is as good as its weakest claim; a model is no bug until it was replayed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from proofs.discharge import Decision
from proofs.entry import Analysis
from proofs.replay import replay
from proofs.results import Row
from proofs.verdict import Verdict

SOLVER_OBLIGATIONS = (
    "coverage", "single-writer", "bounds", "barrier", "race", "power-gate", "no-wrap", "init", "no-trap",
)
# What a proof of one obligation takes for granted: the others on which it stands must be proved as well.
PREMISES: Mapping[str, tuple[str, ...]] = {
    "race": ("bounds", "barrier"),
    "barrier": ("no-trap",),
    "single-writer": ("bounds",),
    "init": ("bounds", "barrier"),
    "coverage": ("bounds", "barrier", "no-trap"),
}
# On these stands that a load from shared memory gives all threads the same (proofs/uniformity.py).
SHARING = ("bounds", "barrier", "race", "init")
NOTHING = {
    "barrier": "no barrier and no exchange between lanes", "race": "no byte is both read and written",
    "init": "no shared memory is read, every register is written before it is read", "no-trap": "no loop and no trap",
    "no-wrap": "no value is looked at that could wrap", "power-gate": "nothing is written",
    "single-writer": "nothing is written", "bounds": "no memory is accessed", "coverage": "no output buffer",
}


def judge(analysis: Analysis, decision: Decision) -> tuple[Verdict, str, dict[str, Any] | None]:
    """The verdict of one claim, what to say of it, and the counterexample if it is refuted."""
    if decision.status == "unsat":
        return Verdict.PROVED, "", None
    claim = decision.claim
    where = f"{claim.name} (line {', '.join(map(str, claim.lines)) or '-'}): {claim.words}"
    if decision.status == "unknown":
        reason = decision.reason or "the solver gave up"
        return Verdict.UNKNOWN, f"{where}: undecided, {reason}", None
    seen = replay(analysis, decision.subject, decision.model)
    if seen.reproduced:
        return Verdict.REFUTED, seen.detail, seen.to_json()
    return Verdict.UNKNOWN, f"{where}: {seen.detail}", None


def missing_premises(
    obligation: str, failing: Collection[str], registers_written: bool, relies_on_memory: bool = False,
    rows_apart: bool = True, shares: bool = False,
) -> str:
    """Why an obligation whose own claims hold is not proved yet, or '' if nothing is missing.

    Args:
        failing: the obligations of the same entry that have a claim which is refuted or open.
        relies_on_memory: whether terms speak of what memory holds, which is what it is only inside a buffer.
        registers_written: whether every register is written before it is read; otherwise no term is what it says.
        shares: whether something is the same in all threads since they load it from one place of shared memory.
        rows_apart: whether rows of buffers do not overlap; otherwise elements that differ may be the same bytes.
    """
    premises = PREMISES.get(obligation, ())
    if relies_on_memory and obligation != "bounds" and "bounds" not in premises:
        premises = (*premises, "bounds")
    if shares:
        premises = (*premises, *(p for p in SHARING if p != obligation and p not in premises))
    missing = [p for p in premises if p in failing]
    if obligation != "init" and not registers_written:
        missing.append("init (a register may be read before it is written)")
    if obligation == "race" and not rows_apart:
        missing.append("single-writer (rows of a buffer may overlap)")
    return f"holds only if these hold too, which is not proved: {', '.join(missing)}" if missing else ""


def first_of(examples: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The first counterexample, with the others under `others`; None if there is none."""
    if not examples:
        return None
    return dict(examples[0]) | ({"others": [dict(e) for e in examples[1:]]} if len(examples) > 1 else {})


def row_of(
    kernel: str, obligation: str, outcomes: Sequence[tuple[Verdict, str, Mapping[str, Any] | None]], source: str,
    seconds: float,
) -> Row:
    """One row from the verdicts of an obligation's claims."""
    worst = min((v for v, _, _ in outcomes), default=Verdict.PROVED)
    details = [d for v, d, _ in outcomes if v is worst and d]
    example = first_of([c for v, _, c in outcomes if v is Verdict.REFUTED and c is not None])
    if worst is Verdict.PROVED:
        detail = f"{len(outcomes)} claims" if outcomes else NOTHING.get(obligation, "nothing to prove")
    else:
        detail = "\n".join(details)
    return Row(
        kernel, obligation, worst, "taken from the store" if source == "store" else "decided now", seconds, detail,
        example,
    )
