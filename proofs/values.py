"""Words of the symbolic domain: integers congruent to a register's value, and looking at them as numbers.

A word holds *any* integer congruent to the register's value modulo 2^width, so that add, sub, mul.lo, shl by a constant
and operations on single bits need nothing. Every other operation *observes* the canonical value; its range must then
be proved, and each such proof is recorded (the no-wrap obligation). Where it cannot be proved, an explicit mod stays in
the term and the wrap is recorded. Floats and values loaded from memory are unknown; an unknown that is observed becomes
a symbol.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proofs.terms import (
    THREAD,
    TRUE,
    Cond,
    IteAtom,
    Poly,
    Symbol,
    SymbolAtom,
    conj,
    implies,
    ite,
    le,
    modulo,
    negate,
    opaque_truth,
    within,
)

MAX_DEGREE, MAX_TERMS = 4, 48
MAX_IN_VAIN = 32
THROUGH_SHARED = "~"
"""In names of unknowns that threads have in common since they load them from shared memory, or make them of such."""


@dataclass(frozen=True)
class Word:
    """A value of `width` bits: a ring representative, or unknown (None) with the name that it would get.

    `alike`, `partner`: what is known of the values of other lanes (proofs/alike.py). `settled`: what one instruction
    gave that is no multiplication which the assembler may contract with an addition. `uniform`: of an unknown, that its
    symbol is (proofs/symbols.py).
    """

    width: int
    term: Poly | None
    key: str = ""
    loops: frozenset[str] = frozenset()
    line: int = 0
    alike: frozenset[int] = frozenset()
    partner: tuple[str, int] | None = None
    settled: bool = False
    uniform: bool = False


@dataclass(frozen=True)
class Observation:
    """A register value looked at as a number: `term` must lie in [low, high].

    `always`: it matters whatever becomes of the result (`proofs.slices`).
    """

    line: int
    term: Poly
    low: int
    high: int
    proved: bool
    always: bool = False


class Facts(ABC):
    """What is known where an instruction stands."""

    @abstractmethod
    def prove(self, goal: Cond) -> bool:
        """Whether the goal follows from what is known at this point."""

    @abstractmethod
    def observe(self, observation: Observation) -> None:
        """A value was looked at."""


class Values:
    """Unknowns, representatives and canonical values; `optimistic`: ranges are believed, nothing is recorded.

    `idle`: what is computed here does not matter (`proofs.slices`), so that its range is not believed, and once that of
    many was asked for in vain, not worth a proof: in a hash all wrap.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.line = 0
        self.place = ""
        self.loops: frozenset[str] = frozenset()
        self.optimistic = False
        self.uniform = False
        self.through_shared = False
        self.idle, self._in_vain = False, 0
        self._fresh = 0

    def at(self, line: int, place: str, loops: frozenset[str], uniform: bool = False) -> None:
        """Move to an instruction; names of unknowns come from its place, which no other instruction has.

        Args:
            uniform: what it gives is the same for threads of a block in the same rounds of the loops.
        """
        self.line, self.place, self.loops, self.uniform, self._fresh = line, place, loops, uniform, 0
        self.through_shared = False

    def unknown(self, width: int, key: str = "") -> Word:
        """A word of which nothing is known."""
        if not key:
            key = f"v@{self.place}" + (f".{self._fresh}" if self._fresh else "")
            key += THROUGH_SHARED if self.uniform and self.through_shared else ""
            self._fresh += 1
        return Word(width, None, key, self.loops, self.line, uniform=self.uniform)

    def bounded(self, width: int, low: int, high: int, definition: str = "") -> Word:
        """A word of which only the range is known."""
        word = self.unknown(width)
        symbol = Symbol(word.key, "opaque", THREAD, low, high, self.line, definition, self.loops, self.uniform)
        return replace(word, term=Poly.symbol(symbol))

    def unknown_truth(self) -> Cond:
        word = self.unknown(1)
        return opaque_truth(Symbol(word.key, "boolean", THREAD, None, None, self.line, "", self.loops, self.uniform))

    def term(self, a: Word) -> Poly:
        """A ring representative; an unknown gets its symbol."""
        if a.term is not None:
            return a.term
        return Poly.symbol(Symbol(a.key, "opaque", THREAD, 0, 2**a.width - 1, a.line, "", a.loops, a.uniform))

    def _chosen(self, term: Poly, width: int, where: Cond) -> Poly | None:
        """A choice between numbers in range and unknowns as a signed number; None where it is anything else.

        An unknown is as good a signed number as an unsigned one: that it is looked at as the other is no wrap.
        """
        atom = term.atom
        if isinstance(atom, IteAtom):
            one = self._chosen(atom.a, width, conj((where, atom.condition)))
            other = self._chosen(atom.b, width, conj((where, negate(atom.condition))))
            return None if one is None or other is None else ite(atom.condition, one, other)
        low, high = -(2 ** (width - 1)), 2 ** (width - 1) - 1
        if _whole(term, width):
            return ite(le(term, high), term, term - 2**width)
        inside = within(term, low, high) or self.optimistic
        inside = inside or self.facts.prove(implies(where, conj((le(low, term), le(term, high)))))
        return term if inside else None

    def number(self, a: Word, signed: bool, width: int = 0, always: bool = False) -> Poly:
        """The canonical value; its range is proved and recorded, or an explicit mod is left in the term."""
        width = width or a.width
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
        term = self.term(a)
        if term.value is not None:
            return Poly.constant((term.value - low) % 2**width + low)
        if a.term is None and signed:
            return ite(le(term, high), term, term - 2**width)
        if signed and width == a.width and any(_whole(side, width) for side in _sides(term)):
            seen = self._chosen(term, width, TRUE)
            if seen is not None:
                return seen
        inside = within(term, low, high)
        if inside and len(term.terms) == 1 and term.degree == 1:
            return term
        idle = self.idle and not always
        if self.optimistic and not idle:
            return term
        if not inside and not self.optimistic and not (idle and self._in_vain >= MAX_IN_VAIN):
            inside = self.facts.prove(conj((le(low, term), le(term, high))))
            self._in_vain += idle and not inside
        self.facts.observe(Observation(self.line, term, low, high, inside, always))
        return term if inside else modulo(term - low, 2**width) + low

    def holds(self, goal: Cond) -> bool:
        """Whether a condition holds here, on which the form of a term may then rest; believed while optimistic."""
        if goal.op in ("true", "false"):
            return goal.op == "true"
        return self.optimistic or self.facts.prove(goal)

    def word(self, width: int, term: Poly) -> Word:
        """A word, unless its term has grown out of hand."""
        if term.degree > MAX_DEGREE or len(term.terms) > MAX_TERMS:
            return self.unknown(width)
        return Word(width, term)


def _sides(term: Poly) -> Iterator[Poly]:
    """What a choice, and each choice in it, is between; nothing of a term that is none."""
    atom = term.atom
    if isinstance(atom, IteAtom):
        for side in (atom.a, atom.b):
            yield side
            yield from _sides(side)


def _whole(term: Poly, width: int) -> bool:
    """Whether a term is an unknown that may be any word."""
    atom = term.atom
    symbol = atom.symbol if isinstance(atom, SymbolAtom) else None
    if symbol is None or symbol.kind != "opaque" or symbol.definition:
        return False
    return (symbol.low, symbol.high) == (0, 2**width - 1)
