"""Runs one thread of an entry on concrete integers.

Integers and predicates are exact at their width. Float results, loaded values and what other lanes hand over are
arbitrary: bits drawn from the seeded generator of the run, so that samples take every way the values could send them.
Source of the integer meanings: PTX ISA 9.7.1 to 9.7.9.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from verifier.findings import Unknown
from verifier.flow import Flow, Loop, branch_target
from verifier.opcodes import Effect, effect_of
from verifier.reader import (
    WIDTHS,
    Entry,
    Immediate,
    Instruction,
    Memory,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
    registers_in,
)


@dataclass(frozen=True)
class Launch:
    """What is fixed for a thread. `parameters` holds the bits of each; `shared` the address of each variable."""

    parameters: Mapping[str, int]
    block: tuple[int, int, int]
    grid: tuple[int, int, int]
    shared: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Thread:
    """State of a run. `iterations` and `exits` are keyed by the loop header's line.

    `results`: for each line, what its registers held after it was last executed.
    """

    launch: Launch
    tid: tuple[int, int, int]
    ctaid: tuple[int, int, int]
    registers: dict[str, int] = field(default_factory=dict)
    iterations: dict[int, int] = field(default_factory=dict)
    exits: dict[int, int] = field(default_factory=dict)
    results: dict[int, dict[str, int]] = field(default_factory=dict)
    executed: set[int] = field(default_factory=set)
    steps: int = 0
    ended: str = ""


class Observer(Protocol):
    """Who watches a run."""

    def before(self, thread: Thread, instruction: Instruction) -> None:
        """The instruction's guard holds and it is about to execute."""

    def round(self, thread: Thread, loop: Loop, again: bool) -> None:
        """A loop's iteration ended: by going back to the header (again), or by leaving. Counts are those before."""


def run(
    entry: Entry,
    flow: Flow,
    launch: Launch,
    tid: tuple[int, int, int],
    ctaid: tuple[int, int, int],
    chance: random.Random,
    observer: Observer,
    limit: int = 20_000,
) -> Thread:
    """Execute until the thread ends (`ended` is "ret" or "trap") or after `limit` steps ("limit").

    Unknown for an instruction that is not understood or a register read before it is written.
    """
    machine = _Machine(entry, launch, chance)
    thread = Thread(launch, tid, ctaid)
    at = 0
    while not thread.ended:
        if thread.steps >= limit:
            thread.ended = "limit"
            break
        thread.steps += 1
        after = _step(entry, machine, thread, entry.instructions[at], at, observer)
        _count_rounds(flow, thread, at, after, observer)
        at = after
    return thread


def _step(
    entry: Entry, machine: _Machine, thread: Thread, instruction: Instruction, at: int, observer: Observer
) -> int:
    if instruction.guard is not None:
        name, negated = instruction.guard
        if bool(machine.read_register(thread, name, instruction)) == negated:
            return at + 1
    observer.before(thread, instruction)
    thread.executed.add(instruction.line)
    match instruction.opcode[0]:
        case "bra":
            return branch_target(entry, instruction)
        case "ret" | "exit":
            thread.ended = "ret"
            return at
        case "trap":
            thread.ended = "trap"
            return at
    machine.execute(thread, instruction)
    return at + 1


def _count_rounds(flow: Flow, thread: Thread, at: int, after: int, observer: Observer) -> None:
    """Tell of loops left and rounds completed on the edge at -> after, innermost first; start those entered."""
    inside = () if thread.ended else flow.chains[after]
    if inside == flow.chains[at] and after not in flow.loops:
        return
    for loop in reversed(flow.chains[at]):
        if loop not in inside:
            observer.round(thread, loop, False)
            thread.exits[loop.line] = thread.iterations[loop.line]
        elif after == loop.header:
            observer.round(thread, loop, True)
            thread.iterations[loop.line] += 1
    for loop in inside:
        if loop not in flow.chains[at]:
            thread.iterations[loop.line] = 0


