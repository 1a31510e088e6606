"""Asynchronous copies: what each spelling leaves in shared memory, when, and which of its mistakes are caught."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from spec.errors import Unsupported
from spec.ptx.faults import MISALIGNED, OUT_OF_BOUNDS, RACE, UNINITIALISED, Fault
from spec.ptx.isa import ROWS
from spec.ptx.isa_async import SIZES
from spec.ptx.memory import Memory
from spec.ptx.row import Form, Row
from tests.harness.isa_forms import spellings
from tests.spec.programs import kernel, launch

COPY_ROWS = [row for row in ROWS if row.base == "cp" and row.meaning is not None]
SCHEDULES: tuple[str | int, ...] = ("forward", "reverse", 3, "pieces")
THREADS = 64
DATA = np.random.default_rng(8).integers(1, 256, THREADS * 16, dtype=np.uint8)
HEAD = """
    mov.u32 %r0, %tid.x; mov.u32 %r9, s; mad.lo.u32 %r8, %r0, 16, %r9; mov.u64 %d9, 0;
    ld.param.u64 %d0, [data]; mad.wide.u32 %d1, %r0, 16, %d0;
    ld.param.u64 %d2, [out]; mad.wide.u32 %d3, %r0, 16, %d2;
    st.shared.v4.u32 [%r8], {-1, -1, -1, -1}; bar.sync 0;
"""
BACK = """
    ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r8]; st.global.v4.u32 [%d3], {%r1, %r2, %r3, %r4};
