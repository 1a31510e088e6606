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
from verifier.flow import Flow, Loop, branch_target, flow_of
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


@dataclass(frozen=True)
class Program:
    """An entry made ready to run. Registers are remembered at each arrival at a line of `watched`."""

    entry: Entry
    flow: Flow
    effects: tuple[Effect, ...]
    watched: frozenset[int] = frozenset()


def program_of(entry: Entry, watched: frozenset[int] = frozenset()) -> Program:
    """Unknown for an instruction or a flow that the verifier does not understand."""
    return Program(entry, flow_of(entry), tuple(effect_of(i) for i in entry.instructions), watched)


@dataclass
class History:
    """What later terms may speak of, by line.

    results: what an instruction's registers held after it was last executed; arrivals: all registers at the last
    arrival at a watched line; iterations, exits: completed rounds of a loop, by its header's line; left: the line from
    which a loop was left.
    """

    results: dict[int, dict[str, int]] = field(default_factory=dict)
    arrivals: dict[int, dict[str, int]] = field(default_factory=dict)
    iterations: dict[int, int] = field(default_factory=dict)
    exits: dict[int, int] = field(default_factory=dict)
    left: dict[int, int] = field(default_factory=dict)

    def copy(self) -> History:
        return History(
            dict(self.results), dict(self.arrivals), dict(self.iterations), dict(self.exits), dict(self.left)
        )


@dataclass
class Thread:
    """State of a run; `previous` is what `now` was at the end of a loop's last round, by the header's line."""

    launch: Launch
    tid: tuple[int, int, int]
    ctaid: tuple[int, int, int]
    registers: dict[str, int] = field(default_factory=dict)
    now: History = field(default_factory=History)
    previous: dict[int, History] = field(default_factory=dict)
    executed: set[int] = field(default_factory=set)
    steps: int = 0
    ended: str = ""


class Observer(Protocol):
    """Who watches a run."""

    def arrive(self, thread: Thread, instruction: Instruction, executes: bool) -> None:
        """The thread is about to execute the instruction, or to pass it because its guard is false."""

    def after(self, thread: Thread, instruction: Instruction) -> None:
        """The instruction was executed."""

    def round(self, thread: Thread, loop: Loop, again: bool) -> None:
        """A loop's iteration ends: by going back to the header (again), or by leaving. Counts are those before."""


def run(
    program: Program,
    launch: Launch,
    tid: tuple[int, int, int],
    ctaid: tuple[int, int, int],
    chance: random.Random,
    observer: Observer,
    limit: int = 20_000,
) -> Thread:
    """Execute until the thread ends (`ended` is "ret" or "trap") or after `limit` steps ("limit").

    Unknown for a register read before it is written or a division by zero.
    """
    machine = _Machine(program.entry, launch, chance)
    thread = Thread(launch, tid, ctaid)
    at = 0
    while not thread.ended:
        if thread.steps >= limit:
            thread.ended = "limit"
            break
        thread.steps += 1
        after = _step(program, machine, thread, at, observer)
        _count_rounds(program.flow, thread, at, after, program.entry.instructions[at].line, observer)
        at = after
    return thread


def _step(program: Program, machine: _Machine, thread: Thread, at: int, observer: Observer) -> int:
    instruction = program.entry.instructions[at]
    if instruction.line in program.watched:
        thread.now.arrivals[instruction.line] = dict(thread.registers)
    executes = True
    if instruction.guard is not None:
        name, negated = instruction.guard
        executes = bool(machine.read_register(thread, name, instruction)) != negated
    observer.arrive(thread, instruction, executes)
    if not executes:
        return at + 1
    thread.executed.add(instruction.line)
    match instruction.opcode[0]:
        case "bra":
            return branch_target(program.entry, instruction)
        case "ret" | "exit":
            thread.ended = "ret"
            return at
        case "trap":
            thread.ended = "trap"
            return at
    machine.execute(thread, instruction, program.effects[at])
    observer.after(thread, instruction)
    return at + 1


def _count_rounds(flow: Flow, thread: Thread, at: int, after: int, line: int, observer: Observer) -> None:
    """Tell of loops left and rounds completed on the edge at -> after, innermost first; start those entered."""
    inside = () if thread.ended else flow.chains[after]
    if inside == flow.chains[at] and after not in flow.loops:
        return
    now = thread.now
    for loop in reversed(flow.chains[at]):
        if loop not in inside:
            observer.round(thread, loop, False)
            now.exits[loop.line] = now.iterations[loop.line]
            now.left[loop.line] = line
        elif after == loop.header:
            observer.round(thread, loop, True)
            thread.previous[loop.line] = now.copy()
            now.iterations[loop.line] += 1
    for loop in inside:
        if loop not in flow.chains[at]:
            now.iterations[loop.line] = 0
            thread.previous.pop(loop.line, None)


class _Machine:
    def __init__(self, entry: Entry, launch: Launch, chance: random.Random) -> None:
        self.entry, self.launch, self.chance = entry, launch, chance

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

    def sources(self, thread: Thread, instruction: Instruction, effect: Effect) -> list[int]:
        """The bits of the source operands."""
        operands = instruction.operands[len(instruction.operands) - len(effect.reads) :]
        return [self.read(thread, o, w, instruction) for o, w in zip(operands, effect.reads, strict=True)]

    def execute(self, thread: Thread, instruction: Instruction, effect: Effect) -> None:
        if effect.parameter:
            values = self.parameter(thread, instruction, effect)
        else:
            reads = self.sources(thread, instruction, effect)
            values = effect.meaning(*reads) if effect.meaning else self.arbitrary(effect)
        if not effect.writes:
            return
        targets = targets_of(instruction, effect)
        for target, value, width in zip(targets, values, effect.writes, strict=True):
            self.write(thread, target, value, width, instruction)
        names = [name for target in targets for name in registers_in(target)]
        thread.now.results[instruction.line] = {name: thread.registers[name] for name in names}

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


def sources_of(program: Program, thread: Thread, instruction: Instruction) -> list[int]:
    """The bits of an instruction's source operands and address registers, as it would read them now."""
    machine = _Machine(program.entry, thread.launch, random.Random(0))
    found = machine.sources(thread, instruction, effect_of(instruction))
    bases = [o.base.name for o in instruction.operands if isinstance(o, Memory) and isinstance(o.base, Register)]
    return found + [thread.registers[name] for name in bases if name in thread.registers]


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
