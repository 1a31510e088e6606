"""A query: hypotheses and a goal as SMT-LIB text. `unsat` means that the goal follows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from proofs.terms import BLOCK, Atom, Cond, Poly, Symbol, SymbolAtom, integer, quote

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
        done: Cond | Poly = item.substitute(terms)
        wanted = {s for symbol in item.symbols() for s in (terms[symbol].symbols() if symbol in terms else (symbol,))}
        return rename_text(item.text, self.spelling(item.symbols())) if wanted <= done.symbols() else done.text

    def cond(self, item: Cond) -> Cond:
        return item.substitute(self.terms(item.symbols()))

    def poly(self, item: Poly) -> Poly:
        return item.substitute(self.terms(item.symbols()))


ONE = Copy()


@dataclass(frozen=True)
class Hypothesis:
    """An assumption: its label (domain, control, fact, lemma, ...), its text, and its condition for finding lemmas."""

    label: str
    text: str
    cond: Cond


@dataclass(frozen=True)
class Query:
    """One claim as text."""

    name: str
    comment: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    assertions: tuple[tuple[str, str], ...]
    goal: str

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
    symbols: dict[str, Symbol] = {}
    for item in (*(h.cond for h in kept), *goal_items):
        for symbol in sorted(item.symbols(), key=lambda s: s.name):
            symbols.setdefault(symbol.name, symbol)
    for symbol in extra_symbols:
        symbols.setdefault(symbol.name, symbol)
    assertions = [("range", text) for s in symbols.values() if s.kind != "boolean" and (text := range_text(s))]
    assertions += [(h.label, h.text) for h in kept]
    polys = [p for h in kept for p in h.cond.polys()]
    for item in goal_items:
        polys += [item] if isinstance(item, Poly) else list(item.polys())
    assertions += [("lemma", text) for text in (*split_lemmas(compared, splits), *product_lemmas(polys))]
    counts: dict[str, int] = {}
    numbered = []
    for label, text in assertions:
        counts[label] = counts.get(label, 0) + 1
        numbered.append((f"{label}.{counts[label]}", text))
    return Query(name, tuple(comment), tuple(symbols.values()), tuple(numbered), goal)


def product_lemmas(polys: Iterable[Poly]) -> list[str]:
    """Tautologies `A >= 0 and B >= 0 imply A*B >= 0` for the products that occur.

    For each product a*b: the distances of a and b from their low bounds; for two products that share a factor, the
    differences of the other factors, which is what decides the order of a*b and c*b.
    """
    monomials: dict[tuple[Atom, Atom], None] = {}
    work = list(polys)
    while work:
        poly = work.pop(0)
        for monomial in poly.terms:
            if len(monomial) == 2:
                monomials[(monomial[0], monomial[1])] = None
            for atom in monomial:
                if not isinstance(atom, SymbolAtom):
                    work += _inside(atom)
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


def _inside(atom: Atom) -> list[Poly]:
    found = [p for p in (getattr(atom, "a", None), getattr(atom, "b", None)) if isinstance(p, Poly)]
    condition = getattr(atom, "condition", None)
    return found + (list(condition.polys()) if isinstance(condition, Cond) else [])


def _distance(atom: Atom) -> Poly:
    low = atom.interval[0]
    return Poly.of(atom) - (low or 0)


def _product(a: Poly, b: Poly) -> str:
    return f"(=> (and (>= {a.text} 0) (>= {b.text} 0)) (>= (* {a.text} {b.text}) 0))"
