"""CUDA sources as nvcc translates them (tests/ptx/corpus): correct ones are proved, planted bugs are named by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fltc.cli import main

CORPUS = Path(__file__).resolve().parents[1] / "ptx" / "corpus"
SAXPY = [
    "--names", "n,alpha,x,y", "--block", "256", "--grid", "ceil_div(n,256)", "--assume", "n >= 1 && n <= 2^31 - 1",
    "--buffer", "x=f32[n]:r", "--buffer", "y=f32[n]:rw",
]  # fmt: skip
REDUCE = [
    "--names", "in,out,n", "--block", "256", "--grid", "ceil_div(n,256)", "--assume", "n >= 1 && n <= 2^30",
    "--buffer", "in=f32[n]:r", "--buffer", "out=f32[ceil_div(n,256)]:w",
]  # fmt: skip


@pytest.mark.parametrize(("stem", "args"), [("saxpy", SAXPY), ("reduce", REDUCE)], ids=["saxpy", "reduce"])
def test_a_correct_kernel_is_proved(stem: str, args: list[str]) -> None:
    assert main(["check", str(CORPUS / f"{stem}.ptx"), *args]) == 0


@pytest.mark.parametrize(
    ("stem", "args", "obligation", "instruction"),
    [("saxpy_off", SAXPY, "bounds", "ld.global.f32"), ("reduce_race", REDUCE, "race", "ld.shared.f32")],
    ids=["guard off by one", "missing barrier"],
)
def test_a_planted_bug_is_refuted_at_its_source_line(
    stem: str, args: list[str], obligation: str, instruction: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    assert main(["check", str(CORPUS / f"{stem}.ptx"), *args, "--json", str(report)]) == 1
    refuted = [r for r in json.loads(report.read_text())["rows"] if r["verdict"] == "refuted"]
    assert [r["obligation"] for r in refuted] == [obligation]
    source = (CORPUS / f"{stem}.cu").read_text().splitlines()
    (guarded,) = [n for n, text in enumerate(source, 1) if "if (i <= n)" in text or "if (t < k)" in text]
    out = capsys.readouterr().out
    assert f"({stem}.cu:{guarded}): {instruction}" in out
    assert out.count("with n = ") == 1, "one counterexample in full, the others counted"
