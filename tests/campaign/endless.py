"""Whether a run that took long shows a loop that is never left: that a loop is long is no fault.

Of a loop that a thread is in, the registers that decide where it goes are compared from round to round
(`proofs.replay.endless`). If they come back, the thread goes round for ever.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.entry import Analysis
from proofs.places import instruction_places
from proofs.replay.endless import Circles, Rounds
from spec.ptx.block import StepEvent
from spec.ptx.faults import Enough
from tests.campaign.seeing import Runner

ENDLESS_STEPS = 20_000
Array = npt.NDArray[Any]
NOWHERE = -1


class _Loops:
    """Listens to a run of one kernel."""

    def __init__(self, analysis: Analysis) -> None:
        self.places = instruction_places(analysis.problem.function)
        self.deciding: dict[str, frozenset[str]] = {}
        self.bodies: dict[str, Array] = {}
        for loop in analysis.records.loops:
            rounds = Rounds(analysis, loop)
            if rounds.deciding is not None:
                self.deciding[loop.id] = rounds.deciding
                self.bodies[loop.id] = np.array(sorted(id(i) for i in rounds.body), np.int64)
        self.endless = False
        self._before: dict[Any, Array] = {}
        self._rounds: dict[Any, Array] = {}
        self._circles: dict[Any, Circles] = {}

    def on_step(self, event: StepEvent) -> None:
        size = max(map(len, event.registers.values()), default=0)
        before = self._before.setdefault(event.block, np.full(max(size, 1024), NOWHERE, np.int64))
        place = self.places[id(event.instr)]
        if place in self.deciding and size:
            key = event.block, place
            rounds = self._rounds.setdefault(key, np.zeros(size, np.int64))
            again = np.isin(before[event.standing], self.bodies[place])
            rounds[event.standing] = np.where(again, rounds[event.standing] + 1, 0)
            circles = self._circles.setdefault(key, Circles(self.deciding[place]))
            if circles.look(event.registers, event.standing, rounds) is not None:
                self.endless = True
                raise Enough
        before[event.standing] = id(event.instr)


def goes_on_for_ever(runner: Runner, analysis: Analysis, number: int) -> bool:
    """Whether this run of the kernel comes to a state of a loop twice."""
    listener = _Loops(analysis)
    runner.run(number, ENDLESS_STEPS, runner.concrete(number), on_step=listener.on_step)
    return listener.endless
