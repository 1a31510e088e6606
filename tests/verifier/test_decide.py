"""cvc5 behind the audit's own terms."""

from __future__ import annotations

import pytest

from verifier.decide import decide
from verifier.findings import Unreadable
from verifier.terms import evaluate, read_term


def ask(*texts: str, booleans: frozenset[str] = frozenset(), effort: int = 2_000_000) -> str:
    return decide([read_term(t, "t") for t in texts], booleans, effort).status


def test_answers() -> None:
    assert ask("(<= 0 x)", "(< x 0)") == "unsat"
    assert ask("(<= 0 x)", "(< (* x y) 0)") == "sat"
    assert ask("(and p (not p))", booleans=frozenset({"p"})) == "unsat"
    assert ask("(=> p q false)", "p", "q", booleans=frozenset({"p", "q"})) == "unsat"
    assert ask("(= (mod (+ (* 4 x) 1) 4) 0)") == "unsat"
    assert ask("(not (= (div (- 7) 2) (- 4)))") == "unsat"


def test_a_model_satisfies_what_was_asked() -> None:
    terms = [read_term(t, "t") for t in ("(< 3 x 9)", "(= (mod x 5) 2)", "(or p (< x 0))")]
    answer = decide(terms, frozenset({"p"}))
    assert answer.status == "sat"
    assert all(evaluate(term, answer.model) for term in terms)


def test_a_small_range_is_split_when_the_question_is_too_hard() -> None:
    hard = ["(<= 2 x)", "(<= x 4)", "(< 1 y)", "(< 1 z)", "(= (* x y z) (+ (* 27 x) (* 2 y y z z)))"]
    assert ask(*hard, effort=1) in ("sat", "unknown")
    assert ask("(<= 1 x)", "(<= x 3)", "(= (* x x) 5)") == "unsat"


def test_bit_terms_are_not_for_the_solver() -> None:
    with pytest.raises(Unreadable):
        ask("(= (bvand x 3) 0)")
