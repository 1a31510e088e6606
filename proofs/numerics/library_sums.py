"""Sums of any length and shape: the base cases of the growth factors, and signed terms added in any order.

In a sum of signed terms the error is measured against the sum of magnitudes. Where every term is non-negative, both are
the lemmas of `shared`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.numerics.lemma import (
    Hypothesis,
    Lemma,
    at_most,
    below,
    both,
    equal,
    given,
    lemma,
    magnitude,
    minus,
    number,
    one_plus,
    plus,
    times,
    within,
)
from proofs.numerics.shared import is_gamma

NEARLY = Fraction(99, 100)
UNIT = given("unit roundoff", both(at_most(0, "u"), below("u", 1)))


def lemmas() -> list[Lemma]:
    """Bases and steps, in the order in which docs/numerics.md puts them together."""
    return [
        _gamma_base(),
        _gamma_power_step(),
        _lower_base(),
        _lower_power_step(),
        _gamma_product(),
        _theta_product(),
        _sum_base(),
        _sum_parts_step(),
        _sum_rounding_step(),
        _rounding_inverse(),
    ]


def _gamma_base() -> Lemma:
    return lemma(
        "gamma-base",
        "No rounding: g_0 = 0 and the factor (1 + u)^0 = 1 is at most 1 + g_0.",
        "u g",
        (UNIT, given("g is g_0", is_gamma("g", number(0)))),
        both(equal("g", 0), at_most(1, one_plus("g"))),
        at_most(one_plus("u"), one_plus("g")),
    )


def _gamma_power_step() -> Lemma:
    return lemma(
        "gamma-power-step",
        "P stands for (1 + u)^n: with P <= 1 + g_n the next power P (1 + u) is at most 1 + g_{n+1}.",
        "u n P gn gm",
        (
            UNIT,
            given("number of roundings so far", at_most(0, "n")),
            given("g_{n+1} is defined", below(times(plus("n", 1), "u"), 1)),
            given("gn is g_n", is_gamma("gn", "n")),
            given("gm is g_{n+1}", is_gamma("gm", plus("n", 1))),
            given("induction hypothesis", both(at_most(0, "P"), at_most("P", one_plus("gn")))),
        ),
        at_most(times("P", one_plus("u")), one_plus("gm")),
        at_most(times("P", one_plus("u")), one_plus("gn")),
    )


def _lower_base() -> Lemma:
    return lemma(
        "lower-base",
        "No rounding, downward: Q = (1 - u)^0 = 1 is at least 1 - 0 u.",
        "u Q",
        (UNIT, given("Q is the power of no roundings", equal("Q", 1))),
        at_most(minus(1, times(0, "u")), "Q"),
        at_most("Q", minus(1, "u")),
    )


def _lower_power_step() -> Lemma:
    after = minus(1, times(plus("n", 1), "u"))
    return lemma(
        "lower-power-step",
        "Q stands for (1 - u)^n: with 1 >= Q >= 1 - n u the next power Q (1 - u) is at least 1 - (n + 1) u.",
        "u n Q",
        (
            UNIT,
            given("number of roundings so far", at_most(0, "n")),
            given("induction hypothesis", both(at_most(minus(1, times("n", "u")), "Q"), at_most("Q", 1))),
        ),
        both(at_most(after, times("Q", minus(1, "u"))), at_most(times("Q", minus(1, "u")), 1)),
        at_most(plus(after, "u"), times("Q", minus(1, "u"))),
    )


def _two_gammas() -> tuple[Hypothesis, ...]:
    return (
        UNIT,
        given("numbers of roundings", both(at_most(0, "j"), at_most(0, "k"))),
        given("g_{j+k} is defined", below(times(plus("j", "k"), "u"), 1)),
        given("gj is g_j", is_gamma("gj", "j")),
        given("gk is g_k", is_gamma("gk", "k")),
        given("gn is g_{j+k}", is_gamma("gn", plus("j", "k"))),
    )


def _gamma_product() -> Lemma:
    """L2."""
    total = plus("gj", "gk", times("gj", "gk"))
    return lemma(
        "gamma-product",
        "Roundings one after the other add up: (1 + g_j)(1 + g_k) <= 1 + g_{j+k}.",
        "u j k gj gk gn",
        _two_gammas(),
        at_most(total, "gn"),
        at_most(total, times(NEARLY, "gn")),
    )


def _theta_product() -> Lemma:
    """L2 for two relative errors."""
    error = minus(times(one_plus("s"), one_plus("t")), 1)
    return lemma(
        "theta-product",
        "|s| <= g_j and |t| <= g_k give |(1 + s)(1 + t) - 1| <= a for any a of at least g_j + g_k + g_j g_k, which by\n"
        "gamma-product g_{j+k} is.",
        "s t gj gk a",
        (
            given("relative errors", both(within("s", "gj"), within("t", "gk"))),
            given("gamma-product", at_most(plus("gj", "gk", times("gj", "gk")), "a")),
        ),
        within(error, "a"),
        within(error, plus("gj", "gk")),
    )


def _sum_base() -> Lemma:
    return lemma(
        "sum-base",
        "A term that is exact: the computed X is x, so its error is at most g |x| for g = g_0 and every larger g.",
        "g x X",
        (given("a bound", at_most(0, "g")), given("no rounding", equal("X", "x"))),
        within(minus("X", "x"), times("g", magnitude("x"))),
        below(magnitude(minus("X", "x")), times("g", magnitude("x"))),
    )


def _sum_parts_step() -> Lemma:
    error, total = minus(plus("A", "B"), plus("a", "b")), plus("p", "q")
    return lemma(
        "sum-parts-step",
        "Two computed sums A, B of signed terms: exact a, b, sums of magnitudes p, q. If each is within g of its sum\n"
        "of magnitudes, so is A + B before it is rounded. An exact term (the product of an fma) is the case B = b.",
        "g a b p q A B",
        (
            given("a bound", at_most(0, "g")),
            given("sums of magnitudes", both(within("a", "p"), within("b", "q"))),
            given("induction hypothesis", within(minus("A", "a"), times("g", "p"))),
            given("induction hypothesis", within(minus("B", "b"), times("g", "q"))),
        ),
        both(within(error, times("g", total)), within(plus("a", "b"), total)),
        within(error, times(NEARLY, "g", total)),
    )


def _sum_rounding_step() -> Lemma:
    error = minus(times("T", one_plus("d")), "t")
    growth = minus(times(one_plus("g"), one_plus("u")), 1)
    return lemma(
        "sum-rounding-step",
        "A value T within g p of t, |t| <= p, rounded with relative error d: within ((1 + g)(1 + u) - 1) p of t. With\n"
        "gamma-step this is g_{n+1} after g_n; with u = 2^-23 and g = (1 + u)^n - 1 it is one addition of a tensor\n"
        "core of which nothing but the literal text of PTX is assumed.",
        "u g t p T d",
        (
            UNIT,
            given("bound so far", at_most(0, "g")),
            given("sum of magnitudes", within("t", "p")),
            given("computed value", within(minus("T", "t"), times("g", "p"))),
            given("one rounding", within("d", "u")),
        ),
        within(error, times(growth, "p")),
        within(error, times("g", "p")),
    )


def _rounding_inverse() -> Lemma:
    """L8."""
    return lemma(
        "rounding-inverse",
        "A rounding error measured by the result: |f - x| <= u |x| gives (1 - u) |f - x| <= u |f|.",
        "u x f",
        (UNIT, given("one rounding", within(minus("f", "x"), times("u", magnitude("x"))))),
        within(times(minus("f", "x"), minus(1, "u")), times("u", magnitude("f"))),
        within(minus("f", "x"), times("u", magnitude("f"))),
    )
