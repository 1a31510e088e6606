"""The library as verify sees it: its row, its store, and what happens where a lemma fails."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from proofs.numerics import binary16, bundle
from proofs.numerics.binary16 import identities
from proofs.numerics.bundle import verify_library
from proofs.numerics.gappa import Script
from proofs.numerics.gappa_library import scripts
from proofs.numerics.gappa_obligation import Checked
from proofs.numerics.lemma import Lemma, at_most, given, lemma
from proofs.numerics.library import lemmas
from proofs.numerics.obligation import Decided
from proofs.results import Report
from proofs.store import MANIFEST, sealed
from proofs.verdict import Verdict
from proofs.verify import verify
from tests.formal import needs_both

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "proofs/artifacts/library"
STEP = "numerics.quotient-perturbed.smt2"


def _shipped() -> dict[str, str]:
    return {path.name: path.read_text() for path in SHIPPED.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(SHIPPED, tmp_path / "library")
    return tmp_path / "library"


@pytest.fixture
def nothing_decided(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the lemmas that a solver was asked about."""
    asked: list[str] = []

    def discharge(steps: list[Lemma]) -> list[Decided]:
        asked.extend(m.name for m in steps)
        return [Decided(m, "unsat", "sat") for m in steps]

    monkeypatch.setattr(bundle, "discharge", discharge)
    monkeypatch.setattr(binary16, "discharge", discharge)
    monkeypatch.setattr(bundle, "check", _as_shipped)
    return asked


def _as_shipped(steps: Sequence[Script], *_: object) -> list[Checked]:
    """Scripts with the proofs that are shipped, without Gappa and Coq."""
    proofs = [(SHIPPED / f"numerics.{s.name}.v").read_text() for s in steps]
    return [Checked(s, proof, Verdict.PROVED) for s, proof in zip(steps, proofs, strict=True)]


@needs_both
def test_deciding_everything_gives_the_shipped_files() -> None:
    found = verify_library(SHIPPED, fresh=True)
    assert found.files == _shipped()
    row, words, roundings = found.rows
    assert (roundings.obligation, roundings.verdict, roundings.claims) == ("roundings", Verdict.PROVED, len(scripts()))
    assert (words.obligation, words.verdict, words.claims) == ("identities", Verdict.PROVED, len(identities()))
    assert (row.kernel, row.obligation, row.verdict, row.source) == (
        "library", "numerics", Verdict.DERIVED, "decided now",
    )
    assert row.detail.startswith(f"{len(lemmas())} lemmas decided, put together over lengths by hand")
    assert row.claims == len(lemmas())


def test_the_store_is_taken_whole(folder: Path, nothing_decided: list[str]) -> None:
    found = verify_library(folder, fresh=False)
    assert nothing_decided == []
    assert found.rows[0].source == "taken from the store"
    assert found.files == _shipped()


def test_a_lemma_that_is_new_is_decided_and_no_other(folder: Path, nothing_decided: list[str]) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["numerics"] = [n for n in manifest["numerics"] if n["name"] != "quotient-perturbed"]
    (folder / MANIFEST).write_text(json.dumps(sealed(manifest)))
    found = verify_library(folder, fresh=False)
    assert nothing_decided == ["quotient-perturbed"]
    assert found.rows[0].source == "decided now"


def _edit_query(folder: Path) -> None:
    (folder / STEP).write_text((folder / STEP).read_text() + "; more\n")


def _drop_control(folder: Path) -> None:
    (folder / "numerics.quotient-perturbed.control.smt2").unlink()


def _edit_verdict(folder: Path) -> None:
    path = folder / MANIFEST
    path.write_text(path.read_text().replace('"derived"', '"proved"', 1))


def _edit_identity(folder: Path) -> None:
    path = folder / "binary16.f16-overflow.smt2"
    path.write_text(path.read_text().replace("#x477ff000", "#x477fe000"))


@pytest.mark.parametrize("edit", [_edit_query, _drop_control, _edit_verdict, _edit_identity])
def test_an_edited_store_is_not_used(
    folder: Path, nothing_decided: list[str], edit: Callable[[Path], None]
) -> None:
    edit(folder)
    found = verify_library(folder, fresh=False)
    assert nothing_decided == [m.name for m in (*lemmas(), *identities())]
    assert found.notes[0].startswith("library: the store was not used: ")
    assert found.files == _shipped()


def test_verdicts_that_were_not_reached_are_not_taken(folder: Path, nothing_decided: list[str]) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    for number, listed in enumerate([*manifest["numerics"], *manifest["binary16"]]):
        listed["verdict"] = ("unknown", "refuted", "Derived")[number % 3]
    (folder / MANIFEST).write_text(json.dumps(sealed(manifest)))
    verify_library(folder, fresh=False)
    assert nothing_decided == [m.name for m in (*lemmas(), *identities())]


def _with(monkeypatch: pytest.MonkeyPatch, folder: Path, claim: str, too_strong: str) -> Report:
    positive = (given("x is positive", "(< 0.0 x)"),)
    steps = [*lemmas(), lemma("added", "another", "x", positive, claim, too_strong)]
    monkeypatch.setattr(bundle, "lemmas", lambda: steps)
    return Report(verify_library(folder, fresh=False).rows)


def test_a_false_lemma_refutes_the_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _with(monkeypatch, folder, at_most("x", 1), at_most("x", 1))
    assert report.exit_code == 1
    assert report.rows[0].detail == "lemma added does not hold"
    assert report.rows[0].counterexample == {"lemmas": ["added"]}


def test_a_blunt_control_leaves_the_library_unknown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _with(monkeypatch, folder, at_most(0, "x"), at_most(-1, "x"))
    assert report.exit_code == 2
    assert "the negative control of lemma added follows too" in report.rows[0].detail


def test_verify_shows_the_library_and_writes_its_files(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "proofs/artifacts").mkdir(parents=True)
    folder.rename(tmp_path / "proofs/artifacts/library")
    (tmp_path / "proofs/artifacts/library" / STEP).unlink()
    report = verify(tmp_path, ["library"], 1, False, "local", lambda done, total, what: None)
    assert {row.kernel for row in report.rows} == {"library"}
    assert {row.obligation for row in report.rows} >= {"numerics", "identities"}
    assert report.exit_code == 0
    assert (tmp_path / "proofs/artifacts/library" / STEP).read_text() == (SHIPPED / STEP).read_text()
