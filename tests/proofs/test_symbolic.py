"""The symbolic machine against the emulator: what it records of an entry holds wherever a thread really goes.

For drawn kernels every access of every thread must be recorded, and at the thread's own numbers (parameters, block,
thread, rounds of the loops, exit counts) its address must be the one seen, what is known there must be possible, the
path condition must be false where the access was not made, and a loop's condition to go round must say what happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings

from proofs.decide import decide
from proofs.query import Hypothesis, build
from proofs.records import Access, LoopRecord, Records
from proofs.terms import FALSE, TRUE, Cond, Poly, same
from spec.ptx.access import AccessEvent
from spec.ptx.faults import STEP_LIMIT, UNINITIALISED
from tests.proofs.evaluation import Unvalued, value_of, with_definitions
from tests.proofs.kernels import (
    BLOCK,
    GRID,
    Statement,
    Trace,
    module_of,
    problem_of,
    records_of,
    render,
    statements,
    trace,
)

Values = dict[str, int]


@dataclass
class Visit:
    """One round of a loop, or the whole life of a thread: symbol values at its end, lines accessed in it."""

    values: Values
    lines: set[int] = field(default_factory=set)
    again: bool = False
    open: bool = True


@dataclass
class Life:
    """What one thread did."""

    events: list[tuple[AccessEvent, Values]] = field(default_factory=list)
    visits: dict[str, list[Visit]] = field(default_factory=dict)


def lives(seen: Trace, loops: dict[int, int], n: int) -> Iterator[Life]:
    """The lives of all threads. `loops`: line of the load before a loop to the line of its header."""
    headers = {h: f"L{h}" for h in loops.values()}
    for block in range(GRID):
        for thread in range(BLOCK):
            start = {"out": seen.base, "n": n, "power": 0, "tid.x": thread, "ctaid.x": block}
            life, counts = Life(), {}
            whole = Visit(start)
            life.visits[""] = [whole]
            current: dict[str, Visit] = {}
            for event in seen.events:
                if event.block != (block, 0, 0) or event.thread != (thread, 0, 0):
                    continue
                if event.line in loops:
                    name = headers[loops[event.line]]
                    counts[name] = -1
                    current.pop(name, None)
                if event.line in headers:
                    name = headers[event.line]
                    counts[name] += 1
                    if name in current:
                        current[name].again = True
                    current[name] = Visit({})
                    life.visits.setdefault(name, []).append(current[name])
                rounds = {f"{letter}@{name}": c for name, c in counts.items() for letter in "kK" if c >= 0}
                for visit in (whole, *current.values()):
                    visit.lines.add(event.line)
                    visit.values = {**start, **rounds}
                life.events.append((event, {**start, **rounds}))
            yield life


def _settled(item: Cond | Poly, values: Values) -> int | None:
    """The value where all symbols have one."""
    try:
        return value_of(item, with_definitions(values, sorted(item.symbols(), key=lambda s: s.line)))
    except Unvalued:
        return None


def _possible(conditions: Sequence[Cond], values: Values) -> bool:
    """Whether some values of the other symbols, in their ranges, make all of these hold."""
    left: list[Cond] = []
    for c in conditions:
        value = _settled(c, values)
        if value == 0:
            return False
        if value is None:
            numbers = {s: Poly.constant(values[s.name]) for s in c.symbols() if s.name in values}
            left.append(c.substitute(numbers))
    if FALSE in left:
        return False
    hypotheses = [Hypothesis("here", c.text, c) for c in left if c != TRUE]
    return not hypotheses or decide(build("possible", (), hypotheses, "false", []).text).status != "unsat"


def _own(values: Values, at: Access | LoopRecord) -> Values:
    """Without the rounds of loops that are not around the place: their symbols stand for no number there."""
    inside = {f"k@{loop}" for loop in at.at.loops}
    return {name: v for name, v in values.items() if not name.startswith("k@") or name in inside}


def check(records: Records, life: Life, complete: bool) -> int:
    """Compare one thread; how many items were compared by value."""
    by_line: dict[int, list[Access]] = {}
    for access in records.accesses:
        by_line.setdefault(access.at.line, []).append(access)
    compared = 0
    for event, values in life.events:
        assert event.line in by_line, f"line {event.line}: an access that is not recorded, {event}"
        (access,) = by_line[event.line]
        here = _own(values, access)
        assert (event.kind, event.space, event.width) == (access.kind, access.space, access.width)
        conditions = [same(access.address, event.address), *access.at.known()]
        assert _possible(conditions, here), f"line {event.line} at {here}: {access.address.text}, {access.at.known()}"
        compared += _settled(access.address, here) is not None
    for access in records.accesses if complete else ():
        for visit in life.visits.get(access.at.loops[-1] if access.at.loops else "", []):
            if access.at.line in visit.lines:
                continue
            parts = [_settled(c, _own(visit.values, access)) for c in access.at.control]
            shown = f"line {access.at.line} was not reached at {visit.values}: {access.at.control}"
            assert 0 in parts or None in parts, shown
    for loop in records.loops if complete else ():
        for visit in life.visits.get(loop.id, []):
            goes = _settled(loop.proceed, _own(visit.values, loop))
            compared += goes is not None
            assert goes in (None, int(visit.again)), f"loop {loop.id} at {visit.values}: {loop.proceed.text}"
    return compared


def compare(body: str, loops: dict[int, int], first_line: int, sizes: Sequence[int]) -> tuple[Records, int]:
    """Run both machines; the records and how many values were compared."""
    module = module_of(body)
    records = records_of(problem_of(body))
    lines = {first_line + before: first_line + header for before, header in loops.items()}
    compared = 0
    for n in sizes:
        seen = trace(module, n)
        complete = STEP_LIMIT not in {f.kind for f in seen.faults}
        for fault in seen.faults:
            if fault.kind == UNINITIALISED and "register" in fault.message:
                assert fault.line in {r.at.line for r in records.reads}, fault.message
        for life in lives(seen, lines, n):
            compared += check(records, life, complete)
    return records, compared




def _first(body: str) -> int:
    return next(i.line for i in module_of(body).entries[0].instructions())


@settings(
    max_examples=40, deadline=None, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(statements())
def test_drawn_kernels(tree: list[Statement]) -> None:
    text = render(tree)
    body = "\n".join(text.lines)
    compare(body, dict(text.loops), _first(body), (0, 5, 1000))
