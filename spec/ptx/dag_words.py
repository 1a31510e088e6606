"""Words of the domain Dag that are not plain numbers: pieces of nodes side by side.

Packing, shifting and masking move whole pieces, so that the halves of a packed word are told apart exactly.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy.typing as npt

from spec.errors import Unsupported
from spec.ptx.ast import type_width
from spec.ptx.floats import WORD
from spec.ptx.memory import Buffer
from spec.ptx.node import Node, bits, constant, input_element

Array = npt.NDArray[Any]


class Piece(NamedTuple):
    """`width` bits from bit `offset` on: of a node `whole` bits wide, or of the number `value` (then at offset 0)."""

    width: int
    node: Node | None
    offset: int = 0
    whole: int = 0
    value: int = 0

    def cut(self, start: int, width: int) -> Piece:
        """The `width` bits from bit `start` on."""
        if self.node is None:
            return Piece(width, None, value=self.value >> start & ((1 << width) - 1))
        return Piece(width, self.node, self.offset + start, self.whole)


@dataclass(slots=True)
class Bits:
    """A word put together of pieces, least significant first, not all of them known."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Lost:
    """A word this domain cannot express; `why` says which operation made it."""

    why: str


Element = Any  # int | Bits | Lost


def assemble(pieces: list[Piece]) -> Element:
    """The word of these pieces, neighbours joined: an int if all are known."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last is not None and last.node is None and piece.node is None:
            joined[-1] = Piece(last.width + piece.width, None, value=last.value | piece.value << last.width)
        elif (
            last is not None
            and last.node is not None
            and last.node is piece.node
            and last.offset + last.width == piece.offset
        ):
            joined[-1] = Piece(last.width + piece.width, last.node, last.offset, last.whole)
        elif piece.width:
            joined.append(piece)
    if all(p.node is None for p in joined):
        return joined[0].value if joined else 0
    return Bits(tuple(joined))


def pieces_of(width: int, element: Element) -> list[Piece]:
    return list(element.pieces) if isinstance(element, Bits) else [Piece(width, None, value=int(element))]


def cut(width: int, element: Element, start: int, count: int) -> list[Piece]:
    """`count` bits of the word from bit `start` on."""
    out, at = [], 0
    for piece in pieces_of(width, element):
        low, high = max(start, at), min(start + count, at + piece.width)
        if low < high:
            out.append(piece.cut(low - at, high - low))
        at += piece.width
    return out


def of_node(width: int, node: Node) -> Bits:
    return Bits((Piece(width, node, 0, width),))


def masked(width: int, element: Element, mask: int) -> Element:
    """The word with the bits outside the mask cleared."""
    out: list[Piece] = []
    at = 0
    while at < width:
        bit = mask >> at & 1
        end = at
        while end < width and mask >> end & 1 == bit:
            end += 1
        out += cut(width, element, at, end - at) if bit else [Piece(end - at, None)]
        at = end
    return assemble(out)


def union(width: int, a: Element, b: Element) -> Element | None:
    """The bitwise or of two words of which, at each bit, one is a known 0 or both are known; else None."""
    return _joined(width, a, b, operator.or_)


def difference(width: int, a: Element, b: Element) -> Element | None:
    """The bitwise xor of such words. Not their union: two known ones give 0."""
    return _joined(width, a, b, operator.xor)


def _joined(width: int, a: Element, b: Element, known: Callable[[int, int], int]) -> Element | None:
    """`known` of the bits that both know, the other word's where one is a known 0."""
    cuts = sorted({0, width, *_borders(width, a), *_borders(width, b)})
    out: list[Piece] = []
    for low, high in pairwise(cuts):
        (left,), (right,) = cut(width, a, low, high - low), cut(width, b, low, high - low)
        if left.node is None and right.node is None:
            out.append(Piece(high - low, None, value=known(left.value, right.value)))
        elif left.node is None and left.value == 0:
            out.append(right)
        elif right.node is None and right.value == 0:
            out.append(left)
        else:
            return None
    return assemble(out)


def _borders(width: int, element: Element) -> list[int]:
    """Bit positions where a piece, or a run of equal known bits, ends."""
    out, at = [], 0
    for piece in pieces_of(width, element):
        if piece.node is None:
            out += [at + i for i in range(1, piece.width) if (piece.value >> i ^ piece.value >> (i - 1)) & 1]
        at += piece.width
        out.append(at)
    return out


def whole(width: int, element: Element, line: int) -> Node:
    """A word as one node; one put together of parts is a node `bits`. Unsupported for Lost, with this PTX line."""
    if isinstance(element, int):
        return constant(width, element)
    if isinstance(element, Lost):
        raise Unsupported(f"a floating operand is the result of {element.why}", line=line)
    piece: Piece = element.pieces[0]
    if len(element.pieces) == 1 and piece.node is not None and piece.offset == 0 and piece.whole == width:
        return piece.node
    return bits([
        (p.node, p.offset, p.width) if p.node is not None else (constant(p.width, p.value), 0, p.width)
        for p in element.pieces
    ])  # fmt: skip


def unextended(width: int, signed: bool, element: Element) -> tuple[int, bool, Element]:
    """An integer word without bits that only extend it: (width, signed, the bits left) of the same value.

    A number that is zero or sign extended from fewer bits is that narrower number, however wide the register.
    """
    if not isinstance(element, Bits):
        return width, signed, element
    pieces = list(element.pieces)
    top = pieces[-1]
    if top.node is None and top.value == 0:
        return width - top.width, False, assemble(pieces[:-1])
    while signed and len(pieces) > 1 and pieces[-1].width == 1 and _last_bit(pieces[-2]) == _last_bit(pieces[-1]):
        pieces.pop()
    return sum(p.width for p in pieces), signed, assemble(pieces)


def _last_bit(piece: Piece) -> tuple[Node | None, int]:
    return piece.node, piece.offset + piece.width if piece.node is not None else piece.value >> (piece.width - 1)


def tidy(out: Array, width: int) -> Array:
    """A plain array of words if every element is known."""
    return out.astype(WORD[width]) if all(isinstance(v, int) for v in out) else out


def content(buffer: Buffer, offset: int, raw: int) -> Piece:
    """What one byte of a buffer holds: the last thing stored, an input element's byte, or the byte itself."""
    stored = buffer.shadow.get(offset)
    if stored is not None:
        piece: Piece = stored
        return piece
    if not buffer.symbolic:
        return Piece(8, None, value=raw)
    size = type_width(buffer.symbolic) // 8
    return Piece(8, input_element(buffer.name, offset // size), 8 * (offset % size), 8 * size)
