"""Faulty kernels that once came out as proved: each must stay short of proved in the obligation named."""

from __future__ import annotations

import pytest

from proofs.check.report import check
from proofs.check.request import CheckRequest
from proofs.verdict import Verdict
from spec.errors import BadInput

HEAD = ".version 7.8\n.target sm_89\n.address_size 64\n"
REGISTERS = ".reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %rd<12>;\n"
SHARED = ".shared .align 16 .b8 s[128];\n"
THREAD = "mov.u32 %r1, %tid.x; shl.b32 %r4, %r1, 2; mov.u32 %r3, s; add.u32 %r5, %r3, %r4;\n"
MIRROR = "add.u32 %r6, %r3, 124; sub.u32 %r7, %r6, %r4;\n"
OWN = "ld.param.u64 %rd1, [x]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3];\n"
EXCHANGE = "bar.sync 0; @%p1 ld.shared.u32 %r8, [%r7];\n"
X32, X1 = ("x=u32[32]:r",), ("x=u8[1]:rw",)
# y is written out of bounds where %p1 holds.
STRAY = "ld.param.u64 %rd1, [x]; @%p1 st.global.u8 [%rd1+1000], %r1; @!%p1 st.global.u8 [%rd1], %r1;\n"


def kernel(params: str, body: str, module: str = "", shared: str = "") -> str:
    listed = ", ".join(f".param .{p}" for p in params.split(", ") if p)
    return f"{HEAD}{module}.visible .entry k({listed})\n{{\n{REGISTERS}{shared}{body}ret;\n}}\n"


FAULTY = {
    "the writer's guard is a value it loaded, not the reader's": (
        "init", X32, (32,),
        kernel("u64 x", THREAD + MIRROR + OWN + "setp.ne.u32 %p1, %r2, 0; @%p1 st.shared.u32 [%r5], %r2;\n" + EXCHANGE,
               shared=SHARED),
    ),
    "the writer's guard is the round it left a loop in": (
        "init", X32, (32,),
        kernel("u64 x", THREAD + MIRROR + OWN + """and.b32 %r2, %r2, 7; mov.u32 %r9, 0;
            L: setp.ge.u32 %p2, %r9, %r2; @%p2 bra D; add.u32 %r9, %r9, 1; bra L;
            D: setp.gt.u32 %p1, %r9, 3; @%p1 st.shared.u32 [%r5], %r2;
            """ + EXCHANGE, shared=SHARED),
    ),
    "the writer's address is a value it loaded": (
        "init", X32, (32,),
        kernel("u64 x", THREAD + OWN + """and.b32 %r2, %r2, 31; shl.b32 %r2, %r2, 2; add.u32 %r2, %r2, %r3;
            setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [%r2], %r1; bar.sync 0; ld.shared.u32 %r8, [%r2];
            """, shared=SHARED),
    ),
    "offsets that are equal modulo 2^64": (
        "single-writer", (), (32,),
        kernel("u64 x", """ld.param.u64 %rd1, [x]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; shl.b64 %rd2, %rd2, 63;
            add.u64 %rd3, %rd1, %rd2; st.global.u8 [%rd3], %r1;
            """),
    ),
    "an address of shared memory used as a generic one": (
        "bounds", (), (32,),
        kernel("", "mov.u64 %rd1, s; mov.u32 %r1, 0; st.u8 [%rd1], %r1;\n", shared=SHARED),
    ),
    "a generic address used as one of shared memory": (
        "bounds", (), (32,),
        kernel("", "mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; mov.u32 %r1, 0; st.shared.u8 [%rd1], %r1;\n",
               shared=SHARED),
    ),
    "a generic address of shared memory can be large": (
        "bounds", X1, (1,),
        kernel("u64 x", """mov.u32 %r1, 0; mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;
            setp.gt.u64 %p1, %rd2, 1073741824;
            """ + STRAY, shared=SHARED),
    ),
    "two parameters that would be shown under one name": (
        "bounds", X1, (1,),
        kernel("u32 p1, u32 %n, u64 x",
               "ld.param.u32 %r1, [p1]; ld.param.u32 %r2, [%n]; setp.ne.u32 %p1, %r1, %r2;\n" + STRAY),
    ),
    "a load wider than its parameter": (
        "bounds", X1, (1,),
        kernel("u32 n, u32 m, u64 x",
               "mov.u32 %r1, 0; ld.param.u64 %rd2, [n]; setp.gt.u64 %p1, %rd2, 4294967295;\n" + STRAY),
    ),
    "an address through one pointer that reaches another's buffer": (
        "single-writer", (), (2,),
        kernel("u64 x, u64 y", """ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; sub.u64 %rd3, %rd2, %rd1;
            mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; selp.b64 %rd4, %rd3, 0, %p1; add.u64 %rd5, %rd1, %rd4;
            @%p1 st.global.u8 [%rd5], %r1; @!%p1 st.global.u8 [%rd2], %r1;
            """),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_kernel_is_not_proved(name: str) -> None:
    obligation, buffers, block, text = FAULTY[name]
    report = check(CheckRequest("faulty.ptx", text, block=block, grid=(1,), buffers=buffers))
    (row,) = [r for r in report.rows if r.obligation == obligation]
    assert row.verdict is not Verdict.PROVED


def test_a_generic_address_of_shared_memory_is_followed_back() -> None:
    body = THREAD + """cvt.u64.u32 %rd1, %r5; cvta.shared.u64 %rd2, %rd1; st.u32 [%rd2], %r1;
        cvta.to.shared.u64 %rd3, %rd2; ld.shared.u32 %r8, [%rd3+0]; st.shared.u32 [%rd3], %r8;
        """  # fmt: skip
    report = check(CheckRequest("generic.ptx", kernel("", body, shared=SHARED), block=(32,), grid=(1,)))
    assert {r.obligation for r in report.rows if r.verdict is Verdict.PROVED} >= {"bounds", "race"}


def test_the_name_of_the_dynamic_bytes_is_not_a_parameters() -> None:
    body = """ld.param.u32 %r1, [dynamic_shared]; mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, %r1; mov.u32 %r3, e;
        add.u32 %r4, %r3, %r2; @%p1 st.shared.u8 [%r4], %r2;
        """  # fmt: skip
    text = kernel("u32 dynamic_shared", body, module=".extern .shared .align 4 .b8 e[];\n")
    with pytest.raises(BadInput, match="rename it with --names"):
        check(CheckRequest("dynamic.ptx", text, block=(32,), grid=(1,)))
    renamed = check(CheckRequest("dynamic.ptx", text, block=(32,), grid=(1,), names=("n",)))
    assert {r.obligation: r.verdict for r in renamed.rows}["bounds"] is not Verdict.PROVED


@pytest.mark.parametrize("size", ["-1", "2 - 2", "2^40"])
def test_a_constant_size_that_the_hardware_does_not_take_is_bad_input(size: str) -> None:
    with pytest.raises(BadInput, match="the hardware takes 1 to"):
        check(CheckRequest("size.ptx", kernel("u64 x", ""), grid=(size,)))
    with pytest.raises(BadInput, match="the hardware takes 1 to"):
        check(CheckRequest("size.ptx", kernel("u64 x", ""), block=(size,)))
