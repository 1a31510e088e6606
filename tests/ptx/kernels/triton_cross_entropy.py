"""Cross entropy of each row of logits against its label, in steps of 1024 columns; V and the pitch free.

`python triton_cross_entropy.py [FAULT]` prints the PTX for sm_80.
"""

# mypy: ignore-errors

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_cross_entropy(logits_ptr, labels_ptr, loss_ptr, V, stride, SIZE: tl.constexpr, FAULT: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels_ptr + row)
    of_row = logits_ptr + row * stride
    if FAULT == "narrow":
        of_row = logits_ptr + tl.program_id(0) * stride
    best = -float("inf")
    total = 0.0
    for start in range(0, V, SIZE):
        at = start + tl.arange(0, SIZE)
        if FAULT == "off_by_one":
            x = tl.load(of_row + at, mask=at <= V, other=-float("inf")).to(tl.float32)
        else:
            x = tl.load(of_row + at, mask=at < V, other=-float("inf")).to(tl.float32)
        new = tl.maximum(best, tl.max(x, 0))
        total = total * tl.exp(best - new) + tl.sum(tl.exp(x - new), 0)
        best = new
    x = tl.load(of_row + label).to(tl.float32)
    tl.store(loss_ptr + row, best + tl.log(total) - x)


FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
signature = {"logits_ptr": "*fp16", "labels_ptr": "*i32", "loss_ptr": "*fp32", "V": "i32", "stride": "i32",
             "SIZE": "constexpr", "FAULT": "constexpr"}  # fmt: skip
# What Triton finds out about arguments at run time: these are multiples of 16.
even = {(i,): [["tt.divisibility", 16]] for i in (0, 1, 2)}
source = ASTSource(triton_cross_entropy, signature, {"SIZE": 1024, "FAULT": FAULT}, even)
print(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"])
