"""Exact evaluation of ordered expressions: every rounding as IEEE 754 has it, approximations anywhere in their range.

This is the model that error bounds are fuzzed against. Signed zeros are not kept (results compare as equal zeros).
The caller chooses the model of the tensor core, since PTX leaves order and rounding of its sums open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from spec.approximations import Infinite, admissible
from spec.errors import Unsupported
from spec.ptx.node import Node, label, topological
from spec.scalar import F16, F32, Format, Kind, decode, encode, kind_of
from spec.tensor_core import ADA, TensorCore

Value = Fraction | Infinite
"""A number, Inf or NaN."""
Word = int
"""A word of bits whose meaning its user gives: an integer, or parts of numbers."""
Choice = Callable[[Node, Value, Value], Value]
"""(node, least, greatest admissible result) -> the result that the device is taken to give."""
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
    inputs: Mapping[tuple[str, int], Value | Word],
    params: Mapping[str, Value],
    choose: Choice = lowest,
    tensor_core: TensorCore = ADA,
) -> list[Value]:
    """The values of the roots.

    Args:
        inputs: values of the input elements, by (buffer, element); of integer elements the words.
        params: values of the float parameters.
        choose: what each approximation returns.
        tensor_core: the model of mma.

    Raises:
        Unsupported: for an operation outside this model.
    """
    words: dict[Node, Word] = {}
    values: dict[Node, Value] = {}
    for node in topological(roots):
        found = _word_of(node, inputs, words)
        if found is not None:
            words[node] = found
            continue
        args = [values[a] if a in values else _number(a, words[a]) for a in node.args if node.op != "int_to_float"]
        if node.op == "input":
            given = inputs[str(node.attrs[0]), int(node.attrs[1])]
            assert not isinstance(given, int)
            values[node] = given
        elif node.op == "param":
            values[node] = params[str(node.attrs[0])]
        elif node.op == "approximate":
            values[node] = _approximate(node, args[0], choose)
        elif node.op == "mma":
            values[node] = _matrix_product(node, args, tensor_core)
        elif node.op == "int_to_float" and node.args[0] in words:
            values[node] = _round(node, _integer(node, words[node.args[0]]))
        else:
            values[node] = _round(node, _operate(node, args))
    return [values[r] if r in values else _number(r, words[r]) for r in roots]


def _word_of(node: Node, inputs: Mapping[tuple[str, int], Value | Word], words: Mapping[Node, Word]) -> Word | None:
    """The bits of a node that is known as bits: constants, integer elements, and what is put together of such."""
    if node.op == "const":
        return int(node.attrs[1])
    if node.op == "input":
        given = inputs[str(node.attrs[0]), int(node.attrs[1])]
        return given if isinstance(given, int) else None
    if node.op != "bits":
        return None
    if any(a not in words for a in node.args):
        raise Unsupported(f"no exact model of {label(node)}, which cuts up a number")
    total, at = 0, 0
    for part, argument in zip(node.attrs, node.args, strict=True):
        offset, width = (int(n) for n in str(part).split("+"))
        total |= (words[argument] >> offset & ((1 << width) - 1)) << at
        at += width
    return total


def _number(node: Node, word: Word) -> Value:
    """What a word stands for where a number is wanted: binary16 or binary32, as its width says."""
    width = int(node.attrs[0]) if node.op == "const" else sum(int(str(a).split("+")[1]) for a in node.attrs)
    form = next((f for f in _FORMATS.values() if f.width == width and node.op != "input"), None)
    if form is None:
        raise Unsupported(f"{label(node)} is no word of a floating format")
    return read(word, form)


def _integer(node: Node, word: Word) -> Fraction:
    width, signed = int(node.attrs[0]), bool(node.attrs[1])
    return Fraction(word - (1 << width) if signed and word >> (width - 1) else word)


def _operate(node: Node, args: list[Value]) -> Value:
    """The result before rounding. Floats among the arguments make it float arithmetic, right for Inf and NaN."""
    if any(isinstance(a, float) for a in args):
        args = [float(a) for a in args]
    if node.op == "fadd":
        return args[0] + args[1]
    if node.op == "fsub":
        return args[0] - args[1]
    if node.op == "fneg" and not node.attrs[1]:
        return -args[0]
    if node.op == "fmul":
        return args[0] * args[1]
    if node.op == "ffma":
        return args[0] * args[1] + args[2]
    if node.op == "fdiv" and args[1]:
        return args[0] / args[1]
    if node.op == "fconvert":
        return args[0]
    raise Unsupported(f"no exact model of {label(node)}")


def _matrix_product(node: Node, args: list[Value], tensor_core: TensorCore) -> Value:
    """One element of an mma, its factors in order of k."""
    kind, c_kind = str(node.attrs[0]), str(node.attrs[1])
    if kind not in _FORMATS or c_kind not in _FORMATS:
        raise Unsupported(f"no exact model of {label(node)}")
    form, c_form = _FORMATS[kind], _FORMATS[c_kind]
    factors = np.array([_word(v, form) for v in args[:-1]], np.uint16)
    start = np.array(_word(args[-1], c_form), f"u{c_form.width // 8}")
    found = tensor_core.dot(kind, c_kind, factors[0::2], factors[1::2], start)
    return read(int(found), c_form)


def _word(value: Value, form: Format) -> int:
    """The word of a value that the format has."""
    if isinstance(value, Fraction):
        return encode(value, form)
    if math.isnan(value):
        return form.infinity + 1
    return form.infinity | (0 if value > 0 else form.sign)


def _round(node: Node, value: Value) -> Value:
    if isinstance(value, float) or node.op == "fneg":
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
        limits |= {("rsqrt", math.inf): 0, ("sqrt", math.inf): math.inf, ("lg2", math.inf): math.inf}
        limits |= {("tanh", math.inf): 1, ("tanh", -math.inf): -1}
        if math.isnan(value):
            return value
        if (str(name), value) not in limits:
            raise Unsupported(f"no exact model of {label(node)} at {value}")
        limit = limits[str(name), value]
        return limit if isinstance(limit, float) else Fraction(limit)
    low, high = admissible(str(name), bool(ftz), value)
    return low if low == high else choose(node, low, high)
