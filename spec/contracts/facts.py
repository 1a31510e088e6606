"""What a buffer of integers holds: facts such as `table[i] in [0, blocks)`, read, and held against concrete arrays.

    FACT      := STATEMENT [ "for" comparisons ]
    STATEMENT := element in ([|() sum , sum (]|)) | comparisons
    element   := name [ sum {, sum} ]

A fact speaks of the elements of one buffer. Names in an index that have no value of their own are variables; each is
the whole index of some element, and the fact holds for all of its values for which all the elements exist and the
condition behind `for` holds. `spec.contracts.expr` is the language of sums and comparisons.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.contracts.expr import Compare, Const, Expr, Var, names, parse_comparisons, parse_expr, print_expr
from spec.errors import BadInput

Array = npt.NDArray[Any]
# Elements whose content is followed, with the range of their type.
INTEGERS = {
    "u8": (0, 2**8 - 1), "u16": (0, 2**16 - 1), "u32": (0, 2**32 - 1), "s32": (-(2**31), 2**31 - 1),
    "u64": (0, 2**64 - 1), "s64": (-(2**63), 2**63 - 1),
}  # fmt: skip
MAX_PLACES = 2**27  # values of a fact's variables that are gone through
CHUNK = 2**20
_ELEMENT = re.compile(r"(?<![\w$%])(?!in\b)([A-Za-z_$%][\w$]*)\s*\[([^\[\]]*)\]")
_WITHIN = re.compile(r"(.*?)\bin\s*([\[(])(.*)([\])])\s*", re.DOTALL)
_SHAPE = "expected ELEMENT in [LOW, HIGH) or a comparison of elements, such as 'table[i] in [0, blocks)'"


@dataclass(frozen=True)
class Element:
    """An element that a fact speaks of, and the name that stands for its value in the fact's comparisons."""

    indexes: tuple[Expr, ...]
    name: str


@dataclass(frozen=True)
class Fact:
    """For all `variables` for which the elements exist: where every `guard` holds, every one of `holds` does."""

    text: str
    buffer: str
    elements: tuple[Element, ...]
    variables: tuple[str, ...]
    guard: tuple[Compare, ...]
    holds: tuple[Compare, ...]

    def of_rank(self, extents: int) -> Fact:
        """The fact, of a buffer of so many extents; BadInput if it speaks of another."""
        for element in self.elements:
            if len(element.indexes) != extents:
                given = len(element.indexes)
                raise BadInput(f"fact {self.text}: {self.buffer} has {extents} extents, here are {given}")
        return self


@dataclass(frozen=True)
class Breach:
    """Elements that are not as a fact says: place and value of each."""

    elements: tuple[tuple[tuple[int, ...], int], ...]

    def words(self, buffer: str) -> str:
        """`table[5] is 99`."""
        return ", ".join(f"{buffer}[{', '.join(map(str, place))}] is {value}" for place, value in self.elements)


# --- reading -----------------------------------------------------------------------------------------------------


def spoken_buffer(text: str) -> str:
    """The buffer that a fact speaks of; BadInput if it is none, or more than one."""
    found, _ = _elements(text, text)
    buffers = sorted({buffer for buffer, _, _ in found})
    if len(buffers) != 1:
        raise BadInput(f"fact {text}: it speaks of {', '.join(buffers) or 'no buffer'}; {_SHAPE}")
    return buffers[0]


