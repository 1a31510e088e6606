"""The claim that every element of an output buffer is written.

For an arbitrary element the witness is constructed, not searched: a store's column is a sum of digits with weights
(8 for the thread, 4096 for the block, 4096*nctaid for the round), and any number has such digits. So for each store
fresh digits are introduced for the element's own coordinates, and the claim is that for one of the stores the thread,
block and round they name exist, reach the store, and write the element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofs.claims.model import Claim, domain
from proofs.problem import BufferTerms, Problem
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import Access, LoopRecord, Records
from proofs.terms import LAUNCH, TRUE, Atom, Cond, Poly, Symbol, SymbolAtom, conj, disj, eq, ge, le, lt, negate, same
from spec.contracts.model import ACTIVE

MAX_SPLITS = 3


@dataclass(frozen=True)
class Digit:
    """A digit of a coordinate: the symbol it stands for, its weight, the number of values (None: unbounded)."""

    symbol: Symbol
    weight: Poly
    radix: Poly | None


@dataclass(frozen=True)
class Witness:
    """How one store finds the thread for an element: digits of the row and of the column, and what is left over.

    Stores whose columns differ by a constant share their digits; `shift` is what this store takes off the smallest one.
    """

    access: Access
    row: tuple[Digit, ...]
    row_offset: Poly
    column: tuple[Digit, ...]
    column_offset: Poly
    shift: int

    @property
    def group(self) -> str:
        """Witnesses of one group share their digits."""
        found = (*self.row, *self.column)
        parts = [f"{d.symbol.name}*{d.weight.text}%{d.radix.text if d.radix else ''}" for d in found]
        return " ".join([*parts, self.row_offset.text, self.column_offset.text])


def coverage_claims(problem: Problem, records: Records) -> list[Claim]:
    """The coverage claims of each output buffer."""
    return [c for name in problem.outputs for c in _coverage(problem, records, problem.buffers[name])]


def witnesses(problem: Problem, records: Records, buffer: str) -> list[Witness]:
    """The stores to a buffer whose coordinates are sums of digits."""
    found = []
    for access in records.accesses:
        if access.kind == "write" and access.buffer == buffer and access.space == "global":
            witness = _witness(problem, access)
            if witness is not None:
                found.append(witness)
    return found


def _free_symbols(problem: Problem, access: Access) -> dict[str, Symbol]:
    """What a witness may choose: thread, block, and the rounds of the loops around the store."""
    registers = [f"%{r}.{a}" for r in ("ctaid", "tid") for a in ("x", "y", "z")]
    names = {s.name: s for r in registers for s in problem.specials[r].symbols()}
    loops = {f"k@{loop}" for loop in access.at.loops}
    items: list[Poly | Cond] = [access.row, access.column, *access.at.control, *access.at.facts]
    for item in items:
        names |= {s.name: s for s in item.symbols() if s.name in loops}
    return names


def _witness(problem: Problem, access: Access) -> Witness | None:
    free = _free_symbols(problem, access)
    row = digits(access.row, free)
    column = digits(access.column, free)
    if row is None or column is None:
        return None
    if {d.symbol.name for d in row[0]} & {d.symbol.name for d in column[0]}:
        return None
    offset, shift = column[1], 0
    constant = offset.terms.get((), 0)
    if len(column[0]) > 1 and (above := column[0][1].weight.value) is not None:
        constant %= above
    if column[0] and (weight := column[0][0].weight.value) is not None:
        offset, shift = offset - constant, constant // weight
    return Witness(access, row[0], row[1], column[0], offset, shift)


def digits(term: Poly, free: dict[str, Symbol]) -> tuple[tuple[Digit, ...], Poly] | None:
    """term = offset + sum of digit * weight, each weight dividing the next; None if it is not of that form."""
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
    if any(len(w.terms) != 1 or next(iter(w.terms.values())) < 0 for w in weights.values()):
        return None
    ordered = sorted(weights.items(), key=lambda item: (item[1].degree, next(iter(item[1].terms.values()))))
    found: list[Digit] = []
    for i, (name, weight) in enumerate(ordered):
        radix = None
        if i + 1 < len(ordered):
            radix = _quotient(ordered[i + 1][1], weight)
            if radix is None or (radix.interval[0] or 0) < 1:
                return None
        found.append(Digit(free[name], weight, radix))
    return tuple(found), offset


def _quotient(a: Poly, b: Poly) -> Poly | None:
    ((m, c),), ((n, d),) = a.terms.items(), b.terms.items()
    rest: list[Atom] = list(m)
    for atom in n:
        if atom not in rest:
            return None
        rest.remove(atom)
    return Poly({tuple(rest): c // d}) if c % d == 0 else None


def _fresh(name: str, low: int | None = 0) -> Symbol:
    return Symbol(name, "digit", LAUNCH, low, None)


def _introduce(value: Poly, found: Sequence[Digit], mark: str) -> tuple[Cond, dict[str, Poly]]:
    """Digits of a value: if value >= 0 then value = rest + sum weight*digit, each digit in its radix, rest < weight.

    No digits are promised where the lowest weight is not positive.
    """
    if not found:
        return TRUE, {}
    if len(found) == 1 and found[0].weight.value == 1:
        return TRUE, {found[0].symbol.name: value}
    chosen = {d.symbol.name: Poly.symbol(_fresh(f"{mark}.{d.symbol.name}", None)) for d in found}
    rest = Poly.symbol(_fresh(f"{mark}.rest", None))
    total = rest
    bounds = [ge(rest), lt(rest, found[0].weight)]
    for d in found:
        total = total + chosen[d.symbol.name] * d.weight
        bounds.append(ge(chosen[d.symbol.name]))
        if d.radix is not None:
            bounds.append(lt(chosen[d.symbol.name], d.radix))
    positive = le(1, found[0].weight)
    return disj((negate(positive), negate(ge(value)), conj((same(value, total), *bounds)))), chosen


@dataclass(frozen=True)
class _Site:
    """One store for one element: what must hold for it to write the element, in the element's digits."""

    line: int
    group: int
    exists: Cond
    control: tuple[Cond, ...]
    covers: Cond
    reach: Cond


