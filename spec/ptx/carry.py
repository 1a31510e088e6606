"""The carry flag, which extended-precision instructions set and add without naming it (PTX ISA 9.7.2).

In the syntax tree it is a predicate register like any other: what sets it has it as a second destination, what adds it
as a last source. Text has neither.
"""

from __future__ import annotations

import re

from spec.ptx.ast import Operand, Pair, Reg

CARRY = "%CC.CF"
"""Its name; a register that is declared has no dot in its name."""
_SETS = re.compile(r"(add|addc|sub|subc)\.cc\..*|(mad|madc)\.(lo|hi)\.cc\..*")
_ADDS = re.compile(r"(addc|subc|madc)\..*")


def uses_carry(opcode: str) -> bool:
    return bool(_SETS.fullmatch(opcode) or _ADDS.fullmatch(opcode))


def with_carry(opcode: str, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Operands of the text with the flag put in."""
    found = list(operands)
    if found and _SETS.fullmatch(opcode):
        found[0] = Pair(found[0], Reg(CARRY))
    if _ADDS.fullmatch(opcode):
        found.append(Reg(CARRY))
    return tuple(found)


def without_carry(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """The other way round."""
    found = [o for o in operands if o != Reg(CARRY)]
    if found and isinstance(found[0], Pair) and found[0].second == Reg(CARRY):
        found[0] = found[0].first
    return tuple(found)
