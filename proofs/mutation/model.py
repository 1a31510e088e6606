"""What a mutant is, and how PTX text is edited line by line so that every other line keeps its number."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from proofs.numerics.lemma import Lemma

_CODE = re.compile(r"(?P<indent>\s*)(?P<code>[^\s/][^/]*?)(?P<rest>\s*(?://.*)?)")


@dataclass(frozen=True)
class Mutant:
    """A faulty copy of a kernel.

    Args:
        id: stem, kind of edit, and where.
        stem: the kernel.
        base: what it was made from: `shipped`, or the name of the kernel's extension.
        obligation: the one that must refute it.
        words: what was done, for a person.
        line: PTX line of the edit; 0 where nothing in the PTX was changed.
        text: the module.
        lemma: of a numerics mutant, the lemma with its faulty claim.
    """

    id: str
    stem: str
    base: str
    obligation: str
    words: str
    line: int
    text: str
    lemma: Lemma | None = None


@dataclass(frozen=True)
class Edit:
    """`old` is the whole code of a line, the nth of its kind; `new` stands instead, and the line `gone` is emptied."""

    name: str
    obligation: str
    words: str
    old: str
    new: str
    nth: int = 0
    gone: str = ""


@dataclass(frozen=True)
class Rule:
    """An edit of one line: where `pattern` matches the whole code, `change` gives the new code."""

    name: str
    obligation: str
    words: str
    pattern: str
    change: Callable[[re.Match[str]], str]


@dataclass(frozen=True)
class Extension:
    """A sound addition to a kernel that has nothing to break for some obligations, and the edits that break it."""

    name: str
    extend: Callable[[str], str]
    edits: tuple[Edit, ...]


def to(template: str) -> Callable[[re.Match[str]], str]:
    """The change that a template with groups describes."""
    return lambda match: match.expand(template)


def code_of(line: str) -> str:
    """A line without indentation and comment."""
    found = _CODE.fullmatch(line)
    return found.group("code") if found else ""


def with_code(line: str, code: str) -> str:
    """The line with other code in it."""
    found = _CODE.fullmatch(line)
    assert found is not None
    return found.group("indent") + code


def edited(text: str, number: int, code: str) -> str:
    """The text with the code of line `number` (from 1) replaced."""
    lines = text.split("\n")
    lines[number - 1] = with_code(lines[number - 1], code)
    return "\n".join(lines)


def line_of(text: str, code: str, nth: int = 0) -> int:
    """The number of the nth line with this code. LookupError where the kernel no longer has it."""
    found = [n for n, line in enumerate(text.split("\n"), 1) if code_of(line) == code]
    if len(found) <= nth:
        raise LookupError(f"the kernel has no line {code!r} number {nth + 1}; update the mutants")
    return found[nth]
