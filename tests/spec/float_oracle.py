"""Floating-point arithmetic in plain rationals, written apart from the product's: the reference of the ISA tests.

A number is its bits, an exact value a Fraction, or one of the words 'inf', '-inf', 'nan'. Rounding searches the ordered
bit patterns for the neighbours of a value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

Value = Fraction | str

FRACTION = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
NAN = "nan"


def infinity(t: str) -> int:
    """The pattern of +Inf; also the number of finite non-negative patterns."""
    exponent = WIDTH[t] - 1 - FRACTION[t]
    return ((1 << exponent) - 1) << FRACTION[t]


@cache
def finite(t: str, pattern: int) -> Fraction:
    """Value of a non-negative finite pattern; that of infinity is the value one step beyond the greatest."""
    exponent, fraction = divmod(pattern, 1 << FRACTION[t])
    bias = (1 << (WIDTH[t] - 2 - FRACTION[t])) - 1
    if exponent == 0:
        return Fraction(fraction) * Fraction(2) ** (1 - bias - FRACTION[t])
    return Fraction((1 << FRACTION[t]) + fraction) * Fraction(2) ** (exponent - bias - FRACTION[t])


def sign(t: str, bits: int) -> int:
    return bits >> (WIDTH[t] - 1)


def decode(t: str, bits: int) -> Value:
    negative, size = sign(t, bits), bits % (1 << (WIDTH[t] - 1))
    if size > infinity(t):
        return NAN
    if size == infinity(t):
        return "-inf" if negative else "inf"
    return -finite(t, size) if negative else finite(t, size)


def is_nan(t: str, bits: int) -> bool:
    return decode(t, bits) == NAN


def flush(t: str, ftz: bool, bits: int) -> int:
    size = bits % (1 << (WIDTH[t] - 1))
    return bits - size if ftz and size < 1 << FRACTION[t] else bits


def below(t: str, holds: Callable[[Fraction], bool]) -> int:
    """The greatest pattern up to infinity whose value satisfies a property that holds from zero up to some value."""
    low, high = 0, infinity(t)
    while low < high:
        middle = (low + high + 1) // 2
        if holds(finite(t, middle)):
            low = middle
        else:
            high = middle - 1
    return low


def choose(t: str, mode: str, negative: bool, floor: int, exact: bool, half: int) -> int:
    """The pattern of a value between `floor` and the next; half is -1, 0, 1 for below, at, above the midpoint."""
    if floor == infinity(t):
        floor, exact, half = floor - 1, False, 1
    up = {
        "rz": False,
        "rm": negative and not exact,
        "rp": not negative and not exact,
    }.get(mode, half > 0 or (half == 0 and floor % 2 == 1))
    return floor + up + (negative << (WIDTH[t] - 1))


def encode(t: str, mode: str, value: Value, negative_zero: bool = False) -> int:
    """Round an exact value once."""
    if isinstance(value, str):
        special = {"nan": infinity(t) + 1, "inf": infinity(t), "-inf": infinity(t) + (1 << (WIDTH[t] - 1))}
        return special[value]
    if value == 0:
        return int(negative_zero) << (WIDTH[t] - 1)
    size = abs(value)
    floor = below(t, lambda candidate: candidate <= size)
    if floor == infinity(t):
        return choose(t, mode, value < 0, floor, False, 1)
    middle = (finite(t, floor) + finite(t, floor + 1)) / 2
    half = (size > middle) - (size < middle)
    return choose(t, mode, value < 0, floor, size == finite(t, floor), half)


def finish(t: str, ftz: bool, sat: bool, bits: int) -> int:
    """Result modifiers, after rounding."""
    bits = flush(t, ftz, bits)
    if not sat:
        return bits
    value = decode(t, bits)
    if value == "nan" or value == "-inf" or (isinstance(value, Fraction) and value <= 0):
        return 0
    return encode(t, "rn", Fraction(1)) if value == "inf" or (isinstance(value, Fraction) and value > 1) else bits


def rounded(t: str, mode: str, ftz: bool, sat: bool, value: Value, negative: bool) -> int:
    """An arithmetic result; `negative` is the sign of zero. `.ftz` flushes what is tiny after rounding: below the least
    normal number if there were normal numbers below it, as a GPU does."""
    least = finite(t, 1 << FRACTION[t])
    if ftz and isinstance(value, Fraction) and value and abs(value) < least:
        scale = Fraction(2) ** (FRACTION[t] + 2)
        normal = decode(t, encode(t, mode, value * scale))
        if isinstance(normal, Fraction) and abs(normal) < least * scale:
            value, negative = Fraction(0), value < 0
    return finish(t, False, sat, encode(t, mode, value, negative))


def infinite(value: Value) -> bool:
    return value in ("inf", "-inf")


def negated(value: Value) -> Value:
    if isinstance(value, Fraction):
        return -value
    return {"inf": "-inf", "-inf": "inf", "nan": "nan"}[value]


def product(a: Value, b: Value, negative: bool) -> Value:
    if NAN in (a, b):
        return NAN
    if infinite(a) or infinite(b):
        return NAN if Fraction(0) in (a, b) else "-inf" if negative else "inf"
    assert isinstance(a, Fraction)
    assert isinstance(b, Fraction)
    return a * b


def total(a: Value, b: Value) -> Value:
    if NAN in (a, b) or (infinite(a) and infinite(b) and a != b):
        return NAN
    if infinite(a) or infinite(b):
        return a if infinite(a) else b
    assert isinstance(a, Fraction)
    assert isinstance(b, Fraction)
    return a + b


def zero_sum(mode: str, negative_a: bool, negative_b: bool) -> bool:
    """Whether a sum that is exactly zero is -0: both operands negative, or opposite and rounding down."""
    return negative_a if negative_a == negative_b else mode == "rm"


def fma(t: str, mode: str, ftz: bool, sat: bool, a: int, b: int, c: int) -> int:
    a, b, c = (flush(t, ftz, v) for v in (a, b, c))
    negative = sign(t, a) != sign(t, b)
    first = product(decode(t, a), decode(t, b), negative)
    result = total(first, decode(t, c))
    return rounded(t, mode, ftz, sat, result, zero_sum(mode, negative, bool(sign(t, c))))


def add(t: str, mode: str, ftz: bool, sat: bool, a: int, b: int) -> int:
    a, b = flush(t, ftz, a), flush(t, ftz, b)
    result = total(decode(t, a), decode(t, b))
    return rounded(t, mode, ftz, sat, result, zero_sum(mode, bool(sign(t, a)), bool(sign(t, b))))


def mul(t: str, mode: str, ftz: bool, sat: bool, a: int, b: int) -> int:
    a, b = flush(t, ftz, a), flush(t, ftz, b)
    negative = sign(t, a) != sign(t, b)
    return rounded(t, mode, ftz, sat, product(decode(t, a), decode(t, b), negative), negative)


def div(t: str, mode: str, ftz: bool, a: int, b: int) -> int:
    a, b = flush(t, ftz, a), flush(t, ftz, b)
    negative = sign(t, a) != sign(t, b)
    x, y = decode(t, a), decode(t, b)
    if NAN in (x, y) or (infinite(x) and infinite(y)) or (x == 0 and y == 0):
        return encode(t, mode, NAN)
    if infinite(x) or y == 0:
        return encode(t, mode, "-inf" if negative else "inf")
    if infinite(y):
        return encode(t, mode, Fraction(0), negative)
    assert isinstance(x, Fraction)
    assert isinstance(y, Fraction)
    return rounded(t, mode, ftz, False, x / y, negative)


def sqrt(t: str, mode: str, ftz: bool, a: int) -> int:
    a = flush(t, ftz, a)
    x = decode(t, a)
    if x == 0:
        return a
    if isinstance(x, str):
        return encode(t, mode, "inf" if x == "inf" else NAN)
    if x < 0:
        return encode(t, mode, NAN)
    floor = below(t, lambda candidate: candidate * candidate <= x)
    middle = (finite(t, floor) + finite(t, floor + 1)) / 2
    half = (x > middle * middle) - (x < middle * middle)
    return choose(t, mode, False, floor, finite(t, floor) ** 2 == x, half)


def order(t: str, bits: int) -> int:
    """A key that orders all numbers, -0 before +0."""
    size = bits % (1 << (WIDTH[t] - 1))
    return -size - 1 if sign(t, bits) else size


def extremum(t: str, ftz: bool, propagate: bool, largest: bool, a: int, b: int) -> int:
    a, b = flush(t, ftz, a), flush(t, ftz, b)
    numbers = [v for v in (a, b) if not is_nan(t, v)]
    if len(numbers) < 2 and (propagate or not numbers):
        return encode(t, "rn", NAN)
    chosen = max if largest else min
    return chosen(numbers, key=lambda v: order(t, v))


def compare(t: str, ftz: bool, op: str, a: int, b: int) -> bool:
    a, b = flush(t, ftz, a), flush(t, ftz, b)
    nan = is_nan(t, a) or is_nan(t, b)
    if op in ("num", "nan"):
        return nan == (op == "nan")
    if nan:
        return op.endswith("u")
    # Equal zeros compare equal, whatever their sign.
    x, y = (0 if v % (1 << (WIDTH[t] - 1)) == 0 else order(t, v) * 2 + 1 for v in (a, b))
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[op[:2]]


def integral(mode: str, value: Fraction) -> int:
    """rni, rzi, rmi, rpi of an exact value."""
    floor = value.numerator // value.denominator
    rest = value - floor
    if mode == "rmi":
        return floor
    if mode == "rpi":
        return floor + (rest > 0)
    if mode == "rzi":
        return floor + (rest > 0 and value < 0)
    return floor + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and floor % 2 == 1))
