"""How the buffers of one case lie in device memory, and what must not have changed there afterwards.

Each buffer has its own allocation: guard, the buffer at a chosen offset, guard. Guards and the padding between rows
hold NaN words of the buffer's elements, so that a read outside the logical rows poisons the result and a write there is
seen. Output elements start as a NaN that no kernel computes. Elements have 1, 2 or 4 bytes; bytes have no NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.contracts.expr import evaluate, parse_expr
from spec.contracts.model import Buffer

Words = npt.NDArray[Any]
Image = npt.NDArray[np.uint8]

GUARD = 256
"""Bytes before and behind a buffer; allocations start at multiples of it."""
CANARY = 0x7D5A
"""A NaN in guards and padding, as a binary16 word; `word` has it for other elements."""
UNWRITTEN = 0x7E77
"""A NaN that output elements start as; no rounding of this project produces its payload."""


def word(bits: int, size: int) -> int:
    """The element of `size` bytes that stands for a binary16 NaN: a NaN of binary32, a byte that is just its end."""
    return {1: bits & 0xFF, 2: bits, 4: 0x7FFF0000 | bits}[size]


@dataclass(frozen=True)
class Place:
    """A buffer's shape for one case; sizes in elements, `offset` in bytes behind the first guard."""

    buffer: Buffer
    shape: tuple[int, ...]
    stride: int
    offset: int

    @property
    def extent(self) -> int:
        """Bytes from the base to the end of the last logical row."""
        rows, columns = self._rows()
        return ((rows - 1) * self.stride + columns) * self.buffer.element_bytes if rows and columns else 0

    @property
    def start(self) -> int:
        return GUARD + self.offset

    @property
    def size(self) -> int:
        """Bytes of the allocation: a whole number of words of 4 bytes."""
        return -(-(self.start + self.extent + GUARD) // 4) * 4

    @property
    def type(self) -> np.dtype[Any]:
        """Of the elements, as words."""
        return np.dtype(f"u{self.buffer.element_bytes}")

    def image(self, content: Words | None, canary: int = CANARY, fresh: int = UNWRITTEN) -> Image:
        """The bytes of the allocation before the launch; `content` of the logical shape, None for an output."""
        width = self.type.itemsize
        words = np.full(self.size // width, word(canary, width), self.type)
        self._view(words)[...] = word(fresh, width) if content is None else content.reshape(self._rows())
        return words.view(np.uint8)

    def logical(self, image: Image) -> Words:
        """A copy of the logical elements, in their shape."""
        view: Words = self._view(image.view(self.type))
        return view.copy().reshape(self.shape)

    def unwritten(self, words: Words, fresh: int) -> npt.NDArray[np.bool_]:
        """Which of these elements are as an output starts. Nothing can be said of bytes."""
        width = self.type.itemsize
        found: npt.NDArray[np.bool_] = (words == word(fresh, width)) & (width > 1)
        return found

    def changed(self, before: Image, after: Image, ignore_elements: bool) -> str:
        """Where a byte changed that must not have; empty if none did. `ignore_elements`: the elements may change."""
        was, now = before.view(self.type), after.view(self.type)
        different = was != now
        if ignore_elements:
            self._view(different)[...] = False
        if not different.any():
            return ""
        at, digits = int(np.flatnonzero(different)[0]), 2 + 2 * self.type.itemsize
        where = self._describe(at - self.start // self.type.itemsize)
        return f"{self.buffer.name}: {where} changed from {was[at]:#0{digits}x} to {now[at]:#0{digits}x}"

    def _describe(self, element: int) -> str:
        rows, columns = self._rows()
        if element < 0:
            return f"guard word {-element} before the buffer"
        row, column = divmod(element, self.stride) if rows > 1 else (0, element)
        if row >= rows or (row == rows - 1 and column >= columns):
            return f"guard word {element - (rows - 1) * self.stride - columns + 1} behind the buffer"
        if column >= columns:
            return f"padding word {column - columns + 1} behind row {row}"
        return f"element ({row}, {column})" if len(self.shape) == 2 else f"element {column}"

    def _view(self, flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """(rows, columns) of an array with one entry for each word of the allocation."""
        step, width = flat.itemsize, self.type.itemsize
        part = flat[self.start // width : (self.start + self.extent) // width]
        return np.lib.stride_tricks.as_strided(part, self._rows(), (self.stride * step, step))

    def _rows(self) -> tuple[int, int]:
        return (self.shape[0], self.shape[1]) if len(self.shape) == 2 else (1, self.shape[0])


def place(buffer: Buffer, values: Mapping[str, int], offset: int) -> Place:
    """The place of a buffer of elements of 1, 2 or 4 bytes for these parameter values."""
    assert buffer.element_bytes in (1, 2, 4), f"{buffer.name}: the harness does not lay out {buffer.element}"
    assert offset % buffer.element_bytes == 0, f"{buffer.name}: elements start at multiples of their size"
    shape = tuple(evaluate(parse_expr(extent), values) for extent in buffer.shape)
    stride = evaluate(parse_expr(buffer.row_stride), values) if len(shape) == 2 else shape[0]
    return Place(buffer, shape, stride, offset)
