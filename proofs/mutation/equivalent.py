"""What proves that an edit changed nothing that anybody could see.

Four arguments, each a claim with a name:

* `order`: only barriers, or what copies are waited for, are others, and the mutant is proved, races and all. Without a
  race every read has one write that comes last before it, and an edit that takes away order between threads, or adds
  some, cannot turn round what is ordered; so each read finds what it found before. Not where there are atomics, whose
  order nothing fixes, nor for barriers where some are for a part of the block: which arrivals meet may then change.
* `again`: a plain store is made twice at once, with the same value and address; the second changes nothing.
* `unread`: what the instruction writes is read nowhere before it is written again.
* `local`: in every state in which the analysis finds a thread at the instruction, the edited one has the same guard, or
  writes the same values; or what it writes is gone again at the end of its block, and everything that was made of it
  until then is the same; or a branch goes another way over instructions that do nothing there. The states are those of
  the original, all of them; so by induction over a run the two runs are the same. Decided like any claim, by linear
  arithmetic or by the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofs.check.answers import AnswerStore
from proofs.effort import Meter
from proofs.entry import Analysis, Prover
from proofs.mutation.editing import accesses_memory, results_of, sources_of
from proofs.mutation.making import Made
from proofs.mutation.operators import SYNCHRONISES
from proofs.problem import Problem
from proofs.state import State, Value
from proofs.symbolic import Machine
from proofs.terms import FALSE, Cond, conj, disj, modulo, negate, same
from proofs.words import Word
from spec.errors import BadInput, FltcError, Unsupported
from spec.ptx.ast import Function, Instr, Label, Sym
from spec.ptx.isa import lookup
from spec.ptx.parser import parse

UNITS = 20_000_000  # of the solver for one mutant
LANES = ("shfl", "vote", "redux", "match", "elect", "activemask", "mma", "movmatrix", "ldmatrix")
ATOMIC = ("atom", "red")


@dataclass(frozen=True)
class Equivalence:
    """`claim`: which argument; `detail`: what it is about, for a person."""

    claim: str
    detail: str


def equivalence(
    original: Analysis, made: Made, proved: bool, store: AnswerStore | None
) -> Equivalence | None:
    """A proof that a mutant does what the original does, if one is found.

    Args:
        proved: whether everything that `fltc check` asks is proved of the mutant.
    """
    function = original.problem.function
    instructions = tuple(function.instructions())
    if made.kind in SYNCHRONISES:
        everything = [*instructions, *parse(made.text).entry(function.name).instructions()]
        unordered = any(i.base in ATOMIC or "volatile" in i.opcode or _flags(i) for i in everything)
        parts = made.kind.startswith("barrier") and any(_of_a_part(i) for i in everything)
        if proved and not (unordered or parts):
            return Equivalence("order", "it is proved free of races, so that each read finds what it found")
        return None
    if function.name != made.function or len(made.changes) != 1:
        return None
    written = tuple(original.problem.module.entry(function.name).instructions())
    at, new = _place(instructions, written, made.at), _edited(made, len(written))
    if at is None or not new:
        return None
    old = instructions[at]
    twice = [replace(old, source=None)] * 2  # `_edited` leaves out sources, which all have behind a .loc
    if made.kind == "store-doubled" and old.base == "st" and "volatile" not in old.opcode and new == twice:
        return Equivalence("again", "the second store puts the same value in the same place")
    if not accesses_memory(old) and _unread(function, at, old, new):
        return Equivalence("unread", f"what line {old.line} writes is read nowhere")
    return _local(original, made, old, new, store)


def _place(carried_out: tuple[Instr, ...], written: tuple[Instr, ...], at: int) -> int | None:
    """Where an instruction of the text stands among those that are carried out, in which calls are put in place.

    None where that is not certain.
    """
    if carried_out == written:
        return at
    here = [n for n, i in enumerate(carried_out) if i == written[at]]
    return here[0] if len(here) == 1 and sum(i == written[at] for i in written) == 1 else None


def _of_a_part(i: Instr) -> bool:
    """Whether it is a barrier of some threads of the block, told by their count."""
    return i.base in ("bar", "barrier") and "warp" not in i.opcode and len(i.operands) > 1


def _flags(i: Instr) -> bool:
    """Whether it orders memory in a way of its own."""
    return i.base in ("fence", "membar") or bool({"acquire", "release", "acq_rel"} & {*i.opcode.split(".")})


def _edited(made: Made, before: int) -> list[Instr]:
    """The instructions that stand in the place of the one that was edited, with lines as they were."""
    function = parse(made.text).entry(made.function)
    found = list(function.instructions())
    return [replace(i, source=None) for i in found[made.at : made.at + 1 + len(found) - before]]


# --- liveness -----------------------------------------------------------------------------------------------------


def _unread(function: Function, at: int, old: Instr, new: Sequence[Instr]) -> bool:
    """Whether no register that either writes is read on any way from there before it is written without a guard."""
    if not all(_computes(i) and results_of(i) for i in (old, *new)):
        return False
    registers = {*results_of(old), *(r for i in new for r in results_of(i))}
    return all(_never_read(function, at + 1, register) for register in registers)


def _labels(function: Function) -> dict[str, int]:
    """The index of the instruction behind each label."""
    labels: dict[str, int] = {}
    count = 0
    for statement in function.body or ():
        if isinstance(statement, Label):
            labels[statement.name] = count
        else:
            count += 1
    return labels


def _never_read(function: Function, start: int, register: str) -> bool:
    """Whether a register is read on no way from an instruction on before it is written without a guard."""
    instructions, labels = tuple(function.instructions()), _labels(function)
    todo, seen = [start], set()
    while todo:
        here = todo.pop()
        if here in seen or here >= len(instructions):
            continue
        seen.add(here)
        instruction = instructions[here]
        if lookup(instruction.opcode) is None or instruction.base in ("brx", "call"):
            return False
        guard = instruction.guard.name if instruction.guard is not None else ""
        if register == guard or register in sources_of(instruction):
            return False
        if register in results_of(instruction) and not guard:
            continue
        if instruction.base == "bra" and isinstance(target := instruction.operands[0], Sym):
            todo.append(labels[target.name])
        if guard or instruction.base not in ("bra", "ret", "exit"):
            todo.append(here + 1)
    return True


# --- the same in every state --------------------------------------------------------------------------------------


class _Comparing(Machine):
    """Carries the entry out and compares two instructions wherever one of them stands."""

    def __init__(
        self, problem: Problem, prove: Callable[[tuple[Cond, ...], Cond], bool], old: Instr, new: Sequence[Instr],
        steps: int,
    ) -> None:
        super().__init__(problem, prove, steps)
        self.old, self.new = old, new
        self.agrees: bool | None = None
        self.function = problem.function
        self.listed, self.labels = tuple(problem.function.instructions()), _labels(problem.function)
        # A predicate that is another where this holds, and is read by branches further on.
        self.pending: tuple[str, Cond] | None = None
        for number, instruction in enumerate(new):
            self.places[id(instruction)] = f"{self.places[id(old)]}.edited{number}"

    def _step(self, instruction: Instr) -> None:
        super()._step(instruction)
        if not self.recording or self.agrees is False:
            return
        later = self.pending is not None and instruction.guard is not None and self.pending[0] == instruction.guard.name
        if instruction is self.old or later:
            kept = self.state, self.found, self.guard, self.instruction
            try:
                self.agrees = self._passes_over_nothing(instruction) if later else self._same()
            except (Unsupported, AssertionError, KeyError, ValueError):
                self.agrees = False
            self.state, self.found, self.guard, self.instruction = kept

    def _passes_over_nothing(self, branch: Instr) -> bool:
        assert self.pending is not None
        return self._skips_nothing(self.state, branch, self.pending[1])

    def _same(self) -> bool:
        """Whether both do the same in the present state."""
        before, known = self.state, (*self.state.control, *self.state.facts)
        if len(self.new) == 1 and self._guard_only(self.new[0]):
            guards = []
            for instruction in (self.old, self.new[0]):
                self.state = before.copy()
                guards.append(self._guard(instruction))
            other = self.old.base == "bra" and self._skips_nothing(before, self.old, _unlike(guards[0], guards[1]))
            return self._equal(known, guards[0], guards[1]) or other
        if any(not _computes(i) for i in (self.old, *self.new)):
            return False
        first, second = self._after(before, [self.old]), self._after(before, self.new)
        names = {r for i in (self.old, *self.new) for r in results_of(i)} - {*self._temporary()}
        differ = {r for r in names if not self._equal(known, first.registers.get(r), second.registers.get(r))}
        at = self._index(self.old)
        for instruction in self._following():
            if not differ:
                return True
            at += 1
            reached = differ & {*sources_of(instruction), *([instruction.guard.name] if instruction.guard else [])}
            if reached and instruction.base == "bra":
                (name,) = reached
                a, b = first.registers[name], second.registers[name]
                if not (isinstance(a, Cond) and isinstance(b, Cond)):
                    return False
                if not self._skips_nothing(first, instruction, _unlike(a, b)):
                    return False
                continue
            if reached and not _computes(instruction):
                return False
            if lookup(instruction.opcode) is None or (results_of(instruction) and not _carried(instruction)):
                return False
            if not results_of(instruction):
                continue
            first = self._after(first, [instruction])
            # What is made of other operands may be another unknown: it must not have the same name.
            second = self._after(second, [instruction], ".edited" if reached else "")
            for r in results_of(instruction):
                if reached and not self._equal(known, first.registers.get(r), second.registers.get(r)):
                    differ.add(r)
                elif reached or instruction.guard is None:
                    differ.discard(r)
        return self._ends_here(at, differ) or self._left_to_branches(at, differ, first, second)

    def _ends_here(self, at: int, differ: set[str]) -> bool:
        """Whether none of these registers is read behind an instruction, the last of its block."""
        last = self.listed[at]
        starts = [] if last.guard is None and last.base in ("bra", "ret", "exit") else [at + 1]
        if last.base == "bra":
            starts.append(self._target(last))
        return all(_never_read(self.function, start, r) for start in starts for r in differ)

    def _left_to_branches(self, at: int, differ: set[str], first: State, second: State) -> bool:
        """Whether one predicate is another, written once, and read by branches alone: these are looked at in turn."""
        if len(differ) != 1 or self.loops:
            return False
        (name,) = differ
        a, b = first.registers[name], second.registers[name]
        written = [i for i in self.listed if name in results_of(i)]
        readers = [i for i in self.listed if name in sources_of(i) or (i.guard is not None and i.guard.name == name)]
        if not (isinstance(a, Cond) and isinstance(b, Cond)) or len(written) != 1:
            return False
        if any(i.base != "bra" or name in sources_of(i) or self._index(i) <= at for i in readers):
            return False
        self.pending = name, _unlike(a, b)
        return True

    def _skips_nothing(self, start: State, branch: Instr, where: Cond) -> bool:
        """Whether it makes no difference, where a condition holds, if a thread takes a forward branch or goes on.

        What it would pass over are instructions whose guards do not hold there, branches to the same target, and
        computations of what is not read at the target; at the end perhaps a way back that leads to the target then.
        """
        target, at = self._target(branch), self._index(branch)
        if target <= at:
            return False
        state, changed = start.under(where), set[str]()
        for instruction in self.listed[at + 1 : target]:
            if lookup(instruction.opcode) is None:
                return False
            if instruction.base == "bra":
                always, there = instruction.guard is None, self._target(instruction)
                if there != target and not (always and self._leaves_then(state, branch, there, changed)):
                    return False
                if always:
                    break  # what stands behind it is not come to from here
                continue
            self.state = state
            off = instruction.guard is not None and self._prove(
                (*state.control, *state.facts), negate(self._guard(instruction))
            )
            if off:
                continue
            if not _computes(instruction):
                return False
            state = self._after(state, [instruction])
            changed |= {*results_of(instruction)}
        return all(_never_read(self.function, target, r) for r in changed)

    def _leaves_then(self, state: State, branch: Instr, head: int, changed: set[str]) -> bool:
        """Whether a thread that goes back to the head of the loop takes the branch out of it next time, by either text.

        Registers written on the way are added to `changed`.
        """
        way = self.listed[head : self._index(branch)]
        if not all(_computes(i) for i in way):
            return False
        for edited in (False, True):
            here = [j for i in way for j in (self.new if edited and i is self.old else [i])]
            taken = self.new[0] if edited and branch is self.old else branch
            after = self._after(state, here)
            self.state = after
            if not self._prove((*state.control, *state.facts), self._guard(taken)):
                return False
            changed |= {r for i in here for r in results_of(i)}
        return True

    def _index(self, instruction: Instr) -> int:
        return next(n for n, i in enumerate(self.listed) if i is instruction)

    def _target(self, branch: Instr) -> int:
        target = branch.operands[0]
        assert isinstance(target, Sym)
        return self.labels[target.name]

    def _following(self) -> Sequence[Instr]:
        """The instructions behind the edited one up to the end of its block."""
        for block in self.graph.blocks:
            for number, instruction in enumerate(block.instructions):
                if instruction is self.old:
                    return block.instructions[number + 1 :]
        return ()

    def _guard_only(self, new: Instr) -> bool:
        return (new.opcode, new.operands) == (self.old.opcode, self.old.operands)

    def _temporary(self) -> set[str]:
        """Registers that only the edit has."""
        named = {r for i in (self.old,) for r in (*results_of(i), *sources_of(i))}
        return {r for i in self.new for r in results_of(i) if r.startswith(("%narrow_", "%plain_"))} - named

    def _after(self, start: State, instructions: Sequence[Instr], mark: str = "") -> State:
        """The state behind some instructions. `mark`: makes what is unknown of their results another unknown."""
        kept = self.state
        self.state, self.found = start.copy(), []
        for instruction in instructions:
            found = lookup(instruction.opcode)
            assert found is not None
            self.instruction = instruction
            self.domain.at(instruction.line, self.places[id(instruction)] + mark, frozenset(self.loops))
            self.guard = self._guard(instruction)
            self.domain.uniform = False
            if self.guard != FALSE:
                self.carry_out(instruction, *found)
        after = self.state
        self.state = kept
        return after

    def _equal(self, known: tuple[Cond, ...], a: Value | None, b: Value | None) -> bool:
        if isinstance(a, Cond) and isinstance(b, Cond):
            both = disj((conj((a, b)), conj((negate(a), negate(b)))))
            return a == b or self._prove(known, both)
        if not (isinstance(a, Word) and isinstance(b, Word)) or a.term is None or b.term is None:
            return False
        if a.width != b.width:
            return False
        if a.term == b.term or modulo(a.term - b.term, 2**a.width).value == 0:
            return True
        return self._prove(known, same(a.term, b.term))


def _unlike(a: Cond, b: Cond) -> Cond:
    """That one of two conditions holds and the other does not."""
    return disj((conj((a, negate(b))), conj((negate(a), b))))


def _computes(instruction: Instr) -> bool:
    """Whether it does nothing but write registers, in a way that the table says."""
    found = lookup(instruction.opcode)
    return (
        found is not None and found[0].meaning is not None and not found[0].control and not accesses_memory(instruction)
        and instruction.base not in LANES
    )


def _carried(instruction: Instr) -> bool:
    """Whether the table says what it writes, memory and lanes left out or not."""
    found = lookup(instruction.opcode)
    return found is not None and found[0].meaning is not None and not found[0].control


def _local(
    original: Analysis, made: Made, old: Instr, new: list[Instr], store: AnswerStore | None
) -> Equivalence | None:
    function = original.problem.function
    more: dict[str, Any] = dict(parse(made.text).entry(made.function).registers)
    problem = replace(original.problem, function=replace(function, registers={**more, **function.registers}))
    meter = Meter(UNITS, store)
    machine = _Comparing(problem, Prover(problem, ask=meter), old, new, 400_000)
    try:
        machine.run()
    except (BadInput, FltcError):
        return None
    if store is not None:
        store.put(meter.fresh)
    if machine.agrees is None:
        return Equivalence("local", f"no thread comes to line {old.line}")
    if not machine.agrees:
        return None
    what = "is carried out by the same threads" if machine._guard_only(new[0]) else "computes the same"
    return Equivalence("local", f"line {old.line} {what} in every state that a thread comes there in")
