"""One access of an arbitrary thread, made ready: symbols renamed, what the launch fixes put in, ranges narrowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from proofs.enumeration.ranges import narrowed
from proofs.problem import AXES, Problem
from proofs.query import Copy
from proofs.records import Access
from proofs.terms import LAUNCH, THREAD, Cond, Interval, ModAtom, Poly, Symbol, SymbolAtom, ge

CONTENT = "content"  # the kind of unknowns that stand for elements of memory
MARK = "!"  # ends the names of a thread's own symbols, whichever of the threads of a claim it is


@dataclass(frozen=True)
class Site:
    """An access with its address, the conditions under which it is made, and the ranges that follow from them.

    `excused`: terms in which two threads must differ to count as two; `ranges` is None if no thread makes the access.
    """

    key: tuple[str, ...]
    width: int
    address: Poly
    conditions: tuple[Cond, ...]
    excused: tuple[Poly, ...]
    ranges: Mapping[str, Interval] | None

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Those of the address and of what excuses."""
        return symbols_of((self.address, *self.excused))


def symbols_of(items: Iterable[Poly | Cond]) -> tuple[Symbol, ...]:
    """The symbols of several items, by name."""
    found = {s.name: s for item in items for s in item.symbols()}
    return tuple(found[name] for name in sorted(found))


def private(symbol: Symbol) -> bool:
    """Whether each thread has its own."""
    return symbol.name.endswith(MARK)


class Sites:
    """Makes the sites of one entry; the launch's clauses are prepared once."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.fixed = _fixed(problem)
        clauses = [c.substitute(self.fixed) for _, c in problem.domain]
        clauses += [c for s, term in self.fixed.items() for c in _limits(s, term)]
        self._own = [c for c in clauses if any(s.scope == THREAD for s in c.symbols())]
        self.launch = tuple(c for c in clauses if c not in self._own)
        self.ranges = self._launch_ranges()
        self._made: dict[tuple[str, ...], Site] = {}

    def threads(self) -> tuple[Symbol, ...]:
        """The marked symbols of the thread's number, x first; fewer where a size is 1."""
        found = [s for a in AXES for s in self.problem.specials[f"%tid.{a}"].symbols()]
        return tuple(s.renamed(s.name + MARK) for s in found)

    def _launch_ranges(self) -> dict[str, Interval] | None:
        """Ranges under what is known of the launch and of every thread; None if nothing can be launched."""
        mine = self.copied(Copy())
        return narrowed((*self.launch, *(self.hold(mine, c) for c in self._own)), {})

    @staticmethod
    def copied(copy: Copy, unstable: frozenset[Symbol] = frozenset()) -> Copy:
        """The copy with this module's mark. `unstable`: symbols of the block that may differ between the threads."""
        own = {s.name: Poly.symbol(s.renamed(s.name + MARK)) for s in unstable}
        return Copy(MARK, frozenset({THREAD}), {**copy.replaced, **own}, copy.rounds)

    def put(self, copy: Copy, item: Poly) -> Poly:
        """A term of a thread's own symbols."""
        return copy.poly(item).substitute(self.fixed)

    def hold(self, copy: Copy, item: Cond) -> Cond:
        """A condition of a thread's own symbols."""
        return copy.cond(item).substitute(self.fixed)

    def site(
        self, access: Access, copy: Copy, excused: tuple[Poly, ...] = (), assumed: tuple[Cond, ...] | None = None,
        unstable: frozenset[Symbol] = frozenset(), ranges: Mapping[str, Interval] | None = None,
    ) -> Site:
        """The site of an access. `assumed`: what holds of its thread, by default all that is known at the access.

        `ranges`: what else is known of symbols.
        """
        replaced = (f"{name}={term.text}" for name, term in sorted(copy.replaced.items()))
        given = () if assumed is None else ("assumed", *(c.text for c in assumed))
        known = (f"{name} in {bounds}" for name, bounds in sorted((ranges or {}).items()))
        said = (*sorted(copy.rounds), "|", *sorted(s.name for s in unstable), "|", *(e.text for e in excused))
        key = (access.id, *replaced, "|", *said, "|", *given, *known)
        if key not in self._made:
            mine = self.copied(copy, unstable)
            here = access.at.known() if assumed is None else assumed
            conditions = (*self.launch, *(self.hold(mine, c) for c in (*self._own, *here)))
            found = None
            if self.ranges is not None:
                found = narrowed(conditions[len(self.launch):], {**self.ranges, **(ranges or {})})
            terms = tuple(self.put(mine, e) for e in excused)
            self._made[key] = Site(key, access.width, self.put(mine, access.address), conditions, terms, found)
        return self._made[key]


def _fixed(problem: Problem) -> dict[Symbol, Poly]:
    """Symbols of the launch that its clauses give: multiples by their factor, sums by the other terms."""
    found: dict[Symbol, Poly] = {}
    for _, clause in problem.domain:
        term = clause.term
        if clause.op != "eq" or term is None:
            continue
        term = term.substitute(found)
        solved = _multiple(term) or _solved(term)
        if solved is None or solved[0] in found or solved[0] in solved[1].symbols():
            continue
        found = {s: t.substitute({solved[0]: solved[1]}) for s, t in found.items()} | {solved[0]: solved[1]}
    return found


def _limits(symbol: Symbol, term: Poly) -> list[Cond]:
    """What the symbol's range says of the term that stands for it."""
    low = [] if symbol.low is None else [ge(term - symbol.low)]
    return low if symbol.high is None else [*low, ge(-term + symbol.high)]


def _multiple(term: Poly) -> tuple[Symbol, Poly] | None:
    """`s mod c = 0`: s is c times some other number."""
    if len(term.terms) != 1:
        return None
    ((monomial, _),) = term.terms.items()
    atom = monomial[0] if len(monomial) == 1 else None
    if not isinstance(atom, ModAtom) or atom.a.degree != 1 or len(atom.a.terms) != 1:
        return None
    ((inner, coefficient),) = atom.a.terms.items()
    if coefficient != 1 or not isinstance(inner[0], SymbolAtom) or inner[0].symbol.scope != LAUNCH:
        return None
    s = inner[0].symbol
    low = None if s.low is None else -(-s.low // atom.c)
    high = None if s.high is None else s.high // atom.c
    quotient = Symbol(f"{s.name}/{atom.c}", s.kind, s.scope, low, high, s.line, "", s.loops)
    return s, Poly.symbol(quotient) * atom.c


def _solved(term: Poly) -> tuple[Symbol, Poly] | None:
    """`s = t` for a symbol of the launch that is no size of the block."""
    for monomial, coefficient in term.terms.items():
        atom = monomial[0] if len(monomial) == 1 else None
        if not isinstance(atom, SymbolAtom) or abs(coefficient) != 1:
            continue
        s = atom.symbol
        if s.scope == LAUNCH and s.kind == "parameter":
            rest = term - Poly.symbol(s) * coefficient
            return s, rest * -coefficient
    return None
