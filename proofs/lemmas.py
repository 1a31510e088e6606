"""Tautologies that queries carry, since solvers reason badly about products, quotients and bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import gcd

from proofs.bits import BitAtom, xor_lemmas
from proofs.polynomials import plain_sum
from proofs.terms import Atom, Cond, ModAtom, Poly, QuotientAtom, SymbolAtom, within

MAX_LEMMAS = 40


def lemmas(known: Sequence[Cond], goals: Sequence[Poly], compared: Sequence[Poly], splits: Sequence[Poly]) -> list[str]:
    """Those of a query: what is known, the terms of its goal, differences whose sign matters, terms compared with 0."""
    polys = [*(p for c in known for p in c.polys()), *goals]
    return [
        *split_lemmas(compared, splits), *product_lemmas(polys), *factor_lemmas([*compared, *polys]),
        *atom_lemmas(polys), *multiple_lemmas(known, goals),
    ]


def multiple_lemmas(known: Iterable[Cond], goals: Iterable[Poly]) -> list[str]:
    """`s mod c = 0 implies m*s = c*(m*(s div c))` for multiples s that are known and products m*s in remainders.

    An address whose row stride is a multiple is aligned for this reason, whatever the row.
    """
    multiples: dict[Atom, int] = {}
    for part in (p for c in known for p in (c.args if c.op == "and" else (c,))):
        remainder = part.term.atom if part.op == "eq" and part.term is not None else None
        if isinstance(remainder, ModAtom) and isinstance(s := remainder.a.atom, SymbolAtom):
            multiples[s] = max(remainder.c, multiples.get(s, 1))
    inner = [a.a for p in _all(goals) for m in p.terms for a in m if isinstance(a, ModAtom)]
    texts: dict[str, None] = {}
    for monomial in dict.fromkeys(m for p in inner for m in p.terms if len(m) == 2):
        for i, s in enumerate(monomial):
            if s in multiples:
                c, m = multiples[s], monomial[1 - i].text
                product = f"(* {monomial[0].text} {monomial[1].text})"
                texts[f"(=> (= (mod {s.text} {c}) 0) (= {product} (* {c} {m} (div {s.text} {c}))))"] = None
    return list(texts)[:MAX_LEMMAS]


def product_lemmas(polys: Iterable[Poly]) -> list[str]:
    """Tautologies `A >= 0 and B >= 0 imply A*B >= 0` for the products that occur.

    For each product a*b: the distances of a and b from their low bounds; for two products that share a factor, the
    differences of the other factors, which is what decides the order of a*b and c*b.
    """
    monomials = {(m[0], m[1]): None for poly in _all(polys) for m in poly.terms if len(m) == 2}
    texts: dict[str, None] = {}
    for a, b in monomials:
        texts[_product(_distance(a), _distance(b))] = None
    for (a, b), (c, d) in combinations(monomials, 2):
        for x, shared, y, other in ((a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)):
            if shared != other or x == y:
                continue
            for less in (0, 1):
                texts[_product(Poly.of(x) - Poly.of(y) - less, _distance(shared))] = None
                texts[_product(Poly.of(y) - Poly.of(x) - less, _distance(shared))] = None
    return list(texts)[:MAX_LEMMAS]


def split_lemmas(compared: Iterable[Poly], splits: Iterable[Poly]) -> list[str]:
    """Tautologies `T <= -1 or T = 0 or T >= 1` for the multiples of each coefficient in a difference.

    They make a solver look at whole tiles first, where it would otherwise branch on each index alone.
    """
    found = list(splits)
    for difference in compared:
        for weight in sorted({abs(c) for m, c in difference.terms.items() if m and abs(c) > 1}, reverse=True):
            parts = {m: c // weight for m, c in difference.terms.items() if m and c % weight == 0}
            if len(parts) > 1:
                found.append(Poly(parts))
    return list(dict.fromkeys(f"(or (<= {t.text} (- 1)) (= {t.text} 0) (<= 1 {t.text}))" for t in found))


def factor_lemmas(polys: Iterable[Poly]) -> list[str]:
    """`A >= 0 and f >= 0 imply A*f >= 0` for the sums A by which a symbol f is multiplied, and differences of two.

    The same as product_lemmas where the other factor is a sum, as `m + 4*k + 3` in an unrolled loop, or the quotient
    by a multiple of f.
    """
    whole = _all(polys)
    quotients = [a for p in whole for m in p.terms for a in m if isinstance(a, QuotientAtom)]
    sums: dict[Atom, dict[Poly, None]] = {}
    for poly in (*whole, *(a.b * Poly.of(a) for a in quotients)):
        for f in dict.fromkeys(a for m in poly.terms if len(m) > 1 for a in m):
            sums.setdefault(f, {})[_cofactor(poly, f)] = None
    texts: dict[str, None] = {}
    for f, cofactors in sums.items():
        if all(len(c.terms) == 1 for c in cofactors):
            continue
        # As they stand: joined digits would bring in products that nothing else speaks of.
        differences = (plain_sum((x, 1), (y, -1)) for x, y in combinations(cofactors, 2))
        for a in (*cofactors, *differences):
            for less in (0, 1):
                for sign in (1, -1):
                    side = plain_sum((a, sign), (Poly.constant(less), -1))
                    if within(side, None, -1) or side.value is not None:
                        continue
                    texts[_product(side, _distance(f))] = None
    return list(texts)[:MAX_LEMMAS]


def _cofactor(poly: Poly, f: Atom) -> Poly:
    """What f is multiplied by, without common divisors, the sign turned so that the last term is positive."""
    found: dict[tuple[Atom, ...], int] = {}
    for monomial, coefficient in poly.terms.items():
        if f in monomial:
            rest = list(monomial)
            rest.remove(f)
            found[tuple(rest)] = coefficient
    common = gcd(*found.values())
    whole = Poly({m: c // common for m, c in found.items()})
    return -whole if list(whole.terms.values())[-1] < 0 else whole


def atom_lemmas(polys: Iterable[Poly]) -> list[str]:
    """Tautologies about quotients by symbols and about exclusive ors, where such atoms occur."""
    atoms = dict.fromkeys(a for poly in _all(polys) for m in poly.terms for a in m)
    found = [a.lemma for a in atoms if isinstance(a, QuotientAtom)]
    return [*found, *xor_lemmas([a for a in atoms if isinstance(a, BitAtom)])][:MAX_LEMMAS]


def _all(polys: Iterable[Poly]) -> list[Poly]:
    """The terms, and those inside their atoms; breadth first, each once."""
    found: dict[Poly, None] = dict.fromkeys(polys)
    work = list(found)
    for poly in work:
        for monomial in poly.terms:
            for atom in monomial:
                for part in atom.parts():
                    if part not in found:
                        found[part] = None
                        work.append(part)
    return work


def _distance(atom: Atom) -> Poly:
    """The atom less its low bound; itself where that is negative, since sizes are positive though their type is not."""
    return Poly.of(atom) - max(atom.interval[0] or 0, 0)


def _product(a: Poly, b: Poly) -> str:
    return f"(=> (and (>= {a.text} 0) (>= {b.text} 0)) (>= (* {a.text} {b.text}) 0))"
