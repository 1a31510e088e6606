"""Edits that are proved to change nothing, and edits like them that do change something and must not be."""

from __future__ import annotations

import pytest

from proofs.check.request import CheckRequest
from proofs.entry import Analysis, analyse
from proofs.mutation.equivalent import equivalence
from proofs.mutation.launches import Chooser
from proofs.mutation.making import mutants_of
from proofs.mutation.running import Subject
from proofs.mutation.target import target_of
from spec.contracts import contracts_of
from spec.ptx.parser import parse
from tests.proofs.test_mutants import ROOT

HEAD = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y)
{
    .shared .align 4 .u32 s[64];
    .reg .pred %p, %q;
    .reg .b32 %t, %a, %b, %c, %s;
    .reg .b64 %d, %y;
    ld.param.u64 %y, [y];
    mov.u32 %t, %tid.x;
"""
TAIL = """    mul.wide.u32 %d, %b, 4;
    add.u64 %y, %y, %d;
    st.global.u32 [%y], %t;
    ret;
}
"""


def analysis_of(text: str) -> tuple[Analysis, str]:
    target = target_of(CheckRequest("k.ptx", text, block=(64,), grid=(1,), buffers=("y=u32[4096]:rw",)))
    return analyse(target.problem(target.module)), text


# Between the calls an instruction of the text is another one of those that are carried out: the first call is put in
# place as one instruction less, the second as one more.
CALLS = HEAD.replace(".visible", ".func e() { }\n.func f() { .reg .b32 %c; mov.u32 %c, 1; ret; }\n.visible") + """
    ld.global.u32 %c, [%y];
    mov.u32 %b, 7;
    setp.ne.u32 %p, %c, 305419896;
    call.uni e;
    @%p bra L;
    add.u32 %b, %b, 1;
    add.u32 %b, %b, 2;
    add.u32 %a, %t, 3;
L:
    call.uni f;
    mov.u32 %a, 0;
    add.u32 %b, %b, %a;
