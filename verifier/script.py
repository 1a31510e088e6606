"""Gappa scripts read by the audit: their parts as terms, terms as exact numbers, and the theorem that they stand for.

Only what is read here may stand in a script. A rewriting rule in particular would be an assumption of the proof.
A term is a tuple: ("number", q), ("name", text), or an operator and its arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from verifier.findings import Unreadable

Term = tuple[Any, ...]

ROUNDINGS = {"rn16": (11, -24), "rn32": (24, -149)}
DECLARED = {name: f"float<{p},{e},ne>" for name, (p, e) in ROUNDINGS.items()} | {"toward0": "fixed<0,zr>"}
_TOKEN = re.compile(r"\s+|(-/|->|/\\|[0-9]+b-?[0-9]+|[0-9]+|[A-Za-z][A-Za-z0-9_]*|[-+*/()|,=;{}\[\]])")
_DECLARATION = re.compile(r"@(\w+) = (float<\d+,-?\d+,ne>|fixed<0,zr>);")
_WITNESS = re.compile(r"# false at (\w+) = (-?[0-9]+(?:b-?[0-9]+)?)")


@dataclass(frozen=True)
class Bounds:
    """low <= term <= high; for a relative error the term is ("-/", computed, exact)."""

    term: Term
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class Script:
    """Definitions in order, hypotheses, goals, and the values that a control gives to show that it is false."""

    definitions: tuple[tuple[str, Term], ...]
    hypotheses: tuple[Bounds, ...]
    goals: tuple[Bounds, ...]
    witness: Mapping[str, Fraction]

    def variables(self) -> list[str]:
        """Names without a definition, sorted."""
        terms = [t for _, t in self.definitions] + [b.term for b in (*self.hypotheses, *self.goals)]
        return sorted(set().union(*map(_names, terms)) - {name for name, _ in self.definitions})


def read_script(text: str, where: str) -> Script:
    """The script a text writes; Unreadable for anything that is not understood."""
    lines, witness = [], {}
    for line in text.splitlines():
        declaration = _DECLARATION.fullmatch(line)
        if line.lstrip().startswith("#"):
            if match := _WITNESS.fullmatch(line):
                witness[match.group(1)] = _number(match.group(2))
        elif declaration and DECLARED.get(declaration.group(1)) == declaration.group(2):
            continue
        else:
            lines.append(line)
    reader = _Reader("\n".join(lines), where)
    definitions = []
    while reader.token != "{":
        name = reader.name()
        reader.take("=")
        definitions.append((name, reader.sum()))
        reader.take(";")
    reader.take("{")
    hypotheses = reader.conjunction()
    reader.take("->")
    goals = reader.conjunction()
    reader.take("}")
    if reader.token:
        raise reader.fail("nothing may follow the goals")
    names = [name for name, _ in definitions]
    if len(set(names)) != len(names):
        raise Unreadable(f"{where}: a name is defined twice")
    return Script(tuple(definitions), hypotheses, goals, witness)


def read_expression(text: str) -> Term:
    """One term."""
    return _Reader(text, text).sum()


def read_definitions(text: str) -> tuple[tuple[str, Term], ...]:
    """`name = term`, one a line."""
    pairs = [line.split(" = ") for line in text.strip().splitlines()]
    return tuple((name.strip(), read_expression(term)) for name, term in pairs)


def relative(computed: str, exact: str) -> Term:
    """The relative error of one expression against another."""
    return ("-/", read_expression(computed), read_expression(exact))


def _number(text: str) -> Fraction:
    mantissa, _, exponent = text.partition("b")
    if abs(int(exponent or 0)) > 4096:
        raise Unreadable(f"{text}: an exponent beyond 4096")
    return int(mantissa) * Fraction(2) ** int(exponent or 0)


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, text: str, where: str) -> None:
        self.where, self.tokens, at = where, [], 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise Unreadable(f"{where}: not a script at {text[at : at + 20]!r}")
            at = match.end()
            if match.group(1):
                self.tokens.append(match.group(1))
        self.tokens.reverse()

    @property
    def token(self) -> str:
        return self.tokens[-1] if self.tokens else ""

    def fail(self, message: str) -> Unreadable:
        return Unreadable(f"{self.where}: {message}, at {' '.join(self.tokens[: -9 : -1])!r}")

    def take(self, expected: str) -> None:
        if self.token != expected:
            raise self.fail(f"{expected!r} is expected")
        self.tokens.pop()

    def name(self) -> str:
        if not self.token or not self.token[0].isalpha() or self.token in (*DECLARED, "sqrt", "in"):
            raise self.fail("a name is expected")
        return self.tokens.pop()

    def conjunction(self) -> tuple[Bounds, ...]:
        found = [self.bounds()]
        while self.token == "/\\":
            self.tokens.pop()
            found.append(self.bounds())
        return tuple(found)

    def bounds(self) -> Bounds:
        term = self.sum()
        if self.token == "-/":
            self.tokens.pop()
            term = ("-/", term, self.sum())
        self.take("in")
        self.take("[")
        low = self.number()
        self.take(",")
        high = self.number()
        self.take("]")
        if low > high or (term[0] == "-/" and low != -high):
            raise self.fail("a range that is empty, or of a relative error and not symmetric")
        return Bounds(term, low, high)

    def number(self) -> Fraction:
        sign = 1
        if self.token == "-":
            self.tokens.pop()
            sign = -1
        if not self.token[:1].isdigit():
            raise self.fail("a number is expected")
        return sign * _number(self.tokens.pop())

    def sum(self) -> Term:
        term = self.product()
        while self.token in ("+", "-"):
            term = (self.tokens.pop(), term, self.product())
        return term

    def product(self) -> Term:
        term = self.atom()
        while self.token in ("*", "/"):
            term = (self.tokens.pop(), term, self.atom())
        return term

    def atom(self) -> Term:
        if self.token == "-" or self.token[:1].isdigit():
            return ("number", self.number())
        for opening, closing, head in (("(", ")", ""), ("|", "|", "abs")):
            if self.token == opening:
                self.tokens.pop()
                inner = self.sum()
                self.take(closing)
                return (head, inner) if head else inner
        if self.token in (*DECLARED, "sqrt"):
            head = self.tokens.pop()
            self.take("(")
            inner = self.sum()
            self.take(")")
            return (head, inner)
        return ("name", self.name())


def _names(term: Term) -> set[str]:
    if term[0] == "name":
        return {term[1]}
    return set().union(*(_names(part) for part in term[1:])) if term[0] != "number" else set()


# --- exact values -----------------------------------------------------------------------------------------------------


def value(term: Term, known: Mapping[str, Fraction]) -> Fraction:
    """The number a term stands for; square roots to 2^-200."""
    head = term[0]
    if head == "number":
        return Fraction(term[1])
    if head == "name":
        return known[term[1]]
    a = value(term[1], known)
    if head == "abs":
        return abs(a)
    if head == "toward0":
        return Fraction(int(a))
    if head == "sqrt":
        return Fraction(isqrt((a.numerator << 400) // a.denominator), 1 << 200)
    if head in ROUNDINGS:
        return _nearest(a, *ROUNDINGS[head])
    b = value(term[2], known)
    if head in ("/", "-/") and b == 0:
        raise Unreadable("a division by zero")
    return {"+": a + b, "-": a - b, "*": a * b}[head] if head not in ("/", "-/") else a / b - (head == "-/")


def _nearest(x: Fraction, precision: int, least: int) -> Fraction:
    """x to so many bits, no bit below 2^least; Python's round takes ties to even."""
    if x == 0:
        return x
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    if abs(x) < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** max(exponent - precision + 1, least)
    return round(x / step) * step


def shows_false(control: Script) -> bool:
    """Whether the control's values meet all of its hypotheses and miss one of its goals."""
    known = dict(control.witness)
    if sorted(known) != control.variables():
        return False
    for name, term in control.definitions:
        known[name] = value(term, known)

    def met(bounds: Bounds) -> bool:
        return bounds.low <= value(bounds.term, known) <= bounds.high

    return all(map(met, control.hypotheses)) and not all(map(met, control.goals))
