"""Claims that shared memory is written before it is read, decided by enumeration: read, compared, gone through again.

The file names the read, the writes that come before it, and how many rounds of a loop before (`back`). What is worked
out here: that each of these writes stands in the records as the file has it; that it comes first, and that a barrier
lies between unless it is the reading thread's own; that in every round of the ring and for every value of what the
block has in common each byte that a thread may read is written by a thread that is certain to write it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from verifier.canonical import canonical
from verifier.conditions import Subject, all_symbols
from verifier.enumeration import MAX_LANES, Axis, TooLarge, read_axis, read_number, read_site_term
from verifier.findings import Unreadable
from verifier.forms import Bounds, Form, Open, slack, truth, value
from verifier.intervals import Walk
from verifier.manifest import read_json
from verifier.records import Access, LoopRecord
from verifier.terms import Name, Term, conjuncts, names, show, substitute

ANYONE, THREAD = "anyone", "thread"
MAX_ROUNDS, MAX_DEPTH = 64, 64
Values = Mapping[str, Form]
Byte = tuple[tuple[tuple[str, int], ...], int]


@dataclass(frozen=True)
class Place:
    """An access as the file has it. Its conditions are all that lead to a write, or some of what is known at a read."""

    access: str
    address: Term
    width: int
    conditions: tuple[Term, ...]


@dataclass(frozen=True)
class Writer:
    """A write, whose reads it comes before, and how many rounds of the ring before."""

    place: Place
    by: str
    back: int


@dataclass(frozen=True)
class Initialised:
    """What was enumerated. `depth`: rounds of the loop `ring` that are cases of their own, before all others."""

    entry: str
    claim: str
    ptx_sha256: str
    read: Place
    ring: str
    depth: int
    writers: tuple[Writer, ...]
    axes: Mapping[str, Axis]


# --- reading -----------------------------------------------------------------------------------------------------


def read_initialised(text: str, where: str) -> Initialised:
    """The file's content; Unreadable for anything outside the format."""
    data = read_json(text, where)
    fields = {"version", "entry", "claim", "ptx_sha256", "read", "ring", "depth", "writers", "symbols"}
    if not isinstance(data, dict) or set(data) != fields or data["version"] != 1:
        raise Unreadable(f"{where}: not an enumeration of initialisation of version 1")
    try:
        writers = tuple(_writer(w, where) for w in data["writers"])
        axes = {str(name): read_axis(given, where) for name, given in data["symbols"].items()}
        read = _place(data["read"], where, ())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{where}: not an enumeration: {error!r}") from None
    depth = read_number(data["depth"], where)
    if not 0 <= depth <= MAX_DEPTH:
        raise Unreadable(f"{where}: {depth} rounds that are cases of their own")
    return Initialised(
        str(data["entry"]), str(data["claim"]), str(data["ptx_sha256"]), read, str(data["ring"]), depth, writers, axes
    )


def _place(data: Any, where: str, more: tuple[str, ...]) -> Place:
    if set(data) != {"access", "address", "width", "conditions", *more}:
        raise Unreadable(f"{where}: not an access")
    conditions = tuple(read_site_term(c, where) for c in data["conditions"])
    return Place(
        str(data["access"]), read_site_term(data["address"], where), read_number(data["width"], where), conditions
    )


def _writer(data: Any, where: str) -> Writer:
    place, back = _place(data, where, ("by", "back")), read_number(data["back"], where)
    if data["by"] not in (ANYONE, THREAD) or back < 0:
        raise Unreadable(f"{where}: {place.access} writes for {data['by']!r}, {back} rounds before")
    return Writer(place, str(data["by"]), back)


# --- against records, contract and flow --------------------------------------------------------------------------


