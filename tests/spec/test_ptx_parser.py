"""The PTX parser and printer: parse -> print -> parse, and what the tree says."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spec.ptx.ast import (
    AddressOf,
    FloatImm,
    Function,
    Half,
    Imm,
    Instr,
    Label,
    Mem,
    Not,
    Operand,
    Pair,
    Param,
    ParenList,
    Prototype,
    Reg,
    Sink,
    SourceLoc,
    Special,
    Sym,
    Vec,
)
from spec.ptx.parser import parse
from spec.ptx.parser_body import MOST_CALLS
from spec.ptx.printer import print_instr, print_module, strip_lines

SAMPLES = sorted((Path(__file__).parents[1] / "ptx" / "parser").glob("*.ptx"))
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


def kernel(statements: str, before: str = "") -> Function:
    declarations = ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .pred p, q;"
    text = f"{HEAD}{before}\n.entry k(.param .u64 n)\n{{\n{declarations}\n{statements}\n}}\n"
    return parse(text).entry("k")


def only(statement: str, before: str = "") -> Instr:
    (instr,) = kernel(statement, before).instructions()
    return instr


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_printed_text_reads_as_the_same_module(path: Path) -> None:
    module = parse(path.read_text(encoding="ascii"), name=path.name)
    printed = print_module(module)
    again = parse(printed)
    assert strip_lines(again) == strip_lines(module)
    assert print_module(again) == printed


def test_there_are_samples() -> None:
    assert {path.stem for path in SAMPLES} >= {"features", "nvcc_style", "triton_style"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", 31),
        ("0b101", 5),
        ("017", 15),
        ("7U", 7),
        ("-1", -1),
        ("18446744073709551615", (1 << 64) - 1),
        ("1 + 2 * 3 - 4", 3),
        ("(1 + 2) * 3", 9),
        ("-7 / 2", -3),
        ("7 % 4", 3),
        ("-1 % 16", 15),  # % works on .u64, PTX ISA 4.5.6
        ("~0", (1 << 64) - 1),
        ("!0 + !5", 1),
        ("1 << 63", -(1 << 63)),
        ("1U << 63", 1 << 63),
        ("-8 >> 1", -4),
        ("1 << 64", 0),
        ("-1 >> 200", -1),
        ("-1 < 1U", 0),  # the usual conversions make both .u64
        ("-1 < 1", 1),
        ("(.s64) 0xFFFFFFFFFFFFFFFF", -1),
        ("(.u64) -1", (1 << 64) - 1),
        ("6 & 3 | 8 ^ 1", 11),
        ("1 && 0 || 2", 1),
        ("0 ? 1 : 2 ? 3 : 4", 3),
        ("9223372036854775807 + 1", -(1 << 63)),
        ("2.5 > 1.0", 1),
        ("WARP_SZ - 1", 31),
        ("WARP_SZ ? WARP_SZ : 3", 32),
    ],
)
def test_integer_expressions_fold(text: str, value: int) -> None:
    instr = only(f"mov.b64 %rd1, {text};")
    assert instr.operands[1] == Imm(value)
    assert only(print_instr(instr)).operands[1] == Imm(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("1e-2", 0.01), ("-2.5E+1", -25.0), ("0d3FF8000000000000", 1.5),
     ("1.0 + 2.0 * 3.0", 7.0), ("1.0 / 4.0 - 1.0", -0.75), ("1 ? 2.0 : 3.0", 2.0), ("-0.0", -0.0)],
)  # fmt: skip
def test_double_expressions_fold(text: str, value: float) -> None:
    assert only(f"mov.f32 %f1, {text};").operands[1] == FloatImm(struct.unpack(">Q", struct.pack(">d", value))[0], 64)


@pytest.mark.parametrize("bits", [0, 0x80000000, 0x7FC00001, 0xFF800000])
def test_single_literals_keep_their_bits(bits: int) -> None:
    assert only(f"mov.f32 %f1, 0f{bits:08x};").operands[1] == FloatImm(bits, 32)


P, Q, R1, R2, RD = Reg("p"), Reg("q"), Reg("%r1"), Reg("%r2"), Reg("%rd1")


@pytest.mark.parametrize(
    ("statement", "operands"),
    [
        ("mov.u32 %r1, %tid.x;", (R1, Special("%tid.x"))),
        ("mov.u32 %r1, %envreg31;", (R1, Special("%envreg31"))),
        ("mov.u32 %r1, WARP_SZ;", (R1, Special("WARP_SZ"))),
        ("mov.u64 %rd1, v;", (RD, Sym("v"))),
        ("mov.u64 %rd1, v+-4;", (RD, Sym("v", -4))),
        ("mov.u64 %rd1, f;", (RD, Sym("f"))),
        ("ld.global.u32 %r1, [%rd1];", (R1, Mem(RD))),
        ("ld.global.u32 %r1, [ %rd1 + 0 ];", (R1, Mem(RD))),
        ("ld.global.u32 %r1, [%rd1+-8];", (R1, Mem(RD, -8))),
        ("ld.global.u32 %r1, [v+4*2-1];", (R1, Mem(Sym("v"), 7))),
        ("ld.local.u32 %r1, [0x40];", (R1, Mem(Imm(64)))),
        ("tex.1d.v4.f32.s32 {%r1, _}, [%rd1, %r1, {%r2}];", (Vec((R1, Sink())), Mem(RD, 0, (R1, Vec((R2,)))))),
        ("setp.lt.and.u32 p|q, %r1, 3, !p;", (Pair(P, Q), R1, Imm(3), Not(P))),
        ("shfl.sync.up.b32 %r1 | p, %r2, 1, 0, -1;", (Pair(R1, P), R2, Imm(1), Imm(0), Imm(-1))),
        ("elect.sync _|p, -1;", (Pair(Sink(), P), Imm(-1))),
        ("vadd.u32.u32.u32 %r1, %r2.b0, %r2.h1, %r1;", (R1, Half(R2, "b0"), Half(R2, "h1"), R1)),
        ("call.uni (%r1), f, (%r2, 5), p;", (ParenList((R1,)), Sym("f"), ParenList((R2, Imm(5))), P)),
        ("call f, ();", (Sym("f"), ParenList(()))),
        ("ret;", ()),
    ],
)
def test_operands(statement: str, operands: tuple[Operand, ...]) -> None:
    instr = only(statement, ".global .u32 v; .func f();")
    assert instr.operands == operands
    assert only(print_instr(instr), ".global .u32 v; .func f();").operands == operands


@pytest.mark.parametrize(
    "opcode",
    ["ld.global.nc.L1::no_allocate.L2::128B.v4.f32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "tcgen05.ld.sync.aligned.16x256b.x1.b32"],
)  # fmt: skip
def test_opcode_is_kept_as_written(opcode: str) -> None:
    assert only(f"{opcode} %r1;").opcode == opcode


def test_white_space_may_stand_before_a_part_of_an_opcode() -> None:
    assert only("ld .global .L1::no_allocate.u32 %r1, [%rd1];").opcode == "ld.global.L1::no_allocate.u32"


def test_guards() -> None:
    plain, negated, free = kernel("@p ret;\n@ !q ret;\nret;").instructions()
    assert (plain.guard, plain.guard_negated) == (P, False)
    assert (negated.guard, negated.guard_negated) == (Q, True)
    assert free.guard is None
    assert print_instr(negated) == "@!q ret;"


def test_register_ranges_expand() -> None:
    registers = kernel("ret;").registers
    assert {name for name in registers if name.startswith("%r") and name[2:].isdigit()} == {f"%r{i}" for i in range(8)}
    assert registers["%rd3"] == "b64"
    assert registers["q"] == "pred"


def test_shadowed_names_become_unique() -> None:
    function = kernel(
        ".reg .u32 x; mov.u32 x, 1; bra L; L:"
        "{ .reg .f32 x; mov.f32 x, 0f00000000; bra L; L: { .reg .u64 x; mov.u64 x, g; } mov.f32 x, x; }"
        "{ mov.u32 x, 2; .shared .b32 g; .reg .u16 x; mov.u64 %rd1, g; cvt.u16.u32 x, %r1; bra L; }",
        ".global .u32 g;",
    )
    assert [print_instr(i) for i in function.instructions()] == [
        "mov.u32 x, 1;",
        "bra L;",
        "mov.f32 x$1, 0f00000000;",
        "bra L$1;",
        "mov.u64 x$2, g;",
        "mov.f32 x$1, x$1;",
        "mov.u32 x, 2;",
        "mov.u64 %rd1, g$1;",
        "cvt.u16.u32 x$3, %r1;",
        "bra L;",
    ]
    assert [s.name for s in function.body or () if isinstance(s, Label)] == ["L", "L$1"]
    assert [function.registers[f"x{n}"] for n in ("", "$1", "$2", "$3")] == ["u32", "f32", "u64", "u16"]
    assert [v.name for v in function.variables] == ["g$1"]


def test_renaming_avoids_names_that_exist() -> None:
    function = kernel(".reg .u32 x, x$1; { .reg .u32 x; mov.u32 x, x$1; }")
    assert print_instr(next(function.instructions())) == "mov.u32 x$2, x$1;"


def test_source_positions() -> None:
    text = "ret;\n.loc 2 7 3\nret;\nret;\n.loc 1 9 1, function_name $L+4, inlined_at 2 7 3\nret;"
    instructions = list(kernel(text, '.file 1 "a.cu"\n.file 2 "b.h", 1700000000, 12').instructions())
    second = SourceLoc("b.h", 7, 3)
    assert [i.source for i in instructions] == [None, second, second, SourceLoc("a.cu", 9, 1)]
    assert [i.line - instructions[0].line for i in instructions] == [0, 2, 3, 5]
    assert [i.source.text for i in instructions if i.source] == ["b.h:7", "b.h:7", "a.cu:9, inlined at b.h:7"]


def test_nested_calls_are_followed_outwards_as_far_as_they_make_sense() -> None:
    locs = ".loc 1 3 1, function_name $L, inlined_at 2 7 3\nret;\n.loc 1 9 1, function_name $L, inlined_at 1 3 1\nret;"
    files = '.file 1 "a.cu"\n.file 2 "b.h"'
    last = list(kernel(locs, files).instructions())[-1].source
    assert last is not None
    assert last.text == "a.cu:9, inlined at a.cu:3, inlined at b.h:7"
    pair = [f".loc 1 {a} 1, function_name $L, inlined_at 1 {b} 1\nret;\n" for a, b in ((1, 2), (2, 1))]
    last = list(kernel("".join(pair) * 30, files).instructions())[-1].source
    assert last is not None
    assert len(last.places) <= MOST_CALLS + 1


def test_parameters_and_directives() -> None:
    module = parse(
        HEAD + ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr b, .param .align 8 .b8 c[12],"
        ' .param .f32 d)\n.maxntid 128, 2\n.minnctapersm 2 .pragma "nounroll";\n{ ret; }'
    )
    function = module.entry("k")
    assert [
        (p.name, p.type, p.elements, p.align, p.pointer_space, p.pointer_align) for p in function.params
    ] == [
        ("a", "u64", None, None, "global", 16),
        ("b", "u64", None, None, "generic", None),
        ("c", "b8", 12, 8, None, None),
        ("d", "f32", None, None, None, None),
    ]  # fmt: skip
    assert function.directives == {"maxntid": (128, 2), "minnctapersm": (2,), 'pragma "nounroll"': ()}
    assert function.linkage == "visible"


def test_functions_prototypes_and_targets() -> None:
    module = parse(
        HEAD + ".func f(.param .u32 x);\n.func (.reg .u32 r) g(.reg .u32 x, .param .b8 rest[]) { mov.u32 r, x; ret; }\n"
        ".func f(.param .u32 x) .noreturn { .reg .u64 d; .reg .u32 i;\n"
        "t: .calltargets f, g; u: .callprototype (.param .u32 _) _ (.param .u32 _) .noreturn;\n"
        "v: .branchtargets L, M; brx.idx i, v; L: M: exit; }\n.alias g, f;"
    )
    declared, g, f = module.functions
    assert declared.body is None
    assert g.registers == {"r": "u32", "x": "u32"}
    assert (g.returns[0].space, g.params[1].space, g.params[1].elements) == ("reg", "param", 0)
    assert f.call_targets == {"t": ("f", "g")}
    assert f.branch_targets == {"v": ("L", "M")}
    unnamed = Param("_", "u32", line=f.line + 1)
    assert f.prototypes == {"u": Prototype((unnamed,), (unnamed,), {"noreturn": ()})}
    assert module.aliases == {"g": "f"}
    assert module.entries == ()


def test_variables_and_initialisers() -> None:
    module = parse(
        HEAD + ".extern .shared .align 16 .b8 s[];\n.global .align 8 .u32 m[2][3] = {{}, {2, 3}};\n"
        ".const .v2 .f32 v[] = {{1.0, 0f40000000}, {-1.0, 2.0}};\n.weak .global .u32 w;\n"
        ".global .b64 a[4] = {w, w+4, generic(w)+-8, 5};\n.global .u8 b[1] = {0xFF00(w)};\n.shared .b32 c<2>;"
    )
    s, m, v, w, a, b, *c = module.variables
    assert (s.bytes, s.extern, s.align, s.dims) == (None, True, 16, (None,))
    assert (m.initializer, m.bytes) == ((0, 0, 0, 2, 3), 24)
    one, two, minus = 0x3FF0000000000000, 0x4000000000000000, 0xBFF0000000000000
    assert v.initializer == (FloatImm(one, 64), FloatImm(0x40000000, 32), FloatImm(minus, 64), FloatImm(two, 64))
    assert (v.dims, v.vector, v.bytes) == ((2,), 2, 16)
    assert w.linkage == "weak"
    assert a.initializer == (Sym("w"), Sym("w", 4), AddressOf(Sym("w", -8), generic=True), 5)
    assert b.initializer == (AddressOf(Sym("w"), mask=0xFF00),)
    assert [x.name for x in c] == ["c0", "c1"]


def test_module_head() -> None:
    module = parse('.version 7.8\n.target sm_80, debug\n.pragma "a", "b";\n.file 3 "x.cu"', name="m.ptx")
    assert (module.version, module.target, module.address_size) == ((7, 8), ("sm_80", "debug"), 32)
    assert (module.pragmas, module.files, module.name) == (("a", "b"), {3: "x.cu"}, "m.ptx")
