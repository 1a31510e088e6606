"""A query file: declarations, named assertions, one of them the negated goal, and `(check-sat)`. Nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.canonical import Condition as Form
from verifier.canonical import canonical, polynomial
from verifier.conditions import Condition
from verifier.findings import Unreadable
from verifier.sexpr import SExpr, read_all
from verifier.terms import Term, arguments, conjuncts, names, show, term_of

LOGICS = ("QF_NIA", "QF_LIA")


@dataclass(frozen=True)
class Query:
    """What a file asks: symbols with their sorts, assertions by name in order, and the goal (not negated)."""

    symbols: dict[str, str]
    assertions: tuple[tuple[str, Term], ...]
    goal: Term | None

    @property
    def booleans(self) -> frozenset[str]:
        return frozenset(name for name, sort in self.symbols.items() if sort == "Bool")

    @property
    def all(self) -> list[Term]:
        """Everything that is asserted."""
        negated: list[Term] = [] if self.goal is None else [("not", self.goal)]
        return [term for _, term in self.assertions] + negated


def read_query(text: str, file: str) -> Query:
    """The query; Unreadable for commands, names or shapes outside the format."""
    commands = read_all(text, file)
    if not commands or commands[0] not in [("set-logic", logic) for logic in LOGICS]:
        raise Unreadable(f"{file}: begins with something else than (set-logic {LOGICS[0]})")
    if commands[-1] != ("check-sat",):
        raise Unreadable(f"{file}: does not end with (check-sat)")
    symbols: dict[str, str] = {}
    assertions: list[tuple[str, Term]] = []
    goal: Term | None = None
    seen: set[str] = set()
    for command in commands[1:-1]:
        match command:
            case ("declare-const", str(name), str(sort)) if sort in ("Int", "Bool") and name not in symbols:
                symbols[name] = sort
            case ("assert", ("!", body, ":named", str(label))) if label not in seen:
                seen.add(label)
                term = _term(body, symbols, file)
                if label != "goal":
                    assertions.append((label, term))
                elif isinstance(term, tuple) and term[0] == "not":
                    goal = arguments(term)[0]
                else:
                    raise Unreadable(f"{file}: the goal is not negated")
            case _:
                raise Unreadable(f"{file}: command not understood: {show(command)[:100]}")
    return Query(symbols, tuple(assertions), goal)


def _term(body: SExpr, symbols: dict[str, str], file: str) -> Term:
    term = term_of(body, file)
    for name in names(term):
        if name not in symbols:
            raise Unreadable(f"{file}: {name} is not declared")
    return term


def forms(terms: tuple[Term, ...]) -> set[Form]:
    """The normal forms of the conjuncts of some conditions."""
    return {canonical(part) for term in terms for part in conjuncts(term)}


def unexpected(query: Query, condition: Condition) -> list[tuple[str, Term]]:
    """Assertions that are neither among what may be assumed nor tautologies of the two known shapes."""
    allowed = forms(condition.allowed)
    found = []
    for label, term in query.assertions:
        parts = [p for p in conjuncts(term) if canonical(p) not in allowed and canonical(p) != ("true",)]
        if parts and not is_lemma(term):
            found.append((label, term))
    return found


def wrong_symbols(query: Query, condition: Condition) -> list[str]:
    """Symbols that the claim does not have, or not of this sort."""
    return [name for name, sort in query.symbols.items() if condition.symbols.get(name) != sort]


def is_lemma(term: Term) -> bool:
    """Whether this is one of the tautologies over the integers that queries may carry."""
    match term:
        case ("=>", ("and", (">=", a, 0), (">=", b, 0)), (">=", product, 0)):
            return polynomial(product) == polynomial(("*", a, b))
        case ("=>", ("=", ("mod", s, int(c)), 0), ("=", product, scaled)) if c > 0 and isinstance(product, tuple):
            return product[0] == "*" and any(
                polynomial(product) == polynomial(("*", m, s))
                and polynomial(scaled) == polynomial(("*", c, m, ("div", s, c)))
                for m in product[1:]
                if not isinstance(m, str)
            )
        case ("or", below, ("=", p, 0), above):
            return {canonical(below), canonical(above)} == {canonical(("<", p, 0)), canonical(("<", 0, p))}
    return False
