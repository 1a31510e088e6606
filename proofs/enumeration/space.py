"""The lanes of an enumeration: which symbols get columns, and which values.

Symbols of the block (phases, sizes) form groups; in each group all threads of the block are laid out, each with all
values of its own small symbols. A symbol that has no bounds, but is looked at only modulo p, gets as many places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from proofs.enumeration.evaluate import Array, Column, Lanes, NotFinite, Work
from proofs.enumeration.parting import MAX_MODULUS, MAX_START, Parted, Parting, Places
from proofs.enumeration.ranges import Ranges
from proofs.enumeration.site import CONTENT, private, symbols_of
from proofs.terms import Cond, Interval, Poly, Symbol
from spec.contracts.model import MAX_THREADS

MAX_LANES = 2**21
MAX_DIRECT = MAX_THREADS  # values of a symbol that are gone through one by one
MAX_OWN = 64  # the same for a symbol that each thread has its own of


@dataclass(frozen=True)
class Axis:
    """A symbol and the values it takes; if it is the place of another symbol, how that one is parted."""

    symbol: Symbol
    low: int
    count: int
    parting: Parting | None = None

    @property
    def key(self) -> str:
        return f"{self.symbol.name}:{self.low}:{self.count}"


@dataclass(frozen=True)
class Axes:
    """Some axes, and the partings with the bounds of the symbols that are parted."""

    axes: tuple[Axis, ...]
    partings: tuple[tuple[Parting, Interval], ...] = ()


@dataclass(frozen=True)
class Plan:
    """Axes of the block, each thread's own axes, and what becomes of symbols that are looked at by their place."""

    shared: tuple[Axis, ...]
    own: tuple[Axis, ...]
    partings: tuple[tuple[Parting, Interval], ...]
    parted: Parted


def plan(shared: Axes, own: Axes) -> Plan:
    """Both kinds of axes together."""
    partings = (*shared.partings, *own.partings)
    return Plan(shared.axes, own.axes, partings, Parted(partings))


def axes_for(
    wanted: Iterable[Poly | Cond], ranges: Ranges, skip: Iterable[Symbol], own: bool, whole: bool,
    forced: frozenset[str] = frozenset(),
) -> Axes:
    """The axes for some terms: of symbols of the block, or of each thread's own.

    Args:
        skip: the thread's number, which has columns in any case.
        whole: also for symbols that stand alone, so that conditions on them can be told apart.
        forced: names of symbols for which it is as if `whole` were said.
    """
    items = list(wanted)
    found: list[Axis] = []
    partings: list[tuple[Parting, Interval]] = []
    numbers = {s.name for s in skip}
    for symbol in symbols_of(items):
        if symbol.name in numbers or private(symbol) != own:
            continue
        bounds = ranges.get(symbol.name, (symbol.low, symbol.high))
        axis = _axis(symbol, bounds, items, whole or symbol.name in forced)
        if axis is not None:
            found.append(axis)
            if axis.parting is not None:
                partings.append((axis.parting, bounds))
    return Axes(tuple(found), tuple(partings))


def _axis(symbol: Symbol, bounds: Interval, items: Sequence[Poly | Cond], whole: bool) -> Axis | None:
    if symbol.kind == "boolean":
        return Axis(symbol, 0, 2) if whole and not private(symbol) else None
    low, high = bounds
    size = None if low is None or high is None else high - low + 1
    places = Places(symbol)
    for item in items:
        if isinstance(item, Poly):
            places.visit(item)
        else:
            for poly in item.polys():
                places.visit(poly)
    if not (whole or places.inside or places.mixed or private(symbol)):
        return None
    direct = None
    if size is not None and low is not None and size <= _most(symbol):
        direct = Axis(symbol, low, size)
    small = size is not None and (size <= MAX_OWN or whole or symbol.name.startswith("ntid.") or private(symbol))
    if direct is not None and small:
        return direct
    if places.inside and not places.mixed and places.modulus <= MAX_MODULUS:
        least = 0 if low is None else low
        if low is None and places.start > 0:
            return direct
        parting = Parting(symbol, least, max(places.start, least), places.modulus)
        if parting.start - least <= MAX_START:
            return Axis(parting.place, least, parting.count, parting)
    return direct


def _most(symbol: Symbol) -> int:
    """How many values of a symbol are gone through."""
    return MAX_OWN if private(symbol) and symbol.kind != CONTENT else MAX_DIRECT


@dataclass(frozen=True)
class Block:
    """Sizes of the block: a number or the symbol of one, for x, y, z; and the thread's symbols, None where it is 0."""

    sizes: tuple[int | Symbol, int | Symbol, int | Symbol]
    threads: tuple[Symbol | None, Symbol | None, Symbol | None]