def _coverage(problem: Problem, records: Records, buffer: BufferTerms) -> list[Claim]:
    name, words = f"coverage.{buffer.name}", f"every element of {buffer.name} is written"
    assert buffer.columns is not None
    found = witnesses(problem, records, buffer.name)
    if not found:
        return [Claim(name, "coverage", (), None, words, reason="no store whose coordinates are sums of digits")]
    row, column = Poly.symbol(_fresh("e.row")), Poly.symbol(_fresh("e.column"))
    rows = buffer.rows if buffer.rows is not None else Poly.constant(1)
    inside = conj((lt(row, rows), lt(column, buffer.columns)))
    shared = [Hypothesis("element", inside.text, inside)]
    if problem.power is not None:
        active = eq(Poly.symbol(problem.power) - ACTIVE)
        shared.append(Hypothesis("active", active.text, active))
    loops = {loop.id: loop for loop in records.loops}
    groups: dict[str, list[Witness]] = {}
    for witness in found:
        groups.setdefault(witness.group, []).append(witness)
    sites: list[_Site] = []
    digits_of: dict[int, list[Hypothesis]] = {}
    for number, group in enumerate(groups.values(), 1):
        chosen, digits_of[number] = _digits_of(group[0], row, column, f"w{number}")
        sites += [_site(problem, w, chosen, row, column, loops, number) for w in group]
    cases = _cases(sites)
    claims = []
    for number, case in enumerate(cases, 1):
        here = [s for s in sites if not any(negate(c) in s.control for c in case)]
        hypotheses = [*shared, *(Hypothesis("case", c.text, c) for c in case)]
        for group_number in dict.fromkeys(s.group for s in here):
            hypotheses += digits_of[group_number]
        claims.append(
            _claim(problem, name + (f".{number}" if len(cases) > 1 else ""), words, here, hypotheses, _goal(here))
        )
    return claims


def _cases(sites: list[_Site]) -> list[tuple[Cond, ...]]:
    """Both sides of each branch between stores of one group of paths and another, in all combinations."""
    taken = dict.fromkeys(c for s in sites for c in s.control)
    splitters = [c for c in taken if negate(c) in taken and c.text < negate(c).text][:MAX_SPLITS]
    cases: list[tuple[Cond, ...]] = [()]
    for c in splitters:
        cases = [(*case, side) for case in cases for side in (c, negate(c))]
    return cases


