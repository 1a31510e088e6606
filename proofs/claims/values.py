"""Claims about single points: values in range, registers written, loops that end, traps not reached, the grid."""

from __future__ import annotations

from proofs.claims.model import Claim, Items, domain, known
from proofs.problem import Problem
from proofs.query import Hypothesis, Query, build
from proofs.records import LoopRecord, Point, Records
from proofs.terms import Poly, integer, quote
from spec.contracts.model import MAX_GRID

FOREVER = 2**64


def value_claims(problem: Problem, records: Records) -> list[Claim]:
    """range, defined, variant, trap and grid claims."""
    claims = []
    for r in records.ranges:
        bits = (r.high - r.low).bit_length()
        words = f"the number fits {bits} bits, {'signed' if r.low < 0 else 'unsigned'}: it has not wrapped"
        goal = f"(and (<= {integer(r.low)} {r.term.text}) (<= {r.term.text} {integer(r.high)}))"
        claims.append(_claim(problem, f"range.{r.id}", "no-wrap", words, r.at, [], goal, [r.term]))
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
    problem: Problem, name: str, obligation: str, words: str, at: Point, more: list[Hypothesis], goal: str, items: Items
) -> Claim:
    comment = (f"{obligation}: {words}", f"PTX line {at.line}")

    def query(linear: bool) -> Query:
        return build(name, comment, [*domain(problem, linear=linear), *known(at), *more], goal, items)

    return Claim(name, obligation, (at.line,), query(False), words, query(True))


def _variant(problem: Problem, loop: LoopRecord) -> Claim:
    words = "the loop ends: no thread goes round 2^64 times"
    name = quote(loop.iteration.name)
    more = [Hypothesis("continue", loop.proceed.text, loop.proceed)]
    goal = f"(< {name} {FOREVER})"
    return _claim(
        problem, f"variant.{loop.id}", "no-trap", words, loop.at, more, goal, [Poly.symbol(loop.iteration)]
    )


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
