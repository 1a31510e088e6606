"""The dot product of a tensor core, as one of Hopper carries it out; PTX leaves order and rounding open (9.7.15.5).

Measured on an H200: the products are exact, all addends are cut toward zero to a multiple of 2^-25 of the largest
one's power of two, their sum is exact, and the result is rounded toward zero, a binary16 one to nearest. Other devices
cut elsewhere, so nothing that a proof rests on may use this but the values that come out the same in every order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx import floats

Array = npt.NDArray[Any]

KEPT = 25
"""Fraction bits that addends keep below the largest one's power of two."""
_BEYOND = {"f16": np.inf, "f32": 2.0**128}
_LEAST = {"f16": -14, "bf16": -126, "tf32": -126, "f32": -126}


def value(kind: str, bits: Array) -> Array:
    """The number that bits of an element stand for; tf32 has the upper 19 bits of binary32."""
    if kind == "tf32":
        return floats.widen("f32", np.asarray(bits) & np.uint32(0xFFFFE000))
    return floats.widen(kind, bits)


def _exponent(kind: str, values: Array) -> Array:
    """floor(log2 |value|), that of subnormals the least of normal numbers."""
    exponent = np.frexp(values)[1].astype(np.int64) - 1
    return np.maximum(exponent, _LEAST[kind])


def dot(kind: str, c_kind: str, a: Array, b: Array, c: Array) -> Array:
    """Bits of c + sum over the last axis of a*b, all given as bits of their formats."""
    x, y, z = value(kind, a), value(kind, b), value(c_kind, c)
    products = x * y
    addends = np.concatenate([products, z[..., None]], axis=-1)
    special = ~np.isfinite(addends).all(axis=-1)
    exponents = np.concatenate([_exponent(kind, x) + _exponent(kind, y), _exponent(c_kind, z)[..., None]], axis=-1)
    exponents = np.where((addends != 0) & np.isfinite(addends), exponents, -4096)
    top = exponents.max(axis=-1, keepdims=True)
    scale = np.where(top > -4096, KEPT - top, 0)
    finite = np.where(np.isfinite(addends), addends, 0.0)
    units = np.trunc(np.ldexp(finite, scale)).sum(axis=-1)  # at most 2^32 each: exact
    total = np.ldexp(units, -scale[..., 0])
    # Rounding toward zero stops at the greatest finite number, but what is beyond its binade is infinite.
    total = np.where(np.abs(total) >= _BEYOND[c_kind], np.copysign(np.inf, total), total)
    total = np.where(special, addends.sum(axis=-1), total)
    return floats.narrow(c_kind, "rz" if c_kind == "f32" else "rn", total + 0.0)


def integer_dot(a_kind: str, b_kind: str, sat: bool, a: Array, b: Array, c: Array) -> Array:
    """c + sum over the last axis of a*b for bytes, modulo 2^32, or clamped to s32."""
    x, y = (
        np.ascontiguousarray(v).view(np.int8 if k == "s8" else np.uint8).astype(np.int64)
        for k, v in ((a_kind, a), (b_kind, b))
    )
    total = (x * y).sum(axis=-1) + np.ascontiguousarray(c).view(np.int32).astype(np.int64)
    if sat:
        total = np.clip(total, -(2**31), 2**31 - 1)
    return np.asarray(total & 0xFFFFFFFF).astype(np.uint32)
