"""The obligation numerics: the lemmas behind an operator's error bound, decided one by one.

What is mechanised: every step below. What is not: putting the steps together over the length of a row and over the
graph of the expression (docs/numerics.md). So the verdict is DERIVED at best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import z3

from proofs.numerics.lemma import Lemma
from proofs.verdict import Verdict
from spec.contracts.model import Contract
from spec.errors import BadInput
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

    @property
    def words(self) -> str:
        """What is wrong with it and what to do, empty if nothing is."""
        name, limit = self.lemma.name, "the solver's limit"
        if self.answer == "sat":
            return f"lemma {name} does not hold"
        if self.answer != "unsat":
            return f"lemma {name} is not decided within {limit}: split it, or use fewer variables and products"
        if self.control == "unsat":
            return (
                f"the negative control of lemma {name} follows too: give it a stronger claim, one that is false "
                "somewhere; if there is none, the hypotheses contradict each other"
            )
        if self.control != "sat":
            return f"the negative control of lemma {name} is not decided within {limit}: choose one plainly false"
        return ""


def queries(contract: Contract) -> list[Lemma]:
    """The lemmas of the contract's operator.

    Raises:
        MissingPart: there are none.
        BadInput: two of them share a name, so that one would hide the other and its answer.
    """
    lemmas: Callable[[Contract], list[Lemma]] = part("proofs.numerics", contract.operator, "lemmas")
    found = lemmas(contract)
    names = [m.name for m in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        path = f"proofs/numerics/{contract.operator}.py"
        raise BadInput(f"{path} has two lemmas {', '.join(twice)}; each needs its own name")
    return found


def decide(text: str) -> str:
    """Z3's answer to one query: sat, unsat or unknown."""
    return str(_solver(text).check())


def _solver(text: str) -> z3.Solver:
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", RESOURCES)
    solver.from_string(text)
    return solver


def discharge(lemmas: Sequence[Lemma]) -> list[Decided]:
    """Decide every lemma and its control."""
    return [Decided(m, _answer(m, m.smt_text), _answer(m, m.negative_control_text)) for m in lemmas]


def counterexample(found: Decided) -> dict[str, str]:
    """A lemma that does not hold, and values at which its hypotheses are true and its claim is false."""
    solver = _solver(found.lemma.smt_text)
    values = {"lemma": found.lemma.name}
    if solver.check() == z3.sat:
        model = solver.model()
        values |= {str(v): str(model[v]) for v in sorted(model.decls(), key=str)}
    return values


def _answer(lemma: Lemma, text: str) -> str:
    try:
        return decide(text)
    except z3.Z3Exception as error:
        said = str(error.value.decode() if isinstance(error.value, bytes) else error.value)
        reasons = dict.fromkeys(re.findall(r'line \d+ column \d+: ([^"]*)', said))
        words = "; ".join(reasons) or said
        where = f"lemma {lemma.name}: Z3 cannot read its query"
        raise BadInput(f"{where}: {words}; are all its variables listed?") from None
