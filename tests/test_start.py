"""How the command line begins and ends: imports, interrupts, output that cannot be written, readers that go away."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from fltc.start import run

ROOT = Path(__file__).resolve().parent.parent


def test_an_interrupt_while_the_command_line_is_imported_exits_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "fltc.cli", Interrupted("fltc.cli"))
    assert run() == 130
    assert capsys.readouterr().err == "fltc: interrupted; files are either complete or untouched\n"


def test_the_entry_point_imports_nothing_heavy() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"] == {"fltc": "fltc.start:run"}
    code = "import sys; old = set(sys.modules); import fltc.start; print(*sorted(set(sys.modules) - old))"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(told.stdout.split()) - {"__future__"} == {"fltc", "fltc.start"}


@pytest.mark.parametrize("args", [["check", "k.ptx"], ["--help"]], ids=" ".join)
def test_output_without_room_is_one_message(tmp_path: Path, args: list[str]) -> None:
    (tmp_path / "k.ptx").write_text(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    with open("/dev/full", "w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "fltc", *args],
            cwd=tmp_path, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert told.returncode == 3
    assert told.stderr == "fltc: cannot write the output: No space left on device; make room, or write elsewhere\n"


def test_the_command_line_starts_without_numpy_and_solvers() -> None:
    program = (
        "import sys; from fltc.cli import main; main(['--help']); "
        "heavy = {'z3', 'cvc5', 'bitwuzla', 'cuda', 'numpy', 'hypothesis', 'proofs', 'verifier', 'backend'}; "
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_goes_away_is_no_verdict() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        process = subprocess.run([sys.executable, "-m", "fltc", "--help"], cwd=ROOT, stdout=writer, check=False)
    finally:
        os.close(writer)
    assert process.returncode == 141


def test_the_module_form_exits_with_the_code() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fltc", "nope"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "No such command" in done.stderr
