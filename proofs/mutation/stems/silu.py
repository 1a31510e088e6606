"""Mutants of SiLU; for barriers, races and shared memory, of SiLU with an exchange between neighbours."""

from __future__ import annotations

from proofs.mutation.model import Edit, Extension, Rule, edited, line_of, to

CELLS = ".reg .f32 %x, %t;"
BARRIER = "bar.sync 0;"
RULES = (
    Rule("narrow-shift", "no-wrap", "element's offset in 32 bits",
         r"shl\.b64 %offset, %at, (\d);",
         to(r"{ .reg .u32 %narrow; cvt.u32.u64 %narrow, %at; shl.b32 %narrow, %narrow, \1; "
             r"cvt.u64.u32 %offset, %narrow; }")),
)
EDITS = (
    Edit("alignment-8", "bounds", "vector path at multiples of 8 bytes", "and.b64 %bits, %bits, 15;",
         "and.b64 %bits, %bits, 7;"),
    Edit("alignment-inverted", "bounds", "vector path where buffers are misaligned",
         "setp.eq.u64 %is_vector, %bits, 0;", "setp.ne.u64 %is_vector, %bits, 0;"),
    Edit("vectors-of-4", "bounds", "twice as many vectors as there are", "shr.u64 %vectors, %n, 3;",
         "shr.u64 %vectors, %n, 2;"),
    Edit("tail-of-15", "bounds", "tail up to 15 elements", "and.b64 %tail, %n, 7;", "and.b64 %tail, %n, 15;"),
    Edit("x-for-y", "bounds", "x taken for y", "ld.param.u64 %y_base, [y];", "ld.param.u64 %y_base, [x];"),
    Edit("vectors-of-16", "coverage", "half the vectors", "shr.u64 %vectors, %n, 3;", "shr.u64 %vectors, %n, 4;"),
    Edit("tail-of-3", "coverage", "tail up to 3 elements", "and.b64 %tail, %n, 7;", "and.b64 %tail, %n, 3;"),
    Edit("no-scalar-path", "coverage", "misaligned buffers left out", "@!%is_vector bra SCALAR;",
         "@!%is_vector bra EXIT;"),
    Edit("base-129", "single-writer", "blocks 129 vectors apart, which a second round does not know",
         "mul.wide.u32 %base, %block, 128;", "mul.wide.u32 %base, %block, 129;"),
    Edit("base-127", "single-writer", "blocks 127 vectors apart instead of 128", "mul.wide.u32 %base, %block, 128;",
         "mul.wide.u32 %base, %block, 127;"),
    Edit("scalar-base-1023", "single-writer", "blocks 1023 elements apart instead of 1024",
         "mul.wide.u32 %base, %block, 1024;", "mul.wide.u32 %base, %block, 1023;"),
    Edit("step-127", "single-writer", "rounds 127 vectors a block apart instead of 128",
         "mul.wide.u32 %step, %blocks, 128;", "mul.wide.u32 %step, %blocks, 127;"),
    Edit("block-of-64", "abi", "half the block required", ".reqntid 128, 1, 1", ".reqntid 64, 1, 1"),
    Edit("tail-by-all", "single-writer", "every block writes the tail", "setp.ne.u32 %done, %block, 0;",
         "setp.ne.u32 %done, %block, %block;"),
    Edit("tail-by-none", "coverage", "no block writes the tail", "setp.ne.u32 %done, %block, 0;",
         "setp.eq.u32 %done, %block, %block;"),
    Edit("n-32-bits", "abi", "n declared with 32 bits", ".param .u64 n,", ".param .u32 n,"),
    Edit("buffers-swapped", "abi", "parameters in another order", ".param .u64 x,", ".param .u64 y, .param .u64 x,",
         gone=".param .u64 y,"),
    Edit("signed-n", "abi", "n used as a signed number", "shr.u64 %vectors, %n, 3;", "shr.s64 %vectors, %n, 3;"),
    Edit("trap-in-tail", "no-trap", "trap where there is a tail", "shl.b64 %at, %vectors, 3;",
         "shl.b64 %at, %vectors, 3; @%slot0 trap;"),
    Edit("endless", "no-trap", "loop without end", "cvt.u64.u32 %thread64, %thread;",
         "cvt.u64.u32 %thread64, %thread; HANG: bra HANG;"),
    Edit("constant", "refinement", "coarser constant log2 e", "mul.rn.f32 %t, %x, 0fBFB8AA3B;",
         "mul.rn.f32 %t, %x, 0fBFB8AB00;"),
    Edit("saturated", "refinement", "result clamped to [0, 1]", "cvt.rn.f16.f32 %h0, %x;",
         "cvt.rn.sat.f16.f32 %h0, %x;"),
    Edit("y-for-x", "refinement", "y taken for x", "ld.param.u64 %x_base, [x];", "ld.param.u64 %x_base, [y];"),
    Edit("truncated-n", "no-wrap", "n cut to 32 bits", "ld.param.u64 %n, [n];",
         "ld.param.u64 %n, [n]; { .reg .u32 %cut; cvt.u32.u64 %cut, %n; cvt.u64.u32 %n, %cut; }"),
    Edit("code-grown", "resources", "a thousand additions more", "cvt.f32.f16 %x, %h0;",
         "cvt.f32.f16 %x, %h0;" + " add.rn.f32 %x, %x, %x;" * 1000),
    Edit("shared-added", "resources", "shared memory that the contract does not allow", "mov.u32 %thread, %tid.x;",
         "mov.u32 %thread, %tid.x; { .shared .align 4 .b32 extra[128]; .reg .u32 %e; shl.b32 %e, %thread, 2; .reg "
         ".u32 %f; mov.u32 %f, extra; add.u32 %f, %f, %e; st.volatile.shared.u32 [%f], %thread; }"),
)
# Threads of a block hand their number to a neighbour: sound, and changes no result.
EXCHANGED = (
    "mov.u32 %blocks, %nctaid.x;",
    """mov.u32 %blocks, %nctaid.x;
    mov.u32 %own, cells;
    shl.b32 %next, %thread, 2;
    add.u32 %own, %own, %next;
    st.shared.u32 [%own], %thread;
    bar.sync 0;
    xor.b32 %next, %thread, 1;
    shl.b32 %next, %next, 2;
    mov.u32 %got, cells;
    add.u32 %next, %got, %next;
    ld.shared.u32 %got, [%next];
    shfl.sync.bfly.b32 %got, %got, 1, 31, 0xffffffff;
    setp.lt.u32 %slot0, %thread, 100;""",
)
KEPT = "st.shared.u32 [%own], %thread;"
TAKEN = "ld.shared.u32 %got, [%next];"
SHUFFLED = "shfl.sync.bfly.b32 %got, %got, 1, 31, 0xffffffff;"
_EDITS = (
    Edit("barrier-dropped", "race", "barrier dropped", BARRIER, ""),
    Edit("barrier-early", "race", "barrier before the store instead of behind it", KEPT, f"{BARRIER} {KEPT}",
         gone=BARRIER),
    Edit("one-word", "race", "all threads store to one word", KEPT, "st.shared.u32 [cells], %thread;"),
    Edit("store-behind-load", "race", "word reused with no barrier between", TAKEN, f"{TAKEN} {KEPT}"),
    Edit("barrier-guarded", "barrier", "barrier only for 100 threads", BARRIER,
         f"setp.lt.u32 %slot0, %thread, 100; @%slot0 {BARRIER}"),
    Edit("early-return", "barrier", "threads return before the barrier", BARRIER,
         f"setp.ge.u32 %slot0, %thread, 100; @%slot0 ret; {BARRIER}"),
    Edit("shuffle-guarded", "barrier", "shuffle only in 100 threads", SHUFFLED,
         f"setp.lt.u32 %slot0, %thread, 100; @%slot0 {SHUFFLED}"),
    Edit("shuffle-mask", "barrier", "shuffle for half a warp", SHUFFLED, SHUFFLED.replace("0xffffffff", "0xffff")),
    Edit("not-stored", "init", "shared words never written", KEPT, ""),
    Edit("half-stored", "init", "half of the shared words written", KEPT,
         f"setp.lt.u32 %slot0, %thread, 64; @%slot0 {KEPT}"),
    Edit("shared-beyond", "bounds", "neighbour beyond the last word", TAKEN, "ld.shared.u32 %got, [%next+4];"),
)


def exchange(text: str) -> str:
    """SiLU with an exchange between neighbours through shared memory: it has a barrier and a shuffle to break."""
    number = line_of(text, CELLS)
    text = edited(text, number, f"{CELLS} .reg .u32 %own, %next, %got; .shared .align 4 .b32 cells[128];")
    return edited(text, line_of(text, EXCHANGED[0]), EXCHANGED[1])


EXTENSION = Extension("exchange", exchange, _EDITS)
