"""The verdict of an obligation: a value that can be compared and combined, never an exception."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import total_ordering


@total_ordering
class Verdict(Enum):
    """REFUTED < VIOLATED < UNKNOWN < DERIVED < PROVED; a conjunction has the verdict of its weakest part, `min`.

    VIOLATED is what any verdict but REFUTED becomes that names an assumption which a device was measured to violate
    (proofs.devices): the argument may be right, but not of that device.
    DERIVED is for numerics only: every lemma has an artifact, the assembly over lengths is written down and reviewed
    but not mechanised. It is counted in its own column and never as proved.
    """

    REFUTED = "refuted"
    VIOLATED = "assumption violated"
    UNKNOWN = "unknown"
    DERIVED = "derived"
    PROVED = "proved"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        return _RANK[self] < _RANK[other]

    __hash__ = Enum.__hash__


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def conjunction(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of all of them together. Of none at all it is UNKNOWN: nothing examined is not proved."""
    return min(verdicts, default=Verdict.UNKNOWN)
