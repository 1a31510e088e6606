"""A GPU as a Device: the PTX text that was checked is the text that is loaded, and what the driver made of it is
compared with the contract's ceilings before anything runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.cuda.driver import Driver
from backend.device import Bytes, Memory
from backend.launch import Descriptor, Prepared
from spec.errors import BadInput, ContractViolation

_STATIC_LIMIT = 48 * 1024  # dynamic shared memory beyond this must be asked for (CUDA C++ programming guide, 16.7.3)


@dataclass(frozen=True)
class Resources:
    """What the driver says of a loaded kernel: registers and local bytes a thread, shared bytes a block."""

    registers: int
    static_shared: int
    local: int
    max_threads: int
    binary_version: int


class CudaDevice:
    """One GPU with its primary context and one stream. A launch waits for its end, so a fault names its kernel."""

    def __init__(self, ordinal: int = 0) -> None:
        self.driver = Driver()
        self._device = self.driver.open(ordinal)
        self.stream: Any = self.driver.stream()
        self._modules: dict[str, Any] = {}
        self._functions: dict[tuple[str, str], Any] = {}
        self._allocations: set[int] = set()
        self.resources: dict[tuple[str, str], Resources] = {}

    @property
    def name(self) -> str:
        return self.driver.device_name(self._device)

    @property
    def compute_capability(self) -> str:
        """As `9.0`."""
        major, minor = (
            self.driver.device_attribute(self._device, f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR")
        )
        return f"{major}.{minor}"

    def attribute(self, member: str) -> int:
        """A device attribute by the driver's name without its prefix."""
        return self.driver.device_attribute(self._device, member)

    # --- memory ---

    def alloc(self, size: int) -> Memory:
        memory = Memory(self.driver.alloc(max(1, size)), size)
        self._allocations.add(memory.address)
        return memory

    def free(self, memory: Memory) -> None:
        self._allocations.discard(memory.address)
        self.driver.free(memory.address)

    def upload(self, memory: Memory, data: npt.NDArray[Any], offset: int = 0) -> None:
        data = np.ascontiguousarray(data)
        self.driver.to_device(memory.span(offset, data.nbytes).address, data, self.stream)

    def download(self, memory: Memory, size: int | None = None, offset: int = 0) -> Bytes:
        span = memory.span(offset, size)
        return self.driver.to_host(span.address, span.bytes, self.stream)

    def fill(self, memory: Memory, word: int) -> None:
        """Write a 32-bit word over the whole allocation, a multiple of 4 bytes."""
        self.driver.fill(memory.address, word, memory.bytes // 4, self.stream)
        self.driver.synchronize(self.stream, f"fill of {memory.bytes} bytes")

    def repeat(self, memory: Memory, offset: int, period: int, total: int) -> None:
        """Continue the `period` bytes at `offset` periodically until `total` bytes are filled."""
        span, filled = memory.span(offset, total), period
        while filled < total:
            part = min(filled, total - filled)
            self.driver.copy(span.address + filled, span.address, part, self.stream)
            filled += part
        self.driver.synchronize(self.stream, f"copies of {period} bytes over {total}")

    # --- launches ---

    def load(self, descriptor: Descriptor) -> Any:
        """The driver's handle of the descriptor's entry; loaded, compared with contract and descriptor, once."""
        key = (descriptor.sha256, descriptor.contract.entry)
        if key not in self._functions:
            if descriptor.sha256 not in self._modules:
                self._modules[descriptor.sha256] = self.driver.load(descriptor.ptx)[0]
            function = self.driver.function(self._modules[descriptor.sha256], descriptor.contract.entry)
            self._compare_parameters(descriptor, function)
            self.resources[key] = self._compare_resources(descriptor, function)
            self._functions[key] = function
        return self._functions[key]

    def enqueue(self, prepared: Prepared) -> None:
        """Put a launch on the device's stream without waiting for it, as a graph capture needs it."""
        function = self.load(prepared.descriptor)
        for content in prepared.contents:
            for offset, row in content.pieces():
                self.driver.to_device(content.region.address + offset, row, self.stream)
        self.driver.launch(
            function,
            prepared.grid,
            prepared.block,
            prepared.shared,
            self.stream,
            prepared.parameters,
            detail=f"{prepared.descriptor.contract.entry}, grid {prepared.grid}, block {prepared.block}",
        )

    def launch(self, prepared: Prepared) -> None:
        self.enqueue(prepared)
        entry = prepared.descriptor.contract.entry
        self.driver.synchronize(self.stream, detail=f"{entry} with {dict(prepared.values)}")

    def _compare_parameters(self, descriptor: Descriptor, function: Any) -> None:
        found = self.driver.parameters(function)
        asked = tuple((slot.offset, slot.width) for slot in descriptor.slots)
        if found is not None and found != asked:
            raise ContractViolation(
                f"{descriptor.contract.entry}: the descriptor lays parameters out at (offset, bytes) {asked}, "
                f"the driver at {found}"
            )

    def _compare_resources(self, descriptor: Descriptor, function: Any) -> Resources:
        names = ("NUM_REGS", "SHARED_SIZE_BYTES", "LOCAL_SIZE_BYTES", "MAX_THREADS_PER_BLOCK", "BINARY_VERSION")
        found = Resources(*(self.driver.attribute(function, name) for name in names))
        contract, ceilings = descriptor.contract, descriptor.contract.ceilings
        threads = contract.block[0] * contract.block[1] * contract.block[2]
        for what, value, limit in (
            ("registers a thread", found.registers, ceilings.registers),
            ("bytes of static shared memory", found.static_shared, ceilings.static_shared),
            ("local bytes a thread (stack and spills)", found.local, ceilings.stack_bytes + ceilings.spill_bytes),
            ("threads a block", threads, found.max_threads),
        ):
            if value > limit:
                raise ContractViolation(
                    f"{contract.entry} as loaded on {self.name}: {value} {what}, the limit is {limit}"
                )
        if contract.dynamic_shared > _STATIC_LIMIT:
            member = self.driver.enum("CUfunction_attribute", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")
            self.driver.call("cuFuncSetAttribute", function, member, contract.dynamic_shared)
        return found

    def resources_of(self, descriptor: Descriptor) -> dict[str, int]:
        """What the driver reports of a loaded entry, by name."""
        self.load(descriptor)
        return asdict(self.resources[(descriptor.sha256, descriptor.contract.entry)])

    # --- graphs ---

    def capture(self, launches: list[Prepared]) -> Any:
        """An executable graph of these launches in order."""
        for prepared in launches:
            if prepared.contents:
                raise BadInput(f"{prepared.descriptor.contract.entry} in a graph: its contract has facts about what "
                               "buffers hold, which are checked at each launch; launch it by itself")  # fmt: skip
            self.load(prepared.descriptor)  # loading inside a capture is not allowed
        self.driver.begin_capture(self.stream)
        for prepared in launches:
            self.enqueue(prepared)
        return self.driver.end_capture(self.stream)

    # --- end ---

    def close(self) -> None:
        """Free what is still allocated, unload the modules, give the context back."""
        for address in sorted(self._allocations):
            self.driver.free(address)
        for module in self._modules.values():
            self.driver.unload(module)
        self._allocations, self._modules, self._functions = set(), {}, {}
        self.driver.call("cuStreamDestroy", self.stream)
        self.driver.release(self._device)

    def __enter__(self) -> CudaDevice:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()  # after a fault the context is lost, and closing it would hide the first error
