"""Binary16 data of a named kind, made from a seed: what Hypothesis draws is the recipe, not the elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint16]
Maker = Callable[[np.random.Generator, int], Words]

_INF, _NAN = 0x7C00, 0x7E00


def _sign(random: np.random.Generator, magnitude: npt.NDArray[np.uint16]) -> Words:
    return magnitude | (random.integers(0, 2, magnitude.size, dtype=np.uint16) << np.uint16(15))


def _normal(scale: float) -> Maker:
    def make(random: np.random.Generator, size: int) -> Words:
        return (random.standard_normal(size) * scale).clip(-65504, 65504).astype(np.float16).view(np.uint16)

    return make


def _between(low: int, high: int) -> Maker:
    """Both signs of magnitudes from low to high, as words."""
    return lambda random, size: _sign(random, random.integers(low, high, size, dtype=np.uint16, endpoint=True))


def _of(*words: int) -> Maker:
    return lambda random, size: random.choice(np.array(words, np.uint16), size)


def _sprinkled(*words: int) -> Maker:
    """Normal data in which about one element in eight, and at least one, is one of these words."""

    def make(random: np.random.Generator, size: int) -> Words:
        data = _normal(1.0)(random, size)
        if size:
            where = random.random(size) < 0.125
            where[random.integers(0, size)] = True
            data[where] = random.choice(np.array(words, np.uint16), int(where.sum()))
        return data

    return make


def _one_hot(random: np.random.Generator, size: int) -> Words:
    data = np.zeros(size, np.uint16)
    if size:
        data[random.integers(0, size)] = 0x3C00
    return data


def _powers(random: np.random.Generator, size: int) -> Words:
    return _sign(random, random.integers(1, 31, size, dtype=np.uint16) << np.uint16(10))


# Simplest first: Hypothesis shrinks towards the front.
FINITE: dict[str, Maker] = {
    "ones": _of(0x3C00),
    "normal": _normal(1.0),
    "zeros of both signs": _of(0x0000, 0x8000),
    "one-hot": _one_hot,
    "powers of two": _powers,
    "small": _normal(1e-3),
    "large": _normal(1e4),
    "tiny": _between(1, 0x0800),
    "subnormal": _between(1, 0x03FF),
    "huge": _between(0x7800, 0x7BFF),
    "every finite word": _between(0, 0x7BFF),
    "about the range of an exponential": _between(0x3000, 0x5000),
    "-21 to -15": lambda random, size: random.uniform(-21, -15, size).astype(np.float16).view(np.uint16),
}
EXCEPTIONAL: dict[str, Maker] = {
    "some Inf": _sprinkled(_INF, _INF | 0x8000),
    "some NaN": _sprinkled(_NAN, _NAN | 0x8000, 0x7C01, 0xFDFF),
    "Inf and NaN": _sprinkled(_INF, _INF | 0x8000, _NAN),
    "every word": lambda random, size: random.integers(0, 2**16, size, dtype=np.uint16),
}
KINDS = {**FINITE, **EXCEPTIONAL}


@dataclass(frozen=True)
class Recipe:
    """A kind of KINDS and the seed of its elements."""

    kind: str
    seed: int

    def make(self, shape: tuple[int, ...]) -> Words:
        """The words, in this shape; the same for the same recipe and shape."""
        random = np.random.Generator(np.random.Philox(self.seed))
        size = int(np.prod(shape, dtype=np.int64))
        return KINDS[self.kind](random, size).astype(np.uint16).reshape(shape)
