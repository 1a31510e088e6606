"""Declarations: registers, variables with initialisers, parameters, performance directives.

Source: PTX ISA 5 (state spaces, types, variables), 7.1 (function declarations), 11.2 to 11.4 (directives).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Final

from spec.ptx.ast import AddressOf, FloatImm, Param, Sym, Variable, type_width
from spec.ptx.lexer import DIRECTIVE, INTEGER, NAME, STRING, Tokens
from spec.ptx.parser_constants import (
    DEEPEST,
    Integer,
    as_float,
    integer_literal,
    read_constant,
    read_integer,
    read_term,
    starts_constant,
)
from spec.ptx.parser_names import FUNCTION, PREDEFINED, VARIABLE, Entry, is_plain

TYPES: Final = frozenset((
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "f32",
    "f64", "pred",
))  # fmt: skip
_OPAQUE: Final = frozenset({"texref", "samplerref", "surfref"})
SPACES: Final = frozenset({".shared", ".global", ".const", ".local", ".param"})
_POINTED: Final = frozenset({".global", ".shared", ".const", ".local", ".generic"})
LINKAGES: Final = frozenset({".visible", ".extern", ".weak", ".common"})
_VECTORS: Final = {".v2": 2, ".v4": 4, ".v8": 8}
# The most values of a performance directive; all that take any take at least one.
_DIRECTIVES: Final = {
    ".maxntid": 3, ".reqntid": 3, ".reqnctapercluster": 3, ".minnctapersm": 1, ".maxnctapersm": 1, ".maxnreg": 1,
    ".maxclusterrank": 1, ".noreturn": 0, ".explicitcluster": 0, ".blocksareclusters": 0, ".abi_preserve": 1,
    ".abi_preserve_control": 1,
}  # fmt: skip
MOST_CHARACTERS: Final = 1 << 22  # of the names that all `x<N>` of a file stand for: a short text must stay small
MOST_ZEROS: Final = 1 << 20  # that all initialisers of a file leave out between inner braces

Initializer = tuple[int | FloatImm | Sym | AddressOf, ...]
Element = int | FloatImm | Sym | AddressOf


@dataclass(frozen=True)
class Declared:
    """A declared name with its place and, for variables, its array extents."""

    name: str
    at: int
    dims: tuple[int | None, ...] = ()


class Budget:
    """What is left for this file of the things that a short text could ask for without end."""

    def __init__(self) -> None:
        self.characters = MOST_CHARACTERS
        self.zeros = MOST_ZEROS


def read_type(tokens: Tokens, *, registers: bool) -> str:
    """A fundamental type; `.pred` for registers only."""
    if tokens.kind != DIRECTIVE:
        raise tokens.error(f"expected a type, such as '.u32', found {tokens.shown()}")
    name = tokens.text[1:]
    if name in _OPAQUE:
        raise tokens.error(f"opaque type '.{name}' is not supported; pass textures and surfaces as .u64 handles")
    if name not in TYPES:
        raise tokens.error(f"unknown type '.{name}'")
    if name == "pred" and not registers:
        raise tokens.error("only registers may be '.pred'")
    tokens.take()
    return name


def read_name(tokens: Tokens, what: str) -> str:
    """A new identifier."""
    if tokens.kind != NAME or not is_plain(tokens.text):
        raise tokens.error(f"expected the name of {what}, found {tokens.shown()}")
    if tokens.text in PREDEFINED:
        raise tokens.error(f"{tokens.text!r} is predefined and cannot be declared")
    return tokens.take()


def read_names(tokens: Tokens, budget: Budget, what: str) -> list[Declared]:
    """One name with array extents, or the names of `x<N>`: x0 to x(N-1)."""
    at = tokens.at
    name = read_name(tokens, what)
    if not tokens.accept("<"):
        return [Declared(name, at, read_extents(tokens))]
    count_at = tokens.at
    count = read_count(tokens, f"the number of names in '{name}<'", 1)
    tokens.expect(">", f"after the number of names in '{name}<'")
    budget.characters -= count * (len(name) + len(str(count)))
    if budget.characters < 0:
        message = f"names declared by '<N>' have more than {MOST_CHARACTERS} characters in this file"
        raise tokens.error(message, count_at)
    return [Declared(f"{name}{i}", at) for i in range(count)]


def read_extents(tokens: Tokens) -> tuple[int | None, ...]:
    """`[4][8]`; the first may be open, `[]`."""
    extents: list[int | None] = []
    while tokens.accept("["):
        if not extents and tokens.accept("]"):
            extents.append(None)
            continue
        start = tokens.at
        extent = read_integer(tokens, "an array extent")
        if extent < 1 or extent >> 63:
            raise tokens.error(f"array extent {extent} is not between 1 and 2^63-1", start)
        tokens.expect("]", "after an array extent")
        extents.append(extent)
    return tuple(extents)


def read_count(tokens: Tokens, what: str, least: int) -> int:
    """A plain integer constant of at least `least`."""
    if tokens.kind != INTEGER:
        raise tokens.error(f"expected {what}, an integer, found {tokens.shown()}")
    start = tokens.at
    value = integer_literal(tokens)
    if value < least:
        raise tokens.error(f"{what} must be at least {least}, not {value}", start)
    return value


def read_align(tokens: Tokens) -> int:
    """The value of `.align`, which the reader stands behind."""
    start = tokens.at
    value = read_count(tokens, "an alignment", 1)
    if value & (value - 1):
        raise tokens.error(f"alignment {value} is not a power of two", start)
    return value


# --- variables --------------------------------------------------------------------------------------------------


def read_variables(
    tokens: Tokens,
    budget: Budget,
    linkage: str,
    declare: Callable[[Declared], str],
    find: Callable[[str], Entry | None],
) -> list[Variable]:
    """A declaration `.space .align N .vec .type name[extents] = initializer, ...;` from its state space on.

    `declare` enters a name and returns the one to use; `find` looks up the symbols of initialisers.
    """
    line = tokens.line
    space = tokens.take()[1:]
    attribute, align, vector = "", None, 1
    while True:
        if tokens.accept(".align"):
            align = read_align(tokens)
        elif tokens.accept(".attribute"):
            attribute = _read_attribute(tokens)
        elif tokens.text in _VECTORS:
            vector = _VECTORS[tokens.take()]
        else:
            break
    type_name = read_type(tokens, registers=False)
    if vector * type_width(type_name) > 256:
        raise tokens.error(f"vector type '.v{vector} .{type_name}' is wider than 256 bits", tokens.at - 1)
    found: list[Variable] = []
    while True:
        for declared in read_names(tokens, budget, "a variable"):
            initializer, dims = None, declared.dims
            if tokens.accept("="):
                initializer, dims = _read_initializer(tokens, budget, dims, vector, find)
            if None in dims and linkage != "extern":
                raise tokens.error(
                    f"array {declared.name!r} has an open extent but is neither .extern nor initialised", declared.at
                )
            found.append(
                Variable(
                    name=declare(declared), space=space, type=type_name, dims=dims, align=align,
                    extern=linkage == "extern", linkage=linkage, vector=vector, initializer=initializer,
                    attribute=attribute, line=line,
                )
            )  # fmt: skip
        if not tokens.accept(","):
            break
    tokens.expect_semicolon("a variable declaration")
    return found


def _read_attribute(tokens: Tokens) -> str:
    """The text inside `.attribute( ... )`: `.managed`, `.unified(1, 2)`."""
    tokens.expect("(", "after '.attribute'")
    if tokens.accept(".managed"):
        text = ".managed"
    elif tokens.accept(".unified"):
        tokens.expect("(", "after '.unified'")
        first = read_count(tokens, "the first half of an identifier", 0)
        tokens.expect(",", "between the halves of an identifier")
        second = read_count(tokens, "the second half of an identifier", 0)
        tokens.expect(")", "after the identifier of '.unified'")
        text = f".unified({first}, {second})"
    else:
        raise tokens.error(f"unknown attribute {tokens.shown()}; there are .managed and .unified")
    tokens.expect(")", "after an attribute")
    return text


def _read_initializer(
    tokens: Tokens, budget: Budget, dims: tuple[int | None, ...], vector: int, find: Callable[[str], Entry | None]
) -> tuple[Initializer, tuple[int | None, ...]]:
    """The flat elements, and the extents with an open first one filled in."""
    if len(dims) > DEEPEST:
        raise tokens.error(f"initialised array has more than {DEEPEST} extents")
    shape = (*dims, vector) if vector > 1 else dims
    start = tokens.at
    if tokens.text != "{" and shape:
        raise tokens.error("an array or vector is initialised with '{ ... }'")
    if not shape:
        return _read_scalar_initializer(tokens, find), dims
    elements = _read_braces(tokens, budget, shape, find, 0)
    if dims and dims[0] is None:
        row = prod(extent or 1 for extent in shape[1:])
        if not elements:
            raise tokens.error("an array with an open extent needs at least one element", start)
        return tuple(elements), (-(-len(elements) // row), *dims[1:])
    return tuple(elements), dims


def _read_scalar_initializer(tokens: Tokens, find: Callable[[str], Entry | None]) -> Initializer:
    braced = tokens.accept("{")
    value = _read_element(tokens, find)
    if braced:
        tokens.expect("}", "after the value of a scalar")
    return (value,)


def _read_braces(
    tokens: Tokens, budget: Budget, shape: tuple[int | None, ...], find: Callable[[str], Entry | None], depth: int
) -> list[Element]:
    """One pair of braces: elements in a row, or inner braces, each filled up with zeros when more follows."""
    if depth >= len(shape):
        raise tokens.error("braces are nested deeper than the array has extents")
    extent, inner = shape[depth], prod(e or 1 for e in shape[depth + 1 :])
    room = None if extent is None else extent * inner
    tokens.expect("{", "before the elements of an array")
    elements: list[Element] = []
    if tokens.accept("}"):
        return elements
    while True:
        start = tokens.at
        if tokens.text == "{":
            missing = -len(elements) % inner
            budget.zeros -= missing
            if budget.zeros < 0:
                raise tokens.error(f"initialisers leave out more than {MOST_ZEROS} elements between braces", start)
            elements.extend([0] * missing)
            elements.extend(_read_braces(tokens, budget, shape, find, depth + 1))
        else:
            elements.append(_read_element(tokens, find))
        if room is not None and len(elements) > room:
            raise tokens.error(f"initialiser has more elements than the {room} of its array", start)
        if not tokens.accept(","):
            break
    tokens.expect("}", "after the elements of an array")
    return elements


def _read_element(tokens: Tokens, find: Callable[[str], Entry | None]) -> Element:
    if starts_constant(tokens):
        if tokens.kind == INTEGER and tokens.texts[tokens.at + 1] == "(":
            mask = integer_literal(tokens)
            tokens.take()
            symbol, generic = _read_symbol(tokens, find)
            tokens.expect(")", "after a masked symbol")
            return AddressOf(symbol, generic, mask)
        value = read_constant(tokens)
        return value.value if isinstance(value, Integer) else as_float(value)
    symbol, generic = _read_symbol(tokens, find)
    return AddressOf(symbol, True) if generic else symbol


def _read_symbol(tokens: Tokens, find: Callable[[str], Entry | None]) -> tuple[Sym, bool]:
    """`sym`, `sym+4`, `generic(sym)`, `generic(sym)+4`; the symbol must be declared before."""
    generic = tokens.text == "generic" and tokens.texts[tokens.at + 1] == "("
    if generic:
        tokens.at += 2
    at = tokens.at
    if tokens.kind != NAME:
        raise tokens.error(f"expected a constant or a symbol, found {tokens.shown()}")
    entry = find(tokens.take())
    if entry is None or entry.kind not in (VARIABLE, FUNCTION) or not isinstance(entry.operand, Sym):
        raise tokens.error(f"{tokens.texts[at]!r} is not a variable or function declared before", at)
    if generic:
        tokens.expect(")", "after the symbol of 'generic('")
    return Sym(entry.operand.name, read_offset(tokens)), generic


def read_offset(tokens: Tokens) -> int:
    """`+4`, `-8`, `+-8`, `+4*2-1`, or nothing; the sum as a signed 64-bit number."""
    offset = 0
    while tokens.text in ("+", "-"):
        sign = 1 if tokens.take() == "+" else -1
        offset += sign * read_term(tokens)
    return (offset + (1 << 63)) % (1 << 64) - (1 << 63)


# --- parameters and directives ----------------------------------------------------------------------------------


def read_params(tokens: Tokens, declare: Callable[[Declared, Param], str], what: str) -> tuple[Param, ...]:
    """`( .param .u64 a, .reg .u32 b, ... )`, from the parenthesis on."""
    tokens.expect("(", f"before the parameters of {what}")
    found: list[Param] = []
    if tokens.accept(")"):
        return ()
    while True:
        found.append(_read_param(tokens, declare))
        if not tokens.accept(","):
            break
    tokens.expect(")", f"after the parameters of {what}")
    return tuple(found)


def _read_param(tokens: Tokens, declare: Callable[[Declared, Param], str]) -> Param:
    line = tokens.line
    if tokens.text not in (".param", ".reg"):
        raise tokens.error(f"expected '.param' or '.reg', found {tokens.shown()}")
    space = tokens.take()[1:]
    align = read_align(tokens) if tokens.accept(".align") else None
    type_name = read_type(tokens, registers=space == "reg")
    pointer_space: str | None = None
    pointer_align: int | None = None
    if tokens.accept(".ptr"):
        pointer_space = tokens.take()[1:] if tokens.text in _POINTED else "generic"
        pointer_align = read_align(tokens) if tokens.accept(".align") else None
    if align is None and tokens.accept(".align"):
        align = read_align(tokens)
    at = tokens.at
    name = tokens.take() if tokens.text == "_" else read_name(tokens, "a parameter")
    dims = read_extents(tokens)
    if len(dims) > 1:
        raise tokens.error(f"parameter {name!r} has more than one extent", at)
    elements = (dims[0] or 0) if dims else None
    plain = Param(name, type_name, elements, align, pointer_space, pointer_align, space, line)
    unique = declare(Declared(name, at), plain)
    return Param(unique, type_name, elements, align, pointer_space, pointer_align, space, line)


def read_pragma(tokens: Tokens) -> list[str]:
    """The texts of `.pragma "a", "b";`, which the reader stands behind the first word of."""
    texts = [tokens.expect_kind(STRING, "the text of a '.pragma'")[1:-1]]
    while tokens.accept(","):
        texts.append(tokens.expect_kind(STRING, "the text of a '.pragma'")[1:-1])
    tokens.expect_semicolon("a '.pragma'")
    return texts


def read_directives(tokens: Tokens, directives: dict[str, tuple[int, ...]]) -> None:
    """Performance directives and pragmas, as many as stand here, into `directives`."""
    while tokens.kind == DIRECTIVE:
        word = tokens.text
        if word == ".pragma":
            tokens.take()
            for text in read_pragma(tokens):
                directives[f'pragma "{text}"'] = ()
            continue
        if word not in _DIRECTIVES:
            raise tokens.error(f"unknown directive {word!r} in the head of a function")
        if word[1:] in directives:
            raise tokens.error(f"directive {word!r} stands twice in the head of this function")
        tokens.take()
        directives[word[1:]] = _read_directive_values(tokens, word)


def _read_directive_values(tokens: Tokens, word: str) -> tuple[int, ...]:
    most = _DIRECTIVES[word]
    if most == 0:
        return ()
    values = [read_count(tokens, f"a value of {word!r}", 0)]
    while len(values) < most and tokens.accept(","):
        values.append(read_count(tokens, f"a value of {word!r}", 0))
    return tuple(values)
