"""Who wrote a byte, read off its address: in a block of any size, thread (address - base)/4 stores the word there.

A store at `base + c*tid.x` whose guard hangs on nothing else of its thread names its writer, so that no thread has to
be gone through. One in a loop, at `base + c*(tid.x + step*k)`, names the round as well, by quotient and remainder. That
this thread is in the block, comes to the store and writes the byte is what the claim says.
"""

from __future__ import annotations

from proofs.problem import Problem
from proofs.records import Access, LoopRecord
from proofs.terms import (
    FALSE,
    THREAD,
    Cond,
    Monomial,
    Poly,
    Symbol,
    conj,
    divide,
    ge,
    implies,
    le,
    lt,
    quotient,
)


def writer_of(
    problem: Problem, write: Access, byte: Poly, ended: LoopRecord | None = None
) -> tuple[Cond, Poly] | None:
    """That the thread which the byte's address names makes the store, and where that begins; None if it names none.

    Args:
        ended: the one loop around the store that is not around the read, in which the store goes on by a step: its
            round is then the quotient by that step, and every round before must lead to the next.
    """
    x = _number(problem)
    if x is None:
        return None
    k = None if ended is None else ended.iteration
    base = write.address.substitute({x: Poly({}), **({} if k is None else {k: Poly({})})})
    moved = write.address - base
    width = moved.terms.get(tuple(Poly.symbol(x).atoms()), 0)
    if width <= 0:
        return None
    step = Poly({}) if k is None else _step(moved - Poly.symbol(x) * width, k, width)
    if step is None or moved != Poly.symbol(x) * width + step * width * (Poly({}) if k is None else Poly.symbol(k)):
        return None
    rounds = {f"k@{loop}" for loop in write.at.loops}
    items: list[Poly | Cond] = [base, *write.at.control]
    if ended is not None:
        items += [*ended.at.control, ended.proceed]
    if any(s.scope == THREAD and s != x and s.name not in rounds for item in items for s in item.symbols()):
        return None
    place = divide(byte - base, width)
    here = {x: place}
    parts: list[Cond] = []
    if ended is not None and k is not None:
        turns = quotient(place, step)
        here = {x: place - step * turns, k: turns}
        earlier = Poly.symbol(Symbol(f"j@{ended.id}.{write.id}", "iteration", THREAD, 0, None))
        parts = [ge(turns), *(c.substitute(here) for c in ended.at.control)]
        parts.append(implies(lt(earlier, turns), ended.proceed.substitute({**here, k: earlier})))
    exists = [ge(here[x]), *(c.substitute(here) for _, c in problem.domain if x in c.symbols())]
    if x.high is not None:
        exists.append(le(here[x], x.high))
    control = conj((*exists, *parts, *(c.substitute(here) for c in write.at.control)))
    return None if control == FALSE else (control, write.address.substitute(here))


def _step(moved: Poly, k: Symbol, width: int) -> Poly | None:
    """By how many stores of the width the loop goes on in a round, if that is a positive number."""
    found: dict[Monomial, int] = {}
    for monomial, coefficient in moved.terms.items():
        rest = [a for a in monomial if a not in Poly.symbol(k).atoms()]
        if len(rest) != len(monomial) - 1 or coefficient % width:
            return None
        found[tuple(rest)] = coefficient // width
    step = Poly(found)
    low = step.interval[0]
    return step if low is not None and low > 0 else None


def _number(problem: Problem) -> Symbol | None:
    """The thread's number, where it is one: in a block that extends along x only."""
    if any(problem.specials[f"%tid.{axis}"].symbols() for axis in "yz"):
        return None
    found = problem.specials["%tid.x"].symbols()
    return next(iter(found)) if len(found) == 1 else None
