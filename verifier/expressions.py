"""The language of contracts, read into terms: `n >= 1 && n <= 2^40`, `min(ceil_div(n, 4096), 65536)`.

    comparison := sum (== | != | <= | >= | < | >) sum [and more, joined by &&]
    sum        := term ((+|-) term)*        term := unary ((*|/|%) unary)*        unary := -unary | power
    power      := atom (^ atom)?            atom := number | name | (sum) | ceil_div(a, b) | min(a, b) | max(a, b)

`/` and `%` divide by positive constants and round down; `^` takes constants. ceil_div(a, b) is (a + b - 1) / b.
"""

from __future__ import annotations

import re

from verifier.findings import Unreadable
from verifier.terms import Name, Term

_TOKEN = re.compile(r"\s*(0[xX][0-9a-fA-F]+|\d+|[A-Za-z_$][\w$]*(?:\.[xyz])?|==|!=|<=|>=|&&|[-+*/%^()<>,])")
_COMPARISONS = {"==": "=", "<=": "<=", ">=": ">=", "<": "<", ">": ">"}
MAX_DEPTH = 200


def read_sum(text: str, where: str) -> Term:
    """The integer term an expression means."""
    parser = _Parser(text, where)
    value = parser.sum()
    parser.end()
    return value


def read_comparisons(text: str, where: str) -> list[Term]:
    """The conditions a clause means, one for each comparison."""
    parser = _Parser(text, where)
    found = [parser.comparison()]
    while parser.next == "&&":
        parser.take("&&")
        found.append(parser.comparison())
    parser.end()
    return found


class _Parser:
    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.depth = text, where, 0
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.fail(f"unexpected {text[at:].strip()[:8]!r}")
            self.tokens.append(match.group(1))
            at = match.end()
        self.tokens.reverse()

    def fail(self, message: str) -> Unreadable:
        return Unreadable(f"{self.where}: {self.text!r}: {message}")

    @property
    def next(self) -> str:
        return self.tokens[-1] if self.tokens else ""

    def take(self, expected: str = "") -> str:
        if not self.tokens or (expected and self.next != expected):
            raise self.fail(f"expected {expected or 'more'}, found {self.next or 'the end'}")
        return self.tokens.pop()

    def end(self) -> None:
        if self.tokens:
            raise self.fail(f"{self.next!r} is left over")

    def comparison(self) -> Term:
        left = self.sum()
        operator = self.take()
        if operator == "!=":
            return ("not", ("=", left, self.sum()))
        if operator not in _COMPARISONS:
            raise self.fail(f"a comparison is expected, found {operator!r}")
        return (_COMPARISONS[operator], left, self.sum())

    def sum(self) -> Term:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH}")
        value = self.product()
        while self.next in ("+", "-"):
            value = (self.take(), value, self.product())
        self.depth -= 1
        return value

    def product(self) -> Term:
        value = self.unary()
        while self.next in ("*", "/", "%"):
            operator, right = self.take(), self.unary()
            value = ("*", value, right) if operator == "*" else self.divide(operator, value, right)
        return value

    def divide(self, operator: str, a: Term, b: Term) -> Term:
        if not isinstance(b, int) or b <= 0:
            raise self.fail("a divisor must be a positive constant")
        return ("div" if operator == "/" else "mod", a, b)

    def unary(self) -> Term:
        if self.next == "-":
            self.take()
            return ("-", self.unary())
        base = self.atom()
        if self.next != "^":
            return base
        self.take()
        exponent = self.atom()
        if not isinstance(base, int) or not isinstance(exponent, int) or exponent > 128:
            raise self.fail("^ takes constants, the exponent at most 128")
        return int(base**exponent)

    def atom(self) -> Term:
        token = self.take()
        if token == "(":
            value = self.sum()
            self.take(")")
            return value
        if token[0].isdigit():
            return int(token, 16) if token[:2].lower() == "0x" else int(token)
        if token in ("ceil_div", "min", "max") and self.next == "(":
            self.take("(")
            a = self.sum()
            self.take(",")
            b = self.sum()
            self.take(")")
            if token == "ceil_div":
                return self.divide("/", ("-", ("+", a, b), 1), b)
            return ("ite", ("<=", a, b) if token == "min" else ("<=", b, a), a, b)
        if token[0].isalpha() or token[0] in "_$":
            return Name(token)
        raise self.fail(f"{token!r} where a value is expected")
