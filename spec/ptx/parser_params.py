"""Parameter lists and the directives in the head of a function.

Source: PTX ISA 5.2.6 (parameters), 7.1 (function declarations), 11.3 and 11.4 (control flow, performance directives).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from spec.ptx.ast import Param, type_width
from spec.ptx.lexer import DIRECTIVE, STRING, Tokens
from spec.ptx.parser_constants import read_count
from spec.ptx.parser_decls import Declared, read_align, read_extents, read_name, read_type

_POINTED: Final = frozenset({".global", ".shared", ".const", ".local"})
# The most values of a directive; all that take any take at least one.
_OF_KERNELS: Final = {
    ".maxntid": 3, ".reqntid": 3, ".reqnctapercluster": 3, ".minnctapersm": 1, ".maxnreg": 1,
    ".maxclusterrank": 1, ".explicitcluster": 0, ".blocksareclusters": 0,
}  # fmt: skip
MOST_BYTES: Final = 32_764  # that the parameters of a kernel take (PTX ISA 5.2.6)
_OF_FUNCTIONS: Final = {".noreturn": 0, ".abi_preserve": 1, ".abi_preserve_control": 1}


def read_params(
    tokens: Tokens, declare: Callable[[Declared, Param], str], what: str, *, kernel: bool = False
) -> tuple[Param, ...]:
    """`( .param .u64 a, .reg .u32 b, ... )`, from the parenthesis on; `declare` enters each and returns its name."""
    tokens.expect("(", f"before the parameters of {what}")
    found: list[Param] = []
    if tokens.accept(")"):
        return ()
    taken = 0
    while True:
        at = tokens.at
        found.append(_read_param(tokens, declare, kernel))
        taken += _bytes(found[-1])
        if kernel and taken > MOST_BYTES:
            raise tokens.error(f"the parameters of {what} take {taken} bytes, at most {MOST_BYTES} are allowed", at)
        if not tokens.accept(","):
            break
        if found[-1].elements == 0:
            raise tokens.error("only the last parameter may have an open extent", tokens.at - 1)
    tokens.expect(")", f"after the parameters of {what}")
    return tuple(found)


def _bytes(param: Param) -> int:
    """Without what alignment adds."""
    return (1 if param.elements is None else param.elements) * type_width(param.type) // 8


def _read_param(tokens: Tokens, declare: Callable[[Declared, Param], str], kernel: bool) -> Param:
    line = tokens.line
    if tokens.text not in (".param", ".reg"):
        raise tokens.error(f"expected '.param' or '.reg', found {tokens.shown()}")
    if kernel and tokens.text == ".reg":
        raise tokens.error("a kernel takes '.param' parameters only")
    space = tokens.take()[1:]
    align = read_align(tokens) if tokens.accept(".align") else None
    type_name = read_type(tokens, registers=space == "reg")
    pointer_space: str | None = None
    pointer_align: int | None = None
    if kernel and tokens.accept(".ptr"):
        pointer_space = tokens.take()[1:] if tokens.text in _POINTED else "generic"
        pointer_align = read_align(tokens) if tokens.accept(".align") else None
    at = tokens.at
    name = tokens.take() if tokens.text == "_" else read_name(tokens, "a parameter")
    dims = read_extents(tokens)
    if len(dims) > 1:
        raise tokens.error(f"parameter {name!r} has more than one extent", at)
    if dims == (None,) and kernel:
        raise tokens.error(f"parameter {name!r} of a kernel has an open extent", at)
    if dims and space == "reg":
        raise tokens.error(f"register {name!r} cannot be an array", at)
    elements = (dims[0] or 0) if dims else None
    plain = Param(name, type_name, elements, align, pointer_space, pointer_align, space, line)
    unique = declare(Declared(name, at), plain)
    return plain if unique == name else replace(plain, name=unique)


def read_pragma(tokens: Tokens) -> list[str]:
    """The texts of `.pragma "a", "b";`, which the reader stands behind the first word of."""
    texts = [tokens.expect_kind(STRING, "the text of a '.pragma'")[1:-1]]
    while tokens.accept(","):
        texts.append(tokens.expect_kind(STRING, "the text of a '.pragma'")[1:-1])
    tokens.expect_semicolon("a '.pragma'")
    return texts


def read_directives(tokens: Tokens, directives: dict[str, tuple[int, ...]], *, kernel: bool) -> None:
    """Directives and pragmas, as many as stand here, into `directives`."""
    allowed = _OF_KERNELS if kernel else _OF_FUNCTIONS
    while tokens.kind == DIRECTIVE:
        word = tokens.text
        if word == ".pragma":
            tokens.take()
            for text in read_pragma(tokens):
                directives[f'pragma "{text}"'] = ()
            continue
        if word not in allowed:
            what = "kernel" if kernel else "function"
            raise tokens.error(f"directive {word!r} does not stand in the head of a {what}")
        if word[1:] in directives:
            raise tokens.error(f"directive {word!r} stands twice in the head of this function")
        tokens.take()
        directives[word[1:]] = _read_values(tokens, word, allowed[word])


def _read_values(tokens: Tokens, word: str, most: int) -> tuple[int, ...]:
    if most == 0:
        return ()
    least = 0 if word.startswith(".abi") else 1
    values = [read_count(tokens, f"a value of {word!r}", least)]
    while len(values) < most and tokens.accept(","):
        values.append(read_count(tokens, f"a value of {word!r}", least))
    return tuple(values)
