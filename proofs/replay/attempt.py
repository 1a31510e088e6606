"""One launch that should show a claim to be false, and what it showed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs.claims import Claim
from proofs.decide import Decide, decide
from proofs.effort import Meter
from proofs.entry import Analysis
from proofs.replay.model import Launch
from proofs.replay.watch import Seen, Watch
from spec.ptx.block import StepEvent


@dataclass(frozen=True)
class Sign:
    """What was seen, in words, and the accesses that show it; `lines` where they are not those of the claim."""

    words: str
    accesses: tuple[Seen, ...] = ()
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One launch that should show a claim to be false."""

    analysis: Analysis
    claim: Claim
    launch: Launch
    schedule: str
    cost: Meter | None = None
    ask: Decide = decide

    @property
    def thread(self) -> int:
        """The thread of the model, by its linear number."""
        x, y, _ = self.launch.block
        scales = zip("xyz", (1, x, x * y), strict=True)
        return sum(self.launch.values.get(f"tid.{axis}", 0) * scale for axis, scale in scales)

    def watch(
        self, writers: bool = False, on_line: Callable[[StepEvent, Watch], None] | None = None
    ) -> Watch:
        return Watch(
            self.analysis.problem, self.analysis.records, self.launch, self.claim.lines, writers, on_line, self.cost,
            self.analysis.one_value,
        )


class Endless(Exception):
    """A run showed nothing within its steps; others of the same claim are not worth as many again."""
