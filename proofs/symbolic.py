"""The symbolic machine: one arbitrary thread runs an entry, loops collapsed to a summary at an arbitrary iteration.

It executes the same rows of the instruction table as the emulator, in the domain Terms. Loops are in `loops.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from proofs.cfg import EXIT, Block, Graph, graph_of
from proofs.choices import settled
from proofs.contents import contents_of
from proofs.loops import Summaries
from proofs.opaque import WHOLE_WARP, computes_a_value, read, written
from proofs.places import instruction_places
from proofs.problem import AXES, Problem, unsupported_function
from proofs.records import (
    Access,
    Barrier,
    Commit,
    Found,
    LoopRecord,
    Point,
    Range,
    Read,
    Records,
    Shuffle,
    Trap,
    Undefined,
    Wait,
)
from proofs.registers import Registers
from proofs.resolve import elements_at, resolve
from proofs.slices import idle_places
from proofs.state import ARRIVALS, PASSED, Edge, State, join
from proofs.terms import FALSE, TRUE, Cond, Poly, conj, negate
from proofs.uniformity import (
    computes_from_shared,
    computes_uniformly,
    loads_from_shared_uniformly,
    loads_uniformly,
)
from proofs.words import EVERY_LANE, PLAIN, Marks, Observation, Terms, Word
from spec.errors import Unsupported
from spec.ptx.ast import Imm, Instr, Operand
from spec.ptx.isa import lookup
from spec.ptx.lower import lowered
from spec.ptx.operands import bind
from spec.ptx.row import Form, Row

Prove = Callable[[tuple[Cond, ...], Cond], bool]
MAX_STEPS = 200_000
MAX_PENDING = 64  # groups of asynchronous copies; kernels have up to eight
EXCHANGED = 64  # characters of a condition that an exchange hands on, in a step


class Machine(Registers):
    """Runs one entry symbolically.

    Args:
        problem: the entry and its launch.
        prove: decides whether hypotheses imply a goal (the domain is added by the caller).
        steps: instructions carried out at most, those of loops several times; one behind many branches counts more.
        graph: the entry's own where it is not given.
    """

    def __init__(
        self, problem: Problem, prove: Prove, steps: int = MAX_STEPS, alike: Mapping[str, str] | None = None,
        graph: Graph | None = None,
    ) -> None:
        lowered(problem.function, problem.module)  # says which call cannot be put in place, if one is left
        unsupported_function(problem.function)
        super().__init__(problem)
        self._prove, self._steps, self._left = prove, steps, steps
        self.graph = graph or graph_of(problem.function)
        variables = {**problem.variables, **problem.addresses}
        self.domain = Terms(problem.parameters, problem.specials, variables, self, problem.fields)
        self._readers()
        self.places = instruction_places(problem.function)
        # The kernels of a contract prove every range: a contract names no lines where numbers may wrap.
        self.idle = frozenset() if problem.strict else idle_places(self.graph, self.places)
        self.instruction: Instr | None = None
        self.loops = ()
        self.found = []
        self.summaries = Summaries(self)
        self.branches: dict[int, Cond] = {}
        self.leaves: list[Cond] = []
        self.facts_used = False
        self.loaded_from_shared = self.shares = False
        # What instructions there are for each barrier that may be of part of the block, by the counter of its arrivals.
        self.counted: dict[str, list[str]] = {}
        self._alike = alike or {}
        for instruction in problem.function.instructions():
            if counter := self.counter(instruction):
                found = lookup(instruction.opcode)
                self.counted.setdefault(counter, []).append(found[0].control if found is not None else "")

    # --- driving ---
    def run(self) -> Records:
        """Execute the entry; Unsupported names what the model does not cover, with its line."""
        start = State()
        start.set(PASSED, FALSE)
        for counter in self.counted:
            start.set(counter, self.domain.const(64, 0))
        self.region(self.graph.order[0], frozenset(self.graph.order), start, top=True)
        return replace(_records(self.found, self.branches), leaves=tuple(self.leaves))

    @property
    def carried_out(self) -> int:
        """The steps that were taken."""
        return self._steps - self._left

    @property
    def recording(self) -> bool:
        return not self.domain.optimistic

    def region(self, start: int, blocks: frozenset[int], state: State, top: bool = False) -> list[Edge]:
        """Run the blocks once from `start`; the edges that leave them, go back to `start`, or end the thread."""
        incoming: dict[int, list[State]] = {start: [state]}
        leaving: list[Edge] = []
        for index in self.graph.order:
            if index not in blocks or index not in incoming:
                continue
            block = self.graph.blocks[index]
            states = incoming.pop(index)
            here = join(states, f"B{index}", frozenset(self.loops), block.line)
            if len(states) > 1:
                here = settled(here, self._prove)
            if index in self.graph.loops and (top or index != start):
                edges = self.summaries.run(index, here)
            else:
                edges = self._block(block, here)
            for edge in edges:
                if edge.target in blocks and edge.target != start:
                    incoming.setdefault(edge.target, []).append(edge.state)
                else:
                    leaving.append(edge)
        return leaving

    def _block(self, block: Block, state: State) -> list[Edge]:
        self.state = state.copy()
        self._left -= len(state.registers) // 64
        edges: list[Edge] = []
        for instruction in block.instructions:
            self.instruction = instruction
            self._step(instruction)
            place = self.places[id(instruction)]
            rounds = frozenset(self.loops)
            self.domain.at(instruction.line, place, rounds)
            self.guard = self._guard(instruction)
            self.domain.uniform = computes_uniformly(self.problem, instruction, self.guard, self.state, rounds)
            if self.domain.uniform and self.loaded_from_shared:
                self.domain.through_shared = computes_from_shared(instruction, self.guard, self.state)
            self.domain.idle = place in self.idle
            found = lookup(instruction.opcode)
            if found is None:
                self._opaque(instruction)
                continue
            row, form = found
            if row.meaning is not None:
                if self.guard == FALSE:
                    continue
                self.carry_out(instruction, row, form)
                continue
            if self._control(instruction, row, form, block, edges):
                return edges
        if block.next is not None:
            edges.append(Edge(block.next, self.state, block.instructions[-1].line if block.instructions else 0))
        else:
            self._leaves(self.state)
            edges.append(Edge(EXIT, self.state, 0))
        return edges

    def _exchanged(self, mode: str, defined: Cond, b: Word, c: Word, members: Word) -> Cond:
        self._left -= len(defined.text) // EXCHANGED  # it is written down for another lane
        return super()._exchanged(mode, defined, b, c, members)

    def _opaque(self, instruction: Instr) -> None:
        """An instruction without a row: registers it writes become arbitrary, if that is all that it does."""
        if not computes_a_value(instruction):
            raise Unsupported(f"{instruction.opcode} is not in the instruction table", line=instruction.line)
        if self.guard == FALSE:
            return
        for register in read(instruction):
            self._read(register)
        if instruction.base in WHOLE_WARP:
            self.converge(Poly.constant(EVERY_LANE))
        for register in written(instruction):
            kind = self.problem.function.registers[register]
            self._write(register, self.domain.arbitrary(kind))

    def _step(self, instruction: Instr) -> None:
        self._left -= 1 + len(self.state.control) // 16
        if self._left < 0:
            raise Unsupported(
                f"the entry was carried out up to here in {self._steps} steps and is not at its end: too long, or its "
                "loops too deep (--effort)", line=instruction.line,
            )

    def _leaves(self, state: State) -> None:
        """Record when a thread ends here without having passed a barrier; not in loops, where the round is unknown."""
        passed = state.registers[PASSED]
        assert isinstance(passed, Cond)
        if self.recording and not self.loops and (leaves := conj((*state.control, negate(passed)))) != FALSE:
            self.leaves.append(leaves)

    def _guard(self, instruction: Instr) -> Cond:
        if instruction.guard is None:
            return TRUE
        self.guard = TRUE
        value = self._read(instruction.guard.name)
        if not isinstance(value, Cond):
            raise Unsupported(f"{instruction.guard.name} as a guard", line=instruction.line)
        return negate(value) if instruction.guard_negated else value

    def _control(self, instruction: Instr, row: Row, form: Form, block: Block, edges: list[Edge]) -> bool:
        """Carry out a control instruction; whether the block ends here."""
        kind = row.control
        if kind in ("branch", "exit", "return", "trap"):
            if self.recording:
                self.branches[instruction.line] = self.guard
                if kind == "trap" and self.guard != FALSE:
                    self.found.append(Trap("", self._point()))
            target = block.taken if kind == "branch" else EXIT
            assert target is not None
            if self.guard != FALSE:
                if kind in ("exit", "return"):
                    self._leaves(self.state.under(self.guard))
                edges.append(Edge(target, self.state.under(self.guard), instruction.line))
            if self.guard == TRUE:
                return True
            self.state = self.state.under(negate(self.guard))
            return False
        if kind in ("barrier", "arrive"):
            self._barrier(instruction, row, form)
        elif kind == "warp_barrier":
            self.converge(self.domain.term(self.reader.word("b32", instruction.operands[0], instruction.line)), True)
        elif kind == "commit":
            self.commit()
        elif kind == "wait":
            self.wait(*self._pending(instruction))
        elif kind != "fence":
            raise Unsupported(f"{instruction.opcode} is not modelled yet", line=instruction.line)
        return False

    def counter(self, instruction: Instr) -> str:
        """All instructions that name their barrier alike, by number or by register, count together.

        Those that may mean the same barrier under different names do so in a second run (`alike`).
        """
        found = lookup(instruction.opcode)
        if found is None or found[0].control not in ("barrier", "arrive"):
            return ""
        number, *count = _barrier_operands(instruction, found[0])
        if not count:
            return ""
        name = ARRIVALS + (str(number.value) if isinstance(number, Imm) else str(getattr(number, "name", number)))
        return self._alike.get(name, name)

    def _barrier(self, instruction: Instr, row: Row, form: Form) -> None:
        line = instruction.line
        for declared, operand in bind(instruction, row).sources:
            if declared == "pred":
                self.reader.predicate(operand, line)
        words = [self.reader.word("u32", operand, line) for operand in _barrier_operands(instruction, row)]
        if any(word.term is None for word in words):
            text = "the barrier is named or counted by a value that the model does not follow"
            raise Unsupported(f"{instruction.opcode}: {text}", line=line)
        number, *rest = (self.domain.term(word) for word in words)
        count = rest[0] if rest else None
        threads = Poly.constant(1)
        for axis in AXES:
            threads = threads * self.problem.specials[f"%ntid.{axis}"]
        counter = self.counter(instruction)
        whole = count is None or (count == threads and "arrive" not in self.counted[counter])
        group = "" if whole else counter
        waits = row.control == "barrier"
        if self.recording:
            self.found.append(Barrier("", self._point(), number, count, waits, group))
        self._write(PASSED, TRUE)
        if group:
            before = self.state.registers[group]
            assert isinstance(before, Word)
            self._write(group, self.domain.add(64, before, self.domain.const(64, 1)))
        if row.results:
            # bar.red gives all its threads the same, which are those of the block where it is not one of a part.
            declared = row.results[0]
            common = self.domain.arbitrary(declared) if group else self.domain.common(declared)
            for register, value in self.reader.results(instruction, row, form, common):
                self._write(register, value)

    # --- hooks ---
    def _point(self) -> Point:
        line = self.instruction.line if self.instruction else 0
        control = self.state.control
        if self.guard != TRUE and self.guard not in control:
            control = (*control, self.guard)
        place = self.places[id(self.instruction)] if self.instruction else ""
        words = ((counter, self.state.registers.get(counter)) for counter in self.counted)
        counts = tuple((counter, self.domain.term(word)) for counter, word in words if isinstance(word, Word))
        return Point(line, control, self.state.facts, self.loops, place, counts)

    def decide(self, known: tuple[Cond, ...], goal: Cond) -> bool:
        return self._prove(known, goal)

    def prove(self, goal: Cond) -> bool:
        """Whether the goal holds at this point."""
        return self._prove(self._point().known(), goal)

    def observe(self, observation: Observation) -> None:
        """Record the range claim of a value that was looked at."""
        if not self.recording:
            return
        o = observation
        self.found.append(Range("", self._point(), "", o.term, o.low, o.high, o.proved, o.always))

    def access(
        self, kind: str, space: str, width: int, count: int, address: Poly | None, marks: Marks = PLAIN
    ) -> None:
        """Record a memory access, its address resolved to a buffer or a shared variable."""
        assert self.instruction is not None
        if kind == "read" and space == "shared" and not marks.warp and address is not None and not self.strict:
            self._loads_from_shared(self.instruction, address)
        if not self.recording:
            return
        if address is None:
            raise Unsupported(f"{self.instruction.opcode}: the address is a value the model does not follow",
                              line=self.instruction.line)
        at = self._point()
        if marks.guard == FALSE:
            return
        if marks.guard != TRUE:
            at = replace(at, control=(*at.control, marks.guard))
        access = resolve(self.problem, at, space, kind, width * count // 8, address, self.prove)
        if kind == "read" and access.space == "global":
            self.domain.uniform = loads_uniformly(
                self.problem, self.instruction, access.buffer, address, frozenset(self.loops)
            )
        self.found.append(replace(
            access, readonly=marks.readonly, scope=marks.scope, parts=marks.parts, warp=marks.warp,
            flight=marks.flight, alike=marks.alike, values=marks.values,
        ))

    def _loads_from_shared(self, instruction: Instr, address: Poly) -> None:
        """Barriers that count their threads may be of part of the block, whose intervals are others."""
        if not self.counted and loads_from_shared_uniformly(instruction, address, frozenset(self.loops)):
            self.domain.uniform = self.domain.through_shared = self.loaded_from_shared = True

    def content(self, space: str, width: int, count: int, address: Poly | None) -> tuple[Poly, ...]:
        """Elements of a buffer that the launch does not write; `analyse` makes sure of that."""
        if address is None or space not in ("global", "generic"):
            return ()
        found = elements_at(self.problem, width, count, address, self.prove)
        # Facts bound the terms themselves, so they are relied on even where no query speaks of the element any more.
        self.facts_used = self.facts_used or any(a.source.facts for a in contents_of(found))
        return found

    def commit(self) -> None:
        """Record that the thread closes its group of asynchronous copies."""
        if self.recording:
            self.found.append(Commit("", self._point()))

    def wait(self, pending: int, everything: bool = False) -> None:
        """Record that the thread waits for its groups of copies but the youngest `pending`."""
        if self.recording:
            self.found.append(Wait("", self._point(), pending, everything))

    @staticmethod
    def _pending(instruction: Instr) -> tuple[int, bool]:
        """The operand of cp.async.wait_group; 0 and everything for cp.async.wait_all, which has none."""
        if not instruction.operands:
            return 0, True
        operand = instruction.operands[0]
        if not isinstance(operand, Imm):
            raise Unsupported(f"{instruction.opcode} takes a number of groups, not a register", line=instruction.line)
        if not 0 <= operand.value <= MAX_PENDING:
            raise Unsupported(f"{instruction.opcode} {operand.value}: of 0 to {MAX_PENDING} groups in flight the order "
                              "is followed", line=instruction.line)
        return int(operand.value), False

    def converge(self, members: Poly | None, orders: bool = False) -> None:
        """Record that all lanes of a mask must be here together."""
        if not self.recording:
            return
        line = self.instruction.line if self.instruction else 0
        if members is None or members.value is None:
            raise Unsupported("a member mask that is not a constant is not modelled yet", line=line)
        self.found.append(Shuffle("", self._point(), members.value % 2**32, orders))


def _barrier_operands(instruction: Instr, row: Row) -> list[Operand]:
    """The barrier's number and, where it stands, how many threads it waits for."""
    return [operand for declared, operand in bind(instruction, row).sources if declared != "pred"]


