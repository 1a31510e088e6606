"""What a launch finds in its buffers: the same bytes for every checker."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tests.peers.launch import Argument

DRAWN = 2**26  # bytes of a buffer up to which its elements are drawn; a larger one is filled with one byte
BYTE = 0x3C
FLOATS = {"f16": 2, "f32": 4, "f64": 8}


def pieces(argument: Argument) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
    """The bytes of an exact buffer that are not all zero, by their offset."""
    for offset, text in argument.pieces:
        yield offset, np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)


def content(argument: Argument, seed: int) -> npt.NDArray[np.uint8]:
    """The bytes of a small buffer: those given, or floats in [0, 1) and integers in the argument's range."""
    if argument.exact:
        found = np.zeros(argument.bytes, np.uint8)
        for offset, data in pieces(argument):
            found[offset : offset + len(data)] = data[: max(argument.bytes - offset, 0)]
        return found
    draw = np.random.default_rng(seed)
    element = argument.element
    if element in FLOATS:
        count = argument.bytes // FLOATS[element]
        return draw.random(count).astype(f"<f{FLOATS[element]}").view(np.uint8)
    if element == "bf16":
        words = draw.random(argument.bytes // 2).astype("<f4").view("<u4") >> 16
        return words.astype("<u2").view(np.uint8)
    width = int(element[1:]) // 8
    kind = f"<{'i' if element[0] == 's' else 'u'}{width}"
    drawn = draw.integers(argument.low, max(argument.high, argument.low + 1), argument.bytes // width, dtype=kind)
    return (np.sort(drawn) if argument.rising else drawn).view(np.uint8)
