"""The claim that every byte of shared memory that is read was written before, with a barrier in between."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from verifier.canonical import canonical
from verifier.conditions import ONE, Condition, Subject, conjunction
from verifier.intervals import Walk
from verifier.records import Access
from verifier.terms import FALSE, Term, names, substitute


def init_conditions(subject: Subject, walk: Walk) -> Iterator[Condition]:
    """One for each shared read: some thread's earlier write covers each of its bytes."""
    shared = [a for a in subject.records.accesses.values() if a.space == "shared"]
    for read in shared:
        if read.kind == "read":
            writes = [w for w in shared if _is_earlier(subject, walk, w, read)]
            goal = _covered(subject, read, writes)
            yield subject.condition(f"init.{read.id}", "init", subject.known(read, ONE), goal)


def _is_earlier(subject: Subject, walk: Walk, write: Access, read: Access) -> bool:
    """Whether a write to the same variable, if it happens, happens before the read, a barrier between them.

    The two are in no common interval, so a barrier separates them; the read never leads to the write, so it is not
    the read that comes first. What the write depends on must be known of the writing thread by its index alone.
    """
    if write.kind != "write" or write.buffer != read.buffer or write.loops:
        return False
    depends = {name for term in (write.address, *write.control) for name in names(term)}
    own = set(subject.identity(frozenset({"thread"})))
    if any(subject.scope(name) == "thread" and name not in own for name in depends):
        return False
    return not walk.together(write.id, read.id) and not walk.reaches(read.line, write.line)


def _covered(subject: Subject, read: Access, writes: list[Access]) -> Term:
    grain = read.width
    for write in writes:
        grain = gcd(grain, write.width)
    parts = []
    for at in range(0, read.width, grain):
        begin: Term = ("+", read.address, at)
        ways = [way for write in writes for way in _ways(subject, write, begin, grain)]
        parts.append(("or", *ways, FALSE))
    return conjunction(parts)


def _ways(subject: Subject, write: Access, begin: Term, grain: int) -> Iterator[Term]:
    """For each thread of the block: its write happens, and covers `grain` bytes from `begin`."""
    x, y, z = subject.contract.block
    for flat in range(x * y * z):
        index = (flat % x, flat // x % y, flat // (x * y))
        thread: dict[str, Term] = {f"tid.{axis}": value for axis, value in zip("xyz", index, strict=True)}
        control = conjunction(substitute(term, thread) for term in write.control)
        if canonical(control) == ("false",):
            continue
        start = substitute(write.address, thread)
        end: Term = ("<=", ("+", begin, grain), ("+", start, write.width))
        covers: Term = ("=", start, begin) if write.width == grain else ("and", ("<=", start, begin), end)
        if canonical(covers) != ("false",):
            yield ("and", control, covers)
