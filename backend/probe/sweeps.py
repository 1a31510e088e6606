"""Exhaustive sweeps: an approximate instruction on every binary32 word, against a reference on the same device.

The kernels (sweep.cu, compiled to sweep.ptx) count classes and list every word whose class is not that of the rounded
reference, or whose error is within 2^-20 of the documented limit or beyond it. Those, and the worst results of the
threads, are judged here exactly; the reference itself is checked on samples.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.device import Device, Memory
from backend.launch import Descriptor, bind, prepare
from backend.probe.exact import KINDS, flushed, judge, kind_name, value
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx.ast import Module
from spec.ptx.parser import parse
from spec.scalar import F32, decode, power_of_two

WORDS = 2**32
THREADS = 256  # .maxntid of the kernels
BLOCKS = 2048
CAPACITY = 1 << 16  # words that a sweep can list
REFERENCE_LIMIT = power_of_two(-48)
"""Relative error that sweep.cu states for its references."""
_WORST = 12  # results that are judged exactly for each of the three maxima
_SHOWN = 20
_CEILINGS = Ceilings(registers=255, static_shared=0, stack_bytes=1024)
_MEASURES = ("units", "relative", "of_limit")


@dataclass(frozen=True)
class Instruction:
    """An instruction that is swept: its name as in spec.approximations, and whether it has .ftz."""

    name: str
    ftz: bool = False

    @property
    def spelled(self) -> str:
        return f"{self.name}.approx{'.ftz' if self.ftz else ''}.f32"

    @property
    def suffix(self) -> str:
        """What its kernels' names end with."""
        return f"{self.name}{'_ftz' if self.ftz else ''}"

    @property
    def assumption(self) -> str:
        return f"doc-{self.name}"


INSTRUCTIONS = (
    *(Instruction(name, ftz) for name in ("ex2", "rcp", "rsqrt", "lg2", "sqrt") for ftz in (True, False)),
    Instruction("tanh"),
)


@dataclass
class Worst:
    """The greatest error of one measure: the argument and result as words, and the exact error."""

    argument: str
    result: str
    error: float


@dataclass
class Sweep:
    """What a sweep found. `words` were tried; `good` needs all of them classified, judged and allowed."""

    instruction: str
    words: int
    seconds: float
    classes: dict[str, int]
    apart: list[int]
    listed: int
    worst: dict[str, Worst] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    refused_count: int = 0
    reference_samples: int = 0
    reference_error: float = 0.0
    unsettled: str = ""

    @property
    def complete(self) -> bool:
        return self.words == WORDS and not self.unsettled

    @property
    def good(self) -> bool:
        return not self.refused_count and not self.unsettled


def module() -> Module:
    """The parsed sweep.ptx."""
    return parse((files(__package__) / "sweep.ptx").read_bytes().decode("ascii"), name="sweep.ptx")


def sweep_contract(instruction: Instruction) -> Contract:
    """Of `sweep_NAME`; parameters are numbered, as nvcc names them."""
    entry = f"sweep_{instruction.suffix}"
    names = [f"{entry}_param_{i}" for i in range(9)]
    threads = f"{names[8]} * {THREADS}"
    kinds = ("buffer",) * 5 + ("u32", "u32", "u64", "u32")
    return Contract(
        stem="sweep",
        entry=entry,
        parameters=tuple(Parameter(name, kind) for name, kind in zip(names, kinds, strict=True)),
        requires=(f"{names[8]} >= 1 && {names[8]} <= 2^16 && {names[7]} >= 1 && {names[7]} <= 2^32",),
        buffers=(
            Buffer(names[0], "f64", (f"3 * {threads}",), "w", align=8),
            Buffer(names[1], "u32", (f"3 * {threads}",), "w", align=4),
            Buffer(names[2], "u64", (str(len(KINDS) ** 2),), "rw", align=8),
            Buffer(names[3], "u64", ("4",), "rw", align=8),
            Buffer(names[4], "u32", (str(CAPACITY + 1),), "rw", align=4),
        ),
        block=(THREADS, 1, 1),
        grid=(names[8], "1", "1"),
        outputs=tuple(names[:5]),
        ceilings=_CEILINGS,
        operator="sweep",
    )


