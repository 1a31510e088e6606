"""Rotary position embedding over binary16: pairs (x1, x2) of a head are turned by the angle of position and pair.

    r1 = cvt.rn.f16(fma.rn(x1, c, neg(mul.rn(x2, s))))      r2 = cvt.rn.f16(fma.rn(x2, c, mul.rn(x1, s)))

x and y are (rows, columns), a row one token: columns / (2 half) heads of 2 half elements. Pairing: element j < half of
a head goes with element half + j. (`rope_interleaved`: elements 2 j and 2 j + 1.) Row r takes c and s from row r of
the tables cos and sin, (rows, half) of binary32 numbers of magnitude at most 1, which the host has looked up for its
position. `table` says what they should hold: angles in binary32 would be off by position * 2^-24.

Bound, R = x1 c - x2 s (x2 c + x1 s alike), for the tables as they are:

    E = u (|x2 s| (1 + u) + |R|) + 2^-149,

one rounding of the product, one of the sum, and what is subnormal in binary32. Against cosine and sine themselves,
which the tables round once, u (|x1 c| + |x2 s|) / (1 - u) comes to it. There is no bound relative to |R|, since the
terms cancel. Exceptional inputs: as IEEE 754 has the operations; Inf in a pair gives Inf or, times 0 or minus Inf, NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from spec.enclosure import Enclosure, cos_sin, exp, log
from spec.errors import BadInput
from spec.operators import formats
from spec.operators.build import fma, mul, narrow, neg, widen
from spec.operators.formats import Words
from spec.operators.model import NAN16, Expected, KnownAnswer, Operator, raw, words
from spec.ptx.node import Node, input_element
from spec.scalar import F16, F32, U32, Reals, encode, inflate, power_of_two

LEAST = power_of_two(-149)
Pairing = Callable[[int, int], tuple[int, bool, int]]
"""(element of a head, half) -> its pair, whether it is the second of it, the element of the head it goes with."""


def split(element: int, half: int) -> tuple[int, bool, int]:
    """Halves of a head go together."""
    second, pair = divmod(element, half)
    return pair, bool(second), element - half if second else element + half


def interleaved(element: int, half: int) -> tuple[int, bool, int]:
    """Neighbours go together."""
    del half
    pair, second = divmod(element, 2)
    return pair, bool(second), element ^ 1


# --- order ------------------------------------------------------------------------------------------------------------


def rotated(x1: Node, x2: Node, c: Node, s: Node) -> tuple[Node, Node]:
    """Both results in binary32."""
    return fma(x1, c, neg(mul(x2, s))), fma(x2, c, mul(x1, s))


def ordered(pairing: Pairing) -> Callable[[Mapping[str, int], str, int], Node]:
    """The expression of y[row * y_stride + column]; values hold rows, columns, half, x_, table_ and y_stride."""

    def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
        row, column = divmod(element, values["y_stride"])
        half = values["half"]
        if buffer != "y" or not (0 <= row < values["rows"] and column < values["columns"]):
            raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
        head, inside = divmod(column, 2 * half)
        pair, second, other = pairing(inside, half)
        base = row * values["x_stride"] + head * 2 * half
        mine, theirs = (widen(input_element("x", base + k)) for k in (inside, other))
        c, s = (input_element(name, row * values["table_stride"] + pair) for name in ("cos", "sin"))
        return narrow(rotated(theirs, mine, c, s)[1] if second else rotated(mine, theirs, c, s)[0])

    return expression


# --- bound ------------------------------------------------------------------------------------------------------------


def bound(crossed: Fraction, result: Fraction) -> Fraction:
    """E for the term that mul rounds (x2 s) and the exact sum of both; fma takes the other term exactly."""
    return U32 * (abs(crossed) * (1 + U32) + abs(result)) + LEAST


def bound_of_angle(straight: Fraction, crossed: Fraction, result: Fraction) -> Fraction:
    """The error against cosine and sine themselves, of which the tables hold the nearest binary32 numbers."""
    return bound(crossed, result) + (abs(straight) + abs(crossed)) * U32 / (1 - U32)


def angle(position: int, pair: int, half: int, base: int = 10_000) -> tuple[Enclosure, Enclosure]:
    """Cosine and sine of position * base^(-pair / half)."""
    speeds = [end for power in log(Fraction(base)) for end in exp(-Fraction(pair, half) * power)]
    middle, slack = position * (min(speeds) + max(speeds)) / 2, position * (max(speeds) - min(speeds)) / 2
    cosine, sine = ((low - slack, high + slack) for low, high in cos_sin(middle))
    return cosine, sine


def table(position: int, pair: int, half: int, base: int = 10_000) -> tuple[int, int]:
    """The words of c and s: RN32 of cosine and sine of position * base^(-pair / half)."""
    if not position:
        return encode(Fraction(1), F32), encode(Fraction(0), F32)
    cosine, sine = ({encode(end, F32) for end in ends} for ends in angle(position, pair, half, base))
    if len(cosine) != 1 or len(sine) != 1:
        raise BadInput(f"position {position}, pair {pair}: too near to a tie of binary32 for the precision kept")
    return cosine.pop(), sine.pop()


def phi(values: Mapping[str, int]) -> Fraction:
    """There is none."""
    raise BadInput(f"a rotation has no relative bound, its terms cancel; asked at {dict(values)}")


# --- meaning ----------------------------------------------------------------------------------------------------------


def meaning(pairing: Pairing) -> Callable[[Mapping[str, Words], Mapping[str, float]], Expected]:
    """What y may be for x (rows, columns) and the tables (rows, half)."""

    def expected(inputs: Mapping[str, Words], floats: Mapping[str, float]) -> Expected:
        del floats
        x, cos, sin = inputs["x"], inputs["cos"], inputs["sin"]
        if x.ndim != 2 or cos.ndim != 2 or cos.shape != sin.shape or len(x) != len(cos):
            raise BadInput(f"x is (rows, columns), cos and sin (rows, half), got {x.shape}, {cos.shape}, {sin.shape}")
        half = cos.shape[1]
        if not half or x.shape[1] % (2 * half):
            raise BadInput(f"a row holds whole heads of {2 * half} elements, got {x.shape[1]} columns")
        c, s = formats.values_of(cos, F32), formats.values_of(sin, F32)
        if not (np.abs(c) <= 1).all() or not (np.abs(s) <= 1).all():
            raise BadInput("tables hold cosines and sines, of magnitude at most 1")
        places = [pairing(k, half) for k in range(2 * half)]
        pair, other = [p for p, _, _ in places], [o for _, _, o in places]
        sign = np.array([1.0 if second else -1.0 for _, second, _ in places])
        heads = formats.values_of(x, F16).reshape(len(x), -1, 2 * half)
        with np.errstate(invalid="ignore"):
            straight = heads * c[:, np.newaxis, pair]
            crossed = heads[:, :, other] * s[:, np.newaxis, pair] * sign
            result = (straight + crossed).reshape(x.shape)
        kinds = formats.kinds(formats.encode(result, F32), F32)
        exact: Reals = np.where(kinds == 0, result, 0.0)
        size = np.abs(np.where(kinds == 0, crossed.reshape(x.shape), 0.0))
        u = float(U32)
        # Both terms are exact in float64, their sum is rounded once.
        return Expected(
            kinds, exact, inflate(u * (size * (1 + u) + np.abs(exact)) + float(LEAST), 2.0**-53 * np.abs(exact))
        )

    return expected


# --- known answers ----------------------------------------------------------------------------------------------------


def answers(pairing: Pairing) -> tuple[KnownAnswer, ...]:
    """Position, elements of a head, pair, x1, x2, r1, r2: one row, of which the other pairs are 0."""
    cases: tuple[tuple[int, int, int, float, float, int, int], ...] = (
        (0, 128, 0, 1.0, 2.0, 0x3C00, 0x4000),
        (1, 128, 0, 1.0, 0.0, 0x3853, 0x3ABB),
        (1, 128, 0, 0.0, 1.0, 0xBABB, 0x3853),
        (1, 128, 0, 1.0, 1.0, 0xB4D2, 0x3D87),
        (1, 128, 63, 1.0, 1.0, 0x3C00, 0x3C00),
        (4096, 128, 0, 1.0, 0.0, 0x3A6F, 0xB8C2),
        (131_071, 128, 0, 1.0, 0.0, 0xBA8B, 0xB89A),
        (100, 64, 1, 0.5, -0.25, 0x35C0, 0xB6DA),
        (1, 2, 0, 65504.0, 65504.0, 0xF4D1, 0x7C00),
        (2, 2, 0, 65504.0, -65504.0, 0x77E3, 0x7C00),
        (1, 2, 0, 0.0, 0.0, 0x0000, 0x0000),
        (1, 2, 0, float("nan"), 1.0, NAN16, NAN16),
    )
    found = []
    for position, size, pair, x1, x2, r1, r2 in cases:
        half = size // 2
        cos, sin = np.full((1, half), 0x3F800000, np.uint32), np.zeros((1, half), np.uint32)
        cos[0, pair], sin[0, pair] = table(position, pair, half)
        first = next(k for k in range(size) if pairing(k, half)[:2] == (pair, False))
        at = [first, pairing(first, half)[2]]
        x, y = np.zeros((1, size), np.uint16), np.zeros((1, size), np.uint16)
        x[0, at], y[0, at] = words(x1, x2), raw(r1, r2)
        name = f"position {position}, pair {pair} of {half}, ({x1}, {x2})"
        found.append(KnownAnswer(name, {"x": x, "cos": cos, "sin": sin}, y))
    return tuple(found)


def operator(name: str, pairing: Pairing) -> Operator:
    """The rotation of heads paired in this way."""
    return Operator(
        name=name,
        sequence="mul.rn by sin, neg for the first of a pair, fma.rn with cos, cvt.rn",
        expression=ordered(pairing),
        expected=meaning(pairing),
        phi=phi,
        approximations=(),
        assumptions=("ieee-rn",),
        known_answers=answers(pairing),
    )


OPERATOR = operator("rope", split)
