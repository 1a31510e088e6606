"""Inputs that tell tensor cores apart: probes with known results, special values, groups of products, random vectors.

A probe is one dot product of 16 in m16n8k16 with a binary32 accumulator; products that it does not name are 0 * 0. Laid
out with all rows of A equal, all columns of B and all elements of C, every element of D must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.scalar import F16, F32, Kind, encode
from spec.tensor_core import KAPPA, PRODUCTS, weight

Array = npt.NDArray[Any]
Vector = tuple[Array, Array, Array]
"""Words of a (.., 16), b (.., 16) and c (..)."""


@dataclass(frozen=True)
class Probe:
    """A dot product whose result says something about the tensor core.

    Args:
        products: factors by k.
        c: the accumulator.
        expected: the result by model.
        allowed: the results of a device that TC(24, 2), with products 0..7 and 8..15 in a group or all in one, admits;
            None where the result decides nothing that the bound of theorem 2.1 does not.
        shows: what the result tells.
    """

    name: str
    products: dict[int, tuple[Fraction, Fraction]]
    c: Fraction
    expected: dict[str, Fraction]
    allowed: frozenset[Fraction] | None
    shows: str

    def words(self) -> Vector:
        """The inputs as words."""
        a, b = np.zeros(PRODUCTS, np.uint16), np.zeros(PRODUCTS, np.uint16)
        for k, (x, y) in self.products.items():
            a[k], b[k] = encode(x, F16), encode(y, F16)
        return a, b, np.array(encode(self.c, F32), np.uint32)

    @property
    def exact(self) -> Fraction:
        """The sum over the reals."""
        return self.c + sum((x * y for x, y in self.products.values()), Fraction(0))

    def admits(self, result: Fraction) -> bool:
        """Whether a device for which TC(24, 2) holds may give this: in `allowed`, and within the bound."""
        a, b = zip(*self.products.values(), strict=True) if self.products else ((), ())
        within = abs(result - self.exact) <= KAPPA * weight(a, b, self.c)
        return within and (self.allowed is None or result in self.allowed)


def _p(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


_ONE, _BIG = Fraction(1), Fraction(2047, 1024)
_HALVES = Fraction(3, 2)


def _probe(
    name: str, products: dict[int, tuple[Fraction | int, Fraction | int]], c: Fraction | int, ada: Fraction | int,
    hopper: Fraction | int, allowed: tuple[Fraction | int, ...] | None, shows: str,
) -> Probe:  # fmt: skip
    factors = {k: (Fraction(x), Fraction(y)) for k, (x, y) in products.items()}
    expected = {"ada": Fraction(ada), "hopper": Fraction(hopper)}
    admitted = None if allowed is None else frozenset(map(Fraction, allowed))
    return Probe(name, factors, Fraction(c), expected, admitted, shows)


_ROUND = 1 + _p(-23)
_CARRY = PRODUCTS * _BIG**2

PROBES: tuple[Probe, ...] = (
    _probe("P1", {0: (1, 1), 1: (_p(-12), _p(-12)), 2: (-1, 1)}, 0, _p(-24), _p(-24), (_p(-24),),
           "24 bits below the largest addend survive: F >= 24"),
    _probe("P2", {0: (1, 1), 1: (_p(-12), _p(-13)), 2: (-1, 1)}, 0, 0, _p(-25), None, "F >= 25"),
    _probe("P3", {0: (1, 1), 1: (_p(-13), _p(-13)), 2: (-1, 1)}, 0, 0, 0, None, "F >= 26"),
    _probe("P4", {0: (1, 1), 1: (_p(-12), _p(-12)), 8: (-1, 1)}, 0, 0, _p(-24), None,
           "whether products 0 and 8 are in one group"),
    _probe("P4b", {0: (1, 1), 1: (_p(-12), _p(-12)), 4: (-1, 1)}, 0, _p(-24), _p(-24), (_p(-24),),
           "products 0 and 4 are in one group"),
    _probe("P5+", {0: (1, 1), 1: (_p(-11), _p(-12)), 2: (_p(-12), _p(-12))}, 0, _ROUND, _ROUND, (_ROUND,),
           "the sum is rounded toward zero"),
    _probe("P5-", {0: (-1, 1), 1: (-_p(-11), _p(-12)), 2: (-_p(-12), _p(-12))}, 0, -_ROUND, -_ROUND, (-_ROUND,),
           "a negative sum is rounded toward zero"),
    _probe("P6", {0: (1, 1), 1: (-_p(-13), _p(-14)), 2: (-1, 1)}, 0, 0, 0, (0, -_p(-27)),
           "addends are cut toward zero, not down"),
    _probe("P7", {0: (_p(-24), 1)}, 0, _p(-24), _p(-24), (_p(-24),), "subnormal factors count"),
    _probe("P7b", {0: (_p(-24), _p(-24))}, 0, _p(-48), _p(-48), (_p(-48),), "products of subnormal factors count"),
    _probe("P7c", {}, _p(-149), _p(-149), _p(-149), (_p(-149),), "a subnormal accumulator passes"),
    _probe("P8", {0: (_p(-24), _p(15)), 1: (_p(-13), _p(-13)), 2: (-_p(-9), 1)}, 0, 0, 0, None,
           "0 where the exponent of a subnormal factor is the least one, 2^-26 where factors are normalised"),
    _probe("P9", {0: (_HALVES, _HALVES), 1: (_p(-12), _p(-12)), 2: (-_HALVES, _HALVES)}, 0, _p(-24), _p(-24), None,
           "2^-24 where exponents of products are sums of those of their factors"),
    _probe("P9b", {0: (_HALVES, _HALVES), 1: (_p(-12), _p(-13)), 2: (-_HALVES, _HALVES)}, 0, 0, _p(-25), None,
           "the same with 25 bits"),
    _probe("P10", {0: (_p(-12), _p(-12)), 1: (-1, 1)}, 1, _p(-24), _p(-24), None,
           "the accumulator is one of the addends"),
    _probe("P11", {k: (_BIG, _BIG) for k in range(PRODUCTS)}, 0, _CARRY, _CARRY, None, "no carry is lost"),
    _probe("P12", {k: (1, 1) for k in range(PRODUCTS)}, _p(24), _p(24) + 16, _p(24) + 16, None,
           "2^24 and 16 ones: with F = 23 the ones vanish"),
    _probe("P13", {k: (1, 1) for k in range(PRODUCTS)}, _p(25), _p(25), _p(25) + 16, None, "the same with F = 24"),
    _probe("P14", {k: (1, 1) for k in range(PRODUCTS)}, _p(26), _p(26), _p(26), None, "the same with F = 25"),
    _probe("P14b", {k: (1, 1) for k in range(PRODUCTS)}, _p(29), _p(29), _p(29), None, "the same far beyond"),
)  # fmt: skip


@dataclass(frozen=True)
class Special:
    """A dot product with a factor, an accumulator or a sum that is not finite, or that stays finite; as words."""

    name: str
    products: dict[int, tuple[int, int]]
    c: int
    expected: Kind

    def words(self) -> Vector:
        """The inputs as words."""
        a, b = np.zeros(PRODUCTS, np.uint16), np.zeros(PRODUCTS, np.uint16)
        for k, (x, y) in self.products.items():
            a[k], b[k] = x, y
        return a, b, np.array(self.c, np.uint32)


_ONE16, _INF, _MINUS_INF, _NAN, _MOST = 0x3C00, 0x7C00, 0xFC00, 0x7E00, 0x7BFF
_INF32, _NAN32, _ONE32 = 0x7F800000, 0x7FC00000, 0x3F800000
_THREE_E38 = 0x7F61B1E6

SPECIALS: tuple[Special, ...] = (
    Special("Inf * 0", {3: (_INF, 0)}, _ONE32, Kind.NAN),
    Special("0 * -Inf", {12: (0, _MINUS_INF)}, 0, Kind.NAN),
    Special("Inf * 1", {5: (_INF, _ONE16)}, _ONE32, Kind.PLUS_INF),
    Special("1 * -Inf", {15: (_ONE16, _MINUS_INF)}, _ONE32, Kind.MINUS_INF),
    Special("-Inf * -Inf", {0: (_MINUS_INF, _MINUS_INF)}, 0, Kind.PLUS_INF),
    Special("Inf - Inf in a group", {0: (_INF, _ONE16), 1: (_MINUS_INF, _ONE16)}, 0, Kind.NAN),
    Special("Inf - Inf across groups", {0: (_INF, _ONE16), 8: (_MINUS_INF, _ONE16)}, 0, Kind.NAN),
    Special("Inf - Inf of the accumulator", {9: (_MINUS_INF, _ONE16)}, _INF32, Kind.NAN),
    Special("NaN * 0", {7: (_NAN, 0)}, 0, Kind.NAN),
    Special("1 * NaN", {8: (_ONE16, _NAN)}, _ONE32, Kind.NAN),
    Special("NaN accumulator", {}, _NAN32, Kind.NAN),
    Special("Inf accumulator", {0: (_MOST, _MOST)}, _INF32, Kind.PLUS_INF),
    Special("largest products", {k: (_MOST, _MOST) for k in range(PRODUCTS)}, 0, Kind.FINITE),
    Special("largest products and 3e38", {k: (_MOST, _MOST) for k in range(PRODUCTS)}, _THREE_E38, Kind.FINITE),
)


# --- which products are in one group ----------------------------------------------------------------------------------


def pairs() -> tuple[Array, Vector]:
    """1 at i, -1 at j and 2^-24 at l, all different, in every order: rows (i, j, l), and the vectors."""
    rows = np.array(list(permutations(range(PRODUCTS), 3)))
    a, b = (np.zeros((len(rows), PRODUCTS), np.uint16) for _ in range(2))
    each = np.arange(len(rows))
    for column, x, y in ((0, Fraction(1), _ONE), (1, -_ONE, _ONE), (2, _p(-12), _p(-12))):
        a[each, rows[:, column]], b[each, rows[:, column]] = encode(x, F16), encode(y, F16)
    return rows, (a, b, np.zeros(len(rows), np.uint32))


def groups(dot: Callable[[Array, Array, Array], Array]) -> tuple[tuple[int, ...], ...]:
    """The groups of products of a device whose dot products are given, of 24 bits and in order of k.

    i and j are in one group where 2^-24 is left for every l, whichever of them is 1: beside 1 in an earlier group it is
    lost, beside -1 it is not, since there is a binary32 number for -1 + 2^-24. Groups that share a product say that the
    device is no TC(F, g).
    """
    rows, vectors = pairs()
    left = dot(*vectors) == encode(_p(-24), F32)
    together = np.ones((PRODUCTS, PRODUCTS), bool)
    np.logical_and.at(together, (rows[:, 0], rows[:, 1]), left)
    together &= together.T
    return tuple(sorted({tuple(np.flatnonzero(row).tolist()) for row in together}))


# --- random vectors ---------------------------------------------------------------------------------------------------


def adversarial(rng: np.random.Generator, count: int) -> Vector:
    """Vectors of finite words that are hard on a bound: each has a manner of its own for exponents, signs and c.

    Exponents over the whole range, near each other, or at the ends; subnormal factors; a large product over many that
    are just cut off; pairs that cancel, alone or with the accumulator.
    """
    manner = rng.integers(0, 6, count)[:, None]
    a, b = (_factors(rng, count, manner) for _ in range(2))
    _swamp(rng, a, b, manner[:, 0] == 5)
    cancel = rng.random(count) < 0.3
    order = rng.permutation(PRODUCTS)
    half = PRODUCTS // 2
    first, second = order[:half], order[half:]
    rows = np.flatnonzero(cancel)[:, None]
    a[rows, second], b[rows, second] = a[rows, first] ^ 0x8000, b[rows, first]
    a[rng.random(a.shape) < 0.05 * rng.random((count, 1))] = 0
    return a, b, _accumulators(rng, a, b)


def _factors(rng: np.random.Generator, count: int, manner: Array) -> Array:
    shape = (count, PRODUCTS)
    field = np.select(
        [manner == 0, manner == 1, manner == 2, manner == 3],
        [
            rng.integers(0, 31, shape),  # 0 is the exponent of subnormals
            rng.integers(12, 19, shape),
            rng.choice(np.array([0, 0, 1, 2, 14, 15, 29, 30]), shape),
            np.where(rng.random(shape) < 0.5, 0, 30),
        ],
        np.broadcast_to(rng.integers(0, 31, (count, 1)), shape),
    )
    fraction = np.where(rng.random(shape) < 0.2, 0x3FF, rng.integers(0, 1024, shape))
    return np.asarray(field << 10 | fraction | rng.integers(0, 2, shape) << 15).astype(np.uint16)


def _swamp(rng: np.random.Generator, a: Array, b: Array, chosen: Array) -> None:
    """One product is a power of two, the others are positive and at most what 23 to 25 bits below it do not keep."""
    rows = np.flatnonzero(chosen)
    big = rng.integers(0, PRODUCTS, len(rows))
    base = rng.integers(0, 16, len(rows))
    kept = rng.choice(np.array([23, 24, 25]), len(rows))
    fraction = rng.choice(np.array([0x3FF, 0x3FE, 0x200]), len(rows))
    # A product of two significands just below 2 is just below 4 times the power of two of its exponents.
    low = 2 * base - kept - 2
    one = low // 2
    a[rows] = ((one + 15) << 10 | fraction)[:, None]
    b[rows] = ((low - one + 15) << 10 | fraction)[:, None]
    a[rows, big] = b[rows, big] = (base + 15) << 10


def _accumulators(rng: np.random.Generator, a: Array, b: Array) -> Array:
    """0, near minus the sum, of the size of one product, of any exponent up to 2^64, or subnormal."""
    count = len(a)
    with np.errstate(over="ignore", under="ignore"):
        x, y = a.view(np.float16).astype(np.float64), b.view(np.float16).astype(np.float64)
        opposite = -(x * y).sum(axis=-1) * (1 + rng.choice(np.array([0.0, 2.0**-20, -(2.0**-23)]), count))
        size = x[:, 3] * y[:, 7] * (1 + rng.random(count))
        any_exponent = np.ldexp(1 + rng.random(count), rng.integers(-126, 64, count)) * rng.choice([-1.0, 1.0], count)
        tiny = np.ldexp(rng.integers(0, 2**23, count).astype(np.float64), -149)
        how = rng.integers(0, 5, count)
        choices = [np.zeros(count), opposite, size, any_exponent]
        value = np.select([how == i for i in range(len(choices))], choices, tiny)
        return np.asarray(value.astype(np.float32).view(np.uint32))
