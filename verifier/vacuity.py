"""The assumptions can be met, not only trivially: several blocks, and for every place a launch that gets there."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from verifier.conditions import ONE, Condition, Subject
from verifier.contract import domain
from verifier.decide import decide
from verifier.findings import AuditError, Finding, Grade, Unreadable
from verifier.flow import Loop
from verifier.interpreter import Program, Thread, program_of, run
from verifier.manifest import Bundle
from verifier.points import thread_of
from verifier.query import read_query, unexpected
from verifier.reader import Instruction
from verifier.terms import Name, Term, Unvalued, evaluate, show

STEPS = 50_000
SEED = 7


def vacuous(bundle: Bundle, subject: Subject) -> list[Finding]:
    """What is wrong with the vacuity query and the occasions of an entry."""
    return [*_query(bundle, subject), *_Occasions(bundle, subject).check()]


def _several(subject: Subject) -> list[Term]:
    """More than one block, where the grid is not a constant."""
    open_axes = [axis for axis, grid in zip("xyz", subject.contract.grid, strict=True) if not isinstance(grid, int)]
    return [("<=", 2, Name(f"nctaid.{open_axes[0]}"))] if open_axes else []


def _query(bundle: Bundle, subject: Subject) -> list[Finding]:
    name = f"{subject.entry.name}.vacuity.smt2"
    where = bundle.path(name)
    ranges, symbols = subject.ranges()
    own = [*ranges, *subject.domain(), *_several(subject)]
    findings = _expect_sat(own, frozenset(), where, "the contract cannot be met by a launch of several blocks")
    if name not in bundle.texts:
        return [*findings, Finding(where, "missing")]
    try:
        query = read_query(bundle.texts[name], where)
    except Unreadable as error:
        return [*findings, Finding(where, str(error).removeprefix(f"{where}: "), Grade.UNREADABLE)]
    if query.goal != ("false",):
        findings.append(Finding(where, "its goal must be false: it asks for the assumptions alone"))
    condition = Condition("vacuity", "", tuple(own), ("false",), symbols)
    for _, term in unexpected(query, condition):
        findings.append(Finding(where, f"assumes what the contract does not say: {show(term)[:120]}"))
    return findings + _expect_sat(query.all, query.booleans, where, "the assumptions contradict each other")


def _expect_sat(terms: list[Term], booleans: frozenset[str], where: str, message: str) -> list[Finding]:
    status = decide(terms, booleans).status
    if status == "sat":
        return []
    if status == "unknown":
        return [Finding(where, "cvc5 cannot decide it within its limit", Grade.UNDECIDED)]
    return [Finding(where, message)]


@dataclass
class _Watch:
    """Watches nothing; the thread itself keeps the lines it executed."""

    program: Program

    def arrive(self, thread: Thread, instruction: Instruction, executes: bool) -> None:
        return

    def after(self, thread: Thread, instruction: Instruction) -> None:
        return

    def round(self, thread: Thread, loop: Loop, again: bool) -> None:
        return


@dataclass
class _Occasions:
    """The manifest's occasions: each meets the contract and executes the lines it names."""

    bundle: Bundle
    subject: Subject
    findings: list[Finding] = field(default_factory=list)

    def check(self) -> list[Finding]:
        program = program_of(self.subject.entry)
        reached: set[int] = set()
        for number, (lines, values) in enumerate(self.bundle.manifest[self.subject.entry.name].occasions, start=1):
            try:
                reached |= self._replay(program, number, lines, values)
            except (AuditError, KeyError) as error:
                self._say(f"occasion {number} cannot be replayed: {error}")
        records = self.subject.records
        places = (*records.accesses.values(), *records.barriers.values(), *records.shuffles.values())
        for line in sorted({p.line for p in places} - reached):
            self._say(f"no occasion executes PTX line {line}: what is said of it may be said of nothing")
        return self.findings

    def _say(self, message: str) -> None:
        self.findings.append(Finding(self.bundle.path("manifest.json"), f"{self.subject.entry.name}: {message}"))

    def _replay(self, program: Program, number: int, lines: tuple[int, ...], values: dict[str, int]) -> set[int]:
        subject = self.subject
        ranges, _ = subject.ranges((ONE,))
        for clause in (*ranges, *domain(subject.contract, subject.shared), *_several(subject)):
            try:
                holds = evaluate(clause, values)
            except Unvalued:
                continue
            if not holds:
                self._say(f"occasion {number} breaks the contract: {show(clause)[:120]}")
                return set()
        if not any(values[f"nctaid.{axis}"] > 1 for axis in "xyz" if f"nctaid.{axis}" in values):
            self._say(f"occasion {number} is a launch of one block")
            return set()
        chance = random.Random(SEED)
        point = thread_of(subject.contract, values, subject.shared, chance)
        thread = run(program, point.launch, point.tid, point.ctaid, chance, _Watch(program), STEPS)
        for line in sorted(set(lines) - thread.executed):
            self._say(f"occasion {number} does not execute PTX line {line}")
        return thread.executed & set(lines)
