"""Matrix product as `spec.operators.gemm` has it, stored in binary32: y is the accumulator, nothing is converted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spec.operators import formats, gemm
from spec.operators.formats import Words
from spec.operators.model import Expected, KnownAnswer, words
from spec.scalar import F32, Bits16


def expected(inputs: Mapping[str, Words], floats: Mapping[str, float]) -> Expected:
    """What y may be, in binary32."""
    del floats
    return gemm.product(inputs, F32)


def _one(name: str, a: Bits16, b: Bits16, result: float) -> KnownAnswer:
    output = formats.encode(np.array([[result]]), F32)
    return KnownAnswer(name, {"a": a[np.newaxis, :], "b": b[:, np.newaxis]}, output)


KNOWN_ANSWERS = (
    _one("a product is exact", words(65504.0), words(65504.0), 65504.0**2),
    _one("2^-14 squared", words(2.0**-14), words(2.0**-14), 2.0**-28),
    _one("2049 ones", words(*[1.0] * 2049), words(*[1.0] * 2049), 2049.0),
    _one("Inf", words(np.inf, 1.0), words(-1.0, 1.0), -np.inf),
    _one("Inf times 0", words(np.inf, 1.0), words(0.0, 1.0), np.nan),
)

OPERATOR = replace(
    gemm.OPERATOR,
    name="gemm_f32",
    sequence="mma.m16n8k16 from +0, 16 elements of k to an instruction, k ascending",
    expression=gemm.accumulated,
    expected=expected,
    assumptions=("TC(24,2)",),
    known_answers=KNOWN_ANSWERS,
)
