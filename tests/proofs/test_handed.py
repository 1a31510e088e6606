"""What a producer hands over to a consumer is initialised: what is claimed against what the emulator sees."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.discharge import discharge
from proofs.entry import analyse
from spec.ptx.faults import UNINITIALISED
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from tests.proofs.kernels import module_of, problem_of

RESTS = ("init", "barrier", "no-trap", "bounds", "no-wrap")
SCHEDULES: tuple[str | int, ...] = ("forward", "reverse", "interleaved", 3)
HEAD = """ld.param.u32 %r20, [n];
add.u32 %r20, %r20, 1;
mov.u32 %r1, %tid.x;
mov.u32 %r9, s;
and.b32 %r2, %r1, 31;
mov.u32 %r10, 0;
setp.ge.u32 %p1, %r1, 32;
@%p1 bra consumer;
"""


@dataclass(frozen=True)
class Ring:
    """A ring between two warps, and what may be wrong with it.

    Args:
        stages: how many; each has a full and an empty barrier.
        written, read: how many stages behind that of its round each side looks.
        lanes: of the producer, that write; `turned`: by how many lanes the consumer looks aside.
        told: the producer arrives before it writes; `unasked`: the consumer reads before it waits.
        guard: of the write, a condition on the round.
        behind: barriers that the consumer waits at, counted from the one of its round.
    """

    stages: int = 2
    written: int = 0
    read: int = 0
    lanes: int = 32
    turned: int = 0
    told: bool = False
    unasked: bool = False
    guard: str = ""
    behind: int = 0

    def _stage(self, target: str, ahead: int) -> str:
        return f"add.u32 {target}, %r10, {ahead};\nrem.u32 {target}, {target}, {self.stages};"

    def text(self) -> str:
        guard = f"setp.{self.guard}.u32 %p3, %r10, 0;" if self.guard else "setp.ge.u32 %p3, %r10, 0;"
        write = f"{guard}\nsetp.lt.and.u32 %p3, %r2, {self.lanes}, %p3;\n@%p3 st.shared.u32 [%r4], %r10;"
        arrive = "bar.arrive %r5, 64;"
        wait, take = "bar.sync %r5, 64;", "ld.shared.u32 %r8, [%r4];"
        empties = "\n".join(f"bar.arrive {4 + i}, 64;" for i in range(self.stages))
        return HEAD + f"""
produce:
{self._stage("%r5", 0)}
add.u32 %r6, %r5, 4;
add.u32 %r5, %r5, 1;
{self._stage("%r4", self.written)}
shl.b32 %r4, %r4, 7;
mad.lo.u32 %r4, %r2, 4, %r4;
add.u32 %r4, %r4, %r9;
bar.sync %r6, 64;
{arrive if self.told else write}
{write if self.told else arrive}
add.u32 %r10, %r10, 1;
setp.lt.u32 %p2, %r10, %r20;
@%p2 bra produce;
add.u32 %r7, %r20, {self.stages};
drain:
{self._stage("%r6", 0)}
add.u32 %r6, %r6, 4;
bar.sync %r6, 64;
add.u32 %r10, %r10, 1;
setp.lt.u32 %p2, %r10, %r7;
@%p2 bra drain;
bra done;
consumer:
{empties}
consume:
{self._stage("%r5", self.behind)}
add.u32 %r5, %r5, 1;
{self._stage("%r6", 0)}
add.u32 %r6, %r6, 4;
{self._stage("%r4", self.read)}
shl.b32 %r4, %r4, 7;
add.u32 %r3, %r2, {self.turned};
and.b32 %r3, %r3, 31;
mad.lo.u32 %r4, %r3, 4, %r4;
add.u32 %r4, %r4, %r9;
{take if self.unasked else wait}
{wait if self.unasked else take}
bar.arrive %r6, 64;
add.u32 %r10, %r10, 1;
setp.lt.u32 %p2, %r10, %r20;
@%p2 bra consume;
done:
ret;"""

    @property
    def proved(self) -> bool:
        """Whether what is claimed says that every read finds written bytes."""
        claims = analyse(problem_of(self.text(), shared="s[1024]", block=64, grid=1)).claims
        wanted = [c for c in claims if c.obligation in RESTS]
        assert any(c.name.startswith("init.") for c in wanted)
        return all(d.status == "unsat" for d in discharge(wanted))

    def unwritten(self, n: int, schedule: str | int) -> bool:
        """Whether the emulator sees a read of a byte that nobody has written."""
        module, memory = module_of(self.text(), "s[1024]"), Memory()
        args: dict[str, int | bytes] = {"out": memory.add("out", size=256), "n": n, "power": 0}
        result = run(
            module.entries[0], module, grid=(1, 1, 1), block=(64, 1, 1), memory=memory, step_limit=4000, args=args,
            schedule=schedule,
        )
        return any(f.kind == UNINITIALISED for f in result.faults)

    def fails(self) -> bool:
        return any(self.unwritten(n, schedule) for n in range(5) for schedule in SCHEDULES)


SOUND = (
    Ring(), Ring(stages=1), Ring(stages=3, turned=5), Ring(stages=1, guard="eq"), Ring(stages=3, written=1, read=1),
)  # fmt: skip
FAULTY = (
    Ring(stages=1, lanes=0), Ring(lanes=31), Ring(unasked=True, stages=3), Ring(stages=1, guard="gt"), Ring(read=1),
    Ring(stages=3, written=1), Ring(guard="eq"), Ring(stages=1, guard="eq", unasked=True),
)  # fmt: skip
# The producer may be quick enough; barriers that do not fit let nobody read.
HIDDEN = (Ring(stages=1, told=True), Ring(behind=1))


@pytest.mark.parametrize("ring", SOUND, ids=str)
def test_what_is_handed_over_is_written(ring: Ring) -> None:
    assert not ring.fails()
    assert ring.proved


@pytest.mark.parametrize("ring", FAULTY, ids=str)
def test_what_is_not_handed_over_is_seen(ring: Ring) -> None:
    assert ring.fails()
    assert not ring.proved


@pytest.mark.parametrize("ring", HIDDEN, ids=str)
def test_what_no_run_shows_is_not_proved_either(ring: Ring) -> None:
    assert not ring.proved


_rings = st.builds(
    Ring, stages=st.integers(1, 3), written=st.integers(0, 2), read=st.integers(0, 2),
    lanes=st.sampled_from([32, 32, 20]), turned=st.sampled_from([0, 1, 31]), told=st.sampled_from([False, False, True]),
    unasked=st.sampled_from([False, False, True]), guard=st.sampled_from(["", "", "gt", "eq"]),
    behind=st.sampled_from([0, 0, 1]),
)  # fmt: skip


@settings(max_examples=8, deadline=None)
@given(_rings)
def test_what_is_proved_written_is_never_seen_unwritten(ring: Ring) -> None:
    if ring.fails():
        assert not ring.proved
