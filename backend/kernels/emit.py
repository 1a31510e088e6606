"""A small typed writer of PTX: one method per instruction that our kernels use, registers typed by their class.

A register of the wrong type does not type-check; nothing here computes a meaning. Each instruction is one line,
with an optional remark. `Kernel.text()` gives the whole `.entry`, `module()` the file.
Source: PTX ISA 9.7, named per instruction in the instruction table.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from spec.contracts.model import ACTIVE, Contract
from spec.errors import BadInput

PTX_VERSION = "7.8"  # the first that knows sm_89
TARGET = "sm_89"
REMARK_COLUMN = 64
_PARAM_TYPES = {"buffer": "u64", "u64": "u64", "u32": "u32", "s32": "s32", "f32": "f32", "power": "u32"}


@dataclass(frozen=True)
class Reg:
    """A declared register, printed as `%name`."""

    name: str

    def __str__(self) -> str:
        return f"%{self.name}"


class Pred(Reg):
    """.pred"""


class B16(Reg):
    """.b16: the bits of one binary16 number."""


class B32(Reg):
    """.b32: two packed binary16 numbers."""


class U32(Reg):
    """.u32"""


class U64(Reg):
    """.u64: an element count, a byte offset or an address."""


class F32(Reg):
    """.f32"""


R = TypeVar("R", Pred, B16, B32, U32, U64, F32)
Int = TypeVar("Int", U32, U64)
Word = TypeVar("Word", B16, B32)
_TYPES: dict[type[Reg], str] = {Pred: "pred", B16: "b16", B32: "b32", U32: "u32", U64: "u64", F32: "f32"}


def type_of(register: Reg) -> str:
    """The PTX type a register is declared with."""
    return _TYPES[type(register)]


def f32(value: float) -> str:
    """A binary32 constant by its bits, `0f3F800000`; BadInput if the value is not a binary32 number."""
    bits = struct.pack(">f", value)
    if struct.unpack(">f", bits)[0] != value:
        raise BadInput(f"{value!r} is not a binary32 number")
    return "0f" + bits.hex().upper()


@dataclass(frozen=True)
class Guard:
    """`@p` or `@!p` in front of an instruction."""

    register: Pred
    negated: bool = False

    def __str__(self) -> str:
        return f"@{'!' if self.negated else ''}{self.register} "


def unless(register: Pred) -> Guard:
    """The guard that holds where the predicate does not."""
    return Guard(register, negated=True)


class Kernel:
    """The text of one entry whose parameters are those of its contract."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self._registers: dict[str, Reg] = {}
        self._shared: list[str] = []
        self._lines: list[str] = []
        self._labels: set[str] = set()

    # --- declarations ---
    def reg(self, kind: type[R], name: str) -> R:
        """A new register; BadInput if the name is taken."""
        if name in self._registers:
            raise BadInput(f"register %{name} is declared twice")
        self._registers[name] = register = kind(name)
        return register

    def regs(self, kind: type[R], name: str, count: int) -> list[R]:
        """New registers name0, name1, ..."""
        return [self.reg(kind, f"{name}{i}") for i in range(count)]

    def shared_f32(self, name: str, count: int) -> None:
        """A static shared array of binary32, aligned for 16-byte accesses."""
        self._shared.append(f"    .shared .align 16 .f32 {name}[{count}];")

    # --- lines ---
    def blank(self) -> None:
        self._lines.append("")

    def comment(self, text: str) -> None:
        self._lines.extend(f"    // {line}" for line in text.splitlines())

    def label(self, name: str) -> None:
        """A branch target; BadInput if the name is taken."""
        if name in self._labels:
            raise BadInput(f"label {name} is set twice")
        self._labels.add(name)
        self._lines.append(f"{name}:")

    def _ins(self, opcode: str, *operands: object, guard: Guard | Pred | None = None, remark: str = "") -> None:
        front = str(Guard(guard) if isinstance(guard, Pred) else guard or "")
        line = f"    {front}{opcode} {', '.join(str(o) for o in operands)}".rstrip() + ";"
        self._lines.append(f"{line:<{REMARK_COLUMN}} // {remark}" if remark else line)

    # --- control ---
    def bra(self, target: str, *, guard: Guard | Pred | None = None, remark: str = "") -> None:
        self._ins("bra", target, guard=guard, remark=remark)

    def ret(self) -> None:
        self._ins("ret")

    def bar_sync(self, *, remark: str = "") -> None:
        """All threads of the block."""
        self._ins("bar.sync", 0, remark=remark)

    def power_gate(self, exit_label: str) -> None:
        """The first instructions of a kernel: leave for the label unless the power parameter is ACTIVE."""
        power, inactive = self.reg(U32, "power"), self.reg(Pred, "inactive")
        self.ld_param(power, self.contract.power)
        self.setp("ne", inactive, power, ACTIVE)
        self.bra(exit_label, guard=inactive, remark="power gate: no output unless ACTIVE")

    # --- integers ---
    def ld_param(self, d: U32 | U64 | F32, name: str, *, remark: str = "") -> None:
        """Load a parameter of the contract, whole."""
        kind = next((p.kind for p in self.contract.parameters if p.name == name), None)
        if kind is None or _PARAM_TYPES[kind] != type_of(d):
            raise BadInput(f"{self.contract.entry} has no .{type_of(d)} parameter {name!r}")
        self._ins(f"ld.param.{type_of(d)}", d, f"[{name}]", remark=remark)

    def special(self, d: U32, name: str, *, remark: str = "") -> None:
        """Read a special register such as tid.x."""
        self._ins("mov.u32", d, f"%{name}", remark=remark)

    def address_of(self, d: U32, name: str, *, remark: str = "") -> None:
        """Address of a shared variable in the shared window."""
        self._ins("mov.u32", d, name, remark=remark)

    def set(self, d: U32 | U64 | B16 | B32, value: int, *, remark: str = "") -> None:
        self._ins(f"mov.{type_of(d)}", d, value, remark=remark)

    def add(self, d: Int, a: Int, b: Int | int, *, remark: str = "") -> None:
        self._ins(f"add.{type_of(d)}", d, a, b, remark=remark)

    def shl(self, d: Int, a: Int, amount: int, *, remark: str = "") -> None:
        self._ins(f"shl.b{type_of(d)[1:]}", d, a, amount, remark=remark)

    def shr(self, d: Int, a: Int, amount: int, *, remark: str = "") -> None:
        self._ins(f"shr.{type_of(d)}", d, a, amount, remark=remark)

    def and_(self, d: Int, a: Int, b: Int | int, *, remark: str = "") -> None:
        self._ins(f"and.b{type_of(d)[1:]}", d, a, b, remark=remark)

    def or_(self, d: Int, a: Int, b: Int | int, *, remark: str = "") -> None:
        self._ins(f"or.b{type_of(d)[1:]}", d, a, b, remark=remark)

    def mul_wide(self, d: U64, a: U32, b: U32 | int, *, remark: str = "") -> None:
        """The whole 64-bit product of two 32-bit numbers."""
        self._ins("mul.wide.u32", d, a, b, remark=remark)

    def widen(self, d: U64, a: U32, *, remark: str = "") -> None:
        self._ins("cvt.u64.u32", d, a, remark=remark)

    def setp(self, op: str, p: Pred, a: Int, b: Int | int, *, remark: str = "") -> None:
        """Compare unsigned numbers; `op` in eq ne lt le gt ge."""
        self._ins(f"setp.{op}.{type_of(a)}", p, a, b, remark=remark)

    def both(self, p: Pred, a: Pred, b: Pred, *, remark: str = "") -> None:
        self._ins("and.pred", p, a, b, remark=remark)

    # --- memory ---
    def ld_vector(self, d: Sequence[B32], base: U64, offset: int = 0, *, guard: Pred, remark: str = "") -> None:
        """16 bytes from a read-only global buffer."""
        self._ins("ld.global.nc.v4.b32", _braced(d, 4), _at(base, offset), guard=guard, remark=remark)

    def ld_half(self, d: B16, base: U64, offset: int = 0, *, guard: Pred | None = None, remark: str = "") -> None:
        """2 bytes from a read-only global buffer."""
        self._ins("ld.global.nc.b16", d, _at(base, offset), guard=guard, remark=remark)

    def st_vector(self, base: U64, offset: int, a: Sequence[B32], *, guard: Pred, remark: str = "") -> None:
        """16 bytes to a global buffer."""
        self._ins("st.global.v4.b32", _at(base, offset), _braced(a, 4), guard=guard, remark=remark)

    def st_half(self, base: U64, offset: int, a: B16, *, guard: Pred | None = None, remark: str = "") -> None:
        """2 bytes to a global buffer."""
        self._ins("st.global.b16", _at(base, offset), a, guard=guard, remark=remark)

    def st_shared(self, base: U32, a: F32, *, guard: Pred, remark: str = "") -> None:
        self._ins("st.shared.f32", _at(base, 0), a, guard=guard, remark=remark)

    def ld_shared_vector(self, d: Sequence[F32], name: str, offset: int, *, remark: str = "") -> None:
        """16 bytes of a shared array, `offset` bytes in."""
        self._ins("ld.shared.v4.f32", _braced(d, 4), f"[{name}+{offset}]" if offset else f"[{name}]", remark=remark)

    # --- binary16 and binary32 numbers; every rounding is written out ---
    def unpack(self, low: B16, high: B16, a: B32, *, remark: str = "") -> None:
        self._ins("mov.b32", f"{{{low}, {high}}}", a, remark=remark)

    def pack(self, d: B32, low: B16, high: B16, *, remark: str = "") -> None:
        self._ins("mov.b32", d, f"{{{low}, {high}}}", remark=remark)

    def from_half(self, d: F32, a: B16, *, remark: str = "") -> None:
        """Exact."""
        self._ins("cvt.f32.f16", d, a, remark=remark)

    def to_half(self, d: B16, a: F32, *, remark: str = "") -> None:
        self._ins("cvt.rn.f16.f32", d, a, remark=remark)

    def float_of(self, d: F32, a: U32, *, remark: str = "") -> None:
        self._ins("cvt.rn.f32.u32", d, a, remark=remark)

    def fset(self, d: F32, value: float, *, remark: str = "") -> None:
        self._ins("mov.f32", d, f32(value), remark=remark)

    def fadd(self, d: F32, a: F32 | str, b: F32, *, remark: str = "") -> None:
        self._ins("add.rn.f32", d, a, b, remark=remark)

    def fmul(self, d: F32, a: F32, b: F32 | str, *, remark: str = "") -> None:
        self._ins("mul.rn.f32", d, a, b, remark=remark)

    def fma(self, d: F32, a: F32, b: F32, c: F32, *, guard: Pred | None = None, remark: str = "") -> None:
        self._ins("fma.rn.f32", d, a, b, c, guard=guard, remark=remark)

    def fdiv(self, d: F32, a: F32, b: F32, *, remark: str = "") -> None:
        self._ins("div.rn.f32", d, a, b, remark=remark)

    def approx(self, name: str, d: F32, a: F32, *, remark: str = "") -> None:
        """`name` in rsqrt.approx, ex2.approx.ftz, rcp.approx.ftz."""
        self._ins(f"{name}.f32", d, a, remark=remark)

    def shuffle_xor(self, d: F32, a: F32, lanes: int, *, remark: str = "") -> None:
        """The value of the lane whose number differs by exactly these bits; all 32 lanes take part."""
        self._ins("shfl.sync.bfly.b32", d, a, lanes, 31, "0xffffffff", remark=remark)

    # --- text ---
    def text(self) -> str:
        """The entry, from `.visible` to the closing brace."""
        contract = self.contract
        width = max(len(p.name) for p in contract.parameters)
        params = ",\n".join(
            f"    .param .{_PARAM_TYPES[p.kind]} {p.name:<{width}}".rstrip() for p in contract.parameters
        )
        x, y, z = contract.block
        head = [f".visible .entry {contract.entry}(", params, ")", f".reqntid {x}, {y}, {z}", "{"]
        return "\n".join([*head, *self._declarations(), *self._shared, "", *self._lines, "}"])

    def _declarations(self) -> list[str]:
        lines = []
        for kind, name in _TYPES.items():
            members = [str(r) for r in self._registers.values() if type(r) is kind]
            for start in range(0, len(members), 8):
                lines.append(f"    .reg .{name} {', '.join(members[start : start + 8])};")
        return lines


def module(heading: str, kernels: Sequence[Kernel]) -> str:
    """A PTX file: what it is, the target, the entries. ASCII, ends with a newline."""
    comment = [f"// {line}".rstrip() for line in heading.splitlines()]
    head = [*comment, f".version {PTX_VERSION}", f".target {TARGET}", ".address_size 64", ""]
    text = "\n".join(head) + "\n" + "\n\n".join(k.text() for k in kernels) + "\n"
    if not text.isascii():
        raise BadInput("PTX must be ASCII")
    return text


def _braced(registers: Sequence[Reg], count: int) -> str:
    if len(registers) != count:
        raise BadInput(f"a vector of {count} registers is wanted, not {len(registers)}")
    return "{" + ", ".join(str(r) for r in registers) + "}"


def _at(base: Reg, offset: int) -> str:
    return f"[{base}+{offset}]" if offset else f"[{base}]"
