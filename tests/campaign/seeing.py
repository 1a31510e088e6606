"""What the machine shows of a kernel: its faults under adversarial schedules, and what is left in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from spec.ptx.access import AccessEvent
from spec.ptx.ast import Function, Instr, Module
from spec.ptx.block import StepEvent
from spec.ptx.faults import (
    BARRIER,
    INACTIVE_LANE,
    MISALIGNED,
    OUT_OF_BOUNDS,
    RACE,
    READ_ONLY,
    STEP_LIMIT,
    TRAP,
    UNINITIALISED,
    Fault,
)
from spec.ptx.machine import Result, run
from spec.ptx.memory import WINDOWS
from tests.campaign.kernel import Kernel, Launch
from tests.campaign.launching import Concrete, concrete

# Of `spec.ptx.schedules`. The first two have a launch and contents of memory in common; each other has its own.
SCHEDULES = ("forward", "reverse", "switching", "highest", "halves", "parted", "pieces", "mixed")
CHANCE = ("switching", "parted", "pieces", "mixed")  # these have a seed, which is the kernel's
PAIR = 2
LONG = "long"  # what a run is that took long, which is no fault by itself
STEPS, FEWER_STEPS = 3000, 300
OBLIGATION = {
    OUT_OF_BOUNDS: "bounds", MISALIGNED: "bounds", READ_ONLY: "bounds", BARRIER: "barrier", INACTIVE_LANE: "barrier",
    STEP_LIMIT: "no-trap", TRAP: "no-trap", UNINITIALISED: "init",
}  # fmt: skip


@dataclass(frozen=True)
class Told:
    """A fault, the obligation that it belongs to, and the run that showed it.

    Args:
        both_write: of a race: both accesses are plain stores.
        run: the number of the run, under `schedule`.
    """

    obligation: str
    fault: Fault
    run: int
    schedule: str
    both_write: bool = False

    def __str__(self) -> str:
        return f"{self.fault} (schedule {self.schedule})"


@dataclass
class Seen:
    """All faults, and whether the two runs of one launch left the same in global memory."""

    told: list[Told] = field(default_factory=list)
    settled: bool = True

    @property
    def obligations(self) -> list[str]:
        """Those of which something went wrong, in the order in which it did."""
        return list(dict.fromkeys(t.obligation for t in self.told))


@dataclass(frozen=True)
class Runner:
    """Runs the launches of a kernel."""

    kernel: Kernel
    module: Module
    function: Function

    def launch(self, number: int) -> Launch:
        """The first runs take the last launch, the others all of them in turn."""
        launches = self.kernel.launches
        return launches[-1] if number < PAIR else launches[(number - PAIR) % len(launches)]

    def schedule(self, number: int) -> str:
        """The schedule of a run."""
        name = SCHEDULES[number]
        return f"{name}:{self.kernel.seed + 1}" if name in CHANCE else name

    def concrete(self, number: int) -> Concrete:
        """Memory for a run."""
        contents = 0 if number < PAIR else number
        return concrete(self.kernel, self.function, self.launch(number), 16 * self.kernel.seed + contents)

    def run(
        self, number: int, steps: int, given: Concrete, alike: Iterable[int] = (),
        on_access: Callable[[AccessEvent], None] | None = None, on_step: Callable[[StepEvent], None] | None = None,
    ) -> Result:
        """One run with all detectors on.

        Args:
            given: from `concrete`; its memory is changed.
            alike: lines whose stores of one warp at once to one place are one store.
        """
        return run(
            self.function, self.module, grid=given.launch.grid, block=given.launch.block, args=dict(given.arguments),
            memory=given.memory, schedule=self.schedule(number), dynamic_shared=self.kernel.dynamic_shared,
            step_limit=steps, lenient=True, alike=frozenset(alike), on_access=on_access, on_step=on_step,
        )

    def told(self, faults: Iterable[Fault], number: int) -> list[Told]:
        """The faults of a run with their obligations."""
        stores = _stores(self.function)
        found = []
        for fault in faults:
            lines = (fault.line, fault.other_line or fault.line)
            both = fault.kind == RACE and all(stores.get(line, False) for line in lines)
            obligation = OBLIGATION.get(fault.kind) or _race(fault, both)
            found.append(Told(obligation, fault, number, self.schedule(number), both))
        return found


def _stores(function: Function) -> dict[int, bool]:
    """Whether all that a line does to memory is a plain store."""
    found: dict[int, bool] = {}
    for instruction in function.instructions():
        if _touches(instruction):
            found[instruction.line] = found.get(instruction.line, True) and instruction.base == "st"
    return found


def _touches(instruction: Instr) -> bool:
    return instruction.base in ("ld", "ldu", "st", "atom", "red", "cp", "ldmatrix", "stmatrix")


def _race(fault: Fault, both_write: bool) -> str:
    """Two stores to one global byte are the single-writer obligation, every other race is the race obligation."""
    in_global = fault.address is not None and fault.address < min(WINDOWS.values())
    return "single-writer" if both_write and in_global else "race"


def watched(
    runner: Runner, alike: Iterable[int] = (), on_access: Callable[[AccessEvent], None] | None = None,
    on_step: Callable[[StepEvent], None] | None = None,
) -> Seen:
    """All runs.

    Args:
        on_access, on_step: listeners of the first run.
    """
    seen, left, steps = Seen(), [], STEPS
    for number in range(len(SCHEDULES)):
        given = runner.concrete(number)
        listeners = (on_access, on_step) if number == 0 else (None, None)
        result = runner.run(number, steps, given, alike, *listeners)
        told = runner.told(result.faults, number)
        if any(t.fault.kind == STEP_LIMIT for t in told):
            steps = FEWER_STEPS
        seen.told += told
        if number < PAIR:
            left.append({name: given.memory[name].data() for name in given.bases})
    seen.settled = left[0] == left[-1]
    return seen
