"""What a generator of the campaign makes: a kernel, what may be assumed of its launches, and a few of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    """One concrete launch that fulfils the assumptions.

    Args:
        grid, block: sizes of x, y and z.
        numbers: the value of each parameter that is no pointer.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    numbers: Mapping[str, int]


@dataclass(frozen=True)
class Kernel:
    """One kernel. Everything in it depends on the seed alone.

    Args:
        family: name of the generator's family.
        text: one module with one entry, named `k`, that ptxas accepts.
        block, grid: as `CheckRequest` takes them: a number, an expression over parameters, or None for any size.
        assumes: comparisons over parameters, as of `fltc check --assume`.
        buffers: declarations as of `fltc check --buffer`; sizes may be expressions.
        launches: 2 to 4 small ones.
        seed: what it was made from.
        meant: "" if sound by construction, else what was planted; for a person to read, no verdict hangs on it.
        facts: as of `fltc check --fact`.
        dynamic_shared: bytes of `.extern .shared` memory that every launch gives.
    """

    family: str
    text: str
    block: tuple[int | str | None, ...]
    grid: tuple[int | str | None, ...]
    assumes: tuple[str, ...]
    buffers: tuple[str, ...]
    launches: tuple[Launch, ...]
    seed: int
    meant: str = ""
    facts: tuple[str, ...] = ()
    dynamic_shared: int = 0
