"""Claims about barriers of part of a block: what `proofs.phases.groups` takes for granted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofs.claims.model import BLOCK_SCOPES, FIRST, SECOND, WARP, Claim, Items, domain, known
from proofs.phases.groups import MAX_BARRIERS, Group, groups_of, own
from proofs.phases.modes import count
from proofs.problem import Problem
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import Barrier, Point, Records
from proofs.terms import (
    THREAD,
    Cond,
    Poly,
    Symbol,
    conj,
    disj,
    divide,
    eq,
    ge,
    implies,
    le,
    lt,
    modulo,
    negate,
    same,
    truth,
)


def group_claims(problem: Problem, records: Records) -> Iterator[Claim]:
    """Every claim about groups."""
    groups = groups_of(problem, records)
    for group in groups:
        lines = group.lines
        name = group.counter.rpartition(" ")[2]
        members = group.members(problem)
        flaw = group.flaw or ("" if members is not None else "the size of the block is not known")
        if flaw:
            yield _unfollowed(problem, f"group.{name}", lines, "threads arrive in full", flaw)
            continue
        assert members is not None
        yield _attendance(problem, group, name, members)
        for i, site in enumerate(group.sites):
            yield _everybody(problem, records, group, site, f"group.{name}.{i}")
            if group.arriver.op != "false":
                yield _not_again(problem, groups, group, site, f"group.{name}.{i}.again")
        if len({s.number for s in group.sites}) > 1 or not group.fixed:
            yield from _in_turn(problem, group, f"group.{name}")
        for barrier in records.barriers:
            if not barrier.group:
                yield _level(problem, group, barrier, f"group.{name}.{barrier.id}")
    if groups:
        yield _order(problem, groups)


def _stated(
    problem: Problem, name: str, words: str, lines: tuple[int, ...], copies: tuple[Copy, ...], here: list[Hypothesis],
    goal: Cond,
) -> Claim:
    comment = (f"barrier: {words}", f"PTX lines {', '.join(map(str, lines))}")
    items: Items = [goal]

    def query(linear: bool) -> Query:
        return build(name, comment, [*domain(problem, copies, linear), *here], goal.text, items)

    return Claim(name, "barrier", lines, query(False), words, query(True))


def _unfollowed(problem: Problem, name: str, lines: tuple[int, ...], words: str, reason: str) -> Claim:
    """A claim that cannot be put in terms: any launch of the domain may show that it fails."""
    return replace(_stated(problem, name, words, lines, (), [], disj(())), reason=reason, partial=True)


def _given(copy: Copy, *conditions: Cond) -> list[Hypothesis]:
    return [Hypothesis("fact", c.text, c) for c in (copy.cond(condition) for condition in conditions)]


def _attendance(problem: Problem, group: Group, name: str, members: list[int]) -> Claim:
    """As many threads as the barrier waits for, in whole warps."""
    whole = all(
        {n // WARP * WARP + lane for lane in range(WARP)} <= set(members) for n in members
    ) and group.threads % WARP == 0
    words = f"{group.threads} threads arrive in whole warps; {len(members)} may come"
    goal = conj((same(Poly.constant(len(members)), group.threads), eq(Poly.constant(0 if whole else 1))))
    return _stated(problem, f"group.{name}.full", words, group.lines, (), [], goal)


def _everybody(problem: Problem, records: Records, group: Group, site: Barrier, name: str) -> Claim:
    """Where one thread makes arrival c, every other member makes arrival c, too, here or elsewhere."""
    words = "every thread of the group arrives as often"
    first = Copy(FIRST, BLOCK_SCOPES)
    number = first.poly(group.arrivals(site.at))
    ways: list[Cond] = []
    for other in group.sites:
        way = _comes(records, group, other, number)
        if way is None:
            lines = (site.at.line, other.at.line)
            return _unfollowed(problem, name, lines, words, "arrivals in nested loops are not followed")
        ways.append(way)
    second = Copy(SECOND, BLOCK_SCOPES)
    here = [*known(site.at, first), *_given(second, group.member)]
    return _stated(problem, name, words, group.lines, (first, second), here, disj(ways))


def _comes(records: Records, group: Group, site: Barrier, number: Poly) -> Cond | None:
    """That the second thread makes its arrival `number` at a place; None if that cannot be said."""
    mine = group.arrivals(site.at)
    if not site.at.loops:
        copy = Copy(SECOND, BLOCK_SCOPES)
        return conj((same(copy.poly(mine), number), *(copy.cond(c) for c in site.at.control)))
    if len(site.at.loops) > 1:
        return None
    (name,) = site.at.loops
    loop = next(r for r in records.loops if r.id == name)
    (k,) = count(name).symbols()
    start = mine.substitute({k: Poly({})})
    step = (mine - start).terms.get(tuple(Poly.symbol(k).atoms()), 0)
    if step <= 0 or mine - start != Poly.symbol(k) * step:
        return None
    plain = Copy(SECOND, BLOCK_SCOPES)
    past = number - plain.poly(start)
    rounds = past if step == 1 else divide(past, step)
    exact = [] if step == 1 else [eq(modulo(past, step))]
    copy = Copy(SECOND, BLOCK_SCOPES, {k.name: rounds})
    earlier = Poly.symbol(Symbol(f"j@{name}.{site.id}", "iteration", THREAD, 0, None))
    before = Copy(SECOND, BLOCK_SCOPES, {k.name: earlier})
    again = implies(lt(earlier, rounds), before.cond(loop.proceed))
    entry = [plain.cond(c) for c in loop.at.control]
    return conj((ge(rounds), *exact, *entry, again, *(copy.cond(c) for c in site.at.control)))


def _not_again(problem: Problem, groups: tuple[Group, ...], group: Group, site: Barrier, name: str) -> Claim:
    """A thread that only arrives comes again to the same barrier when the phase before is complete.

    It has waited in between at a barrier at which somebody arrived who had waited for that phase.
    """
    words = "a thread that does not wait arrives again only after the others have"
    first = Copy(FIRST, BLOCK_SCOPES)
    number = first.poly(group.arrivals(site.at)) - group.turns
    here = [*known(site.at, first), *_given(first, group.arriver), *_given(Copy(), ge(number))]
    copies, ways = [first], []
    for i, other in enumerate(groups):
        both = conj((other.member, group.member, negate(group.arriver)))
        if other.counter == group.counter or other.flaw:
            continue
        waited = first.poly(other.arrivals(site.at)) - 1
        parts = [ge(waited), first.cond(conj((other.member, negate(other.arriver))))]
        parts.append(_somebody(problem, both))
        for j, place in enumerate(other.sites):
            witness = Copy(f"!{i}.{j}", BLOCK_SCOPES)
            copies.append(witness)
            there = conj((
                *(witness.cond(c) for c in (*place.at.known(), both)),
                same(witness.poly(other.arrivals(place.at)), waited),
            ))
            parts.append(implies(there, lt(number, witness.poly(group.arrivals(place.at)))))
        ways.append(conj(parts))
    return _stated(problem, name, words, group.lines, tuple(copies), here, disj(ways))


def _somebody(problem: Problem, condition: Cond) -> Cond:
    """That any thread of the block satisfies a condition on its numbers."""
    return truth(_exists(problem, condition))


def _exists(problem: Problem, condition: Cond) -> bool:
    return bool(Group("", (), condition, condition, 0, 1).members(problem))


def _in_turn(problem: Problem, group: Group, name: str) -> Iterator[Claim]:
    """The arrival's number alone decides which barrier it goes to, and as many in a row go to different ones."""
    for i, one in enumerate(group.sites):
        for j, other in enumerate(group.sites):
            copies = (Copy(FIRST, BLOCK_SCOPES), Copy(SECOND, BLOCK_SCOPES))
            here = [*known(one.at, copies[0]), *known(other.at, copies[1])]
            a, b = copies[0].poly(group.arrivals(one.at)), copies[1].poly(group.arrivals(other.at))
            x, y = copies[0].poly(one.number), copies[1].poly(other.number)
            goal = conj((
                implies(same(a, b), same(x, y)), implies(conj((lt(a, b), lt(b, a + group.turns))), negate(same(x, y))),
                le(0, x), lt(x, MAX_BARRIERS),
            ))
            words = "barriers take turns, all threads alike"
            yield _stated(problem, f"{name}.turn.{i}.{j}", words, (one.at.line, other.at.line), copies, here, goal)


