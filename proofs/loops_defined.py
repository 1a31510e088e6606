"""Where what a register holds at the head of a loop is defined (`proofs/registers.py`)."""

from __future__ import annotations

from proofs.loops_exit import Decide
from proofs.loops_frame import Frame
from proofs.state import State
from proofs.terms import FALSE, TRUE, Cond, conj, eq


def less_defined(frame: Frame, start: State, back: State | None, decide: Decide) -> dict[str, Cond]:
    """Registers that a round may leave less defined than it finds them, with a condition to be tried next.

    That is what holds before and after the round, if it is the same for all rounds; else that it is the first one, and
    nothing is needed of the round. At first a register counts as defined where it is so on entry.
    """
    found: dict[str, Cond] = {}
    for register in frame.modified if back is not None else ():
        assert back is not None
        entered, before, after = (s.written.get(register, FALSE) for s in (frame.entry, start, back))
        first = conj((eq(frame.k), entered))
        if before in (FALSE, first) or after in (TRUE, before):
            continue
        if not decide((*back.control, *back.facts, before), after):
            found[register] = first if before != entered or frame.varies(after) else conj((before, after))
    return found
