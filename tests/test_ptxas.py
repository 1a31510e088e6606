"""The assembler wrapper reports what ptxas says and refuses what ptxas refuses."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from fltc.cli import main
from proofs import ptxas
from spec.errors import AssemblerRefused, BadInput, ToolMissing

HEAD = ".version 7.8\n.target sm_89\n.address_size 64\n"
TWO_ENTRIES = (
    HEAD
    + """
.visible .entry empty() { ret; }
.visible .entry shares(.param .u64 y)
.reqntid 32, 1, 1
{
    .reg .u64 %y;
    .reg .u32 %t, %at;
    .reg .f32 %v;
    .shared .align 4 .f32 s[32];
    mov.u32 %t, %tid.x;
    shl.b32 %at, %t, 2;
    mov.u32 %t, s;
    add.u32 %at, %at, %t;
    ld.param.u64 %y, [y];
    ld.global.f32 %v, [%y];
    st.shared.f32 [%at], %v;
    bar.sync 0;
    ld.shared.f32 %v, [s+4];
    st.global.f32 [%y], %v;
    ret;
}
"""
)
LOCAL = (
    HEAD
    + """
.visible .entry keeps(.param .u64 y, .param .u32 i, .param .u32 j)
{
    .reg .u64 %y, %to, %from, %offset;
    .reg .u32 %i, %j, %v;
    .local .align 4 .u32 kept[64];
    ld.param.u64 %y, [y];
    ld.param.u32 %i, [i];
    ld.param.u32 %j, [j];
    mov.u64 %to, kept;
    mul.wide.u32 %offset, %j, 4;
    add.u64 %from, %to, %offset;
    mul.wide.u32 %offset, %i, 4;
    add.u64 %to, %to, %offset;
    st.local.u32 [%to], 7;
    ld.local.u32 %v, [%from];
    st.global.u32 [%y], %v;
    ret;
}
"""
)


@pytest.mark.parametrize("arch", ptxas.SHIPPED_ARCHITECTURES)
def test_resources_of_each_entry(arch: str) -> None:
    assembly = ptxas.assemble(TWO_ENTRIES, arch)
    assert set(assembly.entries) == {"empty", "shares"}
    empty, shares = assembly.entries["empty"], assembly.entries["shares"]
    assert (empty.static_shared, shares.static_shared) == (0, 128)
    assert 0 < empty.code_bytes < shares.code_bytes
    assert shares.code_bytes % 16 == 0, "an instruction has 16 bytes"
    assert shares.registers >= 4
    assert shares.spill_bytes == shares.stack_bytes == 0
    assert assembly.cubin.startswith(b"\x7fELF")


def test_stack_is_seen() -> None:
    resources = ptxas.assemble(LOCAL, "sm_89").entries["keeps"]
    assert resources.stack_bytes >= 256


def test_refusal_carries_the_message_and_the_name() -> None:
    with pytest.raises(AssemblerRefused, match=r"my\.ptx(.|\n)*line 5(.|\n)*frobnicate"):
        ptxas.assemble(HEAD + ".visible .entry e() {\n frobnicate.u32 1; ret; }\n", "sm_89", name="my.ptx")


def test_refusal_for_an_older_architecture() -> None:
    with pytest.raises(AssemblerRefused, match="sm_80"):
        ptxas.assemble(TWO_ENTRIES, "sm_80")


@pytest.mark.parametrize(
    ("target", "taken"),
    [("sm_20", "sm_75"), ("sm_70", "sm_75"), ("sm_75", "sm_75"), ("sm_89", "sm_89"), ("sm_90a", "sm_90a"),
     ("sm_100f", "sm_100f"), ("sm_120", "sm_120")],
)  # fmt: skip
def test_targets_that_ptxas_no_longer_knows_are_assembled_for_the_oldest_one(target: str, taken: str) -> None:
    assert ptxas.architecture_for(target) == taken


def test_the_oldest_architecture_is_the_oldest_that_ptxas_knows() -> None:
    text = TWO_ENTRIES.replace("sm_89", "sm_70")
    assert ptxas.assemble(text, ptxas.OLDEST_ARCHITECTURE).entries
    with pytest.raises(AssemblerRefused, match="sm_74"):
        ptxas.assemble(text, "sm_74")


def test_not_an_architecture() -> None:
    with pytest.raises(BadInput, match="sm_89"):
        ptxas.assemble(TWO_ENTRIES, "sm_89 --output-file=/x")


def test_version_is_the_pinned_one() -> None:
    assert re.search(r"release 13\.0", ptxas.version())


@pytest.mark.parametrize("there", [False, True], ids=["deleted", "cannot-be-run"])
def test_a_package_that_lost_its_program_is_a_missing_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], there: bool
) -> None:
    program = tmp_path / "bin/ptxas"
    if there:
        program.parent.mkdir()
        program.write_text("")
        program.chmod(0o644)
    listed = SimpleNamespace(parts=("cu13", "bin", "ptxas"), locate=lambda: program)
    monkeypatch.setattr("importlib.metadata.files", lambda _: [listed])
    monkeypatch.setattr(ptxas, "ptxas", ptxas.ptxas.__wrapped__)
    with pytest.raises(ToolMissing, match=r"bin/ptxas is missing or cannot be run: install it again: pip install"):
        ptxas.assemble(TWO_ENTRIES, "sm_89")
    source = tmp_path / "k.ptx"
    source.write_text(TWO_ENTRIES)
    assert main(["check", str(source)]) == 3
    err = capsys.readouterr().err
    assert err.startswith(f"fltc: {program} is missing")
    assert err.count("\n") == 1
