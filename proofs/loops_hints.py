"""Invariants that a person gives for a loop: guesses like those of `loops_ranges`, and proved as they are.

A hint may also speak of registers that have a form or that the loop does not change. It then is a statement about the
round and the other registers, and an induction on the round proves it, whether or not the form holds in the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from proofs.hints.model import ROUND, Invariant
from proofs.loops_frame import Form, Frame
from proofs.loops_ranges import Guess, Statement, Values
from proofs.problem import Problem, to_condition
from proofs.terms import Cond, Poly, conj
from proofs.words import Word


def hinted_guesses(
    problem: Problem, frame: Frame, forms: Mapping[str, Form], loose: Collection[str], hints: Iterable[Invariant]
) -> list[Guess]:
    """The hints for a loop that speak of registers whose numbers are followed. `loose`: those without a form."""
    found = []
    for hint in hints:
        registers = set(hint.registers.values()) - problem.specials.keys()
        rest = {r: term for r in registers - set(loose) if (term := _followed(frame, forms, r)) is not None}
        if registers <= {*loose, *rest}:
            about = tuple(sorted(registers & set(loose)))
            found.append(Guess(about, _statement(problem, frame, hint, rest), hint=hint.text))
    return found


def spoken_of(frame: Frame, forms: Mapping[str, Form], hints: Iterable[Invariant]) -> dict[str, Word]:
    """Registers that hints speak of, which have no form and enter the loop as numbers."""
    names = sorted({r for hint in hints for r in hint.registers.values()} & set(frame.modified) - forms.keys())
    words = ((r, frame.entry.registers.get(r)) for r in names)
    return {r: word for r, word in words if isinstance(word, Word) and word.term is not None}


def _followed(frame: Frame, forms: Mapping[str, Form], register: str) -> Poly | None:
    if register in frame.modified:
        return forms[register].term if register in forms else None
    return frame.initial(register)


def _statement(problem: Problem, frame: Frame, hint: Invariant, rest: Mapping[str, Poly]) -> Statement:
    def at_round(at: Values, k: Poly) -> Cond:
        scope = {**problem.names, ROUND: k}
        for name, register in hint.registers.items():
            if register in rest:
                scope[name] = rest[register].substitute({frame.iteration: k})
            else:
                scope[name] = problem.specials[register] if register in problem.specials else at[register]
        return conj(to_condition(c, scope) for c in hint.comparisons)

    return at_round
