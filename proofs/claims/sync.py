"""Claims about threads moving together: barriers, shuffles, and the loops that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from proofs.claims.groups import group_claims
from proofs.claims.memory import inside
from proofs.claims.model import BLOCK_SCOPES, FIRST, SECOND, WARP, Claim, Items, conjunction, domain, known, warps
from proofs.phases.groups import MAX_BARRIERS
from proofs.problem import Problem
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import Barrier, LoopRecord, Point, Records
from proofs.terms import Cond, Poly, Symbol, conj, disj, eq, le, lt, modulo, same, truth
from proofs.uniformity import never_written

ALL_LANES = 2**32 - 1


def sync_claims(problem: Problem, records: Records) -> list[Claim]:
    """barrier, converged and trips claims."""
    loops = {loop.id: loop for loop in records.loops}
    claims = [
        _together(problem, f"barrier.{b.id}", "every thread of the block reaches the barrier", b.at, loops, warp=False,
                  leaves=records.leaves if problem.allow_exited else ())
        for b in records.barriers if not b.group
    ]
    claims += [_one_number(problem, b) for b in records.barriers if not b.group and not _names_a_barrier(b.number)]
    for b in records.barriers:
        if b.group:
            words = "every lane of the warp is here"
            claims.append(_together(problem, f"converged.{b.id}", words, b.at, loops, warp=True))
    for s in records.shuffles:
        claims.append(_together(problem, f"converged.{s.id}", "every lane of the mask is here", s.at, loops, warp=True))
        claims.append(_lanes(problem, f"lanes.{s.id}", s.at, s.members))
    wide = {loop for b in records.barriers if not b.group for loop in b.at.loops}
    narrow = {loop for s in records.shuffles for loop in s.at.loops} - wide
    narrow |= {loop for b in records.barriers if b.group for loop in b.at.loops} - wide
    held = [loop for loop in records.loops if loop.id in wide | narrow]
    claims += [_trips(problem, loop, loop.id not in wide) for loop in held]
    points = [*(b.at for b in records.barriers), *(s.at for s in records.shuffles), *(loop.at for loop in held)]
    decides = {s for p in points for c in p.known() for s in c.symbols()}
    decides |= {s for loop in held for s in loop.proceed.symbols()}
    if any(s.uniform and s.kind in ("opaque", "boolean") for s in decides):
        claims += _unchanged(problem, records)
    return [*claims, *group_claims(problem, records)]


def _unchanged(problem: Problem, records: Records) -> list[Claim]:
    """Buffers that are declared read only, and give all threads the same where they load from one address, stay as they
    are: what is written is written inside buffers that may be."""
    constant = {
        a.buffer for a in records.accesses
        if a.kind == "read" and a.space == "global" and never_written(problem, a.buffer)
    }
    if not constant:
        return []
    words = f"what is written is no part of {', '.join(sorted(constant))}, from which all threads load alike"
    claims = []
    for access in records.accesses:
        if access.space != "global" or not access.writes:
            continue
        buffer = problem.buffers[access.buffer]
        name = f"unchanged.{access.id}"
        if "w" not in buffer.access or buffer.columns is None:
            reason = f"{access.buffer} is not declared, or not as one that is written"
            claims.append(Claim(name, "barrier", (access.at.line,), None, words, reason=reason))
        else:
            for part in inside(problem, access, buffer):
                kind = part.name.partition(".")[0]
                claims.append(replace(part, name=f"{name}.{kind}", obligation="barrier", words=words))
    return claims


def _copies(at: Point, symbols: set[Symbol]) -> tuple[Copy, Copy]:
    """Two threads of a block in the same iteration of every loop around the point."""
    tied = {f"k@{loop}" for loop in at.loops}
    fixed = {s.name: Poly.symbol(s) for s in symbols if s.name in tied}
    rounds = frozenset(at.loops)
    return Copy(FIRST, BLOCK_SCOPES, fixed, rounds), Copy(SECOND, BLOCK_SCOPES, fixed, rounds)


def _claim(
    problem: Problem, name: str, words: str, at: Point, copies: tuple[Copy, Copy], here: list[Hypothesis], goal: str,
    items: Items, aim: Cond | None = None,
) -> Claim:
    comment = (f"barrier: {words}", f"PTX line {at.line}")

    def query(linear: bool) -> Query:
        return build(name, comment, [*domain(problem, copies, linear), *here], goal, items, aim=aim)

    return Claim(name, "barrier", (at.line,), query(False), words, query(True))


def _together(
    problem: Problem, name: str, words: str, at: Point, loops: Mapping[str, LoopRecord], warp: bool,
    leaves: tuple[Cond, ...] = (),
) -> Claim:
    """The second thread comes here too, or ends before any barrier by one of `leaves`."""
    around = [loops[loop] for loop in at.loops]
    symbols = {s for p in (at, *(loop.at for loop in around)) for c in p.known() for s in c.symbols()}
    copies = _copies(at, symbols)
    first, second = copies
    # Nothing is assumed of the second thread: what is known at the point holds only of threads that get there.
    here = known(at, first)
    if warp:
        here.append(warps(problem, copies))
    goal = _arrives(at.control, around, second)
    items: Items = [second.cond(c) for c in (*at.control, *leaves, *(f for loop in around for f in loop.at.facts))]
    # It does, whatever the loops around, if all these branches are taken.
    aim = disj((conj(second.cond(c) for c in at.control), *(second.cond(c) for c in leaves)))
    if leaves:
        goal = f"(or {goal} {' '.join(second.text(c) for c in leaves)})"
        words += ", or has ended before any barrier"
    return _claim(problem, name, words, at, copies, here, goal, items, aim)


def _names_a_barrier(number: Poly) -> bool:
    return number.value is not None and 0 <= number.value < MAX_BARRIERS


def _one_number(problem: Problem, barrier: Barrier) -> Claim:
    """All threads of the block that are here come to one barrier, and there is such a barrier (PTX ISA 9.7.13.1)."""
    at = barrier.at
    first, second = copies = _copies(at, {*barrier.number.symbols(), *(s for c in at.known() for s in c.symbols())})
    x, y = first.poly(barrier.number), second.poly(barrier.number)
    goal = conj((same(x, y), le(0, x), lt(x, MAX_BARRIERS)))
    here = [*known(at, first), *known(at, second)]
    words = f"the barrier has one number for all threads, below {MAX_BARRIERS}"
    return _claim(problem, f"barrier.{barrier.id}.number", words, at, copies, here, goal.text, [goal])


def _arrives(control: tuple[Cond, ...], around: Sequence[LoopRecord], thread: Copy) -> str:
    """That a thread takes these branches.

    It enters the outermost loop around; from there on the `trips` claims keep both threads in the same rounds, so that
    what is known of every thread in this round of the loop is known of it; and so on inwards.
    """
    if not around:
        return conjunction([thread.text(c) for c in control])
    loop, enters = around[0].at, around[0].at.control
    assert control[: len(enters)] == enters
    inside = _arrives(control[len(enters):], [_beyond(loop, enters) for loop in around[1:]], thread)
    facts = conjunction([thread.text(f) for f in loop.facts])
    then = inside if facts == "true" else f"(=> {facts} {inside})"
    return then if not enters else conjunction([*(thread.text(c) for c in enters), then])


def _beyond(loop: LoopRecord, outer: tuple[Cond, ...]) -> LoopRecord:
    """The loop with only those branches to its head that lie behind the outer one's."""
    return replace(loop, at=replace(loop.at, control=loop.at.control[len(outer):]))