def _goal(sites: list[_Site]) -> Cond:
    """Some store writes the element.

    That a loop went round before is claimed of one arbitrary earlier round; stores share that round only where the
    statement about it is the same.
    """
    ways: dict[tuple[Cond, Cond], list[Cond]] = {}
    for s in sites:
        ways.setdefault((s.exists, s.reach), []).append(conj((*s.control, s.covers)))
    return disj(
        conj((exists, _marked_reach(reach, i), disj(stores)))
        for i, ((exists, reach), stores) in enumerate(ways.items())
    )


def _claim(
    problem: Problem, name: str, words: str, sites: list[_Site], hypotheses: list[Hypothesis], goal: Cond
) -> Claim:
    lines = tuple(s.line for s in sites)
    comment = (f"coverage: {words}", "by the stores at PTX lines " + ", ".join(map(str, lines)))

    def query(linear: bool) -> Query:
        # The clauses of the domain that speak of a thread or block speak of the witness instead (they are in the goal).
        launch = [h for h in domain(problem, linear=linear) if not _speaks_of_thread(h.cond)]
        return build(name, comment, [*launch, *hypotheses], goal.text, [goal])

    return Claim(name, "coverage", lines, query(False), words, query(True))


def _speaks_of_thread(cond: Cond) -> bool:
    return any(s.scope != LAUNCH for s in cond.symbols())


def _digits_of(
    witness: Witness, row: Poly, column: Poly, mark: str
) -> tuple[dict[str, Poly], list[Hypothesis]]:
    """The digits of an element's coordinates, as a group of stores needs them."""
    row_intro, row_digits = _introduce(row - witness.row_offset, witness.row, f"{mark}.row")
    column_intro, column_digits = _introduce(column - witness.column_offset, witness.column, f"{mark}.column")
    return {**row_digits, **column_digits}, [Hypothesis("digits", c.text, c) for c in (row_intro, column_intro)]


def _site(
    problem: Problem, witness: Witness, chosen: dict[str, Poly], row: Poly, column: Poly, loops: dict[str, LoopRecord],
    number: int,
) -> _Site:
    """A store with the element's digits put for its thread, block and rounds."""
    access = witness.access
    digits_here = dict(chosen)
    if witness.shift:
        name = witness.column[0].symbol.name
        digits_here[name] = digits_here[name] - witness.shift
    values = {symbol: digits_here.get(name, Poly({})) for name, symbol in _free_symbols(problem, access).items()}
    copy = Copy(replaced={s.name: p for s, p in values.items()})
    within = [le(s.low, v) for s, v in values.items() if s.low is not None]
    within += [le(v, s.high) for s, v in values.items() if s.high is not None]
    launch = [copy.cond(c) for _, c in problem.domain if _speaks_of_thread(c)]
    covers = conj((
        *within, *launch, same(copy.poly(access.row), row), le(copy.poly(access.column), column),
        lt(column, copy.poly(access.column) + access.count),
    ))
    reach = conj(_reaches(loops[n], copy, _fresh(f"w{number}.earlier.{n}", None)) for n in access.at.loops)
    exists = conj((ge(row - witness.row_offset), ge(column - witness.column_offset)))
    return _Site(access.at.line, number, exists, tuple(copy.cond(c) for c in access.at.control), covers, reach)


def _marked_reach(reach: Cond, number: int) -> Cond:
    """Statements that differ speak of different earlier rounds."""
    if not number:
        return reach
    names = {s: Poly.symbol(s.renamed(f"{s.name}.{number}")) for s in reach.symbols() if ".earlier." in s.name}
    return reach.substitute(names)


def _reaches(loop: LoopRecord, copy: Copy, earlier: Symbol) -> Cond:
    """That the loop went round in every earlier iteration."""
    count = copy.replaced[loop.iteration.name]
    round_ = Poly.symbol(earlier)
    there = Copy(replaced={**copy.replaced, loop.iteration.name: round_})
    before = conj((ge(round_), lt(round_, count)))
    return disj((negate(before), there.cond(loop.proceed)))
