"""Imports only go down: which package may import which, read from the syntax tree of every module."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

OURS = ("common", "spec", "backend", "proofs", "verifier", "tests", "fltc")

# layer -> what it may import besides the standard library and itself. `tests` outside the harness may import all.
MAY_IMPORT: dict[str, frozenset[str]] = {
    "common": frozenset(),
    "spec": frozenset({"numpy"}),
    "backend": frozenset({"common", "spec", "numpy", "cuda", "torch"}),
    "proofs": frozenset({"common", "spec", "numpy", "z3", "bitwuzla", "distributed"}),
    "verifier": frozenset({"cvc5", "bitwuzla"}),
    "tests/harness": frozenset({"common", "spec", "backend", "numpy", "hypothesis"}),
    "fltc": frozenset({"common", "spec", "backend", "proofs", "verifier", "tests", "typer", "rich", "click", "jinja2"}),
}

# What a module of fltc may import before a command runs. Everything else is imported inside the function that needs it.
FLTC_AT_TOP = ("fltc", "common", "spec.errors", "typer", "rich", "click")

# spec computes; it neither reads files nor starts programs.
NO_IO = frozenset({"os", "io", "pathlib", "shutil", "socket", "subprocess", "tempfile", "urllib", "sqlite3", "mmap"})

# These commands run where no solver is installed.
SOLVER_FREE_COMMANDS = ("diff", "bench", "probe")
SOLVERS = frozenset({"z3", "cvc5", "bitwuzla", "proofs", "verifier"})


@dataclass(frozen=True)
class Import:
    module: str
    line: int
    at_top: bool

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]


def imports(tree: ast.Module) -> Iterator[Import]:
    """Every import, with whether it runs when the module is imported; those for type checkers only are left out."""

    def walk(node: ast.AST, at_top: bool) -> Iterator[Import]:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for branch in node.orelse:
                yield from walk(branch, at_top)
            return
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, at_top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import; write the full name"
            assert node.module is not None
            submodules = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (Import(name, node.lineno, at_top) for name in submodules)
        inside = at_top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, inside)

    return walk(tree, True)


def type_imports(tree: ast.Module) -> Iterator[Import]:
    """Imports under `if TYPE_CHECKING`: harmless at run time, still subject to the layers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            yield from imports(ast.Module(body=node.body, type_ignores=[]))


def layer_of(path: Path) -> str | None:
    parts = path.relative_to(ROOT).parts
    if parts[0] != "tests":
        return parts[0]
    return "tests/harness" if parts[1] == "harness" else None


def layer_faults(layer: str, tree: ast.Module) -> list[str]:
    own = "tests.harness" if layer == "tests/harness" else layer
    allowed = MAY_IMPORT[layer]
    faults = []
    for imp in (*imports(tree), *type_imports(tree)):
        if imp.module == own or imp.module.startswith(own + "."):
            continue
        if imp.package in sys.stdlib_module_names:
            if layer == "spec" and imp.package in NO_IO:
                faults.append(f"line {imp.line}: spec does no I/O, but imports {imp.package}")
        elif imp.package not in allowed:
            faults.append(f"line {imp.line}: {layer} may not import {imp.module}")
    if layer == "spec":
        faults += [
            f"line {node.lineno}: spec does no I/O, but calls open()"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open"
        ]
    return faults


def eager_faults(tree: ast.Module) -> list[str]:
    """Imports of an fltc module that should wait until the command runs."""
    return [
        f"line {imp.line}: fltc imports {imp.module} before a command runs; import it in the function that needs it"
        for imp in imports(tree)
        if imp.at_top
        and imp.package not in sys.stdlib_module_names
        and not any(imp.module == name or imp.module.startswith(name + ".") for name in FLTC_AT_TOP)
    ]


def modules() -> list[Path]:
    return sorted(path for package in OURS for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_only_go_down(path: Path) -> None:
    layer = layer_of(path)
    if layer is None:
        list(imports(ast.parse(path.read_text())))  # tests may import all, but not relatively
        return
    assert layer_faults(layer, ast.parse(path.read_text())) == []


@pytest.mark.parametrize("path", sorted((ROOT / "fltc").rglob("*.py")), ids=name_of)
def test_the_command_line_imports_lazily(path: Path) -> None:
    assert eager_faults(ast.parse(path.read_text())) == []


@pytest.mark.parametrize("package", OURS)
def test_every_package_was_looked_at(package: str) -> None:
    assert any(path.relative_to(ROOT).parts[0] == package for path in modules())


@pytest.mark.parametrize("command", SOLVER_FREE_COMMANDS)
def test_commands_without_a_solver_reach_no_solver(command: str) -> None:
    """The packages these commands name lead, by the table above, to no z3, cvc5 or bitwuzla."""
    tree = ast.parse((ROOT / "fltc/commands" / f"{command}.py").read_text())
    reached = {imp.package for imp in imports(tree)}
    assert not reached & SOLVERS
    if "tests" in reached:
        assert all(imp.module.startswith("tests.harness") for imp in imports(tree) if imp.package == "tests")


def solvers_of_gpu_tests(tree: ast.Module) -> set[str]:
    """What a module with tests marked `gpu` imports and must not: solvers, and packages that hold them."""
    marked = any(ast.unparse(node) == "pytest.mark.gpu" for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {imp.package for imp in imports(tree)} & SOLVERS if marked else set()


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=name_of)
def test_gpu_tests_and_shared_fixtures_need_no_solver(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert solvers_of_gpu_tests(tree) == set()
    if path.name == "conftest.py":
        assert not {imp.package for imp in imports(tree)} & SOLVERS


def test_a_solver_in_a_gpu_test_is_seen() -> None:
    source = "import pytest\nimport proofs.terms\n@pytest.mark.gpu\ndef test_x():\n    import z3"
    assert solvers_of_gpu_tests(ast.parse(source)) == {"proofs", "z3"}


@pytest.mark.parametrize("layer", ["spec", "backend", "common", "tests/harness"])
def test_the_table_keeps_solvers_out_of_the_device_path(layer: str) -> None:
    assert not MAY_IMPORT[layer] & SOLVERS


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("spec", "import z3"),
        ("spec", "def f():\n    import z3"),
        ("spec", "from cuda.bindings import driver"),
        ("spec", "import pathlib"),
        ("spec", "def f(p):\n    return open(p).read()"),
        ("spec", "import backend.ptx"),
        ("backend", "from proofs.verdict import Verdict"),
        ("backend", "import z3"),
        ("proofs", "import backend"),
        ("proofs", "import cvc5"),
        ("verifier", "from spec.errors import BadInput"),
        ("verifier", "import z3"),
        ("verifier", "import numpy"),
        ("verifier", "from common.files import write_atomic"),
        ("verifier", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import spec"),
        ("common", "import spec"),
        ("tests/harness", "import proofs"),
        ("tests/harness", "import tests.test_layering"),
    ],
)
def test_a_forbidden_import_is_seen(layer: str, source: str) -> None:
    assert layer_faults(layer, ast.parse(source)) != []


@pytest.mark.parametrize("source", ["import numpy", "import proofs.verify", "if True:\n    import z3"])
def test_an_eager_import_is_seen(source: str) -> None:
    assert eager_faults(ast.parse(source)) != []


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    import numpy",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import proofs",
        "import typer",
    ],
)
def test_a_lazy_import_is_allowed(source: str) -> None:
    assert eager_faults(ast.parse(source)) == []


def test_a_relative_import_is_seen() -> None:
    with pytest.raises(AssertionError, match="relative import"):
        list(imports(ast.parse("from . import x")))
