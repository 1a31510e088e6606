"""Small structured kernels: drawn as trees of statements, printed as PTX, run by both machines.

Every loop has a load of its own just before it and one as the first instruction of its header, so that the trace of
accesses of a thread tells how often it has gone round.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from proofs.contract import contract_problem
from proofs.entry import Prover
from proofs.problem import Problem
from proofs.records import Records
from proofs.symbolic import Machine
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx.access import AccessEvent
from spec.ptx.ast import Module
from spec.ptx.faults import Fault
from spec.ptx.machine import run
from spec.ptx.memory import Memory
from tests.spec.programs import kernel

PARAMS = ".param .u64 out, .param .u32 n, .param .u32 power"
BLOCK, GRID, WORDS = 4, 2, 4096
Statement = tuple[Any, ...]
VARIABLES = ("%r1", "%r2", "%r3", "%r4", "%r5", "%r6")  # the last one is not written at the start
SETUP = """ld.param.u64 %d0, [out];
ld.param.u32 %r2, [n];
mov.u32 %r1, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, 3;
ld.global.u32 %r5, [%d0];"""


@dataclass
class Text:
    """Lines of a body, and for each loop the line numbers, counted from the body's first, of its two loads."""

    lines: list[str] = field(default_factory=list)
    labels: int = 0
    loops: list[tuple[int, int]] = field(default_factory=list)

    def add(self, line: str) -> int:
        self.lines.append(line)
        return len(self.lines) - 1

    def label(self) -> str:
        self.labels += 1
        return f"at{self.labels}"


def contract(block: int = BLOCK, grid: int = GRID, requires: str = "n >= 0 && n <= 1000") -> Contract:
    """What the kernels may assume."""
    return Contract(
        stem="drawn", entry="k", parameters=(Parameter("out", "buffer"), Parameter("n", "u32"),
                                             Parameter("power", "power")),
        requires=(requires,), buffers=(Buffer("out", "u32", (str(WORDS),), "rw", align=4),), block=(block, 1, 1),
        grid=(str(grid), "1", "1"), outputs=("out",), ceilings=Ceilings(255, 0), operator="none",
        power="power",
    )


def module_of(body: str, shared: str = "") -> Module:
    return kernel(body, params=PARAMS, shared=shared)


def problem_of(body: str, shared: str = "", **options: Any) -> Problem:
    return contract_problem(contract(**options), module_of(body, shared))


def records_of(problem: Problem) -> Records:
    """What the symbolic machine finds, deciding ranges with the real solver."""
    return Machine(problem, Prover(problem)).run()


@dataclass(frozen=True)
class Trace:
    """What the emulator saw: accesses in the order of each thread, faults, and the address of `out`."""

    events: list[AccessEvent]
    faults: list[Fault]
    base: int


def trace(module: Module, n: int, block: int = BLOCK, grid: int = GRID) -> Trace:
    memory = Memory()
    words = np.random.default_rng(n).integers(0, 6, WORDS, dtype=np.uint32)
    base = memory.add("out", words)
    events: list[AccessEvent] = []
    result = run(
        module.entries[0], module, grid=(grid, 1, 1), block=(block, 1, 1), memory=memory, step_limit=4000,
        args={"out": base, "n": n, "power": 0}, on_access=events.append,
    )
    return Trace(events, result.faults, base)


# --- printing ----------------------------------------------------------------------------------------------------


def render(statements: list[Statement]) -> Text:
    """The body of a kernel."""
    text = Text()
    for line in SETUP.splitlines():
        text.add(line)
    _render(statements, text, 0)
    text.add("ret;")
    return text


def _address(text: Text, register: str) -> None:
    text.add(f"mul.wide.u32 %d2, {register}, 4;")
    text.add("add.u64 %d2, %d2, %d0;")


def _compare(text: Text, where: str, compared: Statement) -> None:
    op, a, b = compared
    text.add(f"setp.{op} {where}, {a}, {b};")


def _render(statements: list[Statement], text: Text, depth: int) -> None:
    for statement in statements:
        kind, *rest = statement
        globals()[f"_render_{kind}"](text, depth, *rest)


def _render_op(text: Text, depth: int, op: str, target: str, *sources: str, guard: str = "") -> None:
    text.add(f"{guard}{op} {target}, {', '.join(sources)};")


def _render_store(text: Text, depth: int, register: str, value: str, guard: str = "") -> None:
    _address(text, register)
    text.add(f"{guard}st.global.u32 [%d2], {value};")


def _render_load(text: Text, depth: int, target: str, register: str, guard: str = "") -> None:
    _address(text, register)
    text.add(f"{guard}ld.global.u32 {target}, [%d2];")


def _render_guarded(text: Text, depth: int, compared: Statement, negated: bool, inner: Statement) -> None:
    _compare(text, "%p2", compared)
    kind, *rest = inner
    globals()[f"_render_{kind}"](text, depth, *rest, guard="@!%p2 " if negated else "@%p2 ")


def _render_leave(text: Text, depth: int, compared: Statement) -> None:
    _compare(text, "%p3", compared)
    text.add("@%p3 ret;")


