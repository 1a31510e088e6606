"""Exact floating-point arithmetic on arrays of bit patterns: one rounding, every mode, `.ftz` and `.sat`.

f16, bf16 and f32 are computed in binary64 on the exact value rounded to odd, then rounded once to the format: with
53 >= p + 2 bits that equals rounding the exact value. f64 to nearest is the processor's; other roundings of f64, and
its fma, go through exact rationals element by element. NaN results have one pattern for each format: 0x7fff,
0x7fffffff, 0x7ff8000000000000.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.ast import type_width
from spec.scalar import F64, Rounding, encode

Array = npt.NDArray[Any]

WORD: dict[int, np.dtype[Any]] = {w: np.dtype(f"u{w // 8}") for w in (8, 16, 32, 64)} | {1: np.dtype(np.bool_)}
_FLOAT: dict[str, np.dtype[Any]] = {"f16": np.dtype("f2"), "f32": np.dtype("f4"), "f64": np.dtype("f8")}
NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8000000000000}
MANTISSA = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
_INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}
_LEAST_NORMAL = {"f16": 2.0**-14, "f32": 2.0**-126}  # of the formats that have .ftz
_WELL_ABOVE = {"f16": 2.0**10, "f32": 2.0**64}
_ONE = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000, "f64": 0x3FF0000000000000}


def _word(t: str) -> np.dtype[Any]:
    return WORD[type_width(t)]


def _sign_bit(t: str) -> int:
    return 1 << (type_width(t) - 1)


def magnitude(t: str, a: Array) -> Array:
    """The bits without the sign."""
    return np.asarray(a & _word(t).type(_sign_bit(t) - 1))


def is_nan(t: str, a: Array) -> Array:
    return np.asarray(magnitude(t, a) > _word(t).type(_INFINITY[t]))


def flush(t: str, ftz: bool, a: Array) -> Array:
    """Subnormals to a zero of their sign, if ftz."""
    if not ftz:
        return a
    return np.where(magnitude(t, a) < _word(t).type(1 << MANTISSA[t]), a & _word(t).type(_sign_bit(t)), a)


def canonical(t: str, a: Array) -> Array:
    return np.where(is_nan(t, a), _word(t).type(NAN[t]), a)


def widen(t: str, a: Array) -> Array:
    """The value as float64; exact for every format."""
    if t == "bf16":
        return (np.asarray(a).astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    return np.asarray(a).view(_FLOAT[t]).astype(np.float64)


def _odd(total: Array, error: Array) -> Array:
    """total + error, exact with |error| <= ulp/2, rounded to odd; a zero, infinite or NaN total is kept."""
    bits = np.asarray(total).view(np.int64)
    inexact = (error != 0) & np.isfinite(total) & (total != 0) & (bits & 1 == 0)
    toward = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(inexact, bits + toward, bits).view(np.float64)


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Rounded sum and its exact error (Knuth), where nothing overflows."""
    total = np.asarray(a + b)
    part = total - a
    return total, np.asarray((a - (total - part)) + (b - part))


def _directed(nearest: Array, exact: Array, mode: str) -> Array:
    """From a value rounded to nearest, as float16 or float32, to the same rounded by `mode`."""
    if mode in ("rn", ""):
        return nearest
    value = nearest.astype(np.float64)
    kind = nearest.dtype.type
    if mode == "rz":
        return np.where(np.abs(value) > np.abs(exact), np.nextafter(nearest, kind(0)), nearest)
    if mode == "rm":
        return np.where(value > exact, np.nextafter(nearest, kind(-np.inf)), nearest)
    return np.where(value < exact, np.nextafter(nearest, kind(np.inf)), nearest)


