"""A concrete launch of a kernel, as data. Imports nothing heavy: it is read on machines that only run kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any

ORDINARY, SHOWN = "ordinary", "shown"
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Argument:
    """One kernel parameter.

    Args:
        kind: `buffer`, `number`, `float`, `bytes` (a structure) or `null` (a pointer without a declaration).
        bits: its width; of a structure, all of it.
        value: of a number or float.
        bytes: of a buffer, to its last element.
        offset: of a buffer, bytes by which its base misses a multiple of 256.
        extents, strides: of a buffer, in elements; each of `strides` belongs to all extents but the last.
        low, high: integers in a buffer are from `low` to `high` - 1.
        rising: they do not fall.
        exact: the buffer holds `pieces`, base64 of zlib by offset, and else zeros; it is not drawn.
        data: of a structure, its bytes in hexadecimal, if they are not all zero.
        filled: whether the launch may read what is there before it; else nothing is written into it.
        taken: it is to be written in every element (`--covers`), and copied back after the launch.
    """

    name: str
    kind: str
    bits: int
    value: float = 0
    bytes: int = 0
    offset: int = 0
    element: str = ""
    extents: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    low: int = 0
    high: int = 0
    rising: bool = False
    exact: bool = False
    pieces: tuple[tuple[int, str], ...] = ()
    data: str = ""
    filled: bool = False
    taken: bool = False

    def to_json(self) -> dict[str, Any]:
        """What differs from the defaults."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) != f.default or f.default is MISSING}


@dataclass(frozen=True)
class Launch:
    """What one run of a kernel takes; `entry` is the name in the PTX."""

    kernel: str
    which: str
    entry: str
    grid: Triple
    block: Triple
    dynamic_shared: int
    arguments: tuple[Argument, ...]

    @property
    def words(self) -> str:
        """`n = 1000, grid 4x1x1, block 256x1x1`."""
        sizes = [f"{a.name} = {a.value}" for a in self.arguments if a.kind == "number"]
        shape = [f"{n} {'x'.join(map(str, size))}" for n, size in (("grid", self.grid), ("block", self.block))]
        offsets = [f"{a.name} {a.offset} past a multiple of 256" for a in self.arguments if a.offset]
        return ", ".join([*sizes, *shape, *offsets])

    @property
    def total_bytes(self) -> int:
        return sum(a.bytes + a.offset for a in self.arguments)

    def to_json(self) -> dict[str, Any]:
        content = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**content, "grid": list(self.grid), "block": list(self.block),
                "arguments": [a.to_json() for a in self.arguments]}  # fmt: skip


def launch_from(content: Mapping[str, Any]) -> Launch:
    """The launch that `Launch.to_json` wrote."""
    arguments = tuple(
        Argument(**{**a, "extents": tuple(a.get("extents", ())), "strides": tuple(a.get("strides", ())),
                    "pieces": tuple((offset, text) for offset, text in a.get("pieces", ()))})
        for a in content["arguments"]
    )  # fmt: skip
    return Launch(**{**content, "grid": triple(content["grid"]), "block": triple(content["block"]),
                     "arguments": arguments})  # fmt: skip


def triple(items: Sequence[int]) -> Triple:
    x, y, z = items
    return int(x), int(y), int(z)