def objections(found: Initialised, claim: str, subject: Subject, walk: Walk, digest: str) -> Iterator[str]:
    """Where the file speaks of something else than the claim, or counts a write that is not sure to come first."""
    if (found.entry, found.claim, found.ptx_sha256) != (subject.entry.name, claim, digest):
        yield "enumerates another claim, entry or PTX"
    read = subject.records.accesses.get(found.read.access)
    if read is None or f"init.{read.id}" != claim or read.space != "shared" or read.kind != "read":
        yield f"{found.read.access} is not the read of {claim}"
        return
    yield from _as_recorded(found.read, read, (*read.control, *read.facts), whole=False)
    tied = _tied(subject)
    if found.ring and (found.ring not in read.loops or found.ring not in tied):
        yield f"{found.ring} is no loop around the read in which all threads are in the same round"
        return
    for writer in found.writers:
        write = subject.records.accesses.get(writer.place.access)
        if write is None or write.kind != "write" or write.buffer != read.buffer or write.space != "shared":
            yield f"{writer.place.access} is no write to {read.buffer}"
            continue
        yield from _as_recorded(writer.place, write, write.control, whole=True)
        if why := _not_before(writer, write, read, found.ring, tied, walk):
            yield f"{write.id} counts for {read.id} ({writer.by}, {writer.back} rounds before), but {why}"
    known = all_symbols(subject)
    for name, axis in found.axes.items():
        symbol = known.get(name)
        if symbol is None or name.startswith("tid."):
            yield f"goes through {name}, which this claim does not have"
        elif name in _own(found, subject):
            if axis.modulus or symbol.low is None or symbol.low < axis.low:
                yield f"goes through {axis.low} to {axis.high} for {name}, whose least value is {symbol.low}"
            elif not _ends(found, subject, name, axis.high):
                yield f"goes through {axis.low} to {axis.high} for {name}, but the read may be made beyond"
        elif axis.modulus and (symbol.low is None or symbol.low < 0):
            yield f"goes through remainders of {name}, which may be negative"
        elif not axis.modulus and (
            symbol.low is None or symbol.high is None or symbol.low < axis.low or axis.high < symbol.high
        ):
            yield f"goes through {axis.low} to {axis.high} for {name}, whose range is {symbol.low} to {symbol.high}"


def _own(found: Initialised, subject: Subject) -> set[str]:
    """What is gone through and is the reading thread's own."""
    tied = _tied(subject)
    rounds = {loop.iteration for loop in subject.records.loops.values() if loop.id in tied}
    return {name for name in found.axes if subject.scope(name) == "thread" and name not in rounds}


def _ends(found: Initialised, subject: Subject, name: str, high: int) -> bool:
    """Whether the read is made with no larger value of a number."""
    bounds: Bounds = {n: (symbol.low, symbol.high) for n, symbol in all_symbols(subject).items()}
    if (most := bounds[name][1]) is not None and most <= high:
        return True
    beyond = {name: Form.of(high + 1).plus(Form.unknown(_quotient(name)))}
    bounds[_quotient(name)] = (0, None)
    return any(truth(c, beyond, bounds) is False for c in found.read.conditions)


def _as_recorded(place: Place, access: Access, conditions: tuple[Term, ...], whole: bool) -> Iterator[str]:
    if canonical(("=", place.address, 0)) != canonical(("=", access.address, 0)) or place.width != access.width:
        yield f"{access.id} is {place.width} bytes at {show(place.address)[:120]}, which the records do not say"
    said = {canonical(p) for c in place.conditions for p in conjuncts(c)} - {("true",)}
    known = {canonical(p) for c in conditions for p in conjuncts(c)} - {("true",)}
    if not said <= known or (whole and said != known):
        yield f"{access.id} is made under other conditions than the records say"


def _tied(subject: Subject) -> frozenset[str]:
    """Loops with a barrier of the block: by the claims on barriers and trips all threads go round them together."""
    return frozenset(loop for barrier in subject.records.barriers.values() for loop in barrier.loops)


def _not_before(
    writer: Writer, write: Access, read: Access, ring: str, tied: frozenset[str], walk: Walk
) -> str:
    """Why a write is not sure to come before the read, or ''."""
    both = [loop for loop in write.loops if loop in read.loops]
    inner = [loop for loop in write.loops if loop not in read.loops]
    if writer.back:
        if not both or both[-1] != ring:
            return f"no earlier round of {ring or 'a loop'} holds it"
    elif not _leads(walk, write, read, both):
        return "it does not come before the read"
    if writer.by == THREAD:
        return "" if not (writer.back or inner) else "it is another round's"
    if not set(both) <= tied:
        return "threads need not be in the same round"
    return "no barrier lies between" if _together(walk, write, read, ring, writer.back, both) else ""


