"""Chains of any length: mma over k in blocks of 16, fma over k one by one, and the joining of split chains.

One instruction of a tensor core is taken as `library_tensor` leaves it: |d - (c + p)| <= kappa (|c| + Y), where p is
the exact sum of its products and Y the sum of their clipped magnitudes, and |d| <= |c| + Y.
"""

from __future__ import annotations

from proofs.numerics.lemma import (
    Hypothesis,
    Lemma,
    Term,
    at_most,
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

KAPPA = given("constant of one instruction", at_most(0, "kappa"))


def lemmas() -> list[Lemma]:
    """Bases and steps, in the order in which docs/numerics.md puts them together."""
    return [
        _chain_base(),
        _chain_magnitude_step(),
        _chain_step(),
        _apriori_base(),
        _apriori_step(),
        _closed_step(),
        _growth_base(),
        _growth_magnitude_step(),
        _growth_step(),
        _fma_base(),
        _fma_step(),
        _merge_step(),
        _product_step(),
    ]


def _error() -> Term:
    return within(minus("d", plus("a", "p")), times("kappa", plus(magnitude("a"), "Y")))


def _instruction() -> tuple[Hypothesis, ...]:
    """d of one instruction on the accumulator a; p is the exact sum of its products, Y that of their magnitudes."""
    return (
        KAPPA,
        given("products and their clipped magnitudes", within("p", "Y")),
        given("one instruction, its error", _error()),
        given("one instruction, its magnitude", within("d", plus(magnitude("a"), "Y"))),
    )


def _chain_base() -> Lemma:
    """Theorem 2.2, t = 0."""
    return lemma(
        "mma-chain-base",
        "Before the first instruction the accumulator a is C, which is within E_0 of s_0 (E_0 = 0 where C is exact).\n"
        "T_0 is the magnitude of C: |a| <= T_0.",
        "C a s E T",
        (
            given("the accumulator is loaded", equal("a", "C")),
            given("error of C", within(minus("C", "s"), "E")),
            given("T_0", equal("T", magnitude("C"))),
        ),
        both(within(minus("a", "s"), "E"), within("a", "T")),
        within(minus("a", "s"), times(NEARLY, "E")),
    )


def _chain_magnitude_step() -> Lemma:
    """L3."""
    return lemma(
        "mma-chain-magnitude-step",
        "Truncation never increases a magnitude: |a_t| <= T_t gives |a_{t+1}| <= T_t + Y = T_{t+1}.",
        "a p Y d T kappa",
        (*_instruction(), given("induction hypothesis", within("a", "T"))),
        within("d", plus("T", "Y")),
        within("d", plus("T", times(NEARLY, "Y"))),
    )


def _chain_step() -> Lemma:
    """Theorem 2.2, L4."""
    bound = plus("E", times("kappa", plus(magnitude("s"), "E", "Y")))
    return lemma(
        "mma-chain-step",
        "The running bound: |a_t - s_t| <= E_t gives |a_{t+1} - s_{t+1}| <= E_t + kappa (|s_t| + E_t + Y) = E_{t+1}.",
        "s a p Y d E kappa",
        (*_instruction(), given("induction hypothesis", within(minus("a", "s"), "E"))),
        within(minus("d", plus("s", "p")), bound),
        within(minus("d", plus("s", "p")), plus("E", times("kappa", plus(magnitude("s"), "Y")))),
    )


def _apriori_base() -> Lemma:
    """L5, t = 0."""
    return lemma(
        "mma-apriori-base",
        "Before the first instruction: R, the sum of T_1 .. T_t, is 0, and with an exact C the error is 0 = kappa R.",
        "a s R T kappa t",
        (
            KAPPA,
            given("no instruction so far", both(equal("t", 0), equal("R", 0))),
            given("C is exact", equal("a", "s")),
            given("T_0", equal("T", magnitude("a"))),
        ),
        both(within(minus("a", "s"), times("kappa", "R")), within("a", "T"), at_most("R", times("t", "T"))),
        at_most(times("kappa", "T"), times("kappa", "R")),
    )


def _apriori_step() -> Lemma:
    """L5."""
    after = plus("T", "Y")
    error = minus("d", plus("s", "p"))
    return lemma(
        "mma-apriori-step",
        "A priori: |a_t - s_t| <= kappa R_t and |a_t| <= T_t give |a_{t+1} - s_{t+1}| <= kappa R_{t+1}, where\n"
        "T_{t+1} = T_t + Y, R_{t+1} = R_t + T_{t+1}.",
        "s a p Y d T R kappa",
        (
            *_instruction(),
            given("mma-chain-magnitude-step", within("a", "T")),
            given("induction hypothesis", within(minus("a", "s"), times("kappa", "R"))),
        ),
        both(within(error, times("kappa", plus("R", after))), within("d", after)),
        within(error, times("kappa", plus("R", times(NEARLY, after)))),
    )


def _closed_step() -> Lemma:
    after = plus("T", "Y")
    return lemma(
        "mma-apriori-closed-step",
        "T_t does not decrease, so R_t <= t T_t: the a priori bound is at most t kappa T_t.",
        "T Y R t",
        (
            given("clipped magnitudes", at_most(0, "Y")),
            given("instructions so far", at_most(0, "t")),
            given("induction hypothesis", at_most("R", times("t", "T"))),
        ),
        at_most(plus("R", after), times(plus("t", 1), after)),
        at_most(plus("R", after), times("t", after)),
    )


def _growth_base() -> Lemma:
    return lemma(
        "mma-growth-base",
        "The same where rounding may increase magnitudes, V_t = w^t: before the first instruction V_0 = 1.",
        "a s E T V kappa t",
        (
            KAPPA,
            given("no instruction so far", both(equal("t", 0), equal("V", 1))),
            given("C is exact", equal("a", "s")),
            given("T_0", equal("T", magnitude("a"))),
            given("the bound", equal("E", times("t", "kappa", "V", "T"))),
        ),
        both(within(minus("a", "s"), "E"), within("a", times("V", "T"))),
        within("a", times(NEARLY, "V", "T")),
    )


def _growth_magnitude_step() -> Lemma:
    after = times("V", "w", plus("T", "Y"))
    return lemma(
        "mma-growth-magnitude-step",
        "An instruction with |d| <= w (|a| + Y), w >= 1, as the literal text of PTX allows with w = (1 + 2^-23)^16:\n"
        "|a_t| <= w^t T_t. V stands for w^t.",
        "a Y d T V w",
        (
            given("growth of one instruction and of all so far", both(at_most(1, "w"), at_most(1, "V"))),
            given("clipped magnitudes", both(at_most(0, "Y"), at_most(0, "T"))),
            given("induction hypothesis", within("a", times("V", "T"))),
            given("one instruction, its magnitude", within("d", times("w", plus(magnitude("a"), "Y")))),
        ),
        within("d", after),
        within("d", times("V", plus("T", "Y"))),
    )


def _growth_step() -> Lemma:
    """v stands for V T, |a| at most that; W for w^{t+1}."""
    error = minus("d", plus("s", "p"))
    return lemma(
        "mma-growth-step",
        "With such growth the a priori bound is t kappa w^t T_t: V stands for w^t, W for w^{t+1}.",
        "s a p Y d T V W t kappa",
        (
            KAPPA,
            given("products and their clipped magnitudes", both(within("p", "Y"), at_most(0, "T"))),
            given("one instruction, its error", _error()),
            given("growth", both(at_most(1, "V"), at_most("V", "W"))),
            given("instructions so far", at_most(0, "t")),
            given("mma-growth-magnitude-step", within("a", times("V", "T"))),
            given("induction hypothesis", within(minus("a", "s"), times("t", "kappa", "V", "T"))),
        ),
        within(error, times(plus("t", 1), "kappa", "W", plus("T", "Y"))),
        within(error, times("t", "kappa", "W", plus("T", "Y"))),
    )


def _fma_base() -> Lemma:
    return lemma(
        "fma-chain-base",
        "The first fma.rn(a, b, +0) of binary16 numbers is exact: E_1 = 0.",
        "x s p E",
        (given("an exact product", both(equal("s", "p"), equal("x", "p"))), given("E_1", equal("E", 0))),
        within(minus("x", "s"), "E"),
        within("x", "E"),
    )


def _fma_step() -> Lemma:
    exact = plus("s", "p")
    bound = plus(times(one_plus("u"), "E"), times("u", magnitude(exact)))
    return lemma(
        "fma-chain-step",
        "One fma.rn: |x - s| <= E gives |x' - s'| <= (1 + u) E + u |s'|, where s' = s + p is the exact sum.",
        "u x s p d E",
        (
            UNIT,
            given("induction hypothesis", within(minus("x", "s"), "E")),
            given("one rounding", within("d", "u")),
        ),
        within(minus(times(plus("x", "p"), one_plus("d")), exact), bound),
        within(minus(times(plus("x", "p"), one_plus("d")), exact), plus("E", times("u", magnitude(exact)))),
    )


def _merge_step() -> Lemma:
    error = minus(times(plus("x", "y"), one_plus("d")), plus("s", "t"))
    reach = plus(magnitude("s"), magnitude("t"), "E", "F")
    return lemma(
        "merge-step",
        "Partial results of a split chain joined by add.rn: errors E, F become E + F + u (|s| + |t| + E + F).",
        "u x y s t d E F",
        (
            UNIT,
            given("partial results", both(within(minus("x", "s"), "E"), within(minus("y", "t"), "F"))),
            given("one rounding", within("d", "u")),
        ),
        within(error, plus("E", "F", times("u", reach))),
        within(error, plus("E", "F", times("u", plus(magnitude("s"), magnitude("t"))))),
    )


def _product_step() -> Lemma:
    error = minus(times("k", "x", one_plus("d")), times("k", "s"))
    scale = magnitude("k")
    return lemma(
        "scaling-step",
        "A result scaled by an exact factor k and rounded (alpha of an epilogue): E becomes |k| (E + u (|s| + E)).",
        "u k x s d E",
        (
            UNIT,
            given("result so far", within(minus("x", "s"), "E")),
            given("one rounding", within("d", "u")),
        ),
        within(error, times(scale, plus("E", times("u", plus(magnitude("s"), "E"))))),
        within(error, times(scale, plus("E", times("u", magnitude("s"))))),
    )
