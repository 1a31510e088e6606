"""Stores of one loop that a compiler has split: unrolled by s, with the rounds that are left over before or behind it.

`for (c = tid; c < n; c += 256) y[c] = ...` becomes stores at `tid + 256*k` (k < r, where r is the number of rounds
modulo 4) and at `tid + 256*r + 1024*k + 256*j` (j = 0..3). All are `tid + 256*m` for a round m of the loop that was
written: the digits of an element are those of `tid + 256*m`, and each store takes the rounds `m = offset + s*k`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from proofs.terms import LAUNCH, TRUE, Atom, Cond, Monomial, Poly, Symbol, SymbolAtom, conj, disj, divide, eq, same

MAX_STEP = 16
ROUND = Symbol("round*", "digit", LAUNCH, None, None)


@dataclass(frozen=True)
class Rounds:
    """A coordinate as `low + weight*(offset + step*k)` for the rounds k of `loop`; a step of 0 where there is none."""

    low: Poly
    weight: Poly
    offset: Poly
    step: int
    loop: Symbol | None

    @property
    def term(self) -> Poly:
        """The coordinate in the round that the digits name."""
        return self.low + self.weight * Poly.symbol(ROUND)

    def chosen(self, offset: Poly, number: Poly) -> Poly:
        """The round of the store's own loop that is number `number` of all."""
        return divide(number - _first(offset, self.step), self.step) if self.step else Poly({})

    def hits(self, offset: Poly, k: Poly, number: Poly) -> Cond:
        """That the store's round is that one."""
        return same(offset + k * self.step, number)

    def parts(self, weight: Poly, offset: Poly, number: Poly) -> Cond:
        """What is so by definition: number = offset + steps + a rest, and the same times the weight."""
        if self.step < 2:
            return TRUE
        turns = self.chosen(offset, number)
        rests = (number - _first(offset, self.step) - turns * self.step - i for i in range(self.step))
        return disj(conj((eq(rest), eq(rest * weight))) for rest in rests)


def _first(offset: Poly, step: int) -> Poly:
    """The offset of the first of the stores in a round, which all share the round's number."""
    constant = offset.terms.get((), 0)
    return offset - constant % step


def split_rounds(
    columns: Sequence[Poly], loops: Sequence[Mapping[str, Symbol]], free: Sequence[Mapping[str, Symbol]]
) -> list[Rounds | None]:
    """The coordinates of some stores in common rounds; None for one that is none of those.

    Args:
        loops: for each, the symbols of the rounds of the loops around it.
        free: what digits may stand for: those, and the numbers of thread and block.
    """
    tops = [_top(column, around) for column, around in zip(columns, loops, strict=True)]
    units: dict[Monomial, int] = {}
    for top in tops:
        if top is not None:
            units[top[1]] = gcd(units.get(top[1], 0), top[2])
    for column in columns:
        for monomial, coefficient in column.terms.items():
            for atoms in units:
                if atoms and _without(monomial, atoms) is not None:
                    units[atoms] = gcd(units[atoms], coefficient)
    found: list[Rounds | None] = []
    for column, top, names in zip(columns, tops, free, strict=True):
        ways = [top[1]] if top is not None else [atoms for atoms in units]
        here = [r for atoms in ways if (r := _split(column, top, atoms, units[atoms], names)) is not None]
        found.append(here[0] if here else None)
    return found


def _top(column: Poly, around: Mapping[str, Symbol]) -> tuple[Symbol, Monomial, int] | None:
    """The loop whose rounds weigh most: its symbol, and the atoms and the coefficient of its weight."""
    best: tuple[Symbol, Monomial, int] | None = None
    for monomial, coefficient in column.terms.items():
        mine = [a for a in monomial if isinstance(a, SymbolAtom) and a.symbol.name in around]
        if len(mine) != 1 or coefficient <= 0:
            continue
        others = tuple(a for a in monomial if a is not mine[0])
        if best is None or (len(others), coefficient) > (len(best[1]), best[2]):
            best = (mine[0].symbol, others, coefficient)
    return best


def _split(
    column: Poly, top: tuple[Symbol, Monomial, int] | None, atoms: Monomial, unit: int, free: Mapping[str, Symbol]
) -> Rounds | None:
    step, loop = (top[2] // unit, top[0]) if top is not None else (0, None)
    if step > MAX_STEP:
        return None
    low: dict[Monomial, int] = {}
    offset: dict[Monomial, int] = {}
    for monomial, coefficient in column.terms.items():
        rest = _without(monomial, atoms)
        if loop is not None and rest is not None and rest == tuple(Poly.symbol(loop).atoms()):
            continue
        digit = any(isinstance(a, SymbolAtom) and a.symbol.name in free for a in monomial)
        hidden = any(s.name in free for a in monomial if not isinstance(a, SymbolAtom) for s in a.symbols())
        if not monomial and not atoms:
            offset[()] = coefficient // unit
            low[()] = coefficient % unit
        elif rest is not None and coefficient % unit == 0 and not digit and (atoms or hidden):
            offset[rest] = coefficient // unit
        else:
            low[monomial] = coefficient
    weight = Poly({atoms: unit})
    result = Rounds(Poly(low), weight, Poly(offset), step, loop)
    k = Poly({}) if loop is None else Poly.symbol(loop)
    return result if result.low + weight * (result.offset + k * step) == column else None


def _without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    """The monomial without these factors, None where it has not got them."""
    rest: list[Atom] = list(monomial)
    for atom in atoms:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)
