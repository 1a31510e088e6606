"""Hints, read. The grammar is in docs/check.md; names of parameters and labels are looked up by `proofs.hints.fitting`.

    HINT := "loop" LABEL ":" comparisons                   an invariant, true whenever a thread comes to the loop's head
          | "write" BUFFER ":" number = sum {, number = sum}   who writes the element (plane, row, column) of a buffer
    number := %tid.x ... %ctaid.z | "round" LABEL

`%name` is a register of the entry, or a special one, and `round` how often the loop went round before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from spec.contracts.expr import Compare, Expr, names, parse_comparisons, parse_expr
from spec.errors import BadInput

ROUND = "round"
COORDINATES = ("plane", "row", "column")
_HINT = re.compile(r"\s*(loop|write)\s+([\w$]+)\s*:(.*)", re.DOTALL)
_REGISTER = re.compile(r"%([A-Za-z_$][\w$.]*)")
_CHOSEN = re.compile(r"\s*(%(?:tid|ctaid)\.[xyz]|round\s+[\w$]+)\s*=(?!=)(.*)", re.DOTALL)
_SHAPE = "expected 'loop LABEL: %r1 <= n' or 'write BUFFER: %tid.x = column % 128, round LABEL = column / 128'"


@dataclass(frozen=True)
class Invariant:
    """Comparisons that hold at the head of a loop in every round.

    `registers`: the register, with its %, that each name stands for that is no parameter.
    """

    text: str
    label: str
    comparisons: tuple[Compare, ...]
    registers: Mapping[str, str]


@dataclass(frozen=True)
class Chosen:
    """Which thread, block and rounds write an element: sums over its coordinates, by `%tid.x` or the loop's label.

    Once the hint has been fitted to an entry, loops have their names in the records.
    """

    text: str
    buffer: str
    numbers: Mapping[str, Expr]
    rounds: Mapping[str, Expr]


Hint = Invariant | Chosen


def read_hint(text: str) -> Hint:
    """A hint; BadInput if it cannot be read."""
    match = _HINT.fullmatch(text)
    if match is None:
        raise BadInput(f"hint {text}: {_SHAPE}")
    kind, name, body = match.groups()
    return _invariant(text, name, body) if kind == "loop" else _chosen(text, name, body)


def _invariant(text: str, label: str, body: str) -> Invariant:
    registers: dict[str, str] = {}

    def replaced(found: re.Match[str]) -> str:
        return registers.setdefault(found.group(), f"register_{len(registers)}_")

    plain = _REGISTER.sub(replaced, body)
    comparisons = parse_comparisons(plain)
    return Invariant(text, label, comparisons, {name: register for register, name in registers.items()})


def _chosen(text: str, buffer: str, body: str) -> Chosen:
    numbers: dict[str, Expr] = {}
    rounds: dict[str, Expr] = {}
    for item in _parts(body):
        match = _CHOSEN.fullmatch(item)
        if match is None:
            raise BadInput(f"hint {text}: cannot read {item.strip()!r}; {_SHAPE}")
        name, value = match.groups()
        kind, _, label = name.partition(" ")
        into, key = (rounds, label.strip()) if kind == ROUND else (numbers, name)
        if key in into:
            raise BadInput(f"hint {text}: {name} is given twice")
        into[key] = parse_expr(value)
    return Chosen(text, buffer, numbers, rounds)


def _parts(text: str) -> list[str]:
    """The items between commas outside parentheses."""
    items, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            items.append("")
        else:
            items[-1] += char
    return items


def spoken(hint: Hint) -> frozenset[str]:
    """The names in a hint that are neither registers nor what it defines itself."""
    if isinstance(hint, Invariant):
        return frozenset(n for c in hint.comparisons for n in names(c)) - {*hint.registers, ROUND}
    sums = (*hint.numbers.values(), *hint.rounds.values())
    return frozenset(n for e in sums for n in names(e)) - {*COORDINATES}
