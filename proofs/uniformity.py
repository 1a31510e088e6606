"""What is the same for all threads of a block, seen from the unknowns in it.

A term or condition is uniform at a place if each of its unknowns is one for the launch or the block, or is the round of
a loop around that place, or is marked `uniform` and redefined only by such loops: threads that are there in the same
rounds then have the same value. Nothing is said of threads in different rounds. In particular the round in which a
loop is left is uniform only if all that decides about leaving is (`loops.py`), whatever the loop looks like.
"""

from __future__ import annotations

from proofs.terms import THREAD, Cond, Poly, Symbol


def uniform(item: Poly | Cond, rounds: frozenset[str]) -> bool:
    """Whether threads of a block that are in the same round of these loops have the same value."""
    return all(_shared(s, rounds) for s in item.symbols())


def _shared(symbol: Symbol, rounds: frozenset[str]) -> bool:
    if symbol.kind == "iteration":
        return symbol.name.removeprefix("k@") in rounds and symbol.loops <= rounds
    if not symbol.loops <= rounds:
        return False
    return symbol.scope != THREAD or symbol.uniform
