"""Which numbers matter: the slice, instruction by instruction."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings

from proofs.cfg import graph_of
from proofs.places import instruction_places
from proofs.slices import Touched, slice_of
from tests.proofs.kernels import Statement, module_of, problem_of, render, statements, trace


def matters(body: str, known: dict[int, Touched] | None = None) -> set[int]:
    """The lines of a body, from 1 on, whose operands matter. `known`: what a line accesses."""
    problem = problem_of(body)
    places = instruction_places(problem.function)
    lines = {places[id(i)]: n for n, i in enumerate(problem.function.instructions(), 1)}
    named = {place: known[n] for place, n in lines.items() if known and n in known}
    found = slice_of(graph_of(problem.function), places, named, lambda a, b: a == b)
    return {lines[place] for place in found.places}


@pytest.mark.parametrize(
    ("use", "reached"),
    [
        ("st.global.u32 [%d0], %r2;", False),
        ("st.global.u32 [%d1], %r3;", True),
        ("@%p1 st.global.u32 [%d0], %r3;", True),
        ("@%p1 add.u32 %r3, %r3, 1;", False),
        ("@%p1 ret;", True),
        ("@!%p1 bra end;", True),
        ("@%p1 trap;", True),
        ("@%p1 bar.sync 0;", True),
        ("bar.sync %r2;", True),
        ("bar.sync 0, %r2;", True),
        ("bar.red.popc.u32 %r3, 0, %p1;", False),
        ("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;", False),
        ("shfl.sync.idx.b32 %r3, %r4, %r2, 31, -1;", True),
        ("@%p1 shfl.sync.idx.b32 %r3, %r4, 0, 31, -1;", True),
        ("vote.sync.any.pred %p2, %p1, -1;", False),
        ("vote.sync.any.pred %p2, %p3, %r2;", True),
        ("rem.u32 %r3, %r2, 7;", False),
        ("rem.u32 %r3, %r4, %r2;", True),
        ("div.full.f32 %f1, %f2, %f3;", False),
        ("atom.global.add.u32 %r3, [%d0], %r2;", False),
        ("red.global.add.u32 [%d1], 1;", True),
        ("cp.async.ca.shared.global [%r9], [%d0], 4, %r2;", True),
        ("cp.async.ca.shared.global [%r9], [%d0], 4, %p1;", True),
        ("cp.async.ca.shared.global [%r9], [%d1], 4;", True),
        ("prefetch.global.L1 [%d1];", True),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];", True),
        ("vadd.u32.u32.u32 %r3, %r2, %r2;", False),
    ],
)
def test_what_makes_a_number_matter(use: str, reached: bool) -> None:
    body = f"""mul.lo.u32 %r1, %r1, 77;
shr.u32 %r2, %r1, 3;
setp.lt.u32 %p1, %r2, 5;
cvt.u64.u32 %d1, %r2;
cvt.rn.f32.u32 %f3, %r2;
{use}
end:
ret;"""
    assert (2 in matters(body)) is reached


CHAIN = """shr.u32 %r2, %r1, 3;
{0}
setp.lt.u32 %p1, %r3, 5;
@%p1 st.global.u32 [%d0], 1;
ret;"""


@pytest.mark.parametrize(
    ("way", "reached"),
    [
        ("mov.u32 %r3, %r2;", True),
        ("mov.u32 %r3, %r2; mov.u32 %r3, 1;", False),
        ("mov.u32 %r3, %r2; @%p2 mov.u32 %r3, 1;", True),
        ("setp.eq.u32 %p2, %r2, 0; selp.u32 %r3, 1, 2, %p2;", True),
        ("setp.eq.u32 %p2, %r2, 0; @%p2 mov.u32 %r3, 1;", True),
        ("cvt.rn.f32.u32 %f1, %r2; sqrt.rn.f32 %f1, %f1; cvt.rzi.u32.f32 %r3, %f1;", True),
        ("mov.b64 %d1, {%r4, %r2}; mov.b64 {%r5, %r3}, %d1;", True),
        ("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;", True),
        ("setp.eq.u32 %p2, %r2, 0; vote.sync.ballot.b32 %r3, %p2, -1;", True),
        ("setp.eq.u32 %p2, %r2, 0; bar.red.popc.u32 %r3, 0, %p2;", True),
        ("add.cc.u32 %r4, %r2, %r2; addc.u32 %r3, 0, 0;", True),
        ("vadd.u32.u32.u32 %r3, %r2, %r2;", True),
        ("st.shared.u32 [%r9], %r2; ld.shared.u32 %r3, [%r9];", True),
        ("ld.shared.u32 %r3, [%r9]; st.shared.v2.u32 [%r9], {%r4, %r2};", True),
        ("atom.shared.cas.b32 %r3, [%r9], 0, %r2;", True),
        ("red.shared.add.u32 [%r9], %r2; ld.shared.u32 %r3, [%r9];", True),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r9], {%r2}; ld.shared.u32 %r3, [%r9];", True),
        ("st.shared.u32 [%r9], %r4; ld.shared.u32 %r3, [%r9];", False),
    ],
)
def test_how_a_number_gets_there(way: str, reached: bool) -> None:
    assert (1 in matters(CHAIN.format(way))) is reached


def test_it_goes_round_a_loop_backwards() -> None:
    body = """shr.u32 %r2, %r1, 3;
