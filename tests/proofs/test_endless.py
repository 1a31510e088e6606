"""Loops that are never left: what shows it, and what does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.claims import Claim
from proofs.decide import decide
from proofs.discharge import decide_claim
from proofs.effort import Meter
from proofs.entry import Analysis, analyse
from proofs.replay import replay
from proofs.replay.endless import Circles, Rounds
from proofs.replay.model import launch_of

SMALL = Path(__file__).resolve().parents[1] / "ptx/small"
LOOP = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n, .param .u32 step)
{
    .reg .pred %%p;
    .reg .b32 %%i, %%n, %%s, %%v, %%w;
    .reg .b64 %%x, %%d;
    ld.param.u64 %%x, [a];
    ld.param.u32 %%n, [n];
    ld.param.u32 %%s, [step];
    mov.u32 %%i, 0;
    mov.u32 %%w, 0;
    setp.ge.u32 %%p, %%s, 10;
    @%%p ret;
L:
    %s
    @%%p bra L;
    ret;
}
"""


def analysed(body: str, *assumes: str) -> tuple[Analysis, Claim]:
    """The entry with this loop, and the claim that the loop ends."""
    request = CheckRequest(
        "k.ptx", LOOP % body, block=(32, 1, 1), grid=(1, 1, 1), buffers=("a=u32[1024]:r",), assumes=assumes
    )
    (problem,) = problems(request)
    analysis = analyse(problem)
    (claim,) = (c for c in analysis.claims if c.name.startswith("variant."))
    return analysis, claim


def deciding(body: str) -> set[str] | None:
    analysis, _ = analysed(body)
    found = Rounds(analysis, analysis.records.loops[0]).deciding
    return None if found is None else set(found)


def never_left(body: str, **values: int) -> bool:
    analysis, _ = analysed(body)
    launch = launch_of(analysis.problem, {"a": 0, "tid.x": 0} | values, analysis.records)
    return Rounds(analysis, analysis.records.loops[0]).never_left(launch, decide, 64)


COUNT = "add.u32 %i, %i, %s; setp.ne.u32 %p, %i, %n;"


# --- what decides ---
def test_what_a_guard_is_computed_from_decides_and_what_is_only_computed_does_not() -> None:
    assert deciding("add.u32 %w, %w, %i; " + COUNT) == {"%p", "%i", "%s", "%n"}


def test_a_load_from_memory_that_nobody_writes_decides_by_its_address() -> None:
    body = "mul.wide.u32 %d, %i, 4; add.u64 %d, %x, %d; ld.global.u32 %i, [%d]; setp.lt.u32 %p, %i, %n;"
    assert deciding(body) == {"%p", "%i", "%n", "%d", "%x"}
    assert deciding(body.replace("ld.", "ld.volatile.")) is None
    assert deciding(body + " st.global.u32 [%d], %w;") is None


def test_what_comes_from_other_threads_or_from_the_clock_is_not_the_same_again() -> None:
    assert deciding("shfl.sync.idx.b32 %i, %i, 0, 31, 0xffffffff; setp.ne.u32 %p, %i, %n;") is None
    assert deciding("mov.u32 %i, %clock; setp.ne.u32 %p, %i, %n;") is None


def test_a_register_that_is_sometimes_written_decides_by_what_it_held() -> None:
    body = "setp.eq.u32 %p, %w, %s; @%p mov.u32 %i, %v; add.u32 %w, %w, 1; setp.ne.u32 %p, %i, %n;"
    assert deciding(body) == {"%p", "%i", "%v", "%w", "%s", "%n"}


# --- a state that comes back ---
def watched(rounds: list[dict[str, list[int]]]) -> tuple[int, int, int] | None:
    """What Circles finds of threads that begin these rounds with these registers."""
    circles = Circles(frozenset({"a", "b"}))
    for number, registers in enumerate(rounds):
        held = {name: np.array(values) for name, values in registers.items()}
        threads = len(next(iter(held.values())))
        found = circles.look(held, np.arange(threads), np.full(threads, number))
        if found is not None:
            return found
    return None


def test_a_state_is_found_when_it_comes_back() -> None:
    assert watched([{"a": [0, n], "b": [5, 5]} for n in range(4)]) == (0, 0, 1)
    assert watched([{"a": [n % 3], "b": [7]} for n in range(20)]) == (0, 4, 7)
    assert watched([{"a": [min(n, 9) % 5], "b": [n]} for n in range(40)]) is None


def test_a_register_that_is_new_is_not_taken_for_one_that_was_there() -> None:
    assert watched([{"a": [1]}, {"a": [1], "b": [2]}, {"a": [1], "b": [3]}, {"a": [1], "b": [4]}]) is None
    assert watched([{"a": [1]}, {"a": [1], "b": [2]}, {"a": [1], "b": [2]}]) == (0, 1, 2)


def test_a_loop_that_is_entered_anew_may_begin_as_before() -> None:
    circles = Circles(frozenset({"a"}))
    for turn in range(3):
        for number in range(2):
            held = {"a": np.array([number])}
            assert circles.look(held, np.array([0]), np.array([number])) is None, turn


# --- what the solver says of a launch ---
def test_a_counter_that_steps_over_its_end_never_leaves_and_one_that_comes_to_it_late_does() -> None:
    body = "add.u32 %i, %i, 2; setp.ne.u32 %p, %i, %n;"
    assert never_left(body, n=7)
    assert not never_left(body, n=8)
    assert not never_left(body, n=2**32 - 2)
    assert not never_left("add.u32 %i, %i, 1; setp.ne.u32 %p, %i, %n;", n=0)


def test_a_counter_that_wraps_below_its_bound_never_leaves() -> None:
    body = "add.u32 %i, %i, 4; setp.le.u32 %p, %i, %n;"
    assert never_left(body, n=2**32 - 4)
    assert not never_left(body, n=2**32 - 5)


def test_nothing_follows_of_a_thread_that_does_not_come_to_the_loop() -> None:
    body = "add.u32 %i, %i, 2; setp.ne.u32 %p, %i, %n;"
    assert never_left(body, n=7, step=9)
    assert not never_left(body, n=7, step=10)


def test_what_a_launch_does_not_fix_may_be_anything() -> None:
    body = "mul.wide.u32 %d, %w, 4; add.u64 %d, %x, %d; ld.global.u32 %v, [%d]; setp.ne.u32 %p, %v, %n;"
    assert not never_left(body, n=1)


# --- both, as a replay uses them ---
def shown(body: str, *assumes: str) -> tuple[bool, str]:
    analysis, claim = analysed(body, *assumes)
    decision = decide_claim(claim)
    assert decision.status == "sat"
    found = replay(analysis, claim, decision.model, Meter(30_000_000), Meter(30_000_000))
    return found.reproduced, str(found.content["replay"])


def test_a_replay_says_which_of_the_two_it_was() -> None:
    again, words = shown("add.u32 %w, %w, 1; add.u32 %i, %i, %s; setp.lt.u32 %p, %i, %n;", "step == 0")
    assert again
    assert "with the same in all registers that decide where it goes" in words
    wraps, words = shown("add.u32 %i, %i, 2; setp.ne.u32 %p, %i, %n;")
    assert wraps
    assert "the solver proves that in this launch it leaves it in no iteration" in words


def test_a_loop_that_takes_long_is_not_endless() -> None:
    reproduced, words = shown("mad.lo.u32 %i, %i, 5, 1; setp.ne.u32 %p, %i, %n;")
    assert not reproduced
    assert "may end later" in words
