"""What follows from bounds, multiples and sums of a few inequalities, found without a solver.

Most statements about one thread are of this kind: an index stays below a guard, a number fits its width, an address is
a multiple of 16 since its stride is. They are decided here in a fraction of the time in which a solver reads its query.
`follows` answers True only where the statement holds for all integers; False says nothing.

Three steps, each of which leaves statements that say no more than those before:

* A symbol of which a multiple is known, `n mod 8 = 0`, becomes `8*m`, so that the canonical form sees what is a
  multiple; an inequality is divided by what its coefficients have in common, its constant rounded down.
* Each product of atoms is one unknown. Bounds of the unknowns follow from each inequality and the bounds of the others,
  a few rounds of that; quotients and remainders come with the inequalities that define them.
* The negated goal is added to hypotheses so that an unknown cancels, a few of them one after another, until the sum
  cannot be what it must be, 0 or more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import product
from math import gcd, lcm

from proofs.polynomials import plain_sum
from proofs.terms import (
    Cond,
    DivAtom,
    Interval,
    IteAtom,
    ModAtom,
    Monomial,
    Poly,
    QuotientAtom,
    Symbol,
    SymbolAtom,
    conj,
    eq,
    ge,
    negate,
)

ROUNDS = 4  # of bounds from bounds
DEPTH = 4  # hypotheses added to one goal
LOOKED_AT = 4_000  # products in the sums that are looked at for one goal
LONG = 80  # products in a row; longer ones are left out
SPLITS, BRANCHES = 8, 4  # disjunctions that are known, and branches of each, that are looked into
CASES = 8  # a negated goal is split into at most
DEFINED = 60  # atoms whose definitions are added
MANY = 10**40  # bounds beyond it are none: rounds that drive each other up would make ever longer numbers

Row = tuple[dict[Monomial, int], int]  # a sum of multiples of unknowns, and a constant, that is 0 or more


class Reasoner:
    """Keeps what was worked out of the same hypotheses: many claims stand at one place of the code.

    Args:
        work: products of unknowns that were gone through, in all goals and hypotheses, and in sums of them.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Known] = {}
        self.work = 0

    def follows(self, known: Iterable[Cond], goal: Cond) -> bool:
        """Whether the goal is seen to follow."""
        if goal.op == "true":
            return True
        here = tuple(dict.fromkeys(known))
        # Names alone do not tell: a loop that is summarised again may give a symbol of the same name another range.
        spoken = {s for c in here for s in c.symbols()}
        symbols = (*(s for c in here for s in c.symbols()), *(s for s in goal.symbols() if s in spoken))
        key = here, frozenset((s.name, s.low, s.high) for s in symbols)
        if key not in self._kept:
            self._kept[key] = _Known(here)
            self.work += sum(map(_products, here))
        found = self._kept[key]
        before = found.looked_at
        try:
            return found.proves(goal)
        finally:
            self.work += _products(goal) + found.looked_at - before


class _Known:
    """Hypotheses as rows, and the bounds that follow from them."""

    def __init__(self, conds: Sequence[Cond]) -> None:
        self.looked_at = 0
        parts = list(_parts(conds))
        self._multiples = _multiples(parts)
        self._given = dict.fromkeys(_parts(_chosen(p.substitute(self._multiples)) for p in parts))
        self._sums = _Sums(None, _rows(self._given))
        self._splits: list[list[tuple[Cond, _Sums]]] = []
        for cond in self._given:
            if cond.op == "or" and len(cond.args) <= BRANCHES and len(self._splits) < SPLITS:
                self._split(cond)

    def proves(self, goal: Cond) -> bool:
        parts = goal.args if goal.op == "and" else (goal,)
        return all(self._follows(p.substitute(self._multiples)) for p in parts)

    def _follows(self, goal: Cond) -> bool:
        if goal.op == "true" or goal in self._given or self._sums.contradictory:
            return True
        if goal.op == "and":
            return all(self._follows(p) for p in goal.args)
        against = _cases(negate(goal))
        return against is not None and all(self._excluded(case) for case in against)

    def _excluded(self, case: Sequence[Cond]) -> bool:
        """Whether these conditions contradict each other and what is known."""
        if any(c.op == "false" or negate(c) in self._given for c in case):
            return True
        rows = _rows(case)
        if not rows:
            return False
        if self._against(self._sums, rows):
            return True
        symbols = frozenset(s for c in case for s in c.symbols())
        return any(
            all(symbols & c.symbols() and self._against(sums, rows) for c, sums in branches)
            for branches in self._splits
        )

    def _against(self, below: _Sums, rows: Sequence[Row]) -> bool:
        sums = _Sums(below, rows)
        found = sums.exclude(rows)
        self.looked_at += LOOKED_AT - sums.left
        return found

    def _split(self, cond: Cond) -> None:
        """What holds in each branch of a disjunction holds; its branches are kept for goals that need to know which."""
        branches = [(c, _Sums(self._sums, _rows(_parts([c])))) for c in cond.args]
        left = [(c, sums) for c, sums in branches if not sums.contradictory]
        if len(left) == 1:
            self._sums = left[0][1]
        elif left:
            self._sums.widen([sums for _, sums in left])
            self._splits.append(left)
        else:
            self._sums.contradictory = True


