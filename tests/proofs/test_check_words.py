"""What a report of `fltc check` says of flags, of structures passed by value, and of what to do first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fltc.cli import main
from proofs.check.flags import problems
from proofs.check.open_claims import unbounded
from proofs.check.request import CheckRequest
from proofs.problem import DYNAMIC
from proofs.terms import LAUNCH, Symbol

FOLDER = Path(__file__).resolve().parents[1] / "ptx/small"
HEAD = ".version 7.8\n.target sm_80\n.address_size 64\n"
# x[i] += 1, without a guard.
ADD = """
.visible .entry add(.param .u64 x)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r4, [%rd3];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd3], %r4;
    ret;
}
"""
STRUCTURE = """
.visible .entry whole(.param .align 8 .b8 whole_param_0[24])
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [whole_param_0+16];
    ld.global.u32 %r1, [%rd1];
    ret;
}
"""
# Each thread of a block stores a word, a barrier waits for the first 256 of them, the word of the neighbour is loaded.
FIRST_256 = """
.extern .shared .align 4 .b8 s[];
.visible .entry few()
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p, %r1, 255;
    @%p bra DONE;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, s;
    add.u32 %r2, %r2, %r3;
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    ld.shared.u32 %r4, [s];
DONE:
    ret;
}
"""


def told(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *flags: str) -> tuple[str, dict[str, Any]]:
    """The printed report and the JSON report."""
    path, report = tmp_path / "a.ptx", tmp_path / "r.json"
    path.write_text(HEAD + text)
    assert main(["check", str(path), "--json", str(report), *flags]) in (0, 1, 2), capsys.readouterr().err
    return capsys.readouterr().out, json.loads(report.read_text())


@pytest.mark.parametrize(
    ("flags", "assumed"),
    [
        (["--block", "256", "--grid", "4"], ["the block is 256x1x1 (--block)", "the grid is 4x1x1 (--grid)"]),
        (["--block", "2*64,2"], ["the block is 128x2x1 (--block)"]),
        (["--grid", "4"], ["the grid is 4x1x1 (--grid)", "block.x is any size up to 1024"]),
    ],
)
def test_the_sizes_that_flags_fix_are_among_the_assumptions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], assumed: list[str]
) -> None:
    out, report = told(tmp_path, capsys, ADD, *flags)
    for text in assumed:
        assert f"  {text}\n" in out
        assert text in report["assumptions"]


def test_an_entry_with_a_structure_stops_no_other_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, report = told(tmp_path, capsys, STRUCTURE + ADD, "--block", "64", "--grid", "2")
    found = {(r["kernel"], r["obligation"]): r["verdict"] for r in report["rows"]}
    assert found["add", "race"] == "proved"
    assert {v for (kernel, _), v in found.items() if kernel == "whole"} == {"unknown"}
    said = (
        "it is made with byte 16 of p0 (PTX line 5); the parameter is a structure of 24 bytes; "
        "its fields have no names here"
    )
    assert out.count(said) == 1, "once for all obligations"


def test_a_structure_is_no_buffer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.ptx"
    path.write_text(HEAD + STRUCTURE)
    assert main(["check", str(path), "--buffer", "p0=u32[4]:r"]) == 3
    assert "p0: a pointer parameter has 64 bits, this is a structure of 24 bytes" in capsys.readouterr().err


def test_a_pointer_that_an_expression_names_is_said_to_be_a_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = told(tmp_path, capsys, ADD, "--assume", "x >= 5")
    said = "x is taken for a number, since --assume speaks of it; declare it with --buffer to make it a pointer"
    assert out.count(said) == 1
    assert max(map(len, out.splitlines())) < 500
    out, _ = told(tmp_path, capsys, ADD, "--grid", "x")
    assert "since --block or --grid speaks of it" in out


def test_the_refuted_comes_first_where_something_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, report = told(tmp_path, capsys, FIRST_256, "--assume", "dynamic_shared <= 2^20")
    rows = {r["obligation"]: r for r in report["rows"]}
    refuted = [kind for kind, row in rows.items() if row["verdict"] == "refuted"]
    assert "barrier" in refuted
    unknown = [row for row in rows.values() if row["verdict"] == "unknown"]
    assert unknown
    for row in unknown:
        assert row["detail"].startswith(f"mend what is refuted first ({', '.join(refuted)}): ")


def test_no_bound_is_proposed_that_holds_anyway() -> None:
    request = CheckRequest("a.ptx", HEAD + FIRST_256, assumes=(f"{DYNAMIC} <= 2^20",))
    (problem,) = problems(request)
    dynamic = problem.names[DYNAMIC].symbols()
    number = Symbol("n", "parameter", LAUNCH, 0, 2**32 - 1)
    assert unbounded(problem, [*dynamic, number]) == ["n"]


def test_a_launch_that_nobody_makes_is_shut_out_by_a_flag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    help_ = "help: if there is no such launch: fix the block's size: --block X[,Y,Z]"
    out, _ = told(tmp_path, capsys, FIRST_256)
    shown = out.partition("REFUTED few barrier")[2].partition("\nunknown")[0].partition("\nREFUTED")[0]
    assert help_ in shown
    out, _ = told(tmp_path, capsys, FIRST_256, "--block", "512")
    assert "REFUTED few barrier" in out
    assert help_ not in out
