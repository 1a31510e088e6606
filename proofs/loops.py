"""Loop summaries: what a loop does, at an arbitrary iteration and on leaving.

First the body is run without proving anything, to find what each register holds in round k (`loops_forms.py`); then on
those values, to learn when it goes round; and finally with what round k-1 established as a fact of round k. This last
run records, proves every observation, and confirms the forms and the facts. So the facts are used by induction on k. A
register without a form is unknown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace

from proofs.cfg import Graph
from proofs.hints.model import Invariant
from proofs.loops_defined import less_defined
from proofs.loops_exit import exit_count
from proofs.loops_facts import circle_of, previous_round, unequal
from proofs.loops_forms import confirmed, find_forms
from proofs.loops_frame import Body, Form, Frame, at_round
from proofs.loops_hints import hinted_guesses, spoken_of
from proofs.loops_orbits import cases, congruent, left_for_certain
from proofs.loops_ranges import Ranges, guessed, keeping_hints, same_ranges, surviving, without_hints
from proofs.opaque import computes_a_value, written
from proofs.places import loops_by_label
from proofs.problem import Problem
from proofs.records import Found, LoopRecord, Point
from proofs.sameness import rests_on_shared, uniform, uniform_value
from proofs.state import ARRIVALS, PASSED, Edge, State, Value, join
from proofs.terms import (
    FALSE,
    THREAD,
    TRUE,
    Cond,
    Poly,
    Symbol,
    conj,
    ite,
    le,
    negate,
    opaque_truth,
    same,
)
from proofs.values import THROUGH_SHARED
from proofs.words import Terms, Word
from spec.errors import Unsupported
from spec.ptx.ast import Instr, Reg, type_width
from spec.ptx.isa import lookup
from spec.ptx.operands import bind

MAX_ROUNDS, MAX_ATTEMPTS = 6, 4
EVERYTHING: Mapping[str, Cond] = {}


class Runner(ABC):
    """What a summary needs of the machine. `found` are the records so far, `loops` the loops around, outermost first;
    `branches`: the condition of each, by line; `strict`: no register is read where it has not been written;
    `loaded_from_shared`: some value is taken to be the same for all threads as they load it from one place of shared
    memory; `shares`: a symbol that has no mark for it (THROUGH_SHARED) is taken to be the same on account of one.
    """

    problem: Problem
    graph: Graph
    domain: Terms
    places: dict[int, str]
    found: list[Found]
    loops: tuple[str, ...]
    branches: dict[int, Cond]
    strict: bool
    loaded_from_shared: bool
    shares: bool

    @property
    @abstractmethod
    def recording(self) -> bool:
        """Whether values are proved and records kept; not so in a run that only looks."""

    @abstractmethod
    def region(self, start: int, blocks: frozenset[int], state: State, top: bool = False) -> list[Edge]:
        """Run the blocks once from `start`; the edges that leave them, go back to `start`, or end the thread."""

    @abstractmethod
    def counter(self, instruction: Instr) -> str:
        """The ghost register that counts the thread's arrivals at a barrier, or ''."""

    @abstractmethod
    def decide(self, known: tuple[Cond, ...], goal: Cond) -> bool:
        """Whether the goal follows from what is known, in the domain."""