class _Machine:
    def __init__(self, entry: Entry, launch: Launch, chance: random.Random) -> None:
        self.entry, self.launch, self.chance = entry, launch, chance
        self.effects: dict[int, Effect] = {}

    def read_register(self, thread: Thread, name: str, instruction: Instruction) -> int:
        if name in thread.registers:
            return thread.registers[name]
        value = special(thread, name)
        if value is None:
            raise Unknown(f"line {instruction.line}: {name} is read before it is written")
        return value

    def read(self, thread: Thread, operand: Operand, width: int, instruction: Instruction) -> int:
        """The operand's bits, cut to the width an instruction reads."""
        mask = (1 << width) - 1
        match operand:
            case Register(name):
                return self.read_register(thread, name, instruction) & mask
            case Immediate(value):
                return value & mask
            case Symbol(name) if name in self.entry.shared:
                return self.launch.shared[name] & mask
            case Vector(parts):
                each = width // len(parts)
                return sum(self.read(thread, p, each, instruction) << (i * each) for i, p in enumerate(parts))
        raise Unknown(f"line {instruction.line}: operand not understood: {instruction.text}")

    def write(self, thread: Thread, operand: Operand, value: int, width: int, instruction: Instruction) -> None:
        match operand:
            case Register(name) if name in self.entry.registers:
                own = WIDTHS[self.entry.registers[name]]
                if width > own:
                    raise Unknown(f"line {instruction.line}: a {width}-bit result in {own}-bit {name}")
                thread.registers[name] = value & ((1 << own) - 1)
            case Symbol("_"):
                return
            case Vector(parts):
                each = width // len(parts)
                for i, part in enumerate(parts):
                    self.write(thread, part, (value >> (i * each)) & ((1 << each) - 1), each, instruction)
            case _:
                raise Unknown(f"line {instruction.line}: destination not understood: {instruction.text}")

    def execute(self, thread: Thread, instruction: Instruction) -> None:
        effect = self.effects.get(instruction.line)
        if effect is None:
            effect = self.effects[instruction.line] = effect_of(instruction)
        if effect.parameter:
            values = self.parameter(thread, instruction, effect)
        else:
            sources = instruction.operands[len(instruction.operands) - len(effect.reads) :]
            reads = [self.read(thread, o, w, instruction) for o, w in zip(sources, effect.reads, strict=True)]
            values = effect.meaning(*reads) if effect.meaning else self.arbitrary(effect)
        if not effect.writes:
            return
        targets = targets_of(instruction, effect)
        for target, value, width in zip(targets, values, effect.writes, strict=True):
            self.write(thread, target, value, width, instruction)
        names = [name for target in targets for name in registers_in(target)]
        thread.results[instruction.line] = {name: thread.registers[name] for name in names}

    def arbitrary(self, effect: Effect) -> tuple[int, ...]:
        """Bits of any value; extremes more often than chance would."""
        return tuple(
            self.chance.choice((0, 1, (1 << w) - 1, self.chance.getrandbits(w), self.chance.getrandbits(w)))
            for w in effect.writes
        )

    def parameter(self, thread: Thread, instruction: Instruction, effect: Effect) -> tuple[int, ...]:
        place = instruction.operands[1]
        if (
            not isinstance(place, Memory)
            or not isinstance(place.base, Symbol)
            or place.offset
            or len(effect.writes) > 1
        ):
            raise Unknown(f"line {instruction.line}: parameter read not understood: {instruction.text}")
        if place.base.name not in self.launch.parameters:
            raise Unknown(f"line {instruction.line}: no parameter {place.base.name}")
        kind = dict(self.entry.parameters)[place.base.name]
        if WIDTHS[kind] != effect.writes[0]:
            raise Unknown(f"line {instruction.line}: reads {effect.writes[0]} bits of a {WIDTHS[kind]}-bit parameter")
        return (self.launch.parameters[place.base.name],)


def targets_of(instruction: Instruction, effect: Effect) -> list[Operand]:
    """The destinations, one for each value written."""
    first = instruction.operands[0]
    if isinstance(first, Pair):
        return [first.first, first.second]
    if isinstance(first, Vector) and len(effect.writes) > 1:
        return list(first.parts)
    return [first]


def address_of(thread: Thread, entry: Entry, instruction: Instruction) -> int:
    """The byte address that an access names, modulo 2^64."""
    place = next(o for o in instruction.operands if isinstance(o, Memory))
    match place.base:
        case Register(name):
            base = thread.registers.get(name)
            if base is None:
                raise Unknown(f"line {instruction.line}: {name} is read before it is written")
        case Symbol(name) if name in entry.shared:
            base = thread.launch.shared[name]
        case Immediate(value):
            base = value
        case _:
            raise Unknown(f"line {instruction.line}: address not understood: {instruction.text}")
    return (base + place.offset) % 2**64


def special(thread: Thread, name: str) -> int | None:
    """Value of a special register, or None if this is none."""
    base, _, axis = name.removeprefix("%").partition(".")
    x, y, z = thread.tid
    bx, by, _ = thread.launch.block
    flat = x + bx * (y + by * z)
    if name == "%laneid":
        return flat % 32
    table = {"tid": thread.tid, "ntid": thread.launch.block, "ctaid": thread.ctaid, "nctaid": thread.launch.grid}
    return table[base]["xyz".index(axis)] if base in table and axis and axis in "xyz" else None