def parse_fact(text: str, known: Collection[str]) -> Fact:
    """A fact, read.

    Args:
        known: names with a value of their own; any other name in an index is a variable.

    Raises:
        BadInput: it cannot be read, or a variable stands alone in no element.
    """
    buffer = spoken_buffer(text)
    found, plain = _elements(text, text)
    body, word, guard = plain.partition(" for ")
    if word and not guard.strip():
        raise BadInput(f"fact {text}: nothing stands behind 'for'")
    elements = tuple(Element(tuple(parse_expr(i) for i in indexes), name) for _, indexes, name in found)
    inside = [index for element in elements for index in element.indexes]
    variables = dict.fromkeys(n for index in inside for n in sorted(names(index)) if n not in known)
    for name in variables:
        if Var(name) not in inside:
            raise BadInput(f"fact {text}: {name} must be the whole index of some element, as in table[{name}]")
    guards = parse_comparisons(guard) if word else ()
    holds = parse_comparisons(_comparisons(text, body))
    scope = {*known, *variables, *(e.name for e in elements)}
    for name in sorted(n for c in (*guards, *holds) for n in names(c)):
        if name not in scope:
            raise BadInput(f"fact {text}: unknown name {name!r}; known are {', '.join(sorted({*known, *variables}))}")
    return Fact(text, buffer, elements, tuple(variables), guards, holds)


def _elements(text: str, rest: str) -> tuple[list[tuple[str, tuple[str, ...], str]], str]:
    """The elements spoken of (buffer, indexes, name), each once, and the text with names in their places."""
    found: dict[tuple[str, tuple[str, ...]], str] = {}

    def replaced(match: re.Match[str]) -> str:
        buffer, inner = match.groups()
        indexes = tuple(part.strip() for part in inner.split(","))
        if "" in indexes:
            raise BadInput(f"fact {text}: {match.group()} has an empty index")
        return found.setdefault((buffer, indexes), f"element_{len(found)}_of_{buffer}")

    plain = _ELEMENT.sub(replaced, rest)
    return [(buffer, indexes, name) for (buffer, indexes), name in found.items()], plain


def _comparisons(text: str, body: str) -> str:
    """`X in [a, b)` as comparisons; comparisons as they are."""
    match = _WITHIN.fullmatch(body)
    if match is None:
        return body
    value, opening, inside, closing = match.groups()
    items, depth = [""], 0
    for char in inside:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            items.append("")
        else:
            items[-1] += char
    if len(items) != 2 or not all(part.strip() for part in (value, *items)):
        raise BadInput(f"fact {text}: {_SHAPE}")
    low, high = (item.strip() for item in items)
    return f"{value} {'>=' if opening == '[' else '>'} {low} && {value} {'<=' if closing == ']' else '<'} {high}"


# --- held against arrays -----------------------------------------------------------------------------------------


def first_breach(fact: Fact, content: Array, values: Mapping[str, int]) -> Breach | None:
    """The first elements, in the order of the fact's variables, that are not as it says; None if all are.

    Args:
        content: the buffer's elements, in its logical shape.
        values: of the names that are no variables.

    Raises:
        BadInput: more than MAX_PLACES values of the variables, or a divisor that is not positive.
    """
    fact.of_rank(content.ndim)
    limits = [min(_limits(fact, variable, content.shape)) for variable in fact.variables]
    count = prod(limits)
    if count > MAX_PLACES:
        raise BadInput(
            f"fact {fact.text}: {count} cases at this size, at most {MAX_PLACES} are gone through; "
            "a fact about neighbours (t[i] <= t[i + 1]) has fewer"
        )
    wide = _needs_wide(fact, content, limits, values)
    for start in range(0, count, CHUNK):
        columns = _columns(fact.variables, limits, start, min(CHUNK, count - start), wide)
        breach = _breach(fact, content, {**values, **columns}, min(CHUNK, count - start), wide)
        if breach is not None:
            return breach
    return None


def _limits(fact: Fact, variable: str, shape: tuple[int, ...]) -> Iterator[int]:
    """The extents that a variable is an index of."""
    for element in fact.elements:
        for index, extent in zip(element.indexes, shape, strict=True):
            if index == Var(variable):
                yield extent


def _columns(
    variables: tuple[str, ...], limits: list[int], start: int, count: int, wide: bool
) -> dict[str, Array]:
    """The values of the variables in `count` cases from `start` on, the last one varying fastest."""
    number = np.arange(start, start + count, dtype=np.int64)
    found: dict[str, Array] = {}
    for variable, limit in zip(reversed(variables), reversed(limits), strict=True):
        column = number % limit
        found[variable] = column.astype(object) if wide else column
        number = number // limit
    return found


