"""A strict, line-oriented reader of PTX, written apart from the one that the proofs use: it exists to disagree with it.

One statement a line (the header of an entry may span lines), every line is either understood or refused. What this
reader returns is flat: the entry's parameters, its shared variables, its registers, and its instructions in order.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from verifier.findings import Unreadable

WIDTHS = {"pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16}
WIDTHS |= {"b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "bf16x2": 32}
WIDTHS |= {"b64": 64, "u64": 64, "s64": 64, "f64": 64, "b128": 128}

_NAME = r"[A-Za-z_$%][\w$]*"
_LABEL = re.compile(rf"({_NAME})\s*:(?!:)\s*")
_GUARD = re.compile(r"@(!?)\s*(%[\w$]+)\s+")
_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.+)")
_SHARED = re.compile(rf"(?:\.extern\s+)?\.shared\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+({_NAME})\s*(?:\[(\d*)\])?")
_PARAM = re.compile(rf"\.param\s+\.(\w+)(?:\s+\.ptr(?:\s+\.\w+)?(?:\s+\.align\s+\d+)?)?\s+({_NAME})")
_ENTRY = re.compile(rf"(?:\.visible\s+|\.weak\s+)?\.entry\s+({_NAME})\s*")
_LIMITS = re.compile(r"\.(reqntid|maxntid|minnctapersm|maxnreg)\s+(\d+(?:\s*,\s*\d+)*)")
_MEMORY = re.compile(rf"\[\s*({_NAME}|\d+)\s*(?:\+\s*(-?\w+))?\s*\]")
_HEADER_LINES = (".version", ".target", ".address_size", ".file", ".loc", ".pragma")


@dataclass(frozen=True)
class Register:
    """A register, `%r7`, or a special one, `%tid.x`."""

    name: str


@dataclass(frozen=True)
class Immediate:
    """An integer written in the text; floats stand as their bits."""

    value: int


@dataclass(frozen=True)
class Symbol:
    """A label, a parameter or a variable by name."""

    name: str


@dataclass(frozen=True)
class Memory:
    """`[base+offset]`, offset in bytes."""

    base: Register | Symbol | Immediate
    offset: int


@dataclass(frozen=True)
class Vector:
    """`{a, b}`."""

    parts: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """`a|p`, as shfl and setp write it."""

    first: Operand
    second: Operand


Operand = Register | Immediate | Symbol | Memory | Vector | Pair


@dataclass(frozen=True)
class Instruction:
    """One instruction. `line` counts from 1; `opcode` is split at its dots; `guard` is (register, negated)."""

    line: int
    opcode: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: tuple[str, bool] | None
    text: str

    @property
    def name(self) -> str:
        return ".".join(self.opcode)


@dataclass(frozen=True)
class Shared:
    """A shared variable: bytes (None: set at launch) and alignment in bytes."""

    name: str
    bytes: int | None
    align: int


@dataclass
class Entry:
    """One `.entry`. `parameters` are (name, PTX type) in order, `labels` map to positions in `instructions`."""

    name: str
    line: int
    parameters: list[tuple[str, str]] = field(default_factory=list)
    registers: dict[str, str] = field(default_factory=dict)
    shared: dict[str, Shared] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    instructions: list[Instruction] = field(default_factory=list)
    limits: dict[str, tuple[int, ...]] = field(default_factory=dict)


def read_ptx(text: str, file: str) -> dict[str, Entry]:
    """The entries of a PTX text by name; Unreadable with file and line for anything not understood."""
    return _Reader(file).read(text)


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.entries: dict[str, Entry] = {}
        self.shared: dict[str, Shared] = {}
        self.line = 0
        self.header = ""
        self.header_line = 0
        self.entry: Entry | None = None

    def fail(self, message: str) -> Unreadable:
        return Unreadable(f"{self.file}:{self.line}: {message}")

    def read(self, text: str) -> dict[str, Entry]:
        if not text.isascii():
            raise Unreadable(f"{self.file}: not ASCII")
        for self.line, line in enumerate(_without_comments(text).split("\n"), start=1):
            self.take(line.strip())
        if self.entry is not None or self.header:
            raise self.fail("the text ends inside an entry")
        if not self.entries:
            raise self.fail("no .entry in this file")
        return self.entries

    def take(self, line: str) -> None:
        if not line:
            return
        if self.entry is not None:
            self.body(self.entry, line)
        elif self.header or _ENTRY.match(line):
            self.collect(line)
        elif line.startswith(_HEADER_LINES):
            return
        elif match := _SHARED.fullmatch(line.removesuffix(";").strip()):
            self.declare(self.shared, match)
        else:
            raise self.fail(f"not understood outside an entry: {line}")

    def collect(self, line: str) -> None:
        """Gather the lines of an entry's header up to its opening brace."""
        self.header_line = self.header_line if self.header else self.line
        self.header += " " + line
        if "{" not in line:
            return
        head, rest = self.header.split("{", 1)
        if rest.strip():
            raise self.fail("an instruction on the line of the opening brace")
        self.open(head.strip())
        self.header = ""

    def open(self, head: str) -> None:
        match = _ENTRY.match(head)
        if match is None:
            raise self.fail(f"not an entry: {head}")
        entry = Entry(match.group(1), self.header_line, shared=dict(self.shared))
        rest = head[match.end() :].strip()
        if rest.startswith("("):
            inside, closed, rest = rest[1:].partition(")")
            if not closed:
                raise self.fail("the parameter list does not end")
            for part in filter(None, (p.strip() for p in inside.split(","))):
                found = _PARAM.fullmatch(part)
                if found is None or found.group(1) not in WIDTHS:
                    raise self.fail(f"parameter not understood: {part}")
                entry.parameters.append((found.group(2), found.group(1)))
        rest = rest.strip()
        while rest:
            limit = _LIMITS.match(rest)
            if limit is None:
                raise self.fail(f"not understood before the body: {rest}")
            entry.limits[limit.group(1)] = tuple(int(n) for n in limit.group(2).split(","))
            rest = rest[limit.end() :].strip()
        if entry.name in self.entries:
            raise self.fail(f"a second entry {entry.name}")
        self.entry = entry

    def body(self, entry: Entry, line: str) -> None:
        if line == "}":
            self.close(entry)
            return
        if line.startswith((".loc", ".pragma")):
            return
        label = _LABEL.match(line)
        if label is not None:
            if label.group(1) in entry.labels:
                raise self.fail(f"label {label.group(1)} stands twice")
            entry.labels[label.group(1)] = len(entry.instructions)
            line = line[label.end() :]
            if not line:
                return
        if not line.endswith(";") or ";" in line[:-1]:
            raise self.fail(f"one whole statement a line is expected: {line}")
        statement = line[:-1].strip()
        if match := _REGISTERS.fullmatch(statement):
            self.registers(entry, match.group(1), match.group(2))
        elif match := _SHARED.fullmatch(statement):
            self.declare(entry.shared, match)
        elif statement.startswith("."):
            raise self.fail(f"directive not understood: {statement}")
        else:
            entry.instructions.append(self.instruction(statement))

    def registers(self, entry: Entry, kind: str, names: str) -> None:
        if kind not in WIDTHS:
            raise self.fail(f"register type .{kind} not understood")
        for name in (n.strip() for n in names.split(",")):
            ranged = re.fullmatch(r"(%[\w$]+)<(\d+)>", name)
            many = [f"{ranged.group(1)}{i}" for i in range(int(ranged.group(2)))] if ranged else [name]
            for one in many:
                if not re.fullmatch(r"%[A-Za-z_$][\w$]*", one) or one in entry.registers:
                    raise self.fail(f"register {one} is malformed or declared twice")
                entry.registers[one] = kind

    def declare(self, table: dict[str, Shared], match: re.Match[str]) -> None:
        align, kind, name, count = match.groups()
        if kind not in WIDTHS or name in table:
            raise self.fail(f"shared variable {name} is declared twice or of unknown type .{kind}")
        size = WIDTHS[kind] // 8
        table[name] = Shared(name, None if count == "" else size * int(count or 1), int(align or size))

    def instruction(self, statement: str) -> Instruction:
        guard = None
        rest = statement
        if match := _GUARD.match(rest):
            guard = (match.group(2), match.group(1) == "!")
            rest = rest[match.end() :]
        opcode, _, operands = rest.partition(" ")
        if not re.fullmatch(r"[a-z]\w*(?:\.\w+(?:::\w+)?)*", opcode):
            raise self.fail(f"not an instruction: {statement}")
        parts = tuple(self.operand(part) for part in _split(operands)) if operands.strip() else ()
        return Instruction(self.line, tuple(opcode.split(".")), parts, guard, statement)

    def operand(self, text: str) -> Operand:
        text = text.strip()
        if text.startswith("{") and text.endswith("}"):
            return Vector(tuple(self.operand(part) for part in _split(text[1:-1])))
        if "|" in text:
            first, _, second = text.partition("|")
            return Pair(self.operand(first), self.operand(second))
        if text.startswith("["):
            match = _MEMORY.fullmatch(text)
            if match is None:
                raise self.fail(f"address not understood: {text}")
            base = self.operand(match.group(1))
            offset = self.operand(match.group(2)) if match.group(2) else Immediate(0)
            if not isinstance(base, Register | Symbol | Immediate) or not isinstance(offset, Immediate):
                raise self.fail(f"address not understood: {text}")
            return Memory(base, offset.value)
        if re.fullmatch(r"%[A-Za-z_$][\w$]*(?:\.[xyz])?", text):
            return Register(text)
        if (value := _number(text)) is not None:
            return Immediate(value)
        if re.fullmatch(_NAME, text):
            return Symbol(text)
        raise self.fail(f"operand not understood: {text}")

    def close(self, entry: Entry) -> None:
        for instruction in entry.instructions:
            self.line = instruction.line
            for name in _registers_of(instruction):
                if name not in entry.registers and not is_special(name):
                    raise self.fail(f"register {name} is not declared")
        self.entries[entry.name] = entry
        self.entry = None


