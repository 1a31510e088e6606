"""RMSNorm: rows around what threads keep in registers, sums that lose all they can, rows at the contract's limits."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from spec.contracts.model import ACTIVE, Contract
from spec.operators import rmsnorm
from tests.harness.adverse import Adverse
from tests.harness.large import PRIME, Large
from tests.harness.strategies import Limits, around, constant

EXTRAS = ("none", "tail", "alone", "negate")

_ONE = 0x3C00
_LOST = 0x0BFF
"""The square of this word is just below half a unit in the last place of 1 in binary32."""


def _norm(rows: int, columns: int, x_stride: int = 0, y_stride: int = 0) -> dict[str, int | float]:
    strides = {"x_stride": x_stride or columns, "y_stride": y_stride or columns}
    return {"rows": rows, "columns": columns, **strides, "eps": 1e-5, "power_state": ACTIVE}


LARGE = (
    Large("widest rows", _norm(4_000, 65_536, 65_544, 65_552), 17),
    Large("widest odd rows, misaligned", _norm(1_000, 65_535, 65_537, 65_541), 17, 2),
    Large("a million rows", _norm(2**20 + 3, 96, 104, 100), 1_021),
    Large("bytes beyond 2^32 between rows", _norm(3, 4_099, 2**32 - 1, 2**31 + 8), 3),
    Large("as many rows as a grid has blocks", _norm(2**31 - 1, 1), PRIME),
)


@st.composite
def sizes(draw: st.DrawFn, contract: Contract, limits: Limits) -> dict[str, int | float]:
    threads, vector = constant(contract, "THREADS"), constant(contract, "VECTOR")
    kept = threads * vector * constant(contract, "SLOTS")
    columns = draw(around((vector, threads, threads * vector, kept), limits.columns))
    rows = draw(st.integers(1, limits.rows if columns <= 4096 else min(limits.rows, 5)))
    paddings = st.one_of(
        st.just(0), st.just(-columns % vector), st.integers(1, limits.padding), st.just(-columns % vector + vector)
    )
    eps = draw(
        st.one_of(
            st.sampled_from((1e-5, 1e-6, 2.0**-30, 1.0)),
            st.floats(*contract.float_ranges["eps"], width=32, allow_subnormal=False),
        )
    )
    strides = {name: columns + draw(paddings) for name in ("x_stride", "y_stride")}
    return {"rows": rows, "columns": columns, **strides, "eps": eps}


def adverse(widest: int) -> tuple[Adverse, ...]:
    return tuple(_swamped(columns) for columns in (2048, 4088, 8192, 65_528) if columns <= widest)


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
