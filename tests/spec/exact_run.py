"""Exact runs of ordered expressions with matrix products, maxima and selections, in rationals.

A second evaluator beside spec.operators.exact, which the fuzz of attention and of sampling runs on.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from spec.approximations import Infinite, admissible
from spec.errors import Unsupported
from spec.ptx.node import Node, label, topological
from spec.scalar import F16, F32, Format, Kind, decode, encode, kind_of
from spec.tensor_core import ADA, TensorCore

Value = Fraction | Infinite
Choose = Callable[[Node, Value, Value], Value]


def read(bits: int, form: Format) -> Value:
    special = {Kind.PLUS_INF: math.inf, Kind.MINUS_INF: -math.inf, Kind.NAN: math.nan}
    kind = kind_of(bits, form)
    return decode(bits, form) if kind is Kind.FINITE else special[kind]


def rounded(value: Value, form: Format) -> Value:
    return value if isinstance(value, float) else read(encode(value, form), form)


def word16(value: Value) -> int:
    return _word(value, F16)


def _word(value: Value, form: Format) -> int:
    if isinstance(value, Fraction):
        return encode(value, form)
    if math.isnan(value):
        return form.infinity | 1 << form.fraction_bits - 1
    return form.infinity | (0 if value > 0 else form.sign)


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
        factors = np.array([word16(a) for a in args[:-1]], np.uint16)
        start = np.array(_word(args[-1], F32), np.uint32)
        return read(int(core.dot("f16", "f32", factors[::2], factors[1::2], start)), F32)
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
