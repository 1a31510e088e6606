"""Small kernels for tests: a body with ready-made registers, and a launch with defaults."""

from __future__ import annotations

from typing import Any

from spec.ptx.ast import Module
from spec.ptx.machine import Result, run
from spec.ptx.memory import Memory
from spec.ptx.parser import parse


def kernel(
    body: str, *, shared: str = "", local: str = "", module: str = "", params: str = ".param .u64 out"
) -> Module:
    """A module with one entry `k`. `shared` and `local` declare byte arrays, as `s[512]`."""
    space = f".shared .align 16 .b8 {shared};" if shared else ""
    space += f".local .align 8 .b8 {local};" if local else ""
    return parse(
        f""".version 8.0
.target sm_89
.address_size 64
{module}
.visible .entry k({params})
{{
    .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<32>; .reg .b64 %d<16>; .reg .f32 %f<16>;
    {space}
{body}
}}
"""
    )


def launch(
    module: Module, memory: Memory, args: dict[str, int | bytes], *, grid: tuple[int, int, int] = (1, 1, 1),
    block: tuple[int, int, int] = (1, 1, 1), **options: Any,
) -> Result:
    """Run the module's only kernel."""
    return run(module.entries[0], module, grid=grid, block=block, args=args, memory=memory, **options)
