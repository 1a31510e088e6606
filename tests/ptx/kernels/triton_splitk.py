"""C += A B, tiles of 64 x 64 numbered in one dimension, K in four parts that are added atomically; M, N, K free.

`python triton_splitk.py [FAULT]` prints the PTX for sm_80.
"""

# mypy: ignore-errors

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_splitk(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PARTS: tl.constexpr, FAULT: tl.constexpr,
):
    tiles_n = tl.cdiv(N, BN)
    rows = (tl.program_id(0) // tiles_n) * BM + tl.arange(0, BM)
    columns = (tl.program_id(0) % tiles_n) * BN + tl.arange(0, BN)
    first = tl.program_id(1) * BK
    total = tl.zeros([BM, BN], tl.float32)
    for k in range(first, K, BK * PARTS):
        ks = k + tl.arange(0, BK)
        of_a = (rows[:, None] < M) & (ks[None, :] < K)
        of_b = (ks[:, None] < K) & (columns[None, :] < N)
        x = tl.load(a_ptr + rows[:, None].to(tl.int64) * K + ks[None, :], mask=of_a, other=0.0)
        y = tl.load(b_ptr + ks[:, None].to(tl.int64) * N + columns[None, :], mask=of_b, other=0.0)
        total = tl.dot(x, y, total)
    c = c_ptr + rows[:, None].to(tl.int64) * N + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    if FAULT == "plain":
        tl.store(c, tl.load(c, mask=inside) + total, mask=inside)
    elif FAULT == "unmasked":
        tl.atomic_add(c, total)
    else:
        tl.atomic_add(c, total, mask=inside)


FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp32", "M": "i32", "N": "i32", "K": "i32",
             "BM": "constexpr", "BN": "constexpr", "BK": "constexpr", "PARTS": "constexpr",
             "FAULT": "constexpr"}  # fmt: skip
# What Triton finds out about arguments at run time: these are multiples of 16.
even = {(i,): [["tt.divisibility", 16]] for i in (0, 1, 2, 4, 5)}
source = ASTSource(triton_splitk, signature, {"BM": 64, "BN": 64, "BK": 32, "PARTS": 4, "FAULT": FAULT}, even)
print(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_stages": 3, "num_warps": 4}).asm["ptx"])
