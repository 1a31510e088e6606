"""Correctly rounded operations on a device: all operands where 32 bits hold them, else drawn ones (rounded.cu)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

import numpy as np

from backend.device import Device
from backend.launch import Descriptor, bind, prepare
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx.ast import Module
from spec.ptx.parser import parse

WORDS = 2**32
THREADS = 256
BLOCKS = 2048
CAPACITY = 64
_ENTRY = 5  # words of a listed case: three operands, the result, the expected one


@dataclass(frozen=True)
class Operation:
    """An operation of rounded.cu: how PTX spells it, the suffix of its kernel, how many operands there are.

    `operands` is the number of all of them; 0 where they do not fit in 32 bits and are drawn.
    """

    spelled: str
    suffix: str
    operands: int = 0


OPERATIONS = (
    Operation("add.rn.f32", "add"),
    Operation("sub.rn.f32", "sub"),
    Operation("mul.rn.f32", "mul"),
    Operation("fma.rn.f32", "fma"),
    Operation("div.rn.f32", "div"),
    Operation("rcp.rn.f32", "rcp", WORDS),
    Operation("sqrt.rn.f32", "sqrt", WORDS),
    Operation("cvt.rn.f16.f32", "narrow", WORDS),
    Operation("cvt.rn.bf16.f32", "narrow_bf16", WORDS),
    Operation("cvt.f32.f16", "widen", 2**16),
    Operation("cvt.rn.f32.s32", "from_signed", WORDS),
    Operation("cvt.rn.f32.u32", "from_unsigned", WORDS),
    Operation("add.rn.f16", "add16", WORDS),
    Operation("sub.rn.f16", "sub16", WORDS),
    Operation("mul.rn.f16", "mul16", WORDS),
    Operation("fma.rn.f16", "fma16"),
)


@dataclass
class Rounded:
    """What was found of an operation: `wrong` of `tried` results are not the exact one rounded once."""

    operation: str
    tried: int
    exhaustive: bool
    wrong: int
    seconds: float
    first: list[str] = field(default_factory=list)


def contract_of(operation: Operation) -> Contract:
    """Of `rounded_NAME`; parameters are numbered, as nvcc names them."""
    entry = f"rounded_{operation.suffix}"
    names = [f"{entry}_param_{i}" for i in range(5)]
    kinds = ("buffer", "buffer", "u64", "u64", "u32")
    return Contract(
        stem="rounded",
        entry=entry,
        parameters=tuple(Parameter(name, kind) for name, kind in zip(names, kinds, strict=True)),
        requires=(f"{names[4]} >= 1 && {names[4]} <= 2^16 && {names[3]} >= 1 && {names[3]} <= 2^32",),
        buffers=(
            Buffer(names[0], "u64", ("1",), "rw", align=8),
            Buffer(names[1], "u32", (str(1 + _ENTRY * CAPACITY),), "rw", align=4),
        ),
        block=(THREADS, 1, 1),
        grid=(names[4], "1", "1"),
        outputs=tuple(names[:2]),
        ceilings=Ceilings(registers=255, static_shared=0, stack_bytes=1024),
        operator="rounded",
    )


def module() -> Module:
    """The parsed rounded.ptx."""
    return parse((files(__package__) / "rounded.ptx").read_bytes().decode("ascii"), name="rounded.ptx")


def run_rounded(
    device: Device,
    operations: Sequence[Operation] = OPERATIONS,
    seed: int = 0,
    most: int = WORDS,
    blocks: int = BLOCKS,
    say: Callable[[str], None] = lambda line: None,
) -> list[Rounded]:
    """Try each operation on all of its operands, or `most` of them; drawn ones by the seed."""
    text, found = module(), []
    for operation in operations:
        tried = min(operation.operands or WORDS, most)
        result = _run(device, bind(contract_of(operation), text), operation, seed, tried, blocks)
        found.append(result)
        said = f"{result.operation}: {tried} {'drawn ' if not operation.operands else ''}operands, {result.wrong} wrong"
        say(f"{said}{': ' + result.first[0] if result.first else ''}")
    return found


def _run(
    device: Device, descriptor: Descriptor, operation: Operation, seed: int, tried: int, blocks: int
) -> Rounded:
    names = [p.name for p in descriptor.contract.parameters]
    sizes = (8, 4 * (1 + _ENTRY * CAPACITY))
    memory = [device.alloc(size) for size in sizes]
    try:
        for place, size in zip(memory, sizes, strict=True):
            device.upload(place, np.zeros(size, np.uint8))
        spans = {name: place.span() for name, place in zip(names, memory, strict=False)}
        start = time.monotonic()
        device.launch(prepare(descriptor, {names[2]: seed, names[3]: tried, names[4]: blocks}, spans))
        seconds = round(time.monotonic() - start, 3)
        wrong = int(device.download(memory[0]).view(np.uint64)[0])
        listed = device.download(memory[1]).view(np.uint32)
    finally:
        for place in memory:
            device.free(place)
    cases = listed[1:].reshape(CAPACITY, _ENTRY)[: min(int(listed[0]), CAPACITY)]
    first = [f"{' '.join(f'{w:#x}' for w in case[:3])} gives {case[3]:#x}, not {case[4]:#x}" for case in cases[:5]]
    return Rounded(operation.spelled, tried, tried == operation.operands, wrong, seconds, first)