def _products(cond: Cond) -> int:
    return sum(len(term.terms) for term in cond.polys())


def _parts(conds: Iterable[Cond]) -> Iterator[Cond]:
    for cond in conds:
        if cond.op == "and":
            yield from _parts(cond.args)
        else:
            yield cond


def _chosen(cond: Cond) -> Cond:
    """What a comparison with a choice says of the condition of the choice: `1 <= (p ? 16 : 0)` is p."""
    if cond.term is None:
        return cond
    for monomial, coefficient in cond.term.terms.items():
        atom = monomial[0] if len(monomial) == 1 else None
        if isinstance(atom, IteAtom):
            make = ge if cond.op == "ge" else eq
            rest = plain_sum((cond.term, 1), (Poly.of(atom), -coefficient))
            yes, no = (_chosen(make(rest + part * coefficient)) for part in (atom.a, atom.b))
            if no.op == "false":
                return conj((_chosen(atom.condition), yes))
            if yes.op == "false":
                return conj((_chosen(negate(atom.condition)), no))
    return cond


def _multiples(parts: Iterable[Cond]) -> dict[Symbol, Poly]:
    """`c * m` for each symbol that is said to be a multiple of c."""
    found: dict[Symbol, int] = {}
    for part in parts:
        remainder = part.term.atom if part.op == "eq" and part.term is not None else None
        if isinstance(remainder, ModAtom) and isinstance(a := remainder.a.atom, SymbolAtom):
            found[a.symbol] = lcm(remainder.c, found.get(a.symbol, 1))
    return {
        s: Poly.symbol(Symbol(
            f"{s.name}/{c}", s.kind, s.scope, None if s.low is None else -(-s.low // c),
            None if s.high is None else s.high // c,
        )) * c
        for s, c in found.items()
    }  # fmt: skip


def _cases(cond: Cond) -> list[tuple[Cond, ...]] | None:
    """Conjunctions of which one holds if the condition does; None if there are too many."""
    if cond.op == "and":
        count, known = 1, []
        for cases in map(_cases, cond.args):
            if cases is None or count * len(cases) > CASES:
                continue  # a condition less
            count *= len(cases)
            known.append(cases)
        return [tuple(c for case in chosen for c in case) for chosen in product(*known)]
    if cond.op == "or":
        found: list[tuple[Cond, ...]] = []
        for part in cond.args:
            more = _cases(part)
            if more is None or len(found) + len(more) > CASES:
                return None
            found += more
        return found
    if cond.op == "not" and cond.args[0].op == "eq" and (term := cond.args[0].term) is not None:
        return [(_at_least(term - 1),), (_at_least(-term - 1),)]
    return [(cond,)]


def _at_least(term: Poly) -> Cond:
    return Cond("ge", term)


def _rows(conds: Iterable[Cond]) -> list[Row]:
    found = []
    for cond in conds:
        if cond.term is not None:
            found.append(_row(cond.term))
            if cond.op == "eq":
                found.append(_row(-cond.term))
    return found


def _row(term: Poly) -> Row:
    return _divided({m: c for m, c in term.terms.items() if m}, term.terms.get((), 0))


def _divided(terms: dict[Monomial, int], constant: int) -> Row:
    common = gcd(*terms.values())
    if common > 1:
        return {m: c // common for m, c in terms.items()}, constant // common
    return terms, constant


class _Sums:
    """Rows and the bounds of what stands in them; more rows on top of others'."""

    def __init__(self, below: _Sums | None, rows: Sequence[Row]) -> None:
        self._bounds: dict[Monomial, Interval] = dict(below._bounds) if below else {}
        self._at: dict[Monomial, list[Row]] = dict(below._at) if below else {}
        self._defined: set[Monomial] = set(below._defined) if below else set()
        self.contradictory = False
        self.left = LOOKED_AT
        rows = [row for row in (*rows, *self._definitions(rows)) if len(row[0]) <= LONG]
        for row in rows:
            for monomial in row[0]:
                self._at[monomial] = [*self._at.get(monomial, ()), row]
        self._narrow([r for r in rows if r[0]])
        self.contradictory |= any(not terms and constant < 0 for terms, constant in rows)

    def exclude(self, rows: Sequence[Row]) -> bool:
        """Whether these rows, which are among the sums, contradict the others."""
        return self.contradictory or any(len(row[0]) <= LONG and self._negative(row, DEPTH) for row in rows)

    # --- bounds ---
    def widen(self, branches: Sequence[_Sums]) -> None:
        """Take the bounds that hold in every one of these, which are all that there is on top of this."""
        changed: set[Monomial] = set()
        for m in list(self._bounds):
            found = [b._bounds[m] for b in branches]
            lows, highs = [low for low, _ in found if low is not None], [high for _, high in found if high is not None]
            low = min(lows) if len(lows) == len(found) else None
            self._set(m, (low, max(highs) if len(highs) == len(found) else None), changed)
        self._narrow(list({id(r): r for m in changed for r in self._at.get(m, ())}.values()))

    def _bound(self, monomial: Monomial) -> Interval:
        found = self._bounds.get(monomial)
        if found is None:
            found = monomial[0].interval if len(monomial) == 1 else self._product(monomial)
            self._bounds[monomial] = found
        return found

    def _product(self, monomial: Monomial) -> Interval:
        low, high = self._bound(monomial[:1])
        for atom in monomial[1:]:
            low, high = _times((low, high), self._bound((atom,)))
        return low, high

    def _narrow(self, rows: Sequence[Row]) -> None:
        """Bounds of each unknown from a row and the bounds of the others in it."""
        products = [m for m in dict.fromkeys(m for terms, _ in rows for m in terms) if len(m) > 1]
        work = list(rows)
        for _ in range(ROUNDS):
            changed: set[Monomial] = set()
            for terms, constant in work:
                open_: Monomial | None = None
                most, opens = constant, 0
                for m, c in terms.items():
                    bound = self._bound(m)[1 if c > 0 else 0]
                    if bound is None:
                        open_, opens = m, opens + 1
                    else:
                        most += c * bound
                if opens > 1:
                    continue
                if not opens and most < 0:
                    self.contradictory = True
                    return
                for m in terms if open_ is None else (open_,):
                    self._cut(m, terms[m], most, opens, changed)
                    if self.contradictory:
                        return
            for m in products:
                if not changed.isdisjoint((a,) for a in m):
                    self._set(m, self._product(m), changed)
            if not changed or self.contradictory:
                return
            work = list({id(r): r for m in changed for r in self._at.get(m, ())}.values())

    def _cut(self, m: Monomial, c: int, most: int, opens: int, changed: set[Monomial]) -> None:
        """The bound of m where c*m, with the others at their most, must not be negative."""
        low, high = self._bound(m)
        bound = high if c > 0 else low
        rest = most if opens else most - c * (bound or 0)
        self._set(m, (-(rest // c), None) if c > 0 else (None, rest // -c), changed)

    def _set(self, m: Monomial, narrower: Interval, changed: set[Monomial]) -> None:
        (low, high), (least, most) = self._bound(m), narrower
        if least is not None and abs(least) < MANY and (low is None or least > low):
            low = least
            changed.add(m)
        if most is not None and abs(most) < MANY and (high is None or most < high):
            high = most
            changed.add(m)
        self._bounds[m] = low, high
        self.contradictory |= low is not None and high is not None and low > high

    # --- sums ---
    def _negative(self, row: Row, depth: int) -> bool:
        """Whether the row, with others added, cannot be 0 or more."""
        terms, most = row
        open_: list[Monomial] = []
        width: list[tuple[int, Monomial]] = []
        for m, c in terms.items():
            low, high = self._bound(m)
            bound = high if c > 0 else low
            if bound is None:
                open_.append(m)
            else:
                most += c * bound
                width.append((MANY if low is None or high is None else abs(c) * (high - low), m))
        if not open_ and most < 0:
            return True
        self.left -= len(terms)
        if depth == 0 or len(open_) > depth or self.left < 0:
            return False
        for m in open_[:1] or [m for _, m in sorted(width, key=lambda w: -w[0])[:3]]:
            c = terms[m]
            for other in self._at.get(m, ()):
                d = other[0][m]
                if (c > 0) != (d > 0) and self._negative(_cancelled(row, abs(d), other, abs(c)), depth - 1):
                    return True
        return False

    # --- definitions ---
    def _definitions(self, rows: Iterable[Row]) -> list[Row]:
        """What defines the quotients, remainders and choices in rows, and in those rows again."""
        found: list[Row] = []
        work = list(rows)
        while work and len(self._defined) < DEFINED:
            for atom in (a for m in work.pop()[0] for a in m if not isinstance(a, SymbolAtom)):
                if (atom,) not in self._defined:
                    self._defined.add((atom,))
                    more = [_row(term) for term in _defining(atom)]
                    found += more
                    work += more
        return found


def _defining(atom: object) -> Iterator[Poly]:
    """Terms that are 0 or more, whatever the values of the symbols."""
    if isinstance(atom, DivAtom):
        rest = plain_sum((atom.a, 1), (Poly.of(atom), -atom.c))
        yield from (rest, plain_sum((rest, -1), (Poly.constant(atom.c - 1), 1)))
    elif isinstance(atom, ModAtom):
        zero = plain_sum((atom.a, 1), (atom.quotient, -atom.c), (Poly.of(atom), -1))
        yield from (zero, -zero)
    elif isinstance(atom, QuotientAtom) and (atom.b.interval[0] or 0) > 0:
        rest = plain_sum((atom.a, 1), (atom.b * Poly.of(atom), -1))
        yield from (rest, plain_sum((rest, -1), (atom.b, 1), (Poly.constant(1), -1)))
    elif isinstance(atom, IteAtom):
        yield from _of_choice(atom)


def _of_choice(atom: IteAtom) -> Iterator[Poly]:
    """How far a choice is from its second value; and that it is the lesser of two, or the greater, if it is."""
    above = plain_sum((Poly.of(atom), 1), (atom.b, -1))
    low, high = plain_sum((atom.a, 1), (atom.b, -1)).interval
    if low is not None:
        yield plain_sum((above, 1), (Poly.constant(min(low, 0)), -1))
    if high is not None:
        yield plain_sum((above, -1), (Poly.constant(max(high, 0)), 1))
    if atom.condition.op == "ge" and atom.condition.term is not None:
        for sign in (1, -1):
            tie = plain_sum((atom.a, 1), (atom.b, -1), (atom.condition.term, sign)).value
            if tie is not None and tie * sign in (0, -1):
                for part in (atom.a, atom.b):
                    yield plain_sum((part, sign), (Poly.of(atom), -sign))


def _cancelled(row: Row, times: int, other: Row, others: int) -> Row:
    """The sum of multiples of two rows, without the unknown that goes out."""
    common = gcd(times, others)
    times, others = times // common, others // common
    terms = {m: c * times for m, c in row[0].items()}
    for m, c in other[0].items():
        terms[m] = terms.get(m, 0) + c * others
    return _divided({m: c for m, c in terms.items() if c}, row[1] * times + other[1] * others)


def _times(a: Interval, b: Interval) -> Interval:
    """Bounds of a product."""
    (al, ah), (bl, bh) = a, b
    if al is not None and bl is not None and al >= 0 and bl >= 0:
        return al * bl, None if ah is None or bh is None else ah * bh
    if al is None or ah is None or bl is None or bh is None:
        return None, None
    corners = [x * y for x in (al, ah) for y in (bl, bh)]
    return min(corners), max(corners)
