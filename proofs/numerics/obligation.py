"""The obligation numerics: the lemmas behind an operator's error bound, decided one by one.

What is mechanised: every step below. What is not: putting the steps together over the length of a row and over the
graph of the expression (docs/numerics.md). So the verdict is DERIVED at best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import z3

from proofs.numerics.lemma import Lemma
from proofs.verdict import Verdict
from spec.contracts.model import Contract
from spec.stems import part

RESOURCES = 20_000_000
"""Z3's resource limit for one query: verdicts do not depend on the machine's load."""


@dataclass(frozen=True)
class Decided:
    """A lemma and the answers: to the query (unsat is wanted) and to its negative control (sat is wanted)."""

    lemma: Lemma
    answer: str
    control: str

    @property
    def verdict(self) -> Verdict:
        """DERIVED where both answers are right; a lemma that is `sat` is wrong, anything else is not known."""
        if self.answer == "sat":
            return Verdict.REFUTED
        return Verdict.DERIVED if (self.answer, self.control) == ("unsat", "sat") else Verdict.UNKNOWN


def queries(contract: Contract) -> list[Lemma]:
    """The lemmas of the contract's operator; MissingPart where there are none."""
    lemmas: Callable[[Contract], list[Lemma]] = part("proofs.numerics", contract.operator, "lemmas")
    return lemmas(contract)


def decide(text: str) -> str:
    """Z3's answer to one query: sat, unsat or unknown."""
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", RESOURCES)
    solver.from_string(text)
    return str(solver.check())


def discharge(lemmas: Sequence[Lemma]) -> list[Decided]:
    """Decide every lemma and its control."""
    return [Decided(m, decide(m.smt_text), decide(m.negative_control_text)) for m in lemmas]
