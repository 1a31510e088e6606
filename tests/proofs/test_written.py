"""Initialisation of shared memory by enumeration: rings, fill loops, tree reductions, and what they must not prove."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.entry import Analysis, analyse
from proofs.enumeration import enumerate_claim
from spec.ptx.faults import BARRIER, UNINITIALISED
from tests.proofs.kernels import module_of, problem_of, trace

BLOCK_SIZE = 6
HEAD = """ld.param.u32 %r20, [n];
mov.u32 %r1, %tid.x;
mov.u32 %r9, s;
"""


def analysis(body: str, block: int = BLOCK_SIZE) -> Analysis:
    return analyse(problem_of(HEAD + body + "\nret;", shared="s[1024]", block=block))


def inits(body: str, block: int = BLOCK_SIZE) -> list[bool]:
    """Of every shared read, whether enumeration shows that it finds written bytes."""
    found = analysis(body, block)
    asked = [c.finite for c in found.claims if c.name.startswith("init.")]
    return [finite is not None and enumerate_claim(found.enumerator, finite).holds for finite in asked]


def uninitialised(body: str, n: int, block: int = BLOCK_SIZE) -> bool:
    """Whether the emulator sees a byte of shared memory that nobody wrote; a launch that hangs shows nothing."""
    seen = trace(module_of(HEAD + body + "\nret;", "s[1024]"), n, block=block, grid=1)
    if any(f.kind == BARRIER for f in seen.faults):
        return False
    return any(f.kind == UNINITIALISED and "shared" in f.message for f in seen.faults)


def both(body: str, *counts: int) -> bool:
    """The verdict of enumeration; the emulator must not contradict it."""
    holds = all(inits(body))
    if holds:
        assert not any(uninitialised(body, n) for n in counts)
    return holds


# --- one writer for each reader ----------------------------------------------------------------------------------

NEIGHBOUR = """mad.lo.u32 %r2, %r1, 4, %r9;
{guard}st.shared.u32 [%r2], %r1;
{barrier}
add.u32 %r3, %r1, {ahead};
{wrap}
mad.lo.u32 %r3, %r3, 4, %r9;
ld.shared.u32 %r4, [%r3];"""
LAST = "setp.lt.u32 %p1, %r1, 5;\n@%p1 "


@pytest.mark.parametrize(
    ("guard", "barrier", "ahead", "wrap", "holds"),
    [
        ("", "bar.sync 0;", 1, "rem.u32 %r3, %r3, 6;", True),
        ("", "bar.sync 0;", 1, "", False),
        ("", "", 1, "rem.u32 %r3, %r3, 6;", False),
        ("", "", 0, "", True),
        (LAST, "bar.sync 0;", 1, "rem.u32 %r3, %r3, 6;", False),
        (LAST, "bar.sync 0;", 1, "rem.u32 %r3, %r3, 5;", True),
    ],
)
def test_a_neighbours_word(guard: str, barrier: str, ahead: int, wrap: str, holds: bool) -> None:
    body = NEIGHBOUR.format(guard=guard, barrier=barrier, ahead=ahead, wrap=wrap)
    assert both(body, 1) == holds
    if barrier:
        assert uninitialised(body, 1) != holds


# --- loops that fill ---------------------------------------------------------------------------------------------

FILL = """mov.u32 %r2, %r1;
fill:
setp.ge.u32 %p1, %r2, {extent};
@%p1 bra filled;
mad.lo.u32 %r3, %r2, 4, %r9;
{skip}st.shared.u32 [%r3], %r2;
add.u32 %r2, %r2, {step};
bra fill;
filled:
{barrier}
mov.u32 %r4, 0;
take:
setp.ge.u32 %p2, %r4, {read};
@%p2 bra taken;
mad.lo.u32 %r5, %r4, 4, %r9;
ld.shared.u32 %r6, [%r5];
add.u32 %r4, %r4, 1;
bra take;
taken:"""


@pytest.mark.parametrize(
    ("extent", "step", "read", "barrier", "skip", "holds"),
    [
        (20, 6, 20, "bar.sync 0;", "", True),
        (20, 6, 21, "bar.sync 0;", "", False),
        (20, 7, 20, "bar.sync 0;", "", False),
        (20, 5, 20, "bar.sync 0;", "", True),
        (20, 6, 20, "", "", False),
        (20, 6, 20, "bar.sync 0;", "setp.ne.u32 %p3, %r2, 13;\n@%p3 ", False),
    ],
)
def test_a_loop_fills_what_is_read(
    extent: int, step: int, read: int, barrier: str, skip: str, holds: bool
) -> None:
    body = FILL.format(extent=extent, step=step, read=read, barrier=barrier, skip=skip)
    assert both(body, 1) == holds
    if barrier:
        assert uninitialised(body, 1) != holds


def test_a_loop_of_unknown_length_fills_nothing_for_sure() -> None:
    body = FILL.format(extent="%r20", step=6, read=20, barrier="bar.sync 0;", skip="")
    assert not both(body, 1, 30)
    assert uninitialised(body, 1)


# --- rings -------------------------------------------------------------------------------------------------------

RING = """mov.u32 %r11, 0;
mad.lo.u32 %r2, %r1, 4, %r9;
{prologue}
loop:
setp.ge.u32 %p1, %r11, %r20;
@%p1 bra done;
{top}
add.u32 %r3, %r11, {read};
rem.u32 %r3, %r3, {stages};
mul.lo.u32 %r3, %r3, 24;
add.u32 %r4, %r1, 1;
rem.u32 %r4, %r4, 6;
mad.lo.u32 %r4, %r4, 4, %r9;
add.u32 %r3, %r3, %r4;
ld.shared.u32 %r6, [%r3];
{middle}
add.u32 %r5, %r11, {write};
rem.u32 %r5, %r5, {stages};
mad.lo.u32 %r5, %r5, 24, %r2;
{guard}st.shared.u32 [%r5], %r1;
add.u32 %r11, %r11, 1;
bra loop;
done:"""


def ring(
    stages: int = 3, prologue: int = 2, write: int = 2, read: int = 0, top: str = "bar.sync 0;", guard: str = "",
    middle: str = "",
) -> str:
    stores = "\n".join(f"st.shared.u32 [%r2+{24 * i}], %r1;" for i in range(prologue))
    return RING.format(stages=stages, prologue=stores, write=write, read=read, top=top, guard=guard, middle=middle)


ONLY_NEEDED = "add.u32 %r7, %r11, {ahead};\nsetp.lt.u32 %p2, %r7, %r20;\n@%p2 "


@pytest.mark.parametrize(
    ("options", "holds"),
    [
        ({}, True),
        ({"guard": ONLY_NEEDED.format(ahead=2)}, True),
        ({"guard": ONLY_NEEDED.format(ahead=3)}, False),
        ({"prologue": 1}, False),
        ({"write": 1}, True),
        ({"write": 0}, False),
        ({"stages": 4, "prologue": 3, "write": 3}, True),
        ({"stages": 4, "prologue": 2, "write": 3}, False),
        ({"stages": 2, "prologue": 1, "write": 1}, True),
        ({"top": ""}, False),
        ({"read": 1}, True),
        ({"read": 2}, False),
    ],
)
def test_a_ring_of_stages(options: dict[str, Any], holds: bool) -> None:
    body = ring(**options)
    assert both(body, 1, 2, 3, 4, 7) == holds
    if not holds and "top" not in options:
        assert any(uninitialised(body, n) for n in range(9))


def test_a_tile_that_each_round_loads_anew() -> None:
    tile = """mov.u32 %r11, 0;
