"""Whether fences and atomics could put two accesses in an order, which the model does not follow.

The hardware orders them where one thread makes the first access, then a fence, then writes a flag, and another sees the
flag before it makes the second (causality order, PTX ISA 8.9.5). Whether it does see it hangs on values; what is asked
here is whether the code has such a path at all. Where it has, a race that a run shows is no refutation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proofs.cfg import Graph
from proofs.claims import Claim
from proofs.claims.model import FIRST, SECOND
from proofs.problem import AXES
from spec.ptx.ast import Instr
from spec.ptx.isa import lookup
from spec.ptx.isa_atomic import reach

DEVICE = frozenset({"gpu", "sys"})  # scopes that reach other blocks
ANY = DEVICE | {"cta", "cluster"}
Step = Callable[[Instr, int], int]


def could_be_ordered(graph: Graph, claim: Claim, model: Mapping[str, int]) -> tuple[int, bool]:
    """The line of a fence, or of a release, that may stand between the two accesses of a race, 0 if there is none;
    and whether the threads of the counterexample are of different blocks."""
    if claim.obligation != "race" or len(claim.subjects) != 2:
        return 0, False
    (a, _), (b, _) = claim.subjects
    launch = a.space == "global" and any(
        model.get(f"ctaid.{axis}{FIRST}") != model.get(f"ctaid.{axis}{SECOND}") for axis in AXES
    )
    scopes = DEVICE if launch else ANY
    for first, second in ((a.at.line, b.at.line), (b.at.line, a.at.line)):
        if _acquired(graph, second, scopes) and (line := _released(graph, first, scopes)):
            return line, launch
    return 0, launch


def _released(graph: Graph, line: int, scopes: frozenset[str]) -> int:
    """The fence, or the release, on a path from the access to a write that other threads may wait for."""

    def step(instruction: Instr, fence: int) -> int:
        found = lookup(instruction.opcode)
        if found is None:
            return fence
        row, form = found
        if row.base in ("fence", "membar"):
            scope = {"gl": "gpu"}.get(form["level"], form["level"]) or form["scope"]
            return instruction.line if scope in scopes and form["order"] != "acquire" else fence
        if _strong(instruction, scopes) and row.base in ("atom", "red", "st"):
            release = form["order"] in ("release", "acq_rel")
            if fence or release:
                ends.append(fence or instruction.line)
        return fence

    ends: list[int] = []
    starts = [
        (block.index, at + 1, 0) for block in graph.blocks for at, i in enumerate(block.instructions) if i.line == line
    ]
    _walk(graph, starts, step)
    return min(ends, default=0)


def _acquired(graph: Graph, line: int, scopes: frozenset[str]) -> bool:
    """Whether a path leads from a read by which a thread may see what others did to the access."""
    seen: list[bool] = []

    def step(instruction: Instr, met: int) -> int:
        if instruction.line == line and met:
            seen.append(True)
        found = lookup(instruction.opcode)
        if found is not None and found[0].base in ("atom", "ld") and _strong(instruction, scopes):
            return 1
        return met

    _walk(graph, [(0, 0, 0)], step)
    return bool(seen)


def _strong(instruction: Instr, scopes: frozenset[str]) -> bool:
    """Whether an access of memory is one that synchronises threads of these scopes (PTX ISA 8.6)."""
    found = lookup(instruction.opcode)
    if found is None:
        return False
    row, form = found
    if row.base in ("atom", "red"):
        return reach(form) in scopes
    if "volatile" in instruction.opcode.split("."):
        return True
    return form["order"] in ("relaxed", "acquire", "release") and form["scope"] in scopes


def _walk(graph: Graph, starts: list[tuple[int, int, int]], step: Step) -> None:
    """Go through the code from (block, instruction, state) on, each block once in each state."""
    seen: set[tuple[int, int]] = set()
    work = list(starts)
    while work:
        index, at, state = work.pop()
        block = graph.blocks[index]
        for instruction in block.instructions[at:]:
            state = step(instruction, state)
        for successor in block.successors():
            if successor >= 0 and (successor, state) not in seen:
                seen.add((successor, state))
                work.append((successor, 0, state))
