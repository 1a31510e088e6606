"""The schedules: each shows a mistake in what memory holds that `forward` hides, and none disturbs a sound kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from spec.errors import BadInput
from spec.ptx.faults import INACTIVE_LANE, RACE, UNINITIALISED, Fault
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from spec.ptx.schedules import SCHEDULES, Chosen, Schedule, in_order, schedule_of
from tests.spec.programs import kernel

WORDS = 512
DATA = np.random.default_rng(5).integers(1, 2**31, WORDS, dtype=np.uint32)
SEEDED = ("switching", "parted", "pieces", "mixed")
EVERY: tuple[str, ...] = (*SCHEDULES, *(f"{name}:{seed}" for name in SEEDED for seed in (1, 2, 3)))
HEAD = """mov.u32 %r0, %tid.x; mov.u32 %r1, %laneid; mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2;
ld.param.u64 %d0, [out]; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r6, %r4, %r5, %r0;
mad.wide.u32 %d1, %r6, 4, %d0; ld.param.u64 %d2, [data]; mad.wide.u32 %d3, %r0, 4, %d2; mad.wide.u32 %d4, %r0, 16, %d2;
mad.lo.u32 %r7, %r0, 16, %r2;
"""


@dataclass(frozen=True)
class Program:
    """A kernel over `out` (zeros) and `data`, with the thread's word of `out` in %d1 and of shared memory in %r3."""

    name: str
    body: str
    threads: int = 64
    blocks: int = 1


def left(program: Program, schedule: Chosen, **options: Any) -> tuple[bytes, list[Fault]]:
    """What is in `out` afterwards, and the faults."""
    memory = Memory()
    out = memory.add("out", np.zeros(WORDS, np.uint32))
    data = memory.add("data", DATA)
    module = kernel(HEAD + program.body, shared="s[4096]", params=".param .u64 out, .param .u64 data")
    result = run(
        module.entries[0], module, grid=(program.blocks, 1, 1), block=(program.threads, 1, 1),
        args={"out": out, "data": data}, memory=memory, schedule=schedule, **options,
    )
    return memory["out"].data(), result.faults


# What forward hides, by the schedule that shows it.
EXCHANGE = "st.shared.u32 [%r3], %r0; xor.b32 %r8, %r0, {}; mad.lo.u32 %r8, %r8, 4, %r2; ld.shared.u32 %r9, [%r8];\n"
EXCHANGE += "st.global.u32 [%d1], %r9;"
ACROSS, BESIDE = EXCHANGE.format(32), EXCHANGE.format(1)
LAST_ONE = "st.global.u32 [%d0], {};"
TWO_PATHS = f"""setp.lt.u32 %p0, %r1, 7; @%p0 bra low; {LAST_ONE.format(1)} bra done;
low: {LAST_ONE.format(2)} done: ret;"""
COPY = "cp.async.cg.shared.global [%r7], [%d4], 16; cp.async.commit_group;\n"
NO_WAIT = f"""st.shared.v4.u32 [%r7], {{9, 9, 9, 9}}; {COPY}
mov.u32 %r8, 0; more: add.u32 %r8, %r8, 1; setp.lt.u32 %p0, %r8, 3; @%p0 bra more;
ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r7]; mad.wide.u32 %d5, %r0, 16, %d0;
st.global.v4.u32 [%d5], {{%r10, %r11, %r12, %r13}};"""
LOST_UPDATE = "ld.global.u32 %r8, [%d0]; add.u32 %r8, %r8, 1; st.global.u32 [%d0], %r8;"
FAULTY: tuple[tuple[str, Program], ...] = (
    ("reverse", Program("last writer of several warps", LAST_ONE.format("%r0"))),
    ("reverse", Program("last writer of several blocks", LAST_ONE.format("%r4"), 1, 4)),
    ("reverse", Program("copy that is not waited for", NO_WAIT)),
    ("interleaved", Program("last writer of several warps", LAST_ONE.format("%r0"), 128)),
    ("interleaved", Program("exchange across warps", ACROSS)),
    ("warps", Program("exchange across warps", ACROSS)),
    ("switching:2", Program("exchange across warps", ACROSS)),
    ("switching:1", Program("last writer of several blocks", LAST_ONE.format("%r4"), 1, 8)),
    ("highest", Program("last writer of two paths", TWO_PATHS, 32)),
    ("halves", Program("exchange in a warp", BESIDE, 32)),
    ("parted:1", Program("exchange in a warp", BESIDE, 32)),
    ("parted:3", Program("last writer of two paths", TWO_PATHS, 32)),
    ("eager", Program("copy that is not waited for", NO_WAIT)),
    ("pieces", Program("copy that is not waited for", NO_WAIT)),
    ("mixed", Program("lost update between blocks", LOST_UPDATE, 1, 8)),
)


