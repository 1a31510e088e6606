"""Initialisers of variables.

As strict as the assembler: braces follow the extents, a vector is given whole, integers initialise integers.
Source: PTX ISA 5.4.4 (initializers), 5.4.3 (array declarations).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from spec.ptx.ast import AddressOf, FloatImm, Sym
from spec.ptx.lexer import INTEGER, NAME, Tokens
from spec.ptx.parser_constants import (
    DEEPEST,
    Integer,
    as_float,
    integer_literal,
    read_constant,
    read_offset,
    starts_constant,
)
from spec.ptx.parser_names import FUNCTION, MOST_ZEROS, VARIABLE, Budget, Entry

Element = int | FloatImm | Sym | AddressOf
Extents = tuple[int | None, ...]


class InitializerReader:
    """Reads the initialiser of one variable; `find` looks up the symbols in it."""

    def __init__(
        self, tokens: Tokens, budget: Budget, type_name: str, find: Callable[[str], Entry | None]
    ) -> None:
        self._tokens, self._budget, self._type, self._find = tokens, budget, type_name, find

    def read(self, dims: Extents, vector: int) -> tuple[tuple[Element, ...], Extents]:
        """The flat elements, and the extents with an open first one filled in."""
        tokens = self._tokens
        if self._type.startswith("f16"):
            raise tokens.error(f"a variable of type '.{self._type}' cannot be initialised; declare it '.b16' or '.b32'")
        if len(dims) > DEEPEST:
            raise tokens.error(f"initialised array has more than {DEEPEST} extents")
        shape = (*dims, vector) if vector > 1 else dims
        if not shape:
            return (self._element(),), dims
        start = tokens.at
        elements, rows = self._braces(shape, vector > 1)
        if dims and dims[0] is None:
            if rows == 0:
                raise tokens.error("an array with an open extent needs at least one element", start)
            return tuple(elements), (rows, *dims[1:])
        return tuple(elements), dims

    def _braces(self, shape: Extents, vectors: bool) -> tuple[list[Element], int]:
        """One pair of braces: the elements and how many rows they are; a row before another is filled with zeros."""
        tokens = self._tokens
        extent, inner = shape[0], prod(e or 1 for e in shape[1:])
        tokens.expect("{", f"before the elements of {'a vector' if vectors and len(shape) == 1 else 'an array'}")
        elements: list[Element] = []
        rows = 0
        closed = tokens.accept("}")
        while not closed:
            if rows == extent:
                raise tokens.error(f"initialiser has more elements than the extent {extent}")
            self._fill(elements, rows * inner)
            if len(shape) > 1:
                elements.extend(self._braces(shape[1:], vectors)[0])
            else:
                elements.append(self._element())
            rows += 1
            if not tokens.accept(","):
                tokens.expect("}", "after the elements of an initialiser")
                closed = True
        if vectors and len(shape) == 1 and rows != extent:
            raise tokens.error(f"a vector of {extent} components is initialised with {rows}", tokens.at - 1)
        return elements, rows

    def _fill(self, elements: list[Element], length: int) -> None:
        missing = length - len(elements)
        self._budget.zeros -= missing
        if self._budget.zeros < 0:
            raise self._tokens.error(f"initialisers of this file leave out more than {MOST_ZEROS} elements in braces")
        elements.extend([0] * missing)

    def _element(self) -> Element:
        tokens = self._tokens
        start = tokens.at
        element = self._constant() if starts_constant(tokens) else self._address()
        wrong = not isinstance(element, FloatImm) if self._type[0] == "f" else isinstance(element, FloatImm)
        if wrong and self._type[0] != "b":
            raise tokens.error(f"this value does not initialise the type '.{self._type}'", start)
        return element

    def _constant(self) -> Element:
        tokens = self._tokens
        if tokens.kind == INTEGER and tokens.texts[tokens.at + 1] == "(":
            mask = integer_literal(tokens)
            tokens.take()
            symbol, generic = self._symbol()
            tokens.expect(")", "after a masked symbol")
            return AddressOf(symbol, generic, mask)
        value = read_constant(tokens)
        return value.value if isinstance(value, Integer) else as_float(value)

    def _address(self) -> Sym | AddressOf:
        symbol, generic = self._symbol()
        return AddressOf(symbol, True) if generic else symbol

    def _symbol(self) -> tuple[Sym, bool]:
        """`sym`, `sym+4`, `generic(sym)`, `generic(sym)+4`; the symbol must be declared before."""
        tokens = self._tokens
        generic = tokens.text == "generic" and tokens.texts[tokens.at + 1] == "("
        if generic:
            tokens.at += 2
        at = tokens.at
        if tokens.kind != NAME:
            raise tokens.error(f"expected a constant or a symbol, found {tokens.shown()}")
        entry = self._find(tokens.take())
        if entry is None or entry.kind not in (VARIABLE, FUNCTION):
            raise tokens.error(f"{tokens.texts[at]!r} is not a variable or function declared before", at)
        if generic:
            tokens.expect(")", "after the symbol of 'generic('")
        return Sym(entry.operand.name, read_offset(tokens)), generic
