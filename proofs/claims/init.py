"""The claim that shared memory is written before it is read.

A shared read needs, for each of its bytes, a write that some thread of the block makes before a barrier that lies
between, or that the reading thread itself makes before. Enumeration looks for it among all threads, rounds and phases.
For a few writes outside of loops there is a query as well: with the writer's number a constant, its address and guard
become constants of the query. Elsewhere the query says more than the claim, that the read is not reached at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import gcd

from proofs.cfg import EXIT, Graph
from proofs.claims.memory import at_access
from proofs.claims.model import Claim, conjunction
from proofs.enumeration.question import Writer, Written
from proofs.intervals import Interval, Member
from proofs.problem import AXES, Problem
from proofs.records import Access, LoopRecord, Records
from proofs.state import merge_controls
from proofs.symbolic import instruction_places
from proofs.terms import FALSE, THREAD, Atom, Cond, ModAtom, Poly, Symbol, conj, disj, eq, le

MAX_CANDIDATES = 4096
MAX_BACK = 8


def init_claims(problem: Problem, records: Records, graph: Graph, found: tuple[Interval, ...]) -> list[Claim]:
    """init claims of every shared read."""
    shared = [a for a in records.accesses if a.space == "shared"]
    order = _Order(problem, records, graph, found)
    claims = []
    for read in shared:
        if not read.reads:
            continue
        writes = [w for w in shared if w.writes and w.buffer == read.buffer and w is not read]
        claims.append(_init(problem, order, read, writes))
    return claims


class _Order:
    """Which of two accesses comes first, and whether a barrier lies between them."""

    def __init__(self, problem: Problem, records: Records, graph: Graph, found: tuple[Interval, ...]) -> None:
        places = instruction_places(problem)
        self.graph = graph
        self.at: dict[str, tuple[int, int]] = {}
        self.headers: dict[int, str] = {}
        for index in graph.order:
            for i, instruction in enumerate(graph.blocks[index].instructions):
                self.at[places[id(instruction)]] = (index, i)
            if index in graph.loops:
                first = graph.blocks[index].instructions
                self.headers[index] = places[id(first[0])] if first else f"B{index}"
        self._reached: dict[tuple[int, frozenset[str]], set[int]] = {}
        self.loops: dict[str, LoopRecord] = {loop.id: loop for loop in records.loops}
        # Loops with a barrier: all threads are in the same round there, by the trips claims.
        self.in_step = {loop for b in records.barriers for loop in b.at.loops}
        self.members: dict[str, list[tuple[str, Member]]] = {}
        for interval in found:
            for m in interval.members:
                self.members.setdefault(m.access.id, []).append((interval.id, m))

    def before(self, write: Access, read: Access) -> bool:
        """In one round of the loops around both: the write leads to the read, and the read never to the write."""
        both = frozenset(write.at.loops) & frozenset(read.at.loops)
        (block, index), (other, later) = self.at[write.at.place], self.at[read.at.place]
        if block == other and other not in self._after(block, both):
            return index < later
        return other in self._after(block, both) and block not in self._after(other, both)

    def _after(self, block: int, loops: frozenset[str]) -> set[int]:
        """Blocks that come after one without going round any of the loops."""
        if (block, loops) not in self._reached:
            seen: set[int] = set()
            work = [block]
            while work:
                source = work.pop()
                for target in self.graph.blocks[source].successors():
                    round_again = self.headers.get(target) in loops and source in self.graph.loops[target].blocks
                    if target not in seen and not round_again and target != EXIT:
                        seen.add(target)
                        work.append(target)
            self._reached[block, loops] = seen
        return self._reached[block, loops]

    def apart(self, write: Access, read: Access, ring: str, back: int) -> bool:
        """Whether no interval holds the write and, `back` rounds of `ring` later, the read.

        Rounds of the other loops around both are the same.
        """
        both = set(write.at.loops) & set(read.at.loops)
        for interval, w in self.members.get(write.id, []):
            for other, r in self.members.get(read.id, []):
                if interval == other and all(
                    _ahead(w, r, loop) in (None, back if loop == ring else 0) for loop in both
                ):
                    return False
        return True


def _ahead(write: Member, read: Member, loop: str) -> int | None:
    """How many rounds of a loop the read is ahead in an interval; None if it may be any number."""
    first, second = dict(write.modes)[loop], dict(read.modes)[loop]
    if "free" in (first, second) or first.startswith("base") != second.startswith("base"):
        return None
    return _round(second) - _round(first)


def _round(mode: str) -> int:
    return int(mode.removeprefix("base").removeprefix("+") or 0)


def _init(problem: Problem, order: _Order, read: Access, writes: list[Access]) -> Claim:
    name, words = f"init.{read.id}", "every byte read was written before a barrier in between"
    tied = tuple(loop for loop in read.at.loops if loop in order.in_step)
    earlier = [
        w for w in writes
        if w.kind == "write" and order.before(w, read) and order.in_step.issuperset(w.at.loops)
        and set(w.at.loops) <= set(read.at.loops)
    ]
    own = [w for w in earlier if not w.flight and not order.apart(w, read, "", 0)]
    if own:
        words += ", or by the same thread"
    finite = _finite(order, read, writes, tied)
    before = [w for w in earlier if order.apart(w, read, "", 0)]
    threads = _threads(problem)
    if (not threads and not own) or len(threads) * len(before) > MAX_CANDIDATES or not (before or own):
        claim = at_access(problem, read, name, "init", words, "false", [], finite=finite)
        return replace(claim, partial=True, reason=_reason(finite))
    grain = read.width
    for w in (*before, *own):
        grain = gcd(grain, w.width)
    parts: list[Cond] = []
    for at in range(0, read.width, grain):
        byte = read.address + at
        choices = [
            _writes(write, mapping, byte, grain) for write in before for mapping in threads
        ]
        choices += [conj((*w.at.control, _covers(w.address, w.width, byte, grain))) for w in own]
        parts.append(disj(c for c in choices if c != FALSE))
    goal = conj(parts)
    return at_access(
        problem, read, name, "init", words, goal.text if parts else conjunction([]), [goal], finite=finite
    )


def _reason(finite: Written) -> str:
    if not finite.writers and not finite.own:
        return "no write to this variable comes before the read"
    return "cannot tell whether the writes before it reach every byte"


# --- for enumeration ---------------------------------------------------------------------------------------------


def _finite(order: _Order, read: Access, writes: list[Access], tied: tuple[str, ...]) -> Written:
    """The writes that come before the read, by the rounds that lie between."""
    around = read.at.loops
    innermost = [loop for loop in around if loop in tied and any(loop in w.at.loops for w in writes)]
    ring = innermost[-1] if innermost else ""
    depth = max((_looked_at(a, ring) for a in (read, *writes) if ring in a.at.loops), default=0)
    writers: list[Writer] = []
    own: list[Writer] = []
    for w in writes:
        common = [loop for loop in w.at.loops if loop in around]
        inner = tuple(order.loops[loop] for loop in w.at.loops if loop not in around)
        for back in range(depth + 1 if ring and common and common[-1] == ring else 1):
            if not back and not order.before(w, read):
                continue
            writer = Writer(w, w.at.control, back, inner)
            if order.in_step.issuperset(common) and order.apart(w, read, ring, back):
                writers.append(writer)
            elif not w.flight and not read.warp and not w.warp:
                own.append(writer)
    return Written(read, tied, ring, depth, _merged(writers), _merged(own))


def _looked_at(access: Access, ring: str) -> int:
    """How many rounds back may matter: as many as a ring has stages, and otherwise the last one."""
    found = 1
    work: list[Poly] = [access.address]
    while work:
        for atom in work.pop().atoms():
            inner = getattr(atom, "a", None)
            if isinstance(atom, ModAtom) and _mentions(atom, ring):
                found = max(found, min(atom.c, MAX_BACK))
            if isinstance(inner, Poly):
                work.append(inner)
    return found


def _mentions(atom: Atom, ring: str) -> bool:
    return any(s.name == f"k@{ring}" for s in atom.symbols())


def _merged(writers: Iterable[Writer]) -> tuple[Writer, ...]:
    """Writes of the same bytes on different paths, as one that is made on either."""
    groups: dict[tuple[object, ...], list[Writer]] = {}
    for w in writers:
        key = (w.access.address.text, w.access.width, w.back, tuple(loop.id for loop in w.inner), w.access.at.loops)
        groups.setdefault(key, []).append(w)
    found: list[Writer] = []
    for group in groups.values():
        found += group
        if len(group) > 1:
            found.append(replace(group[0], control=merge_controls([w.control for w in group])))
    return tuple(found)


# --- for the query -----------------------------------------------------------------------------------------------


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
    """That this thread's write happens and covers the bytes; FALSE where that hangs on values of the writer's own."""
    control = conj(c.substitute(mapping) for c in write.at.control)
    begin = write.address.substitute(mapping)
    # What is left of the writer's unknowns would be taken for the reader's, which has the same names; but the round of
    # a loop around both is one for all.
    rounds = {f"k@{loop}" for loop in write.at.loops}
    own = {s for s in control.symbols() | begin.symbols() if s.scope == THREAD and s.name not in rounds}
    if control == FALSE or own:
        return FALSE
    return conj((control, _covers(begin, write.width, byte, grain)))


def _covers(begin: Poly, width: int, byte: Poly, grain: int) -> Cond:
    return eq(begin - byte) if width == grain else conj((le(begin, byte), le(byte + grain, begin + width)))