@pytest.mark.parametrize(("schedule", "program"), FAULTY, ids=lambda v: getattr(v, "name", v))
def test_a_mistake_that_forward_hides_shows_in_memory(schedule: str, program: Program) -> None:
    hidden, faults = left(program, "forward")
    shown, others = left(program, schedule)
    assert shown != hidden
    for found in (faults, others):
        assert RACE in {f.kind for f in found} <= {RACE, UNINITIALISED}


def test_every_schedule_shows_something() -> None:
    assert {name.partition(":")[0] for name, _ in FAULTY} == {*SCHEDULES} - {"forward"}


def test_pieces_of_one_copy_land_one_by_one() -> None:
    old, new, mixed = (
        np.frombuffer(left(Program("copy", NO_WAIT), schedule)[0], np.uint32)[: 4 * 64].reshape(64, 4)
        for schedule in ("forward", "eager", "pieces")
    )
    arrived = mixed == new
    assert (arrived | (mixed == old)).all()
    assert (arrived.any(axis=1) & ~arrived.all(axis=1)).any()


def test_lanes_that_overtake_deadlock_where_forward_comes_through() -> None:
    """What a lane reads in a race decides whether it comes to the barrier."""
    body = f"{ACROSS} xor.b32 %r10, %r0, 32; setp.ne.u32 %p0, %r9, %r10; @%p0 bra end; bar.sync 0; end: ret;"
    program = Program("barrier after a race", body)
    assert {f.kind for f in left(program, "forward")[1]} == {RACE}
    assert "barrier-divergence" in {f.kind for f in left(program, "warps")[1]}


