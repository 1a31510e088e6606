"""docs/tutorial.md says what happens: its commands are carried out on the kernels that it shows."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from fltc.cli import main
from proofs.ptxas import ptxas

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/tutorial.md").read_text()
KERNELS = ROOT / "tests/ptx/tutorial"
NEEDS_CXX = pytest.mark.skipif(shutil.which("g++") is None, reason="not run here: needs g++, with which nvcc works")


def commands() -> dict[str, list[str]]:
    """The arguments of each command, by the file that it checks."""
    blocks = "".join(re.findall(r"```sh\n(.*?)```", TEXT, re.S)).replace("\\\n", " ")
    found = [shlex.split(line)[1:] for line in blocks.splitlines() if line.startswith("fltc check")]
    return {args[1]: args for args in found}


def test_the_faulty_kernel_gives_the_message_that_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(KERNELS)
    assert main([*commands()["reverse.ptx"], "--jobs", "1"]) == 1
    (shown,) = re.findall(r"```\n(obligation.*?)```", TEXT, re.S)
    out = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert out[: len(shown.splitlines())] == shown.splitlines()


def test_the_mended_kernel_is_proved(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(KERNELS)
    assert main([*commands()["reverse_mended.ptx"], "--jobs", "1"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert f"ends with `{last}`" in TEXT


@pytest.mark.parametrize("name", ["reverse.cu", "reverse_mended.cu"])
def test_the_kernels_are_those_of_the_text(name: str) -> None:
    source = (KERNELS / name).read_text()
    (shown,) = [b for b in re.findall(r"```cuda\n(.*?)```", TEXT, re.S) if ("__syncthreads" in b) == ("mended" in name)]
    assert shown.strip() in source


@NEEDS_CXX
@pytest.mark.parametrize("name", ["reverse", "reverse_mended"])
def test_the_ptx_is_what_the_command_of_the_text_writes(name: str, tmp_path: Path) -> None:
    (command,) = re.findall(r"^nvcc (.*)$", TEXT, re.M)
    shutil.copy(KERNELS / f"{name}.cu", tmp_path)
    arguments = shlex.split(command.replace("reverse.", f"{name}."))
    subprocess.run([ptxas().with_name("nvcc"), *arguments], cwd=tmp_path, check=True, timeout=100)
    written = (tmp_path / f"{name}.ptx").read_text().replace(f"{tmp_path}/", "")
    assert written == (KERNELS / f"{name}.ptx").read_text()


@NEEDS_CXX
def test_the_compiler_of_the_text_finds_the_headers_of_kernels(tmp_path: Path) -> None:
    headers = ("cuda_fp16.h", "cuda_bf16.h", "mma.h", "cuda_pipeline.h", "cooperative_groups.h")
    source = "".join(f"#include <{header}>\n" for header in headers) + "__global__ void k(__half *x) { x[0] = x[1]; }\n"
    (tmp_path / "k.cu").write_text(source)
    subprocess.run([ptxas().with_name("nvcc"), "-ptx", "-arch=sm_90", "k.cu"], cwd=tmp_path, check=True, timeout=100)
    assert ".entry _Z1kP6__half(" in (tmp_path / "k.ptx").read_text()
