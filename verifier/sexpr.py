"""S-expressions as SMT-LIB 2.6 writes them. An atom is its text, `|quoted symbols|` without their bars."""

from __future__ import annotations

import re

from verifier.findings import Unreadable

SExpr = str | tuple["SExpr", ...]

_TOKEN = re.compile(
    r"""(?P<skip>\s+|;[^\n]*)|(?P<open>\()|(?P<close>\))|\|(?P<quoted>[^|\\]*)\||(?P<atom>[^\s()|";]+)"""
)
PLAIN = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][\w~!@$%^&*+=<>.?/-]*|\d+(?:\.\d+)?|:[\w.-]+|#x[0-9a-f]+")
_NEVER_QUOTED = re.compile(r"\d.*|#.*|true|false|and|or|not|xor|ite|div|mod|abs|distinct|let|=>|[-+*=<>]+|")
MAX_DEPTH = 2_000


def read_all(text: str, file: str) -> list[SExpr]:
    """Every expression of the text; Unreadable names the file and the offset."""
    stack: list[list[SExpr]] = [[]]
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise Unreadable(f"{file}: not SMT-LIB at offset {position}: {text[position : position + 20]!r}")
        position = match.end()
        if match["open"]:
            if len(stack) > MAX_DEPTH:
                raise Unreadable(f"{file}: nested deeper than {MAX_DEPTH}")
            stack.append([])
        elif match["close"]:
            if len(stack) == 1:
                raise Unreadable(f"{file}: a closing parenthesis too many at offset {match.start()}")
            done = tuple(stack.pop())
            stack[-1].append(done)
        elif match["quoted"] is not None:
            if _NEVER_QUOTED.fullmatch(match["quoted"]):
                raise Unreadable(f"{file}: a symbol that looks like something else: |{match['quoted']}|")
            stack[-1].append(match["quoted"])
        elif match["atom"]:
            if not PLAIN.fullmatch(match["atom"]):
                raise Unreadable(f"{file}: not a symbol or numeral: {match['atom']!r}")
            stack[-1].append(match["atom"])
    if len(stack) != 1:
        raise Unreadable(f"{file}: the text ends inside an expression")
    return stack[0]


def read_one(text: str, file: str) -> SExpr:
    """The single expression of the text."""
    found = read_all(text, file)
    if len(found) != 1:
        raise Unreadable(f"{file}: one expression expected, {len(found)} found in {text[:60]!r}")
    return found[0]
