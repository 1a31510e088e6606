"""A lemma about reals as an SMT-LIB query: hypotheses, a claim, and a claim that is too strong.

The query asserts the hypotheses and the negated claim, so `unsat` means that the lemma holds. The control asserts
the same hypotheses and the negation of a tightened claim and must be `sat`: it shows that the hypotheses can be met
and that the constants matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from spec.errors import BadInput

Term = str
"""An SMT-LIB term of sort Real or Bool."""

LOGIC = "QF_NRA"


@dataclass(frozen=True)
class Hypothesis:
    """An assumption of a lemma and the reason why it holds where the lemma is used."""

    term: Term
    reason: str


@dataclass(frozen=True)
class Lemma:
    """One machine-checked step.

    Args:
        name: lower case with hyphens; the artifact is numerics.NAME.smt2.
        comment: what it says, and which clause of docs/numerics.md uses it.
        smt_text: the query.
        negative_control_text: the query with the tightened claim.
        expected: the answer that means that the lemma holds.
    """

    name: str
    comment: str
    smt_text: str
    negative_control_text: str
    expected: str = "unsat"


def lemma(
    name: str, comment: str, variables: str, hypotheses: tuple[Hypothesis, ...], claim: Term, too_strong: Term
) -> Lemma:
    """Build both queries. `variables` are names of reals, separated by blanks; `too_strong` must not follow."""
    return query(LOGIC, name, comment, dict.fromkeys(variables.split(), "Real"), hypotheses, claim, too_strong)


def query(
    logic: str,
    name: str,
    comment: str,
    variables: Mapping[str, str],
    hypotheses: tuple[Hypothesis, ...],
    claim: Term,
    too_strong: Term,
) -> Lemma:
    """Build both queries of a lemma in any logic; `variables` are names with their sorts.

    Raises:
        BadInput: a name that is not lower case with hyphens; files are called by it.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise BadInput(f"a lemma is named in lower case with hyphens, got {name!r}")

    def text(asserted: Term, heading: str) -> str:
        lines = [f"; {heading} {name}"]
        lines += [f"; {line}" for line in comment.splitlines()]
        lines.append(f"(set-logic {logic})")
        lines += [f"(declare-const {v} {sort})" for v, sort in variables.items()]
        for h in hypotheses:
            lines += [f"; {h.reason}", f"(assert {h.term})"]
        lines += ["; the claim, negated", f"(assert (not {asserted}))", "(check-sat)"]
        return "\n".join(lines) + "\n"

    return Lemma(name, comment, text(claim, "numerics lemma"), text(too_strong, "negative control of lemma"))


# --- terms ------------------------------------------------------------------------------------------------------------


def number(value: Fraction | int) -> Term:
    """A rational constant of sort Real."""
    value = Fraction(value)
    text = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        text = f"(/ {text} {value.denominator}.0)"
    return f"(- {text})" if value < 0 else text


def _term(part: Term | Fraction | int) -> Term:
    return part if isinstance(part, str) else number(part)


def apply(op: str, *parts: Term | Fraction | int) -> Term:
    return f"({op} {' '.join(_term(p) for p in parts)})"


def plus(*parts: Term | Fraction | int) -> Term:
    return apply("+", *parts)


def minus(a: Term | Fraction | int, b: Term | Fraction | int) -> Term:
    return apply("-", a, b)


def times(*parts: Term | Fraction | int) -> Term:
    return apply("*", *parts)


def equal(a: Term | Fraction | int, b: Term | Fraction | int) -> Term:
    return apply("=", a, b)


def at_most(a: Term | Fraction | int, b: Term | Fraction | int) -> Term:
    return apply("<=", a, b)


def below(a: Term | Fraction | int, b: Term | Fraction | int) -> Term:
    return apply("<", a, b)


def both(*parts: Term) -> Term:
    return apply("and", *parts)


def either(*parts: Term) -> Term:
    return apply("or", *parts)


def within(a: Term, bound: Term | Fraction | int) -> Term:
    """|a| <= bound."""
    return both(at_most(minus(0, _term(bound)), a), at_most(a, bound))


def magnitude(a: Term) -> Term:
    """|a|."""
    return apply("ite", at_most(0, a), a, minus(0, a))


def one_plus(a: Term | Fraction | int) -> Term:
    return plus(1, a)


def given(reason: str, term: Term) -> Hypothesis:
    return Hypothesis(term, reason)
