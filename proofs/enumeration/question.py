"""What may be decided by enumeration: a claim's content as plain data, beside its query."""

from __future__ import annotations

from dataclasses import dataclass

from proofs.query import ONE, Copy
from proofs.records import Access
from proofs.terms import Cond, Poly


@dataclass(frozen=True)
class Apart:
    """Bytes of two accesses of one block do not meet, unless the two threads agree in all of `excused`.

    Args:
        first, second: shared accesses to one variable, each with the copy of the thread that makes it.
        excused: terms over one thread's symbols, non-negative; None where nothing excuses, not even the same thread.
    """

    first: tuple[Access, Copy]
    second: tuple[Access, Copy]
    excused: tuple[Poly, ...] | None


@dataclass(frozen=True)
class Everywhere:
    """The goal holds wherever a thread makes the access."""

    access: Access
    goal: Cond
    copy: Copy = ONE


@dataclass(frozen=True)
class Writer:
    """A write that comes before a read, with a barrier in between, if its thread reaches it.

    Args:
        control: what must hold for a thread to make it, in the symbols of the access.
        back: how many rounds of each loop around both the write lies before the read, by loop.
        inner: loops around the write that have ended before the read, outermost first: in every round that a thread
            reaches it writes.
    """

    access: Access
    control: tuple[Cond, ...]
    back: tuple[tuple[str, int], ...] = ()
    inner: tuple[str, ...] = ()


@dataclass(frozen=True)
class Written:
    """Every byte that a read takes was written before.

    Args:
        writers: writes of any thread of the block.
        own: writes that count for the reading thread only.
    """

    read: Access
    writers: tuple[Writer, ...]
    own: tuple[Writer, ...]


Question = Apart | Everywhere | Written
