"""RMSNorm over rows of binary16: y[r, c] = x[r, c] / sqrt(mean(x[r, :]^2) + eps) * w[c].

Order of the sum of squares, the same on every path of the kernel, for 256 threads, V = columns // 8:

    P[t] = +0; for v = t, t+256, ... < V, i = 0..7:  P[t] = fma.rn(x[8v+i], x[8v+i], P[t])
    if t < columns % 8:  P[t] = fma.rn(x[8V+t], x[8V+t], P[t])
    in each warp for k = 16, 8, 4, 2, 1, all lanes at once:  P[t] = add.rn(P[t], P[t xor k])
    S = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)) with add.rn, s[j] = P[32j]
    r = rsqrt.approx(add.rn(div.rn(S, columns), eps));  y[c] = cvt.rn.f16(mul.rn(mul.rn(x[c], r), w[c]))

Bound (docs/numerics.md): all addends are >= 0, so every rounding on the way to v = S/columns + eps adds to its
relative error only; with h roundings on the longest path to S and two more to v, and g_n = n u / (1 - n u),

    G = g_{h+2},   Phi = (1 + G/2 (1 + G)) (1 + 2^-22.9) (1 + u)^2 - 1,   E = Phi |y|.

Exceptional inputs: NaN in a row makes the whole row NaN. Inf and no NaN: r = +0, so Inf becomes NaN and finite
elements become 0 (NaN under a weight that is Inf or NaN). In finite rows only the weight can be exceptional:
NaN gives NaN, Inf gives Inf with the sign of x w, or NaN where x = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import numpy as np

from spec.approximations import TABLE
from spec.errors import BadInput
from spec.operators.build import (
    ZERO,
    add,
    approximate,
    div,
    fma,
    from_u32,
    halving_tree,
    mul,
    narrow,
    neighbour_tree,
    widen,
)
from spec.operators.model import NAN16, Expected, KnownAnswer, Operator, raw, words
from spec.ptx.node import Node, input_element, parameter
from spec.scalar import U32, Bits16, Kind, inflate, kinds16

THREADS, WARP, VECTOR = 256, 32, 8
WARPS = THREADS // WARP
MAX_COLUMNS = 2**16
EPS_RANGE = (2.0**-30, 1.0)
EPS_1E5 = float(np.float32(1e-5))
"""The usual eps, 0x1.4f8b58p-17."""


# --- order ------------------------------------------------------------------------------------------------------------


def owned(columns: int, thread: int) -> list[int]:
    """The columns whose squares a thread adds, in its order."""
    vectors = columns // VECTOR
    mine = [VECTOR * v + i for v in range(thread, vectors, THREADS) for i in range(VECTOR)]
    return mine + ([VECTOR * vectors + thread] if thread < columns % VECTOR else [])


@lru_cache(maxsize=4)
def _scale(columns: int, base: int) -> Node:
    """r of the row whose first element has this index in x."""
    partial = []
    for thread in range(THREADS):
        total = ZERO
        for c in owned(columns, thread):
            x = widen(input_element("x", base + c))
            total = fma(x, x, total)
        partial.append(total)
    warps = [halving_tree(partial[WARP * j : WARP * (j + 1)]) for j in range(WARPS)]
    mean = div(neighbour_tree(warps), from_u32(columns))
    return approximate("rsqrt", False, add(mean, parameter("eps")))


def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """The ordered expression of y[row * y_stride + column]; `values` holds rows, columns, x_stride, y_stride."""
    row, column = divmod(element, values["y_stride"])
    if buffer != "y" or not (0 <= row < values["rows"] and column < values["columns"]):
        raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
    base = row * values["x_stride"]
    scaled = mul(widen(input_element("x", base + column)), _scale(values["columns"], base))
    return narrow(mul(scaled, widen(input_element("w", column))))


# --- bound ------------------------------------------------------------------------------------------------------------


def depth(columns: int) -> int:
    """h: the most roundings between a square and S. A thread's first fma is exact (22-bit square, plus 0)."""
    if not 1 <= columns <= MAX_COLUMNS:
        raise BadInput(f"columns from 1 to {MAX_COLUMNS}, got {columns}")
    rounds = -(-(columns // VECTOR) // THREADS)
    longest = VECTOR * rounds + (1 if columns % VECTOR else 0)
    return longest - 1 + (WARP.bit_length() - 1) + (WARPS.bit_length() - 1)


def gamma(n: int) -> Fraction:
    """g_n = n u / (1 - n u)."""
    return n * U32 / (1 - n * U32)


def phi(values: Mapping[str, int]) -> Fraction:
    """The relative error bound of the binary32 result; depends on `columns` only."""
    g = gamma(depth(values["columns"]) + 2)
    return (1 + g / 2 * (1 + g)) * (1 + TABLE["rsqrt"].relative) * (1 + U32) ** 2 - 1


# --- meaning ----------------------------------------------------------------------------------------------------------


def expected(inputs: Mapping[str, Bits16], floats: Mapping[str, float]) -> Expected:
    """What y may be for x (rows, columns), w (columns) and eps, a binary32 value in its range."""
    x_words, w_words, eps = inputs["x"], inputs["w"], floats["eps"]
    if x_words.ndim != 2 or w_words.shape != x_words.shape[1:]:
        raise BadInput(f"x is (rows, columns) and w is (columns), got {x_words.shape} and {w_words.shape}")
    if not EPS_RANGE[0] <= eps <= EPS_RANGE[1] or float(np.float32(eps)) != eps:
        raise BadInput(f"eps is a binary32 value from {EPS_RANGE[0]} to {EPS_RANGE[1]}, got {eps!r}")
    columns = x_words.shape[1]
    x, w = (_finite_values(part) for part in (x_words, w_words))
    row_inf = _is_infinite(x_words).any(axis=1, keepdims=True)
    exact = np.where(row_inf, 0.0, x * (w / np.sqrt((x * x).sum(axis=1, keepdims=True) / columns + eps)))
    magnitude = np.abs(exact)
    # Products are exact; a sum of non-negative terms loses at most columns * 2^-53, the rest 5 operations.
    bound = inflate(float(phi({"columns": columns})) * magnitude, (columns + 8) * 2.0**-53 * magnitude)
    return Expected(_kinds(x_words, w_words), exact, bound)


def _finite_values(part: Bits16) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """float64 values; 0 in place of Inf and NaN, whose results `_kinds` decides."""
    return np.where(kinds16(part) == Kind.FINITE, part, 0).astype(np.uint16).view(np.float16).astype(np.float64)


def _is_infinite(part: Bits16) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    infinite: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = (part & 0x7FFF) == 0x7C00
    return infinite


def _kinds(x: Bits16, w: Bits16) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """The exceptional table of the module's heading."""
    x_kind, w_kind = kinds16(x), kinds16(w)[np.newaxis, :]
    row_nan = (x_kind == Kind.NAN).any(axis=1, keepdims=True)
    row_inf = _is_infinite(x).any(axis=1, keepdims=True)
    scaled_is_zero = row_inf | ((x & 0x7FFF) == 0)
    negative = ((x ^ w[np.newaxis, :]) & 0x8000) != 0
    by_weight = np.select(
        [w_kind == Kind.FINITE, (w_kind == Kind.NAN) | scaled_is_zero, negative],
        [Kind.FINITE, Kind.NAN, Kind.MINUS_INF],
        Kind.PLUS_INF,
    )
    return np.where(row_nan | (x_kind != Kind.FINITE), Kind.NAN, by_weight).astype(np.int8)


# --- known answers (weights 1, eps RN32(1e-5) unless said) -----------------------------------------------------------


def _one_row(name: str, x: Bits16, output: Bits16, w: Bits16 | None = None, bitwise: bool = False) -> KnownAnswer:
    weight = words(*[1.0] * len(x)) if w is None else w
    return KnownAnswer(name, {"x": x[np.newaxis, :], "w": weight}, output[np.newaxis, :], {"eps": EPS_1E5}, bitwise)


def _at_front(bits: int, length: int, rest: int = 0) -> Bits16:
    return raw(bits, *[rest] * (length - 1))


KNOWN_ANSWERS = (
    _one_row("ones", words(*[1.0] * 8), raw(*[0x3C00] * 8)),
    _one_row("twos", words(*[2.0] * 8), raw(*[0x3C00] * 8)),
    _one_row("all 65504: the sum of squares needs binary32", words(*[65504.0] * 8), raw(*[0x3C00] * 8)),
    _one_row("zeros stay zeros", raw(*[0] * 8), raw(*[0] * 8), bitwise=True),
    _one_row("one-hot of 8", _at_front(0x3C00, 8), _at_front(0x41A8, 8)),
    _one_row("3, 4", words(3.0, 4.0), raw(0x3ACA, 0x3C87)),
    _one_row("all 2^-24: eps dominates, subnormal in and out", raw(*[1] * 8), raw(*[0x013C] * 8)),
    _one_row("all 2^-10", words(*[2.0**-10] * 8), raw(*[0x34B9] * 8)),
    _one_row("one-hot of 4, weight 32768 overflows", _at_front(0x3C00, 4), _at_front(0x7C00, 4), words(*[32768.0] * 4)),
    _one_row(
        "one-hot of 4096, weight 65504 overflows",
        _at_front(0x3C00, 4096),
        _at_front(0x7C00, 4096),
        words(*[65504.0] * 4096),
    ),
    _one_row("one NaN makes the row NaN", raw(0x3C00, 0x7E01, 0, 0x7C00), raw(*[NAN16] * 4), bitwise=True),
    _one_row("one Inf: NaN there, 0 elsewhere", raw(0x7C00, 0x3C00, 0xC400, 0), _at_front(NAN16, 4), bitwise=True),
)

OPERATOR = Operator(
    name="rmsnorm",
    sequence=(
        "fma.rn chain per thread, add.rn butterfly per warp, add.rn tree over 8 warps, div.rn, add.rn eps, "
        "rsqrt.approx, mul.rn, mul.rn, cvt.rn"
    ),
    expression=expression,
    expected=expected,
    phi=phi,
    approximations=("rsqrt",),
    assumptions=("ieee-rn", "doc-rsqrt"),
    known_answers=KNOWN_ANSWERS,
)
