"""Which accesses of a launch are ordered, and which of the others collide.

A barrier in which every thread of the block takes part begins a new interval: nothing before it can race with anything
after it. Within an interval, threads are ordered only by what they do together: bar.warp.sync and barriers of part of
the block, followed here with vector clocks. Blocks are never ordered. Collisions are found byte by byte, intra-warp
ones included: lanes of a warp are threads like others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.memory import WINDOWS

Array = npt.NDArray[Any]

_COLUMNS = ("start", "width", "write", "actor", "clock", "line", "thread")
# Bytes looked at where nothing is ordered: each collides, so that more of them only add pairs of other lines.
_MOST_GROUPS = 512


@dataclass(frozen=True)
class Access:
    """One row of a log."""

    start: int
    width: int
    write: bool
    actor: int
    clock: int
    line: int
    thread: int


class AccessLog:
    """Accesses in the order they were made, as columns. `start` is a generic address, `width` a power of two."""

    def __init__(self) -> None:
        self._parts: list[tuple[Array, ...]] = []
        self._joined: tuple[Array, ...] | None = None

    def append(self, start: Array, width: int, write: bool, actor: Array, clock: Array, line: int) -> None:
        """Actors are the threads that are told apart; of accesses of one thread, equal actors."""
        n = len(start)
        whole = (np.full(n, v, np.int64) for v in (width, write, line))
        widths, writes, lines = whole
        self._parts.append((start.astype(np.int64), widths, writes, actor, clock, lines, actor))
        self._joined = None

    def add_rows(self, *columns: Array) -> None:
        """Append rows given as columns, in the order of `_COLUMNS`."""
        self._parts.append(tuple(columns))
        self._joined = None

    def extend(self, other: AccessLog, actor: int, shared: bool = True) -> None:
        """Take over another log's accesses as those of one actor, equal ones once; those to shared memory if asked."""
        if not other._parts:
            return
        columns = np.stack(other.columns())
        if not shared:
            columns = columns[:, columns[0] < WINDOWS["shared"]]
        first = np.unique(columns[[0, 1, 2, 5]], axis=1, return_index=True)[1]
        kept = columns[:, first]
        kept[3] = actor
        self._parts.append(tuple(kept))
        self._joined = None

    def columns(self) -> tuple[Array, ...]:
        """The columns, in the order of `_COLUMNS`."""
        if self._joined is None:
            empty = tuple(np.zeros(0, np.int64) for _ in _COLUMNS)
            self._joined = tuple(np.concatenate(c).astype(np.int64) for c in zip(*self._parts, strict=True)) or empty
            self._parts = [self._joined]
        return self._joined

    def row(self, index: int) -> Access:
        start, width, write, actor, clock, line, thread = (int(c[index]) for c in self.columns())
        return Access(start, width, bool(write), actor, clock, line, thread)

    def clear(self) -> None:
        self._parts, self._joined = [], None

    def __len__(self) -> int:
        return len(self.columns()[0])


def _suspicious(keys: Array, write: Array, actor: Array) -> Array:
    """Which rows share their key with a row of another actor, one row of that key being a write."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    written = np.maximum.reduceat(write[order], begins) > 0
    shared = np.minimum.reduceat(actor[order], begins) != np.maximum.reduceat(actor[order], begins)
    flags = np.repeat(written & shared, np.diff(np.append(begins, len(keys))))
    out = np.zeros(len(keys), bool)
    out[order] = flags
    return out


def collisions(log: AccessLog, ordered: Callable[[Access, Access], bool] | None) -> Iterable[tuple[Access, Access]]:
    """Pairs of accesses (earlier, later) that overlap, of different actors, one a write, and are not ordered.

    One pair for each pair of lines and kinds. `ordered(earlier, later)` is None where nothing orders anything.
    """
    start, width, write, actor, *_ = log.columns()
    if not len(start) or not write.any():
        return
    # Accesses are aligned to their width, so each lies in one granule of the greatest width.
    rows = np.flatnonzero(_suspicious(start // width.max(), write, actor))
    if not len(rows):
        return
    granule = int(width[rows].min())
    repeats = width[rows] // granule
    row = np.repeat(rows, repeats)
    within = np.arange(len(row)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    key = start[row] // granule + within
    chosen = _suspicious(key, write[row], actor[row])
    row, key = row[chosen], key[chosen]
    order = np.lexsort((row, key))
    row, key = row[order], key[order]
    groups = np.split(row, np.flatnonzero(key[1:] != key[:-1]) + 1) if len(row) else []
    seen: set[tuple[int, int, bool, bool]] = set()
    for group in groups if ordered is not None else groups[:_MOST_GROUPS]:
        accesses = [log.row(int(i)) for i in group]
        for pair in _colliding(accesses, ordered):
            first, second = pair
            kind = first.line, second.line, first.write, second.write
            if kind not in seen:
                seen.add(kind)
                yield pair


def _colliding(
    accesses: list[Access], ordered: Callable[[Access, Access], bool] | None
) -> Iterable[tuple[Access, Access]]:
    """Pairs with a write. Where nothing is ordered the first pair stands for all."""
    for w in (i for i, a in enumerate(accesses) if a.write):
        for other, access in enumerate(accesses):
            # Of two writes, take the pair once.
            if access.actor == accesses[w].actor or (access.write and other < w):
                continue
            a, b = accesses[min(w, other)], accesses[max(w, other)]
            if ordered is None:
                yield a, b
                return
            if not ordered(a, b):
                yield a, b


class Clocks:
    """Vector clocks of the threads of a block, since the last barrier of all of them.

    An access at thread u's clock c is ordered before what thread t does once t's row holds at least c for u.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.restart()

    def restart(self) -> None:
        """A barrier of all threads: everything before is ordered before everything after."""
        self.clock = np.ones(self.threads, np.int64)
        self.partial = False
        self._nothing = np.zeros(self.threads, np.int64)
        self._known: dict[tuple[int, int], Array] = {}

    def knowledge(self, thread: int) -> Array:
        """What the thread is ordered after, its own doings so far included."""
        row = self._known.get((thread, int(self.clock[thread])), self._nothing).copy()
        row[thread] = self.clock[thread]
        return row

    def release(self, thread: int) -> Array:
        """A one-sided arrival: hand out what the thread knows, and tell its later accesses apart."""
        row = self.knowledge(thread)
        known = self._known.get((thread, int(self.clock[thread])), self._nothing)
        self.clock[thread] += 1
        self._known[thread, int(self.clock[thread])] = known
        self.partial = True
        return row

    def meet(self, threads: Iterable[int], released: Iterable[Array] = ()) -> None:
        """These threads synchronise; rows in `released` come from threads that only arrived."""
        members = list(threads)
        joint = np.maximum.reduce([*(self.knowledge(t) for t in members), *released])
        for thread in members:
            self.clock[thread] += 1
            self._known[thread, int(self.clock[thread])] = joint
        self.partial = True

    def ordered(self, earlier: Access, later: Access) -> bool:
        """Whether `earlier`, made before `later` in this run, is ordered before it in every run."""
        known = self._known.get((later.actor, later.clock), self._nothing)
        return bool(known[earlier.actor] >= earlier.clock)
