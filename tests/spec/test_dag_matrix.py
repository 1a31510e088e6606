"""Matrix products and asynchronous copies of named elements: which elements meet in which sum."""

from __future__ import annotations

from typing import Any

import pytest

from spec.errors import Unsupported
from spec.ptx.extraction import Extracted, extract
from spec.ptx.memory import Memory
from spec.ptx.node import Node, constant, input_element
from tests.spec.programs import kernel

HEAD = """
    ld.param.u64 %d0, [out]; ld.param.u64 %d1, [x]; mov.u32 %r0, %tid.x; mov.u32 %r9, s;
    mad.lo.u32 %r8, %r0, 16, %r9; mad.wide.u32 %d2, %r0, 16, %d1; mad.wide.u32 %d3, %r0, 16, %d0;
"""
ZERO = constant(32, 0)


def _extract(body: str, element: str = "f16") -> Extracted:
    module = kernel(HEAD + body, params=".param .u64 out, .param .u64 x", shared="s[1024]")
    memory = Memory()
    args: dict[str, Any] = {
        "out": memory.add("out", size=512), "x": memory.add("x", size=1024, initialised=True, symbolic=element),
    }
    found = extract(
        module.entries[0], module, memory=memory, args=args, outputs={"out": "f32"}, grid=(1, 1, 1), block=(32, 1, 1),
    )
    assert found.result.faults == []
    return found


@pytest.mark.parametrize(
    "stage",
    [
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2]; st.shared.v4.u32 [%r8], {%r1, %r2, %r3, %r4}; bar.sync 0;",
        "cp.async.cg.shared.global [%r8], [%d2], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;",
    ],
    ids=["copied", "copied asynchronously"],
)
def test_a_product_adds_rows_and_columns_in_the_order_of_k(stage: str) -> None:
    """A is 16 x 16, row by row in x; the columns of B are the first eight rows of the same."""
    found = _extract(stage + """
        // Of A lane i gives row i % 16, half i / 16; of B column i % 8, half i / 8.
        and.b32 %r5, %r0, 15; shr.u32 %r6, %r0, 4; mad.lo.u32 %r7, %r5, 32, %r9; mad.lo.u32 %r7, %r6, 16, %r7;
        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r7];
        and.b32 %r5, %r0, 7; shr.u32 %r6, %r0, 3; and.b32 %r6, %r6, 1; mad.lo.u32 %r7, %r5, 32, %r9;
        mad.lo.u32 %r7, %r6, 16, %r7;
        ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r14, %r15}, [%r7];
        mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r10, %r11, %r12, %r13}, {%r14, %r15},
            {%f0, %f1, %f2, %f3};
        st.global.v4.f32 [%d3], {%f0, %f1, %f2, %f3};""")
    for lane in range(32):
        for i in range(4):
            row, column = lane // 4 + 8 * (i // 2), 2 * (lane % 4) + i % 2
            factors = [
                part for k in range(16)
                for part in (input_element("x", 16 * row + k), input_element("x", 16 * column + k))
            ]
            assert found.outputs["out", 4 * lane + i] is Node("mma", ("f16", "f32"), (*factors, ZERO))


def test_a_transposed_load_takes_elements_of_columns() -> None:
    found = _extract("""ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2]; st.shared.v4.u32 [%r8], {%r1, %r2, %r3, %r4};
        bar.sync 0; ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r10}, [%r8];
        mov.b32 {%h0, %h1}, %r10; cvt.f32.f16 %f0, %h0; cvt.f32.f16 %f1, %h1; st.global.v2.f32 [%d3], {%f0, %f1};""")
    for lane in range(32):
        for i in range(2):
            element = input_element("x", 8 * (2 * (lane % 4) + i) + lane // 4)
            assert found.outputs["out", 4 * lane + i] is Node("fconvert", ("f16", "f32", "", False, ""), (element,))


def test_the_zeros_of_a_copy_are_numbers() -> None:
    found = _extract("""cp.async.cg.shared.global [%r8], [%d2], 16, 4; cp.async.wait_all;
        ld.shared.v2.f32 {%f0, %f1}, [%r8]; st.global.v2.f32 [%d3], {%f0, %f1};""", element="f32")
    assert found.outputs["out", 4] is input_element("x", 4)
    assert found.outputs["out", 5] is ZERO


def test_a_sum_by_atomics_has_no_order() -> None:
    with pytest.raises(Unsupported, match="atomic"):
        _extract("st.shared.f32 [%r8], 0f00000000; ld.global.f32 %f0, [%d2]; red.shared.add.f32 [%r8], %f0;", "f32")
