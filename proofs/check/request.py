"""What `fltc check` was asked, still in the user's words; the prover parses it (grammar: docs/check.md)."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.effort import DEFAULT_EFFORT


@dataclass(frozen=True)
class CheckRequest:
    """One PTX text and the flags given with it.

    Args:
        path: name of the source for messages.
        text: its content.
        entry: the entry to check, or None for all of them.
        block: sizes of x, y, z; None leaves a size symbolic, a str is an expression over parameters.
        grid: the same for the grid; None as a whole leaves every size symbolic.
        assumes: comparisons over parameters, as typed.
        buffers: `P=f32[n]:r` declarations, as typed.
        names: names of the parameters in order; empty means p0, p1, ...
        may_alias: pairs of parameter names whose buffers may overlap; all others are assumed disjoint, and said so.
        facts: what buffers hold, as typed: `table[i] in [0, blocks)`.
        hints: what may help to prove something, as typed (`proofs.hints`).
        covers: parameters whose buffers must be written in every element.
        allow_exited: a thread that has exited does not count as missing at a barrier.
        shard: `(i, n)`: of the entries asked for, in text order, every n-th from the i-th on.
        effort: how much work an entry may cost, see `proofs.effort`.
        assembled: ptxas has accepted the text already, so that it is not asked again; not a flag of the command line.
    """

    path: str
    text: str
    entry: str | None = None
    block: tuple[int | str | None, ...] | None = None
    grid: tuple[int | str | None, ...] | None = None
    assumes: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    may_alias: tuple[tuple[str, str], ...] = ()
    facts: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    allow_exited: bool = False
    effort: int = DEFAULT_EFFORT
    shard: tuple[int, int] = (1, 1)
    assembled: bool = False