def _render_if(
    text: Text, depth: int, compared: Statement, then: list[Statement], otherwise: list[Statement]
) -> None:
    other, end = text.label(), text.label()
    _compare(text, "%p1", compared)
    text.add(f"@!%p1 bra {other};")
    _render(then, text, depth)
    text.add(f"bra {end};")
    text.add(f"{other}:")
    _render(otherwise, text, depth)
    text.add(f"{end}:")


def _render_loop(
    text: Text, depth: int, style: str, start: int, bound: str, step: int, body: list[Statement],
    stop: Statement | None,
) -> None:
    """style: while (c < b), do-while (c < b), or down (do while c != 0)."""
    c, b = f"%r{10 + 2 * depth}", f"%r{11 + 2 * depth}"
    head, end = text.label(), text.label()
    text.add(f"and.b32 {b}, {bound}, 3;")
    text.add(f"mov.u32 {c}, {start};" if style != "down" else f"max.u32 {c}, {b}, 1;")
    before = text.add("ld.global.u32 %r30, [%d0+8];")
    text.add(f"{head}:")
    text.loops.append((before, text.add("ld.global.u32 %r30, [%d0+12];")))
    if style == "while":
        text.add(f"setp.ge.u32 %p4, {c}, {b};")
        text.add(f"@%p4 bra {end};")
    _render(body, text, depth + 1)
    if stop is not None:
        _compare(text, "%p5", stop)
        text.add(f"@%p5 bra {end};")
    text.add(f"add.u32 {c}, {c}, {step if style != 'down' else -1};")
    if style == "while":
        text.add(f"bra {head};")
    else:
        text.add(f"setp.lt.u32 %p4, {c}, {b};" if style == "do" else f"setp.ne.s32 %p4, {c}, 0;")
        text.add(f"@%p4 bra {head};")
    text.add(f"{end}:")


# --- drawing -----------------------------------------------------------------------------------------------------

_ANY = ("add.u32", "sub.u32", "and.b32", "or.b32", "xor.b32", "min.u32", "max.u32", "min.s32", "max.s32")
_BY_CONSTANT = ("mul.lo.u32", "shl.b32", "shr.u32", "shr.s32", "rem.u32", "div.u32")
_COMPARE = tuple(f"{op}.{t}" for op in ("lt", "le", "gt", "ge", "eq", "ne") for t in ("u32", "s32"))


@st.composite
def _compared(draw: st.DrawFn, inside: int) -> Statement:
    operands = (*VARIABLES[:5], *(f"%r{10 + 2 * d}" for d in range(inside)))
    a = draw(st.sampled_from(operands))
    b = draw(st.one_of(st.sampled_from(operands), st.integers(-2, 5).map(str)))
    return draw(st.sampled_from(_COMPARE)), a, b


@st.composite
def _simple(draw: st.DrawFn, inside: int) -> Statement:
    # Also counters and bounds of the loops around are read.
    readable = (*VARIABLES[:5], *(f"%r{10 + i}" for i in range(2 * inside)))
    target, a, b = draw(st.sampled_from(VARIABLES)), draw(st.sampled_from(readable)), draw(st.sampled_from(readable))
    kind = draw(st.sampled_from(("op", "constant", "mad", "store", "store", "load")))
    if kind == "op":
        return "op", draw(st.sampled_from(_ANY)), target, a, draw(st.one_of(st.just(b), st.integers(-3, 9).map(str)))
    if kind == "constant":
        return "op", draw(st.sampled_from(_BY_CONSTANT)), target, a, str(draw(st.integers(1, 9)))
    if kind == "mad":
        return "op", "mad.lo.u32", target, a, str(draw(st.integers(1, 20))), b
    if kind == "load":
        return "load", target, a
    return "store", a, draw(st.sampled_from((*readable, "%r6")))


@st.composite
def statements(draw: st.DrawFn, depth: int = 2, inside: int = 0, most: int = 4) -> list[Statement]:
    """A list of statements, nested at most `depth` deep, inside so many loops."""
    found: list[Statement] = []
    for _ in range(draw(st.integers(1, most))):
        kinds = ("simple", "simple", "guarded", "leave", *(("if", "loop", "loop") if depth else ()))
        kind = draw(st.sampled_from(kinds))
        if kind == "simple":
            found.append(draw(_simple(inside)))
        elif kind == "guarded":
            found.append(("guarded", draw(_compared(inside)), draw(st.booleans()), draw(_simple(inside))))
        elif kind == "leave":
            found.append(("leave", draw(_compared(inside))))
        elif kind == "if":
            then, other = draw(statements(depth - 1, inside, 2)), draw(statements(depth - 1, inside, 2))
            found.append(("if", draw(_compared(inside)), then, other if draw(st.booleans()) else []))
        else:
            body = draw(statements(depth - 1, inside + 1, 3))
            stop = draw(st.one_of(st.none(), _compared(inside + 1)))
            style = draw(st.sampled_from(("while", "do", "down")))
            start, step = draw(st.integers(0, 2)), draw(st.integers(1, 2))
            found.append(("loop", style, start, draw(st.sampled_from(VARIABLES[:5])), step, body, stop))
    return found
