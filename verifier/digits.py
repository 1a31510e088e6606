"""Digits of a number: `value = rest + d1*w1 + d2*w2 + ...` with 0 <= rest < w1, 0 <= d1 < w2/w1, ..., the last open.

Every value >= 0 has them if w1 >= 1 and every radix w2/w1, ... is at least 1, so a query may assume them of fresh
symbols. Anything said of them beyond that makes the assumption one that must be refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from verifier.canonical import Poly, canonical, polynomial
from verifier.terms import Name, Term, arguments, conjuncts, names

Monomial = tuple[Hashable, ...]


@dataclass(frozen=True)
class Digits:
    """The digits of one value. `chain`: symbol and weight, smallest first, the rest (weight 1) before them."""

    value: Term
    chain: tuple[tuple[str, Term], ...]
    positive: tuple[Term, ...]
    value_bound: Term

    @property
    def symbols(self) -> list[str]:
        return [name for name, _ in self.chain]

    @property
    def speaks_of(self) -> set[str]:
        return set(names(self.value))

    def values(self, term: Term, symbols: list[str]) -> Iterator[dict[str, Term]]:
        """For a term that is a sum of symbol * weight: each symbol the digit of its weight; the smallest may shift
        by the constant by which the term differs from the value."""
        found: dict[str, Term] = {}
        smallest = ""
        for name in symbols:
            weight = _coefficient(polynomial(term), name)
            digit = next((d for d, w in self.chain[1:] if polynomial(w) == weight), None)
            if digit is None:
                return
            found[name] = Name(digit)
            if digit == self.chain[1][0]:
                smallest = name
        yield found
        constant = dict(polynomial(term)).get((), 0) - self._constant()
        unit = self.chain[1][1]
        if smallest and constant and isinstance(unit, int):
            shifts = {constant // unit}
            if len(self.chain) > 2 and isinstance(self.chain[2][1], int):
                shifts.add(constant % self.chain[2][1] // unit)
            for shift in sorted(shifts):
                yield {**found, smallest: ("-", found[smallest], shift)}

    def _constant(self) -> int:
        """The constant that the value takes off the coordinate."""
        return -dict(polynomial(self.value)).get((), 0)


def read_digits(term: Term, known: set[str]) -> Digits | None:
    """The digits a hypothesis introduces: for all values, or `value < 0 or ...`. None if it says anything else."""
    guard: Term | None = None
    body = term
    if isinstance(term, tuple) and term[0] == "or" and len(term) == 3:
        sides = arguments(term)
        body = next((s for s in sides if isinstance(s, tuple) and s[0] == "and"), term)
        guard = next((s for s in sides if s is not body), None)
    parts = list(conjuncts(body))
    for part in parts:
        if isinstance(part, tuple) and part[0] == "=" and len(part) == 3:
            found = _from_equation(part, known)
            if found is not None and _only_bounds(found, [p for p in parts if p is not part]):
                return _guarded(found, guard)
    return None


def _guarded(found: Digits, guard: Term | None) -> Digits | None:
    """Without a guard the value must be shown not to be negative; with one, the guard must be `value < 0`."""
    if guard is None:
        return Digits(found.value, found.chain, found.positive, ("<=", 0, found.value))
    if canonical(guard) != canonical(("<", found.value, 0)):
        return None
    return Digits(found.value, found.chain, found.positive, ("true",))


def _from_equation(equation: tuple[str | Term, ...], known: set[str]) -> Digits | None:
    poly = dict(polynomial(("-", *arguments(equation))))
    fresh = sorted({n for n in names(equation) if n not in known})
    if not fresh:
        return None
    weights = {name: dict(_coefficient(_poly(poly), name)) for name in fresh}
    ones = [name for name in fresh if weights[name] in ({(): 1}, {(): -1})]
    rest_of = {m: c for m, c in poly.items() if not any(_holds(m, name) for name in fresh)}
    used = sum(len(w) for w in weights.values()) + len(rest_of)
    if used != len(poly) or any(len(w) != 1 for w in weights.values()) or not ones:
        return None
    sign = weights[ones[0]].get((), 0)
    signed = {name: {m: sign * c for m, c in w.items()} for name, w in weights.items()}
    value = _term({m: -sign * c for m, c in rest_of.items()})
    order = sorted(fresh, key=lambda n: _size(signed[n]))
    for first in [n for n in order if n in ones]:
        chain = [first, *(n for n in order if n != first)]
        found = _chain(value, chain, signed)
        if found is not None:
            return found
    return None


def _chain(value: Term, order: list[str], weights: Mapping[str, Mapping[Monomial, int]]) -> Digits | None:
    positive: list[Term] = []
    for lower, upper in itertools.pairwise(order):
        radix = _quotient(weights[upper], weights[lower])
        if radix is None:
            return None
        positive.append(("<=", 1, _term(radix)))
    return Digits(value, tuple((n, _term(weights[n])) for n in order), tuple(positive), ("true",))


def _only_bounds(found: Digits, parts: list[Term]) -> bool:
    """Whether nothing is said but 0 <= digit, and digit < radix for all but the last."""
    fine = {canonical(("<=", 0, Name(name))) for name in found.symbols}
    for (lower, low), (_, high) in zip(found.chain, found.chain[1:], strict=False):
        radix = _quotient(dict(polynomial(high)), dict(polynomial(low)))
        if radix is not None:
            fine.add(canonical(("<", Name(lower), _term(radix))))
    return all(canonical(part) in fine for part in parts)


def _quotient(upper: Mapping[Monomial, int], lower: Mapping[Monomial, int]) -> dict[Monomial, int] | None:
    """upper / lower for single monomials, if it comes out even."""
    ((m, c),), ((n, d),) = upper.items(), lower.items()
    left = list(m)
    for atom in n:
        if atom not in left:
            return None
        left.remove(atom)
    return {tuple(left): c // d} if d and c % d == 0 else None


def _size(weight: Mapping[Monomial, int]) -> tuple[int, int]:
    ((monomial, coefficient),) = weight.items()
    return len(monomial), coefficient


def _holds(monomial: Monomial, name: str) -> bool:
    return ("symbol", name) in monomial


def _coefficient(poly: Poly, name: str) -> Poly:
    """What a symbol is multiplied by, where it stands once in each of its monomials."""
    found: dict[Monomial, int] = {}
    for monomial, c in poly:
        if _holds(monomial, name):
            left = list(monomial)
            left.remove(("symbol", name))
            found[tuple(left)] = c
    return _poly(found)


def _poly(terms: Mapping[Monomial, int]) -> Poly:
    return tuple(sorted(terms.items(), key=lambda item: repr(item[0])))


def _term(poly: Mapping[Monomial, int]) -> Term:
    """A polynomial back as a term."""
    parts = [_product(monomial, c) for monomial, c in sorted(poly.items(), key=lambda item: repr(item[0]))]
    if not parts:
        return 0
    return parts[0] if len(parts) == 1 else ("+", *parts)


def _product(monomial: Monomial, coefficient: int) -> Term:
    if not monomial:
        return coefficient
    factors = [_atom(atom) for atom in monomial]
    if coefficient == 1 and len(factors) == 1:
        return factors[0]
    return ("*", coefficient, *factors)


def _atom(atom: Hashable) -> Term:
    assert isinstance(atom, tuple)
    if atom[0] == "symbol":
        return Name(str(atom[1]))
    if atom[0] in ("div", "mod"):
        return (str(atom[0]), *(_term(dict(part)) for part in atom[1:]))
    raise ValueError(f"a digit of {atom}")
