"""Claims about two accesses in one block that no barrier separates: no data race, and no use of a copy in flight."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from proofs.claims.groups import ordered
from proofs.claims.model import (
    BLOCK_SCOPES,
    FIRST,
    GRID_SCOPES,
    SECOND,
    Claim,
    conjunction,
    domain,
    equal_texts,
    identity,
    known,
    warp_number,
    warps,
)
from proofs.enumeration.question import Apart
from proofs.intervals import Interval, Pairing
from proofs.phases.groups import Group, groups_of
from proofs.phases.model import ITSELF, OTHER_WARPS, SAME_WARP, Member, pairings
from proofs.phases.modes import FREE, count, iteration, leaving
from proofs.problem import Problem
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import Access, Records
from proofs.terms import BLOCK, Cond, Poly, Symbol, ge, negate, same

NOT_BETWEEN = "no barrier lies between these accesses (both after {}), so their bytes must not meet"
WORDS = {
    SAME_WARP: "nothing orders these accesses of lanes of one warp (both after {}), so their bytes must not meet",
    OTHER_WARPS: "no barrier lies between these accesses of two warps (both after {}), so their bytes must not meet",
    ITSELF: "an asynchronous copy of the same thread is in flight, so their bytes must not meet",
}


def interval_claims(problem: Problem, records: Records, intervals: tuple[Interval, ...]) -> Iterator[Claim]:
    """One claim for each pair."""
    groups = groups_of(problem, records)
    for interval, pair in pairings(intervals):
        # The audit of a contract's kernels asks for every pair.
        if _may_meet(problem, records, pair) and (problem.strict or pair.possible):
            yield _race(problem, interval, pair, groups)


def phased(problem: Problem, records: Records, a: Access, b: Access) -> bool:
    """Whether accesses to global memory, in one block, are ordered by its barriers, as those to shared memory are.

    Then a race of theirs is one of two blocks, or one within an interval. What `.nc` loads nobody may write at any
    time, and two stores are the business of single-writer. A contract's kernels may not do it.
    """
    if problem.strict or a.buffer != b.buffer or a.readonly or b.readonly or a.kind == b.kind:
        return False
    return bool(records.barriers) or any(s.orders for s in records.shuffles)


def unless_indivisible(
    problem: Problem, a: Access, b: Access, copies: tuple[Copy, Copy], same: str, launch: bool
) -> str:
    """`same` thread; or, of two atomics: the same bytes, and both threads in the scopes of both."""
    if not (a.kind == b.kind == "atomic" and (a.width, a.parts) == (b.width, b.parts)):
        return same
    first, second = copies
    places = [(a.plane, b.plane), (a.row, b.row), (a.column, b.column)]
    if a.space == "shared" or a.buffer != b.buffer:
        places = [(a.address, b.address)]
    equal = [f"(= {first.text(x)} {second.text(y)})" for x, y in places]
    if launch and not {a.scope, b.scope} <= {"gpu", "sys"}:
        equal += equal_texts(s for s in identity(problem, GRID_SCOPES) if s.scope == BLOCK)
    return f"(or {same} {conjunction(equal)})"


def _may_meet(problem: Problem, records: Records, pair: Pairing) -> bool:
    a, b = pair.first.access, pair.second.access
    if a.space == "shared":
        return True
    alone = pair.threads == ITSELF and bool(problem.alias_of(a.buffer, b.buffer))
    return alone or (pair.threads != ITSELF and phased(problem, records, a, b))


def _race(problem: Problem, interval: Interval, pair: Pairing, groups: tuple[Group, ...]) -> Claim:
    fixed = _fixed(pair.first, pair), _fixed(pair.second, pair)
    rounds = _same_rounds(*fixed)
    first, second = Copy(FIRST, BLOCK_SCOPES, fixed[0], rounds), Copy(SECOND, BLOCK_SCOPES, fixed[1], rounds)
    copies = (first, second)
    a, b = pair.first.access, pair.second.access
    identical = [s for s in identity(problem, BLOCK_SCOPES) if s.scope != BLOCK]
    words = WORDS.get(pair.threads, NOT_BETWEEN).format(interval.start)
    if _one_store(problem, pair):
        words += ", unless lanes of one warp store the same value"
    name = f"race.{interval.id}.{pair.name}"
    comment = (
        f"race: {words}",
        f"first: PTX line {a.at.line}, {a.kind} of {a.width} bytes of {a.buffer}",
        f"second: PTX line {b.at.line}, {b.kind} of {b.width} bytes of {b.buffer}",
    )

    def query(linear: bool) -> Query:
        return _query(problem, groups, pair, copies, identical, name, comment, linear)

    lines = (a.at.line,) if a.id == b.id else (a.at.line, b.at.line)
    subjects = ((a, first), (b, second))
    shared_rounds = tuple(dict.fromkeys(h.cond for h in _rounds(copies)))
    finite = Apart(*subjects, _excused(problem, pair, identical), shared_rounds) if a.space == "shared" else None
    given = (query(False), query(True)) if finite is None else (lambda: query(False), lambda: query(True))
    weaker = None
    if _one_value(problem, pair):
        weaker = partial(_query, problem, groups, pair, copies, identical, name, comment, False, one_value=True)
    return Claim(
        name, "race", lines, given[0], words, given[1], subjects=subjects, threads=pair.threads, finite=finite,
        weaker=weaker,
    )


def _query(
    problem: Problem, groups: tuple[Group, ...], pair: Pairing, copies: tuple[Copy, Copy], identical: list[Symbol],
    name: str, comment: tuple[str, ...], linear: bool, one_value: bool = False,
) -> Query:
    first, second = copies
    a, b = pair.first.access, pair.second.access
    x, y = first.text(a.address), second.text(b.address)
    items = [first.poly(a.address), second.poly(b.address)]
    meet = f"(and (< {x} (+ {y} {b.width})) (< {y} (+ {x} {a.width})))"
    own = pair.threads == ITSELF or _whole_warps(pair)
    excuse = unless_indivisible(problem, a, b, copies, conjunction(equal_texts(identical)), launch=False)
    if _one_store(problem, pair):
        excuse = f"(or {excuse} {warps(problem, copies).text})"
    if one_value:
        places = [(a.address, b.address), *zip(a.values, b.values, strict=True)]
        equal = [(first.poly(p), second.poly(q)) for p, q in places if p is not None and q is not None]
        excuse = f"(or {excuse} {conjunction([same(p, q).text for p, q in equal])})"
        items += [p for both in equal for p in both]
    goal = f"(not {meet})" if own else f"(=> {meet} {excuse})"
    apart = _ordered(groups, pair, copies)
    if apart:
        goal = f"(or {goal} {' '.join(c.text for c in apart)})"
    here = [*known(a.at, first), *known(b.at, second), *_rounds(copies)]
    here += _related(problem, pair.threads, copies, identical)
    marked = [] if own else [s.renamed(s.name + c.mark) for s in identical for c in copies]
    hypotheses = [*domain(problem, copies, linear), *here]
    return build(name, comment, hypotheses, goal, [*items, *apart], marked, [items[0] - items[1]])


def _ordered(groups: tuple[Group, ...], pair: Pairing, copies: tuple[Copy, Copy]) -> list[Cond]:
    """How a barrier of part of the block may order the two accesses; one in flight is complete at no arrival."""
    if pair.threads == ITSELF:
        return []
    a, b = pair.first.access, pair.second.access
    found = [] if a.flight else ordered(groups, a.at, b.at, copies)
    return found if b.flight else [*found, *ordered(groups, b.at, a.at, copies[::-1])]


def _excused(problem: Problem, pair: Pairing, identical: list[Symbol]) -> tuple[Poly, ...] | None:
    """In what two threads must differ to be a pair of this kind; enumeration may take more pairs than there are."""
    if pair.threads == OTHER_WARPS or _one_store(problem, pair):
        return (warp_number(problem),)
    if pair.threads == ITSELF or _whole_warps(pair):
        return None
    return tuple(Poly.symbol(s) for s in identical)


def _whole_warps(pair: Pairing) -> bool:
    """Whether an access is one of other lanes, too, whoever gave its address.

    A row that stmatrix writes does not meet itself: each element of it is of one lane.
    """
    if pair.first == pair.second and pair.first.access.kind == "write" and _in_step(pair.first):
        return False
    return pair.first.access.warp or pair.second.access.warp


def _in_step(member: Member) -> bool:
    """Whether two threads that make the access in one interval are in the same rounds of all loops around it."""
    return all(mode != FREE for _, mode in member.modes)


def _one_store(problem: Problem, pair: Pairing) -> bool:
    """Whether lanes of one warp make this pair in one instruction, with one value: that counts as one store.

    A contract's kernels may not do it. In a loop without a barrier nothing says that both are in the same round.
    """
    first, second = pair.first, pair.second
    if problem.strict or first != second:
        return False
    return first.access.alike and first.access.space == "shared" and first.access.kind == "write" and _in_step(first)


def _one_value(problem: Problem, pair: Pairing) -> bool:
    """Whether the weaker claim can be made that both store the same in the same place; not by a contract's kernels."""
    a, b = pair.first.access, pair.second.access
    if problem.strict or pair.threads == ITSELF or _whole_warps(pair) or a.flight or b.flight:
        return False
    return (
        a.kind == b.kind == "write" and a.space == b.space == "shared" and a.width == b.width
        and 0 < len(a.values) == len(b.values) and None not in (*a.values, *b.values)
    )