def _narrow_bf16(exact: Array, mode: str) -> Array:
    down = _directed(exact.astype(np.float32), exact, "rz")
    bits = down.view(np.uint32)
    sticky = np.where(down.astype(np.float64) != exact, np.uint32(1), np.uint32(0))
    bits = bits | sticky
    kept, rest = bits >> np.uint32(16), bits & np.uint32(0xFFFF)
    negative = bits >> np.uint32(31) == 1
    half = np.uint32(0x8000)
    if mode in ("rn", ""):
        up = (rest > half) | ((rest == half) & (kept & np.uint32(1) == 1))
    elif mode == "rz":
        up = np.zeros(rest.shape, bool)
    else:
        up = (rest != 0) & (negative if mode == "rm" else ~negative)
    return np.asarray(kept + up).astype(np.uint16)


def narrow(t: str, mode: str, exact: Array) -> Array:
    """Bits of a float64 rounded once to the format; NaN canonical."""
    exact = np.asarray(exact)
    if t == "f64":
        return canonical(t, exact.view(np.uint64))
    def native(kind: np.dtype[Any]) -> Array:
        return _directed(exact.astype(kind), exact, mode).view(_word(t))

    bits = _narrow_bf16(exact, mode) if t == "bf16" else native(_FLOAT[t])
    return np.where(np.isnan(exact), _word(t).type(NAN[t]), bits)


def saturate(t: str, sat: bool, a: Array) -> Array:
    """`.sat`: clamped to [0, 1], NaN and -0 to +0."""
    if not sat:
        return a
    value = widen(t, a)
    one = np.where(value > 1, _word(t).type(_ONE[t]), a)
    return np.where(value > 0, one, _word(t).type(0))


def _finish(t: str, mode: str, ftz: bool, sat: bool, exact: Array) -> Array:
    """Round, flush, saturate.

    Flushed is what would be below the least normal number if exponents had no limit: tiny after rounding, though
    its subnormal rounding may be that number.
    """
    bits = narrow(t, mode, exact)
    if ftz:
        scale = _WELL_ABOVE[t]
        tiny = np.abs(widen(t, narrow(t, mode, exact * scale))) < _LEAST_NORMAL[t] * scale
        bits = np.where(tiny, bits & _word(t).type(_sign_bit(t)), bits)
    return saturate(t, sat, bits)


def _exact_zero_sum(total: Array, a: Array, b: Array, mode: str) -> Array:
    """An exact zero sum of opposite numbers is -0 toward minus infinity, +0 otherwise; -0 + -0 stays."""
    if mode != "rm":
        return total
    both_zero = (a == 0) & (b == 0) & ~(np.signbit(a) | np.signbit(b))
    return np.where((total == 0) & ~both_zero, -0.0, total)


