"""Where the elements of a matrix lie in the registers of a warp's lanes (PTX ISA 9.7.15.5).

With g = lane / 4 and t = lane % 4, and p elements in a register: A has rows g and g + 8, columns p*t .. p*t + p - 1 of
each 4*p; B the same with rows for columns; C and D rows g and g + 8, columns 2*t and 2*t + 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.ast import type_width

Array = npt.NDArray[Any]
LANE = np.arange(32)
GROUP, PLACE = LANE // 4, LANE % 4


def per_register(kind: str) -> int:
    """Elements of a type in a 32-bit register; tf32 fills one."""
    return 32 // type_width(kind)


def left(m: int, k: int, kind: str) -> tuple[Array, Array]:
    """Row and column of A for each (register, element, lane)."""
    p = per_register(kind)
    blocks, halves = k // (4 * p), m // 8
    shape = (blocks * halves, p, 32)
    rows, columns = np.zeros(shape, int), np.zeros(shape, int)
    for register in range(blocks * halves):
        block, half = divmod(register, halves)
        for element in range(p):
            rows[register, element] = GROUP + 8 * half
            columns[register, element] = p * PLACE + element + 4 * p * block
    return rows, columns


def right(k: int, kind: str) -> tuple[Array, Array]:
    """Row and column of B for each (register, element, lane)."""
    p = per_register(kind)
    shape = (k // (4 * p), p, 32)
    rows, columns = np.zeros(shape, int), np.zeros(shape, int)
    for register in range(shape[0]):
        for element in range(p):
            rows[register, element] = p * PLACE + element + 4 * p * register
            columns[register, element] = GROUP
    return rows, columns


def result(m: int, kind: str) -> tuple[Array, Array]:
    """Row and column of C and D for each (register, element, lane)."""
    p = per_register(kind)
    shape = (m // 8 * 2 // p, p, 32)
    rows, columns = np.zeros(shape, int), np.zeros(shape, int)
    for register in range(shape[0]):
        for element in range(p):
            half, column = divmod(register * p + element, 2)
            rows[register, element] = GROUP + 8 * half
            columns[register, element] = 2 * PLACE + column
    return rows, columns
