"""Kinds of faults that happened to others: each has a test kernel that is refuted for it and one that is proved.

`fault` in tests/ptx/kernels/*.toml names the kind; tests/proofs/test_kernels.py checks the verdicts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fltc.kernels import kernels

ALL = kernels(Path(__file__).resolve().parents[2])

# The kind, and the obligation that its faulty kernel must break.
KINDS = {
    1: ("a page number times its bytes in 32 bits", "no-wrap"),
    2: ("three extents multiplied in 32 bits, inside the buffer", "no-wrap"),
    3: ("a block table read for positions that nobody owns", "bounds"),
    4: ("scores are masked, the values behind the end are read", "bounds"),
    5: ("a tile bounded in its rows only", "bounds"),
    6: ("blocks spaced by more than each owns", "coverage"),
    7: ("a stride of 0 between sequences", "coverage"),
    8: ("rows without a token are skipped", "coverage"),
    9: ("shared memory zeroed for the next round while it is read", "race"),
    10: ("a wait before the commit that it should cover", "race"),
    11: ("padding stored over what lies behind it", "race"),
    12: ("a barrier in a branch, another one later", "barrier"),
    13: ("a barrier under a condition of the lane", "barrier"),
    14: ("parts added to one narrow float", "single-writer"),
    # Atomic operations are no second writer of their byte; beside a plain store they are a race.
    15: ("one word with atomic and plain writers", "race"),
    16: ("a vector behind an array of 14 floats", "bounds"),
    17: ("the alignment of one pitch of two", "bounds"),
    18: ("vector copies of rows whose stride is no multiple", "bounds"),
}


@pytest.mark.parametrize("number", KINDS, ids=lambda number: f"{number}: {KINDS[number][0]}")
def test_the_kind_has_a_refuted_and_a_proved_kernel(number: int) -> None:
    shown = [kernel for kernel in ALL if number in kernel.faults]
    families = {kernel.name.partition("-")[0] for kernel in shown if kernel.refuted == KINDS[number][1]}
    assert families, "no kernel is refuted for it"
    assert families <= {kernel.name.partition("-")[0] for kernel in shown if kernel.expected == "proved"}


def test_no_other_number_is_given() -> None:
    assert {number for kernel in ALL for number in kernel.faults} == set(KINDS)


# The launch that was reported, where the report names one.
REPORTED = {
    1: "pages <= 7769", 3: "(length - 17) * (length - 70) == 0", 5: "S == 4 && I == 48", 7: "stride == 0",
    17: "to_pitch == 92",
}  # fmt: skip


@pytest.mark.parametrize("number", REPORTED)
def test_the_faulty_kernel_has_the_launch_that_was_reported(number: int) -> None:
    faulty = [kernel for kernel in ALL if number in kernel.faults and kernel.refuted]
    assert any(REPORTED[number] in flag for kernel in faulty for flag in kernel.flags)


def test_the_first_bad_page_is_the_last_one_of_the_smallest_pool_that_is_refuted() -> None:
    """One page fewer, and the same file is proved."""
    page = 276_480
    assert 7767 * page < 2**31 <= 7768 * page
    (proved,) = (kernel for kernel in ALL if kernel.name == "page_copy-overflow_of_a_small_pool")
    assert proved.expected == "proved"
    assert any("pages <= 7768" in flag for flag in proved.flags)
    faulty = proved.path.with_name("page_copy-overflow.ptx")
    assert proved.path.read_text("utf-8") == faulty.read_text("utf-8")
