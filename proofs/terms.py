"""Integer terms and conditions: canonical polynomials over atoms, with intervals.

A term is immutable and equal to another iff they are the same polynomial over the same atoms; an atom is identified by
its SMT-LIB text. No table is shared between kernels: everything a term knows, it carries.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

Bound = int | None
Interval = tuple[Bound, Bound]

LAUNCH, BLOCK, THREAD = "launch", "block", "thread"


@dataclass(frozen=True)
class Symbol:
    """A named unknown. `scope`: one for all (launch), per block, or per thread; `loops`: the loops that redefine it."""

    name: str
    kind: str = field(compare=False)
    scope: str = field(compare=False)
    low: Bound = field(compare=False)
    high: Bound = field(compare=False)
    line: int = field(default=0, compare=False)
    definition: str = field(default="", compare=False)
    loops: frozenset[str] = field(default=frozenset(), compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def renamed(self, name: str) -> Symbol:
        return Symbol(name, self.kind, self.scope, self.low, self.high, self.line, self.definition, self.loops)


class Atom(ABC):
    """A factor of a monomial. Subclasses say what it is; `text` is its SMT-LIB form and its identity."""

    __slots__ = ("interval", "text")
    text: str
    interval: Interval

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.text == other.text

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


class SymbolAtom(Atom):
    __slots__ = ("symbol",)

    def __init__(self, symbol: Symbol) -> None:
        self.symbol, self.text, self.interval = symbol, quote(symbol.name), (symbol.low, symbol.high)

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return mapping.get(self.symbol) or Poly.of(self)

    def symbols(self) -> frozenset[Symbol]:
        return frozenset({self.symbol})


class DivAtom(Atom):
    """floor(a / c) for a constant c > 0."""

    __slots__ = ("a", "c")

    def __init__(self, a: Poly, c: int) -> None:
        low, high = a.interval
        self.a, self.c, self.text = a, c, f"(div {a.text} {c})"
        self.interval = (None if low is None else low // c, None if high is None else high // c)

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return divide(self.a.substitute(mapping), self.c)

    def symbols(self) -> frozenset[Symbol]:
        return self.a.symbols()


class ModAtom(Atom):
    """a - c * floor(a / c) for a constant c > 0."""

    __slots__ = ("a", "c")

    def __init__(self, a: Poly, c: int) -> None:
        self.a, self.c, self.text, self.interval = a, c, f"(mod {a.text} {c})", (0, c - 1)

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return modulo(self.a.substitute(mapping), self.c)

    def symbols(self) -> frozenset[Symbol]:
        return self.a.symbols()


class IteAtom(Atom):
    __slots__ = ("a", "b", "condition")

    def __init__(self, condition: Cond, a: Poly, b: Poly) -> None:
        self.condition, self.a, self.b = condition, a, b
        self.text = f"(ite {condition.text} {a.text} {b.text})"
        (al, ah), (bl, bh) = a.interval, b.interval
        low = None if al is None or bl is None else min(al, bl)
        self.interval = (low, None if ah is None or bh is None else max(ah, bh))

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return ite(self.condition.substitute(mapping), self.a.substitute(mapping), self.b.substitute(mapping))

    def symbols(self) -> frozenset[Symbol]:
        return self.condition.symbols() | self.a.symbols() | self.b.symbols()


Monomial = tuple[Atom, ...]


def quote(name: str) -> str:
    """An SMT-LIB symbol for a name of ours."""
    plain = name.replace("_", "a").replace(".", "a")
    return name if plain.isalnum() and not name[0].isdigit() else f"|{name}|"


class Poly:
    """A polynomial with integer coefficients over atoms; the empty monomial is the constant."""

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms: dict[Monomial, int] = {
            m: c for m, c in sorted(terms.items(), key=lambda t: (len(t[0]), [a.text for a in t[0]])) if c
        }

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
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text

    def __add__(self, other: Poly | int) -> Poly:
        terms = dict(self.terms)
        for monomial, coefficient in as_poly(other).terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Poly(terms)

    def __neg__(self) -> Poly:
        return Poly({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly | int) -> Poly:
        return self + (-as_poly(other))

    def __mul__(self, other: Poly | int) -> Poly:
        terms: dict[Monomial, int] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in as_poly(other).terms.items():
                monomial = tuple(sorted(m1 + m2, key=lambda a: a.text))
                terms[monomial] = terms.get(monomial, 0) + c1 * c2
        return Poly(terms)

    @property
    def value(self) -> int | None:
        """The constant this is, if it is one."""
        if not self.terms:
            return 0
        return self.terms[()] if len(self.terms) == 1 and () in self.terms else None

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
        if not mapping or not (self.symbols() & mapping.keys()):
            return self
        total = Poly({})
        for monomial, coefficient in self.terms.items():
            product = Poly.constant(coefficient)
            for atom in monomial:
                product = product * atom.rebuild(mapping)
            total = total + product
        return total

    @cached_property
    def _symbols(self) -> frozenset[Symbol]:
        return frozenset(s for m in self.terms for a in m for s in a.symbols())

    def symbols(self) -> frozenset[Symbol]:
        return self._symbols

    def atoms(self) -> frozenset[Atom]:
        return frozenset(a for m in self.terms for a in m)


def as_poly(value: Poly | int) -> Poly:
    return Poly.constant(value) if isinstance(value, int) else value


def integer(value: int) -> str:
    """SMT-LIB text of an integer."""
    return str(value) if value >= 0 else f"(- {-value})"


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


def within(term: Poly, low: Bound, high: Bound) -> bool:
    """Whether the interval of the term alone shows low <= term <= high."""
    least, most = term.interval
    return (low is None or (least is not None and least >= low)) and (
        high is None or (most is not None and most <= high)
    )


def _parts(a: Poly, c: int) -> tuple[Poly, Poly]:
    """a = c*quotient + rest with small coefficients in rest."""
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for monomial, coefficient in a.terms.items():
        q = coefficient // c if not monomial or coefficient > 0 else -(-coefficient // c)
        quotient[monomial] = q
        rest[monomial] = coefficient - q * c
    return Poly(quotient), Poly(rest)


def divide(a: Poly, c: int) -> Poly:
    """floor(a / c), c > 0."""
    if c == 1:
        return a
    quotient, rest = _parts(a, c)
    if within(rest, 0, c - 1):
        return quotient
    if rest.value is not None:
        return quotient + rest.value // c
    if len(rest.terms) == 1:
        ((monomial, coefficient),) = rest.terms.items()
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], DivAtom):
            inner = monomial[0]
            return quotient + divide(inner.a, inner.c * c)
    return quotient + Poly.of(DivAtom(rest, c))


def modulo(a: Poly, c: int) -> Poly:
    """a mod c, in [0, c), c > 0."""
    if c == 1:
        return Poly({})
    _, rest = _parts(a, c)
    if within(rest, 0, c - 1):
        return rest
    if rest.value is not None:
        return Poly.constant(rest.value % c)
    if len(rest.terms) == 1:
        ((monomial, coefficient),) = rest.terms.items()
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], ModAtom) and monomial[0].c % c == 0:
            return modulo(monomial[0].a, c)
    return Poly.of(ModAtom(rest, c))


# --- conditions -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cond:
    """A condition. op: true, false, ge (term >= 0), eq (term == 0), and, or, not, bool (an opaque symbol)."""

    op: str
    term: Poly | None = None
    args: tuple[Cond, ...] = ()
    symbol: Symbol | None = None

    @cached_property
    def text(self) -> str:
        """SMT-LIB text."""
        if self.op in ("true", "false"):
            return self.op
        if self.symbol is not None:
            return quote(self.symbol.name)
        if self.term is not None:
            return _comparison_text(self.op, self.term)
        return f"({self.op} {' '.join(a.text for a in self.args)})"

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cond) and self.text == other.text

    def __repr__(self) -> str:
        return self.text

    def substitute(self, mapping: Mapping[Symbol, Poly]) -> Cond:
        """Replace symbols by terms; an opaque truth by another, whose symbol stands as a term in the mapping."""
        if not (self.symbols() & mapping.keys()):
            return self
        if self.symbol is not None:
            (other,) = mapping[self.symbol].symbols()
            return opaque_truth(other)
        if self.term is not None:
            term = self.term.substitute(mapping)
            return ge(term) if self.op == "ge" else eq(term)
        if not self.args:
            return self
        args = [a.substitute(mapping) for a in self.args]
        return {"and": conj, "or": disj}[self.op](args) if self.op != "not" else negate(args[0])

    @cached_property
    def _symbols(self) -> frozenset[Symbol]:
        if self.symbol is not None:
            return frozenset({self.symbol})
        if self.term is not None:
            return self.term.symbols()
        return frozenset(s for a in self.args for s in a.symbols())

    @cached_property
    def negated(self) -> Cond:
        """What holds where this does not; kept, since joins of paths ask for it again and again."""
        return _negation(self)

    def symbols(self) -> frozenset[Symbol]:
        return self._symbols

    def polys(self) -> Iterable[Poly]:
        """The terms compared, of all parts."""
        if self.term is not None:
            yield self.term
        for a in self.args:
            yield from a.polys()


def _comparison_text(op: str, term: Poly) -> str:
    """`term >= 0` with the negative part on the other side, as a person would write it."""
    left = Poly({m: c for m, c in term.terms.items() if c > 0})
    right = Poly({m: -c for m, c in term.terms.items() if c < 0})
    return f"({'<=' if op == 'ge' else '='} {right.text} {left.text})"


TRUE, FALSE = Cond("true"), Cond("false")


def truth(value: bool) -> Cond:
    return TRUE if value else FALSE


def opaque_truth(symbol: Symbol) -> Cond:
    return Cond("bool", symbol=symbol)


def ge(term: Poly) -> Cond:
    """term >= 0."""
    low, high = term.interval
    if low is not None and low >= 0:
        return TRUE
    if high is not None and high < 0:
        return FALSE
    return Cond("ge", term)


def eq(term: Poly) -> Cond:
    """term == 0."""
    if term.value is not None:
        return truth(term.value == 0)
    low, high = term.interval
    if (low is not None and low > 0) or (high is not None and high < 0):
        return FALSE
    first = next(iter(term.terms.values()))
    return Cond("eq", -term if first < 0 else term)


def le(a: Poly | int, b: Poly | int) -> Cond:
    return ge(as_poly(b) - a)


def lt(a: Poly | int, b: Poly | int) -> Cond:
    return ge(as_poly(b) - a - 1)


def same(a: Poly | int, b: Poly | int) -> Cond:
    return eq(as_poly(a) - b)


def negate(c: Cond) -> Cond:
    return c.negated


def _negation(c: Cond) -> Cond:
    if c.op in ("true", "false"):
        return truth(c.op == "false")
    if c.op == "not":
        return c.args[0]
    if c.op == "ge" and c.term is not None:
        return ge(-c.term - 1)
    if c.op == "and":
        return disj(negate(a) for a in c.args)
    if c.op == "or":
        return conj(negate(a) for a in c.args)
    return Cond("not", args=(c,))


def _collect(op: str, unit: Cond, zero: Cond, parts: Iterable[Cond]) -> Cond:
    seen: dict[Cond, None] = {}
    for part in parts:
        for c in part.args if part.op == op else (part,):
            if c == zero:
                return zero
            if c != unit:
                seen.setdefault(c)
    if any(negate(c) in seen for c in seen):
        return zero
    if not seen:
        return unit
    return next(iter(seen)) if len(seen) == 1 else Cond(op, args=tuple(seen))


def conj(parts: Iterable[Cond]) -> Cond:
    return _collect("and", TRUE, FALSE, parts)


def disj(parts: Iterable[Cond]) -> Cond:
    return _collect("or", FALSE, TRUE, parts)


def implies(a: Cond, b: Cond) -> Cond:
    return disj((negate(a), b))


def ite(condition: Cond, a: Poly, b: Poly) -> Poly:
    """a where the condition holds, else b."""
    if condition.op == "true" or a == b:
        return a
    if condition.op == "false":
        return b
    return Poly.of(IteAtom(condition, a, b))


def marked(mark: str, scopes: frozenset[str], symbols: Iterable[Symbol]) -> dict[Symbol, Poly]:
    """A substitution that gives every symbol of these scopes a mark: the same unknown of another thread or block."""
    return {s: Poly.symbol(s.renamed(s.name + mark)) for s in symbols if s.scope in scopes}
