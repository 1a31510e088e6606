"""Instructions that are not in the table and only compute a value: whatever it is, it can be taken to be arbitrary.

They are told by their base opcode, which must be one that touches neither memory nor control in any of its forms, and
by their operands: the first is written, and none is an address (of a texture, only the texture is named).
"""

from __future__ import annotations

from collections.abc import Iterator

from spec.ptx.ast import Function, Half, Instr, Mem, Not, Operand, Pair, Reg, Sink, Vec
from spec.ptx.isa import lookup
from spec.ptx.operands import registers_in

_SCALAR = (
    "abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a dp4a ex2 fma fns lg2 lop3 mad mad24 "
    "madc max min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub "
    "subc szext tanh testp xor"
)
_VIDEO = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg", "vset")
READ_ONLY = ("tex", "tld4", "txq", "istypep")
PURE = frozenset((
    *_SCALAR.split(), *(f"{base}{lanes}" for base in _VIDEO for lanes in ("", "2", "4")), "vshl", "vshr", "vmad",
    "createpolicy", *READ_ONLY,
))
WHOLE_WARP = frozenset(("mma",))
"""Those that all lanes of a warp carry out together."""


def computes_a_value(instruction: Instr) -> bool:
    """Whether an instruction without a row is one of these."""
    if instruction.base not in PURE | WHOLE_WARP or lookup(instruction.opcode) is not None or not instruction.operands:
        return False
    target, *sources = instruction.operands
    if not all(isinstance(part, Reg | Sink) for part in _parts(target)):
        return False
    return instruction.base in READ_ONLY or not any(isinstance(part, Mem) for s in sources for part in _parts(s))


def written(instruction: Instr) -> tuple[str, ...]:
    """The registers it writes."""
    return tuple(registers_in(instruction.operands[0]))


def read(instruction: Instr) -> tuple[str, ...]:
    """The registers it reads."""
    return tuple(name for source in instruction.operands[1:] for name in registers_in(source))


def opaque_notes(function: Function) -> list[str]:
    """What a report must say of them."""
    return [
        f"PTX line {i.line}: {i.opcode} is not in the instruction table; it only computes a value, which may be any"
        for i in function.instructions() if computes_a_value(i)
    ]


def _parts(operand: Operand) -> Iterator[Operand]:
    if isinstance(operand, Vec):
        for part in operand.elems:
            yield from _parts(part)
    elif isinstance(operand, Pair):
        yield from _parts(operand.first)
        yield from _parts(operand.second)
    elif isinstance(operand, Not | Half):
        yield operand.operand
    elif isinstance(operand, Mem):
        yield operand
        for part in operand.indices:
            yield from _parts(part)
    else:
        yield operand
