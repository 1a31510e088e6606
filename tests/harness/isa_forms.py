"""Every spelling of a row of the instruction table as one instruction on registers, ready to print and to execute.

A row's template spells opcodes (`spec.ptx.row`); each becomes an instruction whose sources are the registers %a0, %a1,
... and whose results are %r0, %r1: as text for a kernel, and as a syntax tree for `spec.ptx.reader.Reader`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spec.ptx.ast import Imm, Instr, Operand, Pair, Reg, type_width
from spec.ptx.operands import operand_type
from spec.ptx.row import BOUNDED, EXACT, Form, Row

_PART = re.compile(r"(\.?\{\w+:[^}]*\}|\.?\[\w+:[^\]]*\])")
_INSIDE = re.compile(r"\.?([{\[])(\w+):([^}\]]*)[}\]]")
# lop3 tables: majority, a ^ b ^ c, a ? b : c, one that depends on c alone, constants, and two without a pattern.
IMMEDIATES = (0xE8, 0x96, 0xCA, 0xAA, 0x00, 0xFF, 0x1D, 0x6B)


@dataclass(frozen=True)
class Case:
    """One instruction on registers.

    Args:
        sources, results: PTX type of each register read and written; sources that are constants are not among them.
    """

    row: Row
    form: Form
    instr: Instr
    sources: tuple[str, ...]
    results: tuple[str, ...]
    variant: str = ""
    registers: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.instr.opcode}{self.variant}"


def parts_of(row: Row) -> list[tuple[str, list[str]]]:
    """The template in order: (name, what may stand there); fixed text has the name '', optional parts begin with ''."""
    parts: list[tuple[str, list[str]]] = []
    for token in _PART.split(row.template):
        inside = _INSIDE.fullmatch(token)
        if inside is None:
            parts.append(("", [token]))
            continue
        values = [f".{value}" for value in inside.group(3).split("|")]
        parts.append((inside.group(2), values if inside.group(1) == "{" else ["", *values]))
    return parts


def spellings(row: Row) -> Iterator[str]:
    """The opcodes that a row's template spells."""
    return ("".join(parts) for parts in itertools.product(*(choices for _, choices in parts_of(row))))


def register_type(kind: str) -> str:
    """The untyped register that holds an operand of this type; 8-bit values live in 16 bits."""
    return "pred" if kind == "pred" else f"b{max(16, type_width(kind))}"


def cases(row: Row, second_result: bool = True) -> Iterator[Case]:
    """One case a spelling (and constant operand). `second_result`: write the optional second destination, `p|q`."""
    for opcode in spellings(row):
        form = row.match(opcode)
        assert form is not None, f"{row.template} does not match its own spelling {opcode}"
        constants = IMMEDIATES if "imm" in row.sources else (None,)
        for constant in constants:
            yield _case(row, form, opcode, constant, second_result)


def rows_of_values(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows whose agreement with hardware is a matter of values: exact and bounded ones."""
    return tuple(row for row in rows if row.kind in (EXACT, BOUNDED))


def _case(row: Row, form: Form, opcode: str, constant: int | None, second_result: bool) -> Case:
    kinds = [operand_type(name, form) for name in row.sources]
    sources = tuple(kind for kind in kinds if kind != "imm")
    names = iter(f"%a{i}" for i in range(len(sources)))
    reads: list[Operand] = [Imm(constant or 0) if kind == "imm" else Reg(next(names)) for kind in kinds]
    declared = [name for name in row.results if second_result or not name.endswith("?")]
    results = tuple(operand_type(name, form) for name in declared)
    targets = [Reg(f"%r{i}") for i in range(len(results))]
    target: Operand = Pair(*targets) if len(targets) == 2 else targets[0]
    registers = {f"%a{i}": register_type(kind) for i, kind in enumerate(sources)}
    registers |= {f"%r{i}": register_type(kind) for i, kind in enumerate(results)}
    variant = "" if constant is None else f" {constant:#04x}"
    return Case(row, form, Instr(opcode, (target, *reads)), sources, results, variant, registers)


def operand_text(operand: Operand) -> str:
    """A register, a pair of them, or an integer constant as PTX text."""
    if isinstance(operand, Reg):
        return operand.name
    if isinstance(operand, Imm):
        return str(operand.value)
    assert isinstance(operand, Pair), operand
    return f"{operand_text(operand.first)}|{operand_text(operand.second)}"


def instruction_text(instr: Instr) -> str:
    return f"{instr.opcode} {', '.join(operand_text(operand) for operand in instr.operands)};"
