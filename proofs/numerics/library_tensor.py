"""One mma.sync under the named assumption TC(F, g): truncated addends, exact sum, result toward zero (NUMERICS 2.2).

A group adds n products to the accumulator. Each addend is cut to a multiple of U = 2^(Emax - F), where 2^Emax is the
largest power among the addends: it changes by at most U and never grows. The sum is exact, its conversion changes it by
at most r = 2^-23 of itself and never increases it. g groups follow each other; f stands for 2^-F.
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
    one_plus,
    plus,
    times,
    within,
)
from proofs.numerics.library_sums import NEARLY
from spec.scalar import power_of_two
from spec.tensor_core import ADA, HOPPER, KAPPA, PRODUCTS

ULP = power_of_two(-23)
LITERAL = Fraction(160_001, 10_000) * ULP
MODELS = tuple((core.kept, PRODUCTS // core.products("f16")) for core in (ADA, HOPPER))
"""(F, g) of Ampere and Ada, and of Hopper: both keep the bound with KAPPA."""


def lemmas() -> list[Lemma]:
    """One group from its addends, one instruction from its groups, the constants."""
    return [
        _clipped(),
        _unit(),
        _group_base(),
        _addend_step(),
        _kept_step(),
        _group_end(),
        _groups_base(),
        _groups_step(),
        _constant(),
        _literal_constant(),
    ]


def _clipped() -> Lemma:
    return lemma(
        "mma-clipped-power",
        "The exponents of operands are clipped to that of the least normal number, so are their magnitudes in the\n"
        "bound: 2^e(a) <= cl(a) and 2^e(b) <= cl(b) give 2^(e(a) + e(b)) <= cl(a) cl(b), which also is at least |a b|.",
        "p q a b c d",
        (
            given("powers of two", both(below(0, "p"), below(0, "q"))),
            given("clipped magnitudes c, d of a, b", both(at_most("p", "c"), at_most("q", "d"))),
            given("clipping only increases", both(within("a", "c"), within("b", "d"))),
        ),
        both(at_most(times("p", "q"), times("c", "d")), within(times("a", "b"), times("c", "d"))),
        at_most(times("p", "q"), magnitude(times("a", "b"))),
    )


def _unit() -> Lemma:
    return lemma(
        "mma-unit",
        "2^Emax is at most the clipped magnitude of some addend, hence at most Y, their sum with |c|: U <= f Y.",
        "B z rest Y f U",
        (
            given("f = 2^-F", below(0, "f")),
            given("the addend with the largest exponent", both(below(0, "B"), at_most("B", "z"))),
            given("the other addends", at_most(0, "rest")),
            given("Y is the sum over all", equal("Y", plus("z", "rest"))),
            given("U = 2^(Emax - F)", equal("U", times("f", "B"))),
        ),
        at_most("U", times("f", "Y")),
        at_most("U", times(NEARLY, "f", "Y")),
    )


def _group_base() -> Lemma:
    return lemma(
        "mma-group-base",
        "No addend yet: the truncated sum K and the exact sum S are 0, m = 0 addends changed, M = 0.",
        "K S U M m",
        (
            given("the unit", below(0, "U")),
            given("empty sums", both(equal("K", 0), equal("S", 0), equal("M", 0))),
            given("none changed", equal("m", 0)),
        ),
        both(within(minus("K", "S"), times("m", "U")), within("K", "M")),
        at_most("U", times("m", "U")),
    )


def _sums() -> tuple[Hypothesis, ...]:
    return (
        given("the unit", below(0, "U")),
        given("addends changed so far", at_most(0, "m")),
        given("induction hypothesis, error", within(minus("K", "S"), times("m", "U"))),
        given("induction hypothesis, magnitude", within("K", "M")),
    )


def _addend_step() -> Lemma:
    error = minus(plus("K", "k"), plus("S", "x"))
    return lemma(
        "mma-addend-step",
        "One more addend x, cut to k: it changes by at most U and does not grow. m + 1 addends changed.",
        "K S U M m x k",
        (*_sums(), given("cut", within(minus("k", "x"), "U")), given("never larger", within("k", magnitude("x")))),
        both(within(error, times(plus("m", 1), "U")), within(plus("K", "k"), plus("M", magnitude("x")))),
        within(error, times("m", "U")),
    )


def _kept_step() -> Lemma:
    error = minus(plus("K", "x"), plus("S", "x"))
    return lemma(
        "mma-kept-step",
        "An addend that is a multiple of U stays as it is, as the one that attains Emax does (F >= 23): m stays.",
        "K S U M m x",
        _sums(),
        both(within(error, times("m", "U")), within(plus("K", "x"), plus("M", magnitude("x")))),
        within(error, times(NEARLY, "m", "U")),
    )


def _group_end() -> Lemma:
    reach = times(plus(times("n", "f"), "r"), "Y")
    return lemma(
        "mma-group-end",
        "Of n + 1 addends at most n changed, U <= f Y, and the conversion toward zero changes the sum K by at\n"
        "most r |K|: the group's result d is within (n f + r) Y of the exact sum S, and |d| <= M <= Y.",
        "K S U M Y d n f r",
        (
            given("numbers and constants", both(at_most(0, "n"), below(0, "f"), below(0, "r"))),
            given("mma-unit", both(below(0, "U"), at_most("U", times("f", "Y")))),
            given("mma-addend-step and mma-kept-step, error", within(minus("K", "S"), times("n", "U"))),
            given("mma-addend-step and mma-kept-step, magnitude", both(within("K", "M"), at_most("M", "Y"))),
            given("conversion, error", within(minus("d", "K"), times("r", magnitude("K")))),
            given("conversion, toward zero", within("d", magnitude("K"))),
        ),
        both(within(minus("d", "S"), reach), within("d", "M")),
        within(minus("d", "S"), times("n", "f", "Y")),
    )


def _groups_base() -> Lemma:
    return lemma(
        "mma-groups-base",
        "Before the first group of an instruction: the result d is the accumulator c, no error (q = 0), |d| <= |c|.",
        "c d q Y M",
        (
            given("the accumulator", both(equal("d", "c"), equal("M", magnitude("c")))),
            given("sum of magnitudes of all groups", at_most("M", "Y")),
            given("error so far in units of Y", equal("q", 0)),
        ),
        both(within(minus("d", "c"), times("q", "Y")), within("d", "M")),
        within("d", times(NEARLY, "M")),
    )


def _groups_step() -> Lemma:
    more = plus("q", times("n", "f"), "r")
    return lemma(
        "mma-groups-step",
        "One more group, with products of exact sum p and magnitude P: q Y becomes (q + n f + r) Y, and |d| <= M + P.\n"
        "What enters a group is at most what the instruction adds up, so each group's Y is at most the instruction's.",
        "d e s p P M Y W q n f r",
        (
            given("numbers and constants", both(at_most(0, "n"), below(0, "f"), below(0, "r"), at_most(0, "q"))),
            given("induction hypothesis", both(within(minus("d", "s"), times("q", "Y")), within("d", "M"))),
            given("the group's W = |d| + its clipped magnitudes", both(at_most(0, "W"), at_most("W", "Y"))),
            given(
                "mma-group-end",
                both(
                    within(minus("e", plus("d", "p")), times(plus(times("n", "f"), "r"), "W")),
                    within("e", plus(magnitude("d"), "P")),
                ),
            ),
        ),
        both(within(minus("e", plus("s", "p")), times(more, "Y")), within("e", plus("M", "P"))),
        within(minus("e", plus("s", "p")), times(plus("q", times("n", "f")), "Y")),
    )


def _constant() -> Lemma:
    """kappa of theorem 2.1."""
    terms = [plus(times(PRODUCTS, power_of_two(-f)), times(groups, ULP)) for f, groups in MODELS]
    names = ", ".join(f"TC({f},{groups})" for f, groups in MODELS)
    return lemma(
        "mma-constant",
        f"16 * 2^-F + g * 2^-23 is at most kappa = {KAPPA / ULP} * 2^-23 for {names}; any kappa from there on serves.",
        "kappa",
        (given("a constant of a contract", at_most(KAPPA, "kappa")),),
        both(*(at_most(term, "kappa") for term in terms)),
        at_most(plus(terms[0], Fraction(1, 2**40)), "kappa"),
    )


def _literal_constant() -> Lemma:
    power = times(*["w"] * PRODUCTS)
    return lemma(
        "mma-literal-constant",
        "The literal text of PTX: 16 additions, each with a relative error of at most 2^-23 in any rounding. By\n"
        "sum-rounding-step kappa is (1 + 2^-23)^16 - 1, below 16.0001 * 2^-23 and at least 10 * 2^-23.",
        "w",
        (given("one addition", equal("w", one_plus(ULP))),),
        both(below(minus(power, 1), LITERAL), at_most(KAPPA, minus(power, 1))),
        below(minus(power, 1), PRODUCTS * ULP),
    )
