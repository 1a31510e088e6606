"""Writes that a barrier of part of the block hands over: initialisation between a producer and a consumer.

What a thread writes before its arrival c at such a barrier is there for whoever has waited for that phase. So the round
of the writer follows from the arrivals that the reader counts: the last one whose arrival was waited for, a few before
that, and the first of all. A witness is a thread, by its number, and such a round; the goal says that it exists, goes
that many rounds, comes to the write with its guards holding, and arrives there before. What orders the two are the
claims of `proofs.claims.groups`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from proofs.phases.groups import Group, own
from proofs.phases.modes import count
from proofs.problem import Problem
from proofs.records import Access, LoopRecord
from proofs.terms import FALSE, THREAD, TRUE, Cond, Poly, Symbol, conj, divide, ge, implies, lt, negate

MAX_BACK = 4  # rounds before the last one that count as well


Numbered = Mapping[Symbol, Poly]


@dataclass(frozen=True)
class Handover:
    """A write that a group's barrier may order before a read.

    Args:
        threads: those that may make it, each as a substitution of its number.
        loop: the one loop around the write, if there is one; `step` is how often a round of it arrives.
        back: how many rounds before the last one that comes into question; None for the very first one.
    """

    write: Access
    group: Group
    threads: tuple[Numbered, ...]
    loop: LoopRecord | None = None
    step: int = 0
    back: int | None = 0

    @property
    def waited(self) -> Cond:
        """That a thread has waited for every phase that it counts."""
        return conj((self.group.member, negate(self.group.arriver)))


def handovers(
    problem: Problem, groups: Sequence[Group], loops: Sequence[LoopRecord], read: Access, writes: Sequence[Access],
    threads: Sequence[Numbered],
) -> list[Handover]:
    """The writes whose round the reader's arrivals say. `threads`: every thread of the block."""
    numbers = {s for thread in threads for s in thread}
    readers = [t for t in threads if own(problem, read.at).substitute(t) != FALSE]
    found = []
    for write in writes:
        # A copy in flight is complete at no arrival; of the rounds of two loops one count says too little.
        if write.kind != "write" or write.flight or len(write.at.loops) > 1:
            continue
        loop = next((r for r in loops if r.id in write.at.loops), None)
        writers = [t for t in threads if own(problem, write.at).substitute(t) != FALSE]
        for group in groups:
            if group.flaw or any(group.counter not in dict(a.at.counts) for a in (write, read)):
                continue
            step = _step(group.arrivals(write.at), loop)
            if step is None or _secret(write, group, loop, numbers):
                continue
            one = Handover(write, group, tuple(t for t in writers if group.member.substitute(t) == TRUE), loop, step)
            if one.threads and any(one.waited.substitute(t) != FALSE for t in readers):
                backs = (*range(min(group.turns, MAX_BACK)), None) if loop else (0,)
                found += [replace(one, back=back) for back in backs]
    return found


def _step(arrivals: Poly, loop: LoopRecord | None) -> int | None:
    """How often a thread arrives in a round; None if its arrivals do not say which round it is in."""
    if loop is None:
        return 0
    (k,) = count(loop.id).symbols()
    step = arrivals.terms.get(tuple(Poly.symbol(k).atoms()), 0)
    first = arrivals - Poly.symbol(k) * step
    return step if step > 0 and k not in first.symbols() else None


def _secret(write: Access, group: Group, loop: LoopRecord | None, numbers: set[Symbol]) -> bool:
    """Whether what decides about the write is more than the thread's number, its round, and what all threads share."""
    items: list[Poly | Cond] = [write.address, *write.at.control, group.arrivals(write.at)]
    if loop is not None:
        items += [*loop.at.control, loop.proceed]
        numbers = numbers | count(loop.id).symbols()
    return any(s not in numbers and (s.scope == THREAD or s.loops) for item in items for s in item.symbols())


@dataclass(frozen=True)
class Witness:
    """Writes that threads make: what must hold for them to come before a read, where they begin, and how wide."""

    there: Cond
    begins: tuple[Poly, ...]
    width: int


class Witnesses:
    """The witnesses of an entry. Reads that count as many arrivals have the same ones."""

    def __init__(self) -> None:
        self._earlier: dict[tuple[str, str], Cond] = {}
        self._made: dict[tuple[str, str, int | None, str], list[Witness]] = {}

    def before(self, read: Access, given: Sequence[Handover]) -> Iterator[Witness]:
        """Those that may come before a read."""
        for one in given:
            passed = one.group.arrivals(read.at)
            key = one.write.id, one.group.counter, one.back, passed.text
            if key not in self._made:
                self._made[key] = self._of(one, passed)
            yield from self._made[key]

    def _of(self, one: Handover, passed: Poly) -> list[Witness]:
        """Threads of which the same is asked stand together."""
        found: dict[Cond, list[Poly]] = {}
        for thread in one.threads:
            rounds = _round(one, thread, passed)
            there = self._there(one, thread, rounds, passed)
            if there != FALSE:
                begin = one.write.address.substitute({**thread, **rounds})
                found.setdefault(conj((one.waited, there)), []).append(begin)
        return [Witness(there, tuple(begins), one.write.width) for there, begins in found.items()]

    def _there(self, one: Handover, thread: Numbered, rounds: dict[Symbol, Poly], passed: Poly) -> Cond:
        """That the thread makes the write in that round, and arrives behind it in a phase the reader waited for."""
        write, loop = one.write, one.loop
        here = {**thread, **rounds}
        parts = [c.substitute(here) for c in write.at.control]
        parts.append(lt(one.group.arrivals(write.at).substitute(here), passed))
        if loop is not None:
            (k,) = count(loop.id).symbols()
            parts += [ge(rounds[k]), *(c.substitute(thread) for c in loop.at.control)]
            parts.append(self._led_to(loop, k, loop.proceed.substitute(thread), rounds[k]))
        return conj(parts)

    def _led_to(self, loop: LoopRecord, k: Symbol, proceed: Cond, rounds: Poly) -> Cond:
        """That every round before went round again: of an arbitrary earlier one, its own for each such statement."""
        key = proceed.text, rounds.text
        if key not in self._earlier:
            earlier = Poly.symbol(Symbol(f"j@{loop.id}.{len(self._earlier)}", "iteration", THREAD, 0, None))
            self._earlier[key] = implies(lt(earlier, rounds), proceed.substitute({k: earlier}))
        return self._earlier[key]


def _round(one: Handover, thread: Numbered, passed: Poly) -> dict[Symbol, Poly]:
    """The round of a witness, for a reader that counts so many arrivals."""
    if one.loop is None:
        return {}
    (k,) = count(one.loop.id).symbols()
    if one.back is None:
        return {k: Poly({})}
    first = one.group.arrivals(one.write.at).substitute({**thread, k: Poly({})})
    past = passed - 1 - first
    return {k: (past if one.step == 1 else divide(past, one.step)) - one.back}
