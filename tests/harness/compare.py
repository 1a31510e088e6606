"""One case on one device: lay out memory, launch, and say everything that is wrong with what came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.device import Device
from backend.launch import Descriptor, prepare
from common.histogram import TENTHS, Histogram
from spec.contracts.model import ACTIVE
from spec.operators import formats
from spec.operators.model import Expected, Operator
from spec.scalar import F16, F32, Kind, Reals
from tests.harness.layout import CANARY, UNWRITTEN, Image, Place, place

Words = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]

_EDGES = np.arange(1, TENTHS) / TENTHS


@dataclass(frozen=True)
class Outcome:
    """What a launch left: the logical elements of each output, and each byte out of place in words."""

    outputs: Mapping[str, Words]
    complaints: tuple[str, ...]


@dataclass
class Verdict:
    """Of one case: the worst error as a part of the bound (1 is the limit), what each result came to, what is wrong.

    `worst_ratio` is over accepted results whose bound is not vacuous.
    """

    worst_ratio: float = 0.0
    counts: Histogram = field(default_factory=Histogram)
    complaints: list[str] = field(default_factory=list)


def execute(
    device: Device,
    descriptor: Descriptor,
    values: Mapping[str, int | float],
    inputs: Mapping[str, Words],
    offsets: Mapping[str, int],
    canary: int = CANARY,
    fresh: int = UNWRITTEN,
) -> Outcome:
    """Launch once. Whatever must not change is compared byte for byte: inputs, guards, padding, gated outputs."""
    contract = descriptor.contract
    integers = {name: value for name, value in values.items() if isinstance(value, int)}
    places = {b.name: place(b, integers, offsets[b.name]) for b in contract.buffers}
    before = {name: p.image(inputs.get(name), canary, fresh) for name, p in places.items()}
    memories = {name: device.alloc(image.nbytes) for name, image in before.items()}
    try:
        for name, memory in memories.items():
            device.upload(memory, before[name])
        spans = {name: memories[name].span(p.start, p.extent) for name, p in places.items()}
        device.launch(prepare(descriptor, values, spans))
        after = {name: device.download(memory) for name, memory in memories.items()}
    finally:
        for memory in memories.values():
            device.free(memory)
    active = values.get(contract.power, ACTIVE) == ACTIVE
    complaints = [
        found
        for name, p in places.items()
        if (found := _out_of_place(p, before[name], after[name], active, contract.outputs))
    ]
    outputs = {name: places[name].logical(after[name]) for name in contract.outputs}
    if active:
        for name, words in outputs.items():
            unwritten = places[name].unwritten(words, fresh)
            if missing := int(unwritten.sum()):
                where = np.argwhere(unwritten)[0].tolist()
                complaints.append(f"{name}: {missing} of {words.size} elements never written, first {where}")
    return Outcome(outputs, tuple(complaints))


def judge(expected: Expected, outputs: Mapping[str, Words], operator: Operator, verdict: Verdict) -> None:
    """Class first, value second; adds to the verdict."""
    words = outputs[operator.output]
    accepted, ratio = expected.accepts(words), expected.ratio(words)
    wrong_class = ~accepted if accepted.all() else ~accepted & (formats.kinds(words, expected.form) != expected.kinds)
    outside = ~accepted & ~wrong_class
    counts, worst = _counted(expected, accepted, ratio)
    counts.wrong_class, counts.outside = int(wrong_class.sum()), int(outside.sum())
    verdict.counts.add(counts)
    verdict.worst_ratio = max(verdict.worst_ratio, worst)
    if counts.wrong_class:
        where = tuple(np.argwhere(wrong_class)[0].tolist())
        verdict.complaints.append(
            f"{_told(expected, words, operator, where)}: wrong class; {counts.wrong_class} of {words.size} results"
        )
    if counts.outside:
        where = tuple(np.argwhere(outside)[0].tolist())
        exact, bound = float(expected.exact[where]), expected.bound[where]
        limits = f"exact {exact!r}, bound {bound:.3g}, error/bound {ratio[where]:.3g}"
        verdict.complaints.append(
            f"{_told(expected, words, operator, where)}: value outside the bound ({limits}); "
            f"{counts.outside} of {words.size} results"
        )


def _told(expected: Expected, words: Words, operator: Operator, where: tuple[int, ...]) -> str:
    return f"{operator.output}{list(where)} = {_shown(words[where])}, expected {_shown(expected.nearest()[where])}"


def _counted(expected: Expected, accepted: Flags, ratio: Reals) -> tuple[Histogram, float]:
    """The accepted results by their part of the bound, and the largest part. Most are 0: only the others are binned."""
    finite, vacuous = expected.kinds == Kind.FINITE, expected.says_nothing()
    measured = accepted & finite & ~vacuous
    parts = ratio[measured & (ratio > 0.0)]
    counts = Histogram(
        class_only=int((accepted & ~finite).sum()),
        zero=int(measured.sum()) - parts.size,
        tenths=np.bincount(np.searchsorted(_EDGES, parts), minlength=TENTHS).tolist(),
        vacuous=int((accepted & vacuous).sum()),
    )
    return counts, float(parts.max(initial=0.0))


def same_bits(a: Words, b: Words, what: str) -> list[str]:
    """A complaint if two outputs differ in a bit (NaN payloads count: the same operations give the same payload)."""
    different = a != b
    if not different.any():
        return []
    where = tuple(np.argwhere(different)[0].tolist())
    shown = f"{list(where)}: {_shown(a[where])} and {_shown(b[where])}"
    return [f"{what}: {int(different.sum())} elements differ, first {shown}"]


def _out_of_place(p: Place, before: Image, after: Image, active: bool, outputs: tuple[str, ...]) -> str:
    return p.changed(before, after, ignore_elements=active and p.buffer.name in outputs)


def _shown(word: Any) -> str:
    """A word of 2 or 4 bytes and the number that it stands for."""
    one = np.asarray(word)
    form = F32 if one.dtype.itemsize == 4 else F16
    return f"{int(one):#0{2 + form.width // 4}x} ({float(formats.values_of(one.reshape(1), form)[0])!r})"
