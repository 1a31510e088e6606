"""The claim that every element of an output buffer is written.

For an arbitrary element the witness is constructed, not searched: a store's column is a sum of digits with weights
(8 for the thread, 4096 for the block, 4096*nctaid for the round), and any number has such digits. So for each store
fresh digits are introduced for the element's own coordinates, and the claim is that for one of the stores the thread,
block and round they name exist, reach the store, and write the element. What that thread finds in memory, or how often
it went round other loops, is anything that the facts at the store allow; each thread has unknowns of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from proofs.claims.digits import Coordinate, coordinate, fresh, introduce, parts_of, solved
from proofs.claims.model import Claim, domain
from proofs.problem import BufferTerms, Problem
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import Access, LoopRecord, Point, Records
from proofs.terms import FALSE, LAUNCH, TRUE, Cond, Poly, Symbol, conj, disj, eq, ge, implies, le, lt, negate, same
from spec.contracts.model import ACTIVE

MAX_SPLITS = 3
NO_STORE = "no store of whole elements whose coordinates are sums of digits"


@dataclass(frozen=True)
class Witness:
    """How one store finds the thread for an element: digits of each coordinate, and what is left over.

    Stores whose columns differ by a constant share their digits; `shift` is what this store takes off the smallest one.
    `parts` are numbers whose quotients and remainders the access speaks of; in `access` they are sums of parts.
    """

    access: Access
    row: Coordinate
    column: Coordinate
    plane: Coordinate
    shift: int
    parts: Mapping[Symbol, Poly]

    @property
    def group(self) -> str:
        """Witnesses of one group share their digits."""
        return " | ".join((self.row.text, self.column.text, self.plane.text))


@dataclass(frozen=True)
class _Element:
    """The arbitrary element of a buffer."""

    plane: Poly
    row: Poly
    column: Poly


def coverage_claims(problem: Problem, records: Records) -> list[Claim]:
    """The coverage claims of each output buffer."""
    return [c for name in problem.outputs for c in _coverage(problem, records, problem.buffers[name])]


def witnesses(problem: Problem, records: Records, buffer: str) -> list[Witness]:
    """The stores to a buffer whose coordinates are sums of digits."""
    found = []
    for access in records.accesses:
        if access.kind == "write" and access.buffer == buffer and access.space == "global":
            whole = _of_whole_elements(problem.buffers[buffer], access)
            witness = _witness(problem, whole) if whole is not None else None
            if witness is not None:
                found.append(witness)
    return found


def _of_whole_elements(buffer: BufferTerms, access: Access) -> Access | None:
    """The store as one of the elements that it writes whole; None if it may write parts only."""
    inside = access.count > -(-access.width // buffer.element_bytes)
    count = access.width // buffer.element_bytes
    return None if inside or not count else replace(access, count=count)


def _items(access: Access) -> list[Poly | Cond]:
    return [access.plane, access.row, access.column, *access.at.control, *access.at.facts]


def _numbers(problem: Problem) -> dict[str, Symbol]:
    registers = [f"%{r}.{a}" for r in ("ctaid", "tid") for a in ("x", "y", "z")]
    return {s.name: s for r in registers for s in problem.specials[r].symbols()}


def _free_symbols(problem: Problem, witness: Access, parts: Mapping[Symbol, Poly]) -> dict[str, Symbol]:
    """What a witness may choose: thread, block, and the rounds of the loops around the store."""
    names: dict[str, Symbol] = {}
    for name, symbol in _numbers(problem).items():
        names |= {s.name: s for s in parts[symbol].symbols()} if symbol in parts else {name: symbol}
    loops = {f"k@{loop}" for loop in witness.at.loops}
    for item in _items(witness):
        names |= {s.name: s for s in item.symbols() if s.name in loops}
    return names


def _witness(problem: Problem, access: Access) -> Witness | None:
    parts = parts_of(_numbers(problem).values(), _items(access))
    access = _in_parts(access, parts)
    free = _free_symbols(problem, access, parts)
    row, column, plane = (coordinate(c, free) for c in (access.row, access.column, access.plane))
    if row is None or column is None or plane is None:
        return None
    names = [d.symbol.name for c in (row, column, plane) for d in c.digits]
    if len(set(names)) < len(names):
        return None
    shift = 0
    if column.sign > 0:
        constant = column.offset.terms.get((), 0)
        if len(column.digits) > 1 and (above := column.digits[1].weight.value) is not None:
            constant %= above
        if column.digits and (weight := column.digits[0].weight.value) is not None:
            column, shift = replace(column, offset=column.offset - constant), constant // weight
    return Witness(access, row, column, plane, shift, parts)


def _in_parts(access: Access, parts: Mapping[Symbol, Poly]) -> Access:
    at = access.at
    point = Point(
        at.line, tuple(c.substitute(parts) for c in at.control), tuple(c.substitute(parts) for c in at.facts), at.loops,
        at.place,
    )
    row, column, plane = (p.substitute(parts) for p in (access.row, access.column, access.plane))
    return replace(access, at=point, row=row, column=column, plane=plane)


@dataclass(frozen=True)
class _Site:
    """One store for one element: what must hold for it to write the element, in the element's digits.

    `known`: what holds of the thread if it gets to the store.
    """

    line: int
    group: int
    exists: Cond
    control: tuple[Cond, ...]
    covers: Cond
    reach: Cond
    known: Cond


def _coverage(problem: Problem, records: Records, buffer: BufferTerms) -> list[Claim]:
    name, words = f"coverage.{buffer.name}", f"every element of {buffer.name} is written"
    assert buffer.columns is not None
    found = witnesses(problem, records, buffer.name)
    # Where an index runs through all rows it alone is the coordinate, for all stores or for none.
    flat = bool(found) and all(w.access.flat for w in found)
    found = [w for w in found if w.access.flat == flat]
    element = _Element(*(Poly.symbol(fresh(f"e.{c}")) for c in ("plane", "row", "column")))
    inside = _inside(buffer, element, flat)
    shared = [Hypothesis("element", inside.text, inside)]
    if problem.power is not None:
        active = eq(Poly.symbol(problem.power) - ACTIVE)
        shared.append(Hypothesis("active", active.text, active))
    if not found:  # unless there is no element, a run may show one that is not written
        return [replace(_claim(problem, name, words, [], shared, FALSE), reason=NO_STORE, partial=True)]
    loops = {loop.id: loop for loop in records.loops}
    groups: dict[str, list[Witness]] = {}
    for witness in found:
        groups.setdefault(witness.group, []).append(witness)
    sites: list[_Site] = []
    digits_of: dict[int, list[Hypothesis]] = {}
    threads: dict[str, int] = {}
    for number, group in enumerate(groups.values(), 1):
        chosen, digits_of[number] = _digits_of(group[0], element, f"w{number}")
        sites += [_site(problem, w, chosen, element, loops, number, threads) for w in group]
    cases = _cases(sites)
    claims = []
    for number, case in enumerate(cases, 1):
        here = [s for s in sites if not any(negate(c) in s.control for c in case)]
        hypotheses = [*shared, *(Hypothesis("case", c.text, c) for c in case)]
        for group_number in dict.fromkeys(s.group for s in here):
            hypotheses += digits_of[group_number]
        hypotheses += [Hypothesis("known", s.known.text, s.known) for s in here]
        claims.append(
            _claim(problem, name + (f".{number}" if len(cases) > 1 else ""), words, here, hypotheses, _goal(here))
        )
    return claims


def _inside(buffer: BufferTerms, element: _Element, flat: bool) -> Cond:
    """That the element is one of the buffer's."""
    assert buffer.columns is not None
    one = Poly.constant(1)
    if flat and buffer.flat is not None:
        return conj((lt(element.plane, one), lt(element.row, one), lt(element.column, buffer.flat)))
    rows = buffer.rows if buffer.rows is not None else one
    parts = [lt(element.row, rows), lt(element.column, buffer.columns)]
    return conj(parts if buffer.planes is None else (lt(element.plane, buffer.planes), *parts))


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
    stores = "by the stores at PTX lines " + ", ".join(map(str, lines)) if lines else "by no store that is understood"
    comment = (f"coverage: {words}", stores)

    def query(linear: bool) -> Query:
        # The clauses of the domain that speak of a thread or block speak of the witness instead (they are in the goal).
        launch = [h for h in domain(problem, linear=linear) if not _speaks_of_thread(h.cond)]
        return build(name, comment, [*launch, *hypotheses], goal.text, [goal])

    return Claim(name, "coverage", lines, query(False), words, query(True))


