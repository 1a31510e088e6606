"""Attacks on the library of lemmas, hashes mended unless said otherwise: each must be found, and for what it is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.verifier.tampering import ROOT, sha256, to_text, without
from verifier.audit import run_job
from verifier.binary16 import show
from verifier.findings import Finding, Grade
from verifier.library import IDENTITIES, PLACE, STEPS
from verifier.manifest import NAME
from verifier.sexpr import read_all

STEP = "numerics.mma-chain-step.smt2"
CONTROL = "numerics.mma-chain-step.control.smt2"
FEW = {"numerics": ("gamma-base", "mma-chain-base", "mma-chain-step"), "binary16": ("f16-round-trip", "f16-mul-once")}
LEFT_OUT = {"numerics": STEPS - set(FEW["numerics"]), "binary16": IDENTITIES - set(FEW["binary16"])}
TRIP = "binary16.f16-round-trip.smt2"
PRODUCT = "binary16.f16-mul-once.smt2"


class Shelf:
    """A copy of the library below a folder. `few`: only some lemmas, so that deciding them takes little."""

    def __init__(self, root: Path, few: bool) -> None:
        self.root, self.folder = root, root / PLACE
        shutil.copytree(ROOT / PLACE, self.folder)
        if few:
            for part, names in LEFT_OUT.items():
                for name in names:
                    for kind in ("", ".control"):
                        (self.folder / f"{part}.{name}{kind}.smt2").unlink()
            self.edit_manifest(lambda m: m.update({k: [n for n in m[k] if n["name"] in FEW[k]] for k in FEW}))

    def manifest(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((self.folder / NAME).read_text())
        return data

    def edit_manifest(self, change: Callable[[dict[str, Any]], object]) -> None:
        data = self.manifest()
        change(data)
        (self.folder / NAME).write_text(to_text(data))
        self.mend()

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        before = (self.folder / name).read_text()
        after = change(before)
        assert after != before
        (self.folder / name).write_text(after)

    def mend(self) -> None:
        """Make every hash of the manifest, and its seal, fit the files."""
        data = self.manifest()
        files = {p.name: sha256(p.read_text()) for p in sorted(self.folder.iterdir()) if p.name != NAME}
        body = {**{k: v for k, v in data.items() if k != "seal"}, "files": files}
        (self.folder / NAME).write_text(to_text({**body, "seal": sha256(to_text(body))}))

    def findings(self) -> list[Finding]:
        return run_job(self.root, "library", "lemmas").findings

    def messages(self) -> str:
        """All findings but those about lemmas that this copy leaves out."""
        left_out = {f"lemma {name} is missing" for names in LEFT_OUT.values() for name in names}
        return "\n".join(str(f) for f in self.findings() if f.message not in left_out)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path, few=True)


def test_the_shipped_library_is_clean(tmp_path: Path) -> None:
    part = run_job(Shelf(tmp_path, few=False).root, "library", "lemmas")
    assert part.findings == []
    assert part.decided == 2 * (len(STEPS) + len(IDENTITIES))


def test_a_copy_with_few_lemmas_misses_the_others_and_nothing_else(shelf: Shelf) -> None:
    assert shelf.messages() == ""
    assert "lemma quotient-perturbed is missing" in "\n".join(map(str, shelf.findings()))


def test_a_library_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    (finding,) = run_job(tmp_path, "library", "lemmas").findings
    assert "missing: no lemma of any length" in str(finding)
    assert finding.grade is Grade.FALSE


@pytest.mark.parametrize("name", [STEP, CONTROL, TRIP])
def test_changed_bytes_are_noticed(shelf: Shelf, name: str) -> None:
    shelf.edit(name, lambda text: text.replace("set-logic", "set-logic "))
    assert f"{name}: its bytes are not those that the manifest's sha256 names" in shelf.messages()


def test_an_edited_manifest_is_noticed(shelf: Shelf) -> None:
    shelf.edit(NAME, lambda text: text.replace("z3", "z4"))
    (finding,) = shelf.findings()
    assert "the seal does not match" in str(finding)
    assert finding.grade is Grade.UNREADABLE


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 1}', '{"a": 1, "a": 2}'])
def test_what_is_no_manifest_cannot_be_read(shelf: Shelf, text: str) -> None:
    (shelf.folder / NAME).write_text(text)
    (finding,) = shelf.findings()
    assert finding.grade is Grade.UNREADABLE


def test_a_false_lemma_is_decided(shelf: Shelf) -> None:
    shelf.edit(STEP, lambda text: text.replace("(+ E (* kappa", "(+ E (* 0.5 kappa"))
    shelf.mend()
    assert f"{STEP}: must be unsat, cvc5 says sat" in shelf.messages()


def test_one_symbol_that_reads_like_two_declarations_is_another_statement() -> None:
    two = "(declare-const a Real) (declare-const b Real)"
    one = "(declare-const |a Real) (declare-const b| Real)"
    assert [" ".join(map(show, read_all(text, "x"))) for text in (two, one)] == [two, one]


def test_what_is_nested_too_deep_to_compare_is_a_finding(shelf: Shelf) -> None:
    deep = 2 * 400
    shelf.edit(TRIP, lambda text: text.replace("(assert (not ", f"(assert (not {'(not ' * deep}").replace(
        "))\n(check-sat)", f"{')' * deep}))\n(check-sat)"))  # fmt: skip
    shelf.mend()
    (finding,) = shelf.findings()
    assert "the artifacts do not fit together (lemmas): RecursionError" in str(finding)


def test_a_control_that_holds_is_decided(shelf: Shelf) -> None:
    claim = (shelf.folder / STEP).read_text().rpartition("(assert (not")[2]
    shelf.edit(CONTROL, lambda text: text.rpartition("(assert (not")[0] + "(assert (not" + claim)
    shelf.mend()
    assert f"{CONTROL}: must be sat, cvc5 says unsat" in shelf.messages()


def test_other_hypotheses_than_the_control_has_are_noticed(shelf: Shelf) -> None:
    shelf.edit(STEP, lambda text: text.replace("; the claim", "(assert (< E 1.0))\n; the claim"))
    shelf.mend()
    assert f"{CONTROL}: assumes something else than the lemma it controls" in shelf.messages()


def test_a_weaker_statement_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """True, with the right control and mended hashes, but it is not what the document puts together."""
    monkeypatch.setattr("verifier.library.check_lemma", lambda folder, texts, lemma: [])
    monkeypatch.setattr("verifier.library.check_identity", lambda folder, texts, lemma: [])
    shelf = Shelf(tmp_path, few=False)
    name = "numerics.telescoping-base.smt2"
    shelf.edit(name, lambda text: text.replace("(not (= D (- m m0)))", "(not (<= D (- m m0)))"))
    shelf.mend()
    (finding,) = shelf.findings()
    assert "the lemmas do not say what was reviewed" in str(finding)


def test_names_that_do_not_belong_are_noticed(shelf: Shelf) -> None:
    shelf.edit_manifest(lambda m: without(m["numerics"], name="gamma-base"))
    messages = shelf.messages()
    assert "lemma gamma-base is missing" in messages
    assert "numerics.gamma-base.smt2: listed in manifest.json, but it belongs to no lemma" in messages
    shelf.edit_manifest(lambda m: m["numerics"].append(m["numerics"][0]))
    assert "stands there more than once" in shelf.messages()
    shelf.edit_manifest(lambda m: m["numerics"][0].update(name="mma-chain-stop"))
    messages = shelf.messages()
    assert "lemma mma-chain-stop is not known" in messages
    assert "lemma mma-chain-stop has no file numerics.mma-chain-stop.smt2" in messages


def test_files_that_do_not_belong_are_noticed(shelf: Shelf) -> None:
    (shelf.folder / "more.smt2").write_text("(check-sat)\n")
    assert "more.smt2: not listed" in shelf.messages()
    (shelf.folder / STEP).unlink()
    assert f"{STEP}: missing, but listed" in shelf.messages()


def test_a_query_that_asks_several_things_cannot_be_read(shelf: Shelf) -> None:
    shelf.edit(STEP, lambda text: text + "(check-sat)\n")
    shelf.mend()
    assert any(f.grade is Grade.UNREADABLE and STEP in str(f) for f in shelf.findings())


# --- identities ---
def test_a_false_identity_is_decided(shelf: Shelf) -> None:
    shelf.edit(TRIP, lambda text: text.replace("(not (= ((", "(not (= (fp.neg ((").replace("RNE a)) a)", "RNE a))) a)"))
    shelf.mend()
    assert f"{TRIP}: must be unsat, cvc5 says sat" in shelf.messages()


def test_a_product_with_another_rounding_is_not_taken_for_the_one_that_is_decided_in_parts(shelf: Shelf) -> None:
    shelf.edit(PRODUCT, lambda text: text.replace("(fp.mul RNE a b)", "(fp.mul RTZ a b)"))
    shelf.mend()
    assert f"{PRODUCT}: must be unsat, cvc5 says sat" in shelf.messages()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (TRIP, "QF_BVFP", "QF_NRA"),
        (TRIP, "Float16", "Real"),
        (TRIP, "(check-sat)", "(reset)\n(check-sat)"),
        (TRIP, "(assert (not", "(assert (and"),
        (TRIP, "(_ to_fp 5 11) RNE", "(_ to_fp 4 4) RNE"),
        (STEP, "(* kappa", "(bvmul kappa"),
    ],
)
def test_a_query_of_another_form_cannot_be_read(shelf: Shelf, name: str, old: str, new: str) -> None:
    shelf.edit(name, lambda text: text.replace(old, new))
    shelf.mend()
    assert any(f.grade is Grade.UNREADABLE and name in str(f) for f in shelf.findings())


def test_an_identity_under_a_hypothesis_does_not_fit_its_control(shelf: Shelf) -> None:
    shelf.edit(TRIP, lambda text: text.replace("; the claim", "(assert (fp.isNormal a))\n; the claim"))
    shelf.mend()
    assert "assumes something else than the identity it controls" in shelf.messages()


def test_an_identity_that_is_missing_is_named(shelf: Shelf) -> None:
    shelf.edit_manifest(lambda m: without(m["binary16"], name="f16-round-trip"))
    assert "lemma f16-round-trip is missing" in shelf.messages()
    shelf.edit_manifest(lambda m: m["binary16"][0].update(file=STEP))
    assert "identity f16-mul-once has no file binary16.f16-mul-once.smt2" in shelf.messages()
