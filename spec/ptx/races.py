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
    log: AccessLog, clocks: Clocks | None, across_blocks: bool = False, one_value: OneValue = frozenset()
) -> Iterable[tuple[Access, Access]]:
    """Pairs of accesses (earlier, later) that overlap, of different actors, one a write, and are not ordered.

    One pair for each pair of lines and kinds. `clocks` is None where nothing orders anything. Two atomics of the same
    bytes collide only where `across_blocks` and the scope of one is less than the launch; and stores do not whose lines
    are in `one_value`: they are known to put the same value in the same place.
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
    if clocks is not None:
        in_doubt = _in_doubt(log, clocks, row, key)
        groups = [g for g, doubt in zip(groups, in_doubt, strict=True) if doubt]
    seen: set[tuple[int, int, bool, bool]] = set()
    for group in groups if clocks is not None else groups[:_MOST_GROUPS]:
        pairs = (
            _first_pair(log, group, least, one_value) if clocks is None
            else _unordered(log, clocks, group, least, one_value)
        )  # fmt: skip
        for pair in pairs:
            first, second = (log.row(i) for i in pair)
            kind = first.line, second.line, first.write, second.write
            if kind not in seen:
                seen.add(kind)
                yield first, second


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
    for one in np.flatnonzero(log.columns()[2][group]).tolist():
        others = np.flatnonzero(_together(log, group, one, least, one_value))
        if len(others):
            yield int(group[min(one, others[0])]), int(group[max(one, others[0])])
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
