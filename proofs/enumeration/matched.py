"""Writers whose guards hang on a size that is not known, and readers whose own guards say enough of it.

`if (64*b + w < n) s[w] = ...` and later `if (64*b + r < n) ... s[r-1]`: the reader of lane r takes what lane w = r-1
writes, and what it knows of `n - 64*b` is what that writer needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proofs.enumeration.evaluate import Array, Lanes, NotFinite
from proofs.enumeration.site import private
from proofs.enumeration.table import Grid, Table
from proofs.terms import Cond


@dataclass(frozen=True)
class Guard:
    """One condition over the lanes of a table: where it holds for sure, or that `exact` + a term of the block is >= 0.

    `rest` is that term's text, '' where there is none.
    """

    sure: Array
    exact: Array
    rest: str


def guards(lanes: Lanes, conditions: Sequence[Cond]) -> list[Guard]:
    """What each condition asks."""
    return [_guard(lanes, condition) for condition in conditions]


def _guard(lanes: Lanes, condition: Cond) -> Guard:
    sure = np.broadcast_to(lanes.certain(condition), (lanes.count,))
    if condition.op == "ge" and condition.term is not None:
        finite, rest = lanes.split(condition.term)
        if rest.terms and not any(private(s) for s in rest.symbols()):
            try:
                return Guard(sure, np.broadcast_to(lanes.value(finite), (lanes.count,)), rest.text)
            except NotFinite:
                pass
    return Guard(sure, np.zeros(lanes.count, np.int64), "")


def matched(reader: Table, writer: Table, known: frozenset[Cond], reached: Array, grid: Grid) -> Array:
    """Cells, one row for each lane of the reader, that a lane of the writer has written if the reader is where it is.

    Args:
        known: what the reader knows of the block.
        reached: lanes of the writer that come to the write if its conditions hold.
    """
    asked = guards(replace(writer.lanes, known=known), writer.conditions)
    told = guards(reader.lanes, [c for c in reader.conditions if c.op == "ge"])
    rests = {g.rest for g in told} - {""}
    able = reached.copy()
    for guard in asked:
        if guard.rest not in rests:
            able &= guard.sure
    cells = grid.cell(writer, able)
    lane_of = np.full(grid.cells * grid.groups, -1, np.int64)
    lane_of[cells.ravel()] = np.repeat(np.flatnonzero(able), cells.shape[1])
    lane = lane_of[grid.cell(reader)]
    found = lane >= 0
    for guard in asked:
        if guard.rest not in rests:
            continue
        holds = guard.sure[lane]
        for given in told:
            if given.rest == guard.rest:
                holds = holds | (guard.exact[lane] >= given.exact[:, None])
        found = found & holds
    return found
