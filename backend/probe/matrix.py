"""mma.sync.m16n8k16 of binary16 with binary32 accumulators on a device, from operands in memory (matrix.ptx)."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.device import Device
from backend.launch import Descriptor, bind, prepare
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx import fragments
from spec.ptx.parser import parse

Array = npt.NDArray[Any]

M, N, K = 16, 8, 16
_CEILINGS = Ceilings(registers=64, static_shared=0)
_UNIFORM = Contract(
    stem="matrix",
    entry="uniform",
    parameters=(*(Parameter(name, "buffer") for name in ("a", "b", "c", "d", "differing")), Parameter("n", "u32")),
    requires=("n >= 1 && n <= 2^20",),
    buffers=(
        Buffer("a", "u32", ("n", "8"), "r", align=4),
        Buffer("b", "u32", ("n", "8"), "r", align=4),
        Buffer("c", "f32", ("n",), "r", align=4),
        Buffer("d", "u32", ("n",), "w", align=4),
        Buffer("differing", "u32", ("n",), "w", align=4),
    ),
    block=(256, 1, 1),
    grid=("ceil_div(n, 8)", "1", "1"),
    outputs=("d", "differing"),
    ceilings=_CEILINGS,
    operator="matrix",
)


def _fragments_contract(count: int) -> Contract:
    """The entry has no parameter for the number of warps, so each number has its contract."""
    return Contract(
        stem="matrix",
        entry="fragments",
        parameters=tuple(Parameter(name, "buffer") for name in "abcd"),
        requires=(),
        buffers=(
            Buffer("a", "u32", (f"{count}", "128"), "r", align=4),
            Buffer("b", "u32", (f"{count}", "64"), "r", align=4),
            Buffer("c", "f32", (f"{count}", "128"), "r", align=4),
            Buffer("d", "f32", (f"{count}", "128"), "w", align=4),
        ),
        block=(32, 1, 1),
        grid=(f"{count}", "1", "1"),
        outputs=("d",),
        ceilings=_CEILINGS,
        operator="matrix",
    )


class Dots:
    """Dot products of 16 on a device: all rows of A equal, all columns of B, all of C.

    `differing` counts the vectors of which some of the 128 results were not the same.
    """

    def __init__(self, device: Device) -> None:
        self.device, self.differing = device, 0
        self._descriptor = bind(_UNIFORM, _module())

    def __call__(self, a: Array, b: Array, c: Array) -> Array:
        """Words of the results, from words of a (n, 16), b (n, 16) and c (n)."""
        count = len(c)
        kinds = (np.uint16, np.uint16, np.uint32)
        given: list[Array] = [np.ascontiguousarray(v, kind) for v, kind in zip((a, b, c), kinds, strict=True)]
        outputs = _launch(self.device, self._descriptor, {"n": count}, given, [4 * count, 4 * count])
        d, differing = (out.view(np.uint32) for out in outputs)
        self.differing += int(np.count_nonzero(differing))
        return d


def layout(device: Device, seed: int, count: int = 64) -> int:
    """How many results of products of random matrices are wrong when registers are filled and read as fragments say.

    The numbers are small integers, of which any tensor core adds 16 products exactly; a register, lane or half that is
    read elsewhere than spec.ptx.fragments has it changes results.
    """
    random = np.random.Generator(np.random.Philox(seed))
    a, b, c = (random.integers(-99, 100, (count, *shape)) for shape in ((M, K), (K, N), (M, N)))
    row, column = fragments.left(M, K, "f16")
    left = _packed(a[:, row, column])
    row, column = fragments.right(K, "f16")
    right = _packed(b[:, row, column])
    row, column = (place[:, 0] for place in fragments.result(M, "f32"))
    start = c[:, row, column].astype(np.float32)
    descriptor = bind(_fragments_contract(count), _module())
    (out,) = _launch(device, descriptor, {}, [left, right, start], [start.nbytes])
    found = out.view(np.float32).reshape(start.shape)
    return int(np.count_nonzero(found != (a @ b + c)[:, row, column]))


def _packed(values: Array) -> Array:
    """Words (count, registers, lanes) of two binary16 numbers each, from integers (count, registers, 2, lanes)."""
    words = values.astype(np.float16).view(np.uint16).astype(np.uint32)
    return np.ascontiguousarray(words[:, :, 0] | words[:, :, 1] << 16)


def _module() -> Any:
    return parse((files(__package__) / "matrix.ptx").read_bytes().decode("ascii"), name="matrix.ptx")


def _launch(
    device: Device, descriptor: Descriptor, values: dict[str, int], given: list[Array], outputs: list[int]
) -> list[Array]:
    """Upload, launch, and the bytes of the outputs; buffers in the order of the contract's parameters."""
    memory = [device.alloc(size) for size in (*(array.nbytes for array in given), *outputs)]
    try:
        for place, array in zip(memory, given, strict=False):
            device.upload(place, array)
        names = [buffer.name for buffer in descriptor.contract.buffers]
        spans = {name: place.span() for name, place in zip(names, memory, strict=True)}
        device.launch(prepare(descriptor, values, spans))
        return [device.download(place) for place in memory[len(given) :]]
    finally:
        for place in memory:
            device.free(place)
