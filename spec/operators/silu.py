"""SiLU over binary16: y[i] = x[i] / (1 + e^-x[i]).

    t = mul.rn(x, -L), L = RN32(log2 e) = 0x1.715476p0;  e = ex2.approx.ftz(t);  d = add.rn(1, e)
    r = rcp.approx.ftz(d);  y = cvt.rn.f16(mul.rn(x, r))

Bound (docs/numerics.md), with k = 2.5 * 2^-23 (ex2), rho = 1.5 * 2^-23 (rcp), |L / log2 e - 1| <= 1.34e-8,
dt = (1 + u)(1 + 1.34e-8) - 1, eps(x) = e^(|x| dt) (1 + k) - 1 and sigma(x) = 1 / (1 + e^x):

    Phi(x) = (1 + u)(1 + rho) / ((1 - u)(1 - sigma(x) eps(x))) - 1,   E = Phi(x) |silu(x)| + 2^-126 |x|;

the last term is for results of ex2 and rcp that are flushed or overflow.
Exceptional inputs: NaN gives NaN, +Inf gives +Inf, -Inf gives NaN (the sequence computes -Inf * 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from spec.approximations import TABLE
from spec.enclosure import exp
from spec.errors import BadInput
from spec.operators.build import ONE, add, approximate, mul, narrow, widen
from spec.operators.model import NAN16, Expected, KnownAnswer, Operator, raw, words
from spec.ptx.node import Node, constant, input_element
from spec.scalar import U32, Bits16, Kind, Reals, inflate, kinds16, power_of_two

LOG2_E_BITS = 0x3FB8AA3B
"""RN32(log2 e)."""
LOG2_E_ERROR = Fraction(134, 10**10)
"""Bound of its relative error; spec tests and a proof query check it against an enclosure of ln 2."""
ARGUMENT_ERROR = (1 + U32) * (1 + LOG2_E_ERROR) - 1
"""dt: relative error of t against -x log2 e."""
FLUSH = power_of_two(-126)
EX2, RCP = TABLE["ex2"].relative, TABLE["rcp"].relative
LEAST_UNIFORM = -43
"""From here on phi() holds; below, E is dominated by |silu| itself, which no longer reaches binary16."""


# --- order ------------------------------------------------------------------------------------------------------------


def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """The ordered expression of y[element]; `values` holds n."""
    if buffer != "y" or not 0 <= element < values["n"]:
        raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
    return narrow(single(widen(input_element("x", element))))


def single(x: Node) -> Node:
    """silu(x) in binary32, before a conversion."""
    power = approximate("ex2", True, mul(x, constant(32, LOG2_E_BITS | 0x8000_0000)))
    return mul(x, approximate("rcp", True, add(ONE, power)))


# --- bound ------------------------------------------------------------------------------------------------------------


def phi_at(x: Fraction) -> Fraction:
    """Phi(x), rounded up to about 2^-120; BadInput where sigma eps >= 1 (no finite binary16 x)."""
    eps = exp(abs(x) * ARGUMENT_ERROR)[1] * (1 + EX2) - 1
    return tail_phi(eps / (1 + exp(x)[0]))


def tail_phi(denominator_error: Fraction) -> Fraction:
    """Phi for a given bound of sigma eps, the relative error that e brings into 1 + e."""
    if denominator_error >= 1:
        raise BadInput(f"the denominator's relative error must stay below 1, got {float(denominator_error)}")
    return (1 + U32) * (1 + RCP) / ((1 - U32) * (1 - denominator_error)) - 1


def phi(values: Mapping[str, int]) -> Fraction:
    """Phi for all x from LEAST_UNIFORM on (sigma <= 1, eps at its largest there or at 65504 with sigma tiny)."""
    del values
    eps = exp(-LEAST_UNIFORM * ARGUMENT_ERROR)[1] * (1 + EX2) - 1
    return tail_phi(eps)


def phi_array(x: Reals) -> Reals:
    """Phi(x) in float64, free of cancellation: the numerator of Phi as a sum of positive terms."""
    u, rho = float(U32), float(RCP)
    growth = np.abs(x) * float(ARGUMENT_ERROR)
    eps = np.expm1(growth) + float(EX2) * np.exp(growth)
    with np.errstate(over="ignore"):
        part = eps / (1.0 + np.exp(x))
    found: Reals = (2 * u + rho * (1 + u) + (1 - u) * part) / ((1 - u) * (1 - part))
    return found


# --- meaning ----------------------------------------------------------------------------------------------------------


def expected(inputs: Mapping[str, Bits16], floats: Mapping[str, float]) -> Expected:
    """What y may be for x of any shape."""
    del floats
    bits = inputs["x"]
    kinds = kinds16(bits)
    x = np.where(kinds == Kind.FINITE, bits, 0).astype(np.uint16).view(np.float16).astype(np.float64)
    with np.errstate(over="ignore"):
        exact = x / (1.0 + np.exp(-x))
    # exp, one addition and one division in float64, with a wide margin for the library's exp; what underflows
    # there is below 2^-1000.
    magnitude = np.abs(exact)
    bound = inflate(phi_array(x) * magnitude + float(FLUSH) * np.abs(x), 2.0**-48 * magnitude)
    result = np.where(kinds == Kind.MINUS_INF, Kind.NAN, kinds).astype(np.int8)
    return Expected(result, exact, bound)


# --- known answers ----------------------------------------------------------------------------------------------------

_PAIRS: tuple[tuple[float, int], ...] = (
    (0.0, 0x0000),
    (-0.0, 0x8000),
    (1.0, 0x39D9),
    (-1.0, 0xB44E),
    (2.0, 0x3F0C),
    (-2.0, 0xB3A1),
    (0.5, 0x34FB),
    (8.0, 0x47FF),
    (-8.0, 0x997F),
    (-16.0, 0x801E),
    (-17.0, 0x800C),
    (-20.0, 0x8001),
    (-21.0, 0x8000),
    (11.0, 0x4980),
    (65504.0, 0x7BFF),
    (-65504.0, 0x8000),
    (2.0**-14, 0x0200),
    (-1.2783203125, 0xB475),  # the least value of SiLU lies next to it
    (2.0**-24, 0x0001),  # just above the tie 2^-25
    (-(2.0**-24), 0x8000),  # just below it
)

KNOWN_ANSWERS = (
    KnownAnswer("values", {"x": words(*[x for x, _ in _PAIRS])}, raw(*[y for _, y in _PAIRS])),
    KnownAnswer("zeros", {"x": raw(0x0000, 0x8000)}, raw(0x0000, 0x8000), bitwise=True),
    KnownAnswer(
        "Inf, -Inf, NaN", {"x": raw(0x7C00, 0xFC00, 0x7E00, 0xFD01)}, raw(0x7C00, NAN16, NAN16, NAN16), bitwise=True
    ),
)

OPERATOR = Operator(
    name="silu",
    sequence="mul.rn by -RN32(log2 e), ex2.approx.ftz, add.rn 1, rcp.approx.ftz, mul.rn, cvt.rn",
    expression=expression,
    expected=expected,
    phi=phi,
    approximations=("ex2", "rcp"),
    assumptions=("ieee-rn", "doc-ex2", "doc-rcp"),
    known_answers=KNOWN_ANSWERS,
)
