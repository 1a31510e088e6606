"""The lanes of an enumeration: which symbols get columns, and which values.

Symbols of the block (phases, sizes) form groups; in each group all threads of the block are laid out, each with all
values of its own small symbols. A symbol that has no bounds, but is looked at only modulo p, gets p values: it is p
times another symbol, which has no column, plus a remainder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm, prod

import numpy as np

from proofs.enumeration.evaluate import Array, Column, Lanes, NotFinite
from proofs.enumeration.ranges import Ranges
from proofs.enumeration.site import private, symbols_of
from proofs.terms import Cond, DivAtom, Interval, ModAtom, Poly, Symbol, SymbolAtom
from spec.contracts.model import MAX_THREADS

MAX_LANES = 2**21
MAX_DIRECT = MAX_THREADS  # values of a symbol that are gone through one by one
MAX_OWN = 64  # the same for a symbol that each thread has its own of
MAX_RESIDUES = 256


@dataclass(frozen=True)
class Axis:
    """A symbol and the values it takes. `of`: it is the remainder of this symbol, modulo the number of values."""

    symbol: Symbol
    low: int
    count: int
    of: str = ""

    @property
    def key(self) -> str:
        return f"{self.symbol.name}:{self.low}:{self.count}"


@dataclass(frozen=True)
class Plan:
    """Axes of the block, each thread's own axes, and what the symbols become that are looked at by remainder."""

    shared: tuple[Axis, ...]
    own: tuple[Axis, ...]
    mapping: Mapping[Symbol, Poly]


@dataclass(frozen=True)
class Axes:
    """Some axes, and what the symbols become that are looked at by remainder."""

    axes: tuple[Axis, ...]
    mapping: Mapping[Symbol, Poly]


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
    mapping: dict[Symbol, Poly] = {}
    numbers = {s.name for s in skip}
    for symbol in symbols_of(items):
        if symbol.name in numbers or private(symbol) != own:
            continue
        bounds = ranges.get(symbol.name, (symbol.low, symbol.high))
        axis = _axis(symbol, bounds, items, whole or symbol.name in forced)
        if axis is not None:
            found.append(axis)
            if axis.of:
                mapping[symbol] = _parted(symbol, axis, bounds)
    return Axes(tuple(found), mapping)


def plan(shared: Axes, own: Axes) -> Plan:
    """Both kinds of axes together."""
    return Plan(shared.axes, own.axes, {**shared.mapping, **own.mapping})


def _axis(symbol: Symbol, bounds: Interval, items: Sequence[Poly | Cond], whole: bool) -> Axis | None:
    if symbol.kind == "boolean":
        return Axis(symbol, 0, 2) if whole and not private(symbol) else None
    low, high = bounds
    size = None if low is None or high is None else high - low + 1
    places = _Places(symbol)
    for item in items:
        for poly in (item,) if isinstance(item, Poly) else item.polys():
            places.visit(poly, 1)
    if not (whole or places.inside or places.mixed or private(symbol)):
        return None
    direct = None
    if size is not None and low is not None and size <= (MAX_OWN if private(symbol) else MAX_DIRECT):
        direct = Axis(symbol, low, size)
    small = size is not None and (size <= MAX_OWN or whole or symbol.name.startswith("ntid."))
    if direct is not None and small:
        return direct
    if places.inside and not places.mixed and places.modulus <= MAX_RESIDUES:
        return Axis(_remainder(symbol, places.modulus), 0, places.modulus, symbol.name)
    return direct


class _Places:
    """Where a symbol stands: inside div or mod (then by which number it can be parted), or in a product."""

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol
        self.modulus, self.inside, self.mixed = 1, False, False

    def visit(self, poly: Poly, factor: int) -> None:
        """Look through a term that is divided by `factor` in all."""
        for monomial in poly.terms:
            mine = [a for a in monomial if self.symbol in a.symbols()]
            if mine and len(monomial) > 1:
                self.mixed = True
            for atom in mine:
                if isinstance(atom, DivAtom | ModAtom):
                    self.inside = True
                    self.modulus = min(lcm(self.modulus, factor * atom.c), MAX_RESIDUES + 1)
                    self.visit(atom.a, factor * atom.c)
                elif not isinstance(atom, SymbolAtom):
                    self.inside = self.mixed = True


def _remainder(symbol: Symbol, modulus: int) -> Symbol:
    return replace(symbol.renamed(_tagged(symbol, f"%{modulus}")), low=0, high=modulus - 1)


def _tagged(symbol: Symbol, tag: str) -> str:
    return symbol.name[:-1] + tag + symbol.name[-1] if private(symbol) else symbol.name + tag


def _parted(symbol: Symbol, axis: Axis, bounds: Interval) -> Poly:
    """modulus * quotient + remainder, the quotient a new symbol."""
    low, high = bounds
    least = None if low is None else low // axis.count
    most = None if high is None else high // axis.count
    quotient = replace(symbol.renamed(_tagged(symbol, f"/{axis.count}")), low=least, high=most)
    return Poly.symbol(quotient) * axis.count + Poly.symbol(axis.symbol)


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


def lay_out(block: Block, used: Plan, ranges: Ranges, filters: Sequence[Cond]) -> Layout:
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
    lanes = Lanes(total, columns, known)
    for condition in filters:
        keep &= lanes.possible(condition)
    groups = np.flatnonzero(keep)
    columns = {n: _picked(c, groups) for n, c in columns.items()}
    counts, numbers = _threads(block, columns, len(groups), ranges, inner)
    spread = np.repeat(np.arange(len(groups)), counts)
    columns = {n: _spread(c, spread, inner) for n, c in columns.items()}
    columns |= {n: np.repeat(c, inner) for n, c in numbers.items()}
    count = len(spread) * inner
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
