"""The runner of Gappa and Coq: each way in which a run can end is told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs.numerics import formal
from proofs.numerics.formal import GAPPA, REAL_AXIOMS, Compiled, Status, compile_coq, read_axioms
from spec.errors import BadInput
from tests.formal import needs_coq, needs_gappa

HALF = "@rn16 = float<11,-24,ne>;\ny = rn16(x);\n{ |x| in [1b-13,65504] -> |(y - x) / x| <= 1b-11 }\n"
SUMS = """Require Import Reals Lra.
Lemma double (x : R) : (x + x = 2 * x)%R.
Proof. lra. Qed.
Lemma plain : 1 + 1 = 2.
Proof. reflexivity. Qed.
"""


def test_a_missing_program_is_a_value_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    for status, message in (
        ((found := compile_coq({"A.v": ""}, ["A.v"])).status, found.message),
        ((ran := formal.decide_script(HALF)).status, ran.message),
        ((ran := formal.script_to_coq(HALF)).status, ran.message),
    ):
        assert status is Status.MISSING
        assert "not run here: needs" in message
        assert "apt install gappa coq libcoq-gappa" in message


def test_a_program_that_cannot_start_or_is_stopped_has_said_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, text, status in (
        ("broken", "#!/nowhere/at/all\n", Status.MISSING),
        ("stopped", "#!/bin/sh\nkill -9 $$\n", Status.EXHAUSTED),
        ("unhappy", "#!/bin/sh\necho no >&2\nexit 1\n", Status.REFUSED),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        assert formal.run(name).status is status


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Closed under the global context\n", ()),
        ("Axioms:\na.b : forall P : Prop, P\n  \\/ ~ P\nc.d\n  : nat\n", ("a.b", "c.d")),
        ("Axioms:\nf is assumed to be guarded.\n", ("f is assumed to be guarded.",)),
        ("Axioms:\n", None),
        ("Section Variables:\nx : R\n", None),
        ("", None),
    ],
)
def test_axioms_are_read_and_what_is_no_axiom_is_kept_whole(text: str, names: tuple[str, ...] | None) -> None:
    assert read_axioms(text) == names


def test_only_the_axioms_of_the_reals_are_allowed() -> None:
    found = Compiled(Status.ACCEPTED, axioms={"A.x": tuple(REAL_AXIOMS), "A.y": ("A.wish", *REAL_AXIOMS)})
    assert found.beyond() == {"A.y": ("A.wish",)}


@pytest.mark.parametrize(
    ("files", "order", "ask"),
    [
        ({"A.v": ""}, ["B.v"], []),
        ({"../A.v": ""}, ["../A.v"], []),
        ({"A.v": ""}, ["A.v"], ["B.x"]),
        ({"A.v": ""}, ["A.v"], ["A.x. Axiom y : False"]),
    ],
)
def test_names_that_cannot_be_are_bad_input(files: dict[str, str], order: list[str], ask: list[str]) -> None:
    with pytest.raises(BadInput):
        compile_coq(files, order, ask)


@needs_gappa
def test_gappa_proves_refuses_and_reports_a_mistake() -> None:
    assert formal.decide_script(HALF).status is Status.ACCEPTED
    assert formal.decide_script(HALF.replace("<= 1b-11", "<= 1b-12")).status is Status.REFUSED
    assert formal.decide_script("x = @;").status is Status.REFUSED
    assert formal.script_to_coq(HALF).output.startswith("Require Import Gappa.Gappa_library.")
    assert "1.4" in formal.version(GAPPA)


@needs_coq
def test_coq_compiles_files_in_order_and_tells_axioms() -> None:
    files = {"Sums.v": SUMS, "Uses.v": "From Fltc Require Import Sums.\nDefinition twice := double.\n"}
    found = compile_coq(files, ["Sums.v", "Uses.v"], ["Uses.twice", "Sums.plain"])
    assert found.status is Status.ACCEPTED, found.message
    assert found.axioms["Sums.plain"] == ()
    assert set(found.axioms["Uses.twice"]) <= REAL_AXIOMS
    assert found.axioms["Uses.twice"]
    assert found.beyond() == {}


@needs_coq
def test_a_false_lemma_is_refused_with_its_place() -> None:
    found = compile_coq({"Sums.v": SUMS.replace("2 * x", "3 * x")}, ["Sums.v"], ["Sums.double"])
    assert found.status is Status.REFUSED
    assert 'Sums.v: File "./Sums.v", line 3' in found.message
    assert found.axioms == {}


@needs_coq
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Axiom x : False.\n", "A.x"),
        ("Lemma x : False.\nAdmitted.\n", "A.x"),
        ("Unset Guard Checking.\nFixpoint x (n : nat) : False := x n.\n", "assumed to be guarded"),
    ],
)
def test_what_is_not_proved_shows_as_an_axiom(text: str, name: str) -> None:
    found = compile_coq({"A.v": text}, ["A.v"], ["A.x"])
    assert found.status is Status.ACCEPTED, found.message
    assert any(name in axiom for axiom in found.beyond()["A.x"])


@needs_coq
def test_an_axiom_that_takes_the_name_of_an_allowed_one_is_refused() -> None:
    text = "Module Classical_Prop.\nAxiom classic : False.\nEnd Classical_Prop.\n"
    text += "Definition x := Classical_Prop.classic.\n"
    found = compile_coq({"A.v": text}, ["A.v"], ["A.x"])
    assert found.status is Status.REFUSED
    assert "Fltc.A.Classical_Prop.classic" in found.message
