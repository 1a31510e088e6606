"""Which accesses of a launch are ordered, and which of the others collide.

A barrier in which every thread of the block takes part begins a new interval: nothing before it can race with anything
after it. Within an interval, threads are ordered only by what they do together: bar.warp.sync and barriers of part of
the block, followed here with vector clocks. Blocks are never ordered. Collisions are found byte by byte, intra-warp
ones included: lanes of a warp are threads like others. Atomics of the same bytes do not collide with each other where
the scope of both covers both threads (PTX ISA 8 calls them morally strong); what they order is not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.memory import WINDOWS, Use

Array = npt.NDArray[Any]

_COLUMNS = ("start", "width", "write", "actor", "clock", "line", "thread", "scope")
# Of an atomic, how far it is indivisible; plain accesses have 0.
SCOPES = ("", "cta", "cluster", "gpu", "sys")
_OF_BLOCK, _OF_GRID = SCOPES.index("cta"), SCOPES.index("gpu")
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
    scope: int = 0

    @property
    def verb(self) -> str:
        return "updates" if self.scope else "writes" if self.write else "reads"

    @property
    def flying(self) -> bool:
        """Whether an asynchronous copy makes it. Only within a block: between blocks, actors are blocks."""
        return self.actor != self.thread


class AccessLog:
    """Accesses in the order they were made, as columns. `start` is a generic address, `width` a power of two."""

    def __init__(self) -> None:
        self._parts: list[tuple[Array, ...]] = []
        self._joined: tuple[Array, ...] | None = None

    def append(
        self, start: Array, width: int, use: Use, threads: Array, clock: Array, line: int, actor: Array | None = None
    ) -> None:
        """Actors are told apart: the threads themselves, or what works for them beside them."""
        n = len(start)
        actor = threads if actor is None else actor
        whole = (np.full(n, v, np.int64) for v in (width, use.writes, line, SCOPES.index(use.scope)))
        widths, writes, lines, scopes = whole
        self._parts.append((start.astype(np.int64), widths, writes, actor, clock, lines, threads, scopes))
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
        first = np.unique(columns[[0, 1, 2, 5, 7]], axis=1, return_index=True)[1]
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
        start, width, write, actor, clock, line, thread, scope = (int(c[index]) for c in self.columns())
        return Access(start, width, bool(write), actor, clock, line, thread, scope)

    def clear(self) -> None:
        self._parts, self._joined = [], None

    def __len__(self) -> int:
        return len(self.columns()[0])


def _suspicious(keys: Array, rows: tuple[Array, ...], least_scope: int) -> Array:
    """Which rows share their key with a row of another actor, one row of that key being a write.

    `rows` are the columns start, width, write, actor and scope. Atomics of the same bytes whose scopes reach far enough
    are no suspects among themselves.
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))

    def extremes(column: Array) -> tuple[Array, Array]:
        return np.minimum.reduceat(column[order], begins), np.maximum.reduceat(column[order], begins)

    start, width, write, actor, scope = (extremes(column) for column in rows)
    together = (scope[0] >= least_scope) & (start[0] == start[1]) & (width[0] == width[1])
    suspects = (write[1] > 0) & (actor[0] != actor[1]) & ~together
    flags = np.repeat(suspects, np.diff(np.append(begins, len(keys))))
    out = np.zeros(len(keys), bool)
    out[order] = flags
    return out


