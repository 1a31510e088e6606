"""Copy: y[i] = x[i], word for word, for elements of 16 or 32 bits of any meaning; payloads of NaN are kept."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from spec.errors import BadInput
from spec.operators.formats import Words
from spec.operators.model import Expected, KnownAnswer, Operator, exactly, raw
from spec.ptx.node import Node, input_element
from spec.scalar import F16, F32


def expression(values: Mapping[str, int], buffer: str, element: int) -> Node:
    """y[element] is x[element]; `values` holds n."""
    if buffer != "y" or not 0 <= element < values["n"]:
        raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
    return input_element("x", element)


def expected(inputs: Mapping[str, Words], floats: Mapping[str, float]) -> Expected:
    """The words of x."""
    del floats
    form = next((f for f in (F16, F32) if inputs["x"].dtype.itemsize * 8 == f.width), None)
    if form is None:
        raise BadInput(f"elements of 16 or 32 bits are copied, got {inputs['x'].dtype}")
    return exactly(inputs["x"], form, payloads=True)


def phi(values: Mapping[str, int]) -> Fraction:
    """No error."""
    del values
    return Fraction(0)


_WORDS = raw(0x0000, 0x8000, 0x0001, 0x3C00, 0x7BFF, 0xFC00, 0x7E00, 0x7D01, 0xFFFF)
OPERATOR = Operator(
    name="copy",
    sequence="none",
    expression=expression,
    expected=expected,
    phi=phi,
    approximations=(),
    assumptions=(),
    known_answers=(KnownAnswer("every kind of word", {"x": _WORDS}, _WORDS, bitwise=True),),
)
