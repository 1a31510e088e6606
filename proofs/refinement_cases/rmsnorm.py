"""Launches of rmsnorm_f16 at which refinement is checked."""

from __future__ import annotations

from proofs.refinement_cases import Case


def _rows(name: str, rows: int, columns: int, x_stride: int, y_stride: int, **offsets: int) -> Case:
    values = {"rows": rows, "columns": columns, "x_stride": x_stride, "y_stride": y_stride}
    return Case(name, values, offsets)


CASES = (
    _rows("all registers, two rounds of the loop, tail", 1, 10_253, 10_256, 10_256),
    _rows("two register vectors", 1, 2_056, 2_056, 2_056),
    _rows("three register vectors, tail", 1, 4_107, 4_112, 4_112),
    _rows("scalar path, two rounds, tail", 1, 2_059, 2_059, 2_059, x=2, y=6),
    _rows("vector and scalar rows of one launch", 3, 20, 20, 21),
    _rows("one vector, several rows", 2, 8, 16, 8),
    _rows("no whole vector, aligned and not", 3, 5, 9, 5),
    _rows("one column", 2, 1, 1, 1),
    Case("not active", {"rows": 1, "columns": 20, "x_stride": 20, "y_stride": 20}, power=1),
)
