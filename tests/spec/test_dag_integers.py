"""Integers cut out of memory, in the domain Dag: what its expressions say is what the machine computes.

Random programs of loads, shifts, masks, extensions and packing, each ending in a conversion to binary32, run twice:
with named bytes, whose expressions are then evaluated on drawn bytes, and on these bytes themselves.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.errors import Unsupported
from spec.operators.exact import Value, Word, evaluate
from spec.ptx.ast import Module
from spec.ptx.extraction import extract
from spec.ptx.memory import Memory
from spec.scalar import F32, encode
from tests.spec.programs import kernel, launch

BYTES = 16
LOADS = {"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4}


def _program(rng: random.Random) -> str:
    """Registers %r0 to %r3 hold loaded integers; then they are cut, moved and put together."""
    lines = ["ld.param.u64 %d0, [out]; ld.param.u64 %d1, [x];"]
    for register in range(4):
        kind, size = rng.choice(list(LOADS.items()))
        lines.append(f"ld.global.{kind} %r{register}, [%d1+{size * rng.randrange(BYTES // size)}];")
    for _ in range(rng.randrange(1, 7)):
        to, a, b = (rng.randrange(4) for _ in range(3))
        bits = rng.randrange(0, 32)
        lines.append(
            rng.choice(
                [
                    f"and.b32 %r{to}, %r{a}, {rng.choice([15, 63, 240, 255, 0xFF00, 0xFFFF, 0x0F0F0F0F])};",
                    f"shl.b32 %r{to}, %r{a}, {bits};",
                    f"shr.u32 %r{to}, %r{a}, {bits};",
                    f"shr.s32 %r{to}, %r{a}, {bits};",
                    f"cvt.s32.s8 %r{to}, %r{a};",
                    f"cvt.u32.u8 %r{to}, %r{a};",
                    f"cvt.s32.s16 %r{to}, %r{a};",
                    f"mov.b32 {{%h0, %h1}}, %r{a}; mov.b32 {{%h2, %h3}}, %r{b}; mov.b32 %r{to}, {{%h3, %h0}};",
                    f"and.b32 %r4, %r{a}, 15; shl.b32 %r5, %r{b}, 4; or.b32 %r{to}, %r4, %r5;",
                    f"prmt.b32 %r{to}, %r{a}, %r{b}, {rng.randrange(2**16):#x};",
                    f"bfe.u32 %r{to}, %r{a}, {rng.randrange(32)}, {rng.randrange(33)};",
                    f"bfe.s32 %r{to}, %r{a}, {rng.randrange(32)}, {rng.randrange(33)};",
                ]
            )
        )
    for register in range(4):
        lines.append(f"cvt.rn.f32.{rng.choice(list(LOADS))} %f0, %r{register};")
        lines.append(f"st.global.f32 [%d0+{4 * register}], %f0;")
    return "\n".join(lines)


def _memory(module: Module, data: bytes | None) -> tuple[Memory, dict[str, Any]]:
    del module
    memory = Memory()
    named = {"size": BYTES, "initialised": True, "symbolic": "u8"} if data is None else {"data": data}
    return memory, {"out": memory.add("out", size=16), "x": memory.add("x", **named)}


@given(st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_expressions_of_integers_are_what_the_machine_computes(seed: int) -> None:
    rng = random.Random(seed)
    module = kernel(_program(rng), params=".param .u64 out, .param .u64 x")
    memory, args = _memory(module, None)
    try:
        found = extract(
            module.entries[0], module, memory=memory, args=args, outputs={"out": "f32"}, grid=(1, 1, 1), block=(1, 1, 1)
        )
    except Unsupported:
        return  # a program that the domain refuses says nothing wrong
    data = bytes(rng.choice([0, 127, 128, 255, rng.randrange(256)]) for _ in range(BYTES))
    inputs: dict[tuple[str, int], Value | Word] = {("x", k): byte for k, byte in enumerate(data)}
    expected = evaluate([found.outputs["out", k] for k in range(4)], inputs, {})
    memory, args = _memory(module, data)
    assert launch(module, memory, args).faults == []
    stored = np.frombuffer(bytes(memory["out"].data(0, 16)), np.uint32)
    for k, value in enumerate(expected):
        assert not isinstance(value, float)
        assert int(stored[k]) == encode(value, F32), module.text


def test_most_programs_are_followed() -> None:
    """That the test above compares something."""
    followed = 0
    for seed in range(60):
        module = kernel(_program(random.Random(seed)), params=".param .u64 out, .param .u64 x")
        memory, args = _memory(module, None)
        try:
            extract(
                module.entries[0], module, memory=memory, args=args, outputs={"out": "f32"}, grid=(1, 1, 1),
                block=(1, 1, 1),
            )
            followed += 1
        except Unsupported:
            pass
    assert followed >= 20
