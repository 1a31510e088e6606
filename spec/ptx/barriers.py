"""Barriers of the block: who has come to one, when it opens, what it puts in order, and why one never opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spec.ptx.access import BlockMemory
from spec.ptx.copies import Copies
from spec.ptx.faults import BARRIER, RACE, FaultList, Index
from spec.ptx.memory import place_of
from spec.ptx.program import Step
from spec.ptx.races import Access, collisions
from spec.ptx.scheduler import Scheduler
from spec.ptx.schedules import Schedule
from spec.ptx.threads import WARP, Threads

if TYPE_CHECKING:
    from spec.ptx.machine import Launch

Array = npt.NDArray[Any]

RUN, WAIT, BARRED, EXITED = 0, 1, 2, 3
BARRIERS = 16  # of a block (PTX ISA 9.7.13.1)


@dataclass
class Gathering:
    """Threads at one hardware barrier.

    `released` are the rows of what those know that only arrived (bar.arrive), `truths` the predicates of bar.red.
    """

    waiting: list[int] = field(default_factory=list)
    arrived: list[int] = field(default_factory=list)
    released: list[Array] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    truths: list[bool] = field(default_factory=list)
    expected: int = 0

    @property
    def count(self) -> int:
        return len(self.waiting) + len(self.arrived)


class Meeting(Threads):
    """Threads of a block, and the barriers where they wait for each other."""

    def __init__(
        self, launch: Launch, memory: BlockMemory, index: Index, name: Callable[[int], Index], schedule: Schedule,
        faults: FaultList,
    ) -> None:
        super().__init__(launch, memory, index, name, faults)
        self.scheduler = Scheduler(schedule, self.threads, f"block {index}")
        self.state = np.zeros(self.threads, np.int8)
        self.pc = np.zeros(self.threads, np.int64)  # of threads that wait; what goes on is the scheduler's
        self.copies = Copies(memory, self.threads, schedule, f"copies of {index}")
        self.gatherings: dict[int, Gathering] = {}

    def _words(self, step: Step, threads: Array, last: bool = False) -> list[Array]:
        """Source words of a control instruction, one for each thread; of the last operand only, if asked."""
        self.activate(threads)
        values = [source(self.reader) for source in step.plan.sources[-1 if last else 0 :]]
        return [np.broadcast_to(self.domain.known(value, self.line), threads.shape) for value in values]

    def _barrier(self, step: Step, at: int, threads: Array) -> None:
        """Threads arrive; the barrier opens once the expected number has (PTX ISA 9.7.13.1)."""
        number, *rest = self._words(step, threads)
        truths = rest.pop() if step.row.results else None
        for which in _distinct(number):
            mine = number == which
            here = threads[mine]
            gathering = self.gatherings.setdefault(which, Gathering())
            expected = int(rest[0][mine][0]) if rest else self.threads
            if truths is not None:
                gathering.truths += truths[mine].tolist()
            if which >= BARRIERS:
                self.fault(BARRIER, here, f"barrier {which}, where there are 0 to {BARRIERS - 1}")
            if rest and expected % WARP:
                self.fault(BARRIER, here, f"a barrier for {expected} threads, no multiple of {WARP}")
            gathering.expected = expected
            gathering.lines.add(self.line)
            if step.row.control == "arrive":
                gathering.arrived += here.tolist()
                gathering.released.append(self.memory.clocks.release(here))
                self.scheduler.place(here, at + 1)
            else:
                gathering.waiting += here.tolist()
                self.state[here], self.pc[here] = BARRED, at
            if gathering.count >= expected:
                self._open(which)

    def _open(self, which: int) -> None:
        """Every expected thread is there: order them, and let them go on."""
        gathering = self.gatherings.pop(which)
        waiting = np.array(sorted(gathering.waiting), np.int64)
        if gathering.count > gathering.expected:
            # Those who only arrived may be all there are.
            here = waiting if len(waiting) else np.array(sorted(gathering.arrived), np.int64)
            self.fault(BARRIER, here, f"{gathering.count} threads at barrier {which} for {gathering.expected}")
        places = self.pc[waiting]
        stands = _distinct(places)
        lines = {self.program.steps[p].line for p in stands}
        if len(lines) > 1:
            self.fault(BARRIER, waiting, f"barrier {which} pairs lines {', '.join(map(str, sorted(lines)))}")
        alive = int((self.state != EXITED).sum())
        whole = len(waiting) == self.threads or (self.launch.allow_exited and len(waiting) == alive)
        if whole:
            self._end_interval()
        elif len(waiting):
            self.memory.clocks.meet(waiting, gathering.released)
        self.state[waiting] = RUN
        for at in stands:
            here = waiting if len(stands) == 1 else waiting[places == at]
            if self.program.steps[at].row.results:
                self._reduce(self.program.steps[at], here, gathering.truths)
            self.scheduler.release(here, at + 1)

    def _reduce(self, step: Step, waiting: Array, truths: list[bool]) -> None:
        """What bar.red gives each thread that waited."""
        self.activate(waiting)
        value: Any = np.uint32(sum(truths))
        if step.form["op"]:
            value = np.bool_(all(truths) if step.form["op"] == "and" else any(truths))
        for name, result in self.reader.written(step.plan, value):
            self.write(name, result)

    def _end_interval(self) -> None:
        """Look for races since the last barrier of all threads; forget the order within the interval."""
        memory = self.memory
        clocks = memory.clocks if memory.clocks.partial else None
        for first, second in collisions(memory.log, clocks, one_value=self.launch.one_value):
            self.line = second.line
            if self.faults.again(RACE, second.line, first.line):
                continue
            threads = np.array([second.thread, first.thread])
            self.fault(
                RACE, threads,
                f"{_in_words(second)} {second.width} bytes at {place_of(second.start)};"
                f" thread {self.name(first.thread)} {_in_words(first)} them at line {first.line},"
                " and nothing orders the two", second.start, second.width, first.line,
            )
        memory.whole_log.extend(memory.log, shared=False)
        memory.whole_log.condense()
        memory.log.clear()
        memory.clocks.restart()
        self.copies.renew()

    def _pending(self) -> None:
        """Arrivals at a barrier that nobody completed before the block ended."""
        for which, gathering in self.gatherings.items():
            if gathering.arrived:
                self.line = min(gathering.lines)
                here = np.array(sorted(gathering.arrived))
                self.fault(
                    BARRIER, here,
                    f"barrier {which} for {gathering.expected} threads ends with {gathering.count} that came",
                )

    def _stuck(self, barred: Array) -> bool:
        """Threads wait at a barrier that cannot open."""
        which, gathering = next((w, g) for w, g in self.gatherings.items() if g.waiting)
        first = min(gathering.waiting)
        self.line = self.memory.line = self.program.steps[int(self.pc[first])].line
        came = np.zeros(self.threads, bool)
        came[gathering.waiting + gathering.arrived] = True
        absent = np.flatnonzero(~came)
        gone = int(np.count_nonzero(self.state[absent] == EXITED))
        if not self.faults.again(BARRIER, self.line):
            shown = ", ".join(str(self.name(int(t))) for t in absent[:4])
            reason = "have exited" if gone == len(absent) else "wait elsewhere or have exited"
            self.fault(
                BARRIER, np.array(sorted(gathering.waiting)),
                f"barrier {which} waits for {gathering.expected} threads, {gathering.count} came;"
                f" {len(absent)} {reason}: {shown}{', ...' if len(absent) > 4 else ''}",
            )
        if gone != len(absent):
            return False
        gathering.expected = gathering.count
        self._open(which)
        return True


def _distinct(values: Array) -> list[int]:
    """The values that occur, in order."""
    if len(values) and (values == values[0]).all():
        return [int(values[0])]
    return sorted(set(values.tolist()))


def _in_words(access: Access) -> str:
    return f"{access.verb} by an asynchronous copy" if access.flying else access.verb
