"""A tensor core in rationals, one dot product at a time, and the ways in which one may be another than thought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from spec.scalar import BF16, F16, F32, Format, Kind, Rounding, decode, encode, floor_log2, kind_of, power_of_two

FORMATS = {"f16": F16, "bf16": BF16, "tf32": F32, "f32": F32}
Cut = Callable[[Fraction], int]


def toward_zero(x: Fraction) -> int:
    return int(x)


def down(x: Fraction) -> int:
    return x.numerator // x.denominator


@dataclass(frozen=True)
class Oracle:
    """TC(kept, 16 / group), and its misbehaving kin.

    Args:
        group: products in a sum.
        cut: what becomes of the bits that are not kept.
        final: the rounding of sums.
        flush: subnormal factors and accumulators count as 0.
        normalised: exponents are those of the values, not of the factors.
        sequential: addends one after the other, each sum rounded by `final`; nothing is cut.
    """

    kept: int
    group: int
    cut: Cut = toward_zero
    final: Rounding = Rounding.ZERO
    flush: bool = False
    normalised: bool = False
    sequential: bool = False

    def dot(self, kind: str, c_kind: str, a: list[int], b: list[int], c: int) -> int | None:
        """Bits of the result for words; None where it is not finite."""
        form, c_form = FORMATS[kind], FORMATS[c_kind]
        if kind == "tf32":
            a, b = ([w & 0xFFFFE000 for w in words] for words in (a, b))
        if any(kind_of(w, form) is not Kind.FINITE for w in (*a, *b)) or kind_of(c, c_form) is not Kind.FINITE:
            return None
        total = self._value(c, c_form)
        factors = [(self._value(x, form), self._value(y, form)) for x, y in zip(a, b, strict=True)]
        rounding = self.final if c_form is F32 else Rounding.NEAREST
        size = 1 if self.sequential else self.group
        for first in range(0, len(factors), size):
            exact = self._sum(factors[first : first + size], total, form, c_form)
            if c_form is F32 and abs(exact) >= power_of_two(128):
                return None
            word = encode(exact, c_form, rounding)
            if kind_of(word, c_form) is not Kind.FINITE:
                return None
            total = decode(word, c_form)
        return word

    def _value(self, word: int, form: Format) -> Fraction:
        value = decode(word, form)
        return Fraction(0) if self.flush and abs(value) < power_of_two(form.least_normal) else value

    def _sum(
        self, factors: list[tuple[Fraction, Fraction]], c: Fraction, form: Format, c_form: Format
    ) -> Fraction:
        if self.sequential:
            return c + sum(x * y for x, y in factors)

        def exponent(x: Fraction, of: Format) -> int:
            return floor_log2(x) if self.normalised else max(floor_log2(x), of.least_normal)

        addends = [(exponent(x, form) + exponent(y, form), x * y) for x, y in factors if x * y]
        if self.normalised:
            addends = [(floor_log2(v), v) for _, v in addends]
        if c:
            addends.append((exponent(c, c_form), c))
        if not addends:
            return Fraction(0)
        unit = power_of_two(max(e for e, _ in addends) - self.kept)
        return unit * sum(self.cut(v / unit) for _, v in addends)
