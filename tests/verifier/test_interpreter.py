"""The audit's interpreter: integer results against numbers worked out by hand from the PTX ISA."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from verifier.findings import Unknown
from verifier.flow import Loop
from verifier.interpreter import Launch, Thread, address_of, program_of, run
from verifier.reader import Instruction, Memory, read_ptx


@dataclass
class Watch:
    rounds: list[tuple[int, int, bool]] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    entry: object = None

    def after(self, thread: Thread, instruction: Instruction) -> None:
        return

    def arrive(self, thread: Thread, instruction: Instruction, executes: bool) -> None:
        if instruction.opcode[0] == "st" and executes:
            assert isinstance(next(o for o in instruction.operands if isinstance(o, Memory)), Memory)
            self.addresses.append(address_of(thread, self.entry, instruction))  # type: ignore[arg-type]

    def round(self, thread: Thread, loop: Loop, again: bool) -> None:
        self.rounds.append((loop.line, thread.now.iterations[loop.line], again))


def execute(
    body: str, params: dict[str, tuple[str, int]] | None = None, tid: int = 0, ctaid: int = 0, limit: int = 1000
) -> tuple[Thread, Watch]:
    params = params or {}
    header = ", ".join(f".param .{kind} {name}" for name, (kind, _) in params.items())
    text = f".version 7.8\n.target sm_89\n.address_size 64\n.entry k({header})\n{{\n{body}\n}}\n"
    entry = read_ptx(text, "k.ptx")["k"]
    watch = Watch(entry=entry)
    launch = Launch({n: v for n, (_, v) in params.items()}, (64, 1, 1), (5, 1, 1), {"s": 256})
    thread = run(program_of(entry), launch, (tid, 0, 0), (ctaid, 0, 0), random.Random(1), watch, limit)
    return thread, watch


M32, M64 = 2**32 - 1, 2**64 - 1

CASES = [
    ("add.u32 %r, %a, %b", 3, M32, 2),
    ("sub.u32 %r, %a, %b", 1, 2, M32),
    ("mul.lo.u32 %r, %a, %b", 0x10000, 0x10001, 0x10000),
    ("mul.hi.u32 %r, %a, %b", 0x10000, 0x10000, 1),
    ("mul.hi.s32 %r, %a, %b", M32, 2, M32),
    ("mad.lo.s32 %r, %a, %b, %a", 5, 7, 40),
    ("div.s32 %r, %a, %b", 2**32 - 7, 2, 2**32 - 3),
    ("rem.s32 %r, %a, %b", 2**32 - 7, 2, M32),
    ("div.u32 %r, %a, %b", M32, 2, 2**31 - 1),
    ("rem.u32 %r, %a, %b", 7, 4, 3),
    ("min.s32 %r, %a, %b", M32, 1, M32),
    ("max.u32 %r, %a, %b", M32, 1, M32),
    ("shr.s32 %r, %a, %b", 2**31, 31, M32),
    ("shr.u32 %r, %a, %b", 2**31, 31, 1),
    ("shr.s32 %r, %a, %b", 2**31, 99, M32),
    ("shl.b32 %r, %a, %b", 1, 32, 0),
    ("and.b32 %r, %a, %b", 12, 10, 8),
    ("or.b32 %r, %a, %b", 12, 10, 14),
    ("xor.b32 %r, %a, %b", 12, 10, 6),
    ("not.b32 %r, %a", 0, 0, M32),
    ("neg.s32 %r, %a", 1, 0, M32),
    ("abs.s32 %r, %a", M32, 0, 1),
    ("popc.b32 %r, %a", 0xF0, 0, 4),
    ("clz.b32 %r, %a", 1, 0, 31),
    ("cvt.s32.s16 %r, %ha", 0x8000, 0, 2**32 - 2**15),
    ("cvt.u32.u16 %r, %ha", 0x8000, 0, 2**15),
    ("selp.b32 %r, %a, %b, %p", 3, 9, 9),
]


@pytest.mark.parametrize(("statement", "a", "b", "expected"), CASES)
def test_32_bit_results(statement: str, a: int, b: int, expected: int) -> None:
    body = f""".reg .u32 %a, %b, %r;
    .reg .b16 %ha;
    .reg .pred %p;
    ld.param.u32 %a, [a];
    ld.param.u32 %b, [b];
    cvt.u16.u32 %ha, %a;
    setp.gt.s32 %p, %a, %b;
    {statement};
    ret;"""
    thread, _ = execute(body, {"a": ("u32", a), "b": ("u32", b)})
    assert thread.registers["%r"] == expected


@pytest.mark.parametrize(
    ("statement", "a", "b", "expected"),
    [
        ("mul.wide.u32 %r, %a, %b", M32, M32, M32 * M32),
        ("mul.wide.s32 %r, %a, %b", M32, 3, 2**64 - 3),
        ("mad.wide.u32 %r, %a, %b, %c", 4, 5, 25),
        ("cvt.u64.u32 %r, %a", M32, 0, M32),
        ("cvt.s64.s32 %r, %a", M32, 0, M64),
        ("mov.b64 %r, {%a, %b}", 1, 2, 2 * 2**32 + 1),
    ],
)
def test_64_bit_results(statement: str, a: int, b: int, expected: int) -> None:
    body = f""".reg .u32 %a, %b;
    .reg .u64 %r, %c;
    mov.u64 %c, 5;
    ld.param.u32 %a, [a];
    ld.param.u32 %b, [b];
    {statement};
    ret;"""
    thread, _ = execute(body, {"a": ("u32", a), "b": ("u32", b)})
    assert thread.registers["%r"] == expected


@pytest.mark.parametrize(
    ("comparison", "a", "b", "expected"),
    [("lt.s32", M32, 0, 1), ("lt.u32", M32, 0, 0), ("ge.u32", 4, 4, 1), ("ne.b32", 1, 2, 1), ("hi.u32", 2, 1, 1)],
)
def test_comparisons_keep_their_sign(comparison: str, a: int, b: int, expected: int) -> None:
    body = f""".reg .u32 %a, %b;
    .reg .pred %p, %q;
    ld.param.u32 %a, [a];
    ld.param.u32 %b, [b];
    setp.{comparison} %p|%q, %a, %b;
    ret;"""
    thread, _ = execute(body, {"a": ("u32", a), "b": ("u32", b)})
    assert (thread.registers["%p"], thread.registers["%q"]) == (expected, 1 - expected)


def test_special_registers_and_unpacking() -> None:
    body = """.reg .u32 %a, %b, %c, %d;
    .reg .b16 %lo, %hi;
    mov.u32 %a, %tid.x;
    mov.u32 %b, %ctaid.x;
    mov.u32 %c, %ntid.x;
    mov.u32 %d, %nctaid.x;
    mov.b32 {%lo, %hi}, 0x00020001;
    ret;"""
    registers = execute(body, tid=37, ctaid=4)[0].registers
    assert [registers[r] for r in ("%a", "%b", "%c", "%d", "%lo", "%hi")] == [37, 4, 64, 5, 1, 2]


LOOP = """.reg .u32 %i, %n;
    .reg .u64 %at;
    .reg .pred %p;
    ld.param.u64 %at, [y];
    ld.param.u32 %n, [n];
    mov.u32 %i, 0;
