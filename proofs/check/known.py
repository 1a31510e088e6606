"""Claims that were found to hold before, of another text of the same kernel: they need not be decided again.

A claim is known by all that its decision depends on: what is said of the launch, every term of the statement, and what
is known of each unknown in it. Two claims that agree in all of these are one statement, wherever they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from proofs.claims import Claim
from proofs.contents import contents_of
from proofs.discharge import Decision
from proofs.enumeration.question import Apart, Everywhere, Question, Writer
from proofs.problem import Problem
from proofs.query import Copy
from proofs.records import Access, LoopRecord, Point
from proofs.terms import Cond, Poly, Symbol


@dataclass
class Known:
    """Claims that hold, by digest, with what decided them."""

    held: dict[str, str] = field(default_factory=dict)
    _launch: tuple[Problem, str] | None = None

    def find(self, problem: Problem, claim: Claim) -> Decision | None:
        """The decision of a claim that is known to hold."""
        key = self._key(problem, claim)
        rung = self.held.get(key) if key else None
        return None if rung is None else Decision(claim, "unsat", "", 0.0, rung=rung)

    def keep(self, problem: Problem, decision: Decision) -> None:
        """Remember a claim if it holds, and was not only found to be about writers of one value."""
        if decision.status == "unsat" and not decision.alike and (key := self._key(problem, decision.claim)):
            self.held[key] = decision.rung

    def _key(self, problem: Problem, claim: Claim) -> str:
        """'' for a claim that is never known: one that speaks of memory, or of which there is only a text."""
        parts = list(_statement(claim))
        if not parts:
            return ""
        if self._launch is None or self._launch[0] is not problem:
            self._launch = problem, "\n".join(_launch(problem))
        return sha256("\n".join([self._launch[1], *parts]).encode()).hexdigest()


def _launch(problem: Problem) -> Iterator[str]:
    yield from _terms(c for _, c in problem.domain)
    yield repr((problem.block, sorted(map(sorted, problem.alias)), problem.allow_exited))
    for name, terms in (("special", problem.specials), ("variable", problem.variables), ("size", problem.shared_bytes)):
        for key, term in terms.items():
            yield f"{name} {key}"
            yield from _terms([term])


def _statement(claim: Claim) -> Iterator[str]:
    if claim.finite is not None:
        yield claim.finite.__class__.__name__
        yield from _question(claim.finite)
        return
    query = claim.query
    if query is None or query.statement is None or query.more or claim.partial:
        return
    said = query.statement
    items = [*(h.cond for h in said.hypotheses), *said.goal_items]
    if contents_of(items):
        return
    yield f"goal {query.goal}"
    yield from (h.text for h in said.hypotheses)
    yield from _terms([*items, *said.compared, *said.splits])
    yield from map(_symbol, said.extra_symbols)


def _question(question: Question) -> Iterator[str]:
    if isinstance(question, Apart):
        for access, copy in (question.first, question.second):
            yield from _access(access)
            yield from _copy(copy)
        yield "excused" if question.excused is not None else "never"
        yield from _terms(question.excused or ())
        yield from _terms(question.known)
    elif isinstance(question, Everywhere):
        yield from _access(question.access)
        yield from _terms([question.goal])
        yield from _copy(question.copy)
    else:
        yield from _access(question.read)
        yield repr((question.tied, question.ring, question.depth))
        for writer in question.writers:
            yield from _writer(writer)


def _writer(writer: Writer) -> Iterator[str]:
    yield from _access(writer.access)
    yield from _terms(writer.control)
    yield repr((writer.by, writer.back, writer.since))
    for loop in writer.inner:
        yield from _loop(loop)


def _loop(loop: LoopRecord) -> Iterator[str]:
    yield repr((loop.id, loop.parent))
    yield from _point(loop.at)
    yield from map(_symbol, (loop.iteration, loop.exit))
    yield from _terms([loop.proceed])


def _access(a: Access) -> Iterator[str]:
    yield repr((a.space, a.kind, a.width, a.buffer, a.count, a.readonly, a.scope, a.parts, a.warp, a.flight, a.flat))
    yield repr(a.alike)
    yield from _point(a.at)
    yield from _terms([a.address, a.row, a.column, a.plane])


def _point(at: Point) -> Iterator[str]:
    yield repr(at.loops)
    for name, count in at.counts:
        yield name
        yield from _terms([count])
    yield "control"
    yield from _terms(at.control)
    yield "facts"
    yield from _terms(at.facts)


def _copy(copy: Copy) -> Iterator[str]:
    yield repr((copy.mark, sorted(copy.scopes), sorted(copy.rounds)))
    for name, term in sorted(copy.replaced.items()):
        yield name
        yield from _terms([term])


def _terms(items: Iterable[Cond | Poly]) -> Iterator[str]:
    """Terms with all that is known of the unknowns in them: a name alone does not say it."""
    for item in items:
        if "known" not in item.__dict__:
            symbols = sorted(map(_symbol, item.symbols()))
            item.__dict__["known"] = "; ".join((item.text, *symbols))
        yield item.__dict__["known"]


def _symbol(s: Symbol) -> str:
    return repr((s.name, s.kind, s.scope, s.low, s.high, sorted(s.loops), s.uniform, s.definition))