@dataclass(frozen=True)
class Layout:
    """Columns of all lanes, the group of each, and the number of values of each own axis, which vary fastest."""

    count: int
    columns: Mapping[str, Column]
    group: Column
    groups: int
    inner: tuple[int, ...]


def lay_out(block: Block, used: Plan, ranges: Ranges, filters: Sequence[Cond], work: Work) -> Layout:
    """Every lane of a plan.

    Args:
        ranges: of the symbols of the launch, and of the thread's number.
        filters: what holds of the launch; groups in which one fails are left out.
    """
    total = prod(a.count for a in used.shared)
    inner = prod(a.count for a in used.own)
    if max(total, 1) * inner > MAX_LANES:
        raise NotFinite("too many combinations of phases")
    known = {**ranges, **{a.symbol.name: (a.low, a.low + a.count - 1) for a in (*used.shared, *used.own)}}
    columns: dict[str, Column] = {}
    index = np.arange(total)
    for axis in reversed(used.shared):
        columns[axis.symbol.name] = index % axis.count + axis.low
        index = index // axis.count
    keep = np.ones(total, bool)
    lanes = Lanes(total, columns, known, work)
    for condition in filters:
        keep &= lanes.possible(condition)
    groups = np.flatnonzero(keep)
    columns = {n: _picked(c, groups) for n, c in columns.items()}
    counts, numbers = _threads(block, columns, len(groups), ranges, inner)
    spread = np.repeat(np.arange(len(groups)), counts)
    columns = {n: _spread(c, spread, inner) for n, c in columns.items()}
    columns |= {n: np.repeat(c, inner) for n, c in numbers.items()}
    count = len(spread) * inner
    work.spend(count * (len(columns) + len(used.own)))
    step = inner
    for axis in used.own:
        step //= axis.count
        values = np.repeat(np.arange(axis.count) + axis.low, step)
        columns[axis.symbol.name] = np.tile(values, count // len(values))
    group: Column = 0 if len(groups) == 1 else np.repeat(spread, inner)
    return Layout(count, columns, group, len(groups), tuple(a.count for a in used.own))


def _picked(column: Column, groups: Array) -> Column:
    return column if isinstance(column, int) else column[groups]


def _spread(column: Column, spread: Array, inner: int) -> Column:
    if isinstance(column, int) or len(column) == 1:
        return int(column if isinstance(column, int) else column[0])
    return np.repeat(column[spread], inner)


def _threads(
    block: Block, columns: Mapping[str, Column], groups: int, ranges: Ranges, inner: int
) -> tuple[Array, dict[str, Array]]:
    """How many threads each group has, and the columns of their numbers."""
    names = [s.name if s is not None else "" for s in block.threads]
    symbolic = [s.name for s in block.sizes if isinstance(s, Symbol)]
    if not all(n in columns for n in symbolic):
        x, y, z = _largest(block, ranges)
        if len(x) * groups * inner > MAX_LANES:
            raise NotFinite("too many threads")
        found = {n: np.tile(c, groups) for n, c in zip(names, (x, y, z), strict=True) if n}
        return np.full(groups, len(x)), found
    nx, ny, nz = (
        np.full(groups, s) if isinstance(s, int) else np.broadcast_to(columns[s.name], (groups,)) for s in block.sizes
    )
    counts = nx * ny * nz
    if int(counts.sum()) * inner > MAX_LANES:
        raise NotFinite("too many threads")
    spread = np.repeat(np.arange(groups), counts)
    number = np.arange(len(spread)) - np.repeat(np.cumsum(counts) - counts, counts)
    wide, high = nx[spread], ny[spread]
    parts = (number % wide, number // wide % high, number // (wide * high))
    return counts, {n: c for n, c in zip(names, parts, strict=True) if n}


def _largest(block: Block, ranges: Ranges) -> tuple[Array, Array, Array]:
    """Every thread of any block: in a block as small as it can be, the thread is there."""
    extents = []
    for size, number in zip(block.sizes, block.threads, strict=True):
        if isinstance(size, int):
            extents.append((size, size))
            continue
        assert number is not None
        high = ranges.get(number.name, (number.low, number.high))[1]
        if high is None:
            raise NotFinite("a block of unknown size")
        extents.append((high + 1, 0))
    (nx, fx), (ny, fy), (nz, fz) = extents
    if nx * ny > MAX_LANES:
        raise NotFinite("too many threads")
    plane = np.arange(nx * ny)
    x, y = plane % nx, plane // nx
    area = (fx or x + 1) * (fy or y + 1)
    parts = []
    for z in range(nz):
        keep = np.broadcast_to(area * (fz or z + 1) <= MAX_THREADS, plane.shape)
        parts.append((x[keep], y[keep], np.full(int(keep.sum()), z)))
    xs, ys, zs = (np.concatenate(c) for c in zip(*parts, strict=True))
    return xs, ys, zs
