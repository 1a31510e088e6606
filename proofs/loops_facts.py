"""What round k of a loop may use because round k-1 went round."""

from __future__ import annotations

from proofs.loops_exit import Decide, linear
from proofs.loops_frame import Frame
from proofs.terms import Cond, ModAtom, Poly, Symbol, conj, disj, eq, le, lt, modulo


def previous_round(frame: Frame, known: tuple[Cond, ...] | None, decide: Decide) -> Cond:
    """What is known at iteration k because iteration k-1 went round: k = 0, or its condition at k-1.

    Args:
        known: what holds where it goes round; None if it never does.
    """
    k = frame.k
    if known is None:
        return eq(k)
    condition = conj(known)
    mapping: dict[Symbol, Poly] = {}
    for symbol in condition.symbols():
        if symbol == frame.iteration:
            mapping[symbol] = k - 1
        elif frame.name in symbol.loops:
            mapping[symbol] = Poly.symbol(symbol.renamed(f"{symbol.name}'{frame.name}"))
    return conj((disj((eq(k), condition.substitute(mapping))), *_not_beyond(frame, known, decide)))


def _not_beyond(frame: Frame, known: tuple[Cond, ...], decide: Decide) -> list[Cond]:
    """What a `!=` guard says more than its text: g != 0 in every round so far, and g does not jump over 0.

    g mod m with an odd step and m a power of two comes to every value in m rounds: it was not 0 yet, so k < m.
    g = c + s*k with s > 0. If g <= 0 at k = 0 and s divides it there (both are proved), then g <= 0 at every k that
    is reached: g <= 0 and g != 0 and s divides g give g + s <= 0.
    """
    found = []
    for literal in known:
        term = unequal(literal)
        if term is None or any(frame.name in s.loops for s in term.symbols()):
            continue
        size = circle_of(term, frame)
        if size:
            found.append(lt(frame.k, size))
        form = linear(term, frame.iteration)
        if form is None:
            continue
        at_zero, step = form
        if step < 0:
            term, at_zero, step = -term, -at_zero, -step
        goal = conj((le(at_zero, 0), eq(modulo(at_zero, step))))
        if decide((*frame.entry.control, *frame.entry.facts), goal):
            found.append(le(term, 0))
    return found


def unequal(literal: Cond) -> Poly | None:
    """The term of which a condition says that it is not 0."""
    return literal.args[0].term if literal.op == "not" and literal.args[0].op == "eq" else None


def circle_of(term: Poly | None, frame: Frame) -> int:
    """m, if the term runs through all residues modulo m in m rounds, and 0 is a value that it can have; otherwise 0."""
    if term is None or any(frame.name in s.loops for s in term.symbols()):
        return 0
    remainders = [a for a in term.atoms() if isinstance(a, ModAtom)]
    if len(remainders) != 1 or remainders[0].c & (remainders[0].c - 1):
        return 0
    (remainder,) = remainders
    rest = term - Poly.of(remainder)
    form = linear(remainder.a, frame.iteration)
    if form is None or form[1] % 2 == 0 or rest.value is None or not 0 <= -rest.value < remainder.c:
        return 0
    return remainder.c