def add(t: str, mode: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
    x, y = widen(t, flush(t, ftz, a)), widen(t, flush(t, ftz, b))
    total, error = _two_sum(x, y)
    total = _exact_zero_sum(total, x, y, mode)
    if t == "f64" and mode not in ("rn", ""):
        return _rational(mode, lambda p, q: p + q, total, x, y)
    return _finish(t, mode, ftz, sat, total if t == "f64" else _odd(total, error))


def sub(t: str, mode: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
    return add(t, mode, ftz, sat, a, np.where(is_nan(t, b), b, b ^ _word(t).type(_sign_bit(t))))


def mul(t: str, mode: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
    x, y = widen(t, flush(t, ftz, a)), widen(t, flush(t, ftz, b))
    product = np.asarray(x * y)
    if t == "f64" and mode not in ("rn", ""):
        return _rational(mode, lambda p, q: p * q, product, x, y)
    # Products of two significands of at most 24 bits are exact in binary64.
    return _finish(t, mode, ftz, sat, product)


def fma(t: str, mode: str, ftz: bool, sat: bool, a: Array, b: Array, c: Array) -> Array:
    x, y, z = (widen(t, flush(t, ftz, v)) for v in (a, b, c))
    product = np.asarray(x * y)
    if t == "f64":
        # The exact product of finite numbers is finite, whatever its rounding overflows to.
        total = np.where(np.isinf(z) & np.isfinite(x) & np.isfinite(y), z, product + z)
        fallback = _exact_zero_sum(total, product, z, mode)
        return _rational(mode, lambda p, q, r: p * q + r, fallback, x, y, z)
    total, error = _two_sum(product, z)
    total = _exact_zero_sum(total, product, z, mode)
    return _finish(t, mode, ftz, sat, _odd(total, error))


def div(t: str, mode: str, ftz: bool, a: Array, b: Array) -> Array:
    x, y = widen(t, flush(t, ftz, a)), widen(t, flush(t, ftz, b))
    quotient = np.asarray(x / y)
    if t == "f64" and mode not in ("rn", ""):
        return _rational(mode, lambda p, q: p / q, quotient, x, y)
    # A quotient of p-bit numbers is a (p+1)-bit number or at least 2^-(2p+1) away from every one: 53 bits decide.
    return _finish(t, mode, ftz, False, quotient)


def sqrt(t: str, mode: str, ftz: bool, a: Array) -> Array:
    x = widen(t, flush(t, ftz, a))
    root = np.asarray(np.sqrt(x))
    if t == "f64" and mode not in ("rn", ""):
        return _directed_root(mode, x, root)
    return _finish(t, mode, ftz, False, root)


def _directed_root(mode: str, x: Array, root: Array) -> Array:
    def one(value: float, nearest: float) -> float:
        if not np.isfinite(nearest) or value == 0:
            return nearest
        exceeds = Fraction(nearest) ** 2 - Fraction(value)
        if mode in ("rz", "rm") and exceeds > 0:
            return float(np.nextafter(nearest, 0))
        return float(np.nextafter(nearest, np.inf)) if mode == "rp" and exceeds < 0 else nearest

    both = np.broadcast_arrays(x, root)
    values = [one(float(v), float(r)) for v, r in zip(both[0].ravel(), both[1].ravel(), strict=True)]
    return narrow("f64", "rn", np.array(values, np.float64).reshape(both[0].shape))


def _rational(mode: str, exact: Any, fallback: Array, *args: Array) -> Array:
    """f64 by exact rationals; where an operand is not finite or the result is zero, the processor's answer stands."""
    arrays = np.broadcast_arrays(fallback, *args)
    out = narrow("f64", "rn", arrays[0].copy())
    flat = out.reshape(-1)
    for i, values in enumerate(zip(*(a.ravel() for a in arrays[1:]), strict=True)):
        numbers = [float(v) for v in values]
        if not all(np.isfinite(n) for n in numbers):
            continue
        try:
            result = exact(*(Fraction(n) for n in numbers))
        except ZeroDivisionError:
            continue
        if result:
            flat[i] = encode(result, F64, Rounding(mode or "rn"))
    return out


def negate(t: str, ftz: bool, a: Array) -> Array:
    return canonical(t, flush(t, ftz, a) ^ _word(t).type(_sign_bit(t)))


def absolute(t: str, ftz: bool, a: Array) -> Array:
    return canonical(t, magnitude(t, flush(t, ftz, a)))


def extremum(t: str, ftz: bool, propagate: bool, largest: bool, a: Array, b: Array) -> Array:
    """min or max with -0 < +0; one NaN gives the other operand, or NaN if it propagates."""
    a, b = flush(t, ftz, a), flush(t, ftz, b)
    x, y = widen(t, a), widen(t, b)
    before = (x < y) | ((x == y) & np.signbit(x))
    result = np.where(before != largest, a, b)
    nan_a, nan_b = np.isnan(x), np.isnan(y)
    if propagate:
        return np.where(nan_a | nan_b, _word(t).type(NAN[t]), result)
    result = np.where(nan_a, b, np.where(nan_b, a, result))
    return canonical(t, result)


def compare(t: str, ftz: bool, op: str, a: Array, b: Array) -> Array:
    """A PTX comparison; the unordered forms hold where an operand is NaN."""
    x, y = widen(t, flush(t, ftz, a)), widen(t, flush(t, ftz, b))
    nan = np.isnan(x) | np.isnan(y)
    if op in ("num", "nan"):
        return nan if op == "nan" else ~nan
    base, unordered = (op[:-1], True) if op.endswith("u") else (op, False)
    holds = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[base]
    return np.asarray(holds | nan if unordered else holds & ~nan)


def convert(source: str, target: str, mode: str, ftz: bool, sat: str, a: Array) -> Array:
    """Float to float; `.ftz` touches f32 operands and results only."""
    value = widen(source, flush(source, ftz and source == "f32", a))
    bits = flush(target, ftz and target == "f32", narrow(target, mode, value))
    if sat != "satfinite":
        return saturate(target, sat == "sat", bits)
    word = _word(target).type
    return np.where(magnitude(target, bits) == word(_INFINITY[target]), bits - word(1), bits)


_INTEGRAL: dict[str, Any] = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def integral(t: str, mode: str, ftz: bool, a: Array) -> Array:
    """Rounded to an integral value of the same format."""
    return narrow(t, "rn", _INTEGRAL[mode](widen(t, flush(t, ftz, a))))


def to_int(source: str, width: int, signed: bool, mode: str, ftz: bool, a: Array) -> Array:
    """Rounded, then clamped to the integer type; NaN as PTX ISA 9.7.9.21 has it."""
    value = _INTEGRAL[mode](widen(source, flush(source, ftz, a)))
    least, bound = (-(2.0 ** (width - 1)), 2.0 ** (width - 1)) if signed else (0.0, 2.0**width)
    nan, over, under = np.isnan(value), value >= bound, value <= least
    kind: Any = np.int64 if signed else np.uint64
    inside = np.where(nan | over | under, 0.0, value).astype(kind).astype(np.uint64)
    most = (1 << (width - 1)) - 1 if signed else (1 << width) - 1
    word = np.uint64
    inside = np.where(over, word(most), np.where(under, word(int(least) % (1 << 64)), inside))
    wide = source == "f64" or width == 64
    inside = np.where(nan, word(1 << (width - 1) if wide else 0), inside)
    return inside.astype(WORD[width])


def from_int(width: int, signed: bool, target: str, mode: str, a: Array) -> Array:
    """An integer rounded once to the format."""
    wide = np.asarray(a).astype(WORD[width]).view(np.dtype(f"i{width // 8}") if signed else WORD[width])
    wide = wide.astype(np.int64 if signed else np.uint64)
    high = (wide >> wide.dtype.type(32)).astype(np.float64) * 2.0**32
    low = (wide & wide.dtype.type(0xFFFFFFFF)).astype(np.float64)
    total, error = _two_sum(high, low)
    if target != "f64":
        return narrow(target, mode, _odd(total, error))
    if mode == "rm":
        total = np.where(error < 0, np.nextafter(total, -np.inf), total)
    elif mode == "rp":
        total = np.where(error > 0, np.nextafter(total, np.inf), total)
    elif mode == "rz":
        total = np.where((error != 0) & ((error > 0) != (total > 0)), np.nextafter(total, 0.0), total)
    return narrow("f64", "rn", total)


def _div_approx(x: Array, y: Array) -> Array:
    """Divisors of magnitude in (2^126, 2^128) give 0, or NaN under an infinite dividend (PTX ISA 9.7.3.8)."""
    quotient = np.asarray(x / y)
    huge = (np.abs(y) > 2.0**126) & np.isfinite(y)
    zero = np.where(np.isinf(x), np.nan, np.copysign(0.0, quotient))
    return np.where(huge, zero, quotient)


def _rsqrt(x: Array) -> Array:
    return np.where(x == 0, np.copysign(np.inf, x), 1.0 / np.sqrt(x))


_APPROXIMATIONS: dict[str, Any] = {
    "ex2": np.exp2, "lg2": np.log2, "rcp": lambda x: 1.0 / x, "rsqrt": _rsqrt, "sqrt": np.sqrt, "tanh": np.tanh,
    "sin": np.sin, "cos": np.cos, "div": _div_approx, "div_full": lambda x, y: x / y,
}


def approximate(name: str, t: str, ftz: bool, args: tuple[Array, ...]) -> Array:
    """The binary64 value rounded to the format; hardware is within its documented error of it, not equal."""
    values = [widen(t, flush(t, ftz, a)) for a in args]
    return flush(t, ftz, narrow(t, "rn", _APPROXIMATIONS[name](*values)))
