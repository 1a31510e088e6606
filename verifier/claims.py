"""The claims that records and contract call for, each with what it may assume and what it must conclude."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

from verifier.conditions import (
    GRID,
    ONE,
    THREAD,
    Condition,
    Copy,
    Subject,
    buffer_of,
    conjunction,
    equal,
    linear_thread,
)
from verifier.contract import ACTIVE, MAX_GRID
from verifier.findings import Unreadable
from verifier.records import Access, LoopRecord, Point
from verifier.terms import FALSE, Name, Term, names

WARP = 32
ALL_LANES = 2**32 - 1
FOREVER = 2**64


def required(subject: Subject) -> Iterator[Condition]:
    """Every claim but init and coverage, which have modules of their own."""
    yield _grid(subject)
    for access in subject.records.accesses.values():
        yield from _access(subject, access)
    for name, buffer in subject.contract.buffers.items():
        if buffer.leading is not None:
            goal = conjunction((("<=", 1, buffer.leading), ("<=", buffer.columns, buffer.leading)))
            yield subject.condition(f"rows.{name}", "single-writer", (), goal)
    yield from _grid_pairs(subject)
    yield from _interval_pairs(subject)
    yield from _together(subject)
    for record in subject.records.observations.values():
        goal = conjunction((("<=", record.low, record.term), ("<=", record.term, record.high)))
        yield subject.condition(f"range.{record.id}", "no-wrap", subject.known(record, ONE), goal)
    for read in subject.records.reads.values():
        yield subject.condition(f"defined.{read.id}", "init", subject.known(read, ONE), read.written)
    for trap in subject.records.traps.values():
        yield subject.condition(f"trap.{trap.id}", "no-trap", subject.known(trap, ONE), FALSE)
    for loop in subject.records.loops.values():
        here = [*subject.known(loop, ONE), loop.proceed]
        goal = ("<", Name(loop.iteration), FOREVER)
        yield subject.condition(f"variant.{loop.id}", "no-trap", here, goal)


def _grid(subject: Subject) -> Condition:
    """The contract's grid within the hardware's limits, from its requirements alone."""
    launch = ("tid", "ctaid", "nctaid", "ntid")
    clauses = [c for c in subject.domain() if not any(n.partition(".")[0] in launch for n in names(c))]
    ranges, sorts = subject.ranges()
    ranges = [r for r in ranges if not any(n.partition(".")[0] in launch for n in names(r))]
    parts: list[Term] = []
    for extent, limit in zip(subject.contract.grid, MAX_GRID, strict=True):
        parts += [("<=", 1, extent), ("<=", extent, limit)]
    return Condition("abi.grid", "abi", (*ranges, *clauses), conjunction(parts), sorts)


def _access(subject: Subject, access: Access) -> Iterator[Condition]:
    here = subject.known(access, ONE)
    address = access.address
    if access.space == "shared":
        if access.buffer not in subject.entry.shared:
            raise Unreadable(f"{subject.contract.entry}: no shared variable {access.buffer}")
        base = Name(f"shared.{access.buffer}")
        declared = subject.entry.shared[access.buffer].bytes
        size = subject.contract.dynamic_shared if declared is None else declared
        inside = conjunction((("<=", base, address), ("<=", ("+", address, access.width), ("+", base, size))))
        yield subject.condition(f"bounds.{access.id}", "bounds", here, inside)
    else:
        buffer = subject.contract.buffers[buffer_of(subject, access.buffer).name]
        element: Term = access.column
        shape: list[Term] = [("<=", 0, access.column), ("<=", ("+", access.column, access.count), buffer.columns)]
        if buffer.rows is not None and buffer.leading is not None:
            element = ("+", ("*", access.row, buffer.leading), access.column)
            shape = [("<=", 0, access.row), ("<", access.row, buffer.rows), *shape]
        split = ("=", address, ("+", Name(buffer.name), ("*", buffer.size, element)))
        yield subject.condition(f"split.{access.id}", "bounds", here, split)
        yield subject.condition(f"bounds.{access.id}", "bounds", here, conjunction(shape))
    if access.width > 1:
        aligned = ("=", ("mod", address, access.width), 0)
        yield subject.condition(f"align.{access.id}", "bounds", here, aligned)
    if access.space == "global" and access.kind == "write":
        inactive: Term = ("not", ("=", Name(subject.contract.power), ACTIVE))
        yield subject.condition(f"power.{access.id}", "power-gate", [*here, inactive], FALSE)


def overlap(subject: Subject, a: Access, b: Access, first: Copy, second: Copy) -> Term:
    """That the bytes of two accesses to one buffer or variable meet."""
    if a.space == "shared":
        x, y = subject.spoken(a.address, first), subject.spoken(b.address, second)
        return ("and", ("<", x, ("+", y, b.width)), ("<", y, ("+", x, a.width)))
    x, y = subject.spoken(a.column, first), subject.spoken(b.column, second)
    rows = ("=", subject.spoken(a.row, first), subject.spoken(b.row, second))
    return ("and", rows, ("<", x, ("+", y, b.count)), ("<", y, ("+", x, a.count)))


def _same(symbols: list[str]) -> Term:
    return equal((Name(f"{s}!1"), Name(f"{s}!2")) for s in symbols)


def _grid_pairs(subject: Subject) -> Iterator[Condition]:
    """Pairs of accesses to one global buffer, anywhere in the launch, of which one writes."""
    copies = (Copy("!1", GRID), Copy("!2", GRID))
    accesses = [a for a in subject.records.accesses.values() if a.space == "global"]
    for a, b in combinations_with_replacement(accesses, 2):
        if a.buffer != b.buffer or "write" not in (a.kind, b.kind):
            continue
        here = [*subject.known(a, copies[0]), *subject.known(b, copies[1])]
        meet = overlap(subject, a, b, *copies)
        threads = subject.identity(GRID)
        if not a.kind == b.kind == "write":
            goal: Term = ("=>", meet, _same(threads))
            yield subject.condition(f"race.{a.id}.{b.id}", "race", here, goal, copies)
            continue
        if a.buffer in subject.contract.rewrites:
            goal = ("=>", meet, _same(threads))
        elif a.id == b.id:
            rounds = [subject.records.loops[loop].iteration for loop in a.loops]
            goal = ("=>", meet, _same([*threads, *rounds]))
        else:
            goal = ("not", meet)
        yield subject.condition(f"writers.{a.id}.{b.id}", "single-writer", here, goal, copies)


def _interval_pairs(subject: Subject) -> Iterator[Condition]:
    """Pairs of accesses to one shared variable between which no barrier lies, one of them a write."""
    records = subject.records
    for interval in records.intervals.values():
        members = [(records.accesses[a], modes) for a, modes in interval.members]
        members = [m for m in members if m[0].space == "shared"]
        seen: dict[str, int] = {}
        for i, (a, first) in enumerate(members):
            for b, second in members[i:]:
                if a.buffer != b.buffer or "write" not in (a.kind, b.kind):
                    continue
                pair = f"{a.id}.{b.id}"
                number = seen.get(pair, 0)
                seen[pair] = number + 1
                copies = (
                    Copy("!1", THREAD, _tied(subject, first)),
                    Copy("!2", THREAD, _tied(subject, second)),
                )
                here = [*subject.known(a, copies[0]), *subject.known(b, copies[1])]
                goal = ("=>", overlap(subject, a, b, *copies), _same(subject.identity(THREAD)))
                name = f"race.{interval.id}.{pair}" + (f".{number}" if number else "")
                yield subject.condition(name, "race", here, goal, copies)


def _tied(subject: Subject, modes: object) -> dict[str, Term]:
    """Iteration counts that an interval ties: to a number, or to the count at its start plus a number."""
    tied: dict[str, Term] = {}
    assert isinstance(modes, dict)
    for loop, mode in modes.items():
        name = subject.records.loops[loop].iteration
        if mode.startswith("base"):
            tied[name] = ("+", Name(name), int(mode.removeprefix("base").removeprefix("+") or 0))
        elif mode != "free":
            tied[name] = int(mode)
    return tied


def _together(subject: Subject) -> Iterator[Condition]:
    """Threads that must move together: at barriers, at shuffles, round the loops that hold them."""
    records = subject.records
    for barrier in records.barriers.values():
        yield _reaches(subject, f"barrier.{barrier.id}", barrier, warp=False)
    threads = subject.contract.block[0] * subject.contract.block[1] * subject.contract.block[2]
    for shuffle in records.shuffles.values():
        yield _reaches(subject, f"converged.{shuffle.id}", shuffle, warp=True)
        whole = conjunction((("=", shuffle.members, ALL_LANES), ("=", ("mod", threads, WARP), 0)))
        yield subject.condition(f"lanes.{shuffle.id}", "barrier", (), whole)
    wide = {loop for barrier in records.barriers.values() for loop in barrier.loops}
    narrow = {loop for shuffle in records.shuffles.values() for loop in shuffle.loops} - wide
    for loop in records.loops.values():
        if loop.id in wide | narrow:
            yield _trips(subject, loop, warp=loop.id in narrow)


def _pair(subject: Subject, point: Point) -> tuple[Copy, Copy]:
    """Two threads of a block in the same iteration of every loop around a place."""
    rounds = [subject.records.loops[loop].iteration for loop in point.loops]
    tied: dict[str, Term] = {name: Name(name) for name in rounds}
    return Copy("!1", THREAD, tied), Copy("!2", THREAD, tied)


def _one_warp(subject: Subject, copies: tuple[Copy, Copy]) -> Term:
    warp: Term = ("div", linear_thread(subject), WARP)
    return ("=", subject.spoken(warp, copies[0]), subject.spoken(warp, copies[1]))


def _reaches(subject: Subject, name: str, point: Point, warp: bool) -> Condition:
    """If one thread is here, so is every other. Nothing is assumed of the other but that it exists.

    Inside loops that keep threads together (`trips`) it is in the same round once it has entered, and what holds of
    every thread in that round holds of it.
    """
    copies = _pair(subject, point)
    here = subject.known(point, copies[0])
    if warp:
        here.append(_one_warp(subject, copies))
    goal: Term = ("true",)
    control = point.control
    for record in reversed([subject.records.loops[loop] for loop in point.loops]):
        rest = control[len(record.control):]
        control = control[: len(record.control)]
        inside = conjunction((*(subject.spoken(term, copies[1]) for term in rest), goal))
        goal = ("=>", conjunction(subject.spoken(fact, copies[1]) for fact in record.facts), inside)
    goal = conjunction((*(subject.spoken(term, copies[1]) for term in control), goal))
    return subject.condition(name, "barrier", here, goal, copies)


def _trips(subject: Subject, loop: LoopRecord, warp: bool) -> Condition:
    """If one thread goes round again, so does every other that is in the same round."""
    copies = _pair(subject, loop)
    first, second = copies
    here = [*subject.known(loop, first), subject.spoken(loop.proceed, first), *subject.known(loop, second)]
    if warp:
        here.append(_one_warp(subject, copies))
    return subject.condition(f"trips.{loop.id}", "barrier", here, subject.spoken(loop.proceed, second), copies)
