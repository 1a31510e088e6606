"""The emulator as a device: memory as a device keeps it, launches as the contract sees them, faults as typed errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from backend.device import Memory, open_device
from backend.emulator.device import EmulatorDevice, KernelFault
from backend.launch import Descriptor, bind, prepare
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.errors import BadInput, ContractViolation
from spec.ptx.faults import OUT_OF_BOUNDS, UNINITIALISED
from spec.ptx.parser import parse

CONTRACT = Contract(
    stem="negate",
    entry="negate",
    parameters=(
        Parameter("x", "buffer"),
        Parameter("y", "buffer"),
        Parameter("rows", "u32"),
        Parameter("columns", "u32"),
        Parameter("stride", "u32"),
    ),
    requires=("rows >= 1 && columns >= 1 && stride >= columns",),
    buffers=(
        Buffer("x", "u32", ("rows", "columns"), "r", leading="stride", align=4),
        Buffer("y", "u32", ("rows", "columns"), "w", leading="stride", align=4),
    ),
    block=(32, 1, 1),
    grid=("rows", "1", "1"),
    outputs=("y",),
    ceilings=Ceilings(registers=32, static_shared=0),
    operator="negate",
)
PTX = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry negate(.param .u64 x, .param .u64 y, .param .u32 rows, .param .u32 columns, .param .u32 stride)
{
    .reg .pred %p;
    .reg .u32 %t, %n, %s, %r, %v;
    .reg .u64 %x, %y, %o;
    mov.u32 %t, %tid.x;
    ld.param.u32 %n, [columns];
    setp.ge.u32 %p, %t, %n;
    @%p bra EXIT;
    mov.u32 %r, %ctaid.x;
    ld.param.u32 %s, [stride];
    mad.lo.u32 %t, %r, %s, %t;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mul.wide.u32 %o, %t, 4;
    add.u64 %x, %x, %o;
    add.u64 %y, %y, %o;
    ld.global.u32 %v, [%x];
    neg.s32 %v, %v;
    st.global.u32 [%y], %v;
EXIT:
    ret;
}
"""


def launch(device: EmulatorDevice, ptx: str, offset: int = 0) -> tuple[Memory, Memory]:
    """Two rows of five elements, eight apart, `offset` bytes behind the start of larger allocations."""
    descriptor: Descriptor = bind(CONTRACT, parse(ptx))
    x, y = device.alloc(256), device.alloc(256)
    device.upload(x, np.arange(64, dtype=np.uint32))
    device.upload(y, np.full(64, 7, np.uint32))
    values = {"rows": 2, "columns": 5, "stride": 8}
    device.launch(prepare(descriptor, values, {"x": x.span(offset), "y": y.span(offset)}))
    return x, y


def test_a_launch_changes_the_logical_elements_and_nothing_else() -> None:
    with EmulatorDevice() as device:
        x, y = launch(device, PTX, 8)
        words = device.download(y).view(np.int32)
        expected = np.full(64, 7)
        expected[2:7], expected[10:15] = -np.arange(2, 7), -np.arange(10, 15)
        assert words.tolist() == expected.tolist()
        assert device.download(x).view(np.uint32).tolist() == list(range(64))
        assert device.stats.blocks == 2


def test_a_fault_is_an_error_with_line_block_thread_and_address() -> None:
    wide = PTX.replace("setp.ge.u32 %p, %t, %n;", "setp.gt.u32 %p, %t, %n;")
    with (
        EmulatorDevice() as device,
        pytest.raises(KernelFault, match=r"line 22: out-of-bounds.*thread \(5, 0, 0\), address 0x") as found,
    ):
        launch(device, wide)
    fault = found.value.faults[0]
    assert fault.kind == OUT_OF_BOUNDS
    assert fault.block == (0, 0, 0)
    assert fault.address is not None


def test_an_output_is_not_readable_before_it_is_written() -> None:
    with EmulatorDevice() as device, pytest.raises(KernelFault, match="uninitialised") as found:
        launch(device, PTX.replace("ld.global.u32 %v, [%x];", "ld.global.u32 %v, [%y];"))
    assert found.value.faults[0].kind == UNINITIALISED


def test_an_input_is_not_writable() -> None:
    with EmulatorDevice() as device, pytest.raises(KernelFault, match="read-only"):
        launch(device, PTX.replace("st.global.u32 [%y]", "st.global.u32 [%x]"))


