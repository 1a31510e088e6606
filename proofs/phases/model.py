"""Accesses in barrier intervals, and pairs of them that nothing orders: plain data for whoever decides them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from proofs.phases.modes import Modes, iteration
from proofs.records import Access
from proofs.terms import THREAD, Cond, Poly, negate

# How the two threads of a pair stand to each other.
DIFFERENT, OTHER_WARPS, SAME_WARP, ITSELF = "different", "other warps", "same warp", "itself"


@dataclass(frozen=True)
class Member:
    """An access in an interval.

    Args:
        modes: the iteration of each loop around it (`proofs.phases.modes`).
        start: the iteration in which the interval must have begun for the access to be in it, where that is not any.
        left: loops that must have been left before in that iteration.
        ways: what every way to it from the interval's start says of the launch and the block (`proofs.phases.ways`).
    """

    access: Access
    modes: Modes
    start: Modes = ()
    left: Modes = ()
    ways: frozenset[Cond] = field(default=frozenset(), compare=False)

    def iterations(self) -> Iterator[tuple[str, Poly | None]]:
        """Loop and the term its iteration count has; None where it is free."""
        for loop, mode in self.modes:
            yield loop, iteration(loop, mode)


@dataclass(frozen=True)
class Pairing:
    """Two accesses that may happen in either order, by threads that are related as `threads` says."""

    name: str
    first: Member
    second: Member
    threads: str = DIFFERENT

    @property
    def start(self) -> dict[str, str] | None:
        """The iteration in which both are in the interval; None if there is none."""
        return _both(self.first.start, self.second.start)

    @property
    def possible(self) -> bool:
        """Whether no condition of the block that leads to one access excludes the other."""
        first, second = (m.ways | {c for c in m.access.at.control if _of_block(c)} for m in (self.first, self.second))
        return not any(negate(c) in second for c in first)

    @property
    def left(self) -> dict[str, str] | None:
        """The iterations in which loops were left before both; None if there are none."""
        return _both(self.first.left, self.second.left)


def _of_block(condition: Cond) -> bool:
    return all(s.scope != THREAD and not s.loops for s in condition.symbols())


def _both(one: Modes, other: Modes) -> dict[str, str] | None:
    found = dict(one)
    for loop, mode in other:
        if found.setdefault(loop, mode) != mode:
            return None
    return found


@dataclass(frozen=True)
class Interval:
    """Accesses that may lie between two barriers.

    `start` is entry, a barrier's id, or, of what one thread does while its copy is in flight, the copy's id. `threads`
    says for which pairs of threads the interval's ends count as barriers.
    """

    id: str
    start: str
    members: tuple[Member, ...]
    threads: str = DIFFERENT

    def pairs(self) -> Iterator[Pairing]:
        """Pairs of which at least one writes, each unordered pair once.

        They are of one shared variable or of one global buffer.
        """
        seen: dict[str, int] = {}
        for a, b in self._candidates():
            if a.access.buffer != b.access.buffer or not (a.access.writes or b.access.writes):
                continue
            name = f"{a.access.id}.{b.access.id}"
            n = seen.get(name, 0)
            seen[name] = n + 1
            pairing = Pairing(name + (f".{n}" if n else ""), a, b, self.threads)
            if pairing.start is not None and pairing.left is not None:
                yield pairing

    def _candidates(self) -> Iterator[tuple[Member, Member]]:
        if self.threads == ITSELF:
            copy, *others = self.members
            yield from ((copy, other) for other in others)
            return
        for space in ("shared", "global"):
            mine = [m for m in self.members if m.access.space == space]
            for i, a in enumerate(mine):
                for b in mine[i:]:
                    yield a, b


def pairings(intervals: Sequence[Interval]) -> Iterator[tuple[Interval, Pairing]]:
    """Every pair that must not meet, once, though several intervals may hold it.

    One that is needed of threads of other warps and of one warp is needed of any two threads.
    """
    everything = [(interval, pair) for interval in intervals for pair in interval.pairs()]
    needed: dict[_Key, set[str]] = {}
    for _, pair in everything:
        needed.setdefault(_key(pair), set()).add(pair.threads)
    done: set[tuple[_Key, str]] = set()
    for interval, pair in everything:
        key = _key(pair)
        if {OTHER_WARPS, SAME_WARP} <= needed[key] and pair.threads in (OTHER_WARPS, SAME_WARP):
            pair = replace(pair, threads=DIFFERENT)
        if (key, pair.threads) not in done:
            done.add((key, pair.threads))
            yield interval, pair


_Key = tuple[tuple[str, Modes, Modes, Modes], ...]


def _key(pair: Pairing) -> _Key:
    return tuple(sorted((m.access.id, m.modes, m.start, m.left) for m in (pair.first, pair.second)))