def _lanes(problem: Problem, name: str, at: Point, members: int) -> Claim:
    """The mask names all 32 lanes, and the block has whole warps."""
    words = "the mask names exactly the lanes of a whole warp"
    threads = problem.specials["%ntid.x"] * problem.specials["%ntid.y"] * problem.specials["%ntid.z"]
    goal = f"(and (= {members} {ALL_LANES}) (= (mod {threads.text} {WARP}) 0))"
    comment = (f"barrier: {words}", f"PTX line {at.line}")
    aim = conj((truth(members == ALL_LANES), eq(modulo(threads, WARP))))
    query = build(name, comment, domain(problem, linear=True), goal, [threads], aim=aim)
    return Claim(name, "barrier", (at.line,), query, words)


def _trips(problem: Problem, loop: LoopRecord, warp: bool) -> Claim:
    symbols = {s for c in (*loop.at.known(), loop.proceed) for s in c.symbols()}
    at = loop.at
    copies = _copies(at, symbols)
    first, second = copies
    proceed: Cond = loop.proceed
    here = [*known(at, first), Hypothesis("continue", first.text(proceed), first.cond(proceed)), *known(at, second)]
    if warp:
        here.append(warps(problem, copies))
    words = "all threads go round the loop equally often"
    return _claim(
        problem, f"trips.{loop.id}", words, at, copies, here, second.text(proceed), [second.cond(proceed)]
    )


