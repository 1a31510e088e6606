"""Memory for a replay: buffers where the model has them, and in them what the model says was loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proofs.claims.model import FIRST, SECOND
from proofs.places import instruction_places
from proofs.problem import BufferTerms, Problem
from proofs.records import Access, Records
from proofs.replay.evaluate import symbol_value, term_value
from spec.ptx.ast import Instr
from spec.ptx.isa import lookup
from spec.ptx.memory import Buffer, Memory

RESIDUE = 256  # bytes modulo which a buffer keeps its place: above any access width and the alignment paths of kernels
UNDECLARED = 2**40  # bytes on either side of a pointer without a declaration
MIXED = 2**20  # bytes at the start of a buffer that are filled with numbers of both signs


class Marked(Mapping[str, int]):
    """The values of one of a model's two threads: a name with the thread's mark goes before the name alone."""

    def __init__(self, values: Mapping[str, int], mark: str) -> None:
        self.values_of, self.mark = values, mark

    def __getitem__(self, name: str) -> int:
        marked = name + self.mark
        return self.values_of[marked] if marked in self.values_of else self.values_of[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name + self.mark in self.values_of or name in self.values_of)

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_of)

    def __len__(self) -> int:
        return len(self.values_of)


@dataclass(frozen=True)
class Layout:
    """Where the buffers lie.

    Args:
        bases: address of each buffer.
        origins: for the regions of memory whose first byte is not the first byte of a buffer, the address that is.
    """

    memory: Memory
    bases: Mapping[str, int]
    origins: Mapping[str, int]


@dataclass(frozen=True)
class _Shape:
    """A buffer in bytes: its size and its rows and planes."""

    size: int
    pitch: int = 0
    row_bytes: int = 0
    plane_pitch: int = 0
    plane_bytes: int = 0


def lay_out(problem: Problem, values: Mapping[str, int]) -> Layout:
    """Fresh memory for a launch. Buffers lie far apart, but those that may overlap and do so in the model."""
    memory = Memory()
    bases: dict[str, int] = {}
    origins: dict[str, int] = {}
    for group in _overlapping(problem, values):
        if len(group) > 1:
            _together(memory, group, values, bases)
            continue
        (buffer,) = group
        offset = symbol_value(buffer.base, values) % RESIDUE
        shape = _shape(buffer, values)
        if shape is None:
            start = memory.add(buffer.name, size=2 * UNDECLARED, initialised=True, offset=offset)
            bases[buffer.name] = origins[buffer.name] = start + UNDECLARED
            continue
        bases[buffer.name] = memory.add(
            buffer.name, size=shape.size, writable="w" in buffer.access, initialised="r" in buffer.access,
            offset=offset, row_pitch=shape.pitch, row_bytes=shape.row_bytes, plane_pitch=shape.plane_pitch,
            plane_bytes=shape.plane_bytes,
        )  # fmt: skip
    return Layout(memory, bases, origins)


def _shape(buffer: BufferTerms, values: Mapping[str, int]) -> _Shape | None:
    """None for a buffer of which nothing is declared."""
    if buffer.columns is None:
        return None
    size = max(term_value(buffer.columns, values), 0) * buffer.element_bytes
    pitch = row_bytes = plane_pitch = plane_bytes = 0
    if buffer.rows is not None and buffer.leading is not None:
        rows, leading = term_value(buffer.rows, values), term_value(buffer.leading, values)
        pitch, row_bytes = leading * buffer.element_bytes, size
        size = max((rows - 1) * pitch + row_bytes, 0)
    if buffer.planes is not None and buffer.plane_stride is not None:
        planes, stride = term_value(buffer.planes, values), term_value(buffer.plane_stride, values)
        plane_pitch, plane_bytes = stride * buffer.element_bytes, size
        size = max((planes - 1) * plane_pitch + plane_bytes, 0)
    return _Shape(size, pitch, row_bytes, plane_pitch, plane_bytes)


def _overlapping(problem: Problem, values: Mapping[str, int]) -> list[list[BufferTerms]]:
    """The buffers in groups: those that may overlap, and do where the model puts them, are in one."""
    groups: list[list[BufferTerms]] = []
    for buffer in problem.buffers.values():
        meeting = [g for g in groups if any(_meet(problem, buffer, other, values) for other in g)]
        groups = [g for g in groups if g not in meeting] + [[buffer, *(b for g in meeting for b in g)]]
    return groups


def _meet(problem: Problem, a: BufferTerms, b: BufferTerms, values: Mapping[str, int]) -> bool:
    if not problem.alias_of(a.name, b.name) or a.base.name not in values or b.base.name not in values:
        return False
    (al, ah), (bl, bh) = _span(a, values), _span(b, values)
    return al < bh and bl < ah


def _span(buffer: BufferTerms, values: Mapping[str, int]) -> tuple[int, int]:
    shape, base = _shape(buffer, values), values[buffer.base.name]
    return (base - UNDECLARED, base + UNDECLARED) if shape is None else (base, base + shape.size)


def _together(
    memory: Memory, group: Sequence[BufferTerms], values: Mapping[str, int], bases: dict[str, int]
) -> None:
    """One region for buffers that overlap; their rows are not watched in it."""
    low, high = min(_span(b, values)[0] for b in group), max(_span(b, values)[1] for b in group)
    name = " and ".join(sorted(b.name for b in group))
    start = memory.add(name, size=high - low, initialised=True, offset=low % RESIDUE)
    for buffer in group:
        bases[buffer.name] = start + values[buffer.base.name] - low


def put_loaded_values(
    problem: Problem, records: Records, memory: Memory, values: Mapping[str, int]
) -> None:
    """Write into the buffers what the model says that its threads load, so that they do load it."""
    instructions = {place: i for i, place in _placed(problem)}
    for access in records.accesses:
        if access.kind != "read" or access.space != "global" or access.flight:
            continue
        instruction = instructions.get(access.at.place)
        for number, width in enumerate(_components(instruction, access)):
            key = f"v@{access.at.place}" + (f".{number}" if number else "")
            for mark in ("", FIRST, SECOND):
                if key + mark in values:
                    address = term_value(access.address, Marked(values, mark)) + number * width
                    _poke(memory, address % 2**64, width, values[key + mark])


def _placed(problem: Problem) -> Iterator[tuple[Instr, str]]:
    places = instruction_places(problem.function)
    for instruction in problem.function.instructions():
        yield instruction, places[id(instruction)]


def _components(instruction: Instr | None, access: Access) -> list[int]:
    """The widths in bytes of the values that a load gives."""
    found = lookup(instruction.opcode) if instruction is not None else None
    width = found[1].width // 8 if found is not None else access.width
    return [width] * (access.width // width) if width and access.width % width == 0 else []


def _poke(memory: Memory, address: int, width: int, value: int) -> None:
    buffer = memory.find(address)
    if buffer is None or not buffer.base <= address <= buffer.base + buffer.size - width:
        return
    if buffer.written is not None:
        return  # nobody promises that these bytes hold anything
    data = (value % 2 ** (8 * width)).to_bytes(width, "little")
    buffer.content.scatter(np.array([address - buffer.base], np.int64), np.frombuffer(data, np.uint8)[None, :])


def mix_signs(problem: Problem, memory: Memory) -> None:
    """Fill what is read with 1 and -1 in turn, so that a branch on a loaded number goes both ways."""
    for terms in problem.buffers.values():
        buffer = memory.buffers.get(terms.name)
        pattern = {2: (0x3C00, 0xBC00), 4: (0x3F800000, 0xBF800000)}.get(terms.element_bytes)
        if buffer is None or buffer.written is not None or terms.columns is None or pattern is None:
            continue
        count = min(buffer.size, MIXED) // terms.element_bytes
        numbers = np.resize(np.array(pattern, np.dtype(f"<u{terms.element_bytes}")), count)
        _fill(buffer, numbers.view(np.uint8))


def _fill(buffer: Buffer, data: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> None:
    if len(data):
        buffer.content.scatter(np.zeros(1, np.int64), data[None, :])
