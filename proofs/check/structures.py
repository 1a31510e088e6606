"""Structures passed by value: each field that is loaded is one unknown number, the same for all threads of the launch.

Nothing is assumed of a field. Loads that overlap in part have unknowns of their own, which allows more than there is.
"""

from __future__ import annotations

from collections.abc import Mapping

from proofs.terms import LAUNCH, Poly, Symbol
from proofs.usage import Field, field_usage
from spec.ptx.ast import Function


def fields_of(function: Function, display: Mapping[str, str]) -> dict[Field, Poly]:
    """The fields that an entry loads as integers, named by the parameter, the byte and, if need be, the width."""
    uses = field_usage(function)
    places = [(name, offset) for name, offset, _ in uses]
    found = {}
    for (name, offset, bits), use in uses.items():
        shown = f"{display[name]}+{offset}" + (f":{bits}" if places.count((name, offset)) > 1 else "")
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if use.signed else (0, 2**bits - 1)
        found[name, offset, bits] = Poly.symbol(Symbol(shown, "field", LAUNCH, low, high))
    return found
