"""Hints: read, held against the entry that they speak of, and proved wherever they come from."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs import contract as contracts
from proofs.cfg import graph_of
from proofs.entry import analyse
from proofs.hints import hints_of
from proofs.hints.fitting import with_hints
from proofs.hints.model import Chosen, Invariant, read_hint
from proofs.places import loops_by_label
from proofs.problem import Problem
from spec.contracts import STEMS
from spec.contracts.expr import print_expr
from spec.errors import BadInput
from tests.proofs.kernels import Statement, problem_of, render, statements
from tests.proofs.test_symbolic import compare, first_line

COUNTER = """
ld.param.u64 %d0, [out];
ld.param.u32 %r1, [n];
mov.u32 %r2, 0;
mov.u32 %r3, START;
AGAIN: LOOP:
mul.wide.u32 %d1, %r3, 4;
add.u64 %d1, %d1, %d0;
ld.global.u32 %r4, [%d1];
setp.lt.u32 %p1, %r4, 9;
setp.lt.s32 %p2, %r3, 15;
and.pred %p1, %p1, %p2;
@%p1 add.u32 %r3, %r3, 1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p3, %r2, %r1;
@%p3 bra LOOP;
ret;
"""


def counter(start: int = 7) -> Problem:
    return problem_of(COUNTER.replace("START", str(start)))


def head(problem: Problem, *hints: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is known of a register at the head of the loop, and the hints that were not proved."""
    found = analyse(with_hints(problem, hints))
    (loop,) = found.records.loops
    return tuple(f.text for f in loop.at.facts if "%r3" in f.text), found.unproved


def test_an_invariant_is_read() -> None:
    hint = read_hint(" loop $L__BB0_2 : %r3 <= min(n, 15) && %r3 + %rd4 >= round")
    assert isinstance(hint, Invariant)
    assert hint.label == "$L__BB0_2"
    assert sorted(hint.registers.values()) == ["%r3", "%rd4"]
    assert len(hint.comparisons) == 2


