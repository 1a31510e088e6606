"""Symbols without bounds that matter only by their remainder, and by whether they are among the first few numbers.

Such a symbol s is written as p + m*q: the place p has a column, q has none. Places below `start` stand for that number
alone, those from `start` on for all numbers with the same remainder. A comparison of s alone with a constant that is
decided from `start` on is one of p. Any s has such p and q; that some p and q belong to no s of their own, p below
`start` with q above 0, only adds assignments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import lcm

from proofs.enumeration.site import private
from proofs.terms import (
    Atom,
    Cond,
    DivAtom,
    Interval,
    IteAtom,
    ModAtom,
    Poly,
    Symbol,
    SymbolAtom,
    conj,
    disj,
    divide,
    eq,
    ge,
    ite,
    modulo,
    negate,
)

MAX_MODULUS, MAX_START, MAX_CHOICES = 256, 64, 4


@dataclass(frozen=True)
class Parting:
    """How one symbol is parted. `low` is the lowest place."""

    symbol: Symbol
    low: int
    start: int
    modulus: int

    @property
    def count(self) -> int:
        """The number of places."""
        return max(self.start, self.low) - self.low + self.modulus

    @property
    def place(self) -> Symbol:
        """The symbol of the place."""
        name = _tagged(self.symbol, f"%{self.modulus}.{self.start}")
        return replace(self.symbol.renamed(name), low=self.low, high=self.low + self.count - 1)

    def whole(self, bounds: Interval) -> Poly:
        """The symbol in terms of its place."""
        low, high = bounds
        least = None if low is None else 0
        most = None if high is None else (high - self.low) // self.modulus
        name = _tagged(self.symbol, f"/{self.modulus}.{self.start}")
        quotient = replace(self.symbol.renamed(name), low=least, high=most)
        return Poly.symbol(quotient) * self.modulus + Poly.symbol(self.place)


def _tagged(symbol: Symbol, tag: str) -> str:
    return symbol.name[:-1] + tag + symbol.name[-1] if private(symbol) else symbol.name + tag


class Parted:
    """Puts the parts of symbols into terms and conditions."""

    def __init__(self, partings: Iterable[tuple[Parting, Interval]]) -> None:
        found = list(partings)
        self.by_symbol = {p.symbol: p for p, _ in found}
        self.wholes = {p.symbol: p.whole(bounds) for p, bounds in found}

    def poly(self, term: Poly) -> Poly:
        """The term with its symbols parted."""
        if not term.symbols() & self.wholes.keys():
            return term
        if "(ite " not in term.text:
            return term.substitute(self.wholes)
        total = Poly({})
        for monomial, coefficient in term.terms.items():
            product = Poly.constant(coefficient)
            for atom in monomial:
                product = product * self._atom(atom)
            total = total + product
        return total

    def _atom(self, atom: Atom) -> Poly:
        if not atom.symbols() & self.wholes.keys():
            return Poly.of(atom)
        if isinstance(atom, DivAtom):
            return _chosen(self.poly(atom.a), lambda term: divide(term, atom.c))
        if isinstance(atom, ModAtom):
            return _chosen(self.poly(atom.a), lambda term: modulo(term, atom.c))
        if isinstance(atom, IteAtom):
            return ite(self.cond(atom.condition), self.poly(atom.a), self.poly(atom.b))
        return atom.rebuild(self.wholes)

    def cond(self, condition: Cond) -> Cond:
        """The condition with its symbols parted."""
        if not condition.symbols() & self.wholes.keys():
            return condition
        if condition.op == "not":
            return negate(self.cond(condition.args[0]))
        if condition.args:
            return {"and": conj, "or": disj}[condition.op](self.cond(c) for c in condition.args)
        if condition.term is None:
            return condition
        alone = compared(condition)
        if alone is not None:
            parting = self.by_symbol[alone[0]]
            if alone[1] <= max(parting.start, parting.low):
                return condition.substitute({alone[0]: Poly.symbol(parting.place)})
        term = self.poly(condition.term)
        return ge(term) if condition.op == "ge" else eq(term)


def _chosen(term: Poly, digit: Callable[[Poly], Poly], most: int = MAX_CHOICES) -> Poly:
    """A digit of a term, taken in each case of the choices in it: so that what has no column may cancel there."""
    for monomial, coefficient in term.terms.items():
        atom = monomial[0] if len(monomial) == 1 else None
        if isinstance(atom, IteAtom) and most:
            rest = term - Poly.of(atom) * coefficient
            first, second = (_chosen(rest + case * coefficient, digit, most - 1) for case in (atom.a, atom.b))
            return ite(atom.condition, first, second)
    return digit(term)


def compared(condition: Cond) -> tuple[Symbol, int] | None:
    """Of a comparison of one symbol with a constant: the symbol, and from which number on the answer stays the same."""
    term = condition.term
    if condition.op not in ("ge", "eq") or term is None or len(term.symbols()) != 1:
        return None
    others = [m for m in term.terms if m]
    if len(others) != 1 or len(others[0]) != 1 or not isinstance(others[0][0], SymbolAtom):
        return None
    constant, coefficient = term.terms.get((), 0), term.terms[others[0]]
    if condition.op == "eq":
        return others[0][0].symbol, abs(constant) // abs(coefficient) + 1
    # c*s + d >= 0 changes at s = -d/c, rounded up; for c < 0 it holds up to d/-c, rounded down.
    at = -(constant // coefficient) if coefficient > 0 else constant // -coefficient + 1
    return others[0][0].symbol, at


class Places:
    """Where a symbol stands in some terms, so far as that says how it can be parted.

    Attributes:
        inside: in a quotient or a remainder, or in a comparison with constants; `mixed`: where only its number helps.
        modulus, start: of a parting after which the terms hold its place only.
    """

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol
        self.modulus, self.start = 1, 0
        self.inside, self.mixed = False, False

    def visit(self, poly: Poly, factor: int = 1, bare: bool = True) -> None:
        """Look through a term that is divided by `factor` in all; `bare`: the symbol itself may stand in it."""
        for monomial in poly.terms:
            mine = [a for a in monomial if self.symbol in a.symbols()]
            self.mixed |= bool(mine) and len(monomial) > 1
            for atom in mine:
                self._atom(atom, factor, bare)

    def _atom(self, atom: Atom, factor: int, bare: bool) -> None:
        if isinstance(atom, SymbolAtom):
            self.mixed |= not bare
        elif isinstance(atom, DivAtom | ModAtom):
            self.inside = True
            self.modulus = min(lcm(self.modulus, factor * atom.c), MAX_MODULUS + 1)
            self.visit(atom.a, factor * atom.c)
        else:
            self.inside = True
            parts: Iterable[Poly] = atom.parts()
            if isinstance(atom, IteAtom):
                parts = (atom.a, atom.b)
                self.condition(atom.condition)
            for part in parts:
                self.visit(part, factor, bare=False)

    def condition(self, condition: Cond) -> None:
        """Look through a condition that a term depends on."""
        for part in condition.args:
            self.condition(part)
        if condition.term is None or self.symbol not in condition.symbols():
            return
        alone = compared(condition)
        if alone is not None:
            self.inside = True
            self.start = max(self.start, alone[1])
        else:
            self.visit(condition.term, bare=False)
