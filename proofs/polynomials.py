"""Integer polynomials over atoms, with intervals. The empty monomial is the constant.

A polynomial is immutable and equal to another iff they are the same sum over the same atoms; an atom is identified by
its SMT-LIB text. Quotients and remainders of one number are put together again where a sum holds both
(`8*(x div 8) + x mod 8` is x), and taken apart where that leaves no difference (`x - x mod 8` is `8*(x div 8)`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from proofs.symbols import Bound, Interval, Symbol, integer, quote

MAX_SETTLINGS = 24


class Atom(ABC):
    """A factor of a monomial. Subclasses say what it is; `text` is its SMT-LIB form and its identity.

    `digit`: a quotient or remainder, which `settle` may join with others.
    """

    __slots__ = ("interval", "text")
    text: str
    interval: Interval
    digit = False

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Atom) and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text

    @abstractmethod
    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        """This atom with symbols replaced."""

    @abstractmethod
    def symbols(self) -> frozenset[Symbol]:
        """The unknowns in it."""

    @abstractmethod
    def value(self, values: Mapping[str, int]) -> int:
        """The integer that it stands for."""

    def parts(self) -> tuple[Poly, ...]:
        """The terms in it."""
        return ()

    def settle(self, terms: Mapping[Monomial, int], rest: Monomial, coefficient: int) -> Poly | None:
        """A polynomial that is zero and, added to the sum `terms`, simplifies it; None if there is none.

        `rest` is the monomial of the sum in which this atom stands, without it.
        """
        return None

    def over(self, c: int) -> Poly | None:
        """The atom divided by c where it is seen to be a multiple of c."""
        return None

    def divided(self, c: int) -> Poly | None:
        """floor(atom / c), if that is something simpler than a quotient of this atom."""
        return None

    def reduced(self, c: int) -> Poly | None:
        """atom mod c, if that is something simpler than a remainder of this atom."""
        return None


class SymbolAtom(Atom):
    __slots__ = ("_own", "symbol")

    def __init__(self, symbol: Symbol) -> None:
        self.symbol, self.text, self.interval = symbol, quote(symbol.name), (symbol.low, symbol.high)
        self._own = frozenset({symbol})

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return mapping.get(self.symbol) or Poly.of(self)

    def symbols(self) -> frozenset[Symbol]:
        return self._own

    def value(self, values: Mapping[str, int]) -> int:
        return self.symbol.value(values)


Monomial = tuple[Atom, ...]


class Poly:
    """A polynomial with integer coefficients over atoms."""

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        kept = [(m, c) for m, c in terms.items() if c]
        if len(kept) > 1:
            kept.sort(key=_order)
        self.terms: dict[Monomial, int] = dict(kept)

    @staticmethod
    def constant(value: int) -> Poly:
        return Poly({(): value})

    @staticmethod
    def of(atom: Atom) -> Poly:
        return Poly({(atom,): 1})

    @staticmethod
    def symbol(symbol: Symbol) -> Poly:
        return Poly.of(SymbolAtom(symbol))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Poly) and self.terms == other.terms)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text

    def __getstate__(self) -> dict[str, Any]:
        """Without the copies that queries keep of it."""
        return {k: v for k, v in self.__dict__.items() if k != "copies"}

    @staticmethod
    def _sorted(terms: dict[Monomial, int]) -> Poly:
        """A polynomial of terms that are in order, none of them zero."""
        made = Poly.__new__(Poly)
        made.terms = terms
        return made

    def __add__(self, other: Poly | int) -> Poly:
        if not self.terms or other == 0:
            return as_poly(other) if not self.terms else self
        terms = dict(self.terms)
        for monomial, coefficient in as_poly(other).terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return _settled(terms)

    def __neg__(self) -> Poly:
        return Poly._sorted({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly | int) -> Poly:
        return self + (-as_poly(other))

    def __mul__(self, other: Poly | int) -> Poly:
        factor = as_poly(other)
        if (value := factor.value) is not None:
            return Poly._sorted({m: c * value for m, c in self.terms.items()} if value else {})
        terms: dict[Monomial, int] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in factor.terms.items():
                monomial = tuple(sorted(m1 + m2, key=_text))
                terms[monomial] = terms.get(monomial, 0) + c1 * c2
        return _settled(terms)

    @property
    def value(self) -> int | None:
        """The constant this is, if it is one."""
        if not self.terms:
            return 0
        return self.terms[()] if len(self.terms) == 1 and () in self.terms else None

    @property
    def atom(self) -> Atom | None:
        """The single atom this is, if it is one."""
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms.items()
            if coefficient == 1 and len(monomial) == 1:
                return monomial[0]
        return None

    @cached_property
    def degree(self) -> int:
        return max((len(m) for m in self.terms), default=0)

    @cached_property
    def interval(self) -> Interval:
        """Bounds that hold for all values of the symbols; None is unbounded."""
        low: Bound = 0
        high: Bound = 0
        for monomial, coefficient in self.terms.items():
            least, most = _monomial_interval(monomial)
            if coefficient < 0:
                least, most = most, least
            low = None if low is None or least is None else low + coefficient * least
            high = None if high is None or most is None else high + coefficient * most
        return low, high

    @cached_property
    def text(self) -> str:
        """SMT-LIB text."""
        parts = []
        for monomial, coefficient in self.terms.items():
            factors = [a.text for a in monomial]
            if coefficient != 1 or not factors:
                factors.insert(0, integer(coefficient))
            parts.append(factors[0] if len(factors) == 1 else f"(* {' '.join(factors)})")
        if not parts:
            return "0"
        return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"

    def substitute(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        """Replace symbols by terms, everywhere."""
        if self._symbols.isdisjoint(mapping):
            return self
        terms: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms.items():
            kept = tuple(a for a in monomial if a.symbols().isdisjoint(mapping))
            product: Poly | None = None
            for atom in monomial:
                if atom not in kept:
                    product = atom.rebuild(mapping) if product is None else product * atom.rebuild(mapping)
            for m, c in ({(): 1} if product is None else product.terms).items():
                joined = tuple(sorted(kept + m, key=_text)) if kept and m else kept or m
                terms[joined] = terms.get(joined, 0) + coefficient * c
        return _settled(terms)

    @cached_property
    def _symbols(self) -> frozenset[Symbol]:
        return frozenset(s for m in self.terms for a in m for s in a.symbols())

    def symbols(self) -> frozenset[Symbol]:
        return self._symbols

    def atoms(self) -> frozenset[Atom]:
        return frozenset(a for m in self.terms for a in m)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The integer that it stands for."""
        total = 0
        for monomial, coefficient in self.terms.items():
            product = coefficient
            for atom in monomial:
                product *= atom.value(values)
            total += product
        return total


