"""One block at work: which threads go on, branches, barriers, exchange between lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spec.errors import Unsupported
from spec.ptx.access import BlockMemory
from spec.ptx.ast import Imm, Instr, Sym
from spec.ptx.copies import Copies
from spec.ptx.faults import BARRIER, INACTIVE_LANE, RACE, STEP_LIMIT, TRAP, FaultList, Index
from spec.ptx.memory import place_of
from spec.ptx.program import Step
from spec.ptx.races import Access, collisions
from spec.ptx.scheduler import Scheduler
from spec.ptx.schedules import Schedule
from spec.ptx.threads import EVERY_LANE, WARP, Threads

if TYPE_CHECKING:
    from spec.ptx.machine import Launch

Array = npt.NDArray[Any]

RUN, WAIT, BARRED, EXITED = 0, 1, 2, 3
BARRIERS = 16  # of a block (PTX ISA 9.7.13.1)


@dataclass(frozen=True)
class StepEvent:
    """An instruction about to be carried out.

    Args:
        standing, enabled: linear thread numbers: those that stand at it, and those of them whose guard holds.
        registers: values of all threads of the block; a register never written is absent.
    """

    instr: Instr
    block: Index
    standing: Array
    enabled: Array
    registers: Mapping[str, Array]


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


class Block(Threads):
    """Carries the threads of one block through the kernel."""

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
        self.executed = [0] * len(self.program.steps)
        self._until = 0  # how many steps the turn goes

    def run(self, steps: int) -> bool:
        """Let the threads take at most so many steps; False once every one has ended, or none is able to go on."""
        scheduler, copies, limit = self.scheduler, self.copies, self.launch.step_limit
        self._until = self.steps_taken + steps
        while self.steps_taken < self._until:
            picked = scheduler.pick()
            if picked is None:
                if not self._unblock():
                    self._pending()
                    break
                continue
            self.steps_taken += 1
            if self.steps_taken > limit:
                self.fault(STEP_LIMIT, picked[0], f"block {self.index} did not end within {limit} steps")
                break
            if copies.drifting:
                copies.drift(self.domain)
            self._step(*picked)
        else:
            return True
        self.copies.finish(self.domain)
        self._end_interval()
        return False

    def _step(self, group: Array, at: int) -> None:
        """One instruction for the threads at it; and those behind it, as long as nobody else could be next."""
        steps, on_step = self.program.steps, self.launch.on_step
        if at >= len(steps):
            self._exit(group)
            return
        step = steps[at]
        if step.plain:
            self.activate(group)
            may = min(self.launch.step_limit, self._until) - self.steps_taken
            limit = min(len(steps), at + 1 + may)
            limit = limit if self.scheduler.settled and not self.copies.piecemeal else at + 1
            self.steps_taken -= 1
            while True:
                self.steps_taken += 1
                self.line = self.memory.line = step.line
                if on_step is not None:
                    on_step(StepEvent(step.instr, self.index, group, group, self.registers))
                self.executed[at] += self.count
                self.carry_out(step)
                at += 1
                if at >= limit or not (step := steps[at]).plain:
                    break
            self.scheduler.place(group, at)
            return
        self.line = self.memory.line = step.line
        enabled = group
        if step.guard is not None:
            enabled, others = self._guarded(step.guard, step.instr.guard_negated, group)
            if others is not None:
                self.scheduler.place(others, at + 1)
        if on_step is not None:
            on_step(StepEvent(step.instr, self.index, group, enabled, self.registers))
        if not len(enabled):
            return
        self.executed[at] += len(enabled)
        if step.convergent:
            self._converge(step, at, enabled)
        elif step.row.control:
            self._control(step, at, enabled)
        else:
            self.activate(enabled)
            self.carry_out(step)
            self.scheduler.place(enabled, at + 1)

    def _guarded(self, guard: str, negated: bool, group: Array) -> tuple[Array, Array | None]:
        """Those of a group whose guard holds, and the others if there are any."""
        self.activate(group)
        holds = np.asarray(self.domain.known(self.read(guard), self.line), bool)
        holding = np.count_nonzero(holds)
        if holding == 0 or holding == len(group):
            return (group, None) if (holding > 0) != negated else (group[:0], group)
        enabled, others = group[holds], group[~holds]
        return (others, enabled) if negated else (enabled, others)

    # --- control ---
    def _control(self, step: Step, at: int, threads: Array) -> None:
        kind = step.row.control
        if kind == "branch":
            target = step.instr.operands[0]
            if not isinstance(target, Sym) or target.name not in self.program.targets:
                raise Unsupported(f"{step.instr.opcode} to {target}", line=self.line)
            self.scheduler.place(threads, self.program.targets[target.name])
        elif kind in ("exit", "return"):
            self._exit(threads)
        elif kind == "trap":
            self.fault(TRAP, threads, "trap is reached")
            self._exit(threads)
        elif kind in ("barrier", "arrive"):
            self._barrier(step, at, threads)
        elif kind == "fence":
            self.scheduler.place(threads, at + 1)
        elif kind in ("commit", "wait"):
            self._copied(step, threads)
            self.scheduler.place(threads, at + 1)
        else:
            raise Unsupported(step.instr.opcode, line=self.line)

    def _copied(self, step: Step, threads: Array) -> None:
        """Close a group of asynchronous copies, or wait for all but the youngest groups; wait_all does both."""
        if step.row.control == "commit" or not step.instr.operands:
            self.copies.commit(threads)
        if step.row.control == "wait":
            pending = step.instr.operands[0] if step.instr.operands else Imm(0)
            assert isinstance(pending, Imm)
            self.copies.wait(self.domain, threads, pending.value)

    def _exit(self, threads: Array) -> None:
        self.state[threads] = EXITED

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

    # --- instructions that lanes carry out together ---
    def _converge(self, step: Step, at: int, arrived: Array) -> None:
        """Let those go on whose whole mask stands here; the others wait."""
        self.state[arrived], self.pc[arrived] = WAIT, at
        present = np.flatnonzero((self.state == WAIT) & (self.pc == at))
        masks = self._masks(step, present)
        whole = self.threads % WARP == 0 and len(present) == self.threads
        if whole and bool((masks == EVERY_LANE).all()):
            self._proceed(step, at, present)
            return
        for warp in np.unique(self.warp_of[arrived]):
            mine = self.warp_of[present] == warp
            for mask in np.unique(masks[mine]):
                self._try(step, at, int(warp), int(mask), present[mine & (masks == mask)])

    def _masks(self, step: Step, threads: Array) -> Array:
        """The lanes that each thread names; all where the instruction has no mask."""
        if not step.masked:
            return np.full(threads.shape, EVERY_LANE, np.uint32)
        return self._words(step, threads, last=True)[-1]

    def _try(self, step: Step, at: int, warp: int, mask: int, here: Array) -> None:
        unnamed = here[(mask >> self.lane_of[here]) & 1 == 0]
        if len(unnamed):
            self.fault(INACTIVE_LANE, unnamed, f"{step.instr.opcode} with mask {mask:#010x}, which does not name it")
            self._proceed(step, at, unnamed)
            here = np.setdiff1d(here, unnamed)
        missing = _named(warp, mask) - set(here.tolist())
        gone = {t for t in missing if self._gone(t)}
        if missing - gone or not len(here):
            return
        if gone and not self.launch.allow_exited:
            self._missing(step, mask, here, gone, "have exited or do not exist")
        self._proceed(step, at, here)

    def _missing(self, step: Step, mask: int, here: Array, missing: set[int], why: str) -> None:
        lanes = ", ".join(str(t % WARP) for t in sorted(missing))
        self.fault(INACTIVE_LANE, here, f"{step.instr.opcode} with mask {mask:#010x}: lanes {lanes} {why}")

    def _proceed(self, step: Step, at: int, threads: Array) -> None:
        self.state[threads] = RUN
        if step.row.control == "warp_barrier":
            for warp in np.unique(self.warp_of[threads]):
                self.memory.clocks.meet(threads[self.warp_of[threads] == warp])
        else:
            self.activate(threads)
            self.carry_out(step)
        self.scheduler.release(threads, at + 1)

    # --- when nobody can go on ---
    def _unblock(self) -> bool:
        """Find out why no thread can go on, say so, and let go on who can. False at the end of the block."""
        waiting = np.flatnonzero(self.state == WAIT)
        if len(waiting):
            self._force(waiting)
            return True
        for which, gathering in list(self.gatherings.items()):
            alive = int((self.state != EXITED).sum())
            if self.launch.allow_exited and gathering.waiting and len(gathering.waiting) == alive:
                gathering.expected = alive
                self._open(which)
                return True
        barred = np.flatnonzero(self.state == BARRED)
        if not len(barred):
            return False
        return self._stuck(barred)

    def _force(self, waiting: Array) -> None:
        """Lanes of a mask that never come: report, then let the present ones go on."""
        groups = list(self._short(waiting))
        # Those first who wait for nobody but lanes that have exited, where that is allowed: others may wait for them.
        allowed = (g for g in groups if self.launch.allow_exited and all(map(self._gone, g[3])))
        at, mask, here, missing = next(allowed, groups[0])
        step = self.program.steps[at]
        self.line = self.memory.line = step.instr.line
        if not (self.launch.allow_exited and all(map(self._gone, missing))):
            self._missing(step, mask, here, missing, "never come here")
        self._proceed(step, at, here)

    def _short(self, waiting: Array) -> Iterator[tuple[int, int, Array, set[int]]]:
        """Threads that wait together, by instruction, warp and mask: where, the mask, who, and who does not come."""
        for at in np.unique(self.pc[waiting]).tolist():
            standing = waiting[self.pc[waiting] == at]
            masks = self._masks(self.program.steps[at], standing)
            groups = dict.fromkeys(zip((standing // WARP).tolist(), masks.tolist(), strict=True))
            for warp, mask in groups:
                here = standing[(standing // WARP == warp) & (masks == mask)]
                yield at, mask, here, _named(warp, mask) - set(here.tolist())

    def _gone(self, thread: int) -> bool:
        return thread >= self.threads or bool(self.state[thread] == EXITED)

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


def _named(warp: int, mask: int) -> set[int]:
    """The threads that a mask names."""
    return {warp * WARP + lane for lane in range(WARP) if mask >> lane & 1}


def _distinct(values: Array) -> list[int]:
    """The values that occur, in order."""
    if len(values) and (values == values[0]).all():
        return [int(values[0])]
    return sorted(set(values.tolist()))


def _in_words(access: Access) -> str:
    return f"{access.verb} by an asynchronous copy" if access.flying else access.verb
