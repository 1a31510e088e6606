"""The domain of expression runs: known integers as Python numbers, floats as nodes, packed floats as their parts.

A word is an object array over the active threads, or one value for all of them. Implements the operations of
`spec.ptx.domain.Domain` that kernels with concrete control flow use; every other one is Unsupported, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spec.errors import Unsupported
from spec.ptx.ast import type_width
from spec.ptx.node import Node, constant

Words = NDArray[np.object_]


@dataclass(frozen=True)
class Packed:
    """Parts of `width` bits, least significant first, not all of them known."""

    width: int
    parts: tuple[Any, ...]


def as_node(width: int, value: Any) -> Node:
    """A word as a node."""
    return value if isinstance(value, Node) else constant(width, int(value))


def _signed(width: int, a: int) -> int:
    return a - (1 << width) if a >> (width - 1) else a


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


class Symbolic:
    """See the module; `around` is the block that runs (proofs.extraction)."""

    def __init__(self, around: Any) -> None:
        self.around = around

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise Unsupported(f"the operation {name} in an expression run", line=self.around.line)

    # --- helpers ---
    def _each(self, function: Callable[..., Any], *words: Any) -> Any:
        """Element by element; one value where all are."""
        if not any(isinstance(w, np.ndarray) for w in words):
            return function(*words)
        return np.frompyfunc(function, len(words), 1)(*words)

    def _integers(self, function: Callable[..., int], *words: Any) -> Any:
        def known(*values: Any) -> int:
            if not all(isinstance(v, int) for v in values):
                raise Unsupported("integer arithmetic on a floating value", line=self.around.line)
            return function(*values)

        return self._each(known, *words)

    def _node(self, op: str, attrs: tuple[Any, ...], width: int, *words: Any) -> Any:
        def make(*values: Any) -> Node:
            if any(isinstance(v, Packed) for v in values):
                raise Unsupported("arithmetic on packed values as one number", line=self.around.line)
            node: Node = self.around.remember(Node(op, attrs, tuple(as_node(width, v) for v in values)))
            return node

        return self._each(make, *words)

    # --- integers ---
    def const(self, width: int, value: int) -> int:
        return value % (1 << width)

    def special(self, name: str, width: int) -> Any:
        return self.around.special(name)

    def add(self, width: int, a: Any, b: Any) -> Any:
        return self._integers(lambda p, q: (p + q) % (1 << width), a, b)

    def sub(self, width: int, a: Any, b: Any) -> Any:
        return self._integers(lambda p, q: (p - q) % (1 << width), a, b)

    def mul(self, width: int, a: Any, b: Any) -> Any:
        return self._integers(lambda p, q: p * q % (1 << width), a, b)

    def mul_wide(self, width: int, signed: bool, a: Any, b: Any) -> Any:
        def product(p: int, q: int) -> int:
            return (_signed(width, p) * _signed(width, q) if signed else p * q) % (1 << 2 * width)

        return self._integers(product, a, b)

    def bit_and(self, width: int, a: Any, b: Any) -> Any:
        return self._integers(lambda p, q: p & q, a, b)

    def bit_or(self, width: int, a: Any, b: Any) -> Any:
        return self._integers(lambda p, q: p | q, a, b)

    def bit_xor(self, width: int, a: Any, b: Any) -> Any:
        return self._integers(lambda p, q: p ^ q, a, b)

    def shl(self, width: int, a: Any, amount: Any) -> Any:
        return self._integers(lambda p, k: (p << k) % (1 << width) if k < width else 0, a, amount)

    def shr(self, width: int, signed: bool, a: Any, amount: Any) -> Any:
        def shift(p: int, k: int) -> int:
            return (_signed(width, p) >> k) % (1 << width) if signed else p >> k

        return self._integers(shift, a, amount)

    def extend(self, source: int, target: int, signed: bool, a: Any) -> Any:
        return self._integers(lambda p: (_signed(source, p) if signed else p) % (1 << target), a)

    def truncate(self, source: int, target: int, a: Any) -> Any:
        return self._integers(lambda p: p % (1 << target), a)

    # --- packing ---
    @staticmethod
    def pack(width: int, parts: Sequence[Any]) -> Any:
        """One word of parts: the part itself if there is one, a number if all are known."""
        if len(parts) == 1:
            return parts[0]
        if all(isinstance(p, int) for p in parts):
            return sum(p << (width * i) for i, p in enumerate(parts))
        return Packed(width, tuple(parts))

    @staticmethod
    def unpack(width: int, count: int, value: Any, line: int) -> tuple[Any, ...]:
        """The parts of a word."""
        if count == 1:
            return (value,)
        if isinstance(value, int):
            return tuple(value >> (width * i) & ((1 << width) - 1) for i in range(count))
        if isinstance(value, Packed) and value.width == width and len(value.parts) == count:
            return value.parts
        raise Unsupported(f"a floating value taken apart into {count} parts of {width} bits", line=line)

    def concat(self, width: int, parts: tuple[Any, ...]) -> Any:
        return self._each(lambda *p: self.pack(width, p), *parts)

    def split(self, width: int, count: int, a: Any) -> tuple[Any, ...]:
        whole = self._each(lambda v: self.unpack(width, count, v, self.around.line), a)
        if not isinstance(whole, np.ndarray):
            return tuple(whole)
        return tuple(np.frompyfunc(lambda v, i=i: v[i], 1, 1)(whole) for i in range(count))

    # --- predicates ---
    def truth(self, value: bool) -> bool:
        return value

    def compare(self, width: int, signed: bool, op: str, a: Any, b: Any) -> Any:
        holds = _COMPARE[op]
        if signed:
            return self._integers(lambda p, q: holds(_signed(width, p), _signed(width, q)), a, b)
        return self._integers(holds, a, b)

    def p_and(self, a: Any, b: Any) -> Any:
        return self._each(lambda p, q: p and q, a, b)

    def p_or(self, a: Any, b: Any) -> Any:
        return self._each(lambda p, q: p or q, a, b)

    def p_not(self, a: Any) -> Any:
        return self._each(lambda p: not p, a)

    def select(self, width: int, p: Any, a: Any, b: Any) -> Any:
        return self._each(lambda q, x, y: x if q else y, p, a, b)

    # --- floats: the node repeats the call ---
    def fadd(self, t: str, rounding: str, ftz: bool, sat: bool, a: Any, b: Any) -> Any:
        return self._node("fadd", (t, rounding, ftz, sat), type_width(t), a, b)

    def fsub(self, t: str, rounding: str, ftz: bool, sat: bool, a: Any, b: Any) -> Any:
        return self._node("fsub", (t, rounding, ftz, sat), type_width(t), a, b)

    def fmul(self, t: str, rounding: str, ftz: bool, sat: bool, a: Any, b: Any) -> Any:
        return self._node("fmul", (t, rounding, ftz, sat), type_width(t), a, b)

    def ffma(self, t: str, rounding: str, ftz: bool, sat: bool, a: Any, b: Any, c: Any) -> Any:
        return self._node("ffma", (t, rounding, ftz, sat), type_width(t), a, b, c)

    def fdiv(self, t: str, rounding: str, ftz: bool, a: Any, b: Any) -> Any:
        return self._node("fdiv", (t, rounding, ftz), type_width(t), a, b)

    def fsqrt(self, t: str, rounding: str, ftz: bool, a: Any) -> Any:
        return self._node("fsqrt", (t, rounding, ftz), type_width(t), a)

    def fneg(self, t: str, ftz: bool, a: Any) -> Any:
        return self._node("fneg", (t, ftz), type_width(t), a)

    def fabs(self, t: str, ftz: bool, a: Any) -> Any:
        return self._node("fabs", (t, ftz), type_width(t), a)

    def fmin(self, t: str, ftz: bool, nan: bool, a: Any, b: Any) -> Any:
        return self._node("fmin", (t, ftz, nan), type_width(t), a, b)

    def fmax(self, t: str, ftz: bool, nan: bool, a: Any, b: Any) -> Any:
        return self._node("fmax", (t, ftz, nan), type_width(t), a, b)

    def fconvert(self, source: str, target: str, rounding: str, ftz: bool, sat: str, a: Any) -> Any:
        return self._node("fconvert", (source, target, rounding, ftz, sat), type_width(source), a)

    def int_to_float(self, source: int, signed: bool, target: str, rounding: str, a: Any) -> Any:
        return self._node("int_to_float", (source, signed, target, rounding), source, a)

    def approximate(self, name: str, t: str, ftz: bool, args: tuple[Any, ...]) -> Any:
        return self._node("approximate", (name, t, ftz), type_width(t), *args)

    # --- lanes and memory ---
    def shuffle(self, mode: str, a: Any, b: Any, c: Any, members: Any) -> tuple[Any, Any]:
        if members != 0xFFFF_FFFF:
            raise Unsupported("shfl.sync of part of a warp in an expression run", line=self.around.line)
        places = self.around.partners(mode, b, c)
        values = np.broadcast_to(np.asarray(a, dtype=object), (len(places),))
        return values[places], True

    def symbol(self, name: str, width: int) -> Any:
        return self.around.symbol(name)

    def load_param(self, name: str, offset: int, width: int, count: int) -> tuple[Any, ...]:
        if count != 1:
            raise Unsupported("a vector of parameters in an expression run", line=self.around.line)
        return (self.around.parameter(name, offset, width),)

    def load(self, space: str, width: int, count: int, address: Any, readonly: bool) -> tuple[Any, ...]:
        return tuple(self.around.load(space, width, count, address))

    def store(self, space: str, width: int, address: Any, values: tuple[Any, ...]) -> None:
        self.around.store(space, width, address, values)
