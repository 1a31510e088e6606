"""Contracts are consistent data, and what lies outside of one is refused by the clause it breaks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from spec.contracts import STEMS, contracts_of
from spec.contracts.expr import holds, names, parse_expr
from spec.contracts.model import ELEMENT_BYTES, MAX_BLOCK, MAX_GRID, MAX_THREADS, Contract
from spec.errors import ContractViolation

ALL = [contract for stem in STEMS for contract in contracts_of(stem)]
entries = pytest.mark.parametrize("contract", ALL, ids=lambda c: c.entry)

RMSNORM = {"rows": 3, "columns": 64, "x_stride": 64, "y_stride": 72, "power_state": 0}
GRID_ROWS = 2**31 - 1


def corners(contract: Contract) -> Iterator[dict[str, int]]:
    """Integer parameter values at powers of two and beside them that the contract allows."""
    sized = [p for p in contract.parameters if p.kind in ("u32", "u64")]
    edges = sorted({2**e + d for e in (0, 3, 12, 16, 31, 40) for d in (-1, 0, 1)})
    requires = contract.comparisons()
    for values in itertools.product(*([v for v in edges if v < 2 ** (8 * p.bytes)] for p in sized)):
        named = dict(zip((p.name for p in sized), values, strict=True))
        if all(holds(c, named) for c in requires):
            yield named


@entries
def test_names_and_shapes_are_those_of_parameters(contract: Contract) -> None:
    integers = {p.name for p in contract.parameters if p.kind in ("u32", "u64", "s32")}
    pointers = {p.name for p in contract.parameters if p.kind == "buffer"}
    assert {b.name for b in contract.buffers} == pointers
    assert len({p.name for p in contract.parameters}) == len(contract.parameters)
    assert set(contract.float_ranges) == {p.name for p in contract.parameters if p.kind == "f32"}
    assert all(names(c) <= integers for c in contract.comparisons())
    for expression in (*contract.grid, *(s for b in contract.buffers for s in (*b.shape, b.row_stride))):
        assert names(parse_expr(expression)) <= integers
    for buffer in contract.buffers:
        assert buffer.align % ELEMENT_BYTES[buffer.element] == 0
        assert buffer.access in ("r", "w", "rw")
    assert all("w" in contract.buffer(name).access for name in contract.outputs)
    assert {b.name for b in contract.buffers if "w" in b.access} == set(contract.outputs)


@entries
def test_power_state_is_the_last_parameter(contract: Contract) -> None:
    assert (contract.parameters[-1].name, contract.parameters[-1].kind) == (contract.power, "power")


@entries
def test_launches_at_the_corners_fit_the_hardware(contract: Contract) -> None:
    assert all(b <= limit for b, limit in zip(contract.block, MAX_BLOCK, strict=True))
    assert contract.block[0] * contract.block[1] * contract.block[2] <= MAX_THREADS
    seen = 0
    for values in corners(contract):
        seen += 1
        grid = contract.grid_for(values)
        assert all(1 <= size <= limit for size, limit in zip(grid, MAX_GRID, strict=True)), (values, grid)
        for buffer in contract.buffers:
            assert buffer.extent(values) <= 2**42
    assert seen > 10, "the corners must not be empty"


def test_the_largest_launches() -> None:
    rmsnorm, silu = contracts_of("rmsnorm")[0], contracts_of("silu")[0]
    widest = {"rows": GRID_ROWS, "columns": 512, "x_stride": 512, "y_stride": 512}
    rmsnorm.check_values(widest)
    assert rmsnorm.grid_for(widest) == (GRID_ROWS, 1, 1)
    silu.check_values({"n": 2**40})
    assert silu.grid_for({"n": 2**40})[0] < 2**31


def test_extent_ends_with_the_last_row() -> None:
    contract = contracts_of("rmsnorm")[0]
    assert contract.buffer("x").extent(RMSNORM) == 3 * 64 * 2
    assert contract.buffer("y").extent(RMSNORM) == (2 * 72 + 64) * 2
    assert contract.buffer("w").extent(RMSNORM) == 64 * 2


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"rows": 0}, "rows >= 1"),
        ({"rows": 2**31}, r"rows <= "),
        ({"columns": 0}, "columns >= 1"),
        ({"columns": 2**16 + 1, "x_stride": 2**17, "y_stride": 2**17}, "columns <= 65536"),
        ({"x_stride": 63}, "x_stride >= columns"),
        ({"y_stride": 63}, "y_stride >= columns"),
        ({"x_stride": 2**32}, "x_stride <= "),
        ({"rows": 2**20, "x_stride": 2**20 + 1}, r"\(rows \* x_stride\) <= 1099511627776"),
        ({"rows": 2**20, "y_stride": 2**20 + 1}, r"\(rows \* y_stride\) <= 1099511627776"),
    ],
)
def test_rmsnorm_refuses_by_clause(change: dict[str, int], clause: str) -> None:
    contract = contracts_of("rmsnorm")[0]
    contract.check_values(RMSNORM)
    with pytest.raises(ContractViolation, match=f"rmsnorm_f16 requires {clause}"):
        contract.check_values(RMSNORM | change)


def test_a_refusal_shows_the_values() -> None:
    with pytest.raises(ContractViolation, match=r"asked for rows=3, columns=0, x_stride=64"):
        contracts_of("rmsnorm")[0].check_values(RMSNORM | {"columns": 0})


@pytest.mark.parametrize(("n", "clause"), [(0, "n >= 1"), (2**40 + 1, "n <= 1099511627776")])
def test_silu_refuses_by_clause(n: int, clause: str) -> None:
    contract = contracts_of("silu")[0]
    contract.check_values({"n": 1, "power_state": 0})
    with pytest.raises(ContractViolation, match=f"silu_f16 requires {clause}"):
        contract.check_values({"n": n, "power_state": 0})
