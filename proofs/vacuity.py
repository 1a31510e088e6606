"""That the assumptions can be met, and not only trivially: a launch of several blocks, and one for every place.

A contradictory contract would prove everything. So the domain alone must have a model with more than one block, and
for each set of branches that leads to an access, barrier or shuffle there must be parameters, a block and a thread
that take them; running that thread must execute the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proofs.claims.model import domain, known
from proofs.decide import decide
from proofs.entry import Analysis
from proofs.problem import Problem
from proofs.query import Hypothesis, Query, build
from proofs.records import Point
from proofs.terms import Cond, Poly, Symbol, le, quote

SIZES = (4, 64, 4096, 2**20)


@dataclass(frozen=True)
class Occasion:
    """Values of parameters, block, thread and rounds at which these lines are executed."""

    lines: tuple[int, ...]
    values: dict[str, int]


def vacuity_query(problem: Problem) -> Query:
    """The domain, with more than one block where the grid is not fixed. Its goal is false: `sat` is wanted."""
    hypotheses = [*domain(problem), *_several(problem)]
    comment = ("vacuity: the assumptions can be met with more than one block", "sat is wanted")
    return build("vacuity", comment, hypotheses, "false", [])


def _several(problem: Problem) -> list[Hypothesis]:
    grid = [e for e in problem.grid if e.value is None]
    found = [le(2, grid[0])] if grid else []
    return [Hypothesis("several", c.text, c) for c in found]


def occasions(analysis: Analysis) -> tuple[list[Occasion], list[int]]:
    """For every place an occasion that reaches it, one for each set of branches; and the lines without one."""
    records = analysis.records
    places = [i.at for g in (records.accesses, records.barriers, records.shuffles) for i in g]
    groups: dict[tuple[Cond, ...], list[Point]] = {}
    for at in places:
        groups.setdefault(at.known(), []).append(at)
    found: list[Occasion] = []
    missing: list[int] = []
    for group in groups.values():
        lines = tuple(sorted({at.line for at in group}))
        values = _solve(analysis.problem, group[0])
        if values is None:
            missing += lines
        else:
            found.append(Occasion(lines, values))
    return found, sorted(set(missing))


def _solve(problem: Problem, at: Point) -> dict[str, int] | None:
    hypotheses = [*domain(problem), *known(at), *_several(problem)]
    query = build("occasion", (), hypotheses, "false", [])
    rounds = [s for s in query.symbols if s.kind in ("iteration", "exit")]
    sizes = [s for s in query.symbols if s.kind == "parameter" and not _is_base(problem, s)]
    sizes += [s for s in query.symbols if s.name.startswith("nctaid")]
    for limit in SIZES:
        bounds = [f"(assert (<= {quote(s.name)} {limit}))" for s in sizes]
        bounds += [f"(assert (<= {quote(s.name)} 1))" for s in rounds]
        text = query.text.replace("(check-sat)", "\n".join([*bounds, "(check-sat)"]))
        answer = decide(text)
        if answer.status == "sat":
            return _complete(problem, query.symbols, answer.model)
    answer = decide(query.text)
    return _complete(problem, query.symbols, answer.model) if answer.status == "sat" else None


def _is_base(problem: Problem, symbol: Symbol) -> bool:
    return any(b.base == symbol for b in problem.buffers.values())


def _complete(problem: Problem, symbols: Sequence[Symbol], model: dict[str, int]) -> dict[str, int]:
    """A value for every symbol of the launch; where the model leaves one open, its lowest."""
    values = {s.name: model.get(s.name, s.low or 0) for s in symbols if s.kind != "boolean"}
    for term in (*problem.names.values(), *problem.specials.values()):
        for symbol in term.symbols() if isinstance(term, Poly) else ():
            values.setdefault(symbol.name, symbol.low or 0)
    return dict(sorted(values.items()))
