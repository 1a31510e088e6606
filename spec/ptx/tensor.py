"""Dot products of bytes, as `mma` adds them up (PTX ISA 9.7.15.5); those of floats are in `spec.tensor_core`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


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