SPECIAL_AXES = ("tid", "ntid", "ctaid", "nctaid")
SPECIAL_PLAIN = ("laneid",)


def is_special(name: str) -> bool:
    """Whether this is one of the special registers the verifier knows."""
    base, _, axis = name.removeprefix("%").partition(".")
    return (base in SPECIAL_AXES and axis in ("x", "y", "z")) or (base in SPECIAL_PLAIN and not axis)


def registers_in(operand: Operand) -> list[str]:
    """The registers an operand mentions."""
    if isinstance(operand, Register):
        return [operand.name]
    if isinstance(operand, Memory):
        return registers_in(operand.base)
    if isinstance(operand, Vector):
        return [name for part in operand.parts for name in registers_in(part)]
    if isinstance(operand, Pair):
        return registers_in(operand.first) + registers_in(operand.second)
    return []


def _registers_of(instruction: Instruction) -> list[str]:
    guard = [instruction.guard[0]] if instruction.guard else []
    return guard + [name for operand in instruction.operands for name in registers_in(operand)]


def _number(text: str) -> int | None:
    negative, digits = text.startswith("-"), text.removeprefix("-")
    if match := re.fullmatch(r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})", digits):
        return None if negative else int(match.group(1) or match.group(2), 16)
    if re.fullmatch(r"\d+\.\d*(?:[eE][-+]?\d+)?", digits):
        bits: int = struct.unpack("<Q", struct.pack("<d", float(text)))[0]
        return bits
    if re.fullmatch(r"0[xX][0-9a-fA-F]+U?", digits):
        value = int(digits.removesuffix("U"), 16)
    elif re.fullmatch(r"0[0-7]+U?", digits):
        value = int(digits.removesuffix("U"), 8)
    elif re.fullmatch(r"\d+U?", digits):
        value = int(digits.removesuffix("U"))
    else:
        return None
    return -value if negative else value


def _split(text: str) -> list[str]:
    """Split at commas outside braces and brackets."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character in "{[") - (character in "}]")
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [*parts, current]


def _without_comments(text: str) -> str:
    """The text with comments blanked; line numbers stay."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    return re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.DOTALL)
