"""Where the instructions of a module stand in its text."""

from __future__ import annotations

from spec.errors import Unsupported
from spec.ptx.ast import Module
from spec.ptx.lexer import DIRECTIVE, NAME, Source, Tokens

Span = tuple[int, int]


def spans_of(module: Module) -> dict[int, Span]:
    """First character of each instruction, and the one behind its `;`, by the identity of the instruction."""
    tokens = Tokens(Source(module.text, module.name))
    texts, starts = tokens.texts, tokens.starts
    lines = [tokens.source.line(start) for start in starts]
    found: dict[int, Span] = {}
    at = 0
    for function in sorted((f for f in module.functions if f.body is not None), key=lambda f: f.line):
        for instruction in function.instructions():
            while at < len(texts) and not (lines[at] >= instruction.line and _opcode(tokens, at) == instruction.opcode):
                at += 1
            if at == len(texts):
                raise Unsupported(f"{instruction.opcode} is not found in the text", line=instruction.line)
            first = at
            if instruction.guard is not None:
                while texts[first] != "@":
                    first -= 1
            last = texts.index(";", at)
            found[id(instruction)] = (starts[first], starts[last] + 1)
            at = last + 1
    return found


def _opcode(tokens: Tokens, at: int) -> str:
    """The opcode that may begin at a token; white space may stand before a part."""
    opcode = tokens.texts[at]
    while tokens.kinds[at] == NAME and tokens.kinds[at + 1] == DIRECTIVE:
        at += 1
        opcode += tokens.texts[at]
    return opcode