def _leads(walk: Walk, write: Access, read: Access, loops: list[str]) -> bool:
    """In one round of these loops: control goes from the write to the read, and from the read never to the write."""
    headers = {h for h, loop in walk.flow.loops.items() if walk.loops.get(loop.line) in loops}

    def after(line: int) -> set[int]:
        seen: set[int] = set()
        work = [walk.lines[line]]
        while work:
            at = work.pop()
            for target in walk.flow.successors[at]:
                again = target in headers and at in walk.flow.loops[target].body
                if target not in seen and not again:
                    seen.add(target)
                    work.append(target)
        return seen

    return walk.lines[read.line] in after(write.line) and walk.lines[write.line] not in after(read.line)


def _together(walk: Walk, write: Access, read: Access, ring: str, back: int, both: list[str]) -> bool:
    """Whether an interval holds the write and, `back` rounds of the ring later, the read; other rounds are the same."""
    for members in walk.found.values():
        writes = [dict(modes) for access, modes in members if access == write.id]
        reads = [dict(modes) for access, modes in members if access == read.id]
        for w, r in product(writes, reads):
            if all(_ahead(w[loop], r[loop]) in (None, back if loop == ring else 0) for loop in both):
                return True
    return False


def _ahead(first: str, second: str) -> int | None:
    """How many rounds the second is ahead; None if it may be any number."""
    if "free" in (first, second) or first.startswith("base") != second.startswith("base"):
        return None
    begun, reached = (int(mode.removeprefix("base").removeprefix("+") or 0) for mode in (first, second))
    return reached - begun


# --- going through it --------------------------------------------------------------------------------------------