def _speaks_of_thread(cond: Cond) -> bool:
    return any(s.scope != LAUNCH for s in cond.symbols())


def _digits_of(
    witness: Witness, element: _Element, mark: str
) -> tuple[dict[str, Poly], list[Hypothesis]]:
    """The digits of an element's coordinates, as a group of stores needs them."""
    chosen: dict[str, Poly] = {}
    conditions = []
    for value, found, name in (
        (element.row, witness.row, "row"), (element.column, witness.column, "column"),
        (element.plane, witness.plane, "plane"),
    ):
        condition, values = introduce(value, found, f"{mark}.{name}")
        conditions.append(condition)
        chosen |= values
    return chosen, [Hypothesis("digits", c.text, c) for c in conditions]


def _site(
    problem: Problem, witness: Witness, chosen: dict[str, Poly], element: _Element, loops: dict[str, LoopRecord],
    number: int, threads: dict[str, int],
) -> _Site:
    """A store with the element's digits put for its thread, block and rounds."""
    access = witness.access
    digits_here = dict(chosen)
    if witness.shift:
        name = witness.column.digits[0].symbol.name
        digits_here[name] = digits_here[name] - witness.shift
    named = _named(access.at.control)
    values = {
        symbol: digits_here.get(name, named.get(name, Poly({})))
        for name, symbol in _free_symbols(problem, access, witness.parts).items()
    }
    whole = {symbol: total.substitute(values) for symbol, total in witness.parts.items()}
    chosen_here = ", ".join(f"{s.name}={v.text}" for s, v in sorted(values.items(), key=lambda item: item[0].name))
    mark = f".w{threads.setdefault(chosen_here, len(threads) + 1)}"
    around = [loops[n] for n in access.at.loops]
    items = [*_items(access), *(loop.proceed for loop in around)]
    own = {
        s.name: Poly.symbol(s.renamed(s.name + mark)) for item in items for s in item.symbols()
        if s.scope != LAUNCH and s not in values and s not in whole
    }
    put = {s.name: p for s, p in (*values.items(), *whole.items())}
    copy = Copy(replaced={**own, **put})
    within = [le(s.low, v) for s, v in (*values.items(), *whole.items()) if s.low is not None]
    within += [le(v, s.high) for s, v in (*values.items(), *whole.items()) if s.high is not None]
    launch = [copy.cond(c) for _, c in problem.domain if _speaks_of_thread(c)]
    column = copy.poly(access.column)
    planes = () if problem.buffers[access.buffer].planes is None else (same(copy.poly(access.plane), element.plane),)
    covers = conj((
        *within, *launch, *planes, same(copy.poly(access.row), element.row), le(column, element.column),
        lt(element.column, column + access.count),
    ))
    reach = conj(_reaches(loop, copy, fresh(f"w{number}.earlier.{loop.id}", None)) for loop in around)
    exists = conj((
        ge(witness.row.above(element.row)), ge(witness.column.above(element.column)),
        ge(witness.plane.above(element.plane)),
    ))
    control = tuple(copy.cond(c) for c in access.at.control)
    # Facts help only where the claim speaks of what they are about.
    spoken = {s.name for item in (covers, reach, *control) for s in item.symbols()}
    named_own = {s.name for p in own.values() for s in p.symbols()}
    known = _known(witness, around, copy, own.keys()) if spoken & named_own else TRUE
    return _Site(access.at.line, number, exists, control, covers, reach, known)


