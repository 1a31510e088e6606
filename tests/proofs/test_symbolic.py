"""The symbolic machine against the emulator: what it records of an entry holds wherever a thread really goes.

For drawn kernels every access of every thread must be recorded, and at the thread's own numbers (parameters, block,
thread, rounds of the loops, exit counts) its address must be the one seen, what is known there must be possible, the
path condition must be false where the access was not made, and a loop's condition to go round must say what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings

from proofs import values as observed
from proofs.decide import decide
from proofs.entry import Prover
from proofs.hints.fitting import with_hints
from proofs.loops_orbits import fold
from proofs.problem import Problem
from proofs.query import Hypothesis, build
from proofs.records import Access, LoopRecord, Records
from proofs.symbolic import Machine
from proofs.terms import FALSE, THREAD, TRUE, Cond, Poly, Symbol, eq, ite, modulo, same
from spec.ptx.access import AccessEvent
from spec.ptx.faults import STEP_LIMIT, UNINITIALISED
from spec.ptx.isa import ROWS
from spec.ptx.row import CONTROL, Row
from tests.harness.isa_forms import spellings
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


def compare(
    body: str, loops: dict[int, int], first_line: int, sizes: Sequence[int], hints: Sequence[str] = (),
    found: Callable[[Problem], Records] = records_of,
) -> tuple[Records, int]:
    """Run both machines; the records and how many values were compared."""
    module = module_of(body)
    records = found(with_hints(problem_of(body), hints))
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




def first_line(body: str) -> int:
    """The line of the body's first instruction."""
    return next(i.line for i in module_of(body).entries[0].instructions())


