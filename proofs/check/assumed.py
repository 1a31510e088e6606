"""What a report says of the flags: the sizes that they fix, and that the assumptions do not contradict each other."""

from __future__ import annotations

from collections.abc import Sequence

from proofs.claims.model import domain
from proofs.decide import decide
from proofs.problem import AXES, Problem
from proofs.query import build
from proofs.terms import Poly
from spec.errors import BadInput

UNDECIDED = "these assumptions do not contradict each other"


def fixed_sizes(what: str, sizes: Sequence[int | Poly | None], given: Sequence[int | str | None] | None) -> list[str]:
    """The numbers that --block or --grid fixes; what is given as an expression is a clause of the domain."""
    if not given:
        return []
    if all(isinstance(size, int) for size in sizes):
        return [f"the {what} is {'x'.join(map(str, sizes))} (--{what})"]
    return [
        f"{what}.{axis} = {size} (--{what})"
        for axis, size, asked in zip(AXES, sizes, given, strict=False) if isinstance(size, int) and asked is not None
    ]


def consistent(problem: Problem, path: str) -> None:
    """BadInput if no launch at all satisfies what is assumed; a note if the solver cannot tell."""
    answer = decide(build("domain", (), domain(problem), "false", []).text)
    if answer.status == "unsat":
        clauses = "\n  ".join(text for text, _ in problem.domain)
        raise BadInput(
            f"{path}: no launch of {problem.function.name} satisfies the assumptions; they contradict each other, "
            f"and everything would follow:\n  {clauses}"
        )
    if answer.status != "sat":
        problem.assumptions.append(f"{UNDECIDED}: the solver could not tell")
