"""Ranges of symbols that follow from conditions: `tid + 256*k < 1024` bounds k by 3.

Ranges are only ever narrowed, each step by one condition that is known to hold, so whatever was assumed stays covered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from proofs.terms import Atom, Bound, Cond, DivAtom, Interval, IteAtom, ModAtom, Monomial, Poly, SymbolAtom

ROUNDS = 3
Ranges = Mapping[str, Interval]


def narrowed(conditions: Iterable[Cond], ranges: Ranges) -> dict[str, Interval] | None:
    """Ranges under the conditions; None if the conditions cannot hold together."""
    found = dict(ranges)
    literals = [part for c in conditions for part in (c.args if c.op == "and" else (c,))]
    for _ in range(ROUNDS):
        before = dict(found)
        for literal in literals:
            after = _under(literal, found)
            if after is None:
                return None
            found = after
        if found == before:
            break
    return found


def _under(cond: Cond, ranges: dict[str, Interval]) -> dict[str, Interval] | None:
    if cond.op == "false":
        return None
    if cond.op == "and":
        for part in cond.args:
            after = _under(part, ranges)
            if after is None:
                return None
            ranges = after
        return ranges
    if cond.op == "or":
        return _hull([r for r in (_under(part, ranges) for part in cond.args) if r is not None])
    if cond.term is None:
        return ranges
    after = _nonnegative(cond.term, ranges)
    if after is not None and cond.op == "eq":
        after = _nonnegative(-cond.term, after)
    return after


def _hull(found: list[dict[str, Interval]]) -> dict[str, Interval] | None:
    if not found:
        return None
    first, *others = found
    names = [n for n in first if all(n in other for other in others)]
    result: dict[str, Interval] = {}
    for name in names:
        lows, highs = [r[name][0] for r in found], [r[name][1] for r in found]
        low = None if None in lows else min(v for v in lows if v is not None)
        high = None if None in highs else max(v for v in highs if v is not None)
        result[name] = (low, high)
    return result


def _nonnegative(term: Poly, ranges: dict[str, Interval]) -> dict[str, Interval] | None:
    """term >= 0: each symbol that stands alone in a monomial is bounded by the most that the others come to."""
    most = {m: scaled(product_range(m, ranges), c)[1] for m, c in term.terms.items()}
    unbounded = [m for m, high in most.items() if high is None]
    total = sum(high for high in most.values() if high is not None)
    if not unbounded and total < 0:
        return None
    if len(unbounded) > 1:
        return ranges
    found = ranges
    for monomial, coefficient in term.terms.items():
        if len(monomial) != 1 or not isinstance(monomial[0], SymbolAtom) or (unbounded and unbounded[0] != monomial):
            continue
        rest = total - (most[monomial] or 0)
        symbol = monomial[0].symbol
        low, high = found.get(symbol.name, (symbol.low, symbol.high))
        if coefficient > 0:  # symbol >= -rest / coefficient
            least = -(rest // coefficient)
            low = least if low is None else max(low, least)
        else:
            greatest = rest // -coefficient
            high = greatest if high is None else min(high, greatest)
        if low is not None and high is not None and low > high:
            return None
        if found is ranges:
            found = dict(ranges)
        found[symbol.name] = (low, high)
    return found


def range_of(term: Poly, ranges: Ranges) -> Interval:
    """Bounds of a term where its symbols are in these ranges."""
    low: Bound = 0
    high: Bound = 0
    for monomial, coefficient in term.terms.items():
        least, most = scaled(product_range(monomial, ranges), coefficient)
        low = None if low is None or least is None else low + least
        high = None if high is None or most is None else high + most
    return low, high


def product_range(monomial: Monomial, ranges: Ranges) -> Interval:
    """Bounds of a product of atoms."""
    low: Bound = 1
    high: Bound = 1
    for atom in monomial:
        least, most = atom_range(atom, ranges)
        if low is not None and least is not None and low >= 0 and least >= 0:
            low, high = low * least, None if high is None or most is None else high * most
            continue
        if low is None or high is None or least is None or most is None:
            return None, None
        corners = (low * least, low * most, high * least, high * most)
        low, high = min(corners), max(corners)
    return low, high


def scaled(bounds: Interval, coefficient: int) -> Interval:
    """Bounds of a multiple."""
    low, high = bounds
    if coefficient < 0:
        low, high = high, low
    return None if low is None else low * coefficient, None if high is None else high * coefficient


def atom_range(atom: Atom, ranges: Ranges) -> Interval:
    """Bounds of an atom."""
    if isinstance(atom, SymbolAtom):
        return ranges.get(atom.symbol.name, atom.interval)
    if isinstance(atom, DivAtom):
        low, high = range_of(atom.a, ranges)
        return None if low is None else low // atom.c, None if high is None else high // atom.c
    if isinstance(atom, ModAtom):
        low, high = range_of(atom.a, ranges)
        whole = low is not None and high is not None and low // atom.c == high // atom.c
        if whole and low is not None and high is not None:
            return low % atom.c, high % atom.c
        return 0, atom.c - 1
    if isinstance(atom, IteAtom):
        (al, ah), (bl, bh) = range_of(atom.a, ranges), range_of(atom.b, ranges)
        return (
            None if al is None or bl is None else min(al, bl), None if ah is None or bh is None else max(ah, bh)
        )
    return atom.interval
