"""A query: hypotheses and a goal as SMT-LIB text. `unsat` means that the goal follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from proofs.contents import ContentAtom, contents_of, statements
from proofs.lemmas import lemmas
from proofs.terms import BLOCK, Cond, Poly, Symbol, integer, quote

_TOKEN = re.compile(r"\|[^|]*\||[A-Za-z_][\w.]*")


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

    @cached_property
    def _key(self) -> Hashable:
        replaced = tuple(sorted((name, term.text) for name, term in self.replaced.items()))
        return self.mark, self.scopes, self.rounds, replaced

    def _kept(self, item: Cond | Poly) -> dict[str, Any]:
        """What this copy of an item is, once found: the same accesses stand in many pairs."""
        copies: dict[Hashable, dict[str, Any]] = item.__dict__.setdefault("copies", {})
        return copies.setdefault(self._key, {})

    def text(self, item: Cond | Poly) -> str:
        """The item's text with symbols replaced; what substitution simplifies away must not stay in it undeclared."""
        kept = self._kept(item)
        if "text" not in kept:
            kept["text"] = self._text(item)
        text: str = kept["text"]
        return text

    def _text(self, item: Cond | Poly) -> str:
        terms = self.terms(item.symbols())
        if "[" in item.text:  # an element of memory, whose name holds the names of other unknowns
            return item.substitute(terms).text
        done: Cond | Poly = item.substitute(terms)
        wanted = {s for symbol in item.symbols() for s in (terms[symbol].symbols() if symbol in terms else (symbol,))}
        return rename_text(item.text, self.spelling(item.symbols())) if wanted <= done.symbols() else done.text

    def cond(self, item: Cond) -> Cond:
        kept = self._kept(item)
        if "item" not in kept:
            kept["item"] = item.substitute(self.terms(item.symbols()))
        found: Cond = kept["item"]
        return found

    def hypothesis(self, label: str, item: Cond) -> Hypothesis:
        """The item as an assumption about this thread; many claims share those of the launch and of an access."""
        if not self.scopes and not self.replaced:
            return Hypothesis(label, item.text, item)
        found = self._said.get((label, id(item)))
        if found is None:
            found = self._said[label, id(item)] = Hypothesis(label, self.text(item), self.cond(item), item)
        return found

    def poly(self, item: Poly) -> Poly:
        kept = self._kept(item)
        if "item" not in kept:
            kept["item"] = item.substitute(self.terms(item.symbols()))
        found: Poly = kept["item"]
        return found


ONE = Copy()


@dataclass(frozen=True)
class Hypothesis:
    """An assumption: its label (domain, control, fact, lemma, ...), its text, and its condition for finding lemmas."""

    label: str
    text: str
    cond: Cond
    said: Cond | None = None  # what it is a copy of


@dataclass(frozen=True)
class Statement:
    """What a query is made of: hypotheses, the terms and conditions of the goal, already renamed, and hints.

    Args:
        compared: differences whose sign matters.
        splits: terms that are compared with 0.
        aim: the goal as a condition, or one from which it follows; None where there is only the text.
    """

    hypotheses: Sequence[Hypothesis]
    goal_items: Sequence[Cond | Poly]
    extra_symbols: Sequence[Symbol] = ()
    compared: Sequence[Poly] = ()
    splits: Sequence[Poly] = ()
    aim: Cond | None = None


@dataclass(frozen=True)
class Query:
    """One claim as text, put together when it is first looked at: of many pairs most are settled without a solver.

    Args:
        more: assertions added to those of the statement, each with its label.
    """

    name: str
    comment: tuple[str, ...]
    goal: str
    statement: Statement | None
    more: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _made(self) -> tuple[tuple[Symbol, ...], tuple[tuple[str, str], ...], tuple[ContentAtom, ...]]:
        assert self.statement is not None
        return _assemble(self.statement)

    def __getstate__(self) -> dict[str, Any]:
        """To another process goes the text, not the terms it is made of."""
        return {**self.__dict__, "_made": self._made, "statement": None}

    def with_more(self, more: tuple[tuple[str, str], ...]) -> Query:
        """The query with assertions added. What was put together is kept: in another process only that is left."""
        found = replace(self, more=(*self.more, *more))
        found.__dict__["_made"] = self._made
        return found

    def restricted(self, wanted: Callable[[Cond], bool]) -> Query:
        """The query with only some of its hypotheses, before it was put together."""
        assert self.statement is not None
        kept = [h for h in self.statement.hypotheses if wanted(h.cond)]
        return replace(self, statement=replace(self.statement, hypotheses=kept))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return self._made[0]

    @property
    def assertions(self) -> tuple[tuple[str, str], ...]:
        return (*self._made[1], *self.more)

    @property
    def contents(self) -> tuple[ContentAtom, ...]:
        """The elements of memory that it speaks of."""
        return self._made[2]

    @property
    def size(self) -> int:
        """About how many characters it has, lemmas left out."""
        return len(self.goal) + sum(len(h.text) for h in (self.statement.hypotheses if self.statement else ()))

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
    aim: Cond | None = None,
) -> Query:
    """The query of a goal's text; the other arguments are those of Statement."""
    if aim is None and len(goal_items) == 1 and isinstance(only := goal_items[0], Cond) and only.text == goal:
        aim = only
    return Query(name, tuple(comment), goal, Statement(hypotheses, goal_items, extra_symbols, compared, splits, aim))


def _assemble(
    of: Statement,
) -> tuple[tuple[Symbol, ...], tuple[tuple[str, str], ...], tuple[ContentAtom, ...]]:
    """Declare, bound and number everything; add the products a linear reasoner lacks, and case splits."""
    seen: dict[str, str] = {}
    kept: list[Hypothesis] = []
    for h in of.hypotheses:
        if h.text != "true" and h.text not in seen:
            seen[h.text] = h.label
            kept.append(h)
    contents = contents_of([*(h.cond for h in kept), *of.goal_items])
    kept += [Hypothesis("content", c.text, c) for c in statements(contents)]
    symbols: dict[str, Symbol] = {}
    for item in (*(h.cond for h in kept), *of.goal_items):
        for symbol in sorted(item.symbols(), key=lambda s: s.name):
            symbols.setdefault(symbol.name, symbol)
    for symbol in (*(c.symbol for c in contents), *of.extra_symbols):
        symbols.setdefault(symbol.name, symbol)
    assertions = [("range", text) for s in symbols.values() if s.kind != "boolean" and (text := range_text(s))]
    assertions += [(h.label, h.text) for h in kept]
    goals = [p for item in of.goal_items for p in ([item] if isinstance(item, Poly) else item.polys())]
    assertions += [("lemma", text) for text in lemmas([h.cond for h in kept], goals, of.compared, of.splits)]
    counts: dict[str, int] = {}
    numbered = []
    for label, text in assertions:
        counts[label] = counts.get(label, 0) + 1
        numbered.append((f"{label}.{counts[label]}", text))
    return tuple(symbols.values()), tuple(numbered), contents
