"""Layer norm of each row in three passes of 1024 columns at a time: mean, variance, result; any number of columns.

`python triton_layernorm.py [FAULT]` prints the PTX for sm_80.
"""

# mypy: ignore-errors

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_layernorm(
    x_ptr, y_ptr, w_ptr, b_ptr, columns, stride, eps, BLOCK: tl.constexpr, FAULT: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride
    y_ptr += row * stride
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + at, mask=at < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < columns, other=0.0)
        x = tl.where(at < columns, x - mean, 0.0)
        total += x * x
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + eps)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        there = at < columns
        w = tl.load(w_ptr + at, mask=there | (FAULT == "no_mask"))
        b = tl.load(b_ptr + at, mask=there)
        x = tl.load(x_ptr + at, mask=there, other=0.0)
        if FAULT == "off_by_one":
            tl.store(y_ptr + at, (x - mean) * scale * w + b, mask=at <= columns)
        else:
            tl.store(y_ptr + at, (x - mean) * scale * w + b, mask=there)


FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "w_ptr": "*fp32", "b_ptr": "*fp32", "columns": "i32",
             "stride": "i32", "eps": "fp32", "BLOCK": "constexpr", "FAULT": "constexpr"}  # fmt: skip
source = ASTSource(triton_layernorm, signature, {"BLOCK": 1024, "FAULT": FAULT})
print(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"])
