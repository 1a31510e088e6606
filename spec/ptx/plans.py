"""The operand rules of PTX, the same for every domain: how each operand of an instruction is read or written.

A source register wider than its operand type gives its low bits; a destination register wider than the result takes
it extended by the sign or by zeros, as the operand type says (PTX ISA 9.4.1; ptxas refuses it where PTX forbids it).

All that hangs on the text alone is settled once; what is left to do at each execution is a function of the reader. A
plan is therefore good for every domain and every launch.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from spec.errors import Unsupported
from spec.ptx.ast import FloatImm, Imm, Instr, Mem, Not, Operand, Reg, Sink, Special, Sym, Vec, type_width
from spec.ptx.defined import registers_read
from spec.ptx.operands import bind, list_length, operand_type
from spec.ptx.row import Form, ParamRef, Row


class Reading(Protocol):
    """What a plan asks of the reader that carries it out."""

    @property
    def domain(self) -> Any: ...
    @property
    def read(self) -> Callable[[str], Any]: ...


Types = Mapping[str, str]
"""PTX type of each register."""
Source = Callable[[Any], Any]
"""Given a `Reading`, the value of an operand."""
Target = Callable[[Any, Any], Sequence[tuple[str, Any]]]
"""Given a `Reading` and a result, which registers it goes to, and their new values."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one instruction reads and writes.

    Args:
        sources, targets: in the order of its row.
        several: whether its meaning returns a tuple of results.
        only: the register that takes the one result as it is, or `unpacked` from a vector of one element; empty where
            it is not as simple.
        reads: the registers that it reads, without its guard.
    """

    sources: tuple[Source, ...]
    targets: tuple[Target, ...]
    several: bool
    only: str
    unpacked: bool
    reads: tuple[str, ...]


def plan_of(instr: Instr, row: Row, form: Form, registers: Types) -> Plan:
    """Unsupported where the operands do not fit the row."""
    binding, line = bind(instr, row), instr.line
    sources = tuple(source(declared, operand, form, registers, line) for declared, operand in binding.sources)
    targets = tuple(target(declared, operand, form, registers, line) for declared, operand in binding.results)
    only, vector = "", False
    if len(row.results) == 1 == len(binding.results):
        ((declared, operand),) = binding.results
        kind, vector = operand_type(declared, form), declared.startswith("vec:") or list_length(declared) is not None
        if isinstance(operand, Reg):
            fits = kind == "pred" or type_width(registers[operand.name]) == type_width(kind)
            only = operand.name if fits else ""
    return Plan(sources, targets, len(row.results) > 1, only, vector, registers_read(binding))


# --- sources ---
def source(declared: str, operand: Operand, form: Form, registers: Types, line: int) -> Source:
    """The operand as its row's meaning wants it."""
    length = list_length(declared)
    kind = operand_type(declared, form)
    if length is not None or declared.startswith("vec:"):
        elements = operand.elems if isinstance(operand, Vec) else (operand,)
        wanted = length or int(form["vec"].removeprefix("v") or "1")
        if len(elements) != wanted:
            raise Unsupported(f"a vector of {len(elements)} where one of {wanted} must stand", line=line)
        parts = tuple(word(kind, element, registers, line) for element in elements)
        return lambda r: tuple([part(r) for part in parts])
    if kind == "pred":
        return predicate(operand, registers, line)
    if kind == "mem":
        return _address(operand, registers, line)
    if kind == "size":
        if isinstance(operand, Not) or (isinstance(operand, Reg) and _width(operand.name, registers) == 1):
            ignored = predicate(operand, registers, line)
            return lambda r: (None, ignored(r))
        size = word("u32", operand, registers, line)
        return lambda r: (size(r), None)
    if kind.startswith("imm"):
        if not isinstance(operand, Imm):
            raise Unsupported(f"{operand} where a constant must stand", line=line)
        value = operand.value
        if (allowed := kind.removeprefix("imm").strip(":")) and str(value) not in allowed.split("|"):
            raise Unsupported(f"{value} where {allowed.replace('|', ' or ')} must stand", line=line)
        return lambda r: value
    if kind == "param":
        if not isinstance(operand, Mem) or not isinstance(operand.base, Sym):
            raise Unsupported("ld.param through a register", line=line)
        named = ParamRef(operand.base.name, operand.base.offset + operand.offset)
        return lambda r: named
    if declared.startswith("pack:") and isinstance(operand, Vec):
        width = _part(kind, operand, line)
        packed = tuple(word(f"b{width}", element, registers, line) for element in operand.elems)
        return lambda r: r.domain.concat(width, tuple([part(r) for part in packed]))
    return word(kind, operand, registers, line)


def predicate(operand: Operand, registers: Types, line: int) -> Source:
    if isinstance(operand, Not):
        negated = predicate(operand.operand, registers, line)
        return lambda r: r.domain.p_not(negated(r))
    if isinstance(operand, Reg) and registers.get(operand.name) == "pred":
        name = operand.name
        return lambda r: r.read(name)
    if isinstance(operand, Imm):
        holds = operand.value != 0
        return lambda r: r.domain.truth(holds)
    raise Unsupported(f"{operand} as a predicate", line=line)


