"""Which blocks of a large launch can have to do with one element of an output: those that are worth running."""

from __future__ import annotations

from collections.abc import Mapping

from proofs.claims.model import domain, known
from proofs.decide import decide
from proofs.entry import Analysis
from proofs.problem import AXES, BufferTerms
from proofs.query import Hypothesis, build
from proofs.records import Access
from proofs.terms import LAUNCH, Cond, Poly, Symbol, conj, eq, le, lt, negate

MOST = 4  # blocks for each store
RLIMIT = 2_000_000
Index = tuple[int, int, int]


def blocks_at(
    analysis: Analysis, values: Mapping[str, int], buffer: BufferTerms, element: tuple[int, int, int], flat: int
) -> tuple[Index, ...] | None:
    """Blocks in which some thread may write an element, in the launch of a model; None if the solver cannot tell.

    Args:
        element: plane, row and column.
        flat: its place where rows follow each other without a gap.
    """
    found: dict[Index, None] = {}
    for access in analysis.records.accesses:
        if access.buffer != buffer.name or not access.writes:
            continue
        hypotheses = [*domain(analysis.problem), *known(access.at)]
        hypotheses += [Hypothesis("element", c.text, c) for c in (_covers(access, element, flat),)]
        symbols = {s for h in hypotheses for s in h.cond.symbols() if s.scope == LAUNCH and s.name in values}
        hypotheses += [_is(s, values[s.name]) for s in sorted(symbols, key=lambda s: s.name)]
        axes = [s for a in AXES for s in analysis.problem.specials[f"%ctaid.{a}"].symbols()]
        for _ in range(MOST):
            answer = decide(build("concerned", (), hypotheses, "false", []).text, RLIMIT)
            if answer.status == "unknown":
                return None
            if answer.status == "unsat":
                break
            model = answer.model
            found[model.get("ctaid.x", 0), model.get("ctaid.y", 0), model.get("ctaid.z", 0)] = None
            other = negate(conj(eq(Poly.symbol(s) - model.get(s.name, 0)) for s in axes))
            hypotheses.append(Hypothesis("other", other.text, other))
    return tuple(found)


def _covers(access: Access, element: tuple[int, int, int], flat: int) -> Cond:
    plane, row, column = element
    if access.flat:
        return conj((le(access.column, flat), lt(Poly.constant(flat), access.column + access.count)))
    return conj((
        eq(access.plane - plane), eq(access.row - row), le(access.column, column),
        lt(Poly.constant(column), access.column + access.count),
    ))  # fmt: skip


def _is(symbol: Symbol, value: int) -> Hypothesis:
    cond = eq(Poly.symbol(symbol) - value)
    return Hypothesis("launch", cond.text, cond)
