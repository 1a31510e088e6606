"""Every access of a run against what the prover recorded of that instruction: its address, and what leads there.

The address in the emulator must be the recorded term at the thread's numbers, the launch's parameters, the rounds of
the loops and the values of registers that the term speaks of. An access at an instruction of which no access of its
kind is recorded was overlooked, and one where a recorded condition does not hold was thought impossible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.contents import contents_of
from proofs.entry import Analysis
from proofs.places import instruction_places
from proofs.records import Access
from spec.ptx.access import AccessEvent
from spec.ptx.block import StepEvent
from spec.ptx.program import Program
from tests.campaign.launching import Concrete
from tests.campaign.symbols import Moment, Values
from tests.campaign.terms import Missing, value
from verifier.terms import Term, names, read_term

Array = npt.NDArray[Any]
MODULUS = {"global": 2**64, "shared": 2**32, "local": 2**32}
SHOWN = 3  # disagreements kept in words


@dataclass
class Compared:
    """How many accesses agreed; the first that did not, in words; why others were not compared."""

    agree: int = 0
    disagree: int = 0
    words: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def against(self, count: int, words: str) -> None:
        """Accesses that are not as recorded."""
        self.disagree += count
        if len(self.words) < SHOWN:
            self.words.append(words)


    def excuse(self, why: str) -> None:
        """Accesses that are not as recorded do not count."""
        self.left_out[why] += self.disagree
        self.disagree, self.words = 0, []


@dataclass(frozen=True)
class _Recorded:
    """A recorded access, its terms read."""

    access: Access
    address: Term
    known: tuple[Term, ...]


class Crosscheck:
    """Listens to one run of a launch.

    Args:
        exact: the accesses are proved to stay in their buffers, so that terms are the addresses themselves; otherwise
            they may be so modulo the width of an address only.
    """

    def __init__(self, analysis: Analysis, program: Program, given: Concrete, exact: bool) -> None:
        problem, records = analysis.problem, analysis.records
        self.exact, self.size = exact, given.launch.block
        self.result = Compared()
        self._recorded: dict[str, list[_Recorded]] = {}
        terms: list[Any] = []
        for access in records.accesses:
            known = access.at.known()
            terms += [access.address, *known]
            conditions = tuple(read_term(c.text, access.id) for c in known)
            recorded = _Recorded(access, read_term(access.address.text, access.id), conditions)
            self._recorded.setdefault(access.at.place, []).append(recorded)
        wanted = {s.name: s for term in terms for s in term.symbols()}
        contents = {a.name: a for a in contents_of(terms)}
        places = instruction_places(problem.function)
        self.moment = Moment(problem, records, program, given, places, wanted, contents)
        self._places = places
        self._step: StepEvent | None = None
        self._events: list[AccessEvent] = []

    def on_access(self, event: AccessEvent) -> None:
        self._events.append(event)

    def on_step(self, event: StepEvent) -> None:
        self.finish()
        self._step = event
        self.moment.begin(event)

    def finish(self) -> None:
        """Look at the accesses of the last instruction."""
        if self._step is None:
            return
        step, events = self._step, self._events
        self._step, self._events = None, []
        late = [e for e in events if e.line != step.instr.line]
        if late:
            # Lanes wait at an instruction for others that never come, and the machine, which has said so, lets them on.
            self.result.left_out["an exchange for which some lanes never came"] += len(late)
            events = [e for e in events if e.line == step.instr.line]
        if events:
            place = self._places[id(step.instr)]
            kinds = dict.fromkeys((e.space, e.kind, e.width) for e in events)
            for kind in kinds:
                self._compare(place, [e for e in events if (e.space, e.kind, e.width) == kind])
        self.moment.done(step)

    def _compare(self, place: str, events: Sequence[AccessEvent]) -> None:
        one, count = events[0], len(events)
        if one.space == "const" or one.space == "param":
            self.result.left_out[f"{one.space} memory"] += count
            return
        found = [r for r in self._recorded.get(place, ()) if _fits(r.access, one)]
        if not found:
            self.result.against(count, f"line {one.line}: {one.kind} of {one.width} bytes; nothing is recorded of it")
            return
        x, y, _ = self.size
        threads = np.array([e.thread[0] + x * (e.thread[1] + y * e.thread[2]) for e in events], np.int64)
        lookup = self.moment.at(threads)
        actual = np.array([e.address for e in events], object)
        agreed = np.zeros(count, bool)
        terms: list[str] = []
        for recorded in found:
            try:
                term = value(recorded.address, lookup)
            except Missing as error:
                self.result.left_out[_kind_of(str(error))] += count
                return
            difference = np.asarray(actual - term, object)
            agreed |= np.asarray((difference if self.exact else difference % MODULUS[one.space]) == 0, bool)
            terms.append(recorded.access.address.text)
        if len(found) == 1:
            self._conditions(found[0], lookup, events)
        wrong = np.flatnonzero(~agreed)
        if len(wrong) and self.moment.unsure & {n for r in found for n in names(r.address)}:
            self.result.left_out["a part of what an instruction computes"] += len(wrong)
        elif len(wrong):
            event = events[int(wrong[0])]
            self.result.against(
                len(wrong),
                f"line {one.line}: {one.kind} at {event.address} of block {event.block}, thread {event.thread}, "
                f"recorded is {' or '.join(terms)[:400]}",
            )
        self.result.agree += count - len(wrong)

    def _conditions(self, recorded: _Recorded, lookup: Values, events: Sequence[AccessEvent]) -> None:
        """What is known at the access must hold for whoever makes it."""
        for cond, term in zip(recorded.access.at.known(), recorded.known, strict=True):
            try:
                holds = np.broadcast_to(np.asarray(value(term, lookup), bool), (len(events),))
            except Missing:
                continue
            if not holds.all() and not self.moment.unsure & set(names(term)):
                event = events[int(np.flatnonzero(~holds)[0])]
                self.result.against(
                    int((~holds).sum()),
                    f"line {event.line}: block {event.block}, thread {event.thread} is here without {cond.text[:400]}",
                )
                return


def _fits(access: Access, event: AccessEvent) -> bool:
    """Whether an event may be of a recorded access. An asynchronous copy may read less than it writes."""
    if (access.space, access.kind) != (event.space, event.kind):
        return False
    return access.width == event.width or (access.flight and access.kind == "read" and event.width < access.width)


def _kind_of(missing: str) -> str:
    """The kind of unknown that has no value, without its place."""
    if "[" in missing:
        return "elements of memory"
    return f"{missing.partition('@')[0]}@" if "@" in missing[:2] else missing.split(":", maxsplit=1)[0][:40]
