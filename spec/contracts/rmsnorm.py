"""Contract of rmsnorm_f16: y[r, c] = x[r, c] / sqrt(mean(x[r, :]^2) + eps) * w[c], binary16 storage.

Strides are in elements. The order of the sum of squares, which is the same for every alignment and stride, is
written down in spec.operators.rmsnorm.
"""

from __future__ import annotations

from spec.contracts.model import Buffer, Ceilings, Contract, Parameter

THREADS = 256  # of the block that owns one row
VECTOR = 8  # binary16 elements in one 16-byte access
SLOTS = 3  # vectors of its row that a thread keeps in registers

CONTRACTS = (
    Contract(
        stem="rmsnorm",
        entry="rmsnorm_f16",
        parameters=(
            Parameter("x", "buffer"),
            Parameter("w", "buffer"),
            Parameter("y", "buffer"),
            Parameter("rows", "u32"),
            Parameter("columns", "u32"),
            Parameter("x_stride", "u32"),
            Parameter("y_stride", "u32"),
            Parameter("eps", "f32"),
            Parameter("power_state", "power"),
        ),
        requires=(
            "rows >= 1 && rows <= 2^31 - 1",
            "columns >= 1 && columns <= 2^16",
            "x_stride >= columns && x_stride <= 2^32 - 1",
            "y_stride >= columns && y_stride <= 2^32 - 1",
            "rows * x_stride <= 2^40 && rows * y_stride <= 2^40",
        ),
        # Below 2^-30 an intermediate could become subnormal; above 1 it would no longer be a regulariser.
        float_ranges={"eps": (2.0**-30, 1.0)},
        buffers=(
            Buffer("x", "f16", ("rows", "columns"), "r", leading="x_stride", align=2),
            Buffer("w", "f16", ("columns",), "r", align=2),
            Buffer("y", "f16", ("rows", "columns"), "w", leading="y_stride", align=2),
        ),
        block=(THREADS, 1, 1),
        grid=("rows", "1", "1"),
        outputs=("y",),
        ceilings=Ceilings(registers=40, static_shared=32, code_bytes=16_384),
        operator="rmsnorm",
    ),
)
