"""Registers whose value may have wrapped where an instruction looks at it as a number.

A register is exact if everything that is ever written to it is: parameters, special registers, loaded or float values,
wide products, quotients, masks. Sums, low products, left shifts and the like are not: where one of those is looked at,
the records must hold an observation with the value (the no-wrap obligation).
"""

from __future__ import annotations

from functools import cache

from verifier.opcodes import FLOATS, effect_of
from verifier.reader import WIDTHS, Entry, Instruction, Memory, Operand, Register, is_special, registers_in

_ALWAYS = ("ld", "shfl", "vote", "popc", "clz", "setp", "and", "or", "xor", "shr", "rem")
_IF_SOURCES = ("mov", "selp", "min", "max", "cvta")


@cache
def _definitions(text: tuple[Instruction, ...]) -> dict[str, list[Instruction]]:
    found: dict[str, list[Instruction]] = {}
    for instruction in text:
        if instruction.operands and effect_of(instruction).writes:
            for name in registers_in(instruction.operands[0]):
                found.setdefault(name, []).append(instruction)
    return found


def inexact(entry: Entry) -> frozenset[str]:
    """Registers that may hold something else than the integer their term stands for."""
    definitions = _definitions(tuple(entry.instructions))
    doubtful: set[str] = set()
    changed = True
    while changed:
        changed = False
        for name, writers in definitions.items():
            if name not in doubtful and not all(_exact(i, doubtful) for i in writers):
                doubtful.add(name)
                changed = True
    return frozenset(doubtful)


def _exact(instruction: Instruction, doubtful: set[str]) -> bool:
    base, *parts = instruction.opcode
    if base in _ALWAYS or (parts and parts[-1] in FLOATS):
        return True
    if base in ("mul", "mul24") and parts[0] in ("wide", "hi"):
        return True
    if base == "div" and parts[-1].startswith("u"):
        return True
    if base == "cvt":
        target, source = parts[-2], parts[-1]
        if target in FLOATS or source in FLOATS or WIDTHS[target] > WIDTHS[source]:
            return True
        return target == source and not _any(instruction.operands[1:], doubtful)
    return base in _IF_SOURCES and not _any(instruction.operands[1:], doubtful)


def _any(operands: tuple[Operand, ...], doubtful: set[str]) -> bool:
    return any(name in doubtful for operand in operands for name in registers_in(operand))


def observed(entry: Entry) -> dict[int, list[tuple[str, int]]]:
    """By line: the inexact registers looked at there as numbers, each with the width in bits."""
    doubtful = inexact(entry)
    found: dict[int, list[tuple[str, int]]] = {}
    for instruction in entry.instructions:
        effect = effect_of(instruction)
        sources = instruction.operands[len(instruction.operands) - len(effect.reads) :]
        looked = [(sources[at], effect.reads[at]) for at in effect.observes]
        for operand in instruction.operands:
            if isinstance(operand, Memory) and isinstance(operand.base, Register):
                width = WIDTHS[entry.registers[operand.base.name]]
                if width < 64:
                    looked.append((operand.base, width))
        for operand, width in looked:
            for name in registers_in(operand):
                if name in doubtful and not is_special(name):
                    found.setdefault(instruction.line, []).append((name, width))
    return found
