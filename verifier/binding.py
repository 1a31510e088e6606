"""Whether the records speak of this PTX: sampled threads are run, and every recorded term and condition must agree.

At each executed access, barrier, shuffle and observation: the address term is the concrete address modulo 2^64, control
and facts hold, values are in range. The other way round: where the recorded control holds, the line is executed, in
every iteration. Loops go round exactly when `continue` holds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from verifier.contract import Contract
from verifier.environment import Environment, bound_line, watched_lines
from verifier.findings import AuditError, Unknown
from verifier.flow import Loop
from verifier.interpreter import Program, Thread, address_of, program_of, run, sources_of
from verifier.observations import observed
from verifier.points import Point as Sample
from verifier.reader import Entry, Instruction
from verifier.records import Access, Barrier, LoopRecord, Point, Range, Records, Shuffle, Symbol
from verifier.terms import Term, Unvalued, evaluate, show

STEPS = 4_000
SEED = 20_240_601


@dataclass
class Outcome:
    """Messages by what they are about (the first of each kind is kept), executed lines, and how much was compared."""

    messages: dict[str, str] = field(default_factory=dict)
    executed: set[int] = field(default_factory=set)
    threads: int = 0
    compared: int = 0


def bind(entry: Entry, contract: Contract, records: Records, samples: Iterable[Sample]) -> Outcome:
    """Run the samples and compare. Unknown if the PTX is not understood."""
    program = program_of(entry, watched_lines(records))
    outcome = Outcome()
    table = _Table(program, records)
    for number, sample in enumerate(samples):
        observer = _Binder(contract, records, table, outcome, sample)
        try:
            thread = run(
                program, sample.launch, sample.tid, sample.ctaid, random.Random(SEED + number), observer, STEPS
            )
        except Unknown as error:
            outcome.messages.setdefault(f"run:{error}", f"{error} (at {sample})")
            continue
        observer.finish(thread)
        outcome.executed |= thread.executed
        outcome.threads += 1
    return outcome


class _Table:
    """The records by line and by loop."""

    def __init__(self, program: Program, records: Records) -> None:
        self.program = program
        self.at: dict[int, list[Point]] = {}
        self.inside: dict[str, list[Point]] = {}
        self.headers: dict[int, LoopRecord] = {}
        self.defined: dict[int, list[Symbol]] = {}
        self.results: dict[int, list[Symbol]] = {}
        places = [*records.accesses.values(), *records.barriers.values(), *records.shuffles.values()]
        for point in places:
            self.inside.setdefault(point.loops[-1] if point.loops else "", []).append(point)
        self.observed = observed(program.entry)
        for point in (*places, *records.observations.values()):
            self.at.setdefault(point.line, []).append(point)
        for loop in records.loops.values():
            self.headers[loop.line] = loop
        for symbol in records.symbols.values():
            line = bound_line(symbol)
            if symbol.kind == "opaque" and line is not None:
                self.results.setdefault(line, []).append(symbol)
            if line is not None and symbol.definition is not None:
                self.defined.setdefault(line, []).append(symbol)


class _Binder:
    """Compares one run with the records."""

    def __init__(self, contract: Contract, records: Records, table: _Table, outcome: Outcome, sample: Sample) -> None:
        self.contract, self.records, self.table, self.outcome = contract, records, table, outcome
        self.sample = sample
        self.fresh: dict[int, set[int]] = {}
        self.values: Environment | None = None

    def say(self, key: str, message: str) -> None:
        """Keep the first message about a thing; the concrete point stands with it."""
        self.outcome.messages.setdefault(key, f"{message} (at {self.sample})")

    def environment(self, thread: Thread) -> Environment:
        if self.values is None:
            self.values = Environment(self.contract, self.records, thread)
        return self.values

    # --- what the interpreter tells ---
    def arrive(self, thread: Thread, instruction: Instruction, executes: bool) -> None:
        line = instruction.line
        if line in self.table.headers:
            self.fresh[line] = set()
            self._known(self.table.headers[line], self.environment(thread))
        if instruction.opcode[0] in ("bra", "ret", "exit", "trap"):
            self._branch(thread, line, executes)
        if not executes:
            return
        for lines in self.fresh.values():
            lines.add(line)
        for register, width in self.table.observed.get(line, ()):
            self._observed(register, width, thread, line)
        for point in self.table.at.get(line, ()):
            values = self.environment(thread)
            self._known(point, values)
            if isinstance(point, Access):
                self._address(point, thread, instruction, values)
            elif isinstance(point, Range):
                self._range(point, thread, instruction, values)

    def after(self, thread: Thread, instruction: Instruction) -> None:
        for symbol in self.table.defined.get(instruction.line, ()):
            assert symbol.definition is not None
            values = self.environment(thread)
            value = self._value(symbol.name, symbol.definition, values)
            if value is not None and value != values.get(symbol.name):
                self.say(
                    f"definition {symbol.name}",
                    f"the definition of {symbol.name} gives {value}, PTX line {instruction.line} gives "
                    f"{values.get(symbol.name)}",
                )
        for symbol in self.table.results.get(instruction.line, ()):
            self._within(symbol, self.environment(thread))

    def round(self, thread: Thread, loop: Loop, again: bool) -> None:
        record = self.table.headers.get(loop.line)
        if record is None:
            self.say(f"loop {loop.line}", f"the loop at PTX line {loop.line} is in no record")
            return
        values = self.environment(thread)
        value = self._value(f"{record.id} continue", record.proceed, values)
        if value is not None and bool(value) != again:
            count = thread.now.iterations[loop.line]
            self.say(
                f"continue {record.id}",
                f"loop {record.id}: `continue` is {bool(value)} in iteration {count}, but the PTX "
                f"{'goes round' if again else 'leaves'}",
            )
        executed = self.fresh.get(loop.line, set())
        for point in self.table.inside.get(record.id, ()):
            self._reached(point, values, executed)

    def finish(self, thread: Thread) -> None:
        """Compare what was reached outside loops with what the records say leads there."""
        if thread.ended == "limit":
            return
        if thread.ended == "trap":
            self.say("trap", "the PTX traps")
        values = self.environment(thread)
        for point in self.table.inside.get("", ()):
            self._reached(point, values, thread.executed)

    # --- comparisons ---
    def _value(self, key: str, term: Term, values: Environment) -> int | None:
        try:
            self.outcome.compared += 1
            return evaluate(term, values)
        except Unvalued as error:
            self.say(f"unvalued {key} {error}", f"{key}: {error} has no value here in {show(term)[:120]}")
            return None

    def _known(self, point: Point, values: Environment) -> None:
        for what, terms in (("control", point.control), ("fact", point.facts)):
            for number, term in enumerate(terms):
                if self._value(f"{what} of {point.id}", term, values) == 0:
                    self.say(
                        f"{what} {point.id} {number}",
                        f"{_name(point)}: recorded {what} does not hold when line {point.line} is executed: "
                        f"{show(term)[:160]}",
                    )

    def _address(self, access: Access, thread: Thread, instruction: Instruction, values: Environment) -> None:
        value = self._value(f"address of {access.id}", access.address, values)
        concrete = address_of(thread, self.table.program.entry, instruction)
        if value is not None and value % 2**64 != concrete:
            self.say(
                f"address {access.id}",
                f"{_name(access)}: the address term gives {value}, PTX line {access.line} accesses {concrete}",
            )

    def _range(self, record: Range, thread: Thread, instruction: Instruction, values: Environment) -> None:
        value = self._value(f"term of {record.id}", record.term, values)
        if value is None:
            return
        if not record.low <= value <= record.high:
            self.say(f"range {record.id}", f"{_name(record)}: the term is {value}, outside what is claimed")
        width = (record.high - record.low).bit_length()
        reads = sources_of(self.table.program, thread, instruction)
        if record.high - record.low != 2**width - 1 or all((value - read) % 2**width for read in reads):
            self.say(
                f"register {record.id}",
                f"{_name(record)}: the term is {value}, PTX line {record.line} reads {reads}",
            )

    def _observed(self, register: str, width: int, thread: Thread, line: int) -> None:
        """Some observation at this line has this register's value."""
        values = self.environment(thread)
        terms = [p.term for p in self.table.at.get(line, ()) if isinstance(p, Range)]
        value = thread.registers.get(register, 0) % 2**width
        if not any((self._value(f"observation at line {line}", t, values) or 0) % 2**width == value for t in terms):
            self.say(
                f"unobserved {line} {register}",
                f"PTX line {line} looks at {register}, which may have wrapped: no observation has its value {value}",
            )

    def _within(self, symbol: Symbol, values: Environment) -> None:
        if symbol.name not in values:
            return
        value = values[symbol.name]
        if (symbol.low is not None and value < symbol.low) or (symbol.high is not None and value > symbol.high):
            self.say(f"symbol {symbol.name}", f"{symbol.name} is {value}, outside its recorded range")

    def _branch(self, thread: Thread, line: int, executes: bool) -> None:
        for at, condition in self.records.branches:
            if at != line:
                continue
            value = self._value(f"branch at line {line}", condition, self.environment(thread))
            if value is not None and bool(value) != executes:
                self.say(f"branch {line}", f"the recorded condition of the branch at PTX line {line} is wrong")

    def _reached(self, point: Point, values: Environment, executed: set[int]) -> None:
        """Where every control condition holds, the line must have been executed."""
        try:
            leads = all(evaluate(term, values) for term in point.control)
        except Unvalued:
            leads = False
        if leads and point.line not in executed:
            self.say(
                f"unreached {point.id}",
                f"{_name(point)}: its recorded control holds, but PTX line {point.line} is not executed",
            )


def _name(point: Point) -> str:
    kinds: list[tuple[type[Point], Callable[[], str]]] = [
        (Access, lambda: "access"),
        (Barrier, lambda: "barrier"),
        (Shuffle, lambda: "shuffle"),
        (Range, lambda: "observation"),
        (LoopRecord, lambda: "loop"),
    ]
    return f"{next(name() for kind, name in kinds if isinstance(point, kind))} {point.id}"


__all__ = ["AuditError", "Outcome", "bind"]
