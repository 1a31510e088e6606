"""Barrier intervals: which accesses of one block may happen with no block barrier between them.

From the entry and from each barrier the code is walked to the barriers that end the interval. On the way the walk
knows, for each loop that holds a barrier, which iteration it is in relative to where it began: the same (`base`), the
next (`base+1`), the first (`0`), ... or, after more rounds than that, any (`free`). Iterations of a loop without a
barrier are always free. Both threads of a pair are in the same interval, since all threads pass the same barriers
(the barrier and trips claims).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proofs.cfg import Graph
from proofs.records import Access, Records
from proofs.terms import THREAD, Poly, Symbol
from spec.ptx.ast import Instr

MAX_AHEAD = 2
Modes = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Member:
    """An access in an interval, with the iteration of each loop around it: free, 0, 1, base, base+1, ..."""

    access: Access
    modes: Modes

    def iterations(self) -> Iterator[tuple[str, Poly | None]]:
        """Loop and the term its iteration count has; None where it is free."""
        for loop, mode in self.modes:
            if mode == "free":
                yield loop, None
            elif mode.startswith("base"):
                base = Poly.symbol(Symbol(f"k@{loop}", "iteration", THREAD, 0, None))
                yield loop, base + int(mode.removeprefix("base").removeprefix("+") or 0)
            else:
                yield loop, Poly.constant(int(mode))


@dataclass(frozen=True)
class Pairing:
    name: str
    first: Member
    second: Member


@dataclass(frozen=True)
class Interval:
    """`start` is entry or a barrier's id."""

    id: str
    start: str
    members: tuple[Member, ...]

    def pairs(self) -> Iterator[Pairing]:
        """Members of one shared variable of which at least one writes, each unordered pair once."""
        shared = [m for m in self.members if m.access.space == "shared"]
        seen: dict[str, int] = {}
        for i, a in enumerate(shared):
            for b in shared[i:]:
                if a.access.buffer != b.access.buffer or not (a.access.writes or b.access.writes):
                    continue
                name = f"{a.access.id}.{b.access.id}"
                n = seen.get(name, 0)
                seen[name] = n + 1
                yield Pairing(name + (f".{n}" if n else ""), a, b)


def intervals(graph: Graph, records: Records, places: dict[int, str]) -> tuple[Interval, ...]:
    """The intervals of an entry."""
    walker = _Walker(graph, records, places)
    found = [Interval("i0", "entry", walker.walk((graph.order[0], 0, ())))]
    for i, barrier in enumerate(records.barriers):
        block, at = walker.position[barrier.at.place]
        modes = tuple((loop, "base") for loop in barrier.at.loops)
        found.append(Interval(f"i{i + 1}", barrier.id, walker.walk((block, at + 1, modes))))
    return tuple(found)


class _Walker:
    def __init__(self, graph: Graph, records: Records, places: dict[int, str]) -> None:
        self.graph, self.places = graph, places
        self.accesses = {a.at.place: a for a in records.accesses}
        self.barriers = {b.at.place for b in records.barriers}
        self.position: dict[str, tuple[int, int]] = {}
        self.headers: dict[int, str] = {}
        for index in graph.order:
            for at, instruction in enumerate(graph.blocks[index].instructions):
                self.position[places[id(instruction)]] = (index, at)
            if index in graph.loops:
                first: list[Instr] = graph.blocks[index].instructions
                self.headers[index] = places[id(first[0])] if first else f"B{index}"
        self.held = {
            h: any(self.position[b][0] in loop.blocks for b in self.barriers) for h, loop in graph.loops.items()
        }

    def walk(self, start: tuple[int, int, Modes]) -> tuple[Member, ...]:
        """Every access reached before a barrier."""
        members: dict[Member, None] = {}
        seen = {start}
        work = [start]
        while work:
            index, at, modes = work.pop()
            block = self.graph.blocks[index]
            stopped = False
            for instruction in block.instructions[at:]:
                place = self.places[id(instruction)]
                # A guarded barrier does not end the interval for threads that skip it.
                if place in self.barriers and instruction.guard is None:
                    stopped = True
                    break
                access = self.accesses.get(place)
                if access is not None:
                    around = dict(modes)
                    mine = tuple((loop, around.get(loop, "free")) for loop in access.at.loops)
                    members[Member(access, mine)] = None
            if stopped:
                continue
            for successor in block.successors():
                state = (successor, 0, self._move(index, successor, modes))
                if state not in seen:
                    seen.add(state)
                    work.append(state)
        return tuple(members)

    def _move(self, source: int, target: int, modes: Modes) -> Modes:
        inside = {self.headers[h]: h for h, loop in self.graph.loops.items() if target in loop.blocks}
        kept = {loop: mode for loop, mode in modes if loop in inside}
        name = self.headers.get(target)
        if name is not None:
            back = source in self.graph.loops[target].blocks
            if not self.held[target]:
                kept[name] = "free"
            elif back:
                kept[name] = _next(kept.get(name, "free"))
            else:
                kept[name] = "0"
        return tuple(sorted(kept.items()))


def _next(mode: str) -> str:
    if mode == "free":
        return mode
    base = mode.startswith("base")
    count = int(mode.removeprefix("base").removeprefix("+") or 0) + 1
    if count > MAX_AHEAD:
        return "free"
    return f"base+{count}" if base else str(count)
