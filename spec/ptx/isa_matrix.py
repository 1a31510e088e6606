"""Matrices spread over the lanes of a warp: ldmatrix, stmatrix, movmatrix, mma (PTX ISA 9.7.15.5).

All lanes of the warp carry these out together. They order no memory: a lane reads what others wrote only behind a
barrier. Sparse matrices, formats below 8 bits, wgmma and tcgen05 are not in the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from spec.ptx.domain import Domain, Shape
from spec.ptx.isa_memory import space
from spec.ptx.row import CONTROL, MEMORY, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_SECTION = "9.7.15.5"


def _load(x: Domain[W, P], f: Form, address: W) -> tuple[W, ...]:
    return x.load_matrices(space(f), int(f["num"].removeprefix("x")), f.has("trans"), address)


def _store(x: Domain[W, P], f: Form, address: W, values: tuple[W, ...]) -> None:
    x.store_matrices(space(f), f.has("trans"), address, values)


def _load_store() -> Iterator[Row]:
    for n in (1, 2, 4):
        tail = f".{{num:x{n}}}[trans:trans][space:shared|shared::cta].b16"
        yield Row(f"ldmatrix.sync.aligned.m8n8{tail}", (f"list{n}:b32",), ("mem",), MEMORY, _SECTION, _load)
        yield Row(f"stmatrix.sync.aligned.m8n8{tail}", (), ("mem", f"list{n}:b32"), MEMORY, _SECTION, _store)


def _mma(m: int, n: int, k: int, types: str, a: int, b: int, c: str) -> Row:
    """`types` spells D, A, B and C; `a` and `b` are numbers of registers, `c` the operand type of C and D."""

    def meaning(
        x: Domain[W, P], f: Form, left: tuple[W, ...], right: tuple[W, ...], add: tuple[W, ...]
    ) -> tuple[W, ...]:
        shape = Shape(m, n, k, f["a"], f["b"], f["c"], f.has("sat"))
        return x.mma(shape, left, right, add)

    template = f"mma.sync.aligned.m{m}n{n}k{k}.row.col{types}"
    return Row(template, (c,), (f"list{a}:b32", f"list{b}:b32", c), CONTROL, _SECTION, meaning)


def _mmas() -> Iterator[Row]:
    for k, a, b in ((8, 2, 1), (16, 4, 2)):
        yield _mma(16, 8, k, ".f16.{a:f16}.{b:f16}.{c:f16}", a, b, "list2:b32")
        for t in ("f16", "bf16"):
            yield _mma(16, 8, k, f".f32.{{a:{t}}}.{{b:{t}}}.{{c:f32}}", a, b, "list4:f32")
    for k, a, b in ((4, 2, 1), (8, 4, 2)):
        yield _mma(16, 8, k, ".f32.{a:tf32}.{b:tf32}.{c:f32}", a, b, "list4:f32")
    integers = "[sat:satfinite].s32.{a:s8|u8}.{b:s8|u8}.{c:s32}"
    yield _mma(8, 8, 16, integers, 1, 1, "list2:s32")
    yield _mma(16, 8, 16, integers, 2, 1, "list4:s32")
    yield _mma(16, 8, 32, integers, 4, 2, "list4:s32")


ROWS: tuple[Row, ...] = (
    *_load_store(),
    Row("movmatrix.sync.aligned.m8n8.trans.b16", ("b32",), ("b32",), CONTROL, _SECTION,
        lambda x, f, a: x.transpose_matrix(a)),
    *_mmas(),
)
