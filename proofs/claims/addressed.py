"""Who wrote a byte, read off its address: in a block of any size, thread (address - base)/4 stores the word there.

A store at `base + c*tid.x` whose guard hangs on nothing else of its thread names its writer, so that no thread has to
be gone through. That this thread is in the block, comes to the store and writes the byte is what the claim says.
"""

from __future__ import annotations

from proofs.problem import Problem
from proofs.records import Access
from proofs.terms import FALSE, THREAD, Cond, Poly, Symbol, conj, divide, ge, le


def writer_of(problem: Problem, write: Access, byte: Poly) -> tuple[Cond, Poly] | None:
    """That the thread which the byte's address names makes the store, and where that begins; None if it names none."""
    x = _number(problem)
    if x is None:
        return None
    base = write.address.substitute({x: Poly({})})
    step = (write.address - base).terms.get(tuple(Poly.symbol(x).atoms()), 0)
    if step <= 0 or write.address - base != Poly.symbol(x) * step:
        return None
    rounds = {f"k@{loop}" for loop in write.at.loops}
    items: list[Poly | Cond] = [base, *write.at.control]
    if any(s.scope == THREAD and s != x and s.name not in rounds for item in items for s in item.symbols()):
        return None
    here = {x: divide(byte - base, step)}
    exists = [ge(here[x]), *(c.substitute(here) for _, c in problem.domain if x in c.symbols())]
    if x.high is not None:
        exists.append(le(here[x], x.high))
    control = conj((*exists, *(c.substitute(here) for c in write.at.control)))
    return None if control == FALSE else (control, write.address.substitute(here))


def _number(problem: Problem) -> Symbol | None:
    """The thread's number, where it is one: in a block that extends along x only."""
    if any(problem.specials[f"%tid.{axis}"].symbols() for axis in "yz"):
        return None
    found = problem.specials["%tid.x"].symbols()
    return next(iter(found)) if len(found) == 1 else None
