"""Registers of the symbolic machine: reading and writing them, and where what they hold is defined.

Each register has the condition under which its value is defined (`State.written`). A kernel under a contract may not
read a register where it has not been written. Of other kernels only that is claimed which matters: an undefined value
reaches no guard, no address, no memory, and nothing that steers (`spec/ptx/defined.py` says what an operation demands
and what it hands on). Such a value may be taken to be any, and the model takes one; since nothing that happens depends
on it, what is proved of the model holds of every other value as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from proofs.loops import Runner
from proofs.loops_orbits import fold
from proofs.problem import AXES, Problem
from proofs.records import Point, Read, Undefined
from proofs.sameness import uniform
from proofs.state import State, Value
from proofs.terms import (
    FALSE,
    THREAD,
    TRUE,
    Cond,
    Poly,
    Symbol,
    conj,
    disj,
    divide,
    ite,
    lt,
    modulo,
    negate,
    opaque_truth,
)
from proofs.words import Hooks, Word
from spec.ptx.ast import Instr, type_width
from spec.ptx.defined import Defined, Shadowed, demands_everything, registers_read
from spec.ptx.operands import bind
from spec.ptx.reader import Reader
from spec.ptx.row import Form, Row
from spec.ptx.shuffle import source_lane

MAX_SIZE = 20_000  # characters of one value; beyond it the value is not followed
LANES = 32


class Registers(Hooks, Runner):
    """The part of the machine that has registers.

    `strict`: none may be read where it has not been written. `exchanges`: what is defined hangs on other lanes, which
    must be where the barrier claims say.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.state = State()
        self.guard: Cond = TRUE
        self.strict = problem.strict
        self.exchanges = False
        self._made: set[str] = set()
        self._doubts: dict[str, Cond] = {}

    def _readers(self) -> None:
        """To be called once there is a domain."""
        registers = self.problem.function.registers
        shadows: Any = Defined(self.domain, self._demand, self._exchanged)
        self.reader: Reader[Word, Cond] = Reader(self.domain, registers, self._read)
        self.shadowed: Reader[Any, Any] = Reader(shadows, registers, self._shadow)

    @abstractmethod
    def _point(self) -> Point:
        """Where the instruction stands that is being carried out."""

    def carry_out(self, instruction: Instr, row: Row, form: Form) -> None:
        """An instruction that has a meaning."""
        self._doubts = {}
        if not (self.strict or demands_everything(row)):
            self._doubts = self._doubtful(registers_read(bind(instruction, row)))
        if not self._doubts:
            for register, value in self.reader.execute(instruction, row, form):
                self._write(register, value)
            return
        for register, result in self.shadowed.execute(instruction, row, form):
            self._write(register, result.value, result.defined)

    # --- reading ---
    def _read(self, name: str) -> Value:
        """The value of a register, which must be defined."""
        written = self.state.written.get(name, FALSE)
        if written != TRUE and self.recording and not self._implied(written):
            self.found.append(Read("", self._point(), name, written, name in self._made))
        return self._value(name)

    def _shadow(self, name: str) -> Shadowed:
        return Shadowed(self._value(name), self._doubts.get(name, TRUE))

    def _value(self, name: str) -> Value:
        value = self.state.registers.get(name)
        if value is not None:
            return value
        kind = self.problem.function.registers[name]
        key = f"u@{name}"
        if kind == "pred":
            return opaque_truth(Symbol(key, "boolean", THREAD, None, None, loops=frozenset(self.loops)))
        return Word(type_width(kind), None, key, frozenset(self.loops))

    def _doubtful(self, names: Iterable[str]) -> dict[str, Cond]:
        """Those of the registers that may be undefined here, each with the condition under which it is defined."""
        found = {}
        for name in names:
            written = self.state.written.get(name, FALSE)
            if written == TRUE or self._implied(written):
                continue
            if self.recording and written != FALSE and self.prove(written):
                continue
            found[name] = written
            if self.recording and name not in self._made:
                self.found.append(Undefined("", self._point(), name))
        return found

    def _implied(self, condition: Cond) -> bool:
        known = {*self.state.control, self.guard, *self.state.facts}
        parts = condition.args if condition.op == "or" else (condition,)
        return any(all(q in known for q in (p.args if p.op == "and" else (p,))) for p in parts)

    def _demand(self, defined: Cond) -> None:
        """An operation on operands that must be defined."""
        if defined != TRUE and self.recording and not self._implied(defined):
            name = next(iter(self._doubts))
            self.found.append(Read("", self._point(), name, defined, name in self._made))

    def _exchanged(self, mode: str, defined: Cond, b: Word, c: Word, members: Word) -> Cond:
        """Whether what a shuffle gives is defined: the condition of the lane that it reads from.

        That lane is at the same instruction in the same rounds of all loops (*barrier*). Where its condition cannot be
        written down, every lane must have a value that is defined.
        """
        source = source_thread(self.problem, mode, b, c)
        tid = {s for axis in AXES for s in self.problem.specials[f"%tid.{axis}"].symbols()}
        rounds = frozenset(self.loops)
        if source is not None and all(s in tid or uniform(Poly.symbol(s), rounds) for s in defined.symbols()):
            moved = defined.substitute({s: source for s in self.problem.specials["%tid.x"].symbols()})
            if len(moved.text) <= MAX_SIZE:
                self.exchanges = self.exchanges or moved != TRUE
                return moved
        self._demand(defined)
        return TRUE

    # --- writing ---
    def _write(self, register: str, value: Value, defined: Cond = TRUE) -> None:
        value = self._followed(value)
        if defined == TRUE:
            self._made.discard(register)
        else:
            self._made.add(register)
        if self.guard == TRUE:
            self.state.set(register, value, defined)
            return
        old = self.state.registers.get(register)
        before = self.state.written.get(register, FALSE)
        written = disj((self.guard, before))
        if defined != TRUE:
            written = disj((conj((self.guard, defined)), conj((negate(self.guard), before))))
        if old is None or before == FALSE:
            self.state.set(register, value, written)
        elif isinstance(value, Cond):
            assert isinstance(old, Cond)
            chosen = disj((conj((self.guard, value)), conj((negate(self.guard), old))))
            self.state.set(register, self._followed(chosen), written)
        else:
            assert isinstance(old, Word)
            chosen_word = self.domain.select(value.width, self.guard, value, old)
            self.state.set(register, self._followed(chosen_word), written)

    def _followed(self, value: Value) -> Value:
        """The value, or an unknown one in its place if it has become too long to reason about."""
        if isinstance(value, Cond):
            if len(value.text) <= MAX_SIZE:
                return value
            word = self.domain.unknown(1)
            return opaque_truth(Symbol(word.key, "boolean", THREAD, None, None, word.line, "", word.loops))
        if value.term is None:
            return value
        term = fold(value.term)
        if sum(len(a.text) for m in term.terms for a in m) > MAX_SIZE:
            return self.domain.unknown(value.width)
        return replace(value, term=term)


