"""Asynchronous copies of a block: made when issued, when waited for, or bit by bit in between, as the schedule has it.

A copy is in flight from its instruction until the thread that issued it waits for its group (PTX ISA 9.7.9.25.3). All
that time it may read its source and write its target. So its accesses are logged as those of an actor of their own,
ordered behind what the thread did before, and ordered before what the thread does after its wait; of a copy that is in
flight across a barrier of the whole block they are logged again behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.access import BlockMemory
from spec.ptx.faults import RACE
from spec.ptx.memory import Place
from spec.ptx.schedules import AT_ONCE, EITHER, PIECES, Schedule

Array = npt.NDArray[Any]


_PIECE = 4  # bytes that land together
_HASTE = 0.15  # how often, in a step, some pieces land where they land one by one


@dataclass
class Batch:
    """The copies that one instruction issues, an element for each thread.

    Args:
        group: number of the thread's group that the copy belongs to.
        clock: of the copy as an actor, in the present interval.
        targets: offsets in shared memory; `source`, `sources` where the bytes come from, `counts` how many are read.
        left: which pieces of four bytes have not moved yet, a row for each thread.
        flying: whether the thread has still to wait.
    """

    line: int
    size: int
    threads: Array
    group: Array
    clock: Array
    targets: Array
    counts: Array
    places: list[tuple[Place, Array]]
    left: Array = field(init=False)
    flying: Array = field(init=False)

    def __post_init__(self) -> None:
        self.left = np.ones((len(self.threads), self.size // _PIECE), bool)
        self.flying = np.ones(len(self.threads), bool)


class Copies:
    """All asynchronous copies of a block, and which groups its threads have closed."""

    def __init__(self, memory: BlockMemory, threads: int, schedule: Schedule, purpose: str) -> None:
        self.memory = memory
        self.batches: list[Batch] = []
        self.open_group = np.zeros(threads, np.int64)
        self.landing = schedule.copies
        self.piecemeal = schedule.copies == PIECES
        self.random = schedule.chance(purpose)

    def issue(
        self, domain: Any, size: int, target: list[Place], source: list[Place], threads: Array, counts: Array
    ) -> None:
        """Start copies of `size` bytes, of which the first `counts` come from the source. Places were checked."""
        n = len(threads)
        if not target:
            return
        (place,) = target
        targets = np.zeros(n, np.int64)
        targets[place.positions] = place.offsets
        # A thread with a fault at either end copies nothing.
        good = np.zeros(n, bool)
        good[place.positions] = True
        found = np.zeros(n, bool)
        for p in source:
            found[p.positions] = True
        good &= found | (counts == 0)
        kept = np.flatnonzero(good)
        where = np.full(n, -1)
        where[kept] = np.arange(len(kept))
        places = []
        for p in source:
            inside = good[p.positions]
            places.append((Place(p.buffer, where[p.positions[inside]], p.offsets[inside]), counts[p.positions[inside]]))
        mine = threads[kept]
        clock = self.memory.clocks.fork(mine)
        batch = Batch(
            self.memory.line, size, mine, self.open_group[mine].copy(), clock, targets[kept], counts[kept], places
        )
        self._meet_others(batch)
        self.batches.append(batch)
        self._log(batch, np.ones(len(mine), bool))
        if self.landing == AT_ONCE or (self.landing == EITHER and self.random.random() < 0.5):
            self._make(domain, batch, batch.left)

    @property
    def drifting(self) -> bool:
        """Whether pieces may land now."""
        return self.piecemeal and bool(self.batches)

    def drift(self, domain: Any) -> None:
        """Some pieces land, of any copy: nothing orders those in flight, not even by their groups."""
        if self.random.random() < _HASTE:
            batch = self.random.choice(self.batches)
            threads, pieces = batch.left.shape
            bits = self.random.getrandbits(threads * pieces).to_bytes(-(-threads * pieces // 8), "little")
            some = np.unpackbits(np.frombuffer(bits, np.uint8), count=threads * pieces).astype(bool)
            self._make(domain, batch, some.reshape(threads, pieces))

    def commit(self, threads: Array) -> None:
        self.open_group[threads] += 1

    def wait(self, domain: Any, threads: Array, pending: int) -> None:
        """All groups of these threads but the youngest `pending` closed ones are complete."""
        waits = np.zeros(len(self.open_group), bool)
        waits[threads] = True
        batches = self.batches
        if self.piecemeal:
            batches = self.random.sample(batches, len(batches))
        for batch in batches:
            done = batch.flying & waits[batch.threads] & (batch.group < self.open_group[batch.threads] - pending)
            if done.any():
                self._make(domain, batch, done[:, None])
                batch.flying &= ~done
                self.memory.clocks.join(batch.threads[done], batch.clock[done])
        self.batches = [b for b in self.batches if b.flying.any()]

    def finish(self, domain: Any) -> None:
        """What nobody waited for is made in the end."""
        for batch in self.batches:
            self._make(domain, batch, batch.left)
        self.batches = []

    def renew(self) -> None:
        """A barrier of the whole block has begun a new interval: what is in flight is in flight in it too."""
        for batch in self.batches:
            flying = np.flatnonzero(batch.flying)
            batch.clock[flying] = self.memory.clocks.fork(batch.threads[flying])
            self._log(batch, batch.flying)

    def _make(self, domain: Any, batch: Batch, chosen: Array) -> None:
        """Move the chosen pieces that are left; what is not read from the source becomes zero."""
        chosen = chosen & batch.left
        batch.left &= ~chosen
        shared = self.memory.shared
        for piece in np.flatnonzero(chosen.any(axis=0)).tolist():
            first, here = _PIECE * piece, chosen[:, piece]
            inside = np.clip(batch.counts - first, 0, _PIECE)
            self._move(domain, batch, here & (inside == _PIECE), first, _PIECE)
            self._clear(domain, batch, here & (inside == 0), first, _PIECE)
            for at in range(_PIECE if (here & (inside > 0) & (inside < _PIECE)).any() else 0):
                self._move(domain, batch, here & (inside > at) & (inside < _PIECE), first + at, 1)
                self._clear(domain, batch, here & (inside <= at) & (inside > 0), first + at, 1)
            if shared.written is not None:
                shared.written.mark(batch.targets[here] + first, _PIECE)

    def _move(self, domain: Any, batch: Batch, those: Array, at: int, unit: int) -> None:
        for place, _ in batch.places:
            here = those[place.positions]
            if here.any():
                words = domain.fetch(place.buffer, place.offsets[here] + at, unit)
                domain.deposit(self.memory.shared, batch.targets[place.positions[here]] + at, unit, words)

    def _clear(self, domain: Any, batch: Batch, those: Array, at: int, unit: int) -> None:
        if those.any():
            zeros = np.zeros(int(those.sum()), np.dtype(f"u{unit}"))
            domain.deposit(self.memory.shared, batch.targets[those] + at, unit, zeros)

    def _log(self, batch: Batch, chosen: Array) -> None:
        """The accesses of the chosen copies, by the copies as actors."""
        log = self.memory.log_flight
        log(self.memory.shared, batch.targets[chosen], batch.size, True, batch.threads[chosen], batch.clock[chosen],
            batch.line)
        for place, counts in batch.places:
            for count in np.unique(counts):
                here = (counts == count) & chosen[place.positions]
                who = place.positions[here]
                at = 0
                for width in (16, 8, 4, 2, 1):  # the count is no power of two where part of the target becomes zero
                    while count - at >= width:
                        log(place.buffer, place.offsets[here] + at, width, False, batch.threads[who], batch.clock[who],
                            batch.line)
                        at += width

    def _meet_others(self, batch: Batch) -> None:
        """Two copies of one thread in flight to the same bytes: nothing says which arrives last."""
        for other in self.batches:
            _, mine, theirs = np.intersect1d(batch.threads, other.threads, return_indices=True)
            a, b = batch.targets[mine], other.targets[theirs]
            meet = other.flying[theirs] & (a < b + other.size) & (b < a + batch.size)
            if meet.any():
                at = int(a[meet][0])
                self.memory.fault(
                    RACE, batch.threads[mine][meet], at, batch.size,
                    f"an asynchronous copy writes {batch.size} bytes at byte {at} of shared memory, and one of the"
                    f" same thread at line {other.line}, still in flight, writes them too", other.line,
                )
