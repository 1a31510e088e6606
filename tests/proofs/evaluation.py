"""Values of terms and conditions, read off their SMT-LIB text by the verifier's own reader and evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from proofs.terms import Cond, Poly, Symbol
from verifier.terms import Unvalued, evaluate, read_term


def value_of(item: Poly | Cond, values: Mapping[str, int]) -> int:
    """The number, or 0 and 1, at these symbol values; Unvalued where the item depends on a symbol without one."""
    return evaluate(read_term(item.text, "item"), values)


def with_definitions(values: Mapping[str, int], made: Iterable[Symbol]) -> dict[str, int]:
    """The values and those of symbols that are defined by them, in the order in which they were made."""
    known = dict(values)
    for symbol in made:
        if symbol.definition:
            with suppress(Unvalued):
                known[symbol.name] = evaluate(read_term(symbol.definition, symbol.name), known)
    return known


__all__ = ["Unvalued", "value_of", "with_definitions"]