def sample_contract(instruction: Instruction) -> Contract:
    """Of `sample_NAME`."""
    entry = f"sample_{instruction.suffix}"
    names = [f"{entry}_param_{i}" for i in range(4)]
    return Contract(
        stem="sweep",
        entry=entry,
        parameters=tuple(Parameter(name, kind) for name, kind in zip(names, ("buffer",) * 3 + ("u32",), strict=True)),
        requires=(f"{names[3]} >= 1 && {names[3]} <= 2^20",),
        buffers=(
            Buffer(names[0], "u32", (names[3],), "r", align=4),
            Buffer(names[1], "u32", (names[3],), "w", align=4),
            Buffer(names[2], "f64", (names[3],), "w", align=8),
        ),
        block=(THREADS, 1, 1),
        grid=(f"ceil_div({names[3]}, {THREADS})", "1", "1"),
        outputs=tuple(names[1:3]),
        ceilings=_CEILINGS,
        operator="sweep",
    )


def run_sweeps(
    device: Device,
    instructions: Sequence[Instruction] = INSTRUCTIONS,
    seed: int = 0,
    words: int = WORDS,
    step: int = 1,
    blocks: int = BLOCKS,
    samples: int = 2048,
    say: Callable[[str], None] = lambda line: None,
) -> list[Sweep]:
    """Sweep each instruction over the words 0, step, 2*step, ... (mod 2^32), `words` of them.

    `samples` words are drawn by the seed for the check of the references.
    """
    text = module()
    found = []
    for instruction in instructions:
        result = sweep(device, bind(sweep_contract(instruction), text), instruction, words, step, blocks)
        sampler = bind(sample_contract(instruction), text)
        _settle(device, sampler, instruction, result)
        _check_reference(device, sampler, instruction, result, _drawn(seed, samples))
        found.append(result.sweep)
        say(told(result.sweep))
    return found


@dataclass
class Raw:
    """A sweep as the device leaves it: maxima of each thread and where they are, and the listed words."""

    sweep: Sweep
    worst: npt.NDArray[np.float64]
    at: npt.NDArray[np.uint32]
    listed: npt.NDArray[np.uint32]


def sweep(
    device: Device, descriptor: Descriptor, instruction: Instruction, words: int, step: int, blocks: int
) -> Raw:
    """Run one sweep and read what it counted."""
    threads, pairs = blocks * THREADS, len(KINDS) ** 2
    kinds = (np.float64, np.uint32, np.uint64, np.uint64, np.uint32)
    arrays: list[npt.NDArray[Any]] = [
        np.zeros(size, kind)
        for size, kind in zip((3 * threads, 3 * threads, pairs, 4, CAPACITY + 1), kinds, strict=True)
    ]
    names = [p.name for p in descriptor.contract.parameters]
    memory = [device.alloc(array.nbytes) for array in arrays]
    try:
        for place, array in zip(memory, arrays, strict=True):
            device.upload(place, array)
        start = time.monotonic()
        device.launch(_prepared(descriptor, names, memory, {5: 0, 6: step, 7: words, 8: blocks}))
        seconds = time.monotonic() - start
        worst, at, counts, apart, listed = (
            device.download(place).view(kind) for place, kind in zip(memory, kinds, strict=True)
        )
    finally:
        for place in memory:
            device.free(place)
    classes = {
        f"{KINDS[pair // len(KINDS)]} -> {KINDS[pair % len(KINDS)]}": int(counts[pair])
        for pair in range(pairs) if counts[pair]
    }  # fmt: skip
    result = Sweep(
        instruction.spelled, words, round(seconds, 3), classes, [int(n) for n in apart], int(listed[0])
    )
    if sum(classes.values()) != words:
        result.unsettled = f"{sum(classes.values())} of {words} words were counted"
    elif result.listed > CAPACITY:
        result.unsettled = f"{result.listed} words need to be judged exactly, of which {CAPACITY} were kept"
    return Raw(result, worst.reshape(threads, 3), at.reshape(threads, 3), listed[1 : 1 + min(listed[0], CAPACITY)])


def _prepared(descriptor: Descriptor, names: list[str], memory: list[Memory], scalars: dict[int, int]) -> Any:
    spans = {name: place.span() for name, place in zip(names, memory, strict=False)}
    return prepare(descriptor, {names[i]: number for i, number in scalars.items()}, spans)


