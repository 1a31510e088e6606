"""The domain Dag: integers as Lanes has them, floats as ordered expressions (`spec.ptx.node`).

A word of threads that all know its value is an array as in Lanes. Otherwise it is an object array: for each thread an
int, or `Bits`, the parts of nodes that make up the word, so that packing, shifting and masking of halves keep track
of them, or `Lost`, bits nothing can be said of, which no result may depend on. A branch, an address or a vote that
depends on a node is Unsupported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.errors import Unsupported
from spec.ptx.ast import type_width
from spec.ptx.dag_floats import FloatNodes, Recorder
from spec.ptx.dag_words import Element, Lost, Piece, assemble, content, cut, difference, masked, of_node, tidy, union
from spec.ptx.domain import Shape
from spec.ptx.floats import WORD
from spec.ptx.lanes import Lanes, Surroundings
from spec.ptx.memory import Buffer
from spec.ptx.node import Node, parameter

Array = npt.NDArray[Any]


def domain_of(recorder: Recorder) -> Callable[[Surroundings], Dag]:
    """The domain of a launch that leaves behind what the recorder keeps."""
    return lambda around: Dag(around, recorder)


class Dag(FloatNodes):
    """Implements `spec.ptx.domain.Domain`; inherits from Lanes what is done with known values."""

    def known(self, value: Array, line: int) -> Array:
        value = np.asarray(value)
        if value.dtype != object:
            return value
        if all(isinstance(v, int) for v in value.ravel()):
            return value.astype(np.uint64)
        raise Unsupported("a branch, address, mask or vote that depends on a floating value", line=line)

    # --- element by element ---
    def _map(
        self, widths: tuple[int, ...], result: int, concrete: Callable[..., Array], symbolic: Callable[..., Element],
        *args: Array,
    ) -> Array:
        """`concrete` for the threads that know all operands, `symbolic` for the others. Predicates have width 1."""
        if all(np.asarray(a).dtype != object for a in args):
            return concrete(*args)
        arrays = np.broadcast_arrays(*args)
        columns = [a.ravel().tolist() for a in arrays]
        out = np.empty(arrays[0].size, object)
        certain = []
        for i, values in enumerate(zip(*columns, strict=True)):
            if all(isinstance(v, int) for v in values):
                certain.append(i)
            else:
                out[i] = symbolic(*values)
        if certain:
            words = (np.array([c[i] for i in certain], WORD[w]) for c, w in zip(columns, widths, strict=True))
            out[certain] = np.asarray(concrete(*words)).tolist()
        return tidy(out, result).reshape(arrays[0].shape)

    def _plain(self, name: str, attrs: tuple[Any, ...], widths: tuple[int, ...], result: int, *args: Array) -> Array:
        """An operation that knows nothing of nodes: of one, it makes a word nothing can be said of."""
        concrete: Callable[..., Array] = getattr(super(), name)
        lost = self._lost(name)
        return self._map(widths, result, lambda *words: concrete(*attrs, *words), lambda *_: lost, *args)

    def _lost(self, name: str) -> Lost:
        return Lost(f"{name}, integer arithmetic on a floating value, line {self.line}")

    def _moved(
        self, name: str, attrs: tuple[Any, ...], widths: tuple[int, ...], result: int,
        rule: Callable[..., Element | None], *args: Array,
    ) -> Array:
        """An operation that `rule` carries out on pieces; where that gives None, the word is lost."""
        concrete: Callable[..., Array] = getattr(super(), name)

        def symbolic(*values: Element) -> Element:
            lost = next((v for v in values if isinstance(v, Lost)), None)
            made = lost if lost is not None else rule(*values)
            return self._lost(name) if made is None else made

        return self._map(widths, result, lambda *words: concrete(*attrs, *words), symbolic, *args)

    # --- integers: of known values ---
    def add(self, width: int, a: Array, b: Array) -> Array:
        return self._plain("add", (width,), (width, width), width, a, b)

    def sub(self, width: int, a: Array, b: Array) -> Array:
        return self._plain("sub", (width,), (width, width), width, a, b)

    def mul(self, width: int, a: Array, b: Array) -> Array:
        return self._plain("mul", (width,), (width, width), width, a, b)

    def mul_wide(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return self._plain("mul_wide", (width, signed), (width, width), 2 * width, a, b)

    def mul_hi(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return self._plain("mul_hi", (width, signed), (width, width), width, a, b)

    def div(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return self._plain("div", (width, signed), (width, width), width, a, b)

    def rem(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return self._plain("rem", (width, signed), (width, width), width, a, b)

    def min(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return self._plain("min", (width, signed), (width, width), width, a, b)

    def max(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return self._plain("max", (width, signed), (width, width), width, a, b)

    def bit_not(self, width: int, a: Array) -> Array:
        return self._plain("bit_not", (width,), (width,), width, a)

    def popc(self, width: int, a: Array) -> Array:
        return self._plain("popc", (width,), (width,), 32, a)

    def clz(self, width: int, a: Array) -> Array:
        return self._plain("clz", (width,), (width,), 32, a)

    def brev(self, width: int, a: Array) -> Array:
        return self._plain("brev", (width,), (width,), width, a)

    def compare(self, width: int, signed: bool, op: str, a: Array, b: Array) -> Array:
        return self._plain("compare", (width, signed, op), (width, width), 1, a, b)

    # --- integers: bits moved about ---
    def bit_and(self, width: int, a: Array, b: Array) -> Array:
        def rule(p: Element, q: Element) -> Element | None:
            if isinstance(p, int) or isinstance(q, int):
                return masked(width, q, p) if isinstance(p, int) else masked(width, p, q)
            return None

        return self._moved("bit_and", (width,), (width, width), width, rule, a, b)

    def bit_or(self, width: int, a: Array, b: Array) -> Array:
        return self._moved("bit_or", (width,), (width, width), width, lambda p, q: union(width, p, q), a, b)

    def bit_xor(self, width: int, a: Array, b: Array) -> Array:
        return self._moved("bit_xor", (width,), (width, width), width, lambda p, q: difference(width, p, q), a, b)

    def shl(self, width: int, a: Array, amount: Array) -> Array:
        def rule(p: Element, n: Element) -> Element | None:
            if not isinstance(n, int):
                return None
            n = min(n, width)
            return assemble([Piece(n, None), *cut(width, p, 0, width - n)])

        return self._moved("shl", (width,), (width, 32), width, rule, a, amount)

    def shr(self, width: int, signed: bool, a: Array, amount: Array) -> Array:
        def rule(p: Element, n: Element) -> Element | None:
            if not isinstance(n, int):
                return None
            n = min(n, width)
            kept = cut(width, p, n, width - n)
            return assemble([*kept, *(cut(width, p, width - 1, 1) * n if signed else [Piece(n, None)])])

        return self._moved("shr", (width, signed), (width, 32), width, rule, a, amount)

    def extend(self, source: int, target: int, signed: bool, a: Array) -> Array:
        def rule(p: Element) -> Element:
            more = target - source
            filled = cut(source, p, source - 1, 1) * more if signed else [Piece(more, None)]
            return assemble([*cut(source, p, 0, source), *filled])

        return self._moved("extend", (source, target, signed), (source,), target, rule, a)

    def truncate(self, source: int, target: int, a: Array) -> Array:
        rule: Callable[[Element], Element] = lambda p: assemble(cut(source, p, 0, target))  # noqa: E731
        return self._moved("truncate", (source, target), (source,), target, rule, a)

    def concat(self, width: int, parts: tuple[Array, ...]) -> Array:
        def rule(*elements: Element) -> Element:
            return assemble([piece for e in elements for piece in cut(width, e, 0, width)])

        def concrete(*words: Array) -> Array:
            return Lanes.concat(self, width, words)

        def symbolic(*elements: Element) -> Element:
            return next((e for e in elements if isinstance(e, Lost)), None) or rule(*elements)

        return self._map((width,) * len(parts), width * len(parts), concrete, symbolic, *parts)

    def split(self, width: int, count: int, a: Array) -> tuple[Array, ...]:
        if np.asarray(a).dtype != object:
            return super().split(width, count, a)
        whole = width * count
        shifted = (self.shr(whole, False, a, self.const(32, i * width)) for i in range(count))
        return tuple(self.truncate(whole, width, s) if count > 1 else a for s in shifted)

    # --- predicates: known, or the node of a floating comparison ---
    def _logic(self, name: str, a: Array, b: Array) -> Array:
        def symbolic(p: Element, q: Element) -> Element:
            known, other = (p, q) if isinstance(p, int) else (q, p)
            absorbing = {"p_and": False, "p_or": True}.get(name)
            if isinstance(known, int) and absorbing is not None:
                return known if bool(known) is absorbing else other
            if isinstance(known, int) and not known:
                return other
            return Lost(f"{name} of floating comparisons, line {self.line}")

        concrete: Callable[..., Array] = getattr(super(), name)
        return self._map((1, 1), 1, concrete, symbolic, a, b)

    def p_and(self, a: Array, b: Array) -> Array:
        return self._logic("p_and", a, b)

    def p_or(self, a: Array, b: Array) -> Array:
        return self._logic("p_or", a, b)

    def p_xor(self, a: Array, b: Array) -> Array:
        return self._logic("p_xor", a, b)

    def p_not(self, a: Array) -> Array:
        return self._plain("p_not", (), (1,), 1, a)

    def select(self, width: int, p: Array, a: Array, b: Array) -> Array:
        """By a known predicate one of the two; by a floating comparison a node `select`, attrs (width,)."""

        def symbolic(q: Element, x: Element, y: Element) -> Element:
            if isinstance(q, int):
                return x if q else y
            if x == y:
                return x
            node = Node("select", (width,), (self.node(1, q), self.node(width, x), self.node(width, y)))
            self.recorder.node_lines.setdefault(node, self.line)
            return of_node(width, node)

        concrete: Callable[..., Array] = lambda q, x, y: Lanes.select(self, width, q, x, y)  # noqa: E731
        return self._map((1, width, width), width, concrete, symbolic, p, a, b)

    # --- lanes: nodes move, masks and votes must be known ---
    def shuffle(self, mode: str, a: Array, b: Array, c: Array, members: Array) -> tuple[Array, Array]:
        b, c, members = (self._word(v) for v in (b, c, members))
        return super().shuffle(mode, a, b, c, members)

    def vote(self, mode: str, p: Array, members: Array) -> Array:
        return super().vote(mode, self.known(p, self.line).astype(bool), self._word(members))

    def ballot(self, p: Array, members: Array) -> Array:
        return super().ballot(self.known(p, self.line).astype(bool), self._word(members))

    def redux(self, op: str, signed: bool, a: Array, members: Array) -> Array:
        return super().redux(op, signed, self._word(a), self._word(members))

    def match(self, mode: str, width: int, a: Array, members: Array) -> tuple[Array, Array]:
        return super().match(mode, width, self.known(a, self.line), self._word(members))

    def elect(self, members: Array) -> tuple[Array, Array]:
        return super().elect(self._word(members))

    def _word(self, value: Array) -> Array:
        return self.known(value, self.line).astype(np.uint32)

    # --- memory: what a byte holds stands in its buffer's shadow ---
    def load_param(self, name: str, offset: int, width: int, count: int) -> tuple[Array, ...]:
        if name not in self.recorder.parameters:
            return super().load_param(name, offset, width, count)
        if offset or count != 1:
            raise Unsupported(f"part of the floating parameter {name}", line=self.line)
        out = np.empty((), object)
        out[()] = of_node(width, parameter(name))
        return (out,)

    def atomic(
        self, space: str, width: int, count: int, address: Array, update: Callable[[int, Array, str], Array], scope: str
    ) -> tuple[Array, ...]:
        """Of known words only: threads of a launch come in no order, so a floating sum would have no expression."""

        def known(i: int, old: Array, where: str) -> Array:
            new = np.asarray(update(i, self.known(old, self.line).astype(WORD[width]), where))
            if new.dtype == object and not all(isinstance(v, int) for v in new.ravel()):
                raise Unsupported("an atomic operation on a floating value: its order is not fixed", line=self.line)
            return new.astype(WORD[width])

        return super().atomic(space, width, count, address, known, scope)

    def dot(self, shape: Shape, a: Array, b: Array, c: Array) -> Array:
        """A node `mma` for each element: attrs the types of A and C, args a and b in turn, then c."""
        if all(np.asarray(v).dtype != object for v in (a, b, c)):
            return super().dot(shape, a, b, c)
        factors = [part for i in range(shape.k) for part in (a[..., i], b[..., i])]
        widths = (type_width(shape.a), type_width(shape.b)) * shape.k
        return self._node("mma", (shape.a, shape.c), (*widths, type_width(shape.c)), type_width(shape.c), *factors, c)

    def fetch(self, buffer: Buffer, offsets: Array, size: int) -> Array:
        words = super().fetch(buffer, offsets, size)
        if not buffer.symbolic and not buffer.shadow:
            return words
        raw = words.tolist()
        out = np.empty(len(offsets), object)
        for i, offset in enumerate(offsets.tolist()):
            data = raw[i].to_bytes(size, "little")
            pieces = [content(buffer, offset + k, data[k]) for k in range(size)]
            for piece in pieces:
                if piece.node is not None:
                    self.recorder.node_lines.setdefault(piece.node, self.line)
            out[i] = assemble(pieces)
        return tidy(out, 8 * size)

    def deposit(self, buffer: Buffer, offsets: Array, size: int, words: Array) -> None:
        if buffer.base:
            for offset in offsets.tolist():
                self.recorder.stored.update(((buffer.name, offset + k), self.line) for k in range(size))
        if words.dtype != object and not buffer.symbolic and not buffer.shadow:
            super().deposit(buffer, offsets, size, words)
            return
        for offset, element in zip(offsets.tolist(), words.tolist(), strict=True):
            if isinstance(element, Lost):
                raise Unsupported(f"a store of the result of {element.why}", line=self.line)
            for k in range(size):
                (piece,) = cut(8 * size, element, 8 * k, 8)
                buffer.shadow[offset + k] = piece
