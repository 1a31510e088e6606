"""Ranges of registers that have no form: invariants that are guessed, and kept as far as they are inductive.

For a register that is a number without sign bit at the head of the loop (first of all that is shown) the guesses are
`r <= start`, `r >= start`, `r + k <= start` (it falls in every round, so the loop ends), `r >= start + k`, and for two
registers `r <= s`, `r < s` and `s - r + k <= start of s - start of r`; besides, those that a person gives
(`loops_hints`). Each guess must hold on entry and, if all of them hold in round k, on the back edge for round k+1. One
that does not is dropped, and the rest are tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from proofs.loops_exit import Decide
from proofs.loops_frame import Frame
from proofs.sameness import uniform
from proofs.state import State
from proofs.terms import THREAD, Cond, Poly, Symbol, conj, le, lt
from proofs.words import Word

MAX_PAIRED = 3
Values = Mapping[str, Poly]
Statement = Callable[[Values, Poly], Cond]


@dataclass(frozen=True)
class Guess:
    """A statement about the values of registers in a round.

    `number`: that the one register is a number in a range of its width; `hint`: the text of the one that says so.
    """

    about: tuple[str, ...]
    statement: Statement
    number: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Ranges:
    """The registers that have a symbol of their own at the head of the loop, and what is guessed of them."""

    heads: Mapping[str, Symbol]
    guesses: tuple[Guess, ...]

    def values(self) -> dict[str, Poly]:
        return {r: Poly.symbol(s) for r, s in self.heads.items()}

    def known(self, frame: Frame) -> tuple[Cond, ...]:
        """What holds at the head in round k; that a register is a number, its symbol says."""
        return tuple(g.statement(self.values(), frame.k) for g in self.guesses if not g.number)


def guessed(
    frame: Frame, loose: Mapping[str, Word], decide: Decide, hinted: Sequence[Guess] = ()
) -> Ranges:
    """The guesses that hold on entry.

    Args:
        loose: what registers without a form are on the back edge.
        hinted: guesses that a person gives; what they are about may be negative.
    """
    here = (*frame.entry.control, *frame.entry.facts)
    start = {r: i for r in loose if (i := frame.initial(r)) is not None}
    zero = Poly({})
    guesses: list[Guess] = []
    heads: dict[str, Symbol] = {}
    for register, initial in start.items():
        high, low = 2 ** (loose[register].width - 1) - 1, 0
        number = Guess((register,), _is_number(register, low, high), number=True)
        holds = decide(here, number.statement(start, zero))
        if not holds and any(register in g.about for g in hinted):
            low = -high - 1
            number = Guess((register,), _is_number(register, low, high), number=True)
            holds = decide(here, number.statement(start, zero))
        if not holds:
            continue
        inside = frame.around | {frame.name}
        name = f"h@{frame.name}.{register}"
        even = uniform(initial, frame.around)
        heads[register] = Symbol(name, "opaque", THREAD, low, high, frame.line, "", inside, even)
        guesses += [number, *(Guess((register,), s) for s in _one(register, initial))]
    if len(heads) <= MAX_PAIRED:
        pairs = [(r, s) for r in heads for s in heads if r != s]
        guesses += [Guess((r, s), g) for r, s in pairs for g in _two(r, s, start) if decide(here, g(start, zero))]
    guesses += [g for g in hinted if start.keys() >= set(g.about) and decide(here, g.statement(start, zero))]
    return _consistent(Ranges(heads, tuple(guesses)))


def _is_number(register: str, low: int, high: int) -> Statement:
    return lambda at, k: conj((le(low, at[register]), le(at[register], high)))


def _one(register: str, start: Poly) -> list[Statement]:
    return [
        lambda at, k: le(at[register], start), lambda at, k: le(start, at[register]),
        lambda at, k: le(at[register] + k, start), lambda at, k: le(start + k, at[register]),
    ]


def _two(r: str, s: str, start: Values) -> list[Statement]:
    width = start[s] - start[r]
    return [
        lambda at, k: le(at[r], at[s]), lambda at, k: lt(at[r], at[s]), lambda at, k: le(at[s] - at[r] + k, width),
    ]


def surviving(frame: Frame, ranges: Ranges, back: State | None, decide: Decide) -> Ranges:
    """The guesses that hold on the back edge for the next round, and the symbols that are uniform there, too."""
    if back is None or not ranges.guesses:
        return ranges
    rounds = frame.around | {frame.name}
    known = (*back.control, *back.facts)
    after = {r: v.term for r in ranges.heads if isinstance(v := back.registers.get(r), Word) and v.term is not None}
    kept = [
        g for g in ranges.guesses if after.keys() >= set(g.about) and decide(known, g.statement(after, frame.k + 1))
    ]
    heads = {
        r: s if not s.uniform or (r in after and uniform(after[r], rounds)) else replace(s, uniform=False)
        for r, s in ranges.heads.items()
    }
    return _consistent(Ranges(heads, tuple(kept)))


def keeping_hints(before: Ranges, after: Ranges) -> Ranges:
    """What is left, and with it what is given, so far as it is not known to fail."""
    about = {r for g in before.guesses if g.hint for r in g.about}
    kept = [g for g in before.guesses if g in after.guesses or g.hint or (g.number and about >= set(g.about))]
    return _consistent(Ranges({**before.heads, **after.heads}, tuple(kept)))


def without_hints(ranges: Ranges) -> Ranges:
    """The guesses of the prover's own."""
    return Ranges(ranges.heads, tuple(g for g in ranges.guesses if not g.hint))


def _consistent(ranges: Ranges) -> Ranges:
    """Without the registers of which it is not known that they are numbers, and what is said of them."""
    numbers = {r for g in ranges.guesses if g.number for r in g.about}
    heads = {r: s for r, s in ranges.heads.items() if r in numbers}
    return Ranges(heads, tuple(g for g in ranges.guesses if numbers >= set(g.about)))


def same_ranges(a: Ranges, b: Ranges) -> bool:
    """Whether nothing was dropped."""
    return len(a.guesses) == len(b.guesses) and all(s.uniform == b.heads[r].uniform for r, s in a.heads.items())
