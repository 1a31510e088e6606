"""The audit of theorems about every length: edited theories and statements, missing theorems, and a missing coqc."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs.numerics.theorem_rmsnorm import code, sum_of_squares
from spec.operators import rmsnorm
from tests.formal import needs_coq
from tests.verifier.tampering import ROOT, Copy
from verifier import theorem_rmsnorm, theorem_silu, theorems
from verifier.audit import run_job
from verifier.findings import Unreadable
from verifier.manifest import Bundle, read_bundle, sha256
from verifier.theorem_rmsnorm import THEORIES, bound, depth, tree
from verifier.theorems import Theorems, check_theorems, strange

NAME = "rmsnorm_f16.numerics.v"


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copy:
    """What the audit finds in it, it finds without running a program."""
    monkeypatch.setenv("PATH", "/nowhere")
    return Copy(tmp_path, "rmsnorm")


def _found(copy: Copy) -> Theorems:
    bundle, findings = read_bundle(copy.root, "rmsnorm")
    assert isinstance(bundle, Bundle)
    assert not findings
    return check_theorems(copy.root, bundle)


def _messages(copy: Copy) -> str:
    return "\n".join(str(finding) for finding in _found(copy).findings)


def _renew(copy: Copy) -> None:
    """Mend the digest of what was compiled."""
    texts = [*((copy.root / "proofs/coq" / name).read_text() for name in THEORIES), copy.read(NAME)]
    inputs = sha256("".join(f"{sha256(text)}\n" for text in texts))
    copy.edit_manifest(lambda m: m["entries"]["rmsnorm_f16"]["theorem"].update(inputs=inputs))


def test_without_coqc_it_is_not_run(copy: Copy) -> None:
    found = _found(copy)
    assert (found.findings, found.proved, found.not_run, found.needs) == ([], 0, 1, "needs coqc")


def test_proved_needs_a_theorem(copy: Copy) -> None:
    def drop(manifest: dict[str, dict[str, dict[str, object]]]) -> None:
        del manifest["entries"]["rmsnorm_f16"]["theorem"]

    (copy.folder / NAME).unlink()
    copy.edit_manifest(drop)
    assert "rmsnorm_f16: numerics is called proved, but no theorem puts its lemmas together" in _messages(copy)


def test_an_open_theorem_proves_nothing(copy: Copy) -> None:
    copy.edit_manifest(lambda m: m["entries"]["rmsnorm_f16"]["theorem"].update(verdict="open"))
    assert "rmsnorm_f16: numerics is called proved, its theorem is open" in _messages(copy)


def test_an_edited_theory_is_noticed_with_its_digests_mended(copy: Copy) -> None:
    path = copy.root / "proofs/coq/Lengths.v"
    before = path.read_text()
    path.write_text(before.replace("<= bound * Rabs", "<= 2 * bound * Rabs", 1))
    assert path.read_text() != before
    _renew(copy)
    assert "proofs/coq/Lengths.v: is not what was reviewed: verifier/theorems.py has another digest" in _messages(copy)
    path.unlink()
    assert "proofs/coq/Lengths.v: cannot be read" in _messages(copy)


def test_an_edited_instance_is_noticed(copy: Copy) -> None:
    copy.edit_text(NAME, lambda text: text.replace("(8%nat", "(9%nat"))
    assert "it was compiled with other theories" in _messages(copy)


@pytest.mark.parametrize(
    "sentence",
    ["Axiom magic : False.", "Admitted.", "Load evil.", "Set Universe Polymorphism.", 'Redirect "x" Print nat.',
     "Global Unset Guard Checking.", "- admit.", "Declare ML Module \"x\".", "#[global] Axiom a : False.",
     "Local Definition obeys := True.", "Variable v : False.", "(* a *) Parameter p : False.",
     'Definition s := "(*"%string. Axiom hidden : False. Definition t := "*)"%string.',
     'Example a : True. Proof. exact I; idtac "(*". Qed. Axiom b : False. Example c : True. Proof. idtac "*)". Qed.'],
)  # fmt: skip
def test_other_sentences_are_noticed(copy: Copy, sentence: str) -> None:
    copy.edit_text(NAME, lambda text: text + sentence + "\n")
    _renew(copy)
    assert "a sentence of it is not expected there" in _messages(copy)


def test_rows_of_no_length_compare_no_order(copy: Copy) -> None:
    bundle, _ = read_bundle(copy.root, "rmsnorm")
    assert isinstance(bundle, Bundle)
    with pytest.raises(Unreadable, match="rows of no length"):
        theorem_rmsnorm.check_text(bundle.contracts["rmsnorm_f16"], "Contract_", [])


def test_the_shipped_instance_has_none() -> None:
    assert strange((ROOT / "proofs/artifacts/rmsnorm" / NAME).read_text()) == []


def test_an_operator_that_is_not_known_is_said(copy: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorems, "DEMANDS", {})
    assert "what a theorem of this operator must say is not known" in _messages(copy)


@pytest.mark.parametrize("columns", [1, 2, 7, 8, 9, 20, 2047, 2049, 4107])
def test_order_and_bound_are_those_of_the_operator(columns: int) -> None:
    assert tree(columns) == list(code(sum_of_squares(columns)))
    assert depth(columns) == rmsnorm.depth(columns)
    assert bound(depth(columns)) == rmsnorm.phi({"columns": columns})


@needs_coq
def test_coqc_accepts_the_theorem_of_silu_and_no_other_bound(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "silu")
    assert run_job(copy.root, "silu", "formal").theorems == 1
    name = "silu_f16.numerics.v"
    copy.edit_text(name, lambda text: text.replace("lambda : R := 67 /", "lambda : R := 68 /"))
    texts = [*((copy.root / "proofs/coq" / theory).read_text() for theory in theorem_silu.THEORIES), copy.read(name)]
    inputs = sha256("".join(f"{sha256(text)}\n" for text in texts))
    copy.edit_manifest(lambda m: m["entries"]["silu_f16"]["theorem"].update(inputs=inputs))
    assert "coqc refuses Audit_.v" in copy.messages("formal")


@needs_coq
def test_coqc_accepts_the_shipped_theorem_and_no_weaker_one(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "rmsnorm")
    found = _found(copy)
    assert (found.findings, found.proved) == ([], 1)
    copy.edit_text(NAME, lambda text: text.replace("-> binary16 w ->", "-> binary16 w -> w = 1%R ->").replace(
        "x w eps columns X W N E", "x w eps columns X W One N E"))  # fmt: skip
    _renew(copy)
    weaker = _found(copy)
    assert weaker.proved == 0
    assert "coqc refuses Audit_.v" in str(weaker.findings[0])
