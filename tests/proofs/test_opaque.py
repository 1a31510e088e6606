"""What counts as computing only a value: no opcode that touches memory or control, no operand that is an address."""

from __future__ import annotations

import pytest

from proofs.opaque import PURE, WHOLE_WARP, computes_a_value, opaque_notes, read, written
from spec.ptx.ast import Instr
from spec.ptx.isa import ROWS
from spec.ptx.parser import parse
from spec.ptx.row import CONTROL, MEMORY

# Moves and the carry flag have rows of another kind; mma is carried out by a warp together, and named as such.
COMPUTING = {"mov", "mma"}


def instruction(text: str) -> Instr:
    """One instruction of a kernel with some registers."""
    module = parse(f""".version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 t) {{
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .b128 %x<2>;
    .shared .b32 s[4];
    {text}
}}
""")
    (found,) = module.entries[0].instructions()
    return found


def test_no_row_of_memory_or_control_has_a_base_that_counts() -> None:
    assert {row.base for row in ROWS if row.kind in (MEMORY, CONTROL)} & (PURE | WHOLE_WARP) <= COMPUTING


@pytest.mark.parametrize(
    ("text", "writes", "reads"),
    [
        ("vadd.u32.u32.u32 %r1, %r2, %r3;", ("%r1",), ("%r2", "%r3")),
        ("vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", ("%r1",), ("%r2", "%r3", "%r4")),
        ("fns.b32 %r1, %r2, %r3, %r4;", ("%r1",), ("%r2", "%r3", "%r4")),
        ("lop3.xor.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;", ("%r1", "%p1"), ("%r2", "%r3", "%r4", "%p2")),
        ("mov.b128 %x0, {%d1, %d2};", ("%x0",), ("%d1", "%d2")),
        ("createpolicy.fractional.L2::evict_last.b64 %d1, 1.0;", ("%d1",), ()),
        ("cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;", ("%h1",), ("%f1", "%f2")),
        ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];", ("%f1", "%f2", "%f3", "%f4"),
         ("%d1", "%f5", "%f6")),
        ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6};", ("%d1", "%d2"),
         ("%d3", "%d4", "%d5", "%d6")),
    ],
)  # fmt: skip
def test_instructions_that_only_compute(text: str, writes: tuple[str, ...], reads: tuple[str, ...]) -> None:
    found = instruction(text)
    assert computes_a_value(found)
    assert written(found) == writes
    assert read(found) == reads


@pytest.mark.parametrize(
    "text",
    [
        "add.u32 %r1, %r2, %r3;",  # has a row
        "wgmma.fence.sync.aligned;",
        "alloca.u64 %d1, %d2;",
        "suld.b.1d.b32.trap %r1, [%d1, {%r2}];",
        "ldu.global.b32 %r1, [%d1];",
        "red.async.relaxed.cluster.global.add.u32 [%d1], %r1;",
        "mbarrier.init.shared.b64 [%d1], 1;",
        "stackrestore.u64 %d1;",
        "barrier.cluster.arrive;",
        "setmaxnreg.inc.sync.aligned.u32 64;",
    ],
)
def test_instructions_that_do_more(text: str) -> None:
    assert not computes_a_value(instruction(text))


def test_a_known_base_with_an_address_does_more() -> None:
    load = instruction("ldu.global.b32 %r1, [%d1];")
    assert not computes_a_value(Instr("add.noftz.global.f16", load.operands, line=1))


def test_the_note_names_line_and_opcode() -> None:
    module = parse(""".version 8.0
.target sm_80
.address_size 64
.visible .entry k() { .reg .b32 %r<4>;
    vadd.u32.u32.u32 %r1, 1, 2;
    ret; }
""")
    (note,) = opaque_notes(module.entries[0])
    assert note.startswith("PTX line 5: vadd.u32.u32.u32 is not in the instruction table")
