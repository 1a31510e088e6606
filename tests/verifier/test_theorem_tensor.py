"""The audit of the theorems about the tensor core: edited and missing theories, smaller factors, and a missing coqc."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from proofs.numerics import theory
from spec import tensor_core
from tests.formal import needs_coq
from tests.verifier.tampering import ROOT
from verifier.audit import run_job
from verifier.theorem_tensor import DIGESTS, FACTORS, UNITS, check_tensor_core


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "proofs/coq", tmp_path / "proofs/coq")
    return tmp_path


def _messages(root: Path) -> str:
    return "\n".join(str(finding) for finding in check_tensor_core(root).findings)


def test_every_theory_is_reviewed() -> None:
    assert tuple(DIGESTS) == theory.TENSOR_CORE


def test_factors_are_those_of_the_contracts() -> None:
    for (kept, groups), units in FACTORS.items():
        assert tensor_core.kappa(kept, groups) * UNITS == units


def test_without_coqc_it_is_not_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    part = run_job(root, "library", "theorems")
    assert (part.findings, part.theorems, part.unasked, part.needs) == ([], 0, 1, "needs coqc")


@pytest.mark.parametrize("name", ["Rounding.v", *DIGESTS])
def test_an_edited_theory_is_noticed(root: Path, name: str) -> None:
    path = root / "proofs/coq" / name
    path.write_text(path.read_text() + "\n")
    words = "is not what was reviewed: verifier/theorem_tensor.py has another digest"
    assert f"proofs/coq/{name}: {words}" in _messages(root)
    path.unlink()
    assert f"proofs/coq/{name}: cannot be read" in _messages(root)


@needs_coq
def test_coqc_accepts_the_factors_and_no_smaller_one(root: Path) -> None:
    found = check_tensor_core(root)
    assert (found.findings, found.proved, found.not_run) == ([], 1, 0)
    smaller = check_tensor_core(root, {(24, 2): FACTORS[24, 2] - 1})
    assert smaller.proved == 0
    assert "coqc refuses Audit_.v" in str(smaller.findings[0])
