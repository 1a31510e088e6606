"""The schedules of the concrete machine: who goes on when the hardware is free to choose, each under a name.

PTX promises no order between warps, between parted lanes of one warp (from sm_70 on each thread has a program counter
of its own), between blocks, or between asynchronous copies that nobody has waited for (PTX ISA 9.7.9.25). A schedule
fixes all of these choices, so that a run can be done again. What a sound kernel leaves in memory is the same under all
of them; each is adverse to another kind of mistake. Every schedule gives each thread that can go on its turn in the
end, as the hardware does: one that waits for another in a loop is not kept waiting for ever.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from spec.errors import BadInput
from spec.ptx.faults import Index

# Who goes on together, where nothing else is said each as far as it can.
BLOCK, WARP, HALF = "block", "warp", "half"
# Which of them comes next.
FIRST, LAST, EVEN, SWITCH = "first", "last", "even", "switch"
# Which of the paths, once threads that go on together have parted.
LOWEST, HIGHEST, ANY = "lowest", "highest", "any"
# When asynchronous copies land.
LATE, AT_ONCE, EITHER, PIECES = "late", "at once", "either", "pieces"
# In which order blocks run.
IN_ORDER, BACKWARD, SHUFFLED, MIXED = "in order", "backward", "shuffled", "mixed"


@dataclass(frozen=True)
class Schedule:
    """One way to make all choices.

    Args:
        units: which threads go on together: all of the block, those of a warp, or the odd and the even lanes of a
            warp on their own.
        turn: which unit is next when one can go no further: the first, the last, those of even number in front of the
            odd ones; or switches at random.
        paths: which of a unit's parted threads go on: those at the lowest or the highest program counter, or any.
        splits: now and then only some of the threads that stand at one instruction go on.
        copies: asynchronous copies land when they are waited for, when they are issued, either as chance has it, or in
            pieces of four bytes in any order in between.
        blocks: in order, backward, in any order, or several at once in turns.
        seed: of what is left to chance.
    """

    name: str
    units: str = WARP
    turn: str = FIRST
    paths: str = LOWEST
    splits: bool = False
    copies: str = LATE
    blocks: str = IN_ORDER
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.name}:{self.seed}" if self.seed else self.name

    def chance(self, what: str) -> random.Random:
        """A source of choices of its own for each purpose."""
        return random.Random(f"{self.seed} {what}")


SCHEDULES: Mapping[str, Schedule] = {
    s.name: s
    for s in (
        Schedule("forward", units=BLOCK),
        Schedule("reverse", turn=LAST, copies=AT_ONCE, blocks=BACKWARD),
        Schedule("interleaved", turn=EVEN),
        Schedule("warps", turn=FIRST),
        Schedule("switching", turn=SWITCH, copies=EITHER, blocks=SHUFFLED),
        Schedule("highest", paths=HIGHEST, turn=LAST),
        Schedule("halves", units=HALF, turn=FIRST),
        Schedule("parted", turn=SWITCH, paths=ANY, splits=True, copies=PIECES, blocks=SHUFFLED),
        Schedule("eager", units=BLOCK, copies=AT_ONCE),
        Schedule("pieces", units=BLOCK, copies=PIECES),
        Schedule("mixed", turn=SWITCH, blocks=MIXED),
    )
}
"""By name. docs/prover.md says what each is for."""

Chosen = Schedule | str | int
"""A schedule; or its name, with a seed as in `parted:7`; or a seed of `switching`."""


def schedule_of(chosen: Chosen) -> Schedule:
    """The schedule that is meant; BadInput for a name that is none."""
    if isinstance(chosen, Schedule):
        return chosen
    if isinstance(chosen, int):
        return replace(SCHEDULES["switching"], seed=chosen)
    name, colon, seed = chosen.partition(":")
    if name not in SCHEDULES or (colon and not seed.isdecimal()):
        raise BadInput(f"no schedule {chosen!r}; there are {', '.join(SCHEDULES)}, each also with a seed, as parted:7")
    return replace(SCHEDULES[name], seed=int(seed)) if colon else SCHEDULES[name]


def in_order(grid: Index, schedule: Schedule) -> Iterable[Index]:
    """The blocks of a grid in the order of the schedule."""
    total = grid[0] * grid[1] * grid[2]
    numbers: Iterable[int] = range(total)
    if schedule.blocks == BACKWARD:
        numbers = range(total - 1, -1, -1)
    elif schedule.blocks == SHUFFLED:
        shuffled = list(range(total))
        schedule.chance("blocks").shuffle(shuffled)
        numbers = shuffled
    return ((n % grid[0], n // grid[0] % grid[1], n // (grid[0] * grid[1])) for n in numbers)
