"""Matrix product of binary16 with binary32 sums on tensor cores: y[i, j] = sum over k of a[i, k] b[k, j].

Order, with K = `inner`, padded with +0 to a multiple of 16:

    acc = +0; for k = 0, 16, 32, ... < K:  acc = mma.m16n8k16(a[i, k .. k+15], b[k .. k+15, j], acc)
    y = cvt.rn.f16(acc)

What one mma adds in which order is left open by PTX; TC(24,2) is assumed of it.

Bound: the running one of theorem 2.2 in spec.tensor_core, with kappa = 10 * 2^-23,

    E_0 = 0,   E_t = E_{t-1} + kappa (|s_{t-1}| + E_{t-1} + Y_t).

There is no bound relative to |y|, since sums cancel. Finite inputs never overflow binary32.
Exceptional inputs: a NaN factor, 0 times Inf, or Inf - Inf gives NaN; otherwise an infinite product gives Inf.
`gemm_f32` stores the accumulator as it is, `gemm_add` also starts from a given binary32 matrix in place of +0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spec.errors import BadInput
from spec.operators import formats
from spec.operators.build import ZERO, narrow
from spec.operators.formats import Words
from spec.operators.model import NAN16, Expected, KnownAnswer, Operator, raw, words
from spec.ptx.node import Node, constant, input_element
from spec.scalar import F16, F32, Bits16, Format, Kind, inflate
from spec.tensor_core import PRODUCTS, chains

# --- order ------------------------------------------------------------------------------------------------------------


def chain(pairs: Sequence[tuple[Node, Node]], start: Node = ZERO) -> Node:
    """start + sum of a b by mma.m16n8k16, 16 products to an instruction, the last one filled with +0."""
    total, zero = start, constant(16, 0)
    for k in range(0, len(pairs), PRODUCTS):
        block = [*pairs[k : k + PRODUCTS], *[(zero, zero)] * PRODUCTS][:PRODUCTS]
        total = Node("mma", ("f16", "f32"), (*(factor for pair in block for factor in pair), total))
    return total


def accumulated(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """The binary32 sum of y[i * y_stride + j]; `values` holds rows, columns, inner, a_stride, b_stride, y_stride."""
    return chain(factors(values, buffer, element))


def factors(values: Mapping[str, int], buffer: str, element: int) -> list[tuple[Node, Node]]:
    """What is multiplied for y[i * y_stride + j], in order of k."""
    row, column = divmod(element, values["y_stride"])
    if buffer != "y" or not (0 <= row < values["rows"] and column < values["columns"]):
        raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
    return [
        (input_element("a", row * values["a_stride"] + k), input_element("b", k * values["b_stride"] + column))
        for k in range(values["inner"])
    ]


def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """The ordered expression of y[i * y_stride + j]."""
    return narrow(accumulated(values, buffer, element))


# --- bound ------------------------------------------------------------------------------------------------------------


def phi(values: Mapping[str, int]) -> Fraction:
    """There is none."""
    raise BadInput(f"a product of matrices has no relative bound, sums cancel; asked at {dict(values)}")


# --- meaning ----------------------------------------------------------------------------------------------------------


def product(inputs: Mapping[str, Words], form: Format) -> Expected:
    """What y may be for a (rows, inner), b (inner, columns) and, if given, binary32 c (rows, columns)."""
    a, b = inputs["a"], inputs["b"]
    c = inputs.get("c", np.zeros((len(a), *b.shape[1:]), np.uint32))
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise BadInput(f"a is (rows, inner) and b is (inner, columns), got {a.shape} and {b.shape}")
    if c.shape != (len(a), b.shape[1]):
        raise BadInput(f"c is (rows, columns) = {(len(a), b.shape[1])}, got {c.shape}")
    found = chains(formats.finite_values(a, F16), formats.finite_values(b, F16), formats.finite_values(c, F32))
    return Expected(_kinds(a, b, c), found.sums, inflate(found.running, 0.0), form=form)


def expected(inputs: Mapping[str, Words], floats: Mapping[str, float]) -> Expected:
    """What y may be, in binary16."""
    del floats
    return product(inputs, F16)


def _kinds(a: Words, b: Words, c: Words) -> NDArray[np.int8]:
    """The exceptional table of the module's heading, by counting products of each class; c is one more addend."""
    x, y, start = formats.values_of(a, F16), formats.values_of(b, F16), formats.kinds(c, F32)
    if np.isfinite(x).all() and np.isfinite(y).all() and not start.any():
        return np.zeros((a.shape[0], b.shape[1]), np.int8)

    def any_product(left: NDArray[np.bool_], right: NDArray[np.bool_]) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = left.astype(np.float64) @ right.astype(np.float64) > 0
        return found

    all_x, all_y = np.ones(x.shape, np.bool_), np.ones(y.shape, np.bool_)
    nan = any_product(np.isnan(x), all_y) | any_product(all_x, np.isnan(y))
    nan |= any_product(np.isinf(x), y == 0) | any_product(x == 0, np.isinf(y))
    (x_plus, x_minus), (x_above, x_below) = (x == np.inf, x == -np.inf), (x > 0, x < 0)
    (y_plus, y_minus), (y_above, y_below) = (y == np.inf, y == -np.inf), (y > 0, y < 0)
    plus = any_product(x_plus, y_above) | any_product(x_minus, y_below)
    plus |= any_product(x_above, y_plus) | any_product(x_below, y_minus)
    minus = any_product(x_plus, y_below) | any_product(x_minus, y_above)
    minus |= any_product(x_below, y_plus) | any_product(x_above, y_minus)
    nan |= start == Kind.NAN
    plus |= start == Kind.PLUS_INF
    minus |= start == Kind.MINUS_INF
    classes = np.select([nan | (plus & minus), plus, minus], [Kind.NAN, Kind.PLUS_INF, Kind.MINUS_INF], Kind.FINITE)
    return classes.astype(np.int8)


