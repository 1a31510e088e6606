"""Integer and truth terms: read from s-expressions, renamed, evaluated. `div` and `mod` are Euclidean, as in SMT-LIB.

A term is an int, a bool, a symbol (Name) or a tuple of an operator and its arguments. Bit operations (`bvand` and so
on, for definitions of opaque symbols) work on non-negative integers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from verifier.findings import AuditError, Unreadable
from verifier.sexpr import SExpr, read_one


@dataclass(frozen=True)
class Name:
    """A symbol."""

    name: str


Term = int | Name | tuple["str | Term", ...]
Values = Mapping[str, int]

_INT = ("+", "-", "*", "div", "mod", "ite")
_BOOL = ("and", "or", "not", "=>", "xor", "<=", "<", ">=", ">", "=", "distinct", "true", "false")
_BITS = ("bvand", "bvor", "bvxor", "bvnot", "trunc", "sext")
TRUE: Term = ("true",)
FALSE: Term = ("false",)


class Unvalued(AuditError):
    """A symbol that has no value here."""


def term_of(expression: SExpr, where: str) -> Term:
    """The term an s-expression writes; Unreadable for an operator outside the format."""
    if isinstance(expression, str):
        if expression.isdigit():
            return int(expression)
        return (expression,) if expression in ("true", "false") else Name(expression)
    if not expression or not isinstance(expression[0], str):
        raise Unreadable(f"{where}: not a term: {show(expression)}")
    head, *rest = expression
    if head not in (*_INT, *_BOOL, *_BITS) or not rest:
        raise Unreadable(f"{where}: operator not understood: {show(expression)}")
    if head in ("div", "mod", "=>", "xor") and len(rest) < 2:
        raise Unreadable(f"{where}: {head} needs two arguments")
    arity = {"ite": 3, "not": 1, "div": 2, "mod": 2, "bvnot": 2, "trunc": 2, "sext": 2, "xor": 2}.get(str(head))
    if arity is not None and len(rest) != arity:
        raise Unreadable(f"{where}: {head} takes {arity} arguments, {len(rest)} found")
    return (str(head), *(term_of(part, where) for part in rest))


def read_term(text: str, where: str) -> Term:
    """The term a text writes."""
    return term_of(read_one(text, where), where)


def show(expression: SExpr | Term) -> str:
    """Text for a message or a query."""
    if isinstance(expression, Name):
        plain = expression.name.replace("_", "").replace(".", "")
        return expression.name if plain.isalnum() and not plain[0].isdigit() else f"|{expression.name}|"
    if isinstance(expression, tuple):
        if expression in (TRUE, FALSE):
            return str(expression[0])
        return f"({' '.join(show(part) for part in expression)})"
    if isinstance(expression, int) and expression < 0:
        return f"(- {-expression})"
    return str(expression)


def arguments(term: Term) -> tuple[Term, ...]:
    """The arguments of an application; of anything else, none."""
    return term[1:] if isinstance(term, tuple) else ()  # type: ignore[return-value]


def names(term: Term) -> Iterator[str]:
    """The symbols of a term, repeated as often as they stand there."""
    if isinstance(term, Name):
        yield term.name
    for part in arguments(term):
        yield from names(part)


def rename(term: Term, change: Callable[[str], str]) -> Term:
    """Every symbol by its new name."""
    if isinstance(term, Name):
        return Name(change(term.name))
    if isinstance(term, tuple):
        return (term[0], *(rename(part, change) for part in arguments(term)))
    return term


def substitute(term: Term, values: Mapping[str, Term]) -> Term:
    """Symbols by terms."""
    if isinstance(term, Name):
        return values.get(term.name, term)
    if isinstance(term, tuple):
        return (term[0], *(substitute(part, values) for part in arguments(term)))
    return term


def conjuncts(term: Term) -> Iterator[Term]:
    """The parts of nested conjunctions."""
    if isinstance(term, tuple) and term[0] == "and":
        for part in arguments(term):
            yield from conjuncts(part)
    else:
        yield term


def evaluate(term: Term, values: Values) -> int:
    """The value; truth is 1 or 0. Unvalued if it depends on a symbol without one."""
    if isinstance(term, int):
        return term
    if isinstance(term, Name):
        try:
            return values[term.name]
        except KeyError:
            raise Unvalued(term.name) from None
    head, parts = str(term[0]), arguments(term)
    if head in ("and", "or"):
        return _gather(parts, values, stop=int(head == "or"))
    if head == "=>":
        return _gather((*(("not", p) for p in parts[:-1]), parts[-1]), values, stop=1)
    if head == "ite":
        return evaluate(parts[1] if evaluate(parts[0], values) else parts[2], values)
    return _apply(head, [evaluate(part, values) for part in parts])


def _gather(parts: tuple[Term, ...], values: Values, stop: int) -> int:
    """and (stop 0) or or (stop 1): a part with the stopping value decides, whatever the others lack."""
    missing: Unvalued | None = None
    for part in parts:
        try:
            if evaluate(part, values) == stop:
                return stop
        except Unvalued as error:
            missing = error
    if missing is not None:
        raise missing
    return 1 - stop


def euclid(a: int, b: int) -> tuple[int, int]:
    """Quotient and remainder with 0 <= remainder < |b|, as SMT-LIB defines div and mod."""
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


def _apply(head: str, v: list[int]) -> int:
    match head:
        case "true" | "false":
            return int(head == "true")
        case "+":
            return sum(v)
        case "-":
            return -v[0] if len(v) == 1 else v[0] - sum(v[1:])
        case "*":
            product = 1
            for factor in v:
                product *= factor
            return product
        case "div" | "mod":
            if v[1] == 0:
                raise Unvalued("division by zero")
            return euclid(v[0], v[1])[head == "mod"]
        case "not":
            return 1 - v[0]
        case "xor":
            return v[0] ^ v[1]
        case "=":
            return int(all(a == b for a, b in itertools.pairwise(v)))
        case "distinct":
            return int(len(set(v)) == len(v))
        case "<=":
            return int(all(a <= b for a, b in itertools.pairwise(v)))
        case "<":
            return int(all(a < b for a, b in itertools.pairwise(v)))
        case ">=":
            return int(all(a >= b for a, b in itertools.pairwise(v)))
        case ">":
            return int(all(a > b for a, b in itertools.pairwise(v)))
        case "bvand" | "bvor" | "bvxor":
            result = v[0]
            for other in v[1:]:
                result = result & other if head == "bvand" else result | other if head == "bvor" else result ^ other
            return result
        case "bvnot":
            return (1 << v[0]) - 1 - v[1]
        case "trunc":
            return v[1] & ((1 << v[0]) - 1)
        case "sext":
            low = v[1] & ((1 << v[0]) - 1)
            return low - (1 << v[0]) if low >> (v[0] - 1) else low
    raise Unvalued(head)
