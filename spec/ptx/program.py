"""A kernel made ready to run: its instructions with their rows, its branch targets, its memory layout."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from spec.errors import BadInput, Unsupported
from spec.ptx.ast import FloatImm, Function, Instr, Label, Module, Variable, type_width
from spec.ptx.defined import demands_everything
from spec.ptx.isa import lookup
from spec.ptx.lower import lowered
from spec.ptx.plans import Plan, plan_of
from spec.ptx.row import Form, Row

# Bytes of variables of a state space (PTX ISA 5.1.2; CUDA C++ Programming Guide, compute capabilities).
MOST_BYTES = {"const": (65_536, "a module"), "local": (524_288, "a thread"), "shared": (232_448, "a block")}
# Instructions that the lanes named in a mask carry out together; the mask is their last operand.
_MASKED = ("shfl", "vote", "redux", "match", "elect")
# Those that all lanes of the warp carry out together.
_WHOLE = ("ldmatrix", "stmatrix", "movmatrix", "mma")


@dataclass(frozen=True)
class Step:
    """One instruction with its row; `registers` are the types of those of its function."""

    instr: Instr
    row: Row
    form: Form
    registers: Mapping[str, str]

    @cached_property
    def plan(self) -> Plan:
        """How it reads and writes; made where it is carried out first, so that one nobody reaches is not judged."""
        return plan_of(self.instr, self.row, self.form, self.registers)

    @cached_property
    def line(self) -> int:
        return self.instr.line

    @cached_property
    def guard(self) -> str | None:
        """The register of its guard."""
        return None if self.instr.guard is None else self.instr.guard.name

    @cached_property
    def plain(self) -> bool:
        """Whether every thread that comes to it carries it out and goes on to the next."""
        return self.guard is None and not self.convergent and not self.row.control

    @cached_property
    def demanding(self) -> bool:
        """Whether all that it reads must be defined."""
        return demands_everything(self.row)

    @cached_property
    def convergent(self) -> bool:
        return self.masked or self.row.base in _WHOLE

    @cached_property
    def masked(self) -> bool:
        """Whether the last operand names the lanes that take part."""
        return self.row.base in _MASKED or self.row.control == "warp_barrier"


@dataclass
class Program:
    """A kernel, decoded.

    Args:
        steps: the instructions in text order.
        targets: label to index of the instruction behind it (may be one past the last).
        parameters: name to (offset, bytes) in the packed parameter block.
        shared, local, const: name to offset; with the bytes used by each space.
    """

    function: Function
    module: Module
    steps: tuple[Step, ...]
    targets: dict[str, int]
    parameters: dict[str, int]
    shared: dict[str, int] = field(default_factory=dict)
    shared_bytes: int = 0
    local: dict[str, int] = field(default_factory=dict)
    local_bytes: int = 0
    const: dict[str, int] = field(default_factory=dict)
    const_bytes: int = 0
    const_data: bytes = b""

    @cached_property
    def copying(self) -> bool:
        """Whether it has asynchronous copies."""
        return any(step.row.base == "cp" for step in self.steps)


def _place(layout: dict[str, int], used: int, variable: Variable, size: int) -> int:
    align = variable.align or type_width(variable.type) // 8 * variable.vector
    start = -(-used // align) * align
    layout[variable.name] = start
    return start + size


def _within_limits(variables: Iterable[Variable]) -> None:
    """BadInput if variables of a kind together take more than the hardware has for them."""
    for space, (limit, whose) in MOST_BYTES.items():
        total = 0
        for variable in variables:
            if variable.space == space:
                total += variable.bytes or 0
            if total > limit:
                raise BadInput(
                    f"PTX line {variable.line}: {space} variables up to {variable.name} take {total} bytes; "
                    f"{whose} has at most {limit}"
                )


def initial_bytes(variable: Variable) -> bytes:
    """The content a module-scope variable starts with; zeros where no initializer is given."""
    size = variable.bytes
    if size is None:
        raise Unsupported(f"{variable.name} of open extent in .{variable.space}", line=variable.line)
    element = type_width(variable.type) // 8
    out = bytearray()
    for value in variable.initializer or ():
        if not isinstance(value, int | FloatImm):
            raise Unsupported(f"an address in the initializer of {variable.name}", line=variable.line)
        if isinstance(value, FloatImm):
            bits = value.bits
            if value.width == 64 and element == 4:
                bits = int.from_bytes(struct.pack("<f", struct.unpack("<d", bits.to_bytes(8, "little"))[0]), "little")
        else:
            bits = value
        out += (bits % (1 << 8 * element)).to_bytes(element, "little")
    return bytes(out) + bytes(size - len(out))


def decode(function: Function, module: Module, dynamic_shared: int = 0) -> Program:
    """Look every instruction up and lay the variables out. Unsupported names the first instruction without a row.

    The last few programs are kept, by the identity of function and module: a kernel that runs again is ready.
    """
    for kept in _recent:
        if kept.origin is function and kept.program.module is module and kept.dynamic_shared == dynamic_shared:
            return kept.program
    program = _decoded(function, module, dynamic_shared)
    _recent.append(_Kept(function, dynamic_shared, program))
    return program


@dataclass(frozen=True)
class _Kept:
    origin: Function
    dynamic_shared: int
    program: Program


_recent: deque[_Kept] = deque(maxlen=8)


def _decoded(function: Function, module: Module, dynamic_shared: int) -> Program:
    if function.body is None:
        raise BadInput(f"{function.name} has no body")
    function = lowered(function, module)
    steps: list[Step] = []
    targets: dict[str, int] = {}
    for statement in function.body or ():
        if isinstance(statement, Label):
            targets[statement.name] = len(steps)
            continue
        found = lookup(statement.opcode)
        if found is None:
            raise Unsupported(f"instruction {statement.opcode}", line=statement.line)
        steps.append(Step(statement, *found, function.registers))
    parameters = {p.name: (type_width(p.type) // 8) * (p.elements or 1) for p in function.params}
    program = Program(function, module, tuple(steps), targets, parameters)
    dynamic: list[Variable] = []
    _within_limits((*module.variables, *function.variables))
    for variable in (*module.variables, *function.variables):
        size = variable.bytes
        if variable.space == "shared" and size is None:
            dynamic.append(variable)
        elif variable.space == "shared" and size is not None:
            program.shared_bytes = _place(program.shared, program.shared_bytes, variable, size)
        elif variable.space == "local" and size is not None:
            program.local_bytes = _place(program.local, program.local_bytes, variable, size)
        elif variable.space == "const":
            content = initial_bytes(variable)
            program.const_bytes = _place(program.const, program.const_bytes, variable, len(content))
            gap = program.const[variable.name] - len(program.const_data)
            program.const_data += bytes(gap) + content
    # All dynamic arrays begin at one address, behind the static ones (PTX ISA 7.1, extern shared).
    start = program.shared_bytes
    for variable in dynamic:
        align = variable.align or type_width(variable.type) // 8 * variable.vector
        start = max(start, -(-program.shared_bytes // align) * align)
    for variable in dynamic:
        program.shared[variable.name] = start
    if dynamic or dynamic_shared:
        program.shared_bytes = start + dynamic_shared
    return program


def pack_arguments(program: Program, args: dict[str, int | bytes]) -> dict[str, bytes]:
    """The bytes of each parameter. BadInput names a parameter that is missing, unknown or of the wrong size."""
    unknown = set(args) - set(program.parameters)
    if unknown:
        raise BadInput(f"{program.function.name} has no parameter {', '.join(sorted(unknown))}")
    packed = {}
    for name, size in program.parameters.items():
        if name not in args:
            raise BadInput(f"{program.function.name}: no value for parameter {name}")
        value = args[name]
        data = value if isinstance(value, bytes) else int(value % (1 << 8 * size)).to_bytes(size, "little")
        if len(data) != size:
            raise BadInput(f"parameter {name} takes {size} bytes, got {len(data)}")
        packed[name] = data
    return packed


@cache
def thread_indices(block: tuple[int, int, int]) -> tuple[np.ndarray[tuple[int], np.dtype[np.uint32]], ...]:
    """tid.x, tid.y, tid.z of the block's threads in linear order."""
    linear = np.arange(block[0] * block[1] * block[2], dtype=np.uint32)
    x, y, _ = (np.uint32(extent) for extent in block)
    axes = linear % x, linear // x % y, linear // (x * y)
    for axis in axes:
        axis.flags.writeable = False
    return axes
