"""Small programs for the matrix rows: words of the source as fragments, and back.

Floats are made small whole numbers first, whose products and sums are exact in every order.
"""

from __future__ import annotations

from collections.abc import Iterator

from spec.ptx.isa import ROWS, lookup
from spec.ptx.operands import list_length
from spec.ptx.row import Form, Row
from tests.harness.isa_forms import spellings
from tests.harness.isa_program import Program

_SHARED = (".shared .align 16 .b8 own[2048];",)
_STAGE = (
    "mov.u64 %rd4, own;", "cvt.u32.u64 %r20, %rd4;", "mad.lo.u32 %r20, %t, 16, %r20;", "cvt.u64.u32 %rd4, %r20;",
    "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];", "st.shared.v4.b32 [%r20], {%r0, %r1, %r2, %r3};",
    "bar.sync 0;",
)


def matrix_programs() -> Iterator[Program]:
    """Every spelling."""
    for row in ROWS:
        if row.base not in ("ldmatrix", "stmatrix", "movmatrix", "mma"):
            continue
        for opcode in spellings(row):
            found = lookup(opcode)
            assert found is not None, opcode
            yield _product(row, opcode, found[1]) if row.base == "mma" else _moving(row, opcode, found[1])


def _names(first: int, count: int, base: str = "%r") -> str:
    return "{" + ", ".join(f"{base}{first + i}" for i in range(count)) + "}"


def _moving(row: Row, opcode: str, form: Form) -> Program:
    if row.base == "movmatrix":
        body = ("ld.global.b32 %r0, [%rd1];", f"{opcode} %r4, %r0;", "st.global.b32 [%rd2], %r4;")
        return Program(opcode, (row.template,), body)
    count = int(form["num"][1:])
    code, address = list(_STAGE), "[%r20]"
    if not form["space"]:
        code.append("cvta.shared.u64 %rd5, %rd4;")
        address = "[%rd5]"
    if row.base == "ldmatrix":
        code.append(f"{opcode} {_names(4, count)}, {address};")
        code += [f"st.global.b32 [%rd2+{4 * i}], %r{4 + i};" for i in range(count)]
    else:
        code += ["ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1+16];", f"{opcode} {address}, {_names(4, count)};"]
        code += ["bar.sync 0;", "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r20];"]
        code.append("st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};")
    return Program(opcode, (row.template,), tuple(code), _SHARED)


def _small(kind: str, register: str) -> list[str]:
    """Instructions that make a register's bits elements in -8 .. 7; bytes stay as they are."""
    if kind in ("s8", "u8", "s32"):
        return []
    if kind in ("f32", "tf32"):
        return [f"bfe.s32 {register}, {register}, 9, 4;", f"cvt.rn.f32.s32 {register}, {register};"]
    code = [f"mov.b32 {{%h0, %h1}}, {register};"]
    for half in ("%h0", "%h1"):
        code += [f"shl.b16 {half}, {half}, 5;", f"shr.s16 {half}, {half}, 12;", f"cvt.rn.{kind}.s16 {half}, {half};"]
    return [*code, f"mov.b32 {register}, {{%h0, %h1}};"]


def _product(row: Row, opcode: str, form: Form) -> Program:
    a, b, c = (list_length(declared) or 1 for declared in row.sources)
    code = [f"ld.global.b32 %r{i}, [%rd1+{4 * (i % 8)}];" for i in range(a + b + c)]
    for kind, first, count in ((form["a"], 0, a), (form["b"], a, b), (form["c"], a + b, c)):
        for i in range(first, first + count):
            code += _small(kind, f"%r{i}")
    words = "%f" if form["c"] == "f32" else "%r"
    declarations: tuple[str, ...] = ()
    if words == "%f":
        declarations = (".reg .f32 %f<24>;",)
        code += [f"mov.b32 %f{a + b + i}, %r{a + b + i};" for i in range(c)]
    code.append(f"{opcode} {_names(12, c, words)}, {_names(0, a)}, {_names(a, b)}, {_names(a + b, c, words)};")
    code += [f"st.global.b32 [%rd2+{4 * i}], {words}{12 + i};" for i in range(c)]
    return Program(opcode, (row.template,), tuple(code), declarations)
