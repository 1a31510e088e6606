"""The syntax tree of a PTX module. Every node that came from text knows its 1-based line.

Source: PTX ISA, sections 4 (syntax), 5 (state spaces, types), 7 (ABI), 8 (operands), 10 and 11 (special registers,
directives).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

# --- operands ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reg:
    """A declared register; `name` is unique in its function (the parser renames registers shadowed in `{}` scopes)."""

    name: str


@dataclass(frozen=True)
class Special:
    """A special register, `%tid.x`, `%ctaid.y`, `%laneid`, ... or the constant WARP_SZ."""

    name: str


@dataclass(frozen=True)
class Imm:
    """An integer constant, already folded from a PTX constant expression; may be negative."""

    value: int


@dataclass(frozen=True)
class FloatImm:
    """A floating constant as bits: `0f3F800000` has width 32, `0d...` and decimal literals have width 64."""

    bits: int
    width: int


@dataclass(frozen=True)
class Sym:
    """The address of a variable or parameter, or a label or function name, plus a byte offset."""

    name: str
    offset: int = 0


@dataclass(frozen=True)
class Mem:
    """`[base + offset, indices...]`: an address operand; base is a register, a symbol or an absolute immediate.

    `indices` is empty but for tensor and texture addresses, `[map, {%r1, %r2}]` (PTX ISA 6.4.1, 9.7.9.27).
    """

    base: Reg | Sym | Imm
    offset: int = 0
    indices: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Vec:
    """`{a, b, ...}`; the sink `_` is Sink."""

    elems: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """`a|b`: two destinations, as of setp and shfl."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Not:
    """`!p`: a negated predicate source operand."""

    operand: Reg


@dataclass(frozen=True)
class Half:
    """`%r1.lo`-like byte, half or video selectors, and `.b0` etc.; recognised, rarely supported."""

    operand: Reg
    selector: str


@dataclass(frozen=True)
class Sink:
    """`_`: a result that is thrown away."""


@dataclass(frozen=True)
class ParenList:
    """`(a, b)`: argument or return list of a call."""

    elems: tuple[Operand, ...]


Operand = Reg | Special | Imm | FloatImm | Sym | Mem | Vec | Pair | Not | Half | Sink | ParenList

# --- statements -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SourceLoc:
    """Where a `.loc` directive says the instruction came from; `inlined_at` is the call in whose place it stands.

    The call is left out of comparisons: printed PTX does not hold it.
    """

    file: str
    line: int
    column: int
    inlined_at: SourceLoc | None = field(default=None, compare=False, repr=False)

    @property
    def places(self) -> tuple[SourceLoc, ...]:
        """This place, the call that was replaced by it, and so on outwards."""
        found, place = [self], self.inlined_at
        while place is not None:
            found.append(place)
            place = place.inlined_at
        return tuple(found)

    @property
    def text(self) -> str:
        """`fold.h:7, inlined at sum.cu:12`."""
        return ", inlined at ".join(f"{place.file}:{place.line}" for place in self.places)


@dataclass(frozen=True)
class Instr:
    """One instruction. `opcode` is the full dotted name as written, `ld.global.nc.v4.u32`."""

    opcode: str
    operands: tuple[Operand, ...]
    guard: Reg | None = None
    guard_negated: bool = False
    line: int = 0
    source: SourceLoc | None = None

    @property
    def base(self) -> str:
        """The name before the first dot."""
        return self.opcode.partition(".")[0]


@dataclass(frozen=True)
class Label:
    """A branch target; `name` is unique in its function (the parser renames labels shadowed in `{}` scopes)."""

    name: str
    line: int = 0


Statement = Instr | Label

