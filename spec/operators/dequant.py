"""Blocks of quantised numbers in the GGUF formats Q4_0, Q8_0 and Q4_K, to binary32 or, through binary32, binary16.

A block holds binary16 scales and small integers, little endian. With the bytes of a block in brackets:

    Q4_0   18 bytes, 32 elements: d [0:2], qs [2:18]. Element i < 16 is the low nibble of qs[i], 16 + i the high one.
           y = mul.rn(d, add.rn(q, -8))
    Q8_0   34 bytes, 32 elements: d [0:2], q [2:34], signed.
           y = mul.rn(d, q)
    Q4_K   144 bytes, 256 elements: d [0:2], dmin [2:4], s [4:16], qs [16:144]. Element 32 j + l is a nibble of
           qs[32 (j / 2) + l], low for even j. For j < 4: sc = s[j] & 63, m = s[j + 4] & 63; for j >= 4:
           sc = s[j + 4] & 15 | s[j - 4] >> 6 << 4, m = s[j + 4] >> 4 | s[j] >> 6 << 4.
           y = sub.rn(mul.rn(mul.rn(d, sc), q), mul.rn(dmin, m))

All operations but the last of Q4_K are exact: 11 bits times at most 10. So every order of them, and fma in place of
product and difference, gives the same words, and E = 0. To binary16 the result of Q4_K is rounded twice, which is not
the nearest word in all cases. d = Inf or NaN: as the formulas have it; zeros of either sign are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spec.errors import BadInput
from spec.operators import formats
from spec.operators.build import add, from_integer, mul, narrow, sub, widen
from spec.operators.formats import Words
from spec.operators.model import Expected, KnownAnswer, Operator
from spec.ptx.node import Node, bits, constant, input_element
from spec.scalar import F16, F32, Format, Kind, Reals

Bytes = NDArray[np.uint8]
MINUS_8 = constant(32, 0xC1000000)


@dataclass(frozen=True)
class Layout:
    """A kind of block.

    Args:
        sequence: the rounded operations in order, for readers.
        element: (number of a byte in the block -> its node, element) -> the ordered expression in binary32.
        values: (blocks, bytes) -> (blocks, elements), in float64, where every operation of the sequence is exact.
    """

    name: str
    bytes: int
    elements: int
    sequence: str
    element: Callable[[Callable[[int], Node], int], Node]
    values: Callable[[Bytes], Reals]


def operator(layout: Layout, form: Format, answers: tuple[KnownAnswer, ...]) -> Operator:
    """The operator that writes all elements of x, blocks one behind the other, to y in this format."""

    def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
        """The ordered expression of y[element]; `values` holds n, the number of elements."""
        if buffer != "y" or not 0 <= element < values["n"] or values["n"] % layout.elements:
            raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
        block, inside = divmod(element, layout.elements)
        single = layout.element(lambda k: input_element("x", layout.bytes * block + k), inside)
        return single if form is F32 else narrow(single)

    def expected(inputs: Mapping[str, Words], floats: Mapping[str, float]) -> Expected:
        """The words of y for the bytes of x."""
        del floats
        x = inputs["x"]
        if x.dtype != np.uint8 or x.ndim != 1 or len(x) % layout.bytes:
            raise BadInput(f"x is bytes, {layout.bytes} for each block, got {x.dtype} of shape {x.shape}")
        with np.errstate(invalid="ignore"):
            exact = layout.values(x.reshape(-1, layout.bytes)).reshape(-1)
        single = formats.encode(exact, F32)
        kinds = formats.kinds(single, F32)
        stored = np.where(kinds == Kind.FINITE, formats.finite_values(single, F32) if form is F16 else exact, 0.0)
        return Expected(kinds, stored, np.zeros(stored.shape), form=form)

    def phi(values: Mapping[str, int]) -> Fraction:
        """No error but that of the conversion to the stored format."""
        del values
        return Fraction(0)

    return Operator(
        name=f"dequant_{layout.name}" + ("" if form is F32 else "_f16"),
        sequence=layout.sequence + ("" if form is F32 else ", cvt.rn.f16"),
        expression=expression,
        expected=expected,
        phi=phi,
        approximations=(),
        assumptions=("ieee-rn",),
        known_answers=answers,
    )


def _half(low: Node, high: Node) -> Node:
    """A binary16 number of two bytes, widened."""
    return widen(bits([(low, 0, 8), (high, 0, 8)]))


def _scale(blocks: Bytes, at: int) -> Reals:
    words = blocks[:, at].astype(np.uint16) | blocks[:, at + 1].astype(np.uint16) << 8
    return formats.values_of(words, F16)[:, np.newaxis]


def _nibbles(part: Bytes) -> tuple[Reals, Reals]:
    return (part & 15).astype(np.float64), (part >> 4).astype(np.float64)


def _q4_0(byte: Callable[[int], Node], i: int) -> Node:
    half, at = divmod(i, 16)
    q = from_integer(4, False, (byte(2 + at), 4 * half, 4))
    return mul(_half(byte(0), byte(1)), add(q, MINUS_8))


def _q8_0(byte: Callable[[int], Node], i: int) -> Node:
    return mul(_half(byte(0), byte(1)), from_integer(8, True, (byte(2 + i), 0, 8)))


def _q4_k(byte: Callable[[int], Node], i: int) -> Node:
    j, at = divmod(i, 32)
    if j < 4:
        scale, least = [(byte(4 + j), 0, 6)], [(byte(8 + j), 0, 6)]
    else:
        scale = [(byte(8 + j), 0, 4), (byte(j), 6, 2)]
        least = [(byte(8 + j), 4, 4), (byte(4 + j), 6, 2)]
    q = from_integer(4, False, (byte(16 + 32 * (j // 2) + at), 4 * (j % 2), 4))
    scaled = mul(mul(_half(byte(0), byte(1)), from_integer(6, False, *scale)), q)
    return sub(scaled, mul(_half(byte(2), byte(3)), from_integer(6, False, *least)))


def _q4_k_values(blocks: Bytes) -> Reals:
    s = blocks[:, 4:16].astype(np.int64)
    scales = np.concatenate([s[:, 0:4] & 63, s[:, 8:12] & 15 | s[:, 0:4] >> 6 << 4], axis=1).astype(np.float64)
    least = np.concatenate([s[:, 4:8] & 63, s[:, 8:12] >> 4 | s[:, 4:8] >> 6 << 4], axis=1).astype(np.float64)
    low, high = _nibbles(blocks[:, 16:].reshape(-1, 4, 32))
    q = np.stack([low, high], axis=2).reshape(-1, 8, 32)
    scaled = (_scale(blocks, 0) * scales)[:, :, np.newaxis] * q
    return (scaled - (_scale(blocks, 2) * least)[:, :, np.newaxis]).reshape(-1, 256)


Q4_0 = Layout(
    "q4_0", 18, 32, "cvt.rn.f32.u32 of the nibble, add.rn -8, mul.rn by d", _q4_0,
    lambda blocks: _scale(blocks, 0) * (np.concatenate(_nibbles(blocks[:, 2:]), axis=1) - 8),
)  # fmt: skip
Q8_0 = Layout(
    "q8_0", 34, 32, "cvt.rn.f32.s8, mul.rn by d", _q8_0,
    lambda blocks: _scale(blocks, 0) * blocks[:, 2:].view(np.int8).astype(np.float64),
)  # fmt: skip
Q4_K = Layout(
    "q4_k", 144, 256, "mul.rn of d and the scale, mul.rn by the nibble, mul.rn of dmin and the minimum, sub.rn", _q4_k,
    _q4_k_values,
)  # fmt: skip
