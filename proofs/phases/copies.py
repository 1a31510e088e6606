"""Asynchronous copies in flight: which intervals they reach into, and what their own thread does meanwhile.

A copy is complete once its thread waits for its group: `wait_group N` completes a copy whose group was committed with
at least N younger groups after it (PTX ISA 9.7.9.25.3.3). A commit or a wait under a predicate counts where the
predicate is known to hold; otherwise both ways are followed. In flight a copy is in the interval of every barrier on
the way, as a write of its target and a read of its source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from proofs.cfg import Block
from proofs.phases.model import Member
from proofs.phases.modes import FREE, Modes, behind, parse, spell
from proofs.phases.paths import Taken, paths_from
from proofs.phases.walk import Walker
from proofs.records import Access, Records
from proofs.terms import conj, negate
from spec.ptx.ast import Instr

OPEN = -1  # the copy's group is not committed yet; else the number of younger groups that are
State = tuple[int, Taken]


class Flight:
    """One copy on its way from its instruction to the wait that completes it.

    A state is what has become of its group, and which way its thread went at branches.
    """

    def __init__(self, walker: Walker, records: Records, copy: Access) -> None:
        self.walker, self.copy = walker, copy
        self.commits = {c.at.place: conj(c.at.control) for c in records.commits}
        self.waits = {w.at.place: (conj(w.at.control), w.pending, w.everything) for w in records.waits}
        self.most = most_pending(records)
        self.paths = paths_from(copy.at, records, walker.graph)

    def follow(self, seen: Callable[[str, Modes], None]) -> None:
        """Call `seen` for every instruction that the thread comes to while the copy is in flight."""

        def visit(place: str, instruction: Instr, modes: Modes, state: State) -> Iterable[State]:
            seen(place, modes)
            return self._after(place, instruction, modes, state)

        def turn(block: Block, modes: Modes, state: State) -> Iterable[tuple[int, State]]:
            group, taken = state
            return [(way, (group, after)) for way, after in self.paths.ways(block, modes, taken)]

        index, at = self.walker.position[self.copy.at.place]
        start: State = (OPEN, frozenset())
        self.walker.explore(index, at + 1, self.walker.base(self.copy.at.loops), start, visit, turn)

    def _after(self, place: str, instruction: Instr, modes: Modes, state: State) -> list[State]:
        """The states after an instruction; none once the copy is complete."""
        group, taken = state
        changed: int | None = group
        if place in self.commits:
            condition, changed = self.commits[place], min(group + 1, self.most)
        elif place in self.waits:
            condition, pending, everything = self.waits[place]
            if everything or (group != OPEN and group >= pending):
                changed = None
        if changed == group:
            return [state]
        found = True if instruction.guard is None else self.paths.holds(condition, modes, taken)
        states = []
        if found is not False and changed is not None:
            states.append((changed, taken if found else self.paths.assume(condition, modes, taken)))
        if found is not True:
            states.append((group, self.paths.assume(negate(condition), modes, taken)))
        return states


def most_pending(records: Records) -> int:
    """The most groups that a wait leaves pending: with as many younger ones every wait completes a copy."""
    return max((wait.pending for wait in records.waits), default=0)


def carried(walker: Walker, records: Records, copy: Access) -> Iterator[tuple[str, Member]]:
    """The barriers, by place, that the copy passes in flight, with the copy as a member of the interval behind."""
    found: dict[tuple[str, Member], None] = {}
    around = {b.at.place: b.at.loops for b in records.barriers} | {s.at.place: s.at.loops for s in records.shuffles}

    def seen(place: str, modes: Modes) -> None:
        if place in walker.stops:
            found[place, _as_member(copy, dict(modes), around[place])] = None

    Flight(walker, records, copy).follow(seen)
    yield from found


def _as_member(copy: Access, modes: dict[str, str], loops: tuple[str, ...]) -> Member:
    """The copy in the interval that a barrier inside `loops` begins, reached from the copy in iterations `modes`."""
    mine = []
    for loop in copy.at.loops:
        mode = modes.get(loop, FREE)
        if mode != FREE and loop in loops:
            origin, offset = parse(mode)
            mode = spell(origin, -offset) if origin == "base" else FREE
        elif not mode.startswith("exit"):
            mode = FREE
        mine.append((loop, mode))
    start = tuple(
        (loop, mode) for loop in loops if loop not in copy.at.loops and (mode := modes.get(loop, FREE)) != FREE
    )
    return Member(copy, tuple(mine), start, behind(tuple(modes.items()))[1])


def meanwhile(walker: Walker, records: Records, copy: Access) -> tuple[Member, ...]:
    """What the copy's thread accesses while it is in flight, in iterations relative to the copy's."""
    found: dict[Member, None] = {}

    def seen(place: str, modes: Modes) -> None:
        around = dict(modes)
        for access in walker.accesses.get(place, ()):
            mine = tuple((loop, around.get(loop, FREE)) for loop in access.at.loops)
            found[Member(access, mine, *behind(modes))] = None

    Flight(walker, records, copy).follow(seen)
    return tuple(found)
