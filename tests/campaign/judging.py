"""One kernel: what the prover says, what the machine shows, and whether the two can both be right.

*Wrong* is an obligation that is reported as proved while a run of an allowed launch shows a fault that belongs to it.
The report calls an obligation proved only where those that it stands on are proved as well, so no fault needs to be
excused because of another. Excused are two stores of which the prover has proved that they put one value in one place
(`Analysis.one_value`); then the machine's registers must say the same of those that met.

Where all is proved, one launch must leave the same in memory under two schedules, unless its outcome may depend on the
order of atomics or on a clock: `orderly`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from proofs.entry import Analysis
from spec.ptx.access import AccessEvent
from spec.ptx.ast import FloatImm, Function, Imm, Reg, Vec
from spec.ptx.block import StepEvent
from spec.ptx.faults import STEP_LIMIT, UNINITIALISED
from spec.ptx.lower import lowered
from spec.ptx.memory import WINDOWS
from spec.ptx.parser import parse
from spec.ptx.program import decode
from spec.ptx.threads import WARP
from tests.campaign.addresses import Compared, Crosscheck
from tests.campaign.endless import goes_on_for_ever
from tests.campaign.kernel import Kernel
from tests.campaign.launching import fitting
from tests.campaign.proving import EFFORT, PROVED, Proof, prove
from tests.campaign.seeing import LONG, STEPS, Runner, Seen, Told, watched

MEMORY = "memory"  # the kind of what is wrong where two schedules leave something different
_COMMUTING = re.compile(r"(add|min|max|and|or|xor)")
_UNORDERLY = ("activemask", "nanosleep")
_CLOCKS = ("%clock", "%globaltimer", "%smid", "%warpid")


@dataclass
class Outcome:
    """What became of one kernel.

    Args:
        wrong: what was proved and is not so, in words, by obligation (or MEMORY).
        seen: faults, the first of each obligation, in words; LONG where a run took long.
        runs: which of the runs showed it.
        compared: addresses.
    """

    kernel: Kernel
    proof: Proof
    wrong: Mapping[str, str]
    seen: Mapping[str, str]
    compared: Compared = field(default_factory=Compared)
    runs: Mapping[str, int] = field(default_factory=dict)


def judged(kernel: Kernel, effort: int = EFFORT) -> Outcome:
    """Everything about one kernel.

    Raises:
        Misfit: its launches are not as it says.
        FltcError: the check refuses it as bad input.
    """
    fitting(kernel)
    proof = prove(kernel, effort)
    analysis = proof.analysis
    runner = runner_of(kernel, analysis)
    if analysis is None:
        return Outcome(kernel, proof, {}, _first(watched(runner)))
    checking = Crosscheck(
        analysis, decode(runner.function, runner.module, kernel.dynamic_shared), runner.concrete(0),
        "bounds" in proof.proved,
    )  # fmt: skip
    writers = Writers() if "single-writer" in proof.proved else None

    def on_access(event: AccessEvent) -> None:
        checking.on_access(event)
        if writers is not None:
            writers.on_access(event)

    seen = watched(runner, alike_lines(analysis), on_access, checking.on_step)
    checking.finish()
    if checking.result.disagree and "init" not in proof.proved and any(map(_of_a_register, seen.told)):
        # Where a register is used that was not written, which *init* forbids, the terms take it to hold anything.
        checking.result.excuse("an address made of a register that was not written")
    wrong = wrongly_proved(runner, analysis, proof, seen)
    if writers is not None and not excused(analysis, writers.lines):
        for words in writers.twice:
            wrong.setdefault("single-writer", words)
    runs = {t.obligation: t.run for t in reversed(seen.told)}
    return Outcome(kernel, proof, wrong, _first(seen), checking.result, runs)


def _of_a_register(told: Told) -> bool:
    return told.fault.kind == UNINITIALISED and "register" in told.fault.message


def runner_of(kernel: Kernel, analysis: Analysis | None) -> Runner:
    """Runs the function that the prover has read, or the same made anew."""
    if analysis is not None:
        return Runner(kernel, analysis.problem.module, analysis.problem.function)
    module = parse(kernel.text)
    return Runner(kernel, module, lowered(module.entries[0], module))


def _first(seen: Seen) -> dict[str, str]:
    found: dict[str, str] = {}
    for told in seen.told:
        found.setdefault(LONG if told.fault.kind == STEP_LIMIT else told.obligation, str(told))
    return found


def wrongly_proved(runner: Runner, analysis: Analysis, proof: Proof, seen: Seen) -> dict[str, str]:
    """What is proved and was seen to fail."""
    found: dict[str, str] = {}
    for told in seen.told:
        if told.obligation not in proof.proved or told.obligation in found:
            continue
        if told.fault.kind == STEP_LIMIT and not goes_on_for_ever(runner, analysis, told.run):
            continue
        if told.both_write and _taken_for_one(analysis, told, runner):
            words = differing(runner, told)
            if words:
                found[told.obligation] = words
            continue
        found[told.obligation] = str(told)
    if proof.verdict == PROVED and not seen.settled and orderly(runner.function):
        found[MEMORY] = "two schedules of one launch leave different values in memory"
    return found


def alike_lines(analysis: Analysis) -> frozenset[int]:
    """Lines of stores that the prover takes to be of one value for all lanes of a warp, as replays do."""
    unlike = {a.at.line for a in analysis.records.accesses if not a.alike}
    return frozenset({a.at.line for a in analysis.records.accesses} - unlike)


def _taken_for_one(analysis: Analysis, told: Told, runner: Runner) -> bool:
    """Whether the prover has two stores for one, by what they store or as stores of one instruction of a warp.

    Lanes that a schedule has torn apart make the store of one instruction at different times; it is one all the same.
    """
    fault = told.fault
    lines = (fault.line, fault.other_line or fault.line)
    if excused(analysis, [lines]):
        return True
    x, y, _ = runner.launch(told.run).block
    warps = {(t[0] + x * (t[1] + y * t[2])) // WARP for t in fault.threads[:2]}
    one_block = fault.other_block in (None, fault.block)
    return len(set(lines)) == 1 and fault.line in alike_lines(analysis) and one_block and len(warps) == 1


def excused(analysis: Analysis, pairs: Iterable[tuple[int, int]]) -> bool:
    """Whether all of these pairs of stores are proved to put one value in one place."""
    return all(frozenset(pair) in analysis.one_value for pair in pairs)


def orderly(function: Function) -> bool:
    """Whether what the kernel leaves may not depend on any order: no result of an atomic is used, all reductions are
    of one commutative and associative operation on integers, and nothing tells the time or the hardware's choices.
    """
    operations = set()
    for instruction in function.instructions():
        parts = instruction.opcode.split(".")
        if instruction.base == "atom" or instruction.base in _UNORDERLY:
            return False
        if instruction.base == "red":
            if parts[-1].startswith(("f", "bf")) or not any(_COMMUTING.fullmatch(p) for p in parts):
                return False
            operations.add(instruction.opcode)
        if any(name in str(operand) for operand in instruction.operands for name in _CLOCKS):
            return False
    return len(operations) <= 1


class Writers:
    """Bytes of global memory that are written more than once in a run, whatever lies between."""

    def __init__(self) -> None:
        self._first: dict[int, AccessEvent] = {}
        self.lines: list[tuple[int, int]] = []
        self.twice: list[str] = []

    def on_access(self, event: AccessEvent) -> None:
        if event.kind != "write" or event.space != "global":
            return
        for byte in range(event.address, event.address + event.width):
            before = self._first.setdefault(byte, event)
            if before is not event:
                pair = (before.line, event.line)
                if pair not in self.lines:
                    self.lines.append(pair)
                    self.twice.append(
                        f"byte {byte:#x} is written by block {before.block}, thread {before.thread} at line "
                        f"{before.line}, and by block {event.block}, thread {event.thread} at line {event.line}"
                    )
                return


def differing(runner: Runner, told: Told) -> str:
    """Words if two stores that raced, and are taken for one, put different bytes there; the run is made once more."""
    fault, at = told.fault, told.fault.address
    if at is None:
        return ""
    blocks = (fault.block, fault.other_block or fault.block)
    lines = (fault.line, fault.other_line or fault.line)
    who = list(zip(lines, blocks, fault.threads, strict=False))
    held: list[list[bytes]] = [[] for _ in who]
    given = runner.concrete(told.run)
    x, y, _ = given.launch.block
    steps: list[StepEvent] = []

    def on_access(event: AccessEvent) -> None:
        step = steps[-1]
        start = event.address + WINDOWS.get(event.space, 0)
        meets = start < at + fault.bytes and at < start + event.width
        if step.instr.base != "st" or not meets:
            return
        for n, one in enumerate(who):
            if (event.line, event.block, event.thread) == one:
                linear = event.thread[0] + x * (event.thread[1] + y * event.thread[2])
                held[n].append(_stored(step, linear))

    def on_step(event: StepEvent) -> None:
        steps[:] = [event]

    runner.run(told.run, STEPS, given, on_access=on_access, on_step=on_step)
    if len(who) < 2 or held[0] == held[1] or (len(held[0]) != len(held[1]) and set(held[0]) & set(held[1])):
        return ""
    stored = " and ".join(h[0].hex() if h else "nothing" for h in held)
    return f"{told}; they are taken for one store, and store {stored}"


def _stored(event: StepEvent, thread: int) -> bytes:
    """The bytes that a store of one thread puts into memory."""
    instruction = event.instr
    width = int(re.sub(r"\D", "", instruction.opcode.split(".")[-1])) // 8
    operand = instruction.operands[-1]
    parts = operand.elems if isinstance(operand, Vec) else (operand,)
    return b"".join(_number(part, event, thread, width) for part in parts)


def _number(part: object, event: StepEvent, thread: int, width: int) -> bytes:
    if isinstance(part, Reg):
        held = np.asarray(event.registers[part.name])
        bits = int(held.view(np.dtype(f"u{held.dtype.itemsize}"))[thread])
    elif isinstance(part, Imm):
        bits = int(part.value)
    elif isinstance(part, FloatImm):
        bits = part.bits
    else:
        bits = 0
    return (bits % (1 << 8 * width)).to_bytes(width, "little")

