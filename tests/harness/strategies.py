"""Hypothesis strategies drawn from the contracts: sizes around every edge of the kernels, bases, strides, data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

from spec.contracts.model import ACTIVE, Contract
from spec.errors import ContractViolation
from spec.stems import part
from tests.harness.values import EXCEPTIONAL, FINITE, Recipe


@dataclass(frozen=True)
class Limits:
    """Largest sizes of the cases for one device."""

    rows: int
    columns: int
    elements: int
    padding: int


EMULATOR = Limits(rows=3, columns=2100, elements=9000, padding=40)
CUDA = Limits(rows=67, columns=65_536, elements=300_000, padding=300)


@dataclass(frozen=True)
class Case:
    """One launch to compare.

    Args:
        offsets: bytes of each buffer's base behind a multiple of 256.
        extra: a second run of the case: `tail`, with other bytes where none may matter; `alone`, the last row;
            `negate`, with x negated.
    """

    values: Mapping[str, int | float]
    recipes: Mapping[str, Recipe]
    offsets: Mapping[str, int]
    extra: str = "none"


def around(units: tuple[int, ...], most: int) -> st.SearchStrategy[int]:
    """1 to `most`: small numbers, multiples of the units and their neighbours, the limit and its neighbours."""
    small = st.integers(1, min(40, most))
    edges = [small]
    for unit in units:
        if unit <= most:
            edges.append(
                st.builds(
                    lambda k, d, u=unit: max(1, min(most, u * k + d)), st.integers(1, most // unit), st.integers(-1, 1)
                )
            )
    return st.one_of(*edges, st.integers(1, most), st.integers(max(1, most - 9), most))


def offsets(contract: Contract, name: str) -> st.SearchStrategy[int]:
    """Bases the contract allows, up to one 16-byte vector off; often none off, so that vector paths run."""
    align = contract.buffer(name).align
    return st.one_of(st.just(0), st.sampled_from(range(0, 16, align) if align < 16 else (0,)))


def recipes(exceptional: bool = True) -> st.SearchStrategy[Recipe]:
    finite = st.sampled_from(sorted(FINITE, key=list(FINITE).index))
    kinds = st.one_of(finite, finite, finite, st.sampled_from(list(EXCEPTIONAL))) if exceptional else finite
    return st.builds(Recipe, kinds, st.integers(0, 2**32 - 1))


def power_states() -> st.SearchStrategy[int]:
    """Mostly ACTIVE; else a value that must keep the output as it is."""
    return st.one_of(*[st.just(ACTIVE)] * 7, st.sampled_from((1, 2, 0x8000_0000, 0xFFFF_FFFF)))


@st.composite
def cases(draw: st.DrawFn, contract: Contract, limits: Limits) -> Case:
    """Cases of a contract, sizes from the module of its stem in tests/harness/stems; all within `requires`."""
    values = draw(part("tests.harness.stems", contract.stem, "sizes")(contract, limits))
    values["power_state"] = draw(power_states())
    try:
        contract.check_values({k: v for k, v in values.items() if isinstance(v, int)})
    except ContractViolation:
        assume(False)
    inputs = [b.name for b in contract.buffers if b.access != "w"]
    found = {name: draw(recipes()) for name in inputs}
    if "w" in found and draw(st.booleans()):
        found["w"] = Recipe("ones", 0)
    bases = {b.name: draw(offsets(contract, b.name)) for b in contract.buffers}
    if draw(st.booleans()):
        # The same offset everywhere, often none: only then do the bases meet the vector path's condition.
        bases = dict.fromkeys(bases, draw(st.sampled_from((0, 0, 2, 14))))
    return Case(values, found, bases, draw(st.sampled_from(part("tests.harness.stems", contract.stem, "EXTRAS"))))


def constant(contract: Contract, name: str) -> int:
    """A size stated beside the contract, as its kernel uses it."""
    return int(part("spec.contracts", contract.stem, name))
