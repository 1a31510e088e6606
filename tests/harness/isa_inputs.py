"""Operands for one-instruction kernels: the corners of each type, and random words."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from spec.ptx.ast import type_width

Words = npt.NDArray[np.uint64]

# fraction bits, exponent bits
_FLOATS = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}
_COMBINATIONS = 20_000  # of corners at most, before they are thinned out to what is asked for


def _float_corners(kind: str) -> list[int]:
    fraction, exponent = _FLOATS[kind]
    width, bias = fraction + exponent + 1, (1 << (exponent - 1)) - 1
    infinity, unit = ((1 << exponent) - 1) << fraction, 1 << fraction

    def power(e: int) -> int:
        return max(1, min(bias, e) + bias) << fraction

    positive = [0, 1, 2, unit - 1, unit, unit + 1, infinity - 1, infinity - 2, infinity]
    positive += [
        power(e) for e in (-bias // 2, -25, -24, -15, -14, -2, -1, 0, 1, 2, 4, 7, 8, 15, 16, 31, 32, 63, 64, bias)
    ]
    positive += [power(0) + 1, power(0) - 1, power(1) + 1, power(1) - 1]
    # 0.5, 1.5, 2.5, 3.5 and neighbours of integer limits: ties and edges of conversions.
    positive += [power(-1) + 1, power(-1) - 1, power(0) | unit >> 1, power(1) | unit >> 2, power(1) | 3 * unit >> 2]
    positive += [power(e) - 1 for e in (7, 8, 15, 16, 31, 32, 63, 64)]
    # Where narrower formats begin, change to subnormals, and round to nothing.
    positive += [power(e) + d for e in (-150, -149, -127, -126, -25, -24, -14) if e > -bias for d in (-1, 1)]
    positive += [power(e) for e in (-150, -149, -127, -126) if e > -bias]
    nan = infinity | unit >> 1
    words = [*positive, *(p | 1 << (width - 1) for p in positive), nan, infinity | 1, nan | 1 << (width - 1)]
    return list(dict.fromkeys(words))


def _integer_corners(width: int) -> list[int]:
    top = 1 << (width - 1)
    words = [0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 257, 0x7FFF, 0x8000, 0xFFFF, 0x10000]
    words += [top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, top | top >> 1, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA]
    return list(dict.fromkeys(word % (2 * top) for word in words))


def corners(kind: str) -> list[int]:
    """Words of a PTX type that arithmetic treats specially."""
    if kind == "pred":
        return [0, 1]
    if kind in ("f16x2", "bf16x2"):
        half = _float_corners(kind.removesuffix("x2"))
        return [low | high << 16 for low, high in zip(half, [*half[7:], *half[:7]], strict=True)]
    if kind in _FLOATS:
        return _float_corners(kind)
    words = _integer_corners(type_width(kind))
    # Untyped bits may be floats, selectors or masks.
    return words + _float_corners("f32")[:8] if kind == "b32" else words


def _random(kind: str, count: int, random: np.random.Generator) -> Words:
    if kind == "pred":
        return random.integers(0, 2, count, dtype=np.uint64)
    width = type_width(kind)
    words = random.integers(0, 2**64, count, dtype=np.uint64, endpoint=False) >> np.uint64(64 - width)
    if kind in ("f32", "f64"):
        # Uniform words hardly ever meet in exponent; half of the draws lie within a few binades of 1.
        fraction, exponent = _FLOATS[kind]
        near = (1 << (exponent - 1)) - 9 + random.integers(0, 16, count, dtype=np.uint64)
        mask = np.uint64(((1 << exponent) - 1) << fraction)
        moved = (words & ~mask) | near << np.uint64(fraction)
        return np.where(random.random(count) < 0.5, moved, words)
    if kind[0] in "usb" and not kind.startswith("bf"):
        # Small integers serve as amounts, positions and lengths.
        small = words >> random.integers(0, width, count, dtype=np.uint64)
        return np.where(random.random(count) < 0.5, small, words)
    return words


# About the least normal number: exact results just below it that are, or are not, below it once rounded to the
# precision of the format. Where a flush to zero looks is seen nowhere else.
_DIRECTED: dict[tuple[str, ...], list[tuple[int, ...]]] = {
    ("f32", "f32"): [
        (0x00800001, 0x3F7FFFFE),
        (0x00800000, 0x3F7FFFFF),
        (0x80800001, 0x3F7FFFFE),
        (0x3F7FFFFF, 0x7E800000),
    ],
    ("f16", "f16"): [(0x0401, 0x3BFE), (0x0400, 0x3BFF), (0x8401, 0x3BFE)],
    ("f16x2", "f16x2"): [(0x04010400, 0x3BFE3BFF), (0x84018400, 0x3BFF3BFE)],
    ("f32", "f32", "f32"): [(0x00800001, 0x3FFFFFFF, 0x80800001), (0x80800001, 0x3FFFFFFF, 0x00800001)],
    ("f16", "f16", "f16"): [(0x0401, 0x3FFF, 0x8401), (0x8401, 0x3FFF, 0x0401)],
    ("f16x2", "f16x2", "f16x2"): [(0x04018401, 0x3FFF3FFF, 0x84010401)],
}


def operands(sources: tuple[str, ...], count: int, seed: int) -> list[Words]:
    """`count` operand tuples, one array a source: combinations of corners first, then random words, by seed."""
    random = np.random.Generator(np.random.Philox(seed))
    if not sources:
        return []
    choices = [corners(kind) for kind in sources]
    most_corners = max(2, int(_COMBINATIONS ** (1 / len(sources))))
    choices = [[c[i] for i in sorted(random.choice(len(c), min(len(c), most_corners), False))] for c in choices]
    combinations = np.array(list(itertools.product(*choices)), dtype=np.uint64)
    most = count // 2 if len(sources) > 1 else count
    if len(combinations) > most:
        combinations = combinations[np.sort(random.choice(len(combinations), most, replace=False))]
    if directed := _DIRECTED.get(sources):
        combinations[: len(directed)] = np.array(directed, dtype=np.uint64)
    rest = count - len(combinations)
    return [np.concatenate([combinations[:, i], _random(kind, rest, random)]) for i, kind in enumerate(sources)]
