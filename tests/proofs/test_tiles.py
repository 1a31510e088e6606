"""Stores to one tile of a matrix: enumeration against going through all threads of several blocks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pytest

from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.claims import Claim
from proofs.entry import Analysis, analyse
from proofs.enumeration import enumerate_claim

PTX = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 C)
{
    .reg .b32 %r<12>;
    .reg .b64 %d<6>;
    ld.param.u64 %d0, [C];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mov.u32 %r5, %tid.x;
    mov.u32 %r6, %tid.y;
    mad.lo.u32 %r7, %r4, ROWS, %r6;
    and.b32 %r10, %r5, MASK;
    mul.lo.u32 %r10, %r10, STEP;
    mad.lo.u32 %r8, %r3, COLUMNS, %r10;
    mad.lo.u32 %r9, %r7, 64, %r8;
    mul.wide.u32 %d1, %r9, 4;
    add.u64 %d2, %d0, %d1;
    STORE
    ret;
}
"""
BLOCK, GRID = 4, 3
STORES = {1: "st.global.u32 [%d2], %r5;", 2: "st.global.v2.u32 [%d2], {%r5, %r6};"}


def analysis(monkeypatch: pytest.MonkeyPatch, of: Mapping[str, int], second: str = "") -> Analysis:
    monkeypatch.setattr("proofs.check.flags.assemble", lambda *args, **kwargs: None)
    text = PTX.replace("STORE", STORES[of["count"]] + second)
    for name in ("rows", "mask", "step", "columns"):
        text = text.replace(name.upper(), str(of[name]))
    request = CheckRequest(
        "k.ptx", text, block=(BLOCK, BLOCK, 1), grid=(GRID, GRID, 1), buffers=("C=u32[64,64]:w@8",)
    )
    (problem,) = problems(request)
    return analyse(problem)


def writers(found: Analysis) -> list[Claim]:
    return [c for c in found.claims if c.name.startswith("writers.")]


def collide(rows: int, columns: int, mask: int, step: int, count: int) -> bool:
    """Whether two threads of the launch write one element."""
    seen: set[tuple[int, int]] = set()
    for by, bx, ty, tx in product(range(GRID), range(GRID), range(BLOCK), range(BLOCK)):
        for c in range(count):
            place = (rows * by + ty, columns * bx + (tx & mask) * step + c)
            if place in seen:
                return True
            seen.add(place)
    return False


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("mask", [1, 2, 3])
def test_one_store_is_proved_only_if_no_two_threads_meet(
    mask: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    for rows, columns, step in product((2, 4, 5), (2, 4, 8), (1, 2)):
        of = {"rows": rows, "columns": columns, "mask": mask, "step": step, "count": count}
        found = analysis(monkeypatch, of)
        (claim,) = writers(found)
        if claim.finite is None:
            continue
        asked += 1
        assert enumerate_claim(found.enumerator, claim.finite).holds == (not collide(**of)), of
    assert asked


@pytest.mark.parametrize(("offset", "holds"), [(8, True), (4, False), (256, None)])
def test_two_stores_of_one_tile(offset: int, holds: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads write columns 0, 4, 8 and 12 of a tile. 256 bytes on is the next row, the last in another tile."""
    second = f"\n    st.global.v2.u32 [%d2+{offset}], {{%r5, %r6}};"
    found = analysis(monkeypatch, {"rows": 4, "columns": 16, "mask": 3, "step": 4, "count": 2}, second)
    (claim,) = (c for c in writers(found) if len(c.lines) == 2)
    answer = None if claim.finite is None else enumerate_claim(found.enumerator, claim.finite).holds
    assert answer is holds
