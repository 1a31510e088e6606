"""How an entry uses its parameters: as addresses, as signed or as unsigned numbers.

PTX from a compiler declares neither (nvcc writes `.u32` for int and `.u64` for a pointer), so it is read off the code.
A wrong guess costs a proof, never its truth: a term stands for the parameter's bits whatever its range is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from spec.ptx.ast import Function, Instr, Mem, Operand, Pair, Reg, Sym, Vec, type_width
from spec.ptx.isa import lookup

# Operations that hand on their operand, or add to it: what comes out moves byte by byte with what goes in.
_COPIES = ("mov", "cvta")
_SUMS = ("add", "sub", "mad", "selp")
_RING = (*_COPIES, *_SUMS, "mul", "shl", "neg", "cvt")
_OBSERVERS = ("setp", "set", "shr", "div", "rem", "min", "max", "abs", "cvt", "mul", "mad", "bfe")
_TYPE = re.compile(r"[su](?:8|16|32|64)")


Field = tuple[str, int, int]  # PTX name of the parameter, byte, width in bits


@dataclass(frozen=True)
class Use:
    """`address`: memory is accessed at this parameter plus something; `signed`: None where nothing shows it."""

    address: bool
    signed: bool | None


def usage(function: Function) -> dict[str, Use]:
    """The use of each parameter, by its PTX name."""
    found = {}
    instructions = list(function.instructions())
    for param in function.params:
        roots = {
            r
            for i in instructions
            if i.opcode.startswith("ld.param") and _parameter(i) == param.name
            for r in _registers(i.operands[:1])
        }
        found[param.name] = _use(instructions, roots, _widened(function, param.name))
    return found


def field_usage(function: Function) -> dict[Field, Use]:
    """The use of each field of a structure passed by value that is loaded and no float."""
    structures = {p.name for p in function.params if p.elements is not None}
    instructions = list(function.instructions())
    roots: dict[Field, set[str]] = {}
    for i in instructions:
        source = i.operands[-1] if i.operands else None
        kind = i.opcode.rpartition(".")[2]
        if not i.opcode.startswith("ld.param") or kind.startswith("f") or lookup(i.opcode) is None:
            continue
        if not isinstance(source, Mem) or not isinstance(source.base, Sym) or source.base.name not in structures:
            continue
        target, bits = i.operands[0], type_width(kind)
        for number, part in enumerate(target.elems if isinstance(target, Vec) else (target,)):
            place = source.base.name, source.base.offset + source.offset + number * bits // 8, bits
            roots.setdefault(place, set()).update(_registers((part,)))
    return {place: _use(instructions, found, None) for place, found in roots.items()}


def _use(instructions: list[Instr], roots: set[str], signed: bool | None) -> Use:
    """The use of what is loaded into these registers; `signed` where the load itself shows it."""
    sums = _reach(instructions, roots, (*_COPIES, *_SUMS))
    if signed is None:
        signed = _signedness(instructions, _reach(instructions, roots, _COPIES))
    if signed is None:
        signed = _signedness(instructions, _reach(instructions, roots, _RING))
    return Use(any(_is_address(i, sums) for i in instructions), signed)


def special_registers(function: Function) -> frozenset[str]:
    """Names of the special registers that an entry reads."""
    names = set()
    for instruction in function.instructions():
        for operand in instruction.operands:
            for part in getattr(operand, "elems", (operand,)):
                name = getattr(part, "name", "")
                if isinstance(name, str) and name.startswith("%") and not isinstance(part, Reg):
                    names.add(name)
    return frozenset(names)


def _parameter(instruction: Instr) -> str:
    for operand in instruction.operands[1:]:
        if isinstance(operand, Mem) and isinstance(operand.base, Sym):
            return operand.base.name
    return ""


def _registers(operands: Iterable[Operand]) -> set[str]:
    names: set[str] = set()
    for operand in operands:
        if isinstance(operand, Reg):
            names.add(operand.name)
        elif isinstance(operand, Vec):
            names |= _registers(operand.elems)
        elif isinstance(operand, Pair):
            names |= _registers((operand.first, operand.second))
    return names


def _reach(instructions: list[Instr], roots: set[str], bases: tuple[str, ...]) -> set[str]:
    """Registers that a value reaches through these operations, whatever the order."""
    reached, grown = set(roots), True
    while grown:
        before = len(reached)
        for i in instructions:
            if i.base in bases and _registers(_summands(i)) & reached:
                reached |= _registers(i.operands[:1])
        grown = len(reached) > before
    return reached


def _widened(function: Function, parameter: str) -> bool | None:
    """How a load that widens the parameter extends it, by its type (PTX ISA 9.4.1); None where none does."""
    seen = set()
    for i in function.instructions():
        kind = i.opcode.rpartition(".")[2]
        if i.opcode.startswith("ld.param") and _parameter(i) == parameter and _TYPE.fullmatch(kind):
            widths = {type_width(function.registers[name]) for name in _registers(i.operands[:1])}
            if all(width > type_width(kind) for width in widths):
                seen.add(kind.startswith("s"))
    return seen.pop() if len(seen) == 1 else None


def _summands(instruction: Instr) -> tuple[Operand, ...]:
    """The sources whose value is handed on or added; of mad only the last is added."""
    sources = instruction.operands[1:]
    return sources[-1:] if instruction.base == "mad" else sources


def _is_address(instruction: Instr, registers: set[str]) -> bool:
    return any(
        isinstance(o, Mem) and isinstance(o.base, Reg) and o.base.name in registers for o in instruction.operands
    )


def _signedness(instructions: list[Instr], registers: set[str]) -> bool | None:
    """Whether these registers are looked at as signed numbers; None where both or neither is seen."""
    seen = set()
    for i in instructions:
        parts = i.opcode.split(".")
        if i.base not in _OBSERVERS or "eq" in parts or "ne" in parts or (i.base in ("mul", "mad") and "lo" in parts):
            continue
        types = [p for p in parts if _TYPE.fullmatch(p)]
        if types and _registers(i.operands[1:]) & registers:
            seen.add(types[-1].startswith("s"))
    return seen.pop() if len(seen) == 1 else None
