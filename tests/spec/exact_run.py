"""Exact runs of ordered expressions with matrix products, maxima and selections: rationals, a model tensor core.

A second evaluator beside spec.operators.exact, which the fuzz of attention and of sampling runs on.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spec.approximations import Infinite, admissible
from spec.errors import Unsupported
from spec.ptx.node import Node, label, topological
from spec.scalar import F16, F32, Format, Kind, decode, encode, kind_of

Value = Fraction | Infinite
Choose = Callable[[Node, Value, Value], Value]
_GRID = 200
"""Finite sums of the tensor core are integers of 2^-200."""


@dataclass(frozen=True)
class TensorCore:
    """Addends keep `fraction` bits below the largest one's exponent; `group` products at a time."""

    fraction: int
    group: int

    def dot(self, a: Sequence[Value], b: Sequence[Value], c: Value) -> Value:
        parts = [*a, *b, c]
        if any(isinstance(p, float) for p in parts):
            return sum((float(x) * float(y) for x, y in zip(a, b, strict=True)), float(c))
        for start in range(0, len(a), self.group):
            c = self._group(a[start : start + self.group], b[start : start + self.group], c)
        return c

    def _group(self, a: Sequence[Value], b: Sequence[Value], c: Value) -> Value:
        addends = [(_grid(c), _exponent(c, -126))] if c else []
        addends += [
            (_grid(Fraction(x) * Fraction(y)), _exponent(x, -14) + _exponent(y, -14))
            for x, y in zip(a, b, strict=True)
            if x and y
        ]
        if not addends:
            return Fraction(0)
        cut = max(max(e for _, e in addends) - self.fraction + _GRID, 0)
        total = sum(_toward_zero(m, cut) for m, _ in addends)
        total = _toward_zero(total, max(abs(total).bit_length() - 24, _GRID - 149, 0))
        return Fraction(total, 1 << _GRID)


ADA, HOPPER = TensorCore(24, 8), TensorCore(25, 16)


def _grid(value: Value) -> int:
    scaled = Fraction(value) * (1 << _GRID)
    assert scaled.denominator == 1
    return scaled.numerator


def _exponent(value: Value, least: int) -> int:
    return max(abs(_grid(value)).bit_length() - 1 - _GRID, least)


def _toward_zero(value: int, bits: int) -> int:
    return (abs(value) >> bits << bits) * (1 if value >= 0 else -1)


def read(bits: int, form: Format) -> Value:
    special = {Kind.PLUS_INF: math.inf, Kind.MINUS_INF: -math.inf, Kind.NAN: math.nan}
    kind = kind_of(bits, form)
    return decode(bits, form) if kind is Kind.FINITE else special[kind]


def rounded(value: Value, form: Format) -> Value:
    return value if isinstance(value, float) else read(encode(value, form), form)


def word16(value: Value) -> int:
    if isinstance(value, float):
        return 0x7E00 if math.isnan(value) else (0x7C00 if value > 0 else 0xFC00)
    return encode(value, F16)


def anywhere(rng: random.Random) -> Choose:
    """Approximations anywhere in their range, ends preferred."""

    def choose(_: Node, low: Value, high: Value) -> Value:
        if isinstance(low, float) or isinstance(high, float) or rng.random() < 0.6:
            return rng.choice([low, high])
        return rounded(low + (high - low) * Fraction(rng.random()), F32)

    return choose


def run(
    roots: Sequence[Node], leaves: Mapping[Node, Value], choose: Choose, core: TensorCore = ADA
) -> dict[Node, Value]:
    """The values of all nodes below the roots; predicates are 0 and 1."""
    values: dict[Node, Value] = dict(leaves)
    for node in topological(roots):
        if node not in values:
            values[node] = _value(node, [values[a] for a in node.args], choose, core)
    return values


def _value(node: Node, args: list[Value], choose: Choose, core: TensorCore) -> Value:
    op, attrs = node.op, node.attrs
    if op == "const":
        return read(int(attrs[1]), F32 if attrs[0] == 32 else F16)
    if op == "mma":
        assert attrs == ("f16", "f32")
        return core.dot(args[:-1:2], args[1:-1:2], args[-1])
    if op == "fmax":
        numbers = [a for a in args if not (isinstance(a, float) and math.isnan(a))]
        return max(numbers) if numbers else math.nan
    if op == "fcompare":
        assert attrs[2] == "eq"
        return Fraction(args[0] == args[1])
    if op == "select":
        return args[1] if args[0] else args[2]
    if op == "fneg":
        return -args[0]
    if op == "approximate":
        return _approximate(str(attrs[0]), bool(attrs[2]), node, args[0], choose)
    return _arithmetic(node, args)


def _arithmetic(node: Node, args: list[Value]) -> Value:
    if any(isinstance(a, float) for a in args):
        args = [float(a) for a in args]
    if node.op == "fconvert":
        source, target, rounding, ftz, sat = node.attrs
        assert (ftz, sat, rounding) == (False, "", "rn" if (source, target) == ("f32", "f16") else "")
        return rounded(args[0], F16 if target == "f16" else F32)
    assert node.attrs == ("f32", "rn", False, False) or (node.op == "fdiv" and node.attrs == ("f32", "rn", False))
    if node.op == "fadd":
        exact = args[0] + args[1]
    elif node.op == "fsub":
        exact = args[0] - args[1]
    elif node.op == "fmul":
        exact = args[0] * args[1]
    elif node.op == "ffma":
        exact = args[0] * args[1] + args[2]
    elif node.op == "fdiv":
        exact = args[0] / args[1]
    else:
        raise Unsupported(f"no exact run of {label(node)}")
    return rounded(exact, F32)


def _approximate(name: str, ftz: bool, node: Node, x: Value, choose: Choose) -> Value:
    if isinstance(x, float):
        if math.isnan(x):
            return x
        limits: dict[tuple[str, float], Value] = {
            ("ex2", math.inf): math.inf, ("ex2", -math.inf): Fraction(0), ("rcp", math.inf): Fraction(0),
        }  # fmt: skip
        return limits[name, x]
    low, high = admissible(name, ftz, x)
    return low if low == high else choose(node, low, high)
