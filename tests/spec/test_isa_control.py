"""Control rows: every spelling in a small program whose result shows what it did. A row without a program fails."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from spec.ptx.faults import TRAP
from spec.ptx.isa import ROWS
from spec.ptx.memory import Memory
from spec.ptx.row import BOUNDED, CONTROL, EXACT, MEMORY, Form, Row
from tests.harness.isa_forms import spellings
from tests.spec.programs import kernel, launch
from tests.spec.test_isa_matrix import MATRIX_ROWS

Words = npt.NDArray[np.uint32]

# Rows over matrices have a module of their own.
CONTROL_ROWS = [row for row in ROWS if row.kind == CONTROL and row not in MATRIX_ROWS]
LANES = np.arange(32, dtype=np.int64)
THREADS = 64
# A different word for each thread, of both signs.
VALUES = (np.arange(THREADS, dtype=np.int64) * 0x9E3779B1 + 0x7F4A7C15) % 2**32

HEAD = """
    mov.u32 %r0, %tid.x;
    mul.lo.u32 %r1, %r0, 0x9E3779B1;
    add.u32 %r1, %r1, 0x7F4A7C15;
    mov.u32 %r2, 0;
    mov.u32 %r9, s;
    mad.lo.u32 %r8, %r0, 4, %r9;
"""
TAIL = """
end:
    ld.param.u64 %d0, [out];
    mad.wide.u32 %d0, %r0, 4, %d0;
    st.global.u32 [%d0], %r2;
"""


def _execute(body: str) -> tuple[Words, set[str]]:
    """What each of two warps' threads leaves in %r2, and the kinds of fault."""
    memory = Memory()
    out = memory.add("out", size=4 * THREADS, initialised=True)
    result = launch(kernel(HEAD + body + TAIL, shared="s[256]"), memory, {"out": out}, block=(THREADS, 1, 1))
    return memory["out"].array(np.uint32), {f.kind for f in result.faults}


def _value(body: str, expected: Callable[[int], int]) -> None:
    got, faults = _execute(body)
    assert faults == set()
    assert got.tolist() == [expected(t) % 2**32 for t in range(THREADS)]


def _branch(opcode: str, form: Form) -> None:
    _value(f"{opcode} over;\nmov.u32 %r2, 1;\nover: add.u32 %r2, %r2, 4;", lambda t: 4)


def _leave(opcode: str, form: Form) -> None:
    """Threads that leave store nothing."""
    _value(f"mov.u32 %r2, 5; setp.lt.u32 %p0, %r0, 9;\n@%p0 {opcode};", lambda t: 0 if t < 9 else 5)


def _trap(opcode: str, form: Form) -> None:
    assert _execute(f"{opcode};")[1] == {TRAP}


def _barrier(opcode: str, form: Form) -> None:
    exchange = f"st.shared.u32 [%r8], %r1;\n{opcode} {{operands}};\nxor.b32 %r3, %r0, 63; mad.lo.u32 %r3, %r3, 4, %r9;"
    exchange += "ld.shared.u32 %r2, [%r3];"
    for operands in ("0", "3, 64"):
        _value(exchange.format(operands=operands), lambda t: int(VALUES[t ^ 63]))


def _reduced(opcode: str, form: Form) -> None:
    """Each half of the block at a barrier of its own, then the whole block."""
    for limit in (0, 7, 32, 40, 64):
        def over(threads: range, limit: int = limit) -> int:
            held = [t < limit for t in threads]
            return {"": sum(held), "and": int(all(held)), "or": int(any(held))}[form["op"]]

        to, get = ("%r2", "") if not form["op"] else ("%p1", "selp.u32 %r2, 1, 0, %p1;")
        _value(
            f"setp.lt.u32 %p0, %r0, {limit}; shr.u32 %r3, %r0, 5; add.u32 %r3, %r3, 1;\n"
            f"{opcode} {to}, %r3, 32, %p0;\n{get}",
            partial(lambda over, t: over(range(t - t % 32, t - t % 32 + 32)), over),
        )
        _value(
            f"setp.ge.u32 %p0, %r0, {limit};\n{opcode} {to}, 0, !%p0;\n{get}",
            partial(lambda over, t: over(range(64)), over),
        )