def test_a_writer_is_read() -> None:
    hint = read_hint("write y: %tid.x = min(column, 3) % 128, round LOOP=row,%ctaid.y=0")
    assert isinstance(hint, Chosen)
    assert hint.buffer == "y"
    assert {n: print_expr(e) for n, e in hint.numbers.items()} == {
        "%tid.x": "(min(column, 3) % 128)", "%ctaid.y": "0",
    }
    assert {n: print_expr(e) for n, e in hint.rounds.items()} == {"LOOP": "row"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 'loop LABEL:"),
        ("loop LOOP %r1 <= 3", "expected 'loop LABEL:"),
        ("loop LOOP: %r1", "expected more"),
        ("loop LOOP: %r1 <= ", "expected more"),
        ("write y: %tid.x == 3", "cannot read"),
        ("write y: %laneid = 3", "cannot read"),
        ("write y: %tid.x = 3, %tid.x = 4", "given twice"),
        ("write y:", "cannot read"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_hint(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("loop NOWHERE: %r3 <= 15", "no loop of k begins at NOWHERE; loops begin at AGAIN, LOOP"),
        ("loop LOOP: %r33333 <= 15", "k has no register %r33333"),
        ("loop LOOP: %p1 <= 15", "%p1 is .pred, no integer"),
        ("loop LOOP: %r3 <= m", "unknown name 'm'"),
        ("loop LOOP: %r3 <= row", "unknown name 'row'"),
        ("write out: round NOWHERE = row", "no loop of k begins at NOWHERE"),
        ("write out: %tid.x = m", "unknown name 'm'"),
        ("write out: %tid.x = round", "unknown name 'round'"),
        ("write n: %tid.x = row", "not asked whether all of n is written; --covers n"),
    ],
)
def test_a_hint_speaks_of_what_is_there(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        with_hints(counter(), [text])


def test_a_name_that_hints_use_cannot_be_a_parameter() -> None:
    problem = counter()
    problem.names["round"] = problem.names["n"]
    with pytest.raises(BadInput, match="round is also a parameter"):
        with_hints(problem, ["loop LOOP: %r3 <= 15"])


@pytest.mark.parametrize("label", ["LOOP", "AGAIN"])
def test_what_is_given_and_holds_is_known_at_the_head(label: str) -> None:
    before, _ = head(counter())
    known, unproved = head(counter(), f"loop {label}: %r3 <= 15")
    assert not unproved
    assert {*known} - {*before} == {"(<= |h@L15.%r3| 15)"}


@pytest.mark.parametrize(
    "wrong",
    [
        "%r3 <= 14", "%r3 == 7", "%r3 <= 6", "%r3 <= 3 && %r3 >= 9", "%r3 <= %r2 + 6", "%r2 <= 0",
        "%r4 <= 15", "%r2 >= 1", "n >= 1", "round <= 5",
    ],
)  # fmt: skip
def test_what_is_given_and_does_not_hold_is_told_and_known_nowhere(wrong: str) -> None:
    before = head(counter())
    assert head(counter(), f"loop LOOP: {wrong}") == (before[0], (f"loop LOOP: {wrong}",))


@pytest.mark.parametrize(
    "right",
    [
        "%r3 <= %r2 + 7", "%r2 == round", "%r2 <= 2^32", "%r3 >= 7 && %r3 <= 15", "n >= 0", "%tid.x <= 3",
        "%r2 < max(n, 1)",
    ],
)  # fmt: skip
def test_relations_to_other_registers_parameters_and_the_round(right: str) -> None:
    _, unproved = head(counter(), f"loop LOOP: {right}")
    assert not unproved


def test_a_register_that_a_hint_speaks_of_may_be_negative() -> None:
    """From -3 on it is no number without sign, of which nothing is guessed."""
    assert head(counter(-3)) == ((), ())
    known, unproved = head(counter(-3), "loop LOOP: %r3 >= -3 && %r3 <= 15")
    assert not unproved
    assert "(<= |h@L15.%r3| 15)" in " ".join(known)


# --- any kernel --------------------------------------------------------------------------------------------------


@st.composite
def said(draw: st.DrawFn) -> str:
    """What may be said of registers at the head of a loop; most of it is not so."""
    registers = ("%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r10", "%r11", "%r12")
    number, register = st.integers(-4, 12).map(str), st.sampled_from(registers)
    op = st.sampled_from(("<=", "<", ">=", "==", "!="))
    left = draw(st.one_of(register, st.tuples(register, register).map(" + ".join), register.map(lambda r: f"{r} % 4")))
    right = draw(st.one_of(number, st.sampled_from(("n", "round", "n + 3")), register))
    text = f"{left} {draw(op)} {right}"
    return text if draw(st.booleans()) else f"{text} && {draw(register)} >= {draw(number)}"


@settings(
    max_examples=20, deadline=None, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(statements(), st.lists(said(), min_size=1, max_size=4))
def test_whatever_is_said_what_is_known_stays_true(tree: list[Statement], hints: list[str]) -> None:
    """Drawn kernels with drawn hints against the emulator: no fact, condition or address is wrong for their sake."""
    text = render(tree)
    body = "\n".join(text.lines)
    function = problem_of(body).function
    labels = loops_by_label(function, graph_of(function))
    every = [f"loop {label}: {hint}" for label in labels for hint in hints]
    compare(body, dict(text.loops), first_line(body), (0, 5, 1000), every)


# --- shipped kernels ---------------------------------------------------------------------------------------------


def test_the_hints_of_a_kernel_lie_by_its_stem() -> None:
    folder = Path(contracts.__file__).parent / "hints"
    assert {p.stem for p in folder.glob("*.py")} - {"__init__", "model", "fitting"} <= set(STEMS)
    assert hints_of("nonesuch", "k") == ()


def test_a_contract_takes_the_hints_of_its_stem(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {("drawn", "k"): ("loop LOOP: %r3 <= 15", "loop LOOP: %r3 <= 14")}
    monkeypatch.setattr(contracts, "hints_of", lambda stem, entry: given[stem, entry])
    found = analyse(counter())
    assert found.unproved == ("loop LOOP: %r3 <= 14",)
