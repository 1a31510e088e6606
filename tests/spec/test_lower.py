"""Calls and indexed branches: put in place, they do what they say, at the lines of the text."""

from __future__ import annotations

import numpy as np
import pytest

from spec.errors import Unsupported
from spec.ptx.ast import Module
from spec.ptx.faults import RACE, TRAP, UNINITIALISED
from spec.ptx.lower import lowered
from spec.ptx.memory import Memory
from spec.ptx.parser import parse
from spec.ptx.schedules import SCHEDULES
from tests.spec.programs import launch

THREADS = 64

FUNCTIONS = """
.extern .func (.param .b32 retval) vprintf (.param .b64 format, .param .b64 arguments);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.func (.param .b32 result) twice(.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [x];
    shl.b32 %r2, %r1, 1;
    st.param.b32 [result+0], %r2;
    ret;
}
.func (.param .align 8 .b8 result[16]) pair(.param .b32 x, .param .align 8 .b8 y[16])
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    .local .align 8 .b8 mine[8];
    ld.param.u32 %r1, [x];
    ld.param.u64 %d1, [y+8];
    ld.param.v2.u32 {%r4, %r5}, [y];
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra small;
    {
    .param .b32 param0; st.param.b32 [param0], %r1; .param .b32 retval0;
    call.uni (retval0), twice, (param0);
    ld.param.b32 %r1, [retval0];
    }
small:
    mov.u64 %d2, mine;
    st.local.u32 [%d2], %r1;
    ld.local.u32 %r2, [%d2];
    add.u32 %r2, %r2, %r5;
    st.param.v2.b32 [result], {%r2, %r4};
    st.param.b64 [result+8], %d1;
    @%p1 ret;
    add.u32 %r2, %r2, 1;
    st.param.b32 [result], %r2;
    ret;
}
.func (.reg .b32 sum) total(.reg .b32 a, .reg .b32 b) { add.u32 sum, a, b; ret; }
.shared .align 4 .b32 word;
.func clash() {
    st.shared.u32 [word], 1;
    ret;
}
.func (.reg .b32 old) keep(.reg .b32 value) {
    .shared .align 4 .b32 s[64];
    .reg .b32 %a, %t;
    mov.u32 %t, %tid.x; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a;
    ld.shared.u32 old, [%a]; st.shared.u32 [%a], value;
    ret;
}
.func recursive(.param .b32 x) { .param .b32 p; .reg .b32 %r1; ld.param.u32 %r1, [x]; st.param.b32 [p], %r1;
    call recursive, (p); ret; }
"""


def _kernel(body: str) -> Module:
    return parse(f""".version 8.0
.target sm_89
.address_size 64
{FUNCTIONS}
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .b64 %d<16>;
    .shared .align 4 .b32 s[64];
    mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r0, 16, %d0; mov.u32 %r9, 0;
{body}
}}
""")


def _run(body: str, schedule: str = "forward") -> tuple[np.ndarray[tuple[int, int], np.dtype[np.uint32]], list[str]]:
    memory = Memory()
    out = memory.add("out", size=16 * THREADS, initialised=True)
    result = launch(_kernel(body), memory, {"out": out}, block=(THREADS, 1, 1), schedule=schedule)
    return memory["out"].array(np.uint32).reshape(THREADS, 4), [f.kind for f in result.faults]


TWICE = "{ .param .b32 p; st.param.b32 [p], %r0; .param .b32 q; call.uni (q), twice, (p); ld.param.b32 %r1, [q]; }"


def test_a_function_of_a_function() -> None:
    got, faults = _run("""
        { .param .b32 p; .param .align 8 .b8 y[16]; .param .align 8 .b8 q[16];
        st.param.b32 [p], %r0; st.param.v2.b32 [y], {7, 100}; cvt.u64.u32 %d1, %r0; st.param.b64 [y+8], %d1;
        call (q), pair, (p, y);
        ld.param.v2.u32 {%r1, %r2}, [q]; ld.param.u64 %d2, [q+8]; }
        cvt.u32.u64 %r3, %d2; st.global.v4.u32 [%d0], {%r1, %r2, %r3, 0};""")
    assert faults == []
    want = [[t + 100 if t < 10 else 2 * t + 101, 7, t, 0] for t in range(THREADS)]
    assert got.tolist() == want


def test_two_calls_have_registers_of_their_own() -> None:
    got, faults = _run(f"""{TWICE} mov.u32 %r5, %r1; add.u32 %r0, %r0, 1; {TWICE}
        st.global.v2.u32 [%d0], {{%r5, %r1}};""")
    assert faults == []
    assert got[:, :2].tolist() == [[2 * t, 2 * t + 2] for t in range(THREADS)]


def test_a_function_keeps_its_static_variables_and_not_those_of_the_entry() -> None:
    got, faults = _run("""mov.u32 %r2, s; mad.lo.u32 %r2, %r0, 4, %r2; st.shared.u32 [%r2], 77;
        call (%r4), keep, (%r0); call (%r5), keep, (99); ld.shared.u32 %r3, [%r2];
        st.global.v2.u32 [%d0], {%r5, %r3};""")
    assert faults == [UNINITIALISED]  # by the first of the two calls
    assert got[:, :2].tolist() == [[t, 77] for t in range(THREADS)]


