"""The finite rung: it agrees with brute force, with the solver and with the emulator's race detector."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.bits import combine
from proofs.claims.model import domain, known
from proofs.decide import decide
from proofs.discharge import climb, decide_claim
from proofs.entry import Analysis, analyse
from proofs.enumeration import Apart, Enumerator, Everywhere, enumerate_claim
from proofs.enumeration.evaluate import Lanes, Work
from proofs.enumeration.lanes import MAX_KEPT, Kept
from proofs.enumeration.ranges import narrowed
from proofs.enumeration.table import column
from proofs.problem import Problem, launch_specials
from proofs.query import Copy, build
from proofs.records import Access, Point
from proofs.replay.evaluate import condition_value, term_value
from proofs.terms import (
    BLOCK,
    THREAD,
    Cond,
    IteAtom,
    Poly,
    Symbol,
    conj,
    disj,
    divide,
    eq,
    ge,
    ite,
    le,
    lt,
    modulo,
    negate,
    same,
)
from spec.ptx.faults import RACE
from tests.proofs.kernels import module_of, problem_of, trace

BLOCK_SIZE = 6
K = Symbol("k@L1", "iteration", THREAD, 0, None)
J = Symbol("k@L2", "iteration", THREAD, 0, None)
U = Symbol("u", "opaque", BLOCK, 0, 3)
V = Symbol("v@L9", "opaque", THREAD, 0, 2**32 - 1)
ROUND, FREE, UNIFORM, LOADED = (Poly.symbol(s) for s in (K, J, U, V))
TIED = {K.name: ROUND}
# Enough values to see every remainder that the drawn terms ask for.
SMALL = {"k": range(6), "j": range(3), "v": range(2)}


def problem(size: int | None = BLOCK_SIZE) -> Problem:
    """A block of so many threads in x, or of any number up to BLOCK_SIZE."""
    base = problem_of("ret;", shared="s[4096]", block=BLOCK_SIZE)
    one = Poly.constant(1)
    specials, clauses, grid = launch_specials((size, 1, 1), (one, one, one))
    aligned = [(w, c) for w, c in base.domain if "aligned" in w]
    most = le(specials["%ntid.x"], BLOCK_SIZE)
    return replace(base, specials=specials, domain=[*aligned, *clauses, ("size", most)], grid=grid,
                   block=(size, 1, 1))  # fmt: skip


def access(where: Problem, name: str, offset: Poly, width: int, *conditions: Cond) -> Access:
    at = Point(1, conditions, (), (), name)
    address = where.variables["s"] + offset
    return Access(name, at, "shared", "write", width, "s", address, Poly({}), address, width)


def question(where: Problem, a: Access, b: Access, ahead: int = 0) -> Apart:
    """The second thread is `ahead` rounds further in the loop with a barrier."""
    thread = tuple(Poly.symbol(s) for s in where.specials["%tid.x"].symbols())
    second = {K.name: ROUND + ahead}
    return Apart((a, Copy("!1", frozenset({THREAD}), TIED)), (b, Copy("!2", frozenset({THREAD}), second)), thread)


def touched(where: Problem, a: Access, n: int, k: int, u: int) -> set[tuple[int, int]]:
    """(thread, byte) for all small values of what is the thread's own."""
    found = set()
    for t, j, v in itertools.product(range(n), SMALL["j"], SMALL["v"]):
        values = {"ntid.x": n, "u": u, "shared.s": 0, "tid.x": t, K.name: k, J.name: j, V.name: v}
        if all(condition_value(c, values) for c in a.at.known()):
            begin = term_value(a.address, values)
            found |= {(t, byte) for byte in range(begin, begin + a.width)}
    return found


def collide(where: Problem, a: Access, b: Access, ahead: int) -> bool:
    """Brute force: two threads touch one byte."""
    sizes = [BLOCK_SIZE] if where.block[0] else range(1, BLOCK_SIZE + 1)
    for n, k, u in itertools.product(sizes, SMALL["k"], range(4)):
        theirs: dict[int, set[int]] = {}
        for t, byte in touched(where, b, n, k + ahead, u):
            theirs.setdefault(byte, set()).add(t)
        if any(theirs.get(byte, set()) - {t} for t, byte in touched(where, a, n, k, u)):
            return True
    return False


