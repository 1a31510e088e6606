"""Small programs for the atomic rows: each thread on a word of its own, and all threads of a block on one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from spec.ptx.ast import type_width
from spec.ptx.isa import ROWS, lookup
from spec.ptx.row import Row
from tests.harness.isa_forms import parts_of
from tests.harness.isa_program import Program, own_memory, register

# Operations of which the outcome does not depend on the order of the threads.
_ORDERLESS = ("add", "min", "max", "and", "or", "xor")


def atomic_programs() -> Iterator[Program]:
    """Of every operation, type and vector, and of the other parts one at a time."""
    for row in ROWS:
        if row.base not in ("atom", "red"):
            continue
        for opcode in _opcodes(row):
            if "cache_hint" not in opcode:  # takes a policy that only createpolicy makes
                yield _own(row, opcode)
                if _orderless(opcode):
                    yield _common(row, opcode)


def _orderless(opcode: str) -> bool:
    found = lookup(opcode)
    assert found is not None, opcode
    return found[1]["op"] in _ORDERLESS and not found[1].type.startswith(("f", "bf"))


def _opcodes(row: Row) -> list[str]:
    parts = parts_of(row)
    together = ("op", "type", "vec", "space")
    found = ["".join(c) for c in itertools.product(*(a if n in together else a[:1] for n, a in parts))]
    for place, (name, alternatives) in enumerate(parts):
        if name not in together:
            found += ["".join(a if i == place else b[0] for i, (_, b) in enumerate(parts)) for a in alternatives[1:]]
    return list(dict.fromkeys(found))


def _own(row: Row, opcode: str) -> Program:
    """The thread's own 16 bytes of the source are updated by the next 16, and stored, with the old words behind."""
    found = lookup(opcode)
    assert found is not None, opcode
    form = found[1]
    width, n = type_width(form.type), int(form["vec"].removeprefix("v") or "1")
    space = form["space"].removesuffix("::cta") or "generic"
    arguments = n if "op" in form.parts else 2
    held = 16 if width == 16 else width
    names = [register(held, k) for k in range(arguments)]
    olds = [register(held, 8 + k) if held < 64 else f"%rd{16 + k}" for k in range(n)]
    operands = ", ".join(names) if "op" not in form.parts else _braced(names)
    declarations: tuple[str, ...] = ()
    code = ["ld.global.v2.b64 {%rd4, %rd5}, [%rd1];", *_finite(form.type), "st.global.v2.b64 [%rd2], {%rd4, %rd5};"]
    address = "[%rd2]"
    if space == "shared":
        declarations, code, address = own_memory("shared")
        code += ["ld.global.v2.b64 {%rd6, %rd7}, [%rd1];", *_finite(form.type, "%rd6", "%rd7"),
                 "st.shared.v2.b64 [%rd4], {%rd6, %rd7};"]
    code += [f"ld.global.b{held} {name}, [%rd1+{16 + width // 8 * k}];" for k, name in enumerate(names)]
    if form.type == "f32":  # every other thread's sum is of subnormals
        code += ["and.b32 %r20, %t, 1;", "setp.eq.u32 %p0, %r20, 0;"]
        code += [f"and.b32 {name}, {name}, 0xBFFFFFFF;" for name in names]
        code += [f"@%p0 and.b32 {name}, {name}, 0x807FFFFF;" for name in names]
    elif form.type.startswith(("f", "bf")):
        mask = "0xBFFFFFFFFFFFFFFF" if held == 64 else "0xBFFFBFFF" if held == 32 else "0xBFFF"
        code += [f"and.b{held} {name}, {name}, {mask};" for name in names]
    if "op" not in form.parts:  # half of the threads expect what is there
        code += ["and.b32 %r20, %t, 1;", "setp.eq.u32 %p0, %r20, 0;", f"@%p0 ld.global.b{held} {names[0]}, [%rd1];"]
    target = f"{_braced(olds)}, " if row.results else ""
    code.append(f"{opcode} {target}{address}, {operands};")
    if space == "shared":
        code += ["ld.shared.v2.b64 {%rd6, %rd7}, [%rd4];", "st.global.v2.b64 [%rd2], {%rd6, %rd7};"]
    if row.results:
        code += [f"st.global.b{held} [%rd2+{16 + width // 8 * k}], {old};" for k, old in enumerate(olds)]
    return Program(opcode, (row.template,), tuple(code), declarations)


def _finite(kind: str, low: str = "%rd4", high: str = "%rd5") -> list[str]:
    """Code that leaves no NaN in two words of this type, since which of two comes out is not documented."""
    if not kind.startswith(("f", "bf")):
        return []
    word = {"f64": "BFFFFFFFFFFFFFFF", "f32": "BFFFFFFF" * 2}.get(kind, "BFFF" * 4)
    code = [f"and.b64 {part}, {part}, 0x{word};" for part in (low, high)]
    if kind == "f32":  # every other thread has subnormals
        code += ["and.b32 %r20, %t, 1;", "setp.eq.u32 %p0, %r20, 0;"]
        code += [f"@%p0 and.b64 {part}, {part}, 0x807FFFFF807FFFFF;" for part in (low, high)]
    return code


def _common(row: Row, opcode: str) -> Program:
    """All threads of a block on one shared word, which each of them reads when all are done."""
    found = lookup(opcode)
    assert found is not None, opcode
    form = found[1]
    width = type_width(form.type)
    space = "shared" if not form["space"] else form["space"].removesuffix("::cta")
    if space == "global":
        return _own(row, opcode)
    word = register(width, 0)
    code = [
        "mov.u64 %rd4, own;", "setp.eq.u32 %p0, %t, 0;", "mov.b64 %rd5, 0;", "@%p0 st.shared.b64 [%rd4], %rd5;",
        "bar.sync 0;", f"ld.global.b{width} {word}, [%rd1];",
    ]
    address = "[%rd4]"
    if not form["space"]:
        code.append("cvta.shared.u64 %rd6, %rd4;")
        address = "[%rd6]"
    target = f"{register(width, 1)}, " if row.results else ""
    code += [f"{opcode} {target}{address}, {word};", "bar.sync 0;", "ld.shared.b64 %rd7, [%rd4];",
             "st.global.b64 [%rd2], %rd7;"]
    return Program(f"{opcode} by all threads", (row.template,), tuple(code), (".shared .align 8 .b8 own[8];",))


def _braced(names: list[str]) -> str:
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
