"""Asynchronous copies of a block: made when issued, when waited for, or in between, as the schedule has it.

A copy is in flight from its instruction until the thread that issued it waits for its group (PTX ISA 9.7.9.25.3). All
that time it may read its source and write its target. So its accesses are logged as those of an actor of their own,
ordered behind what the thread did before, and ordered before what the thread does after its wait; of a copy that is in
flight across a barrier of the whole block they are logged again behind it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.access import BlockMemory
from spec.ptx.faults import RACE
from spec.ptx.memory import Place

Array = npt.NDArray[Any]


@dataclass
class Batch:
    """The copies that one instruction issues, an element for each thread.

    Args:
        group: number of the thread's group that the copy belongs to.
        clock: of the copy as an actor, in the present interval.
        targets: offsets in shared memory; `source`, `sources` where the bytes come from, `counts` how many are read.
        made, flying: whether the bytes have moved, and whether the thread has still to wait.
    """

    line: int
    size: int
    threads: Array
    group: Array
    clock: Array
    targets: Array
    counts: Array
    places: list[tuple[Place, Array]]
    made: Array = field(init=False)
    flying: Array = field(init=False)

    def __post_init__(self) -> None:
        self.made = np.zeros(len(self.threads), bool)
        self.flying = np.ones(len(self.threads), bool)


class Copies:
    """All asynchronous copies of a block, and which groups its threads have closed."""

    def __init__(self, memory: BlockMemory, threads: int, schedule: str | int) -> None:
        self.memory = memory
        self.batches: list[Batch] = []
        self.open_group = np.zeros(threads, np.int64)
        self.schedule = schedule
        self.random = random.Random(schedule if isinstance(schedule, int) else 0)

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
        if self.schedule == "reverse" or (isinstance(self.schedule, int) and self.random.random() < 0.5):
            self._make(domain, batch, np.ones(len(mine), bool))

    def commit(self, threads: Array) -> None:
        self.open_group[threads] += 1

    def wait(self, domain: Any, threads: Array, pending: int) -> None:
        """All groups of these threads but the youngest `pending` closed ones are complete."""
        waits = np.zeros(len(self.open_group), bool)
        waits[threads] = True
        for batch in self.batches:
            done = batch.flying & waits[batch.threads] & (batch.group < self.open_group[batch.threads] - pending)
            if done.any():
                self._make(domain, batch, done)
                batch.flying &= ~done
                self.memory.clocks.join(batch.threads[done], batch.clock[done])
        self.batches = [b for b in self.batches if b.flying.any()]

    def finish(self, domain: Any) -> None:
        """What nobody waited for is made in the end."""
        for batch in self.batches:
            self._make(domain, batch, batch.flying)
        self.batches = []

    def renew(self) -> None:
        """A barrier of the whole block has begun a new interval: what is in flight is in flight in it too."""
        for batch in self.batches:
            flying = np.flatnonzero(batch.flying)
            batch.clock[flying] = self.memory.clocks.fork(batch.threads[flying])
            self._log(batch, batch.flying)

    def _make(self, domain: Any, batch: Batch, chosen: Array) -> None:
        """Move the bytes of the chosen copies, in words as large as they allow; the rest of the target becomes zero."""
        chosen = chosen & ~batch.made
        batch.made |= chosen
        shared = self.memory.shared
        for count in np.unique(batch.counts[chosen]):
            those = np.flatnonzero(chosen & (batch.counts == count))
            unit = 4 if count % 4 == 0 else 1
            for at in range(int(count), batch.size, unit):
                zeros = np.zeros(len(those), np.dtype(f"u{unit}"))
                domain.deposit(shared, batch.targets[those] + at, unit, zeros)
        for place, counts in batch.places:
            for count in np.unique(counts):
                here = (counts == count) & chosen[place.positions]
                unit = 4 if count % 4 == 0 else 1
                for at in range(0, int(count), unit):
                    words = domain.fetch(place.buffer, place.offsets[here] + at, unit)
                    domain.deposit(shared, batch.targets[place.positions[here]] + at, unit, words)
        if shared.written is not None and chosen.any():
            ones = np.ones((int(chosen.sum()), batch.size), np.uint8)
            shared.written.scatter(batch.targets[chosen], ones)

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
