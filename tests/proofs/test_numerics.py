"""The lemmas behind the error bounds: two solvers decide each, each control is met, and the document names each."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import cvc5
import pytest

from proofs.numerics import library, silu
from proofs.numerics.binary16 import identities
from proofs.numerics.domain import float_range, largest
from proofs.numerics.gappa_library import scripts
from proofs.numerics.gappa_obligation import scripts_of
from proofs.numerics.lemma import Lemma, at_most, given, lemma, number
from proofs.numerics.obligation import Decided, counterexample, decide, discharge, queries
from proofs.verdict import Verdict, conjunction
from spec.assumptions import TABLE as ASSUMPTIONS
from spec.contracts import STEMS, contracts_of
from spec.errors import BadInput

DOCUMENT = Path(__file__).parents[2] / "docs" / "numerics.md"
CONTRACTS = [c for stem in STEMS for c in contracts_of(stem)]
LIBRARY = library.lemmas()
IDENTITIES = identities()
LEMMAS = [pytest.param(m, id=f"{c.stem}-{m.name}") for c in CONTRACTS for m in queries(c)]
LEMMAS += [pytest.param(m, id=f"library-{m.name}") for m in LIBRARY]


def _cvc5(text: str) -> str:
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit", "2000000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "lemma")
    symbols, answers = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        answers += str(command.invoke(solver, symbols))
    return answers.strip()


@pytest.mark.parametrize("step", LEMMAS)
def test_both_solvers_decide_the_lemma_and_its_control(step: Lemma) -> None:
    assert step.expected == "unsat"
    assert (decide(step.smt_text), decide(step.negative_control_text)) == ("unsat", "sat")
    assert (_cvc5(step.smt_text), _cvc5(step.negative_control_text)) == ("unsat", "sat")


@pytest.mark.parametrize("make", [partial(queries, c) for c in CONTRACTS] + [library.lemmas])
def test_queries_are_deterministic_plain_and_named(make: Callable[[], list[Lemma]]) -> None:
    first, second = make(), make()
    assert first == second
    assert len({m.name for m in first}) == len(first)
    for step in first:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", step.name)
        for text in (step.smt_text, step.negative_control_text):
            assert text.isascii()
            assert text.count("(check-sat)") == 1
            assert text.count("(set-logic QF_NRA)") == 1
            assert max(len(line) for line in text.splitlines() if line.startswith(";")) <= 130


def test_the_document_names_every_lemma_and_script_and_no_other() -> None:
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", DOCUMENT.read_text()))
    lemmas = {m.name for c in CONTRACTS for m in queries(c)} | {m.name for m in (*LIBRARY, *IDENTITIES)}
    assert named - set(ASSUMPTIONS) == lemmas | {
        s.name for s in (*scripts(), *(s for c in CONTRACTS for s in scripts_of(c)))
    }


def test_one_name_is_one_lemma() -> None:
    """Lemmas of kernels and of the library that share a name are the same text."""
    found: dict[str, Lemma] = {}
    for step in (*(m for c in CONTRACTS for m in queries(c)), *LIBRARY):
        assert found.setdefault(step.name, step) == step


def test_the_best_verdict_is_derived() -> None:
    decided = discharge(queries(CONTRACTS[0]))
    assert conjunction(d.verdict for d in decided) is Verdict.DERIVED


def test_wrong_lemmas_and_blunt_controls_are_noticed() -> None:
    positive = (given("x is positive", "(< 0.0 x)"),)
    wrong = lemma("wrong", "false", "x", positive, at_most("x", 1), at_most("x", 1))
    assert discharge([wrong])[0].verdict is Verdict.REFUTED
    blunt = lemma("blunt", "the control holds as well", "x", positive, at_most(0, "x"), at_most(-1, "x"))
    assert discharge([blunt])[0].verdict is Verdict.UNKNOWN
    nothing = (given("impossible", "(< x x)"),)
    vacuous = lemma("vacuous", "hypotheses that cannot be met", "x", nothing, at_most(0, "x"), at_most(1, "x"))
    assert discharge([vacuous])[0].verdict is Verdict.UNKNOWN
    assert Decided(wrong, "unknown", "sat").verdict is Verdict.UNKNOWN
    assert "the negative control of lemma blunt follows too" in discharge([blunt])[0].words
    assert "the hypotheses contradict each other" in discharge([vacuous])[0].words
    assert "lemma wrong is not decided within the solver's limit" in Decided(wrong, "unknown", "sat").words
    assert "the negative control of lemma wrong is not decided" in Decided(wrong, "unsat", "unknown").words
    assert Decided(wrong, "unsat", "sat").words == ""


def test_a_lemma_that_does_not_hold_comes_with_values() -> None:
    hypotheses = (given("x", "(= x 3.0)"), given("y", "(= (* 2.0 y) x)"))
    wrong = discharge([lemma("wrong", "false", "x y", hypotheses, at_most("x", "y"), at_most("x", "y"))])[0]
    assert wrong.words == "lemma wrong does not hold"
    assert counterexample(wrong) == {"lemma": "wrong", "x": "3", "y": "3/2"}


def test_a_variable_that_is_not_listed_is_told_with_its_lemma() -> None:
    hasty = lemma("hasty", "a variable is missing", "x", (given("y", at_most("x", "y")),), at_most("x", "y"), "false")
    with pytest.raises(BadInput, match=r"lemma hasty: Z3 cannot read its query: unknown constant y; are all its var"):
        discharge([hasty])


@pytest.mark.parametrize("name", ["two words", "Upper", "a/b", "", "-a"])
def test_a_lemma_that_can_be_no_file_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="lower case with hyphens"):
        lemma(name, "", "x", (), at_most("x", 1), at_most("x", 0))


def test_a_second_lemma_of_one_name_cannot_hide_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    false = lemma("step", "false", "x", (), at_most("x", 1), at_most("x", 0))
    true = lemma("step", "true", "x", (given("x", at_most(1, "x")),), at_most(0, "x"), at_most(2, "x"))
    monkeypatch.setattr(silu, "lemmas", lambda contract: [false, true])
    with pytest.raises(BadInput, match=r"proofs/numerics/silu\.py has two lemmas step"):
        queries(next(c for c in CONTRACTS if c.operator == "silu"))


def test_numbers_of_the_contract() -> None:
    contract = contracts_of("rmsnorm")[0]
    assert largest(contract, "columns") == 2**16
    assert float_range(contract, "eps") == (Fraction(1, 2**30), Fraction(1))
    with pytest.raises(BadInput, match="no clause bounds power_state"):
        largest(contract, "power_state")
    with pytest.raises(BadInput, match="no range for rows"):
        float_range(contract, "rows")
    unbounded = dataclasses.replace(contract, requires=("columns >= 1",))
    with pytest.raises(BadInput, match="no upper bound"):
        largest(unbounded, "columns")


def test_a_wider_contract_than_the_bound_is_refused() -> None:
    """The bound is a function of columns up to 2^16; a smaller least eps reaches the queries."""
    contract = contracts_of("rmsnorm")[0]
    wider = dataclasses.replace(contract, requires=("columns >= 1 && columns <= 2^17",))
    with pytest.raises(BadInput, match="columns from 1 to 65536"):
        queries(wider)
    tiny = dataclasses.replace(contract, float_ranges={"eps": (2.0**-60, 1.0)})
    failed = [d.lemma.name for d in discharge(queries(tiny)) if d.verdict is not Verdict.DERIVED]
    assert failed == ["rmsnorm-scale-range"]
    with pytest.raises(BadInput, match=r"there is no proofs/numerics/copy\.py"):
        queries(dataclasses.replace(contract, operator="copy"))


def test_numbers_print_exactly() -> None:
    assert number(-3) == "(- 3.0)"
    assert at_most("a", number(2)) == "(<= a 2.0)"
