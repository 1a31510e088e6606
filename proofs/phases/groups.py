"""Barriers that part of a block takes part in: who arrives at which, and what that orders.

Arrivals are numbered: each thread counts its own at each barrier (`Point.counts`). If the threads that may ever arrive
are exactly as many as the barrier waits for, and none of them arrives again before a phase is complete, then phase c
of the barrier consists of arrival c of each of them. So what a thread did before its arrival c is ordered before what
another does after its own arrival c, if that one waits there and does not only arrive. The claims of
`proofs.claims.groups` say that this is so.

Barriers that take turns (`bar.sync 1 + stage, n`) are one group: arrival c goes to a barrier that c alone decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from proofs.problem import AXES, Problem
from proofs.records import Barrier, Point, Records
from proofs.terms import Cond, ModAtom, Poly, conj, disj


@dataclass(frozen=True)
class Group:
    """The barriers with one counter.

    Args:
        member: under which a thread may arrive at all, over its numbers; `arriver`: that it may arrive without waiting.
        threads: how many the barrier waits for.
        turns: how many barriers take turns.
        flaw: why nothing can be said of it, or ''.
    """

    counter: str
    sites: tuple[Barrier, ...]
    member: Cond
    arriver: Cond
    threads: int
    turns: int
    flaw: str = ""

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(s.at.line for s in self.sites))

    def arrivals(self, at: Point) -> Poly:
        """How often the thread has arrived before this place."""
        return dict(at.counts)[self.counter]

    def members(self, problem: Problem) -> list[int] | None:
        """The linear numbers of the threads that may arrive; None if the block has no known size."""
        sizes = [problem.specials[f"%ntid.{a}"].value for a in AXES]
        x, y, z = sizes
        if x is None or y is None or z is None:
            return None
        found = []
        for number in range(x * y * z):
            index = (number % x, number // x % y, number // (x * y))
            mapping = {
                s: Poly.constant(n)
                for a, n in zip(AXES, index, strict=True) for s in problem.specials[f"%tid.{a}"].symbols()
            }
            if self.member.substitute(mapping).op != "false":
                found.append(number)
        return found


def alike(records: Records) -> dict[str, str]:
    """Counters that must be one, since they may count arrivals at the same barrier; empty if there are none."""
    spans: dict[str, tuple[int, int]] = {}
    for barrier in records.barriers:
        if barrier.group:
            low, high = _span(barrier.number)
            least, most = spans.get(barrier.group, (low, high))
            spans[barrier.group] = min(low, least), max(high, most)
    found: dict[str, str] = {}
    for counter, (low, high) in spans.items():
        meeting = [c for c, (least, most) in spans.items() if least <= high and low <= most]
        names = {found.get(c, c) for c in (counter, *meeting)}
        one = min(names)
        found |= {c: one for c in spans if found.get(c, c) in names}
    return found if any(c != one for c, one in found.items()) else {}


def groups_of(problem: Problem, records: Records) -> tuple[Group, ...]:
    """The groups of an entry."""
    counters = dict.fromkeys(b.group for b in records.barriers if b.group)
    return tuple(_group(problem, records, counter) for counter in counters)


def _group(problem: Problem, records: Records, counter: str) -> Group:
    sites = tuple(b for b in records.barriers if b.group == counter)
    counts = {s.count.value if s.count is not None else None for s in sites}
    numbers = [_span(s.number) for s in sites]
    low, high = min(n[0] for n in numbers), max(n[1] for n in numbers)
    flaw = ""
    if len(counts) > 1 or None in counts:
        flaw = "it does not always wait for the same number of threads"
    for other in records.barriers:
        least, most = _span(other.number)
        if other.group != counter and least <= high and low <= most:
            flaw = f"the barrier at line {other.at.line} may be the same one"
    turns = {_turns(s.number) for s in sites}
    member = disj(own(problem, s.at) for s in sites)
    arriver = disj(own(problem, s.at) for s in sites if not s.waits)
    threads = next(iter(counts - {None}), 0) or 0
    return Group(counter, sites, member, arriver, threads, max(turns), flaw)


def _span(number: Poly) -> tuple[int, int]:
    low, high = number.interval
    return (0 if low is None else low, 15 if high is None else high)


def _turns(number: Poly) -> int:
    """n of `constant + (term mod n)`; 1 of anything else, which holds of a constant only."""
    atoms = [m[0] for m in number.terms if len(m) == 1]
    rest = [m for m in number.terms if m]
    if len(rest) == 1 and len(atoms) == 1 and isinstance(atoms[0], ModAtom) and number.terms[rest[0]] == 1:
        return atoms[0].c
    return 1


def own(problem: Problem, at: Point) -> Cond:
    """What leads to a place, as far as it speaks of the thread's numbers alone; any thread satisfies the rest."""
    numbers = {s for a in AXES for s in problem.specials[f"%tid.{a}"].symbols()}
    parts = [part for c in at.control for part in (c.args if c.op == "and" else (c,))]
    return conj(part for part in parts if part.symbols() <= numbers)
