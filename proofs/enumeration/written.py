"""Initialisation: every byte that a read takes was written before, whoever reads, in whatever phase.

The writer must be certain: its guards are evaluated with the reader's values of what the block has in common, and what
else they depend on counts as "not written". In the first rounds of a ring some of the earlier rounds do not exist yet,
so each of them is a case of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from proofs.contents import contents_of
from proofs.enumeration.answer import Answer
from proofs.enumeration.elements import loosened
from proofs.enumeration.evaluate import Array, Lanes, NotFinite
from proofs.enumeration.lanes import Enumerator, pinned, wanted
from proofs.enumeration.matched import matched
from proofs.enumeration.question import ANYONE, ITS_THREAD, ITS_WARP, Writer, Written
from proofs.enumeration.ranges import narrowed
from proofs.enumeration.site import Site, private
from proofs.enumeration.space import Axes, Axis, axes_for, plan
from proofs.enumeration.table import Grid, Table, grid_of, pins_at
from proofs.problem import linear_thread
from proofs.query import ONE, Copy
from proofs.terms import THREAD, Cond, Poly, Symbol, divide, integer, quote

WARP = 32
MAX_MARKS = 2**26  # bytes of a table of cells
MAX_ROUNDS = 64  # of a writer's loop; later ones are not counted
LEVELS = (False, True)


def written(given: Enumerator, question: Written, sizes: bool = True) -> Answer:
    """The answer to an init claim. `sizes`: what a reader's guards say of sizes that are not known is put to use."""
    for round_ in (*range(question.depth), None):
        case = _Case(given, question, round_, sizes)
        if case.site.ranges is None:
            continue
        candidate: tuple[tuple[str, str], ...] | None = None
        for whole in LEVELS:
            try:
                table, missing = case.missing(whole)
            except NotFinite:
                if candidate is None:
                    raise
                break
            candidate = None
            if not missing.any():
                break
            bad = int(np.flatnonzero(missing)[0])
            candidate = (*pinned(pins_at(table, bad), ONE), *case.pins)
        if candidate is not None:
            return Answer(False, candidate)
    return Answer(True)


