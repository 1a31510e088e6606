"""Small kernels that go wrong in one way, to show that the campaign would notice a prover that overlooks it."""

from __future__ import annotations

from collections.abc import Mapping

from tests.campaign.kernel import Kernel, Launch

HEAD = """.version 7.8
.target sm_89
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)
{
.reg .pred %p<4>;
.reg .b32 %r<12>;
.reg .b64 %d<6>;
.shared .align 16 .b8 s[128];
ld.param.u64 %d0, [x];
ld.param.u64 %d1, [y];
ld.param.u32 %r1, [n];
mov.u32 %r0, %tid.x;
mul.wide.u32 %d2, %r0, 4;
add.u64 %d3, %d1, %d2;
mov.u32 %r2, s;
mad.lo.u32 %r3, %r0, 4, %r2;
xor.b32 %r4, %r0, 1;
mad.lo.u32 %r4, %r4, 4, %r2;
"""

GOOD = """st.shared.u32 [%r3], %r0;
bar.sync 0;
ld.shared.u32 %r5, [%r4];
st.global.u32 [%d3], %r5;
"""

FAULTY: Mapping[str, str] = {
    "race": GOOD + "st.shared.u32 [%r3], %r5;\n",
    "bounds": "ld.global.u32 %r5, [%d3+128];\nst.global.u32 [%d3], %r5;\n",
    "barrier": "setp.lt.u32 %p0, %r0, 16;\n@%p0 bar.sync 0;\nst.global.u32 [%d3], %r0;\n",
    "init": "ld.shared.u32 %r5, [%r3];\nst.global.u32 [%d3], %r5;\n",
    "single-writer": "st.global.u32 [%d1], %r0;\n",
    "no-trap": "setp.gt.u32 %p0, %r0, 30;\n@%p0 trap;\nst.global.u32 [%d3], %r0;\n",
}

ENDLESS = "setp.gt.u32 %p0, %r0, 30;\nL:\n@%p0 bra L;\nst.global.u32 [%d3], %r0;\n"
# Comes round after 2^31 rounds: the prover is right that it ends.
LONG = "mov.u32 %r5, 1;\nL:\nadd.u32 %r5, %r5, 2;\nsetp.ne.u32 %p0, %r5, 1;\n@%p0 bra L;\nst.global.u32 [%d3], %r0;\n"

# One lane waits at a barrier, and those that load a matrix for it.
ALONE = """setp.lt.u32 %p0, %r0, 1;
@%p0 bar.sync 0;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r2];
"""

# %r6 is written by half of the threads before a loop that may write it anew, and read by nobody: the prover takes it to
# hold anything, at the head of the loop something from the thread's number on.
UNWRITTEN = """setp.lt.u32 %p0, %r0, 16;
@!%p0 bra L1;
add.u32 %r6, %r0, 1;
L1:
mov.u32 %r5, 0;
L2:
setp.ge.s32 %p1, %r5, 3;
@%p1 bra L3;
setp.eq.u32 %p2, %r1, 77;
@!%p2 bra L4;
mul.lo.u32 %r6, %r5, 4;
L4:
add.u32 %r5, %r5, 3;
bra L2;
L3:
st.global.u32 [%d3], %r5;
"""

# Threads 0 and 16 write one word, since the product wraps.
WRAPS = """mul.lo.u32 %r5, %r0, 268435456;
shr.u32 %r5, %r5, 28;
mul.wide.u32 %d4, %r5, 4;
add.u64 %d4, %d1, %d4;
st.global.u32 [%d4], %r1;
"""


def kernel(body: str, seed: int = 0) -> Kernel:
    """A kernel of 32 threads over x and y of 32 words and a number."""
    launches = tuple(Launch((1, 1, 1), (32, 1, 1), {"n": n}) for n in (0, 3))
    return Kernel(
        "small", f"{HEAD}{body}ret;\n}}\n", (32, 1, 1), (1, 1, 1), ("n <= 5",), ("x=u32[32]:rw", "y=u32[32]:rw"),
        launches, seed,
    )  # fmt: skip
