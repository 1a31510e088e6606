"""Contract of silu_f16: y[i] = x[i] * sigmoid(x[i]) over n elements of binary16."""

from __future__ import annotations

from spec.contracts.model import Buffer, Ceilings, Contract, Parameter

THREADS = 128
VECTOR = 8  # binary16 elements in one 16-byte access
VECTORS_PER_THREAD = 1  # 16-byte accesses in flight in one thread
TILE = THREADS * VECTORS_PER_THREAD * VECTOR  # elements that a block takes in one round of the vector path
SCALARS_PER_THREAD = 8  # 2-byte accesses in flight in one thread of the path for misaligned buffers
MAX_BLOCKS = 131_072  # more elements are covered by further rounds of the same blocks

CONTRACTS = (
    Contract(
        stem="silu",
        entry="silu_f16",
        parameters=(
            Parameter("x", "buffer"),
            Parameter("y", "buffer"),
            Parameter("n", "u64"),
            Parameter("power_state", "power"),
        ),
        requires=("n >= 1 && n <= 2^40",),
        buffers=(
            Buffer("x", "f16", ("n",), "r", align=2),
            Buffer("y", "f16", ("n",), "w", align=2),
        ),
        block=(THREADS, 1, 1),
        grid=(f"min(ceil_div(n, {TILE}), {MAX_BLOCKS})", "1", "1"),
        outputs=("y",),
        ceilings=Ceilings(registers=40, static_shared=0, code_bytes=16_384),
        operator="silu",
    ),
)
