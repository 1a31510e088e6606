"""The prover against the machine on one kernel: a fault that is seen belongs to an obligation that is not proved.

Several writers of one value are a class of their own: the machine reports them, the prover may excuse them, and then
what the launch leaves in memory must not depend on the order in which threads run.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.discharge import decide_claim
from proofs.entry import analyse
from proofs.outcome import PREMISES, SHARING
from spec.errors import Unsupported
from spec.ptx.ast import Function, Module
from spec.ptx.faults import (
    BARRIER,
    INACTIVE_LANE,
    MISALIGNED,
    OUT_OF_BOUNDS,
    RACE,
    READ_ONLY,
    STEP_LIMIT,
    TRAP,
    UNINITIALISED,
    Fault,
)
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from spec.ptx.parser import parse
from tests.campaign.families.random_kernels import X_WORDS
from tests.campaign.kernel import Kernel

SCHEDULES: tuple[str | int, ...] = ("forward", "reverse")
STEPS = 4000
RLIMIT = 3_000_000
OBLIGATION = {
    OUT_OF_BOUNDS: "bounds", MISALIGNED: "bounds", READ_ONLY: "bounds", BARRIER: "barrier", INACTIVE_LANE: "barrier",
    STEP_LIMIT: "no-trap", TRAP: "no-trap", UNINITIALISED: "init",
}  # fmt: skip


EVERYTHING = frozenset({"race", "barrier", "bounds", "single-writer", "no-wrap", "init", "no-trap"})


@dataclass(frozen=True)
class Seen:
    """What the machine saw: an example of each obligation's faults.

    Args:
        faults: all but `writers`.
        writers: two stores to one byte, by obligation.
        settled: whether memory was left the same by every schedule.
    """

    faults: dict[str, Fault]
    writers: dict[str, Fault]
    settled: bool


@dataclass(frozen=True)
class Outcome:
    """Obligations with a fault; those proved; whether the prover followed the kernel.

    `excused`: the obligations proved in which writers of one value count as one.
    """

    seen: Seen
    proved: frozenset[str]
    understood: bool = True
    excused: frozenset[str] = frozenset()

    @property
    def wrong(self) -> dict[str, Fault]:
        """Proved, and seen to fail."""
        found = {name: fault for name, fault in self.seen.faults.items() if name in self.proved}
        for name, fault in self.seen.writers.items():
            # Where anything else may go wrong, what is left in memory says nothing of these writers.
            excused = name in self.excused and (self.seen.settled or not self.proved >= EVERYTHING)
            if name in self.proved and not excused:
                found[name] = fault
        return found


def faults(kernel: Kernel, seed: int) -> Seen:
    """What the machine sees, for several launches, contents of memory and schedules."""
    module = parse(kernel.text)
    function = module.entries[0]
    left: list[tuple[bytes, bytes]] = []
    found: dict[str, Fault] = {}
    writers: dict[str, Fault] = {}
    for fault in _runs(kernel, module, function, seed, left):
        name = OBLIGATION.get(fault.kind) or _race(kernel, fault)
        (writers if fault.kind == RACE and _both_write(kernel, fault) else found).setdefault(name, fault)
    return Seen(found, writers, left[::2] == left[1::2])


def _runs(
    kernel: Kernel, module: Module, function: Function, seed: int, left: list[tuple[bytes, bytes]]
) -> Iterator[Fault]:
    pick = random.Random(seed)
    for launch in kernel.launches:
        contents = {}
        for name in ("x", "y"):
            words = [pick.choice((0, 1, 2, 3, pick.randrange(2**32))) for _ in range(X_WORDS)]
            contents[name] = b"".join(w.to_bytes(4, "little") for w in words)
        for schedule in SCHEDULES:
            memory = Memory()
            args: dict[str, int | bytes] = dict(launch.numbers)
            for name, data in contents.items():
                args[name] = memory.add(name, data)
            result = run(
                function, module, grid=launch.grid, block=launch.block, args=args, memory=memory,
                schedule=schedule, step_limit=STEPS, lenient=True,
            )
            left.append((memory["x"].data(), memory["y"].data()))
            yield from result.faults


def _race(kernel: Kernel, fault: Fault) -> str:
    """Two stores to one global byte are the single-writer obligation, every other race is the race obligation."""
    return "single-writer" if all("st.global" in text for text in _lines(kernel, fault)) else "race"


def _both_write(kernel: Kernel, fault: Fault) -> bool:
    return all("st." in text for text in _lines(kernel, fault))


def _lines(kernel: Kernel, fault: Fault) -> list[str]:
    lines = kernel.text.splitlines()
    return [lines[line - 1] for line in (fault.line, fault.other_line or fault.line)]


def proved(kernel: Kernel, wanted: frozenset[str]) -> Outcome:
    """Of the obligations wanted, those of which every claim and every premise is proved."""
    request = CheckRequest(
        "campaign.ptx", kernel.text, block=kernel.block, grid=kernel.grid, assumes=kernel.assumes,
        buffers=kernel.buffers,
    )  # fmt: skip
    (problem,) = problems(request)
    try:
        analysis = analyse(problem)
    except Unsupported:
        return Outcome(NOTHING_SEEN, frozenset(), understood=False)
    needed = set(wanted)
    if analysis.shares:
        needed |= set(SHARING)
    if analysis.exchanges:
        needed.add("barrier")
    while more := {p for name in needed for p in PREMISES.get(name, ())} - needed:
        needed |= more
    failed: set[str] = set()
    excused: set[str] = set()
    for claim in analysis.claims:
        defined = claim.name.startswith("defined.")
        if claim.obligation in needed - failed or defined:
            decision = decide_claim(claim, RLIMIT)
            if decision.status != "unsat":
                failed |= set(wanted) if defined else {claim.obligation}
            elif decision.alike or any(access.alike for access, _ in claim.subjects):
                excused.add(claim.obligation)
    shared = SHARING if analysis.shares else ()
    if analysis.exchanges and "barrier" in failed:
        failed |= set(wanted)
    done = frozenset(w for w in wanted if not ({w, *PREMISES.get(w, ()), *shared} & failed))
    return Outcome(NOTHING_SEEN, done, excused=frozenset(excused))


NOTHING_SEEN = Seen({}, {}, True)


def compare(kernel: Kernel, seed: int) -> Outcome:
    """Both; the prover is asked about what the machine saw fail, or about everything where two stores meet."""
    seen = faults(kernel, seed)
    if not seen.faults and not seen.writers:
        return Outcome(seen, frozenset())
    wanted = EVERYTHING if seen.writers else frozenset(seen.faults)
    return replace(proved(kernel, wanted), seen=seen)
