"""Theorems about every length: the contract's instance, false variants of it, and what becomes of coqc's answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from proofs.numerics import theorem as theorems
from proofs.numerics import theory
from proofs.numerics.formal import COQC, LOGICAL, Compiled, Ran, Status, run
from proofs.numerics.theorem import FILE, Standing, Theorem, judge, theorem_of
from proofs.numerics.theorem_rmsnorm import bounds, code, sum_of_squares
from spec.contracts import contracts_of
from spec.errors import BadInput
from spec.operators import rmsnorm
from spec.operators.build import ZERO, add, fma, widen
from spec.ptx.node import input_element
from tests.formal import needs_coq

(CONTRACT,) = contracts_of("rmsnorm")
OTHER = contracts_of("silu")[0]


def _rmsnorm() -> Theorem:
    found = theorem_of(CONTRACT)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """coqc on a text over theories that are compiled once."""
    folder: Path = tmp_path_factory.mktemp("theories")
    for name, text in theory.texts().items():
        (folder / name).write_text(text)
        assert run(COQC, "-q", "-Q", ".", LOGICAL, name, folder=folder).status is Status.ACCEPTED

    def compile_text(text: str) -> Ran:
        (folder / FILE).write_text(text)
        return run(COQC, "-q", "-Q", ".", LOGICAL, FILE, folder=folder)

    return compile_text


# --- the instance -----------------------------------------------------------------------------------------------------


def _only_theorem(text: str) -> str:
    """Without the graphs, which take longest."""
    return text[: text.index("(* The operator's own graphs")]


@needs_coq
def test_the_instance_is_accepted(compiled: Callable[[str], Ran]) -> None:
    ran = compiled(_rmsnorm().text)
    assert ran.status is Status.ACCEPTED, ran.message


def _smaller(text: str) -> str:
    """One bound of the table less than 1e-8 smaller."""
    h, least = bounds(32)[-1]
    shown = f"({h}%nat, ({least.numerator}, {least.denominator})%Z)"
    assert shown in text
    part = least * (1 - Fraction(1, 10**8))
    return text.replace(shown, f"({h}%nat, ({part.numerator}, {part.denominator})%Z)")


FALSE: dict[str, Callable[[str], str]] = {
    "a smaller bound": _smaller,
    "bounds of one rounding fewer": lambda text: text.replace("(8%nat", "(7%nat").replace("(15%nat", "(14%nat"),
    "eps from 0": lambda text: text.replace("(1 / 1073741824 <= eps", "(0 / 1 <= eps"),
    "eps to 2": lambda text: text.replace("eps <= 1 / 1)", "eps <= 2 / 1)"),
    "twice the columns": lambda text: text.replace("columns <= 65536)", "columns <= 131072)"),
    "weights of any kind": lambda text: text.replace("-> binary16 w ->", "->").replace("columns X W N", "columns X N"),
    "a better rsqrt.approx": lambda text: text.replace("rho_numerator : Z := 1", "rho_numerator : Z := "),
    "no bound for the longest rows": lambda text: text.replace("(264%nat", "(265%nat"),
}


@needs_coq
@pytest.mark.parametrize("what", FALSE)
def test_false_instances_are_refused(what: str, compiled: Callable[[str], Ran]) -> None:
    text = _only_theorem(_rmsnorm().text)
    changed = FALSE[what](text)
    assert changed != text
    assert compiled(changed).status is Status.REFUSED


@needs_coq
def test_other_graphs_are_refused(compiled: Callable[[str], Ran]) -> None:
    """Two columns of one chain in the other order."""
    text = _rmsnorm().text
    head = text[: text.index("Definition rho_numerator")]
    start = text.index("Example order_of_20 ")
    example = text[start : text.index("Qed.", start) + len("Qed.\n")]
    assert compiled(head + example).status is Status.ACCEPTED
    assert "0; 2; 3; 4;" in example
    assert compiled(head + example.replace("0; 2; 3; 4;", "0; 3; 2; 4;")).status is Status.REFUSED


def test_the_table_has_the_bound_of_every_length() -> None:
    table = dict(bounds(32))
    for columns in (*range(1, 4200), *range(32_760, 32_780), *range(65_000, 65_537)):
        assert table[rmsnorm.depth(columns)] == rmsnorm.phi({"columns": columns})
    assert len(table) == 65


@pytest.mark.parametrize("columns", [1, 7, 8, 20, 2049, 4107])
def test_the_code_of_a_graph_has_each_column_once(columns: int) -> None:
    found = list(code(sum_of_squares(columns)))
    assert sorted(c - 2 for c in found if c > 1) == list(range(columns))
    assert found.count(1) == 255
    assert found.count(0) == 256


def test_what_is_no_sum_of_squares_is_refused() -> None:
    x, w = widen(input_element("x", 0)), widen(input_element("w", 0))
    for wrong in (fma(x, w, ZERO), fma(w, w, ZERO), add(x, ZERO), x, fma(input_element("x", 0), w, ZERO)):
        with pytest.raises(BadInput):
            list(code(wrong))


def test_another_expression_has_no_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rmsnorm.OPERATOR.expression
    wrong = replace(rmsnorm.OPERATOR, expression=lambda values, buffer, _: right(values, buffer, 1))
    monkeypatch.setattr(rmsnorm, "OPERATOR", wrong)
    with pytest.raises(BadInput, match=r"y\[0\] is not the result"):
        sum_of_squares(8)


# --- the verdict ------------------------------------------------------------------------------------------------------


def test_an_operator_without_a_theorem_has_none() -> None:
    assert theorem_of(replace(OTHER, operator="no_such_operator")) is None


def _answers(monkeypatch: pytest.MonkeyPatch, *answers: Compiled) -> None:
    given = itertools.chain(answers)
    monkeypatch.setattr(theorems, "compile_theorem", lambda theorem: next(given))


THEOREM = Theorem("right", "Theorem right : True. Proof. exact I. Qed.\n", "rows")
ASKED = "Contract_.right"


def test_a_stored_theorem_is_taken_only_with_all_its_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    _answers(monkeypatch, Compiled(Status.ACCEPTED, axioms={ASKED: ()}), *[Compiled(Status.MISSING, "no coqc")] * 3)
    first = judge(THEOREM, {})
    assert (first.standing, first.stored) == (Standing.PROVED, False)
    record = first.record("a.v")
    again = judge(THEOREM, record)
    assert (again.standing, again.stored) == (Standing.PROVED, True)
    assert judge(replace(THEOREM, text=THEOREM.text + "\n"), record).standing is Standing.OPEN
    assert judge(THEOREM, {**record, "verdict": "open"}).standing is Standing.OPEN
    texts = theory.texts()
    monkeypatch.setattr(theory, "texts", lambda: {**texts, "Sum.v": texts["Sum.v"] + "\n"})
    assert judge(THEOREM, record).standing is Standing.OPEN


def test_what_coqc_refuses_or_rests_on_too_much_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    _answers(monkeypatch, Compiled(Status.REFUSED, "error"), Compiled(Status.ACCEPTED, axioms={ASKED: ("magic",)}))
    refused, assuming = judge(THEOREM, {}), judge(THEOREM, {})
    assert (refused.standing, refused.words) == (Standing.WRONG, "coqc refuses the theorem right: error")
    assert (assuming.standing, assuming.words) == (Standing.WRONG, "the theorem right assumes magic")
