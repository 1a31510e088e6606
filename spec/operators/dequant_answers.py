"""Known answers of quantised blocks: bytes in hexadecimal, and the values that come out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from spec.operators import formats
from spec.operators.model import KnownAnswer
from spec.scalar import F16, F32, Format

Values = Sequence[float] | Mapping[int, float]
"""All values of a block, or those that are not 0."""
Cases = tuple[tuple[str, str, Values], ...]
"""Name, block, values."""


def _answer(name: str, block: str, values: Values, elements: int, form: Format) -> KnownAnswer:
    numbers = [values.get(i, 0.0) for i in range(elements)] if isinstance(values, Mapping) else list(values)
    output = formats.encode(np.array(numbers, np.float64), form)
    return KnownAnswer(name, {"x": np.frombuffer(bytes.fromhex(block), np.uint8)}, output)


def _q4_0(scale: str, nibbles: Mapping[int, int] | Sequence[int]) -> str:
    """A block of Q4_0: d in hexadecimal, its nibbles by element, 8 (which gives 0) where none is given."""
    q = [nibbles.get(i, 8) for i in range(32)] if isinstance(nibbles, Mapping) else list(nibbles)
    return scale + bytes(q[i] | q[16 + i] << 4 for i in range(16)).hex()


def _q8_0(scale: str, integers: Mapping[int, int]) -> str:
    return scale + bytes(integers.get(i, 0) & 255 for i in range(32)).hex()


def _header(d: str, dmin: str, scale: int, least: int) -> str:
    """The first bytes of a block of Q4_K with one scale and one minimum throughout."""
    first, second = scale & 63 | scale >> 4 << 6, least & 63 | least >> 4 << 6
    return d + dmin + bytes([first] * 4 + [second] * 4 + [scale & 15 | (least & 15) << 4] * 4).hex()


def _q4_k(header: str, nibbles: Mapping[int, int] | Sequence[int]) -> str:
    """A block of Q4_K: its first 16 bytes, then nibbles by element, 0 where none is given."""
    q = [nibbles.get(i, 0) for i in range(256)] if isinstance(nibbles, Mapping) else list(nibbles)
    return header + bytes(q[64 * (k // 32) + k % 32] | q[64 * (k // 32) + 32 + k % 32] << 4 for k in range(128)).hex()


_INF = math.inf
_Q4_0: Cases = (
    ("every nibble", "003800112233445566778899aabbccddeeff", [(q - 8) / 2 for q in range(16)] * 2),
    ("element 16 alone", _q4_0("003c", {16: 9}), {16: 1.0}),
    ("element 31 alone", _q4_0("003c", {31: 15}), {31: 7.0}),
    ("d = -1", "00bc" + "00ff" * 8, [8.0, -7.0] * 16),
    ("d = 2^-24", _q4_0("0100", {1: 9, 2: 7, 3: 0}), {1: 2.0**-24, 2: -(2.0**-24), 3: -(2.0**-21)}),
    ("d = 65504", _q4_0("ff7b", {0: 0}), {0: -524032.0}),
    ("d = Inf", _q4_0("007c", {1: 9, 2: 7, 3: 0}), [math.nan, _INF, -_INF, -_INF, *[math.nan] * 28]),
    ("d = 0", _q4_0("0000", [0] * 32), [-0.0] * 32),
    ("d is 0.1 in binary16", _q4_0("662e", {0: 0, 1: 1}), {0: -0.7998046875, 1: -0.6998291015625}),
    ("-8, 7 and 1", "003c908f8888888888888888888888888888", {0: -8.0, 1: 7.0, 16: 1.0}),
)
_Q8_0: Cases = (
    ("quarters", "0034" + bytes(q & 255 for q in range(-16, 16)).hex(), [q / 4 for q in range(-16, 16)]),
    ("the ends", _q8_0("003c", {0: -128, 1: 127}), {0: -128.0, 1: 127.0}),
    ("d = 2^-24", _q8_0("0100", {0: 1, 1: 127}), {0: 2.0**-24, 1: 127 * 2.0**-24}),
    ("d = 65504", _q8_0("ff7b", {0: 2, 1: 127, 2: -128}), {0: 131008.0, 1: 8319008.0, 2: -8384512.0}),
    ("d = -0.5", _q8_0("00b8", {1: 1, 2: -1}), {1: -0.5, 2: 0.5}),
    ("d = Inf", _q8_0("007c", {1: 1, 2: -1}), [math.nan, _INF, -_INF, *[math.nan] * 29]),
    ("d is NaN", _q8_0("007e", {1: 1}), [math.nan] * 32),
    ("d = 0", _q8_0("0000", {0: -5}), {}),
    ("127, -64 and 1", "003c7fc0" + "00" * 29 + "01", {0: 127.0, 1: -64.0, 31: 1.0}),
)
_MINIMA = (10, 20, 30, 40, 50, 60, 63, 1)
_Q4_K: Cases = (
    ("scales", _q4_k("003c0000010203040000000005060708", [1] * 256), [1.0 + i // 32 for i in range(256)]),
    ("minima", _q4_k("0000003c000000000102030450607080", [0] * 256), [-1.0 - i // 32 for i in range(256)]),
    (
        "all six bits of scales and minima",
        _q4_k("003c003cfffefdfccad4de282bcaf918", [i % 16 for i in range(256)]),
        [float((63 - i // 32) * (i % 16) - _MINIMA[i // 32]) for i in range(256)],
    ),
    ("one rounding to binary32", "94300100070707070101010117171717" + "11" * 128, [float.fromhex("0x1.006p0")] * 256),
    ("a difference of 0", _q4_k(_header("003c", "003c", 15, 60), [4] * 256), [0.0] * 256),
    ("the largest", _q4_k("ff7b0000ffffffff000000000f0f0f0f", [15] * 256), [61901280.0] * 256),
    (
        "subnormal scales",
        _q4_k(_header("0100", "0100", 1, 1), [i % 4 for i in range(256)]),
        [(i % 4 - 1) * 2.0**-24 for i in range(256)],
    ),
    ("d and dmin of opposite sign", "1f211fa5a1a1a1a15151515111111111" + "99" * 128, [3.3107070922851562] * 256),
    ("nibbles of one byte", _q4_k(_header("003c", "0000", 1, 0), {0: 1, 32: 2}), {0: 1.0, 32: 2.0}),
    ("the last byte", _q4_k(_header("003c", "0000", 1, 0), {223: 3, 255: 15}), {223: 3.0, 255: 15.0}),
)


def _all(cases: Cases, elements: int, form: Format) -> tuple[KnownAnswer, ...]:
    return tuple(_answer(name, block, values, elements, form) for name, block, values in cases)


Q4_0, Q8_0, Q4_K = (
    {form: _all(cases, elements, form) for form in (F32, F16)}
    for cases, elements in ((_Q4_0, 32), (_Q8_0, 32), (_Q4_K, 256))
)