def _level(problem: Problem, group: Group, barrier: Barrier, name: str) -> Claim:
    """Threads of the group have arrived equally often when all threads of the block meet."""
    tied = {f"k@{loop}": count(loop) for loop in barrier.at.loops}
    first, second = Copy(FIRST, BLOCK_SCOPES, tied), Copy(SECOND, BLOCK_SCOPES, tied)
    here = [*known(barrier.at, first), *known(barrier.at, second)]
    here += [*_given(first, group.member), *_given(second, group.member)]
    goal = same(first.poly(group.arrivals(barrier.at)), second.poly(group.arrivals(barrier.at)))
    words = "threads of a group have arrived equally often at a barrier of the whole block"
    return _stated(problem, name, words, (*group.lines, barrier.at.line), (first, second), here, goal)


def _order(problem: Problem, groups: tuple[Group, ...]) -> Claim:
    """No circle of threads that wait for each other: phases have an order in which every thread comes to them."""
    words = "threads come to the barriers of their groups in one order"
    lines = tuple(dict.fromkeys(line for g in groups for line in g.lines))
    ranked = _ranked(problem, [g for g in groups if not g.flaw])
    copies: list[Copy] = []
    parts = []
    for i, group in enumerate(ranked):
        for j, other in enumerate(ranked):
            if other is group:
                continue
            for s, site in enumerate(group.sites):
                copy = Copy(f"!{i}.{j}.{s}", BLOCK_SCOPES)
                copies.append(copy)
                parts.append(_in_order(copy, site.at, group, other, late=int(j > i)))
    return _stated(problem, "group.order", words, lines, tuple(copies), [], conj(parts))