"""
DONE = "cp.async.commit_group; cp.async.wait_group 0;\n"


def _run(body: str, **options: Any) -> tuple[np.ndarray[tuple[int], np.dtype[np.uint8]], list[Fault], set[int]]:
    """Bytes of `out`, faults, and the lines marked FAULT."""
    memory = Memory()
    memory.add("data", DATA)
    memory.add("out", size=THREADS * 16)
    module = kernel(HEAD + body, shared=f"s[{THREADS * 32}]", params=".param .u64 out, .param .u64 data")
    args: dict[str, int | bytes] = {name: memory[name].base for name in ("out", "data")}
    result = launch(module, memory, args, block=(THREADS, 1, 1), **options)
    marked = {number for number, line in enumerate(module.text.splitlines(), 1) if "FAULT" in line}
    return memory["out"].array(np.uint8), result.faults, marked


def _reads(form: Form, size: int) -> list[tuple[str, int]]:
    """The optional operand behind the size, and how many bytes it lets through."""
    found = [(f", {n}", n) for n in (0, 1, 3, size)]
    found += [("", size), (", %r7", 2), (", %p0", 0), (", %p1", size)]
    return found


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("row", COPY_ROWS, ids=lambda r: r.template)
def test_copy_row(row: Row, schedule: str | int) -> None:
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        for size in SIZES[form["cop"]]:
            for operand, count in _reads(form, size):
                hint = ", %d9" if form.has("hint") else ""
                setup = "mov.u32 %r7, 2; setp.eq.u32 %p0, 0, 0; setp.ne.u32 %p1, 0, 0;\n"
                body = f"{setup}{opcode} [%r8], [%d1], {size}{operand}{hint};\n{DONE}{BACK}"
                got, faults, _ = _run(body, schedule=schedule)
                assert faults == [], (opcode, operand)
                want = np.full((THREADS, 16), 255, np.uint8)
                want[:, :size] = 0
                want[:, :count] = DATA.reshape(THREADS, 16)[:, :count]
                assert (got.reshape(THREADS, 16) == want).all(), (opcode, operand)


@pytest.mark.parametrize(("commits", "waited", "pending"), [(3, 2, 1), (3, 1, 2), (1, 1, 0), (2, 0, 5)])
def test_wait_group_completes_all_but_the_youngest(commits: int, waited: int, pending: int) -> None:
    """The late schedule moves bytes only where it must; what has not come reads as before, and is a race."""
    copies = "".join(
        f"cp.async.ca.shared.global [%r8+{4 * i}], [%d1+{4 * i}], 4; cp.async.commit_group;\n" for i in range(commits)
    )
    got, faults, _ = _run(f"{copies}cp.async.wait_group {pending};\n{BACK}", schedule="forward")
    words = got.reshape(THREADS, 16)
    assert (words[:, : 4 * waited] == DATA.reshape(THREADS, 16)[:, : 4 * waited]).all()
    assert (words[:, 4 * waited :] == 255).all()
    assert {f.kind for f in faults} == ({RACE} if waited < commits else set())


def test_wait_all_needs_no_commit() -> None:
    got, faults, _ = _run(f"cp.async.cg.shared.global [%r8], [%d1], 16; cp.async.wait_all;{BACK}")
    assert faults == []
    assert (got == DATA).all()


def test_other_sizes_are_refused() -> None:
    with pytest.raises(Unsupported, match="12 where 4 or 8 or 16 must stand"):
        _run("cp.async.ca.shared.global [%r8], [%d1], 12;")


@dataclass(frozen=True)
class Case:
    """A faulty program and its repair. FAULT marks a line that the fault must name."""

    name: str
    kind: str
    faulty: str
    repaired: str
    options: dict[str, Any] = field(default_factory=dict)


COPY = "cp.async.cg.shared.global [%r8], [%d1], 16;"
NEIGHBOUR = "xor.b32 %r5, %r0, 32; mad.lo.u32 %r5, %r5, 16, %r9; ld.shared.u32 %r6, [%r5];"
CASES = (
    Case("read before it is waited for", RACE,
         f"{COPY} cp.async.commit_group;\nld.shared.u32 %r6, [%r8]; // FAULT",
         f"{COPY} cp.async.commit_group; cp.async.wait_group 0;\nld.shared.u32 %r6, [%r8];"),
    Case("waited for and not published", RACE,
         f"{COPY}{DONE}{NEIGHBOUR} // FAULT", f"{COPY}{DONE}bar.sync 0;{NEIGHBOUR}"),
    Case("published and not waited for", RACE,
         f"{COPY} cp.async.commit_group; bar.sync 0;\n{NEIGHBOUR} // FAULT", f"{COPY}{DONE}bar.sync 0;{NEIGHBOUR}"),
    Case("a barrier before the wait publishes nothing", RACE,
         f"{COPY} cp.async.commit_group; bar.sync 0; cp.async.wait_group 0;\n{NEIGHBOUR} // FAULT",
         f"{COPY} cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n{NEIGHBOUR}"),
    Case("a wait one group short", RACE,
         f"""cp.async.ca.shared.global [%r8], [%d1], 4; cp.async.commit_group;
         cp.async.ca.shared.global [%r8+4], [%d1], 4; cp.async.commit_group; // FAULT
         cp.async.wait_group 1; bar.sync 0; {NEIGHBOUR} ld.shared.u32 %r6, [%r5+4];""",
         f"""cp.async.ca.shared.global [%r8], [%d1], 4; cp.async.commit_group;
         cp.async.ca.shared.global [%r8+4], [%d1], 4; cp.async.commit_group;
         cp.async.wait_group 0; bar.sync 0; {NEIGHBOUR} ld.shared.u32 %r6, [%r5+4];"""),
    Case("a wait before the commit that it should cover", RACE,
         f"{COPY} cp.async.wait_group 0; cp.async.commit_group; bar.sync 0;\n{NEIGHBOUR} // FAULT",
         f"{COPY} cp.async.wait_all; bar.sync 0;\n{NEIGHBOUR}"),
    Case("a commit of some threads only", RACE,
         f"""and.b32 %r5, %r0, 1; setp.eq.u32 %p0, %r5, 0; {COPY} // FAULT
         @%p0 cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; {NEIGHBOUR}""",
         f"""and.b32 %r5, %r0, 1; setp.eq.u32 %p0, %r5, 0; {COPY}
         @%p0 cp.async.commit_group; cp.async.wait_all; bar.sync 0; {NEIGHBOUR}"""),
    Case("a stage filled again while others read it", RACE,
         f"{COPY}{DONE}bar.sync 0;{NEIGHBOUR}\n{COPY} // FAULT\n{DONE}",
         f"{COPY}{DONE}bar.sync 0;{NEIGHBOUR} bar.sync 0;\n{COPY}\n{DONE}"),
    Case("in flight at the end of the block, over a stage that is read", RACE,
         f"{COPY} // FAULT\nbar.sync 0;{NEIGHBOUR}", f"bar.sync 0;{NEIGHBOUR} bar.sync 0; {COPY}"),
    Case("the source is overwritten in flight", RACE,
         f"{COPY} cp.async.commit_group;\nst.global.u32 [%d1], 0; // FAULT\ncp.async.wait_group 0;",
         f"{COPY} cp.async.commit_group;\ncp.async.wait_group 0;\nst.global.u32 [%d1], 0;"),
    Case("two copies of one thread to the same bytes", RACE,
         f"{COPY}\ncp.async.ca.shared.global [%r8+12], [%d1], 4; // FAULT\n{DONE}",
         f"{COPY}{DONE}cp.async.ca.shared.global [%r8+12], [%d1], 4;\n{DONE}"),
    Case("a plain store meets a copy in flight", RACE,
         f"{COPY}\nst.shared.u32 [%r8+4], 0; // FAULT\n{DONE}", f"{COPY}{DONE}st.shared.u32 [%r8+4], 0;"),
    Case("a target that is not aligned", MISALIGNED,
         "cp.async.cg.shared.global [%r8+8], [%d1], 16; // FAULT", f"{COPY}{DONE}"),
    Case("a source that is not aligned, though one word is read", MISALIGNED,
         "cp.async.cg.shared.global [%r8], [%d0+4], 16, 4; // FAULT", "cp.async.cg.shared.global [%r8], [%d0], 16, 4;"),
    Case("beyond the source", OUT_OF_BOUNDS,
         f"cp.async.cg.shared.global [%r8], [%d1+16], 16; // FAULT\n{DONE}",
         f"""setp.eq.u32 %p0, %r0, {THREADS - 1}; selp.u32 %r5, 0, 16, %p0;
         cp.async.cg.shared.global [%r8], [%d1+16], 16, %r5;\n{DONE}"""),
    Case("more bytes than the copy has", OUT_OF_BOUNDS,
         "mov.u32 %r5, 5; cp.async.ca.shared.global [%r8], [%d1], 4, %r5; // FAULT",
         "mov.u32 %r5, 4; cp.async.ca.shared.global [%r8], [%d1], 4, %r5;"),
    Case("a source nobody wrote", UNINITIALISED,
         f"cp.async.cg.shared.global [%r8], [%d3], 16; // FAULT\n{DONE}",
         f"cp.async.cg.shared.global [%r8], [%d3], 16, 0;\n{DONE}"),
    Case("in a named barrier's group", RACE,
         f"""{COPY}{DONE}setp.lt.u32 %p0, %r0, 32; @%p0 bar.sync 1, 32; @!%p0 bar.sync 2, 32;
         {NEIGHBOUR} // FAULT""",
         f"""{COPY}{DONE}setp.lt.u32 %p0, %r0, 32; @%p0 bar.sync 1, 32; @!%p0 bar.sync 2, 32;
         xor.b32 %r5, %r0, 1; mad.lo.u32 %r5, %r5, 16, %r9; ld.shared.u32 %r6, [%r5];"""),
)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_faulty_copy_is_caught_and_its_repair_is_clean(case: Case, schedule: str | int) -> None:
    _, faults, marked = _run(case.faulty, schedule=schedule)
    assert {f.kind for f in faults} == {case.kind}
    assert all({f.line, f.other_line} & marked for f in faults), [str(f) for f in faults]
    assert _run(case.repaired, schedule=schedule)[1] == []
