"""Memory of the concrete machine: named regions of bytes at addresses far apart, dense or in pages.

Global buffers lie at bases of at least 2^44 with gaps of 2^42 bytes and more between them, so that an address that
leaves its buffer, even by a wrapped 32-bit product, lands in no other. The windows of shared, local and constant
memory in the generic address space lie above all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.errors import BadInput

Array = npt.NDArray[Any]

WINDOWS = {"shared": 1 << 60, "local": 2 << 60, "const": 3 << 60}
WINDOW_BYTES = 1 << 40
_FIRST_BASE = 1 << 44
_GAP = 1 << 42
_PAGE = 1 << 16
_DENSE_LIMIT = 1 << 28
_SHIFT = {1: 0, 2: 1, 4: 2, 8: 3}
_UNSIGNED = {width: np.dtype(f"u{width}") for width in _SHIFT}
_MARKED = {width: _UNSIGNED[width].type(0x0101010101010101 >> 8 * (8 - width)) for width in _SHIFT}


def place_of(address: int) -> str:
    """A generic address in words: a byte of shared, local or constant memory, or the global address."""
    for space, base in WINDOWS.items():
        if base <= address < base + WINDOW_BYTES:
            return f"byte {address - base} of {space} memory"
    return f"{address:#x}"


@cache
def _units(width: int) -> tuple[tuple[int, int], ...]:
    """Words that make up so many bytes, each with where it begins."""
    if width in _SHIFT:
        return ((0, width),)
    unit = next(u for u in (8, 4, 2, 1) if width % u == 0)
    return tuple((at, unit) for at in range(0, width, unit))


class Bytes:
    """Bytes 0 .. size-1, dense, or in pages made when first written where the size is beyond `_DENSE_LIMIT`."""

    def __init__(self, size: int, fill: int = 0, data: Array | None = None) -> None:
        self.size, self.fill = size, fill
        self.dense: Array | None = None
        self.pages: dict[int, Array] = {}
        if data is not None or size <= _DENSE_LIMIT:
            # Padded, so that the view as 8-byte words exists.
            # Zeros cost nothing until they are touched.
            room = -(-size // 16) * 16 + 16
            self.dense = np.full(room, fill, np.uint8) if fill else np.zeros(room, np.uint8)
            if data is not None:
                self.dense[: len(data)] = data

    def gather(self, offsets: Array, width: int) -> Array:
        """`width` bytes at each offset, an array of shape (n, width)."""
        index = offsets[:, None] + np.arange(width)
        if self.dense is not None:
            return np.asarray(self.dense[index])
        out = np.full(index.shape, self.fill, np.uint8)
        for number in np.unique(index // _PAGE):
            page = self.pages.get(int(number))
            if page is not None:
                here = index // _PAGE == number
                out[here] = page[index[here] % _PAGE]
        return out

    def scatter(self, offsets: Array, values: Array) -> None:
        """Write rows of `values`, of shape (n, width); of equal offsets the last row stays."""
        index = offsets[:, None] + np.arange(values.shape[1])
        if self.dense is not None:
            self.dense[index] = values
            return
        for number in np.unique(index // _PAGE):
            page = self.pages.setdefault(int(number), np.full(_PAGE, self.fill, np.uint8))
            here = index // _PAGE == number
            page[index[here] % _PAGE] = values[here]

    def words(self, offsets: Array, width: int) -> Array:
        """Little-endian words of `width` bytes; quick where the offsets are multiples of it.

        An aligned address may have another offset: a buffer begins at any multiple of its contract's alignment.
        """
        kind = _UNSIGNED[width]
        if self.dense is not None and (width == 1 or not np.bitwise_and(offsets, width - 1).any()):
            return np.asarray(self.dense.view(kind)[offsets >> _SHIFT[width]])
        return np.ascontiguousarray(self.gather(offsets, width)).view(kind)[:, 0]

    def set_words(self, offsets: Array, width: int, values: Array) -> None:
        if self.dense is not None and (width == 1 or not np.bitwise_and(offsets, width - 1).any()):
            self.dense.view(_UNSIGNED[width])[offsets >> _SHIFT[width]] = values
            return
        rows = np.ascontiguousarray(np.broadcast_to(values, offsets.shape)).view(np.uint8).reshape(-1, width)
        self.scatter(offsets, rows)

    def mark(self, offsets: Array, width: int) -> None:
        """Set `width` bytes at each offset to 1."""
        for at, unit in _units(width):
            self.set_words(offsets + at if at else offsets, unit, _MARKED[unit])

    def marked(self, offsets: Array, width: int) -> bool:
        """Whether `width` bytes at every offset are 1."""
        return all(
            bool((self.words(offsets + at if at else offsets, unit) == _MARKED[unit]).all())
            for at, unit in _units(width)
        )


@dataclass
class Buffer:
    """A region of memory.

    Args:
        name: as faults name it.
        base: address of its first byte in its own state space.
        size: bytes.
        content: the bytes.
        writable: a store elsewhere is a fault.
        written: which bytes have a value; None where all have.
        space: state space.
        row_pitch, row_bytes: logical rows: an access must not touch bytes row_bytes .. row_pitch-1 of a row.
        plane_pitch, plane_bytes: logical planes, in which the rows count from the plane's first byte.
        symbolic: element type whose content the Dag domain names instead of reading, '' for none.
        shadow: of the Dag domain, what symbolic bytes hold: offset to (word, byte of it).
    """

    name: str
    base: int
    size: int
    content: Bytes
    writable: bool = True
    written: Bytes | None = None
    row_pitch: int = 0
    row_bytes: int = 0
    symbolic: str = ""
    plane_pitch: int = 0
    plane_bytes: int = 0
    space: str = "global"
    shadow: dict[int, Any] = field(default_factory=dict)

    def data(self, start: int = 0, size: int | None = None) -> bytes:
        """Content from `start` on."""
        stop = self.size if size is None else start + size
        if self.content.dense is not None:
            return bytes(self.content.dense[start:stop])
        return bytes(self.content.gather(np.array([start], np.int64), stop - start)[0])

    def array(self, dtype: npt.DTypeLike) -> Array:
        """Content as an array of this element type."""
        return np.frombuffer(self.data(), dtype)

    def written_bytes(self) -> Array:
        """Which bytes have a value."""
        if self.written is None:
            return np.ones(self.size, bool)
        return np.asarray(self.written.gather(np.array([0], np.int64), self.size)[0] != 0)


@dataclass(frozen=True)
class Use:
    """What an access does with the bytes.

    Args:
        kind: read, write, or atomic: both, with no other access in between.
        readonly: through the .nc path.
        scope: of an atomic, which threads it is indivisible for: cta, cluster, gpu or sys.
        parts: elements of a vector atomic, each indivisible on its own.
        flight: an asynchronous copy makes it, some time until it is waited for.
        matrix: a row of a matrix that all lanes of the warp read or write; `columns` where the matrix is transposed.
        align: bytes of which the address must be a multiple; 0: the width.
    """

    kind: str
    readonly: bool = False
    scope: str = ""
    parts: int = 1
    flight: bool = False
    matrix: str = ""
    align: int = 0

    @cached_property
    def writes(self) -> bool:
        return self.kind != "read"

    @cached_property
    def reads(self) -> bool:
        return self.kind != "write"


READ, WRITE = Use("read"), Use("write")


@dataclass(frozen=True)
class Place:
    """Where an access goes: the positions that reach this buffer, and the offset in it of each."""

    buffer: Buffer
    positions: Array
    offsets: Array


class Memory:
    """The global buffers of a launch. Blocks change them in place."""

    def __init__(self) -> None:
        self.buffers: dict[str, Buffer] = {}
        self._next = _FIRST_BASE

    def add(
        self,
        name: str,
        data: bytes | Array | None = None,
        *,
        size: int | None = None,
        writable: bool = True,
        initialised: bool | None = None,
        offset: int = 0,
        row_pitch: int = 0,
        row_bytes: int = 0,
        symbolic: str = "",
        plane_pitch: int = 0,
        plane_bytes: int = 0,
    ) -> int:
        """Make a buffer and return its address.

        Args:
            data: the content; its bytes are taken, whatever its type.
            size: bytes, where there is no content or more than the content.
            initialised: whether bytes not in `data` have a value (zero); default: only where `data` is given.
            offset: the address is `offset` beyond a multiple of 2^20.
            row_pitch, row_bytes, symbolic, plane_pitch, plane_bytes: as in Buffer.
        """
        if name in self.buffers:
            raise BadInput(f"two buffers are named {name!r}")
        given = np.zeros(0, np.uint8) if data is None else np.frombuffer(
            data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes(), np.uint8
        )
        total = len(given) if size is None else size
        if total < len(given):
            raise BadInput(f"buffer {name!r}: {len(given)} bytes of content in {total} bytes")
        content = Bytes(total, 0, given if data is not None else None) if total <= _DENSE_LIMIT else Bytes(total)
        if content.dense is None and len(given):
            content.scatter(np.zeros(1, np.int64), given[None, :])
        known = initialised if initialised is not None else data is not None
        written = None
        if not known:
            written = Bytes(total, 0)
            if len(given):
                written.scatter(np.zeros(1, np.int64), np.ones((1, len(given)), np.uint8))
        base = self._next + offset
        self._next += -(-(total + offset) // _GAP) * _GAP + _GAP
        self.buffers[name] = Buffer(
            name, base, total, content, writable, written, row_pitch, row_bytes, symbolic, plane_pitch, plane_bytes
        )
        return base

    def __getitem__(self, name: str) -> Buffer:
        return self.buffers[name]

    def find(self, address: int) -> Buffer | None:
        """The buffer this address lies in, or within half a gap of; None if it is near none."""
        for buffer in self.buffers.values():
            low, high = self.span(buffer)
            if low <= address < high:
                return buffer
        return None

    @staticmethod
    def span(buffer: Buffer) -> tuple[int, int]:
        """The addresses that faults attribute to this buffer: its own and half a gap on both sides."""
        return buffer.base - _GAP // 2, buffer.base + buffer.size + _GAP // 2
