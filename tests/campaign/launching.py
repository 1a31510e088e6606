"""One launch of a kernel made concrete: memory that fulfils the declarations and facts, and the arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.check.declarations import Declaration, declaration
from spec.contracts.expr import Compare, Expr, evaluate, holds, parse_comparisons, parse_expr
from spec.contracts.facts import Fact, first_breach, parse_fact, spoken_buffer
from spec.contracts.model import ELEMENT_BYTES
from spec.ptx.ast import Function
from spec.ptx.memory import Memory
from tests.campaign.kernel import Kernel, Launch

AXES = "xyz"
Array = npt.NDArray[Any]


class Misfit(Exception):
    """A kernel whose launches are not as it says: a mistake of its generator."""


@dataclass(frozen=True)
class Concrete:
    """Memory and arguments of one run; `bases` are the addresses of the buffers."""

    launch: Launch
    memory: Memory
    arguments: Mapping[str, int | bytes]
    bases: Mapping[str, int]


@cache
def _expression(text: str) -> Expr:
    return parse_expr(text)


@cache
def _comparisons(text: str) -> tuple[Compare, ...]:
    return parse_comparisons(text)


_declaration = cache(declaration)


def sizes(kernel: Kernel, launch: Launch) -> dict[str, int]:
    """What a name in an expression stands for."""
    named = {"dynamic_shared": kernel.dynamic_shared, **launch.numbers}
    for axis, block, grid in zip(AXES, launch.block, launch.grid, strict=True):
        named |= {f"block.{axis}": block, f"grid.{axis}": grid}
    return named


def fitting(kernel: Kernel) -> None:
    """Misfit where a launch is none of those that the flags allow."""
    if not kernel.launches:
        raise Misfit("no launches")
    for launch in kernel.launches:
        named = sizes(kernel, launch)
        for text in kernel.assumes:
            if not all(holds(comparison, named) for comparison in _comparisons(text)):
                raise Misfit(f"{launch} does not fulfil {text}")
        for what, asked, given in (("block", kernel.block, launch.block), ("grid", kernel.grid, launch.grid)):
            for axis, size, number in zip(AXES, (*asked, None, None, None)[:3], given, strict=True):
                wanted = evaluate(_expression(size), named) if isinstance(size, str) else size
                if wanted is not None and wanted != number:
                    raise Misfit(f"{launch}: {what}.{axis} should be {wanted}")


def concrete(kernel: Kernel, function: Function, launch: Launch, seed: int) -> Concrete:
    """Fresh memory for a launch, filled from the seed."""
    named = sizes(kernel, launch)
    made = np.random.default_rng(seed)
    memory = Memory()
    arguments: dict[str, int | bytes] = {}
    bases = {}
    parameters = {p.name for p in function.params}
    for text in kernel.buffers:
        declared = _declaration(text)
        facts = [f for f in kernel.facts if spoken_buffer(f) == declared.name]
        bases[declared.name] = arguments[declared.name] = _add(memory, declared, facts, named, made)
    for name, value in launch.numbers.items():
        if name in parameters:
            arguments[name] = value
    missing = parameters - arguments.keys()
    if missing:
        raise Misfit(f"neither a buffer nor a number: {', '.join(sorted(missing))}")
    return Concrete(launch, memory, arguments, bases)


def _add(
    memory: Memory, declared: Declaration, facts: list[str], named: Mapping[str, int], made: np.random.Generator
) -> int:
    """A buffer no better aligned than it is declared to be."""
    width = ELEMENT_BYTES[declared.element]
    shape = [max(evaluate(_expression(e), named), 0) for e in declared.shape]
    strides = [evaluate(_expression(e), named) for e in declared.strides]
    if not strides:
        strides = [prod(shape[i + 1 :]) for i in range(len(shape) - 1)]
    row = shape[-1] * width
    pitch = strides[-1] * width if len(shape) > 1 else 0
    plane = max((shape[-2] - 1) * pitch + row, 0) if len(shape) > 1 else row
    plane_pitch = strides[0] * width if len(shape) > 2 else 0
    size = max((shape[0] - 1) * plane_pitch + plane, 0) if len(shape) > 2 else plane
    if facts:
        content = filled(declared, [_fact(t, tuple(sorted(named))) for t in facts], shape, named, made)
        data = np.zeros(size // width, content.dtype)
        at = np.zeros(tuple(shape), np.int64)
        for axis, stride in enumerate((*strides, 1)):
            at += np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))]) * stride
        data[at.ravel()] = content.ravel()
    else:
        data = some(declared.element, size // width, made)
    return memory.add(
        declared.name, data.tobytes() if "r" in declared.access else None, size=size, writable="w" in declared.access,
        initialised="r" in declared.access, offset=declared.align * (2 * int(made.integers(1, 8)) + 1),
        row_pitch=pitch, row_bytes=row if pitch else 0, plane_pitch=plane_pitch,
        plane_bytes=plane if plane_pitch else 0,
    )  # fmt: skip


def some(element: str, count: int, made: np.random.Generator) -> Array:
    """Elements of a type, most of them small."""
    width = ELEMENT_BYTES[element]
    if "f" in element and element != "bf16":
        values = made.integers(-8, 9, count) / 4
        return np.asarray(values.astype(f"f{width}"))
    small = made.integers(0, 4, count, dtype=np.uint64)
    wide = made.integers(0, 2 ** (8 * width), count, dtype=np.uint64, endpoint=False)
    return np.where(made.random(count) < 0.8, small, wide).astype(f"u{width}")


@cache
def _fact(text: str, known: tuple[str, ...]) -> Fact:
    return parse_fact(text, known)


def filled(
    declared: Declaration, facts: list[Fact], shape: list[int], named: Mapping[str, int], made: np.random.Generator
) -> Array:
    """Elements of which all facts hold; Misfit where none of the ways to make some gives them."""
    for values in _guesses(prod(shape), named, made):
        content = values.reshape(shape)
        if not any(first_breach(fact, content.astype(object), named) for fact in facts):
            kind = f"{'i' if declared.element.startswith('s') else 'u'}{ELEMENT_BYTES[declared.element]}"
            return content.astype(kind)
    raise Misfit(f"nothing found that {', '.join(f.text for f in facts)} holds of")


def _guesses(count: int, named: Mapping[str, int], made: np.random.Generator) -> Iterator[Array]:
    """Numbers below some size, as large as it may be: any, all different, in order, counted up."""
    tops = sorted({v for v in (*named.values(), 1, 2, 4, 8, 16, 32, 64, 128, 256) if 0 < v <= 2**16}, reverse=True)
    ranges = [(low, top) for low in (0, 1) for top in tops if top > low]
    wide = [(low, top) for low, top in ranges if top - low >= count]
    for low, top in ranges:
        yield made.integers(low, top, count)
    for low, top in wide:
        yield made.permutation(np.arange(low, top))[:count]
    for low, top in ranges:
        yield np.sort(made.integers(low, top, count))
    for low, _ in wide:
        yield np.arange(low, low + count)