mad.lo.u32 %r2, %r1, 4, %r9;
add.u32 %r3, %r1, 1;
rem.u32 %r3, %r3, 6;
mad.lo.u32 %r3, %r3, 4, %r9;
loop:
setp.ge.u32 %p1, %r11, %r20;
@%p1 bra done;
{first}
bar.sync 0;
{second}
bar.sync 0;
add.u32 %r11, %r11, 1;
bra loop;
done:"""
    store, load = "st.shared.u32 [%r2], %r1;", "ld.shared.u32 %r6, [%r3];"
    assert both(tile.format(first=store, second=load), 0, 1, 3)
    late = tile.format(first=load, second=store)
    assert not both(late, 0, 1, 3)
    assert uninitialised(late, 1)


# --- both branches -----------------------------------------------------------------------------------------------

BRANCHES = """ld.param.u64 %d0, [out];
mul.wide.u32 %d1, %r1, 4;
add.u64 %d0, %d0, %d1;
ld.global.u32 %r5, [%d0];
mad.lo.u32 %r2, %r1, 4, %r9;
setp.lt.u32 %p1, %r5, 3;
@%p1 bra other;
st.shared.u32 [%r2], %r5;
bra joined;
other:
{other}
joined:
bar.sync 0;
add.u32 %r3, %r1, 1;
rem.u32 %r3, %r3, 6;
mad.lo.u32 %r3, %r3, 4, %r9;
ld.shared.u32 %r6, [%r3];"""


def test_a_word_that_either_branch_writes() -> None:
    """The padding of a tile: the loaded value decides which store, not whether there is one."""
    assert both(BRANCHES.format(other="mov.u32 %r7, 0;\nst.shared.u32 [%r2], %r7;"), 1)
    assert not both(BRANCHES.format(other=""), 1)
    assert not both(BRANCHES.format(other="st.shared.u32 [%r2+24], %r5;"), 1)


def test_a_guard_of_the_writer_is_read_with_the_writers_own_values() -> None:
    """Each thread writes if its own value says so and reads its neighbour's word if its own value says so."""
    body = """ld.param.u64 %d0, [out];
mul.wide.u32 %d1, %r1, 4;
add.u64 %d0, %d0, %d1;
ld.global.u32 %r5, [%d0];
mad.lo.u32 %r2, %r1, 4, %r9;
setp.eq.u32 %p1, %r5, 0;
@%p1 st.shared.u32 [%r2], %r5;
{barrier}
add.u32 %r3, %r1, {ahead};
rem.u32 %r3, %r3, 6;
mad.lo.u32 %r3, %r3, 4, %r9;
@%p1 ld.shared.u32 %r6, [%r3];"""
    assert not both(body.format(barrier="bar.sync 0;", ahead=1), *range(6))
    assert both(body.format(barrier="", ahead=0), *range(6)), "its own word"