@dataclass(frozen=True)
class _Case:
    """The read in one round of its ring, or in all from `depth` on (None)."""

    given: Enumerator
    question: Written
    round: int | None
    sizes: bool = True
    loose: bool = False

    @property
    def pins(self) -> list[tuple[str, str]]:
        """The round, where it is a number."""
        name = f"k@{self.question.ring}"
        return [] if self.round is None else [(name, f"(= {quote(name)} {integer(self.round)})")]

    def _rounds(self, back: int) -> dict[str, Poly]:
        """Round counts that all threads share."""
        found = {}
        for loop in self.question.tied:
            symbol = Symbol(f"k@{loop}", "iteration", THREAD, 0, None)
            found[symbol.name] = Poly.symbol(symbol)
            if loop == self.question.ring:
                here = Poly.symbol(symbol) if self.round is None else Poly.constant(self.round)
                found[symbol.name] = here - back
        return found

    def copy(self, back: int) -> Copy:
        """A thread so many rounds back; what is uniform in the loops that all are in the same round of is shared."""
        same = frozenset(self.question.tied) - ({self.question.ring} if back else set())
        return Copy("", frozenset(), self._rounds(back), same)

    @cached_property
    def site(self) -> Site:
        """The reader; `loose`: where it reads hangs on elements of memory, which may be anything."""
        q = self.question
        later = {f"k@{q.ring}": (q.depth, None)} if q.ring and self.round is None else {}
        copy = self.copy(0)
        thread = tuple(Poly.symbol(s) for a in "xyz" for s in self.given.problem.specials[f"%tid.{a}"].symbols())
        found = self.given.sites.site(q.read, copy, thread, ranges=later)
        return loosened(found) if self.loose else found

    def _counts(self, writer: Writer) -> bool:
        least = max(writer.back, writer.since)
        return least <= (self.question.depth if self.round is None else self.round)

    def missing(self, whole: bool) -> tuple[Table, Array]:
        """The reader's lanes, and those in which a byte may not have been written."""
        writers = [w for w in self.question.writers if self._counts(w)]
        table = self._table([], whole)
        if table.stride and not self.loose and contents_of([self.site.address]):
            return replace(self, loose=True).missing(whole)
        left = self._left_by_own(table, writers)
        if not left.any():
            return table, np.asarray(left.any(axis=1))
        sure = [found for w in writers if (found := _Sure(self, w)).site is not None]
        table = self._table(sure, whole)
        left = self._left_by_own(table, writers)
        if table.stride:
            raise NotFinite("the address that is read is not followed")
        tables = [(w, t) for w in sure if (t := w.table(table)) is not None]
        grid = grid_of([table, *(t for _, t in tables)], 0)
        missing = _spread(left, table, grid)
        known = self._uniform(table)
        for by in (ANYONE, ITS_WARP, ITS_THREAD):
            some = [(w, t) for w, t in tables if w.writer.by == by]
            if some and missing.any():
                cells = [self._cells(grid, t, w.sure(t, known), by) for w, t in some]
                missing[missing] = ~_among(self._cells(grid, table, None, by)[missing], cells)
        for writer, t in tables:
            if self.sizes and writer.writer.by == ANYONE and missing.any():
                missing &= ~matched(table, t, known, writer.reached(t, known), grid)
        return table, np.asarray(missing.any(axis=1))

    def _cells(self, grid: Grid, table: Table, chosen: Array | None, by: str) -> Array:
        """Cells, told apart by whose they are."""
        cells = grid.cell(table, chosen)
        if by == ANYONE:
            return cells
        whose = table.owner
        if by == ITS_WARP:
            lanes = table.lanes
            copy = self.given.sites.copied(Copy())
            warp = self.given.sites.put(copy, divide(linear_thread(self.given.problem.specials), WARP))
            whose = np.broadcast_to(lanes.value(table.used.parted.poly(warp)), (lanes.count,))
        return np.asarray(cells + (whose if chosen is None else whose[chosen])[:, None] * (grid.cells * grid.groups))

    def _table(self, writers: list[_Sure], whole: bool) -> Table:
        """The reader over the groups that it and the writers need."""
        terms = [*wanted(self.site, whole), *(t for w in writers for t in w.wanted(whole))]
        sizes = [s for s in self.given.block.sizes if isinstance(s, Symbol)] if writers else []
        terms += [Poly.symbol(s) for s in sizes]
        forced = frozenset(s.name for s in sizes)
        shared = axes_for(terms, self.site.ranges or {}, self.given.threads, False, whole, forced)
        return self.given.table(self.site, shared, whole)

    def _uniform(self, table: Table) -> frozenset[Cond]:
        """What the reader knows of the block."""
        return frozenset(c for c in table.conditions if not any(private(s) for s in c.symbols()))

    def _left_by_own(self, table: Table, writers: list[Writer]) -> Array:
        """Bytes, by lane, that the reading thread may be made to take without having written them in this round."""
        width = table.site.width
        left = np.repeat(table.reached[:, None], width, axis=1)
        lanes = replace(table.lanes, known=frozenset(table.conditions))
        for writer in writers:
            if writer.inner or writer.back or self.question.read.warp or not left.any():
                continue
            copy = self.copy(0)
            mine = self.given.sites.copied(copy)
            control = [table.used.parted.cond(self.given.sites.hold(mine, c)) for c in writer.control]
            gap = table.used.parted.poly(self.given.sites.put(mine, writer.access.address) - self.site.address)
            if lanes.has(gap):
                sure = np.ones(lanes.count, bool)
                for condition in control:
                    sure &= lanes.certain(condition)
                byte = np.arange(width)[None, :] - np.reshape(lanes.value(gap), (-1, 1))
                left &= ~((byte >= 0) & (byte < writer.access.width) & sure[:, None])
        return left


def _among(cells: Array, others: list[Array]) -> Array:
    """Which cells are among the others: by a table of marks where it is small, as nothing has to be sorted for it."""
    others = [c for c in others if c.size]
    if not others or not cells.size:
        return np.zeros(cells.shape, bool)
    last = max(int(c.max()) for c in (cells, *others))
    if last < MAX_MARKS and all(int(c.min()) >= 0 for c in (cells, *others)):
        marks = np.zeros(last + 1, bool)
        for other in others:
            marks[other] = True
        return np.asarray(marks[cells])
    order = np.sort(np.concatenate([c.ravel() for c in others]))
    at = np.minimum(np.searchsorted(order, cells), len(order) - 1)
    return np.asarray(order[at] == cells)


