"""Numbers of which parts are unknown: a constant plus multiples of unknowns; what can be said of terms over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifier.findings import AuditError
from verifier.terms import Name, Term, arguments, show

Bounds = dict[str, tuple[int | None, int | None]]


class Open(AuditError):
    """A term that is no constant plus multiples of unknowns."""


@dataclass(frozen=True)
class Form:
    """number + the sum of factor * unknown."""

    number: int
    unknowns: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def of(number: int) -> Form:
        return Form(number)

    @staticmethod
    def unknown(name: str) -> Form:
        return Form(0, {name: 1})

    def plus(self, other: Form) -> Form:
        if not other.unknowns:
            return Form(self.number + other.number, self.unknowns)
        found = dict(self.unknowns)
        for name, factor in other.unknowns.items():
            found[name] = found.get(name, 0) + factor
        return Form(self.number + other.number, {n: f for n, f in found.items() if f})

    def times(self, factor: int) -> Form:
        return Form(self.number * factor, {n: f * factor for n, f in self.unknowns.items()} if factor else {})

    def constant(self) -> int:
        """The number; Open if it is not known."""
        if self.unknowns:
            raise Open("a number that is not known")
        return self.number

    def range(self, bounds: Bounds) -> tuple[int | None, int | None]:
        """The least and the greatest it can be."""
        low: int | None = self.number
        high: int | None = self.number
        for name, factor in self.unknowns.items():
            least, most = bounds.get(name, (None, None))
            if factor < 0:
                least, most = most, least
            low = None if low is None or least is None else low + factor * least
            high = None if high is None or most is None else high + factor * most
        return low, high


def value(term: Term, values: Mapping[str, Form], bounds: Bounds) -> Form:
    """The value of an integer term; symbols without a value are unknowns. Open where it has no such form."""
    if isinstance(term, int):
        return Form(term)
    if isinstance(term, Name):
        found = values.get(term.name)
        return Form.unknown(term.name) if found is None else found
    head = str(term[0])
    if head == "ite":
        chosen = truth(arguments(term)[0], values, bounds)
        if chosen is None:
            raise Open(f"a choice that is open: {show(arguments(term)[0])[:80]}")
        return value(arguments(term)[1 if chosen else 2], values, bounds)
    parts = [value(part, values, bounds) for part in arguments(term)]
    match head:
        case "+":
            total = Form(0)
            for part in parts:
                total = total.plus(part)
            return total
        case "-":
            if len(parts) == 1:
                return parts[0].times(-1)
            total = parts[0]
            for part in parts[1:]:
                total = total.plus(part.times(-1))
            return total
        case "*":
            total = Form(1)
            for part in parts:
                if total.unknowns and part.unknowns:
                    raise Open(f"a product of unknowns: {show(term)[:80]}")
                total = part.times(total.number) if part.unknowns else total.times(part.number)
            return total
        case "div" | "mod":
            return _digit(head, parts[0], parts[1].constant(), term)
    raise Open(f"not followed: {show(term)[:80]}")


def _digit(head: str, dividend: Form, divisor: int, term: Term) -> Form:
    if divisor <= 0 or any(factor % divisor for factor in dividend.unknowns.values()):
        raise Open(f"not known: {show(term)[:80]}")
    if head == "mod":
        return Form(dividend.number % divisor)
    return Form(dividend.number // divisor, {n: f // divisor for n, f in dividend.unknowns.items()})


def truth(term: Term, values: Mapping[str, Form], bounds: Bounds) -> bool | None:
    """Whether a condition holds; None where that is not known."""
    if isinstance(term, Name | int):
        return None
    head, parts = str(term[0]), arguments(term)
    if head in ("true", "false"):
        return head == "true"
    if head == "not":
        inner = truth(parts[0], values, bounds)
        return None if inner is None else not inner
    if head in ("and", "or"):
        found = [truth(part, values, bounds) for part in parts]
        stop = head == "or"
        if stop in found:
            return stop
        return None if None in found else not stop
    if head == "=>":
        *before, last = (truth(part, values, bounds) for part in parts)
        if last is True or False in before:
            return True
        return None if None in (*before, last) else False
    if head in ("<", "<=", ">", ">=", "=") and len(parts) == 2:
        try:
            left, right = (value(part, values, bounds) for part in parts)
        except Open:
            return None
        return _compared(head, left, right, bounds)
    return None


def _compared(head: str, left: Form, right: Form, bounds: Bounds) -> bool | None:
    if head in (">", ">="):
        left, right = right, left
    low, high = right.plus(left.times(-1)).range(bounds)  # right - left
    if head == "=":
        if low == high == 0:
            return True
        return False if (low is not None and low > 0) or (high is not None and high < 0) else None
    least = 1 if head in ("<", ">") else 0
    if low is not None and low >= least:
        return True
    return False if high is not None and high < least else None


def slack(condition: Term, values: Mapping[str, Form], bounds: Bounds) -> list[Form]:
    """Numbers that are all at least 0 where, and only where, a comparison holds; none for any other condition."""
    if isinstance(condition, Name | int):
        return []
    head, parts = str(condition[0]), arguments(condition)
    if head == "not" and not isinstance(parts[0], Name | int):
        flipped = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}.get(str(parts[0][0]))
        return [] if flipped is None else slack((flipped, *arguments(parts[0])), values, bounds)
    if head not in ("<", "<=", ">", ">=", "=") or len(parts) != 2:
        return []
    try:
        left, right = (value(part, values, bounds) for part in parts)
    except Open:
        return []
    if head in (">", ">="):
        left, right = right, left
    more = right.plus(left.times(-1)).plus(Form.of(-1 if head in ("<", ">") else 0))
    return [more, more.times(-1)] if head == "=" else [more]
