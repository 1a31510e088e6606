"""SwiGLU over binary16: y[i] = silu(gate[i]) * up[i], rounded to binary16 once, at the end.

    t = mul.rn(gate, -L), L = RN32(log2 e);  e = ex2.approx.ftz(t);  d = add.rn(1, e);  r = rcp.approx.ftz(d)
    s = mul.rn(gate, r);  y = cvt.rn.f16(mul.rn(s, up))

Bound (docs/numerics.md), with Phi of SiLU: E = ((1 + Phi(gate)) (1 + u) - 1) |y| + 2^-126 |gate up| (1 + u) + 2^-149.
A kernel that rounds silu(gate) to binary16 first has another contract: it is off by up to 2^-11 more.
Exceptional inputs: silu(NaN) = silu(-Inf) = NaN, silu(+Inf) = +Inf; then the product as IEEE 754 has it. Where the
reciprocal is flushed, from gate = -87.375 down, s is -0, so that up = +-Inf gives NaN there.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from spec.errors import BadInput
from spec.operators import silu
from spec.operators.build import mul, narrow, widen
from spec.operators.model import NAN16, Expected, KnownAnswer, Operator, raw, words
from spec.ptx.node import Node, input_element
from spec.scalar import U32, Bits16, Kind, Reals, inflate, kinds16, power_of_two

FLUSHED = -87.375
"""The greatest binary16 gate whose 1 + e^-gate is above 2^126, where rcp.approx.ftz gives +0 (PTX ISA 9.7.3.13)."""
LEAST = power_of_two(-149)
"""Covers the last product where it is subnormal."""


def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """The ordered expression of y[element]; `values` holds n."""
    if buffer != "y" or not 0 <= element < values["n"]:
        raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
    return narrow(mul(silu.single(widen(input_element("gate", element))), widen(input_element("up", element))))


def bound_at(gate: Fraction, up: Fraction, magnitude: Fraction) -> Fraction:
    """E for finite inputs; `magnitude` is an upper bound of |silu(gate) up|."""
    grown = (1 + silu.phi_at(gate)) * (1 + U32) - 1
    return grown * magnitude + silu.FLUSH * abs(gate * up) * (1 + U32) + LEAST


def phi(values: Mapping[str, int]) -> Fraction:
    """The relative part of E for every gate from silu.LEAST_UNIFORM on; below, |y| < 2^-25 for any finite up."""
    return (1 + silu.phi(values)) * (1 + U32) - 1


def expected(inputs: Mapping[str, Bits16], floats: Mapping[str, float]) -> Expected:
    """What y may be for gate and up of one shape."""
    del floats
    gate_words, up_words = inputs["gate"], inputs["up"]
    if gate_words.shape != up_words.shape:
        raise BadInput(f"gate and up have one shape, got {gate_words.shape} and {up_words.shape}")
    gate, up = _finite(gate_words), _finite(up_words)
    with np.errstate(over="ignore"):
        exact = gate / (1.0 + np.exp(-gate)) * up
    magnitude = np.abs(exact)
    u = float(U32)
    grown = silu.phi_array(gate) * (1 + u) + u
    tail = float(silu.FLUSH) * np.abs(gate * up) * (1 + u) + float(LEAST)
    # exp, an addition, a division and a product in float64, with a wide margin for the library's exp.
    return Expected(_kinds(gate_words, up_words), exact, inflate(grown * magnitude + tail, 2.0**-48 * magnitude))


def _finite(bits: Bits16) -> Reals:
    """float64 values; 0 in place of Inf and NaN, whose results `_kinds` decides."""
    plain = np.where(kinds16(bits) == Kind.FINITE, bits, 0).astype(np.uint16)
    return plain.view(np.float16).astype(np.float64)


def _kinds(gate: Bits16, up: Bits16) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """The exceptional table of the module's heading, from a stand-in for silu(gate) of the right class and sign."""
    value = gate.view(np.float16).astype(np.float64)
    stand_in = np.where(value == -np.inf, np.nan, np.where(value <= FLUSHED, -0.0, value))
    with np.errstate(invalid="ignore"):
        product = stand_in * up.view(np.float16).astype(np.float64)
    special = np.where(np.isfinite(product), 0.0, product)
    return kinds16(special.astype(np.float16).view(np.uint16))


_PAIRS: tuple[tuple[float, float, int], ...] = (
    (1.0, 1.0, 0x39D9),
    (1.0, 2.0, 0x3DD9),
    (-1.0, 4.0, 0xBC4E),
    (8.0, 8192.0, 0x7BFF),
    (16.0, 4096.0, 0x7C00),
    (16.0, 4094.0, 0x7BFF),
    (-20.0, 65504.0, 0x9988),  # a kernel that rounds silu(-20) to binary16 first gives -0.0039
    (0.0, 1000.0, 0x0000),
    (2.0, -0.5, 0xBB0C),
    (65504.0, 1.0, 0x7BFF),
    (256.0, 256.0, 0x7C00),
    (255.875, 256.0, 0x7BFF),
)

KNOWN_ANSWERS = (
    KnownAnswer(
        "values",
        {"gate": words(*[g for g, _, _ in _PAIRS]), "up": words(*[u for _, u, _ in _PAIRS])},
        raw(*[y for _, _, y in _PAIRS]),
    ),
    KnownAnswer(
        "Inf and NaN",
        {
            "gate": raw(0x7C00, 0x0000, 0xFC00, 0x7C00, 0x3C00, 0x7E00, 0x3C00, 0xD576),
            "up": raw(0x0000, 0x7C00, 0x3C00, 0xBC00, 0xFC00, 0x3C00, 0x7E00, 0x7C00),
        },
        raw(NAN16, NAN16, NAN16, 0xFC00, 0xFC00, NAN16, NAN16, NAN16),
        bitwise=True,
    ),
)

OPERATOR = Operator(
    name="swiglu",
    sequence=(
        "mul.rn by -RN32(log2 e), ex2.approx.ftz, add.rn 1, rcp.approx.ftz, mul.rn by the gate, mul.rn by up, cvt.rn"
    ),
    expression=expression,
    expected=expected,
    phi=phi,
    approximations=("ex2", "rcp"),
    assumptions=("ieee-rn", "doc-ex2", "doc-rcp"),
    known_answers=KNOWN_ANSWERS,
)