@settings(
    max_examples=40, deadline=None, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(statements())
def test_drawn_kernels(tree: list[Statement]) -> None:
    text = render(tree)
    body = "\n".join(text.lines)
    compare(body, dict(text.loops), first_line(body), (0, 5, 1000))


def _nothing_matters(problem: Problem) -> Records:
    """The records where no range is proved that the intervals do not show: terms must say what wraps."""
    machine = Machine(problem, Prover(problem))
    machine.idle = frozenset(machine.places.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observed, "MAX_IN_VAIN", 0)
        return machine.run()


@settings(
    max_examples=12, deadline=None, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(statements())
def test_drawn_kernels_say_what_wraps_where_no_range_is_proved(tree: list[Statement]) -> None:
    text = render(tree)
    body = "\n".join(text.lines)
    compare(body, dict(text.loops), first_line(body), (0, 5, 1000), found=_nothing_matters)


# --- summaries of loops, by hand ----------------------------------------------------------------------------------

COUNTED = """mov.u32 %r10, 2;
loop:
mul.wide.u32 %d1, %r10, 4;
add.u64 %d1, %d1, %d0;
st.global.u32 [%d1], %r10;
add.u32 %r10, %r10, 3;
setp.lt.u32 %p1, %r10, 20;
@%p1 bra loop;
mul.wide.u32 %d1, %r10, 4;
add.u64 %d1, %d1, %d0;
st.global.u32 [%d1], %r10;
ret;"""


def test_a_counter_is_affine_and_leaves_in_the_round_that_its_guard_says() -> None:
    records = records_of(problem_of("ld.param.u64 %d0, [out];\n" + COUNTED))
    inside, after = records.accesses
    (loop,) = records.loops
    assert inside.at.loops == (loop.id,)
    assert inside.address.text == f"(+ 8 out (* 12 |k@{loop.id}|))"
    assert after.at.loops == after.at.control == ()
    assert after.address.text == "(+ 80 out)"
    assert all(r.proved for r in records.ranges)
    left = [value_of(loop.proceed, {f"k@{loop.id}": k}) for k in range(8)]
    assert left == [1, 1, 1, 1, 1, 0, 0, 0]


def test_a_counter_with_a_step_of_its_own_leaves_with_an_exit_count() -> None:
    stepping = COUNTED.replace("add.u32 %r10, %r10, 3", "add.u32 %r10, %r10, %r2")
    records = records_of(problem_of("ld.param.u64 %d0, [out];\nmov.u32 %r2, %tid.x;\nadd.u32 %r2, %r2, 1;" + stepping))
    (loop,) = records.loops
    after = records.accesses[1]
    # The exit count is the one the condition allows, not one more and not one less.
    for count in range(20):
        known = {f"K@{loop.id}": count, "tid.x": 2}
        assert all(value_of(f, known) for f in after.at.facts) == (count == 5)


def test_two_exits_are_a_choice_of_each_thread() -> None:
    body = """ld.param.u64 %d0, [out];
mov.u32 %r1, %tid.x;
mov.u32 %r10, 0;
loop:
setp.ge.u32 %p1, %r10, 9;
@%p1 bra one;
setp.eq.u32 %p2, %r10, %r1;
@%p2 bra two;
add.u32 %r10, %r10, 1;
bra loop;
one:
bar.sync 0;
ret;
two:
ret;"""
    (barrier,) = records_of(problem_of(body)).barriers
    (choice,) = barrier.at.control
    assert choice.op == "bool"
    assert {s.scope for s in choice.symbols()} == {"thread"}


def test_a_register_without_a_form_is_any_value() -> None:
    """It is multiplied each round: neither affine nor an orbit, so the address is a symbol of its own width."""
    body = """ld.param.u64 %d0, [out];
ld.param.u32 %r1, [n];
mov.u32 %r10, 1;
mov.u32 %r11, 0;
loop:
mul.wide.u32 %d1, %r10, 4;
add.u64 %d1, %d1, %d0;
st.global.u32 [%d1], %r10;
mul.lo.u32 %r10, %r10, %r1;
add.u32 %r11, %r11, 1;
setp.lt.u32 %p1, %r11, %r1;
@%p1 bra loop;
ret;"""
    (store,) = records_of(problem_of(body)).accesses
    (own,) = (s for s in store.address.symbols() if s.name != "out")
    assert (own.low, own.high) == (0, 2**32 - 1)


ORBITS = {
    "shr.u32 %r10, %r10, 1;": (8, [8, 4, 2, 1, 0, 0, 0]),
    "shl.b32 %r10, %r10, 30;": (1, [1, 2**30, 0, 0]),
    "xor.b32 %r10, %r10, 1;": (0, [0, 1, 0, 1, 0]),
    "add.u32 %r10, %r10, 1; setp.eq.u32 %p2, %r10, 3; selp.b32 %r10, 0, %r10, %p2;": (2, [2, 0, 1, 2, 0, 1]),
    "sub.u32 %r10, 5, %r10;": (1, [1, 4, 1, 4]),
    "add.u32 %r10, %r10, 5; rem.u32 %r10, %r10, 7;": (3, [3, 1, 6, 4, 2, 0, 5, 3, 1]),
    "add.u32 %r10, %r10, 1; min.u32 %r10, %r10, 3;": (1, [1, 2, 3, 3, 3]),
}


@pytest.mark.parametrize("step", list(ORBITS))
def test_a_value_that_comes_back_is_a_table_over_the_round(step: str) -> None:
    start, expected = ORBITS[step]
    body = f"""ld.param.u64 %d0, [out];
mov.u32 %r10, {start};
mov.u32 %r11, 0;
loop:
mul.wide.u32 %d1, %r10, 4;
add.u64 %d1, %d1, %d0;
st.global.u32 [%d1], %r10;
{step}
add.u32 %r11, %r11, 1;
setp.lt.u32 %p1, %r11, 99;
@%p1 bra loop;
ret;"""
    records = records_of(problem_of(body))
    (store,), (loop,) = records.accesses, records.loops
    at = [value_of(store.address, {f"k@{loop.id}": k, "out": 0}) for k in range(len(expected))]
    assert at == [4 * v for v in expected]


def test_a_choice_over_a_remainder_is_a_line_over_another_round() -> None:
    k = Poly.symbol(Symbol("k", "iteration", THREAD, 0, None))
    stage = modulo(k, 3)
    following = ite(eq(stage - 2), Poly({}), stage + 1)
    assert fold(following * 5 + k) == modulo(k + 1, 3) * 5 + k
    odd = ite(eq(stage - 1), Poly.constant(7), stage)
    assert [value_of(fold(odd), {"k": i}) for i in range(6)] == [0, 7, 2, 0, 7, 2]
    free = ite(eq(k - 2), Poly({}), stage)
    assert fold(free) == free


def test_an_unsigned_counter_that_wraps_keeps_its_modulus() -> None:
    """It starts at n and goes down by 2: for odd n it passes 0, and no step may be taken as an integer's."""
    body = """ld.param.u64 %d0, [out];
ld.param.u32 %r10, [n];
loop:
mul.wide.u32 %d1, %r10, 4;
add.u64 %d1, %d1, %d0;
st.global.u32 [%d1], %r10;
sub.u32 %r10, %r10, 2;
setp.ne.u32 %p1, %r10, 0;
@%p1 bra loop;
ret;"""
    records = records_of(problem_of(body, requires="n >= 1 && n <= 1000"))
    (store,) = records.accesses
    assert not all(r.proved for r in records.ranges)
    loop = records.loops[0].id
    for k, n in ((0, 7), (3, 7), (4, 7), (5, 9)):
        at = {"out": 0, "n": n, f"k@{loop}": k}
        assert value_of(store.address, at) == (n - 2 * k) % 2**32 * 4


def test_a_nested_loop_counts_anew_in_each_round() -> None:
    body = """ld.param.u64 %d0, [out];
mov.u32 %r10, 0;
outer:
mov.u32 %r11, %r10;
inner:
mul.wide.u32 %d1, %r11, 4;
add.u64 %d1, %d1, %d0;
st.global.u32 [%d1], %r11;
add.u32 %r11, %r11, 1;
setp.lt.u32 %p1, %r11, 8;
@%p1 bra inner;
add.u32 %r10, %r10, 2;
setp.lt.u32 %p2, %r10, 8;
@%p2 bra outer;
ret;"""
    records = records_of(problem_of(body))
    (store,) = records.accesses
    outer, inner = store.at.loops
    parents = {loop.id: loop.parent for loop in records.loops}
    assert parents == {outer: "", inner: outer}
    assert value_of(store.address, {"out": 0, f"k@{outer}": 2, f"k@{inner}": 3}) == 4 * (4 + 3)


# --- control rows --------------------------------------------------------------------------------------------------

FLOW = [row for row in ROWS if row.kind == CONTROL and row.meaning is None]
OPEN = """ld.param.u64 %d0, [out];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p0, %r1, 2;
"""
STORES = "st.global.u32 [%d0+16], %r1;\nover:\nst.global.u32 [%d0+20], %r1;\nret;"
# By what a machine must do: the instruction's operands, and what the symbolic machine records of it.
KINDS = {
    "branch": (" over", ""), "exit": ("", ""), "return": ("", ""), "trap": ("", "traps"), "barrier": (" 0", "barriers"),
    "warp_barrier": (" -1", "shuffles"), "fence": ("", ""), "commit": ("", "commits"), "wait": ("", "waits"),
}


@pytest.mark.parametrize("row", FLOW, ids=lambda r: r.template)
def test_control_rows_lead_both_machines_the_same_way(row: Row) -> None:
    """Under a guard that half of the threads meet, and without one: the same accesses, and the record that is due."""
    for opcode in spellings(row):
        if row.control == "arrive":
            records = records_of(problem_of(f"{OPEN}{opcode} 1, 64;\n{STORES}"))
            assert [b.waits for b in records.barriers] == [False]
            continue
        operands, kind = KINDS[row.control]
        operands = {"nanosleep.u32": " 20", "cp.async.wait_group": " 1"}.get(opcode, operands)
        operands = " [%d0]" if row.base in ("prefetch", "prefetchu") else operands
        if row.results:  # bar.red
            operands = (" %p1" if row.results == ("pred",) else " %r9") + ", 0, %p0"
        for guard in ("", "@%p0 "):
            body = f"{OPEN}{guard}{opcode}{operands};\n{STORES}"
            records, _ = compare(body, {}, first_line(body), (1,))
            found = {name for name in ("traps", "barriers", "shuffles", "commits", "waits") if getattr(records, name)}
            assert found == ({kind} if kind else set()), opcode
            if kind:
                (item,) = getattr(records, kind)
                assert len(item.at.control) == (1 if guard else 0)
