"""Replay of candidate counterexamples in the emulator; not there yet, so no model counts as a refutation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proofs.claims import Claim
from proofs.entry import Analysis


@dataclass(frozen=True)
class Replay:
    """Whether a model showed a fault when it was run, and what was seen."""

    reproduced: bool
    detail: str

    def to_json(self) -> dict[str, Any]:
        """The counterexample as data."""
        return {"detail": self.detail}


def replay(analysis: Analysis, claim: Claim, model: dict[str, int]) -> Replay:
    """The outcome of running the model."""
    return Replay(False, "models are not run yet")
