"""The launches at which refinement is checked: together they reach every instruction of each shipped entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spec.contracts.model import ACTIVE


@dataclass(frozen=True)
class Case:
    """One launch.

    Args:
        name: what it reaches.
        values: the integer parameters, without the power parameter.
        offsets: bytes by which a buffer's base misses a multiple of 256.
        blocks: blocks of grid.x to run; empty for the whole grid. Elements of other blocks are not compared.
        power: the power parameter; unless it is ACTIVE nothing may be written.
    """

    name: str
    values: Mapping[str, int]
    offsets: Mapping[str, int] = field(default_factory=dict)
    blocks: tuple[int, ...] = ()
    power: int = ACTIVE


def _rows(name: str, rows: int, columns: int, x_stride: int, y_stride: int, **offsets: int) -> Case:
    values = {"rows": rows, "columns": columns, "x_stride": x_stride, "y_stride": y_stride}
    return Case(name, values, offsets)


CASES: Mapping[str, tuple[Case, ...]] = {
    "rmsnorm": (
        _rows("all registers, two rounds of the loop, tail", 1, 10_253, 10_256, 10_256),
        _rows("two register vectors", 1, 2_056, 2_056, 2_056),
        _rows("three register vectors, tail", 1, 4_107, 4_112, 4_112),
        _rows("scalar path, two rounds, tail", 1, 2_059, 2_059, 2_059, x=2, y=6),
        _rows("vector and scalar rows of one launch", 3, 20, 20, 21),
        _rows("one vector, several rows", 2, 8, 16, 8),
        _rows("no whole vector, aligned and not", 3, 5, 9, 5),
        _rows("one column", 2, 1, 1, 1),
        Case("not active", {"rows": 1, "columns": 20, "x_stride": 20, "y_stride": 20}, power=1),
    ),
    "silu": (
        Case("vector path, two blocks, tail", {"n": 1_024 + 515}),
        Case("vector path, second round of the grid, tail", {"n": 2**27 + 1_024 + 21}, blocks=(0,)),
        Case("scalar path, second round of the grid", {"n": 2**27 + 700}, {"x": 2, "y": 2}, blocks=(0,)),
        Case("scalar path, only the result misaligned", {"n": 300}, {"y": 14}),
        Case("tail alone", {"n": 5}),
        Case("one element, misaligned", {"n": 1}, {"x": 4}),
        Case("not active", {"n": 9}, power=1),
        Case("vector path without a tail", {"n": 64}),
    ),
}
