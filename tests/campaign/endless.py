"""Whether a launch that takes long never ends: a block that comes to one state twice does not.

That a loop is long is no fault: a counter that steps over its end may come round after 2^31 rounds. A loop that changes
something in every round is not seen to be endless here, so that it counts neither way.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from spec.ptx.access import AccessEvent
from spec.ptx.block import StepEvent
from spec.ptx.faults import Enough
from tests.campaign.seeing import Runner

STEPS = 20_000


class _States:
    """The states of the block that runs, as long as it stores nothing."""

    def __init__(self) -> None:
        self.block: tuple[int, int, int] | None = None
        self.seen: set[bytes] = set()
        self.repeats = False

    def on_access(self, event: AccessEvent) -> None:
        if event.kind != "read":
            self.seen.clear()

    def on_step(self, event: StepEvent) -> None:
        if event.block != self.block:
            self.block = event.block
            self.seen.clear()
        if event.instr.base != "bra":
            return
        state = sha256(f"{id(event.instr)} {len(event.enabled)}".encode() + np.asarray(event.standing).tobytes())
        for name in sorted(event.registers):
            state.update(np.asarray(event.registers[name]).tobytes())
        key = state.digest()
        if key in self.seen:
            self.repeats = True
            raise Enough
        self.seen.add(key)


def endless(runner: Runner, number: int) -> bool:
    """Whether the launch of a run goes on for ever where all warps go together."""
    states = _States()
    runner.run(
        number, STEPS, runner.concrete(number), on_access=states.on_access, on_step=states.on_step, schedule="forward"
    )
    return states.repeats
