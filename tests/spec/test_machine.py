"""The concrete machine on small programs: values, schedules, branches, barriers, exchange between lanes, sampling."""

from __future__ import annotations

import numpy as np
import pytest

from spec.errors import BadInput, Unsupported
from spec.ptx.access import AccessEvent
from spec.ptx.faults import BARRIER, STEP_LIMIT
from spec.ptx.memory import Memory
from tests.spec.programs import kernel, launch

SCHEDULES = ("forward", "reverse", 1, 2, "halves", "parted")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_reversal_through_shared_memory(schedule: str | int) -> None:
    program = kernel(
        """
        mov.u32 %r0, %tid.x;
        ld.param.u64 %d0, [out];
        mad.wide.u32 %d1, %r0, 4, %d0;
        mov.u32 %r1, s;
        mad.lo.u32 %r2, %r0, 4, %r1;
        st.shared.u32 [%r2], %r0;
        bar.sync 0;
        sub.u32 %r3, 127, %r0;
        mad.lo.u32 %r2, %r3, 4, %r1;
        ld.shared.u32 %r4, [%r2];
        st.global.u32 [%d1], %r4;
        ret;
        """,
        shared="s[512]",
    )
    memory = Memory()
    out = memory.add("out", size=512)
    result = launch(program, memory, {"out": out}, block=(128, 1, 1), schedule=schedule)
    assert result.faults == []
    assert (memory["out"].array(np.uint32) == np.arange(128)[::-1]).all()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_thread_dependent_loop_and_exchange_after_it(schedule: str | int) -> None:
    """Lanes that leave a loop after different trip counts meet before the shuffle."""
    program = kernel(
        """
        mov.u32 %r0, %laneid;
        mov.u32 %r1, 0;
        mov.u32 %r2, 0;
    loop:
        setp.ge.u32 %p0, %r1, %r0;
        @%p0 bra done;
        add.u32 %r2, %r2, 3;
        add.u32 %r1, %r1, 1;
        bra loop;
    done:
        shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
        ld.param.u64 %d0, [out];
        mov.u32 %r4, %tid.x;
        mad.wide.u32 %d1, %r4, 4, %d0;
        st.global.u32 [%d1], %r3;
        ret;
        """
    )
    memory = Memory()
    out = memory.add("out", size=256)
    result = launch(program, memory, {"out": out}, block=(64, 1, 1), schedule=schedule)
    assert result.faults == []
    assert (memory["out"].array(np.uint32) == 3 * (np.arange(64) % 32 ^ 1)).all()


def test_lanes_of_a_partial_mask_exchange_in_their_branch() -> None:
    program = kernel(
        """
        mov.u32 %r0, %laneid;
        mov.u32 %r3, 99;
        setp.lt.u32 %p0, %r0, 16;
        @!%p0 bra done;
        shfl.sync.down.b32 %r3|%p1, %r0, 8, 15, 0xffff;
    done:
        ld.param.u64 %d0, [out];
        mad.wide.u32 %d1, %r0, 4, %d0;
        st.global.u32 [%d1], %r3;
        ret;
        """
    )
    memory = Memory()
    out = memory.add("out", size=128)
    assert launch(program, memory, {"out": out}, block=(32, 1, 1)).faults == []
    expected = [*range(8, 16), *range(8, 16), *[99] * 16]
    assert memory["out"].array(np.uint32).tolist() == expected


def test_votes_and_reductions() -> None:
    program = kernel(
        """
        mov.u32 %r0, %laneid;
        setp.lt.u32 %p0, %r0, 5;
        vote.sync.ballot.b32 %r1, %p0, -1;
        vote.sync.any.pred %p1, %p0, -1;
        vote.sync.all.pred %p2, %p0, -1;
        vote.sync.uni.pred %p3, %p0, -1;
        selp.u32 %r2, 1, 0, %p1;
        selp.u32 %r3, 2, 0, %p2;
        selp.u32 %r4, 4, 0, %p3;
        redux.sync.add.u32 %r5, %r0, -1;
        sub.u32 %r6, %r0, 7;
        redux.sync.min.s32 %r7, %r6, -1;
        ld.param.u64 %d0, [out];
        st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};
        st.global.v2.u32 [%d0+16], {%r5, %r7};
        ret;
        """
    )
    memory = Memory()
    out = memory.add("out", size=24)
    result = launch(program, memory, {"out": out}, block=(32, 1, 1))
    # Every lane writes the same words: that is a race, and here the only one.
    assert {f.kind for f in result.faults} == {"race"}
    assert memory["out"].array(np.uint32).tolist() == [31, 1, 0, 0, 496, 2**32 - 7]


def test_sampled_blocks_of_a_huge_grid_in_a_sparse_buffer() -> None:
    """Block 2^31 - 2 writes near the end of a buffer of 2^40 bytes; only its page exists."""
    program = kernel(
        """
        mov.u32 %r0, %ctaid.x;
        mov.u32 %r1, %tid.x;
        mad.lo.u32 %r2, %r0, 32, %r1;
        mul.wide.u32 %d1, %r0, 512;
        ld.param.u64 %d0, [out];
        add.u64 %d0, %d0, %d1;
        mad.wide.u32 %d0, %r1, 4, %d0;
        st.global.u32 [%d0], %r2;
        ret;
        """
    )
    memory = Memory()
    out = memory.add("out", size=2**40)
    last = 2**31 - 2
    result = launch(program, memory, {"out": out}, grid=(2**31 - 1, 1, 1), block=(32, 1, 1), blocks=[(last, 0, 0)])
    assert result.faults == []
    assert len(memory["out"].content.pages) == 1
    got = np.frombuffer(memory["out"].data(last * 512, 128), np.uint32)
    assert (got == (last * 32 + np.arange(32)) % 2**32).all()


