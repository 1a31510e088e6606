"""What threads of a block that are in the same rounds have in common, seen from the unknowns in it."""

from __future__ import annotations

from proofs.terms import THREAD, Cond, Poly, Symbol
from proofs.values import THROUGH_SHARED
from proofs.words import Word


def uniform(item: Poly | Cond, rounds: frozenset[str]) -> bool:
    """Whether threads of a block that are in the same round of these loops have the same value."""
    return all(_shared(s, rounds) for s in item.symbols())


def uniform_value(value: Word | Cond, rounds: frozenset[str]) -> bool:
    """The same of what a register holds."""
    if isinstance(value, Cond):
        return uniform(value, rounds)
    return uniform(value.term, rounds) if value.term is not None else value.uniform and value.loops <= rounds


def rests_on_shared(value: Word | Cond | Poly | None) -> bool:
    """Whether the value speaks of an unknown that all threads have in common since they load it from shared memory."""
    if isinstance(value, Word):
        return THROUGH_SHARED in value.key if value.term is None else rests_on_shared(value.term)
    return value is not None and any(THROUGH_SHARED in s.name for s in value.symbols())


def _shared(symbol: Symbol, rounds: frozenset[str]) -> bool:
    if symbol.kind == "iteration":
        return symbol.name.removeprefix("k@") in rounds and symbol.loops <= rounds
    if not symbol.loops <= rounds:
        return False
    return symbol.scope != THREAD or symbol.uniform
