"""Inputs made to come near the error bounds, and every input where there are few enough of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spec.contracts.model import ACTIVE
from spec.operators import rmsnorm

Words = npt.NDArray[np.uint16]

_ONE = 0x3C00
_LOST = 0x0BFF
"""The square of this word is just below half a unit in the last place of 1 in binary32."""


@dataclass(frozen=True)
class Adverse:
    """A launch with its inputs in logical shape, buffers aligned and rows packed."""

    name: str
    values: Mapping[str, int | float]
    inputs: Mapping[str, Words]


def adverse(stem: str, widest: int) -> tuple[Adverse, ...]:
    """The cases of a kernel; rows of at most `widest` elements."""
    if stem == "silu":
        every = np.arange(2**16, dtype=np.uint32).astype(np.uint16)
        return (Adverse("every word", {"n": every.size, "power_state": ACTIVE}, {"x": every}),)
    if stem == "rmsnorm":
        return tuple(_swamped(columns) for columns in (2048, 4088, 8192, 65_528) if columns <= widest)
    return ()


def _swamped(columns: int) -> Adverse:
    """Rows in which each thread starts its sum with 1 or more and then loses every square to rounding.

    The computed sum is too small by nearly as much as the bound allows. Weights run through all significands, so that
    some results lie as near to a tie between two binary16 numbers as they must to show it.
    """
    first = [owned[0] for t in range(rmsnorm.THREADS) if (owned := rmsnorm.owned(columns, t))]
    x = np.full((16, columns), _LOST, np.uint16)
    # Below the square root of 2, so that the sums stay in the binade of 1.
    x[:, first] = (_ONE + 24 * np.arange(16, dtype=np.uint16))[:, np.newaxis]
    w = (0x3800 + 13 * np.arange(columns, dtype=np.int64) % 0x0800).astype(np.uint16)
    values = {"rows": len(x), "columns": columns, "x_stride": columns, "y_stride": columns, "eps": 2.0**-30}
    return Adverse(f"lost squares, {columns} columns", {**values, "power_state": ACTIVE}, {"x": x, "w": w})