def test_constants_local_memory_and_generic_addresses() -> None:
    program = kernel(
        """
        mov.u32 %r0, %tid.x;
        mov.u64 %d1, frame;
        cvta.local.u64 %d2, %d1;
        st.u32 [%d2], %r0;
        ld.local.u32 %r1, [%d1];
        ld.const.u32 %r2, [table+4];
        add.u32 %r1, %r1, %r2;
        ld.param.u64 %d0, [out];
        mad.wide.u32 %d0, %r0, 4, %d0;
        st.u32 [%d0], %r1;
        ret;
        """,
        local="frame[8]",
        module=".const .align 4 .u32 table[2] = {5, 70};",
    )
    memory = Memory()
    out = memory.add("out", size=160)
    assert launch(program, memory, {"out": out}, block=(40, 1, 1)).faults == []
    assert (memory["out"].array(np.uint32) == 70 + np.arange(40)).all()


def test_events_name_every_access() -> None:
    program = kernel(
        """
        ld.param.u64 %d0, [out];
        mov.u32 %r0, %tid.x;
        mad.wide.u32 %d0, %r0, 4, %d0;
        st.global.u32 [%d0], %r0;
        ret;
        """
    )
    memory = Memory()
    out = memory.add("out", size=16)
    events: list[AccessEvent] = []
    launch(program, memory, {"out": out}, block=(4, 1, 1), on_access=events.append)
    assert [(e.thread, e.address, e.width, e.kind, e.space) for e in events] == [
        ((t, 0, 0), out + 4 * t, 4, "write", "global") for t in range(4)
    ]


def test_endless_loop_meets_the_step_limit() -> None:
    result = launch(kernel("loop: bra loop;"), Memory(), {"out": 0}, step_limit=100)
    assert [f.kind for f in result.faults] == [STEP_LIMIT]


def test_unknown_instruction_is_refused_by_name_and_line() -> None:
    program = kernel("atom.global.sub.u32 %r0, [%d0], 1;")
    with pytest.raises(Unsupported, match=r"line \d+: instruction atom\.global\.sub\.u32"):
        launch(program, Memory(), {"out": 0})


def test_arguments_must_fit_the_parameters() -> None:
    with pytest.raises(BadInput, match="no value for parameter out"):
        launch(kernel("ret;"), Memory(), {})
    with pytest.raises(BadInput, match="no parameter other"):
        launch(kernel("ret;"), Memory(), {"out": 0, "other": 1})
    with pytest.raises(BadInput, match="takes 8 bytes, got 4"):
        launch(kernel("ret;"), Memory(), {"out": bytes(4)})


@pytest.mark.parametrize(("module", "local", "space", "limit"), [
    (".const .align 4 .b8 a[40000]; .const .align 4 .b8 b[40000];", "", "const", 65_536),
    ("", "frame[600000]", "local", 524_288),
    (".shared .align 4 .b8 wide[240000];", "", "shared", 232_448),
])  # fmt: skip
def test_variables_beyond_what_the_hardware_has_are_refused(module: str, local: str, space: str, limit: int) -> None:
    program = kernel("ret;", module=module, **({"local": local} if local else {}))
    with pytest.raises(BadInput, match=rf"{space} variables up to \w+ take \d+ bytes; .* at most {limit}"):
        launch(program, Memory(), {"out": 0}, block=(1, 1, 1))


def test_a_large_variable_that_holds_nothing_takes_no_memory() -> None:
    program = kernel(
        """
        mov.u64 %d1, big;
        mov.u32 %r1, 9;
        st.global.u32 [%d1+4294967296], %r1;
        ld.global.u32 %r2, [%d1+8589934580];
        ld.param.u64 %d0, [out];
        st.global.u32 [%d0], %r2;
        ret;
        """,
        module=".global .align 4 .b8 big[8589934592];",
    )
    memory = Memory()
    out = memory.add("out", size=4)
    assert launch(program, memory, {"out": out}, block=(1, 1, 1)).faults == []
    assert memory["out"].data() == bytes(4)


def test_more_arrivals_than_a_barrier_is_for_are_reported_though_nobody_waits() -> None:
    result = launch(kernel("bar.arrive 1, 32; ret;"), Memory(), {"out": 0}, block=(64, 1, 1))
    assert [(f.kind, f.threads[0]) for f in result.faults] == [(BARRIER, (0, 0, 0))]
    assert "64 threads at barrier 1 for 32" in result.faults[0].message


@pytest.mark.parametrize("line", ["setp.ge.u32 %r1, %r2, 2;", "mov.u32 %p1, 2;", "mov.u32 %r1, %p1;"])
def test_a_register_of_another_kind_than_the_operand_is_not_understood(line: str) -> None:
    program = kernel(f"mov.u32 %r2, 1; mov.u32 %r1, 1; setp.eq.u32 %p1, %r1, 1; {line} ret;")
    with pytest.raises(Unsupported, match=r"%[rp]1"):
        launch(program, Memory(), {"out": 0}, block=(1, 1, 1))
