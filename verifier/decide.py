"""cvc5's answer to a set of conditions. The terms are ours: what a file says is parsed here and rebuilt, so that no
difference between two readers of SMT-LIB can hide in it. The effort is limited by resources, not by seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import cvc5
from cvc5 import Kind

from verifier.findings import Unreadable
from verifier.terms import Name, Term, arguments, conjuncts, names, show, substitute

EFFORT = 2_000_000
SMALL = 64

_KINDS = {
    "and": Kind.AND,
    "or": Kind.OR,
    "not": Kind.NOT,
    "xor": Kind.XOR,
    "=>": Kind.IMPLIES,
    "=": Kind.EQUAL,
    "distinct": Kind.DISTINCT,
    "<=": Kind.LEQ,
    "<": Kind.LT,
    ">=": Kind.GEQ,
    ">": Kind.GT,
    "+": Kind.ADD,
    "*": Kind.MULT,
    "div": Kind.INTS_DIVISION,
    "mod": Kind.INTS_MODULUS,
    "ite": Kind.ITE,
}


@dataclass(frozen=True)
class Answer:
    """`status` is sat, unsat or unknown; with sat, `model` holds the value of every symbol (truth as 1 or 0)."""

    status: str
    model: Mapping[str, int] = field(default_factory=dict)


def solver_version() -> str:
    """Name and version of the solver."""
    return f"cvc5 {cvc5.__version__}"


def decide(conditions: Iterable[Term], booleans: frozenset[str], effort: int = EFFORT) -> Answer:
    """Whether the conditions hold together for some integers; symbols in `booleans` are truths.

    An undecided question is put again for each value of one symbol of small range, until an answer or the end.
    """
    parts = [part for condition in conditions for part in conjuncts(condition)]
    answer = _ask(parts, booleans, effort)
    if answer.status != "unknown":
        return answer
    for name, (low, high) in _small_symbols(parts).items():
        found = [_ask([substitute(p, {name: v}) for p in parts], booleans, effort) for v in range(low, high + 1)]
        sat = next((a for a in found if a.status == "sat"), None)
        if sat is not None:
            return sat
        if all(a.status == "unsat" for a in found):
            return Answer("unsat")
    return answer


def _small_symbols(parts: list[Term]) -> dict[str, tuple[int, int]]:
    """Symbols that two of the conditions bound to a small range."""
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    for part in parts:
        match part:
            case ("<=", int(bound), Name(name)):
                low[name] = bound
            case ("<=", Name(name), int(bound)):
                high[name] = bound
    both = {n: (low[n], high[n]) for n in low if n in high and high[n] - low[n] < SMALL}
    return dict(sorted(both.items(), key=lambda item: item[1][1] - item[1][0])[:1])


def _ask(parts: list[Term], booleans: frozenset[str], effort: int) -> Answer:
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("rlimit-per", str(effort))
    solver.setOption("produce-models", "true")
    solver.setLogic("QF_NIA" if any(_is_nonlinear(p) for p in parts) else "QF_LIA")
    builder = _Builder(manager, booleans)
    for part in parts:
        solver.assertFormula(builder.build(part))
    result = solver.checkSat()
    if result.isUnsat():
        return Answer("unsat")
    if not result.isSat():
        return Answer("unknown")
    return Answer("sat", {n: _value(solver.getValue(t)) for n, t in builder.symbols.items()})


def _value(term: Any) -> int:
    return int(term.getBooleanValue()) if term.isBooleanValue() else int(term.getIntegerValue())


def _is_nonlinear(term: Term) -> bool:
    if not isinstance(term, tuple):
        return False
    parts = arguments(term)
    if term[0] == "*" and sum(any(True for _ in names(part)) for part in parts) > 1:
        return True
    if term[0] in ("div", "mod") and any(True for _ in names(parts[1])):
        return True
    return any(_is_nonlinear(part) for part in parts)


class _Builder:
    def __init__(self, manager: Any, booleans: frozenset[str]) -> None:
        self.manager, self.booleans = manager, booleans
        self.symbols: dict[str, Any] = {}
        self.done: dict[Term, Any] = {}

    def build(self, term: Term) -> Any:
        if term not in self.done:
            self.done[term] = self._build(term)
        return self.done[term]

    def _build(self, term: Term) -> Any:
        if isinstance(term, int):
            return self.manager.mkInteger(str(term))
        if isinstance(term, Name):
            sort = self.manager.getBooleanSort() if term.name in self.booleans else self.manager.getIntegerSort()
            return self.symbols.setdefault(term.name, self.manager.mkConst(sort, term.name))
        head = term[0]
        if head in ("true", "false"):
            return self.manager.mkBoolean(head == "true")
        parts = [self.build(part) for part in arguments(term)]
        if head == "-":
            if len(parts) == 1:
                return self.manager.mkTerm(Kind.NEG, parts[0])
            return self.manager.mkTerm(Kind.SUB, *parts)
        if head in ("and", "or", "+", "*") and len(parts) == 1:
            return parts[0]
        if head == "=>" and len(parts) > 2:
            return reduce(lambda b, a: self.manager.mkTerm(Kind.IMPLIES, a, b), reversed(parts[:-1]), parts[-1])
        if not isinstance(head, str) or head not in _KINDS:
            raise Unreadable(f"a solver is not asked about {show(term)}")
        return self.manager.mkTerm(_KINDS[head], *parts)
