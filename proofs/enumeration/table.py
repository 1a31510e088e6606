"""The bytes that the lanes of a site touch, and who touches each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np

from proofs.enumeration.evaluate import LARGEST, Array, Column, Lanes, NotFinite, Work
from proofs.enumeration.ranges import range_of
from proofs.enumeration.site import Site, private
from proofs.enumeration.space import Layout, Plan
from proofs.terms import Cond, Poly

MAX_CELLS = 2**22
NOBODY = 2**62


class Table:
    """One site laid out.

    Attributes:
        begin: the first byte of each lane, less `rest`.
        rest: what stands in the address without a column and is the block's own.
        stride: any multiple of it may be added to a lane's address; 0 if nothing is unknown.
    """

    def __init__(self, site: Site, used: Plan, layout: Layout, work: Work) -> None:
        self.site, self.used, self.layout = site, used, layout
        axes = {a.symbol.name: (a.low, a.low + a.count - 1) for a in (*used.shared, *used.own)}
        self.lanes = lanes = Lanes(layout.count, layout.columns, {**(site.ranges or {}), **axes}, work)
        address = used.parted.poly(site.address)
        finite, rest = lanes.split(address)
        self.begin = column(lanes.value(finite), lanes.count)
        self.rest = Poly({m: c for m, c in rest.terms.items() if not any(private(s) for a in m for s in a.symbols())})
        self.stride = gcd(*(c for c in (rest - self.rest).terms.values()), 0)

    @cached_property
    def owner(self) -> Array:
        """A number for each lane, equal where all that excuses is equal, in this table and in all others."""
        lanes = self.lanes
        total: Column = 0
        most = 1
        for term in self.site.excused:
            # Not the ranges of this site: two sites must number threads alike.
            low, high = range_of(term, {})
            term = self.used.parted.poly(term)
            if low is None or high is None or low < 0 or not lanes.has(term):
                raise NotFinite(f"{term.text[:60]} does not number threads")
            total = total * (high + 1) + lanes.value(term)
            most = most * (high + 1)
        if most >= LARGEST:
            raise NotFinite("too many threads to number")
        return column(total, lanes.count)

    @cached_property
    def conditions(self) -> tuple[Cond, ...]:
        """The conditions of the site, each a part of no other's conjunction."""
        whole = (self.used.parted.cond(c) for c in self.site.conditions)
        return tuple(part for c in whole for part in (c.args if c.op == "and" else (c,)))

    @cached_property
    def reached(self) -> Array:
        """Lanes in which every condition of the site may hold."""
        keep = np.ones(self.lanes.count, bool)
        for condition in self.conditions:
            keep &= self.lanes.possible(condition)
        return keep


    @cached_property
    def alignment(self) -> int:
        """A power of two, at most 4096, that divides all differences of first bytes."""
        if not self.lanes.count:
            return 4096
        differing = int(np.bitwise_or.reduce(self.begin ^ self.begin[0])) | 4096
        return differing & -differing


def column(value: Column, count: int) -> Array:
    """One number for each lane. A choice that is made alike in all lanes is one number without being an `int`."""
    return np.full(count, value, np.int64) if np.ndim(value) == 0 else np.asarray(value)


@dataclass(frozen=True)
class Grid:
    """How bytes become cells: groups, and in each the grains of `grain` bytes from `origin`, modulo `around` if not 0.

    Args:
        cells: cells of one group.
    """

    origin: int
    grain: int
    around: int
    cells: int
    groups: int

    def cell(self, table: Table, chosen: Array | None = None) -> Array:
        """The cells of each chosen lane, one column for each grain of its width."""
        return np.stack(list(self.columns(table, chosen)), axis=1)

    def columns(self, table: Table, chosen: Array | None = None) -> Iterator[Array]:
        """The same, one column after the other: all of them at once may take much memory."""
        begin = table.begin if chosen is None else table.begin[chosen]
        group = table.layout.group
        if chosen is not None and not isinstance(group, int):
            group = group[chosen]
        first = begin - self.origin
        # A grain is a power of two but where bytes come round modulo another number; dividing takes far longer.
        shift = self.grain.bit_length() - 1
        first = first >> shift if self.grain == 1 << shift else first // self.grain
        for number in range(table.site.width // self.grain):
            table.lanes.work.spend(3 * len(first))
            at = first + number if number else first
            if self.around:
                at = at % self.around
            yield at if isinstance(group, int) and not group else at + group * self.cells


def grid_of(tables: list[Table], stride: int) -> Grid:
    """Cells that fit all tables exactly; `stride`: addresses are known modulo this number, 0 for exactly."""
    some = [t for t in tables if t.lanes.count]
    origin = min((int(t.begin.min()) for t in some), default=0)
    grain = gcd(stride, *(t.site.width for t in tables))
    for table in some:
        grain = gcd(grain, table.alignment, int(table.begin[0]) - origin)
    last = max((int(t.begin.max()) + t.site.width for t in some), default=0)
    around = stride // grain
    cells = around or (last - origin) // grain + 1
    groups = max(t.layout.groups for t in tables)
    if cells * max(groups, 1) > MAX_CELLS:
        raise NotFinite("the bytes lie too far apart")
    return Grid(origin, grain, around, cells, groups)


def extremes(table: Table, grid: Grid, chosen: Array | None) -> tuple[Array, Array]:
    """The least and the greatest owner of each cell; where there is none, more than any and -1."""
    owner = table.owner if chosen is None else table.owner[chosen]
    # Most of the time goes into getting the memory: numbers that fit take half of it.
    kind = np.int32 if int(owner.max(initial=0)) < 2**31 - 1 else np.int64
    owner = owner.astype(kind)
    low = np.full(grid.cells * grid.groups, min(NOBODY, np.iinfo(kind).max), kind)
    high = np.full(grid.cells * grid.groups, -1, kind)
    for cells in grid.columns(table, chosen):
        np.minimum.at(low, cells, owner)
        np.maximum.at(high, cells, owner)
    return low, high


def lanes_on(table: Table, grid: Grid, chosen: Array | None, cell: int) -> Array:
    """The lanes that touch a cell, of all or of the chosen ones."""
    on: Array = np.logical_or.reduce([cells == cell for cells in grid.columns(table, chosen)])
    return np.flatnonzero(on) if chosen is None else np.flatnonzero(chosen)[on]


@dataclass(frozen=True)
class Pin:
    """A symbol's value in a candidate, or its remainder if `modulus` is not 0; a thread's own symbols are marked."""

    name: str
    value: int
    modulus: int = 0


def pins_at(table: Table, lane: int) -> tuple[Pin, ...]:
    """The enumerated symbols in a lane."""
    axes = {a.symbol.name: a for a in (*table.used.shared, *table.used.own)}
    found = []
    for name, column in table.lanes.columns.items():
        value = column if isinstance(column, int) else int(column[lane])
        parting = axes[name].parting if name in axes else None
        if parting is None:
            found.append(Pin(name, value))
        elif value < parting.start:
            found.append(Pin(parting.symbol.name, value))
        elif parting.modulus > 1:
            found.append(Pin(parting.symbol.name, value % parting.modulus, parting.modulus))
    return tuple(found)
