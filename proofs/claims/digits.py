"""Coordinates as sums of digits: `offset + 8*thread + 4096*block + ...`, each weight a multiple of the one before.

Every number from `offset` on has such digits, so a claim may introduce them for an element and read off who writes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from proofs.terms import (
    LAUNCH,
    TRUE,
    Atom,
    Cond,
    DivAtom,
    IteAtom,
    ModAtom,
    Poly,
    Symbol,
    SymbolAtom,
    conj,
    disj,
    ge,
    le,
    lt,
    negate,
    same,
)


@dataclass(frozen=True)
class Digit:
    """A digit of a coordinate: the symbol it stands for, its weight, the number of values (None: unbounded)."""

    symbol: Symbol
    weight: Poly
    radix: Poly | None


@dataclass(frozen=True)
class Coordinate:
    """offset + sign * (sum of digit * weight), the smallest weight first."""

    digits: tuple[Digit, ...]
    offset: Poly
    sign: int = 1

    def above(self, value: Poly) -> Poly:
        """What the digits must add up to for the coordinate to be `value`."""
        return (value - self.offset) * self.sign

    @property
    def text(self) -> str:
        digits = [f"{d.symbol.name}*{d.weight.text}%{d.radix.text if d.radix else ''}" for d in self.digits]
        return " ".join([*digits, self.offset.text, str(self.sign)])


def coordinate(term: Poly, free: Mapping[str, Symbol]) -> Coordinate | None:
    """A term as a sum of digits of the free symbols; None if it is not of that form."""
    weights: dict[str, Poly] = {}
    offset = Poly({})
    for monomial, coefficient in term.terms.items():
        mine = [a for a in monomial if isinstance(a, SymbolAtom) and a.symbol.name in free]
        others = tuple(a for a in monomial if a not in mine)
        if any(s.name in free for a in others for s in a.symbols()) or len(mine) > 1:
            return None
        if not mine:
            offset = offset + Poly({monomial: coefficient})
            continue
        name = mine[0].symbol.name
        weights[name] = weights.get(name, Poly({})) + Poly({others: coefficient})
    if any(len(w.terms) != 1 for w in weights.values()):
        return None
    falls = {next(iter(w.terms.values())) < 0 for w in weights.values()}
    if len(falls) > 1:
        return None
    sign = -1 if True in falls else 1
    ordered = sorted(((n, w * sign) for n, w in weights.items()), key=lambda item: _size(item[1]))
    found: list[Digit] = []
    for i, (name, weight) in enumerate(ordered):
        radix = None
        if i + 1 < len(ordered):
            radix = _quotient(ordered[i + 1][1], weight)
            if radix is None or (radix.interval[0] or 0) < 1:
                return None
        found.append(Digit(free[name], weight, radix))
    return Coordinate(tuple(found), offset, sign)


def _size(weight: Poly) -> tuple[int, int]:
    return weight.degree, next(iter(weight.terms.values()))


def _quotient(a: Poly, b: Poly) -> Poly | None:
    ((m, c),), ((n, d),) = a.terms.items(), b.terms.items()
    rest: list[Atom] = list(m)
    for atom in n:
        if atom not in rest:
            return None
        rest.remove(atom)
    return Poly({tuple(rest): c // d}) if c % d == 0 else None


def fresh(name: str, low: int | None = 0) -> Symbol:
    """An unknown of the claim itself."""
    return Symbol(name, "digit", LAUNCH, low, None)


def introduce(value: Poly, found: Coordinate, mark: str) -> tuple[Cond, dict[str, Poly]]:
    """Digits for a coordinate's value: if what they must add up to is >= 0, it is rest + sum weight*digit.

    Each digit is in its radix, rest < smallest weight. No digits are promised where that weight is not positive.
    """
    digits, total = found.digits, found.above(value)
    if not digits:
        return TRUE, {}
    if len(digits) == 1 and digits[0].weight.value == 1:
        return TRUE, {digits[0].symbol.name: total}
    chosen = {d.symbol.name: Poly.symbol(fresh(f"{mark}.{d.symbol.name}", None)) for d in digits}
    rest = Poly.symbol(fresh(f"{mark}.rest", None))
    reached = rest
    bounds = [ge(rest), lt(rest, digits[0].weight)]
    for d in digits:
        reached = reached + chosen[d.symbol.name] * d.weight
        bounds.append(ge(chosen[d.symbol.name]))
        if d.radix is not None:
            bounds.append(lt(chosen[d.symbol.name], d.radix))
    positive = le(1, digits[0].weight)
    return disj((negate(positive), negate(ge(total)), conj((same(total, reached), *bounds)))), chosen


def solved(cond: Cond) -> tuple[str, Poly] | None:
    """The symbol that an equation names a value for, with that value."""
    if cond.op != "eq" or cond.term is None or len(cond.symbols()) != 1 or cond.term.degree != 1:
        return None
    (symbol,) = cond.symbols()
    rest = cond.term.substitute({symbol: Poly({})})
    factor = cond.term - rest
    if factor not in (Poly.symbol(symbol), -Poly.symbol(symbol)):
        return None
    return symbol.name, -rest if factor == Poly.symbol(symbol) else rest


def parts_of(symbols: Iterable[Symbol], items: Iterable[Poly | Cond]) -> dict[Symbol, Poly]:
    """Numbers of which quotient and remainder by constants are used, as sums of parts: tid.x = 32*warp + lane.

    The divisors divide one another; each part below the highest is bounded by its radix.
    """
    divisors: dict[str, set[int]] = {}
    for item in items:
        for atom in _atoms(item):
            if isinstance(atom, DivAtom | ModAtom) and len(atom.a.terms) == 1 and atom.a.degree == 1:
                ((monomial, coefficient),) = atom.a.terms.items()
                if coefficient == 1 and isinstance(monomial[0], SymbolAtom):
                    divisors.setdefault(monomial[0].symbol.name, set()).add(atom.c)
    found: dict[Symbol, Poly] = {}
    for symbol in symbols:
        chain = sorted(divisors.get(symbol.name, ()))
        if not chain or symbol.low != 0 or any(b % a for a, b in pairwise(chain)):
            continue
        total, below = Poly({}), 1
        for c in (*chain, None):
            high = None if symbol.high is None else symbol.high // below
            if c is not None:
                high = c // below - 1 if high is None else min(high, c // below - 1)
            part = Symbol(f"{symbol.name}/{below}" + (f"%{c // below}" if c else ""), "digit", symbol.scope, 0, high)
            total = total + Poly.symbol(part) * below
            below = c or below
        found[symbol] = total
    return found


def _atoms(item: Poly | Cond) -> Iterator[Atom]:
    """Every atom, those inside of others too."""
    polys = [item] if isinstance(item, Poly) else list(item.polys())
    for poly in polys:
        for atom in poly.atoms():
            yield atom
            if isinstance(atom, DivAtom | ModAtom):
                yield from _atoms(atom.a)
            elif isinstance(atom, IteAtom):
                for inner in (atom.condition, atom.a, atom.b):
                    yield from _atoms(inner)
