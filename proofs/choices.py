"""Choices between two terms that are none, since one of them is the other where its condition holds.

`n < 4 ? 0 : 4*(n div 4)`, where a loop that was unrolled by four is skipped, is `4*(n div 4)` for every n >= 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from proofs.state import State
from proofs.terms import Atom, Cond, IteAtom, Poly, negate, same
from proofs.words import Word

Decide = Callable[[tuple[Cond, ...], Cond], bool]


def settled(state: State, decide: Decide) -> State:
    """The state where paths met, without the choices that are none there."""
    known = (*state.control, *state.facts)
    found: State | None = None
    for register, value in state.registers.items():
        if not isinstance(value, Word) or value.term is None:
            continue
        term = value.term
        for atom in term.atoms():
            if isinstance(atom, IteAtom) and (one := _only(atom, known, decide)) is not None:
                term = term + sum_of(value.term, atom, one)
        if term != value.term:
            found = found or state.copy()
            found.registers[register] = replace(value, term=term)
    return found or state


def sum_of(term: Poly, atom: IteAtom, one: Poly) -> Poly:
    """What a sum grows by if a choice that stands in it is put in: nothing but whole terms of it are looked at."""
    return (one - Poly.of(atom)) * term.terms.get((atom,), 0)


def _only(atom: IteAtom, known: tuple[Cond, ...], decide: Decide) -> Poly | None:
    """The side that is the value on both sides of a comparison, if there is one. Asked only where it is likely."""
    condition, difference = atom.condition, atom.b - atom.a
    if condition.op != "ge" or not difference.symbols() or not difference.symbols() <= condition.symbols():
        return None
    if not any(_quotient(a) for m in difference.terms for a in m):
        return None
    for side, where in ((atom.b, condition), (atom.a, negate(condition))):
        if decide((*known, where), same(atom.a, atom.b)):
            return side
    return None


def _quotient(atom: Atom) -> bool:
    return bool(getattr(atom, "digit", False))
