"""The claim that shared and local memory is written before it is read.

A shared read needs, for each of its bytes, a write that some thread of the block makes before a barrier that lies
between. Enumeration looks for it among all threads, rounds and phases (`proofs/claims/written.py`). For a few writes
there is a query as well, which runs through all threads of the block: with the writer's number a constant, its address
and guard become constants of the query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd

from proofs.cfg import Graph
from proofs.claims.addressed import writer_of
from proofs.claims.handed import Handover, Witnesses, handovers
from proofs.claims.memory import at_access
from proofs.claims.model import WARP, Claim, Items
from proofs.claims.written import Order, written_before
from proofs.enumeration.question import ANYONE, Written
from proofs.intervals import Interval
from proofs.phases.groups import groups_of
from proofs.phases.model import DIFFERENT, ITSELF, OTHER_WARPS, SAME_WARP, Member
from proofs.phases.modes import FREE
from proofs.problem import AXES, Problem, linear_thread
from proofs.records import Access, LoopRecord, Records
from proofs.terms import FALSE, THREAD, Cond, Poly, Symbol, conj, disj, divide, eq, le, same

MAX_CANDIDATES = 4096
MAX_SHARED = 1_000
MAX_ALL = 65_536  # candidates of all reads of an entry


def init_claims(problem: Problem, records: Records, graph: Graph, found: tuple[Interval, ...]) -> list[Claim]:
    """init claims of every shared read."""
    shared = [a for a in records.accesses if a.space == "shared"]
    if len(shared) > MAX_SHARED:
        words = "every byte read was written before a barrier in between"
        reason = f"the entry has more than {MAX_SHARED} accesses to shared memory"
        return [Claim(f"init.{a.id}", "init", (a.at.line,), None, words, reason=reason) for a in shared if a.reads]
    anyone, mates = (_together(found, kind) | _together(found, DIFFERENT) for kind in (OTHER_WARPS, SAME_WARP))
    in_flight = _together(found, ITSELF)
    # Loops with a barrier: all threads are in the same round there, by the trips claims.
    in_step = {loop for b in records.barriers if not b.group for loop in b.at.loops}
    in_warp = in_step | {loop for s in records.shuffles if s.orders for loop in s.at.loops}
    order = Order(problem, records, graph, found)
    claims = _local(problem, records, order)
    made: Writes = {}
    groups = groups_of(problem, records)
    threads, witnesses = _threads(problem), Witnesses()
    most = min(MAX_CANDIDATES, MAX_ALL // max(1, sum(a.reads for a in shared)))
    for read in shared:
        if not read.reads:
            continue
        before = [w for w in shared if w.writes and w.buffer == read.buffer and w is not read]
        finite = written_before(order, read, before)
        earlier = [
            w for w in shared
            if w.kind == "write" and w.buffer == read.buffer
            and set(w.at.loops) <= set(read.at.loops) and order.before(w, read)
        ]
        others, warp, own = [], [], []
        for w in earlier:
            pair = frozenset((w.id, read.id))
            if pair not in anyone and in_step.issuperset(w.at.loops):
                others.append(w)
            elif pair not in mates and in_warp.issuperset(w.at.loops):
                warp.append(w)
            elif not (w.flight and pair in in_flight) and in_step.issuperset(w.at.loops):
                own.append(w)
        handed = handovers(problem, groups, records.loops, read, before, threads) if groups else []
        claims.append(_init(problem, read, _Before(others, warp, own, handed, witnesses), finite, made, most))
    return claims


def _local(problem: Problem, records: Records, order: Order) -> list[Claim]:
    """init claims of reads of local memory, which only the thread itself can have written."""
    local = [a for a in records.accesses if a.space == "local"]
    claims = []
    for read in local:
        if not read.reads:
            continue
        own = [
            w for w in local
            if w.kind == "write" and w.buffer == read.buffer
            and set(w.at.loops) <= set(read.at.loops) and order.before(w, read)
        ]
        grain = gcd(read.width, *(w.width for w in own))
        goal = conj(
            disj(conj((*w.at.control, _covers(w.address, w.width, read.address + at, grain))) for w in own)
            for at in range(0, read.width, grain)
        )
        words = "every byte read was written by the same thread before"
        claims.append(at_access(problem, read, f"init.{read.id}", "init", words, goal.text, [goal]))
    return claims


def _together(found: tuple[Interval, ...], threads: str) -> set[frozenset[str]]:
    """Accesses in a common interval of threads that are related like this, in one iteration of the loops around both.

    Of two accesses in different intervals the one that leads to the other in the iteration is made first.
    """
    return {
        frozenset((m.access.id, n.access.id))
        for interval in found if interval.threads == threads for m in interval.members if m.access.kind == "write"
        for n in interval.members if n.access.reads and _one_iteration(m, n)
    }


def _one_iteration(m: Member, n: Member) -> bool:
    mine, theirs = dict(m.modes), dict(n.modes)
    return all(FREE in (mine[loop], theirs[loop]) or mine[loop] == theirs[loop] for loop in mine.keys() & theirs.keys())


@dataclass(frozen=True)
class _Before:
    """The writes that come before a read.

    Those of `others` count whoever makes them, those of `warp` if a lane of the reader's warp does, `own` (with nothing
    in between) only for the thread that reads, those `handed` over where a barrier of part of the block orders them.
    """

    others: list[Access]
    warp: list[Access]
    own: list[Access]
    handed: list[Handover]
    witnesses: Witnesses

    def candidates(self, threads: int) -> int:
        """How many writes of one thread there are."""
        return threads * len([*self.others, *self.warp]) + sum(len(h.threads) for h in self.handed)

    @property
    def grain(self) -> int:
        """What divides the widths of all of them."""
        accesses = [*self.others, *self.warp, *self.own, *(h.write for h in self.handed)]
        return gcd(*(w.width for w in accesses))


def _init(problem: Problem, read: Access, before: _Before, finite: Written, made: Writes, most: int) -> Claim:
    name, words = f"init.{read.id}", "every byte read was written before a barrier in between"
    if before.own:
        words += ", or by the same thread"
    threads = _threads(problem)
    if before.candidates(len(threads)) > most:
        before = replace(before, handed=[h for h in before.handed if h.back == 0])
    if not threads or before.candidates(len(threads)) > most:
        # The query says more than the claim: that a writer is the one that the address names.
        grain = gcd(read.width, before.grain, *(w.width for w, _ in _ended(finite)))
        goal = conj(_by_address(problem, read, before, finite, grain))
        claim = at_access(problem, read, name, "init", words, goal.text, [goal], finite=finite)
        if not threads and goal != FALSE:
            return claim  # a counterexample may be one of the goal alone: that it shows is what counts
        come = finite.writers or before.handed
        reason = "cannot tell whether the writes before it reach every byte"
        return replace(claim, partial=True, reason=reason if come else "no write comes before the read")

    def goal_of_all() -> tuple[str, Items]:
        grain = gcd(read.width, before.grain, *(w.width for w, _ in _ended(finite)))
        by_address = _by_address(problem, read, replace(before, others=[], own=[]), finite, grain)
        listed = _parts(problem, read, before, made, grain)
        found = conj(disj(ways) for ways in zip(listed, by_address, strict=True))
        return found.text, [found]

    return at_access(problem, read, name, "init", words, goal_of_all, [], finite=finite)


def _ended(finite: Written) -> list[tuple[Access, LoopRecord]]:
    """The writes of anyone in a loop that has ended, with that loop."""
    return [
        (w.access, w.inner[0]) for w in finite.writers
        if w.by == ANYONE and not w.back and not w.since and len(w.inner) == 1 and w.access.kind == "write"
        and w.control == w.access.at.control
    ]


def _by_address(problem: Problem, read: Access, before: _Before, finite: Written, grain: int) -> Iterator[Cond]:
    """For each part of the read's bytes, that the thread which its address names, or this one, has written it."""
    for at in range(0, read.width, grain):
        byte = read.address + at
        choices = [
            conj((there, _covers(begin, write.width, byte, grain)))
            for write, loop in (*((w, None) for w in before.others), *_ended(finite))
            if (found := writer_of(problem, write, byte, loop)) is not None
            for there, begin in (found,)
        ]
        choices += [conj((*w.at.control, _covers(w.address, w.width, byte, grain))) for w in before.own]
        yield disj(choices)


