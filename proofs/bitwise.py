"""Bit operations over terms (PTX ISA 9.7.8)."""

from __future__ import annotations

from proofs.arithmetic import Arithmetic
from proofs.terms import (
    Atom,
    Cond,
    DivAtom,
    ModAtom,
    Poly,
    Symbol,
    SymbolAtom,
    combine,
    conj,
    eq,
    le,
    lt,
    negate,
    same,
    with_constant,
    within,
)
from proofs.values import Facts, Word


class Bitwise(Arithmetic):
    """The bit operations of the domain Terms, and comparisons, which see through an `or`."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._ors: dict[Symbol, tuple[Poly, Poly]] = {}

    def bit_and(self, width: int, a: Word, b: Word) -> Word:
        return self._joined("and", width, a, b)

    def bit_or(self, width: int, a: Word, b: Word) -> Word:
        return self._joined("or", width, a, b)

    def bit_xor(self, width: int, a: Word, b: Word) -> Word:
        return self._joined("xor", width, a, b)

    def bit_not(self, width: int, a: Word) -> Word:
        return self.word(width, -self.term(a) - 1)

    def _joined(self, op: str, width: int, a: Word, b: Word) -> Word:
        for other, constant in ((a, b), (b, a)):
            mask = None if constant.term is None else constant.term.value
            if mask is not None:
                term = with_constant(op, self.term(other), mask % 2**width, width)
                if term is not None:
                    return self.word(width, term)
        x, y = self._bits_of(width, a), self._bits_of(width, b)
        term = combine(op, x, y)
        return self._opaque(op, width, x, y) if term is None else self.word(width, term)

    def _bits_of(self, width: int, a: Word) -> Poly:
        """The canonical value. A complement of one in range has one without a proof: 2^width - 1 - x."""
        term = self.term(a)
        return term + 2**width if within(term, -(2**width), -1) else self.number(a, False)

    def _opaque(self, op: str, width: int, x: Poly, y: Poly) -> Word:
        """A symbol for a result that is too wide for a term."""
        (_, xh), (_, yh) = x.interval, y.interval
        high = 2**width - 1
        if xh is not None and yh is not None:
            high = min(high, min(xh, yh) if op == "and" else 2 ** max(xh, yh).bit_length() - 1)
        result = self.bounded(width, 0, high, f"(bv{op} {x.text} {y.text})")
        if op == "or":
            (symbol,) = self.term(result).symbols()
            self._ors[symbol] = (x, y)
        return result

    # --- comparisons ---
    def compare(self, width: int, signed: bool, op: str, a: Word, b: Word) -> Cond:
        x, y = self.number(a, signed, width), self.number(b, signed, width)
        if op in ("eq", "ne"):
            equal = self._zero(x) if y.value == 0 else same(x, y)
            return equal if op == "eq" else negate(equal)
        return {"lt": lt(x, y), "le": le(x, y), "gt": lt(y, x), "ge": le(y, x)}[op]

    def _zero(self, x: Poly) -> Cond:
        """x == 0. Some bits of an `or` are 0 iff those of both its parts are."""
        if len(x.terms) == 1:
            ((monomial, _),) = x.terms.items()
            symbol = self._selected(monomial[0]) if len(monomial) == 1 else None
            if symbol is not None:
                bits = Poly.of(monomial[0])
                return conj(self._zero(bits.substitute({symbol: part})) for part in self._ors[symbol])
        return eq(x)

    def _selected(self, atom: Atom) -> Symbol | None:
        """The `or` of which this atom is some bits."""
        if isinstance(atom, SymbolAtom):
            return atom.symbol if atom.symbol in self._ors else None
        if isinstance(atom, DivAtom | ModAtom) and atom.c & (atom.c - 1) == 0 and (inner := atom.a.atom) is not None:
            return self._selected(inner)
        return None
