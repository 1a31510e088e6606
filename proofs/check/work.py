"""Processes that decide claims or check entries. One process does both as well, with the same answers."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from proofs.claims import Claim
from proofs.decide import Answer
from proofs.discharge import Decision, Pins, decide_claim
from proofs.effort import Meter, Remembered

Item = TypeVar("Item")
Result = TypeVar("Result")
Task = tuple[Claim, int, int | None, Remembered | None, Pins]


@dataclass(frozen=True)
class Decided:
    """What deciding one claim gave.

    Args:
        fresh: answers that no earlier run knew, as `Meter.fresh`.
        used: solver units, those of known answers included.
    """

    decision: Decision
    fresh: dict[str, tuple[int, Answer]]
    used: int


def decide_one(task: Task) -> Decided:
    """Decide one claim within a limit for each of its queries, and one for all of them."""
    claim, rlimit, units, store, pins = task
    meter = Meter(units, store)
    decision = decide_claim(claim, rlimit, meter, pins)
    return Decided(decision, meter.fresh, meter.used)


class Workers:
    """Carries out tasks in order, in processes where there are several for them."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool: Executor | None = None

    def map(
        self, function: Callable[[Item], Result], items: Sequence[Item], broken: Callable[[Item], Result],
        alone: bool = False,
    ) -> Iterator[Result]:
        """The results in order.

        Args:
            broken: gives the results of tasks whose process died, for want of memory as a rule.
            alone: the tasks are small, so that one process does them soonest.
        """
        if self.jobs <= 1 or len(items) < 2 or (alone and self._pool is None):
            yield from map(function, items)
            return
        done = 0
        try:
            for result in self._processes().map(function, items):
                yield result
                done += 1
        except BrokenProcessPool:
            self._pool = None
            yield from map(broken, items[done:])

    def _processes(self) -> Executor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.jobs, initializer=_in_a_worker)
        return self._pool

    def close(self) -> None:
        """Wait for nothing: all results have been taken."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def stop(self, mine: Sequence[Any]) -> None:
        """End the processes where they are, and see them ended."""
        if self._pool is not None:
            for child in mine:
                child.terminate()
            self._pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def workers(jobs: int) -> Iterator[Workers]:
    """Workers for a block of code; when it is left by Ctrl-C or an error they end at once."""
    before = {child.pid for child in multiprocessing.active_children()}
    found = Workers(jobs)
    try:
        yield found
    except BaseException:
        found.stop([child for child in multiprocessing.active_children() if child.pid not in before])
        raise
    found.close()


def _in_a_worker() -> None:
    """Ctrl-C goes to every process of the terminal; the parent's is the one that counts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def died(task: Task) -> Decided:
    """The outcome of a claim whose process ended."""
    reason = "the process that was to decide it ended, out of memory as it seems; --jobs 1 needs less"
    return Decided(Decision(task[0], "unknown", "", 0.0, reason=reason), {}, 0)


def renamed(decision: Decision, claim: Claim) -> Decision:
    """The decision about the caller's own claim, not about the copy that came back from a process."""
    return replace(decision, claim=claim)
