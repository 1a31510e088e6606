"""What the unknowns of a prover's terms are at a moment of a run: thread numbers, rounds, parameters, registers.

The names are those that the prover gives (`proofs.values`, `proofs.loops`, `proofs.state`):
`k@LOOP` rounds so far, `K@LOOP` rounds at leaving; `v@PLACE[.N]` what the instruction at a place gave; `h@LOOP.REG` and
`c@LOOP.REG` a register at the head of a loop in the last round; `m@PLACE.REG` one on arrival at a place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.contents import ContentAtom
from proofs.problem import Problem
from proofs.records import Records
from proofs.symbols import Symbol
from spec.ptx.ast import Instr, Operand, Pair, Reg, Vec
from spec.ptx.block import StepEvent
from spec.ptx.isa import lookup
from spec.ptx.memory import WINDOWS
from spec.ptx.operands import bind
from spec.ptx.program import Program, thread_indices
from tests.campaign.launching import Concrete
from tests.campaign.terms import Missing, Value, value
from verifier.terms import Term, read_term

Array = npt.NDArray[Any]
_GIVEN = re.compile(r"v@(L\d+(?:\.i\d+)?)(?:\.(\d+))?~?")
_HEAD = re.compile(r"[hc]@(L\d+(?:\.i\d+)?)\.(%[\w$]+)~?")
_JOINED = re.compile(r"m@(L\d+(?:\.i\d+)?)\.(%[\w$]+)~?")
_ROUNDS = re.compile(r"[kK]@(L\d+(?:\.i\d+)?)")
# What these give is the unknown itself; of others it may be a part of what they compute.
SURE = frozenset({"ld", "ldu", "atom", "shfl", "vote", "redux", "match", "elect", "activemask", "cvt", "mov", "popc"})


@dataclass
class Moment:
    """Follows one block at a time.

    Args:
        wanted: all symbols that will be asked for, and the elements of memory.
    """

    problem: Problem
    records: Records
    program: Program
    given: Concrete
    places: Mapping[int, str]
    wanted: Mapping[str, Symbol]
    contents: Mapping[str, ContentAtom]
    block: tuple[int, int, int] | None = None
    rounds: dict[str, Array] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        size = self.given.launch.block
        self.threads = size[0] * size[1] * size[2]
        self._index = [axis.astype(object) for axis in thread_indices(size)]
        self._kept: dict[str, tuple[Array, Array]] = {}
        self._arriving: dict[str, list[tuple[str, str]]] = {}
        self._giving: dict[str, list[tuple[str, int]]] = {}
        self._results: dict[str, list[str]] = {}
        for name in self.wanted:
            if match := _GIVEN.fullmatch(name):
                self._giving.setdefault(match[1], []).append((name, int(match[2] or 0)))
            elif match := _HEAD.fullmatch(name) or _JOINED.fullmatch(name):
                self._arriving.setdefault(match[1], []).append((name, match[2]))
        self._followed = {register for names in self._arriving.values() for _, register in names}
        self._written: dict[str, Array] = {}
        self._definitions: dict[str, Term] = {}
        self._constants: dict[str, Value] = {}
        self._headers = {loop.id for loop in self.records.loops}

    # --- following the run ---
    def begin(self, event: StepEvent) -> None:
        """An instruction is about to be carried out."""
        if event.block != self.block:
            self.block = event.block
            self.rounds = {loop.id: np.full(self.threads, -1, np.int64) for loop in self.records.loops}
            self._kept = {}
            self._written = {register: np.zeros(self.threads, bool) for register in self._followed}
        place = self.places[id(event.instr)]
        if place in self._headers:
            self.rounds[place][event.standing] += 1
            for inner in self.records.loops:
                if inner.parent == place:
                    self.rounds[inner.id][event.standing] = -1
        for name, register in self._arriving.get(place, ()):
            # What a register holds that a thread has not written is anything, to the prover too, and not what the
            # machine has there; that nothing comes of it is asked of *init*.
            written = event.standing[self._written[register][event.standing]]
            self._keep(name, register, written, event.registers)

    def done(self, event: StepEvent) -> None:
        """It has been carried out."""
        place = self.places[id(event.instr)]
        wanted = self._giving.get(place)
        if not wanted and not self._followed:
            return
        results = self._results.get(place)
        if results is None:
            results = self._results[place] = _results(event.instr)
        for register in results:
            if register in self._written:
                self._written[register][event.enabled] = True
        if not wanted:
            return
        for name, number in wanted:
            if event.instr.base not in SURE:
                self.unsure.add(name)
            if number < len(results):
                self._keep(name, results[number], event.enabled, event.registers)

    def _keep(self, name: str, register: str, threads: Array, registers: Mapping[str, Array]) -> None:
        held = registers.get(register)
        if held is None:
            return
        known, values = self._kept.setdefault(name, (np.zeros(self.threads, bool), np.zeros(self.threads, object)))
        known[threads] = True
        values[threads] = np.broadcast_to(np.asarray(held), known.shape)[threads].astype(object)

    # --- values ---
    def at(self, threads: Array) -> Values:
        """Values for some threads."""
        return Values(self, threads)

    def constant(self, name: str) -> Value | None:
        """What is the same in all threads of the launch."""
        if name in self._constants:
            return self._constants[name]
        found = self._constant(name)
        if found is not None:
            self._constants[name] = found
        return found

    def _constant(self, name: str) -> Value | None:
        launch, (kind, dot, rest) = self.given.launch, name.partition(".")
        if dot and kind in ("ntid", "nctaid"):
            return (launch.block if kind == "ntid" else launch.grid)["xyz".index(rest)]
        if kind == "window":
            return WINDOWS[rest]
        if dot and kind in ("shared", "local", "const", "global"):
            if kind == "global":
                return self.given.memory[rest].base
            return {"shared": self.program.shared, "local": self.program.local, "const": self.program.const}[kind][rest]
        if name in self.given.bases:
            return self.given.bases[name]
        if name == "dynamic_shared":
            return self.program.shared_bytes - min(self.program.shared.values(), default=0)
        symbol, number = self.wanted.get(name), self.given.launch.numbers.get(name)
        if number is None or symbol is None:
            return None
        return _in_range(number, symbol)

    def content(self, atom: ContentAtom, values: Values) -> Value:
        """An element of memory that the launch does not write."""
        buffer = self.problem.buffers[atom.source.buffer]
        scales = [1]
        if not atom.flat and len(atom.at) > 1:
            strides = [s for s in (buffer.plane_stride, buffer.leading) if s is not None]
            scales = [*(self._whole(s.text, values) for s in strides), 1]
        index: Value = 0
        for place, scale in zip(atom.at, scales, strict=True):
            index = index + value(read_term(place.text, atom.name), values) * scale
        held = self.given.memory[buffer.name].data()
        width = buffer.element_bytes
        signed = (atom.source.low or 0) < 0

        def element(n: int) -> int:
            if not 0 <= n * width <= len(held) - width:
                raise Missing(f"{atom.name} beyond the buffer")
            return int.from_bytes(held[n * width : (n + 1) * width], "little", signed=signed)

        if isinstance(index, int):
            return element(index)
        return np.array([element(int(n)) for n in index], object)

    @staticmethod
    def _whole(text: str, values: Values) -> int:
        found = value(read_term(text, "stride"), values)
        if not isinstance(found, int):
            raise Missing(text)
        return found


@dataclass(frozen=True)
class Values:
    """A lookup of symbols at a moment, for some threads."""

    moment: Moment
    threads: Array

    def __call__(self, name: str) -> Value:
        moment = self.moment
        if name in moment.contents:
            return moment.content(moment.contents[name], self)
        constant = moment.constant(name)
        if constant is not None:
            return constant
        kind, _, axis = name.partition(".")
        if kind == "tid" and axis in ("x", "y", "z"):
            return np.asarray(moment._index["xyz".index(axis)][self.threads])
        if kind == "ctaid" and axis in ("x", "y", "z") and moment.block is not None:
            return moment.block["xyz".index(axis)]
        if (match := _ROUNDS.fullmatch(name)) and match[1] in moment.rounds:
            counts = moment.rounds[match[1]][self.threads]
            if (counts < 0).any():
                raise Missing(f"{name}: the loop was not entered")
            return counts.astype(object)
        symbol = moment.wanted.get(name)
        if symbol is None:
            raise Missing(name)
        if symbol.definition:
            term = moment._definitions.setdefault(name, read_term(symbol.definition, name))
            return value(term, self)
        kept = moment._kept.get(name)
        if kept is None or not kept[0][self.threads].all():
            raise Missing(name)
        values = kept[1][self.threads]
        if symbol.kind == "boolean":
            return values.astype(bool)
        return np.array([_in_range(int(v), symbol) for v in values], object)


def _in_range(number: int, symbol: Symbol) -> int:
    """The number that the bits of a register are, in the range of the symbol."""
    low, high = symbol.low or 0, symbol.high
    if high is None or low <= number <= high:
        return number
    for width in (8, 16, 32, 64):
        for other in (number % 2**width, number % 2**width - 2**width):
            if low <= other <= high and high - low < 2**width:
                return other
    return number


def _results(instruction: Instr) -> list[str]:
    """The registers that get the results, in order; "" where a result goes nowhere."""
    found = lookup(instruction.opcode)
    if found is None:
        return []
    parts: list[Operand] = []
    for _, operand in bind(instruction, found[0]).results:
        if isinstance(operand, Vec):
            parts += operand.elems
        elif isinstance(operand, Pair):
            parts += (operand.first, operand.second)
        else:
            parts.append(operand)
    return [part.name if isinstance(part, Reg) else "" for part in parts]
