"""`--buffer` flags: what a pointer parameter names. The grammar is in docs/check.md."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spec.contracts.model import ELEMENT_BYTES
from spec.errors import BadInput

_DECL = re.compile(r"\s*([A-Za-z_$%][\w$]*)\s*=\s*(\w+)\s*\[([^\]]*)\]\s*:\s*(\w+)\s*(?:@\s*(\d+)\s*)?")


@dataclass(frozen=True)
class Declaration:
    """A `--buffer` flag: extents are expressions; `strides`, of plane and row, are () where there are no gaps."""

    text: str
    name: str
    element: str
    shape: tuple[str, ...]
    strides: tuple[str, ...]
    access: str
    align: int


def declaration(text: str) -> Declaration:
    """A `--buffer` flag, read; BadInput says what is wrong with it."""
    match = _DECL.fullmatch(text)
    if match is None:
        raise BadInput(f"--buffer {text}: expected NAME=ELEMENT[EXTENTS]:ACCESS[@BYTES], such as x=f32[n]:r")
    name, element, extents, access, align = match.groups()
    if element not in ELEMENT_BYTES:
        raise BadInput(f"--buffer {text}: element type {element!r}; known are {', '.join(ELEMENT_BYTES)}")
    if access not in ("r", "w", "rw"):
        raise BadInput(f"--buffer {text}: access {access!r}; it is r, w or rw")
    shape_text, _, leading = extents.partition(";")
    shape = _split(shape_text)
    strides = _split(leading) if ";" in extents else ()
    if len(shape) > 3 or "" in (*shape, *strides) or (strides and len(strides) != len(shape) - 1):
        raise BadInput(
            f"--buffer {text}: extents are [n], [rows,columns] or [rows,columns;leading], "
            "[planes,rows,columns] or [planes,rows,columns;plane stride,leading]"
        )
    size = ELEMENT_BYTES[element]
    alignment = size if align is None else int(align)
    if alignment < 1 or alignment & (alignment - 1) or alignment > 2**20:
        raise BadInput(f"--buffer {text}: @{alignment} is not a power of two up to 2^20")
    return Declaration(text, name, element, shape, strides, access, alignment)


def _split(text: str) -> tuple[str, ...]:
    """The items between commas outside parentheses."""
    items, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            items.append("")
        else:
            items[-1] += char
    return tuple(item.strip() for item in items)