def test_memory_is_kept_until_freed() -> None:
    device = open_device("emulator")
    memory = device.alloc(10)
    device.upload(memory, np.arange(4, dtype=np.uint8), 6)
    assert device.download(memory, 5, 5).tolist() == [0, 0, 1, 2, 3]
    assert memory.address % 256 == 0
    with pytest.raises(BadInput, match="bytes 8 to 12 of an allocation of 10"):
        device.upload(memory, np.zeros(4, np.uint8), 8)
    device.free(memory)
    with pytest.raises(BadInput, match="freed"):
        device.download(memory)
    assert device.name == "emulator"


def test_a_buffer_outside_every_allocation_is_refused() -> None:
    with EmulatorDevice() as device:
        descriptor = bind(CONTRACT, parse(PTX))
        x = device.alloc(256)
        gone = Memory(x.address + 4096, 256)
        with pytest.raises(BadInput, match=r"buffer [xy]: no allocation holds"):
            device.launch(
                prepare(descriptor, {"rows": 2, "columns": 5, "stride": 8}, {"x": x.span(), "y": gone.span()})
            )


def test_unknown_devices_are_refused_by_name() -> None:
    with pytest.raises(BadInput, match="no device 'tpu'; have emulator, cuda"):
        open_device("tpu")


def test_aligned_accesses_to_a_buffer_that_begins_in_between() -> None:
    """A wide access may be aligned though its offset in the buffer is not."""
    descriptor = bind(CONTRACT, parse(WIDE))
    with EmulatorDevice() as device:
        x, y = device.alloc(128), device.alloc(128)
        device.upload(x, np.arange(32, dtype=np.uint32))
        values = {"rows": 1, "columns": 9, "stride": 9}
        device.launch(prepare(descriptor, values, {"x": x.span(4), "y": y.span(4)}))
        assert device.download(y).view(np.uint32)[:8].tolist() == [0, 0, 0, 0, 4, 5, 6, 7]


WIDE = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry negate(.param .u64 x, .param .u64 y, .param .u32 rows, .param .u32 columns, .param .u32 stride)
{
    .reg .pred %p;
    .reg .u32 %t, %v<4>;
    .reg .u64 %x, %y;
    mov.u32 %t, %tid.x;
    setp.ne.u32 %p, %t, 0;
    @%p bra EXIT;
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%x+12];
    st.global.v4.u32 [%y+12], {%v0, %v1, %v2, %v3};
