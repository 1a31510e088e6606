"""The concrete machine: runs a kernel, threads that stand at one instruction in NumPy operations, and watches it.

Threads of a warp have their own program counters. At each step threads that stand at one instruction go on; which, says
the schedule (`spec.ptx.schedules`). Under most of them it is the lowest instruction, so that lanes that parted meet
again at the latest where the text puts their paths together. `shfl.sync`, `vote.sync`, `redux.sync` and
`bar.warp.sync` wait until every lane of their mask stands at the same instruction. Faults of memory order are found
under any schedule; values read in a race differ, and so may what a barrier of a part of the block brings together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from spec.errors import BadInput
from spec.ptx.access import AccessEvent, BlockMemory
from spec.ptx.ast import Function, Module
from spec.ptx.block import Block, StepEvent
from spec.ptx.faults import RACE, Enough, Fault, FaultList, Index
from spec.ptx.lanes import Lanes
from spec.ptx.memory import Memory
from spec.ptx.program import Program, decode, initial_bytes, pack_arguments, thread_indices
from spec.ptx.races import AccessLog, collisions
from spec.ptx.schedules import MIXED, Chosen, Schedule, in_order, schedule_of
from spec.tensor_core import ADA, TensorCore

STEP_LIMIT = 1_000_000
# Where blocks take turns: how many at a time, and how many steps a turn has at most.
_RESIDENT, _TURNS = 4, (2, 8, 32)
_TO_THE_END = 1 << 62


@dataclass(frozen=True)
class Launch:
    """Everything the blocks of a launch share."""

    program: Program
    memory: Memory
    grid: Index
    block: Index
    parameters: dict[str, bytes]
    step_limit: int
    allow_exited: bool
    dynamic_shared: int
    lenient: bool = False
    one_value: Collection[frozenset[int]] = ()
    tensor_core: TensorCore = ADA
    on_step: Callable[[StepEvent], None] | None = None


@dataclass
class Stats:
    """What ran. `lines` counts, for each PTX line, the threads that executed it."""

    blocks: int = 0
    steps: int = 0
    lines: dict[int, int] = field(default_factory=dict)


@dataclass
class Result:
    """Faults in the order found (each kind and line once), how many were repetitions, and what ran."""

    faults: list[Fault]
    repeated: int
    stats: Stats


def run(
    function: Function,
    module: Module,
    *,
    grid: Index,
    block: Index,
    args: dict[str, int | bytes],
    memory: Memory,
    blocks: Iterable[Index] | None = None,
    schedule: Chosen = "forward",
    dynamic_shared: int = 0,
    step_limit: int = STEP_LIMIT,
    allow_exited: bool = False,
    alike: Collection[int] = (),
    lenient: bool = False,
    one_value: Collection[frozenset[int]] = (),
    tensor_core: TensorCore = ADA,
    domain: Callable[[Any], Any] = Lanes,
    on_access: Callable[[AccessEvent], None] | None = None,
    on_step: Callable[[StepEvent], None] | None = None,
    enough: Callable[[Fault], bool] | None = None,
) -> Result:
    """Run a kernel, changing the buffers of `memory` in place.

    Run again with the same `function` and `module` objects, under other schedules or contents, it is not decoded again.

    Args:
        grid, block: launch size; the machine itself sets no limit on the grid.
        args: value or bytes of each parameter; pointers are addresses that `memory.add` gave.
        blocks: indices of the blocks to run, in this order; None for all of the grid.
        schedule: one of `spec.ptx.schedules`, or its name, or a seed of `switching`; it also orders the blocks where
            `blocks` is None.
        dynamic_shared: bytes of dynamic shared memory.
        step_limit: steps a block may take before it counts as not terminating.
        allow_exited: barriers and masks do not wait for threads that have exited.
        alike: lines whose stores to shared memory, made by lanes of one warp at once and to one address, are one store.
        lenient: a register that was never written may be read, as long as what is read decides nothing and is not
            stored (`spec.ptx.defined`); else the read is a fault.
        one_value: lines of stores that are known to put the same value in the same place, which is no race.
        tensor_core: how `mma` adds up floats; PTX leaves it open (PTX ISA 9.7.15.5).
        domain: makes the domain from the block it works for: Lanes, or Dag.
        on_access: called for every memory access of every thread, before it is checked.
        on_step: called for every instruction, before it is carried out.
        enough: called for every new fault; True ends the run, and the result has what was found until then. The other
            callbacks end it by raising Enough.

    Raises:
        Unsupported: an instruction or construct outside the model, by name and line.
        BadInput: arguments or sizes that do not fit the kernel.
    """
    if min(*grid, *block) < 1:
        raise BadInput(f"grid {grid} and block {block} must be at least 1 in every dimension")
    program = decode(function, module, dynamic_shared)
    for variable in module.variables:
        if variable.space == "global" and variable.name not in memory.buffers:
            content = initial_bytes(variable) if variable.initializer else None
            memory.add(variable.name, content, size=variable.bytes, initialised=True)
    launch = Launch(program, memory, grid, block, pack_arguments(program, args), step_limit, allow_exited,
                    dynamic_shared, lenient, one_value, tensor_core, on_step)
    faults, stats = FaultList(enough=enough), Stats()
    everything, readonly = AccessLog(), AccessLog()
    indices = thread_indices(block)
    chosen = schedule_of(schedule)
    done: list[Index] = []
    name = list[Index](zip(*(axis.tolist() for axis in indices), strict=True)).__getitem__

    def start(index: Index) -> Block:
        if not all(0 <= i < n for i, n in zip(index, grid, strict=True)):
            raise BadInput(f"block {index} is not in the grid {grid}")
        space = BlockMemory(program, memory, len(indices[0]), index, name, faults, on_access, alike)
        state = Block(launch, space, index, name, chosen, faults)
        state.domain = domain(state)
        return state

    with suppress(Enough), np.errstate(all="ignore"):
        order = in_order(grid, chosen) if blocks is None else blocks
        for number, state in enumerate(_in_turns(map(start, order), chosen)):
            done.append(state.index)
            everything.extend(state.memory.whole_log, number)
            readonly.extend(state.memory.readonly_log, number)
            stats.blocks += 1
            stats.steps += state.steps_taken
            for step, threads in zip(program.steps, state.executed, strict=True):
                if threads:
                    stats.lines[step.line] = stats.lines.get(step.line, 0) + threads
        _between_blocks(everything, readonly, done, name, faults, one_value)
    return Result(faults.found, faults.repeated, stats)


def _in_turns(blocks: Iterable[Block], schedule: Schedule) -> Iterator[Block]:
    """Run blocks to their ends, one after the other or some at once in turns of random length; each when it has ended.
    """
    chance, coming = schedule.chance("turns"), iter(blocks)
    mixed = schedule.blocks == MIXED
    present = list(islice(coming, _RESIDENT if mixed else 1))
    while present:
        block = chance.choice(present) if mixed else present[0]
        if not block.run(chance.randint(1, chance.choice(_TURNS)) if mixed else _TO_THE_END):
            present.remove(block)
            yield block
            present += islice(coming, 1)


def _between_blocks(
    everything: AccessLog, readonly: AccessLog, done: list[Index], name: Callable[[int], Index], faults: FaultList,
    one_value: Collection[frozenset[int]],
) -> None:
    """Races between blocks, which nothing orders, and stores to bytes that an `.nc` load of this launch reads."""
    for first, second in collisions(everything, None, across_blocks=True, one_value=one_value):
        block, other = done[second.actor], done[first.actor]
        faults.add(Fault(
            RACE, second.line, block, (name(second.thread), name(first.thread)), second.start, second.width,
            f"{second.verb} {second.width} bytes at {second.start:#x} in block {block},"
            f" thread {name(second.thread)}; block {other}, thread {name(first.thread)},"
            f" {first.verb} them at line {first.line}; nothing orders blocks",
            first.line, other,
        ))
    if not len(readonly):
        return
    both = AccessLog()
    start, width, write, actor, clock, line, thread, scope = (c[everything.columns()[2] != 0] for c in
                                                              everything.columns())
    both.add_rows(start, width, write, np.full_like(actor, -1), clock, line, thread, scope)
    both.add_rows(*readonly.columns())
    for store, load in collisions(both, None):
        faults.add(Fault(
            RACE, load.line, done[load.actor], (name(load.thread), name(store.thread)), load.start, load.width,
            f"ld.global.nc reads {load.width} bytes at {load.start:#x} that line {store.line} writes in this launch;"
            " .nc is for memory nobody writes", store.line,
        ))
