"""PTX modules of kernels with one instruction each: read operands, apply it, store the results."""

from __future__ import annotations

from dataclasses import replace

from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx.ast import Pair, Reg
from spec.ptx.carry import CARRY, uses_carry, without_carry
from tests.harness.isa_forms import Case, instruction_text

THREADS = 128
WORD = 8  # bytes of the slot of an operand or a result


def contract_of(case: Case, entry: str) -> Contract:
    """Operands lie one tuple after the other, each word in a slot of 8 bytes; results likewise."""
    return Contract(
        stem="isa",
        entry=entry,
        parameters=(Parameter("src", "buffer"), Parameter("dst", "buffer"), Parameter("n", "u32")),
        requires=("n >= 1 && n <= 2^20",),
        buffers=(
            Buffer("src", "u64", ("n", str(max(1, len(case.sources)))), "r", align=WORD),
            Buffer("dst", "u64", ("n", str(len(case.results))), "w", align=WORD),
        ),
        block=(THREADS, 1, 1),
        grid=(f"ceil_div(n, {THREADS})", "1", "1"),
        outputs=("dst",),
        ceilings=Ceilings(registers=255, static_shared=0, stack_bytes=1024, spill_bytes=1024),
        operator="isa",
    )


def entry_text(case: Case, entry: str) -> str:
    """A kernel that applies the case's instruction to tuple i of `src` and writes tuple i of `dst`, i < n."""
    reads, sources, results = max(1, len(case.sources)), [], []
    for i, kind in enumerate(case.sources):
        register = case.registers[f"%a{i}"]
        if kind == "pred":
            sources += [f"ld.global.u32 %t, [%rd1+{WORD * i}];", f"setp.ne.u32 %a{i}, %t, 0;"]
        else:
            sources.append(f"ld.global.{register} %a{i}, [%rd1+{WORD * i}];")
    for i, kind in enumerate(case.results):
        register = case.registers[f"%r{i}"]
        if kind == "pred":
            results += [f"selp.u32 %t, 1, 0, %r{i};", f"st.global.u32 [%rd2+{WORD * i}], %t;"]
        else:
            results.append(f"st.global.{register} [%rd2+{WORD * i}], %r{i};")
    declared = [f".reg .{kind} {name};" for name, kind in case.registers.items()]
    body = [
        ".reg .pred %out;",
        ".reg .b32 %i, %n, %t;",
        ".reg .b64 %rd<3>;",
        *declared,
        "mov.u32 %i, %ctaid.x;",
        "mov.u32 %t, %tid.x;",
        f"mad.lo.u32 %i, %i, {THREADS}, %t;",
        "ld.param.u32 %n, [n];",
        "setp.ge.u32 %out, %i, %n;",
        "@%out ret;",
        "ld.param.u64 %rd1, [src];",
        f"mul.wide.u32 %rd0, %i, {WORD * reads};",
        "add.u64 %rd1, %rd1, %rd0;",
        "ld.param.u64 %rd2, [dst];",
        f"mul.wide.u32 %rd0, %i, {WORD * len(case.results)};",
        "add.u64 %rd2, %rd2, %rd0;",
        *sources,
        *_carried(case),
        *results,
        "ret;",
    ]
    lines = "\n".join(f"  {line}" for line in body)
    return f".visible .entry {entry}(.param .u64 src, .param .u64 dst, .param .u32 n)\n{{\n{lines}\n}}\n"


def _carried(case: Case) -> list[str]:
    """The instruction; where it adds or sets the carry flag, which text does not name, with code that moves the flag.

    A borrow is not the carry of the same subtraction, so the flag is moved by instructions of the same kind.
    """
    if not uses_carry(case.instr.opcode):
        return [instruction_text(case.instr)]
    less = case.row.base.startswith("sub")
    text = replace(case.instr, operands=without_carry(
        tuple(Reg(CARRY) if o in (Reg(f"%a{len(case.sources) - 1}"),) and case.row.base.endswith("c") else
              Pair(o.first, Reg(CARRY)) if isinstance(o, Pair) else o for o in case.instr.operands)
    ))
    code = [instruction_text(text)]
    if case.row.base.endswith("c"):
        flag = f"%a{len(case.sources) - 1}"
        code = [f"selp.u32 %t, 1, 0, {flag};", "sub.cc.u32 %t, 0, %t;" if less else "add.cc.u32 %t, %t, -1;", *code]
    if len(case.results) > 1:
        code += [f"{'subc' if less else 'addc'}.u32 %t, 0, 0;", "setp.ne.u32 %r1, %t, 0;"]
    return code


def module_text(entries: list[tuple[str, Case]], target: str, version: str = "8.6") -> str:
    """A module of one-instruction kernels."""
    header = f".version {version}\n.target {target}\n.address_size 64\n"
    return header + "".join(entry_text(case, entry) for entry, case in entries)
