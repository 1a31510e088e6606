"""SiLU: sizes around tiles and vectors, every binary16 word, and more elements than 32 bits count."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from spec.contracts.model import ACTIVE, Contract
from tests.harness.adverse import Adverse
from tests.harness.large import PRIME, Large
from tests.harness.strategies import Limits, around, constant

EXTRAS = ("none", "tail")

LARGE = (
    Large("beyond 2^32 elements", {"n": 2**32 + 2**20 + 5, "power_state": ACTIVE}, PRIME),
    Large("beyond 2^32 elements, misaligned", {"n": 2**32 + 13, "power_state": ACTIVE}, PRIME, 2),
    Large("one round of blocks and one element", {"n": 2**28 + 1, "power_state": ACTIVE}, PRIME),
)


@st.composite
def sizes(draw: st.DrawFn, contract: Contract, limits: Limits) -> dict[str, int | float]:
    threads, vector, tile = (constant(contract, name) for name in ("THREADS", "VECTOR", "TILE"))
    return {"n": draw(around((vector, threads, threads * vector, tile), limits.elements))}


def adverse(widest: int) -> tuple[Adverse, ...]:
    del widest  # a flat buffer has no rows
    every = np.arange(2**16, dtype=np.uint32).astype(np.uint16)
    return (Adverse("every word", {"n": every.size, "power_state": ACTIVE}, {"x": every}),)
