"""Barrier intervals: which accesses of one block may happen with nothing between them that orders them.

From the entry and from each barrier the code is walked to the barriers that end the interval. On the way the walk
knows, for each loop that holds a barrier, which iteration it is in relative to where it began: the same (`base`), the
next (`base+1`), the first (`0`), ... or, after more rounds than that, any (`free`). Iterations of a loop without a
barrier are always free. Both threads of a pair are in the same interval, since all threads pass the same barriers
(the barrier and trips claims).

Between lanes of one warp, `bar.warp.sync` of the whole warp is a barrier as well. Where there is one, intervals are
found twice: those of block barriers count for threads of different warps, those of both kinds for lanes of one warp.
A third kind holds what one thread does while its own asynchronous copy is in flight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofs.cfg import Graph
from proofs.phases.copies import carried, meanwhile, most_pending
from proofs.phases.model import DIFFERENT, ITSELF, OTHER_WARPS, SAME_WARP, Interval, Member, Pairing
from proofs.phases.modes import FREE, Modes, behind
from proofs.phases.walk import Walker
from proofs.phases.ways import Ways
from proofs.records import Barrier, Records, Shuffle
from proofs.terms import Cond
from spec.ptx.ast import Instr

MAX_AHEAD = 2
ALL_LANES = 2**32 - 1


def intervals(graph: Graph, records: Records, places: dict[int, str]) -> tuple[Interval, ...]:
    """The intervals of an entry."""
    within_warp = tuple(s for s in records.shuffles if s.orders and s.members == ALL_LANES)
    whole = tuple(b for b in records.barriers if not b.group)
    ahead = _rounds(records)
    wide = Walker(graph, records, places, (b.at.place for b in whole), ahead)
    found = list(_level(wide, records, whole, "i", OTHER_WARPS if within_warp else DIFFERENT))
    if within_warp:
        stops: tuple[Barrier | Shuffle, ...] = (*whole, *within_warp)
        narrow = Walker(graph, records, places, (s.at.place for s in stops), ahead)
        found += _level(narrow, records, stops, "w", SAME_WARP)
    alone = Walker(graph, records, places, (), ahead, every=True)
    for copy in records.accesses:
        if copy.flight:
            modes = tuple((loop, "base") for loop in copy.at.loops)
            members = (Member(copy, modes), *meanwhile(alone, records, copy))
            found.append(Interval(f"c.{copy.id}", copy.id, members, ITSELF))
    return tuple(found)


def _rounds(records: Records) -> int:
    """Iterations to tell apart: a copy is in flight for one more than the groups that its wait leaves pending."""
    return max(MAX_AHEAD, most_pending(records) + 2 if any(a.flight for a in records.accesses) else 0)


def _level(
    walker: Walker, records: Records, stops: tuple[Barrier | Shuffle, ...], letter: str, threads: str
) -> Iterator[Interval]:
    """Intervals between these stops."""
    carry: dict[str, dict[Member, None]] = {}
    for copy in records.accesses:
        if copy.flight:
            for place, member in carried(walker, records, copy):
                carry.setdefault(place, {})[member] = None
    ways = Ways(walker, records)
    yield Interval(f"{letter}0", "entry", between(walker, (walker.graph.order[0], 0, ()), ways), threads)
    for i, stop in enumerate(stops, 1):
        index, at = walker.position[stop.at.place]
        members = between(walker, (index, at + 1, tuple((loop, "base") for loop in stop.at.loops)), ways)
        extra = (m for m in carry.get(stop.at.place, ()) if m not in members)
        yield Interval(f"{letter}{i}", stop.id, (*members, *extra), threads)


def between(walker: Walker, start: tuple[int, int, Modes], ways: Ways) -> tuple[Member, ...]:
    """Every access reached before a stop."""
    members: dict[Member, frozenset[Cond]] = {}
    certain = ways.certain(start)

    def visit(place: str, instruction: Instr, modes: Modes, extra: None) -> tuple[None, ...]:
        # A guarded barrier does not end the interval for threads that skip it.
        if place in walker.stops and instruction.guard is None:
            return ()
        around = dict(modes)
        for access in walker.accesses.get(place, ()):
            mine = tuple((loop, around.get(loop, FREE)) for loop in access.at.loops)
            member = Member(access, mine, *behind(modes))
            here = certain.get((walker.position[place][0], modes), frozenset())
            members[member] = members.get(member, here) & here
        return (None,)

    index, at, modes = start
    walker.explore(index, at, modes, None, visit)
    return tuple(replace(member, ways=said) for member, said in members.items())


__all__ = ["Interval", "Member", "Pairing", "intervals"]