def _match(opcode: str, form: Form) -> None:
    """The two low bits of the thread's number, in lanes 0 to 19 alone, then in all."""
    wide = form.width == 64
    key = "cvt.u64.u32 %d1, %r3; shl.b64 %d1, %d1, 40;" if wide else ""
    source = "%d1" if wide else "%r3"
    both = "all" in opcode
    to = "%r2|%p1" if both else "%r2"

    def expected(t: int, lanes: int, mask: int) -> int:
        same = [lane for lane in range(lanes) if lane & mask == t & mask]
        word = sum(1 << lane for lane in same)
        return (word if len(same) == lanes else 0) + 2 * (len(same) == lanes) if both else word

    for mask in (3, 0):
        add = "@%p1 add.u32 %r2, %r2, 2;" if both else ""
        _value(f"and.b32 %r3, %r0, {mask}; {key}\n{opcode} {to}, {source}, -1;\n{add}",
               partial(expected, lanes=32, mask=mask))
        _value(
            f"and.b32 %r3, %r0, {mask}; {key} and.b32 %r4, %r0, 31; setp.lt.u32 %p0, %r4, 20;\n@!%p0 bra end;\n"
            f"{opcode} {to}, {source}, 0xfffff;\n{add}",
            partial(lambda mask, t: expected(t, 20, mask) if t % 32 < 20 else 0, mask),
        )


def _elect(opcode: str, form: Form) -> None:
    _value(f"{opcode} %r2|%p1, -1;\n@%p1 add.u32 %r2, %r2, 7;", lambda t: 7 if t % 32 == 0 else 0)


def _arrive(opcode: str, form: Form) -> None:
    """Warp 0 writes and arrives, warp 1 waits and reads."""
    sync = opcode.replace("arrive", "sync")
    _value(
        f"""setp.lt.u32 %p0, %r0, 32; @!%p0 bra reader;
        st.shared.u32 [%r8], %r1; {opcode} 1, 64; bra end;
        reader: {sync} 1, 64; ld.shared.u32 %r2, [%r8+-128];""",
        lambda t: 0 if t < 32 else int(VALUES[t - 32]),
    )


def _warp_barrier(opcode: str, form: Form) -> None:
    _value(
        f"st.shared.u32 [%r8], %r1; {opcode} -1; xor.b32 %r3, %r0, 31; mad.lo.u32 %r3, %r3, 4, %r9;"
        "ld.shared.u32 %r2, [%r3];", lambda t: int(VALUES[t ^ 31]),
    )


def _nothing(opcode: str, form: Form) -> None:
    operand = " 20" if opcode.startswith("nanosleep") else ""
    operand = {"prefetch": " [%d0]", "prefetchu": " [%d0]"}.get(opcode.partition(".")[0], operand)
    _value(f"ld.param.u64 %d0, [out]; mov.u32 %r2, 7;\n{opcode}{operand};", lambda t: 7)


