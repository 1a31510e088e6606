"""From claims to answers: each claim's query is decided, the smaller one first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from proofs.claims import Claim
from proofs.decide import DEFAULT_RLIMIT, Decide, decide


@dataclass(frozen=True)
class Decision:
    """A claim and what became of it.

    Args:
        status: unsat (the claim holds), sat (the model is a candidate counterexample), unknown.
        text: the query that was decided; it becomes the artifact.
        model: symbol name to value, of a `sat` answer to the full query.
        reason: why unknown.
    """

    claim: Claim
    status: str
    text: str
    seconds: float
    model: dict[str, int] = field(default_factory=dict)
    reason: str = ""


def discharge(claims: Sequence[Claim], rlimit: int = DEFAULT_RLIMIT) -> list[Decision]:
    """Decide every claim, in order."""
    return [decide_claim(claim, rlimit) for claim in claims]


def decide_claim(claim: Claim, rlimit: int = DEFAULT_RLIMIT, ask: Decide = decide) -> Decision:
    """The answer to one claim. `sat` counts only of the full query: the reduced one assumes less."""
    if claim.query is None:
        return Decision(claim, "unknown", "", 0.0, reason=claim.reason)
    start = time.monotonic()
    if claim.reduced is not None and ask(claim.reduced.text, rlimit).status == "unsat":
        return Decision(claim, "unsat", claim.reduced.text, time.monotonic() - start)
    text = claim.query.text
    answer = ask(text, rlimit)
    return Decision(claim, answer.status, text, time.monotonic() - start, answer.model, answer.reason)