def sample(
    device: Device, descriptor: Descriptor, words: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
    """Results and references of given words."""
    names = [p.name for p in descriptor.contract.parameters]
    sizes = (4, 4, 8)
    memory = [device.alloc(size * len(words)) for size in sizes]
    try:
        device.upload(memory[0], words)
        device.launch(_prepared(descriptor, names, memory, {3: len(words)}))
        return device.download(memory[1]).view(np.uint32), device.download(memory[2]).view(np.float64)
    finally:
        for place in memory:
            device.free(place)


def _settle(device: Device, sampler: Descriptor, instruction: Instruction, raw: Raw) -> None:
    """Judge the listed words and the worst of the threads exactly."""
    result = raw.sweep
    if len(raw.listed):
        words = np.sort(raw.listed)
        results, _ = sample(device, sampler, words)
        for word, got in zip(words.tolist(), results.tolist(), strict=True):
            if not judge(instruction.name, instruction.ftz, word, got).allowed:
                result.refused_count += 1
                if len(result.refused) < _SHOWN:
                    result.refused.append(f"{word:#010x} gives {got:#010x}")
    for column, measure in enumerate(_MEASURES):
        order = np.argsort(raw.worst[:, column])[::-1][:_WORST]
        words = np.unique(raw.at[order[raw.worst[order, column] > 0], column])
        if not len(words):
            continue
        results, _ = sample(device, sampler, words)
        judged: list[tuple[Fraction, int, int]] = []
        for word, got in zip(words.tolist(), results.tolist(), strict=True):
            error = getattr(judge(instruction.name, instruction.ftz, word, got), measure)
            if error is not None:
                judged.append((error, word, got))
        if judged:
            error, word, got = max(judged)
            result.worst[measure] = Worst(f"{word:#010x}", f"{got:#010x}", float(error))


def _drawn(seed: int, count: int) -> npt.NDArray[np.uint32]:
    """Words for the check of the references: half anywhere, half near 1, where lg2 loses digits, or below 256."""
    random = np.random.Generator(np.random.Philox(seed))
    words = random.integers(0, WORDS, count, dtype=np.uint32)
    words[::4] = 0x3F800000 + random.integers(-4096, 4096, len(words[::4]))
    words[1::4] = random.integers(0x30000000, 0x43800000, len(words[1::4])) | (words[1::4] & F32.sign)
    return words


def _check_reference(
    device: Device, sampler: Descriptor, instruction: Instruction, raw: Raw, words: npt.NDArray[np.uint32]
) -> None:
    """Compare the device's reference with exact enclosures; beyond what sweep.cu states, the sweep settles nothing."""
    result, worst = raw.sweep, Fraction(0)
    _, references = sample(device, sampler, words)
    for word, reference in zip(words.tolist(), references.tolist(), strict=True):
        taken = flushed(word, instruction.ftz)
        if kind_name(taken)[1:] not in ("normal", "subnormal"):
            continue
        x = decode(taken, F32)
        ends = None if instruction.name == "ex2" and abs(x) > 150 else value(instruction.name, x)
        if ends is None:
            continue
        low, high = ends
        result.reference_samples += 1
        if not np.isfinite(reference):
            result.unsettled = f"the reference of {word:#010x} is {reference}"
        elif low:
            error = max(abs(Fraction(reference) - low), abs(Fraction(reference) - high)) / min(abs(low), abs(high))
            worst = max(worst, error)
        elif reference:
            result.unsettled = f"the reference of {word:#010x} is {reference}, not 0"
    result.reference_error = float(worst)
    if worst > REFERENCE_LIMIT:
        result.unsettled = f"the reference is off by {float(worst)}, more than {float(REFERENCE_LIMIT)}"


def told(result: Sweep) -> str:
    """One line for the reader."""
    units = result.worst.get("units")
    limit = result.worst.get("of_limit")
    said = f"{result.instruction}: {result.words} words"
    if units:
        said += f", worst {units.error:.4f} ulp at {units.argument}"
    if limit:
        said += f", {limit.error:.3f} of the limit at {limit.argument}"
    if result.refused_count:
        said += f", {result.refused_count} NOT ALLOWED, first {result.refused[0]}"
    return f"{said}, UNSETTLED: {result.unsettled}" if result.unsettled else said

