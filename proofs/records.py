"""What the symbolic machine reads off an entry: accesses, barriers, loops, observations. Written to records.json."""

from __future__ import annotations

from dataclasses import dataclass, field

from proofs.terms import Cond, Poly, Symbol

ZERO = Poly({})


@dataclass(frozen=True)
class Point:
    """A place in the code under what leads there.

    `control`: the branches taken (conjunction); `facts`: what else is known; `loops`: the loops around it, outermost
    first, by id; `counts`: how often the thread has arrived at each barrier that not all threads take part in.
    """

    line: int
    control: tuple[Cond, ...]
    facts: tuple[Cond, ...]
    loops: tuple[str, ...]
    place: str = ""
    counts: tuple[tuple[str, Poly], ...] = ()

    def known(self) -> tuple[Cond, ...]:
        return (*self.control, *self.facts)


@dataclass(frozen=True)
class Access:
    """`count` elements of `buffer`, `width` bytes together, at `address`; (plane, row, column) in elements if resolved.

    `kind` is read, write, or atomic: both in one step, indivisible for the threads of `scope` (cta, cluster, gpu, sys),
    each of `parts` on its own.
    `flat`: rows follow each other without a gap and `column` counts through all of them.
    `warp`: every lane of the warp makes it, whoever gave the address (ldmatrix, stmatrix). `flight`: it is made by an
    asynchronous copy at any time until its group has been waited for; one copy is two accesses at one place, a read of
    its source and a write of its target. `alike`: a store of a value that all lanes of the warp have alike.
    `values`: the words stored, None where a value is not followed.
    """

    id: str
    at: Point
    space: str
    kind: str
    width: int
    buffer: str
    address: Poly
    row: Poly
    column: Poly
    count: int
    readonly: bool = False
    scope: str = ""
    parts: int = 1
    warp: bool = False
    flight: bool = False
    plane: Poly = ZERO
    flat: bool = False
    alike: bool = False
    values: tuple[Poly | None, ...] = ()

    @property
    def writes(self) -> bool:
        return self.kind != "read"

    @property
    def reads(self) -> bool:
        return self.kind != "write"


@dataclass(frozen=True)
class Barrier:
    """An arrival at barrier `number` of the block, for `count` threads (None: all of them); `waits` if not bar.arrive.

    `group`: the counter of its arrivals if not all threads take part, '' if they do (PTX ISA 9.7.13.1).
    """

    id: str
    at: Point
    number: Poly = field(default_factory=lambda: Poly({}))
    count: Poly | None = None
    waits: bool = True
    group: str = ""


@dataclass(frozen=True)
class Shuffle:
    """An instruction that the lanes of `members` execute together; `orders` their memory accesses (bar.warp.sync)."""

    id: str
    at: Point
    members: int
    orders: bool = False


@dataclass(frozen=True)
class Commit:
    """cp.async.commit_group: closes the thread's group of asynchronous copies (PTX ISA 9.7.9.25.3.2)."""

    id: str
    at: Point


@dataclass(frozen=True)
class Wait:
    """cp.async.wait_group `pending`: all groups but the youngest `pending` of this thread are complete.

    `everything`: copies in no group, too (cp.async.wait_all; PTX ISA 9.7.9.25.3.3).
    """

    id: str
    at: Point
    pending: int
    everything: bool = False


@dataclass(frozen=True)
class Trap:
    id: str
    at: Point


@dataclass(frozen=True)
class Range:
    """A value that was looked at: the claim is low <= term <= high. `proved`: it was found to hold; else the terms made
    of it say what is left modulo the width.

    `always`: it matters whatever becomes of the result (`proofs.slices`).
    """

    id: str
    at: Point
    register: str
    term: Poly
    low: int
    high: int
    proved: bool
    always: bool = False


@dataclass(frozen=True)
class Read:
    """A register read where its value must be defined; the claim is that `written` holds.

    `made`: it has been written, perhaps with what was made of registers that have not.
    """

    id: str
    at: Point
    register: str
    written: Cond
    made: bool = False


@dataclass(frozen=True)
class Undefined:
    """A register read by threads that may not have written it; where its value goes on to is claimed there."""

    id: str
    at: Point
    register: str


@dataclass(frozen=True)
class LoopRecord:
    """A loop: `iteration` counts completed rounds inside it, `exit` those at leaving; `proceed`: round again."""

    id: str
    at: Point
    iteration: Symbol
    exit: Symbol
    proceed: Cond
    parent: str


Found = Access | Barrier | Shuffle | Commit | Wait | Trap | Range | Read | Undefined | LoopRecord


@dataclass(frozen=True)
class Records:
    """Everything found in one entry, in text order. `leaves`: when a thread ends without having passed a barrier."""

    accesses: tuple[Access, ...]
    barriers: tuple[Barrier, ...]
    shuffles: tuple[Shuffle, ...]
    traps: tuple[Trap, ...]
    ranges: tuple[Range, ...]
    reads: tuple[Read, ...]
    loops: tuple[LoopRecord, ...]
    branches: tuple[tuple[int, Cond], ...]
    leaves: tuple[Cond, ...] = ()
    commits: tuple[Commit, ...] = ()
    waits: tuple[Wait, ...] = ()
    undefined: tuple[Undefined, ...] = ()
