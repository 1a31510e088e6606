"""Softmax of each row, one program a row that holds all of it (at most 1024 columns).

`python triton_softmax.py [FAULT]` prints the PTX for sm_80.
"""

# mypy: ignore-errors

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_softmax(x_ptr, y_ptr, columns, x_stride, y_stride, BLOCK: tl.constexpr, FAULT: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    if FAULT == "off_by_one":
        x = tl.load(x_ptr + row * x_stride + at, mask=at <= columns, other=-float("inf"))
    else:
        x = tl.load(x_ptr + row * x_stride + at, mask=at < columns, other=-float("inf"))
    z = tl.exp(x - tl.max(x, axis=0))
    y = z / tl.sum(z, axis=0)
    if FAULT == "narrow":
        tl.store(y_ptr + tl.program_id(0) * y_stride + at, y, mask=at < columns)
    else:
        tl.store(y_ptr + row * y_stride + at, y, mask=at < columns)


FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "columns": "i32", "x_stride": "i32", "y_stride": "i32",
             "BLOCK": "constexpr", "FAULT": "constexpr"}  # fmt: skip
source = ASTSource(triton_softmax, signature, {"BLOCK": 1024, "FAULT": FAULT})
print(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"])
