"""Lemmas that several operators use: how relative errors grow through sums, products and roots.

u is the unit roundoff, g_n = n u / (1 - n u), written without division as g (1 - n u) = n u.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.numerics.lemma import (
    Lemma,
    Term,
    at_most,
    below,
    both,
    either,
    equal,
    given,
    lemma,
    minus,
    one_plus,
    plus,
    times,
    within,
)
from spec.approximations import TABLE
from spec.scalar import U32


def is_gamma(g: Term, n: Term, u: Term = "u") -> Term:
    """g = g_n, for n u < 1."""
    return equal(times(g, minus(1, times(n, u))), times(n, u))


def gamma_step() -> Lemma:
    """L1."""
    claim = one_plus("gm")
    return lemma(
        "gamma-step",
        "One more rounding: (1 + g_n)(1 + u) <= 1 + g_{n+1}. With the base case g_0 = 0 the factor of n roundings,\n"
        "(1 + u)^n, is at most 1 + g_n. Induction over n: docs/numerics.md, sums.",
        "u n gn gm",
        (
            given("unit roundoff", at_most(0, "u")),
            given("number of roundings so far", at_most(0, "n")),
            given("g_{n+1} is defined", below(times(plus("n", 1), "u"), 1)),
            given("gn is g_n", is_gamma("gn", "n")),
            given("gm is g_{n+1}", is_gamma("gm", plus("n", 1))),
        ),
        at_most(times(one_plus("gn"), one_plus("u")), claim),
        at_most(times(one_plus("gn"), one_plus("u")), one_plus("gn")),
    )


def gamma_monotone() -> Lemma:
    """Fewer roundings have the smaller bound."""
    return lemma(
        "gamma-monotone",
        "g_j <= g_k for j <= k: a shallower branch of the sum obeys the bound of the deepest one.",
        "u j k gj gk",
        (
            given("unit roundoff", at_most(0, "u")),
            given("a branch with fewer roundings", both(at_most(0, "j"), at_most("j", "k"))),
            given("g_k is defined", below(times("k", "u"), 1)),
            given("gj is g_j", is_gamma("gj", "j")),
            given("gk is g_k", is_gamma("gk", "k")),
        ),
        at_most("gj", "gk"),
        at_most(times(Fraction(101, 100), "gj"), "gk"),
    )


def lower_step() -> Lemma:
    """L1'."""
    after = minus(1, times(plus("n", 1), "u"))
    return lemma(
        "lower-step",
        "Downward: (1 - n u)(1 - u) >= 1 - (n + 1) u, so (1 - u)^n >= 1 - n u >= 1 - g_n.",
        "u n",
        (
            given("unit roundoff", both(at_most(0, "u"), at_most("u", 1))),
            given("number of roundings so far", at_most(0, "n")),
            given("the bound is not trivial", at_most(times("n", "u"), 1)),
        ),
        at_most(after, times(minus(1, times("n", "u")), minus(1, "u"))),
        at_most(plus(after, "u"), times(minus(1, times("n", "u")), minus(1, "u"))),
    )


def parts_step() -> Lemma:
    """The exact sum of two computed terms."""
    total = plus("a", "b")
    return lemma(
        "parts-step",
        "Two computed sums A, B of non-negative terms with exact sums a, b, both within relative g: so is A + B\n"
        "before it is rounded. An exact term (the product of an fma, eps) is the case B = b.",
        "g a b A B",
        (
            given("a bound", at_most(0, "g")),
            given("sums of non-negative terms", both(at_most(0, "a"), at_most(0, "b"))),
            given("induction hypothesis", within(minus("A", "a"), times("g", "a"))),
            given("induction hypothesis", within(minus("B", "b"), times("g", "b"))),
        ),
        within(minus(plus("A", "B"), total), times("g", total)),
        within(minus(plus("A", "B"), total), times(Fraction(99, 100), "g", total)),
    )


def rounding_step() -> Lemma:
    """One rounding of a value that already has an error."""
    growth = minus(times(one_plus("g"), one_plus("u")), 1)
    return lemma(
        "rounding-step",
        "A value T within relative g of t >= 0, rounded with relative error d: within (1 + g)(1 + u) - 1 of t.\n"
        "With gamma-step this is g_{n+1} after g_n.",
        "u g t T d",
        (
            given("unit roundoff", both(at_most(0, "u"), at_most("u", 1))),
            given("bound so far", at_most(0, "g")),
            given("exact value", at_most(0, "t")),
            given("computed value", within(minus("T", "t"), times("g", "t"))),
            given("rounding to nearest, normal range", within("d", "u")),
        ),
        within(minus(times("T", one_plus("d")), "t"), times(growth, "t")),
        within(minus(times("T", one_plus("d")), "t"), times("g", "t")),
    )


def factor_step() -> Lemma:
    """L2 for factors."""
    growth = minus(times(one_plus("a"), one_plus("b")), 1)
    return lemma(
        "factor-step",
        "Factors: |p - 1| <= a and |d| <= b give |p (1 + d) - 1| <= (1 + a)(1 + b) - 1.",
        "a b p d",
        (
            given("bounds", both(at_most(0, "a"), at_most(0, "b"))),
            given("factor so far", within(minus("p", 1), "a")),
            given("next factor", within("d", "b")),
        ),
        within(minus(times("p", one_plus("d")), 1), growth),
        within(minus(times("p", one_plus("d")), 1), plus("a", "b")),
    )


def root() -> Lemma:
    """L7."""
    half = times(Fraction(1, 2), "g")
    bound = times(half, one_plus("g"))
    return lemma(
        "inverse-root",
        "v = V (1 + t), |t| <= g <= 1/4: q = sqrt(V / v) satisfies |q - 1| <= (g / 2)(1 + g).",
        "g t q",
        (
            given("bound of the argument's relative error", both(at_most(0, "g"), at_most("g", Fraction(1, 4)))),
            given("relative error of the argument", within("t", "g")),
            given(
                "q is the positive root of 1 / (1 + t)", both(below(0, "q"), equal(times(one_plus("t"), "q", "q"), 1))
            ),
        ),
        within(minus("q", 1), bound),
        within(minus("q", 1), half),
    )


def units(name: str) -> Lemma:
    """The documented units in the last place as the relative constant that proofs use."""
    entry = TABLE[name]

    def off_by(base: Term) -> Term:
        return within(minus("y", "m"), times(entry.units * 2 * U32, base))

    return lemma(
        f"{name}-units",
        f"{name}.approx returns y within {entry.units} ulp of the correctly rounded m (PTX ISA 9.7.3), so |y - v| is\n"
        f"at most {entry.relative / (2 * U32)} * 2^-23 v; v lies in the binade from b on, m there or at its end.",
        "b v m y",
        (
            given("binade of the exact value", both(below(0, "b"), at_most("b", "v"), below("v", times(2, "b")))),
            given("correct rounding", within(minus("m", "v"), times(U32, "b"))),
            given(
                "ulp of m",
                either(
                    both(at_most("b", "m"), below("m", times(2, "b")), off_by("b")),
                    both(equal("m", times(2, "b")), off_by(times(2, "b"))),
                ),
            ),
        ),
        within(minus("y", "v"), times(entry.relative, "v")),
        within(minus("y", "v"), times(entry.relative * Fraction(99, 100), "v")),
    )
