"""Every detector finds its fault in a small faulty program, names the place, and is silent on the repaired twin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from spec.ptx.faults import (
    BARRIER,
    INACTIVE_LANE,
    KINDS,
    MISALIGNED,
    OUT_OF_BOUNDS,
    RACE,
    READ_ONLY,
    STEP_LIMIT,
    TRAP,
    UNINITIALISED,
    Fault,
)
from spec.ptx.memory import Memory
from spec.ptx.schedules import SCHEDULES
from tests.spec.programs import kernel, launch

FAULTY_UNDER: tuple[str | int, ...] = ("forward", "reverse", "interleaved", 7, "parted")

ADDRESS = """
    ld.param.u64 %d0, [out];
    mov.u32 %r0, %tid.x;
    mad.wide.u32 %d1, %r0, 4, %d0;
"""
SHARED = """
    mov.u32 %r0, %tid.x;
    mov.u32 %r9, s;
    mad.lo.u32 %r1, %r0, 4, %r9;
    xor.b32 %r2, %r0, 1;
    mad.lo.u32 %r2, %r2, 4, %r9;
"""


@dataclass(frozen=True)
class Case:
    """A faulty program and its repair; both may hold `FAULT`, which marks the line the fault must name."""

    name: str
    kind: str
    faulty: str
    repaired: str
    block: tuple[int, int, int] = (64, 1, 1)
    grid: tuple[int, int, int] = (1, 1, 1)
    shared: str = "s[1024]"
    buffer: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


CASES = (
    Case(
        "one thread beyond the buffer", OUT_OF_BOUNDS,
        ADDRESS + "st.global.u32 [%d1+4], %r0; // FAULT", ADDRESS + "st.global.u32 [%d1], %r0;",
    ),
    Case(
        "before the buffer", OUT_OF_BOUNDS,
        ADDRESS + "ld.global.u32 %r1, [%d1+-4]; // FAULT", ADDRESS + "ld.global.u32 %r1, [%d1];",
        buffer={"initialised": True},
    ),
    Case(
        "a 32-bit product that wraps", OUT_OF_BOUNDS,
        """ld.param.u64 %d0, [out]; mov.u32 %r1, 7768; mul.lo.s32 %r2, %r1, 276480; cvt.s64.s32 %d2, %r2;
        add.u64 %d1, %d0, %d2; st.global.u32 [%d1], 1; // FAULT""",
        """ld.param.u64 %d0, [out]; mov.u32 %r1, 7768; mul.wide.s32 %d2, %r1, 276480;
        add.u64 %d1, %d0, %d2; st.global.u32 [%d1], 1;""",
        buffer={"size": 2**40}, block=(1, 1, 1),
    ),
    Case(
        "into the padding of a row", OUT_OF_BOUNDS,
        ADDRESS + "st.global.u32 [%d1], %r0; // FAULT",
        ADDRESS + """and.b32 %r1, %r0, 15; setp.ge.u32 %p0, %r1, 12; @%p0 bra done;
        st.global.u32 [%d1], %r0; done: ret;""",
        buffer={"row_pitch": 64, "row_bytes": 48},
    ),
    Case(
        "beyond shared memory", OUT_OF_BOUNDS,
        SHARED + "st.shared.u32 [%r1+1024], %r0; // FAULT", SHARED + "st.shared.u32 [%r1], %r0;",
    ),
    Case(
        "beyond dynamic shared memory", OUT_OF_BOUNDS,
        "mov.u32 %r9, dyn; st.shared.u32 [%r9+64], %r9; // FAULT", "mov.u32 %r9, dyn; st.shared.u32 [%r9+60], %r9;",
        block=(1, 1, 1), options={"dynamic_shared": 64},
    ),
    Case(
        "a vector at a scalar's alignment", MISALIGNED,
        "ld.param.u64 %d0, [out]; st.global.v4.u32 [%d0+8], {%r8, %r8, %r8, %r8}; // FAULT".replace("%r8", "0"),
        "ld.param.u64 %d0, [out]; st.global.v4.u32 [%d0+16], {0, 0, 0, 0};", block=(1, 1, 1),
    ),
    Case(
        "a word at an odd shared address", MISALIGNED,
        "mov.u32 %r9, s; st.shared.u32 [%r9+2], %r9; // FAULT", "mov.u32 %r9, s; st.shared.u16 [%r9+2], %h0;".replace(
            "%h0", "7"), block=(1, 1, 1),
    ),
    Case(
        "global bytes nobody wrote", UNINITIALISED,
        ADDRESS + "ld.global.u32 %r1, [%d1]; // FAULT", ADDRESS + "st.global.u32 [%d1], 1; ld.global.u32 %r1, [%d1];",
    ),
    Case(
        "half of a shared word is written", UNINITIALISED,
        SHARED + "st.shared.u16 [%r1], 1; ld.shared.u32 %r2, [%r1]; // FAULT".replace("; ld", ";\nld"),
        SHARED + "st.shared.u16 [%r1], 1; st.shared.u16 [%r1+2], 1; ld.shared.u32 %r2, [%r1];",
    ),
    Case(
        "words of warps the block does not have", UNINITIALISED,
        SHARED + "st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r1+128]; // FAULT",
        SHARED + "st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];", block=(32, 1, 1),
    ),
    Case(
        "a register set in one branch only", UNINITIALISED,
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 7; @%p0 mov.u32 %r1, 5;\nadd.u32 %r2, %r1, 1; // FAULT",
        "mov.u32 %r1, 0; mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 7; @%p0 mov.u32 %r1, 5;\nadd.u32 %r2, %r1, 1;",
    ),
    Case(
        "a guard that was never set", UNINITIALISED,
        "@%p3 mov.u32 %r1, 5; // FAULT", "setp.eq.u32 %p3, 1, 1; @%p3 mov.u32 %r1, 5;",
    ),
    Case(
        "a store to an input", READ_ONLY,
        ADDRESS + "st.global.u32 [%d1], %r0; // FAULT", ADDRESS + "ld.global.u32 %r1, [%d1];",
        buffer={"writable": False, "initialised": True},
    ),
    Case(
        "a missing barrier", RACE,
        SHARED + "st.shared.u32 [%r1], %r0;\nld.shared.u32 %r3, [%r2]; // FAULT",
        SHARED + "st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];",
    ),
    Case(
        "a shuffle orders no memory", RACE,
        SHARED + """st.shared.u32 [%r1], %r0; shfl.sync.idx.b32 %r4, %r0, 0, 31, -1;
        ld.shared.u32 %r3, [%r2]; // FAULT""",
        SHARED + "st.shared.u32 [%r1], %r0;\nbar.warp.sync -1;\nld.shared.u32 %r3, [%r2];",
    ),
    Case(
        "a warp barrier orders its own warp only", RACE,
        SHARED.replace("xor.b32 %r2, %r0, 1", "xor.b32 %r2, %r0, 32")
        + "st.shared.u32 [%r1], %r0;\nbar.warp.sync -1;\nld.shared.u32 %r3, [%r2]; // FAULT",
        SHARED.replace("xor.b32 %r2, %r0, 1", "xor.b32 %r2, %r0, 32")
        + "st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];",
    ),
    Case(
        "the same value by all lanes is a race all the same", RACE,
        SHARED + "st.shared.u32 [%r9], 3; // FAULT",
        SHARED + "setp.eq.u32 %p0, %r0, 0;\n@%p0 st.shared.u32 [%r9], 3;",
    ),
    Case(
        "two bytes of one word, and the word", RACE,
        SHARED + """setp.eq.u32 %p0, %r0, 0; add.u32 %r4, %r9, %r0; st.shared.u8 [%r4], 1;
        @%p0 ld.shared.u32 %r3, [%r9]; // FAULT""",
        SHARED + "setp.eq.u32 %p0, %r0, 0; add.u32 %r4, %r9, %r0; st.shared.u8 [%r4], 1;\nld.shared.u8 %r3, [%r4];",
    ),
    Case(
        "end of one round against the start of the next", RACE,
        SHARED + """mov.u32 %r5, 0;
        loop: st.shared.u32 [%r1], %r5; // FAULT
        bar.sync 0; ld.shared.u32 %r3, [%r2];
        add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 3; @%p0 bra loop;""",
        SHARED + """mov.u32 %r5, 0;
        loop: st.shared.u32 [%r1], %r5;
        bar.sync 0; ld.shared.u32 %r3, [%r2]; bar.sync 0;
        add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 3; @%p0 bra loop;""",
    ),
    Case(
        "named barriers of different groups order nothing between them", RACE,
        """mov.u32 %r0, %tid.x; mov.u32 %r9, s; mad.lo.u32 %r1, %r0, 4, %r9; xor.b32 %r2, %r0, 64;
        mad.lo.u32 %r2, %r2, 4, %r9; st.shared.u32 [%r1], %r0; setp.lt.u32 %p0, %r0, 64; @!%p0 bra other;
        bar.sync 1, 64; bra both; other: bar.sync 2, 64;
        both: ld.shared.u32 %r3, [%r2]; // FAULT""",
        """mov.u32 %r0, %tid.x; mov.u32 %r9, s; mad.lo.u32 %r1, %r0, 4, %r9; xor.b32 %r2, %r0, 32;
        mad.lo.u32 %r2, %r2, 4, %r9; st.shared.u32 [%r1], %r0; setp.lt.u32 %p0, %r0, 64; @!%p0 bra other;
        bar.sync 1, 64; bra both; other: bar.sync 2, 64;
        both: ld.shared.u32 %r3, [%r2];""",
        block=(128, 1, 1),
    ),
    Case(
        "an arrival orders one way only", RACE,
        """mov.u32 %r0, %tid.x; mov.u32 %r9, s; and.b32 %r1, %r0, 31; mad.lo.u32 %r1, %r1, 4, %r9;
        setp.lt.u32 %p0, %r0, 32; @!%p0 bra consumer;
        st.shared.u32 [%r1], %r0; bar.arrive 1, 64;
        st.shared.u32 [%r1], 0; // FAULT
        bra done; consumer: bar.sync 1, 64; ld.shared.u32 %r3, [%r1]; // FAULT
        done: ret;""",
        """mov.u32 %r0, %tid.x; mov.u32 %r9, s; and.b32 %r1, %r0, 31; mad.lo.u32 %r1, %r1, 4, %r9;
        setp.lt.u32 %p0, %r0, 32; @!%p0 bra consumer;
        st.shared.u32 [%r1], %r0; bar.arrive 1, 64; bra done;
        consumer: bar.sync 1, 64; ld.shared.u32 %r3, [%r1]; done: ret;""",
    ),
    Case(
        "an atomic beside a plain load", RACE,
        SHARED + """st.shared.u32 [%r1], 0;\nbar.sync 0; atom.shared.add.u32 %r3, [%r9], 1;
        ld.shared.u32 %r4, [%r9]; // FAULT""",
        SHARED + """st.shared.u32 [%r1], 0;\nbar.sync 0; atom.shared.add.u32 %r3, [%r9], 1;
        bar.sync 0; ld.shared.u32 %r4, [%r9];""",
    ),
    Case(
        "an atomic over bytes that another atomic has half of", RACE,
        SHARED + """st.shared.u32 [%r1], 0;\nbar.sync 0; setp.eq.u32 %p0, %r0, 0;
        @%p0 red.shared.add.u64 [%r9], 1; @!%p0 red.shared.add.u32 [%r9], 1; // FAULT""",
        SHARED + """st.shared.u32 [%r1], 0;\nbar.sync 0; setp.eq.u32 %p0, %r0, 0;
        @%p0 red.shared.add.u64 [%r9+8], 1; @!%p0 red.shared.add.u32 [%r9], 1;""",
    ),
    Case(
        "atomics of two blocks that are indivisible in a block only", RACE,
        "ld.param.u64 %d0, [out]; red.relaxed.cta.global.add.u32 [%d0], 1; // FAULT",
        "ld.param.u64 %d0, [out]; red.relaxed.gpu.global.add.u32 [%d0], 1;",
        grid=(2, 1, 1), buffer={"initialised": True},
    ),
    Case(
        "an atomic orders no other memory", RACE,
        SHARED + """setp.ne.u32 %p0, %r0, 0; @%p0 bra other; st.shared.u32 [%r9+4], 1; ld.param.u64 %d0, [out];
        red.release.gpu.global.add.u32 [%d0], 1; bra done; other: ld.param.u64 %d0, [out];
        atom.acquire.gpu.global.add.u32 %r3, [%d0], 0;
        ld.shared.u32 %r4, [%r9+4]; // FAULT
        done: ret;""",
        SHARED + """setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [%r9+4], 1; ld.param.u64 %d0, [out];
        atom.acquire.gpu.global.add.u32 %r3, [%d0], 1; bar.sync 0; ld.shared.u32 %r4, [%r9+4];""",
        buffer={"initialised": True},
    ),
    Case(
        "an atomic on a word nobody wrote", UNINITIALISED,
        "mov.u32 %r9, s; red.shared.add.u32 [%r9], 1; // FAULT",
        "mov.u32 %r9, s; st.shared.u32 [%r9], 1; red.shared.add.u32 [%r9], 1;", block=(1, 1, 1),
    ),
    Case(
        "two blocks write one word", RACE,
        ADDRESS + "st.global.u32 [%d1], %r0; // FAULT",
        ADDRESS + """mov.u32 %r4, %ctaid.x; mul.wide.u32 %d2, %r4, 128; add.u64 %d1, %d1, %d2;
        st.global.u32 [%d1], %r0;""",
        grid=(2, 1, 1), block=(32, 1, 1),
    ),
    Case(
        "a vector of one block and a word of another overlap", RACE,
        """ld.param.u64 %d0, [out]; mov.u32 %r4, %ctaid.x; setp.eq.u32 %p0, %r4, 0;
        @%p0 st.global.v4.u32 [%d0], {%r4, %r4, %r4, %r4}; @!%p0 st.global.u32 [%d0+12], %r4; // FAULT""",
        """ld.param.u64 %d0, [out]; mov.u32 %r4, %ctaid.x; setp.eq.u32 %p0, %r4, 0;
        @%p0 st.global.v4.u32 [%d0], {%r4, %r4, %r4, %r4}; @!%p0 st.global.u32 [%d0+16], %r4;""",
        grid=(2, 1, 1), block=(1, 1, 1),
    ),
    Case(
        "an .nc load of what the launch writes", RACE,
        ADDRESS + "st.global.u32 [%d1], %r0;\nbar.sync 0;\nld.global.nc.u32 %r1, [%d1]; // FAULT",
        ADDRESS + "st.global.u32 [%d1], %r0;\nbar.sync 0;\nld.global.u32 %r1, [%d1];",
    ),
    Case(
        "a barrier under a condition of the thread", BARRIER,
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 7;\n@%p0 bar.sync 0; // FAULT",
        "mov.u32 %r0, %ntid.x; setp.eq.u32 %p0, %r0, 64;\n@%p0 bar.sync 0;",
    ),
    Case(
        "a return before the barrier", BARRIER,
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 40;\n@%p0 ret;\nbar.sync 0; // FAULT",
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 40;\nbar.sync 0; @%p0 ret;",
    ),
    Case(
        "two barriers in two branches pair up", BARRIER,
        """mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra left; bar.sync 0; // FAULT
        bra done; left: bar.sync 0; // FAULT
        done: ret;""",
        """mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bra left;
        bra done; left: mov.u32 %r1, 0; done: bar.sync 0; ret;""",
    ),
    Case(
        "trip counts differ around a barrier", BARRIER,
        """mov.u32 %r0, %tid.x; shr.u32 %r0, %r0, 5;
        loop: bar.sync 0; // FAULT
        sub.u32 %r0, %r0, 1; setp.ge.s32 %p0, %r0, 0; @%p0 bra loop;""",
        """mov.u32 %r0, 2;
        loop: bar.sync 0;
        sub.u32 %r0, %r0, 1; setp.ge.s32 %p0, %r0, 0; @%p0 bra loop;""",
    ),
    Case(
        "a barrier of no such number", BARRIER,
        "mov.u32 %r0, 16; bar.sync %r0; // FAULT", "mov.u32 %r0, 15; bar.sync %r0;",
    ),
    Case(
        "arrivals nobody waits for", BARRIER,
        "bar.arrive 1, 128; // FAULT", "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @%p0 bar.arrive 1, 64;\n"
        "@!%p0 bar.sync 1, 64;",
    ),
    Case(
        "two barriers of one count in two branches", BARRIER,
        """mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @!%p0 bra other;
        bar.sync 1, 64; // FAULT
        bra done; other: bar.sync 2, 64; // FAULT
        done: ret;""",
        """mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 32; @!%p0 bra other;
        bar.sync 1, 32; bra done; other: bar.sync 2, 32; done: ret;""",
    ),
    Case(
        "a full mask in divergent code", INACTIVE_LANE,
        """mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;
        @%p0 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1; // FAULT""",
        """mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;
        @%p0 shfl.sync.bfly.b32 %r1, %r0, 1, 31, 0xffff;""",
    ),
    Case(
        "a shuffle reads a lane outside its mask", INACTIVE_LANE,
        """mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;
        @%p0 shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffff; // FAULT""",
        """mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;
        @%p0 shfl.sync.bfly.b32 %r1, %r0, 8, 31, 0xffff;""",
    ),
    Case(
        "a vote after some lanes have left", INACTIVE_LANE,
        """mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16; @%p0 exit;
        vote.sync.any.pred %p1, %p0, -1; // FAULT""",
        """mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16; @%p0 exit;
        vote.sync.any.pred %p1, %p0, 0xffff0000;""",
    ),
    Case(
        "a mask that does not name the lane itself", INACTIVE_LANE,
        "bar.warp.sync 0xfffffffe; // FAULT", "bar.warp.sync 0xffffffff;",
    ),
    Case(
        "a warp barrier that only one branch reaches", INACTIVE_LANE,
        "mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;\n@%p0 bar.warp.sync -1; // FAULT",
        "mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16;\n@%p0 bar.warp.sync 0xffff;",
    ),
    Case(
        "a loop without end", STEP_LIMIT,
        "loop: bra loop; // FAULT", "bra done; done: ret;", options={"step_limit": 200},
    ),
    Case("a trap", TRAP, "trap; // FAULT", "ret;"),
)


