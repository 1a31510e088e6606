"""Vector clocks: what the threads of a block have ordered among themselves since the last barrier of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_MOST_ROWS = 4096  # laid out at a time


class Clocks:
    """Vector clocks of the threads of a block, since the last barrier of all of them.

    An access at thread u's clock c is ordered before what thread t does once t's row holds at least c for u. Where
    threads copy asynchronously, `copying`, the copies of thread t are an actor of their own, t + threads. A row, once
    known, is never changed: threads that have met share one.
    """

    def __init__(self, threads: int, copying: bool = False) -> None:
        self.threads, self.actors = threads, threads * (2 if copying else 1)
        self.restart()

    def restart(self) -> None:
        """A barrier of all threads: everything before is ordered before everything after."""
        self.clock = np.ones(self.actors, np.int64)
        self.partial = False
        self._nothing = np.zeros(self.actors, np.int64)
        self._now = [self._nothing] * self.actors
        self._known: dict[tuple[int, int], Array] = {}

    def knowledge(self, thread: int) -> Array:
        """What the thread is ordered after, its own doings so far included."""
        row = self._now[thread].copy()
        row[thread] = self.clock[thread]
        return row

    def release(self, threads: Array) -> Array:
        """A one-sided arrival: what these threads know together, and their later accesses are told apart."""
        joint = self._joint(threads)
        self.clock[threads] += 1
        self._keep(threads, [self._now[t] for t in threads.tolist()])
        return joint

    def meet(self, threads: Array, released: Iterable[Array] = ()) -> None:
        """These threads synchronise; rows in `released` come from threads that only arrived."""
        joint = self._joint(threads)
        for row in released:
            np.maximum(joint, row, out=joint)
        self.clock[threads] += 1
        self._keep(threads, [joint] * len(threads))

    def _joint(self, threads: Array) -> Array:
        """What any of the threads knows, in a row of its own."""
        distinct = {id(row): row for row in (self._now[t] for t in threads.tolist())}
        joint: Array = np.maximum.reduce([self._nothing, *distinct.values()])
        joint[threads] = np.maximum(joint[threads], self.clock[threads])
        return joint

    def _keep(self, actors: Array, rows: list[Array]) -> None:
        """What these actors know at their clocks of now on."""
        for actor, clock, row in zip(actors.tolist(), self.clock[actors].tolist(), rows, strict=True):
            self._now[actor] = self._known[actor, clock] = row
        self.partial = self.partial or len(actors) > 0

    def fork(self, threads: Array) -> Array:
        """Each thread starts a copy, ordered behind what it has done so far; the clocks of the copies."""
        copies = threads + self.threads
        rows = [np.maximum(self.knowledge(t), self._now[t + self.threads]) for t in threads.tolist()]
        self.release(threads)
        self.clock[copies] += 1
        self._keep(copies, rows)
        return np.asarray(self.clock[copies])

    def join(self, threads: Array, clocks: Array) -> None:
        """Each thread has waited for its copies up to this clock."""
        rows = []
        for thread, clock in zip(threads.tolist(), clocks.tolist(), strict=True):
            row = self.knowledge(thread)
            copy = thread + self.threads
            row[copy] = max(int(row[copy]), clock)
            rows.append(row)
        self.clock[threads] += 1
        self._keep(threads, rows)

    def ordered(self, earlier: tuple[Array, Array], later: tuple[Array, Array]) -> Array:
        """Whether each first access, made before the second in this run, is ordered before it in every run.

        Accesses are given as actors and clocks. What one actor does, it does in the order of its clocks.
        """
        (actor, clock), (other, then) = earlier, later
        found = (actor == other) & (clock <= then)
        rows, which = self._rows(other, then)
        order = np.argsort(which, kind="stable")
        for first in range(0, len(rows), _MOST_ROWS):
            some = np.stack(rows[first : first + _MOST_ROWS])
            low, high = np.searchsorted(which[order], (first, first + len(some)))
            part = order[low:high]
            found[part] |= some[which[part] - first, actor[part]] >= clock[part]
        return np.asarray(found)

    def _rows(self, actors: Array, clocks: Array) -> tuple[list[Array], Array]:
        """The distinct rows of some actors at clocks of their own, and which of them is whose."""
        moments, inverse = np.unique(np.stack((actors, clocks)), axis=1, return_inverse=True)
        number: dict[int, int] = {}
        rows: list[Array] = []
        which = []
        for at in zip(*moments.tolist(), strict=True):
            row = self._known.get(at, self._nothing)
            if id(row) not in number:
                number[id(row)] = len(rows)
                rows.append(row)
            which.append(number[id(row)])
        return rows, np.array(which, np.int64)[inverse.ravel()]