def _spread(left: Array, table: Table, grid: Grid) -> Array:
    """Grains of which a byte is left."""
    return np.asarray(left.reshape(len(left), table.site.width // grid.grain, grid.grain).any(axis=2))


@dataclass(frozen=True)
class _Sure:
    """A writer, and the lanes in which it is certain to write."""

    case: _Case
    writer: Writer

    @cached_property
    def copy(self) -> Copy:
        """Its round is the reader's, less `back`; what loops have defined anew since is its own."""
        return self.case.copy(self.writer.back)

    @cached_property
    def _stale(self) -> frozenset[Symbol]:
        loops = {loop.id for loop in self.writer.inner} | ({self.case.question.ring} if self.writer.back else set())
        items: list[Poly | Cond] = [self.writer.access.address, *self.writer.control]
        items += [loop.proceed for loop in self.writer.inner]
        found = {s for i in items for s in i.symbols() if s.scope != THREAD and s.loops & loops}
        return frozenset(found)

    @cached_property
    def site(self) -> Site | None:
        """None if the address is the writer's own secret."""
        base = self.case.site
        assert base.ranges is not None
        ranges = {n: r for n, r in base.ranges.items() if not n.endswith("!")}
        thread = tuple(Poly.symbol(s) for a in "xyz" for s in self.case.given.problem.specials[f"%tid.{a}"].symbols())
        site = self.case.given.sites.site(
            self.writer.access, self.copy, thread, self.writer.control, self._stale, ranges
        )
        known = {s.name for s in (*self.case.given.threads, *self._counters())}
        if any(private(s) and s.name not in known for s in site.address.symbols()):
            return None
        # What the guards say of the block must not be used to show that they hold.
        launch = self.case.given.sites.ranges or {}
        numbers = {s.name: launch[s.name] for s in self.case.given.threads if s.name in launch}
        return replace(site, ranges={**ranges, **numbers}, key=(*site.key, "writer"))

    def _counters(self) -> list[Symbol]:
        return [loop.iteration.renamed(f"{loop.iteration.name}!") for loop in self.writer.inner]

    def wanted(self, whole: bool) -> list[Poly | Cond]:
        """What needs columns of the block."""
        assert self.site is not None
        more = [*self.site.conditions, *self._proceeds] if whole else []
        return [self.site.address, *more]

    @cached_property
    def _proceeds(self) -> list[Cond]:
        mine = self.case.given.sites.copied(self.copy, self._stale)
        return [self.case.given.sites.hold(mine, loop.proceed) for loop in self.writer.inner]

    def table(self, reader: Table) -> Table | None:
        """Over the reader's groups; None where the address is not followed."""
        assert self.site is not None
        partings = [(p, bounds) for p, bounds in reader.used.partings if not private(p.symbol)]
        shared = Axes(reader.used.shared, tuple(partings))
        found = narrowed(self.site.conditions, self.site.ranges or {}) or {}
        axes = []
        for symbol in self._counters():
            high = found.get(symbol.name, (0, None))[1]
            axes.append(Axis(symbol, 0, MAX_ROUNDS if high is None else max(1, min(high + 1, MAX_ROUNDS))))
        try:
            table = self.case.given.table_of(self.site, plan(shared, Axes(tuple(axes))))
        except NotFinite:
            return None
        return table if not table.stride and table.rest == reader.rest else None

    def sure(self, table: Table, known: frozenset[Cond]) -> Array:
        """Lanes in which a thread is certain to come here and write."""
        lanes = replace(table.lanes, known=known)
        sure = self.reached(table, known)
        for condition in table.conditions:
            sure &= lanes.certain(condition)
        return sure

    def reached(self, table: Table, known: frozenset[Cond]) -> Array:
        """Lanes whose rounds of loops that have ended are certain to be reached, if there is a first one."""
        lanes = replace(table.lanes, known=known)
        sure = np.ones(lanes.count, bool)
        inner = [a.count for a in table.used.own]
        for at, proceed in enumerate(self._proceeds):
            sure &= _reached(lanes, table.used.parted.cond(proceed), inner, at)
        return sure


def _reached(lanes: Lanes, proceed: Cond, inner: list[int], at: int) -> Array:
    """Lanes whose round of one loop all rounds before have led to."""
    goes = np.broadcast_to(lanes.certain(proceed), (lanes.count,))
    after = prod(inner[at + 1 :])
    goes = goes.reshape(-1, inner[at], after)
    # Rounds of loops inside have no part in it: their counts after leaving are other symbols.
    earlier = np.logical_and.accumulate(goes, axis=1)
    first = np.ones_like(earlier[:, :1])
    found: Array = np.concatenate([first, earlier[:, :-1]], axis=1).reshape(-1)
    return found