# --- known answers ----------------------------------------------------------------------------------------------------


def _one(name: str, a: Bits16, b: Bits16, result: int, bitwise: bool = False) -> KnownAnswer:
    return KnownAnswer(name, {"a": a[np.newaxis, :], "b": b[:, np.newaxis]}, raw(result)[np.newaxis], bitwise=bitwise)


def _powers(*exponents: int) -> Bits16:
    return words(*[2.0**e for e in exponents])


_ONE = words(1.0)
KNOWN_ANSWERS = (
    _one("one product overflows", words(65504.0), words(65504.0), 0x7C00),
    _one("one product is rounded once", words(2047 / 1024), words(2047 / 1024), 0x43FE),
    _one("2^-25 is a tie and goes to 0", _powers(-13), _powers(-12), 0x0000),
    _one("3 * 2^-26", words(3 * 2.0**-13), _powers(-13), 0x0001),
    _one("2^-24 squared", _powers(-24), _powers(-24), 0x0000),
    _one("2049 ones", words(*[1.0] * 2049), words(*[1.0] * 2049), 0x6800),
    _one("2051 ones", words(*[1.0] * 2051), words(*[1.0] * 2051), 0x6802),
    _one("subnormal elements count", words(*[2.0**-24] * 4096), words(*[1.0] * 4096), 0x0C00),
    _one("1 + 2^-11 + 2^-24 is above the tie", _powers(0, -11, -12), _powers(0, 0, -12), 0x3C01),
    _one(
        "converted through binary32",
        np.concatenate([raw(0x4576), raw(0x8882)]), np.concatenate([raw(0xC3F5), _ONE]), 0xCD6F,
    ),
    KnownAnswer(
        "identity",
        {"a": np.eye(4, dtype=np.float16).view(np.uint16), "b": raw(*range(0x3C00, 0x7C00, 0x400)).reshape(4, 4)},
        raw(*range(0x3C00, 0x7C00, 0x400)).reshape(4, 4),
        bitwise=True,
    ),
    _one("Inf times 0", raw(0x7C00, 0x3C00), raw(0x0000, 0x3C00), NAN16, bitwise=True),
    _one("Inf", raw(0x7C00, 0x3C00), raw(0x3C00, 0x3C00), 0x7C00, bitwise=True),
    _one("-Inf", raw(0x7C00, 0x3C00), raw(0xBC00, 0x3C00), 0xFC00, bitwise=True),
    _one("Inf - Inf", raw(0x7C00, 0x7C00), raw(0x3C00, 0xBC00), NAN16, bitwise=True),
    KnownAnswer(
        "a NaN spoils its row and its column only",
        {"a": raw(0x7E00, 0x3C00, 0x3C00, 0x3C00).reshape(2, 2), "b": raw(*[0x3C00] * 3, 0x7D00).reshape(2, 2)},
        raw(NAN16, NAN16, 0x4000, NAN16).reshape(2, 2),
        bitwise=True,
    ),
)  # fmt: skip

OPERATOR = Operator(
    name="gemm",
    sequence="mma.m16n8k16 from +0, 16 elements of k to an instruction, k ascending; cvt.rn",
    expression=expression,
    expected=expected,
    phi=phi,
    approximations=(),
    assumptions=("ieee-rn", "TC(24,2)"),
    known_answers=KNOWN_ANSWERS,
)
