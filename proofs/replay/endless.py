"""That a thread never leaves a loop: shown by a run in which it comes to one state twice, or by a run and a proof.

A run that takes long shows nothing: a loop of 2^31 rounds ends. Either the registers that decide where a thread goes on
from the head of the loop hold the same as in an earlier round, and everything else that decides is the same in all
rounds; then the thread goes the same way for ever. Or the thread has gone round for a while, and the solver proves of
this launch that the thread goes round again from every round that it comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs.claims.model import domain, known
from proofs.decide import Decide
from proofs.entry import Analysis
from proofs.places import instruction_places
from proofs.query import build
from proofs.records import LoopRecord
from proofs.replay.attempt import Attempt, Sign
from proofs.replay.model import Index, Launch
from proofs.replay.watch import Watch
from proofs.terms import LAUNCH, Poly, Symbol, integer, quote
from spec.ptx.ast import Instr, Special
from spec.ptx.block import StepEvent
from spec.ptx.faults import STEP_LIMIT, Enough
from spec.ptx.isa import lookup
from spec.ptx.operands import bind, registers_in
from spec.ptx.row import BOUNDED, EXACT

BUDGET = 5_000  # steps of one block, where a state is waited for that comes back
ROUNDS = 64  # of a loop, before the solver is asked whether it is ever left
PROOF_RLIMIT = 2_000_000
MOVING = ("volatile", "relaxed", "acquire", "mmio")  # loads of what others may change at any time
Array = npt.NDArray[Any]


def endless(attempt: Attempt) -> Sign | str:
    """A thread comes to the loop in a state that it had there before, or has gone round and provably never leaves."""
    loop = next(r for r in attempt.analysis.records.loops if f"variant.{r.id}" == attempt.claim.name)
    rounds = Rounds(attempt.analysis, loop)
    deciding, thread = rounds.deciding, attempt.thread
    circles: dict[Index, Circles] = {}
    signs: list[Sign] = []
    asked: list[int] = []

    def look(event: StepEvent, watch: Watch) -> None:
        if watch.place(event.instr) != loop.id:
            return
        done = watch.done(loop.id)
        if deciding is not None:
            found = circles.setdefault(event.block, Circles(deciding)).look(event.registers, event.standing, done)
            if found is not None:
                who, before, now = found
                signs.append(Sign(
                    f"block {event.block}, thread {watch.index(who)} begins iteration {now} of the loop at line "
                    f"{loop.at.line} as it began iteration {before}, with the same in all registers that decide where "
                    "it goes, so it goes round for ever"
                ))
                raise Enough
        own = event.block == attempt.launch.blocks[0] and thread in event.standing
        if own and not asked and done[thread] >= ROUNDS:
            asked.append(int(done[thread]))
            if rounds.never_left(attempt.launch, attempt.ask, asked[0]):
                signs.append(Sign(
                    f"block {event.block}, thread {watch.index(thread)} has begun iteration {asked[0]} of the loop at "
                    f"line {loop.at.line}, and the solver proves that in this launch it leaves it in no iteration"
                ))
                raise Enough
            if deciding is None:
                raise Enough

    result = attempt.watch(on_line=look).run(attempt.schedule, BUDGET)
    if signs:
        return signs[0]
    if asked or any(f.kind == STEP_LIMIT for f in result.faults):
        return "the loop was still going round when the run was stopped, and may end later"
    return "the loop ends in this launch"


@dataclass(frozen=True)
class Rounds:
    """A loop of an entry, and what decides where a thread in it goes."""

    analysis: Analysis
    loop: LoopRecord

    @cached_property
    def body(self) -> tuple[Instr, ...]:
        """The instructions of the loop, inner loops included."""
        graph, places = self.analysis.graph, instruction_places(self.analysis.problem.function)
        for loop in graph.loops.values():
            first = graph.blocks[loop.header].instructions
            if first and places[id(first[0])] == self.loop.id:
                return tuple(i for b in sorted(loop.blocks) for i in graph.blocks[b].instructions)
        return ()

    @cached_property
    def deciding(self) -> frozenset[str] | None:
        """Registers whose values at the head of the loop decide which way a thread goes from there, in all rounds.

        They are those that its guards of control read, and those that these are computed from inside the loop. None
        where something else decides as well: memory that is written, or other threads.
        """
        makers: dict[str, list[Instr]] = {}
        for instruction in self.body:
            for register in _results(instruction):
                makers.setdefault(register, []).append(instruction)
        found: set[str] = set()
        work = [register for i in self.body if _control(i) for register in _sources(i)]
        while work:
            register = work.pop()
            if register in found:
                continue
            found.add(register)
            for instruction in makers.get(register, ()):
                if not self._same_again(instruction):
                    return None
                work += _sources(instruction)
        return frozenset(found) if self.body else None

    def _same_again(self, instruction: Instr) -> bool:
        """Whether an instruction gives the same whenever its source registers hold the same."""
        row = lookup(instruction.opcode)
        specials = (o.name for o in instruction.operands if isinstance(o, Special))
        if row is None or any(name not in self.analysis.problem.specials for name in specials):
            return False
        if row[0].kind in (EXACT, BOUNDED):
            return True
        parts = instruction.opcode.split(".")
        if parts[0] != "ld" or any(p in MOVING for p in parts):
            return False
        return parts[1] in ("param", "const") or self._unwritten(instruction)

    def _unwritten(self, instruction: Instr) -> bool:
        """Whether a load reads only global memory to which the launch never stores."""
        problem, accesses = self.analysis.problem, self.analysis.records.accesses
        place = instruction_places(problem.function)[id(instruction)]
        reads = [a for a in accesses if a.at.place == place]
        written = {a.buffer for a in accesses if a.space == "global" and a.writes}
        return bool(reads) and all(
            a.space == "global" and not any(problem.alias_of(a.buffer, w) for w in written) for a in reads
        )

    def never_left(self, launch: Launch, ask: Decide, seen: int) -> bool:
        """Whether the thread of the launch's model goes round again from every round that it comes to, by the solver.

        What is known of a round is what holds in it if the thread has gone round in all rounds before it. Values that
        the launch does not fix may be anything. That the thread was `seen` to begin a round must agree with all this,
        or nothing follows.
        """
        hypotheses = [*domain(self.analysis.problem), *known(self.loop.at)]
        goal = self.loop.proceed
        query = build("endless", ("the thread goes round again",), hypotheses, goal.text, [goal])
        fixed = [(name, launch.values[name]) for name in self._fixed(query.symbols) if name in launch.values]
        fixed += [
            (atom.name, launch.values[atom.name]) for atom in query.contents
            if atom.name in launch.values and not any(self._new_each_round(s) for s in atom.symbols())
        ]
        pins = tuple((f"launch.{n}", f"(= {quote(name)} {integer(value)})") for n, (name, value) in enumerate(fixed))
        k = self.loop.iteration
        there = f"(= {quote(k.name)} {seen})"
        agrees = build("seen", ("the thread begins a round",), hypotheses, "false", [goal, Poly.symbol(k)])
        return (
            ask(query.with_more(pins).text, PROOF_RLIMIT).status == "unsat"
            and ask(agrees.with_more((*pins, ("seen", there))).text, PROOF_RLIMIT).status == "sat"
        )

    def _fixed(self, symbols: tuple[Symbol, ...]) -> Iterator[str]:
        identity = {s.name for t in self.analysis.problem.specials.values() for s in t.symbols()}
        for symbol in symbols:
            if symbol.name in identity or (symbol.scope == LAUNCH and symbol.kind != "content"):
                yield symbol.name

    def _new_each_round(self, symbol: Symbol) -> bool:
        return symbol.kind in ("iteration", "exit") or self.loop.id in symbol.loops


class Circles:
    """Watches registers of all threads of a block at the head of a loop for a state that comes back.

    What a round finds is compared with one earlier round, which moves on to each power of two (R. P. Brent, "An
    improved Monte Carlo factorization algorithm", 1980): a state that comes back is found, and little is kept.
    """

    def __init__(self, registers: frozenset[str]) -> None:
        self.registers = sorted(registers)
        self._kept: dict[str, Array] = {}
        self._at: Array = np.zeros(0, np.int64)

    def look(self, held: Mapping[str, Array], standing: Array, rounds: Array) -> tuple[int, int, int] | None:
        """A thread with two rounds that it began alike, if there is one; `rounds`: completed ones by thread."""
        if not len(self._at):
            self._at = np.full(len(rounds), -1, np.int64)
        same = (self._at[standing] >= 0) & (self._at[standing] < rounds[standing])
        for register in self.registers:
            if register in held:
                now = held[register]
                before = self._kept.get(register)
                same &= False if before is None else before[standing] == now[standing]
        if same.any():
            thread = int(standing[np.flatnonzero(same)[0]])
            return thread, int(self._at[thread]), int(rounds[thread])
        counts = rounds[standing]
        renew = standing[(counts & (counts - 1)) == 0]
        if any(register in held and register not in self._kept for register in self.registers):
            self._at[:] = -1  # what is kept of other threads lacks this register
        for register in self.registers:
            if register in held:
                kept = self._kept.setdefault(register, held[register].copy())
                kept[renew] = held[register][renew]
        self._at[renew] = rounds[renew]
        return None


def _control(instruction: Instr) -> bool:
    found = lookup(instruction.opcode)
    return found is not None and found[0].control in ("branch", "exit", "return", "trap")


def _results(instruction: Instr) -> list[str]:
    found = lookup(instruction.opcode)
    return [r for _, o in bind(instruction, found[0]).results for r in registers_in(o)] if found is not None else []


def _sources(instruction: Instr) -> list[str]:
    """The registers that an instruction reads; one under a guard also leaves what was there."""
    found = lookup(instruction.opcode)
    read = [r for _, o in bind(instruction, found[0]).sources for r in registers_in(o)] if found is not None else []
    return read if instruction.guard is None else [*read, instruction.guard.name, *_results(instruction)]
