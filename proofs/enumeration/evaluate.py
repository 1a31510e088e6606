"""Terms and conditions over columns of numbers: each lane is one assignment of the symbols that are enumerated.

Numbers are int64. A term is evaluated only if the ranges of its symbols show that nothing in it leaves +-2^62; symbols
without a column contribute the interval of what they stand in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.bits import BitAtom
from proofs.enumeration.ranges import Ranges, atom_range, range_of
from proofs.terms import Atom, Bound, Cond, DivAtom, IteAtom, ModAtom, Monomial, Poly, SymbolAtom

Array = npt.NDArray[Any]
Column = Array | int
LARGEST = 2**62


class NotFinite(Exception):
    """This cannot be enumerated: a number may be too large, there are too many lanes, or an atom has no columns."""


@dataclass
class Work:
    """How many numbers may still be worked out; all enumerations of an entry share one."""

    left: int

    def spend(self, numbers: int) -> None:
        """Count some. NotFinite if there are none left."""
        if self.left <= 0:
            raise NotFinite("the effort for enumeration was used up")
        self.left -= numbers


@dataclass(frozen=True)
class Lanes:
    """Columns by symbol name, all of one length.

    Args:
        count: the number of lanes.
        ranges: bounds of symbols, with and without columns.
        work: what evaluation is counted against.
        known: conditions that hold in all lanes.
    """

    count: int
    columns: Mapping[str, Column]
    ranges: Ranges
    work: Work
    known: frozenset[Cond] = frozenset()

    def has(self, item: Poly | Atom | Cond) -> bool:
        """Whether every symbol of it has a column."""
        return all(s.name in self.columns for s in item.symbols())

    # --- exact values ---
    def value(self, term: Poly) -> Column:
        """The term in every lane; all its symbols have columns."""
        _small(_size(term, self.ranges))
        return self._value(term)

    def _value(self, term: Poly) -> Column:
        total: Column = 0
        for monomial, coefficient in term.terms.items():
            product: Column = coefficient
            self.work.spend(self.count * (1 + len(monomial)))
            for atom in monomial:
                product = product * self._atom(atom)
            total = total + product
        return total

    def _atom(self, atom: Atom) -> Column:
        if isinstance(atom, SymbolAtom):
            return self.columns[atom.symbol.name]
        if isinstance(atom, DivAtom):
            return self._value(atom.a) // atom.c
        if isinstance(atom, ModAtom):
            return self._value(atom.a) % atom.c
        if isinstance(atom, IteAtom):
            holds = self.certain(atom.condition)
            if not np.array_equal(holds, self.possible(atom.condition)):
                raise NotFinite(f"a choice that has no columns: {atom.condition.text[:60]}")
            return np.where(holds, self._value(atom.a), self._value(atom.b))
        if isinstance(atom, BitAtom):
            mask = (1 << atom.bits) - 1
            joined, *others = (self._value(o) & mask for o in atom.operands)
            for other in others:
                joined = joined & other if atom.op == "and" else joined | other if atom.op == "or" else joined ^ other
            return joined
        raise NotFinite(f"no columns for {atom.text[:60]}")

    # --- three-valued truth ---
    def possible(self, cond: Cond) -> Array | bool:
        """Lanes in which the condition may hold; in all others it does not."""
        return self._truth(cond, True)

    def certain(self, cond: Cond) -> Array | bool:
        """Lanes in which the condition holds whatever the symbols without columns are."""
        return self._truth(cond, False)

    def _truth(self, cond: Cond, doubt: bool) -> Array | bool:
        if cond.op in ("true", "false"):
            return cond.op == "true"
        if cond in self.known:
            return True
        if cond.op in ("ge", "eq", "bool") and cond.negated in self.known:
            return False
        if cond.op == "not":
            return np.logical_not(self._truth(cond.args[0], not doubt))
        if cond.op in ("and", "or"):
            combine = np.logical_and if cond.op == "and" else np.logical_or
            found: Array | bool = cond.op == "and"
            for part in cond.args:
                found = combine(found, self._truth(part, doubt))
            return found
        if cond.symbol is not None:
            return doubt if cond.symbol.name not in self.columns else self.columns[cond.symbol.name] != 0
        assert cond.term is not None
        exact, low, high = self.parts(cond.term)
        if cond.op == "ge":
            bound = high if doubt else low
            holds = doubt if bound is None else _at_least(exact, -bound)
            return holds if doubt else np.logical_or(holds, self._beyond(cond.term))
        if doubt:
            below = True if high is None else _at_least(exact, -high)
            above = True if low is None else _at_most(exact, -low)
            return np.logical_and(below, above)
        if low is None or low != high:
            return False
        return np.logical_and(_at_least(exact, -low), _at_most(exact, -low))

    def _beyond(self, term: Poly) -> Array | bool:
        """Lanes in which what is left of the term, less a multiple of one known to be at least 0, is at least 0."""
        found: Array | bool = False
        symbols = {s.name for s in term.symbols()} - self.columns.keys()
        for condition in self.known:
            other = condition.term
            if condition.op != "ge" or other is None or not symbols & {s.name for s in other.symbols()}:
                continue
            for factor in _factors(term, other, symbols):
                exact, low, _ = self.parts(term - other * factor)
                if low is not None:
                    found = np.logical_or(found, _at_least(exact, -low))
        return found

    def parts(self, term: Poly) -> tuple[Column, Bound, Bound]:
        """The part that has columns, and bounds of the rest."""
        finite, rest = self.split(term)
        low, high = range_of(rest, self.ranges)
        try:
            return self.value(finite), low, high
        except NotFinite:
            low, high = range_of(term, self.ranges)
            return 0, low, high

    def split(self, term: Poly) -> tuple[Poly, Poly]:
        """Monomials of which every symbol has a column, and the others."""
        inside: dict[Monomial, int] = {}
        outside: dict[Monomial, int] = {}
        for monomial, coefficient in term.terms.items():
            (inside if all(self.has(a) for a in monomial) else outside)[monomial] = coefficient
        if not outside:
            return term, Poly({})
        return Poly(inside), Poly(outside)


def _factors(term: Poly, other: Poly, symbols: set[str]) -> list[int]:
    """Multiples of the other term that may take away what the first has of these symbols."""
    found = {1: None}
    for monomial, coefficient in other.terms.items():
        mine = term.terms.get(monomial, 0)
        if any(s.name in symbols for a in monomial for s in a.symbols()) and mine % coefficient == 0:
            found[mine // coefficient] = None
    return [factor for factor in found if factor > 0]


def _at_least(column: Column, bound: int) -> Array | bool:
    if isinstance(column, int):
        return column >= bound
    return True if bound <= -LARGEST else False if bound >= LARGEST else column >= bound


def _at_most(column: Column, bound: int) -> Array | bool:
    if isinstance(column, int):
        return column <= bound
    return True if bound >= LARGEST else False if bound <= -LARGEST else column <= bound


def _small(size: int | None) -> None:
    if size is None or size >= LARGEST:
        raise NotFinite("a number may leave 64 bits")


def _size(term: Poly, ranges: Ranges) -> int | None:
    """More than the absolute value of anything that is computed on the way; None if unknown."""
    total = 0
    for monomial, coefficient in term.terms.items():
        product = abs(coefficient)
        for atom in monomial:
            for part in atom.parts():
                size = _size(part, ranges)
                if size is None or size >= LARGEST:
                    return None
            low, high = atom_range(atom, ranges)
            if low is None or high is None:
                return None
            product *= max(abs(low), abs(high), 1)
        total += product
    return total
