"""One run of a kernel or of a mutant of it: its faults, and what memory holds at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import prod

from proofs.replay.model import Launch
from spec.ptx.ast import Function, Module
from spec.ptx.block import StepEvent
from spec.ptx.faults import STEP_LIMIT, Fault, Index
from spec.ptx.machine import run
from spec.ptx.memory import Buffer, Memory


@dataclass(frozen=True)
class Subject:
    """What is run.

    Args:
        alike: lines whose stores are one store where lanes of a warp make them at once.
        one_value: lines of stores that put one value in one place.
    """

    function: Function
    module: Module
    lenient: bool
    allow_exited: bool
    alike: frozenset[int] = frozenset()
    one_value: frozenset[frozenset[int]] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """What a run showed.

    Args:
        faults: what the detectors reported, but for the step limit.
        long: the run did not end within its steps.
        memory: a digest of each buffer.
        steps: the most that a block took; `cost`: of all blocks together, threads times steps.
        ways: instructions that were carried out, and ways that guards went.
        busy: threads that carried out an instruction, summed over all steps; like `ways` known of a watched run only.
    """

    faults: tuple[Fault, ...]
    long: bool
    memory: dict[str, str]
    steps: int
    cost: int
    ways: frozenset[tuple[object, ...]]
    busy: int


def execute(
    subject: Subject, launch: Launch, schedule: str, step_limit: int, watched: bool = False,
    enough: Callable[[Fault], bool] | None = None,
) -> Outcome:
    """Run all blocks. Unsupported, BadInput: as of `spec.ptx.machine.run`."""
    ways: set[tuple[object, ...]] = set()
    times: dict[tuple[object, ...], int] = {}
    busy = 0

    def look(event: StepEvent) -> None:
        nonlocal busy
        busy += len(event.enabled)
        line = event.instr.line
        if len(event.enabled):
            ways.add(("line", line))
            key = (event.block, line, int(event.enabled[0]))
            times[key] = times.get(key, 0) + 1
            if times[key] == 3:
                ways.add(("again", line))
        if len(event.enabled) < len(event.standing):
            ways.add(("not", line))

    result = run(
        subject.function, subject.module, grid=launch.grid, block=launch.block, args=dict(launch.arguments),
        memory=launch.memory, blocks=_chosen(launch), schedule=schedule,
        dynamic_shared=launch.dynamic_shared, step_limit=step_limit,
        allow_exited=subject.allow_exited, alike=subject.alike, lenient=subject.lenient, one_value=subject.one_value,
        on_step=look if watched else None, enough=enough,
    )
    faults = tuple(f for f in result.faults if f.kind != STEP_LIMIT)
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    steps = result.stats.steps
    return Outcome(
        faults, len(faults) < len(result.faults), dict(_contents(launch.memory)), steps, steps * (50 + threads),
        frozenset(ways), busy,
    )


def _chosen(launch: Launch) -> Sequence[Index] | None:
    """The blocks where only some are run; None leaves their order to the schedule."""
    return None if len(launch.blocks) == prod(launch.grid) else launch.blocks


def _contents(memory: Memory) -> Iterator[tuple[str, str]]:
    for name, buffer in memory.buffers.items():
        if buffer.writable:
            yield name, _digest(buffer)


def _digest(buffer: Buffer) -> str:
    digest = sha256()
    for content in (buffer.content, buffer.written):
        if content is None:
            continue
        if content.dense is not None:
            digest.update(content.dense[: buffer.size].tobytes())
            continue
        for number in sorted(content.pages):
            page = content.pages[number].tobytes()
            if page.strip(b"\0"):
                digest.update(f"{number}:".encode() + page)
    return digest.hexdigest()
