"""Loops that go on for ever against loops that are only long."""

from __future__ import annotations

import pytest

from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.entry import analyse
from tests.campaign.endless import goes_on_for_ever
from tests.campaign.judging import runner_of
from tests.campaign.kernel import Kernel, Launch

TEXT = """.version 7.8
.target sm_89
.address_size 64
.visible .entry k(.param .u32 n)
{{
.reg .pred %p<2>;
.reg .b32 %r<9>;
ld.param.u32 %r0, [n];
mov.u32 %r1, 0;
OUTER:
mov.u32 %r2, 0;
INNER:
add.u32 %r2, %r2, {step};
setp.ne.u32 %p0, %r2, 4;
@%p0 bra INNER;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, %r0;
@%p1 bra OUTER;
ret;
}}
"""


@pytest.mark.parametrize(("step", "endless"), [(0, True), (1, False), (3, False), (2**31, True)])
def test_a_state_that_comes_back_is_told_from_a_long_way(step: int, endless: bool) -> None:
    launch = Launch((1, 1, 1), (4, 1, 1), {"n": 2**30})
    kernel = Kernel("test", TEXT.format(step=step), (4, 1, 1), (1, 1, 1), (), (), (launch,), 0)
    (problem,) = problems(CheckRequest("k.ptx", kernel.text, block=kernel.block, grid=kernel.grid))
    analysis = analyse(problem)
    assert goes_on_for_ever(runner_of(kernel, analysis), analysis, 0) is endless
