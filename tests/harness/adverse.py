"""Cases made by hand: data that comes near a kernel's error bound, or every input where there are few enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spec.stems import part

Words = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Adverse:
    """A launch with its inputs in logical shape, buffers aligned and rows packed."""

    name: str
    values: Mapping[str, int | float]
    inputs: Mapping[str, Words]


def adverse(stem: str, widest: int) -> tuple[Adverse, ...]:
    """The cases of a kernel; rows of at most `widest` elements."""
    found: tuple[Adverse, ...] = part("tests.harness.stems", stem, "adverse")(widest)
    return found
