"""Declarations: types, names, registers and variables.

Source: PTX ISA 5 (state spaces, types, variables), 11.6 (linkage).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from spec.ptx.ast import Variable, type_width
from spec.ptx.lexer import DIRECTIVE, NAME, Tokens
from spec.ptx.parser_constants import WARP_SIZE, read_count
from spec.ptx.parser_init import InitializerReader
from spec.ptx.parser_names import MOST_CHARACTERS, PREDEFINED, Budget, Entry, is_plain

TYPES: Final = frozenset((
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "f32",
    "f64", "pred",
))  # fmt: skip
_OPAQUE: Final = frozenset({"texref", "samplerref", "surfref"})
SPACES: Final = frozenset({".shared", ".global", ".const", ".local", ".param"})
LINKAGES: Final = frozenset({".visible", ".extern", ".weak", ".common"})
_VECTORS: Final = {".v2": 2, ".v4": 4}
class Declared(NamedTuple):
    """A declared name with its place and, for variables, its array extents."""

    name: str
    at: int
    dims: tuple[int | None, ...] = ()


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
        extent = WARP_SIZE if tokens.accept("WARP_SZ") else read_count(tokens, "an array extent", 1)
        if extent >> 63:
            raise tokens.error("array extent is not below 2^63", start)
        tokens.expect("]", "after an array extent")
        extents.append(extent)
    return tuple(extents)


def read_align(tokens: Tokens) -> int:
    """The value of `.align`, which the reader stands behind."""
    start = tokens.at
    value = read_count(tokens, "an alignment", 1)
    if value & (value - 1):
        raise tokens.error(f"alignment {value} is not a power of two", start)
    return value


def read_variables(
    tokens: Tokens,
    budget: Budget,
    linkage: str,
    declare: Callable[[Declared, str], str],
    find: Callable[[str], Entry | None],
) -> list[Variable]:
    """A declaration `.space .align N .vec .type name[extents] = initializer, ...;` from its state space on.

    `declare` enters a name with its type in words and returns the name to use; `find` knows an initialiser's symbols.
    """
    line = tokens.line
    space = tokens.take()[1:]
    if linkage == "common" and space != "global":
        raise tokens.error("only '.global' variables may be '.common'", tokens.at - 1)
    attribute, align = "", None
    while tokens.text in (".align", ".attribute"):
        if tokens.take() == ".align":
            align = read_align(tokens)
        else:
            attribute = _read_attribute(tokens)
    vector = _VECTORS[tokens.take()] if tokens.text in _VECTORS else 1
    type_name = read_type(tokens, registers=False)
    if vector > 1 and vector * type_width(type_name) > 128:
        raise tokens.error(f"vector type '.v{vector} .{type_name}' is wider than 128 bits", tokens.at - 1)
    found: list[Variable] = []
    while True:
        for declared in read_names(tokens, budget, "a variable"):
            initializer, dims = None, declared.dims
            if tokens.text == "=":
                if space not in ("global", "const"):
                    raise tokens.error(f"a '.{space}' variable cannot be initialised; '.global' and '.const' can")
                tokens.take()
                reader = InitializerReader(tokens, budget, type_name, find)
                initializer, dims = reader.read(dims, vector)
            if None in dims and linkage != "extern":
                raise tokens.error(
                    f"array {declared.name!r} has an open extent but is neither .extern nor initialised", declared.at
                )
            found.append(
                Variable(
                    name=declare(declared, f"{space} {vector} {type_name}"), space=space, type=type_name, dims=dims,
                    align=align, extern=linkage == "extern", linkage=linkage, vector=vector, initializer=initializer,
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
