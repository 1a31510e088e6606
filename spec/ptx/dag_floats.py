"""The floating half of the domain Dag: every operation is a node that repeats the call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.ast import type_width
from spec.ptx.dag_words import Element, of_node, unextended, whole
from spec.ptx.lanes import Lanes, Surroundings
from spec.ptx.node import Attr, Node

Array = npt.NDArray[Any]


@dataclass
class Recorder:
    """What a launch in this domain leaves behind, over all its blocks.

    Args:
        parameters: float parameters that stay symbols.
        node_lines: the PTX line that first computed a node, or first loaded an input.
        stored: (buffer, byte) of global memory to the line of the last store there.
    """

    parameters: frozenset[str] = frozenset()
    node_lines: dict[Node, int] = field(default_factory=dict)
    stored: dict[tuple[str, int], int] = field(default_factory=dict)


class FloatNodes(Lanes):
    """Floats as ordered expressions; integers as Lanes has them."""

    def __init__(self, around: Surroundings, recorder: Recorder) -> None:
        super().__init__(around)
        self.recorder = recorder

    @property
    def line(self) -> int:
        return self.around.line

    def _node(self, op: str, attrs: tuple[Attr, ...], widths: tuple[int, ...], result: int, *args: Array) -> Array:
        """A node for each thread; known operands become constants."""
        arrays = np.broadcast_arrays(*args)
        out = np.empty(arrays[0].size, object)
        columns = [[whole(w, v, self.line) for v in a.ravel().tolist()] for w, a in zip(widths, arrays, strict=True)]
        for i, operands in enumerate(zip(*columns, strict=True)):
            out[i] = self._made(result, op, attrs, operands)
        return out.reshape(arrays[0].shape)

    def _made(self, result: int, op: str, attrs: tuple[Attr, ...], operands: tuple[Node, ...]) -> Element:
        node = Node(op, attrs, operands)
        self.recorder.node_lines.setdefault(node, self.line)
        return of_node(result, node)

    def node(self, width: int, element: Element) -> Node:
        """A word as one node. Unsupported for words of several parts."""
        return whole(width, element, self.line)

    # --- floats: a node repeats the call ---
    def fadd(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
        return self._float("fadd", (t, rounding, ftz, sat), a, b)

    def fsub(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
        return self._float("fsub", (t, rounding, ftz, sat), a, b)

    def fmul(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
        return self._float("fmul", (t, rounding, ftz, sat), a, b)

    def ffma(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array, c: Array) -> Array:
        return self._float("ffma", (t, rounding, ftz, sat), a, b, c)

    def fdiv(self, t: str, rounding: str, ftz: bool, a: Array, b: Array) -> Array:
        return self._float("fdiv", (t, rounding, ftz), a, b)

    def fsqrt(self, t: str, rounding: str, ftz: bool, a: Array) -> Array:
        return self._float("fsqrt", (t, rounding, ftz), a)

    def fneg(self, t: str, ftz: bool, a: Array) -> Array:
        return self._float("fneg", (t, ftz), a)

    def fabs(self, t: str, ftz: bool, a: Array) -> Array:
        return self._float("fabs", (t, ftz), a)

    def fmin(self, t: str, ftz: bool, nan: bool, a: Array, b: Array) -> Array:
        return self._float("fmin", (t, ftz, nan), a, b)

    def fmax(self, t: str, ftz: bool, nan: bool, a: Array, b: Array) -> Array:
        return self._float("fmax", (t, ftz, nan), a, b)

    def _float(self, op: str, attrs: tuple[Attr, ...], *args: Array) -> Array:
        """Operands and result in the format attrs[0]."""
        width = type_width(str(attrs[0]))
        return self._node(op, attrs, (width,) * len(args), width, *args)

    def fcompare(self, t: str, ftz: bool, op: str, a: Array, b: Array) -> Array:
        width = type_width(t)
        return self._node("fcompare", (t, ftz, op), (width, width), 1, a, b)

    def fconvert(self, source: str, target: str, rounding: str, ftz: bool, sat: str, a: Array) -> Array:
        attrs = (source, target, rounding, ftz, sat)
        return self._node("fconvert", attrs, (type_width(source),), type_width(target), a)

    def int_to_float(self, source: int, signed: bool, target: str, rounding: str, a: Array) -> Array:
        """The integer is taken without bits that only extend it: with the width and sign that it was stored with."""
        out = np.empty(np.asarray(a).size, object)
        for i, element in enumerate(np.asarray(a).ravel().tolist()):
            width, sign, rest = unextended(source, signed, element)
            operand = whole(width, rest, self.line)
            out[i] = self._made(type_width(target), "int_to_float", (width, sign, target, rounding), (operand,))
        return out.reshape(np.shape(a))

    def float_to_int(self, source: str, target: int, signed: bool, rounding: str, ftz: bool, a: Array) -> Array:
        attrs = (source, target, signed, rounding, ftz)
        return self._node("float_to_int", attrs, (type_width(source),), target, a)

    def round_integral(self, t: str, rounding: str, ftz: bool, a: Array) -> Array:
        return self._float("round_integral", (t, rounding, ftz), a)

    def approximate(self, name: str, t: str, ftz: bool, args: tuple[Array, ...]) -> Array:
        width = type_width(t)
        return self._node("approximate", (name, t, ftz), (width,) * len(args), width, *args)