def _run(case: Case, body: str, **more: Any) -> tuple[list[Fault], set[int]]:
    module = kernel(
        body, shared=case.shared,
        module=".extern .shared .align 16 .b8 dyn[];" if "dyn" in body else "",
    )
    memory = Memory()
    out = memory.add("out", **({"size": 256, **case.buffer}))
    result = launch(module, memory, {"out": out}, grid=case.grid, block=case.block, **{**case.options, **more})
    marked = {number for number, line in enumerate(module.text.splitlines(), 1) if "FAULT" in line}
    return result.faults, marked


@pytest.mark.parametrize("schedule", FAULTY_UNDER, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_faulty_program_is_caught_and_located(case: Case, schedule: str | int) -> None:
    faults, marked = _run(case, case.faulty, schedule=schedule)
    # Under an adverse schedule a race may also read what is not yet written.
    harmless = {UNINITIALISED} if case.kind == RACE and schedule != "forward" else set()
    assert {f.kind for f in faults} - harmless == {case.kind}
    for fault in faults:
        lines = {fault.line, fault.other_line}
        assert lines & marked, (str(fault), marked)
        assert fault.threads
        assert all(0 <= t < n for thread in fault.threads for t, n in zip(thread, case.block, strict=True))
        if case.kind in (OUT_OF_BOUNDS, MISALIGNED, READ_ONLY, RACE):
            assert fault.address is not None
            assert fault.bytes > 0


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_repaired_program_is_clean(case: Case) -> None:
    for schedule in (*SCHEDULES, 7, "parted:2"):
        assert _run(case, case.repaired, schedule=schedule)[0] == [], schedule


def test_groups_that_share_a_barrier_are_mixed_by_the_order_of_the_warps() -> None:
    """Two groups of two warps: in order each group opens the barrier for itself; interleaved, one warp of either."""
    body = """mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 64; @!%p0 bra other;
    bar.sync 1, 64; // FAULT
    bra done; other: bar.sync 1, 64; // FAULT
    done: ret;"""
    case = Case("groups at one barrier", BARRIER, body, "ret;", (128, 1, 1))
    assert _run(case, body, schedule="forward")[0] == []
    faults, marked = _run(case, body, schedule="interleaved")
    assert {f.kind for f in faults} == {BARRIER}
    assert {f.line for f in faults} <= marked


def test_every_kind_has_a_case() -> None:
    assert {case.kind for case in CASES} == set(KINDS)


def test_exited_threads_may_be_allowed_at_a_barrier() -> None:
    case = next(c for c in CASES if c.name == "a return before the barrier")
    assert _run(case, case.faulty, allow_exited=True)[0] == []


def test_a_race_names_both_accesses() -> None:
    case = next(c for c in CASES if c.name == "a missing barrier")
    faults, _ = _run(case, case.faulty)
    (fault,) = faults
    assert fault.other_line is not None
    assert fault.other_line == fault.line - 1
    first, second = fault.threads
    assert abs(first[0] - second[0]) == 1
    assert f"line {fault.other_line}" in str(fault)
