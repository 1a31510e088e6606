"""Integer expressions over parameters: the language of contracts and of `fltc check --assume`.

    comparison := sum (== | != | <= | >= | < | >) sum [and more, joined by &&]
    sum        := term ((+|-) term)*        term := unary ((*|/|%) unary)*        unary := -unary | power
    power      := atom (^ atom)?
    atom       := number | name | (sum) | ceil_div(a, b) | min(a, b) | max(a, b)

`/` and `%` are floor division and its remainder, defined for positive divisors. `^` takes constants (2^40).
Values are unbounded integers. One tree, read by the host (evaluate), the prover and the printer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spec.errors import BadInput


@dataclass(frozen=True)
class Const:
    value: int


@dataclass(frozen=True)
class Var:
    """A parameter, or a launch size: grid.x, block.x, ..."""

    name: str


@dataclass(frozen=True)
class Op:
    """`op` in + - * / % min max."""

    op: str
    a: Expr
    b: Expr


@dataclass(frozen=True)
class Compare:
    """`op` in == != <= >= < >."""

    op: str
    a: Expr
    b: Expr


Expr = Const | Var | Op

_TOKEN = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+|\d+)|([A-Za-z_$][\w$]*(?:\.[xyz])?)|(==|!=|<=|>=|&&|[-+*/%^()<>,]))")
_FUNCTIONS = ("ceil_div", "min", "max")
# What is often written for something that the grammar has, or has not.
_ADVICE = {
    "=>": "; at least is >=",
    "=<": "; at most is <=",
    "=": "; equal is ==",
    "|": "; there is no 'or': ask once for each case",
    "&": "; and is &&",
}
MAX_DEPTH = 64
MAX_OPERATIONS = 200  # a tree may be as deep as it has operations, and must fit the stack
MAX_DIGITS = 40


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at, self.depth, self.operations = text, list[str](), 0, 0, 0
        position = 0
        end = len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                rest = text[position:].strip()
                advice = next((words for sign, words in _ADVICE.items() if rest.startswith(sign)), "")
                raise BadInput(f"cannot read expression {text!r} at {rest[:12]!r}{advice}")
            token = match.group().strip()
            if token[0].isdigit() and len(token) > MAX_DIGITS:
                raise BadInput(f"expression {text[:40]!r}: a number of {len(token)} digits; at most {MAX_DIGITS}")
            self.tokens.append(token)
            position = match.end()

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            found = f"{token!r}" if token else "the end"
            raise BadInput(f"expression {self.text!r}: expected {expected or 'more'}, found {found}")
        self.at += 1
        return token

    def sum(self) -> Expr:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise BadInput(f"expression is nested deeper than {MAX_DEPTH}: {self.text[:40]!r}...")
        left = self.term()
        while self.peek() in ("+", "-"):
            left = self.joined(left, self.term)
        self.depth -= 1
        return left

    def joined(self, left: Expr, right: Callable[[], Expr]) -> Expr:
        self.operations += 1
        if self.operations > MAX_OPERATIONS:
            start = f"expression {self.text[:40]!r}..."
            raise BadInput(f"{start}: more than {MAX_OPERATIONS} operations; state it in parts")
        return Op(self.take(), left, right())

    def term(self) -> Expr:
        left = self.unary()
        while self.peek() in ("*", "/", "%"):
            left = self.joined(left, self.unary)
        return left

    def unary(self) -> Expr:
        minus = 0
        while self.peek() == "-":
            self.take()
            minus += 1
        value = self.power()
        return Op("-", Const(0), value) if minus % 2 else value

    def power(self) -> Expr:
        base = self.atom()
        if self.peek() != "^":
            return base
        self.take()
        exponent = self.atom()
        if not (isinstance(base, Const) and isinstance(exponent, Const) and exponent.value <= 128):
            raise BadInput(f"expression {self.text!r}: ^ takes constants, exponent at most 128")
        return Const(base.value**exponent.value)

    def atom(self) -> Expr:
        token = self.take()
        if token == "(":
            inner = self.sum()
            self.take(")")
            return inner
        if token[0].isdigit():
            return Const(int(token, 0) if token[:2].lower() == "0x" else int(token))
        if token in _FUNCTIONS and self.peek() == "(":
            self.take("(")
            a = self.sum()
            self.take(",")
            b = self.sum()
            self.take(")")
            return ceil_div(a, b) if token == "ceil_div" else Op(token, a, b)
        if token[0].isalpha() or token[0] in "_$":
            return Var(token)
        raise BadInput(f"expression {self.text!r}: {token!r} where a value is expected")


def ceil_div(a: Expr, b: Expr) -> Expr:
    """(a + b - 1) / b."""
    return Op("/", Op("-", Op("+", a, b), Const(1)), b)


def parse_expr(text: str) -> Expr:
    """The tree of an arithmetic expression; BadInput otherwise."""
    reader = _Reader(text)
    value = reader.sum()
    if reader.peek():
        raise BadInput(f"expression {text!r}: {reader.peek()!r} is left over")
    return value


def parse_comparisons(text: str) -> tuple[Compare, ...]:
    """One or more comparisons joined by &&; BadInput otherwise."""
    reader = _Reader(text)
    found = []
    while True:
        left = reader.sum()
        op = reader.take()
        if op not in ("==", "!=", "<=", ">=", "<", ">"):
            raise BadInput(f"expression {text!r}: expected a comparison, found {op!r}")
        found.append(Compare(op, left, reader.sum()))
        if not reader.peek():
            return tuple(found)
        reader.take("&&")


def evaluate(expr: Expr, values: Mapping[str, int]) -> int:
    """The value under an assignment. Units: whatever the names mean. KeyError for a name without a value."""
    if isinstance(expr, Const):
        return expr.value
    if isinstance(expr, Var):
        return values[expr.name]
    a, b = evaluate(expr.a, values), evaluate(expr.b, values)
    if expr.op in ("/", "%") and b <= 0:
        raise BadInput(f"{print_expr(expr)}: divisor {b} is not positive")
    operations = {"+": a + b, "-": a - b, "*": a * b, "min": min(a, b), "max": max(a, b)}
    if expr.op == "/":
        return a // b
    return a % b if expr.op == "%" else operations[expr.op]


def holds(comparison: Compare, values: Mapping[str, int]) -> bool:
    """Whether a comparison is true under an assignment."""
    a, b = evaluate(comparison.a, values), evaluate(comparison.b, values)
    return {"==": a == b, "!=": a != b, "<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b}[comparison.op]


def names(expr: Expr | Compare) -> frozenset[str]:
    """The names an expression mentions."""
    if isinstance(expr, Var):
        return frozenset({expr.name})
    return frozenset() if isinstance(expr, Const) else names(expr.a) | names(expr.b)


def print_expr(expr: Expr | Compare) -> str:
    """Text that parses back to the same tree."""
    if isinstance(expr, Const):
        return str(expr.value) if expr.value >= 0 else f"(0 - {-expr.value})"
    if isinstance(expr, Var):
        return expr.name
    if isinstance(expr, Compare):
        return f"{print_expr(expr.a)} {expr.op} {print_expr(expr.b)}"
    if expr.op in ("min", "max"):
        return f"{expr.op}({print_expr(expr.a)}, {print_expr(expr.b)})"
    return f"({print_expr(expr.a)} {expr.op} {print_expr(expr.b)})"