def as_poly(value: Poly | int) -> Poly:
    return Poly.constant(value) if isinstance(value, int) else value


def plain_sum(*parts: tuple[Poly, int]) -> Poly:
    """The sum of multiples as it stands: the digits in it are not joined."""
    terms: dict[Monomial, int] = {}
    for poly, factor in parts:
        for monomial, coefficient in poly.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient * factor
    return Poly(terms)


def within(term: Poly, low: Bound, high: Bound) -> bool:
    """Whether the interval of the term alone shows low <= term <= high."""
    least, most = term.interval
    return (low is None or (least is not None and least >= low)) and (
        high is None or (most is not None and most <= high)
    )


def _text(atom: Atom) -> str:
    return atom.text


def _order(item: tuple[Monomial, int]) -> tuple[int, list[str]]:
    return len(item[0]), [a.text for a in item[0]]


def _monomial_interval(monomial: Monomial) -> Interval:
    low: Bound = 1
    high: Bound = 1
    for atom in monomial:
        least, most = atom.interval
        if low is not None and least is not None and low >= 0 and least >= 0:
            low, high = low * least, None if high is None or most is None else high * most
            continue
        if None in (low, high, least, most):
            return None, None
        corners = [x * y for x in (low, high) for y in (least, most) if x is not None and y is not None]
        low, high = min(corners), max(corners)
    return low, high


def _settled(terms: dict[Monomial, int]) -> Poly:
    """The sum with quotients and remainders joined; each step adds something that is zero."""
    if not any(a.digit for m in terms for a in m):
        return Poly(terms)
    for _ in range(MAX_SETTLINGS):
        zero = _settling(terms)
        if zero is None:
            break
        for monomial, coefficient in zero.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
    return Poly(terms)


def _settling(terms: dict[Monomial, int]) -> Poly | None:
    for monomial, coefficient in terms.items():
        if not coefficient:
            continue
        for i, atom in enumerate(monomial):
            if atom.digit:
                zero = atom.settle(terms, monomial[:i] + monomial[i + 1 :], coefficient)
                if zero is not None:
                    return zero
    return None
