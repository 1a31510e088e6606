"""What is made of registers that nobody has written: where the emulator lets it pass, and that nothing hangs on it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from spec.ptx.defined import COMPUTES, Defined
from spec.ptx.domain import Domain
from spec.ptx.faults import UNINITIALISED
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from spec.ptx.parser import parse

# Everything else that a domain does demands its operands, by what `Defined` says; those on memory never come to it.
FOLLOWED = {"select", "p_and", "p_or", "shuffle"}
DEMANDED = {"vote", "ballot", "redux", "match", "elect", "transpose_matrix", "mma"}
OF_NOTHING = {"const", "special", "truth", "symbol", "load_param"}
ON_MEMORY = {
    "load", "store", "atomic", "copy_async", "load_matrices", "store_matrices", "is_space", "to_generic",
    "from_generic",
}  # fmt: skip
THREADS = 64
HEAD = """
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 y)
{
    .reg .pred %p<8>;
    .reg .b32 %r<12>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [y];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d2, %d0, %d1;
"""


def text_of(body: str) -> str:
    return f"{HEAD}{body}    ret;\n}}\n"


def carried_out(body: str, lenient: bool = True, before: str = "") -> tuple[list[str], bytes]:
    """Faults of uninitialised registers, and memory afterwards."""
    module = parse(text_of(before + body))
    memory = Memory()
    base = memory.add("y", np.zeros(4 * THREADS, np.uint8).tobytes())
    result = run(
        module.entries[0], module, grid=(1, 1, 1), block=(THREADS, 1, 1), args={"y": base}, memory=memory,
        lenient=lenient,
    )
    return [f.message for f in result.faults if f.kind == UNINITIALISED], memory["y"].data()


def test_each_operation_has_a_rule() -> None:
    operations = {name for name in vars(Domain) if not name.startswith("_")}
    rules = [COMPUTES, FOLLOWED, DEMANDED, OF_NOTHING, ON_MEMORY]
    assert set().union(*rules) == operations
    assert sum(map(len, rules)) == len(operations)
    assert {name for name in vars(Defined) if not name.startswith("_")} == FOLLOWED


SOME = "    setp.lt.u32 %p0, %r0, 4;\n    @%p0 mov.u32 %r1, 7;\n"


@pytest.mark.parametrize(
    ("body", "passes"),
    [
        ("@%p0 st.global.u32 [%d2], %r1;", True),
        ("add.u32 %r2, %r1, 1; @%p0 st.global.u32 [%d2], %r2;", True),
        ("add.u32 %r2, %r1, 1; st.global.u32 [%d2], %r2;", False),
        ("setp.eq.u32 %p1, %r1, 7; @%p1 st.global.u32 [%d2], %r0;", False),
        ("setp.eq.u32 %p1, %r1, 7; and.pred %p1, %p1, %p0; @%p1 st.global.u32 [%d2], %r0;", True),
        ("setp.eq.u32 %p1, %r1, 7; or.pred %p1, %p1, %p0; @%p1 st.global.u32 [%d2], %r0;", False),
        ("selp.b32 %r2, %r1, 5, %p0; st.global.u32 [%d2], %r2;", True),
        ("selp.b32 %r2, 5, %r1, %p0; st.global.u32 [%d2], %r2;", False),
        ("shfl.sync.bfly.b32 %r2, %r1, 3, 31, -1; @%p0 st.global.u32 [%d2], %r2;", True),
        ("shfl.sync.bfly.b32 %r2, %r1, 4, 31, -1; @%p0 st.global.u32 [%d2], %r2;", False),
        ("shfl.sync.idx.b32 %r2, %r1, 3, 31, -1; setp.lt.u32 %p1, %r0, 32; @%p1 st.global.u32 [%d2], %r2;", True),
        ("shfl.sync.idx.b32 %r2, %r1, 3, 31, -1; st.global.u32 [%d2], %r2;", False),
        ("shfl.sync.idx.b32 %r2, %r0, %r1, 31, -1;", False),
        ("@%p0 add.u32 %r1, %r1, 1; @%p0 st.global.u32 [%d2], %r1;", True),
        ("setp.eq.u32 %p1, %r1, 7; vote.sync.any.pred %p2, %p1, -1;", False),
        ("red.global.add.u32 [%d0], %r1;", False),
        ("redux.sync.add.u32 %r2, %r1, -1;", False),
        ("bar.sync %r1;", False),
    ],
)  # fmt: skip
def test_an_undefined_value_counts_where_something_hangs_on_it(body: str, passes: bool) -> None:
    faults, _ = carried_out(SOME + f"    {body}\n")
    assert not faults if passes else faults


def test_a_strict_run_says_so_at_the_read() -> None:
    body = SOME + "    add.u32 %r2, %r1, 1;\n    @%p0 st.global.u32 [%d2], %r2;\n"
    assert carried_out(body, lenient=False)[0]
    assert not carried_out(body)[0]


REGISTERS, PREDICATES = [f"%r{i}" for i in range(1, 7)], [f"%p{i}" for i in range(1, 5)]


def drawn(rng: random.Random) -> Iterator[str]:
    """Some instructions on few registers, of which some are written by some threads only, or by none."""
    def r() -> str:
        return rng.choice(REGISTERS)

    def p() -> str:
        return rng.choice(PREDICATES)

    yield f"setp.lt.u32 %p0, %r0, {rng.choice((1, 2, 4, 8, 40))};"
    guarded = rng.choice(("", "@%p0 ", "@%p0 ", "@!%p0 "))
    for name in REGISTERS[:3]:
        yield f"xor.b32 {name}, %r0, {rng.randint(0, 9)};"
    for _ in range(rng.randint(1, 3)):
        yield f"@%p0 add.u32 {r()}, %r0, {rng.randint(0, 9)};"
    steps, rounds = rng.randint(3, 9), rng.choice((0, 0, 2, 3))
    begin = rng.randrange(steps)
    if rounds:
        yield "mov.u32 %r8, 0;"
    for i in range(steps):
        if rounds and i == begin:
            yield "round:"
        guard = rng.choice(("", "", "", "@%p0 ", "@!%p0 "))
        yield guard + rng.choice((
            f"add.u32 {r()}, {r()}, {r()};", f"xor.b32 {r()}, {r()}, {rng.randint(0, 9)};", f"mov.u32 {r()}, %r0;",
            f"setp.lt.u32 {p()}, {r()}, {r()};", f"setp.lt.u32 {p()}, %r0, {rng.randint(0, 9)};",
            f"and.pred {p()}, {p()}, {rng.choice(('%p0', p()))};", f"or.pred {p()}, {p()}, {p()};",
            f"not.pred {p()}, {p()};", f"selp.b32 {r()}, {r()}, {r()}, {rng.choice(('%p0', p()))};",
        ))  # fmt: skip
        if rng.random() < 0.4:
            mode, ends = rng.choice((("bfly", 31), ("down", 31), ("up", 0), ("idx", 31), ("bfly", 0x181F)))
            yield f"shfl.sync.{mode}.b32 {r()}, {r()}, {rng.choice((0, 1, 2, 4, 8))}, {ends}, -1;"
        if rng.random() < 0.1:
            yield f"vote.sync.any.pred {p()}, {p()}, -1;"
    if rounds:
        yield from ("add.u32 %r8, %r8, 1;", f"setp.lt.u32 %p6, %r8, {rounds};", "@%p6 bra round;")
    yield f"{guarded}st.global.u32 [%d2], {r()};"


def drawn_body(seed: int) -> str:
    return "".join(f"    {line}\n" for line in drawn(random.Random(seed)))


def test_what_passes_is_the_same_whatever_unwritten_registers_hold() -> None:
    passed = 0
    for seed in range(300):
        rng = random.Random(seed)
        body = drawn_body(seed)
        if carried_out(body)[0] or not carried_out(body, lenient=False)[0]:
            continue
        left = set()
        for _ in range(3):
            held = [f"xor.b32 {name}, %r0, {rng.getrandbits(31)};" for name in REGISTERS]
            held += [f"setp.{rng.choice(('lt', 'gt'))}.u32 {name}, %r0, {rng.randint(0, 63)};" for name in PREDICATES]
            faults, memory = carried_out(body, before="".join(f"    {line}\n" for line in held))
            assert not faults
            left.add(memory)
        assert len(left) == 1, body
        passed += 1
    assert passed > 20
