"""The operands of an instruction set against its row: which register or constant stands for what, of which type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from spec.errors import Unsupported
from spec.ptx.ast import Half, Instr, Mem, Not, Operand, Pair, Reg, Vec, type_width
from spec.ptx.row import Form, Row

_LIST = re.compile(r"list(\d+):")


def registers_in(operand: Operand) -> Iterator[str]:
    """The names of the registers in an operand, those of an address too."""
    if isinstance(operand, Reg):
        yield operand.name
        return
    parts: tuple[Operand, ...] = ()
    if isinstance(operand, Not | Half):
        parts = (operand.operand,)
    elif isinstance(operand, Vec):
        parts = operand.elems
    elif isinstance(operand, Pair):
        parts = (operand.first, operand.second)
    elif isinstance(operand, Mem):
        parts = (operand.base, *operand.indices)
    for part in parts:
        yield from registers_in(part)


@cache
def list_length(declared: str) -> int | None:
    """N of an operand type `listN:T`."""
    found = _LIST.match(declared)
    return int(found.group(1)) if found else None


@cache
def _bare(declared: str) -> tuple[str, bool]:
    """A declared type without its marks, and whether it was `wide:`."""
    name = _LIST.sub("", declared.removesuffix("?")).removeprefix("vec:").removeprefix("pack:")
    return name.removeprefix("wide:"), name.startswith("wide:")


def operand_type(name: str, form: Form) -> str:
    """The PTX type an operand of this declared type has in this form, prefixes `vec:`, `pack:` and `?` removed."""
    name, wide = _bare(name)
    if name.startswith("{"):
        name = form[name[1:-1]]
    return f"{name[0]}{2 * type_width(name)}" if wide else name


@dataclass(frozen=True)
class Binding:
    """An instruction's operands set against its row: where the results go, what the sources are, by declared type."""

    results: tuple[tuple[str, Operand], ...]
    sources: tuple[tuple[str, Operand], ...]


def bind(instr: Instr, row: Row) -> Binding:
    """Set operands against the row's declared types. Unsupported where their number does not fit."""
    operands = list(instr.operands)
    results: list[tuple[str, Operand]] = []
    if row.results:
        if not operands:
            raise Unsupported(f"{instr.opcode} without operands", line=instr.line)
        target = operands.pop(0)
        targets = (target.first, target.second) if isinstance(target, Pair) else (target,)
        required = sum(not name.endswith("?") for name in row.results)
        if not required <= len(targets) <= len(row.results):
            raise Unsupported(f"{instr.opcode} with {len(targets)} destinations", line=instr.line)
        results = list(zip(row.results, targets, strict=False))
    required = sum(not name.endswith("?") for name in row.sources)
    if not required <= len(operands) <= len(row.sources):
        raise Unsupported(f"{instr.opcode} with {len(operands)} sources, expected {len(row.sources)}", line=instr.line)
    declared = list(row.sources)
    while len(declared) > len(operands):  # of optional operands that are not there, the last first
        declared.pop(max(i for i, name in enumerate(declared) if name.endswith("?")))
    return Binding(tuple(results), tuple(zip(declared, operands, strict=True)))
