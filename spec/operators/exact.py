"""Exact evaluation of ordered expressions: every rounding as IEEE 754 has it, approximations anywhere in their range.

This is the model that error bounds are fuzzed against. Signed zeros are not kept (results compare as equal zeros).
A tensor core is one of several models that the caller chooses, since PTX leaves order and rounding of its sums open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from spec.approximations import Infinite, admissible
from spec.errors import Unsupported
from spec.ptx.node import Node, label, topological
from spec.scalar import F16, F32, Format, Kind, decode, encode, kind_of

Value = Fraction | Infinite
Choice = Callable[[Node, Value, Value], Value]
"""(node, least, greatest admissible result) -> the result that the device is taken to give."""
TensorCore = Callable[[Sequence[Fraction], Sequence[Fraction], Fraction], Fraction]
"""(16 elements of A, 16 of B, c) -> d of one mma.m16n8k16 with finite operands."""

_FORMATS = {"f16": F16, "f32": F32}


def lowest(_: Node, low: Value, __: Value) -> Value:
    """Every approximation at its least admissible result."""
    return low


def highest(_: Node, __: Value, high: Value) -> Value:
    """Every approximation at its greatest admissible result."""
    return high


def read(bits: int, form: Format) -> Value:
    """The value of a word; floats stand for Inf and NaN."""
    kind = kind_of(bits, form)
    special = {Kind.PLUS_INF: math.inf, Kind.MINUS_INF: -math.inf, Kind.NAN: math.nan}
    return decode(bits, form) if kind is Kind.FINITE else special[kind]


def evaluate(
    roots: Sequence[Node],
    inputs: Mapping[tuple[str, int], Value],
    params: Mapping[str, Value],
    choose: Choice = lowest,
    tensor_core: TensorCore | None = None,
) -> list[Value]:
    """The values of the roots.

    Args:
        inputs: values of the input elements, by (buffer, element).
        params: values of the float parameters.
        choose: what each approximation returns.
        tensor_core: what mma returns; needed where there is one.

    Raises:
        Unsupported: for an operation outside this model.
    """
    values: dict[Node, Value] = {}
    for node in topological(roots):
        args = [values[a] for a in node.args]
        if node.op == "input":
            values[node] = inputs[str(node.attrs[0]), int(node.attrs[1])]
        elif node.op == "param":
            values[node] = params[str(node.attrs[0])]
        elif node.op == "approximate":
            values[node] = _approximate(node, args[0], choose)
        elif node.op == "mma":
            values[node] = _matrix_product(node, args, tensor_core)
        else:
            values[node] = _round(node, _operate(node, args))
    return [values[r] for r in roots]


def _operate(node: Node, args: list[Value]) -> Value:
    """The result before rounding. Floats among the arguments make it float arithmetic, right for Inf and NaN."""
    if node.op == "const":
        return read(int(node.attrs[1]), F32 if node.attrs[0] == 32 else F16)
    if node.op == "int_to_float" and node.args[0].op == "const":
        return Fraction(int(node.args[0].attrs[1]))
    if any(isinstance(a, float) for a in args):
        args = [float(a) for a in args]
    if node.op == "fadd":
        return args[0] + args[1]
    if node.op == "fmul":
        return args[0] * args[1]
    if node.op == "ffma":
        return args[0] * args[1] + args[2]
    if node.op == "fdiv" and args[1]:
        return args[0] / args[1]
    if node.op == "fconvert":
        return args[0]
    raise Unsupported(f"no exact model of {label(node)}")


def _matrix_product(node: Node, args: list[Value], tensor_core: TensorCore | None) -> Value:
    """Of the model where all operands are finite; else the class that every order of the sum gives."""
    if node.attrs != ("f16", "f32") or len(args) != 33 or tensor_core is None:
        raise Unsupported(f"no exact model of {label(node)} with {len(args)} operands was given")
    left, right, start = args[0:32:2], args[1:32:2], args[32]
    finite = [[v for v in part if isinstance(v, Fraction)] for part in (left, right)]
    if len(finite[0]) == len(finite[1]) == 16 and isinstance(start, Fraction):
        return tensor_core(finite[0], finite[1], start)
    # Products of finite binary16 numbers are finite in float64, so only the classes of the special ones count.
    return sum((float(a) * float(b) for a, b in zip(left, right, strict=True)), float(start))


def _round(node: Node, value: Value) -> Value:
    if isinstance(value, float) or node.op == "const":
        return value
    attrs = node.attrs
    if node.op == "fconvert":
        target, rounding, flags = attrs[1], attrs[2], attrs[3:]
    elif node.op == "int_to_float":
        target, rounding, flags = attrs[2], attrs[3], ()
    else:
        target, rounding, flags = attrs[0], attrs[1], attrs[2:]
    exact_widening = node.op == "fconvert" and target == "f32" and rounding == ""
    if any(flags) or (rounding != "rn" and not exact_widening):
        raise Unsupported(f"no exact model of {label(node)}")
    form = _FORMATS[str(target)]
    return read(encode(value, form), form)


def _approximate(node: Node, value: Value, choose: Choice) -> Value:
    name, form, ftz = node.attrs
    if form != "f32":
        raise Unsupported(f"no exact model of {label(node)}")
    if isinstance(value, float):
        limits = {("ex2", math.inf): math.inf, ("ex2", -math.inf): 0, ("rcp", math.inf): 0, ("rcp", -math.inf): 0}
        limits |= {("rsqrt", math.inf): 0}
        if math.isnan(value):
            return value
        if (str(name), value) not in limits:
            raise Unsupported(f"no exact model of {label(node)} at {value}")
        limit = limits[str(name), value]
        return limit if isinstance(limit, float) else Fraction(limit)
    low, high = admissible(str(name), bool(ftz), value)
    return low if low == high else choose(node, low, high)
