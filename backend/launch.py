"""Launches: a contract bound to the parameter list of the PTX, and arguments checked against both.

What the prover assumes of a launch is what `prepare` checks, clause by clause: the contract's `requires` and float
ranges, every buffer's extent and alignment, disjoint buffers, what buffers hold where the contract has facts about it,
and the contract's own grid and block. Devices take nothing but a `Prepared` launch, and only this module makes one.
"""

from __future__ import annotations

import hashlib
import itertools
import operator
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
import numpy.typing as npt

from spec.contracts.model import MAX_BLOCK, MAX_GRID, MAX_THREADS, Buffer, Contract, Parameter
from spec.errors import BadInput, ContractViolation
from spec.ptx.ast import Function, Module, Param, type_width

# The PTX types a parameter of each kind may be declared with: bits say the width, and signedness must not disagree.
PTX_TYPES = {
    "buffer": ("u64", "b64"),
    "u64": ("u64", "b64"),
    "u32": ("u32", "b32"),
    "s32": ("s32", "b32"),
    "f32": ("f32", "b32"),
    "power": ("u32", "b32"),
}
_RANGES = {"u64": (0, 2**64 - 1), "u32": (0, 2**32 - 1), "s32": (-(2**31), 2**31 - 1), "power": (0, 2**32 - 1)}
_FORMATS = {"buffer": "<Q", "u64": "<Q", "u32": "<I", "s32": "<i", "f32": "<f", "power": "<I"}
MAX_PARAMETER_BYTES = 4096  # below sm_70 or PTX 8.1 the limit; later ones allow 32,764 (PTX ISA 7.1)
MAX_DYNAMIC_SHARED = 99 * 1024  # opt-in limit of sm_89
_ADDRESSES = 2**64
_SEAL = object()


@dataclass(frozen=True)
class Slot:
    """Where one parameter lies in the parameter bytes; offset and width in bytes."""

    parameter: Parameter
    offset: int
    width: int


@dataclass(frozen=True)
class Span:
    """Device memory offered for a buffer parameter: its first byte and how many bytes may be used from there."""

    address: int
    bytes: int


@dataclass(frozen=True)
class Region:
    """The bytes of a buffer that one launch may touch: `extent` bytes from `address`.

    With two extents, rows of `row` bytes begin `pitch` bytes apart, and what lies between them is not the launch's;
    both are 0 with one. With three, planes of `plane` bytes begin `plane_pitch` bytes apart.
    """

    buffer: Buffer
    address: int
    extent: int
    pitch: int = 0
    row: int = 0
    plane_pitch: int = 0
    plane: int = 0

    @property
    def end(self) -> int:
        return self.address + self.extent


@dataclass(frozen=True)
class Content:
    """What a buffer holds when a launch begins: the elements that were checked, in the buffer's logical shape.

    They are the launch's own, and cannot be changed; the device copies them into the buffer on the launch's stream.
    """

    region: Region
    elements: npt.NDArray[Any]
    strides: tuple[int, ...]

    def pieces(self) -> Iterator[tuple[int, npt.NDArray[np.uint8]]]:
        """What lies together: how many bytes behind the region's first one it begins, and the bytes."""
        if not self.elements.size:
            return
        if self.elements.nbytes == self.region.extent:
            yield 0, self.elements.reshape(-1).view(np.uint8)
            return
        rows = self.elements.reshape(-1, self.elements.shape[-1])
        for number, place in enumerate(np.ndindex(self.elements.shape[:-1])):
            offset = sum(n * stride for n, stride in zip(place, self.strides, strict=False))
            yield offset * self.elements.itemsize, rows[number].view(np.uint8)


@dataclass(frozen=True)
class Descriptor:
    """A contract whose parameters were compared with those of the entry in this PTX text. Made by `bind`."""

    contract: Contract
    ptx: str
    slots: tuple[Slot, ...]
    seal: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _sealed(self.seal, "Descriptor", "bind")

    @cached_property
    def sha256(self) -> str:
        """Of the PTX text, as bytes."""
        return hashlib.sha256(self.ptx.encode("ascii")).hexdigest()

    @property
    def parameter_bytes(self) -> int:
        return self.slots[-1].offset + self.slots[-1].width if self.slots else 0


