"""The claim that every element of an output buffer is written.

For an arbitrary element the witness is constructed, not searched: a store's column is a sum of digits with weights
(8 for the thread, 4096 for the block, 4096*nctaid for the round), and any number has such digits. So for each store
fresh digits are introduced for the element's own coordinates, and the claim is that for one of the stores the thread,
block and round they name exist, reach the store, and write the element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofs.claims.model import Claim, Items, domain
from proofs.problem import BufferTerms, Problem
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import Access, LoopRecord, Records
from proofs.terms import LAUNCH, Atom, Cond, Poly, Symbol, SymbolAtom, conj, disj, eq, ge, le, lt, negate, same
from spec.contracts.model import ACTIVE


@dataclass(frozen=True)
class Digit:
    """A digit of a coordinate: the symbol it stands for, its weight, the number of values (None: unbounded)."""

    symbol: Symbol
    weight: Poly
    radix: Poly | None


@dataclass(frozen=True)
class Witness:
    """How one store finds the thread for an element: digits of the row and of the column, and what is left over.

    Stores whose columns differ by a constant multiple of the smallest weight share their digits; `shift` is what this
    store takes off the smallest digit.
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
        parts = [f"{d.symbol.name}*{d.weight.text}%{d.radix.text if d.radix else ''}" for d in (*self.row, *self.column)]
        return " ".join([*parts, self.row_offset.text, self.column_offset.text])


def coverage_claims(problem: Problem, records: Records) -> list[Claim]:
    """One coverage claim for each output buffer."""
    return [_coverage(problem, records, problem.buffers[name]) for name in problem.outputs]


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
    for item in (access.row, access.column, *access.at.control, *access.at.facts):
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
    if column[0] and (weight := column[0][0].weight.value) is not None and constant % weight == 0:
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
    """Digits of a value: if value >= 0 then value = rest + sum weight*digit, each digit in its radix, rest < weight."""
    if not found:
        return eq(Poly({})), {}
    chosen = {d.symbol.name: Poly.symbol(_fresh(f"{mark}.{d.symbol.name}", None)) for d in found}
    rest = Poly.symbol(_fresh(f"{mark}.rest", None))
    total = rest
    bounds = [ge(rest), lt(rest, found[0].weight)]
    for d in found:
        total = total + chosen[d.symbol.name] * d.weight
        bounds.append(ge(chosen[d.symbol.name]))
        if d.radix is not None:
            bounds.append(lt(chosen[d.symbol.name], d.radix))
    return disj((negate(ge(value)), conj((same(value, total), *bounds)))), chosen


def _coverage(problem: Problem, records: Records, buffer: BufferTerms) -> Claim:
    name, words = f"coverage.{buffer.name}", f"every element of {buffer.name} is written"
    assert buffer.columns is not None
    found = witnesses(problem, records, buffer.name)
    if not found:
        return Claim(name, "coverage", (), None, words, reason="no store whose coordinates are sums of digits")
    row, column = Poly.symbol(_fresh("e.row")), Poly.symbol(_fresh("e.column"))
    rows = buffer.rows if buffer.rows is not None else Poly.constant(1)
    inside = conj((lt(row, rows), lt(column, buffer.columns)))
    hypotheses = [Hypothesis("element", inside.text, inside)]
    if problem.power is not None:
        active = eq(Poly.symbol(problem.power) - ACTIVE)
        hypotheses.append(Hypothesis("active", active.text, active))
    loops = {loop.id: loop for loop in records.loops}
    options: list[Cond] = []
    groups: dict[str, list[Witness]] = {}
    for witness in found:
        groups.setdefault(witness.group, []).append(witness)
    for number, group in enumerate(groups.values(), 1):
        chosen, hyps = _digits_of(group[0], row, column, f"w{number}")
        hypotheses += hyps
        options += _options(problem, group, chosen, row, column, loops, f"w{number}")
    goal = disj(options)
    items: Items = [goal]
    comment = (
        f"coverage: {words}", "by the stores at PTX lines " + ", ".join(str(w.access.at.line) for w in found),
    )

    def query(linear: bool) -> Query:
        # The clauses of the domain that speak of a thread or block speak of the witness instead (they are in the goal).
        launch = [h for h in domain(problem, linear=linear) if not _speaks_of_thread(h.cond)]
        return build(name, comment, [*launch, *hypotheses], goal.text, items)

    lines = tuple(w.access.at.line for w in found)
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


def _options(
    problem: Problem, group: Sequence[Witness], chosen: dict[str, Poly], row: Poly, column: Poly,
    loops: dict[str, LoopRecord], mark: str,
) -> list[Cond]:
    """For each way to reach the stores: the loops get there, and one of the stores writes the element.

    That the loops went round before is claimed of one arbitrary earlier round; stores share it only where the
    statement is the same.
    """
    first = group[0]
    exists = conj((ge(row - first.row_offset), ge(column - first.column_offset)))
    ways: dict[Cond, list[Cond]] = {}
    for witness in group:
        access = witness.access
        digits_here = dict(chosen)
        if witness.shift:
            name = witness.column[0].symbol.name
            digits_here[name] = digits_here[name] - witness.shift
        free = _free_symbols(problem, access)
        values = {symbol: digits_here.get(name, Poly({})) for name, symbol in free.items()}
        copy = Copy(replaced={s.name: p for s, p in values.items()})
        within = [le(s.low, v) for s, v in values.items() if s.low is not None]
        within += [le(v, s.high) for s, v in values.items() if s.high is not None]
        launch = [copy.cond(c) for _, c in problem.domain if _speaks_of_thread(c)]
        control = [copy.cond(c) for c in access.at.control]
        covers = [
            same(copy.poly(access.row), row), le(copy.poly(access.column), column),
            lt(column, copy.poly(access.column) + access.count),
        ]
        reach = conj(_reaches(loops[n], copy, _fresh(f"{mark}.earlier.{n}", None)) for n in access.at.loops)
        ways.setdefault(reach, []).append(conj((*within, *launch, *control, *covers)))
    return [
        conj((exists, _marked_reach(reach, i), disj(stores))) for i, (reach, stores) in enumerate(ways.items())
    ]


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