PARTIAL = """mov.u32 %r4, %ctaid.x;
mad.lo.u32 %r5, %r4, 6, %r1;
mad.lo.u32 %r2, %r1, 4, %r9;
setp.lt.u32 %p1, %r5, %r20;
@%p1 st.shared.u32 [%r2], %r1;
bar.sync 0;
setp.ge.u32 %p2, %r1, 1;
add.u32 %r6, %r5, {ahead};
setp.lt.u32 %p3, %r6, %r20;
and.pred %p4, %p2, %p3;
@%p4 ld.shared.u32 %r7, [%r2+{offset}];"""


@pytest.mark.parametrize(
    ("ahead", "offset", "holds"), [(0, -4, True), (0, 0, True), (1, 4, False), (-1, 0, False), (-1, -4, True)]
)
def test_what_a_reader_knows_of_a_partial_tile(ahead: int, offset: int, holds: bool) -> None:
    """Threads below n write; a reader that is below n knows it of its neighbour on the left, not of the right one."""
    body = PARTIAL.format(ahead=ahead, offset=offset)
    assert both(body, *range(9)) == holds
    assert any(uninitialised(body, n) for n in range(9)) != holds


# --- any program -------------------------------------------------------------------------------------------------


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A prologue, a loop of a few rounds with stages, barriers here and there, and a last read."""
    barrier = st.sampled_from(("bar.sync 0;", "bar.sync 0;", ""))
    number = st.integers(0, 3)
    guard = draw(st.sampled_from(("", "", ONLY_NEEDED.format(ahead=draw(number)), LAST)))
    lines = [ring(
        stages=draw(st.integers(2, 4)), prologue=draw(number), write=draw(number), read=draw(number),
        top=draw(barrier), guard=guard, middle=draw(barrier),
    )]  # fmt: skip
    if draw(st.booleans()):
        lines.insert(0, "\n".join((f"mad.lo.u32 %r12, %r1, 4, %r9;\nst.shared.u32 [%r12+{24 * draw(number)}], %r1;",
                                   draw(barrier))))  # fmt: skip
    if draw(st.booleans()):
        lines += [draw(barrier), "mad.lo.u32 %r12, %r1, 4, %r9;", f"ld.shared.u32 %r6, [%r12+{24 * draw(number)}];"]
    return "\n".join(lines)


@settings(max_examples=30, deadline=None)
@given(programs())
def test_what_is_said_to_be_written_is_written(body: str) -> None:
    both(body, 0, 1, 2, 3, 5, 8)


def test_cells_are_found_among_others_with_and_without_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    written = import_module("proofs.enumeration.written")
    rng = np.random.default_rng(7)
    for limit in (0, 2**20):
        monkeypatch.setattr(written, "MAX_MARKS", limit)
        for size in (0, 1, 300):
            cells, others = rng.integers(0, 500, (40, 2)), [rng.integers(0, 500, (size, 1)), rng.integers(0, 9, (3, 2))]
            wanted = np.isin(cells, np.concatenate([o.ravel() for o in others]))
            assert (written._among(cells, others) == wanted).all()
            assert not wanted.all()
            assert size < 300 or wanted.any()
    assert not written._among(np.zeros((2, 1), np.int64), []).any()
