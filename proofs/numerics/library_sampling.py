"""Sampling by a cumulative sum: which indices an inexact sum may choose (NUMERICS 3.5)."""

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
    return [_prefix_base(), _prefix_step(), _scan(), _threshold(), _choice(), _cut()]


def _prefix_base() -> Lemma:
    return lemma(
        "prefix-base",
        "No weight yet: the sums of computed weights V, of exact ones W and of their bounds B are 0.",
        "V W B",
        (given("empty sums", both(equal("V", 0), equal("W", 0), equal("B", 0))),),
        within(minus("V", "W"), "B"),
        below(minus("V", "W"), "B"),
    )


def _prefix_step() -> Lemma:
    error = minus(plus("V", "v"), plus("W", "w"))
    return lemma(
        "prefix-step",
        "One more weight: computed v within e w + f of w >= 0, f where it may be flushed. B = sum of w e + f bounds\n"
        "the difference of the sums.",
        "V W B v w e f",
        (
            given("the weight", at_most(0, "w")),
            given("its error", within(minus("v", "w"), plus(times("e", "w"), "f"))),
            given("induction hypothesis", within(minus("V", "W"), "B")),
        ),
        within(error, plus("B", times("e", "w"), "f")),
        within(error, plus("B", times(NEARLY, "e", "w"), "f")),
    )


def _scan() -> Lemma:
    return lemma(
        "prefix-computed",
        "The prefix as it is added up, in any order: C within g V of V >= 0, a sum of non-negative terms. It is\n"
        "within b = B (1 + g) + g W of the exact W.",
        "C V W B g",
        (
            given("prefix-step", both(at_most(0, "V"), at_most(0, "W"), within(minus("V", "W"), "B"))),
            given("a sum of non-negative terms", both(at_most(0, "g"), within(minus("C", "V"), times("g", "V")))),
        ),
        within(minus("C", "W"), plus(times("B", one_plus("g")), times("g", "W"))),
        within(minus("C", "W"), plus("B", times("g", "W"))),
    )


def _threshold() -> Lemma:
    error = minus("t", times("U", "Z"))
    return lemma(
        "threshold-step",
        "The threshold mul.rn(U, Y), 0 <= U <= 1, of the computed total Y, within b of Z: within\n"
        "U b + u U (Z + b) + m, m for a threshold that is subnormal.",
        "u U Y Z b t x m",
        (
            UNIT,
            given("the uniform number", both(at_most(0, "U"), at_most("U", 1))),
            given("prefix-computed, the last one", both(at_most(0, "Z"), within(minus("Y", "Z"), "b"))),
            given("one rounding", within(minus("t", "x"), plus(times("u", magnitude("x")), "m"))),
            given("the exact product", equal("x", times("U", "Y"))),
        ),
        within(error, plus(times("U", "b"), times("u", "U", plus("Z", "b")), "m")),
        within(error, plus(times("U", "b"), times("u", "U", "Z"), "m")),
    )


def _choice() -> Lemma:
    """L10."""
    low, high = minus(minus("V", "a"), "c"), plus("W", "b", "c")
    return lemma(
        "sampling-choice",
        "The chosen index has computed prefixes v <= t < w around the computed threshold; they are within a and b of\n"
        "the exact V and W, t within c of the exact T. So V - a - c <= T < W + b + c, whatever the order of the scan.",
        "v V a w W b t T c",
        (
            given("prefix-computed", both(within(minus("v", "V"), "a"), within(minus("w", "W"), "b"))),
            given("threshold-step", within(minus("t", "T"), "c")),
            given("the choice", both(at_most("v", "t"), below("t", "w"))),
        ),
        both(at_most(low, "T"), below("T", high)),
        both(at_most("V", "T"), below("T", "W")),
    )


def _cut() -> Lemma:
    low, high = minus(minus("V", "a"), "c"), plus("W", "b", "c")
    return lemma(
        "sampling-cut",
        "The cut of top-p is the first index whose computed prefix w reaches the computed P Z, the one before, v,\n"
        "does not: V - a - c < T <= W + b + c.",
        "v V a w W b t T c",
        (
            given("prefix-computed", both(within(minus("v", "V"), "a"), within(minus("w", "W"), "b"))),
            given("threshold-step", within(minus("t", "T"), "c")),
            given("the cut", both(below("v", "t"), at_most("t", "w"))),
        ),
        both(below(low, "T"), at_most("T", high)),
        both(below("V", "T"), at_most("T", "W")),
    )
