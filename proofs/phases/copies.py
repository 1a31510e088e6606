"""Asynchronous copies in flight: which intervals they reach into, and what their own thread does meanwhile.

A copy is complete once its thread waits for its group: `wait_group N` completes a copy whose group was committed with
at least N younger groups after it (PTX ISA 9.7.9.25.3.3). A commit or a wait under a predicate may not happen, so both
ways are followed. In flight a copy is in the interval of every barrier on the way, as a write of its target and a read
of its source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proofs.phases.model import Member
from proofs.phases.modes import FREE, Modes, parse, spell
from proofs.phases.walk import Walker
from proofs.records import Access, Records
from spec.ptx.ast import Instr

OPEN = -1  # the copy's group is not committed yet; else the number of younger groups that are


@dataclass(frozen=True)
class Groups:
    """Where groups are closed and waited for."""

    commits: frozenset[str]
    waits: dict[str, tuple[int, bool]]

    @property
    def most(self) -> int:
        """Younger groups beyond which every wait completes the copy."""
        return max((pending for pending, _ in self.waits.values()), default=0)

    def after(self, place: str, instruction: Instr, state: int) -> tuple[int, ...]:
        """The copy's state after an instruction; none once it is complete."""
        changed: tuple[int, ...] = (state,)
        if place in self.commits:
            changed = (min(state + 1, self.most),)
        elif place in self.waits:
            pending, everything = self.waits[place]
            if everything or (state != OPEN and state >= pending):
                changed = ()
        if instruction.guard is not None and changed != (state,):
            return (state, *changed)
        return changed


def groups(records: Records) -> Groups:
    return Groups(
        frozenset(c.at.place for c in records.commits), {w.at.place: (w.pending, w.everything) for w in records.waits}
    )


def carried(walker: Walker, records: Records, copy: Access) -> Iterator[tuple[str, Member]]:
    """The barriers, by place, that the copy passes in flight, with the copy as a member of the interval behind."""
    found: dict[tuple[str, Member], None] = {}
    group = groups(records)
    around = {b.at.place: b.at.loops for b in records.barriers} | {s.at.place: s.at.loops for s in records.shuffles}

    def visit(place: str, instruction: Instr, modes: Modes, state: int) -> tuple[int, ...]:
        if place in walker.stops:
            found[place, _as_member(copy, dict(modes), around[place])] = None
        return group.after(place, instruction, state)

    index, at = walker.position[copy.at.place]
    walker.explore(index, at + 1, walker.base(copy.at.loops), OPEN, visit)
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
    return Member(copy, tuple(mine), start)


def meanwhile(walker: Walker, records: Records, copy: Access) -> tuple[Member, ...]:
    """What the copy's thread accesses while it is in flight, in iterations relative to the copy's."""
    found: dict[Member, None] = {}
    group = groups(records)

    def visit(place: str, instruction: Instr, modes: Modes, state: int) -> tuple[int, ...]:
        around = dict(modes)
        for access in walker.accesses.get(place, ()):
            found[Member(access, tuple((loop, around.get(loop, FREE)) for loop in access.at.loops))] = None
        return group.after(place, instruction, state)

    index, at = walker.position[copy.at.place]
    walker.explore(index, at + 1, walker.base(copy.at.loops), OPEN, visit)
    return tuple(found)