def shuffled(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """Lane that is read, and whether it was in range, as PTX ISA 9.7.9.6 computes them."""
    value, clamp, segment = b & 31, c & 31, c >> 8 & 31
    most = (lane & segment) | (clamp & ~segment & 31)
    least = lane & segment
    source, good = {
        "up": (lane - value, lane - value >= most),
        "down": (lane + value, lane + value <= most),
        "bfly": (lane ^ value, lane ^ value <= most),
        "idx": (least | (value & ~segment & 31), (least | (value & ~segment & 31)) <= most),
    }[mode]
    return (source, True) if good else (lane, False)


def _shuffle(opcode: str, form: Form) -> None:
    for b in (0, 1, 5, 16, 31, 40):
        for c in (0, 31, 0x1C1F, 0x1800, 0x101F, 7):
            def expected(t: int, b: int = b, c: int = c) -> int:
                source, good = shuffled(form["mode"], t % 32, b, c)
                return int(VALUES[t - t % 32 + source]) + good

            _value(f"{opcode} %r2|%p1, %r1, {b}, {c}, -1;\n@%p1 add.u32 %r2, %r2, 1;", expected)


def _vote(opcode: str, form: Form) -> None:
    for bound in (0, 5, 32, 40, 64):
        def expected(t: int, bound: int = bound) -> int:
            held = [other < bound for other in range(t - t % 32, t - t % 32 + 32)]
            return int({"all": all(held), "any": any(held), "uni": len(set(held)) == 1}[form["mode"]])

        _value(
            f"setp.lt.u32 %p0, %r0, {bound};\n{opcode} %p1, %p0, -1;\nselp.u32 %r2, 1, 0, %p1;", expected,
        )


def _ballot(opcode: str, form: Form) -> None:
    _value(
        f"setp.lt.u32 %p0, %r1, 0x80000000;\n{opcode} %r2, %p0, -1;",
        lambda t: sum(1 << lane for lane in range(32) if VALUES[t - t % 32 + lane] < 2**31),
    )


def _activemask(opcode: str, form: Form) -> None:
    _value(f"setp.lt.u32 %p0, %r0, 9;\n@%p0 {opcode} %r2;", lambda t: 0x1FF if t < 9 else 0)


def _redux(opcode: str, form: Form) -> None:
    """Over all lanes, and over the lower half only."""
    signed = form.signed
    operations: dict[str, Callable[[list[int]], int]] = {
        "add": sum, "min": min, "max": max,
        "and": lambda v: int(np.bitwise_and.reduce(v)), "or": lambda v: int(np.bitwise_or.reduce(v)),
        "xor": lambda v: int(np.bitwise_xor.reduce(v)),
    }

    def over(t: int, lanes: int) -> int:
        words = [int(v) for v in VALUES[t - t % 32 : t - t % 32 + lanes]]
        return operations[form["op"]]([w - 2**32 if signed and w >= 2**31 else w for w in words])

    _value(f"{opcode} %r2, %r1, -1;", lambda t: over(t, 32))
    _value(
        f"and.b32 %r3, %r0, 31; setp.lt.u32 %p0, %r3, 16;\n@%p0 {opcode} %r2, %r1, 0xffff;",
        lambda t: over(t, 16) if t % 32 < 16 else 0,
    )


def _group(opcode: str, form: Form) -> None:
    """A copy is waited for; tests/spec/test_isa_async.py has the fine points."""
    commit = "" if opcode.endswith("wait_all") else "cp.async.commit_group;"
    wait = {"cp.async.wait_all": opcode, "cp.async.wait_group": f"{opcode} 0"}.get(opcode, "cp.async.wait_group 0")
    _value(
        f"ld.param.u64 %d0, [out]; st.shared.u32 [%r8], 9; cp.async.ca.shared.global [%r8], [%d0], 4;\n"
        f"{commit} {wait}; ld.shared.u32 %r2, [%r8];\nbar.sync 0;", lambda t: 0,
    )


PROGRAMS: dict[str, Callable[[str, Form], None]] = {
    "bra": _branch, "ret": _leave, "exit": _leave, "trap": _trap, "bar.sync": _barrier, "barrier.sync": _barrier,
    "brkpt": _trap, "bar.red.popc.u32": _reduced, "bar.red": _reduced, "barrier.red": _reduced,
    "match.any.sync": _match, "match.all.sync": _match, "elect.sync": _elect, "griddepcontrol": _nothing,
    "prefetch": _nothing, "prefetch.global": _nothing, "prefetchu.L1": _nothing,
    "bar.arrive": _arrive, "barrier.arrive": _arrive, "bar.warp.sync": _warp_barrier, "membar": _nothing,
    "fence": _nothing, "nanosleep.u32": _nothing, "shfl.sync": _shuffle, "vote.sync": _vote,
    "cp.async.commit_group": _group, "cp.async.wait_group": _group, "cp.async.wait_all": _group,
    "vote.sync.ballot.b32": _ballot, "activemask.b32": _activemask, "redux.sync": _redux,
}


def _program(row: Row) -> Callable[[str, Form], None] | None:
    literal = row.template.replace("[scope:cta]", "").replace("[", ".[").split(".{")[0].split(".[")[0]
    return PROGRAMS.get(literal)


@pytest.mark.parametrize("row", CONTROL_ROWS, ids=lambda r: r.template)
def test_control_row(row: Row) -> None:
    program = _program(row)
    assert program is not None, f"no program shows what {row.template} does"
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None
        program(opcode, form)


def test_every_row_is_of_a_tested_kind() -> None:
    """Exact, bounded, memory and control rows each have a module here that fails for a row it does not test."""
    assert {row.kind for row in ROWS} == {EXACT, BOUNDED, MEMORY, CONTROL}
