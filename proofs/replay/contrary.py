"""What PTX leaves unspecified, other than the emulator gives it as a rule: a kernel may rest on neither."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.ast import Function
from spec.ptx.lanes import Lanes

Array = npt.NDArray[Any]
SAID = "what PTX leaves unspecified was taken as: x / 0 = 0, x % 0 = all ones"


class Contrary(Lanes):
    """Division by zero "yields an unspecified, machine-specific value" (PTX ISA 9.7.1.8)."""

    def div(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        found = super().div(width, signed, a, b)
        return np.where(b == 0, np.zeros_like(found), found)

    def rem(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        found = super().rem(width, signed, a, b)
        return np.where(b == 0, np.full_like(found, -1 % 2**width), found)


def divides(function: Function) -> bool:
    """Whether there is a quotient or remainder of integers whose divisor is in a register."""
    names = ("div", "rem")
    return any(i.base in names and i.opcode.rpartition(".")[2][0] in "us" for i in function.instructions())