@dataclass(frozen=True)
class Prepared:
    """A launch that passed every check; nothing in it changes any more. Made by `prepare`.

    `values` holds integer parameters as int and float parameters as the binary32 value that the kernel receives;
    `contents` what the launch puts into the buffers that the contract's facts speak of.
    """

    descriptor: Descriptor
    values: Mapping[str, int | float]
    regions: tuple[Region, ...]
    parameters: bytes
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    contents: tuple[Content, ...]
    seal: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _sealed(self.seal, "Prepared", "prepare")


def bind(contract: Contract, module: Module) -> Descriptor:
    """The descriptor of a contract's entry in a parsed PTX module.

    ContractViolation if the parameter lists differ in number, order, name, width, kind or alignment, if the entry's
    own launch bounds exclude the contract's block, or if a fact cannot be read; each message says what was asked and
    what was found.
    """
    try:
        entry = module.entry(contract.entry)
    except KeyError as error:
        raise ContractViolation(f"contract of {contract.stem}: {error.args[0]}") from None
    declared, asked = [p.name for p in entry.params], [p.name for p in contract.parameters]
    if len(declared) != len(asked):
        raise ContractViolation(
            f"{entry.name}: the contract has {len(asked)} parameters ({', '.join(asked)}), "
            f"the PTX {len(declared)} ({', '.join(declared)})"
        )
    slots, offset = [], 0
    for index, (parameter, param) in enumerate(zip(contract.parameters, entry.params, strict=True)):
        _compare_parameter(entry.name, index, parameter, param, contract)
        natural = type_width(param.type) // 8
        align = max(natural, param.align or 1)
        offset = -(-offset // align) * align
        slots.append(Slot(parameter, offset, natural))
        offset += natural
    if offset > MAX_PARAMETER_BYTES:
        raise ContractViolation(f"{entry.name}: {offset} parameter bytes asked, the limit is {MAX_PARAMETER_BYTES}")
    _check_buffers_named(contract)
    _check_block(contract, entry)
    try:
        contract.content_facts()
    except BadInput as error:
        raise ContractViolation(str(error)) from None
    return Descriptor(contract, module.text, tuple(slots), _SEAL)


def prepare(
    descriptor: Descriptor, values: Mapping[str, SupportsIndex | SupportsFloat], buffers: Mapping[str, Span],
    contents: Mapping[str, npt.NDArray[Any]] | None = None,
) -> Prepared:
    """A launch of these arguments, checked on a copy that the launch owns.

    Args:
        values: every parameter that is not a buffer; integers as int, float parameters as float (rounded to binary32
            before the check).
        buffers: every buffer parameter.
        contents: of every buffer that a fact of the contract speaks of, its elements in its logical shape and type.
            The launch puts them there itself: what is checked is what the kernel reads.

    Raises:
        ContractViolation: naming the parameter or clause, what was asked and the limit.
    """
    contract = descriptor.contract
    spans = {name: Span(int(span.address), int(span.bytes)) for name, span in buffers.items()}
    _same_names(contract, "value", {p.name for p in contract.parameters if p.kind != "buffer"}, set(values))
    _same_names(contract, "buffer", {p.name for p in contract.parameters if p.kind == "buffer"}, set(spans))
    taken = {p.name: _value(contract, p, values[p.name]) for p in contract.parameters if p.kind != "buffer"}
    integers = {name: value for name, value in taken.items() if isinstance(value, int)}
    contract.check_values(integers)
    grid = _grid(contract, integers)
    regions = tuple(_region(contract, b, spans[b.name], integers) for b in contract.buffers)
    _check_disjoint(contract, regions)
    owned = _contents(contract, regions, integers, contents or {})
    packed = bytearray(descriptor.parameter_bytes)
    for slot in descriptor.slots:
        name = slot.parameter.name
        value = spans[name].address if slot.parameter.kind == "buffer" else taken[name]
        struct.pack_into(_FORMATS[slot.parameter.kind], packed, slot.offset, value)
    return Prepared(
        descriptor,
        MappingProxyType(taken),
        regions,
        bytes(packed),
        grid,
        contract.block,
        contract.dynamic_shared,
        owned,
        _SEAL,
    )


def _sealed(seal: object, what: str, maker: str) -> None:
    if seal is not _SEAL:
        raise TypeError(f"a {what} is made by backend.launch.{maker}, which checks it")


def _compare_parameter(entry: str, index: int, parameter: Parameter, param: Param, contract: Contract) -> None:
    where = f"{entry}: parameter {index}"
    if parameter.name != param.name:
        raise ContractViolation(f"{where}: the contract asks for {parameter.name}, the PTX has {param.name}")
    if parameter.kind not in PTX_TYPES:
        raise ContractViolation(f"{where} ({parameter.name}): no kind {parameter.kind}; have {', '.join(PTX_TYPES)}")
    if param.elements is not None:
        raise ContractViolation(
            f"{where} ({parameter.name}): the contract asks for {parameter.kind}, "
            f"the PTX has an array of {param.elements} .{param.type}"
        )
    if param.type not in PTX_TYPES[parameter.kind]:
        raise ContractViolation(
            f"{where} ({parameter.name}): the contract asks for {parameter.kind} "
            f"(.{' or .'.join(PTX_TYPES[parameter.kind])}), the PTX has .{param.type}"
        )
    if parameter.kind != "buffer" and param.pointer_space is not None:
        raise ContractViolation(f"{where} ({parameter.name}): the PTX has a pointer, the contract {parameter.kind}")
    if parameter.kind != "buffer":
        return
    if param.pointer_space not in (None, "global", "generic", ""):
        raise ContractViolation(
            f"{where} ({parameter.name}): the contract asks for global memory, the PTX for .{param.pointer_space}"
        )
    promised = next((b.align for b in contract.buffers if b.name == parameter.name), 1)
    if promised % (param.pointer_align or 1):
        raise ContractViolation(
            f"{where} ({parameter.name}): the PTX relies on alignment {param.pointer_align}, "
            f"the contract promises {promised}"
        )


def _check_buffers_named(contract: Contract) -> None:
    pointers = [p.name for p in contract.parameters if p.kind == "buffer"]
    described = [b.name for b in contract.buffers]
    if sorted(pointers) != sorted(described):
        raise ContractViolation(
            f"{contract.entry}: pointer parameters are {', '.join(pointers) or 'none'}, "
            f"the contract describes buffers {', '.join(described) or 'none'}"
        )


def _check_block(contract: Contract, entry: Function) -> None:
    block, threads = contract.block, contract.block[0] * contract.block[1] * contract.block[2]
    for axis, size, limit in zip("xyz", block, MAX_BLOCK, strict=True):
        if not 1 <= size <= limit:
            raise ContractViolation(f"{contract.entry}: block.{axis} = {size} asked, allowed are 1 to {limit}")
    if threads > MAX_THREADS:
        raise ContractViolation(f"{contract.entry}: {threads} threads a block asked, the limit is {MAX_THREADS}")
    required = entry.directives.get("reqntid")
    if required is not None and (*required, 1, 1)[:3] != block:
        raise ContractViolation(f"{contract.entry}: block {block} asked, the PTX has .reqntid {required}")
    most = entry.directives.get("maxntid")
    if most is not None:
        limit = 1
        for size in most:
            limit *= size
        if threads > limit:
            raise ContractViolation(f"{contract.entry}: {threads} threads a block asked, the PTX has .maxntid {most}")
    if contract.dynamic_shared > min(contract.ceilings.dynamic_shared, MAX_DYNAMIC_SHARED):
        raise ContractViolation(
            f"{contract.entry}: {contract.dynamic_shared} bytes of dynamic shared memory asked, "
            f"the ceiling is {min(contract.ceilings.dynamic_shared, MAX_DYNAMIC_SHARED)}"
        )


def _same_names(contract: Contract, what: str, asked: set[str], given: set[str]) -> None:
    if missing := sorted(asked - given):
        raise ContractViolation(f"{contract.entry}: no {what} given for {', '.join(missing)}")
    if extra := sorted(given - asked):
        raise ContractViolation(f"{contract.entry} has no {what} parameter {', '.join(extra)}")


def _value(contract: Contract, parameter: Parameter, value: SupportsIndex | SupportsFloat) -> int | float:
    if parameter.kind == "f32":
        return _float_value(contract, parameter, value)
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise ContractViolation(f"{contract.entry}: {parameter.name} is {parameter.kind}; asked for {value!r}")
    number = operator.index(value)
    low, high = _RANGES[parameter.kind]
    if not low <= number <= high:
        raise ContractViolation(
            f"{contract.entry}: {parameter.name} is {parameter.kind}, {low} to {high}; asked for {number}"
        )
    return number


def _float_value(contract: Contract, parameter: Parameter, value: SupportsIndex | SupportsFloat) -> float:
    if isinstance(value, bool) or not isinstance(value, SupportsFloat):
        raise ContractViolation(f"{contract.entry}: {parameter.name} is a float; asked for {value!r}")
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    except OverflowError:
        raise ContractViolation(f"{contract.entry}: {parameter.name} is binary32; asked for {value!r}") from None
    if parameter.name in contract.float_ranges:
        low, high = contract.float_ranges[parameter.name]
        if not low <= rounded <= high:  # a NaN is in no range
            raise ContractViolation(
                f"{contract.entry} requires {low!r} <= {parameter.name} <= {high!r}; asked for {rounded!r}"
            )
    return rounded


def _grid(contract: Contract, values: Mapping[str, int]) -> tuple[int, int, int]:
    try:
        grid = contract.grid_for(values)
    except BadInput as error:
        raise ContractViolation(f"{contract.entry}: no grid for these values: {error}") from None
    for axis, size, limit in zip("xyz", grid, MAX_GRID, strict=True):
        if not 1 <= size <= limit:
            raise ContractViolation(f"{contract.entry}: grid.{axis} = {size} asked, allowed are 1 to {limit}")
    return grid


def _region(contract: Contract, buffer: Buffer, span: Span, values: Mapping[str, int]) -> Region:
    where = f"{contract.entry}: buffer {buffer.name}"
    extent = buffer.extent(values)
    if not 0 <= extent < _ADDRESSES:
        raise ContractViolation(f"{where} needs {extent} bytes, which 64 bits do not hold")
    if span.bytes < extent:
        raise ContractViolation(f"{where} needs {extent} bytes; {span.bytes} are there")
    if not 0 <= span.address < _ADDRESSES or span.address + span.bytes > _ADDRESSES:
        raise ContractViolation(f"{where}: {span.bytes} bytes at {span.address:#x} leave the 64-bit address space")
    if extent and not span.address:
        raise ContractViolation(f"{where} needs {extent} bytes; its address is null")
    if span.address % buffer.align:
        raise ContractViolation(f"{where} is aligned to {buffer.align} bytes; asked for address {span.address:#x}")
    sizes, strides = buffer.sizes(values), buffer.strides(values)
    size = buffer.element_bytes
    if len(sizes) == 1:
        return Region(buffer, span.address, extent)
    pitch, row = strides[-2] * size, sizes[-1] * size
    if len(sizes) == 2:
        return Region(buffer, span.address, extent, pitch, row)
    return Region(buffer, span.address, extent, pitch, row, strides[0] * size, (sizes[1] - 1) * pitch + row)


def _contents(
    contract: Contract, regions: tuple[Region, ...], values: Mapping[str, int],
    contents: Mapping[str, npt.NDArray[Any]],
) -> tuple[Content, ...]:
    """Copies of the contents that facts speak of, of which all facts hold."""
    spoken = {fact.buffer for fact in contract.content_facts()}
    for name in sorted(spoken - contents.keys()):
        raise ContractViolation(f"{contract.entry}: no contents given for {name}, of which the contract has facts: "
                                f"{'; '.join(f.text for f in contract.content_facts() if f.buffer == name)}")
    for name in sorted(contents.keys() - spoken):
        raise ContractViolation(f"{contract.entry}: contents given for {name}, of which the contract has no facts")
    owned = []
    for region in regions:
        buffer = region.buffer
        if buffer.name not in spoken:
            continue
        given = contents[buffer.name]
        shape, kind = buffer.sizes(values), np.dtype(f"<{buffer.element[0].replace('s', 'i')}{buffer.element_bytes}")
        if not isinstance(given, np.ndarray) or given.dtype != kind or given.shape != shape:
            have = f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else repr(type(given))
            raise ContractViolation(
                f"{contract.entry}: contents of {buffer.name} are {kind} of shape {shape}; asked for {have}"
            )
        # An array over immutable bytes: nobody can make it writable again.
        elements = np.frombuffer(given.tobytes(), kind).reshape(shape)
        owned.append(Content(region, elements, buffer.strides(values)))
    contract.check_contents(values, {c.region.buffer.name: c.elements for c in owned})
    return tuple(owned)


def _check_disjoint(contract: Contract, regions: tuple[Region, ...]) -> None:
    ordered = sorted((r for r in regions if r.extent), key=lambda r: r.address)
    for first, second in itertools.pairwise(ordered):
        if second.address < first.end:
            raise ContractViolation(
                f"{contract.entry}: buffers {first.buffer.name} and {second.buffer.name} overlap: "
                f"[{first.address:#x}, {first.end:#x}) and [{second.address:#x}, {second.end:#x})"
            )
