"""Terms and conditions with numbers put for their symbols: exact integers, as in the queries."""

from __future__ import annotations

from collections.abc import Mapping

from proofs.terms import Cond, Poly, Symbol


def symbol_value(symbol: Symbol, values: Mapping[str, int]) -> int:
    """The value of a symbol; one that a model leaves open takes its least value, or 0."""
    return symbol.value(values)


def term_value(term: Poly, values: Mapping[str, int]) -> int:
    """The integer that a term stands for."""
    return term.evaluate(values)


def condition_value(cond: Cond, values: Mapping[str, int]) -> bool:
    """Whether a condition holds."""
    return cond.evaluate(values)
