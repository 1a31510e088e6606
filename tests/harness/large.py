"""Cases too large for the emulator: sizes at the limits of the contracts, on a GPU.

The input repeats a block of rows whose length shares no factor with any size in the kernels, so that an address off
by a power of two meets other data. The first block of the output is judged like any case; every later byte must
repeat it, and padding and guards must be untouched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from backend.cuda.device import CudaDevice
from backend.device import Memory
from backend.launch import Descriptor, prepare
from spec.contracts.model import ACTIVE
from spec.operators import operator_of
from tests.harness.compare import Verdict, Words, judge
from tests.harness.layout import GUARD, UNWRITTEN, Place, place
from tests.harness.values import KINDS, Recipe

_CHUNK = 1 << 28
_PRIME = 1_048_573


@dataclass(frozen=True)
class Large:
    """A case: parameter values, byte offsets of the bases, and after how many rows (elements of a flat buffer) the
    input repeats."""

    name: str
    stem: str
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


def _norm(rows: int, columns: int, x_stride: int = 0, y_stride: int = 0) -> dict[str, int | float]:
    strides = {"x_stride": x_stride or columns, "y_stride": y_stride or columns}
    return {"rows": rows, "columns": columns, **strides, "eps": 1e-5, "power_state": ACTIVE}


LARGE = (
    Large("silu beyond 2^32 elements", "silu", {"n": 2**32 + 2**20 + 5, "power_state": ACTIVE}, _PRIME),
    Large("silu beyond 2^32 elements, misaligned", "silu", {"n": 2**32 + 13, "power_state": ACTIVE}, _PRIME, 2),
    Large("silu, one round of blocks and one element", "silu", {"n": 2**28 + 1, "power_state": ACTIVE}, _PRIME),
    Large("rmsnorm, widest rows", "rmsnorm", _norm(4_000, 65_536, 65_544, 65_552), 17),
    Large("rmsnorm, widest odd rows, misaligned", "rmsnorm", _norm(1_000, 65_535, 65_537, 65_541), 17, 2),
    Large("rmsnorm, a million rows", "rmsnorm", _norm(2**20 + 3, 96, 104, 100), 1_021),
    Large("rmsnorm, bytes beyond 2^32 between rows", "rmsnorm", _norm(3, 4_099, 2**32 - 1, 2**31 + 8), 3),
    Large("rmsnorm, as many rows as a grid has blocks", "rmsnorm", _norm(2**31 - 1, 1), _PRIME),
)


def run_large(gpu: CudaDevice, descriptors: Mapping[str, Descriptor], say: Callable[[str], None]) -> list[LargeResult]:
    """Every case whose buffers fit on the device; one that does not is a failure, as nothing was tested."""
    results = []
    for case in LARGE:
        started = time.monotonic()
        try:
            result = _run(gpu, descriptors[case.stem], case)
        except MemoryError as error:
            result = LargeResult(case.name, 0.0, 0.0, 0, [str(error)])
        result.seconds = round(time.monotonic() - started, 2)
        say(f"large: {case.name}: {'; '.join(result.failures) or 'good'} ({result.seconds} s)")
        results.append(result)
    return results


def _run(gpu: CudaDevice, descriptor: Descriptor, case: Large) -> LargeResult:
    contract, operator = descriptor.contract, operator_of(descriptor.contract.operator)
    integers = {name: value for name, value in case.values.items() if isinstance(value, int)}
    places = {b.name: place(b, integers, case.offset) for b in contract.buffers}
    sizes = {name: -(-p.size // 4) * 4 for name, p in places.items()}
    if sum(sizes.values()) > gpu.driver.free_memory():
        raise MemoryError(f"not run: needs {sum(sizes.values())} bytes, {gpu.driver.free_memory()} are free")
    memories = {name: gpu.alloc(size) for name, size in sizes.items()}
    try:
        rows = min(case.period, _rows(places["x"]))
        inputs = {"x": _block(places["x"], rows)}
        for memory in memories.values():
            gpu.fill(memory, UNWRITTEN << 16 | UNWRITTEN)
        if "w" in places:
            inputs["w"] = Recipe("normal", 5).make(places["w"].shape)
            gpu.upload(memories["w"], inputs["w"], places["w"].start)
        _upload_rows(gpu, memories["x"], places["x"], inputs["x"])
        spans = {name: memories[name].span(p.start, p.extent) for name, p in places.items()}
        gpu.launch(prepare(descriptor, case.values, spans))
        verdict = Verdict()
        first = _download_rows(gpu, memories["y"], places["y"], rows)
        shape = (rows, places["y"].shape[1]) if len(places["y"].shape) == 2 else (rows,)
        floats = {name: float(np.float32(v)) for name, v in case.values.items() if isinstance(v, float)}
        judge(operator.expected(inputs, floats), {"y": first.reshape(shape)}, operator, verdict)
        compared, complaint = _repeats(gpu, memories["y"], places["y"], rows, first)
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


def _block(p: Place, rows: int) -> Words:
    """The rows that repeat: every kind of data, one kind a row; all words of binary16 in a flat buffer."""
    if len(p.shape) == 1:
        return Recipe("every word", 11).make((rows,))
    kinds = sorted(KINDS)
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
            return compared, f"y: byte {byte} of row {row} (guards are rows < 0 and >= {_rows(p)}) is not as it must be"
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
                return compared, f"y: the {GUARD} bytes at {where - p.start} beside row {i} were changed"
    return compared, ""
