"""The machine of spec.ptx as a Device: the instruction definitions themselves, watched for faults.

A launch sees only what its contract names: each buffer's logical rows, at a base that is aligned like the one it was
given and far from every other. Whatever else a kernel touches is a fault.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.device import Bytes, Memory
from backend.launch import Prepared, Region
from spec.errors import BadInput, FltcError
from spec.ptx.ast import Module
from spec.ptx.faults import Fault
from spec.ptx.machine import Stats, run
from spec.ptx.memory import Memory as LaunchMemory
from spec.ptx.parser import parse
from spec.ptx.schedules import Chosen
from spec.tensor_core import ADA, TensorCore

_FIRST = 1 << 32
_ALIGN = 256
_SHOWN = 3


class KernelFault(FltcError):
    """A kernel broke a rule while it ran; `faults` say which, where and by which thread, in the order found."""

    def __init__(self, entry: str, faults: tuple[Fault, ...], repeated: int) -> None:
        self.faults = faults
        more = len(faults) - _SHOWN
        shown = [f"{entry}: {fault}{_where(fault)}" for fault in faults[:_SHOWN]]
        if more > 0 or repeated:
            shown.append(f"{max(0, more)} more faults, {repeated} repetitions of these and those")
        super().__init__("\n".join(shown))


def _where(fault: Fault) -> str:
    """The address, where the fault has one; line, block and thread are in its message."""
    return "" if fault.address is None else f", address {fault.address:#x}"


class EmulatorDevice:
    """All threads of a block at once, block by block.

    Args:
        schedule: one of `spec.ptx.schedules`, its name, or a seed.
        tensor_core: how `mma` adds up floats, one of `spec.tensor_core`.
    """

    def __init__(self, schedule: Chosen = "forward", tensor_core: TensorCore = ADA) -> None:
        self.schedule, self.tensor_core = schedule, tensor_core
        self.stats = Stats()
        """Of the last launch."""
        self._next = _FIRST
        self._held: dict[int, Bytes] = {}
        self._modules: dict[str, Module] = {}

    @property
    def name(self) -> str:
        return "emulator"

    def alloc(self, size: int) -> Memory:
        memory = Memory(self._next, size)
        self._held[memory.address] = np.zeros(size, np.uint8)
        self._next += -(-(size + 1) // _ALIGN) * _ALIGN
        return memory

    def free(self, memory: Memory) -> None:
        self._bytes(memory)
        del self._held[memory.address]

    def upload(self, memory: Memory, data: npt.NDArray[Any], offset: int = 0) -> None:
        raw = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        memory.span(offset, raw.size)
        self._bytes(memory)[offset : offset + raw.size] = raw

    def download(self, memory: Memory, size: int | None = None, offset: int = 0) -> Bytes:
        span = memory.span(offset, size)
        return self._bytes(memory)[offset : offset + span.bytes].copy()

    def launch(self, prepared: Prepared) -> None:
        """Run every block. KernelFault if the machine found a fault; what was stored until then stays stored."""
        descriptor, contract = prepared.descriptor, prepared.descriptor.contract
        if descriptor.sha256 not in self._modules:
            self._modules[descriptor.sha256] = parse(descriptor.ptx, name=contract.stem)
        module = self._modules[descriptor.sha256]
        memory = LaunchMemory()
        packed = prepared.parameters
        arguments: dict[str, int | bytes] = {
            slot.parameter.name: packed[slot.offset : slot.offset + slot.width] for slot in descriptor.slots
        }
        for content in prepared.contents:
            held = self._view(content.region) if content.elements.size else np.empty(0, np.uint8)
            for offset, row in content.pieces():
                held[offset : offset + row.size] = row
        for region in prepared.regions:
            arguments[region.buffer.name] = self._place(memory, region)
        result = run(
            module.entry(contract.entry),
            module,
            grid=prepared.grid,
            block=prepared.block,
            args=arguments,
            memory=memory,
            schedule=self.schedule,
            tensor_core=self.tensor_core,
            dynamic_shared=prepared.shared,
        )
        self.stats = result.stats
        for region in prepared.regions:
            if region.buffer.access != "r" and region.extent:
                self._take_back(memory, region)
        if result.faults:
            raise KernelFault(contract.entry, tuple(result.faults), result.repeated)

    def close(self) -> None:
        self._held.clear()
        self._modules.clear()

    def __enter__(self) -> EmulatorDevice:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _bytes(self, memory: Memory) -> Bytes:
        held = self._held.get(memory.address)
        if held is None:
            raise BadInput(f"no allocation at {memory.address:#x}: it was freed, or is another device's")
        return held

    def _view(self, region: Region) -> Bytes:
        """The bytes of a region where they are kept."""
        for address, held in self._held.items():
            if address <= region.address and region.end <= address + held.size:
                return held[region.address - address : region.end - address]
        raise BadInput(f"buffer {region.buffer.name}: no allocation holds [{region.address:#x}, {region.end:#x})")

    def _place(self, memory: LaunchMemory, region: Region) -> int:
        """Make the region known to one launch; its address there."""
        buffer = region.buffer
        content = None if buffer.access == "w" or not region.extent else self._view(region)
        return memory.add(
            buffer.name,
            content,
            size=region.extent,
            writable=buffer.access != "r",
            initialised=buffer.access != "w",
            offset=region.address % (1 << 20),
            row_pitch=region.pitch,
            row_bytes=region.row,
            plane_pitch=region.plane_pitch,
            plane_bytes=region.plane,
        )

    def _take_back(self, memory: LaunchMemory, region: Region) -> None:
        """Copy what was written; the rest keeps what was there before the launch."""
        after = memory[region.buffer.name]
        written = after.written_bytes()
        self._view(region)[written] = np.frombuffer(after.data(), np.uint8)[written]