def _known(witness: Witness, around: list[LoopRecord], copy: Copy, own: Collection[str]) -> Cond:
    """What the facts say of a thread's unknowns: those at the store, or those at the outermost loop around it.

    Inside a loop facts hold of rounds that are reached, which is what has to be shown.
    """
    at = witness.access.at
    if around:
        at = around[0].at
        inside = {f"k@{around[0].id}"}
        facts = [f for f in at.facts if not any(s.name in inside or around[0].id in s.loops for s in f.symbols())]
    else:
        facts = list(at.facts)
    speaking = [f for f in facts if {s.name for s in f.symbols()} & set(own)]
    control = conj(copy.cond(c.substitute(witness.parts)) for c in at.control)
    return implies(control, conj(copy.cond(f.substitute(witness.parts)) for f in speaking))


def _named(control: Iterable[Cond]) -> dict[str, Poly]:
    """Symbols that the path to a store names: `lane == 31`."""
    return dict(found for c in control if (found := solved(c)) is not None)


def _marked_reach(reach: Cond, number: int) -> Cond:
    """Statements that differ speak of different earlier rounds."""
    if not number:
        return reach
    names = {s: Poly.symbol(s.renamed(f"{s.name}.{number}")) for s in reach.symbols() if ".earlier." in s.name}
    return reach.substitute(names)


def _reaches(loop: LoopRecord, copy: Copy, earlier: Symbol) -> Cond:
    """That the loop went round in every earlier iteration; what changes from round to round is unknown there again."""
    count = copy.replaced[loop.iteration.name]
    round_ = Poly.symbol(earlier)
    changing = {
        s.name: Poly.symbol(s.renamed(f"{s.name}{earlier.name}")) for s in loop.proceed.symbols()
        if loop.id in s.loops and s.scope != LAUNCH
    }
    there = Copy(replaced={**copy.replaced, **changing, loop.iteration.name: round_})
    before = conj((ge(round_), lt(round_, count)))
    return disj((negate(before), there.cond(loop.proceed)))
