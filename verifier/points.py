"""Concrete launches inside a contract's domain: small, around the boundaries of tiles, and large."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verifier.contract import ACTIVE, AXES, Contract, domain
from verifier.findings import AuditError
from verifier.interpreter import Launch
from verifier.terms import Name, Term, Unvalued, arguments, evaluate

_TRIES = 400
_SPREAD = 2**44
SHARED_AT = 1024


@dataclass(frozen=True)
class Point:
    """One thread of one launch; `values` are the integer parameters by name."""

    launch: Launch
    values: Mapping[str, int]
    tid: tuple[int, int, int]
    ctaid: tuple[int, int, int]

    def __str__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in sorted(self.values.items()))
        return f"block {_short(self.ctaid)}, thread {_short(self.tid)}, {shown}"


def _short(index: tuple[int, int, int]) -> str:
    return str(index[0]) if not any(index[1:]) else str(index)


def sample(contract: Contract, shared: Mapping[str, int], chance: random.Random, launches: int) -> Iterator[Point]:
    """Points of `launches` launches; AuditError if the domain cannot be met by trying."""
    candidates = _candidates(contract)
    clauses = _launch_clauses(contract)
    for number in range(launches):
        values = _values(contract, candidates, clauses, chance, number)
        yield from _threads(contract, values, shared, chance)


def point_of(contract: Contract, values: Mapping[str, int], shared: Mapping[str, int], chance: random.Random) -> Launch:
    """The launch these parameter values make; float parameters hold arbitrary bits."""
    bits = {}
    for name, kind in contract.parameters:
        width = 64 if kind in ("buffer", "u64") else 32
        bits[name] = chance.getrandbits(width) if kind == "f32" else values[name] % 2**width
    x, y, z = (evaluate(extent, values) for extent in contract.grid)
    places = {name: SHARED_AT + 4096 * i for i, name in enumerate(shared)}
    return Launch(bits, contract.block, (x, y, z), places)


def thread_of(contract: Contract, values: Mapping[str, int], shared: Mapping[str, int], chance: random.Random) -> Point:
    """The one thread that values of `tid.x`, `ctaid.x` and so on name; those not given are 0."""
    launch = point_of(contract, values, shared, chance)
    tid, ctaid = (tuple(values.get(f"{stem}.{axis}", 0) for axis in AXES) for stem in ("tid", "ctaid"))
    integers = {name: values[name] for name, kind in contract.parameters if kind != "f32"}
    return Point(launch, integers, (tid[0], tid[1], tid[2]), (ctaid[0], ctaid[1], ctaid[2]))


def _threads(
    contract: Contract, values: Mapping[str, int], shared: Mapping[str, int], chance: random.Random
) -> Iterator[Point]:
    launch = point_of(contract, values, shared, chance)
    blocks = _indices(launch.grid, chance, few=True)
    for ctaid in blocks:
        for tid in _indices(launch.block, chance, few=False):
            yield Point(launch, values, tid, ctaid)


def _indices(size: tuple[int, int, int], chance: random.Random, few: bool) -> list[tuple[int, int, int]]:
    """First, last, and some other places of a block or grid."""
    total = size[0] * size[1] * size[2]
    flat = {0, total - 1, chance.randrange(total)}
    if not few:
        flat |= {t for t in (1, 31, 32, chance.randrange(total)) if t < total}
    return [(i % size[0], i // size[0] % size[1], i // (size[0] * size[1])) for i in sorted(flat)]


def _launch_clauses(contract: Contract) -> list[Term]:
    blockless = [c for c in domain(contract, {}) if not _mentions(c, ("ctaid", "tid", "nctaid"))]
    for extent, limit in zip(contract.grid, (2**31 - 1, 65_535, 65_535), strict=True):
        blockless += [("<=", 1, extent), ("<=", extent, limit)]
    return blockless


def _mentions(term: Term, stems: tuple[str, ...]) -> bool:
    if isinstance(term, Name):
        return term.name.split(".")[0] in stems and term.name[-1:] in AXES
    return any(_mentions(part, stems) for part in arguments(term))


def _candidates(contract: Contract) -> tuple[list[int], list[int]]:
    """Multiples of the contract's constants (tiles, limits, block sizes), and numbers around those."""
    constants = {1, 2, 8, 16, 32, contract.block[0]}
    for clause in (*contract.requires, *contract.grid):
        constants |= set(_constants(clause))
    exact = {factor * c for c in constants for factor in (1, 2, 3, 5)}
    around = {value + d for value in exact for d in (-9, -8, -7, -1, 0, 1, 7, 8, 9)}
    return sorted(exact), sorted(v for v in around if v >= 0)


def _constants(term: Term) -> Iterator[int]:
    if isinstance(term, int):
        yield abs(term)
    for part in arguments(term):
        yield from _constants(part)


def _values(
    contract: Contract, candidates: tuple[list[int], list[int]], clauses: list[Term], chance: random.Random, number: int
) -> dict[str, int]:
    unit = (16, 0, 2 << number // 4 % 3, 0)[number % 4]
    share = 1.0 if number % 4 == 0 else 0.7
    for attempt in range(_TRIES):
        values: dict[str, int] = {}
        for place, (name, kind) in enumerate(contract.parameters):
            if kind == "buffer":
                values[name] = _base(contract.buffers[name].align, unit, place, chance)
            elif kind == "power":
                inactive = number % 8 == 7
                values[name] = chance.choice((1, 2, 2**31, 2**32 - 1)) if inactive else ACTIVE
            elif kind != "f32":
                chosen = _number(contract.bounds(name), values, candidates, chance, attempt)
                values[name] = -(-chosen // 16) * 16 if number % 2 == 0 and chance.random() < share else chosen
        try:
            if all(evaluate(clause, values) for clause in clauses):
                return values
        except Unvalued:
            continue
    raise AuditError(f"{contract.entry}: no parameter values found that meet the contract's requirements")


def _base(align: int, unit: int, place: int, chance: random.Random) -> int:
    """An address apart from those of the other buffers, a multiple of its alignment.

    With a unit below 16 it is an odd multiple of it, with 16 any multiple, with 0 as chance has it: so that buffers are
    seen as equally aligned, as equally misaligned, and mixed.
    """
    at = (place + 1) * _SPREAD
    if chance.random() < 0.1:
        at = 2**64 - (place + 1) * _SPREAD
    if unit:
        offset = unit * (2 * chance.randrange(8) + (unit < 16))
    else:
        offset = chance.choice((0, 256, 16, 8, align, align * chance.randrange(64)))
    return at + -(-offset // align) * align


def _number(
    bounds: tuple[int, int],
    values: Mapping[str, int],
    candidates: tuple[list[int], list[int]],
    chance: random.Random,
    attempt: int,
) -> int:
    low, high = bounds
    exact, around = candidates
    way = chance.random()
    if way < 0.15:
        return min(max(chance.choice(exact), low), high)
    if way < 0.4 and values:
        near = chance.choice(list(values.values())) + chance.choice((-1, 0, 0, 1, 8))
        return min(max(near, low), high)
    if way < 0.7:
        return min(max(chance.choice(around), low), high)
    if way < 0.8:
        return chance.randint(1, 40)
    return min(max(chance.getrandbits(chance.randint(1, max(2, high.bit_length() - attempt % 20))), low), high)
