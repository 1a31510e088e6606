"""Loop summaries: what a loop does, at an arbitrary iteration and on leaving.

A loop is run three times: on opaque header values to read each register's step off the back edge, on the affine values
to learn when it goes round, and finally with what iteration k-1 established as a fact of iteration k; the last run
records, proves every observation, and confirms the steps. So the facts are used by induction on k. A register without
a step is unknown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from proofs.cfg import Graph
from proofs.loops_exit import exit_count
from proofs.problem import Problem
from proofs.records import Found, LoopRecord, Point, Range
from proofs.state import ARRIVALS, PASSED, Edge, State, Value, arrivals, join
from proofs.terms import (
    FALSE,
    THREAD,
    TRUE,
    Cond,
    Poly,
    Symbol,
    conj,
    disj,
    eq,
    le,
    modulo,
    negate,
    opaque_truth,
)
from proofs.words import Terms, Word
from spec.errors import Unsupported
from spec.ptx.ast import Reg, type_width
from spec.ptx.isa import lookup
from spec.ptx.operands import bind

MAX_ROUNDS = 6


class Runner(ABC):
    """What a summary needs of the machine. `found` are the records so far, `loops` the loops around, outermost first.
    """

    problem: Problem
    graph: Graph
    domain: Terms
    places: dict[int, str]
    found: list[Found]
    loops: tuple[str, ...]

    @property
    @abstractmethod
    def recording(self) -> bool:
        """Whether values are proved and records kept; not so in a run that only looks."""

    @abstractmethod
    def region(self, start: int, blocks: frozenset[int], state: State, top: bool = False) -> list[Edge]:
        """Run the blocks once from `start`; the edges that leave them, go back to `start`, or end the thread."""

    @abstractmethod
    def decide(self, known: tuple[Cond, ...], goal: Cond) -> bool:
        """Whether the goal follows from what is known, in the domain."""


class Summaries:
    """Runs loops for a machine."""

    def __init__(self, machine: Runner) -> None:
        self.machine = machine

    def run(self, header: int, entry: State) -> list[Edge]:
        loop = self.machine.graph.loops[header]
        block = self.machine.graph.blocks[header]
        name = self.machine.places[id(block.instructions[0])] if block.instructions else f"B{header}"
        line, parent = block.line, self.machine.loops[-1] if self.machine.loops else ""
        around = frozenset(self.machine.loops)
        iteration = Symbol(f"k@{name}", "iteration", THREAD, 0, None, line, loops=around)
        leaving = Symbol(f"K@{name}", "exit", THREAD, 0, None, line, loops=around)
        k = Poly.symbol(iteration)
        modified = self._modified(loop.blocks)
        arbitrary: set[str] = set()
        steps = self._steps(header, loop.blocks, entry, modified, name)
        for _ in range(MAX_ROUNDS):
            start = self._at_iteration(entry, modified, steps, arbitrary, k, name, around)
            back = self._dry(header, loop.blocks, start, name)
            previous = self._previous(back, start, entry, iteration, name)
            mark = len(self.machine.found)
            edges, clean = self._record(header, loop.blocks, start, name, previous)
            if not clean:
                # The fact rests on observations that were not proved: do without it.
                del self.machine.found[mark:]
                edges, _ = self._record(header, loop.blocks, start, name, TRUE)
                previous = TRUE
            backs = [e.state for e in edges if e.target == header]
            wrong = self._confirm(backs, entry, modified, steps, arbitrary, k, header, line)
            if not wrong:
                break
            arbitrary |= wrong
            del self.machine.found[mark:]
        else:
            raise Unsupported("a loop whose registers the model cannot summarise", line=line)
        if self.machine.recording:
            n = len(entry.control)
            proceed = FALSE
            if backs:
                last = join(backs, f"B{header}", around, line)
                proceed = conj(last.control[n:])
            known = tuple(f for f in (*entry.facts, previous) if f != TRUE)
            point = Point(line, entry.control, known, (*self.machine.loops, name), name)
            self.machine.found.insert(mark, LoopRecord(name, point, iteration, leaving, proceed, parent))
        return self._leave(edges, header, entry, iteration, leaving, name)

    def _modified(self, blocks: frozenset[int]) -> list[str]:
        names: dict[str, None] = {}
        for index in sorted(blocks):
            for instruction in self.machine.graph.blocks[index].instructions:
                found = lookup(instruction.opcode)
                if found is None:
                    raise Unsupported(f"{instruction.opcode} is not in the instruction table", line=instruction.line)
                if found[0].control in ("barrier", "arrive"):
                    names[PASSED] = None
                    if len(instruction.operands) > 1:
                        names[arrivals(instruction)] = None
                for _, operand in bind(instruction, found[0]).results:
                    for part in getattr(operand, "elems", (operand,)):
                        if isinstance(part, Reg):
                            names[part.name] = None
        return list(names)

    def _header_value(self, register: str, name: str, around: frozenset[str], symbolic: bool) -> Value:
        counters = {PASSED: "pred"} if not register.startswith(ARRIVALS) else {register: "b64"}
        kind = counters.get(register) or self.machine.problem.function.registers[register]
        key = f"h@{name}.{register}"
        inside = around | {name}
        if kind == "pred":
            return opaque_truth(Symbol(key, "boolean", THREAD, None, None, loops=inside))
        word = Word(type_width(kind), None, key, inside)
        return Word(word.width, self.machine.domain.term(word), key, inside) if symbolic else word

    def _steps(
        self, header: int, blocks: frozenset[int], entry: State, modified: list[str], name: str
    ) -> dict[str, Poly]:
        """Registers that change by the same amount each time round, with that amount."""
        around = frozenset(self.machine.loops)
        start = entry.copy()
        for register in modified:
            start.set(register, self._header_value(register, name, around, True), entry.written.get(register, FALSE))
        back = self._dry(header, blocks, start, name)
        steps: dict[str, Poly] = {}
        if back is None:
            return steps
        for register in modified:
            before, after = start.registers[register], back.registers.get(register)
            initial = entry.registers.get(register)
            if not (isinstance(before, Word) and isinstance(after, Word) and isinstance(initial, Word)):
                continue
            if before.term is None or after.term is None or initial.term is None:
                continue
            step = after.term - before.term
            if not any(name in s.loops for s in step.symbols()):
                steps[register] = step
        return steps

    def _at_iteration(
        self, entry: State, modified: list[str], steps: dict[str, Poly], arbitrary: set[str], k: Poly, name: str,
        around: frozenset[str],
    ) -> State:
        start = entry.copy()
        for register in modified:
            written = entry.written.get(register, FALSE)
            initial = entry.registers.get(register)
            steady = register in steps and register not in arbitrary
            if steady and isinstance(initial, Word) and initial.term is not None:
                start.set(register, Word(initial.width, initial.term + steps[register] * k), written)
            else:
                start.set(register, self._header_value(register, name, around, False), written)
        return start

    def _dry(self, header: int, blocks: frozenset[int], start: State, name: str) -> State | None:
        """The state on the back edge, without proving or recording anything."""
        machine = self.machine
        before, machine.domain.optimistic, machine.loops = machine.domain.optimistic, True, (*machine.loops, name)
        try:
            backs = [e.state for e in self.machine.region(header, blocks, start) if e.target == header]
        finally:
            machine.domain.optimistic, machine.loops = before, machine.loops[:-1]
        if not backs:
            return None
        return join(backs, f"B{header}", frozenset(self.machine.loops), 0)

    def _previous(self, back: State | None, start: State, entry: State, iteration: Symbol, name: str) -> Cond:
        """What is known at iteration k because iteration k-1 went round: k = 0, or its condition at k-1."""
        if back is None:
            return eq(Poly.symbol(iteration))
        known = (*back.control[len(start.control):], *(f for f in back.facts if f not in start.facts))
        condition = conj(known)
        mapping: dict[Symbol, Poly] = {}
        for symbol in condition.symbols():
            if symbol == iteration:
                mapping[symbol] = Poly.symbol(iteration) - 1
            elif name in symbol.loops:
                mapping[symbol] = Poly.symbol(symbol.renamed(f"{symbol.name}'{name}"))
        k = Poly.symbol(iteration)
        return conj((disj((eq(k), condition.substitute(mapping))), *self._not_beyond(known, entry, iteration, name)))

    def _not_beyond(
        self, known: tuple[Cond, ...], entry: State, iteration: Symbol, name: str
    ) -> list[Cond]:
        """What a `!=` guard says more than its text: g != 0 in every round so far, and g does not jump over 0.

        g = c + s*k with s > 0. If g <= 0 at k = 0 and s divides it there (both are proved), then g <= 0 at every k that
        is reached: g <= 0 and g != 0 and s divides g give g + s <= 0.
        """
        found = []
        for literal in known:
            unequal = literal.args[0].term if literal.op == "not" and literal.args[0].op == "eq" else None
            if unequal is None or any(name in s.loops and s != iteration for s in unequal.symbols()):
                continue
            k = Poly.symbol(iteration)
            at_zero = unequal.substitute({iteration: Poly({})})
            step = (unequal - at_zero).terms.get(tuple(k.atoms()), 0)
            if step == 0 or unequal - at_zero != k * step:
                continue
            if step < 0:
                unequal, at_zero, step = -unequal, -at_zero, -step
            goal = conj((le(at_zero, 0), eq(modulo(at_zero, step))))
            if self.machine.decide((*entry.control, *entry.facts), goal):
                found.append(le(unequal, 0))
        return found

    def _record(
        self, header: int, blocks: frozenset[int], start: State, name: str, previous: Cond
    ) -> tuple[list[Edge], bool]:
        """Run the body in earnest; its edges, and whether every observation in it was proved."""
        state = start.copy()
        if previous != TRUE:
            state.facts = (*state.facts, previous)
        mark = len(self.machine.found)
        self.machine.loops = (*self.machine.loops, name)
        try:
            edges = self.machine.region(header, blocks, state)
        finally:
            self.machine.loops = self.machine.loops[:-1]
        clean = all(r.proved for r in self.machine.found[mark:] if isinstance(r, Range))
        return edges, clean

    def _confirm(
        self, backs: list[State], entry: State, modified: list[str], steps: dict[str, Poly], arbitrary: set[str],
        k: Poly, header: int, line: int,
    ) -> set[str]:
        """Registers whose step does not hold after all."""
        if not backs:
            return set()
        back = join(backs, f"B{header}", frozenset(self.machine.loops), line)
        wrong = set()
        for register in modified:
            if register not in steps or register in arbitrary:
                continue
            initial, after = entry.registers.get(register), back.registers.get(register)
            assert isinstance(initial, Word)
            assert initial.term is not None
            expected = initial.term + steps[register] * (k + 1)
            if not (isinstance(after, Word) and after.term == expected):
                wrong.add(register)
        return wrong

    def _leave(
        self, edges: list[Edge], header: int, entry: State, iteration: Symbol, leaving: Symbol, name: str
    ) -> list[Edge]:
        """The edges out of the loop: iteration k becomes the exit count; which edge is taken is an unknown choice."""
        out = [e for e in edges if e.target != header]
        result: list[Edge] = []
        n, m = len(entry.control), len(entry.facts)
        others: tuple[Cond, ...] = ()
        for i, edge in enumerate(out):
            relative = edge.state.control[n:]
            count = None
            if self.machine.recording:
                known = (*edge.state.control, *edge.state.facts)
                count = exit_count(known, relative, iteration, self.machine.decide)
            mapping = {iteration: Poly.symbol(leaving) if count is None else count}
            state = edge.state.substitute(mapping)
            learned = [*edge.state.facts[m:], *relative]
            if count is not None:
                # What speaks of the round alone follows from the round's being this one.
                learned = [
                    f for f in learned
                    if iteration not in f.symbols() or any(name in s.loops for s in f.symbols())
                ]
            choice: tuple[Cond, ...] = others
            if i < len(out) - 1:
                around = frozenset(self.machine.loops)
                taken = opaque_truth(Symbol(f"x@{name}.{i}", "boolean", THREAD, None, None, edge.line, loops=around))
                choice, others = (*others, taken), (*others, negate(taken))
            state.facts = (*entry.facts, *(c.substitute(mapping) for c in learned))
            state.control = (*entry.control, *choice)
            result.append(Edge(edge.target, state, edge.line))
        return result
