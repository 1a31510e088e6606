"""Puts into memory what a model says of elements, and makes the rest of it such that all facts hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from proofs.contents import ContentAtom, Fact, Source
from proofs.problem import BufferTerms, Problem
from proofs.replay.evaluate import term_value
from proofs.terms import Cond, Poly, Symbol
from spec.contracts.facts import first_breach
from spec.errors import BadInput
from spec.ptx.memory import Memory

MAX_ELEMENTS = 2**14
Place = tuple[int, ...]


def put_contents(
    problem: Problem, memory: Memory, values: Mapping[str, int], contents: Sequence[ContentAtom]
) -> None:
    """Fill the buffers that facts or a model speak of; BadInput if what they hold cannot be as the facts say."""
    for name, source in problem.sources.items():
        mine = [a for a in contents if a.source.buffer == name]
        if mine or source.facts:
            buffer = problem.buffers[name]
            _write(memory, buffer, fill(source, buffer, values, mine), values)


def fill(
    source: Source, buffer: BufferTerms, values: Mapping[str, int], atoms: Sequence[ContentAtom]
) -> dict[Place, int]:
    """The values of all elements, or only of those of the model where there are no facts."""
    extents = [max(term_value(e, values), 0) for e in source.extents]
    wanted = dict(_wanted(atoms, extents, values))
    if not source.facts:
        return wanted
    if prod(extents) > MAX_ELEMENTS:
        raise BadInput(f"{buffer.name} has more than {MAX_ELEMENTS} elements, which are not filled as the facts say")
    places = list(product(*(range(e) for e in extents)))
    held = _alike(source, places, wanted, values)
    if _breach(source, held, extents, values):
        held = _different(source, places, wanted, values)
    if broken := _breach(source, held, extents, values):
        raise BadInput(f"the model's memory breaks the fact {broken}")
    return held


def _alike(
    source: Source, places: Sequence[Place], wanted: Mapping[Place, int], values: Mapping[str, int]
) -> dict[Place, int]:
    """Elements of which a model says nothing are those before, as far as the facts let them."""
    held: dict[Place, int] = {}
    last = 0
    for place in places:
        low, high = _range(source, place, values)
        held[place] = last = wanted.get(place, max(low, min(high, last)))
    return held


def _different(
    source: Source, places: Sequence[Place], wanted: Mapping[Place, int], values: Mapping[str, int]
) -> dict[Place, int]:
    """Elements of which a model says nothing differ from all others, if there are numbers enough."""
    held: dict[Place, int] = {}
    taken = set(wanted.values())
    for place in places:
        low, high = _range(source, place, values)
        free = next((n for n in range(low, min(high, low + len(taken)) + 1) if n not in taken), low)
        held[place] = wanted.get(place, free)
        taken.add(held[place])
    return held


def _wanted(
    atoms: Sequence[ContentAtom], extents: Sequence[int], values: Mapping[str, int]
) -> Iterator[tuple[Place, int]]:
    """The elements of a model that exist, with their values."""
    for atom in atoms:
        place = tuple(term_value(p, values) for p in atom.at)
        if atom.flat:
            (index,) = place
            found: list[int] = []
            for extent in reversed(extents):
                found.insert(0, index % max(extent, 1))
                index //= max(extent, 1)
            place = tuple(found) if not index else (-1,)
        if len(place) == len(extents) and all(0 <= p < e for p, e in zip(place, extents, strict=True)):
            yield place, values[atom.name] if atom.name in values else atom.value(values)


def _range(source: Source, place: Place, values: Mapping[str, int]) -> tuple[int, int]:
    """What the facts that speak of one element alone let it be."""
    low, high = source.interval
    bounds = [(low or 0, high or 0)]
    for fact in source.facts:
        if len(fact.refs) == 1 and (at := _solved(fact, (place,), values)) is not None:
            ((value, _),) = fact.refs
            bounds += [_bounds(c, value, at) for c in (fact.holds.args if fact.holds.op == "and" else (fact.holds,))]
    return max(b for b, _ in bounds), min(b for _, b in bounds)


def _bounds(cond: Cond, value: Symbol, at: Mapping[str, int]) -> tuple[int, int]:
    """What a comparison says of the value by itself."""
    free = (-(2**64), 2**64)
    if cond.term is None or value not in cond.symbols():
        return free
    rest = term_value(cond.term.substitute({value: Poly({})}), at)
    factor = term_value(cond.term.substitute({value: Poly.constant(1)}), at) - rest
    if abs(factor) != 1:
        return free
    edge = -rest * factor
    if cond.op == "eq":
        return edge, edge
    return (edge, free[1]) if factor > 0 else (free[0], edge)


def _breach(
    source: Source, held: Mapping[Place, int], extents: Sequence[int], values: Mapping[str, int]
) -> str:
    """The first fact that does not hold, and the elements that show it; '' if all do."""
    content = np.array(list(held.values()), object).reshape(extents)
    for fact in source.facts:
        names = {name: term_value(term, values) for name, term in fact.names.items()}
        breach = first_breach(fact.said, content, names)
        if breach is not None:
            return f"{fact.text}: {breach.words(fact.said.buffer)}"
    return ""


def _solved(fact: Fact, places: Sequence[Place], values: Mapping[str, int]) -> dict[str, int] | None:
    """Values with those of the index variables for which the fact speaks of these elements, if there are any."""
    at = dict(values)
    for variable in fact.variables:
        for (_, indexes), place in zip(fact.refs, places, strict=True):
            for index, n in zip(indexes, place, strict=True):
                if index == Poly.symbol(variable):
                    at[variable.name] = n
    same = all(
        term_value(index, at) == n
        for (_, indexes), place in zip(fact.refs, places, strict=True) for index, n in zip(indexes, place, strict=True)
    )
    return at if same else None


def _write(memory: Memory, buffer: BufferTerms, held: Mapping[Place, int], values: Mapping[str, int]) -> None:
    if not held:
        return
    strides = [term_value(s, values) for s in (buffer.plane_stride, buffer.leading, Poly.constant(1)) if s is not None]
    width = buffer.element_bytes
    offsets = [sum(n * s for n, s in zip(place, strides[-len(place):], strict=True)) * width for place in held]
    words = [(v % 2 ** (8 * width)).to_bytes(width, "little") for v in held.values()]
    rows = np.frombuffer(b"".join(words), np.uint8).reshape(-1, width)
    base = values[buffer.base.name]
    region = memory.find(base)
    if region is not None:
        region.content.scatter(np.array(offsets, np.int64) + (base - region.base), rows)
