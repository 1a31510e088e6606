"""A small program that tests rows of the instruction table on a device.

Each program runs on the emulator and on the device under test, on the same words, and must leave the same memory. A
thread reads 32 bytes at %rd1 and writes 32 bytes at %rd2; %t is its index in the block of THREADS, %i that in the grid.
"""

from __future__ import annotations

from dataclasses import dataclass

from spec.contracts.model import Buffer, Ceilings, Contract, Parameter

THREADS = 128
SLOT = 32  # bytes a thread owns in each buffer


@dataclass(frozen=True)
class Program:
    """A kernel body with the rows it is there to test. `declarations` stand in the kernel, `module` outside it."""

    name: str
    templates: tuple[str, ...]
    body: tuple[str, ...]
    declarations: tuple[str, ...] = ()
    module: str = ""


CONTRACT = Contract(
    stem="isa",
    entry="k",
    parameters=(Parameter("src", "buffer"), Parameter("dst", "buffer"), Parameter("n", "u32")),
    requires=(f"n >= {THREADS} && n % {THREADS} == 0 && n <= 2^20",),
    buffers=(
        Buffer("src", "u64", ("n", str(SLOT // 8)), "r", align=SLOT),
        Buffer("dst", "u64", ("n", str(SLOT // 8)), "rw", align=SLOT),
    ),
    block=(THREADS, 1, 1),
    grid=(f"n / {THREADS}", "1", "1"),
    outputs=("dst",),
    ceilings=Ceilings(registers=255, static_shared=8192, stack_bytes=1024, spill_bytes=1024),
    operator="isa",
)


def program_text(program: Program, target: str, version: str = "8.6") -> str:
    """A module with the program as its only entry `k`."""
    lines = (
        ".reg .pred %p<8>;",
        ".reg .b16 %h<16>;",
        ".reg .b32 %i, %n, %t, %r<24>;",
        ".reg .b64 %rd<24>;",
        *program.declarations,
        "mov.u32 %t, %tid.x;",
        "mov.u32 %i, %ctaid.x;",
        f"mad.lo.u32 %i, %i, {THREADS}, %t;",
        "ld.param.u32 %n, [n];",
        f"mul.wide.u32 %rd0, %i, {SLOT};",
        "ld.param.u64 %rd1, [src];",
        "add.u64 %rd1, %rd1, %rd0;",
        "ld.param.u64 %rd2, [dst];",
        "add.u64 %rd2, %rd2, %rd0;",
        *program.body,
        "ret;",
    )
    head = f".version {version}\n.target {target}\n.address_size 64\n{program.module}\n"
    entry = ".visible .entry k(.param .u64 src, .param .u64 dst, .param .u32 n)\n{\n"
    return head + entry + "\n".join(f"  {line}" for line in lines) + "\n}\n"


def register(width: int, number: int) -> str:
    return {16: f"%h{number}", 32: f"%r{number}", 64: f"%rd{8 + number}"}[width]


def own_memory(space: str) -> tuple[tuple[str, ...], list[str], str]:
    """(declarations, code that puts the thread's own address in %rd4, address operand) of shared or local memory."""
    if space == "local":
        return (f".local .align 32 .b8 own[{SLOT}];",), ["mov.u64 %rd4, own;"], "[%rd4]"
    size = SLOT * THREADS
    code = ["mov.u64 %rd4, own;", f"mul.wide.u32 %rd5, %t, {SLOT};", "add.u64 %rd4, %rd4, %rd5;"]
    return (f".shared .align 32 .b8 own[{size}];",), code, "[%rd4]"
