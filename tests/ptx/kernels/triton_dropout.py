"""y = x with some elements left out by counter-based random numbers, and the others scaled; n free.

`python triton_dropout.py [FAULT]` prints the PTX for sm_80.
"""

# mypy: ignore-errors

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_dropout(x_ptr, y_ptr, n, p, seed, SIZE: tl.constexpr, FAULT: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    number = tl.rand(seed, at)
    x = tl.load(x_ptr + at, mask=inside)
    y = tl.where(number > p, x / (1 - p), 0.0)
    if FAULT == "moved":
        tl.store(y_ptr + (at * 5 + seed) % n, y, mask=inside)
    else:
        tl.store(y_ptr + at, y, mask=inside)


FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32", "p": "fp32", "seed": "i32",
             "SIZE": "constexpr", "FAULT": "constexpr"}  # fmt: skip
# What Triton finds out about arguments at run time: these are multiples of 16.
even = {(i,): [["tt.divisibility", 16]] for i in (0, 1)}
source = ASTSource(triton_dropout, signature, {"SIZE": 1024, "FAULT": FAULT}, even)
print(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"])
