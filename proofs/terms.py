"""Integer terms and conditions: canonical polynomials over atoms, with intervals.

No table is shared between kernels: everything a term knows, it carries.
"""

from __future__ import annotations

from collections.abc import Iterable

from proofs.bits import BitAtom, combine, with_constant
from proofs.conditions import (
    FALSE,
    TRUE,
    Cond,
    IteAtom,
    conj,
    disj,
    eq,
    ge,
    implies,
    ite,
    le,
    lt,
    negate,
    opaque_truth,
    same,
    truth,
)
from proofs.division import DivAtom, ModAtom, QuotientAtom, divide, modulo, quotient
from proofs.polynomials import Atom, Monomial, Poly, SymbolAtom, as_poly, within
from proofs.symbols import BLOCK, LAUNCH, THREAD, Bound, Interval, Symbol, integer, quote


def marked(mark: str, scopes: frozenset[str], symbols: Iterable[Symbol]) -> dict[Symbol, Poly]:
    """A substitution that gives every symbol of these scopes a mark: the same unknown of another thread or block."""
    return {s: Poly.symbol(s.renamed(s.name + mark)) for s in symbols if s.scope in scopes}


__all__ = [
    "BLOCK", "FALSE", "LAUNCH", "THREAD", "TRUE", "Atom", "BitAtom", "Bound", "Cond", "DivAtom", "Interval", "IteAtom",
    "ModAtom", "Monomial", "Poly", "QuotientAtom", "Symbol", "SymbolAtom", "as_poly", "combine", "conj", "disj",
    "divide", "eq", "ge", "implies", "integer", "ite", "le", "lt", "marked", "modulo", "negate", "opaque_truth",
    "quote", "quotient", "same", "truth", "with_constant", "within",
]
