"""Joins of paths: values, conditions of having been written, and controls, by truth tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.choices import settled
from proofs.state import State, join, merge_controls
from proofs.terms import (
    FALSE,
    THREAD,
    TRUE,
    Cond,
    Poly,
    Symbol,
    conj,
    divide,
    ge,
    implies,
    ite,
    lt,
    negate,
    opaque_truth,
)
from proofs.words import Word
from tests.proofs.evaluation import value_of

TRUTHS = tuple(Symbol(name, "boolean", THREAD, None, None) for name in "pqrs")
PROFILE = settings(max_examples=200, deadline=None, database=None, derandomize=True)


def every(symbols: Sequence[Symbol] = TRUTHS) -> Iterator[dict[str, int]]:
    for bits in itertools.product((0, 1), repeat=len(symbols)):
        yield dict(zip((s.name for s in symbols), bits, strict=True))


def taken(control: Sequence[Cond], at: dict[str, int]) -> bool:
    return all(value_of(c, at) for c in control)


@st.composite
def paths(draw: st.DrawFn, depth: int = 4, dropped: bool = True) -> list[tuple[Cond, ...]]:
    """Paths through a tree of branches, disjoint as those of a program are; some may end elsewhere."""
    def grow(prefix: tuple[Cond, ...], left: int) -> list[tuple[Cond, ...]]:
        if not left or draw(st.integers(0, 3)) == 0:
            return [prefix]
        literal = opaque_truth(draw(st.sampled_from(TRUTHS)))
        sides = [literal, negate(literal)]
        found = []
        for side in sides:
            # As State.under does: what is known already is not said again.
            found += grow(prefix if side in prefix else (*prefix, side), left - 1)
        return found

    leaves = grow((), depth)
    if dropped and len(leaves) > 1:
        keep = draw(st.lists(st.booleans(), min_size=len(leaves), max_size=len(leaves)))
        leaves = [leaf for leaf, kept in zip(leaves, keep, strict=True) if kept] or leaves
    return draw(st.permutations(leaves))


@PROFILE
@given(paths())
def test_merged_control_is_the_disjunction_of_the_paths(controls: list[tuple[Cond, ...]]) -> None:
    merged = merge_controls(controls)
    for at in every():
        assert taken(merged, at) == any(taken(c, at) for c in controls)


@PROFILE
@given(paths(dropped=False))
def test_paths_that_all_meet_leave_no_trace(controls: list[tuple[Cond, ...]]) -> None:
    """An if-else whose sides both come here says nothing; otherwise barriers behind it could not be proved."""
    merged = merge_controls(controls)
    assert all(taken(merged, at) for at in every())


def _word(value: int) -> Word:
    return Word(32, Poly.constant(value))


@PROFILE
@given(paths(), st.data())
def test_joined_registers_have_the_value_of_the_path_taken(
    controls: list[tuple[Cond, ...]], data: st.DataObject
) -> None:
    states = []
    for i, control in enumerate(controls):
        state = State(control=control)
        if data.draw(st.booleans()):
            state.set("%r", _word(data.draw(st.integers(0, 2))))
        if data.draw(st.booleans()):
            state.set("%p", negate(opaque_truth(TRUTHS[0])) if i % 2 else opaque_truth(TRUTHS[1]))
        states.append(state)
    joined = join(states, "B1", frozenset(), 1)
    for at in every():
        for control, state in zip(controls, states, strict=True):
            if not taken(control, at):
                continue
            for name in ("%r", "%p"):
                known = name in state.registers
                if name in joined.written:
                    assert value_of(joined.written[name], at) == known
                else:
                    assert not known
                if known:
                    _same(joined.registers[name], state.registers[name], at)


def _same(joined: object, own: object, at: dict[str, int]) -> None:
    if isinstance(own, Cond):
        assert isinstance(joined, Cond)
        assert value_of(joined, at) == value_of(own, at)
        return
    assert isinstance(joined, Word)
    assert isinstance(own, Word)
    assert joined.term is None or (own.term is not None and value_of(joined.term, at) == value_of(own.term, at))


def test_a_register_unknown_on_one_path_is_unknown() -> None:
    p = opaque_truth(TRUTHS[0])
    a, b = State(control=(p,)), State(control=(negate(p),))
    a.set("%r", _word(1))
    b.set("%r", Word(32, None, "v@L1"))
    joined = join([a, b], "B1", frozenset({"L9"}), 7)
    word = joined.registers["%r"]
    assert isinstance(word, Word)
    assert word.term is None
    assert word.key not in ("", "v@L1")
    assert word.loops == {"L9"}


def test_many_different_values_become_unknown() -> None:
    tests = [ge(Poly.symbol(Symbol("x", "opaque", THREAD, 0, 99)) - i) for i in range(7)]
    states = []
    prefix: tuple[Cond, ...] = ()
    for i, c in enumerate(tests):
        states.append(State({"%r": _word(i)}, {"%r": TRUE}, (*prefix, negate(c))))
        prefix = (*prefix, c)
    word = join(states, "B1", frozenset(), 1).registers["%r"]
    assert isinstance(word, Word)
    assert word.term is None


def test_facts_of_one_path_survive_under_its_condition() -> None:
    p, q, r = (opaque_truth(s) for s in TRUTHS[:3])
    states = [State(control=(p,), facts=(q, r)), State(control=(negate(p),), facts=(r,))]
    assert join(states, "B1", frozenset(), 1).facts == (r,), "nobody holds q any more"
    states[0].set("%p", q)
    joined = join(states, "B1", frozenset(), 1)
    assert joined.facts == (r, implies(p, q))
    assert joined.control == ()


def test_written_on_both_sides_is_written() -> None:
    p = opaque_truth(TRUTHS[0])
    a, b = State(control=(p,)), State(control=(negate(p),))
    a.set("%r", _word(1))
    b.set("%r", _word(1))
    joined = join([a, b], "B1", frozenset(), 1)
    assert joined.written["%r"] == TRUE
    b.registers, b.written = {}, {}
    assert join([a, b], "B1", frozenset(), 1).written["%r"] == p
    assert join([b, a], "B1", frozenset(), 1).written["%r"] == p


def test_one_path_is_left_as_it_is() -> None:
    state = State(control=(opaque_truth(TRUTHS[0]),))
    assert join([state], "B1", frozenset(), 1) is state


def test_a_copy_does_not_change_the_original() -> None:
    state = State()
    state.set("%r", _word(1))
    other = state.under(opaque_truth(TRUTHS[0]))
    other.set("%r", _word(2))
    other.set("%s", _word(3))
    assert state.registers == {"%r": _word(1)}
    assert state.control == ()
    assert other.under(TRUE).control == other.control
    assert other.under(opaque_truth(TRUTHS[0])).control == other.control


def test_substitution_reaches_everything() -> None:
    k = Symbol("k@L1", "iteration", THREAD, 0, None)
    seven = {k: Poly.constant(7)}
    at_least = ge(Poly.symbol(k) - 5)
    state = State(control=(at_least,), facts=(negate(at_least),))
    state.set("%r", Word(32, Poly.symbol(k) * 2), at_least)
    state.set("%p", at_least)
    state.set("%u", Word(32, None, "h@L1.%u"))
    moved = state.substitute(seven)
    assert moved.control == (TRUE,)
    assert moved.facts == (FALSE,)
    assert moved.registers["%p"] == moved.written["%r"] == TRUE
    assert moved.registers["%r"] == Word(32, Poly.constant(14))
    assert moved.registers["%u"] == state.registers["%u"]
    assert conj(state.control) == at_least


@pytest.mark.parametrize("swap", [False, True])
def test_a_path_that_covers_the_other_wins_the_control(swap: bool) -> None:
    p, q = (opaque_truth(s) for s in TRUTHS[:2])
    controls = [(p,), (p, q)]
    assert merge_controls(controls[::-1] if swap else controls) == (p,)


@pytest.mark.parametrize(("least", "goes"), [(0, True), (-20, False)])
def test_a_choice_that_is_none_goes(least: int, goes: bool) -> None:
    """`n < 4 ? 0 : 4*(n div 4)`, a loop unrolled by four that may be skipped, is 4*(n div 4) for n >= 0 only."""
    n = Symbol("n", "parameter", THREAD, -20, 60)

    def decide(known: tuple[Cond, ...], goal: Cond) -> bool:
        values = ({"n": number} for number in range(-20, 60))
        return all(value_of(goal, at) for at in values if taken(known, at))

    multiple = divide(Poly.symbol(n), 4) * 4
    chosen = ite(lt(Poly.symbol(n), 4), Poly({}), multiple) + Poly.symbol(n) * 8
    state = State(control=(ge(Poly.symbol(n) - least),))
    state.set("%r", Word(32, chosen))
    found = settled(state, decide).registers["%r"]
    assert isinstance(found, Word)
    assert found.term == (multiple + Poly.symbol(n) * 8 if goes else chosen)
