"""A loop as it is entered, and what its summary needs of the machine that runs its body."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from proofs.state import State, Value
from proofs.terms import FALSE, Cond, Poly, Symbol
from proofs.words import Word

MAX_VALUE = 400


@dataclass(frozen=True)
class Frame:
    """A loop as it is entered once: `iteration` counts its rounds, `around` are the loops outside."""

    header: int
    blocks: frozenset[int]
    entry: State
    name: str
    line: int
    around: frozenset[str]
    iteration: Symbol
    leaving: Symbol
    modified: tuple[str, ...]

    @property
    def k(self) -> Poly:
        return Poly.symbol(self.iteration)

    def varies(self, item: Poly | Cond) -> bool:
        """Whether the item changes from round to round."""
        return any(self.name in s.loops or s == self.iteration for s in item.symbols())

    def initial(self, register: str) -> Poly | None:
        """The term of a register when the loop is entered."""
        value = self.entry.registers.get(register)
        return value.term if isinstance(value, Word) else None


@dataclass(frozen=True)
class Form:
    """The value in round k. An orbit has `period` > 0 and begins after `pre` rounds."""

    term: Poly
    pre: int = 0
    period: int = 0


class Body(ABC):
    """Runs the body of a loop."""

    @abstractmethod
    def unknown(self, frame: Frame, register: str, symbolic: bool, common: bool = False) -> Value:
        """A register at the head of the loop of which nothing is known; with a symbol of its own if `symbolic`.

        `common`: threads of the block in the same round have it in common.
        """

    @abstractmethod
    def look(self, frame: Frame, start: State) -> State | None:
        """The state on the back edge, without proving or recording anything; None if there is no way back."""


def at_round(
    body: Body, frame: Frame, values: Mapping[str, Poly], common: frozenset[str] = frozenset()
) -> State:
    """The state at the head of the loop with these registers known, the others that the loop modifies unknown."""
    start = frame.entry.copy()
    for register in frame.modified:
        written = frame.entry.written.get(register, FALSE)
        initial = frame.entry.registers.get(register)
        if register in values and isinstance(initial, Word):
            start.set(register, Word(initial.width, values[register]), written)
        else:
            start.set(register, body.unknown(frame, register, False, register in common), written)
    return start
