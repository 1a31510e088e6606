"""Conditions on terms, and the choice between two terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Any

from proofs.bits import BitAtom, same_bits
from proofs.polynomials import Atom, Poly, as_poly
from proofs.symbols import Bound, Interval, Symbol, quote


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
        return self is other or (isinstance(other, Cond) and self.text == other.text)

    def __repr__(self) -> str:
        return self.text

    def __getstate__(self) -> dict[str, Any]:
        """Without the copies that queries keep of it."""
        return {k: v for k, v in self.__dict__.items() if k != "copies"}

    def substitute(self, mapping: Mapping[Symbol, Poly]) -> Cond:
        """Replace symbols by terms; an opaque truth by another, whose symbol stands as a term in the mapping."""
        if self._symbols.isdisjoint(mapping):
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

    def evaluate(self, values: Mapping[str, int]) -> bool:
        """Whether it holds."""
        if self.op in ("true", "false"):
            return self.op == "true"
        if self.symbol is not None:
            return bool(values.get(self.symbol.name, 0))
        if self.term is not None:
            value = self.term.evaluate(values)
            return value >= 0 if self.op == "ge" else value == 0
        parts = [a.evaluate(values) for a in self.args]
        return {"and": all(parts), "or": any(parts), "not": not parts[0]}[self.op]

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
    factor = gcd(*(c for m, c in term.terms.items() if m))
    if factor > 1:
        if term.terms.get((), 0) % factor:
            return FALSE
        term = Poly({m: c // factor for m, c in term.terms.items()})
    equal = same_bits(term)
    if equal is not None:
        return eq(equal)
    if isinstance(term.atom, BitAtom) and term.atom.op == "or":
        return conj(eq(o) for o in term.atom.operands)
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
            if c.op == zero.op:
                return zero
            if c.op != unit.op:
                seen.setdefault(c)
    if not seen:
        return unit
    if len(seen) == 1:
        return next(iter(seen))
    return zero if any(negate(c) in seen for c in seen) else Cond(op, args=tuple(seen))


def conj(parts: Iterable[Cond]) -> Cond:
    return _collect("and", TRUE, FALSE, parts)


def disj(parts: Iterable[Cond]) -> Cond:
    return _collect("or", FALSE, TRUE, parts)


def implies(a: Cond, b: Cond) -> Cond:
    return disj((negate(a), b))


class IteAtom(Atom):
    __slots__ = ("a", "b", "condition")

    def __init__(self, condition: Cond, a: Poly, b: Poly) -> None:
        self.condition, self.a, self.b = condition, a, b
        self.text = f"(ite {condition.text} {a.text} {b.text})"
        (al, ah), (bl, bh) = _chosen(condition, a, b)
        low = None if al is None or bl is None else min(al, bl)
        self.interval = (low, None if ah is None or bh is None else max(ah, bh))

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return ite(self.condition.substitute(mapping), self.a.substitute(mapping), self.b.substitute(mapping))

    def symbols(self) -> frozenset[Symbol]:
        return self.condition.symbols() | self.a.symbols() | self.b.symbols()

    def value(self, values: Mapping[str, int]) -> int:
        return (self.a if self.condition.evaluate(values) else self.b).evaluate(values)

    def parts(self) -> tuple[Poly, ...]:
        return (self.a, self.b, *self.condition.polys())

    def over(self, c: int) -> Poly | None:
        if any(k % c for p in (self.a, self.b) for k in p.terms.values()):
            return None
        a, b = (Poly({m: k // c for m, k in p.terms.items()}) for p in (self.a, self.b))
        return ite(self.condition, a, b)


def _chosen(condition: Cond, a: Poly, b: Poly) -> tuple[Interval, Interval]:
    """Bounds of a where the condition holds and of b where it does not.

    They are narrower than those of a and b where the condition compares the two (minima and maxima) or one of them
    with a constant (absolute values, clamping).
    """
    (al, ah), (bl, bh) = a.interval, b.interval
    t = condition.term
    if condition.op != "ge" or t is None:
        return (al, ah), (bl, bh)
    if (k := (a - b + t).value) is not None:  # a <= b + k, or b <= a - k - 1
        ah, bh = _least(ah, bh, k), _least(bh, ah, -k - 1)
    if (k := (a - b - t).value) is not None:  # a >= b + k, or b >= a - k + 1
        al, bl = _most(al, bl, k), _most(bl, al, 1 - k)
    if (k := (a - t).value) is not None:
        al = _most(al, 0, k)
    if (k := (a + t).value) is not None:
        ah = _least(ah, 0, k)
    if (k := (b - t).value) is not None:
        bh = _least(bh, 0, k - 1)
    if (k := (b + t).value) is not None:
        bl = _most(bl, 0, k + 1)
    return (al, ah), (bl, bh)


def _least(bound: Bound, other: Bound, shift: int) -> Bound:
    return bound if other is None else other + shift if bound is None else min(bound, other + shift)


def _most(bound: Bound, other: Bound, shift: int) -> Bound:
    return bound if other is None else other + shift if bound is None else max(bound, other + shift)


def ite(condition: Cond, a: Poly, b: Poly) -> Poly:
    """a where the condition holds, else b."""
    if condition.op == "true" or a == b:
        return a
    if condition.op == "false":
        return b
    if condition.op == "eq" and _vanishes(a - b, condition):
        return b
    if condition.op == "not" and condition.args[0].op == "eq" and _vanishes(a - b, condition.args[0]):
        return a
    return Poly.of(IteAtom(condition, a, b))


def _vanishes(difference: Poly, zero: Cond) -> bool:
    """Whether a difference is a multiple of the one product of atoms that is zero: then no choice is left."""
    if zero.term is None or len(zero.term.terms) != 1:
        return False
    ((factor, _),) = zero.term.terms.items()
    return all(all(m.count(a) >= factor.count(a) for a in factor) for m in difference.terms)