def _ranked(problem: Problem, groups: list[Group]) -> list[Group]:
    """The groups so that one comes behind those at which its threads have waited for a phase of the same number.

    Only a proposal; the claim says that it is an order.
    """
    left = list(groups)
    before = {
        group.counter: {o.counter for o in groups if o is not group and _waited_first(problem, group, o)}
        for group in groups
    }
    found: list[Group] = []
    while left:
        names = {g.counter for g in left}
        following = next((g for g in left if not before[g.counter] & names), left[0])
        found.append(following)
        left.remove(following)
    return found


def _waited_first(problem: Problem, group: Group, other: Group) -> bool:
    """Whether some thread that comes to a phase of the group has just waited at the other's of the same number."""
    return any(
        (other.arrivals(site.at) - 1 - group.arrivals(site.at)).value == 0
        and _exists(problem, conj((own(problem, site.at), other.member, negate(other.arriver))))
        for site in group.sites
    )


def _in_order(copy: Copy, at: Point, group: Group, other: Group, late: int) -> Cond:
    """A thread that has waited at the other group's phase d comes to phase c of this one with d <= c, or d < c."""
    before = other.arrivals(at)
    here = conj((*at.known(), other.member, negate(other.arriver), lt(0, before)))
    return copy.cond(implies(here, le(before - 1 + late, group.arrivals(at))))


def ordered(groups: tuple[Group, ...], a: Point, b: Point, copies: tuple[Copy, Copy]) -> list[Cond]:
    """Ways in which what the first thread does at `a` is ordered before what the second does at `b`."""
    first, second = copies
    return [
        conj((
            first.cond(group.member), second.cond(conj((group.member, negate(group.arriver)))),
            lt(first.poly(group.arrivals(a)), second.poly(group.arrivals(b))),
        ))
        for group in groups if not group.flaw and group.counter in dict(a.counts) and group.counter in dict(b.counts)
    ]


