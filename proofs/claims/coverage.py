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

from proofs.claims.digits import Coordinate, fresh, introduce, solved
from proofs.claims.model import Claim, domain
from proofs.claims.rounds import ROUND, Rounds
from proofs.claims.witnesses import Witness, free_symbols, items_of, whole_stores, witnesses
from proofs.hints.model import Chosen
from proofs.problem import BufferTerms, Problem, to_term
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import LoopRecord, Records
from proofs.terms import FALSE, LAUNCH, TRUE, Cond, Poly, Symbol, conj, disj, eq, ge, implies, le, lt, negate, same
from spec.contracts.model import ACTIVE

MAX_SPLITS = 3
NO_STORE = "no store of whole elements whose coordinates are sums of digits"


@dataclass(frozen=True)
class _Element:
    """The arbitrary element of a buffer."""

    plane: Poly
    row: Poly
    column: Poly


def coverage_claims(problem: Problem, records: Records) -> list[Claim]:
    """The coverage claims of each output buffer."""
    return [c for name in problem.outputs for c in _coverage(problem, records, problem.buffers[name])]


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
    given = _given(problem, records, buffer, flat if found else None)
    flat = flat if found else bool(given) and given[0][1].access.flat
    element = _Element(*(Poly.symbol(fresh(f"e.{c}")) for c in ("plane", "row", "column")))
    inside = _inside(buffer, element, flat)
    shared = [Hypothesis("element", inside.text, inside)]
    if problem.power is not None:
        active = eq(Poly.symbol(problem.power) - ACTIVE)
        shared.append(Hypothesis("active", active.text, active))
    if not (found or given):  # unless there is no element, a run may show one that is not written
        claim = _claim(problem, name, words, [], shared, FALSE)
        stores = tuple(a.at.line for a in records.accesses if a.kind == "write" and a.buffer == buffer.name)
        return [replace(claim, lines=stores, reason=NO_STORE, partial=True)]
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
    for number, (hint, witness) in enumerate(given, len(groups) + 1):
        digits_of[number] = []
        sites.append(_site(problem, witness, _chosen(problem, hint, element), element, loops, number, threads))
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


def _given(
    problem: Problem, records: Records, buffer: BufferTerms, flat: bool | None
) -> list[tuple[Chosen, Witness]]:
    """The stores for which a hint says who writes an element: nothing is left for digits."""
    stores = whole_stores(problem, records, buffer.name)
    flat = (bool(stores) and all(a.flat for a in stores)) if flat is None else flat
    none = Coordinate((), Poly({}))
    hints = [h for h in problem.hints if isinstance(h, Chosen) and h.buffer == buffer.name]
    return [(h, Witness(a, none, none, none, 0, {})) for h in hints for a in stores if a.flat == flat]


def _chosen(problem: Problem, hint: Chosen, element: _Element) -> dict[str, Poly]:
    """The thread, block and rounds that a hint names for an element."""
    scope = {**problem.names, "plane": element.plane, "row": element.row, "column": element.column}
    found = {f"k@{loop}": to_term(e, scope) for loop, e in hint.rounds.items()}
    for register, e in hint.numbers.items():
        found |= {s.name: to_term(e, scope) for s in problem.specials[register].symbols()}
    return found


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
    rounds = witness.rounds
    values = {
        symbol: digits_here.get(name, named.get(name, Poly({})))
        for name, symbol in free_symbols(problem, access, witness.parts).items()
        if rounds is None or symbol != rounds.loop
    }
    whole = {symbol: total.substitute(values) for symbol, total in witness.parts.items()}
    around = [loops[n] for n in access.at.loops]
    items = [*items_of(access), *(loop.proceed for loop in around)]
    mark = _Marks(values, threads, rounds)
    own = {
        s.name: Poly.symbol(s.renamed(s.name + mark(s))) for item in items for s in item.symbols()
        if s.scope != LAUNCH and s not in values and s not in whole and s != mark.loop
    }
    copy = Copy(replaced={**own, **{s.name: p for s, p in (*values.items(), *whole.items())}})
    hits, definition = TRUE, TRUE
    if rounds is not None:
        offset, m = copy.poly(rounds.offset), digits_here[ROUND.name]
        k = rounds.chosen(offset, m)
        hits, definition = rounds.hits(offset, k, m), rounds.parts(rounds.weight, offset, m)
        if rounds.loop is not None:
            values[rounds.loop] = k
            copy = Copy(replaced={**copy.replaced, rounds.loop.name: k})
    within = [le(s.low, v) for s, v in (*values.items(), *whole.items()) if s.low is not None]
    within += [le(v, s.high) for s, v in (*values.items(), *whole.items()) if s.high is not None]
    launch = [copy.cond(c) for _, c in problem.domain if _speaks_of_thread(c)]
    column = copy.poly(access.column)
    if rounds is not None:
        # The same, since the store's round is the one that the digits name.
        column = copy.poly(rounds.low) + copy.poly(rounds.weight) * digits_here[ROUND.name]
    planes = () if problem.buffers[access.buffer].planes is None else (same(copy.poly(access.plane), element.plane),)
    covers = conj((
        hits, *within, *launch, *planes, same(copy.poly(access.row), element.row), le(column, element.column),
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
    known = TRUE
    if spoken & named_own:
        # Of a thread that the launch does not have, facts may be false, and everything would follow from them.
        known = implies(conj((*within, *launch)), _known(witness, around, copy, own.keys()))
    return _Site(access.at.line, number, exists, control, covers, reach, conj((known, definition)))


class _Marks:
    """How unknowns of a store's thread are told from those of other threads.

    What the rounds of a split loop do not redefine is one for the thread, whichever of its stores is looked at.
    """

    def __init__(self, values: Mapping[Symbol, Poly], threads: dict[str, int], rounds: Rounds | None) -> None:
        self.loop, self._threads = None if rounds is None else rounds.loop, threads
        self._round = "" if rounds is None else rounds.chosen(rounds.offset, Poly.symbol(ROUND)).text
        self._chosen = ", ".join(f"{s.name}={v.text}" for s, v in sorted(values.items(), key=lambda i: i[0].name))

    def __call__(self, symbol: Symbol) -> str:
        named = self._chosen
        if self.loop is not None and (symbol.kind == "iteration" or self.loop.name.removeprefix("k@") in symbol.loops):
            named += f", {self.loop.name}={self._round}"
        return f".w{self._threads.setdefault(named, len(self._threads) + 1)}"


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
