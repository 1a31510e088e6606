"""One entry from problem to claims: run it symbolically, find its barrier intervals, state what must hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from proofs.cfg import Graph
from proofs.claims import OBLIGATIONS, Claim, all_claims
from proofs.claims.model import domain
from proofs.contents import contents_of, without
from proofs.decide import Decide, decide
from proofs.effort import NUMBERS, PRODUCT, STEP, Limits, Meter
from proofs.enumeration import Enumerator
from proofs.hints.model import Invariant
from proofs.hoisted import sunk
from proofs.intervals import Interval, intervals
from proofs.linear import Reasoner
from proofs.phases.groups import alike
from proofs.problem import Problem
from proofs.query import Hypothesis, build
from proofs.records import Records
from proofs.sameness import rests_on_shared
from proofs.slices import NOWHERE, Wrapping, without_wrapping
from proofs.symbolic import Machine
from proofs.terms import TRUE, Cond, Poly
from spec.errors import Unsupported

PROVE_RLIMIT = 4_000_000


@dataclass(frozen=True)
class Analysis:
    """What is known of an entry before any claim is decided.

    Args:
        memory: the obligations whose claims, or what was proved on the way to them, speak of what memory holds.
        rewritten: those of which facts are given that do not count, as the launch writes there.
        wrapping: where numbers may wrap since they reach no address, guard or bound.
        shares: something is taken to be the same in all threads since they load it from one place of shared memory.
        exchanges: where values are defined hangs on other lanes, so on *barrier*.
        one_value: lines of stores which are proved to put the same in the same place.
        numbers: how many enumerations of this entry may work out.
        unproved: hints about loops that do not hold, or not provably, or speak of what is not followed.
    """

    problem: Problem
    graph: Graph
    records: Records
    intervals: tuple[Interval, ...]
    claims: tuple[Claim, ...]
    memory: frozenset[str] = frozenset()
    rewritten: frozenset[str] = frozenset()
    wrapping: Wrapping = NOWHERE
    unproved: tuple[str, ...] = ()
    shares: bool = False
    exchanges: bool = False
    one_value: frozenset[frozenset[int]] = frozenset()
    numbers: int = NUMBERS

    @cached_property
    def enumerator(self) -> Enumerator:
        """What enumerations of this entry share."""
        return Enumerator(self.problem, self.numbers)


class Prover:
    """Decides, while the machine runs, whether a value is in range; remembers answers.

    `memory`: something was proved from what memory holds.
    """

    def __init__(self, problem: Problem, answers: dict[str, bool] | None = None, ask: Decide = decide) -> None:
        self.problem, self.ask = problem, ask
        self.answers: dict[str, bool] = {} if answers is None else answers
        self.memory = False
        self._domain = [c for _, c in problem.domain]
        self._reasoner = Reasoner()

    def count(self, machine: Machine) -> None:
        """Count what a run took, if somebody keeps count."""
        if isinstance(self.ask, Meter):
            self.ask.spend(STEP * machine.carried_out)

    def _follows(self, known: tuple[Cond, ...], goal: Cond) -> bool:
        """By sums; nothing does once the effort is used up."""
        if not isinstance(self.ask, Meter):
            return self._reasoner.follows(known, goal)
        if self.ask.over:
            return False
        before = self._reasoner.work
        found = self._reasoner.follows(known, goal)
        self.ask.spend(PRODUCT * (self._reasoner.work - before))
        return found

    def __call__(self, known: tuple[Cond, ...], goal: Cond) -> bool:
        if goal == TRUE:
            return True
        if self._follows((*self._domain, *known), goal):
            self.memory = self.memory or bool(self.problem.sources and contents_of((*self._domain, *known, goal)))
            return True
        if isinstance(self.ask, Meter) and self.ask.over:
            return False
        here = [Hypothesis("fact", c.text, c) for c in known]
        for linear in (True, False):
            query = build("prove", (), [*domain(self.problem, linear=linear), *here], goal.text, [goal])
            text = query.text
            if text not in self.answers:
                self.answers[text] = self.ask(text, PROVE_RLIMIT).status == "unsat"
            if self.answers[text]:
                self.memory = self.memory or bool(query.contents)
                return True
        return False


def analyse(
    problem: Problem, answers: dict[str, bool] | None = None, ask: Decide = decide, limits: Limits | None = None
) -> Analysis:
    """Records, intervals and claims of an entry; Unsupported names what the model does not cover.

    `answers` keeps, by text, whether a query was proved: kernels that differ little ask the same ones.
    """
    limits = limits or Limits()
    rewritten: frozenset[str] = frozenset()
    while True:
        prover = Prover(problem, answers, ask)
        machine = Machine(problem, prover, limits.steps)
        records = machine.run()
        one, graph = alike(records), None
        if not problem.strict:  # the audit reads the entry as it stands
            open_ones = {r.at.place for r in records.ranges if not r.proved}
            graph = sunk(machine.graph, machine.places, open_ones)
        prover.count(machine)
        # A second look proves more than the first, and takes about as many steps.
        if (one or graph is not None) and 2 * machine.carried_out <= limits.steps:
            machine = Machine(problem, prover, limits.steps, one, graph)
            records = machine.run()
            prover.count(machine)
        written = {a.buffer for a in records.accesses if a.space == "global" and a.writes}
        lost = {b for b in problem.sources if any(problem.alias_of(b, w) for w in written)}
        if not lost:
            break
        rewritten |= {b for b in lost if problem.sources[b].facts}
        problem = replace(problem, sources=without(problem.sources, lost))
    wrapping = NOWHERE
    if not problem.strict:  # a contract would have to name the lines (docs/check.md)
        records, wrapping = without_wrapping(problem, machine.graph, machine.places, records)
    points = [
        *(r.at for r in records.accesses), *(r.at for r in records.barriers), *(r.at for r in records.shuffles),
        *(r.at for r in records.ranges), *(r.at for r in records.reads), *(r.at for r in records.loops),
    ]  # fmt: skip
    if len(points) > limits.claims:
        raise Unsupported(
            f"{len(points)} accesses, barriers, loops and values to look at, more than {limits.claims} (--effort)",
            line=points[limits.claims].line,
        )
    found = intervals(machine.graph, records, machine.places)
    claims = all_claims(problem, records, machine.graph, found, limits.claims)
    memory: frozenset[str] = frozenset()
    if prover.memory or machine.facts_used:
        memory = frozenset(OBLIGATIONS)
    elif problem.sources:
        memory = frozenset(c.obligation for c in claims if any(q.contents for q in c.made))
    if wrapping.memory:
        memory |= {"no-wrap"}
    invariants = (h.text for h in problem.hints if isinstance(h, Invariant))
    unproved = tuple(text for text in invariants if not machine.summaries.proved.get(text))
    return Analysis(
        problem, machine.graph, records, found, tuple(claims), memory, rewritten, wrapping, unproved,
        machine.shares or any(map(rests_on_shared, _decides(records))), machine.exchanges,
        numbers=limits.numbers,
    )


def _decides(records: Records) -> Iterator[Cond | Poly]:
    """Everything that claims speak of, but for the values that are stored."""
    for access in records.accesses:
        yield from (access.address, access.plane, access.row, access.column)
    for barrier in records.barriers:
        yield from (barrier.number, barrier.count or barrier.number)
    yield from (r.term for r in records.ranges)
    yield from (r.written for r in records.reads)
    yield from (loop.proceed for loop in records.loops)
    yield from (condition for _, condition in records.branches)
    yield from records.leaves
    kinds = (
        records.accesses, records.barriers, records.shuffles, records.traps, records.ranges, records.reads,
        records.loops, records.commits, records.waits,
    )  # fmt: skip
    for kind in kinds:
        for item in kind:
            yield from item.at.known()
            yield from (count for _, count in item.at.counts)
