"""Faulty copies of the shipped kernels, run in the emulator: the harness finds each, and says what it is."""

from __future__ import annotations

import re

import pytest

from backend import ptx
from backend.emulator.device import EmulatorDevice
from backend.launch import bind
from spec.contracts import STEMS, contracts_of
from spec.ptx.machine import Stats
from spec.ptx.parser import parse
from spec.ptx.schedules import SCHEDULES
from tests.harness.further import SHARE, Further
from tests.harness.run import DiffRow, Profile, campaign
from tests.harness.strategies import EMULATOR

PROFILE = Profile(60, EMULATOR, widest=8192, shrink=False)
COMMENT = re.compile(r" *//.*")


def run(stem: str, text: str, schedule: str | int = "forward", profile: Profile = PROFILE) -> DiffRow:
    descriptor = bind(contracts_of(stem)[0], parse(text, name=f"{stem} mutant"))
    return campaign(EmulatorDevice(schedule), descriptor, profile, 1, lambda line: None)


@pytest.mark.parametrize("schedule", ["forward", "reverse", 5])
@pytest.mark.parametrize("stem", STEMS)
def test_the_shipped_kernel_passes_under_any_schedule(stem: str, schedule: str | int) -> None:
    profile = PROFILE if schedule == "forward" else Profile(10, EMULATOR, widest=0)
    row = run(stem, ptx.load(stem), schedule, profile)
    assert not row.failures
    assert row.cases > profile.cases


# stem, what is wrong, lines as shipped, lines instead, what the harness says
MUTANTS = [
    ("rmsnorm", "tail store dropped", "@%owns_tail st.global.b16 [%y_at], %x_tail;", "", "never written"),
    (
        "rmsnorm",
        "eps outside the root",
        "add.rn.f32 %scale, %scale, %eps;\n    rsqrt.approx.f32 %scale, %scale;",
        "rsqrt.approx.f32 %scale, %scale;\n    add.rn.f32 %scale, %scale, %eps;",
        r"expected 0x.*: value outside the bound",
    ),
    ("rmsnorm", "tail one too long", "setp.lt.u32 %owns_tail,", "setp.le.u32 %owns_tail,", "out-of-bounds"),
    ("rmsnorm", "half the tail", "and.b32 %tail, %columns, 7;", "and.b32 %tail, %columns, 3;", "never written|outside"),
    ("rmsnorm", "barrier dropped", "bar.sync 0;", "", "race|uninitialised"),
    ("rmsnorm", "power check dropped", "@%inactive bra EXIT;", "", "element .* changed from 0x7e77"),
    ("rmsnorm", "power check inverted", "@%inactive bra EXIT;", "@!%inactive bra EXIT;", "never written"),
    ("rmsnorm", "stride of x for y", "[y_stride]", "[x_stride]", "out-of-bounds|never written|changed"),
    ("rmsnorm", "tail left out of the sum", "@%owns_tail fma.rn.f32 %sum, %x, %x, %sum;", "", "outside the bound"),
    ("rmsnorm", "vector path for any base", "and.b64 %bits, %bits, 15;", "and.b64 %bits, %bits, 1;", "misaligned"),
    ("silu", "vector store dropped", "@%slot0 st.global.v4.b32 [%y_at]", "", "never written"),
    ("silu", "one vector too many", "setp.lt.u64 %slot0,", "setp.le.u64 %slot0,", "out-of-bounds"),
    ("silu", "power check dropped", "@%inactive bra EXIT;", "", "element .* changed from 0x7e77"),
    ("silu", "sign of the exponent", "0fBFB8AA3B", "0f3FB8AA3B", "outside the bound"),
    ("silu", "coarser constant", "0fBFB8AA3B", "0fBFB8AB00", "outside the bound"),
    ("silu", "one too few to a group", "shr.u64 %vectors, %n, 3;", "shr.u64 %vectors, %n, 4;", "never written"),
    ("silu", "saturated conversion", "cvt.rn.f16.f32", "cvt.rn.sat.f16.f32", "wrong class"),
]


@pytest.mark.parametrize(("stem", "name", "shipped", "instead", "said"), MUTANTS, ids=lambda v: None)
def test_a_faulty_kernel_is_found(stem: str, name: str, shipped: str, instead: str, said: str) -> None:
    text = COMMENT.sub("", ptx.load(stem))
    if shipped.endswith("]") and not instead:  # an instruction given by its beginning
        mutant = re.sub(re.escape(shipped) + r"[^;]*;", "", text)
    else:
        mutant = text.replace(shipped, instead)
    assert mutant != text, f"{name}: the kernel no longer has {shipped!r}"
    row = run(stem, mutant)
    assert row.failures, f"{name}: not found"
    assert re.search(said, "\n".join(row.failures)), row.failures


def test_what_hangs_on_lanes_in_step_fails_under_another_schedule_only() -> None:
    """Threads leave where not all lanes of their warp come together: forward none does."""
    gate = "@%inactive bra EXIT;"
    parted = "{ .reg .b32 %m; .reg .pred %few; activemask.b32 %m; setp.ne.u32 %few, %m, -1; @%few bra EXIT; }"
    text = ptx.load("silu").replace(gate, f"{gate}\n{parted}", 1)
    row = run("silu", text, profile=Profile(5, EMULATOR, widest=0))
    assert row.failures
    assert all("under the schedule" in failure for failure in row.failures)


def test_further_runs_take_their_share_and_leave_the_schedule() -> None:
    device = EmulatorDevice("reverse")
    further, names = Further(device), []
    for _ in range(len(SCHEDULES) - 1):
        with further.schedule() as name:
            names.append(name)
            device.stats = Stats(steps=10)
        assert device.schedule == "reverse"
    assert sorted(names) == sorted({*SCHEDULES} - {"reverse"})
    assert not further.cheap
    device.stats = Stats(steps=10 * SHARE * len(names))
    further.ran()
    assert further.cheap