@st.composite
def offsets(draw: st.DrawFn, thread: Poly, size: Poly) -> Poly:
    """A byte offset: a part for the thread, and sometimes for phase, size, round and loaded value."""
    t = draw(st.sampled_from((thread, thread * 2, modulo(thread, 4), divide(thread, 2), thread + divide(size, 2))))
    found = t * draw(st.sampled_from((2, 4, 4, 8)))
    if draw(st.booleans()):
        slot = modulo(ROUND + draw(st.integers(0, 2)), draw(st.sampled_from((2, 3))))
        found = found + slot * draw(st.sampled_from((24, 32, 64)))
    extra = draw(st.sampled_from(("", "free", "uniform", "loaded", "choice", "orbit", "bits")))
    if extra == "orbit":
        first = draw(st.sampled_from((8, 24, 32)))
        later = modulo(ROUND, 2) * draw(st.sampled_from((0, 16, 32)))
        found = found + ite(eq(ROUND), Poly.constant(first), ite(eq(ROUND - 1), Poly.constant(first // 2), later))
    if extra == "bits":
        swizzled = combine("xor", modulo(thread, 4), draw(st.sampled_from((modulo(ROUND, 4), modulo(LOADED, 2)))))
        assert swizzled is not None
        found = swizzled * draw(st.sampled_from((4, 8)))
    if extra == "free":
        found = found + FREE * draw(st.sampled_from((4, 48, 64)))
    elif extra == "uniform":
        found = found + UNIFORM * draw(st.sampled_from((4, 24)))
    elif extra == "loaded":
        found = found + modulo(LOADED, 2) * draw(st.sampled_from((4, 32)))
    elif extra == "choice":
        found = found + Poly.of(IteAtom(lt(thread, draw(st.integers(1, 5))), Poly.constant(0), Poly.constant(64)))
    return found


@st.composite
def guards(draw: st.DrawFn, thread: Poly, size: Poly) -> Cond:
    small = draw(st.integers(0, 5))
    one = draw(st.sampled_from((
        lt(thread, small), le(small, thread), lt(thread, divide(size, 2)), le(thread, UNIFORM), same(FREE, 1),
        lt(FREE, 2), eq(modulo(LOADED, 2)), lt(ROUND, 5), eq(modulo(thread, 2)),
    )))  # fmt: skip
    two = draw(st.sampled_from((lt(thread, 3), eq(UNIFORM - 1))))
    return draw(st.sampled_from((one, negate(one), conj((one, two)), disj((one, two)))))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Problem, Access, Access, int]:
    where = problem(draw(st.sampled_from((BLOCK_SIZE, None))))
    thread, size = where.specials["%tid.x"], where.specials["%ntid.x"]
    made = []
    for name in ("a1", "a2"):
        conditions = draw(st.lists(guards(thread, size), max_size=2))
        made.append(access(where, name, draw(offsets(thread, size)), draw(st.sampled_from((2, 4, 8))), *conditions))
    return where, made[0], made[draw(st.integers(0, 1))], draw(st.integers(0, 1))


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_what_is_said_to_be_apart_never_meets(drawn: tuple[Problem, Access, Access, int]) -> None:
    where, a, b, ahead = drawn
    if enumerate_claim(Enumerator(where), question(where, a, b, ahead)).holds:
        assert not collide(where, a, b, ahead)


@settings(max_examples=25, deadline=None)
@given(pairs())
def test_the_solver_agrees(drawn: tuple[Problem, Access, Access, int]) -> None:
    """What is apart is unsat; where nothing is unbounded or unknown, what is unsat is apart."""
    where, a, b, ahead = drawn
    asked = question(where, a, b, ahead)
    first, second = asked.first[1], asked.second[1]
    x, y = first.poly(a.address), second.poly(b.address)
    hypotheses = [*domain(where, (first, second)), *known(a.at, first), *known(b.at, second)]
    meet = f"(and (< {x.text} (+ {y.text} {b.width})) (< {y.text} (+ {x.text} {a.width})))"
    tids = [s.renamed(s.name + c.mark) for s in where.specials["%tid.x"].symbols() for c in (first, second)]
    query = build("q", (), hypotheses, f"(=> {meet} (= |tid.x!1| |tid.x!2|))", [x, y], tids)
    status = decide(query.text, 2_000_000).status
    found = enumerate_claim(Enumerator(where), asked)
    assert not (found.holds and status == "sat"), query.text
    items: list[Poly | Cond] = [a.address, b.address, *a.at.known(), *b.at.known()]
    symbols = {s for i in items for s in i.symbols()}
    if status == "unsat" and not symbols & {J, V, K}:
        assert found.holds


def test_a_choice_that_all_lanes_make_alike_is_a_column() -> None:
    """Seed 4908 of the campaign: the address was one number for all lanes, and no `int`."""
    count = Symbol("count", "opaque", BLOCK, 0, 2**20)
    choice = ite(le(8, Poly.symbol(count)), Poly.constant(4), Poly.constant(12))
    lanes = Lanes(3, {}, {"count": (10, 20)}, Work(100))
    assert column(lanes.value(choice), 3).tolist() == [4, 4, 4]
    assert column(7, 2).tolist() == [7, 7]


def test_what_is_kept_has_a_limit() -> None:
    kept: Kept[int, list[int]] = Kept(len)
    made: list[list[int]] = []

    def big() -> list[int]:
        made.append([0] * (MAX_KEPT // 2))
        return made[-1]

    counts = [(kept.get(key, big), len(made))[1] for key in (1, 2, 1, 3, 1)]
    assert counts == [1, 2, 2, 3, 4], "1 and 2 fit together, 3 drives both out"


def test_addresses_are_told_apart_by_what_is_looked_at_modulo() -> None:
    """A ring of three stages: the slot that is read, and the one two rounds further on."""
    where = problem()
    thread = where.specials["%tid.x"]
    read = access(where, "a1", modulo(ROUND, 3) * 64 + modulo(thread + 1, 6) * 4, 4)
    write = access(where, "a2", modulo(ROUND + 2, 3) * 64 + thread * 4, 4)
    late = access(where, "a3", modulo(ROUND + 3, 3) * 64 + thread * 4, 4)
    given_ = Enumerator(where)
    assert enumerate_claim(given_, question(where, read, write)).holds
    assert not enumerate_claim(given_, question(where, read, late)).holds
    assert not enumerate_claim(given_, question(where, read, write, ahead=1)).holds


def test_an_orbit_is_told_apart_by_its_first_rounds() -> None:
    """s >>= 1 from 4: in rounds 0, 1, 2, then 0 for ever; half of the threads that are left read the other half."""
    where = problem()
    thread = where.specials["%tid.x"]
    half = ite(eq(ROUND), Poly.constant(4), ite(eq(ROUND - 1), Poly.constant(2), ite(eq(ROUND - 2), Poly.constant(1),
               Poly.constant(0))))  # fmt: skip
    read = access(where, "a1", (thread + half) * 4, 4, lt(thread, half))
    write = access(where, "a2", thread * 4, 4, lt(thread, half))
    assert enumerate_claim(Enumerator(where), question(where, read, write)).holds
    late = access(where, "a3", thread * 4, 4, le(thread, half))
    answer = enumerate_claim(Enumerator(where), question(where, read, late))
    assert not answer.holds
    assert any(name == K.name for name, _ in answer.pins)


def test_a_choice_of_rounds_is_looked_at_modulo_as_well() -> None:
    """Four rounds at a time, then the others one by one: the stage after the first loop is that of a multiple of 4."""
    where = problem()
    thread = where.specials["%tid.x"]
    count = Poly.symbol(Symbol("stages", "parameter", "launch", 0, 2**31 - 1))
    done = ite(le(count, 3), Poly.constant(0), divide(count, 4) * 4)
    read = access(where, "a1", modulo(done + ROUND, 2) * 24 + thread * 4, 4)
    write = access(where, "a2", modulo(done + ROUND + 1, 2) * 24 + modulo(thread + 1, 6) * 4, 4)
    same_stage = access(where, "a3", modulo(done + ROUND + 2, 2) * 24 + modulo(thread + 1, 6) * 4, 4)
    assert enumerate_claim(Enumerator(where), question(where, read, write)).holds
    assert not enumerate_claim(Enumerator(where), question(where, read, same_stage)).holds


def test_what_is_unbounded_counts_modulo_its_stride() -> None:
    """for (j = t; j < n; j += 6) s[j]: whatever the two rounds are."""
    where = problem()
    thread = where.specials["%tid.x"]
    strided = access(where, "a1", (thread + FREE * BLOCK_SIZE) * 4, 4)
    overlapping = access(where, "a2", (thread + FREE * (BLOCK_SIZE - 1)) * 4, 4)
    assert enumerate_claim(Enumerator(where), question(where, strided, strided)).holds
    assert not enumerate_claim(Enumerator(where), question(where, overlapping, overlapping)).holds


def test_the_largest_block_stands_for_no_other() -> None:
    """s[t] += s[t + n/2] for t < 3: clean at 6 threads, not at 5."""
    where = problem(None)
    thread, size = where.specials["%tid.x"], where.specials["%ntid.x"]
    read = access(where, "a1", (thread + divide(size, 2)) * 4, 4, lt(thread, 3))
    write = access(where, "a2", thread * 4, 4, lt(thread, 3))
    answer = enumerate_claim(Enumerator(where), question(where, read, write))
    assert not answer.holds
    assert ("ntid.x", "(= ntid.x 6)") not in [(n, e.replace("|", "")) for n, e in answer.pins]
    even = replace(where, domain=[*where.domain, ("even", eq(modulo(size, 2)))])
    half = [access(even, n, o, 4, lt(thread, divide(size, 2)))
            for n, o in (("a1", (thread + divide(size, 2)) * 4), ("a2", thread * 4))]  # fmt: skip
    assert enumerate_claim(Enumerator(even), question(even, half[0], half[1])).holds


def test_a_value_of_the_block_that_a_loop_defines_anew_is_not_the_same_in_another_round() -> None:
    where = problem()
    thread = where.specials["%tid.x"]
    slot = Poly.symbol(Symbol("h@L1", "opaque", BLOCK, 0, 3, loops=frozenset({"L1"})))
    a = access(where, "a1", (slot * BLOCK_SIZE + thread) * 4, 4)
    assert enumerate_claim(Enumerator(where), question(where, a, a)).holds
    c = access(where, "a3", slot * 4, 4, eq(thread))
    d = access(where, "a4", Poly.constant(4), 4, same(thread, 1), eq(slot))
    assert enumerate_claim(Enumerator(where), question(where, c, d)).holds, "the slot is 0, the word at 4 is not"
    assert not enumerate_claim(Enumerator(where), question(where, c, d, ahead=1)).holds


def test_a_uniform_value_is_shared_by_threads_in_the_same_round() -> None:
    """The slot is the same for both threads only if they are in the same round of the loop that computes it."""
    where = problem()
    thread = where.specials["%tid.x"]
    slot = Poly.symbol(Symbol("h@L1", "opaque", THREAD, 0, 3, loops=frozenset({"L1"}), uniform=True))
    a = access(where, "a1", (slot * (BLOCK_SIZE - 1) + thread) * 4, 4)
    asked = question(where, a, a)
    given_ = Enumerator(where)
    assert not enumerate_claim(given_, asked).holds
    same = [(access_, replace(copy, rounds=frozenset({"L1"}))) for access_, copy in (asked.first, asked.second)]
    assert enumerate_claim(given_, replace(asked, first=same[0], second=same[1])).holds


def test_an_entry_may_cost_so_much_and_no_more() -> None:
    where = problem()
    a = access(where, "a1", where.specials["%tid.x"] * 4, 4)
    given_ = Enumerator(where)
    before = given_.work.left
    assert enumerate_claim(given_, question(where, a, a)).holds
    assert given_.work.left < before
    given_.work.left = 0
    answer = enumerate_claim(given_, question(where, a, a))
    assert not answer.holds
    assert not answer.pins
    assert answer.reason


def test_nothing_excuses_the_thread_itself_where_the_claim_says_so() -> None:
    where = problem()
    a = access(where, "a1", where.specials["%tid.x"] * 4, 4)
    asked = question(where, a, a)
    assert enumerate_claim(Enumerator(where), asked).holds
    assert not enumerate_claim(Enumerator(where), replace(asked, excused=None)).holds
    warp = (divide(where.specials["%tid.x"], 2),)
    meeting = access(where, "a2", divide(where.specials["%tid.x"], 2) * 4, 4)
    assert not enumerate_claim(Enumerator(where), question(where, meeting, meeting)).holds
    assert enumerate_claim(Enumerator(where), replace(question(where, meeting, meeting), excused=warp)).holds


def test_threads_have_the_same_number_whatever_an_access_says_of_them() -> None:
    """Threads (0, 1) and (1, 0) meet; what each access says of y must not give both one number."""
    base = problem()
    one = Poly.constant(1)
    specials, clauses, grid = launch_specials((2, 3, 1), (one, one, one))
    where = replace(base, specials=specials, domain=[*base.domain, *clauses], grid=grid, block=(2, 3, 1))
    x, y = specials["%tid.x"], specials["%tid.y"]
    a = access(where, "a1", Poly.constant(0), 4, eq(x), same(y, 1))
    b = access(where, "a2", Poly.constant(0), 4, same(x, 1), eq(y))
    copies = [Copy(mark, frozenset({THREAD}), {}) for mark in ("!1", "!2")]
    asked = Apart((a, copies[0]), (b, copies[1]), (x, y))
    assert not enumerate_claim(Enumerator(where), asked).holds
    assert enumerate_claim(Enumerator(where), replace(asked, second=(a, copies[1]))).holds


@pytest.mark.parametrize(("low", "holds"), [(24, True), (23, False)])
def test_bounds_against_a_size_that_the_launch_gives(low: int, holds: bool) -> None:
    where = problem()
    size = Poly.symbol(Symbol("dynamic", "parameter", "launch", 0, 2**20))
    where = replace(where, domain=[*where.domain, ("given", le(low, size))])
    a = access(where, "a1", where.specials["%tid.x"] * 4, 4)
    base = where.variables["s"]
    goal = conj((le(base, a.address), le(a.address + 4, base + size)))
    assert enumerate_claim(Enumerator(where), Everywhere(a, goal)).holds == holds


def test_bounds_of_a_size_that_grows_with_the_block() -> None:
    where = problem(None)
    n = where.specials["%ntid.x"]
    size = Poly.symbol(Symbol("dynamic", "parameter", "launch", 0, 2**20))
    where = replace(where, domain=[*where.domain, ("given", same(size, n * 4))])
    base, t = where.variables["s"], where.specials["%tid.x"]
    for offset, holds in ((t * 4, True), ((t + 1) * 4, False)):
        a = access(where, "a1", offset, 4)
        goal = conj((le(base, a.address), le(a.address + 4, base + size)))
        assert enumerate_claim(Enumerator(where), Everywhere(a, goal)).holds == holds


def test_ranges_follow_from_conditions() -> None:
    t, k = Symbol("t", "special", THREAD, 0, 255), Symbol("k", "iteration", THREAD, 0, None)
    p, q = Poly.symbol(t), Poly.symbol(k)
    assert narrowed([lt(p + q * 256, 1024)], {}) == {"t": (0, 255), "k": (0, 3)}
    found = narrowed([disj((eq(q), lt(p + q * 256, 1024)))], {})
    assert found is not None
    assert found["k"] == (0, 3)
    assert narrowed([ge(p - 300)], {}) is None
    assert narrowed([conj((le(3, q), le(q, 2)))], {}) is None


# --- programs ----------------------------------------------------------------------------------------------------


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Stores and loads of shared words at simple addresses, some guarded, some behind a barrier."""
    lines = ["mov.u32 %r1, %tid.x;", "mov.u32 %r9, s;"]
    for i in range(draw(st.integers(2, 4))):
        lines.append(f"mad.lo.u32 %r2, %r1, {draw(st.integers(0, 3))}, {draw(st.integers(0, 5))};")
        how = draw(st.sampled_from(("and.b32 %r2, %r2, 7;", "rem.u32 %r2, %r2, 6;", "shr.u32 %r2, %r2, 1;", "")))
        lines += [how, f"mad.lo.u32 %r3, %r2, {draw(st.sampled_from((2, 4, 4)))}, %r9;"]
        guard = ""
        if draw(st.booleans()):
            op = draw(st.sampled_from(("lt", "ge", "eq")))
            lines.append(f"setp.{op}.u32 %p1, %r1, {draw(st.integers(0, 5))};")
            guard = draw(st.sampled_from(("@%p1 ", "@!%p1 ")))
        store, load = "st.shared.u16 [%r3], %h1;", "ld.shared.u16 %h2, [%r3];"
        lines.append(guard + draw(st.sampled_from((store, store, load))))
        if i < 2 and draw(st.booleans()):
            lines.append("bar.sync 0;")
    return "\n".join(["mov.u16 %h1, 1;", *lines, "ret;"])


def races(found: Analysis) -> list[str]:
    asked = [(c.name, c.finite) for c in found.claims if c.name.startswith("race.i")]
    return [name for name, finite in asked if finite is None or not enumerate_claim(found.enumerator, finite).holds]


@settings(max_examples=60, deadline=None)
@given(programs())
def test_the_race_detector_agrees(body: str) -> None:
    """Threads, addresses and guards are all known here, so that both are exact."""
    found = analyse(problem_of(body, shared="s[256]", block=BLOCK_SIZE))
    seen = trace(module_of(body, "s[256]"), 1, block=BLOCK_SIZE, grid=1)
    assert bool(races(found)) == any(f.kind == RACE for f in seen.faults), body


def test_a_decision_names_its_rung() -> None:
    body = "mov.u32 %r1, %tid.x;\nmov.u32 %r9, s;\nmad.lo.u32 %r2, %r1, {}, %r9;\nst.shared.u32 [%r2], %r1;\nret;"
    for step, expected in ((4, ("unsat", "enumeration")), (2, ("sat", "enumeration"))):
        found = analyse(problem_of(body.format(step), shared="s[256]", block=BLOCK_SIZE))
        (claim,) = (c for c in found.claims if c.name.startswith("race.i"))
        decision = climb(claim, found.enumerator)
        assert (decision.status, decision.rung) == expected
        assert decide_claim(claim).rung in ("z3-structured", "z3-direct")
