"""Residual addition over binary16: y[i] = a[i] + b[i], rounded once.

    y = cvt.rn.f16(add.rn.f32(a, b))

The two roundings are one: RN16(RN32(a + b)) = RN16(a + b) for all binary16 a, b (docs/numerics.md), so E = 0 and every
bit is due, the sign of zero included; only the payload of a NaN is free. `add.rn.f16` gives the same words.
Exceptional inputs: as IEEE 754 has them; Inf - Inf is NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from spec.errors import BadInput
from spec.operators import formats
from spec.operators.build import add, narrow, widen
from spec.operators.formats import Words
from spec.operators.model import NAN16, Expected, KnownAnswer, Operator, exactly, raw
from spec.ptx.node import Node, input_element
from spec.scalar import F16


def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """The ordered expression of y[element]; `values` holds n."""
    if buffer != "y" or not 0 <= element < values["n"]:
        raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
    return narrow(add(widen(input_element("a", element)), widen(input_element("b", element))))


def expected(inputs: Mapping[str, Words], floats: Mapping[str, float]) -> Expected:
    """The words of y for a and b of one shape."""
    del floats
    a, b = inputs["a"], inputs["b"]
    if a.shape != b.shape:
        raise BadInput(f"a and b have one shape, got {a.shape} and {b.shape}")
    with np.errstate(invalid="ignore"):
        total = formats.values_of(a, F16) + formats.values_of(b, F16)  # at most 41 bits: exact in float64
    return exactly(formats.encode(total, F16), F16)


def phi(values: Mapping[str, int]) -> Fraction:
    """No error before the conversion counts: the two roundings are one."""
    del values
    return Fraction(0)


_TRIPLES: tuple[tuple[int, int, int], ...] = (
    (0x3C00, 0x1000, 0x3C00),  # 1 + 2^-11, a tie
    (0x3C00, 0x1200, 0x3C01),  # 1 + 3 * 2^-12
    (0x3C01, 0x1000, 0x3C02),
    (0x7BFF, 0x4B80, 0x7BFF),  # 65504 + 15
    (0x7BFF, 0x4C00, 0x7C00),
    (0x7BFF, 0xFBFF, 0x0000),
    (0x8000, 0x8000, 0x8000),
    (0x0001, 0x0001, 0x0002),
    (0x6800, 0x3C00, 0x6800),  # 2048 + 1
    (0x6800, 0x4200, 0x6802),
    (0x7800, 0x7800, 0x7C00),
    (0x0400, 0x8001, 0x03FF),
    (0x3C00, 0x0001, 0x3C00),
    (0x7C00, 0xFC00, NAN16),
    (0x7C00, 0x3C00, 0x7C00),
    (0x3C00, 0x7D01, NAN16),
)

OPERATOR = Operator(
    name="residual",
    sequence="add.rn, cvt.rn",
    expression=expression,
    expected=expected,
    phi=phi,
    approximations=(),
    assumptions=("ieee-rn",),
    known_answers=(
        KnownAnswer(
            "words",
            {"a": raw(*[a for a, _, _ in _TRIPLES]), "b": raw(*[b for _, b, _ in _TRIPLES])},
            raw(*[y for _, _, y in _TRIPLES]),
            bitwise=True,
        ),
    ),
)
