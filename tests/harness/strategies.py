"""Hypothesis strategies drawn from the contracts: sizes around every edge of the kernels, bases, strides, data."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from spec.contracts.model import ACTIVE, Contract
from spec.errors import ContractViolation
from tests.harness.values import EXCEPTIONAL, FINITE, Recipe

EXTRAS = {"rmsnorm": ("none", "tail", "alone", "negate"), "silu": ("none", "tail")}
"""Second runs of a case, by kernel: with other bytes where none may matter; the last row alone; the input negated."""


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
    """One launch to compare. `offsets`: bytes of each buffer's base behind a multiple of 256."""

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
    """Cases of a contract that this harness knows the sizes of; all within `requires`."""
    values = draw(_SIZES[contract.stem](contract, limits))
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
    return Case(values, found, bases, draw(st.sampled_from(EXTRAS[contract.stem])))


def _constant(contract: Contract, name: str) -> int:
    """A size stated beside the contract, as its kernel uses it."""
    module: Any = importlib.import_module(f"spec.contracts.{contract.stem}")
    return int(getattr(module, name))


@st.composite
def _rmsnorm_sizes(draw: st.DrawFn, contract: Contract, limits: Limits) -> dict[str, int | float]:
    threads, vector = _constant(contract, "THREADS"), _constant(contract, "VECTOR")
    kept = threads * vector * _constant(contract, "SLOTS")
    columns = draw(around((vector, threads, threads * vector, kept), limits.columns))
    rows = draw(st.integers(1, limits.rows if columns <= 4096 else min(limits.rows, 5)))
    paddings = st.one_of(
        st.just(0), st.just(-columns % vector), st.integers(1, limits.padding), st.just(-columns % vector + vector)
    )
    eps = draw(
        st.one_of(
            st.sampled_from((1e-5, 1e-6, 2.0**-30, 1.0)),
            st.floats(*contract.float_ranges["eps"], width=32, allow_subnormal=False),
        )
    )
    strides = {name: columns + draw(paddings) for name in ("x_stride", "y_stride")}
    return {"rows": rows, "columns": columns, **strides, "eps": eps}


@st.composite
def _silu_sizes(draw: st.DrawFn, contract: Contract, limits: Limits) -> dict[str, int | float]:
    threads, vector, tile = (_constant(contract, name) for name in ("THREADS", "VECTOR", "TILE"))
    return {"n": draw(around((vector, threads, threads * vector, tile), limits.elements))}


_SIZES = {"rmsnorm": _rmsnorm_sizes, "silu": _silu_sizes}