def collisions(
    log: AccessLog, ordered: Callable[[Access, Access], bool] | None, across_blocks: bool = False
) -> Iterable[tuple[Access, Access]]:
    """Pairs of accesses (earlier, later) that overlap, of different actors, one a write, and are not ordered.

    One pair for each pair of lines and kinds. `ordered(earlier, later)` is None where nothing orders anything. Two
    atomics of the same bytes collide only where `across_blocks` and the scope of one is less than the launch.
    """
    start, width, write, actor, _, _, _, scope = log.columns()
    least = _OF_GRID if across_blocks else _OF_BLOCK
    if not len(start) or not write.any():
        return
    # Accesses are aligned to their width, so each lies in one granule of the greatest width.
    rows = np.flatnonzero(_suspicious(start // width.max(), (start, width, write, actor, scope), least))
    if not len(rows):
        return
    granule = int(width[rows].min())
    repeats = width[rows] // granule
    row = np.repeat(rows, repeats)
    within = np.arange(len(row)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    key = start[row] // granule + within
    chosen = _suspicious(key, (start[row], width[row], write[row], actor[row], scope[row]), least)
    row, key = row[chosen], key[chosen]
    order = np.lexsort((row, key))
    row, key = row[order], key[order]
    groups = np.split(row, np.flatnonzero(key[1:] != key[:-1]) + 1) if len(row) else []
    seen: set[tuple[int, int, bool, bool]] = set()
    for group in groups if ordered is not None else groups[:_MOST_GROUPS]:
        accesses = [log.row(int(i)) for i in group]
        for pair in _colliding(accesses, ordered, least):
            first, second = pair
            kind = first.line, second.line, first.write, second.write
            if kind not in seen:
                seen.add(kind)
                yield pair


def _colliding(
    accesses: list[Access], ordered: Callable[[Access, Access], bool] | None, least: int
) -> Iterable[tuple[Access, Access]]:
    """Pairs with a write. Where nothing is ordered the first pair stands for all."""
    for w in (i for i, a in enumerate(accesses) if a.write):
        for other, access in enumerate(accesses):
            # Of two writes, take the pair once.
            if access.actor == accesses[w].actor or (access.write and other < w):
                continue
            if min(access.scope, accesses[w].scope) >= least and _same_bytes(access, accesses[w]):
                continue
            a, b = accesses[min(w, other)], accesses[max(w, other)]
            if ordered is None:
                yield a, b
                return
            if not ordered(a, b):
                yield a, b


def _same_bytes(a: Access, b: Access) -> bool:
    return (a.start, a.width) == (b.start, b.width)


class Clocks:
    """Vector clocks of the threads of a block, since the last barrier of all of them.

    An access at thread u's clock c is ordered before what thread t does once t's row holds at least c for u. Where
    threads copy asynchronously, `copying`, the copies of thread t are an actor of their own, t + threads.
    """

    def __init__(self, threads: int, copying: bool = False) -> None:
        self.threads, self.actors = threads, threads * (2 if copying else 1)
        self.restart()

    def restart(self) -> None:
        """A barrier of all threads: everything before is ordered before everything after."""
        self.clock = np.ones(self.actors, np.int64)
        self.partial = False
        self._nothing = np.zeros(self.actors, np.int64)
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

    def fork(self, threads: Array) -> Array:
        """Each thread starts a copy, ordered behind what it has done so far; the clocks of the copies."""
        self.partial = self.partial or len(threads) > 0
        for thread in threads.tolist():
            known, copy = self.release(thread), thread + self.threads
            before = self._known.get((copy, int(self.clock[copy])), self._nothing)
            self.clock[copy] += 1
            self._known[copy, int(self.clock[copy])] = np.maximum(known, before)
        return np.asarray(self.clock[threads + self.threads])

    def join(self, threads: Array, clocks: Array) -> None:
        """Each thread has waited for its copies up to this clock."""
        for thread, clock in zip(threads.tolist(), clocks.tolist(), strict=True):
            row = self.knowledge(thread)
            copy = thread + self.threads
            row[copy] = max(int(row[copy]), clock)
            self.clock[thread] += 1
            self._known[thread, int(self.clock[thread])] = row

    def ordered(self, earlier: Access, later: Access) -> bool:
        """Whether `earlier`, made before `later` in this run, is ordered before it in every run."""
        known = self._known.get((later.actor, later.clock), self._nothing)
        return bool(known[earlier.actor] >= earlier.clock)