HEAD:
    setp.ge.u32 %p, %i, %n;
    @%p bra DONE;
    st.global.u32 [%at+4], %i;
    add.u64 %at, %at, 8;
    add.u32 %i, %i, 1;
    bra HEAD;
DONE:
    ret;"""


def test_rounds_exits_and_addresses_of_a_loop() -> None:
    thread, watch = execute(LOOP, {"y": ("u64", 1000), "n": ("u32", 3)})
    assert watch.addresses == [1004, 1012, 1020]
    (line,) = thread.now.exits
    assert thread.now.exits[line] == 3
    assert watch.rounds == [(line, 0, True), (line, 1, True), (line, 2, True), (line, 3, False)]
    assert thread.ended == "ret"


def test_a_long_run_is_cut_and_says_so() -> None:
    assert execute(LOOP, {"y": ("u64", 0), "n": ("u32", 10**6)}, limit=50)[0].ended == "limit"


def test_an_address_wraps_at_64_bits() -> None:
    assert execute(LOOP, {"y": ("u64", M64), "n": ("u32", 1)})[1].addresses == [3]


def test_a_register_read_before_it_is_written_is_unknown() -> None:
    with pytest.raises(Unknown, match="%a is read before"):
        execute(".reg .u32 %a, %b;\nadd.u32 %b, %a, 1;\nret;")


def test_a_guarded_instruction_does_not_execute() -> None:
    body = ".reg .pred %p;\n.reg .u32 %a;\nmov.u32 %a, 1;\nsetp.eq.u32 %p, %a, 2;\n@%p mov.u32 %a, 7;\nret;"
    assert execute(body)[0].registers["%a"] == 1


def test_float_results_are_arbitrary_but_of_their_width() -> None:
    body = ".reg .f32 %a;\n.reg .b16 %h;\nmov.f32 %a, 0f3F800000;\ncvt.rn.f16.f32 %h, %a;\nret;"
    assert 0 <= execute(body)[0].registers["%h"] < 2**16


def test_a_narrow_parameter_read_is_unknown() -> None:
    with pytest.raises(Unknown, match="64-bit parameter"):
        execute(".reg .u32 %a;\nld.param.u32 %a, [x];\nret;", {"x": ("u64", 1)})


def test_trap_ends_the_thread() -> None:
    assert execute("trap;")[0].ended == "trap"