loop:
setp.lt.u32 %p1, %r4, 5;
@%p1 bra end;
mov.u32 %r4, %r3;
mov.u32 %r3, %r2;
bra loop;
end:
ret;"""
    assert 1 in matters(body)


def test_memory_is_told_apart_by_what_was_found_out() -> None:
    body = CHAIN.format("st.global.u32 [%d0], %r2; ld.global.u32 %r3, [%d1];")
    a, b = (frozenset({("global", name)}) for name in "ab")
    nothing: frozenset[tuple[str, str]] = frozenset()
    assert 1 in matters(body)
    assert 1 in matters(body, {2: Touched(nothing, a), 3: Touched(a, nothing)})
    assert 1 not in matters(body, {2: Touched(nothing, a), 3: Touched(b, nothing)})
    shared = frozenset({("shared", "a")})
    assert 1 not in matters(body, {2: Touched(nothing, a), 3: Touched(shared, nothing)})


def test_a_copy_between_memories_carries_it() -> None:
    body = CHAIN.format(
        "st.global.u32 [%d0], %r2; cp.async.ca.shared.global [%r9], [%d0], 4; ld.shared.u32 %r3, [%r9];"
    )
    a, shared = frozenset({("global", "a")}), frozenset({("shared", "buf")})
    nothing: frozenset[tuple[str, str]] = frozenset()
    found = {2: Touched(nothing, a), 3: Touched(a, shared), 4: Touched(shared, nothing)}
    assert 1 in matters(body, found)
    assert 1 not in matters(body, found | {4: Touched(frozenset({("shared", "other")}), nothing)})


GIVES = re.compile(r"(?P<guard>@!?%p\d+ )?(?!ld)\S+ (?P<register>%r\d+),.*")


def disturbed(lines: list[str]) -> list[str]:
    """The body with every number changed that the slice leaves out."""
    matter = matters("\n".join(lines))
    found, number = [], 0
    for line in lines:
        found.append(line)
        number += not line.endswith(":")
        given_ = GIVES.fullmatch(line)
        if given_ and number not in matter:
            register = given_["register"]
            found.append(f"{given_['guard'] or ''}xor.b32 {register}, {register}, 0x35A5C3E7;")
    return found


def accesses(lines: list[str], n: int) -> list[tuple[object, ...]]:
    events = trace(module_of("\n".join(lines)), n).events
    return [(e.block, e.thread, e.kind, e.address, e.width) for e in events]


@settings(
    max_examples=40, deadline=None, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(statements())
def test_other_numbers_change_no_access(tree: list[Statement]) -> None:
    lines = render(tree).lines
    changed = disturbed(lines)
    for n in (0, 5, 1000):
        assert accesses(lines, n) == accesses(changed, n)


def test_some_numbers_are_left_out_and_changed() -> None:
    body = "ld.param.u64 %d0, [out];\nmov.u32 %r1, 7;\nmul.lo.u32 %r1, %r1, 3;\nst.global.u32 [%d0], %r1;\nret;"
    lines = body.splitlines()
    assert len(disturbed(lines)) == len(lines) + 2