def _breach(
    fact: Fact, content: Array, values: Mapping[str, int | Array], count: int, wide: bool
) -> Breach | None:
    exists = np.ones(count, bool)
    places: list[tuple[Array, ...]] = []
    for element in fact.elements:
        place = tuple(np.broadcast_to(_value(index, values), (count,)) for index in element.indexes)
        for at, extent in zip(place, content.shape, strict=True):
            exists &= ((at >= 0) & (at < extent)).astype(bool)
        places.append(place)
    lanes = np.flatnonzero(exists)
    if not len(lanes):
        return None
    scope = {n: v[lanes] if isinstance(v, np.ndarray) else v for n, v in values.items()}
    there = [tuple(index[lanes].astype(np.int64) for index in place) for place in places]
    for element, place in zip(fact.elements, there, strict=True):
        held = content[place]
        scope[element.name] = held.astype(object) if wide else held.astype(np.int64)
    bad = ~_all(fact.holds, scope, len(lanes)) & _all(fact.guard, scope, len(lanes))
    if not bad.any():
        return None
    first = int(np.flatnonzero(bad)[0])
    found = dict.fromkeys(tuple(int(index[first]) for index in place) for place in there)
    return Breach(tuple((place, int(content[place])) for place in found))


def _all(comparisons: tuple[Compare, ...], values: Mapping[str, int | Array], count: int) -> npt.NDArray[np.bool_]:
    kept = np.ones(count, bool)
    for c in comparisons:
        a, b = _value(c.a, values), _value(c.b, values)
        table: dict[str, Any] = {"==": a == b, "!=": a != b, "<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b}
        kept &= np.broadcast_to(np.asarray(table[c.op], bool), (count,))
    return kept


def _value(expr: Expr, values: Mapping[str, int | Array]) -> int | Array:
    if isinstance(expr, Const):
        return expr.value
    if isinstance(expr, Var):
        return values[expr.name]
    a, b = _value(expr.a, values), _value(expr.b, values)
    match expr.op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "min" | "max" if isinstance(a, int) and isinstance(b, int):
            return min(a, b) if expr.op == "min" else max(a, b)  # NumPy might go through floats
        case "min":
            return np.minimum(a, b)
        case "max":
            return np.maximum(a, b)
    if np.any(np.asarray(b) <= 0):
        raise BadInput(f"{print_expr(expr)}: a divisor is not positive")
    return a // b if expr.op == "/" else a % b


def _needs_wide(fact: Fact, content: Array, limits: list[int], values: Mapping[str, int]) -> bool:
    """Whether a number on the way may leave 64 bits: then Python's integers are used, which never do."""
    sizes = {name: abs(value) for name, value in values.items()}
    sizes |= dict(zip(fact.variables, limits, strict=True))
    held = max((abs(int(content.min())), abs(int(content.max()))), default=0) if content.size else 0
    sizes |= {element.name: held for element in fact.elements}
    parts = [side for c in (*fact.guard, *fact.holds) for side in (c.a, c.b)]
    parts += [index for element in fact.elements for index in element.indexes]
    return max((_size(part, sizes)[1] for part in parts), default=0) >= 2**62


def _size(expr: Expr, sizes: Mapping[str, int]) -> tuple[int, int]:
    """The most that an expression, and that anything on the way to it, comes to."""
    if isinstance(expr, Const):
        return abs(expr.value), abs(expr.value)
    if isinstance(expr, Var):
        return sizes[expr.name], sizes[expr.name]
    (a, before), (b, beside) = _size(expr.a, sizes), _size(expr.b, sizes)
    # A quotient rounded down may be one more than the dividend: -1 / 2 is -1, of size 1.
    most = {"+": a + b, "-": a + b, "*": a * b, "/": a, "%": b}.get(expr.op, max(a, b))
    return most, max(most, before, beside)
