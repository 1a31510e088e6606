"""The emulator as a device: memory as a device keeps it, launches as the contract sees them, faults as typed errors."""

from __future__ import annotations

import numpy as np
import pytest

from backend.device import Memory, open_device
from backend.emulator.device import EmulatorDevice, KernelFault
from backend.launch import Descriptor, bind, prepare
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.errors import BadInput
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