def _parts(problem: Problem, read: Access, before: _Before, made: Writes, grain: int) -> Iterator[Cond]:
    """For each part of the read's bytes, that one of the writes covers it."""
    threads = _threads(problem)
    here = divide(linear_thread(problem.specials), WARP)
    handed = list(before.witnesses.before(read, before.handed))
    for at in range(0, read.width, grain):
        byte = read.address + at
        choices = [_covering(m, byte, grain) for write in before.others for m in _made(write, threads, made)]
        choices += [conj((w.there, disj(_covers(b, w.width, byte, grain) for b in w.begins))) for w in handed]
        choices += [
            conj((same(here, here.substitute(mapping)), _covering(m, byte, grain)))
            for write in before.warp for mapping, m in zip(threads, _made(write, threads, made), strict=True)
        ]
        choices += [conj((*w.at.control, _covers(w.address, w.width, byte, grain))) for w in before.own]
        yield disj(c for c in choices if c != FALSE)


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


@dataclass(frozen=True)
class _Made:
    """A write that one thread of known number makes: under which condition, where, and how wide it is."""

    control: Cond
    begin: Poly
    width: int


Writes = dict[str, list[_Made | None]]


def _made(write: Access, threads: list[dict[Symbol, Poly]], made: Writes) -> list[_Made | None]:
    """The write as each thread makes it, kept for other reads; None where it hangs on values of the writer's own."""
    if write.id not in made:
        made[write.id] = [_of_thread(write, mapping) for mapping in threads]
    return made[write.id]


def _of_thread(write: Access, mapping: dict[Symbol, Poly]) -> _Made | None:
    control = conj(c.substitute(mapping) for c in write.at.control)
    begin = write.address.substitute(mapping)
    # What is left of the writer's unknowns would be taken for the reader's, which has the same names; but the round of
    # a loop around both is one for all.
    rounds = {f"k@{loop}" for loop in write.at.loops}
    own = {s for s in control.symbols() | begin.symbols() if s.scope == THREAD and s.name not in rounds}
    return None if control == FALSE or own else _Made(control, begin, write.width)


def _covering(made: _Made | None, byte: Poly, grain: int) -> Cond:
    """That this write covers the bytes."""
    return FALSE if made is None else conj((made.control, _covers(made.begin, made.width, byte, grain)))


def _covers(begin: Poly, width: int, byte: Poly, grain: int) -> Cond:
    return eq(begin - byte) if width == grain else conj((le(begin, byte), le(byte + grain, begin + width)))
