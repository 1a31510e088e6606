"""Cases too large for the emulator: sizes at the limits of the contracts, on a GPU.

The input repeats a block of rows whose length shares no factor with any size in the kernels, so that an address off
by a power of two meets other data. The first block of the output is judged like any case; every later byte must
repeat it, and padding and guards must be untouched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from backend.device import Memory
from backend.launch import Descriptor, prepare
from spec.operators import operator_of
from spec.stems import part
from tests.harness.compare import Verdict, Words, judge
from tests.harness.layout import GUARD, UNWRITTEN, Place, place
from tests.harness.values import KINDS, Recipe

if TYPE_CHECKING:
    from backend.cuda.device import CudaDevice

_CHUNK = 1 << 28
PRIME = 1_048_573


@dataclass(frozen=True)
class Large:
    """A case: parameter values, byte offsets of the bases, and after how many rows (elements of a flat buffer) the
    input repeats."""

    name: str
    values: Mapping[str, int | float]
    period: int
    offset: int = 0


@dataclass
class LargeResult:
    """What a large case came to; `bytes` of output compared."""

    name: str
    seconds: float
    worst_ratio: float
    bytes: int
    failures: list[str] = field(default_factory=list)


def large_cases(stem: str) -> tuple[Large, ...]:
    """The cases of a kernel."""
    found: tuple[Large, ...] = part("tests.harness.stems", stem, "LARGE")
    return found


def run_large(gpu: CudaDevice, descriptors: Mapping[str, Descriptor], say: Callable[[str], None]) -> list[LargeResult]:
    """Every case whose buffers fit on the device; one that does not is a failure, as nothing was tested."""
    results = []
    for stem, case in ((s, c) for s in descriptors for c in large_cases(s)):
        started = time.monotonic()
        try:
            result = _run(gpu, descriptors[stem], case)
        except MemoryError as error:
            result = LargeResult(case.name, 0.0, 0.0, 0, [str(error)])
        result.name = f"{stem}: {case.name}"
        result.seconds = round(time.monotonic() - started, 2)
        say(f"large: {result.name}: {'; '.join(result.failures) or 'good'} ({result.seconds} s)")
        results.append(result)
    return results


def _run(gpu: CudaDevice, descriptor: Descriptor, case: Large) -> LargeResult:
    contract, operator = descriptor.contract, operator_of(descriptor.contract.operator)
    integers = {name: value for name, value in case.values.items() if isinstance(value, int)}
    places = {b.name: place(b, integers, case.offset) for b in contract.buffers}
    assert all(b.element_bytes == 2 for b in contract.buffers), f"{contract.entry}: large cases are of 16-bit elements"
    sizes = {name: -(-p.size // 4) * 4 for name, p in places.items()}
    if sum(sizes.values()) > gpu.driver.free_memory():
        raise MemoryError(f"not run: needs {sum(sizes.values())} bytes, {gpu.driver.free_memory()} are free")
    memories = {name: gpu.alloc(size) for name, size in sizes.items()}
    try:
        output = places[operator.output]
        rows = min(case.period, _rows(output))
        inputs: dict[str, Words] = {}
        for memory in memories.values():
            gpu.fill(memory, UNWRITTEN << 16 | UNWRITTEN)
        for name in (b.name for b in contract.buffers if b.access == "r"):
            p, turn = places[name], len(inputs)
            if len(p.shape) == len(output.shape):  # a row (an element of a flat buffer) for each of the output
                inputs[name] = _block(p, rows, turn)
                _upload_rows(gpu, memories[name], p, inputs[name])
            else:  # shared by all rows
                inputs[name] = Recipe("normal", 5).make(p.shape)
                gpu.upload(memories[name], inputs[name], p.start)
        spans = {name: memories[name].span(p.start, p.extent) for name, p in places.items()}
        gpu.launch(prepare(descriptor, case.values, spans))
        verdict = Verdict()
        first = _download_rows(gpu, memories[operator.output], output, rows)
        shape = (rows, output.shape[1]) if len(output.shape) == 2 else (rows,)
        floats = {name: float(np.float32(v)) for name, v in case.values.items() if isinstance(v, float)}
        judge(operator.expected(inputs, floats), {operator.output: first.reshape(shape)}, operator, verdict)
        compared, complaint = _repeats(gpu, memories[operator.output], output, rows, first)
        failures = [*verdict.complaints, *([complaint] if complaint else [])]
        return LargeResult(case.name, 0.0, verdict.worst_ratio, compared, failures)
    finally:
        for memory in memories.values():
            gpu.free(memory)


def _rows(p: Place) -> int:
    return p.shape[0]


def _columns(p: Place) -> int:
    return p.shape[1] if len(p.shape) == 2 else 1


def _pitch(p: Place) -> int:
    """Bytes from a row (an element of a flat buffer) to the next."""
    return 2 * p.stride if len(p.shape) == 2 else 2


def _block(p: Place, rows: int, turn: int) -> Words:
    """The rows that repeat: every kind of data, one kind a row; all words of binary16 in a flat buffer.

    `turn`: the number of inputs made before, which get other data.
    """
    if len(p.shape) == 1:
        return Recipe("every word", 11 + turn).make((rows,))
    kinds = sorted(KINDS)
    kinds = kinds[turn:] + kinds[:turn]
    if _columns(p) == 1:
        return np.concatenate([Recipe(kinds[i % len(kinds)], i).make((rows // 16 + 1, 1)) for i in range(16)])[:rows]
    return np.stack([Recipe(kinds[i % len(kinds)], i).make((_columns(p),)) for i in range(rows)])


def _upload_rows(gpu: CudaDevice, memory: Memory, p: Place, block: Words) -> None:
    rows, pitch = len(block), _pitch(p)
    if rows == _rows(p):  # nothing repeats: rows may lie gigabytes apart
        for i, row in enumerate(block.reshape(rows, -1)):
            gpu.upload(memory, row, p.start + i * pitch)
        return
    image = np.full((rows, pitch // 2), UNWRITTEN, np.uint16)
    image[:, : _columns(p)] = block.reshape(rows, -1)
    gpu.upload(memory, image, p.start)
    gpu.repeat(memory, p.start, image.nbytes, p.extent)


def _download_rows(gpu: CudaDevice, memory: Memory, p: Place, rows: int) -> Words:
    if rows == _rows(p):
        parts = [gpu.download(memory, 2 * _columns(p), p.start + i * _pitch(p)) for i in range(rows)]
        return np.stack([part.view(np.uint16) for part in parts])
    size = (rows - 1) * _pitch(p) + 2 * _columns(p)
    words = gpu.download(memory, -(-size // _pitch(p)) * _pitch(p), p.start).view(np.uint16)
    return words.reshape(rows, _pitch(p) // 2)[:, : _columns(p)].copy()


def _repeats(gpu: CudaDevice, memory: Memory, p: Place, rows: int, first: Words) -> tuple[int, str]:
    """(bytes compared, complaint): everything against the first block, padding and guards against the fill."""
    image = np.full((rows, _pitch(p) // 2), UNWRITTEN, np.uint16) if rows < _rows(p) else None
    if image is None:
        return _between_rows(gpu, memory, p)
    image[:, : _columns(p)] = first
    period, end, compared = image.nbytes, p.start + p.extent, 0
    pattern = np.concatenate([image.reshape(-1)] * (2 + _CHUNK // period)).view(np.uint8)
    for begin in range(0, memory.bytes, _CHUNK):
        size = min(_CHUNK, memory.bytes - begin)
        got = gpu.download(memory, size, begin)
        want = np.full(size // 2, UNWRITTEN, np.uint16).view(np.uint8)
        low, high = max(begin, p.start), min(begin + size, end)
        if low < high:
            phase = (low - p.start) % period
            want[low - begin : high - begin] = pattern[phase : phase + high - low]
        compared += size
        if not np.array_equal(got, want):
            where = begin + int(np.flatnonzero(got != want)[0])
            row, byte = divmod(where - p.start, _pitch(p))
            found = f"byte {byte} of row {row} (guards are rows < 0 and >= {_rows(p)})"
            return compared, f"{p.buffer.name}: {found} is not as it must be"
    return compared, ""


def _between_rows(gpu: CudaDevice, memory: Memory, p: Place) -> tuple[int, str]:
    """The bytes around each row, where rows are too far apart to compare everything."""
    compared = 0
    for i in range(_rows(p)):
        begin = p.start + i * _pitch(p)
        for where in (begin - GUARD, begin + 2 * _columns(p)):
            words = gpu.download(memory, GUARD, where).view(np.uint16)
            compared += GUARD
            if (words != UNWRITTEN).any():
                return compared, f"{p.buffer.name}: the {GUARD} bytes at {where - p.start} beside row {i} were changed"
    return compared, ""
