"""Small programs for asynchronous copies: each thread brings words of its own to shared memory and reads them."""

from __future__ import annotations

from collections.abc import Iterator

from spec.ptx.isa import ROWS, lookup
from spec.ptx.isa_async import SIZES
from spec.ptx.row import Row
from tests.harness.isa_forms import spellings
from tests.harness.isa_program import Program, own_memory

_WAITS = ("cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all")


def copy_programs() -> Iterator[Program]:
    """Every spelling and size, with what may stand behind the size."""
    waits = tuple(row.template for row in ROWS if row.template in _WAITS)
    for row in ROWS:
        if row.base != "cp" or row.meaning is None:
            continue
        for opcode in spellings(row):
            found = lookup(opcode)
            assert found is not None, opcode
            for size in SIZES[found[1]["cop"]]:
                for amount in ("", ", 0", f", {size - 1}", ", %r5", ", %p0"):
                    # A part of the target that is zero leaves no trace of a policy.
                    if not ("cache_hint" in opcode and amount):
                        yield _copy(row, opcode, size, amount, waits)


def _copy(row: Row, opcode: str, size: int, amount: str, waits: tuple[str, ...]) -> Program:
    declarations, code, _ = own_memory("shared")
    code += [
        "mov.b64 %rd6, -1;", "st.shared.v2.b64 [%rd4], {%rd6, %rd6};", "st.shared.v2.b64 [%rd4+16], {%rd6, %rd6};",
        "and.b32 %r5, %t, 3;", "setp.eq.u32 %p0, %r5, 2;",
    ]
    policy = ""
    if "cache_hint" in opcode:
        code.append("mov.b64 %rd7, 0x14F0000000000000;")  # createpolicy's evict_last, of all lines
        policy = ", %rd7"
    code += [
        f"{opcode} [%rd4], [%rd1], {size}{amount}{policy};", "cp.async.commit_group;",
        "cp.async.ca.shared.global [%rd4+16], [%rd1+16], 16;", "cp.async.wait_group 0;", "cp.async.wait_all;",
        "ld.shared.v2.b64 {%rd4, %rd5}, [%rd4];", "st.global.v2.b64 [%rd2], {%rd4, %rd5};",
    ]
    return Program(f"{opcode} {size}{amount}", (row.template, *waits), tuple(code), declarations)
