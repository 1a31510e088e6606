"""Integer arithmetic, shifts and conversions over terms (PTX ISA 9.7.1, 9.7.8.8, 9.7.8.9, 9.7.9.3, 9.7.9.21)."""

from __future__ import annotations

from collections.abc import Callable

from proofs.division import PLAUSIBLE, flattened, reciprocal_of
from proofs.terms import Poly, conj, divide, ge, ite, le, lt, modulo, quotient, same, within
from proofs.values import Observation, Values, Word

MAX_AMOUNTS, MAX_MOVED = 33, 8  # amounts by which a constant, and any other number, is shifted one by one
MAX_COUNTED_BITS = 8


class Arithmetic(Values):
    """The integer operations of the domain Terms."""

    def const(self, width: int, value: int) -> Word:
        value %= 2**width
        negative = value >= 2 ** (width - 1) and width > 1
        return Word(width, Poly.constant(value - 2**width if negative else value))

    def add(self, width: int, a: Word, b: Word) -> Word:
        return self.word(width, self.term(a) + self.term(b))

    def sub(self, width: int, a: Word, b: Word) -> Word:
        return self.word(width, self.term(a) - self.term(b))

    def mul(self, width: int, a: Word, b: Word) -> Word:
        return self.word(width, self.term(a) * self.term(b))

    def mul_wide(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        return self.word(2 * width, self.number(a, signed, width) * self.number(b, signed, width))

    def mul_hi(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        return self.word(width, self._floor(self.number(a, signed) * self.number(b, signed), 2**width))

    # --- division ---
    def div(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        dividend, divisor = self.number(a, signed), self.number(b, signed, always=True)
        negative = within(divisor, None, -1)
        size = -divisor if negative else divisor
        if not self._positive(size):
            return self.unknown(width)
        found = self._toward_zero(dividend, lambda x: self._quotient(x, size))
        return self.word(width, -found if negative else found)

    def rem(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        dividend, divisor = self.number(a, signed), self.number(b, signed, always=True)
        size = -divisor if within(divisor, None, -1) else divisor
        if not self._positive(size):
            return self.unknown(width)
        return self.word(width, self._toward_zero(dividend, lambda x: self._remainder(x, size)))

    def _positive(self, divisor: Poly) -> bool:
        """Division by zero gives an unspecified value; by something of unknown sign it is not followed."""
        return self.holds(ge(divisor - 1))

    def _toward_zero(self, dividend: Poly, of: Callable[[Poly], Poly]) -> Poly:
        """A quotient or remainder: that of the magnitude, with the dividend's sign."""
        if self.holds(ge(dividend)):
            return of(dividend)
        return ite(ge(dividend), of(dividend), -of(-dividend))

    def _quotient(self, dividend: Poly, divisor: Poly) -> Poly:
        return quotient(dividend, divisor) if divisor.value is None else self._floor(dividend, divisor.value)

    def _remainder(self, dividend: Poly, divisor: Poly) -> Poly:
        if divisor.value is not None:
            return modulo(dividend, divisor.value)
        return dividend - quotient(dividend, divisor) * divisor

    def _floor(self, a: Poly, c: int) -> Poly:
        """floor(a / c); a product with a rounded reciprocal is a division where the range, proved here, shows it."""
        result = divide(a, c)
        if result.value is not None:
            return result
        for whole, divisor in flattened(a, c):
            found = reciprocal_of(whole, divisor)
            if found is None or found.limit < PLAUSIBLE:
                continue
            if self.holds(conj((ge(found.x), le(found.x, found.limit)))):
                return divide(found.x, found.d)
        return result

    def min(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        x, y = self.number(a, signed), self.number(b, signed)
        return self.word(width, ite(le(x, y), x, y))

    def max(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        x, y = self.number(a, signed), self.number(b, signed)
        return self.word(width, ite(le(y, x), x, y))

    # --- shifts ---
    def shl(self, width: int, a: Word, amount: Word) -> Word:
        count = self.number(amount, False)
        term = self.term(a)
        return self._by_amount(width, count, lambda n: Poly({}) if n >= width else term * 2**n)

    def shr(self, width: int, signed: bool, a: Word, amount: Word) -> Word:
        count = self.number(amount, False)
        if count.value is not None and count.value >= width - 1 and (signed or count.value == width - 1):
            return Word(width, self._sign(width, a) * (-1 if signed else 1))
        value = self.number(a, signed)
        if count.value is not None and count.value < width:
            return self.word(width, self._floor(value, 2**count.value))
        found = self._by_amount(
            width, count, lambda n: Poly({}) if n >= width and not signed else divide(value, 2 ** min(n, width))
        )
        low, high = value.interval
        if found.term is None and low is not None and low >= 0 and high is not None:
            return self.bounded(width, 0, high)
        return found

    def _by_amount(self, width: int, count: Poly, shifted: Callable[[int], Poly]) -> Word:
        """A shift by each amount that the interval of `count` allows; amounts from `width` on give one result."""
        if count.value is not None:
            return self.word(width, shifted(count.value))
        least, most = count.interval
        low = min(max(least or 0, 0), width)
        high = width if most is None else max(min(most, width), low)
        fixed = shifted(low).value is not None and shifted(high).value is not None
        if high - low >= (MAX_AMOUNTS if fixed else MAX_MOVED):
            return self.unknown(width)
        term = shifted(high)
        for n in range(high - 1, low - 1, -1):
            term = ite(same(count, n), shifted(n), term)
        return self.word(width, term)

    def _sign(self, width: int, a: Word) -> Poly:
        """The top bit. Any representative has it; that the number is in range, if it is, makes a simpler term."""
        term, half = self.term(a), 2 ** (width - 1)
        if within(term, 0, half - 1):
            return Poly({})
        if a.term is None:
            return divide(term, half)
        if self.idle:
            return modulo(divide(term, half), 2)
        if self.optimistic or self.facts.prove(conj((le(0, term), lt(term, half)))):
            if not self.optimistic:
                self.facts.observe(Observation(self.line, term, -half, half - 1, True))
            return Poly({})
        if self.holds(conj((le(-half, term), lt(term, half)))):
            return ite(lt(self.number(a, True), 0), Poly.constant(1), Poly({}))
        return modulo(divide(term, half), 2)

    # --- counts ---
    def popc(self, width: int, a: Word) -> Word:
        value = self.number(a, False)
        if value.value is not None:
            return self.const(32, value.value.bit_count())
        bits = self._bits(value)
        return self.bounded(32, 0, width) if bits is None else self.word(32, sum(bits, Poly({})))

    def clz(self, width: int, a: Word) -> Word:
        value = self.number(a, False)
        if value.value is not None:
            return self.const(32, width - value.value.bit_length())
        low, high = value.interval
        if high is None or high.bit_length() > MAX_COUNTED_BITS:
            return self.bounded(32, 0, width - max(low or 0, 0).bit_length())
        term = Poly.constant(width)
        for i in range(high.bit_length()):
            term = term - ite(le(2**i, value), Poly.constant(1), Poly({}))
        return self.word(32, term)

    def brev(self, width: int, a: Word) -> Word:
        value = self.number(a, False)
        if value.value is not None:
            return self.const(width, int(f"{value.value:0{width}b}"[::-1], 2))
        bits = self._bits(value)
        if bits is None:
            return self.unknown(width)
        return self.word(width, sum((b * 2 ** (width - 1 - i) for i, b in enumerate(bits)), Poly({})))

    def _bits(self, value: Poly) -> list[Poly] | None:
        """The bits of a small number >= 0, lowest first."""
        low, high = value.interval
        if low is None or low < 0 or high is None or high.bit_length() > MAX_COUNTED_BITS:
            return None
        return [modulo(divide(value, 2**i), 2) for i in range(high.bit_length())]

    # --- widths ---
    def extend(self, source: int, target: int, signed: bool, a: Word) -> Word:
        return Word(target, self.number(a, signed, source))

    def truncate(self, source: int, target: int, a: Word) -> Word:
        return Word(target, modulo(self.term(a), 2**target) if a.term is None else a.term)

    def concat(self, width: int, parts: tuple[Word, ...]) -> Word:
        if all(p.term is None for p in parts):
            return self.unknown(width * len(parts))
        term = Poly({})
        for i, part in enumerate(parts):
            term = term + self.number(part, False, width) * 2 ** (width * i)
        return self.word(width * len(parts), term)

    def split(self, width: int, count: int, a: Word) -> tuple[Word, ...]:
        """Bit fields, which any representative has."""
        if a.term is None:
            return tuple(self.unknown(width) for _ in range(count))
        term = a.term
        return tuple(Word(width, modulo(divide(term, 2 ** (width * i)), 2**width)) for i in range(count))
