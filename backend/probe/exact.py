"""One result of an approximate instruction, judged exactly: its class, its error, and whether the ISA allows it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from spec.approximations import SMALLEST_NORMAL, TABLE, admissible
from spec.enclosure import Enclosure, exp2, log2, sqrt, tanh
from spec.errors import BadInput
from spec.scalar import F32, Kind, decode, kind_of, rn32, ulp

KINDS = ("NaN", "-Inf", "-normal", "-subnormal", "-0", "+0", "+subnormal", "+normal", "+Inf")
"""Classes of a binary32 word, in the order in which the kernels of sweep.cu count them."""

_BEYOND_EX2 = 1000
"""From this magnitude of the argument on 2^x overflows or vanishes in every format here."""


@dataclass(frozen=True)
class Judged:
    """A result against the exact value: error in units in the last place of the rounded value, relative, of the limit.

    The numbers are upper ends of enclosures that are narrower than 2^-60 of the value; None where argument, value or
    result is zero or not finite, and only the class counts, the relative error also where the value is subnormal.
    """

    allowed: bool
    units: Fraction | None = None
    relative: Fraction | None = None
    of_limit: Fraction | None = None


def kind_name(word: int) -> str:
    """The class of a binary32 word, one of KINDS."""
    kind = kind_of(word, F32)
    if kind is Kind.NAN:
        return "NaN"
    sign = "-" if word & F32.sign else "+"
    if kind is not Kind.FINITE:
        return f"{sign}Inf"
    value = abs(decode(word, F32))
    return sign + ("0" if not value else "subnormal" if value < SMALLEST_NORMAL else "normal")


def flushed(word: int, ftz: bool) -> int:
    """The argument as an instruction with .ftz takes it."""
    return word & F32.sign if ftz and kind_name(word)[1:] == "subnormal" else word


def value(name: str, x: Fraction) -> Enclosure | None:
    """An enclosure of the exact result of a finite argument other than 0; None where there is no real result.

    Raises:
        BadInput: for an instruction that is not among those of spec.approximations.
    """
    if name not in TABLE:
        raise BadInput(f"no exact value of {name}; there are {', '.join(TABLE)}")
    if name == "rcp":
        return 1 / x, 1 / x
    if name == "tanh":
        return tanh(x)
    if name == "ex2":
        return exp2(x)
    if x < 0:
        return None
    return log2(x) if name == "lg2" else sqrt(x) if name == "sqrt" else sqrt(1 / x)


def judge(name: str, ftz: bool, argument: int, result: int) -> Judged:
    """Whether `result` may come out of `argument` (words), and its error.

    Raises:
        BadInput: where the enclosure is too wide to tell, which no argument of 24 bits has shown.
    """
    word, got = flushed(argument, ftz), kind_name(result)
    given = kind_name(word)
    if given == "NaN" or given[1:] in ("0", "Inf"):
        if name == "ex2" and given[1:] == "0":
            return Judged(result == 0x3F800000)  # documented: exactly 1
        if name == "tanh" and given[1:] == "Inf":
            return Judged(result == (word & F32.sign | 0x3F800000))
        return Judged(got == _special(name, given))
    x = decode(word, F32)
    if name == "ex2" and abs(x) > _BEYOND_EX2:
        return Judged(got == ("+Inf" if x > 0 else "+0"))
    ends = value(name, x)
    if ends is None:
        return Judged(got == "NaN")
    if got == "NaN":
        return Judged(False)
    negative = ends[0] < 0
    if negative != (got[0] == "-") and any(ends):
        # A result of the other sign is allowed only where the limit is absolute and reaches beyond 0.
        return _by_limit(name, x, ends, decode(result, F32)) if "Inf" not in got else Judged(False)
    units = TABLE[name].units
    if got[1:] == "Inf":
        return Judged(bool(units) and _inside(name, ftz, x, float("-inf") if negative else float("inf")))
    y = decode(result, F32)
    measured = _by_limit(name, x, ends, y)
    if not units:
        return measured
    return Judged(_inside(name, ftz, x, y), measured.units, measured.relative, measured.of_limit)


def _special(name: str, given: str) -> str:
    """The class of the result of a zero, an infinity or a NaN (NUMERICS: PTX ISA 9.7.3, tables of each instruction)."""
    table = {
        "ex2": {"-Inf": "+0", "+Inf": "+Inf"},
        "rcp": {"-Inf": "-0", "-0": "-Inf", "+0": "+Inf", "+Inf": "+0"},
        "rsqrt": {"-Inf": "NaN", "-0": "-Inf", "+0": "+Inf", "+Inf": "+0"},
        "lg2": {"-Inf": "NaN", "-0": "-Inf", "+0": "-Inf", "+Inf": "+Inf"},
        "sqrt": {"-Inf": "NaN", "-0": "-0", "+0": "+0", "+Inf": "+Inf"},
        "tanh": {"-0": "-0", "+0": "+0"},
    }[name]
    return "NaN" if given == "NaN" else table[given]


def _inside(name: str, ftz: bool, x: Fraction, y: Fraction | float) -> bool:
    low, high = admissible(name, ftz, x)
    return low <= y <= high


def _by_limit(name: str, x: Fraction, ends: Enclosure, y: Fraction) -> Judged:
    """By the documented relative or absolute error; for those documented in units, the numbers alone count."""
    entry = TABLE[name]
    low, high = ends
    most = max(abs(y - low), abs(y - high))
    if not low or not high:
        return Judged(not most, Fraction(0), Fraction(0), Fraction(0))
    least = Fraction(0) if low <= y <= high else min(abs(y - low), abs(y - high))
    size = min(abs(low), abs(high))
    unit = ulp(rn32(min(size, F32.largest)), F32)
    near_one = bool(entry.near_one) and Fraction(1, 2) < x < 2
    limit = entry.near_one if near_one else entry.relative * size
    if entry.units:
        limit = (entry.units + Fraction(1, 2)) * unit
    elif least <= limit < most:
        raise BadInput(f"{name} at {float(x)!r}: the result is too near the limit to tell")
    normal = rn32(min(size, F32.largest)) >= SMALLEST_NORMAL
    return Judged(most <= limit, most / unit, most / size if normal else None, most / limit)
