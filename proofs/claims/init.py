"""The claim that shared memory is written before it is read.

A shared read needs, for each of its bytes, a write that some thread of the block makes before a barrier that lies
between. The writer is found by running through all threads of the block: with the writer's number a constant, its
address and guard become constants of the query.
"""

from __future__ import annotations

from math import gcd

from proofs.cfg import Graph
from proofs.claims.memory import at_access
from proofs.claims.model import Claim, conjunction
from proofs.intervals import Interval
from proofs.problem import AXES, Problem
from proofs.records import Access, Records
from proofs.symbolic import instruction_places
from proofs.terms import FALSE, THREAD, Cond, Poly, Symbol, conj, disj, eq, le

MAX_CANDIDATES = 4096


def init_claims(problem: Problem, records: Records, graph: Graph, found: tuple[Interval, ...]) -> list[Claim]:
    """init claims of every shared read."""
    shared = [a for a in records.accesses if a.space == "shared"]
    order = {place: i for i, place in enumerate(_order(problem, graph))}
    together = {
        frozenset((m.access.id, n.access.id)) for interval in found for m in interval.members for n in interval.members
    }
    claims = []
    for read in shared:
        if read.kind != "read":
            continue
        writes = [
            w for w in shared
            if w.kind == "write" and w.buffer == read.buffer and not w.at.loops
            and order[w.at.place] < order[read.at.place] and frozenset((w.id, read.id)) not in together
        ]
        claims.append(_init(problem, read, writes))
    return claims


def _order(problem: Problem, graph: Graph) -> list[str]:
    places = instruction_places(problem)
    return [places[id(i)] for index in graph.order for i in graph.blocks[index].instructions]


def _init(problem: Problem, read: Access, writes: list[Access]) -> Claim:
    name, words = f"init.{read.id}", "every byte read was written before a barrier in between"
    threads = _threads(problem)
    if not threads or len(threads) * len(writes) > MAX_CANDIDATES:
        reason = "no earlier write outside a loop with a block of known size: cannot tell whether the bytes are written"
        return Claim(name, "init", (read.at.line,), None, words, reason=reason)
    grain = read.width
    for w in writes:
        grain = gcd(grain, w.width)
    parts: list[Cond] = []
    for at in range(0, read.width, grain):
        byte = read.address + at
        choices = [
            _writes(write, mapping, byte, grain) for write in writes for mapping in threads
        ]
        parts.append(disj(c for c in choices if c != FALSE))
    goal = conj(parts)
    return at_access(problem, read, name, "init", words, goal.text if parts else conjunction([]), [goal])


def _threads(problem: Problem) -> list[dict[Symbol, Poly]]:
    """Every thread of a block of known size."""
    sizes = [problem.specials[f"%ntid.{a}"].value for a in AXES]
    if any(s is None for s in sizes):
        return []
    found = []
    for z in range(sizes[2] or 1):
        for y in range(sizes[1] or 1):
            for x in range(sizes[0] or 1):
                mapping = {}
                for axis, value in zip(AXES, (x, y, z), strict=True):
                    for symbol in problem.specials[f"%tid.{axis}"].symbols():
                        mapping[symbol] = Poly.constant(value)
                found.append(mapping)
    return found


def _writes(write: Access, mapping: dict[Symbol, Poly], byte: Poly, grain: int) -> Cond:
    """That this thread's write happens and covers the bytes."""
    control = conj(c.substitute(mapping) for c in write.at.control)
    begin = write.address.substitute(mapping)
    # What else differs by thread (a loaded value, a trip count) would be taken for the reader's own.
    if control == FALSE or any(s.scope == THREAD for s in control.symbols() | begin.symbols()):
        return FALSE
    if write.width == grain:
        return conj((control, eq(begin - byte)))
    return conj((control, le(begin, byte), le(byte + grain, begin + write.width)))
