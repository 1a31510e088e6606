"""Z3's answer to a query's text. The only module that calls a solver.

No call can take for ever: search is bounded by resource units, what comes before the search (reading, rewriting) by the
length of the text, memory by the solver itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import z3

DEFAULT_RLIMIT = 20_000_000
LINEAR_RLIMIT = 1_000_000  # for the attempt without products; those that succeed take a third of that at most
LINEAR_PART = 4  # of a query's limit, for that attempt: a unit of it may take eight times as long as one of the search
MAX_TEXT = 2_000_000  # characters of a query: read and rewritten in about a second
MAX_MEGABYTES = 1024


@dataclass(frozen=True)
class Answer:
    """`unsat`, `sat` (with a model by symbol name) or `unknown` (with the solver's reason).

    Args:
        used: resource units that the answer took.
    """

    status: str
    model: dict[str, int] = field(default_factory=dict)
    reason: str = ""
    used: int = 0


class Decide(Protocol):
    """Who answers a query within a limit: the solver, or a store in front of it."""

    def __call__(self, text: str, rlimit: int = DEFAULT_RLIMIT) -> Answer: ...


def solver_version() -> str:
    """Name and version of the solver."""
    return f"z3 {z3.get_version_string()}"


def decide(text: str, rlimit: int = DEFAULT_RLIMIT) -> Answer:
    """Decide an SMT-LIB text within a resource limit, not a time.

    Z3's own strategy for products of integers has steps that it leaves after two or three seconds for the next one, so
    that on a slow machine a hard query may still come out `unknown` that is decided elsewhere; no answer turns around.
    """
    if len(text) > MAX_TEXT:
        return Answer("unknown", reason=f"the query has {len(text)} characters, at most {MAX_TEXT} are given a solver")
    context = z3.Context()
    solver: Any = z3.SolverFor("QF_NIA", ctx=context) if "(set-logic QF_NIA)" in text else z3.Solver(ctx=context)
    solver.set("rlimit", rlimit)
    solver.set("max_memory", MAX_MEGABYTES)
    solver.from_string(text.replace("(check-sat)", ""))
    before = 0
    if "(set-logic QF_NIA)" in text:
        holds, before = _linearly(solver.assertions(), context, min(rlimit // LINEAR_PART, LINEAR_RLIMIT))
        if holds:
            return Answer("unsat", used=before)
    result = solver.check()
    used = before + _units(solver)
    if result == z3.unsat:
        return Answer("unsat", used=used)
    if result == z3.sat:
        model = solver.model()
        values: dict[str, int] = {}
        for declaration in model.decls():
            value = model[declaration]
            if z3.is_int_value(value):
                values[declaration.name()] = value.as_long()
            elif z3.is_true(value) or z3.is_false(value):
                values[declaration.name()] = int(z3.is_true(value))
        return Answer("sat", values, used=used)
    reason = solver.reason_unknown()
    if "interrupted" in reason:  # the solver takes the signal of Ctrl-C for itself
        raise KeyboardInterrupt
    return Answer("unknown", reason=reason, used=used)


def _linearly(assertions: Any, context: Any, rlimit: int) -> tuple[bool, int]:
    """Whether the assertions contradict each other with products taken as plain unknowns; and the units it took.

    Most queries do, since the products that matter stand in their lemmas; the search among real products, which follows
    if they do not, would take a thousand times as long.
    """
    solver: Any = z3.SimpleSolver(ctx=context)
    solver.set("arith.nl", False)
    solver.set("rlimit", rlimit)
    solver.set("max_memory", MAX_MEGABYTES)
    solver.add(*assertions)
    result = solver.check()
    if result == z3.unknown and "interrupted" in solver.reason_unknown():
        raise KeyboardInterrupt
    return result == z3.unsat, _units(solver)


def _units(solver: Any) -> int:
    statistics = solver.statistics()
    return next((int(value) for name, value in statistics if name == "rlimit count"), 0)
