"""Matrix product that goes on from a given sum: y[i, j] = c[i, j] + sum over k of a[i, k] b[k, j], c and y in binary32.

The order is that of `spec.operators.gemm`, from acc = c[i, j]; nothing is converted. c is taken as exact: where it has
an error of its own, as a partial sum has, that error is added to E. A sum beyond binary32 may give Inf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spec.operators import formats, gemm
from spec.operators.formats import Words
from spec.operators.model import Expected, KnownAnswer, words
from spec.ptx.node import Node, input_element
from spec.scalar import F32, Bits16


def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """The ordered expression of y[i * y_stride + j]; `values` holds c_stride too."""
    row, column = divmod(element, values["y_stride"])
    pairs = gemm.factors(values, buffer, element)
    return gemm.chain(pairs, input_element("c", row * values["c_stride"] + column))


def expected(inputs: Mapping[str, Words], floats: Mapping[str, float]) -> Expected:
    """What y may be, in binary32."""
    del floats
    return gemm.product({"c": inputs["c"], **inputs}, F32)


def _one(name: str, c: float, a: Bits16, b: Bits16, result: float) -> KnownAnswer:
    start, output = (formats.encode(np.array([[value]]), F32) for value in (c, result))
    return KnownAnswer(name, {"a": a[np.newaxis, :], "b": b[:, np.newaxis], "c": start}, output)


_SIXTEEN = words(*[1.0] * 16)
KNOWN_ANSWERS = (
    _one("2^24 and 16 ones", 2.0**24, _SIXTEEN, _SIXTEEN, 2.0**24 + 16),
    _one("a subnormal c passes", 2.0**-149, words(0.0), words(0.0), 2.0**-149),
    _one("2 - 3 * 0.5", 2.0, words(-3.0), words(0.5), 0.5),
    _one("Inf - Inf", np.inf, words(-np.inf), words(1.0), np.nan),
    _one("c is -Inf", -np.inf, words(65504.0), words(65504.0), -np.inf),
    _one("c is NaN", np.nan, words(1.0), words(1.0), np.nan),
)

OPERATOR = replace(
    gemm.OPERATOR,
    name="gemm_add",
    sequence="mma.m16n8k16 from c, 16 elements of k to an instruction, k ascending",
    expression=expression,
    expected=expected,
    assumptions=("TC(24,2)",),
    known_answers=KNOWN_ANSWERS,
)
