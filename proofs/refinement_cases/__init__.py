"""The launches at which refinement is checked: one module per stem, each with `CASES`, a tuple of Case.

Together the cases of a stem reach every instruction of each of its entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spec.contracts.model import ACTIVE
from spec.stems import part


@dataclass(frozen=True)
class Case:
    """One launch.

    Args:
        name: what it reaches.
        values: the integer parameters, without the power parameter.
        offsets: bytes by which a buffer's base misses a multiple of 256.
        blocks: blocks of grid.x to run; empty for the whole grid. Elements of other blocks are not compared.
        power: the power parameter; unless it is ACTIVE nothing may be written.
    """

    name: str
    values: Mapping[str, int]
    offsets: Mapping[str, int] = field(default_factory=dict)
    blocks: tuple[int, ...] = ()
    power: int = ACTIVE


def cases_of(stem: str) -> tuple[Case, ...]:
    """The cases of every entry in backend/ptx/<stem>.ptx."""
    cases: tuple[Case, ...] = part("proofs.refinement_cases", stem, "CASES")
    return cases
