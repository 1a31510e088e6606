"""Every kernel has all its parts, and one that lacks a part is told which file to write."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from backend.kernels import ptx_path
from backend.ptx import load
from proofs.numerics.bundle import NAME as LIBRARY
from proofs.verify import verify_stem
from spec.contracts import STEMS, contracts_of
from spec.errors import BadInput, MissingPart
from spec.stems import optional_part, part
from tests.harness.run import run_diff
from verifier.numerics import STEPS

ROOT = Path(__file__).parents[1]

# package, what its module of a stem must hold
PARTS = [
    ("spec.contracts", "CONTRACTS"),
    ("backend.kernels", "emit"),
    ("proofs.refinement_cases", "CASES"),
    ("proofs.mutation.stems", "RULES"),
    ("proofs.mutation.stems", "EDITS"),
    ("tests.harness.stems", "sizes"),
    ("tests.harness.stems", "EXTRAS"),
    ("tests.harness.stems", "adverse"),
    ("tests.harness.stems", "LARGE"),
]
# The same, by the operator that a contract names: several stems may share one.
OPERATOR_PARTS = [("spec.operators", "OPERATOR"), ("proofs.numerics", "lemmas")]
HELPERS = {"__init__", "__main__", "model", "expr", "facts", "emit"}


@pytest.mark.parametrize(("package", "name"), PARTS)
@pytest.mark.parametrize("stem", STEMS)
def test_a_kernel_has_its_parts(stem: str, package: str, name: str) -> None:
    assert part(package, stem, name)


@pytest.mark.parametrize("stem", STEMS)
def test_a_kernel_ships_ptx_artifacts_and_the_parts_of_its_operators(stem: str) -> None:
    assert ptx_path(stem).is_file(), "run make ptx"
    assert (ROOT / f"proofs/artifacts/{stem}/manifest.json").is_file(), "run make artifacts"
    for contract in contracts_of(stem):
        assert contract.stem == stem
        for package, name in OPERATOR_PARTS:
            assert part(package, contract.operator, name)
        assert contract.operator in STEPS, f"verifier/numerics.py lists no lemmas of {contract.operator}"


FOLDERS = [
    "spec/contracts", "backend/kernels", "proofs/refinement_cases", "proofs/mutation/stems", "tests/harness/stems",
]


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_lies_in_the_folders_is_registered(folder: str) -> None:
    there = {path.stem for path in (ROOT / folder).glob("*.py")} - HELPERS
    assert there == set(STEMS), f"a kernel is registered in STEMS of spec/contracts/__init__.py; {folder} has {there}"


def test_what_ships_is_registered() -> None:
    assert {path.stem for path in (ROOT / "backend/ptx").glob("*.ptx")} == set(STEMS)
    assert {path.name for path in (ROOT / "proofs/artifacts").iterdir() if path.is_dir()} == {*STEMS, LIBRARY}


def test_a_missing_module_is_named_with_what_it_must_hold() -> None:
    with pytest.raises(MissingPart, match=r"gelu: there is no tests/harness/stems/gelu\.py; write it, with sizes"):
        part("tests.harness.stems", "gelu", "sizes")


def test_a_missing_name_is_told_with_its_file() -> None:
    with pytest.raises(MissingPart, match=r"silu: spec/contracts/silu\.py has no GEOMETRY"):
        part("spec.contracts", "silu", "GEOMETRY")


def test_an_optional_part_may_lack_its_file_but_not_its_name() -> None:
    assert optional_part("proofs.numerics", "gappa_gelu", "scripts") is None
    assert optional_part("proofs.numerics", "gappa_silu", "scripts")
    with pytest.raises(MissingPart, match=r"proofs/numerics/gappa_silu\.py has no script "):
        optional_part("proofs.numerics", "gappa_silu", "script")


def test_a_registered_kernel_without_ptx_is_told_what_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="no shipped kernel 'gelu'; have rmsnorm, silu"):
        load("gelu")
    monkeypatch.setattr("backend.ptx.STEMS", (*STEMS, "gelu"))
    with pytest.raises(MissingPart, match=r"there is no backend/ptx/gelu\.ptx; `make ptx` writes it"):
        load("gelu")


def test_a_failing_import_inside_a_part_is_not_a_missing_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/gelu.py").write_text("import a_package_that_nobody_has\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="a_package_that_nobody_has"):
        part("parts", "gelu", "CONTRACTS")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """SiLU as if three of its modules had not been written yet."""
    monkeypatch.setattr("proofs.verify.sources_digest", lambda root: "other sources than the stored ones")
    for name in ("proofs.numerics.silu", "proofs.refinement_cases.silu", "tests.harness.stems.silu"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))


@pytest.mark.usefixtures("without")
def test_a_kernel_without_lemmas_and_cases_is_unknown_there_and_proved_elsewhere() -> None:
    rows = {row.obligation: row for row in verify_stem(ROOT, "silu", fresh=False).rows}
    assert {name for name, row in rows.items() if row.verdict.value == "unknown"} == {"numerics", "refinement"}
    assert "proofs/numerics/silu.py has no lemmas" in rows["numerics"].detail
    assert "proofs/refinement_cases/silu.py has no CASES" in rows["refinement"].detail


@pytest.mark.usefixtures("without")
def test_a_kernel_unknown_to_the_harness_is_named() -> None:
    with pytest.raises(MissingPart, match=r"tests/harness/stems/silu\.py has no adverse"):
        run_diff("emulator", ["silu"])