def _fixed(member: Member, pair: Pairing) -> dict[str, Poly]:
    """Iteration counts that the interval ties to each other, and to the one in which it began where that is known."""
    start, left = pair.start, pair.left
    assert start is not None
    assert left is not None
    fixed = {f"k@{loop}": term for loop, term in member.iterations() if term is not None}
    for loop, mode in start.items():
        term = iteration(loop, mode)
        if term is not None:
            (base,) = count(loop).symbols()
            fixed = {name: found.substitute({base: term}) for name, found in fixed.items()}
    # All threads leave a loop after equally many rounds (the trips claims).
    ends = (*pair.first.modes, *pair.second.modes, *start.items())
    fixed |= {f"K@{loop}": leaving(loop) for loop, mode in ends if mode.startswith("exit")}
    fixed |= {f"K@{loop}": Poly.constant(int(mode)) for loop, mode in left.items()}
    return fixed


def _same_rounds(first: dict[str, Poly], second: dict[str, Poly]) -> frozenset[str]:
    """The loops of which both accesses are in the same round."""
    return frozenset(n.removeprefix("k@") for n, t in first.items() if n.startswith("k@") and second.get(n) == t)


def _rounds(copies: tuple[Copy, Copy]) -> list[Hypothesis]:
    """An iteration before the one in which the interval began is one only from 0 on."""
    found = []
    for copy in copies:
        for term in copy.replaced.values():
            condition = ge(term)
            if term.terms.get((), 0) < 0:
                found.append(Hypothesis("fact", condition.text, condition))
    return found


def _related(
    problem: Problem, threads: str, copies: tuple[Copy, Copy], identical: list[Symbol]
) -> list[Hypothesis]:
    """How the two threads stand to each other."""
    if threads == ITSELF:
        first, second = copies
        conds = [same(first.poly(Poly.symbol(s)), second.poly(Poly.symbol(s))) for s in identical]
        return [
            Hypothesis("thread", text, cond) for text, cond in zip(equal_texts(identical), conds, strict=True)
        ]
    if threads not in (SAME_WARP, OTHER_WARPS):
        return []
    together = warps(problem, copies)
    if threads == SAME_WARP:
        return [together]
    apart = negate(together.cond)
    return [Hypothesis("warp", f"(not {together.text})", apart)]
