"""Terms and conditions with numbers put for their symbols: exact integers, as in the queries."""

from __future__ import annotations

from collections.abc import Mapping

from proofs.terms import Atom, Cond, DivAtom, IteAtom, ModAtom, Poly, Symbol, SymbolAtom


def symbol_value(symbol: Symbol, values: Mapping[str, int]) -> int:
    """The value of a symbol; one that a model leaves open takes its least value, or 0."""
    if symbol.name in values:
        return values[symbol.name]
    return symbol.low or 0


def term_value(term: Poly, values: Mapping[str, int]) -> int:
    """The integer that a term stands for."""
    total = 0
    for monomial, coefficient in term.terms.items():
        product = coefficient
        for atom in monomial:
            product *= _atom_value(atom, values)
        total += product
    return total


def _atom_value(atom: Atom, values: Mapping[str, int]) -> int:
    if isinstance(atom, SymbolAtom):
        return symbol_value(atom.symbol, values)
    if isinstance(atom, DivAtom):
        return term_value(atom.a, values) // atom.c
    if isinstance(atom, ModAtom):
        return term_value(atom.a, values) % atom.c
    if isinstance(atom, IteAtom):
        return term_value(atom.a if condition_value(atom.condition, values) else atom.b, values)
    raise TypeError(f"no value for {atom.text}")


def condition_value(cond: Cond, values: Mapping[str, int]) -> bool:
    """Whether a condition holds."""
    if cond.op in ("true", "false"):
        return cond.op == "true"
    if cond.symbol is not None:
        return bool(values.get(cond.symbol.name, 0))
    if cond.term is not None:
        value = term_value(cond.term, values)
        return value >= 0 if cond.op == "ge" else value == 0
    parts = [condition_value(a, values) for a in cond.args]
    return {"and": all(parts), "or": any(parts), "not": not parts[0]}[cond.op]
