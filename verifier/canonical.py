"""A normal form of integer conditions: equal forms mean equal conditions for all integers.

Terms become polynomials over atoms (symbols, div, mod, ite), comparisons become `polynomial <= 0` or `= 0`, negation
moves inwards, conjunctions and disjunctions become sorted sets. The way back does not
hold: equal conditions may differ.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from functools import cache

from verifier.findings import Unreadable
from verifier.terms import Name, Term, arguments, euclid, show

Poly = tuple[tuple[tuple[Hashable, ...], int], ...]
Condition = tuple[Hashable, ...]
YES: Condition = ("true",)
NO: Condition = ("false",)


@cache
def polynomial(term: Term) -> Poly:
    """The normal form of an integer term."""
    if isinstance(term, bool):
        raise Unreadable(f"a truth value where an integer is expected: {term}")
    if isinstance(term, int):
        return _poly({(): term})
    if isinstance(term, Name):
        return _poly({(("symbol", term.name),): 1})
    head, parts = term[0], arguments(term)
    if head == "+":
        return _sum([(polynomial(part), 1) for part in parts])
    if head == "-":
        if len(parts) == 1:
            return _sum([(polynomial(parts[0]), -1)])
        return _sum([(polynomial(parts[0]), 1), *((polynomial(part), -1) for part in parts[1:])])
    if head == "*":
        product = _poly({(): 1})
        for part in parts:
            product = _times(product, polynomial(part))
        return product
    if head in ("div", "mod"):
        a, b = (polynomial(part) for part in parts)
        over, under = _constant(a), _constant(b)
        if over is not None and under:
            return _poly({(): euclid(over, under)[head == "mod"]})
        return _poly({((head, a, b),): 1})
    if head == "ite":
        condition, yes, no = canonical(parts[0]), polynomial(parts[1]), polynomial(parts[2])
        return _poly({(("ite", condition, yes, no),): 1})
    raise Unreadable(f"not an integer term: {show(term)}")


@cache
def canonical(term: Term, positive: bool = True) -> Condition:
    """The normal form of a condition, or of its negation."""
    if isinstance(term, Name):
        return ("bool", term.name, positive)
    if not isinstance(term, tuple):
        raise Unreadable(f"not a condition: {show(term)}")
    head, parts = term[0], arguments(term)
    if head in ("true", "false"):
        return YES if (head == "true") == positive else NO
    if head == "not":
        return canonical(parts[0], not positive)
    if head in ("and", "or"):
        return _set(head if positive else {"and": "or", "or": "and"}[head], [canonical(p, positive) for p in parts])
    if head == "=>":
        sides = [*(canonical(p, not positive) for p in parts[:-1]), canonical(parts[-1], positive)]
        return _set("or" if positive else "and", sides)
    if head in ("<=", "<", ">=", ">", "=") and len(parts) > 2:
        pairs: list[Condition] = [canonical((head, a, b), positive) for a, b in itertools.pairwise(parts)]
        return _set("and" if positive else "or", pairs)
    if head == "distinct" and len(parts) == 2:
        return canonical(("=", *parts), not positive)
    if head in ("<=", "<", ">=", ">"):
        a, b = polynomial(parts[0]), polynomial(parts[1])
        if head in (">=", ">"):
            a, b = b, a
        strict = head in ("<", ">")
        if not positive:
            a, b, strict = b, a, not strict
        return _below(_sum([(a, 1), (b, -1), (_poly({(): 1}), int(strict))]))
    if head == "=":
        if _is_condition(parts[0]) and _is_condition(parts[1]):
            return _equivalence(parts[0], parts[1], positive)
        return _equal(_sum([(polynomial(parts[0]), 1), (polynomial(parts[1]), -1)]), positive)
    raise Unreadable(f"not a condition: {show(term)}")


def _is_condition(term: Term) -> bool:
    return isinstance(term, tuple) and term[0] in ("and", "or", "not", "=>", "<=", "<", ">=", ">", "=", "true", "false")


def _equivalence(a: Term, b: Term, positive: bool) -> Condition:
    both = ("and", ("=>", a, b), ("=>", b, a))
    return canonical(both, positive)


def _key(part: Hashable) -> str:
    return repr(part)


def _poly(terms: dict[tuple[Hashable, ...], int]) -> Poly:
    return tuple(sorted(((m, c) for m, c in terms.items() if c), key=lambda item: _key(item[0])))


def _sum(parts: list[tuple[Poly, int]]) -> Poly:
    total: dict[tuple[Hashable, ...], int] = {}
    for poly, factor in parts:
        for monomial, coefficient in poly:
            total[monomial] = total.get(monomial, 0) + factor * coefficient
    return _poly(total)


def _times(a: Poly, b: Poly) -> Poly:
    total: dict[tuple[Hashable, ...], int] = {}
    for m1, c1 in a:
        for m2, c2 in b:
            monomial = tuple(sorted((*m1, *m2), key=_key))
            total[monomial] = total.get(monomial, 0) + c1 * c2
    return _poly(total)


def _constant(poly: Poly) -> int | None:
    if not poly:
        return 0
    return poly[0][1] if len(poly) == 1 and poly[0][0] == () else None


def _below(poly: Poly) -> Condition:
    value = _constant(poly)
    if value is not None:
        return YES if value <= 0 else NO
    return ("<=0", poly)


def _equal(poly: Poly, positive: bool) -> Condition:
    value = _constant(poly)
    if value is not None:
        return YES if (value == 0) == positive else NO
    flipped = _sum([(poly, -1)])
    poly = min(poly, flipped, key=_key)
    return ("=0" if positive else "!=0", poly)


def _set(kind: str, parts: list[Condition]) -> Condition:
    unit, zero = (YES, NO) if kind == "and" else (NO, YES)
    found: set[Condition] = set()
    for part in parts:
        if part == zero:
            return zero
        if part[0] == kind:
            found.update(part[1])  # type: ignore[arg-type]
        elif part != unit:
            found.add(part)
    if not found:
        return unit
    return next(iter(found)) if len(found) == 1 else (kind, tuple(sorted(found, key=_key)))
