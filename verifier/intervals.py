"""Which accesses of one block may happen with no barrier between them, walked over the audit's own flow graph.

For a loop that holds a barrier the walk keeps the iteration relative to the start of the interval (`base`, `base+1`)
or absolute (`0`, `1`); after more than AHEAD rounds, and in every other loop, it is `free`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from verifier.conditions import Subject
from verifier.flow import Flow, Loop, flow_of

AHEAD = 2
Modes = tuple[tuple[str, str], ...]


class Walk:
    """The flow of an entry with the records' places on it."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.flow: Flow = flow_of(subject.entry)
        instructions = subject.entry.instructions
        self.lines = {i.line: at for at, i in enumerate(instructions)}
        self.loops = {loop.line: loop.id for loop in subject.records.loops.values()}
        barriers = {b.line for b in subject.records.barriers.values()}
        self.stops = {self.lines[line] for line in barriers if instructions[self.lines[line]].guard is None}
        self.holding = {
            h for h, loop in self.flow.loops.items() if any(self.lines[line] in loop.body for line in barriers)
        }

    @cached_property
    def found(self) -> dict[str, set[tuple[str, Modes]]]:
        """Members of each interval by what starts it: `entry` or a barrier's id."""
        starts: dict[str, tuple[int, Modes]] = {"entry": (0, ())}
        for barrier in self.subject.records.barriers.values():
            at = self.lines[barrier.line]
            modes = tuple((self._name(loop), "base") for loop in self.flow.chains[at] if loop.header in self.holding)
            starts[barrier.id] = (at, modes)
        return {name: self._members(at, modes, first=name == "entry") for name, (at, modes) in starts.items()}

    def together(self, a: str, b: str) -> bool:
        """Whether two accesses share an interval."""
        return any({a, b} <= {access for access, _ in members} for members in self.found.values())

    def reaches(self, a: int, b: int) -> bool:
        """Whether control can go from line a on to line b, round loops too."""
        seen: set[int] = set()
        work = list(self.flow.successors[self.lines[a]])
        while work:
            at = work.pop()
            if at not in seen:
                seen.add(at)
                work.extend(self.flow.successors[at])
        return self.lines[b] in seen

    def _name(self, loop: Loop) -> str:
        return self.loops.get(loop.line, f"L{loop.line}")

    def _members(self, at: int, modes: Modes, first: bool) -> set[tuple[str, Modes]]:
        accesses = {a.line: a.id for a in self.subject.records.accesses.values()}
        members: set[tuple[str, Modes]] = set()
        seen: set[tuple[int, Modes]] = set()
        start = (at, self._enter(at, modes)) if first else None
        work = [start] if start else [(after, self._move(at, after, modes)) for after in self.flow.successors[at]]
        while work:
            state = work.pop()
            if state in seen:
                continue
            seen.add(state)
            here, now = state
            if here in self.stops:
                continue
            line = self.subject.entry.instructions[here].line
            if line in accesses:
                around = dict(now)
                chain = [self._name(loop) for loop in self.flow.chains[here]]
                members.add((accesses[line], tuple(sorted((n, around.get(n, "free")) for n in chain))))
            work += [(after, self._move(here, after, now)) for after in self.flow.successors[here]]
        return members

    def _enter(self, at: int, modes: Modes) -> Modes:
        loop = self.flow.loops.get(at)
        return ((self._name(loop), "0"),) if loop is not None and at in self.holding else modes

    def _move(self, source: int, target: int, modes: Modes) -> Modes:
        inside = {self._name(loop) for loop in self.flow.chains[target]}
        kept = {name: mode for name, mode in modes if name in inside}
        loop = self.flow.loops.get(target)
        if loop is not None and target in self.holding:
            name = self._name(loop)
            kept[name] = _next(kept.get(name, "free")) if source in loop.body else "0"
        return tuple(sorted(kept.items()))


def _next(mode: str) -> str:
    if mode == "free":
        return mode
    base = mode.startswith("base")
    count = int(mode.removeprefix("base").removeprefix("+") or 0) + 1
    if count > AHEAD:
        return "free"
    return f"base+{count}" if base else str(count)


def check_intervals(walk: Walk) -> list[str]:
    """What the recorded intervals lack."""
    recorded: dict[str, list[tuple[str, Mapping[str, str]]]] = {}
    for interval in walk.subject.records.intervals.values():
        recorded.setdefault(interval.start, []).extend(interval.members)
    found = []
    for start, members in walk.found.items():
        if start not in recorded:
            found.append(f"no interval starts at {start}")
            continue
        for access, modes in sorted(members):
            if not any(a == access and _covers(given, dict(modes)) for a, given in recorded[start]):
                found.append(f"access {access} belongs to the interval that starts at {start} (iterations {modes})")
    return found


def _covers(given: Mapping[str, str], modes: Mapping[str, str]) -> bool:
    return set(given) == set(modes) and all(given[n] in ("free", mode) for n, mode in modes.items())
