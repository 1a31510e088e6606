"""The files around the code agree with each other: packages, targets, flags, grammar."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main

from fltc.cli import app
from fltc.commands.check import sizes
from proofs.results import SCHEMA, Report, Row
from proofs.verdict import Verdict
from spec.contracts.expr import parse_comparisons, parse_expr
from tests.test_layering import MAY_IMPORT

ROOT = Path(__file__).resolve().parent.parent
CHECK = (ROOT / "docs/check.md").read_text("utf-8")
TARGETS = (
    "install", "verify", "test", "campaign", "exhaust", "verify-fresh", "verify-gpu", "lint", "ptx", "artifacts",
    "audit", "report", "bench", "mutate", "clean", "help",
)  # fmt: skip


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def test_every_package_is_installed_and_no_test_is(project: dict[str, Any]) -> None:
    include = project["tool"]["setuptools"]["packages"]["find"]["include"]
    packages = {layer for layer in MAY_IMPORT if not layer.startswith("tests")}
    assert set(include) == packages | {f"{package}.*" for package in packages}


@pytest.mark.parametrize("package", sorted(layer for layer in MAY_IMPORT if "/" not in layer))
def test_every_folder_of_modules_is_a_package(package: str) -> None:
    folders = {path.parent for path in (ROOT / package).rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_distribution_is_private_and_pins_its_prover(project: dict[str, Any]) -> None:
    assert "Private :: Do Not Upload" in project["project"]["classifiers"]
    z3 = next(need for need in project["project"]["dependencies"] if need.startswith("z3-solver"))
    assert re.fullmatch(r"z3-solver==\d+(\.\d+)+", z3)


def test_the_compiler_and_all_that_it_includes_are_of_one_release(project: dict[str, Any]) -> None:
    needs = [need for need in project["project"]["dependencies"] if need.startswith("nvidia-")]
    parts = {need.partition("==")[0] for need in needs if re.fullmatch(r".*==13\.0\.\d+", need)}
    assert parts == {f"nvidia-{part}" for part in ("cuda-nvcc", "nvvm", "cuda-crt", "cuda-runtime", "cuda-cccl")}
    assert len(parts) == len(needs)


def test_make_help_lists_every_target() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {line.split()[1] for line in done.stdout.splitlines() if line.startswith("  make ")} == set(TARGETS)


@pytest.mark.parametrize("path", ["Makefile", ".ci/run", "README.md", "CONTRIBUTING.md"])
def test_named_targets_exist(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    named = re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)", text, re.MULTILINE)
    assert {a or b for a, b in named} <= set(TARGETS)


def test_links_of_the_documents_lead_somewhere() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
            assert (document.parent / link).exists(), f"{document.name} links to {link}"


def test_the_flags_of_check_are_documented_and_no_others() -> None:
    command = typer.main.get_command(app).commands["check"]  # type: ignore[attr-defined]
    flags = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
    usage = CHECK[CHECK.index("```") : CHECK.index("```", CHECK.index("```") + 3)]
    assert set(re.findall(r"--[a-z-]+", usage)) == flags - {"--help"}
    table = re.findall(r"^\| (`--.*?) \|", CHECK, re.MULTILINE)
    assert {flag for cell in table for flag in re.findall(r"--[a-z-]+", cell)} == flags - {"--help"}


def test_the_example_expressions_parse() -> None:
    examples = re.search(r"Examples: (.*?)\.\n\n", CHECK, re.DOTALL)
    assert examples is not None
    expressions = re.findall(r"`([^`]+)`", examples.group(1))
    assert len(expressions) >= 4
    for expression in expressions:
        parse_comparisons(expression)
    readme = re.findall(r'--assume "([^"]+)"', (ROOT / "README.md").read_text("utf-8"))
    for expression in readme:
        parse_comparisons(expression)
    assert sizes("--grid", "ceil_div(n, 256)", (9, 9, 9))[0] == "ceil_div(n, 256)"
    parse_expr("ceil_div(n, 256)")


def test_the_json_fields_are_documented() -> None:
    report = Report([Row("k", "race", Verdict.PROVED)]).to_json()
    section = CHECK[CHECK.index("## JSON") :]
    rows = report["rows"]
    assert isinstance(rows, list)
    for field in (*report, *rows[0]):
        assert f"`{field}`" in section
    assert SCHEMA in section
