"""From claims to answers: a ladder of deciders, the cheapest first.

`syntactic` on the canonical form, `linear` by sums of a few inequalities (proofs/linear.py; `fltc check` only, since it
leaves nothing to audit), `enumeration` over threads and phases (proofs/enumeration), `z3-structured` on the query
without the non-linear clauses of the domain, `z3-direct` on the full one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from proofs.claims import Claim
from proofs.decide import DEFAULT_RLIMIT, Decide, decide
from proofs.enumeration import Enumerator, enumerate_claim
from proofs.linear import Reasoner
from proofs.query import Query

RUNGS = ("syntactic", "linear", "enumeration", "z3-structured", "z3-direct")
UNASKED = RUNGS[:3]  # those that need no solver
PINNED_RLIMIT = 4_000_000


@dataclass(frozen=True)
class Decision:
    """A claim and what became of it.

    Args:
        status: unsat (the claim holds), sat (the model is a candidate counterexample), unknown.
        text: the query that was decided; it becomes the artifact. Empty for a claim that was enumerated.
        model: symbol name to value, of a `sat` answer to the full query.
        reason: why unknown.
        rung: which of RUNGS decided; '' where none did.
        alike: what holds is only that all writers write one value.
        narrowed: the query with the numbers of the candidate that enumeration found, if it was one that was completed.
    """

    claim: Claim
    status: str
    text: str
    seconds: float
    model: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    rung: str = ""
    narrowed: Query | None = None
    alike: bool = False

    @property
    def subject(self) -> Claim:
        """The claim as it is replayed: of a candidate, with its numbers."""
        return self.claim if self.narrowed is None else replace(self.claim, full=self.narrowed)


Pins = tuple[tuple[str, str], ...]


def discharge(
    claims: Sequence[Claim], rlimit: int = DEFAULT_RLIMIT, enumerator: Enumerator | None = None
) -> list[Decision]:
    """Decide every claim, in order."""
    return [climb(claim, enumerator, rlimit) for claim in claims]


def climb(
    claim: Claim, enumerator: Enumerator | None, rlimit: int = DEFAULT_RLIMIT, ask: Decide = decide
) -> Decision:
    """The answer to one claim, by all rungs."""
    decision, pins = enumerated(claim, enumerator)
    return decision or decide_claim(claim, rlimit, ask, pins)


def enumerated(claim: Claim, enumerator: Enumerator | None) -> tuple[Decision | None, Pins]:
    """The answer of the rungs that need no solver, or equations that single out a candidate counterexample."""
    if enumerator is None or claim.finite is None:
        return None, ()
    start = time.monotonic()
    found = enumerate_claim(enumerator, claim.finite)
    if not found.holds:
        return None, found.pins
    return Decision(claim, "unsat", "", time.monotonic() - start, rung=found.rung), ()


def by_sums(claim: Claim, reasoner: Reasoner) -> Decision | None:
    """The answer of linear arithmetic, if it has one: it leaves no query that others could decide again."""
    statement = claim.query.statement if claim.query is not None else None
    if statement is None or statement.aim is None:
        return None
    start = time.monotonic()
    if not reasoner.follows((h.cond for h in statement.hypotheses), statement.aim):
        return None
    return Decision(claim, "unsat", "", time.monotonic() - start, rung="linear")


def decide_claim(
    claim: Claim, rlimit: int = DEFAULT_RLIMIT, ask: Decide = decide, pins: Pins = ()
) -> Decision:
    """The solver's answer to one claim. `sat` counts only of the full query: the reduced one assumes less.

    Args:
        pins: symbols and equations of a candidate. What was not enumerated is filled in by the solver, if it can be.
    """
    if claim.query is None:
        return Decision(claim, "unknown", "", 0.0, reason=claim.reason)
    start = time.monotonic()
    if pins:
        declared = {s.name for s in claim.query.symbols}
        equations = [equation for name, equation in pins if name in declared]
        more = tuple((f"candidate.{i}", equation) for i, equation in enumerate(equations, 1))
        narrowed = claim.query.with_more(more)
        answer = ask(narrowed.text, PINNED_RLIMIT)
        if answer.status == "sat":
            return _alike(claim, rlimit, ask, start) or Decision(
                claim, "sat", claim.query.text, time.monotonic() - start, answer.model, rung="enumeration",
                narrowed=narrowed,
            )
    if claim.reduced is not None and ask(claim.reduced.text, rlimit).status == "unsat":
        return Decision(claim, "unsat", claim.reduced.text, time.monotonic() - start, rung="z3-structured")
    text = claim.query.text
    answer = ask(text, rlimit)
    if answer.status != "unsat" and (found := _alike(claim, rlimit, ask, start)) is not None:
        return found
    if claim.partial and answer.status != "unsat":
        return Decision(claim, "unknown", text, time.monotonic() - start, reason=claim.reason)
    rung = "z3-direct" if answer.status != "unknown" else ""
    return Decision(claim, answer.status, text, time.monotonic() - start, answer.model, answer.reason, rung)


def _alike(claim: Claim, rlimit: int, ask: Decide, start: float) -> Decision | None:
    """The decision that at least all writers write one value, if that holds."""
    if claim.alike is None or ask(claim.alike.text, rlimit).status != "unsat":
        return None
    return Decision(claim, "unsat", claim.alike.text, time.monotonic() - start, rung="z3-direct", alike=True)
