"""From an instruction to a call of its row's meaning and back: the operand rules of PTX, the same for every domain.

A source register wider than its operand type gives its low bits; a destination register wider than the result takes
it extended by the sign or by zeros, as the operand type says (PTX ISA 9.4.1; ptxas refuses it where PTX forbids it).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from spec.errors import Unsupported
from spec.ptx.ast import FloatImm, Half, Imm, Instr, Mem, Not, Operand, Pair, Reg, Sink, Special, Sym, Vec, type_width
from spec.ptx.domain import Domain
from spec.ptx.row import Form, ParamRef, Row

W = TypeVar("W")
P = TypeVar("P")


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


Bindings = dict[int, Binding]
"""Bindings found so far, by the identity of an instruction that outlives them."""


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


class Reader(Generic[W, P]):
    """Reads operands and carries out the meanings of one function's instructions in one domain.

    Args:
        domain: the interpretation.
        registers: register name to PTX type, as declared.
        read: value of a register: a word as wide as its type, or a predicate.
        bindings: kept by a caller that executes the same instructions again and again.
    """

    def __init__(
        self, domain: Domain[W, P], registers: Mapping[str, str], read: Callable[[str], Any],
        bindings: Bindings | None = None,
    ) -> None:
        self.domain, self.registers, self.read = domain, registers, read
        self.bindings = bindings

    def width(self, register: str) -> int:
        return type_width(self.registers[register])

    def predicate(self, operand: Operand, line: int = 0) -> P:
        if isinstance(operand, Not):
            return self.domain.p_not(self.predicate(operand.operand, line))
        if isinstance(operand, Reg) and self.registers.get(operand.name) == "pred":
            value: P = self.read(operand.name)
            return value
        if isinstance(operand, Imm):
            return self.domain.truth(operand.value != 0)
        raise Unsupported(f"{operand} as a predicate", line=line)

    def word(self, kind: str, operand: Operand, line: int = 0) -> W:
        """The operand as a word of PTX type `kind`."""
        width = type_width(kind)
        if isinstance(operand, Reg):
            return self._register(operand.name, width, line)
        if isinstance(operand, Imm):
            if kind.startswith("f") and kind != "f16" and operand.value:
                raise Unsupported(f"integer constant {operand.value} as a .{kind} operand", line=line)
            return self.domain.const(width, operand.value)
        if isinstance(operand, FloatImm):
            return self.domain.const(width, float_bits(operand, width, line))
        if isinstance(operand, Special):
            return self.domain.special(operand.name, width)
        if isinstance(operand, Sym):
            return self._plus(width, self.domain.symbol(operand.name, width), operand.offset)
        raise Unsupported(f"{operand} as a .{kind} operand", line=line)

    def address(self, operand: Operand, line: int = 0) -> W:
        """A `mem` operand as a 64-bit word."""
        if not isinstance(operand, Mem):
            raise Unsupported(f"{operand} as an address", line=line)
        base = operand.base
        if isinstance(base, Imm):
            return self.domain.const(64, base.value + operand.offset)
        if isinstance(base, Sym):
            return self._plus(64, self.domain.symbol(base.name, 64), base.offset + operand.offset)
        value: W = self.read(base.name)
        width = self.width(base.name)
        if width == 32:
            # The sum wraps in the width of the register.
            return self.domain.extend(32, 64, False, self._plus(32, value, operand.offset))
        if width != 64:
            raise Unsupported(f"a {width}-bit register as an address", line=line)
        return self._plus(64, value, operand.offset)

    def source(self, declared: str, operand: Operand, form: Form, line: int = 0) -> Any:
        """The operand as its row's meaning wants it."""
        length = list_length(declared)
        if length is not None or declared.startswith("vec:"):
            kind = operand_type(declared, form)
            elements = operand.elems if isinstance(operand, Vec) else (operand,)
            wanted = length or int(form["vec"].removeprefix("v") or "1")
            if len(elements) != wanted:
                raise Unsupported(f"a vector of {len(elements)} where one of {wanted} must stand", line=line)
            return tuple(self.word(kind, element, line) for element in elements)
        kind = operand_type(declared, form)
        if kind == "pred":
            return self.predicate(operand, line)
        if kind == "mem":
            return self.address(operand, line)
        if kind == "size":
            if isinstance(operand, Not) or (isinstance(operand, Reg) and self.width(operand.name) == 1):
                return None, self.predicate(operand, line)
            return self.word("u32", operand, line), None
        if kind == "imm":
            if not isinstance(operand, Imm):
                raise Unsupported(f"{operand} where a constant must stand", line=line)
            return operand.value
        if kind == "param":
            if not isinstance(operand, Mem) or not isinstance(operand.base, Sym):
                raise Unsupported("ld.param through a register", line=line)
            return ParamRef(operand.base.name, operand.base.offset + operand.offset)
        if declared.startswith("pack:") and isinstance(operand, Vec):
            part = self._part(kind, operand, line)
            return self.domain.concat(part, tuple(self.word(f"b{part}", e, line) for e in operand.elems))
        return self.word(kind, operand, line)

    def execute(self, instr: Instr, row: Row, form: Form) -> list[tuple[str, Any]]:
        """Carry out an instruction that has a meaning; returns register name and new value, in order."""
        if row.meaning is None:
            raise Unsupported(f"{instr.opcode} has no value; the machine must carry it out", line=instr.line)
        binding = self._bound(instr, row)
        line = instr.line
        values = row.meaning(self.domain, form, *(self.source(d, o, form, line) for d, o in binding.sources))
        return self.results(instr, row, form, values)

    def results(self, instr: Instr, row: Row, form: Form, values: Any) -> list[tuple[str, Any]]:
        """Register name and new value for what a row's meaning, or the machine in its place, has given."""
        binding = self._bound(instr, row)
        if not binding.results:
            return []
        results = values if len(row.results) > 1 else (values,)
        writes: list[tuple[str, Any]] = []
        for (declared, operand), value in zip(binding.results, results, strict=False):
            writes += self._write(declared, operand, value, form, instr.line)
        return writes

    def _bound(self, instr: Instr, row: Row) -> Binding:
        if self.bindings is None:
            return bind(instr, row)
        found = self.bindings.get(id(instr))
        if found is None:
            found = self.bindings[id(instr)] = bind(instr, row)
        return found

    def _write(self, declared: str, operand: Operand, value: Any, form: Form, line: int) -> list[tuple[str, Any]]:
        kind = operand_type(declared, form)
        if list_length(declared) is not None or declared.startswith("vec:"):
            elements = operand.elems if isinstance(operand, Vec) else (operand,)
            if len(elements) != len(value):
                raise Unsupported(f"a vector of {len(elements)} where {len(value)} values are written", line=line)
            return [w for e, v in zip(elements, value, strict=True) for w in self._write(kind, e, v, form, line)]
        if isinstance(operand, Vec):
            part = self._part(kind, operand, line)
            pairs = zip(operand.elems, self.domain.split(part, len(operand.elems), value), strict=True)
            return [w for element, v in pairs for w in self._write(f"b{part}", element, v, form, line)]
        if isinstance(operand, Sink):
            return []
        if not isinstance(operand, Reg):
            raise Unsupported(f"{operand} as a destination", line=line)
        if kind == "pred":
            return [(operand.name, value)]
        width, target = type_width(kind), self.width(operand.name)
        if target < width:
            raise Unsupported(f"{operand.name} has {target} bits, the result {width}", line=line)
        signed = kind.startswith("s")
        return [(operand.name, value if target == width else self.domain.extend(width, target, signed, value))]

    def _register(self, name: str, width: int, line: int) -> W:
        have = self.width(name)
        if have < width or have == 1:
            raise Unsupported(f"{name} has {have} bits, the operand {width}", line=line)
        value: W = self.read(name)
        return value if have == width else self.domain.truncate(have, width, value)

    def _plus(self, width: int, value: W, offset: int) -> W:
        return self.domain.add(width, value, self.domain.const(width, offset)) if offset else value

    @staticmethod
    def _part(kind: str, operand: Vec, line: int) -> int:
        """Width of one element of a packed operand."""
        width, elements = type_width(kind), len(operand.elems)
        if width % elements:
            raise Unsupported(f"{elements} parts of a {width}-bit operand", line=line)
        return width // elements
