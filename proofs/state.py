"""The state of one thread at a point of the code, and how states meet where paths join."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from proofs.sameness import rests_on_shared, uniform, uniform_value
from proofs.terms import FALSE, TRUE, Cond, IteAtom, Poly, Symbol, conj, disj, implies, ite, negate
from proofs.values import THROUGH_SHARED
from proofs.words import Word

Value = Word | Cond
MAX_FACT = 4000
PASSED = "passed a barrier"  # kept like a predicate register; no register of PTX has such a name
ARRIVALS = "arrivals at barrier "  # with the text of the number: kept like a register, counts the thread's arrivals


@dataclass
class State:
    """Registers with the condition under which each has been written, and what leads here."""

    registers: dict[str, Value] = field(default_factory=dict)
    written: dict[str, Cond] = field(default_factory=dict)
    control: tuple[Cond, ...] = ()
    facts: tuple[Cond, ...] = ()

    def copy(self) -> State:
        return State(dict(self.registers), dict(self.written), self.control, self.facts)

    def under(self, condition: Cond) -> State:
        """This state where the condition holds too."""
        state = self.copy()
        if condition != TRUE and condition not in state.control:
            state.control = (*state.control, condition)
            for register, value in self.registers.items():
                if register.startswith(ARRIVALS) and isinstance(value, Word) and value.term is not None:
                    state.registers[register] = replace(value, term=_settled(value.term, condition))
        return state

    def set(self, register: str, value: Value, written: Cond = TRUE) -> None:
        self.registers[register], self.written[register] = value, written

    def substitute(self, mapping: Mapping[Symbol, Poly]) -> State:
        """Every term and condition with symbols replaced; `control` and `facts` too."""
        registers = {r: substitute_value(v, mapping) for r, v in self.registers.items()}
        written = {r: c.substitute(mapping) for r, c in self.written.items()}
        control = tuple(c.substitute(mapping) for c in self.control)
        return State(registers, written, control, tuple(c.substitute(mapping) for c in self.facts))


@dataclass
class Edge:
    """A state on its way to a block; `cfg.EXIT` is the end of the thread."""

    target: int
    state: State
    line: int


def _settled(term: Poly, condition: Cond) -> Poly:
    """A sum with choices whose condition holds, or does not, put in."""
    total = Poly({})
    for monomial, coefficient in term.terms.items():
        part = Poly({monomial: 1})
        atom = monomial[0] if len(monomial) == 1 else None
        if isinstance(atom, IteAtom) and atom.condition in (condition, negate(condition)):
            part = _settled(atom.a if atom.condition == condition else atom.b, condition)
        total = total + part * coefficient
    return total


def substitute_value(value: Value, mapping: Mapping[Symbol, Poly]) -> Value:
    if isinstance(value, Cond):
        return value.substitute(mapping)
    if value.term is None:
        return value
    return Word(value.width, value.term.substitute(mapping), value.key, value.loops, value.line)


def _common(controls: list[tuple[Cond, ...]]) -> int:
    length = min(len(c) for c in controls)
    for i in range(length):
        if any(c[i] != controls[0][i] for c in controls):
            return i
    return length


def merge_controls(controls: list[tuple[Cond, ...]]) -> tuple[Cond, ...]:
    """The condition that one of several disjoint paths was taken, as a conjunction.

    Paths that differ in a literal and its negation, and cover both sides wholly, leave no trace.
    """
    n = _common(controls)
    prefix, rests = controls[0][:n], [c[n:] for c in controls]
    if any(not rest for rest in rests):
        return prefix
    literal = rests[0][0]
    yes = [r[1:] for r in rests if r[0] == literal]
    no = [r[1:] for r in rests if r[0] == negate(literal)]
    if len(yes) + len(no) < len(rests) or not no:
        return (*prefix, disj(conj(r) for r in rests))
    left, right = merge_controls(yes), merge_controls(no)
    if not left and not right:
        return prefix
    return (*prefix, disj((conj((literal, *left)), conj((negate(literal), *right)))))


def join(states: list[State], place: str, loops: frozenset[str], line: int) -> State:
    """The state where several paths meet; a register that differs becomes a choice, or unknown."""
    if len(states) == 1:
        return states[0]
    n = _common([s.control for s in states])
    choices = [conj(s.control[n:]) for s in states]
    result = State(control=merge_controls([s.control for s in states]))
    names = dict.fromkeys(name for s in states for name in s.registers)
    for name in names:
        # Written under the same condition on every path: the choice of the path adds nothing. Without this the
        # conditions double at each of several branches in a row.
        befores = [s.written.get(name, FALSE) for s in states]
        same_everywhere = all(w == befores[0] for w in befores)
        written = befores[0] if same_everywhere else disj(conj(pair) for pair in zip(choices, befores, strict=True))
        have = [(c, s.registers[name]) for c, s in zip(choices, states, strict=True) if name in s.registers]
        result.set(name, _choose(have, f"m@{place}.{name}", loops, line), written)
    result.facts = _facts(states, choices, result)
    return result


def _facts(states: list[State], choices: list[Cond], joined: State) -> tuple[Cond, ...]:
    """What is known on every path, and of each path what is known if it was taken.

    Of the latter only what speaks of an unknown that a register or the control still holds: the rest helps nobody.
    """
    common = tuple(f for f in states[0].facts if all(f in s.facts for s in states[1:]))
    others = [tuple(f for f in s.facts if f not in common) for s in states]
    if not any(others):
        return common
    alive = _unknowns(joined)
    found = list(common)
    for choice, own in zip(choices, others, strict=True):
        known = implies(choice, conj(f for f in own if not alive.isdisjoint(f.symbols())))
        if known != TRUE and len(known.text) <= MAX_FACT:
            found.append(known)
    return tuple(found)


def _unknowns(state: State) -> set[Symbol]:
    """Symbols of registers and control that are no parameter, launch register or address."""
    values = [v if isinstance(v, Cond) else v.term for v in state.registers.values()]
    found = {s for v in (*values, *state.control) if v is not None for s in v.symbols()}
    return {s for s in found if s.kind in ("opaque", "boolean", "exit", "iteration")}


def _choose(have: list[tuple[Cond, Value]], key: str, loops: frozenset[str], line: int) -> Value:
    first = have[0][1]
    if all(value == first for _, value in have):
        return first
    if isinstance(first, Cond):
        return disj(conj((c, v)) for c, v in have if isinstance(v, Cond))
    together = all(uniform(c, loops) and uniform_value(v, loops) for c, v in have)
    if together and any(rests_on_shared(item) for pair in have for item in pair):
        key += THROUGH_SHARED
    terms: list[tuple[Cond, Poly]] = []
    for condition, value in have:
        if isinstance(value, Cond) or value.term is None:
            settled = all(isinstance(v, Word) and (v.settled or is_constant(v)) for _, v in have)
            return Word(first.width, None, key, loops, line, settled=settled, uniform=together)
        terms.append((condition, value.term))
    term = terms[-1][1]
    for condition, other in reversed(terms[:-1]):
        term = ite(condition, other, term)
    if len({t.text for _, t in terms}) > 4 or len(term.text) > 4000:
        return Word(first.width, None, key, loops, line, uniform=together)
    return Word(first.width, term)


def is_constant(word: Word) -> bool:
    return word.term is not None and word.term.value is not None