_Numbered = TypeVar("_Numbered", Access, Barrier, Shuffle, Commit, Wait, Trap, Range, Read, Undefined)


def _numbered(found: Sequence[Found], kind: type[_Numbered], letter: str) -> tuple[_Numbered, ...]:
    """Those of one kind in text order, numbered."""
    items = sorted((f for f in found if isinstance(f, kind)), key=lambda f: f.at.line)
    return tuple(replace(item, id=f"{letter}{i}") for i, item in enumerate(items, 1))


def _records(found: Sequence[Found], branches: dict[int, Cond]) -> Records:
    """Number what was found, each kind in text order; a range that was looked at twice is kept once."""
    once: dict[tuple[Poly, int, int, Point], Range] = {}
    for item in found:
        if isinstance(item, Range):
            key = (item.term, item.low, item.high, item.at)
            once[key] = item if item.always else once.get(key, item)
    return Records(
        _numbered(found, Access, "a"), _numbered(found, Barrier, "b"), _numbered(found, Shuffle, "s"),
        _numbered(found, Trap, "t"), _numbered(list(once.values()), Range, "o"), _numbered(found, Read, "d"),
        tuple(f for f in found if isinstance(f, LoopRecord)), tuple(sorted(branches.items())),
        commits=_numbered(found, Commit, "g"), waits=_numbered(found, Wait, "w"),
        undefined=_numbered(found, Undefined, "u"),
    )