EXIT:
    ret;
}
"""


# --- a launch whose contract says what a buffer holds ------------------------------------------------------------

LOOKUP = Contract(
    stem="lookup",
    entry="lookup",
    parameters=(
        Parameter("pool", "buffer"), Parameter("table", "buffer"), Parameter("out", "buffer"), Parameter("n", "u32"),
        Parameter("blocks", "u32"),
    ),
    requires=("n >= 1 && n <= 32 && blocks >= 1",),
    buffers=(
        Buffer("pool", "u32", ("blocks",), "r", align=4),
        Buffer("table", "u32", ("2", "n"), "r", leading="n + 3", align=4),
        Buffer("out", "u32", ("n",), "w", align=4),
    ),
    block=(32, 1, 1),
    grid=("1", "1", "1"),
    outputs=("out",),
    ceilings=Ceilings(registers=32, static_shared=0),
    operator="lookup",
    facts=("table[s, i] in [0, blocks)",),
)  # fmt: skip
GATHER = """
.version 7.0
.target sm_80
.address_size 64
.visible .entry lookup(.param .u64 pool, .param .u64 table, .param .u64 out, .param .u32 n, .param .u32 blocks)
{
    .reg .pred %p;
    .reg .u32 %t, %n, %v;
    .reg .u64 %x, %y, %z, %o;
    mov.u32 %t, %tid.x;
    ld.param.u32 %n, [n];
    setp.ge.u32 %p, %t, %n;
    @%p bra EXIT;
    ld.param.u64 %x, [pool];
    ld.param.u64 %y, [table];
    ld.param.u64 %z, [out];
    mul.wide.u32 %o, %t, 4;
    add.u64 %z, %z, %o;
    add.u32 %t, %t, %n;
    add.u32 %t, %t, 3;
    mul.wide.u32 %o, %t, 4;
    add.u64 %y, %y, %o;
    ld.global.u32 %v, [%y];
    mul.wide.u32 %o, %v, 4;
    add.u64 %x, %x, %o;
    ld.global.u32 %v, [%x];
    st.global.u32 [%z], %v;
EXIT:
    ret;
}
"""


def test_a_launch_reads_the_contents_that_were_checked_and_no_others() -> None:
    """The caller's array and the buffer change after the check; the kernel gathers by what was checked."""
    given = np.array([[0, 0, 0], [2, 0, 3]], np.uint32)
    with EmulatorDevice() as device:
        pool, table, out = device.alloc(16), device.alloc(64), device.alloc(12)
        device.upload(pool, np.array([10, 11, 12, 13], np.uint32))
        device.upload(table, np.full(16, 77, np.uint32))
        spans = {"pool": pool.span(), "table": table.span(4), "out": out.span()}
        prepared = prepare(bind(LOOKUP, parse(GATHER)), {"n": 3, "blocks": 4}, spans, {"table": given})
        given[1] = 99
        device.upload(table, np.full(16, 88, np.uint32))
        device.launch(prepared)
        assert device.download(out).view(np.uint32).tolist() == [12, 10, 13]
        held = device.download(table).view(np.uint32).tolist()
        assert held == [88, 0, 0, 0, 88, 88, 88, 2, 0, 3, *[88] * 6], "what lies between rows is not the launch's"
        (content,) = prepared.contents
        with pytest.raises(ValueError, match=r"WRITEABLE"):
            content.elements.setflags(write=True)


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ({}, r"no contents given for table, of which the contract has facts: table\[s, i\] in"),
        ({"table": np.array([[0, 1, 2], [3, 4, 0]], np.uint32)}, r"lookup requires table\[s, i\] in \[0, blocks\); "
                                                                 r"table\[1, 1\] is 4$"),
        ({"table": np.zeros((2, 3), np.int32)}, r"table are uint32 of shape \(2, 3\); asked for int32 of shape"),
        ({"table": np.zeros(6, np.uint32)}, r"asked for uint32 of shape \(6,\)"),
        ({"table": [[0, 0, 0], [0, 0, 0]]}, "asked for <class 'list'>"),
        ({"table": np.zeros((2, 3), np.uint32), "pool": np.zeros(4, np.uint32)}, "given for pool, of which the .* no"),
    ],
)  # fmt: skip
def test_contents_that_the_contract_does_not_allow_are_refused(contents: dict[str, Any], message: str) -> None:
    with EmulatorDevice() as device:
        spans = {name: device.alloc(64).span() for name in ("pool", "table", "out")}
        descriptor = bind(LOOKUP, parse(GATHER))
        with pytest.raises(ContractViolation, match=message):
            prepare(descriptor, {"n": 3, "blocks": 4}, spans, contents)


def test_a_fact_that_cannot_be_read_makes_no_descriptor() -> None:
    with pytest.raises(ContractViolation, match="out is no buffer of integers that is read"):
        bind(replace(LOOKUP, facts=("out[i] == 0",)), parse(GATHER))


def test_planes_of_a_buffer_with_three_extents() -> None:
    """An access between two planes, inside the allocation, is a fault."""
    planes = replace(
        LOOKUP, facts=(), buffers=(
            LOOKUP.buffers[0], Buffer("table", "u32", ("2", "1", "n"), "r", leading="n", plane="n + 3", align=4),
            LOOKUP.buffers[2],
        ),
    )  # fmt: skip
    with EmulatorDevice() as device:
        pool, table, out = device.alloc(16), device.alloc(64), device.alloc(12)
        device.upload(table, np.zeros(16, np.uint32))
        spans = {"pool": pool.span(), "table": table.span(), "out": out.span()}
        device.launch(prepare(bind(planes, parse(GATHER)), {"n": 3, "blocks": 4}, spans))
        between = GATHER.replace("add.u32 %t, %t, 3;", "add.u32 %t, %t, 2;")
        with pytest.raises(KernelFault) as caught:
            device.launch(prepare(bind(planes, parse(between)), {"n": 3, "blocks": 4}, spans))
        assert caught.value.faults[0].kind == OUT_OF_BOUNDS
