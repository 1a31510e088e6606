"""Candidate counterexamples carried out: a model refutes a claim only if the emulator shows the fault.

The claim is solved again for small sizes, the model made into a launch, and the blocks it speaks of are run with every
detector on, warps forward and in reverse, and where barriers have groups also every other warp first. Where threads
share memory and nothing has shown, the first candidates are run again under schedules of parted lanes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from proofs.claims import Claim
from proofs.decide import Decide, decide
from proofs.effort import SPENT, Meter
from proofs.entry import Analysis
from proofs.problem import AXES
from proofs.replay.attempt import Attempt, Endless, Sign
from proofs.replay.contrary import SAID, divides
from proofs.replay.model import CONTRARY, MIXED, OPEN, PLAIN, Launch, launch_of, models
from proofs.replay.signs import sign_of
from proofs.wording import hint, states
from spec.errors import BadInput, Unsupported

MAX_ATTEMPTS = 6
SCHEDULES = ("forward", "reverse")
OF_GROUPS = "interleaved"  # which threads meet at a barrier of part of the block depends on who comes first
# What a thread finds in memory may depend on lanes of its warp: under these they are not in step.
FURTHER, FURTHER_CANDIDATES = ("halves", "highest", "parted"), 2
BY_ORDER = ("init", "barrier", "bounds", "race", "no-trap")  # obligations that may fail in one order of threads only


@dataclass(frozen=True)
class Replay:
    """What became of a candidate counterexample.

    Args:
        reproduced: the emulator showed the fault.
        detail: what was seen, or why nothing counts; for a person.
        content: JSON values.
    """

    reproduced: bool
    detail: str
    content: Mapping[str, object]

    def to_json(self) -> dict[str, object]:
        return dict(self.content)


def replay(
    analysis: Analysis, claim: Claim, model: Mapping[str, int], ask: Decide = decide, cost: Meter | None = None,
    like: Mapping[str, Any] | None = None,
) -> Replay:
    """Carry out the counterexamples of a claim until one shows, or the cost is over.

    Args:
        model: the answer to the claim's full query.
        like: the content of a replay that has shown a fault of this kind; its sizes are tried first.
    """
    if claim.query is None:
        return _reply(analysis, claim, None, "", f"no query: {claim.reason}")
    kinds = {s.kind for s in claim.query.symbols}
    grouped = any(b.group for b in analysis.records.barriers)
    schedules: tuple[str, ...] = (*SCHEDULES, OF_GROUPS) if grouped else SCHEDULES
    if claim.name.startswith("variant."):
        schedules = SCHEDULES[:1]  # where a thread goes on in a loop hangs on no other thread, or is not followed
    ways = list(product(schedules, (PLAIN, MIXED) if "boolean" in kinds else (PLAIN,)))
    if kinds & {"boolean", "opaque"}:
        ways.append((SCHEDULES[0], OPEN))
        if divides(analysis.problem.function):
            ways.append((SCHEDULES[0], CONTRARY))
    run = _Runs(analysis, claim, ask, cost)
    tried: list[dict[str, int]] = []
    for candidate in models(analysis.problem, claim, model, ask, _sizes(like)):
        if candidate in tried:
            continue
        if len(tried) == MAX_ATTEMPTS:
            break
        tried.append(candidate)
        found = run.all(candidate, ways)
        if found is not None:
            return found
    if claim.obligation in BY_ORDER and len(schedules) > 1 and _shared(analysis):
        for candidate in tried[:FURTHER_CANDIDATES]:
            found = run.all(candidate, [(schedule, PLAIN) for schedule in FURTHER])
            if found is not None:
                return found
    return _reply(analysis, claim, run.launch, "", run.reason)


def _shared(analysis: Analysis) -> bool:
    """Whether a thread may find in memory what another thread of its block has put there."""
    return any(a.space != "local" and a.writes for a in analysis.records.accesses) and any(
        a.space != "local" and not a.writes for a in analysis.records.accesses
    )


class _Runs:
    """Launches of candidates: the last one, and why it showed nothing."""

    def __init__(self, analysis: Analysis, claim: Claim, ask: Decide, cost: Meter | None) -> None:
        self.analysis, self.claim, self.ask, self.cost = analysis, claim, ask, cost
        self.launch: Launch | None = None
        self.reason = "no model"

    def all(self, candidate: dict[str, int], ways: Sequence[tuple[str, str]]) -> Replay | None:
        """Run a candidate in each way, a schedule and a content; None where others are worth a try."""
        analysis, claim, query = self.analysis, self.claim, self.claim.query
        assert query is not None
        for schedule, content in ways:
            try:
                self.launch = launch_of(analysis.problem, candidate, analysis.records, content, query.contents)
                sign = sign_of(Attempt(analysis, claim, self.launch, schedule, self.cost, self.ask))
            except (BadInput, Unsupported) as error:
                self.reason = self.reason if content == OPEN else str(error)
                continue
            except Endless as error:
                return _reply(analysis, claim, self.launch, "", str(error))
            if isinstance(sign, Sign):
                return _reply(analysis, claim, self.launch, schedule, sign)
            self.reason = sign
            if self.cost is not None and self.cost.over:
                return _reply(analysis, claim, self.launch, "", f"{SPENT} while the launch ran")
        return None


def _sizes(content: Mapping[str, Any] | None) -> dict[str, int]:
    """Parameters and sizes of a launch, by the names that queries give them."""
    if content is None:
        return {}
    extents = {"ntid": content["block"], "nctaid": content["grid"]}
    sizes = {f"{name}.{axis}": n for name, extent in extents.items() for axis, n in zip(AXES, extent, strict=True)}
    return {**content["parameters"], **sizes}


def _reply(analysis: Analysis, claim: Claim, launch: Launch | None, schedule: str, found: Sign | str) -> Replay:
    reproduced = isinstance(found, Sign)
    words = found.words if isinstance(found, Sign) else found
    if launch is not None and launch.contrary and reproduced:
        words += f"; {SAID}"
    lines = (found.lines if isinstance(found, Sign) else ()) or claim.lines
    sources = {
        i.line: i.source.text
        for i in analysis.problem.function.instructions() if i.source is not None and i.line in lines
    }
    text = analysis.problem.module.text.splitlines()
    shown = {n: " ".join(text[n - 1].partition("//")[0].split()) for n in lines if 1 <= n <= len(text)}
    content: dict[str, object] = {
        "claim": claim.name, "obligation": claim.obligation, "states": states(claim, analysis.records),
        "lines": list(lines),
        "text": {str(n): t for n, t in shown.items()},
        "source": {str(line): place for line, place in sources.items()}, "reproduced": reproduced, "replay": words,
        "hint": hint(claim, analysis.records),
    }
    if launch is not None:
        content |= {
            "parameters": dict(launch.parameters), "base_offsets": dict(launch.offsets), "grid": list(launch.grid),
            "block": list(launch.block), "schedule": schedule,
        }
    if isinstance(found, Sign):
        content["accesses"] = [a.to_json() for a in found.accesses]
        assert launch is not None
        sizes = ", ".join(f"{name}={value}" for name, value in launch.parameters.items())
        return Replay(True, f"{words} ({sizes}; grid {launch.grid}, block {launch.block})", content)
    return Replay(False, f"a solver has a counterexample, which the emulator does not show: {words}", content)


__all__ = ["Replay", "replay"]