# --- declarations -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Param:
    """A `.param` of an entry or function. `elements` is None for a scalar, else the array length (bytes for `.b8`).

    An open array, `list[]`, has 0 elements. `pointer_space` is `generic` where `.ptr` names no space. A `.func` may
    pass registers: `space` is then `reg`, and the name is in the function's `registers` too.
    """

    name: str
    type: str
    elements: int | None = None
    align: int | None = None
    pointer_space: str | None = None
    pointer_align: int | None = None
    space: str = "param"
    line: int = 0


@dataclass(frozen=True)
class AddressOf:
    """An address in an initialiser that is not a plain symbol: `generic(sym)+4`, or a byte of one, `0xFF00(sym)`."""

    symbol: Sym
    generic: bool = False
    mask: int | None = None


@dataclass(frozen=True)
class Prototype:
    """A `.callprototype`: the signature of an indirect call; its parameters may be named `_`."""

    params: tuple[Param, ...]
    returns: tuple[Param, ...] = ()
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Variable:
    """A variable of a state space. `space` in shared, const, global, local, param; extent None = `[]` (extern).

    `initializer` is flat, row by row, vector components innermost; missing trailing elements are zero.
    `attribute` is the text inside `.attribute(...)`.
    """

    name: str
    space: str
    type: str
    dims: tuple[int | None, ...] = ()
    align: int | None = None
    extern: bool = False
    linkage: str = ""
    vector: int = 1
    initializer: tuple[int | FloatImm | Sym | AddressOf, ...] | None = None
    attribute: str = ""
    line: int = 0

    @property
    def bytes(self) -> int | None:
        """Size in bytes, or None where an extent is left open (`.extern .shared .b8 s[];`)."""
        size = type_width(self.type) // 8 * self.vector
        for extent in self.dims:
            if extent is None:
                return None
            size *= extent
        return size


@dataclass(frozen=True)
class Function:
    """A `.entry` (kernel) or `.func`. `registers` maps a register name to its type (`u32`, `pred`, ...).

    `directives` has the performance directives by name without the dot; a pragma, in the header or the body, is the
    key `pragma "text"` with no values.
    """

    name: str
    is_entry: bool
    params: tuple[Param, ...]
    returns: tuple[Param, ...] = ()
    registers: dict[str, str] = field(default_factory=dict)
    variables: tuple[Variable, ...] = ()
    body: tuple[Statement, ...] | None = None
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)
    linkage: str = ""
    branch_targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    call_targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    prototypes: dict[str, Prototype] = field(default_factory=dict)
    line: int = 0

    def instructions(self) -> Iterator[Instr]:
        """The instructions in text order."""
        return (s for s in self.body or () if isinstance(s, Instr))


@dataclass(frozen=True)
class Module:
    """A PTX file. `version` is (major, minor); `target` keeps its options, as ('sm_89',)."""

    version: tuple[int, int]
    target: tuple[str, ...]
    address_size: int
    functions: tuple[Function, ...]
    variables: tuple[Variable, ...] = ()
    files: dict[int, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    pragmas: tuple[str, ...] = ()
    name: str = "<text>"
    text: str = ""

    @property
    def entries(self) -> tuple[Function, ...]:
        """The kernels of the module, in text order."""
        return tuple(f for f in self.functions if f.is_entry and f.body is not None)

    def entry(self, name: str) -> Function:
        """The kernel of that name; KeyError with the names there are, otherwise."""
        for function in self.entries:
            if function.name == name:
                return function
        raise KeyError(f"no entry {name!r}; this file has {', '.join(f.name for f in self.entries) or 'none'}")


_WIDTHS = {"pred": 1, "f16x2": 32, "bf16x2": 32, "tf32": 32}


@cache
def type_width(name: str) -> int:
    """Width in bits of a PTX type name without its dot: `u32` -> 32, `pred` -> 1, `f16x2` -> 32."""
    if name in _WIDTHS:
        return _WIDTHS[name]
    digits = name.lstrip("busfe").lstrip("f")
    if not digits.isdigit():
        raise ValueError(f"unknown PTX type .{name}")
    return int(digits)
