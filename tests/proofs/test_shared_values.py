"""What all threads load from one place of shared memory is one value: the prover against the emulator."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.discharge import climb
from proofs.entry import analyse
from proofs.outcome import PREMISES, SHARING
from spec.ptx.ast import Reg
from spec.ptx.block import StepEvent
from spec.ptx.faults import BARRIER, RACE
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from spec.ptx.parser import parse

THREADS = 64
HEAD = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y)
{
    .shared .align 4 .b32 s[64];
    .shared .align 4 .b32 c[2];
    .reg .pred %p<8>;
    .reg .b32 %r<24>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [y];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r1, [%d2];
    mov.u32 %r20, s;
    shl.b32 %r21, %r0, 2;
    add.u32 %r20, %r20, %r21;
    st.shared.u32 [%r20], %r1;
"""
REGISTERS = ("%r2", "%r3", "%r4", "%r5")


def drawn(rng: random.Random) -> Iterator[str]:
    """Loads from one place and from one's own, sums, choices and branches, rounds, and a store to one place."""

    def r() -> str:
        return rng.choice(REGISTERS)

    if rng.random() < 0.9:
        yield "bar.sync 0;"
    for name in REGISTERS:
        yield rng.choice((f"mov.u32 {name}, 3;", f"ld.shared.u32 {name}, [s+4];", f"ld.shared.u32 {name}, [s+8];",
                          f"mov.u32 {name}, 5;", f"ld.shared.u32 {name}, [%r20];"))  # fmt: skip
    rounds = rng.choice(("", "", "3", "%r6", "%r7"))
    steps = rng.randint(1, 4)
    begin = rng.randrange(steps)
    if rounds:
        yield from ("mov.u32 %r8, 0;", "and.b32 %r6, %r0, 3;", "ld.shared.u32 %r7, [s+12];")
    for i in range(steps):
        if rounds and i == begin:
            yield "round:"
        yield rng.choice((
            f"add.f32 {r()}, {r()}, {r()};", f"add.f32 {r()}, {r()}, {r()};", f"ld.shared.u32 {r()}, [s+16];",
            f"mov.u32 {r()}, {r()};", f"setp.lt.u32 %p1, %r0, 40;\n    @%p1 mov.u32 {r()}, {r()};",
            f"setp.lt.u32 %p1, {r()}, 4;\n    @%p1 add.f32 {r()}, {r()}, {r()};",
            f"setp.lt.u32 %p1, {r()}, 4;\n    @%p1 bra at{i};\n    mov.u32 {r()}, {r()};\nat{i}:",
            f"setp.lt.u32 %p1, {r()}, 4;\n    selp.b32 {r()}, {r()}, {r()}, %p1;", "bar.sync 0;",
            "bar.sync 0;\n    setp.eq.u32 %p1, %r0, 9;\n    @%p1 st.shared.u32 [s+4], %r0;\n    bar.sync 0;",
        ))  # fmt: skip
    if rounds:
        yield from ("add.u32 %r8, %r8, 1;", f"setp.lt.u32 %p6, %r8, {rounds};", "@%p6 bra round;")
    yield f"st.shared.u32 [c], {r()};"


def text_of(seed: int) -> str:
    body = "".join(f"    {line}\n" for line in drawn(random.Random(seed)))
    return f"{HEAD}{body}    ret;\n}}\n"


def shown(text: str) -> tuple[set[str], bool]:
    """The kinds of faults seen, but races of the last store with itself; and whether it has stored different values."""
    module = parse(text)
    last = text.splitlines().index("    ret;")
    stored: set[int] = set()
    faults = set()
    for seed in range(3):
        memory = Memory()
        base = memory.add("y", np.random.default_rng(seed).integers(0, 7, THREADS, dtype=np.uint32))

        def watch(event: StepEvent) -> None:
            if event.instr.line == last:
                value = event.instr.operands[1]
                assert isinstance(value, Reg)
                stored.update(int(v) for v in event.registers[value.name][event.enabled])

        stored.clear()
        result = run(
            module.entries[0], module, grid=(1, 1, 1), block=(THREADS, 1, 1), args={"y": base}, memory=memory,
            lenient=True, on_step=watch,
        )
        faults |= {f.kind for f in result.faults if not (f.kind == RACE and f.line == f.other_line == last)}
        if len(stored) > 1:
            return faults, True
    return faults, False


def proved(text: str) -> set[str]:
    """Of race and barrier, what is proved together with all that it stands on."""
    request = CheckRequest("drawn", text, block=(THREADS, 1, 1), grid=(1, 1, 1), buffers=("y=u32[64]:r",))
    analysis = analyse(problems(request)[0])
    failed = {
        c.obligation for c in analysis.claims if climb(c, analysis.enumerator).status != "unsat"
    }  # fmt: skip
    shared = SHARING if analysis.shares else ()
    return {w for w in ("race", "barrier") if not {w, *PREMISES[w], *shared} & failed}


@pytest.mark.parametrize("seeds", [range(at, at + 20) for at in range(0, 80, 20)], ids=lambda seeds: str(seeds[0]))
def test_what_is_proved_of_one_value_is_so(seeds: range) -> None:
    same = 0
    for seed in seeds:
        text = text_of(seed)
        holds = proved(text)
        faults, different = shown(text)
        assert not ("barrier" in holds and BARRIER in faults), f"seed {seed}\n{text}"
        assert not ("race" in holds and (different or RACE in faults)), f"seed {seed}\n{text}"
        same += "race" in holds
    assert same > 0
