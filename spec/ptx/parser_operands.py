"""Operands of instructions: registers, constants, symbols, addresses, vectors, calls' lists.

Source: PTX ISA 6 (instruction operands), 9.7.13.8 (call).
"""

from __future__ import annotations

from typing import Final

from spec.ptx.ast import FloatImm, Half, Imm, Mem, Not, Operand, Pair, ParenList, Reg, Sink, Special, Sym, Vec
from spec.ptx.lexer import NAME, Tokens
from spec.ptx.parser_constants import (
    Constant,
    Integer,
    as_float,
    read_constant,
    read_integer,
    read_offset,
    starts_constant,
)
from spec.ptx.parser_names import REGISTER, SPECIALS, Entry, Scopes

_SELECTORS: Final = frozenset((
    "b0", "b1", "b2", "b3", "h0", "h1", "lo", "hi", "x", "y", "z", "w", "r", "g", "b", "a",
))  # fmt: skip
_SINK: Final = Sink()
_OPERATORS: Final = frozenset((
    "+", "-", "*", "/", "%", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "&&", "||", "?",
))  # fmt: skip


class OperandReader:
    """Reads operands at the place of the token reader, with the names visible there."""

    def __init__(self, tokens: Tokens, scopes: Scopes) -> None:
        self.tokens, self.scopes = tokens, scopes

    def operands(self, base: str) -> tuple[Operand, ...]:
        """All operands of an instruction, up to its `;`, which is left to the caller."""
        tokens = self.tokens
        if tokens.text == ";":
            return ()
        calls = base == "call"
        found = [self.operand(calls)]
        while tokens.accept(","):
            found.append(self.operand(calls))
        return tuple(found)

    def operand(self, calls: bool = False) -> Operand:
        """One operand, or a pair `a|b`. A parenthesis opens a list in a call, else a constant expression."""
        tokens = self.tokens
        if tokens.text == "[":
            return self.address()
        if tokens.text == "{":
            return Vec(self._list("{", "}", "a vector"))
        if calls and tokens.text == "(":
            return ParenList(self._list("(", ")", "the list of a call"))
        first = self.simple()
        if tokens.text != "|" or not isinstance(first, Reg | Sink):
            return first
        tokens.take()
        place = tokens.at
        second = self.simple()
        if not isinstance(second, Reg | Sink):
            raise tokens.error("the second of two results must be a register or '_'", place)
        return Pair(first, second)

    def _list(self, opening: str, closing: str, what: str) -> tuple[Operand, ...]:
        tokens = self.tokens
        tokens.expect(opening, f"before {what}")
        if opening == "(" and tokens.accept(closing):
            return ()
        found = [self.simple()]
        while tokens.accept(","):
            found.append(self.simple())
        tokens.expect(closing, f"after {what}")
        return tuple(found)

    def simple(self) -> Operand:
        """An operand without brackets, braces or lists."""
        tokens = self.tokens
        if tokens.kind == NAME:
            if tokens.text == "WARP_SZ" and tokens.texts[tokens.at + 1] in _OPERATORS:
                return _immediate(read_constant(tokens))
            return self._named()
        if tokens.text == "!" and tokens.kinds[tokens.at + 1] == NAME and tokens.texts[tokens.at + 1] != "WARP_SZ":
            tokens.take()
            return Not(self.predicate("operand of '!'"))
        if starts_constant(tokens):
            return _immediate(read_constant(tokens))
        raise tokens.error(f"expected an operand, found {tokens.shown()}")

    def _named(self) -> Operand:
        tokens = self.tokens
        name = tokens.text
        entry = self.scopes.find(name)
        if entry is not None:
            tokens.take()
            if entry.kind == REGISTER:
                return entry.operand
            return self._symbol(entry)
        if name == "_":
            tokens.take()
            return _SINK
        if (special := SPECIALS.get(name)) is not None:
            tokens.take()
            return special
        return self._selected(name)

    def _symbol(self, entry: Entry) -> Operand:
        tokens = self.tokens
        if tokens.text == "[":
            raise tokens.error("indexing an array is not supported; write its byte offset, 'a+4'")
        if tokens.text in ("+", "-"):
            return Sym(entry.operand.name, read_offset(tokens))
        return entry.operand

    def _selected(self, name: str) -> Operand:
        """`%r1.b0`: the part of a register; or the error that the name is not declared."""
        tokens = self.tokens
        stem, dot, selector = name.partition(".")
        entry = self.scopes.find(stem)
        if not dot or entry is None:
            raise tokens.error(self.not_declared(stem))
        if not isinstance(entry.operand, Reg):
            raise tokens.error(f"{stem!r} is a {entry.kind}, which has no part '.{selector}'")
        if selector not in _SELECTORS:
            raise tokens.error(f"a register has no part '.{selector}'")
        tokens.take()
        return Half(entry.operand, selector)

    @staticmethod
    def not_declared(name: str) -> str:
        """The message for a name that stands for nothing here."""
        return f"register {name!r} is not declared" if name.startswith("%") else f"{name!r} is not declared"

    def predicate(self, what: str) -> Reg:
        """A predicate register: a guard, or the operand of `!`."""
        tokens = self.tokens
        if tokens.kind != NAME:
            raise tokens.error(f"expected a predicate register, found {tokens.shown()}")
        entry = self.scopes.find(tokens.text)
        if entry is None:
            raise tokens.error(self.not_declared(tokens.text))
        if not isinstance(entry.operand, Reg) or entry.type != "pred":
            raise tokens.error(f"{what} must be a predicate register; {tokens.text!r} is not")
        tokens.take()
        return entry.operand

    def address(self) -> Mem:
        """`[base + offset, indices...]`."""
        tokens = self.tokens
        tokens.expect("[", "before an address")
        base: Reg | Sym | Imm
        offset = 0
        if starts_constant(tokens):
            base = Imm(read_integer(tokens, "an absolute address"))
        else:
            base = self._address_base()
            offset = read_offset(tokens)
        indices: list[Operand] = []
        while tokens.accept(","):
            indices.append(Vec(self._list("{", "}", "a vector")) if tokens.text == "{" else self.simple())
        tokens.expect("]", "after an address")
        return Mem(base, offset, tuple(indices))

    def _address_base(self) -> Reg | Sym:
        tokens = self.tokens
        if tokens.kind != NAME:
            raise tokens.error(f"expected a register, a symbol or a constant in an address, found {tokens.shown()}")
        entry = self.scopes.find(tokens.text)
        if entry is None:
            raise tokens.error(self.not_declared(tokens.text))
        tokens.take()
        return entry.operand


def _immediate(value: Constant) -> Imm | FloatImm | Special:
    return Imm(value.value) if isinstance(value, Integer) else as_float(value)
