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
from verifier.findings import Finding, Grade
from verifier.library import PLACE, STEPS
from verifier.manifest import NAME

STEP = "numerics.mma-chain-step.smt2"
CONTROL = "numerics.mma-chain-step.control.smt2"
FEW = ("gamma-base", "mma-chain-base", "mma-chain-step")


class Shelf:
    """A copy of the library below a folder. `few`: only some lemmas, so that deciding them takes little."""

    def __init__(self, root: Path, few: bool) -> None:
        self.root, self.folder = root, root / PLACE
        shutil.copytree(ROOT / PLACE, self.folder)
        if few:
            for name in STEPS - set(FEW):
                for kind in ("", ".control"):
                    (self.folder / f"numerics.{name}{kind}.smt2").unlink()
            self.edit_manifest(lambda m: m.update(numerics=[n for n in m["numerics"] if n["name"] in FEW]))

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
        left_out = {f"lemma {name} is missing" for name in STEPS - set(FEW)}
        return "\n".join(str(f) for f in self.findings() if f.message not in left_out)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path, few=True)


def test_the_shipped_library_is_clean(tmp_path: Path) -> None:
    part = run_job(Shelf(tmp_path, few=False).root, "library", "lemmas")
    assert part.findings == []
    assert part.decided == 2 * len(STEPS)


def test_a_copy_with_few_lemmas_misses_the_others_and_nothing_else(shelf: Shelf) -> None:
    assert shelf.messages() == ""
    assert "lemma quotient-perturbed is missing" in "\n".join(map(str, shelf.findings()))


def test_a_library_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    (finding,) = run_job(tmp_path, "library", "lemmas").findings
    assert "missing: no lemma of any length" in str(finding)
    assert finding.grade is Grade.FALSE


@pytest.mark.parametrize("name", [STEP, CONTROL])
def test_changed_bytes_are_noticed(shelf: Shelf, name: str) -> None:
    shelf.edit(name, lambda text: text.replace("kappa", "kappb"))
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


def test_a_control_that_holds_is_decided(shelf: Shelf) -> None:
    claim = (shelf.folder / STEP).read_text().rpartition("(assert (not")[2]
    shelf.edit(CONTROL, lambda text: text.rpartition("(assert (not")[0] + "(assert (not" + claim)
    shelf.mend()
    assert f"{CONTROL}: must be sat, cvc5 says unsat" in shelf.messages()


def test_other_hypotheses_than_the_control_has_are_noticed(shelf: Shelf) -> None:
    shelf.edit(STEP, lambda text: text.replace("; the claim", "(assert (< E 1.0))\n; the claim"))
    shelf.mend()
    assert f"{CONTROL}: assumes something else than the lemma it controls" in shelf.messages()


def test_a_weaker_statement_is_noticed(tmp_path: Path) -> None:
    """True, with the right control and mended hashes, but it is not what the document puts together."""
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
