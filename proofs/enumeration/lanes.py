"""Everything an entry's enumerations share: its sites, layouts and tables, each made once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs.enumeration.evaluate import Array
from proofs.enumeration.site import MARK, Site, Sites
from proofs.enumeration.space import Axes, Block, Layout, Plan, axes_for, lay_out, plan
from proofs.enumeration.table import Grid, Pin, Table, extremes
from proofs.problem import AXES, Problem
from proofs.query import Copy
from proofs.terms import Cond, Interval, Poly, Symbol, integer, quote

MAX_KEPT = 400
MAX_WORK = 2**28


class Enumerator:
    """The enumerations of one entry. `left`: assignments that may still be gone through, all claims together."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.left = MAX_WORK
        self.sites = Sites(problem)
        self.threads = self.sites.threads()
        self.block = _block(problem)
        self._layouts: dict[tuple[str, ...], Layout] = {}
        self._tables: dict[tuple[str, ...], Table] = {}
        self._extremes: dict[tuple[Table, Grid, bool], tuple[Array, Array]] = {}

    def tables(self, sites: tuple[Site, Site], ranges: Mapping[str, Interval], whole: bool) -> tuple[Table, Table]:
        """Both sites over the same groups. `whole`: symbols of the conditions get columns as well."""
        shared = axes_for([t for s in sites for t in wanted(s, whole)], ranges, self.threads, False, whole)
        first, second = (self.table(s, shared, whole) for s in sites)
        return first, second

    def table(self, site: Site, shared: Axes, whole: bool) -> Table:
        """A site over the groups that axes of the block make, with its own symbols."""
        own = axes_for(wanted(site, whole), site.ranges or {}, self.threads, True, whole)
        return self.table_of(site, plan(shared, own))

    def table_of(self, site: Site, used: Plan) -> Table:
        """A site over the lanes of a plan."""
        key = (*site.key, "|", *(a.key for a in used.shared), "|", *(a.key for a in used.own))
        if key not in self._tables:
            if len(self._tables) >= MAX_KEPT:
                self._tables.clear()
            self._tables[key] = Table(site, used, self._layout(used))
        return self._tables[key]

    def _layout(self, used: Plan) -> Layout:
        """The lanes of a plan; they depend on the launch alone, not on the site."""
        key = (*(a.key for a in used.shared), "|", *(a.key for a in used.own))
        if key not in self._layouts:
            if len(self._layouts) >= MAX_KEPT:
                self._layouts.clear()
            filters = [used.parted.cond(c) for c in self.sites.launch]
            self._layouts[key] = lay_out(self.block, used, self.sites.ranges or {}, filters)
        return self._layouts[key]

    def extremes(self, table: Table, grid: Grid, chosen: Array | None, conditioned: bool) -> tuple[Array, Array]:
        """Least and greatest owner of each cell."""
        key = (table, grid, conditioned)
        if key not in self._extremes:
            if len(self._extremes) >= MAX_KEPT:
                self._extremes.clear()
            self._extremes[key] = extremes(table, grid, chosen)
        return self._extremes[key]


def wanted(site: Site, whole: bool) -> list[Poly | Cond]:
    """What columns are needed for: the address, and on the last level the conditions."""
    return [site.address, *site.excused, *(site.conditions if whole else ())]


def _block(problem: Problem) -> Block:
    sizes: list[int | Symbol] = []
    numbers: list[Symbol | None] = []
    for axis in AXES:
        size = problem.specials[f"%ntid.{axis}"]
        sizes.append(size.value if size.value is not None else next(iter(size.symbols())))
        found = [s.renamed(s.name + MARK) for s in problem.specials[f"%tid.{axis}"].symbols()]
        numbers.append(found[0] if found else None)
    return Block((sizes[0], sizes[1], sizes[2]), (numbers[0], numbers[1], numbers[2]))


def pinned(pins: Iterable[Pin], copy: Copy) -> list[tuple[str, str]]:
    """Symbols and equations that single out a lane, in the spelling of a copy."""
    found = []
    for pin in pins:
        name = pin.name.removesuffix(MARK) + copy.mark if pin.name.endswith(MARK) else pin.name
        term = quote(name) if not pin.modulus else f"(mod {quote(name)} {pin.modulus})"
        found.append((name, f"(= {term} {integer(pin.value)})"))
    return found
