"""Mutated PTX through `fltc check`: a report or an error of the project, whatever the text. More: tests/fuzz_ptx.py."""

from __future__ import annotations

import pytest

from proofs.check.report import check
from proofs.check.request import CheckRequest
from proofs.verdict import Verdict
from tests.fuzz_ptx import checked, texts


@pytest.mark.parametrize("seed", range(4))
def test_mutated_kernels_end_in_a_report_or_an_error(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ptxas, which would refuse most of them."""
    monkeypatch.setattr("proofs.check.flags.assemble", lambda *args, **kwargs: None)
    seen = [checked(text) for text in texts(30, 1000 + seed)]
    assert any(seen), "some texts are kernels still"
    assert not all(seen)


HEAD = """.version 8.0
.target sm_80
.address_size 64 .func other(.param .b64 a) { ret; }
.visible .entry k(.param .u64 x, .param .u64 y)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %a<6>;
    .shared .align 16 .b8 tile[64];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, tile;
    ld.param.u64 %a0, [x];
    ld.param.u64 %a1, [y];
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("cp.async.ca.shared.global [%r1], [%a0], -1;", "-1 where 4 or 8 or 16 must stand"),
        ("cp.async.ca.shared.global [%r1], [%a0], 18446744073709551615;", "where 4 or 8 or 16 must stand"),
        ("cp.async.cg.shared.global [%r1], [%a0], 8;", "8 where 16 must stand"),
        ("cp.async.wait_group 65;", "wait_group 65: of 0 to 64 groups in flight the order is followed"),
        ("cp.async.wait_group -1;", "wait_group -1: of 0 to 64 groups in flight the order is followed"),
        ("brx.idx %r0;", "brx.idx takes a register and a list of targets"),
        ("{ .param .b64 out; st.param.b64 [out]; call other, (out); }", "st.param.b64 takes an address and a value"),
        (
            "{ .param .b64 out; st.param.b64beyond [out], %a0; call other, (out); }",
            "st.param.b64beyond is not in the instruction table",
        ),
        (
            "{ .param .b64 out; st.param.x4.b64 [out], %a0; call other, (out); }",
            "st.param.x4.b64 is not in the instruction table",
        ),
        ("ld.param.u64;", "ld.param.u64 without operands"),
        ("add.u64 %a2, %a0, %a1; add.u64 %a2, %a2, 5; ld.global.u32 %r2, [%a2];", "names no single buffer"),
        ("mul.lo.u64 %a2, %a0, 3; add.u64 %a2, %a2, 5; ld.global.u32 %r2, [%a2];", "names no single buffer"),
    ],
)  # fmt: skip
def test_what_mutated_texts_stopped_the_prover_with_is_named(
    body: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proofs.check.flags.assemble", lambda *args, **kwargs: None)
    text = f"{HEAD}    {body}\n    ret;\n}}\n"
    report = check(CheckRequest("k.ptx", text, block=(32, 1, 1), grid=(1, 1, 1)))
    assert {row.verdict for row in report.rows} == {Verdict.UNKNOWN}
    assert said in report.rows[0].detail
    assert "line 12" in report.rows[0].detail
