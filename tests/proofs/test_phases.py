"""Iterations relative to the start of a walk, and pairs of accesses as plain data."""

from __future__ import annotations

import pytest

from proofs.phases.model import DIFFERENT, ITSELF, OTHER_WARPS, SAME_WARP, Interval, Member, pairings
from proofs.phases.modes import FREE, behind, count, following, iteration, leaving, parse, spell
from proofs.records import Access, Point
from proofs.terms import Poly


def access(name: str, kind: str, space: str = "shared") -> Access:
    at = Point(1, (), (), ("L",), name)
    return Access(name, at, space, kind, 4, "s", Poly({}), Poly({}), Poly({}), 4)


WRITE, READ = access("a1", "write"), access("a2", "read")
BASE = (("L", "base"),)


@pytest.mark.parametrize("mode", ["base", "base+1", "base-2", "0", "3", "exit", "exit-1", "left+2"])
def test_a_mode_is_spelled_as_it_was_read(mode: str) -> None:
    assert spell(*parse(mode)) == mode


def test_rounds_are_told_apart_up_to_a_bound() -> None:
    assert [following(m, 2) for m in ("base", "base+1", "base+2", "0", FREE)] == ["base+1", "base+2", FREE, "1", FREE]


def test_the_iteration_of_a_mode() -> None:
    assert iteration("L", "base-1") == count("L") - 1
    assert iteration("L", "exit-2") == leaving("L") - 2
    assert iteration("L", "3") == Poly.constant(3)
    assert iteration("L", FREE) is None


def test_loops_left_say_when_the_walk_began_or_how_often_they_went_round() -> None:
    modes = (("I", "left+2"), ("J", "base"), ("K", FREE), ("L", "exit-1"))
    assert behind(modes) == ((("L", "exit-1"),), (("I", "2"),))


def test_a_pair_of_other_warps_and_of_one_warp_is_one_of_any_threads() -> None:
    members = (Member(WRITE, BASE), Member(READ, BASE))
    found = [p for _, p in pairings([
        Interval("i1", "b1", members, OTHER_WARPS), Interval("w1", "b1", members, SAME_WARP),
        Interval("w2", "s1", members[:1], SAME_WARP),
    ])]  # fmt: skip
    assert [(p.first.access.id, p.second.access.id, p.threads) for p in found] == [
        ("a1", "a1", DIFFERENT), ("a1", "a2", DIFFERENT),
    ]  # fmt: skip


def test_a_pair_of_one_warp_only_stays_one() -> None:
    (pair,) = Interval("w1", "s1", (Member(WRITE, BASE),), SAME_WARP).pairs()
    assert pair.threads == SAME_WARP


def test_accesses_of_intervals_that_began_in_different_rounds_are_no_pair() -> None:
    first = Member(WRITE, BASE, (("L", "0"),))
    second = Member(READ, BASE, (("L", "1"),))
    assert [p.name for p in Interval("i1", "b1", (first, second)).pairs()] == ["a1.a1"]


def test_only_the_copy_in_flight_is_paired_with_what_its_thread_does() -> None:
    copy = Member(access("a3", "write"), BASE)
    others = (Member(WRITE, BASE), Member(READ, BASE))
    assert [p.name for p in Interval("c.a3", "a3", (copy, *others), ITSELF).pairs()] == ["a3.a1", "a3.a2"]
