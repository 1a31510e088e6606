"""Constant expressions, folded as they are read.

Integers are 64 bits wide, signed unless marked `U` or too large; floats are doubles. Operand conversions follow the
table of PTX ISA 4.5.6. A `0f` literal keeps its 32 bits and takes part in no expression (PTX ISA 4.5.2).
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable
from typing import NamedTuple

from spec.ptx.ast import FloatImm
from spec.ptx.lexer import FLOAT, INTEGER, PUNCTUATION, Tokens

WARP_SIZE = 32  # the value of WARP_SZ, PTX ISA 4.5.5
DEEPEST = 64  # of nested parentheses, operators and braces; bounds the recursion
_MASK = (1 << 64) - 1


class Integer(NamedTuple):
    """A folded `.s64` or `.u64`."""

    value: int
    unsigned: bool = False


class Single(NamedTuple):
    """The 32 bits of a `0f` literal."""

    bits: int


Constant = Integer | float | Single

_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_COMPARE: dict[str, Callable[[int | float, int | float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_BITS: dict[str, Callable[[int, int], int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}


def starts_constant(tokens: Tokens) -> bool:
    """Whether a constant expression may begin at the next token."""
    if tokens.kind in (INTEGER, FLOAT):
        return True
    return tokens.text in ("-", "+", "~", "!", "(", "WARP_SZ")


def read_constant(tokens: Tokens) -> Constant:
    """A whole constant expression, with `?:`."""
    return _conditional(tokens, 0)


def read_integer(tokens: Tokens, what: str) -> int:
    """A constant expression that must be an integer."""
    start = tokens.at
    found = read_constant(tokens)
    if not isinstance(found, Integer):
        raise tokens.error(f"{what} must be an integer", start)
    return found.value


def read_count(tokens: Tokens, what: str, least: int) -> int:
    """A plain integer constant of at least `least`."""
    if tokens.kind != INTEGER:
        raise tokens.error(f"expected {what}, an integer, found {tokens.shown()}")
    start = tokens.at
    value = integer_literal(tokens)
    if value < least:
        raise tokens.error(f"{what} must be at least {least}, not {value}", start)
    return value


def read_offset(tokens: Tokens) -> int:
    """`+4`, `+-8`, `+4*2-1`, or nothing, as a signed 64-bit number. PTX has no `a-8`, which ptxas refuses as well."""
    if tokens.text == "-":
        raise tokens.error("an offset follows '+'; write a negative one as '+-8'")
    if not tokens.accept("+"):
        return 0
    offset = read_integer(tokens, "an address offset")
    return (offset + (1 << 63)) % (1 << 64) - (1 << 63)


def as_float(value: float | Single) -> FloatImm:
    """The syntax node of a folded float."""
    if isinstance(value, Single):
        return FloatImm(value.bits, 32)
    return FloatImm(int.from_bytes(struct.pack(">d", value), "big"), 64)


def integer_literal(tokens: Tokens) -> int:
    """The value of the INTEGER token at the reader, which it steps over."""
    word = tokens.text.removesuffix("U").lower()
    if word.startswith(("0x", "0b")):
        value = int(word[2:], 16 if word[1] == "x" else 2)
    elif word.startswith("0"):
        value = int(word, 8)
    else:
        value = int(word)
    if value > _MASK:
        raise tokens.error("integer constant does not fit in 64 bits")
    tokens.take()
    return value


def _wrap(value: int, unsigned: bool) -> Integer:
    value &= _MASK
    return Integer(value, True) if unsigned else Integer(value - (value >> 63 << 64))


def _deeper(tokens: Tokens, depth: int) -> int:
    if depth >= DEEPEST:
        raise tokens.error(f"constant expression is nested deeper than {DEEPEST}")
    return depth + 1


def _conditional(tokens: Tokens, depth: int) -> Constant:
    start = tokens.at
    condition = _binary(tokens, 1, depth)
    if tokens.text != "?":
        return condition
    depth = _deeper(tokens, depth)
    if not isinstance(condition, Integer):
        raise tokens.error("the condition of '?' must be an integer", start)
    question = tokens.at
    tokens.take()
    first = _conditional(tokens, depth)
    tokens.expect(":", "between the cases of '?'")
    second = _conditional(tokens, depth)
    if isinstance(first, Integer) and isinstance(second, Integer):
        chosen = first if condition.value else second
        return _wrap(chosen.value, first.unsigned or second.unsigned)
    if isinstance(first, float) and isinstance(second, float):
        return first if condition.value else second
    raise tokens.error("the cases of '?' must be both integers or both doubles", question)


def _binary(tokens: Tokens, level: int, depth: int) -> Constant:
    return _climb(tokens, _unary(tokens, depth), level, depth)


def _climb(tokens: Tokens, left: Constant, level: int, depth: int) -> Constant:
    """Precedence climbing; a chain of equal levels is a loop, so the depth grows with the levels only."""
    while (strength := _LEVELS.get(tokens.text, 0)) >= level:
        place = tokens.at
        symbol = tokens.take()
        right = _unary(tokens, depth)
        while (stronger := _LEVELS.get(tokens.text, 0)) > strength:
            right = _climb(tokens, right, stronger, depth)
        left = _apply(tokens, place, symbol, left, right)
    return left


def _apply(tokens: Tokens, place: int, symbol: str, left: Constant, right: Constant) -> Constant:
    if isinstance(left, float) and isinstance(right, float):
        return _apply_floats(tokens, place, symbol, left, right)
    if not (isinstance(left, Integer) and isinstance(right, Integer)):
        raise tokens.error(f"{symbol!r} needs two integers or two doubles (0f literals take part in none)", place)
    unsigned = left.unsigned or right.unsigned
    a, b = _wrap(left.value, unsigned).value, _wrap(right.value, unsigned).value
    if symbol in _COMPARE:
        return Integer(int(_COMPARE[symbol](a, b)))
    if symbol in _BITS:
        return _wrap(_BITS[symbol](a, b), True)
    if symbol == "&&" or symbol == "||":
        return Integer(int(bool(a and b) if symbol == "&&" else bool(a or b)))
    if symbol == "<<" or symbol == ">>":
        return _shift(symbol, left, right.value & _MASK)
    if symbol in "/%" and b == 0:
        raise tokens.error("division by zero in a constant expression", place)
    if symbol == "%":
        return _wrap((a & _MASK) % (b & _MASK), False)
    if symbol == "/":
        return _wrap(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), unsigned)
    return _wrap(a + b if symbol == "+" else a - b if symbol == "-" else a * b, unsigned)


def _shift(symbol: str, left: Integer, count: int) -> Integer:
    """Counts of 64 and more shift everything out; `>>` keeps the sign of a signed operand."""
    count = min(count, 64)
    return _wrap(left.value << count if symbol == "<<" else left.value >> count, left.unsigned)


def _apply_floats(tokens: Tokens, place: int, symbol: str, a: float, b: float) -> Constant:
    if symbol in _COMPARE:
        return Integer(int(_COMPARE[symbol](a, b)))
    if symbol == "/" and b == 0:
        raise tokens.error("division by zero in a constant expression", place)
    if symbol not in "+-*/":
        raise tokens.error(f"{symbol!r} needs integers", place)
    return a + b if symbol == "+" else a - b if symbol == "-" else a * b if symbol == "*" else a / b


def _unary(tokens: Tokens, depth: int) -> Constant:
    if tokens.kind == INTEGER:
        marked = tokens.text.endswith("U")
        value = integer_literal(tokens)
        return Integer(value, marked or value > _MASK >> 1)
    if tokens.kind == FLOAT:
        return _float_literal(tokens)
    if tokens.accept("WARP_SZ"):
        return Integer(WARP_SIZE)
    if tokens.kind != PUNCTUATION or tokens.text not in ("-", "+", "~", "!", "("):
        raise tokens.error(f"expected a constant, found {tokens.shown()}")
    depth = _deeper(tokens, depth)
    place = tokens.at
    symbol = tokens.take()
    if symbol == "(":
        return _parenthesised(tokens, depth)
    return _apply_unary(tokens, place, symbol, _unary(tokens, depth))


def _apply_unary(tokens: Tokens, place: int, symbol: str, operand: Constant) -> Constant:
    if isinstance(operand, float) and symbol in "+-":
        return -operand if symbol == "-" else operand
    if not isinstance(operand, Integer):
        raise tokens.error(f"{symbol!r} does not apply to this constant", place)
    if symbol == "!":
        return Integer(int(operand.value == 0))
    if symbol == "~":
        return _wrap(~operand.value, True)
    return _wrap(-operand.value if symbol == "-" else operand.value, operand.unsigned)


def _parenthesised(tokens: Tokens, depth: int) -> Constant:
    if tokens.text in (".s64", ".u64"):
        unsigned = tokens.take() == ".u64"
        tokens.expect(")", "after the type of a cast")
        start = tokens.at
        operand = _unary(tokens, depth)
        if not isinstance(operand, Integer):
            raise tokens.error("a cast needs an integer", start)
        return _wrap(operand.value, unsigned)
    inside = _conditional(tokens, depth)
    tokens.expect(")", "after a constant expression")
    return inside


def _float_literal(tokens: Tokens) -> float | Single:
    word = tokens.text
    if word[1:2] in ("f", "F"):
        tokens.take()
        return Single(int(word[2:], 16))
    if word[1:2] in ("d", "D"):
        tokens.take()
        return float(struct.unpack(">d", bytes.fromhex(word[2:]))[0])
    value = float(word)
    if value == float("inf"):
        raise tokens.error("floating constant is larger than any double")
    tokens.take()
    return value
