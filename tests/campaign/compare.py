"""The prover against the machine on one kernel: a fault that is seen belongs to an obligation that is not proved."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.discharge import decide_claim
from proofs.entry import analyse
from proofs.outcome import PREMISES
from spec.errors import Unsupported
from spec.ptx.faults import (
    BARRIER,
    INACTIVE_LANE,
    MISALIGNED,
    OUT_OF_BOUNDS,
    READ_ONLY,
    STEP_LIMIT,
    TRAP,
    UNINITIALISED,
    Fault,
)
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from spec.ptx.parser import parse
from tests.campaign.generate import MAX_N, X_WORDS, Kernel

SCHEDULES: tuple[str | int, ...] = ("forward", "reverse")
STEPS = 4000
RLIMIT = 3_000_000
OBLIGATION = {
    OUT_OF_BOUNDS: "bounds", MISALIGNED: "bounds", READ_ONLY: "bounds", BARRIER: "barrier", INACTIVE_LANE: "barrier",
    STEP_LIMIT: "no-trap", TRAP: "no-trap", UNINITIALISED: "init",
}  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """Obligations with a fault, an example of each; those proved; whether the prover followed the kernel."""

    faults: dict[str, Fault]
    proved: frozenset[str]
    understood: bool = True

    @property
    def wrong(self) -> dict[str, Fault]:
        """Proved, and seen to fail."""
        return {name: fault for name, fault in self.faults.items() if name in self.proved}


def faults(kernel: Kernel, seed: int) -> dict[str, Fault]:
    """What the machine sees, by obligation, for several values of n, contents of memory and schedules."""
    module = parse(kernel.text)
    function = module.entries[0]
    found: dict[str, Fault] = {}
    for fault in _runs(kernel, module, function, seed):
        name = OBLIGATION.get(fault.kind) or _race(kernel, fault)
        found.setdefault(name, fault)
    return found


def _runs(kernel: Kernel, module: object, function: object, seed: int) -> Iterator[Fault]:
    pick = random.Random(seed)
    for n in (0, 1, pick.randint(2, MAX_N)):
        for schedule in SCHEDULES:
            memory = Memory()
            args: dict[str, int | bytes] = {"n": n}
            for name in ("x", "y"):
                words = [pick.choice((0, 1, 2, 3, pick.randrange(2**32))) for _ in range(X_WORDS)]
                data = b"".join(w.to_bytes(4, "little") for w in words)
                args[name] = memory.add(name, data)
            result = run(
                function, module, grid=kernel.grid, block=kernel.block, args=args, memory=memory,  # type: ignore[arg-type]
                schedule=schedule, step_limit=STEPS,
            )
            yield from result.faults


def _race(kernel: Kernel, fault: Fault) -> str:
    """Two stores to one global byte are the single-writer obligation, every other race is the race obligation."""
    lines = kernel.text.splitlines()
    both = [lines[line - 1] for line in (fault.line, fault.other_line or fault.line)]
    return "single-writer" if all("st.global" in text for text in both) else "race"


def proved(kernel: Kernel, wanted: frozenset[str]) -> Outcome:
    """Of the obligations wanted, those of which every claim and every premise is proved."""
    request = CheckRequest(
        "campaign.ptx", kernel.text, block=kernel.block, grid=kernel.grid, assumes=(f"n <= {MAX_N}",),
        buffers=(f"x=u32[{X_WORDS}]:rw", f"y=u32[{X_WORDS}]:rw"),
    )  # fmt: skip
    (problem,) = problems(request)
    try:
        analysis = analyse(problem)
    except Unsupported:
        return Outcome({}, frozenset(), understood=False)
    needed = set(wanted)
    while more := {p for name in needed for p in PREMISES.get(name, ())} - needed:
        needed |= more
    failed: set[str] = set()
    for claim in analysis.claims:
        defined = claim.name.startswith("defined.")
        if (claim.obligation in needed - failed or defined) and decide_claim(claim, RLIMIT).status != "unsat":
            failed |= set(wanted) if defined else {claim.obligation}
    return Outcome({}, frozenset(w for w in wanted if not ({w, *PREMISES.get(w, ())} & failed)))


def compare(kernel: Kernel, seed: int) -> Outcome:
    """Both; the prover is asked only about what the machine saw fail."""
    seen = faults(kernel, seed)
    if not seen:
        return Outcome({}, frozenset())
    answer = proved(kernel, frozenset(seen))
    return Outcome(seen, answer.proved, answer.understood)