def test_a_call_under_a_guard_and_parameters_in_registers() -> None:
    got, faults = _run("""setp.ge.u32 %p1, %r0, 9; mov.u32 %r1, 5; @%p1 call (%r1), total, (%r0, 1000);
        st.global.u32 [%d0], %r1;""")
    assert faults == []
    assert got[:, 0].tolist() == [t + 1000 if t >= 9 else 5 for t in range(THREADS)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_parted_lanes_call_functions_of_functions_under_any_schedule(schedule: str) -> None:
    """Lanes on both sides of a branch call, in rounds of their own number, and leave the functions on their own."""
    got, faults = _run(f"""and.b32 %r7, %r0, 3; mov.u32 %r8, 0; setp.lt.u32 %p1, %r7, 2;
        more: @%p1 bra other;
        {TWICE} add.u32 %r9, %r9, %r1; bra next;
        other: {{ .param .b32 p; .param .align 8 .b8 y[16]; .param .align 8 .b8 q[16];
        st.param.b32 [p], %r0; st.param.v2.b32 [y], {{1, 50}}; mov.b64 %d1, 0; st.param.b64 [y+8], %d1;
        call (q), pair, (p, y); ld.param.v2.b32 {{%r1, %r2}}, [q]; }}
        add.u32 %r9, %r9, %r1;
        next: add.u32 %r8, %r8, 1; setp.le.u32 %p2, %r8, %r7; @%p2 bra more;
        bar.warp.sync -1; shfl.sync.bfly.b32 %r3, %r9, 1, 31, -1; st.global.v2.u32 [%d0], {{%r9, %r3}};""", schedule)
    assert faults == []
    each = [(t % 4 + 1) * (2 * t if t % 4 > 1 else t + 50 if t < 10 else 2 * t + 51) for t in range(THREADS)]
    assert got[:, 0].tolist() == each
    assert got[:, 1].tolist() == [each[t ^ 1] for t in range(THREADS)]


def test_printing_does_nothing_and_a_failed_assertion_ends() -> None:
    body = """{{ .param .b64 f; .param .b64 v; .param .b32 q; st.param.b64 [f], %d0; st.param.b64 [v], 0;
        call.uni (q), vprintf, (f, v); ld.param.b32 %r1, [q]; }}
        setp.lt.u32 %p1, %r0, {limit}; @%p1 bra fine;
        {{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
        st.param.b64 [a], 0; st.param.b64 [b], 0; st.param.b32 [c], 0; st.param.b64 [d], 0; st.param.b64 [e], 1;
        call.uni __assertfail, (a, b, c, d, e); }}
        fine: st.global.u32 [%d0], 3;"""
    for limit, faults in ((THREADS, []), (5, [TRAP])):
        got, found = _run(body.format(limit=limit))
        assert found == faults
        assert got[:, 0].tolist() == [3 if t < limit else 0 for t in range(THREADS)]


BRANCHES = """targets: .branchtargets A, B, C;
    {guard} brx.idx{uniform} %r1, targets;
    st.global.u32 [%d0], 9; ret;
    A: st.global.u32 [%d0], 1; ret;
    B: st.global.u32 [%d0], 2; ret;
    C: st.global.u32 [%d0], 3; ret;"""


@pytest.mark.parametrize("uniform", ["", ".uni"])
def test_an_indexed_branch_goes_to_one_of_its_targets(uniform: str) -> None:
    got, faults = _run("rem.u32 %r1, %r0, 3;" + BRANCHES.format(guard="", uniform=uniform))
    assert faults == []
    assert got[:, 0].tolist() == [t % 3 + 1 for t in range(THREADS)]


def test_an_index_beyond_the_list_is_a_fault_and_a_guard_keeps_it_out() -> None:
    body = "rem.u32 %r1, %r0, 4; setp.ne.u32 %p1, %r1, 3;"
    assert _run(body + BRANCHES.format(guard="", uniform=""))[1] == [TRAP]
    got, faults = _run(body + BRANCHES.format(guard="@%p1", uniform=""))
    assert faults == []
    assert got[:, 0].tolist() == [9 if t % 4 == 3 else t % 4 + 1 for t in range(THREADS)]


def test_faults_in_a_function_have_the_lines_of_the_text() -> None:
    module = _kernel("call clash;")
    memory = Memory()
    out = memory.add("out", size=16 * THREADS, initialised=True)
    (fault,) = launch(module, memory, {"out": out}, block=(THREADS, 1, 1)).faults
    assert fault.kind == RACE
    assert "st.shared.u32 [word]" in module.text.splitlines()[fault.line - 1]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{ .param .b32 p; st.param.b32 [p], 0; call recursive, (p); }", "call of recursive, which is recursive"),
        ("proto: .callprototype (.param .b32 _) _ (.param .b32 _); mov.u64 %d1, twice;"
         "{ .param .b32 p, q; call (q), %d1, (p), proto; }", "call of what a register names"),
        ("{ .param .b32 p, q; call (q), twice, (p, p); }", "with other parameters than it has"),
        ("{ .param .b32 p; .param .b32 q; st.param.b16 [p], %h1; call (q), twice, (p); }", "in different sizes"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_in_place_is_named(body: str, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        _run(body)


def test_an_entry_without_calls_stays_as_it_is() -> None:
    module = _kernel("st.global.u32 [%d0], 1;")
    assert lowered(module.entries[0], module) is module.entries[0]
    twice = lowered(_kernel(TWICE).entries[0], _kernel(TWICE))
    assert lowered(twice, module) is twice
