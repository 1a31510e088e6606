"""What may be decided by enumeration: a claim's content as plain data, beside its query."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.query import ONE, Copy
from proofs.records import Access, LoopRecord
from proofs.terms import Cond, Poly


@dataclass(frozen=True)
class Apart:
    """Bytes of two accesses of one block do not meet, unless the two threads agree in all of `excused`.

    Args:
        first, second: shared accesses to one variable, each with the copy of the thread that makes it.
        excused: terms over one thread's symbols, non-negative; None where nothing excuses, not even the same thread.
        known: what holds besides, of symbols that both threads share.
    """

    first: tuple[Access, Copy]
    second: tuple[Access, Copy]
    excused: tuple[Poly, ...] | None
    known: tuple[Cond, ...] = ()


@dataclass(frozen=True)
class Everywhere:
    """The goal holds wherever a thread makes the access."""

    access: Access
    goal: Cond
    copy: Copy = ONE


# Whose reads a write comes before.
ANYONE, ITS_WARP, ITS_THREAD = "anyone", "its warp", "its thread"


@dataclass(frozen=True)
class Writer:
    """A write that comes before a read.

    Args:
        control: what must hold for a thread to make it, in the symbols of the access.
        by: whose reads it comes before.
        back: how many rounds of the read's ring loop it lies before the read.
        inner: loops around the write that are not around the read, outermost first: they have ended before the read,
            and in every round that a thread reaches it writes.
        since: from which round of the read's ring loop on it counts.
    """

    access: Access
    control: tuple[Cond, ...]
    by: str
    back: int = 0
    inner: tuple[LoopRecord, ...] = ()
    since: int = 0


@dataclass(frozen=True)
class Written:
    """Every byte that a read takes was written before.

    Args:
        tied: loops around the read in which all threads of the block are in the same round.
        ring: the loop whose earlier rounds count, one of `tied`, or ''.
        depth: how many of them.
    """

    read: Access
    tied: tuple[str, ...]
    ring: str
    depth: int
    writers: tuple[Writer, ...]


Question = Apart | Everywhere | Written
