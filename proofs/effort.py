"""How much work one entry may cost, in units that do not depend on the machine, and who keeps count.

Every limit is a number of things: resource units of the solver, instructions carried out symbolically, claims stated.
What is not reached within them is *unknown*, and says so; what was decided before stays decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from proofs.decide import DEFAULT_RLIMIT, Answer, decide
from spec.errors import BadInput

DEFAULT_EFFORT = 100
NUMBERS = 2**33  # that enumeration works out at the default effort; about ten seconds of one core
MAX_EFFORT = 100_000
UNIT = 1_000_000  # solver units in one unit of effort; about a second of one core
UNCOUNTED = UNIT // 2  # that an entry costs beside what is counted, and where a solver's unit takes longer than usual
SUMS, PRODUCT = 1_000, 8  # units that a claim costs which linear arithmetic looks at, and each product in its sums
FINITE = 3_000  # units that a claim costs which is enumerated, beside the numbers that are worked out
STEP = 500  # units that an instruction carried out symbolically costs
OVERHEAD = 10_000  # units that a query costs before the solver begins, one more for each character of its text
LAST_PART = 4  # of what is left once that is less than a unit, for one query
SPENT = "the effort for this entry was used up"
# Limits of one query, one after another: what is easy is decided first, what is hard takes what is left.
PASSES = (300_000, 3_000_000, DEFAULT_RLIMIT)


@dataclass(frozen=True)
class Limits:
    """What one entry may cost.

    Args:
        units: solver units, all queries together.
        steps: instructions carried out symbolically; loops are carried out several times.
        claims: claims stated.
        numbers: worked out by enumeration, one for each thread and phase and part of a term.
    """

    units: int = DEFAULT_EFFORT * UNIT
    steps: int = 200_000
    claims: int = 20_000
    numbers: int = NUMBERS

    @property
    def effort(self) -> int:
        """The number of `--effort` that these limits belong to."""
        return -(-self.units // UNIT)


def limits_of(effort: int) -> Limits:
    """The limits that `--effort` names; BadInput for a number that is none."""
    if not 1 <= effort <= MAX_EFFORT:
        raise BadInput(f"--effort {effort}: it is a number from 1 to {MAX_EFFORT}; {DEFAULT_EFFORT} is the default")
    return Limits(effort * UNIT - UNCOUNTED, effort * 2_000, effort * 200, effort * NUMBERS // DEFAULT_EFFORT)


STEP_UNITS, ACCESS_UNITS = 300, 5  # of running a launch: an instruction of a block, an access of a thread


class Remembered(Protocol):
    """Answers of earlier runs: a query's key to the limit it was asked under, and the answer."""

    def get(self, key: str, /) -> tuple[int, Answer] | None: ...


def key_of(text: str) -> str:
    """What a query is known by."""
    return sha256(text.encode()).hexdigest()


@dataclass
class Meter:
    """Answers queries, counting units, until `left` is used up.

    An answer that is known costs what it cost when it was found, so that a second run says the same as the first.

    Args:
        left: units left; None for no limit.
        store: answers of earlier runs.
        fresh: what was asked of the solver here, like the store.
    """

    left: int | None = None
    store: Remembered | None = None
    fresh: dict[str, tuple[int, Answer]] = field(default_factory=dict)
    used: int = 0

    def __call__(self, text: str, rlimit: int = DEFAULT_RLIMIT) -> Answer:
        if self.over:
            return Answer("unknown", reason=SPENT)
        key = key_of(text)
        if self.left is not None:
            # Near the end a query gets a part of what is left: its units may take far longer than usual.
            rlimit = min(rlimit, max(self.left if self.left > UNIT else self.left // LAST_PART, OVERHEAD))
        answer = self.find(key, rlimit)
        if answer is None:
            answer = decide(text, rlimit)
            self.fresh[key] = (rlimit, answer)
        self.spend(answer.used + OVERHEAD + len(text))
        return answer

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.left is not None and self.left <= 0

    def spend(self, units: int) -> None:
        """Count units that were used elsewhere."""
        self.used += units
        if self.left is not None:
            self.left -= units

    @contextmanager
    def part(self, units: int) -> Iterator[None]:
        """Give no more than so many of the units that are left; what is not used of them is left again."""
        before, used = self.left, self.used
        self.left = units if before is None else min(before, units)
        try:
            yield
        finally:
            self.left = before
            if before is not None:
                self.left = before - (self.used - used)

    def find(self, key: str, rlimit: int) -> Answer | None:
        """The known answer, unless more effort may give a better one."""
        found = self.fresh.get(key) or (self.store.get(key) if self.store else None)
        if found is None or (found[1].status == "unknown" and found[0] < rlimit):
            return None
        return found[1]
