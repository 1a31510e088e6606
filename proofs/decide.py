"""Z3's answer to a query's text. The only module that calls a solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import z3

DEFAULT_RLIMIT = 20_000_000


@dataclass(frozen=True)
class Answer:
    """`unsat`, `sat` (with a model by symbol name) or `unknown` (with the solver's reason)."""

    status: str
    model: dict[str, int] = field(default_factory=dict)
    reason: str = ""


def solver_version() -> str:
    """Name and version of the solver."""
    return f"z3 {z3.get_version_string()}"


def decide(text: str, rlimit: int = DEFAULT_RLIMIT) -> Answer:
    """Decide an SMT-LIB text within a resource limit (not a time, so that the verdict does not depend on load)."""
    context = z3.Context()
    solver: Any = z3.SolverFor("QF_NIA", ctx=context) if "(set-logic QF_NIA)" in text else z3.Solver(ctx=context)
    solver.set("rlimit", rlimit)
    solver.from_string(text.replace("(check-sat)", ""))
    result = solver.check()
    if result == z3.unsat:
        return Answer("unsat")
    if result == z3.sat:
        model = solver.model()
        values: dict[str, int] = {}
        for declaration in model.decls():
            value = model[declaration]
            if z3.is_int_value(value):
                values[declaration.name()] = value.as_long()
            elif z3.is_true(value) or z3.is_false(value):
                values[declaration.name()] = int(z3.is_true(value))
        return Answer("sat", values)
    return Answer("unknown", reason=solver.reason_unknown())
