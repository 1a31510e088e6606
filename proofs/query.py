"""A query: hypotheses and a goal as SMT-LIB text. `unsat` means that the goal follows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import gcd

from proofs.bits import BitAtom, xor_lemmas
from proofs.contents import ContentAtom, contents_of, statements
from proofs.polynomials import plain_sum
from proofs.terms import BLOCK, Atom, Cond, Poly, QuotientAtom, Symbol, integer, quote

_TOKEN = re.compile(r"\|[^|]*\||[A-Za-z_][\w.]*")
MAX_LEMMAS = 40


def rename_text(text: str, mapping: Mapping[str, str]) -> str:
    """Replace symbols of an SMT-LIB text; keys and values as they are spelled there."""
    return _TOKEN.sub(lambda m: mapping.get(m.group(), m.group()), text)


@dataclass(frozen=True)
class Copy:
    """How one thread's symbols are spelled in a query of two threads: a mark for some scopes, terms for some names.

    `rounds`: loops of which both threads, of one block, are in the same round. What is uniform there has no mark.
    """

    mark: str = ""
    scopes: frozenset[str] = frozenset()
    replaced: Mapping[str, Poly] = field(default_factory=dict)
    rounds: frozenset[str] = frozenset()
    _said: dict[tuple[str, int], Hypothesis] = field(default_factory=dict, compare=False, repr=False)

    def _marks(self, symbol: Symbol) -> bool:
        shared = symbol.uniform and BLOCK not in self.scopes and symbol.loops <= self.rounds
        return symbol.scope in self.scopes and not shared

    def spelling(self, symbols: Iterable[Symbol]) -> dict[str, str]:
        """Symbol text in the records to text in the query."""
        mapping = {}
        for symbol in symbols:
            if symbol.name in self.replaced:
                mapping[quote(symbol.name)] = self.replaced[symbol.name].text
            elif self._marks(symbol):
                mapping[quote(symbol.name)] = quote(symbol.name + self.mark)
        return mapping

    def terms(self, symbols: Iterable[Symbol]) -> dict[Symbol, Poly]:
        """The same as a substitution of terms."""
        mapping = {}
        for symbol in symbols:
            if symbol.name in self.replaced:
                mapping[symbol] = self.replaced[symbol.name]
            elif self._marks(symbol):
                mapping[symbol] = Poly.symbol(symbol.renamed(symbol.name + self.mark))
        return mapping

    def text(self, item: Cond | Poly) -> str:
        """The item's text with symbols replaced; what substitution simplifies away must not stay in it undeclared."""
        terms = self.terms(item.symbols())
        if "[" in item.text:  # an element of memory, whose name holds the names of other unknowns
            return item.substitute(terms).text
        done: Cond | Poly = item.substitute(terms)
        wanted = {s for symbol in item.symbols() for s in (terms[symbol].symbols() if symbol in terms else (symbol,))}
        return rename_text(item.text, self.spelling(item.symbols())) if wanted <= done.symbols() else done.text

    def cond(self, item: Cond) -> Cond:
        return item.substitute(self.terms(item.symbols()))

    def hypothesis(self, label: str, item: Cond) -> Hypothesis:
        """The item as an assumption about this thread; many claims share those of the launch and of an access."""
        if not self.scopes and not self.replaced:
            return Hypothesis(label, item.text, item)
        found = self._said.get((label, id(item)))
        if found is None:
            found = self._said[label, id(item)] = Hypothesis(label, self.text(item), self.cond(item), item)
        return found

    def poly(self, item: Poly) -> Poly:
        return item.substitute(self.terms(item.symbols()))


ONE = Copy()


@dataclass(frozen=True)
class Hypothesis:
    """An assumption: its label (domain, control, fact, lemma, ...), its text, and its condition for finding lemmas."""

    label: str
    text: str
    cond: Cond
    said: Cond | None = None  # what it is a copy of


@dataclass(frozen=True)
class Query:
    """One claim as text; `contents` are the elements of memory that it speaks of."""

    name: str
    comment: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    assertions: tuple[tuple[str, str], ...]
    goal: str
    contents: tuple[ContentAtom, ...] = ()

    @property
    def text(self) -> str:
        """The SMT-LIB file."""
        lines = [f"; {line}" for line in self.comment]
        lines.append("(set-logic QF_NIA)")
        for symbol in self.symbols:
            sort = "Bool" if symbol.kind == "boolean" else "Int"
            lines.append(f"(declare-const {quote(symbol.name)} {sort})")
        lines += [f"(assert (! {text} :named {label}))" for label, text in self.assertions]
        lines.append(f"(assert (! (not {self.goal}) :named goal))")
        return "\n".join([*lines, "(check-sat)", ""])


def range_text(symbol: Symbol) -> str:
    """The interval of a symbol, or '' if it has none."""
    name, parts = quote(symbol.name), []
    if symbol.low is not None:
        parts.append(f"(<= {integer(symbol.low)} {name})")
    if symbol.high is not None:
        parts.append(f"(<= {name} {integer(symbol.high)})")
    return parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})" if parts else ""


def build(
    name: str, comment: Sequence[str], hypotheses: Sequence[Hypothesis], goal: str, goal_items: Sequence[Cond | Poly],
    extra_symbols: Sequence[Symbol] = (), compared: Sequence[Poly] = (), splits: Sequence[Poly] = (),
) -> Query:
    """Declare, bound and number everything; add the products a linear reasoner lacks, and case splits.

    `goal_items` are the terms and conditions the goal's text is made of, already renamed; `compared` are differences
    whose sign matters, `splits` terms that are compared with 0.
    """
    seen: dict[str, str] = {}
    kept: list[Hypothesis] = []
    for h in hypotheses:
        if h.text != "true" and h.text not in seen:
            seen[h.text] = h.label
            kept.append(h)
    contents = contents_of([*(h.cond for h in kept), *goal_items])
    kept += [Hypothesis("content", c.text, c) for c in statements(contents)]
    symbols: dict[str, Symbol] = {}
    for item in (*(h.cond for h in kept), *goal_items):
        for symbol in sorted(item.symbols(), key=lambda s: s.name):
            symbols.setdefault(symbol.name, symbol)
    for symbol in (*(c.symbol for c in contents), *extra_symbols):
        symbols.setdefault(symbol.name, symbol)
    assertions = [("range", text) for s in symbols.values() if s.kind != "boolean" and (text := range_text(s))]
    assertions += [(h.label, h.text) for h in kept]
    polys = [p for h in kept for p in h.cond.polys()]
    for item in goal_items:
        polys += [item] if isinstance(item, Poly) else list(item.polys())
    lemmas = (
        *split_lemmas(compared, splits), *product_lemmas(polys), *factor_lemmas([*compared, *polys]),
        *atom_lemmas(polys),
    )
    assertions += [("lemma", text) for text in lemmas]
    counts: dict[str, int] = {}
    numbered = []
    for label, text in assertions:
        counts[label] = counts.get(label, 0) + 1
        numbered.append((f"{label}.{counts[label]}", text))
    return Query(name, tuple(comment), tuple(symbols.values()), tuple(numbered), goal, contents)


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
                    if side.interval != (0, None) and side.value is None:
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
