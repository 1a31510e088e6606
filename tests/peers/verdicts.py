"""What a checker said of one kernel, in the words that all of them share."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FOUND, CLEAN, HANG, CRASH, FAILED = "found", "clean", "hang", "crash", "failed"
SKIPPED, NOT_RUN = "skipped", "not run"


@dataclass(frozen=True)
class Said:
    """One answer.

    Args:
        verdict: `found` (it reports an error or a warning), `clean`, `hang` (no end within the limit), `crash` (the
            driver ended the launch with an error, without a report of the tool), `failed` (the tool or the process
            that launches broke off), `skipped` (not tried, `kinds` says why), `not run`.
        kinds: of what it found, each once in the tool's words; or why there is no answer.
        seconds: on the clock.
    """

    verdict: str
    kinds: tuple[str, ...] = ()
    seconds: float = 0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "kinds": list(self.kinds)}


def said_from(content: dict[str, Any]) -> Said:
    return Said(content["verdict"], tuple(content["kinds"]), content["seconds"])