# Sound kernels.
PIPELINE = f"""{COPY}
cp.async.ca.shared.global [%r7+2048], [%d4], 8; cp.async.commit_group;
cp.async.wait_group 1; bar.sync 0; xor.b32 %r8, %r0, 33; mad.lo.u32 %r8, %r8, 16, %r2; ld.shared.u32 %r9, [%r8+12];
cp.async.wait_group 0; bar.sync 0; ld.shared.u32 %r10, [%r8+2052]; add.u32 %r9, %r9, %r10; st.global.u32 [%d1], %r9;"""
SHUFFLES = """setp.lt.u32 %p0, %r1, 12; @%p0 bra few;
shfl.sync.bfly.b32 %r9|%p1, %r0, 1, 0x1f, 0xfffff000; vote.sync.ballot.b32 %r10, %p1, 0xfffff000;
add.u32 %r9, %r9, %r10; bra join;
few: mov.u32 %r8, 0;
round: shfl.sync.idx.b32 %r9, %r0, %r8, 0x1f, 0xfff; add.u32 %r10, %r10, %r9; add.u32 %r8, %r8, 1;
setp.lt.u32 %p1, %r8, 5; @%p1 bra round;
redux.sync.add.u32 %r11, %r10, 0xfff; add.u32 %r9, %r10, %r11;
join: bar.warp.sync -1; shfl.sync.up.b32 %r12, %r9, 3, 0, -1; add.u32 %r9, %r9, %r12; st.global.u32 [%d1], %r9;"""
# One half of each warp waits in a loop for the other, whichever stands lower in the text.
SPIN = """setp.lt.u32 %p0, %r1, 16; mad.lo.u32 %r8, %r0, 4, %r2; xor.b32 %r9, %r0, 16; mad.lo.u32 %r9, %r9, 4, %r2;
st.shared.u32 [%r3], 0; bar.sync 0; {guard} bra other;
wait: atom.shared.or.b32 %r10, [%r8], 0; setp.eq.u32 %p1, %r10, 0; @%p1 bra wait; bra done;
other: add.u32 %r11, %r0, 7; atom.shared.exch.b32 %r20, [%r9], %r11; mov.u32 %r10, 1;
done: st.global.u32 [%d1], %r10;"""
ACROSS_WARPS = SPIN.replace("setp.lt.u32 %p0, %r1, 16", "setp.lt.u32 %p0, %r0, 32").replace("%r0, 16;", "%r0, 32;")
HANDED = """mov.u32 %r10, 0; setp.lt.u32 %p0, %r0, 32; xor.b32 %r8, %r0, 32; mad.lo.u32 %r8, %r8, 4, %r2;
again: @%p0 bra giving;
bar.sync 1, 64; ld.shared.u32 %r9, [%r8]; bar.arrive 2, 64; bra next;
giving: add.u32 %r9, %r0, %r10; st.shared.u32 [%r3], %r9; bar.arrive 1, 64; bar.sync 2, 64;
next: add.u32 %r11, %r11, %r9; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 4; @%p1 bra again;
st.global.u32 [%d1], %r11;"""
COUNTED = """and.b32 %r8, %r0, 3; mad.wide.u32 %d5, %r8, 4, %d0; red.global.add.u32 [%d5], %r6;
atom.global.max.u32 %r9, [%d0+64], %r6;"""
SOUND = (
    Program("exchange across warps", ACROSS.replace("xor", "bar.sync 0; xor", 1), 128, 2),
    Program("exchange in a warp", BESIDE.replace("xor", "bar.warp.sync -1; xor", 1), 64),
    Program("copies in two stages", PIPELINE),
    Program("shuffles of parted lanes", SHUFFLES.replace("setp", "mov.u32 %r10, 0; setp", 1)),
    Program("lower lanes wait for others", SPIN.format(guard="@!%p0")),
    Program("higher lanes wait for others", SPIN.format(guard="@%p0")),
    Program("a warp waits for another", ACROSS_WARPS.format(guard="@%p0")),
    Program("a warp waits for another, the other way", ACROSS_WARPS.format(guard="@!%p0")),
    Program("handed over at named barriers", HANDED.replace("mov", "mov.u32 %r11, 0; mov", 1)),
    Program("counted with atomics", COUNTED, 64, 4),
)


@pytest.mark.parametrize("program", SOUND, ids=lambda p: p.name)
def test_a_sound_kernel_leaves_the_same_under_every_schedule(program: Program) -> None:
    wanted, faults = left(program, "forward", step_limit=20_000)
    assert faults == []
    assert any(wanted)
    for schedule in EVERY[1:]:
        assert left(program, schedule, step_limit=20_000) == (wanted, []), schedule


def test_blocks_that_wait_for_each_other_end_where_they_take_turns() -> None:
    body = """red.global.add.u32 [%d0], 1; wait: atom.global.or.b32 %r8, [%d0], 0; setp.lt.u32 %p0, %r8, 3;
    @%p0 bra wait; red.global.add.u32 [%d0+4], 1;"""
    program = Program("blocks meet", body, 1, 3)
    assert {f.kind for f in left(program, "forward", step_limit=500)[1]} == {"step-limit"}
    got, faults = left(program, "mixed", step_limit=500)
    assert faults == []
    assert np.frombuffer(got, np.uint32)[:2].tolist() == [3, 3]


