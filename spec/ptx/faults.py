"""What the detectors of the concrete machine report, and where they put it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

OUT_OF_BOUNDS, MISALIGNED, UNINITIALISED, READ_ONLY = "out-of-bounds", "misaligned", "uninitialised", "read-only"
RACE, BARRIER, INACTIVE_LANE = "race", "barrier-divergence", "inactive-lane"
STEP_LIMIT, TRAP = "step-limit", "trap"

KINDS = (OUT_OF_BOUNDS, MISALIGNED, UNINITIALISED, READ_ONLY, RACE, BARRIER, INACTIVE_LANE, STEP_LIMIT, TRAP)

Index = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """One thing a kernel did wrong.

    Args:
        kind: one of KINDS.
        line: PTX line of the instruction; of a race, of the later of the two accesses.
        block: index of the block.
        threads: indices in the block of the threads concerned; of a race, first the thread of `line`.
        address: first byte concerned, in the state space's own numbering; of a race, generic. None if none is.
        bytes: size of the access.
        message: the whole finding in words.
        other_line, other_block: the other access of a race.
    """

    kind: str
    line: int
    block: Index
    threads: tuple[Index, ...]
    address: int | None
    bytes: int
    message: str
    other_line: int | None = None
    other_block: Index | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}: {self.message}"


class Enough(Exception):
    """The fault that a run was made for has been found."""


@dataclass
class FaultList:
    """Faults in the order found; a repetition of (kind, line, other line) is counted, not kept.

    `enough`: told of each new fault; True ends the run there, by raising Enough.
    """

    found: list[Fault] = field(default_factory=list)
    repeated: int = 0
    enough: Callable[[Fault], bool] | None = None
    _seen: set[tuple[str, int, int | None]] = field(default_factory=set)

    def again(self, kind: str, line: int, other_line: int | None = None) -> bool:
        """Whether such a fault would be a repetition; it is counted then, and need not be made."""
        repeated = (kind, line, other_line) in self._seen
        self.repeated += repeated
        return repeated

    def add(self, fault: Fault) -> None:
        if self.again(fault.kind, fault.line, fault.other_line):
            return
        self._seen.add((fault.kind, fault.line, fault.other_line))
        self.found.append(fault)
        if self.enough is not None and self.enough(fault):
            raise Enough
