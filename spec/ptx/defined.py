"""Definedness: which values are made of registers that nobody has written, followed beside the values.

A register that is read before it is written gives an arbitrary value, of which PTX promises nothing. It does no
harm as long as it reaches nothing that matters: an address, a guard, a number that steers a barrier or a shuffle, an
operand of a matrix product, or memory. A domain on top of another one therefore carries, beside each value, the
predicate of that domain under which it is defined. What only computes gives a value that is defined where all of its
operands are; a choice is as defined as what it takes; a shuffle gives what the other lane has, defined as there; every
other operation demands that its operands are defined. Instructions on memory demand it of all that they read, so that
the machine executes them in the domain below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from spec.ptx.operands import Binding, registers_in
from spec.ptx.row import MEMORY, Row

COMPUTES = frozenset((
    "add", "sub", "mul", "mul_wide", "mul_hi", "div", "rem", "min", "max", "bit_and", "bit_or", "bit_xor", "bit_not",
    "shl", "shr", "popc", "clz", "brev", "extend", "truncate", "concat", "split", "compare", "p_xor", "p_not", "fadd",
    "fsub", "fmul", "ffma", "fdiv", "fsqrt", "fneg", "fabs", "fmin", "fmax", "fcompare", "fconvert", "int_to_float",
    "float_to_int", "round_integral", "approximate",
))
"""Operations of `spec.ptx.domain.Domain` whose result hangs on their operands in the same thread, and that do nothing
else."""


@dataclass(frozen=True)
class Shadowed:
    """A word or predicate, and the predicate under which it is defined."""

    value: Any
    defined: Any


class Defined:
    """Implements `spec.ptx.domain.Domain` on shadowed values, all of its operations by those of `domain`.

    Args:
        demand: told of each predicate that must hold.
        exchanged: the predicate of the lane that a shuffle reads from, given (mode, predicate, b, c, members).
    """

    def __init__(self, domain: Any, demand: Callable[[Any], None], exchanged: Callable[..., Any]) -> None:
        self._domain, self._demand, self._exchanged = domain, demand, exchanged

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = getattr(self._domain, name)
        demands = name not in COMPUTES

        def shadowed(*operands: Any) -> Any:
            defined = self._all(operands)
            if demands:
                self._demand(defined)
                defined = self._domain.truth(True)
            return _with(operation(*map(_values, operands)), defined)

        return shadowed

    def _all(self, operands: tuple[Any, ...]) -> Any:
        defined = self._domain.truth(True)
        for predicate in _predicates(operands):
            defined = self._domain.p_and(defined, predicate)
        return defined

    def select(self, width: int, p: Shadowed, a: Shadowed, b: Shadowed) -> Shadowed:
        x = self._domain
        taken = x.p_or(x.p_and(p.value, a.defined), x.p_and(x.p_not(p.value), b.defined))
        return Shadowed(x.select(width, p.value, a.value, b.value), x.p_and(p.defined, taken))

    def p_and(self, a: Shadowed, b: Shadowed) -> Shadowed:
        """False if one is, whatever the other may be."""
        return self._settled(self._domain.p_and(a.value, b.value), a, b, self._domain.p_not)

    def p_or(self, a: Shadowed, b: Shadowed) -> Shadowed:
        """True if one is, whatever the other may be."""
        return self._settled(self._domain.p_or(a.value, b.value), a, b, lambda p: p)

    def _settled(self, value: Any, a: Shadowed, b: Shadowed, settles: Callable[[Any], Any]) -> Shadowed:
        x = self._domain
        alone = x.p_or(x.p_and(a.defined, settles(a.value)), x.p_and(b.defined, settles(b.value)))
        return Shadowed(value, x.p_or(x.p_and(a.defined, b.defined), alone))

    def shuffle(self, mode: str, a: Shadowed, b: Shadowed, c: Shadowed, members: Shadowed) -> tuple[Shadowed, Shadowed]:
        self._demand(self._all((b, c, members)))
        value, inside = self._domain.shuffle(mode, a.value, b.value, c.value, members.value)
        defined = self._exchanged(mode, a.defined, b.value, c.value, members.value)
        return Shadowed(value, defined), Shadowed(inside, self._domain.truth(True))


def _values(operand: Any) -> Any:
    if isinstance(operand, tuple):
        return tuple(map(_values, operand))
    return operand.value if isinstance(operand, Shadowed) else operand


def _predicates(operand: Any) -> Iterator[Any]:
    if isinstance(operand, tuple):
        for part in operand:
            yield from _predicates(part)
    elif isinstance(operand, Shadowed):
        yield operand.defined


def _with(result: Any, defined: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(_with(part, defined) for part in result)
    return Shadowed(result, defined)


def demands_everything(row: Row) -> bool:
    """Whether an instruction demands that all it reads is defined: it is one on memory, or one that steers."""
    return row.kind == MEMORY or row.meaning is None


def registers_read(binding: Binding) -> tuple[str, ...]:
    """Names of the registers that an instruction reads, without its guard."""
    return tuple(dict.fromkeys(name for _, operand in binding.sources for name in registers_in(operand)))
