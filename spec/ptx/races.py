"""Which accesses of a launch are ordered, and which of the others collide.

A barrier in which every thread of the block takes part begins a new interval: nothing before it can race with anything
after it. Within an interval, threads are ordered only by what they do together: bar.warp.sync and barriers of part of
the block, followed with vector clocks (`spec.ptx.clocks`). Blocks are never ordered. Collisions are found byte by byte,
intra-warp ones included: lanes of a warp are threads like others. Atomics of the same bytes do not collide with each
other where the scope of both covers both threads (PTX ISA 8 calls them morally strong); what they order is not
followed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.clocks import Clocks
from spec.ptx.memory import WINDOWS, Use

Array = npt.NDArray[Any]

OneValue = Collection[frozenset[int]]
_COLUMNS = ("start", "width", "write", "actor", "clock", "line", "thread", "scope")
# Of an atomic, how far it is indivisible; plain accesses have 0.
SCOPES = ("", "cta", "cluster", "gpu", "sys")
_OF_BLOCK, _OF_GRID = SCOPES.index("cta"), SCOPES.index("gpu")
# Bytes with a collision where nothing is ordered, after which no more are looked at: they only add pairs of lines.
_MOST_GROUPS = 512
_FEW = 64  # accesses of one byte that are quicker compared one by one
_MANY = 1 << 16  # accesses in a log that is kept


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
        # What was appended since: columns of their own, and of what each row has alike the values.
        self._news: list[tuple[Array, Array, Array, Array, tuple[int, ...]]] = []
        self._joined: tuple[Array, ...] | None = None

    def append(
        self, start: Array, width: int, use: Use, threads: Array, clock: Array, line: int, actor: Array | None = None
    ) -> None:
        """Actors are told apart: the threads themselves, or what works for them beside them."""
        actor = threads if actor is None else actor
        self._news.append((start, actor, clock, threads, (width, use.writes, line, SCOPES.index(use.scope))))
        self._joined = None

    def add_rows(self, *columns: Array) -> None:
        """Append rows given as columns, in the order of `_COLUMNS`."""
        self._settle()
        self._parts.append(tuple(columns))
        self._joined = None

    def extend(self, other: AccessLog, actor: int | None = None, shared: bool = True) -> None:
        """Take over another log's accesses, those to shared memory only if asked.

        As those of one `actor` they are taken once if equal, and sorted.
        """
        if not len(other):
            return
        columns = other.columns()
        if not shared:
            outside = columns[0] < WINDOWS["shared"]
            if not outside.all():
                columns = tuple(c[outside] for c in columns)
        if actor is not None:
            columns = _once(columns)
            columns = (*columns[:3], np.full_like(columns[3], actor), *columns[4:])
        self.add_rows(*columns)

    def condense(self) -> None:
        """Keep one of equal accesses where there are many."""
        if len(self) > _MANY:
            self._parts = [_once(self.columns())]
            self._joined = None

    def columns(self) -> tuple[Array, ...]:
        """The columns, in the order of `_COLUMNS`."""
        if self._joined is None:
            self._settle()
            if len(self._parts) == 1:
                (self._joined,) = self._parts
            elif self._parts:
                self._joined = tuple(np.concatenate(c) for c in zip(*self._parts, strict=True))
            else:
                self._joined = tuple(np.zeros(0, np.int64) for _ in _COLUMNS)
            self._parts = [self._joined]
        return self._joined

    def _settle(self) -> None:
        """Lay out what was appended."""
        if not self._news:
            return
        start, actor, clock, thread = (np.concatenate([n[i] for n in self._news]) for i in range(4))
        sizes = [len(n[0]) for n in self._news]
        width, write, line, scope = np.repeat(np.array([n[4] for n in self._news], np.int64), sizes, axis=0).T
        self._parts.append((start.astype(np.int64), width, write, actor, clock, line, thread, scope))
        self._news = []

    def row(self, index: int) -> Access:
        start, width, write, actor, clock, line, thread, scope = (int(c[index]) for c in self.columns())
        return Access(start, width, bool(write), actor, clock, line, thread, scope)

    def clear(self) -> None:
        self._parts, self._news, self._joined = [], [], None

    def __len__(self) -> int:
        return len(self.columns()[0])


def _once(columns: tuple[Array, ...]) -> tuple[Array, ...]:
    """The first of rows that are equal but for actor, clock and thread; in the order of what is equal."""
    keys = [columns[i] for i in (7, 5, 2, 1, 0)]
    order = np.lexsort(keys)
    change = np.zeros(len(order), bool)
    change[:1] = True
    for key in keys:
        ordered = key[order]
        change[1:] |= ordered[1:] != ordered[:-1]
    kept = order[change]
    return tuple(c[kept] for c in columns)


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
    log: AccessLog, clocks: Clocks | None, across_blocks: bool = False, one_value: OneValue = frozenset()
) -> Iterable[tuple[Access, Access]]:
    """Pairs of accesses (earlier, later) that overlap, of different actors, one a write, and are not ordered.

    One pair for each pair of lines and kinds. `clocks` is None where nothing orders anything. Two atomics of the same
    bytes collide only where `across_blocks` and the scope of one is less than the launch; and stores do not whose lines
    are in `one_value`: they are known to put the same value in the same place.
    """
    start, width, write, actor, _, line, _, scope = log.columns()
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
    if clocks is not None:
        in_doubt = _in_doubt(log, clocks, row, key)
        groups = [g for g, doubt in zip(groups, in_doubt, strict=True) if doubt]
    seen: set[tuple[int, int, bool, bool]] = set()
    colliding = 0
    for group in groups:
        pairs = (
            _first_pair(log, group, least, one_value) if clocks is None
            else _unordered(log, clocks, group, least, one_value)
        )  # fmt: skip
        for first, second in pairs:
            colliding += clocks is None
            kind = int(line[first]), int(line[second]), bool(write[first]), bool(write[second])
            if kind not in seen:
                seen.add(kind)
                yield log.row(first), log.row(second)
        if colliding >= _MOST_GROUPS:
            return


def _in_doubt(log: AccessLog, clocks: Clocks, row: Array, key: Array) -> list[bool]:
    """For each key, whether a pair of its accesses may be unordered; rows come in the order of time within a key.

    Order is transitive: if each access is ordered behind the last write before it, and each read before the next write,
    all pairs with a write are. Atomics are not followed like that.
    """
    _, _, write, actor, clock, _, _, scope = (column[row] for column in log.columns())
    n = len(row)
    at = np.arange(n)
    begins = np.concatenate(([True], key[1:] != key[:-1]))
    begin = np.maximum.accumulate(np.where(begins, at, 0))
    before = np.concatenate(([-1], np.maximum.accumulate(np.where(write > 0, at, -1))[:-1]))
    behind = np.minimum.accumulate(np.where(write > 0, at, n)[::-1])[::-1]
    behind = np.concatenate((behind[1:], [n]))
    last = np.append(np.flatnonzero(begins)[1:], n)[np.cumsum(begins) - 1]
    follows = before >= begin
    leads = (behind < last) & (write == 0)
    earlier = np.concatenate((before[follows], at[leads]))
    later = np.concatenate((at[follows], behind[leads]))
    loose = ~clocks.ordered((actor[earlier], clock[earlier]), (actor[later], clock[later]))
    doubt = scope > 0
    doubt[later[loose]] = True
    return [bool(d) for d in np.logical_or.reduceat(doubt, np.flatnonzero(begins))] if n else []


def _together(log: AccessLog, group: Array, one: int, least: int, one_value: OneValue) -> Array:
    """Which accesses of a group make a pair with a write among them, each pair of writes once."""
    start, width, write, actor, _, line, _, scope = (column[group] for column in log.columns())
    at = np.arange(len(group))
    indivisible = np.minimum(scope, scope[one]) >= least
    same = [other for lines in one_value if line[one] in lines for other in (lines - {line[one]} or lines)]
    indivisible |= (write > 0) & np.isin(line, same) if same and write[one] else False
    indivisible &= (start == start[one]) & (width == width[one])
    found: Array = (actor != actor[one]) & ~((write > 0) & (at < one)) & ~indivisible
    return found


def _first_pair(log: AccessLog, group: Array, least: int, one_value: OneValue) -> Iterable[tuple[int, int]]:
    """A pair with a write: where nothing is ordered, one stands for all."""
    if len(group) <= _FEW:
        yield from _first_of_few(log, group, least, one_value)
        return
    for one in np.flatnonzero(log.columns()[2][group]).tolist():
        others = np.flatnonzero(_together(log, group, one, least, one_value))
        if len(others):
            yield int(group[min(one, others[0])]), int(group[max(one, others[0])])
            return


def _first_of_few(log: AccessLog, group: Array, least: int, one_value: OneValue) -> Iterable[tuple[int, int]]:
    """As `_first_pair`, of a group too small for arrays to pay."""
    columns = log.columns()
    start, width, write, actor, line, scope = (columns[i][group].tolist() for i in (0, 1, 2, 3, 5, 7))
    for one in (i for i, writes in enumerate(write) if writes):
        same = {n for lines in one_value if line[one] in lines for n in (lines - {line[one]} or lines)}
        for other in range(len(write)):
            if actor[other] == actor[one] or (write[other] and other < one):
                continue
            as_one = min(scope[one], scope[other]) >= least or (write[other] and line[other] in same)
            if not (as_one and start[one] == start[other] and width[one] == width[other]):
                yield int(group[min(one, other)]), int(group[max(one, other)])
                return


def _unordered(
    log: AccessLog, clocks: Clocks, group: Array, least: int, one_value: OneValue
) -> Iterable[tuple[int, int]]:
    """The pairs with a write that are not ordered, one for each other line."""
    columns = log.columns()
    # What an actor does again before it meets anybody adds no pair of other lines.
    group = group[np.sort(np.unique(np.stack([c[group] for c in columns]), axis=1, return_index=True)[1])]
    _, _, write, actor, clock, line, _, _ = (column[group] for column in columns)
    for one in np.flatnonzero(write).tolist():
        others = np.flatnonzero(_together(log, group, one, least, one_value))
        first, second = np.minimum(one, others), np.maximum(one, others)
        loose = others[~clocks.ordered((actor[first], clock[first]), (actor[second], clock[second]))]
        kinds = np.stack((line[loose], write[loose], loose < one))
        for at in np.sort(np.unique(kinds, axis=1, return_index=True)[1]):
            other = loose[at]
            yield int(group[min(one, other)]), int(group[max(one, other)])
