"""Matrix instructions over the lanes of a warp, for domains of arrays: gather fragments, compute, hand them back.

The elements are those of the domain, so that a domain of expressions needs only say what a dot product is.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from spec.ptx import fragments
from spec.ptx.ast import type_width
from spec.ptx.domain import Shape
from spec.ptx.fragments import GROUP, PLACE
from spec.ptx.memory import Buffer

Array = npt.NDArray[Any]


class Arrays(Protocol):
    """What of a domain of arrays is needed here."""

    def split(self, width: int, count: int, a: Array) -> tuple[Array, ...]: ...
    def concat(self, width: int, parts: tuple[Array, ...]) -> Array: ...
    def fetch(self, buffer: Buffer, offsets: Array, size: int) -> Array: ...
    def deposit(self, buffer: Buffer, offsets: Array, size: int, words: Array) -> None: ...
    def dot(self, shape: Shape, a: Array, b: Array, c: Array) -> Array: ...


class Warps:
    """The positions of an instruction as warps of 32 lanes; a lane that takes no part, which is a fault, has zeros."""

    def __init__(self, warps: Array, lanes: Array) -> None:
        self.names, self.warp = np.unique(warps, return_inverse=True)
        self.lane = lanes

    def spread(self, words: Array) -> Array:
        """(positions) -> (warps, 32)."""
        words = np.broadcast_to(words, self.lane.shape)
        out = np.zeros((len(self.names), 32), words.dtype)
        if words.dtype == object:
            out = np.full(out.shape, 0, object)
        out[self.warp, self.lane] = words
        return out

    def collect(self, words: Array) -> Array:
        """(warps, 32) -> (positions)."""
        return np.asarray(words[self.warp, self.lane])


def _matrix(
    x: Arrays, at: Warps, words: tuple[Array, ...], kind: str, places: tuple[Array, Array], size: tuple[int, int]
) -> Array:
    """Registers to matrices, (warps, rows, columns)."""
    rows, columns = places
    p, out = fragments.per_register(kind), None
    for register, word in enumerate(words):
        parts = (word,) if p == 1 else x.split(type_width(kind), p, word)
        for element, part in enumerate(parts):
            spread = at.spread(part)
            if out is None:
                out = np.zeros((len(at.names), *size), spread.dtype)
            if spread.dtype == object and out.dtype != object:
                out = out.astype(object)
            out[:, rows[register, element], columns[register, element]] = spread
    assert out is not None
    return out


def _registers(
    x: Arrays, at: Warps, matrix: Array, kind: str, places: tuple[Array, Array]
) -> tuple[Array, ...]:
    rows, columns = places
    p, found = fragments.per_register(kind), []
    for register in range(rows.shape[0]):
        parts = tuple(
            at.collect(matrix[:, rows[register, element], columns[register, element]]) for element in range(p)
        )
        found.append(parts[0] if p == 1 else x.concat(type_width(kind), parts))
    return tuple(found)


def mma(
    x: Arrays, at: Warps, shape: Shape, a: tuple[Array, ...], b: tuple[Array, ...], c: tuple[Array, ...]
) -> tuple[Array, ...]:
    """D of D = A*B + C in registers."""
    left, right = fragments.left(shape.m, shape.k, shape.a), fragments.right(shape.k, shape.b)
    result = fragments.result(shape.m, shape.c)
    first = _matrix(x, at, a, shape.a, left, (shape.m, shape.k))
    second = _matrix(x, at, b, shape.b, right, (shape.k, shape.n))
    add = _matrix(x, at, c, shape.c, result, (shape.m, shape.n))
    columns = second.transpose(0, 2, 1)
    size = (*add.shape, shape.k)
    rows = np.broadcast_to(first[:, :, None, :], size)
    return _registers(x, at, x.dot(shape, rows, np.broadcast_to(columns[:, None], size), add), shape.c, result)


def transposed(x: Arrays, at: Warps, word: Array) -> Array:
    """An 8x8 matrix of 16-bit elements, transposed."""
    places = fragments.left(8, 8, "b16")
    matrix = _matrix(x, at, (word,), "b16", places, (8, 8)).transpose(0, 2, 1)
    return _registers(x, at, matrix, "b16", places)[0]


def loaded(
    x: Arrays, at: Warps, buffer: Buffer, rows: Array, count: int, trans: bool
) -> tuple[Array, ...]:
    """8x8 matrices of 16-bit elements from memory; `rows` has (warps, 8*count) offsets, -1 for a row with a fault."""
    found = []
    for i in range(count):
        mine = rows[:, 8 * i : 8 * i + 8]
        if trans:
            found.append(x.concat(16, tuple(
                _elements(x, buffer, at, mine[:, 2 * PLACE + half], 2 * GROUP, 2) for half in range(2)
            )))
        else:
            found.append(_elements(x, buffer, at, mine[:, GROUP], 4 * PLACE, 4))
    return tuple(found)


def _elements(x: Arrays, buffer: Buffer, at: Warps, rows: Array, inside: Array, size: int) -> Array:
    offsets = at.collect(np.where(rows >= 0, rows + inside, -1))
    good = offsets >= 0
    words = x.fetch(buffer, offsets[good], size)
    out = np.zeros(len(offsets), words.dtype)
    if words.dtype == object:
        out = np.full(len(offsets), 0, object)
    out[good] = words
    return out


def stored(
    x: Arrays, at: Warps, buffer: Buffer, rows: Array, trans: bool, words: tuple[Array, ...]
) -> None:
    """The other way round."""
    for i, word in enumerate(words):
        word = np.broadcast_to(word, at.lane.shape)
        mine = rows[:, 8 * i : 8 * i + 8]
        if trans:
            for half, part in enumerate(x.split(16, 2, word)):
                _deposit(x, buffer, at, mine[:, 2 * PLACE + half], 2 * GROUP, 2, part)
        else:
            _deposit(x, buffer, at, mine[:, GROUP], 4 * PLACE, 4, word)


def _deposit(x: Arrays, buffer: Buffer, at: Warps, rows: Array, inside: Array, size: int, words: Array) -> None:
    offsets = at.collect(np.where(rows >= 0, rows + inside, -1))
    good = offsets >= 0
    x.deposit(buffer, offsets[good], size, np.asarray(words[good]))
