"""What a contract says of one number: the ends of its range, for lemmas that depend on them."""

from __future__ import annotations

from fractions import Fraction

from spec.contracts.expr import holds, names
from spec.contracts.model import Contract
from spec.errors import BadInput


def largest(contract: Contract, name: str) -> int:
    """The greatest value below 2^64 that the clauses about this parameter alone allow; BadInput if there is none.

    The clauses must hold on an interval from 1 on, as sizes do.
    """
    clauses = [c for c in contract.comparisons() if names(c) == {name}]
    if not clauses or not all(holds(c, {name: 1}) for c in clauses):
        raise BadInput(f"{contract.entry}: no clause bounds {name} alone, from 1 on")
    low, high = 1, 2**64
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if all(holds(c, {name: middle}) for c in clauses) else (low, middle)
    if low == 2**64 - 1:
        raise BadInput(f"{contract.entry}: {name} has no upper bound, numerics needs one")
    return low


def float_range(contract: Contract, name: str) -> tuple[Fraction, Fraction]:
    """The inclusive range of a float parameter; BadInput if the contract gives none."""
    if name not in contract.float_ranges:
        raise BadInput(f"{contract.entry}: the contract gives no range for {name}")
    low, high = contract.float_ranges[name]
    return Fraction(low), Fraction(high)
