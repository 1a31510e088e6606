"""The writes that may have initialised what a shared read takes, by who makes them and how many rounds before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from proofs.cfg import EXIT, Graph
from proofs.enumeration.question import ANYONE, ITS_THREAD, ITS_WARP, Writer, Written
from proofs.phases.model import DIFFERENT, ITSELF, OTHER_WARPS, SAME_WARP, Interval, Member
from proofs.phases.modes import FREE, parse
from proofs.places import instruction_places
from proofs.problem import Problem
from proofs.records import Access, LoopRecord, Records
from proofs.state import merge_controls
from proofs.terms import ModAtom, Poly

MAX_BACK = 8
Place = tuple[int, int]


class Order:
    """Which of two accesses comes first, and whether a barrier lies between them."""

    def __init__(self, problem: Problem, records: Records, graph: Graph, found: tuple[Interval, ...]) -> None:
        places = instruction_places(problem.function)
        self.graph = graph
        self.at: dict[str, Place] = {}
        self.headers: dict[int, str] = {}
        for index in graph.order:
            for i, instruction in enumerate(graph.blocks[index].instructions):
                self.at[places[id(instruction)]] = (index, i)
            if index in graph.loops:
                first = graph.blocks[index].instructions
                self.headers[index] = places[id(first[0])] if first else f"B{index}"
        self.loops = {loop.id: loop for loop in records.loops}
        # Loops with a barrier: all threads, or all lanes of a warp, are in the same round, by the trips claims.
        self.in_step = frozenset(loop for b in records.barriers if not b.group for loop in b.at.loops)
        self.in_warp = self.in_step | {loop for s in records.shuffles if s.orders for loop in s.at.loops}
        self._members: dict[str, list[tuple[Interval, Member]]] = {}
        for interval in found:
            for m in interval.members:
                self._members.setdefault(m.access.id, []).append((interval, m))
        self._reached: dict[tuple[int, frozenset[str]], set[int]] = {}

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

    def apart(self, write: Access, read: Access, ring: str, back: int, *threads: str) -> bool:
        """Whether no interval of threads so related holds the write and, `back` rounds of `ring` later, the read.

        Rounds of the other loops around both are the same.
        """
        return not any(True for _ in self._together(write, read, ring, back, *threads))

    def parted(self, write: Access, read: Access, ring: str, *threads: str) -> int | None:
        """From which round of `ring` on no interval so related holds a write from before that loop and the read.

        None where it may be any round. A copy in flight is in the intervals of the rounds that it is waited for in.
        """
        first = 0
        for w, r in self._together(write, read, ring, 0, *threads):
            round_ = _round(w, r, ring)
            if round_ is None:
                return None
            first = max(first, round_ + 1)
        return first

    def _together(
        self, write: Access, read: Access, ring: str, back: int, *threads: str
    ) -> Iterator[tuple[Member, Member]]:
        both = set(write.at.loops) & set(read.at.loops)
        for interval, w in self._members.get(write.id, []):
            if interval.threads not in threads:
                continue
            for other, r in self._members.get(read.id, []):
                if other is interval and all(
                    _ahead(w, r, loop) in (None, back if loop == ring else 0) for loop in both
                ):
                    yield w, r


def _ahead(write: Member, read: Member, loop: str) -> int | None:
    """How many rounds of a loop the read is ahead in an interval; None if it may be any number."""
    first, second = dict(write.modes)[loop], dict(read.modes)[loop]
    if FREE in (first, second):
        return None
    (origin, begun), (other, reached) = parse(first), parse(second)
    return reached - begun if origin == other else None


def _round(write: Member, read: Member, ring: str) -> int | None:
    """The round of the ring in which both are in one interval, where it is a number."""
    mode, began = dict(read.modes).get(ring, FREE), dict((*write.start, *read.start)).get(ring, FREE)
    if mode == FREE:
        return None
    origin, offset = parse(mode)
    if origin == "base" and began != FREE:
        start, first = parse(began)
        return first + offset if not start else None
    return None if origin else offset


def written_before(order: Order, read: Access, writes: list[Access]) -> Written:
    """What initialises a read, for enumeration."""
    around = read.at.loops
    tied = tuple(loop for loop in around if loop in order.in_step)
    rings = [loop for loop in tied if any(loop in w.at.loops for w in writes)]
    ring = rings[-1] if rings else ""
    depth = max((_looked_at(a, ring) for a in (read, *writes) if ring in a.at.loops), default=0)
    found: list[Writer] = []
    for w in writes:
        common = [loop for loop in w.at.loops if loop in around]
        inner = tuple(order.loops[loop] for loop in w.at.loops if loop not in around)
        for back in range(depth + 1 if common and common[-1] == ring else 1):
            if back or order.before(w, read):
                by = _counts_for(order, w, read, ring, back)
                if by:
                    found.append(Writer(w, w.at.control, by, back, inner))
        if ring and ring not in w.at.loops and order.before(w, read):
            found += _later(order, w, read, ring, inner)
    depth = max((depth, *(w.since for w in found)))
    return Written(read, tied, ring, depth, _merged(found))


def _later(order: Order, write: Access, read: Access, ring: str, inner: tuple[LoopRecord, ...]) -> list[Writer]:
    """A write from before the ring that is apart from the read in later rounds only, such as a copy that is waited for
    in the second one."""
    common = [loop for loop in write.at.loops if loop in read.at.loops]
    since = order.parted(write, read, ring, DIFFERENT, OTHER_WARPS)
    if not since or since > MAX_BACK or not order.in_step.issuperset(common):
        return []
    return [Writer(write, write.at.control, ANYONE, 0, inner, since)]


def _counts_for(order: Order, write: Access, read: Access, ring: str, back: int) -> str:
    """For which threads a write is made before the read: any, those of the writer's warp, itself; '' for none."""
    common = [loop for loop in write.at.loops if loop in read.at.loops]
    if order.in_step.issuperset(common) and order.apart(write, read, ring, back, DIFFERENT, OTHER_WARPS):
        return ANYONE
    # The warp's rounds are its own where there is no barrier of the block; here they must be those of the block.
    if order.in_step.issuperset(common) and order.apart(write, read, ring, back, DIFFERENT, SAME_WARP):
        return ITS_WARP
    if write.warp or read.warp or (write.flight and not order.apart(write, read, ring, back, ITSELF)):
        return ""
    return ITS_THREAD


def _looked_at(access: Access, ring: str) -> int:
    """How many rounds back may matter: as many as a ring has stages, and otherwise the last one."""
    found = 1
    work: list[Poly] = [access.address]
    while work:
        for atom in work.pop().atoms():
            inner = getattr(atom, "a", None)
            if isinstance(atom, ModAtom) and any(s.name == f"k@{ring}" for s in atom.symbols()):
                found = max(found, min(atom.c, MAX_BACK))
            if isinstance(inner, Poly):
                work.append(inner)
    return found


def _merged(writers: Iterable[Writer]) -> tuple[Writer, ...]:
    """Writes of the same bytes on different paths, and beside them one that is made on either."""
    groups: dict[tuple[object, ...], list[Writer]] = {}
    for w in writers:
        key = (w.access.address.text, w.access.width, w.by, w.back, w.since, w.access.at.loops)
        groups.setdefault(key, []).append(w)
    found: list[Writer] = []
    for group in groups.values():
        found += group
        if len(group) > 1:
            found.append(replace(group[0], control=merge_controls([w.control for w in group])))
    return tuple(found)
