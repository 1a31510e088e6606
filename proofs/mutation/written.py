"""Edits written out by hand: what rules do not find, and what a kernel has nothing of to drop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from proofs.mutation.model import Mutant, edited, line_of
from proofs.numerics.obligation import queries
from spec.contracts import contracts_of

EXCHANGE = "with an exchange"


@dataclass(frozen=True)
class Edit:
    """`old` is the whole code of a line, the nth of its kind; `new` stands instead, and the line `gone` is emptied."""

    name: str
    obligation: str
    words: str
    old: str
    new: str
    nth: int = 0
    gone: str = ""


GATE = "@%inactive bra EXIT;"
TESTED = "setp.ne.u32 %inactive, %power, 0;"
READ = "ld.param.u32 %power, [power_state];"
COMMON = (
    Edit("gate-dropped", "power-gate", "power check removed", GATE, ""),
    Edit("gate-inverted", "power-gate", "power check the wrong way round", TESTED, "setp.eq.u32 %inactive, %power, 0;"),
    Edit("gate-other-state", "power-gate", "another state than ACTIVE lets it run", TESTED,
         "setp.ne.u32 %inactive, %power, 1;"),
    Edit("gate-one-thread", "power-gate", "only the first 64 threads obey", GATE,
         "mov.u32 %thread, %tid.x; setp.lt.u32 %inactive, %thread, 64; setp.ne.and.u32 %inactive, %power, 0, "
         "%inactive; @%inactive bra EXIT;"),
)
STORED = "@%is_first st.shared.f32 [%partial_at], %sum;"
BARRIER = "bar.sync 0;"
FIRST_PART = "ld.shared.v4.f32 {%part0, %part1, %part2, %part3}, [partial];"
SECOND_PART = "ld.shared.v4.f32 {%part4, %part5, %part6, %part7}, [partial+16];"
RMSNORM = (
    Edit("barrier-dropped", "race", "barrier dropped", BARRIER, ""),
    Edit("barrier-early", "race", "barrier before the store instead of behind it", STORED, f"{BARRIER} {STORED}",
         gone=BARRIER),
    Edit("every-lane-stores", "race", "every lane stores the warp's sum", STORED, "st.shared.f32 [%partial_at], %sum;"),
    Edit("two-lanes-store", "race", "two lanes store the warp's sum", "setp.eq.u32 %is_first, %lane, 0;",
         "setp.lt.u32 %is_first, %lane, 2;"),
    Edit("two-warps-one-word", "race", "two warps store to one word", "shr.u32 %warp, %thread, 5;",
         "shr.u32 %warp, %thread, 6;"),
    Edit("store-behind-loads", "race", "shared word reused with no barrier between", SECOND_PART,
         SECOND_PART + " @%is_first st.shared.f32 [partial], %part0;"),
    Edit("barrier-guarded", "barrier", "barrier only for first lanes", BARRIER, f"@%is_first {BARRIER}"),
    Edit("barrier-by-thread", "barrier", "barrier only for threads that have a vector", BARRIER, f"@%slot0 {BARRIER}"),
    Edit("early-return", "barrier", "threads with a vector return before the barrier", BARRIER,
         f"@%slot0 ret; {BARRIER}"),
    Edit("sum-not-stored", "init", "shared words never written", STORED, ""),
    Edit("one-warp-stores", "init", "only the first warp's sum is written", "setp.eq.u32 %is_first, %lane, 0;",
         "setp.eq.u32 %is_first, %thread, 0;"),
    Edit("shared-beyond", "bounds", "shared load 16 bytes further", SECOND_PART,
         SECOND_PART.replace("partial+16", "partial+32")),
    Edit("shared-spread", "bounds", "shared words 8 bytes apart", "shl.b32 %warp, %warp, 2;",
         "shl.b32 %warp, %warp, 3;"),
    Edit("shared-misaligned", "bounds", "vector load at 4 bytes beyond a multiple of 16", FIRST_PART,
         FIRST_PART.replace("[partial]", "[partial+4]")),
    Edit("alignment-8", "bounds", "vector path at multiples of 8 bytes", "and.b64 %bits, %bits, 15;",
         "and.b64 %bits, %bits, 7;"),
    Edit("alignment-inverted", "bounds", "vector path where rows are misaligned", "setp.eq.u64 %is_vector, %bits, 0;",
         "setp.ne.u64 %is_vector, %bits, 0;"),
    Edit("weights-not-tested", "bounds", "alignment of w not tested", "or.b64 %bits, %bits, %w_row;", ""),
    Edit("vectors-of-4", "bounds", "twice as many vectors as there are", "shr.u32 %vectors, %columns, 3;",
         "shr.u32 %vectors, %columns, 2;"),
    Edit("tail-of-15", "bounds", "tail up to 15 elements", "and.b32 %tail, %columns, 7;",
         "and.b32 %tail, %columns, 15;"),
    Edit("stride-of-y", "bounds", "x read with the stride of y", "ld.param.u32 %stride, [x_stride];",
         "ld.param.u32 %stride, [y_stride];"),
    Edit("stride-of-x", "bounds", "y written with the stride of x", "ld.param.u32 %stride, [y_stride];",
         "ld.param.u32 %stride, [x_stride];"),
    Edit("weights-for-x", "bounds", "w taken for x", "ld.param.u64 %x_row, [x];", "ld.param.u64 %x_row, [w];"),
    Edit("x-for-y", "bounds", "x taken for y", "ld.param.u64 %y_row, [y];", "ld.param.u64 %y_row, [x];"),
    Edit("rows-for-columns", "bounds", "rows taken for columns", "ld.param.u32 %columns, [columns];",
         "ld.param.u32 %columns, [rows];"),
    Edit("vectors-of-16", "coverage", "half the vectors", "shr.u32 %vectors, %columns, 3;",
         "shr.u32 %vectors, %columns, 4;"),
    Edit("tail-of-3", "coverage", "tail up to 3 elements", "and.b32 %tail, %columns, 7;",
         "and.b32 %tail, %columns, 3;"),
    Edit("no-scalar-path", "coverage", "misaligned rows left out", "@!%is_vector bra OUT_SCALAR;",
         "@!%is_vector bra EXIT;"),
    Edit("gate-by-rows", "coverage", "rows taken for the power state", READ, "ld.param.u32 %power, [rows];"),
    Edit("step-255", "single-writer", "loop goes on by 255 vectors instead of 256", "add.u32 %base, %base, 256;",
         "add.u32 %base, %base, 255;", 2),
    Edit("step-257", "coverage", "loop goes on by 257 vectors instead of 256", "add.u32 %base, %base, 256;",
         "add.u32 %base, %base, 257;", 2),
    Edit("begin-767", "single-writer", "loop begins one vector early", "mov.u32 %base, 768;",
         "mov.u32 %base, 767;", 1),
    Edit("begin-769", "coverage", "loop begins one vector late", "mov.u32 %base, 768;", "mov.u32 %base, 769;", 1),
    Edit("one-row", "single-writer", "every block writes row 0", "mov.u32 %row, %ctaid.x;", "mov.u32 %row, 0;"),
    Edit("sum-step-255", "refinement", "vectors added twice", "add.u32 %base, %base, 256;",
         "add.u32 %base, %base, 255;"),
    Edit("block-of-128", "abi", "half the block required", ".reqntid 256, 1, 1", ".reqntid 128, 1, 1"),
    Edit("columns-64-bits", "abi", "columns declared with 64 bits", ".param .u32 columns,", ".param .u64 columns,"),
    Edit("strides-swapped", "abi", "parameters in another order", ".param .u32 x_stride,",
         ".param .u32 y_stride, .param .u32 x_stride,", gone=".param .u32 y_stride,"),
    Edit("signed-columns", "abi", "columns used as a signed number", "shr.u32 %vectors, %columns, 3;",
         "shr.s32 %vectors, %columns, 3;"),
    Edit("shared-grown", "resources", "64 words of shared memory for 8", ".shared .align 16 .f32 partial[8];",
         ".shared .align 16 .f32 partial[64];"),
    Edit("registers-capped", "resources", "registers capped, so that they spill", ".reqntid 256, 1, 1",
         ".reqntid 256, 1, 1 .maxnreg 24"),
    Edit("trap-in-tail", "no-trap", "trap where a row has a tail", "@%owns_tail st.global.b16 [%y_at], %x_tail;",
         "@%owns_tail trap; @%owns_tail st.global.b16 [%y_at], %x_tail;"),
    Edit("endless", "no-trap", "loop without end", "mov.f32 %sum, 0f00000000;",
         "mov.f32 %sum, 0f00000000; HANG: @%slot0 bra HANG;"),
    Edit("eps-outside", "refinement", "eps added after the root", "add.rn.f32 %scale, %scale, %eps;", ""),
    Edit("truncated-row", "no-wrap", "offset of the row cut to 32 bits", "add.u64 %x_row, %x_row, %offset;",
         "{ .reg .u32 %cut; cvt.u32.u64 %cut, %offset; cvt.u64.u32 %offset, %cut; } add.u64 %x_row, %x_row, %offset;"),
)
CELLS = ".reg .f32 %x, %t;"
SILU = (
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
EXCHANGE_EDITS = (
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


def written(stem: str, text: str) -> Iterator[Mutant]:
    """The mutants of a kernel that are written out."""
    for edit in (*COMMON, *(RMSNORM if stem == "rmsnorm" else SILU)):
        yield _mutant(stem, "shipped", edit, text)
    if stem == "silu":
        extended = exchange(text)
        for edit in EXCHANGE_EDITS:
            yield _mutant(stem, EXCHANGE, edit, extended)
    yield from _faulty_lemmas(stem, text)


def _mutant(stem: str, base: str, edit: Edit, text: str) -> Mutant:
    number = line_of(text, edit.old, edit.nth)
    mark = "exchange-" if base == EXCHANGE else ""
    changed = edited(text, number, edit.new)
    if edit.gone:
        changed = edited(changed, line_of(changed, edit.gone), "")
    return Mutant(f"{stem}.{mark}{edit.name}", stem, base, edit.obligation, edit.words, number, changed)


def _faulty_lemmas(stem: str, text: str) -> Iterator[Mutant]:
    """Lemmas of the error bound that claim a little more than is true."""
    for lemma in queries(contracts_of(stem)[0])[:: 3]:
        faulty = replace(lemma, smt_text=lemma.negative_control_text)
        words = f"claim of lemma {lemma.name} tightened beyond the truth"
        yield Mutant(f"{stem}.lemma.{lemma.name}", stem, "shipped", "numerics", words, 0, text, faulty)