def test_lanes_that_left_may_be_awaited_by_no_one_where_that_is_allowed() -> None:
    """Whether they leave before or after the others come to the mask."""
    body = "setp.ge.u32 %p0, %r1, 16; {} shfl.sync.bfly.b32 %r9, %r0, 1, 0x1f, -1; st.global.u32 [%d1], %r9; bra end;"
    for guard in ("@%p0 bra end;", "@%p0 exit;"):
        program = Program("half a warp leaves", body.format(guard) + " end: ret;", 32)
        for schedule in EVERY:
            assert left(program, schedule, allow_exited=True)[1] == [], (guard, schedule)


APART = """st.shared.u32 [%r3], %r0; setp.lt.u32 %p0, %r1, 16; @%p0 bra few; bar.warp.sync {}; bra join;
few: bar.warp.sync {}; join: xor.b32 %r8, %r0, 16; mad.lo.u32 %r8, %r8, 4, %r2; ld.shared.u32 %r9, [%r8];
st.global.u32 [%d1], %r9;"""


def test_lanes_meet_at_any_barrier_of_their_warp() -> None:
    """PTX ISA 9.7.13.2: all that the mask names wait for each other, at whichever such instruction each stands."""
    program = Program("two warp barriers", APART.format("-1", "-1"), 64)
    wanted = left(program, "forward")
    assert np.frombuffer(wanted[0], np.uint32)[:64].tolist() == [t ^ 16 for t in range(64)]
    assert wanted[1] == []
    for schedule in EVERY:
        assert left(program, schedule) == wanted
    for masks in (("-1", "0xffff"), ("0xffff0000", "-1"), ("0xffff0001", "-1")):
        for schedule in ("forward", "halves"):
            assert INACTIVE_LANE in {f.kind for f in left(Program("unlike", APART.format(*masks)), schedule)[1]}


def test_lanes_in_step_meet_at_one_barrier_only() -> None:
    module = kernel(HEAD + APART.format("-1", "-1"), shared="s[4096]", params=".param .u64 out, .param .u64 data")
    older = replace(module, target=("sm_61",))
    memory = Memory()
    args: dict[str, int | bytes] = {"out": memory.add("out", size=256), "data": memory.add("data", DATA)}
    faults = run(module.entries[0], older, grid=(1, 1, 1), block=(32, 1, 1), args=args, memory=memory).faults
    assert INACTIVE_LANE in {f.kind for f in faults}


# --- the values ---
def test_a_schedule_is_known_by_name_and_seed() -> None:
    assert schedule_of("parted:7") == Schedule(
        "parted", turn="switch", paths="any", splits=True, copies="pieces", blocks="shuffled", seed=7
    )
    assert schedule_of(3) == schedule_of("switching:3")
    for name in EVERY:
        assert str(schedule_of(name)) == name
        assert schedule_of(schedule_of(name)) == schedule_of(name)
    for wrong in ("sideways", "parted:", "parted:x", ""):
        with pytest.raises(BadInput, match="no schedule"):
            schedule_of(wrong)


def test_a_schedule_makes_the_same_choices_again() -> None:
    program = Program("exchange in a warp", BESIDE)
    assert left(program, "parted:1") == left(program, "parted:1")
    assert left(program, "parted:1")[0] != left(program, "parted:2")[0]


def test_every_order_of_blocks_has_each_once() -> None:
    grid = (3, 2, 2)
    forward = list(in_order(grid, SCHEDULES["forward"]))
    assert forward[:4] == [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)]
    for schedule in SCHEDULES.values():
        assert sorted(in_order(grid, schedule)) == sorted(forward)
    assert list(in_order(grid, SCHEDULES["reverse"])) == forward[::-1]
    assert list(in_order(grid, SCHEDULES["switching"])) != forward