def word(kind: str, operand: Operand, registers: Types, line: int) -> Source:
    """The operand as a word of PTX type `kind`."""
    width = type_width(kind)
    if isinstance(operand, Reg):
        return _register(operand.name, width, registers, line)
    if isinstance(operand, Imm):
        if kind.startswith("f") and kind != "f16" and operand.value:
            raise Unsupported(f"integer constant {operand.value} as a .{kind} operand", line=line)
        value = operand.value
        return lambda r: r.domain.const(width, value)
    if isinstance(operand, FloatImm):
        bits = float_bits(operand, width, line)
        return lambda r: r.domain.const(width, bits)
    if isinstance(operand, Special):
        name = operand.name
        return lambda r: r.domain.special(name, width)
    if isinstance(operand, Sym):
        name = operand.name
        return _plus(width, lambda r: r.domain.symbol(name, width), operand.offset)
    raise Unsupported(f"{operand} as a .{kind} operand", line=line)


def _address(operand: Operand, registers: Types, line: int) -> Source:
    """A `mem` operand as a 64-bit word."""
    if not isinstance(operand, Mem):
        raise Unsupported(f"{operand} as an address", line=line)
    base, offset = operand.base, operand.offset
    if isinstance(base, Imm):
        value = base.value + offset
        return lambda r: r.domain.const(64, value)
    name = base.name
    if isinstance(base, Sym):
        return _plus(64, lambda r: r.domain.symbol(name, 64), base.offset + offset)
    width = _width(name, registers)
    if width == 32:
        # The sum wraps in the width of the register.
        total = _plus(32, lambda r: r.read(name), offset)
        return lambda r: r.domain.extend(32, 64, False, total(r))
    if width != 64:
        raise Unsupported(f"a {width}-bit register as an address", line=line)
    return _plus(64, lambda r: r.read(name), offset)


def _register(name: str, width: int, registers: Types, line: int) -> Source:
    have = _width(name, registers)
    if have < width or have == 1:
        raise Unsupported(f"{name} has {have} bits, the operand {width}", line=line)
    if have == width:
        return lambda r: r.read(name)
    return lambda r: r.domain.truncate(have, width, r.read(name))


def _plus(width: int, value: Source, offset: int) -> Source:
    if not offset:
        return value
    return lambda r: r.domain.add(width, value(r), r.domain.const(width, offset))


def _width(register: str, registers: Types) -> int:
    return type_width(registers[register])


def _part(kind: str, operand: Vec, line: int) -> int:
    """Width of one element of a packed operand."""
    width, elements = type_width(kind), len(operand.elems)
    if width % elements:
        raise Unsupported(f"{elements} parts of a {width}-bit operand", line=line)
    return width // elements


def float_bits(value: FloatImm, width: int, line: int) -> int:
    """The constant in a format of this width; 64-bit literals are rounded to f32 where f32 is wanted."""
    if value.width == width:
        return value.bits
    if value.width == 64 and width == 32:
        number: float = struct.unpack("<d", value.bits.to_bytes(8, "little"))[0]
        try:
            return int.from_bytes(struct.pack("<f", number), "little")
        except OverflowError:
            return 0x7F800000 | (value.bits >> 63 << 31)
    raise Unsupported(f"a {value.width}-bit floating constant as a {width}-bit operand", line=line)


# --- results ---
def target(declared: str, operand: Operand, form: Form, registers: Types, line: int) -> Target:
    """Where a result goes that its row declares so."""
    kind = operand_type(declared, form)
    if list_length(declared) is None and not declared.startswith("vec:"):
        return _one(kind, operand, registers, line)
    elements = operand.elems if isinstance(operand, Vec) else (operand,)
    targets = tuple(_one(kind, element, registers, line) for element in elements)

    def each(r: Reading, values: Any) -> Sequence[tuple[str, Any]]:
        if len(targets) != len(values):
            raise Unsupported(f"a vector of {len(targets)} where {len(values)} values are written", line=line)
        return [w for one, value in zip(targets, values, strict=True) for w in one(r, value)]

    return each


def _one(kind: str, operand: Operand, registers: Types, line: int) -> Target:
    if isinstance(operand, Vec):
        part, count = _part(kind, operand, line), len(operand.elems)
        parts = tuple(_one(f"b{part}", element, registers, line) for element in operand.elems)
        return lambda r, value: [
            w for one, v in zip(parts, r.domain.split(part, count, value), strict=True) for w in one(r, v)
        ]
    if isinstance(operand, Sink):
        return lambda r, value: ()
    if not isinstance(operand, Reg):
        raise Unsupported(f"{operand} as a destination", line=line)
    name = operand.name
    if kind == "pred":
        if registers[name] != "pred":
            raise Unsupported(f"{name} of type .{registers[name]} where a predicate is written", line=line)
        return lambda r, value: ((name, value),)
    width, have = type_width(kind), _width(name, registers)
    if have < width:
        raise Unsupported(f"{name} has {have} bits, the result {width}", line=line)
    signed = kind.startswith("s")
    if have == width:
        return lambda r, value: ((name, value),)
    return lambda r, value: ((name, r.domain.extend(width, have, signed, value)),)
