"""Quotients and remainders by constants, in a form that is the same for equal numbers as often as possible.

Both are taken apart at the digits of their divisor, `(8*a + b) mod 32` is `8*(a mod 4) + b` where b is a digit, so
that masks, shifts and the arithmetic that undoes them meet in one form. A multiplication by a rounded reciprocal
followed by a division by a power of two is the division it stands for, where the range of the dividend shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd

from proofs.polynomials import Atom, Monomial, Poly, plain_sum, within
from proofs.symbols import Symbol

MAX_FACTOR = 16
PLAUSIBLE = 1000  # what is a reciprocal only below this limit was not meant as one


class _Digit(Atom):
    """A quotient or a remainder of `a` by a constant c > 0."""

    __slots__ = ("_other", "a", "c")
    digit = True

    def __init__(self, a: Poly, c: int) -> None:
        self.a, self.c = a, c
        self._other: Poly | None = None

    def symbols(self) -> frozenset[Symbol]:
        return self.a.symbols()

    def parts(self) -> tuple[Poly, ...]:
        return (self.a,)


class DivAtom(_Digit):
    """floor(a / c)."""

    __slots__ = ()

    def __init__(self, a: Poly, c: int) -> None:
        super().__init__(a, c)
        low, high = a.interval
        self.text = f"(div {a.text} {c})"
        self.interval = (None if low is None else low // c, None if high is None else high // c)

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return divide(self.a.substitute(mapping), self.c)

    def value(self, values: Mapping[str, int]) -> int:
        return self.a.evaluate(values) // self.c

    def settle(self, terms: Mapping[Monomial, int], rest: Monomial, coefficient: int) -> Poly | None:
        """x and -(x div c) leave one quotient and one remainder."""
        ratio = _ratio(self.a, terms, rest)
        if ratio * coefficient >= 0:
            return None
        # As many x as it takes, so that the order of additions makes no difference.
        taken = min(abs(ratio), -(-abs(coefficient) // self.c)) * (1 if ratio > 0 else -1)
        remainder = modulo(self.a, self.c)
        return _times(plain_sum((Poly.of(self), self.c), (remainder, 1), (self.a, -1)), rest, taken)

    def divided(self, c: int) -> Poly | None:
        return divide(self.a, self.c * c)


class ModAtom(_Digit):
    """a - c * floor(a / c)."""

    __slots__ = ()

    def __init__(self, a: Poly, c: int) -> None:
        super().__init__(a, c)
        self.text, self.interval = f"(mod {a.text} {c})", (0, c - 1)

    @property
    def quotient(self) -> Poly:
        """floor(a / c)."""
        if self._other is None:
            self._other = divide(self.a, self.c)
        return self._other

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return modulo(self.a.substitute(mapping), self.c)

    def value(self, values: Mapping[str, int]) -> int:
        return self.a.evaluate(values) % self.c

    def settle(self, terms: Mapping[Monomial, int], rest: Monomial, coefficient: int) -> Poly | None:
        """The digit joined with the next higher one, or x - x mod c as a quotient."""
        me = Poly.of(self)
        above = {m: c for m, c in self.quotient.terms.items() if any(a.digit for a in m)}
        if above:
            weight = coefficient * self.c
            if all(terms.get(_joined(m, rest)) == weight * c for m, c in above.items()):
                return _times(plain_sum((self.a, 1), (self.quotient, -self.c), (me, -1)), rest, coefficient)
            for monomial, other in terms.items():
                if other != weight or len(monomial) != len(rest) + 1:
                    continue
                for atom in monomial:
                    if (
                        isinstance(atom, ModAtom)
                        and _joined((atom,), rest) == monomial
                        and all(atom.a.terms.get(m) == c for m, c in above.items())
                    ):
                        whole = modulo((atom.a - self.quotient) * self.c + self.a, self.c * atom.c)
                        return _times(plain_sum((whole, 1), (Poly.of(atom), -self.c), (me, -1)), rest, coefficient)
        ratio = _ratio(self.a, terms, rest)
        if ratio * coefficient < 0:
            taken = min(abs(ratio), abs(coefficient)) * (1 if ratio > 0 else -1)
            return _times(plain_sum((self.quotient, self.c), (me, 1), (self.a, -1)), rest, taken)
        return self._below_another(terms, rest, coefficient)

    def _below_another(self, terms: Mapping[Monomial, int], rest: Monomial, coefficient: int) -> Poly | None:
        """x mod 32 and -(x mod 8) leave the digits between."""
        for monomial, other in terms.items():
            if other * coefficient >= 0 or len(monomial) != len(rest) + 1:
                continue
            for atom in monomial:
                if (
                    isinstance(atom, ModAtom) and atom.c > self.c and atom.c % self.c == 0
                    and _joined((atom,), rest) == monomial and modulo(atom.a, self.c) == Poly.of(self)
                ):
                    between = modulo(divide(atom.a, self.c), atom.c // self.c)
                    zero = plain_sum((between, self.c), (Poly.of(self), 1), (Poly.of(atom), -1))
                    return _times(zero, rest, other)
        return None

    def divided(self, c: int) -> Poly | None:
        return modulo(divide(self.a, c), self.c // c) if self.c % c == 0 else None


def _joined(a: Monomial, b: Monomial) -> Monomial:
    return tuple(sorted(a + b, key=lambda atom: atom.text)) if b else a


def _times(zero: Poly, rest: Monomial, coefficient: int) -> Poly | None:
    return Poly({_joined(m, rest): c * coefficient for m, c in zero.terms.items()}) if zero.terms else None


def _ratio(a: Poly, terms: Mapping[Monomial, int], rest: Monomial) -> int:
    """How often the whole of `a`, times `rest`, stands in the sum; 0 if not all of it does, or not equally often."""
    ratio = 0
    for monomial, coefficient in a.terms.items():
        have = terms.get(_joined(monomial, rest), 0)
        if not have or have % coefficient or (ratio and have // coefficient != ratio):
            return 0
        ratio = have // coefficient
    return ratio


def _parts(a: Poly, c: int) -> tuple[Poly, Poly]:
    """a = c*quotient + rest with small coefficients in rest."""
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    whole = Poly({})
    for monomial, coefficient in a.terms.items():
        if len(monomial) == 1 and coefficient % c:
            g = c // gcd(coefficient, c)
            part = monomial[0].over(g)
            if part is not None:
                whole = whole + part * (coefficient * g // c)
                continue
        q = coefficient // c if not monomial or coefficient > 0 else -(-coefficient // c)
        quotient[monomial] = q
        rest[monomial] = coefficient - q * c
    return Poly(quotient) + whole, Poly(rest)


def _constant_quotient(rest: Poly, c: int) -> int | None:
    """floor(rest / c) where the interval shows it."""
    low, high = rest.interval
    return low // c if low is not None and high is not None and low // c == high // c else None


def _positive(rest: Poly, c: int) -> tuple[Poly, Poly]:
    """rest = c*quotient + another, whose coefficients are not negative."""
    quotient = {m: k // c for m, k in rest.terms.items() if k < 0}
    return Poly(quotient), Poly({m: k % c for m, k in rest.terms.items()})


def _cut(rest: Poly, c: int) -> tuple[int, Poly, Poly] | None:
    """(g, A, B) with rest = g*A + B, B a digit (0 <= B < g) and g a divisor of c; the largest g."""
    weights = {gcd(k, c) for m, k in rest.terms.items() if m} - {1}
    for g in sorted(weights, reverse=True):
        above = {m: k // g for m, k in rest.terms.items() if k % g == 0 and m}
        below = {m: k for m, k in rest.terms.items() if k % g and m}
        constant = rest.terms.get((), 0)
        digit = Poly({**below, (): constant % g})
        if within(digit, 0, g - 1):
            return g, Poly({**above, (): constant // g}), digit
    return None


def divide(a: Poly, c: int) -> Poly:
    """floor(a / c), c > 0."""
    if c == 1:
        return a
    plain = reciprocal(a, c)
    if plain is not None:
        return plain
    quotient, rest = _parts(a, c)
    known = _constant_quotient(rest, c)
    if known is not None:
        return quotient + known
    more, other = _positive(rest, c)
    known = _constant_quotient(other, c)
    if known is not None:
        return quotient + more + known
    cut = _cut(rest, c)
    if cut is not None:
        return quotient + divide(cut[1], c // cut[0])
    return quotient + (_divided(rest, c) or Poly.of(DivAtom(rest, c)))


def _divided(rest: Poly, c: int) -> Poly | None:
    """floor(rest / c) of a quotient plus something, or of another atom that knows its quotient."""
    atom = rest.atom
    if atom is not None:
        return atom.divided(c)
    for whole, divisor in flattened(rest, c):
        if divisor == c:
            continue
        plain = reciprocal(whole, divisor)
        if plain is not None:
            return plain
        if len(rest.terms) == 2 and () in rest.terms:
            return divide(whole, divisor)
    return None


@dataclass(frozen=True)
class Reciprocal:
    """floor(a / c) is floor(x / d) for 0 <= x <= limit."""

    x: Poly
    d: int
    limit: int


def reciprocal_of(a: Poly, c: int) -> Reciprocal | None:
    """a = m*x, where m is a rounded up reciprocal of d: m*d = c + e with 0 < e < m.

    With x = d*q + r: a / c = q + r/d + e*x/(c*d), and that is below q + 1 for every r <= d - 1 if e*x < c.
    """
    common = gcd(*a.terms.values())
    best: Reciprocal | None = None
    for factor in range(1, MAX_FACTOR + 1):
        # x may itself be a multiple, as the counter of an unrolled loop is.
        m = common // factor
        if common % factor or m < 2 or c % m == 0:
            continue
        d = -(-c // m)
        limit = (c - 1) // (m * d - c)
        if d >= 2 and (factor == 1 or limit >= PLAUSIBLE) and (best is None or limit > best.limit * MAX_FACTOR):
            best = Reciprocal(Poly({monomial: k // m for monomial, k in a.terms.items()}), d, limit)
    return best


def reciprocal(a: Poly, c: int) -> Poly | None:
    """floor(a / c), if a is a product with a rounded reciprocal and its interval shows that this makes a division."""
    found = reciprocal_of(a, c)
    return divide(found.x, found.d) if found is not None and within(found.x, 0, found.limit) else None


def flattened(a: Poly, c: int) -> Iterator[tuple[Poly, int]]:
    """Dividends and divisors whose quotient is floor(a / c): a itself, and (b + d*r) / (c*d) where a is b div d + r."""
    yield a, c
    for monomial, k in a.terms.items():
        if k == 1 and len(monomial) == 1 and isinstance(inner := monomial[0], DivAtom):
            yield inner.a + (a - Poly.of(inner)) * inner.c, inner.c * c


def modulo(a: Poly, c: int) -> Poly:
    """a mod c, in [0, c), c > 0."""
    if c == 1:
        return Poly({})
    _, rest = _parts(a, c)
    known = _constant_quotient(rest, c)
    if known is not None:
        return rest - known * c
    _, other = _positive(rest, c)
    known = _constant_quotient(other, c)
    if known is not None:
        return other - known * c
    cut = _cut(rest, c)
    if cut is not None:
        return modulo(cut[1], c // cut[0]) * cut[0] + cut[2]
    for monomial, k in rest.terms.items():
        if len(monomial) == 1 and isinstance(monomial[0], ModAtom) and k * monomial[0].c % c == 0:
            return modulo(plain_sum((rest, 1), (monomial[0].a, k), (Poly.of(monomial[0]), -k)), c)
    atom = rest.atom
    reduced = atom.reduced(c) if atom is not None else None
    return reduced or Poly.of(ModAtom(rest, c))


class QuotientAtom(Atom):
    """floor(a / b) for a symbolic b > 0. Equal dividends and divisors have one quotient, of whatever thread."""

    __slots__ = ("a", "b")

    def __init__(self, a: Poly, b: Poly) -> None:
        self.a, self.b, self.text = a, b, f"(div {a.text} {b.text})"
        (low, high), least = a.interval, max(b.interval[0] or 1, 1)
        self.interval = (
            None if low is None else 0 if low >= 0 else low // least,
            None if high is None else high // least if high >= 0 else -1,
        )

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        return quotient(self.a.substitute(mapping), self.b.substitute(mapping))

    def symbols(self) -> frozenset[Symbol]:
        return self.a.symbols() | self.b.symbols()

    def parts(self) -> tuple[Poly, ...]:
        return self.a, self.b

    def value(self, values: Mapping[str, int]) -> int:
        a, b = self.a.evaluate(values), self.b.evaluate(values)
        return 0 if b == 0 else a // b if b > 0 else -(a // -b)

    @property
    def lemma(self) -> str:
        """What defines it, in the products that a linear reasoner compares: b*q <= a < b*q + b."""
        product = self.b * Poly.of(self)
        least, most = f"(<= {product.text} {self.a.text})", f"(< {(self.a - product).text} {self.b.text})"
        return f"(=> (<= 1 {self.b.text}) (and {least} {most}))"


def quotient(a: Poly, b: Poly) -> Poly:
    """floor(a / b), for b known to be positive."""
    if b.value is not None and b.value > 0:
        return divide(a, b.value)
    whole, rest = _multiples(a, b)
    least = b.interval[0]
    if least is not None and least > 0 and within(rest, 0, least - 1):
        return whole
    return whole + Poly.of(QuotientAtom(rest, b))


def _multiples(a: Poly, b: Poly) -> tuple[Poly, Poly]:
    """a = b*whole + rest; whole from the monomials that hold the one of b."""
    if len(b.terms) != 1:
        return Poly({}), a
    ((factor, scale),) = b.terms.items()
    whole: dict[Monomial, int] = {}
    for monomial, coefficient in a.terms.items():
        left = list(monomial)
        for atom in factor:
            if atom not in left:
                break
            left.remove(atom)
        else:
            if coefficient % scale == 0:
                whole[tuple(left)] = coefficient // scale
    multiple = Poly(whole)
    return multiple, a - multiple * b