class Again:
    """The enumeration, done again, of a file without objections."""

    def __init__(self, found: Initialised, subject: Subject) -> None:
        self.found, self.subject = found, subject
        records = subject.records
        self.read = records.accesses[found.read.access]
        self.writers = [(w, records.accesses[w.place.access]) for w in found.writers]
        self.tied = {records.loops[loop].iteration for loop in self.read.loops if loop in _tied(subject)}
        self.count = records.loops[found.ring].iteration if found.ring else ""
        known = all_symbols(subject)
        self.bounds: Bounds = {name: (symbol.low, symbol.high) for name, symbol in known.items()}
        self.bounds |= {f"{name}!": bounds for name, bounds in list(self.bounds.items())}
        self.bounds |= {_quotient(name): (0, None) for name in (*found.axes, self.count)}
        self.mine = sorted(_own(found, subject))
        self.common = [name for name in found.axes if name != self.count and name not in self.mine]
        launch = [c for c in subject.domain() if all(subject.scope(n) != "thread" for n in names(c))]
        self.told = [p for c in (*launch, *found.read.conditions) for p in conjuncts(c) if self._shared(p)]

    def _shared(self, term: Term) -> bool:
        """Whether the threads of a block that are in the reader's rounds have all of a condition in common."""
        return all(self.subject.scope(n) != "thread" or n in self.tied for n in names(term))

    def refuted(self) -> str:
        """What speaks against the claim, or ''. TooLarge, or Open for a read that is not followed."""
        x, y, z = self.subject.contract.block
        threads = [{"tid.x": i % x, "tid.y": i // x % y, "tid.z": i // (x * y)} for i in range(x * y * z)]
        own = [{n: Form.of(v) for n, v in thread.items()} for thread in threads]
        rounds = list(self._rounds())
        cases = len(rounds) * prod(axis.count for name, axis in self.found.axes.items() if name != self.count)
        if cases * len(own) * (len(self.writers) + 1) > MAX_LANES:
            raise TooLarge(f"{cases} cases of {len(own)} threads, more than {MAX_LANES} accesses in all")
        axes = [self.found.axes[n] for n in self.common]
        for number, round_ in rounds:
            for at in product(*(range(a.low, a.high + 1) for a in axes)):
                values = {n: a.form(n, v) for n, a, v in zip(self.common, axes, at, strict=True)} | round_
                if message := self._case(values, own, number):
                    return message
        return ""

    def _rounds(self) -> Iterator[tuple[int, dict[str, Form]]]:
        """Rounds of the ring: how many come before at least, and the count."""
        if not self.count:
            yield 0, {}
            return
        for number in range(self.found.depth):
            yield number, {self.count: Form.of(number)}
        axis = self.found.axes.get(self.count)
        modulus = axis.modulus if axis is not None and axis.modulus else 1
        for place in range(modulus):
            more = Form.unknown(_quotient(self.count)).times(modulus)
            yield self.found.depth, {self.count: Form.of(self.found.depth + place).plus(more)}

    def _case(self, values: Values, own: list[dict[str, Form]], rounds: int) -> str:
        known = [s for t in self.told for s in slack(t, values, self.bounds)]
        written: set[Byte] = set()
        for writer, write in self.writers:
            if writer.by == ANYONE and writer.back <= rounds:
                for thread in own:
                    written |= self._bytes(writer, write, values, thread, known)
        for thread, more in product(own, self._assigned()):
            here = {**values, **thread, **more}
            if any(truth(c, here, self.bounds) is False for c in self.found.read.conditions):
                continue
            begin = value(self.found.read.address, here, self.bounds)
            mine: set[Byte] | None = None
            for at in range(self.found.read.width):
                byte = _byte(begin, at)
                if byte in written:
                    continue
                if mine is None:
                    mine = {
                        b for writer, write in self.writers if writer.by == THREAD
                        for b in self._bytes(writer, write, values, thread, known)
                    }  # fmt: skip
                if byte not in mine:
                    where = ", ".join(f"{n}={v.number}" for n, v in here.items())
                    return f"byte {at} of the read may not be written, {where}"
        return ""

    def _assigned(self) -> list[dict[str, Form]]:
        """The values of the reading thread's own numbers."""
        axes = [self.found.axes[n] for n in self.mine]
        found = product(*(range(a.low, a.high + 1) for a in axes))
        return [{n: a.form(n, v) for n, a, v in zip(self.mine, axes, at, strict=True)} for at in found]

    def _bytes(
        self, writer: Writer, write: Access, values: Values, thread: Values, known: list[Form]
    ) -> set[Byte]:
        """The bytes that a thread is certain to write, in all rounds that it is certain to reach."""
        spoken = self._spoken(writer, write)
        here = {**values, **thread}
        if writer.back:
            here[self.count] = values[self.count].plus(Form.of(-writer.back))
        inner = [self.subject.records.loops[loop] for loop in write.loops if loop not in self.read.loops]
        found: set[Byte] = set()
        for assigned in self._inside(inner, here, spoken, known):
            if all(self._sure(c, assigned, spoken, known) for c in writer.place.conditions):
                try:
                    begin = value(substitute(writer.place.address, spoken), assigned, self.bounds)
                except Open:
                    continue
                found |= {_byte(begin, at) for at in range(writer.place.width)}
        return found

    def _spoken(self, writer: Writer, write: Access) -> dict[str, Term]:
        """What the writer has of its own, under names of its own."""
        loops = self.subject.records.loops
        inner = [loops[loop] for loop in write.loops if loop not in self.read.loops]
        terms = [writer.place.address, *writer.place.conditions, *(loop.proceed for loop in inner)]
        counters = {loop.iteration for loop in inner}
        mine = {n for t in terms for n in names(t) if self.subject.scope(n) == "thread"}
        mine -= {n for n in mine if n.startswith("tid.") or n in self.tied or n in counters}
        return {n: Name(f"{n}!") for n in mine}

    def _inside(
        self, loops: list[LoopRecord], values: Values, spoken: Mapping[str, Term], known: list[Form]
    ) -> Iterator[Values]:
        """The rounds of loops that have ended which the thread is certain to reach."""
        if not loops:
            yield values
            return
        loop, *rest = loops
        for number in range(MAX_ROUNDS):
            here = {**values, loop.iteration: Form.of(number)}
            yield from self._inside(rest, here, spoken, known)
            if not self._sure(loop.proceed, here, spoken, known):
                return

    def _sure(self, condition: Term, values: Values, spoken: Mapping[str, Term], known: list[Form]) -> bool:
        """Whether a condition holds for certain: by itself, or as it asks no more than what is known of the block."""
        for part in conjuncts(substitute(condition, dict(spoken))):
            if truth(part, values, self.bounds) is True:
                continue
            asked = slack(part, values, self.bounds)
            if not asked or not all(any(self._at_least(a, s) for s in known) for a in asked):
                return False
        return True

    def _at_least(self, a: Form, b: Form) -> bool:
        low, _ = a.plus(b.times(-1)).range(self.bounds)
        return low is not None and low >= 0


def _byte(begin: Form, at: int) -> Byte:
    return tuple(sorted(begin.unknowns.items())), begin.number + at


def _quotient(name: str) -> str:
    """The unknown number of times that the modulus is added."""
    return f"{name}/"


__all__ = ["Again", "Initialised", "objections", "read_initialised"]