def source_thread(problem: Problem, mode: str, b: Word, c: Word) -> Poly | None:
    """%tid.x of the lane that a shuffle reads from, where warps lie along x and its operands are constants."""
    ntid = [problem.specials[f"%ntid.{axis}"].value for axis in AXES]
    if ntid[1:] != [1, 1] and (ntid[0] is None or ntid[0] % LANES):
        return None
    by, ends = (w.term.value if w.term is not None else None for w in (b, c))
    if by is None or ends is None:
        return None
    lanes = [int(source_lane(mode, lane, by, ends)[0]) for lane in range(LANES)]
    tid = problem.specials["%tid.x"]
    turned = lanes[0]
    if lanes == [lane ^ turned for lane in range(LANES)]:
        bits = [1 << i for i in range(5) if turned >> i & 1]
        return sum((modulo(divide(tid, bit), 2) * (-2 * bit) + bit for bit in bits), start=tid)
    lane = modulo(tid, LANES)
    if len(set(lanes)) == 1:
        return tid - lane + turned
    found = lane + (lanes[-1] - (LANES - 1))
    for i in reversed(range(LANES - 1)):
        if lanes[i] - i != lanes[i + 1] - (i + 1):
            found = ite(lt(lane, i + 1), lane + (lanes[i] - i), found)
    return tid - lane + found
