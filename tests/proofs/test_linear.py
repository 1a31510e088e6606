"""Linear arithmetic without a solver: what it says follows does so for all values, and it sees what it is there for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from fltc.commands.check import sizes
from fltc.kernels import kernels
from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.decide import decide
from proofs.discharge import by_sums
from proofs.entry import analyse
from proofs.linear import Reasoner
from proofs.problem import Problem
from proofs.terms import (
    LAUNCH,
    Cond,
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
    opaque_truth,
    quotient,
    same,
)
from spec.contracts.model import MAX_BLOCK, MAX_GRID
from verifier.terms import evaluate, read_term

ROOT = Path(__file__).parents[2]


def number(name: str, low: int | None = None, high: int | None = None) -> Poly:
    return Poly.symbol(Symbol(name, "parameter", LAUNCH, low, high))


# --- what follows holds for all values ---
X, Y, Z = number("x", -3, 4), number("y", 0, 6), number("z", 1, 5)
VALUES = [dict(zip("xyz", v, strict=True)) for v in product(range(-3, 5), range(7), range(1, 6))]


@st.composite
def terms(draw: st.DrawFn, depth: int = 2) -> Poly:
    if depth == 0:
        return draw(st.sampled_from((X, Y, Z, Y, Z)))
    parts = [draw(terms(depth - 1)) for _ in range(draw(st.integers(1, 2)))]
    whole = sum((p * draw(st.integers(-3, 4)) for p in parts), Poly.constant(draw(st.integers(-6, 6))))
    kind = draw(st.sampled_from(("sum", "sum", "sum", "div", "mod", "product", "choice", "quotient")))
    if kind == "div":
        return divide(whole, draw(st.integers(2, 4)))
    if kind == "mod":
        return modulo(whole, draw(st.integers(2, 4)))
    if kind == "product":
        return whole * draw(st.sampled_from((X, Y, Z)))
    if kind == "quotient":
        return quotient(whole, Z)
    if kind == "choice":
        return ite(ge(draw(terms(depth - 1))), whole, parts[0])
    return whole


@st.composite
def conditions(draw: st.DrawFn, depth: int = 1) -> Cond:
    if depth and draw(st.integers(0, 3)) == 0:
        parts = [draw(conditions(depth - 1)) for _ in range(draw(st.integers(2, 3)))]
        return draw(st.sampled_from((conj, disj)))(parts)
    kind = draw(st.sampled_from(("ge", "ge", "ge", "eq", "multiple", "other")))
    if kind == "multiple":
        return eq(modulo(draw(st.sampled_from((X, Y, Z))), draw(st.integers(2, 3))))
    term = draw(terms())
    return ge(term) if kind == "ge" else eq(term) if kind == "eq" else negate(eq(term))


@settings(max_examples=600, deadline=None)
@given(st.lists(conditions(), min_size=0, max_size=4), conditions(), st.integers(0, 3))
def test_what_follows_holds_for_all_values(known: list[Cond], goal: Cond, weaker: int) -> None:
    """Goals that are a little weaker than something known are among them, so that many do follow."""
    if weaker and known and (term := known[0].term) is not None and known[0].op == "ge":
        goal = ge(term * weaker + weaker - 1)
    follows = Reasoner().follows(known, goal)
    event(f"follows: {follows}")
    if follows:
        bad = [v for v in VALUES if all(c.evaluate(v) for c in known) and not goal.evaluate(v)]
        assert not bad, (known, goal, bad[0])


# --- what it is there for, and beside it what it must not say ---
N, LD = number("n", 0, 2**31 - 1), number("ld", 0, 2**31 - 1)
K, J, T, B = number("k", 0), number("j", 0), number("t", 0, 255), number("b", 0, 2**31 - 2)
D = number("d", 1, 100)
COLUMN = B * 64 + modulo(T, 8) * 8
PREDICATE = opaque_truth(Symbol("p", "boolean", LAUNCH, None, None))
EIGHT = eq(modulo(N, 8))
SEEN: dict[str, tuple[Sequence[Cond], Cond, Cond]] = {
    "a guard of one element covers the eight of a vector where rows are multiples of eight": (
        (EIGHT, lt(COLUMN, N)), le(COLUMN + 8, N), le(COLUMN + 9, N),
    ),
    "an address is a multiple because its stride is": (
        (eq(modulo(LD, 8)), eq(modulo(N, 16))), eq(modulo(N + K * LD * 2 + T * 16, 16)),
        eq(modulo(N + K * LD * 2 + T * 8, 16)),
    ),
    "a number fits its width because the grid is tied to a size": (
        (le(N, 2**20), lt(B, divide(N + 255, 256))), lt(B * 256 + T, 2**20), lt(B * 256 + T, 2**20 - 1),
    ),
    "bounds go through several inequalities": (
        (le(K + 5, J), le(J, LD), le(LD, N)), lt(K + 4, N), lt(K + 5, N),
    ),
    "a choice that is not 0 tells its condition": (
        (le(1, ite(conj((lt(K, N), PREDICATE)), Poly.constant(16), Poly({}))),), conj((lt(K, N), PREDICATE)),
        lt(K + 1, N),
    ),
    "each branch of a disjunction is enough": (
        (disj((eq(K), lt(K * 32, N))), le(1, N)), lt(K * 32, N), lt(K * 32 + 1, N),
    ),
    "the lesser of two is below both": (
        (), le(ite(le(K, N), K, N), N), lt(ite(le(K, N), K, N), N),
    ),
    "the greater of two is above both": (
        (), le(N, ite(le(K, N), N, K)), lt(N, ite(le(K, N), N, K)),
    ),
    "products count as unknowns": (
        (le(K * LD + J, N), le(3, J)), le(K * LD + 3, N), le(K * LD + 4, N),
    ),
    "a quotient by a symbol is between its bounds": (
        (), le(quotient(N, D) * D, N), lt(quotient(N, D) * D, N),
    ),
    "a goal may stand among what is known": ((PREDICATE,), PREDICATE, negate(PREDICATE)),
    "one of two must hold": ((lt(K, N),), disj((lt(K, N - 4), le(N, K + 5))), disj((lt(K, N - 4), le(N, K + 3)))),
    "what differs is not equal": ((lt(K, N),), negate(same(K, N)), negate(same(K + 1, N))),
    "two bounds make an equation": ((le(K, N), le(N, K)), same(K, N), same(K, N + 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_it_sees_what_it_is_there_for(name: str) -> None:
    known, goal, more = SEEN[name]
    reasoner = Reasoner()
    assert reasoner.follows(known, goal)
    assert not reasoner.follows(known, more)


def test_nothing_follows_from_a_hypothesis_of_another_question() -> None:
    reasoner = Reasoner()
    assert reasoner.follows((lt(K, N),), lt(K, N + 1))
    assert not reasoner.follows((lt(J, N),), lt(K, N + 1))


def test_a_symbol_of_the_same_name_may_have_another_range() -> None:
    reasoner = Reasoner()
    assert reasoner.follows((le(number("m", 3), J),), le(3, J))
    assert not reasoner.follows((le(number("m", 2), J),), le(3, J))
    assert not reasoner.follows((le(number("m"), J),), le(3, J))


# --- goals as conditions say what their texts say ---
def problems_of(name: str) -> list[Problem]:
    (kernel,) = (k for k in kernels(ROOT, [name]) if k.name == name)
    given: dict[str, list[str]] = {}
    for flag, value in zip(kernel.flags[::2], kernel.flags[1::2], strict=True):
        given.setdefault(flag, []).append(value)
    block, grid = (given.get(flag, [None])[0] for flag in ("--block", "--grid"))
    return problems(CheckRequest(
        kernel.path.name, kernel.path.read_text(),
        block=None if block is None else sizes("--block", block, MAX_BLOCK),
        grid=None if grid is None else sizes("--grid", grid, MAX_GRID),
        assumes=tuple(given.get("--assume", ())), buffers=tuple(given.get("--buffer", ())),
        names=tuple(given["--names"][0].split(",")) if "--names" in given else (),
        facts=tuple(given.get("--fact", ())), covers=tuple(given.get("--covers", ())),
    ))  # fmt: skip


@pytest.mark.parametrize("name", ["gemm", "softmax", "reduce_shuffle", "stencil", "triton_softmax", "paged", "handoff"])
def test_goals_as_conditions_say_what_their_texts_say(name: str) -> None:
    """Where the condition holds, so does the text: at drawn values of all unknowns, many of them at their ends."""
    random = Random(name)
    compared = {True: 0, False: 0}
    for problem in problems_of(name):
        for claim in analyse(problem).claims:
            query = claim.query
            if query is None or query.statement is None or query.statement.aim is None:
                continue
            text = read_term(query.goal, claim.name)
            for _ in range(6):
                values = {s.name: drawn(random, s) for s in query.symbols}
                holds = query.statement.aim.evaluate(values)
                compared[holds] += 1
                assert not holds or evaluate(text, values), claim.name
    assert min(compared.values()) > 20


# --- a second decider ---
@pytest.mark.parametrize("name", ["gemm", "triton_matmul", "softmax", "stencil", "bitonic", "triton_attention"])
def test_the_solver_confirms_what_linear_arithmetic_decides(name: str) -> None:
    """This rung leaves no artifact: here the whole query of each claim that it decides, or of 80 drawn, goes to Z3."""
    reasoner = Reasoner()
    for problem in problems_of(name):
        decided = [c for c in analyse(problem).claims if by_sums(c, reasoner) is not None]
        assert len(decided) >= 10
        chosen = Random(name).sample(decided, min(len(decided), 80))
        answers = {c.name: decide(c.query.text, 5_000_000).status for c in chosen if c.query is not None}
        assert [n for n, status in answers.items() if status == "sat"] == []
        assert sum(status == "unsat" for status in answers.values()) >= 0.9 * len(answers)


def test_a_reasoner_that_believes_everything_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (problem,) = problems_of("stencil-off_by_one")
    monkeypatch.setattr(Reasoner, "follows", lambda *_: True)
    decided = [c for c in analyse(problem).claims if by_sums(c, Reasoner()) is not None]
    assert any(decide(c.query.text, 5_000_000).status == "sat" for c in decided if c.query is not None)


def drawn(random: Random, symbol: Symbol) -> int:
    low = -(2**20) if symbol.low is None else symbol.low
    high = low + 2**21 if symbol.high is None else symbol.high
    return random.choice((low, high, min(low + random.randrange(16), high), random.randint(low, high)))
