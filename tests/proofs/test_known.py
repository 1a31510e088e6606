"""Claims of one text that hold are taken over for another text only where they are the same statements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs.check.entry import Checked, check_entry
from proofs.check.flags import problems
from proofs.check.known import Known
from proofs.check.request import CheckRequest
from proofs.check.work import Workers
from proofs.claims import Claim
from proofs.effort import Limits
from proofs.entry import analyse
from proofs.problem import Problem
from proofs.terms import Poly, Symbol, le
from tests.proofs.test_small_programs import FOLDER, program

# A sound program and faulty copies of it, under the same flags.
FAMILIES = (
    ("ring_of_three_filled_before", "ring_of_three_without_barrier", "ring_of_three_stage_too_early"),
    ("copy_published", "copy_not_published", "copy_never_committed"),
    ("tree_that_halves", "tree_that_begins_too_wide", "tree_without_a_barrier"),
    ("swizzle_of_chunks", "swizzle_that_collides", "swizzle_out_of_the_row"),
)


def problem_of(name: str) -> Problem:
    case = program(FOLDER / f"{name}.ptx")
    given: dict[str, list[str]] = {}
    for flag, value in zip(case.flags[::2], case.flags[1::2], strict=True):
        given.setdefault(flag, []).append(value)
    (found,) = problems(CheckRequest(
        name, case.path.read_text(), assumes=tuple(given.get("--assume", ())), buffers=tuple(given.get("--buffer", ())),
        block=tuple(int(n) for n in given["--block"][0].split(",")), grid=(int(given["--grid"][0]),),
    ))
    return found


def a_claim(problem: Problem) -> Claim:
    """The first claim that can be known."""
    return next(c for c in analyse(problem).claims if Known()._key(problem, c))


def checked(problem: Problem, known: Known | None) -> Checked:
    return check_entry(problem, Limits(), Workers(1), None, lambda done, total: None, known=known)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family[0])
def test_verdicts_are_the_same_as_without(family: tuple[str, ...]) -> None:
    known = Known()
    sound = checked(problem_of(family[0]), known)
    assert {row.verdict.value for row in sound.rows} == {"proved"}
    held = len(known.held)
    assert held
    again = checked(problem_of(family[0]), known)
    assert len(known.held) == held
    assert [(r.obligation, r.verdict, r.rungs) for r in again.rows] == [
        (r.obligation, r.verdict, r.rungs) for r in sound.rows
    ]
    for name in family[1:]:
        alone, after = checked(problem_of(name), None), checked(problem_of(name), known)
        assert [(r.obligation, r.verdict) for r in after.rows] == [(r.obligation, r.verdict) for r in alone.rows], name
        assert "refuted" in {row.verdict.value for row in after.rows}


def test_what_is_known_of_an_unknown_is_part_of_a_claim() -> None:
    """Two symbols of one name: a term is the same by its text, not by what bounds its symbols."""
    problem = problem_of("exchange_across_barrier")
    known, keys = Known(), []
    for high in (7, 8):
        symbol = Poly.symbol(Symbol("k@L1", "iteration", "thread", 0, high))
        asked = replace(problem, domain=[*problem.domain, ("", le(symbol, 5))])
        keys.append(known._key(asked, a_claim(asked)))
    assert keys[0] != keys[1]


def test_what_is_said_of_the_launch_is_part_of_a_claim() -> None:
    problem = problem_of("exchange_across_barrier")
    larger = replace(problem, block=(128, 1, 1))
    known = Known()
    assert known._key(problem, a_claim(problem)) != known._key(larger, a_claim(problem))
    assert known._key(problem, a_claim(problem)) == known._key(problem, a_claim(problem))
