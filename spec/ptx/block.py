"""One block at work: which threads go on, branches, barriers, exchange between lanes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spec.errors import Unsupported
from spec.ptx.access import BlockMemory
from spec.ptx.ast import Imm, Instr, Module, Sym
from spec.ptx.barriers import BARRED, EXITED, RUN, WAIT, Meeting
from spec.ptx.faults import INACTIVE_LANE, STEP_LIMIT, TRAP, FaultList, Index
from spec.ptx.program import Step
from spec.ptx.schedules import Schedule
from spec.ptx.threads import EVERY_LANE, WARP

if TYPE_CHECKING:
    from spec.ptx.machine import Launch

Array = npt.NDArray[Any]


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


class Block(Meeting):
    """Carries the threads of one block through the kernel."""

    def __init__(
        self, launch: Launch, memory: BlockMemory, index: Index, name: Callable[[int], Index], schedule: Schedule,
        faults: FaultList,
    ) -> None:
        super().__init__(launch, memory, index, name, schedule, faults)
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
        if self._met_elsewhere(groups):
            return
        # Those first who wait for nobody but lanes that have exited, where that is allowed: others may wait for them.
        allowed = (g for g in groups if self.launch.allow_exited and all(map(self._gone, g[3])))
        at, mask, here, missing = next(allowed, groups[0])
        step = self.program.steps[at]
        self.line = self.memory.line = step.instr.line
        if not (self.launch.allow_exited and all(map(self._gone, missing))):
            self._missing(step, mask, here, missing, "never come here")
        self._proceed(step, at, here)

    def _met_elsewhere(self, groups: list[tuple[int, int, Array, set[int]]]) -> bool:
        """Let lanes go on that have come to several bar.warp.sync of one mask, between them all that it names.

        From sm_70 on it need not be the same instruction (PTX ISA 9.7.13.2).
        """
        if not _parts_lanes(self.program.module):
            return False
        meetings: dict[tuple[int, int], list[tuple[int, Array]]] = {}
        for at, mask, here, _ in groups:
            if self.program.steps[at].row.control == "warp_barrier":
                meetings.setdefault((int(here[0]) // WARP, mask), []).append((at, here))
        for (warp, mask), parts in meetings.items():
            together = np.sort(np.concatenate([here for _, here in parts]))
            missing = _named(warp, mask) - set(together.tolist())
            if len(parts) > 1 and not any(not (self.launch.allow_exited and self._gone(t)) for t in missing):
                self.memory.clocks.meet(together)
                self.state[together] = RUN
                for at, here in parts:
                    self.scheduler.release(here, at + 1)
                return True
        return False

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

def _parts_lanes(module: Module) -> bool:
    """Whether lanes of a warp have program counters of their own on the module's target."""
    found = re.match(r"sm_(\d+)", module.target[0]) if module.target else None
    return found is not None and int(found[1]) >= 70


def _named(warp: int, mask: int) -> set[int]:
    """The threads that a mask names."""
    return {warp * WARP + lane for lane in range(WARP) if mask >> lane & 1}
