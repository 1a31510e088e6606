"""Terms of Gappa scripts: reals and roundings to binary16 and binary32, for Gappa, Coq and exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from spec.errors import BadInput
from spec.scalar import F16, F32, Format, rounded

FORMATS: dict[str, Format] = {"rn16": F16, "rn32": F32}
INTEGER = "toward0"
"""The rounding to an integer toward 0: it says that a number is one."""
OPERATORS = ("+", "-", "*", "/")
RELATIVE = "-/"
FUNCTIONS = {"sqrt": "sqrt", "abs": "Rabs"}
"""Other functions, and what Coq calls them."""


@dataclass(frozen=True, eq=False)
class Term:
    """A real number of a script; one of `op` and its arguments, a name, or a number m * 2^e.

    Args:
        op: `name`, `number`, one of OPERATORS or FUNCTIONS, RELATIVE, or a rounding: a key of FORMATS, or INTEGER.
    """

    op: str
    args: tuple[Term, ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)

    def __add__(self, other: Term | int) -> Term:
        return Term("+", (self, term(other)))

    def __radd__(self, other: int) -> Term:
        return term(other) + self

    def __sub__(self, other: Term | int) -> Term:
        return Term("-", (self, term(other)))

    def __mul__(self, other: Term | int) -> Term:
        return Term("*", (self, term(other)))

    def __truediv__(self, other: Term | int) -> Term:
        return Term("/", (self, term(other)))

    def __rtruediv__(self, other: int) -> Term:
        return term(other) / self


def term(value: Term | Fraction | int) -> Term:
    """A number as a term."""
    return value if isinstance(value, Term) else Term("number", value=Fraction(value))


def real(name: str) -> Term:
    """A name: a variable, or what a definition of the script gives it."""
    return Term("name", name=name)


def rn16(x: Term) -> Term:
    """x rounded to binary16, to nearest, ties to even."""
    return Term("rn16", (x,))


def rn32(x: Term) -> Term:
    """x rounded to binary32, to nearest, ties to even."""
    return Term("rn32", (x,))


def whole(x: Term) -> Term:
    """x rounded to an integer toward 0."""
    return Term(INTEGER, (x,))


def absolute(x: Term) -> Term:
    """|x|."""
    return Term("abs", (x,))


def root(x: Term) -> Term:
    """The square root of x."""
    return Term("sqrt", (x,))


def error(computed: Term, exact: Term) -> Term:
    """The relative error: some e with computed = exact * (1 + e). It stands at the head of a range and nowhere else."""
    return Term(RELATIVE, (computed, exact))


def mantissa_exponent(value: Fraction) -> tuple[int, int]:
    """m and e with m odd (or 0) and value = m * 2^e; BadInput where there are none."""
    if value.denominator & (value.denominator - 1):
        raise BadInput(f"{value} is no multiple of a power of two, and a script holds only such")
    m, e = value.numerator, 1 - value.denominator.bit_length()
    if m == 0:
        return 0, 0
    zeros = (m & -m).bit_length() - 1
    return m >> zeros, e + zeros


def to_gappa(t: Term) -> str:
    """As Gappa reads it; every operation stands in parentheses."""
    if t.op == "name":
        return t.name
    if t.op == "number":
        return number_to_gappa(t.value)
    parts = [to_gappa(a) for a in t.args]
    if t.op in OPERATORS:
        return f"({parts[0]} {t.op} {parts[1]})"
    if t.op == RELATIVE:
        return f"{parts[0]} -/ {parts[1]}"
    return f"|{parts[0]}|" if t.op == "abs" else f"{t.op}({parts[0]})"


def number_to_gappa(value: Fraction) -> str:
    """An integer, or m * 2^e as `MbE`."""
    m, e = mantissa_exponent(value)
    return str(m * 2**e) if e >= 0 and abs(value) < 2**32 else f"{m}b{e}"


def to_coq(t: Term) -> str:
    """As Coq reads it in R_scope, after the definitions of `coq_preamble`."""
    if t.op == "name":
        return t.name
    if t.op == "number":
        m, e = mantissa_exponent(t.value)
        plain = "b" not in number_to_gappa(t.value)
        return f"({t.value})" if plain else f"(IZR ({m}) * bpow radix2 ({e}))"
    parts = [to_coq(a) for a in t.args]
    if t.op in OPERATORS:
        return f"({parts[0]} {t.op} {parts[1]})"
    return f"({FUNCTIONS.get(t.op, t.op)} {parts[0]})"


def number_to_coq(value: Fraction) -> str:
    """An exact quotient of integers."""
    top, bottom = abs(value.numerator), value.denominator
    text = str(top) if bottom == 1 else f"{top} / {bottom}"
    return f"- ({text})" if value < 0 else text


def evaluate(t: Term, values: Mapping[str, Fraction]) -> Fraction:
    """The value, exact but for square roots, which are within 2^-200; `values` gives each name one."""
    if t.op == "name":
        return values[t.name]
    if t.op == "number":
        return t.value
    a, *rest = (evaluate(arg, values) for arg in t.args)
    if t.op in FORMATS:
        return rounded(a, FORMATS[t.op])
    if t.op == "abs":
        return abs(a)
    if t.op == INTEGER:
        return Fraction(int(a))
    if t.op == "sqrt":
        return Fraction(isqrt(a.numerator * a.denominator * 2**400), a.denominator * 2**200)
    (b,) = rest
    if t.op == RELATIVE:
        return (a - b) / b
    return {"+": a + b, "-": a - b, "*": a * b}[t.op] if t.op != "/" else a / b


def names_of(t: Term) -> set[str]:
    """Every name in it."""
    return {t.name} if t.op == "name" else set().union(*(names_of(a) for a in t.args))
