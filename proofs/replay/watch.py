"""What a run of the emulator shows: its faults, the accesses at the lines of interest, who wrote which byte twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.effort import ACCESS_UNITS, STEP_UNITS, Meter
from proofs.names import plain_name
from proofs.places import instruction_places
from proofs.problem import Problem
from proofs.records import Records
from proofs.replay.contrary import Contrary
from proofs.replay.model import Index, Launch
from spec.ptx.access import AccessEvent
from spec.ptx.ast import Instr
from spec.ptx.block import StepEvent
from spec.ptx.faults import Enough, Fault
from spec.ptx.lanes import Lanes
from spec.ptx.machine import Result, run
from spec.ptx.memory import WINDOWS, Buffer
from spec.ptx.program import decode

MAX_SEEN = 100_000
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Seen:
    """One access of one thread. `first` counts bytes from the start of `place`; `iteration` rounds of each loop."""

    line: int
    kind: str
    block: Index
    thread: Index
    iteration: Mapping[str, int]
    place: str
    first: int
    width: int
    address: int

    def to_json(self) -> dict[str, object]:
        return {
            "line": self.line, "kind": self.kind, "block": list(self.block), "thread": list(self.thread),
            "iteration": dict(self.iteration), "buffer": self.place, "bytes": [self.first, self.first + self.width - 1],
        }

    def __str__(self) -> str:
        rounds = "".join(
            f", iteration {n} of the loop at line {loop.removeprefix('L')}" for loop, n in self.iteration.items()
        )
        return (
            f"line {self.line}: {self.kind} of bytes {self.first}..{self.first + self.width - 1} of {self.place} by "
            f"block {self.block}, thread {self.thread}{rounds}"
        )


class Watch:
    """Listens to one run.

    Args:
        lines: where accesses are kept.
        writers: whether to look for bytes written twice.
        on_line: called for every instruction at one of `lines`.
        cost: what runs cost is added to it; a run ends where it is over.
        one_value: lines of stores that are proved to put the same value in the same place.
    """

    def __init__(
        self, problem: Problem, records: Records, launch: Launch, lines: Sequence[int],
        writers: bool = False, on_line: Callable[[StepEvent, Watch], None] | None = None, cost: Meter | None = None,
        one_value: frozenset[frozenset[int]] = frozenset(),
    ) -> None:
        self.problem, self.loops, self.launch = problem, records.loops, launch
        self._around = {a.at.line: a.at.loops for a in records.accesses}
        unlike = {a.at.line for a in records.accesses if not a.alike}
        alike = {a.at.line for a in records.accesses if not problem.strict} - unlike
        self._alike = frozenset(alike)
        self.lines, self.writers, self.on_line = frozenset(lines), writers, on_line
        self.cost, self.one_value = cost, one_value
        self.seen: list[Seen] = []
        self.twice: list[tuple[Seen, Seen]] = []
        self._places = instruction_places(problem.function)
        self._shared = decode(problem.function, problem.module, launch.dynamic_shared).shared
        self._headers = {loop.id for loop in records.loops}
        self._rounds: dict[str, Array] = {}
        self._of_block: dict[Index, dict[str, Array]] = {}
        self._block: Index | None = None
        self._written: dict[int, Seen] = {}

    def run(
        self, schedule: str, step_limit: int, blocks: Sequence[Index] | None = None,
        enough: Callable[[Fault], bool] | None = None,
    ) -> Result:
        """Run the blocks of the launch, or others, with every detector on, at most until a fault is enough."""
        launch, problem = self.launch, self.problem
        return run(
            problem.function, problem.module, grid=launch.grid, block=launch.block, args=dict(launch.arguments),
            memory=launch.memory, blocks=launch.blocks if blocks is None else blocks, schedule=schedule,
            dynamic_shared=launch.dynamic_shared, step_limit=step_limit, allow_exited=problem.allow_exited,
            alike=self._alike, lenient=not problem.strict, one_value=self.one_value,
            on_access=self._access, on_step=self._step, enough=enough, domain=Contrary if launch.contrary else Lanes,
        )

    def rounds(self, thread: int) -> dict[str, int]:
        """Completed rounds of each loop that a thread has entered."""
        return {name: int(counts[thread]) for name, counts in self._rounds.items() if counts[thread] >= 0}

    def done(self, loop: str) -> Array:
        """Completed rounds of a loop by thread, -1 where it has not entered it."""
        return self._rounds[loop]

    def place(self, instruction: Instr) -> str:
        """The name that no other instruction has."""
        return self._places[id(instruction)]

    def index(self, thread: int) -> Index:
        """A linear thread number as an index."""
        x, y, _ = self.launch.block
        return thread % x, thread // x % y, thread // (x * y)

    def find(self, line: int, block: Index, thread: Index, start: int | None, width: int) -> Seen | None:
        """The access at a line by a thread that meets these bytes; `start` may be a generic address."""
        for seen in self.seen:
            if (seen.line, seen.block, seen.thread) != (line, block, thread):
                continue
            begin = seen.address + WINDOWS.get(seen.place.partition(" ")[0], 0)
            if start is None or seen.address == start or (start < begin + seen.width and begin < start + width):
                return seen
        return None

    def _step(self, event: StepEvent) -> None:
        if self.cost is not None:
            self.cost.spend(STEP_UNITS)
            if self.cost.over:
                raise Enough
        if event.block != self._block:
            x, y, z = self.launch.block
            self._block = event.block
            if event.block not in self._of_block:
                self._of_block[event.block] = {loop.id: np.full(x * y * z, -1, np.int64) for loop in self.loops}
            self._rounds = self._of_block[event.block]
        place = self._places[id(event.instr)]
        if place in self._headers:
            self._rounds[place][event.standing] += 1
            for inner in self.loops:
                if inner.parent == place:
                    self._rounds[inner.id][event.standing] = -1
        if self.on_line is not None and event.instr.line in self.lines:
            self.on_line(event, self)

    def _access(self, event: AccessEvent) -> None:
        if self.cost is not None:
            self.cost.spend(ACCESS_UNITS)
        if event.line not in self.lines and not (self.writers and event.kind == "write" and event.space == "global"):
            return
        x, y, _ = self.launch.block
        thread = event.thread[0] + x * (event.thread[1] + y * event.thread[2])
        buffer = self.launch.memory.find(event.address) if event.space == "global" else None
        place, first = self._place(event, buffer)
        rounds = {loop: n for loop, n in self.rounds(thread).items() if loop in self._around.get(event.line, ())}
        seen = Seen(
            event.line, event.kind, event.block, event.thread, rounds, place, first, event.width,
            event.address,
        )
        if event.line in self.lines and len(self.seen) < MAX_SEEN:
            self.seen.append(seen)
        if self.writers and event.kind == "write" and event.space == "global":
            self._write(seen)

    def _place(self, event: AccessEvent, buffer: Buffer | None) -> tuple[str, int]:
        """What an address lies in, and the byte of it."""
        if buffer is not None:
            return buffer.name, event.address - self.launch.origins.get(buffer.name, buffer.base)
        if event.space == "shared":
            below = [(at, name) for name, at in self._shared.items() if at <= event.address]
            if below:
                at, name = max(below)
                return f"shared {plain_name(name)}", event.address - at
        return event.space, event.address

    def _write(self, seen: Seen) -> None:
        for byte in range(seen.address, seen.address + seen.width):
            before = self._written.setdefault(byte, seen)
            if before is seen:
                continue
            same = (before.block, before.thread) == (seen.block, seen.thread)
            if not (same and seen.place in self.problem.rewrites):
                self.twice.append((before, seen))
                if {before.line, seen.line} == self.lines:
                    raise Enough
                return
