"""Two accesses of one block: whether bytes of different threads can meet, by sorting bytes into cells.

First the conditions under which the accesses are made are left out, which only adds pairs; where bytes meet all the
same, conditions that can be evaluated are put to use, and at last the symbols that stand only in conditions enumerated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import gcd

import numpy as np

from proofs.enumeration.answer import Answer
from proofs.enumeration.evaluate import Array, NotFinite
from proofs.enumeration.lanes import Enumerator, pinned
from proofs.enumeration.question import Apart
from proofs.enumeration.ranges import narrowed
from proofs.enumeration.site import MARK, Site
from proofs.enumeration.table import Grid, Pin, Table, grid_of, lanes_on, pins_at
from proofs.query import Copy
from proofs.records import Access
from proofs.terms import THREAD, Cond, Interval, Poly, Symbol

LEVELS = ((False, False), (False, True), (True, True))  # (symbols of conditions too, conditions)

# Asked for at last only: it looks through all lanes once more.
Example = Callable[[], tuple[tuple[Pin, ...], tuple[Pin, ...]]]


def apart(given: Enumerator, question: Apart) -> Answer:
    """The answer to an in-block race claim."""
    (a, first), (b, second) = question.first, question.second
    unstable = _unstable(a, first, b, second)
    excused = question.excused or ()
    more = narrowed(question.known, {})
    if more is None:
        return Answer(True)
    sites = (
        given.sites.site(a, first, excused, unstable=unstable, ranges=more),
        given.sites.site(b, second, excused, unstable=unstable, ranges=more),
    )
    ranges = together(*sites)
    if ranges is None:
        return Answer(True)
    meeting: Example | None = None
    for whole, conditioned in LEVELS:
        try:
            tables = given.tables(sites, ranges, whole)
            found = _meeting(given, tables, conditioned, question.excused is not None)
        except NotFinite:
            if meeting is None:
                raise
            break
        meeting = found
        if meeting is None:
            axes = tuple((*t.used.shared, *t.used.own) for t in tables)
            return Answer(True, axes=axes, conditioned=conditioned)
    assert meeting is not None
    mine, theirs = meeting()
    pins = dict.fromkeys((*pinned(mine, first), *pinned(theirs, second)))
    return Answer(False, tuple(pins))


def together(one: Site, other: Site) -> dict[str, Interval] | None:
    """Ranges of the block's symbols that both sites allow; None if there are none."""
    if one.ranges is None or other.ranges is None:
        return None
    found = {n: r for n, r in one.ranges.items() if not n.endswith(MARK)}
    for name, (low, high) in other.ranges.items():
        if name.endswith(MARK):
            continue
        least, most = found.get(name, (None, None))
        low = low if least is None else least if low is None else max(low, least)
        high = high if most is None else most if high is None else min(high, most)
        if low is not None and high is not None and low > high:
            return None
        found[name] = (low, high)
    return found


def _unstable(a: Access, first: Copy, b: Access, second: Copy) -> frozenset[Symbol]:
    """Symbols of the block that a loop defines anew where the two threads need not be in the same round of it."""
    found = set()
    items: list[Poly | Cond] = [a.address, b.address, *a.at.known(), *b.at.known()]
    for symbol in {s for item in items for s in item.symbols()}:
        rounds = [f"k@{loop}" for loop in symbol.loops]
        same = all(r in first.replaced and first.replaced[r] == second.replaced.get(r) for r in rounds)
        if symbol.scope != THREAD and not same:
            found.add(symbol)
    return frozenset(found)


def _meeting(
    given: Enumerator, tables: tuple[Table, Table], conditioned: bool, excusing: bool
) -> Example | None:
    """Where bytes of two threads that are not excused meet: what gives a lane of each; None if nowhere."""
    one, other = tables
    chosen: list[Array | None] = [t.reached if conditioned else None for t in tables]
    stride = gcd(one.stride, other.stride, *(c for c in (one.rest - other.rest).terms.values()))
    grid = grid_of([one, other], stride)
    (low, high), (least, most) = (
        given.extremes(t, grid, c, conditioned) for t, c in zip(tables, chosen, strict=True)
    )
    hit = (high >= 0) & (most >= 0)
    if excusing:
        hit &= ~((low == high) & (least == most) & (low == least))
    cells = np.flatnonzero(hit)
    if not len(cells):
        return None
    return partial(_example, tables, grid, chosen, int(cells[0]), excusing)


def _example(
    tables: tuple[Table, Table], grid: Grid, chosen: list[Array | None], cell: int, excusing: bool
) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
    one, other = tables
    mine, theirs = (
        lanes_on(t, grid, c, cell) for t, c in zip(tables, chosen, strict=True)
    )
    i = int(mine[0])
    j = int(theirs[0])
    if excusing:
        differing = theirs[other.owner[theirs] != one.owner[i]]
        if len(differing):
            j = int(differing[0])
        else:
            i = int(mine[one.owner[mine] != other.owner[j]][0])
    return pins_at(one, i), pins_at(other, j)
