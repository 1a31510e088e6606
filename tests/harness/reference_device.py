"""A device that computes the reference itself: it shows that the harness passes what is right, and, with one thing
done wrong, that it says so. Only for tests of the harness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.device import Bytes, Memory
from backend.launch import Prepared, Region
from spec.contracts.expr import evaluate, parse_expr
from spec.contracts.model import ACTIVE
from spec.operators import operator_of

Words = npt.NDArray[np.uint16]
Sabotage = Callable[["ReferenceDevice", Prepared, Words], None]


class ReferenceDevice:
    """Memory is one NumPy array. `sabotage` runs behind each launch, with the results as (rows, columns)."""

    name = "reference"

    def __init__(self, sabotage: Sabotage | None = None) -> None:
        self.sabotage = sabotage
        self.bytes = np.zeros(1 << 16, np.uint8)
        self.next = 4096

    def alloc(self, size: int) -> Memory:
        memory = Memory(self.next, size)
        self.next = -(-(self.next + size) // 256) * 256
        while self.next > self.bytes.size:
            self.bytes = np.concatenate([self.bytes, np.zeros_like(self.bytes)])
        return memory

    def free(self, memory: Memory) -> None:
        if memory.address < self.next:
            self.next = 4096 if memory.address == 4096 else self.next

    def upload(self, memory: Memory, data: npt.NDArray[Any], offset: int = 0) -> None:
        raw = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        span = memory.span(offset, raw.size)
        self.bytes[span.address : span.address + span.bytes] = raw

    def download(self, memory: Memory, size: int | None = None, offset: int = 0) -> Bytes:
        span = memory.span(offset, size)
        return self.bytes[span.address : span.address + span.bytes].copy()

    def words(self, region: Region, values: Mapping[str, int]) -> Words:
        """The logical elements of a buffer, a view of (rows, columns)."""
        shape = [evaluate(parse_expr(e), values) for e in region.buffer.shape]
        stride = evaluate(parse_expr(region.buffer.row_stride), values) if len(shape) == 2 else shape[0]
        flat = self.bytes[region.address : region.end].view(np.uint16)
        rows, columns = shape if len(shape) == 2 else (1, shape[0])
        return np.lib.stride_tricks.as_strided(flat, (rows, columns), (2 * stride, 2))

    def launch(self, prepared: Prepared) -> None:
        contract = prepared.descriptor.contract
        if prepared.values[contract.power] != ACTIVE:
            if self.sabotage is not None:
                self.sabotage(self, prepared, np.zeros((1, 1), np.uint16))
            return
        integers = {k: v for k, v in prepared.values.items() if isinstance(v, int)}
        floats = {k: v for k, v in prepared.values.items() if isinstance(v, float)}
        parts = {r.buffer.name: self.words(r, integers) for r in prepared.regions}
        inputs = {
            r.buffer.name: parts[r.buffer.name]
            .copy()
            .reshape([evaluate(parse_expr(e), integers) for e in r.buffer.shape])
            for r in prepared.regions
            if r.buffer.access == "r"
        }
        output = parts[contract.outputs[0]]
        output[...] = operator_of(contract.operator).expected(inputs, floats).nearest().reshape(output.shape)
        if self.sabotage is not None:
            self.sabotage(self, prepared, output)

    def close(self) -> None: ...
    def __enter__(self) -> ReferenceDevice:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
