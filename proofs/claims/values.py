"""Claims about single points: values in range, registers written, loops that end, traps not reached, the grid."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from proofs.claims.model import Claim, Items, conjunction, domain, known
from proofs.contents import contents_of
from proofs.loops_exit import linear, literals
from proofs.loops_facts import unequal
from proofs.problem import Problem
from proofs.query import Hypothesis, Query, build
from proofs.records import LoopRecord, Point, Range, Records
from proofs.terms import Cond, ModAtom, Poly, conj, integer, le, lt, quote
from spec.contracts.model import MAX_GRID

FOREVER = 2**64


def value_claims(problem: Problem, records: Records) -> list[Claim]:
    """range, defined, variant, trap and grid claims."""
    claims = []
    for r in records.ranges:
        bits = (r.high - r.low).bit_length()
        words = f"the number fits {bits} bits, {'signed' if r.low < 0 else 'unsigned'}: it has not wrapped"
        goal = f"(and (<= {integer(r.low)} {r.term.text}) (<= {r.term.text} {integer(r.high)}))"
        aim = conj((le(r.low, r.term), le(r.term, r.high)))
        claim = _claim(problem, f"range.{r.id}", "no-wrap", words, r.at, [], goal, [r.term], aim)
        claims.append(replace(claim, visible=_first_time(records, r)))
    for d in records.reads:
        words = f"register {d.register} has been written" + (", and all that its value is made of" if d.made else "")
        claims.append(_claim(problem, f"defined.{d.id}", "init", words, d.at, [], d.written.text, [d.written]))
    for t in records.traps:
        claims.append(_claim(problem, f"trap.{t.id}", "no-trap", "the trap is not reached", t.at, [], "false", []))
    claims += [_variant(problem, loop) for loop in records.loops]
    if problem.contract is not None:
        claims.append(_grid(problem))
    return claims


def _claim(
    problem: Problem, name: str, obligation: str, words: str, at: Point, more: list[Hypothesis], goal: str,
    items: Items, aim: Cond | None = None,
) -> Claim:
    comment = (f"{obligation}: {words}", f"PTX line {at.line}")

    def query(linear: bool) -> Query:
        return build(name, comment, [*domain(problem, linear=linear), *known(at), *more], goal, items, aim=aim)

    return Claim(name, obligation, (at.line,), query(False), words, query(True))


def _first_time(records: Records, found: Range) -> str:
    """That the number fitted in the round before, which was a round like this one: launches that are looked for first.

    Where a counter has wrapped, what earlier rounds established is weak, and a model of a late round may be one that no
    thread comes to. In the first round that wraps, all rounds before it were what they seem.
    """
    parts = []
    for loop in records.loops:
        k = loop.iteration
        if loop.id not in found.at.loops or not _of_rounds(found.term, loop):
            continue
        here = {k: Poly.symbol(k) - 1}
        before = found.term.substitute(here).text
        fits = f"(and (<= {integer(found.low)} {before}) (<= {before} {integer(found.high)}))"
        facts = [f.substitute(here).text for f in found.at.facts if _of_rounds(f, loop)]
        parts.append(f"(or (= {quote(k.name)} 0) {conjunction([fits, *facts])})")
    return conjunction(parts) if parts else ""


def _of_rounds(item: Cond | Poly, loop: LoopRecord) -> bool:
    """Whether it depends on the round of the loop, and on nothing else that is new in each.

    An element of memory at a place that moves with the round is new: no query declares that of the round before.
    """
    symbols = item.symbols()
    moved = any(loop.iteration in e.symbols() for e in contents_of([item]))
    return loop.iteration in symbols and not moved and not any(loop.id in s.loops for s in symbols)


def _variant(problem: Problem, loop: LoopRecord) -> Claim:
    words = "the loop ends: no thread goes round 2^64 times"
    name = quote(loop.iteration.name)
    more = [Hypothesis("continue", loop.proceed.text, loop.proceed)]
    goal = f"(< {name} {FOREVER})"
    term = Poly.symbol(loop.iteration)
    claim = _claim(
        problem, f"variant.{loop.id}", "no-trap", words, loop.at, more, goal, [term], lt(term, FOREVER)
    )
    return replace(claim, visible=_stepping_over(loop))


def _stepping_over(loop: LoopRecord) -> str:
    """That a `!=` guard is never met, since its steps are of a size that does not divide the way: tried first.

    `c + s*k = 0` is met in no round if s does not divide c; modulo m, if a common divisor of s and m does not.
    """
    parts = []
    for literal in literals([loop.proceed]):
        term = unequal(literal)
        if term is None:
            continue
        remainders = [a for a in term.atoms() if isinstance(a, ModAtom)]
        size = 0
        if len(remainders) == 1 and (term - Poly.of(remainders[0])).value is not None:
            size, term = remainders[0].c, term - Poly.of(remainders[0]) + remainders[0].a
        form = linear(term, loop.iteration)
        if form is not None and (divisor := gcd(form[1], size)) > 1:
            parts.append(f"(distinct 0 (mod {form[0].text} {divisor}))")
    return f"(or {' '.join(parts)})" if len(parts) > 1 else "".join(parts)


def _grid(problem: Problem) -> Claim:
    words = "for all parameters the grid is within the hardware's limits"
    assert problem.contract is not None
    extents = problem.expected_grid
    parts = [
        f"(<= 1 {e.text}) (<= {e.text} {limit})" for e, limit in zip(extents, MAX_GRID, strict=True)
    ]
    goal = f"(and {' '.join(parts)})"
    hypotheses = [
        Hypothesis("domain", clause.text, clause)
        for text, clause in problem.domain
        if not any(s.name.startswith(("nctaid", "ctaid", "tid", "ntid")) for s in clause.symbols())
    ]
    query = build("abi.grid", (f"abi: {words}", "the contract's launch function"), hypotheses, goal, list(extents))
    return Claim("abi.grid", "abi", (), query, words)
