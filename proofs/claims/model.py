"""What a claim is, and the hypotheses that claims share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from functools import cached_property

from proofs.enumeration.question import Question
from proofs.problem import Problem, linear_thread
from proofs.query import ONE, Copy, Hypothesis, Query
from proofs.records import Access, Point
from proofs.terms import BLOCK, THREAD, Cond, Poly, Symbol, divide, quote, same

OBLIGATIONS = (
    "coverage", "single-writer", "bounds", "barrier", "race", "resources", "power-gate", "abi", "numerics",
    "refinement",
    "no-wrap", "init", "no-trap",
)
FIRST, SECOND = "!1", "!2"
WARP = 32
GRID_SCOPES = frozenset({BLOCK, THREAD})
BLOCK_SCOPES = frozenset({THREAD})


@dataclass(frozen=True)
class Claim:
    """A statement that must hold. `query` is None where none could be stated; `reason` then says why (unknown).

    A query is long, and most are never asked for, since enumeration decides: it may be given as what makes it.

    Args:
        name: unique in its entry, `bounds.a3`.
        obligation: one of OBLIGATIONS.
        lines: PTX lines it speaks of.
        full: the query, or what makes it.
        shorter: the query without the non-linear clauses of the domain, tried first; same goal.
        subjects: what a counterexample needs for replay: accesses with their copies.
        threads: of a pair in one block, how its threads stand to each other (`proofs.phases.model`).
        finite: the same statement for enumeration, where it speaks of shared memory only.
        partial: the query demands more than the claim does, so that `sat` says nothing but for a candidate that
            enumeration found; `reason` is what is missing otherwise.
        weaker: the weaker statement that whoever writes a byte writes the same value there, asked where it fails.
        visible: text of a condition under which a counterexample is more likely to show in a run, tried first; or ''.
    """

    name: str
    obligation: str
    lines: tuple[int, ...]
    full: Query | Callable[[], Query] | None
    words: str
    shorter: Query | Callable[[], Query] | None = None
    reason: str = ""
    subjects: tuple[tuple[Access, Copy], ...] = field(default=())
    threads: str = ""
    finite: Question | None = None
    partial: bool = False
    visible: str = ""
    weaker: Query | Callable[[], Query] | None = None

    @cached_property
    def alike(self) -> Query | None:
        """The weaker query."""
        return self.weaker() if callable(self.weaker) else self.weaker

    @cached_property
    def query(self) -> Query | None:
        """The whole query."""
        return self.full() if callable(self.full) else self.full

    @cached_property
    def reduced(self) -> Query | None:
        """The shorter one."""
        return self.shorter() if callable(self.shorter) else self.shorter

    @property
    def stated(self) -> bool:
        """Whether the whole query exists already; to make it may take long."""
        return "query" in vars(self) or not callable(self.full)

    @property
    def made(self) -> tuple[Query, ...]:
        """The queries that exist already."""
        return tuple(q for q in (self.full, self.shorter) if isinstance(q, Query))

    def __getstate__(self) -> dict[str, object]:
        """For another process: with its queries."""
        fields = {f.name: getattr(self, f.name) for f in dataclass_fields(self)}
        return {**fields, "full": self.query, "shorter": self.reduced, "weaker": self.alike}


def domain(problem: Problem, copies: Iterable[Copy] = (ONE,), linear: bool = False) -> list[Hypothesis]:
    """The contract's clauses and the launch geometry, for each copy."""
    found = []
    for copy in copies:
        for _, clause in problem.domain:
            if linear and any(p.degree > 1 for p in clause.polys()):
                continue
            found.append(copy.hypothesis("domain", clause))
    return found


def known(at: Point, copy: Copy = ONE, control: bool = True, facts: bool = True) -> list[Hypothesis]:
    """What holds at a point."""
    found = []
    if control:
        found += [copy.hypothesis("control", c) for c in at.control]
    if facts:
        found += [copy.hypothesis("fact", c) for c in at.facts]
    return found


def warp_number(problem: Problem) -> Poly:
    """The warp of a thread in its block."""
    return divide(linear_thread(problem.specials), WARP)


def warps(problem: Problem, copies: tuple[Copy, Copy]) -> Hypothesis:
    """That two threads of a block are lanes of one warp."""
    warp = warp_number(problem)
    first, second = copies
    return Hypothesis("warp", f"(= {first.text(warp)} {second.text(warp)})", same(first.poly(warp), second.poly(warp)))


def apart(scopes: frozenset[str]) -> tuple[Copy, Copy]:
    """Two threads: of the launch (GRID_SCOPES) or of one block (BLOCK_SCOPES)."""
    return Copy(FIRST, scopes), Copy(SECOND, scopes)


def identity(problem: Problem, scopes: frozenset[str]) -> list[Symbol]:
    """The symbols that tell one thread from another."""
    found: dict[str, Symbol] = {}
    for axis in ("x", "y", "z"):
        for register in (f"%ctaid.{axis}", f"%tid.{axis}"):
            for symbol in problem.specials[register].symbols():
                if symbol.scope in scopes:
                    found[symbol.name] = symbol
    return list(found.values())


def equal_texts(symbols: Iterable[Symbol]) -> list[str]:
    """`(= s!1 s!2)` for each symbol."""
    return [f"(= {quote(s.name + FIRST)} {quote(s.name + SECOND)})" for s in symbols]


def conjunction(texts: list[str]) -> str:
    """SMT-LIB `and` of texts."""
    if not texts:
        return "true"
    return texts[0] if len(texts) == 1 else f"(and {' '.join(texts)})"


Items = list[Cond | Poly]
