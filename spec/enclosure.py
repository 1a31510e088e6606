"""Rational enclosures of exp, 2^x, log2, tanh, ln 2, square roots: pairs (low, high) of Fractions that hold the value.

Fixed-point arithmetic on integers with directed rounding; no floating point, no external library.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from spec.scalar import floor_log2, power_of_two

Enclosure = tuple[Fraction, Fraction]

BITS = 128
"""Default number of significant fraction bits kept."""


@lru_cache
def ln2(bits: int = BITS) -> Enclosure:
    """ln 2 = sum of 1 / (k 2^k); the terms left out after k add less than the last term taken."""
    scale = 1 << (bits + 16)
    total, terms = 0, bits + 16
    for k in range(1, terms + 1):
        total += scale // (k << k)
    # Each division rounds down by less than one unit, and the tail is below 2^-terms.
    return Fraction(total, scale), Fraction(total + terms + 1, scale)


def exp(x: Fraction, bits: int = BITS) -> Enclosure:
    """e^x for a rational x, to a relative width of about 2^-bits."""
    low_ln2, high_ln2 = ln2(bits)
    halvings = round(x / low_ln2)
    # x - k ln2 lies in [low, high], both within (-0.36, 0.36) as long as |x| is far below 2^bits.
    ends = (x - halvings * low_ln2, x - halvings * high_ln2)
    low, high = _exp_small(min(ends), bits)[0], _exp_small(max(ends), bits)[1]
    factor = power_of_two(halvings)
    return low * factor, high * factor


def exp2(x: Fraction, bits: int = BITS) -> Enclosure:
    """2^x for a rational x; exact where x is an integer."""
    whole = x.numerator // x.denominator
    rest = x - whole
    if rest == 0:
        return power_of_two(whole), power_of_two(whole)
    low_ln2, high_ln2 = ln2(bits)
    factor = power_of_two(whole)
    return exp(rest * low_ln2, bits)[0] * factor, exp(rest * high_ln2, bits)[1] * factor


def log2(x: Fraction, bits: int = BITS) -> Enclosure:
    """log2 x for a rational x > 0, to a relative width of about 2^-bits; exact for powers of two.

    log2 x = k + 2 atanh(s) / ln 2 with x = m 2^k, s = (m - 1) / (m + 1) and m in [2/3, 4/3], so that |s| <= 1/5.
    """
    whole = x.numerator.bit_length() - x.denominator.bit_length()
    while x / power_of_two(whole) < Fraction(2, 3):
        whole -= 1
    while x / power_of_two(whole) > Fraction(4, 3):
        whole += 1
    rest = x / power_of_two(whole)
    s = (rest - 1) / (rest + 1)
    if not s:
        return Fraction(whole), Fraction(whole)
    # Fixed point as fine as s is small, so that nothing is lost near 1. Every step rounds down by less than a unit.
    scale_bits = bits + 16 + max(0, s.denominator.bit_length() - s.numerator.bit_length())
    scale = 1 << scale_bits
    point = abs(s.numerator << scale_bits) // s.denominator
    square = point * point >> scale_bits
    power, total, k = point, 0, 1
    while power:
        total += power // k
        power = power * square >> scale_bits
        k += 2
    # point is low by < 1, each power by < 2 and each quotient by < 1 more; the terms left out add < 2.
    low, high = Fraction(2 * total, scale), Fraction(2 * (total + 3 * k + 4), scale)
    low_ln2, high_ln2 = ln2(bits)
    ends = (low / high_ln2, high / low_ln2)
    return (whole + ends[0], whole + ends[1]) if s > 0 else (whole - ends[1], whole - ends[0])


def tanh(x: Fraction, bits: int = BITS) -> Enclosure:
    """tanh x for a rational x, to a relative width of about 2^-(bits - 40); x - x^3/3 < tanh x < x above 0."""
    if x < 0:
        low, high = tanh(-x, bits)
        return -high, -low
    if x < power_of_two(-(bits // 2)):
        return x - x**3 / 3, x
    if x > bits:
        return 1 - power_of_two(-2 * bits), Fraction(1)
    low, high = exp(2 * x, 2 * bits)
    return (low - 1) / (low + 1), (high - 1) / (high + 1)


def sqrt(x: Fraction, bits: int = BITS) -> Enclosure:
    """The square root of a rational x >= 0, to `bits` bits."""
    shift = 2 * (bits + x.denominator.bit_length())
    root = isqrt((x.numerator << shift) // x.denominator)
    scale = 1 << (shift // 2)
    return Fraction(root, scale), Fraction(root + 1, scale)


def log(x: Fraction, bits: int = BITS) -> Enclosure:
    """ln x for a rational x > 0, to an absolute width of about 2^-bits times 1 + |log2 x|."""
    power = floor_log2(x)
    y = x / power_of_two(power)
    # ln y = 2 (z + z^3/3 + z^5/5 + ...), z = (y - 1)/(y + 1) from 0 to 1/3.
    scale = 1 << (bits + 16)
    point = int((y - 1) / (y + 1) * scale)
    square, term, total, k = point * point // scale, point, 0, 1
    while term:
        total += term // k
        term, k = term * square // scale, k + 2
    # z is off by < 1 unit, each of k/2 terms by < 4, the tail by < 1; all roundings are down.
    low, high = Fraction(2 * total, scale), Fraction(2 * total + 4 * k + 8, scale)
    parts = [power * end for end in ln2(bits)]
    return low + min(parts), high + max(parts)


@lru_cache
def pi(bits: int = BITS) -> Enclosure:
    """pi = 16 atan(1/5) - 4 atan(1/239)."""
    scale = 1 << (bits + 16)
    total, steps = 0, 0
    for factor, base in ((16, 5), (-4, 239)):
        power, k = scale // base, 0
        while power:
            total += factor * (-1) ** k * (power // (2 * k + 1))
            power, k = power // (base * base), k + 1
        steps += k
    # Each term is off by less than 2 units, times 16; the tails are below a unit.
    slack = 32 * steps + 32
    return Fraction(total - slack, scale), Fraction(total + slack, scale)


def cos_sin(x: Fraction, bits: int = BITS) -> tuple[Enclosure, Enclosure]:
    """Cosine and sine of a rational x, to an absolute width of about 2^-bits times 1 + |x|."""
    ends = [end / 2 for end in pi(bits)]
    quarters = round(x / ends[0])
    near, far = sorted(x - quarters * end for end in ends)
    point = (near + far) / 2  # within (-0.8, 0.8); both functions change by less than the argument does
    scale = 1 << (bits + 16)
    argument = int(point * scale)
    sums, term, k = [0, 0], scale, 0
    while term:
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term = int(Fraction(term * argument, scale * k))
    slack = (far - near) / 2 + Fraction(2 * k + 4, scale)  # a unit for the argument, less than 2 for each term
    cosine, sine = ((Fraction(total, scale) - slack, Fraction(total, scale) + slack) for total in sums)
    for _ in range(quarters % 4):
        cosine, sine = (-sine[1], -sine[0]), cosine
    return cosine, sine


def _exp_small(x: Fraction, bits: int) -> Enclosure:
    """e^x for |x| < 1/2 by its series in fixed point; every step loses less than one unit."""
    scale_bits = bits + 16
    scale = 1 << scale_bits
    point = (x.numerator << scale_bits) // x.denominator
    term, total, k = scale, scale, 0
    while abs(term) > 1:
        k += 1
        term = ((term * point) >> scale_bits) // k
        total += term
    # The argument is off by < 1 unit (times e^x < 2), each of k terms by < 4, the tail by < 4.
    slack = 4 * k + 8
    return Fraction(total - slack, scale), Fraction(total + slack, scale)
