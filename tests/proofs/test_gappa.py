"""The Gappa scripts: what they claim, that their controls are false, and that Gappa and Coq see it so."""

from __future__ import annotations

import dataclasses
import re
from fractions import Fraction

import pytest

from proofs.artifacts import sha256
from proofs.numerics import formal, gappa_library
from proofs.numerics.formal import Status
from proofs.numerics.gappa import COQ_FILE, HEADER, Range, Script, coq_file, refuted_by_witness, statement
from proofs.numerics.gappa_obligation import Checked, check, scripts_of
from proofs.numerics.gappa_rmsnorm import deepest
from proofs.numerics.gappa_shared import conversions, down, up
from proofs.numerics.gappa_terms import evaluate, mantissa_exponent, number_to_gappa, real, rn16, rn32, root, to_gappa
from proofs.verdict import Verdict
from spec.contracts import STEMS, contracts_of
from spec.errors import BadInput
from spec.operators import rmsnorm
from tests.formal import needs_both, needs_gappa

BY_STEM = {stem: scripts_of(contracts_of(stem)[0]) for stem in STEMS} | {"library": gappa_library.scripts()}
SCRIPTS = [pytest.param(s, id=f"{stem}-{s.name}") for stem, scripts in BY_STEM.items() for s in scripts]
RELATIVE, ABSOLUTE = conversions()


def weaker(script: Script, factor: Fraction) -> Script:
    """The script with its goals made wider (or narrower) by a factor."""
    goals = tuple(dataclasses.replace(g, low=g.low * factor, high=g.high * factor) for g in script.goals)
    return dataclasses.replace(script, goals=goals)


# --- text -------------------------------------------------------------------------------------------------------------


