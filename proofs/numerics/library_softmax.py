"""Quotients, shifts that only grow, and weighted means: the steps behind attention (NUMERICS 3.4)."""

from __future__ import annotations

from proofs.numerics.lemma import (
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
from proofs.numerics.library_sums import NEARLY, UNIT


def lemmas() -> list[Lemma]:
    """In the order in which docs/numerics.md puts them together."""
    return [
        _telescoping_base(),
        _telescoping_step(),
        _rescale_base(),
        _rescale_step(),
        _common_base(),
        _common_step(),
        _mass_base(),
        _mass_step(),
        _computed_mass(),
        _term_base(),
        _term_factor(),
        _term_step(),
        _numerator_step(),
        _quotient(),
        _residual(),
        _common_quotient(),
        _final(),
    ]


def _telescoping_base() -> Lemma:
    return lemma(
        "telescoping-base",
        "No change of the shift yet: the sum of its changes D is 0 = m - m_0.",
        "m m0 D",
        (given("the first shift", both(equal("m", "m0"), equal("D", 0))),),
        equal("D", minus("m", "m0")),
        equal("D", "m"),
    )


def _telescoping_step() -> Lemma:
    """L9."""
    total = plus("D", magnitude(minus("n", "m")))
    return lemma(
        "telescoping-step",
        "A shift that never decreases: with D = m - m_0 the next change makes it n - m_0. Rounding errors of u times\n"
        "each change therefore add up to u (M - m_0), however many blocks there are.",
        "m m0 n D",
        (given("induction hypothesis", equal("D", minus("m", "m0"))), given("not decreasing", at_most("m", "n"))),
        equal(total, minus("n", "m0")),
        at_most(total, times(NEARLY, minus("n", "m0"))),
    )


def _rescale_base() -> Lemma:
    return lemma(
        "rescale-base",
        "Before its first rescaling a weight has the factor p of its own ex2 and bound F_0: |p - 1| <= F_0 - 1.",
        "p e F",
        (
            given("ex2 of the weight", both(at_most(0, "e"), within(minus("p", 1), "e"))),
            given("F_0", equal("F", one_plus("e"))),
        ),
        within(minus("p", 1), minus("F", 1)),
        within(minus("p", 1), times(NEARLY, minus("F", 1))),
    )


def _rescale_step() -> Lemma:
    return lemma(
        "rescale-step",
        "One rescaling: the weight's factor p, |p - 1| <= F - 1, is multiplied by an alpha with relative error a and\n"
        "rounded, d: |p' - 1| <= F (1 + e)(1 + u) - 1. Where the shift stays alpha is 1, and nothing changes.",
        "u p F e a d",
        (
            UNIT,
            given("induction hypothesis", both(at_most(1, "F"), within(minus("p", 1), minus("F", 1)))),
            given("ex2 of the change of the shift", both(at_most(0, "e"), within("a", "e"))),
            given("one rounding", within("d", "u")),
        ),
        within(minus(times("p", one_plus("a"), one_plus("d")), 1), minus(times("F", one_plus("e"), one_plus("u")), 1)),
        within(minus(times("p", one_plus("a"), one_plus("d")), 1), minus(times("F", one_plus("e")), 1)),
    )


def _common_base() -> Lemma:
    return lemma(
        "common-base",
        "No key yet: numerator, denominator, their difference N - o D and the bound C are 0.",
        "N D o C",
        (given("empty sums", both(equal("N", 0), equal("D", 0), equal("C", 0))),),
        within(minus("N", times("o", "D")), "C"),
        below(magnitude(minus("N", times("o", "D"))), "C"),
    )


def _common_step() -> Lemma:
    weight = times("w", one_plus("e"))
    perturbed = minus(plus("N", times(weight, "v")), times("o", plus("D", weight)))
    exact = plus("R", times("w", minus("v", "o")))
    bound = plus("C", times("w", "a", magnitude(minus("v", "o"))))
    return lemma(
        "common-step",
        "Numerator and denominator carry the same weights w (1 + e): with R the exact N - o D, which ends as 0, the\n"
        "perturbed one stays within C = sum w |e| |v - o| of it.",
        "N D R o C w e a v",
        (
            given("weight and bound of its error", both(at_most(0, "w"), at_most(0, "a"), within("e", "a"))),
            given("induction hypothesis", within(minus(minus("N", times("o", "D")), "R"), "C")),
        ),
        within(minus(perturbed, exact), bound),
        within(minus(perturbed, exact), plus("C", times(NEARLY, "w", "a", magnitude(minus("v", "o"))))),
    )


def _mass_base() -> Lemma:
    return lemma(
        "mass-base",
        "No key yet: the perturbed sum of weights D and the exact one W are 0.",
        "D W m",
        (
            given("bound of every weight's error", at_most(0, "m")),
            given("empty sums", both(equal("D", 0), equal("W", 0))),
        ),
        within(minus("D", "W"), times("m", "W")),
        below(magnitude(minus("D", "W")), times("m", "W")),
    )


def _mass_step() -> Lemma:
    after = plus("W", "w")
    error = minus(plus("D", times("w", one_plus("e"))), after)
    return lemma(
        "mass-step",
        "One more weight w (1 + e), |e| <= m: the sum stays within m W of the exact W.",
        "D W w e m",
        (
            given("sums of weights", both(at_most(0, "w"), at_most(0, "W"))),
            given("bound of every weight's error", both(at_most(0, "m"), within("e", "m"))),
            given("induction hypothesis", within(minus("D", "W"), times("m", "W"))),
        ),
        within(error, times("m", after)),
        within(error, times(NEARLY, "m", after)),
    )


def _computed_mass() -> Lemma:
    return lemma(
        "mass-computed",
        "The denominator as it is added up, L within g D of D, where |D - W| <= m W: at least W (1 - m)(1 - g), and\n"
        "within g W (1 + m) of D.",
        "L D W m g",
        (
            given("errors below 1", both(at_most(0, "m"), below("m", 1), at_most(0, "g"), below("g", 1))),
            given("mass-step", both(at_most(0, "W"), within(minus("D", "W"), times("m", "W")))),
            given("a sum of non-negative terms", within(minus("L", "D"), times("g", "D"))),
        ),
        both(
            at_most(times("W", minus(1, "m"), minus(1, "g")), "L"),
            within(minus("L", "D"), times("g", "W", one_plus("m"))),
        ),
        at_most(times("W", minus(1, "m")), "L"),
    )


def _term_base() -> Lemma:
    return lemma(
        "term-base",
        "No key yet: the computed denominator L, the perturbed one D, B below L and b around it are 0.",
        "L D B b",
        (given("empty sums", both(equal("L", 0), equal("D", 0), equal("B", 0), equal("b", 0))),),
        both(at_most("B", "L"), within(minus("L", "D"), "b")),
        below("B", "L"),
    )


def _term_factor() -> Lemma:
    entered = times("p", one_plus("t"))
    return lemma(
        "term-factor",
        "A weight p between l and h enters the computed sum with a factor 1 + t of its own, |t| <= g <= 1, for the\n"
        "roundings on its way: at least l (1 - g), and within h g of p.",
        "p l h t g",
        (
            given("the weight", both(at_most(0, "l"), at_most("l", "p"), at_most("p", "h"))),
            given("gamma-power-step and lower-power-step", both(at_most("g", 1), within("t", "g"))),
        ),
        both(at_most(times("l", minus(1, "g")), entered), within(minus(entered, "p"), times("h", "g"))),
        at_most("l", entered),
    )


def _term_step() -> Lemma:
    return lemma(
        "term-step",
        "Key by key: with q of term-factor, at least m and within n of the weight p, L >= B + m, and L is within\n"
        "b + n of D.",
        "L D B b p q m n",
        (
            given("term-factor", both(at_most("m", "q"), within(minus("q", "p"), "n"))),
            given("induction hypothesis", both(at_most("B", "L"), within(minus("L", "D"), "b"))),
        ),
        both(
            at_most(plus("B", "m"), plus("L", "q")), within(minus(plus("L", "q"), plus("D", "p")), plus("b", "n")),
        ),
        within(minus(plus("L", "q"), plus("D", "p")), "b"),
    )


def _numerator_step() -> Lemma:
    error = minus("d", plus("s", "p"))
    bound = plus("F", "H", times("kappa", plus("S", "F", "Y")))
    return lemma(
        "numerator-step",
        "One mma of weights and values: s is the sum over perturbed weights, |s| <= S, a within F of it. The products\n"
        "p change by r, |r| <= H, where weights are rounded to binary16. a' is within F + H + kappa (S + F + Y).",
        "s S a p r Y d F H kappa",
        (
            given("constant of one instruction", at_most(0, "kappa")),
            given("perturbed sum so far", within("s", "S")),
            given("induction hypothesis", within(minus("a", "s"), "F")),
            given("weights in binary16", within("r", "H")),
            given(
                "one instruction, its error",
                within(minus("d", plus("a", "p", "r")), times("kappa", plus(magnitude("a"), "Y"))),
            ),
        ),
        within(error, bound),
        within(error, plus("F", "H", times("kappa", plus("S", "Y")))),
    )


def _quotient() -> Lemma:
    """L6. q is the computed quotient before it is rounded."""
    claim = times(magnitude(minus("q", "o")), minus("D", "b"))
    return lemma(
        "quotient-perturbed",
        "q = (N + s) / (D + t) with |s| <= a, |t| <= b < D is within (a + |o| b) / (D - b) of o = N / D.",
        "N D s t a b o q",
        (
            given("bounds", both(at_most(0, "a"), at_most(0, "b"), below("b", "D"))),
            given("errors", both(within("s", "a"), within("t", "b"))),
            given("exact quotient", equal("N", times("o", "D"))),
            given("perturbed quotient", equal(times("q", plus("D", "t")), plus("N", "s"))),
        ),
        at_most(claim, plus("a", times(magnitude("o"), "b"))),
        at_most(claim, "a"),
    )


def _residual() -> Lemma:
    residual = minus(plus("X", "s"), times("o", "t"))
    return lemma(
        "quotient-residual",
        "q = (N + s) / (D + t), N = o D + X: (q - o)(D + t) = X + s - o t, with |X| <= C, |s| <= a, |t| <= b at most\n"
        "C + a + |o| b. Y stands for q (D + t), Z for o D.",
        "N Z X Y s t o C a b",
        (
            given("common-step, all keys", both(equal("N", plus("Z", "X")), within("X", "C"))),
            given("other errors of numerator and denominator", both(within("s", "a"), within("t", "b"))),
            given("the quotient before it is rounded", equal("Y", plus("N", "s"))),
        ),
        both(
            equal(minus("Y", plus("Z", times("o", "t"))), residual),
            within(residual, plus("C", "a", times(magnitude("o"), "b"))),
        ),
        within(residual, plus("C", "a")),
    )


def _common_quotient() -> Lemma:
    return lemma(
        "quotient-common",
        "The difference h of computed and exact quotient with |h L| <= R (quotient-residual) and L >= B > 0 is at\n"
        "most R / B.",
        "h L B R",
        (
            given("quotient-residual", within(times("h", "L"), "R")),
            given("mass-computed", both(below(0, "B"), at_most("B", "L"))),
        ),
        within(times("h", "B"), "R"),
        within(times("h", "B"), times(NEARLY, "R")),
    )


def _final() -> Lemma:
    error = minus(plus(times("q", "p"), "z"), "o")
    return lemma(
        "quotient-rounding",
        "Reciprocal and product multiply q by p, |p - 1| <= G (factor-step: (1 + rho)(1 + u) - 1): E becomes\n"
        "E + (|o| + E) G + m, m for a result that is subnormal.",
        "q o p z E G m",
        (
            given("the quotient before it is rounded", within(minus("q", "o"), "E")),
            given("factor-step", within(minus("p", 1), "G")),
            given("rounding of a subnormal result", within("z", "m")),
        ),
        within(error, plus("E", times(plus(magnitude("o"), "E"), "G"), "m")),
        within(error, plus("E", times(magnitude("o"), "G"), "m")),
    )
