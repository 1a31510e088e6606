"""Causal attention, tiles of 64 x 64 of one head, head size 64; T and the strides of a head and of a token free.

`python triton_attention.py [FAULT]` prints the PTX for sm_80.
"""

# mypy: ignore-errors

import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def triton_attention(
    q_ptr, k_ptr, v_ptr, o_ptr, scale, T, stride_head, stride_token,
    D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, FAULT: tl.constexpr,
):
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * stride_head
    rows = tile * BM + tl.arange(0, BM)
    columns = tl.arange(0, BN)
    ds = tl.arange(0, D)
    own = rows[:, None].to(tl.int64) * stride_token + ds[None, :]
    q = tl.load(q_ptr + head + own, mask=rows[:, None] < T, other=0.0)
    best = tl.zeros([BM], tl.float32) - float("inf")
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for s in range(0, (tile + 1) * BM, BN):
        at = s + columns
        if FAULT == "overflow":
            place = at[:, None] * stride_token + ds[None, :]
        else:
            place = at[:, None].to(tl.int64) * stride_token + ds[None, :]
        there = at[:, None] < T
        if FAULT == "overhang":
            k = tl.load(k_ptr + head + place)
        else:
            k = tl.load(k_ptr + head + place, mask=there, other=0.0)
        scores = tl.dot(q, k.T) * scale
        scores = tl.where((rows[:, None] >= at[None, :]) & (at[None, :] < T), scores, -float("inf"))
        new = tl.maximum(best, tl.max(scores, 1))
        p = tl.exp(scores - new[:, None])
        fade = tl.exp(best - new)
        total = total * fade + tl.sum(p, 1)
        acc = acc * fade[:, None]
        if FAULT == "off_by_one":
            v = tl.load(v_ptr + head + place, mask=at[:, None] <= T, other=0.0)
        else:
            v = tl.load(v_ptr + head + place, mask=there, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc)
        best = new
    out = (acc / total[:, None]).to(tl.float16)
    if FAULT == "one_head":
        tl.store(o_ptr + own, out, mask=rows[:, None] < T)
    else:
        tl.store(o_ptr + head + own, out, mask=rows[:, None] < T)


FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
signature = {"q_ptr": "*fp16", "k_ptr": "*fp16", "v_ptr": "*fp16", "o_ptr": "*fp16", "scale": "fp32", "T": "i32",
             "stride_head": "i64", "stride_token": "i32",
             "D": "constexpr", "BM": "constexpr", "BN": "constexpr", "FAULT": "constexpr"}  # fmt: skip
# What Triton finds out about arguments at run time: these are multiples of 16.
even = {(i,): [["tt.divisibility", 16]] for i in (0, 1, 2, 3, 6, 7)}
source = ASTSource(triton_attention, signature, {"D": 64, "BM": 64, "BN": 64, "FAULT": FAULT}, even)
print(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_stages": 2, "num_warps": 4}).asm["ptx"])
