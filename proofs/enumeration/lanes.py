"""Everything an entry's enumerations share: its sites, layouts and tables, each made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from proofs.effort import NUMBERS
from proofs.enumeration.evaluate import Array, Work
from proofs.enumeration.site import MARK, Site, Sites
from proofs.enumeration.space import Axes, Block, Layout, Plan, axes_for, lay_out, plan
from proofs.enumeration.table import Grid, Pin, Table, extremes
from proofs.problem import AXES, Problem
from proofs.query import Copy
from proofs.terms import Cond, Interval, Poly, Symbol, integer, quote

MAX_KEPT = 2**23  # numbers of one kind that are kept for other claims

Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")


class Kept(Generic[Key, Made]):
    """What was made once, as long as it does not take too much memory together."""

    def __init__(self, size: Callable[[Made], int]) -> None:
        self._size, self._found = size, dict[Key, Made]()
        self._room = MAX_KEPT

    def get(self, key: Key, make: Callable[[], Made]) -> Made:
        if key in self._found:
            return self._found[key]
        made = make()
        self._room -= self._size(made)
        if self._room < 0:
            self._found.clear()
            self._room = MAX_KEPT - self._size(made)
        self._found[key] = made
        return made


class Enumerator:
    """The enumerations of one entry, whose claims together may cost `numbers` numbers that are worked out."""

    def __init__(self, problem: Problem, numbers: int = NUMBERS) -> None:
        self.problem = problem
        self.work = Work(numbers)
        self.sites = Sites(problem)
        self.threads = self.sites.threads()
        self.block = _block(problem)
        self._layouts: Kept[tuple[str, ...], Layout] = Kept(lambda layout: layout.count * len(layout.columns))
        self._tables: Kept[tuple[str, ...], Table] = Kept(lambda table: 2 * table.lanes.count)
        self._extremes: Kept[tuple[Table, Grid, bool], tuple[Array, Array]] = Kept(lambda both: 2 * len(both[0]))

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
        return self._tables.get(key, lambda: Table(site, used, self._layout(used), self.work))

    def _layout(self, used: Plan) -> Layout:
        """The lanes of a plan; they depend on the launch alone, not on the site."""
        key = (*(a.key for a in used.shared), "|", *(a.key for a in used.own))
        filters = [used.parted.cond(c) for c in self.sites.launch]
        return self._layouts.get(key, lambda: lay_out(self.block, used, self.sites.ranges or {}, filters, self.work))

    def extremes(self, table: Table, grid: Grid, chosen: Array | None, conditioned: bool) -> tuple[Array, Array]:
        """Least and greatest owner of each cell."""
        return self._extremes.get((table, grid, conditioned), lambda: extremes(table, grid, chosen))


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