def test_every_shipped_operator_has_scripts() -> None:
    assert {stem: len(scripts) for stem, scripts in BY_STEM.items()} == {"rmsnorm": 4, "silu": 5, "library": 8}
    names = [s.name for stem in ("silu", "library") for s in BY_STEM[stem]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_control_is_the_script_with_other_goals_and_is_false(script: Script) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", script.name)
    text, control = script.text, script.control_text
    assert text.isascii()
    assert "?" not in text.partition("{")[2]
    assert max(map(len, (text + control).splitlines())) <= 130
    code = [[line for line in t.splitlines() if not line.startswith("#")] for t in (text, control)]
    assert [a for a, b in zip(*code, strict=True) if a != b] == [code[0][-2]]
    assert refuted_by_witness(script)


def test_a_witness_that_shows_nothing_is_told() -> None:
    assert not refuted_by_witness(dataclasses.replace(RELATIVE, witness={"x": Fraction(1)}))
    assert not refuted_by_witness(dataclasses.replace(RELATIVE, witness={"x": Fraction(1, 2**30)}))
    assert not refuted_by_witness(dataclasses.replace(RELATIVE, too_strong=RELATIVE.goals))


def test_numbers_and_terms_as_gappa_writes_them() -> None:
    x, y = real("x"), real("y")
    assert to_gappa(rn32(x * y + 1) / root(y)) == "(rn32(((x * y) + 1)) / sqrt(y))"
    assert [number_to_gappa(Fraction(n)) for n in (0, 65504, -3)] == ["0", "65504", "-3"]
    assert number_to_gappa(Fraction(-3, 2**26)) == "-3b-26"
    assert mantissa_exponent(Fraction(65504)) == (2047, 5)
    with pytest.raises(BadInput, match="power of two"):
        mantissa_exponent(Fraction(1, 3))
    assert evaluate(rn16(x), {"x": 1 + Fraction(3, 2**11)}) == 1 + Fraction(2, 2**10)
    assert abs(evaluate(root(x), {"x": Fraction(2)}) ** 2 - 2) < Fraction(1, 2**190)


def test_ends_are_rounded_to_the_side_that_is_asked_for() -> None:
    third = Fraction(1, 3)
    assert 0 < third - down(third) < Fraction(1, 2**50)
    assert 0 < up(third) - third < Fraction(1, 2**50)
    assert up(Fraction(3, 4)) == down(Fraction(3, 4)) == Fraction(3, 4)


@pytest.mark.parametrize("most", [1, 7, 8, 15, 2047, 2048, 2049, 4095, 4096, 4100, 6200])
def test_the_deepest_row_is_the_deepest_of_all_shorter_ones(most: int) -> None:
    assert rmsnorm.depth(deepest(most)) == max(rmsnorm.depth(c) for c in range(1, most + 1))


def test_the_theorem_is_stated_without_words_of_gappa() -> None:
    text = statement(RELATIVE)
    assert "Rabs (y - x) <= 1 / 2048 * Rabs x" in text
    assert not re.search(r"BND|REL|Float2|makepairF", text)
    with pytest.raises(BadInput, match="no proof that Gappa wrote"):
        coq_file([(RELATIVE, "Axiom l1 : False.")])


# --- programs ---------------------------------------------------------------------------------------------------------


@needs_gappa
@pytest.mark.parametrize("script", SCRIPTS)
def test_gappa_proves_the_script_and_refuses_its_control(script: Script) -> None:
    assert formal.decide_script(script.text).status is Status.ACCEPTED
    refused = formal.decide_script(script.control_text)
    assert refused.status is Status.REFUSED
    assert "not satisfied" in refused.message


@needs_both
@pytest.mark.parametrize("stem", BY_STEM)
def test_coq_accepts_every_closing_theorem_with_the_axioms_of_the_reals(stem: str) -> None:
    found = check(BY_STEM[stem], {}, ())
    assert [(c.verdict, c.words) for c in found] == [(Verdict.PROVED, "")] * len(BY_STEM[stem])
    assert all(c.proof.startswith(HEADER) for c in found)


@needs_both
@pytest.mark.parametrize("factor", [Fraction(1, 2), Fraction(2)])
def test_the_closing_theorem_is_bound_to_what_gappa_proved(factor: Fraction) -> None:
    """Another claim than that of the proof, even a weaker one, does not close."""
    proof = formal.script_to_coq(RELATIVE.text).output
    text = coq_file([(weaker(RELATIVE, factor), proof)])
    assert formal.compile_coq({COQ_FILE: text}, [COQ_FILE]).status is Status.REFUSED


@needs_both
def test_a_rewriting_rule_is_an_assumption_that_does_not_close() -> None:
    """Gappa believes a false rule; its proof then has a hypothesis that nothing here discharges."""
    impossible = weaker(ABSOLUTE, Fraction(1, 4))
    text = impossible.text + "y - x -> 0;\n"
    ran = formal.script_to_coq(text)
    assert ran.status is Status.ACCEPTED
    assert "Hypothesis" in ran.output
    closed = coq_file([(impossible, ran.output)])
    assert formal.compile_coq({COQ_FILE: closed}, [COQ_FILE]).status is Status.REFUSED


# --- the obligation ---------------------------------------------------------------------------------------------------


def test_where_the_programs_are_missing_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for found in check(BY_STEM["silu"], {}, ()):
        assert (found.verdict, found.ran, found.proof) == (Verdict.UNKNOWN, False, "")
        assert "not run here: needs gappa" in found.words
        assert found.record()["proof"] == ""
        assert set(found.files()) == {f"numerics.{found.script.name}.g", f"numerics.{found.script.name}.control.g"}


def test_what_the_store_has_proved_is_taken_from_it_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    stored = Checked(RELATIVE, HEADER + "(* as it was *)\n", Verdict.PROVED).files()
    digests = {sha256(text) for text in stored.values()}
    (found,) = check([RELATIVE], stored, digests)
    assert (found.verdict, found.proof) == (Verdict.PROVED, stored["numerics.cvt-relative.v"])
    for missing in digests:
        assert not check([RELATIVE], stored, digests - {missing})[0].ran
    (other,) = check([weaker(RELATIVE, Fraction(2))], stored, digests)
    assert not other.ran


@needs_both
@pytest.mark.parametrize(
    ("script", "words"),
    [
        (weaker(RELATIVE, Fraction(1, 2)), "Gappa does not prove it"),
        (dataclasses.replace(RELATIVE, too_strong=weaker(RELATIVE, Fraction(2)).goals), "its control must be refused"),
        (dataclasses.replace(RELATIVE, witness={"x": Fraction(1)}), "its witness does not show"),
        (dataclasses.replace(RELATIVE, hypotheses=()), "Gappa does not prove it"),
    ],
)
def test_a_script_that_is_not_as_it_should_be_is_not_proved(script: Script, words: str) -> None:
    bad, good = check([script, ABSOLUTE], {}, ())
    assert bad.verdict is Verdict.UNKNOWN
    assert bad.ran
    assert words in bad.words
    assert good.verdict is Verdict.PROVED


@needs_both
def test_what_coq_refuses_is_told_from_what_it_accepts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof that assumes what it proves is named, and the one beside it stays proved."""
    honest = formal.script_to_coq

    def cheating(text: str) -> formal.Ran:
        ran = honest(text)
        if "script cvt-relative" not in text:
            return ran
        start = ran.output.index("Lemma l1 :")
        return dataclasses.replace(
            ran, output=ran.output[:start] + "Lemma l1 : s1 -> False.\nAdmitted.\nEnd Generated_by_Gappa.\n"
        )

    monkeypatch.setattr(formal, "script_to_coq", cheating)
    bad, good = check([RELATIVE, ABSOLUTE], {}, ())
    assert bad.verdict is Verdict.UNKNOWN
    assert "rests on Gappa_cvt_relative.l1" in bad.words or "rests on Gappa.Gappa_cvt_relative.l1" in bad.words
    assert good.verdict is Verdict.PROVED


def test_ranges_hold_powers_of_two_only() -> None:
    odd = dataclasses.replace(RELATIVE, goals=(Range(real("y"), Fraction(0), Fraction(1, 3)),))
    with pytest.raises(BadInput, match="power of two"):
        _ = odd.text
