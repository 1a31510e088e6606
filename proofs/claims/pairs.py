"""Claims about two accesses of different threads: one writer for each byte, no data race."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

from proofs.claims.model import (
    GRID_SCOPES,
    Claim,
    apart,
    conjunction,
    domain,
    equal_texts,
    identity,
    known,
)
from proofs.claims.tiles import tile_question
from proofs.claims.within import interval_claims, phased, unless_indivisible
from proofs.enumeration.question import Apart
from proofs.intervals import Interval
from proofs.problem import BufferTerms, Problem
from proofs.query import Copy, Hypothesis, Query, build
from proofs.records import Access, Records
from proofs.terms import (
    BLOCK,
    THREAD,
    Poly,
    Symbol,
    conj,
    disj,
    implies,
    negate,
    opaque_truth,
    same,
)

_OWN = ("opaque", "boolean", "exit")  # kinds of unknowns that a thread finds out for itself


def pair_claims(problem: Problem, records: Records, intervals: tuple[Interval, ...]) -> Iterator[Claim]:
    """writers, race across the launch, and race within each interval of each shared variable; one by one, as there
    may be more than anybody wants."""
    accesses = [a for a in records.accesses if a.space == "global"]
    copies = apart(GRID_SCOPES)
    for a, b in combinations_with_replacement(accesses, 2):
        if not problem.alias_of(a.buffer, b.buffer) or not (a.writes or b.writes):
            continue
        if a.kind == b.kind == "write":
            yield _writers(problem, a, b, copies)
        else:
            yield _grid_race(problem, a, b, copies, phased(problem, records, a, b))
    yield from interval_claims(problem, records, intervals)


def overlap_text(
    problem: Problem, a: Access, b: Access, first: Copy, second: Copy
) -> tuple[str, list[Poly]]:
    """That the bytes of two accesses to one buffer meet, and the terms used; the first two are what is compared.

    In global memory (plane, row, column) stand for the address: rows and planes do not overlap (the `rows` claims).
    """
    if a.space == "shared" or a.buffer != b.buffer:
        x, y = first.text(a.address), second.text(b.address)
        items = [first.poly(a.address), second.poly(b.address)]
        return f"(and (< {x} (+ {y} {b.width})) (< {y} (+ {x} {a.width})))", items
    if a.flat != b.flat:
        left, right = (_index(problem.buffers[a.buffer], c) for c in (a, b))
        x, y, items = first.text(left), second.text(right), [first.poly(left), second.poly(right)]
        return f"(and (< {x} (+ {y} {b.count})) (< {y} (+ {x} {a.count})))", items
    items = [first.poly(a.column), second.poly(b.column), first.poly(a.row), second.poly(b.row)]
    x, y = first.text(a.column), second.text(b.column)
    meet = f"(< {x} (+ {y} {b.count})) (< {y} (+ {x} {a.count}))"
    if not (a.row.value == 0 and b.row.value == 0):
        meet = f"(= {first.text(a.row)} {second.text(b.row)}) {meet}"
    if not (a.plane.value == 0 and b.plane.value == 0):
        meet = f"(= {first.text(a.plane)} {second.text(b.plane)}) {meet}"
        items += [first.poly(a.plane), second.poly(b.plane)]
    return f"(and {meet})", items


def _index(buffer: BufferTerms, access: Access) -> Poly:
    """The element of an access, counted through a buffer without gaps."""
    index = access.column
    if buffer.leading is not None:
        index = index + access.row * buffer.leading
    return index + access.plane * buffer.plane_stride if buffer.plane_stride is not None else index


def _claim(
    problem: Problem, name: str, obligation: str, words: str, a: Access, b: Access, copies: tuple[Copy, Copy],
    goal: str, items: list[Poly], marked: list[Symbol], finite: Apart | None = None,
) -> Claim:
    first, second = copies
    comment = (
        f"{obligation}: {words}",
        f"first: PTX line {a.at.line}, {a.kind} of {a.width} bytes of {a.buffer}",
        f"second: PTX line {b.at.line}, {b.kind} of {b.width} bytes of {b.buffer}",
    )

    def query(linear: bool) -> Query:
        here = [*known(a.at, first), *known(b.at, second), *_one_thread(problem, a, b, copies)]
        hypotheses = [*domain(problem, copies, linear), *here]
        return build(name, comment, hypotheses, goal, items, marked, _differences(items))

    subjects = ((a, first), (b, second))
    lines = (a.at.line,) if a.id == b.id else (a.at.line, b.at.line)
    given = (query(False), query(True)) if finite is None else (lambda: query(False), lambda: query(True))
    return Claim(name, obligation, lines, given[0], words, given[1], subjects=subjects, finite=finite)


def _differences(items: list[Poly]) -> list[Poly]:
    """Coordinate against coordinate, whose sign matters."""
    return [x - y for x, y in zip(items[::2], items[1::2], strict=True)]


def _one_thread(problem: Problem, a: Access, b: Access, copies: tuple[Copy, Copy]) -> list[Hypothesis]:
    """What two instructions find in one thread and round is one and the same: both go by it, whatever it is.

    Only of unknowns that decide about both, and change in no loop that one of them is outside of.
    """
    if a.id == b.id or a.space != "global":
        return []
    decide = [{s for c in x.at.control for s in c.symbols() if s.kind in _OWN} for x in (a, b)]
    found = []
    for symbol in sorted(decide[0] & decide[1], key=lambda s: s.name):
        if not symbol.loops <= {*a.at.loops} & {*b.at.loops}:
            continue
        rounds = [Symbol(f"k@{loop}", "iteration", THREAD, 0, None) for loop in sorted(symbol.loops)]
        tied = [*identity(problem, GRID_SCOPES), *rounds]
        one = conj(same(*(c.poly(Poly.symbol(s)) for c in copies)) for s in tied)
        if symbol.kind == "boolean":
            x, y = (c.cond(opaque_truth(symbol)) for c in copies)
            equal = disj((conj((x, y)), conj((negate(x), negate(y)))))
        else:
            equal = same(*(c.poly(Poly.symbol(symbol)) for c in copies))
        cond = implies(one, equal)
        found.append(Hypothesis("one-thread", cond.text, cond))
    return found


def _marked(symbols: list[Symbol], copies: tuple[Copy, Copy]) -> list[Symbol]:
    return [s.renamed(s.name + c.mark) for s in symbols for c in copies]


def _iterations(access: Access) -> list[Symbol]:
    """The round counts of all loops around an access, also of those its address does not depend on."""
    return [Symbol(f"k@{loop}", "iteration", THREAD, 0, None) for loop in access.at.loops]


def _writers(problem: Problem, a: Access, b: Access, copies: tuple[Copy, Copy]) -> Claim:
    meet, items = overlap_text(problem, a, b, *copies)
    name = f"writers.{a.id}.{b.id}"
    same = identity(problem, GRID_SCOPES)
    finite = None if a.buffer in problem.rewrites else tile_question(problem, a, b)
    if a.id == b.id and a.buffer not in problem.rewrites:
        same = same + _iterations(a)
    if a.id != b.id and a.buffer not in problem.rewrites:
        words = "two store instructions never write the same byte"
        goal = f"(not {meet})"
        claim = _claim(problem, name, "single-writer", words, a, b, copies, goal, items, [], finite)
        return _or_alike(problem, claim, a, b, copies, meet, "false", items, [])
    words = "only one thread, in one iteration, writes a byte"
    goal = f"(=> {meet} {conjunction(equal_texts(same))})"
    claim = _claim(problem, name, "single-writer", words, a, b, copies, goal, items, _marked(same, copies), finite)
    return _or_alike(problem, claim, a, b, copies, meet, conjunction(equal_texts(same)), items, _marked(same, copies))


def _or_alike(
    problem: Problem, claim: Claim, a: Access, b: Access, copies: tuple[Copy, Copy], meet: str, excused: str,
    items: list[Poly], marked: list[Symbol],
) -> Claim:
    """The claim with the weaker one that writers who are not one put the same values in the same place.

    A class of its own, said of in the report, and not for contracts: they promise one writer.
    """
    stored = [(x, y) for x, y in zip(a.values, b.values, strict=False) if x is not None and y is not None]
    if problem.strict or a.width != b.width or not len(stored) == len(a.values) == len(b.values) > 0:
        return claim
    first, second = copies
    places = [(a.plane, b.plane), (a.row, b.row), (a.column, b.column)]
    if a.buffer != b.buffer or a.flat != b.flat:
        places = [(a.address, b.address)]
    equal = [(first.poly(x), second.poly(y)) for x, y in (*places, *stored)]
    alike = conjunction([same(x, y).text for x, y in equal])
    goal = f"(=> {meet} (or {excused} {alike}))"
    spoken = [*items, *(p for pair in equal for p in pair)]
    weaker = _claim(problem, claim.name, claim.obligation, claim.words, a, b, copies, goal, spoken, marked)
    return replace(claim, weaker=weaker.query)


def _grid_race(problem: Problem, a: Access, b: Access, copies: tuple[Copy, Copy], phased: bool) -> Claim:
    """`phased`: what one block does is looked at in its barrier intervals, so that only two blocks are asked about."""
    meet, items = overlap_text(problem, a, b, *copies)
    same = [s for s in identity(problem, GRID_SCOPES) if s.scope == BLOCK or not phased]
    goal = f"(=> {meet} {unless_indivisible(problem, a, b, copies, conjunction(equal_texts(same)), launch=True)})"
    words = f"a byte that one thread writes no other {'block' if phased else 'thread'} reads in this launch"
    if a.kind == b.kind == "atomic":
        words = "atomics of different threads on one byte are of the same bytes, and their scopes cover both threads"
    return _claim(
        problem, f"race.{a.id}.{b.id}", "race", words, a, b, copies, goal, items, _marked(same, copies)
    )
