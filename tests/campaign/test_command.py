"""The command line that asks of a file what the campaign asked of a kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.campaign.families import kernel_of
from tests.campaign.proving import command


def test_every_kernel_has_one() -> None:
    for seed in range(300):
        assert command(kernel_of(seed), "k.ptx").startswith("fltc check k.ptx ")


@pytest.mark.parametrize(("text", "block", "said"), [
    ("mov.u32 %r1, %tid.x;", (32, None, None), '--block "32"'),
    ("mov.u32 %r1, %tid.x;", (32, 1, 1), '--block "32"'),
    ("mov.u32 %r1, %tid.y;", (32, 1, 1), '--block "32,1"'),
    ("mov.u32 %r1, %tid.x;", (None, 1, 1), ""),
])  # fmt: skip
def test_sizes_that_the_kernel_does_not_look_at_are_left_out(
    text: str, block: tuple[int | None, ...], said: str
) -> None:
    words = command(replace(kernel_of(1), text=text, block=block), "k.ptx")
    assert said in words
    assert ("--block" in words) == bool(said)


def test_a_size_that_is_left_open_in_front_of_one_that_matters_cannot_be_said() -> None:
    kernel = replace(kernel_of(1), text="mov.u32 %r1, %tid.y;", block=(None, 4, 1))
    with pytest.raises(ValueError, match="left open in front"):
        command(kernel, "k.ptx")
