"""The instruction table: every PTX instruction this project gives a meaning, each stated once over a Domain."""

from __future__ import annotations

from functools import cache

from spec.ptx import (
    isa_async,
    isa_atomic,
    isa_carry,
    isa_control,
    isa_convert,
    isa_float,
    isa_integer,
    isa_matrix,
    isa_memory,
    isa_packed,
)
from spec.ptx.row import Form, Row

ROWS: tuple[Row, ...] = (
    *isa_integer.ROWS, *isa_carry.ROWS, *isa_packed.ROWS, *isa_float.ROWS, *isa_convert.ROWS, *isa_memory.ROWS,
    *isa_atomic.ROWS, *isa_async.ROWS, *isa_matrix.ROWS, *isa_control.ROWS,
)


@cache
def _rows_by_base() -> dict[str, tuple[Row, ...]]:
    grouped: dict[str, list[Row]] = {}
    for row in ROWS:
        grouped.setdefault(row.base, []).append(row)
    return {base: tuple(rows) for base, rows in grouped.items()}


@cache
def lookup(opcode: str) -> tuple[Row, Form] | None:
    """The row that spells this opcode, with its parts; None if there is none (then it is `Unsupported`, by name).

    Two rows that spell the same opcode are a defect of the table: ValueError.
    """
    rows = _rows_by_base().get(opcode.partition(".")[0], ())
    found = [(row, form) for row in rows if (form := row.match(opcode))]
    if not found and (ordered := _in_order(opcode)) != opcode:
        return lookup(ordered)
    if len(found) > 1:
        raise ValueError(f"{opcode} is spelled by {len(found)} rows: {', '.join(row.template for row, _ in found)}")
    return found[0] if found else None


_FIRST = (
    ("weak", "relaxed", "acquire", "release", "acq_rel", "volatile"), ("cta", "cluster", "gpu", "sys"),
    ("global", "shared", "shared::cta", "local", "const"),
)


def _in_order(opcode: str) -> str:
    """An access of memory with order, scope and state space in the order of the ISA; assemblers take any, and nvcc
    writes `atom.global.cta.add.u32`.
    """
    base, *parts = opcode.split(".")
    if base not in ("ld", "st", "atom", "red"):
        return opcode
    first = [part for group in _FIRST for part in parts if part in group]
    return ".".join((base, *first, *(part for part in parts if part not in first)))