class Summaries(Body):
    """Runs loops for a machine."""

    def __init__(self, machine: Runner) -> None:
        self.machine = machine
        self._loops = loops_by_label(machine.problem.function, machine.graph) if machine.problem.hints else {}
        self.proved: dict[str, bool] = {}
        """Of each hint that was tried, whether it held wherever its loop is entered."""

    def run(self, header: int, entry: State) -> list[Edge]:
        """The edges out of the loop that begins at `header`, entered in this state."""
        frame = self._frame(header, entry)
        forms, loose, common = find_forms(self, frame, self.machine.decide)
        ranges = self._ranges(frame, forms, loose)
        common = frozenset() if self.machine.strict else common - ranges.heads.keys()
        attempts, less = MAX_ROUNDS, dict[str, Cond]()
        while attempts:
            start = self._start(frame, forms, ranges, less, common)
            mark = len(self.machine.found)
            edges, previous = self._rounds(frame, start)
            back = self._back(frame, edges)
            wrong = self._wrong(frame, forms, back, start, previous)
            held = surviving(frame, ranges, back, self.machine.decide)
            lost: dict[str, Cond] = {}
            if self.machine.recording and not self.machine.strict:
                lost = less_defined(frame, start, back, self.machine.decide)
            unlike = self._unlike(frame, common, back)
            if not wrong and not lost and not unlike and same_ranges(ranges, held):
                break
            attempts -= not (lost or unlike)
            less, common = less | lost, common - unlike
            forms = {r: f for r, f in forms.items() if r not in wrong}
            ranges = held if attempts >= MAX_ROUNDS // 2 else without_hints(held)
            del self.machine.found[mark:]
        else:
            raise Unsupported("a loop whose registers the model cannot summarise", line=frame.line)
        even = [s.registers.get(r) for r, h in ranges.heads.items() if h.uniform for s in (frame.entry, back) if s]
        self.machine.shares = self.machine.shares or any(map(rests_on_shared, even))
        if self.machine.recording:
            self._tell(frame, ranges)
            self.machine.found.insert(mark, self._loop_record(frame, start, back, previous))
        return self._leave(frame, edges)

    def _ranges(self, frame: Frame, forms: dict[str, Form], loose: dict[str, Word]) -> Ranges:
        """What can be said of the registers without a form, as far as a run that only looks can tell."""
        if not self.machine.recording:
            return Ranges({}, ())
        here = self._hints(frame)
        loose = {**loose, **spoken_of(frame, forms, here)}
        given = hinted_guesses(self.machine.problem, frame, forms, loose, here)
        ranges = guessed(frame, loose, self.machine.decide, given)
        while ranges.guesses:
            back = self.look(frame, self._start(frame, forms, ranges))
            # Such a run knows little of the loops inside; of what is given the run that proves has the say.
            held = keeping_hints(ranges, surviving(frame, ranges, back, self.machine.decide))
            if same_ranges(ranges, held):
                break
            ranges = held
        return ranges

    def _tell(self, frame: Frame, ranges: Ranges) -> None:
        """Note which hints for a loop were proved."""
        held = {g.hint for g in ranges.guesses}
        for hint in self._hints(frame):
            self.proved[hint.text] = hint.text in held

    def _hints(self, frame: Frame) -> list[Invariant]:
        hints = (h for h in self.machine.problem.hints if isinstance(h, Invariant))
        return [h for h in hints if self._loops.get(h.label) == frame.header]

    def _start(
        self, frame: Frame, forms: dict[str, Form], ranges: Ranges, defined: Mapping[str, Cond] = EVERYTHING,
        common: frozenset[str] = frozenset(),
    ) -> State:
        """The state at the head of the loop in round k.

        Args:
            defined: registers that are so only under a condition.
            common: of those without a form or range, what threads in the same round have in common.
        """
        start = at_round(self, frame, {**ranges.values(), **{r: f.term for r, f in forms.items()}}, common)
        start.facts = (*start.facts, *ranges.known(frame))
        start.written |= defined
        return start

    def _unlike(self, frame: Frame, common: frozenset[str], back: State | None) -> frozenset[str]:
        """Registers of which threads in the same round have not the same after it."""
        rounds = frame.around | {frame.name}
        values = {r: back.registers.get(r) for r in common} if back is not None else {}
        return frozenset(r for r, v in values.items() if v is None or not uniform_value(v, rounds))

    def _frame(self, header: int, entry: State) -> Frame:
        blocks = self.machine.graph.loops[header].blocks
        block = self.machine.graph.blocks[header]
        name = self.machine.places[id(block.instructions[0])] if block.instructions else f"B{header}"
        around = frozenset(self.machine.loops)
        iteration = Symbol(f"k@{name}", "iteration", THREAD, 0, None, block.line, loops=around)
        leaving = Symbol(f"K@{name}", "exit", THREAD, 0, None, block.line, loops=around)
        modified = tuple(self._modified(blocks))
        entry = self._named(entry, modified, blocks)
        return Frame(header, blocks, entry, name, block.line, around, iteration, leaving, modified)

    def _named(self, entry: State, modified: tuple[str, ...], blocks: frozenset[int]) -> State:
        """The state with terms for unknowns that the loop goes on from: a counter that starts at a loaded value.

        The term is the number that the body will look at; a guess, as looking at another one has to be proved.
        """
        named = entry.copy()
        for register in modified:
            value = entry.registers.get(register)
            if isinstance(value, Word) and value.term is None and value.key:
                term = self.machine.domain.term(value)
                if self._looked_at_signed(register, blocks):
                    term = ite(le(term, 2 ** (value.width - 1) - 1), term, term - 2**value.width)
                named.registers[register] = replace(value, term=term)
        return named

    def _looked_at_signed(self, register: str, blocks: frozenset[int]) -> bool:
        """Whether an instruction of the loop reads the register as a signed number, not only modulo 2^width."""
        for index in blocks:
            for instruction in self.machine.graph.blocks[index].instructions:
                base, *suffixes = instruction.opcode.split(".")
                exact = base in ("add", "sub", "mov") or (base in ("mul", "mad") and "lo" in suffixes)
                signed = any(s in ("s16", "s32", "s64") for s in suffixes)
                if signed and not exact and Reg(register) in instruction.operands:
                    return True
        return False

    def _modified(self, blocks: frozenset[int]) -> list[str]:
        names: dict[str, None] = {}
        for index in sorted(blocks):
            for instruction in self.machine.graph.blocks[index].instructions:
                found = lookup(instruction.opcode)
                if found is None and computes_a_value(instruction):
                    names |= dict.fromkeys(written(instruction))
                    continue
                if found is None:
                    raise Unsupported(f"{instruction.opcode} is not in the instruction table", line=instruction.line)
                if found[0].control in ("barrier", "arrive"):
                    names[PASSED] = None
                    if counter := self.machine.counter(instruction):
                        names[counter] = None
                for _, operand in bind(instruction, found[0]).results:
                    for part in getattr(operand, "elems", (operand,)):
                        if isinstance(part, Reg):
                            names[part.name] = None
        return list(names)

    def _loop_record(self, frame: Frame, start: State, back: State | None, previous: Cond) -> LoopRecord:
        entry = frame.entry
        proceed = FALSE if back is None else conj(back.control[len(entry.control):])
        known = tuple(f for f in (*start.facts, previous) if f != TRUE)
        point = Point(frame.line, entry.control, known, (*self.machine.loops, frame.name), frame.name)
        parent = self.machine.loops[-1] if self.machine.loops else ""
        return LoopRecord(frame.name, point, frame.iteration, frame.leaving, proceed, parent)

    # --- running the body ---
    def unknown(self, frame: Frame, register: str, symbolic: bool, common: bool = False) -> Value:
        ghosts = {PASSED: "pred", register: "b64"} if register.startswith(ARRIVALS) else {PASSED: "pred"}
        kind = ghosts.get(register) or self.machine.problem.function.registers[register]
        key = f"{'c' if common else 'h'}@{frame.name}.{register}"
        key += THROUGH_SHARED if common and self.machine.loaded_from_shared else ""
        inside = frame.around | {frame.name}
        if kind == "pred":
            return opaque_truth(Symbol(key, "boolean", THREAD, None, None, loops=inside, uniform=common))
        word = Word(type_width(kind), None, key, inside, uniform=common)
        return Word(word.width, self.machine.domain.term(word), key, inside) if symbolic else word

    def look(self, frame: Frame, start: State) -> State | None:
        before, self.machine.domain.optimistic = self.machine.domain.optimistic, True
        try:
            return self._back(frame, self._body(frame, start))
        finally:
            self.machine.domain.optimistic = before

    def _body(self, frame: Frame, start: State, previous: Cond = TRUE) -> list[Edge]:
        state = start.copy()
        if previous != TRUE:
            state.facts = (*state.facts, previous)
        self.machine.loops = (*self.machine.loops, frame.name)
        try:
            return self.machine.region(frame.header, frame.blocks, state)
        finally:
            self.machine.loops = self.machine.loops[:-1]

    def _back(self, frame: Frame, edges: list[Edge]) -> State | None:
        backs = [e.state for e in edges if e.target == frame.header]
        return join(backs, f"B{frame.header}", frame.around, frame.line) if backs else None

    def _rounds(self, frame: Frame, start: State) -> tuple[list[Edge], Cond]:
        """Run the body in earnest; its edges, and what it knew of round k at the start.

        The facts begin as what a run that proves nothing finds on its way back. They are good if the run that knows
        them of round k-1, and whose terms say what may wrap, finds them again of round k; else they are those that it
        finds, then only those of them that hold, and in the end none.
        """
        mark = len(self.machine.found)
        facts = self._known(start, self.look(frame, start))
        for attempt in range(MAX_ATTEMPTS):
            previous = previous_round(frame, facts, self.machine.decide)
            edges = self._body(frame, start, previous)
            if not self.machine.recording:
                break
            found = self._known(start, self._back(frame, edges), previous)
            if found is None:
                break  # it does not go round, so there is nothing to establish
            held = self._held(start, facts or (), (*found, previous))
            if facts is not None and len(held) == len(facts):
                # A `!=` that wraps says more of the rounds so far than the same without wrapping.
                more = tuple(f for f in found if f not in facts and circle_of(unequal(f), frame))
                if not more or attempt:
                    break
                found = (*facts, *more)
            facts = found if attempt == 0 else held if attempt < MAX_ATTEMPTS - 2 else ()
            del self.machine.found[mark:]
        return edges, previous

    def _known(self, start: State, back: State | None, previous: Cond = TRUE) -> tuple[Cond, ...] | None:
        """What holds where the loop goes round, beyond what held at its head; None if it does not."""
        if back is None:
            return None
        facts = (f for f in back.facts if f not in start.facts and f != previous)
        return (*back.control[len(start.control):], *facts)

    def _held(self, start: State, facts: tuple[Cond, ...], found: tuple[Cond, ...]) -> tuple[Cond, ...]:
        """Those of the facts that follow from what was found."""
        known = (*start.control, *start.facts, *found)
        return tuple(f for f in facts if f in found or self.machine.decide(known, f))

    def _wrong(
        self, frame: Frame, forms: dict[str, Form], back: State | None, start: State, previous: Cond
    ) -> set[str]:
        """Registers whose form does not hold after all. A run that only looks gives them the benefit of the doubt."""
        if back is None or not self.machine.recording:
            return set()
        wrong = {r for r, f in forms.items()
                 if not confirmed(frame, f, back, back.registers.get(r), self.machine.decide)}
        if any(forms[r].period for r in wrong):
            wrong &= self._wrong_in_a_case(frame, forms, wrong, start, previous)
        return wrong

    def _wrong_in_a_case(
        self, frame: Frame, forms: dict[str, Form], doubted: set[str], start: State, previous: Cond
    ) -> set[str]:
        """The same, the body run once for each round before the circle and each place in it."""
        (pre, period), *_ = {(forms[r].pre, forms[r].period) for r in doubted if forms[r].period}
        wrong = {r for r in doubted if (forms[r].pre, forms[r].period) != (pre, period)}
        mark, branches = len(self.machine.found), dict(self.machine.branches)
        for case in cases(frame, pre, period):
            here = {frame.iteration: case}
            back = self._back(frame, self._body(frame, start.substitute(here), previous.substitute(here)))
            del self.machine.found[mark:]
            for register in doubted if back is not None else ():
                value = back.registers.get(register) if back is not None else None
                if congruent(value, forms[register].term.substitute({frame.iteration: case + 1})):
                    continue
                going = conj(back.control[len(frame.entry.control):]) if back is not None else FALSE
                if not left_for_certain(frame, going, self.machine.decide):
                    wrong.add(register)
        self.machine.branches = branches  # those of any round, not of the last case
        return wrong

    # --- leaving ---
    def _leave(self, frame: Frame, edges: list[Edge]) -> list[Edge]:
        """The edges out of the loop: iteration k becomes the exit count; which edge is taken is an unknown choice."""
        entry, iteration = frame.entry, frame.iteration
        out = [e for e in edges if e.target != frame.header]
        result: list[Edge] = []
        n, m = len(entry.control), len(entry.facts)
        together = self._left_together(frame, edges)
        leaving = replace(frame.leaving, uniform=together)
        others: tuple[Cond, ...] = ()
        for i, edge in enumerate(out):
            relative = edge.state.control[n:]
            count = None
            if self.machine.recording:
                known = (*edge.state.control, *edge.state.facts)
                count = exit_count(known, relative, iteration, self.machine.decide)
            mapping = {iteration: Poly.symbol(leaving) if count is None else count}
            mapping |= _last(frame, edge.state) if together else {}
            state = edge.state.substitute(mapping)
            if together:
                _leave_in_common(frame, state)
            learned = [*edge.state.facts[m:], *relative]
            if count is not None:
                # What speaks of the round alone follows from the round's being this one.
                learned = [
                    f for f in learned
                    if iteration not in f.symbols() or any(frame.name in s.loops for s in f.symbols())
                ]
                if PASSED in frame.modified:
                    # Barrier intervals speak of the round in which the loop was left; the fact lives with its symbol.
                    learned.append(same(Poly.symbol(iteration), count))
                    mapping[iteration] = Poly.symbol(leaving)
                    state.set(leaving.name, Word(64, Poly.symbol(leaving)))
            choice: tuple[Cond, ...] = others
            if i < len(out) - 1:
                name = f"x@{frame.name}.{i}"
                symbol = Symbol(name, "boolean", THREAD, None, None, edge.line, "", frame.around, together)
                taken = opaque_truth(symbol)
                choice, others = (*others, taken), (*others, negate(taken))
            state.facts = (*entry.facts, *(c.substitute(mapping) for c in learned))
            state.control = (*entry.control, *choice)
            result.append(Edge(edge.target, state, edge.line))
        return result

    def _left_together(self, frame: Frame, edges: list[Edge]) -> bool:
        """Whether threads of a block in the same round of the loop all leave it there, by the same edge, or none does.

        That is so if everything is uniform that decides where a thread goes on from the round.
        """
        rounds = frame.around | {frame.name}
        n = len(frame.entry.control)
        decides = [c for e in edges for c in e.state.control[n:]]
        if not all(uniform(c, rounds) for c in decides):
            return False
        self.machine.shares = self.machine.shares or any(map(rests_on_shared, decides))
        return True


def _last(frame: Frame, state: State) -> dict[Symbol, Poly]:
    """Unknowns that are uniform in a round of the loop, as what they are in its last round: uniform outside, too."""
    values = [v if isinstance(v, Cond) else v.term for v in state.registers.values()]
    items = [*(v for v in values if v is not None), *state.control, *state.facts]
    symbols = {s for i in items for s in i.symbols() if s.uniform and frame.name in s.loops}
    return {s: Poly.symbol(replace(s, name=f"{s.name}.last", loops=s.loops - {frame.name})) for s in symbols}


def _leave_in_common(frame: Frame, state: State) -> None:
    """The same of what has no term."""
    for register, value in state.registers.items():
        if isinstance(value, Word) and value.term is None and value.uniform and frame.name in value.loops:
            state.registers[register] = replace(value, key=f"{value.key}.last", loops=value.loops - {frame.name})