"""


def claim(body: str, kind: str, words: str, proved: bool = True) -> str:
    """The claim by which the mutant with these words is equivalent; '' if there is none."""
    analysis, text = analysis_of(HEAD + body + TAIL)
    made = next(m for m in mutants_of(parse(text), None, [kind]) if m.words.startswith(words))
    found = equivalence(analysis, made, proved, None)
    return found.claim if found is not None else ""


# What is done, the kind of edit and the beginning of its words, and the claim that proves it; '' where nothing may.
CASES = {
    "a sign that no thread has": ("shr.u32 %b, %t, 1;", "signedness", ".u32", "local"),
    "a sign that some have": ("sub.u32 %a, %t, 8; shr.s32 %b, %a, 30; and.b32 %b, %b, 7;", "signedness", ".s32", ""),
    "a sign that is masked away": (
        "sub.u32 %a, %t, 8; shr.s32 %b, %a, 30; and.b32 %b, %b, 3;", "signedness", ".s32", "local"),
    "a bit that is shifted out": (
        "shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %b, %a, 2;", "constant", "1 made 2", "local"),
    "a bit that stays": ("shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %b, %a, 1;", "constant", "1 made 2", ""),
    "a bit that is shifted out, and read besides": (
        "shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %b, %a, 2; add.u32 %b, %b, %a;", "constant", "1 made 2:", ""),
    "a bit that is shifted out, and read in another block": (
        "shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %b, %a, 2; setp.eq.u32 %p, %t, 70; @%p bra L; L: "
        "add.u32 %b, %b, %a;", "constant", "1 made 2:", ""),
    "a bit that is shifted out, and written anew in another block": (
        "shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %b, %a, 2; setp.eq.u32 %p, %t, 70; @%p bra L; L: "
        "mov.u32 %a, 3;", "constant", "1 made 2:", "local"),
    "a bit that is shifted out, and written anew by some": (
        "shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %b, %a, 2; setp.eq.u32 %p, %t, 70; @%p bra L; L: "
        "@%p mov.u32 %a, 3; add.u32 %b, %b, %a;", "constant", "1 made 2:", ""),
    "what is not followed, of two numbers": ("add.u32 %a, %t, 1; popc.b32 %b, %a;", "constant", "1 made 2", ""),
    "what is not followed, of a bit that is shifted out": (
        "shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %a, %a, 2; popc.b32 %b, %a;", "constant", "1 made 2", "local"),
    "what is not followed, under two signs": (
        "ld.global.u32 %a, [%y]; ld.global.u32 %c, [%y+4]; rem.u32 %b, %a, %c; and.b32 %b, %b, 63;", "signedness",
        ".u32", ""),
    "a guard that holds": (
        "mov.u32 %b, 0; setp.lt.u32 %p, %t, 64; @%p mov.u32 %b, 1;", "guard-dropped", "guard", "local"),
    "a guard of some": ("mov.u32 %b, 0; setp.lt.u32 %p, %t, 63; @%p mov.u32 %b, 1;", "guard-dropped", "guard", ""),
    "a branch that nobody takes": (
        "mov.u32 %b, 0; setp.lt.u32 %p, %t, 64; @!%p bra L; mov.u32 %b, 1; L:", "guard-negated", "guard", ""),
    "a bit that is shifted out, and read where a branch goes": (
        "shl.b32 %a, %t, 2; add.u32 %a, %a, 1; shr.u32 %b, %a, 2; setp.eq.u32 %p, %t, 70; @%p bra L; mov.u32 %a, 3; "
        "L: add.u32 %b, %b, %a;", "constant", "1 made 2:", ""),
    "a shortcut around a store that nobody makes": (
        "mov.u32 %b, 0; setp.lt.u32 %q, %t, 5; setp.ge.u32 %p, %t, 5; @%p bra L; mov.u32 %c, 9; "
        "@%q st.global.u32 [%y+64], %t; L:", "comparison", "ge made gt", "local"),
    "a shortcut around a store that one thread makes": (
        "mov.u32 %b, 0; setp.lt.u32 %q, %t, 6; setp.ge.u32 %p, %t, 6; @%p bra L; "
        "@%q st.global.u32 [%y+64], %t; L:", "comparison", "6 made 5: setp.ge", ""),
    "a shortcut around what lanes exchange": (
        "mov.u32 %b, 0; setp.lt.u32 %q, %t, 5; setp.ge.u32 %p, %t, 32; @%p bra L; "
        "movmatrix.sync.aligned.m8n8.trans.b16 %c, %t; @%q st.global.u32 [%y+64], %c; L:", "comparison",
        "32 made 31", ""),
    "a shortcut around what is read": (
        "mov.u32 %b, 0; setp.ge.u32 %p, %t, 5; @%p bra L; mov.u32 %b, 9; L:", "comparison", "ge made gt", ""),
    "a shortcut further on": (
        "mov.u32 %b, 0; setp.lt.u32 %q, %t, 5; setp.ge.u32 %p, %t, 5; @!%q bra M; mov.u32 %b, 1; M: @%p bra L; "
        "@%q st.global.u32 [%y+64], %t; L:", "comparison", "ge made gt", "local"),
    "a shortcut further on, around what one thread does": (
        "mov.u32 %b, 0; setp.lt.u32 %q, %t, 6; setp.ge.u32 %p, %t, 6; @!%q bra M; mov.u32 %b, 1; M: @%p bra L; "
        "@%q st.global.u32 [%y+64], %t; L:", "comparison", "6 made 5: setp.ge", ""),
    "a shortcut that decides besides": (
        "mov.u32 %b, 0; setp.lt.u32 %q, %t, 5; setp.ge.u32 %p, %t, 5; @!%q bra M; mov.u32 %b, 1; M: @%p bra L; "
        "@%q st.global.u32 [%y+64], %t; L: @%p mov.u32 %b, 2;", "comparison", "ge made gt", ""),
    "a branch without its guard around nothing": (
        "mov.u32 %b, 0; setp.ge.u32 %p, %t, 5; @%p bra L; mov.u32 %c, 9; L:", "guard-dropped", "guard", "local"),
    "a branch without its guard around a barrier": (
        "mov.u32 %b, 0; setp.ge.u32 %p, %t, 64; @%p bra L; bar.sync 0; L:", "guard-dropped", "guard", ""),
    "a round in which nobody stores": (
        "mov.u32 %b, 0; mov.u32 %c, 0; H: setp.ge.u32 %p, %c, 128; @%p bra L; add.u32 %a, %c, %t; "
        "setp.lt.u32 %q, %a, 128; @%q st.global.u32 [%y+64], %t; add.u32 %c, %c, 64; bra H; L:", "comparison",
        "ge made gt", "local"),
    "a round in which some store": (
        "mov.u32 %b, 0; mov.u32 %c, 0; H: setp.ge.u32 %p, %c, 128; @%p bra L; add.u32 %a, %c, %t; "
        "setp.lt.u32 %q, %a, 129; @%q st.global.u32 [%y+64], %t; add.u32 %c, %c, 64; bra H; L:", "comparison",
        "ge made gt", ""),
    "a round that is counted": (
        "mov.u32 %b, 0; mov.u32 %c, 0; H: setp.ge.u32 %p, %c, 128; @%p bra L; add.u32 %a, %c, %t; "
        "setp.lt.u32 %q, %a, 128; @%q st.global.u32 [%y+64], %t; add.u32 %c, %c, 64; bra H; L: mov.u32 %b, %c;",
        "comparison", "ge made gt", ""),
    "a round behind which there is another": (
        "mov.u32 %b, 0; mov.u32 %c, 0; H: setp.ge.u32 %p, %c, 128; @%p bra L; add.u32 %a, %c, %t; "
        "setp.lt.u32 %q, %a, 64; @%q st.global.u32 [%y+64], %t; add.u32 %c, %c, 64; min.u32 %c, %c, 128; bra H; L:",
        "comparison", "ge made gt", ""),
    "a result that nobody reads": (
        "mov.u32 %b, 0; add.u32 %b, %t, 3; mov.u32 %b, 0;", "constant", "3 made 4", "unread"),
    "a barrier behind which nothing was stored": (
        "mov.u32 %b, 0; bar.sync 0;", "barrier-dropped", "dropped", "order"),
    "a barrier beside an atomic": (
        "mov.u32 %b, 0; atom.global.add.u32 %a, [%y], 1; bar.sync 0;", "barrier-dropped", "dropped", ""),
    "a barrier of a part of the block": ("mov.u32 %b, 0; bar.sync 1, 64;", "barrier-count", "1 made 2", ""),
    "a store made twice": (
        "mov.u32 %b, 0; st.global.u32 [%y], 1;", "store-doubled", "doubled: st.global.u32 [%y], 1", "again"),
    "an addition made twice": ("mov.u32 %b, 0; red.global.add.u32 [%y], 1;", "store-doubled", "doubled: red", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_only_what_changes_nothing_is_proved_to(name: str) -> None:
    body, kind, words, expected = CASES[name]
    assert claim(f"    {body}\n", kind, words) == expected


def test_lines_of_a_source_file_are_no_difference() -> None:
    body = "    .loc 1 3 0\n    mov.u32 %b, 0;\n    .loc 1 4 0\n    st.global.u32 [%y], 1;\n"
    analysis, text = analysis_of(HEAD + body + TAIL + '.file 1 "k.cu"\n')
    doubled = mutants_of(parse(text), None, ["store-doubled"])
    made = next(m for m in doubled if m.words.startswith("doubled: st.global.u32 [%y], 1"))
    found = equivalence(analysis, made, True, None)
    assert found is not None
    assert found.claim == "again"


def test_order_is_nothing_without_the_proof_of_the_mutant() -> None:
    assert claim("    mov.u32 %b, 0;\n    bar.sync 0;\n", "barrier-dropped", "dropped", proved=False) == ""


def test_launches_take_every_way_of_a_shipped_kernel() -> None:
    """Also the second round of a loop that goes over the grid: 2^27 elements and more, of which one block is run."""
    target = target_of(CheckRequest("silu.ptx", (ROOT / "backend/ptx/silu.ptx").read_text()))
    assert target.stem == "silu"
    problem = target.problem(target.module)
    chooser = Chooser(analyse(problem), Subject(problem.function, problem.module, False, False), target.elements)
    settings = chooser.choose()
    lines = {i.line for i in problem.function.instructions()}
    assert lines <= {line for kind, line in chooser.seen if kind == "line"}
    assert {s.values["n"] > 2**27 for s in settings} == {True, False}
    contract = contracts_of("silu")[0]
    assert {s.values.get(contract.power, 0) for s in settings} == {0, 1}


ROWS = """.version 8.4
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 tile[];
.visible .entry rows(.param .u64 px, .param .u64 py, .param .u32 pm, .param .u32 pn)
{
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %a<6>;
    ld.param.u64 %a0, [px];
    ld.param.u64 %a1, [py];
    ld.param.u32 %r0, [pn];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mul.lo.u32 %r3, %r1, %r0;
again:
    setp.ge.u32 %p, %r2, %r0;
    @%p ret;
    add.u32 %r4, %r3, %r2;
    mul.wide.u32 %a2, %r4, 4;
    add.u64 %a3, %a0, %a2;
    ld.global.u32 %r5, [%a3];
    add.u64 %a4, %a1, %a2;
    st.global.u32 [%a4], %r5;
    add.u32 %r2, %r2, 32;
    bra again;
}
"""


def test_launches_are_of_whole_tiles_and_long_loops_whatever_shared_memory_is_given() -> None:
    """A counter that steps 33 in place of 32 is a round off only behind 32 rounds."""
    assumes = ("pm >= 1 && pm <= 64 && pn >= 1 && pn <= 2^11", "dynamic_shared == 24576")
    buffers = ("px=u32[pm,pn]:r", "py=u32[pm,pn]:w")
    request = CheckRequest("rows.ptx", ROWS, block=("32",), grid=("pm",), assumes=assumes, buffers=buffers)
    target = target_of(request)
    problem = target.problem(target.module)
    subject = Subject(problem.function, problem.module, False, False)
    settings = Chooser(analyse(problem), subject, target.elements).choose()
    sizes = [(s.values["pm"], s.values["pn"]) for s in settings]
    assert any(33 <= m <= 64 and 33 <= n <= 64 for m, n in sizes)
    assert any(n > 32 * 33 for _, n in sizes)
    assert {1, 31, 32, 33, 63, 64, 65} <= {n for _, n in sizes}
    assert sizes[0][1] > 64, "what is run first takes all ways, and the loop again"


@pytest.mark.parametrize(("words", "said"), [("1 made 2: add", ""), ("3 made 4: add", "unread")])
def test_the_instruction_of_the_text_is_meant_where_there_are_calls(words: str, said: str) -> None:
    analysis, text = analysis_of(CALLS + TAIL)
    made = [m for m in mutants_of(parse(text), None, ["constant"]) if m.words.startswith(words)]
    assert len(made) == 1
    found = equivalence(analysis, made[0], True, None)
    assert (found.claim if found is not None else "") == said
