"""Bit operations over terms (PTX ISA 9.7.8)."""

from __future__ import annotations

from proofs.arithmetic import Arithmetic
from proofs.terms import (
    Atom,
    Cond,
    DivAtom,
    IteAtom,
    ModAtom,
    Poly,
    Symbol,
    SymbolAtom,
    combine,
    conj,
    disj,
    eq,
    ge,
    ite,
    le,
    lt,
    modulo,
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
        self._signs: dict[Symbol, tuple[str, Poly, Poly]] = {}

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
        if term is not None:
            return self.word(width, term)
        signed = self._only_signed(width, a) or self._only_signed(width, b)
        return self._signed_opaque(op, width, x, y) if signed else self._opaque(op, width, x, y)

    def _bits_of(self, width: int, a: Word) -> Poly:
        """The canonical value, or the signed one, in two's complement, where only that is in range.

        A complement of one in range has one without a proof: 2^width - 1 - x.
        """
        term = self.term(a)
        if within(term, -(2**width), -1):
            return term + Poly.constant(2**width)
        return self.number(a, self._only_signed(width, a))

    def _only_signed(self, width: int, a: Word) -> bool:
        """Whether a number may be below zero, and is in range as a signed one.

        A choice is left out: the places of an orbit are signed numbers of whatever had wrapped on the way.
        """
        half = 2 ** (width - 1)
        if self.optimistic or a.term is None or a.term.value is not None or within(a.term, 0, None):
            return False
        if any(isinstance(atom, IteAtom) for atom in a.term.atoms()):
            return False
        return not self._shown(a.term, 0, 2 * half - 1) and self._shown(a.term, -half, half - 1)

    def _shown(self, term: Poly, low: int, high: int) -> bool:
        return within(term, low, high) or self.facts.prove(conj((le(low, term), le(term, high))))

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

    def _signed_opaque(self, op: str, width: int, x: Poly, y: Poly) -> Word:
        """The same where one may be below zero, as a signed number; its sign is known if theirs are."""
        half = 2 ** (width - 1)
        bits = f"(bv{op} {modulo(x, 2 * half).text} {modulo(y, 2 * half).text})"
        result = self.bounded(width, -half, half - 1, f"(- (mod (+ {bits} {half}) {2 * half}) {half})")
        if self._shown(x, -half, half - 1) and self._shown(y, -half, half - 1):
            (symbol,) = self.term(result).symbols()
            self._signs[symbol] = (op, x, y)
        return result

    # --- comparisons ---
    def compare(self, width: int, signed: bool, op: str, a: Word, b: Word) -> Cond:
        if not signed and (self._only_signed(width, a) or self._only_signed(width, b)):
            return self._both_ends(width, op, a, b)
        x, y = self.number(a, signed, width), self.number(b, signed, width)
        if signed and (op, y.value) in (("lt", 0), ("ge", 0), ("le", -1), ("gt", -1)):
            negative = self._negative(x)
            return negative if op in ("lt", "le") else negate(negative)
        if op in ("eq", "ne"):
            equal = self._zero(x) if y.value == 0 else same(x, y)
            return equal if op == "eq" else negate(equal)
        return {"lt": lt(x, y), "le": le(x, y), "gt": lt(y, x), "ge": le(y, x)}[op]

    def _both_ends(self, width: int, op: str, a: Word, b: Word) -> Cond:
        """An unsigned comparison of signed numbers: below y are those from 0 on, as y is below none that is negative.

        Compilers and programmers write `0 <= x && x < y` as `(unsigned)x < (unsigned)y`.
        """
        half = 2 ** (width - 1)
        whole = [self.number(w, self._only_signed(width, w) or self._shown(self.term(w), 0, half - 1)) for w in (a, b)]
        x, y = (self._from_half(width, w, n) for w, n in zip((a, b), whole, strict=True))
        if op in ("eq", "ne"):
            return same(x, y) if op == "eq" else negate(same(x, y))
        if op in ("gt", "le"):
            less = self._below(y, x)
            return less if op == "gt" else negate(less)
        less = self._below(x, y)
        return less if op == "lt" else negate(less)

    def _from_half(self, width: int, word: Word, number: Poly) -> Poly:
        """The signed number of an unsigned one that reaches into the upper half."""
        half = 2 ** (width - 1)
        if self._only_signed(width, word) or self._shown(number, 0, half - 1):
            return number
        return ite(lt(number, half), number, number - 2 * half)

    def _below(self, x: Poly, y: Poly) -> Cond:
        """x < y of signed numbers taken as unsigned."""
        if self._shown_at_least(y):
            return conj((ge(x), lt(x, y)))
        if self._shown_at_least(x):
            return disj((lt(y, 0), lt(x, y)))
        return conj((disj((ge(x), lt(y, 0))), disj((conj((ge(x), lt(y, 0))), lt(x, y)))))

    def _shown_at_least(self, x: Poly) -> bool:
        return within(x, 0, None) or self.facts.prove(ge(x))

    def _negative(self, x: Poly) -> Cond:
        """x < 0. The sign of an `or`, `and` or exclusive or is that of the signs."""
        symbol = x.atom.symbol if isinstance(x.atom, SymbolAtom) else None
        if symbol not in self._signs:
            return lt(x, 0)
        op, *parts = self._signs[symbol]
        first, second = (self._negative(part) for part in parts)
        if op == "xor":
            return conj((disj((first, second)), negate(conj((first, second)))))
        return disj((first, second)) if op == "or" else conj((first, second))

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
