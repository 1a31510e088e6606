"""The domain Dag: nodes in order, packed halves told apart, and refusal where a float would decide control."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spec.errors import Unsupported
from spec.operators import rmsnorm, silu
from spec.ptx.dag_words import Bits, Piece, assemble, cut, masked, union
from spec.ptx.extraction import Extracted, extract
from spec.ptx.faults import RACE
from spec.ptx.memory import Memory
from spec.ptx.node import Node, bits, constant, input_element, parameter
from spec.ptx.parser import parse
from tests.spec.programs import kernel

PTX = Path(__file__).parents[2] / "backend" / "ptx"
PARAMS = ".param .u64 out, .param .u64 x, .param .f32 eps"


def _extract(body: str, threads: int = 1, output: str = "f32", element: str = "f16", shared: str = "") -> Extracted:
    module = kernel(f"ld.param.u64 %d0, [out];\nld.param.u64 %d1, [x];\n{body}", params=PARAMS, shared=shared)
    memory = Memory()
    args: dict[str, Any] = {
        "out": memory.add("out", size=256),
        "x": memory.add("x", size=256, initialised=True, symbolic=element),
        "eps": 0,
    }
    return extract(
        module.entries[0], module, memory=memory, args=args, outputs={"out": output}, parameters=["eps"],
        grid=(1, 1, 1), block=(threads, 1, 1),
    )


def _x(element: int) -> Node:
    return input_element("x", element)


def test_operations_keep_order_rounding_and_operands() -> None:
    found = _extract(
        """ld.global.v2.f32 {%f0, %f1}, [%d1+8]; ld.param.f32 %f2, [eps];
        fma.rn.f32 %f3, %f0, %f1, 0f3F800000; mul.f32 %f4, %f3, %f2; ex2.approx.ftz.f32 %f5, %f4;
        st.global.f32 [%d0+4], %f5;""",
        element="f32",
    )
    fused = Node("ffma", ("f32", "rn", False, False), (_x(2), _x(3), constant(32, 0x3F800000)))
    product = Node("fmul", ("f32", "", False, False), (fused, parameter("eps")))
    assert dict(found.outputs) == {("out", 1): Node("approximate", ("ex2", "f32", True), (product,))}
    assert found.result.faults == []
    assert set(found.store_lines) == {("out", 1)}
    assert found.node_lines[fused] == found.node_lines[product] == found.store_lines["out", 1] - 1


@pytest.mark.parametrize(
    "body",
    [
        "ld.global.u32 %r0, [%d1+4]; mov.b32 {%h0, %h1}, %r0; mov.b32 %r1, {%h1, %h0};",
        "ld.global.u32 %r0, [%d1+4]; prmt.b32 %r1, %r0, 0, 0x1032;",
        "ld.global.u32 %r0, [%d1+4]; shf.l.wrap.b32 %r1, %r0, %r0, 16;",
        "ld.global.u32 %r0, [%d1+4]; shl.b32 %r1, %r0, 16; shr.u32 %r0, %r0, 16; or.b32 %r1, %r1, %r0;",
        "ld.global.u32 %r0, [%d1+4]; bfe.u32 %r2, %r0, 16, 16; and.b32 %r0, %r0, 0xffff; mov.u32 %r1, %r2;"
        "shl.b32 %r0, %r0, 16; or.b32 %r1, %r0, %r1;",
        "ld.global.v2.u16 {%h0, %h1}, [%d1+4]; cvt.u32.u16 %r0, %h0; cvt.u32.u16 %r1, %h1; shl.b32 %r0, %r0, 16;"
        "lop3.b32 %r1, %r0, %r1, 0, 0xFC;",
        "ld.global.u16 %h0, [%d1+4]; st.shared.u16 [s+2], %h0; ld.global.u16 %h0, [%d1+6]; st.shared.u16 [s], %h0;"
        "ld.shared.u32 %r1, [s];",
    ],
)
def test_halves_are_told_apart(body: str) -> None:
    """Elements 2 and 3 change places, by every way a kernel may do it."""
    found = _extract(body + "st.global.u32 [%d0], %r1;", output="f16", shared="s[16]")
    assert dict(found.outputs) == {("out", 0): _x(3), ("out", 1): _x(2)}


@pytest.mark.parametrize(("op", "low"), [("or", 0xF0F0), ("xor", 0x00F0), ("and", 0xF000)])
def test_known_bits_beside_a_node_are_computed(op: str, low: int) -> None:
    found = _extract(
        f"""ld.global.u16 %h0, [%d1]; cvt.u32.u16 %r0, %h0; shl.b32 %r0, %r0, 16; or.b32 %r0, %r0, 0xF0F0;
        mov.b32 %r1, {'0xFFFFF000' if op == 'and' else '0xF000'}; {op}.b32 %r0, %r0, %r1; st.global.u32 [%d0], %r0;""",
        output="f16",
    )
    assert dict(found.outputs) == {("out", 0): constant(16, low), ("out", 1): _x(0)}


def test_nodes_move_through_shuffles_shared_memory_and_known_selections() -> None:
    found = _extract(
        """mov.u32 %r0, %tid.x; mad.wide.u32 %d2, %r0, 4, %d1; ld.global.f32 %f0, [%d2];
        shfl.sync.bfly.b32 %r1, %f0, 1, 31, -1; mov.u32 %r9, s; mad.lo.u32 %r2, %r0, 4, %r9;
        st.shared.u32 [%r2], %r1; bar.sync 0; xor.b32 %r3, %r0, 2; mad.lo.u32 %r3, %r3, 4, %r9;
        ld.shared.f32 %f1, [%r3]; setp.lt.u32 %p0, %r0, 4; selp.f32 %f2, %f1, 0f00000000, %p0;
        mad.wide.u32 %d2, %r0, 4, %d0; st.global.f32 [%d2], %f2;""",
        threads=32, element="f32", shared="s[128]",
    )
    expected = {("out", t): _x(t ^ 3) if t < 4 else constant(32, 0) for t in range(32)}
    assert dict(found.outputs) == expected


def test_a_selection_by_a_floating_comparison_is_a_node() -> None:
    found = _extract(
        """ld.global.v2.f32 {%f0, %f1}, [%d1]; setp.gt.f32 %p0, %f0, %f1; selp.f32 %f2, %f0, %f1, %p0;
        st.global.f32 [%d0], %f2;""",
        element="f32",
    )
    greater = Node("fcompare", ("f32", False, "gt"), (_x(0), _x(1)))
    assert found.outputs["out", 0] is Node("select", (32,), (greater, _x(0), _x(1)))


def test_the_last_store_counts() -> None:
    found = _extract(
        "ld.global.v2.f32 {%f0, %f1}, [%d1]; st.global.f32 [%d0], %f0; st.global.f32 [%d0], %f1;", element="f32"
    )
    assert found.outputs["out", 0] is _x(1)


def test_in_place_stores_replace_the_input_element() -> None:
    found = _extract(
        "ld.global.f32 %f0, [%d1]; neg.f32 %f1, %f0; st.global.f32 [%d1], %f1; ld.global.f32 %f2, [%d1];"
        "st.global.f32 [%d0], %f2; mov.u32 %r0, 5; st.global.u32 [%d1], %r0; ld.global.f32 %f3, [%d1];"
        "st.global.f32 [%d0+4], %f3;",
        element="f32",
    )
    assert found.outputs["out", 0] is Node("fneg", ("f32", False), (_x(0),))
    assert found.outputs["out", 1] is constant(32, 5)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("setp.gt.f32 %p0, %f0, 0f00000000; @%p0 bra done; st.global.f32 [%d0], %f0; done: ret;", "a branch"),
        ("cvt.rzi.u32.f32 %r0, %f0; mad.wide.u32 %d2, %r0, 4, %d0; st.global.u32 [%d2], 1;", "a branch, address"),
        ("mov.b32 %r0, %f0; add.u32 %r0, %r0, 1; mov.b32 %f1, %r0; neg.f32 %f1, %f1;", "add, integer"),
        ("mov.b32 %r0, %f0; xor.b32 %r0, %r0, 0x80000000; st.global.u32 [%d0], %r0;", "bit_xor, integer"),
    ],
)
def test_what_it_cannot_express_is_refused_with_its_line(body: str, message: str) -> None:
    with pytest.raises(Unsupported, match=rf"line \d+: .*{message}"):
        _extract("ld.global.f32 %f0, [%d1];\n" + body, element="f32")


def test_a_word_of_parts_is_a_node_of_its_own() -> None:
    """Bytes put together, a field cut out: whichever instructions did it."""
    found = _extract("""ld.global.u32 %r0, [%d1]; shr.u32 %r1, %r0, 8; and.b32 %r1, %r1, 255; cvt.rn.f32.u32 %f0, %r1;
        st.global.f32 [%d0], %f0; ld.global.u8 %r2, [%d1+1]; cvt.rn.f32.u32 %f1, %r2; st.global.f32 [%d0+4], %f1;
        shl.b32 %r3, %r0, 24; mov.b32 %f2, %r3; neg.f32 %f2, %f2; st.global.f32 [%d0+8], %f2;""", element="f32")
    assert found.outputs["out", 0] is Node("int_to_float", (8, False, "f32", "rn"), (bits([(_x(0), 8, 8)]),))
    assert found.outputs["out", 1] is found.outputs["out", 0]
    top = bits([(constant(24, 0), 0, 24), (_x(0), 0, 8)])
    assert found.outputs["out", 2] is Node("fneg", ("f32", False), (top,))


def test_integers_are_converted_as_narrow_as_they_were_stored() -> None:
    """However a register extends them; an integer that is taken for another one is another node."""
    found = _extract("""ld.global.s8 %r0, [%d1+1]; cvt.rn.f32.s32 %f0, %r0; st.global.f32 [%d0], %f0;
        ld.global.u8 %r1, [%d1+1]; cvt.rn.f32.s32 %f1, %r1; st.global.f32 [%d0+4], %f1;
        cvt.rn.f32.s8 %f2, %r1; st.global.f32 [%d0+8], %f2; ld.global.u32 %r2, [%d1]; shl.b32 %r2, %r2, 16;
        shr.s32 %r2, %r2, 24; cvt.rn.f32.s32 %f3, %r2; st.global.f32 [%d0+12], %f3;
        cvt.rn.f32.u32 %f4, %r0; st.global.f32 [%d0+16], %f4;""", element="f32")
    byte = bits([(_x(0), 8, 8)])
    signed, unsigned = (Node("int_to_float", (8, sign, "f32", "rn"), (byte,)) for sign in (True, False))
    assert [found.outputs["out", i] for i in range(4)] == [signed, unsigned, signed, signed]
    assert found.outputs["out", 4].attrs == (32, False, "f32", "rn")


def test_detectors_stay_on() -> None:
    found = _extract("ld.global.f32 %f0, [%d1]; st.global.f32 [%d0], %f0;", threads=32, element="f32")
    assert [f.kind for f in found.result.faults] == [RACE]


def test_pieces_of_words() -> None:
    node = input_element("x", 0)
    high = Bits((Piece(16, None, value=0), Piece(16, node, 0, 16)))
    assert assemble([Piece(4, None, value=3), Piece(4, None, value=5)]) == 0x53
    assert masked(32, high, 0xFFFF0000) == high
    assert masked(32, high, 0x0000FFFF) == 0
    assert masked(32, high, 0x00FF0000) == Bits((Piece(16, None), Piece(8, node, 0, 16), Piece(8, None)))
    assert union(32, high, 0x1234) == Bits((Piece(16, None, value=0x1234), Piece(16, node, 0, 16)))
    assert union(32, high, 0x10000) is None
    assert cut(32, high, 16, 16) == [Piece(16, node, 0, 16)]


@pytest.mark.parametrize("n", [1, 7, 8, 300])
def test_shipped_silu_is_its_ordered_expression(n: int) -> None:
    module = parse((PTX / "silu.ptx").read_text())
    memory = Memory()
    args: dict[str, Any] = {
        "x": memory.add("x", size=2 * n, initialised=True, symbolic="f16"), "y": memory.add("y", size=2 * n), "n": n,
        "power_state": 0,
    }
    found = extract(
        module.entries[0], module, memory=memory, args=args, outputs={"y": "f16"}, grid=(1, 1, 1), block=(256, 1, 1)
    )
    assert found.result.faults == []
    assert found.outputs == {("y", i): silu.expression({"n": n}, "y", i) for i in range(n)}


@pytest.mark.parametrize("columns", [1, 31, 300])
def test_shipped_rmsnorm_is_its_ordered_expression(columns: int) -> None:
    module = parse((PTX / "rmsnorm.ptx").read_text())
    memory = Memory()
    values = {"rows": 2, "columns": columns, "x_stride": columns, "y_stride": columns}
    args: dict[str, Any] = {
        **values, "x": memory.add("x", size=4 * columns, initialised=True, symbolic="f16"),
        "w": memory.add("w", size=2 * columns, initialised=True, symbolic="f16"),
        "y": memory.add("y", size=4 * columns), "eps": 0, "power_state": 0,
    }
    found = extract(
        module.entries[0], module, memory=memory, args=args, outputs={"y": "f16"}, parameters=["eps"], grid=(2, 1, 1),
        block=(256, 1, 1),
    )
    assert found.result.faults == []
    assert found.outputs == {("y", i): rmsnorm.expression(values, "y", i) for i in range(2 * columns)}
