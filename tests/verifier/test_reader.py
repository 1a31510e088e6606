"""The audit's own reading of PTX: what it understands it keeps, what it does not it refuses by line."""

from __future__ import annotations

import pytest

from verifier.findings import Unknown, Unreadable
from verifier.flow import flow_of
from verifier.opcodes import effect_of
from verifier.reader import Immediate, Memory, Register, Symbol, Vector, read_ptx

HEAD = ".version 7.8\n.target sm_89\n.address_size 64\n"


def entry_of(body: str, params: str = "") -> str:
    return f"{HEAD}.visible .entry k({params})\n.reqntid 32, 1, 1\n{{\n{body}\n}}\n"


def one(statement: str, registers: str = ".reg .u32 %a, %b;") -> object:
    entry = read_ptx(entry_of(f"{registers}\n{statement}\nret;"), "k.ptx")["k"]
    return entry.instructions[0]


def test_parameters_registers_and_shared_variables_are_read_in_order() -> None:
    text = entry_of(
        ".reg .pred %p; .reg .b32 %r<3>;".replace("; ", ";\n") + "\n.shared .align 16 .f32 s[8];\nret;",
        "\n.param .u64 x,\n.param .u32 n\n",
    )
    entry = read_ptx(text, "k.ptx")["k"]
    assert entry.parameters == [("x", "u64"), ("n", "u32")]
    assert entry.registers == {"%p": "pred", "%r0": "b32", "%r1": "b32", "%r2": "b32"}
    assert (entry.shared["s"].bytes, entry.shared["s"].align) == (32, 16)
    assert entry.limits == {"reqntid": (32, 1, 1)}


def test_operands_and_guards_are_taken_apart() -> None:
    registers = ".reg .b64 %rd;\n.reg .b32 %a, %b, %c, %d;\n.reg .pred %p;"
    text = entry_of(f"{registers}\n@!%p ld.global.nc.v4.b32 {{%a, %b, %c, %d}}, [%rd+-16];\nret;")
    instruction = read_ptx(text, "k.ptx")["k"].instructions[0]
    assert instruction.guard == ("%p", True)
    assert instruction.operands[0] == Vector(tuple(Register(r) for r in ("%a", "%b", "%c", "%d")))
    assert instruction.operands[1] == Memory(Register("%rd"), -16)
    assert effect_of(instruction).bytes == 16
    assert instruction.line == 10


@pytest.mark.parametrize(("text", "value"), [("0x10", 16), ("-3", -3), ("017", 15), ("0f3F800000", 0x3F800000)])
def test_numbers_keep_their_bits(text: str, value: int) -> None:
    entry = read_ptx(entry_of(f".reg .b32 %a;\nmov.b32 %a, {text};\nret;"), "k.ptx")["k"]
    assert entry.instructions[0].operands[1] == Immediate(value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (".reg .u32 %a;\nmov.u32 %a, %b;\nret;", "%b is not declared"),
        (".reg .u32 %a;\nmov.u32 %a, 1; mov.u32 %a, 2;\nret;", "one whole statement"),
        (".reg .u32 %a;\nmov.u32 %a,\n1;\nret;", "one whole statement"),
        (".weird 3;\nret;", "directive not understood"),
        (".reg .u32 %a;\n.reg .u32 %a;\nret;", "declared twice"),
        ("L:\nL:\nret;", "stands twice"),
        (".reg .u32 %a;\nmov.u32 %a, [;\nret;", "not understood"),
        ("{\nret;\n}", "one whole statement"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_line(body: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message) as caught:
        read_ptx(entry_of(body), "k.ptx")
    assert "k.ptx:" in str(caught.value)


def test_a_text_that_ends_early_or_has_no_entry_is_refused() -> None:
    with pytest.raises(Unreadable, match="ends inside"):
        read_ptx(entry_of("ret;").removesuffix("}\n"), "k.ptx")
    with pytest.raises(Unreadable, match=r"no .entry in this"):
        read_ptx(HEAD, "k.ptx")
    with pytest.raises(Unreadable, match="ASCII"):
        read_ptx(HEAD + "// \u00e9\n", "k.ptx")


@pytest.mark.parametrize(
    "statement",
    [
        "cp.async.ca.shared.global [%a], [%b], 16;",
        "atom.global.add.u32 %a, [%b], 1;",
        "mul.wide.u64 %a, %b, %b;",
        "setp.lo.s32 %a, %b, 1;",
        "bar.arrive 0, 64;",
        "bar.sync 1;",
        "ld.volatile.global.u32 %a, [%b];",
        "cvt.sat.u16.u32 %a, %b;",
    ],
)
def test_an_instruction_outside_the_table_is_unknown(statement: str) -> None:
    entry = read_ptx(entry_of(f".reg .u32 %a, %b;\n{statement}\nret;"), "k.ptx")["k"]
    with pytest.raises(Unknown, match="line 8"):
        effect_of(entry.instructions[0])


def test_loops_are_found_with_their_nesting() -> None:
    body = ".reg .pred %p;\nA:\nB:\n@%p bra B;\n@%p bra A;\nret;"
    with pytest.raises(Unknown, match="line"):
        flow_of(read_ptx(entry_of(".reg .pred %p;\n@%p bra B;\nA:\n@%p bra B;\nret;\nB:\nbra A;"), "k")["k"])
    entry = read_ptx(entry_of(body.replace("B:\n", ".reg .b32 %a;\nmov.b32 %a, 0;\nB:\n")), "k.ptx")["k"]
    flow = flow_of(entry)
    assert {loop.header: loop.parent for loop in flow.loops.values()} == {0: None, 1: 0}


def test_running_off_the_end_is_refused() -> None:
    entry = read_ptx(entry_of(".reg .b32 %a;\nmov.b32 %a, 0;"), "k.ptx")["k"]
    with pytest.raises(Unknown, match="past the end"):
        flow_of(entry)


def test_a_branch_to_something_else_than_a_label_is_refused() -> None:
    entry = read_ptx(entry_of(".reg .b64 %a;\nbra %a;"), "k.ptx")["k"]
    assert not isinstance(entry.instructions[0].operands[0], Symbol)
    with pytest.raises(Unknown, match="branch target"):
        flow_of(entry)
