"""C = A B in tiles of 64 x 64, steps of 32 along K, copies three stages ahead; M, N, K and all strides free.

`python triton_matmul.py [FAULT]` prints the PTX for sm_80.
"""

# mypy: ignore-errors

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, FAULT: tl.constexpr,
):
    pid_m = tl.program_id(1)
    pid_n = tl.program_id(0)
    rows = pid_m * BM + tl.arange(0, BM)
    columns = pid_n * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a = a_ptr + rows.to(tl.int64)[:, None] * stride_am + ks[None, :]
    b = b_ptr + ks.to(tl.int64)[:, None] * stride_bk + columns[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        if FAULT == "overhang":
            of_a = (rows[:, None] < M) & (ks[None, :] < K - k)
            of_b = (ks[:, None] < K - k) & (columns[None, :] >= 0)
        elif FAULT == "k_off_by_one":
            of_a = (rows[:, None] < M) & (ks[None, :] <= K - k)
            of_b = (ks[:, None] < K - k) & (columns[None, :] < N)
        else:
            of_a = (rows[:, None] < M) & (ks[None, :] < K - k)
            of_b = (ks[:, None] < K - k) & (columns[None, :] < N)
        x = tl.load(a, mask=of_a, other=0.0)
        y = tl.load(b, mask=of_b, other=0.0)
        total = tl.dot(x, y, total)
        a += BK
        b += stride_bk.to(tl.int64) * BK
    c = c_ptr + rows.to(tl.int64)[:, None] * stride_cm + columns[None, :]
    if FAULT == "two_writers":
        c = c_ptr + (rows % BM).to(tl.int64)[:, None] * stride_cm + columns[None, :]
    tl.store(c, total, mask=(rows[:, None] < M) & (columns[None, :] < N))


FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
names = ["a_ptr", "b_ptr", "c_ptr"]
signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "M": "i32", "N": "i32", "K": "i32",
             "stride_am": "i32", "stride_bk": "i32", "stride_cm": "i32",
             "BM": "constexpr", "BN": "constexpr", "BK": "constexpr", "FAULT": "constexpr"}  # fmt: skip
# What Triton finds out about arguments at run time: these are multiples of 16.
even = {(i,): [["tt.divisibility", 16]] for i in (0, 1, 2, 4, 5, 6, 7, 8)}
source = ASTSource(triton_matmul, signature, {"BM": 64, "BN": 64, "BK": 32, "FAULT": FAULT}, even)
print(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_stages": 3, "num_warps": 4}).asm["ptx"])
