"""What runs a prepared launch: the emulator of the instruction definitions, or a GPU behind the CUDA driver."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from backend.launch import Prepared, Span
from spec.errors import BadInput

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Memory:
    """One allocation of a device: first byte and size, in bytes."""

    address: int
    bytes: int

    def span(self, offset: int = 0, size: int | None = None) -> Span:
        """The part from `offset` on (to the end, or `size` bytes) as an argument of a launch."""
        size = self.bytes - offset if size is None else size
        if offset < 0 or size < 0 or offset + size > self.bytes:
            raise BadInput(f"bytes {offset} to {offset + size} of an allocation of {self.bytes}")
        return Span(self.address + offset, size)


class Device(Protocol):
    """Memory and launches. Every failure is a typed error of spec.errors; a launch has ended when `launch` returns."""

    @property
    def name(self) -> str:
        """What ran: `emulator`, or the GPU's name."""

    def alloc(self, size: int) -> Memory:
        """`size` bytes of undefined content, aligned to at least 256."""

    def free(self, memory: Memory) -> None: ...
    def upload(self, memory: Memory, data: npt.NDArray[Any], offset: int = 0) -> None:
        """Copy a contiguous array's bytes into the allocation."""

    def download(self, memory: Memory, size: int | None = None, offset: int = 0) -> Bytes:
        """A copy of `size` bytes (default: to the end of the allocation)."""

    def launch(self, prepared: Prepared) -> None:
        """Run one launch to its end."""

    def close(self) -> None: ...
    def __enter__(self) -> Device: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_device(name: str) -> Device:
    """`emulator` or `cuda`; DriverError where the CUDA driver or a device is missing."""
    if name == "emulator":
        from backend.emulator.device import EmulatorDevice

        return EmulatorDevice()
    if name == "cuda":
        from backend.cuda.device import CudaDevice

        return CudaDevice()
    raise BadInput(f"no device {name!r}; have emulator, cuda")
