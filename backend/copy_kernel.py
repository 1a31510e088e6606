"""A plain copy kernel, the ceiling that elementwise kernels are measured against. Not shipped, not proved."""

from __future__ import annotations

from spec.contracts.model import Buffer, Ceilings, Contract, Parameter

THREADS, UNROLL = 256, 4
_TILE = THREADS * UNROLL  # 16-byte vectors a block

CONTRACT = Contract(
    stem="copy_ceiling",
    entry="copy_v4",
    parameters=(Parameter("x", "buffer"), Parameter("y", "buffer"), Parameter("vectors", "u64")),
    requires=("vectors >= 1 && vectors <= 2^36",),
    buffers=(
        Buffer("x", "u64", ("vectors * 2",), "r", align=16),
        Buffer("y", "u64", ("vectors * 2",), "w", align=16),
    ),
    block=(THREADS, 1, 1),
    grid=(f"ceil_div(vectors, {_TILE})", "1", "1"),
    outputs=("y",),
    ceilings=Ceilings(registers=64, static_shared=0),
    operator="copy",
)


def text() -> str:
    """PTX of the copy kernel: UNROLL independent 16-byte loads a thread, a block apart, then as many stores."""
    loads, stores = [], []
    for i in range(UNROLL):
        registers = ", ".join(f"%r{4 * i + k}" for k in range(4))
        loads += [
            f"add.u64 %rd5, %rd4, {i * THREADS};",
            f"setp.lt.u64 %p{i}, %rd5, %rd3;",
            f"@%p{i} ld.global.nc.v4.u32 {{{registers}}}, [%rd1+{16 * i * THREADS}];",
        ]
        stores.append(f"@%p{i} st.global.v4.u32 [%rd2+{16 * i * THREADS}], {{{registers}}};")
    body = [
        f".reg .pred %p<{UNROLL}>;",
        f".reg .b32 %r<{4 * UNROLL}>, %t, %b;",
        ".reg .b64 %rd<7>;",
        "ld.param.u64 %rd1, [x];",
        "ld.param.u64 %rd2, [y];",
        "ld.param.u64 %rd3, [vectors];",
        "mov.u32 %b, %ctaid.x;",
        "mov.u32 %t, %tid.x;",
        "cvt.u64.u32 %rd5, %t;",
        f"mul.wide.u32 %rd4, %b, {_TILE};",
        "add.u64 %rd4, %rd4, %rd5;",
        "shl.b64 %rd6, %rd4, 4;",
        "add.u64 %rd1, %rd1, %rd6;",
        "add.u64 %rd2, %rd2, %rd6;",
        *loads,
        *stores,
        "ret;",
    ]
    header = ".version 7.0\n.target sm_80\n.address_size 64\n"
    entry = ".visible .entry copy_v4(.param .u64 x, .param .u64 y, .param .u64 vectors)\n{\n"
    return header + entry + "\n".join(f"  {line}" for line in body) + "\n}\n"
