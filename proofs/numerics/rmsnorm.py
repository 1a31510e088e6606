"""RMSNorm: from the sum of squares to the binary32 result, and the ranges in which rounding errors are relative."""

from __future__ import annotations

from fractions import Fraction

from proofs.numerics.domain import float_range, largest
from proofs.numerics.lemma import (
    Lemma,
    at_most,
    below,
    both,
    equal,
    given,
    lemma,
    minus,
    number,
    one_plus,
    times,
    within,
)
from proofs.numerics.shared import (
    factor_step,
    gamma_monotone,
    gamma_step,
    is_gamma,
    lower_step,
    parts_step,
    root,
    rounding_step,
)
from spec.approximations import TABLE
from spec.contracts.model import Contract
from spec.operators import rmsnorm
from spec.scalar import F16, U32, power_of_two

RSQRT = TABLE["rsqrt"].relative
SAMPLES = (1, 7, 8, 2048, 2049, 4096, 8192, 65536)
LARGE_G = Fraction(1, 1024)


def lemmas(contract: Contract) -> list[Lemma]:
    """All steps, for the contract's largest row and least eps."""
    columns = largest(contract, "columns")
    eps = float_range(contract, "eps")
    return [
        gamma_step(),
        gamma_monotone(),
        lower_step(),
        parts_step(),
        rounding_step(),
        factor_step(),
        root(),
        _rsqrt_constant(),
        _tail(),
        _scale_range(eps),
        _product_range(),
        _sum_range(columns),
        _values([c for c in (*SAMPLES, columns) if c <= columns]),
    ]


def _rsqrt_constant() -> Lemma:
    """c^10 >= 2 says that c 2^-23 is at least 2^-22.9."""

    def power(base: str) -> str:
        return times(*[base] * 10)

    return lemma(
        "rsqrt-constant",
        f"The constant used for rsqrt.approx, {RSQRT / (2 * U32)} * 2^-23, is at least the documented 2^-22.9:\n"
        "its multiple of 2^-23 is at least the tenth root of 2 (PTX ISA 9.7.3.16).",
        "c",
        (given("the constant as a multiple of 2^-23", equal("c", RSQRT / (2 * U32))),),
        at_most(2, power("c")),
        at_most(2, power(minus("c", Fraction(1, 10**13)))),
    )


def _tail() -> Lemma:
    phi = minus(times(one_plus("G"), one_plus(RSQRT), one_plus(U32), one_plus(U32)), 1)
    error = minus(times("q", one_plus("r"), one_plus("d1"), one_plus("d2")), 1)
    return lemma(
        "rmsnorm-tail",
        "rsqrt.approx, mul.rn, mul.rn on an exact scale 1/sqrt(V) perturbed by q: the result's relative error is at\n"
        "most (1 + G)(1 + 2^-22.9)(1 + u)^2 - 1, where G is the bound of inverse-root.",
        "G q r d1 d2",
        (
            given("bound of q, far above (g/2)(1 + g) for all lengths", both(at_most(0, "G"), at_most("G", LARGE_G))),
            given("inverse-root", within(minus("q", 1), "G")),
            given("rsqrt.approx, documented", within("r", RSQRT)),
            given("mul.rn x r", within("d1", U32)),
            given("mul.rn (x r) w", within("d2", U32)),
        ),
        within(error, phi),
        within(error, minus(times(one_plus("G"), one_plus(RSQRT), one_plus(U32)), 1)),
    )


def _scale_range(eps: tuple[Fraction, Fraction]) -> Lemma:
    """r is normal, and how large it gets."""
    low, high = power_of_two(-17), power_of_two(16)
    top = F16.largest**2 + eps[1]
    return lemma(
        "rmsnorm-scale-range",
        "V = mean + eps lies between the least eps and 65504^2 plus the largest eps, so the computed scale r, within\n"
        "1/100 of 1/sqrt(V), lies between 2^-17 and 2^16: it is normal.",
        "V R k",
        (
            given("mean of squares of binary16 numbers, plus eps", both(at_most(eps[0], "V"), at_most("V", top))),
            given("R = 1/sqrt(V)", both(below(0, "R"), equal(times("R", "R", "V"), 1))),
            given("all relative errors up to r together", within(minus("k", 1), Fraction(1, 100))),
        ),
        both(at_most(low, times("R", "k")), at_most(times("R", "k"), high)),
        both(at_most(low, times("R", "k")), at_most(times("R", "k"), power_of_two(14))),
    )


def _product_range() -> Lemma:
    """x r and x r w neither overflow nor become subnormal; |x r| is at most sqrt(columns) but 2^32 is enough."""
    tiny = power_of_two(-24)
    return lemma(
        "rmsnorm-product-range",
        "x r and (x r) w with their roundings stay between 2^-126 and 2^128 where x and w are not 0: no underflow, no\n"
        "overflow, so each rounding is relative. (With x = 0 or w = 0 the product is 0 exactly.)",
        "x w r k",
        (
            given("magnitudes of binary16 numbers", both(at_most(tiny, "x"), at_most("x", F16.largest))),
            given("magnitudes of binary16 numbers", both(at_most(tiny, "w"), at_most("w", F16.largest))),
            given("rmsnorm-scale-range", both(at_most(power_of_two(-17), "r"), at_most("r", power_of_two(16)))),
            given("roundings of the two products", within(minus("k", 1), Fraction(1, 100))),
        ),
        both(
            *(
                both(at_most(power_of_two(-126), times(p, "k")), below(times(p, "k"), power_of_two(127)))
                for p in (times("x", "r"), times("x", "r", "w"))
            )
        ),
        at_most(power_of_two(-60), times("x", "r", "w", "k")),
    )


def _sum_range(columns: int) -> Lemma:
    """S and S / columns."""
    return lemma(
        "rmsnorm-sum-range",
        "A sum of squares that is not 0 is at least 2^-48 (all squares are multiples of it) and, computed, at most\n"
        "1.01 * columns * 65504^2; it and its quotient by columns, within 1/100, are normal and finite.",
        "S n k",
        (
            given("contract: columns", both(at_most(1, "n"), at_most("n", columns))),
            given("sum of squares", both(at_most(power_of_two(-48), "S"), at_most("S", times("n", F16.largest**2)))),
            given("relative errors so far", within(minus("k", 1), Fraction(1, 100))),
        ),
        both(
            below(times("S", "k"), power_of_two(127)),
            at_most(power_of_two(-126), times("S", "k")),
            at_most(times(power_of_two(-126), "n"), times("S", "k")),
        ),
        at_most(times(power_of_two(-60), "n"), times("S", "k")),
    )


def _values(samples: list[int]) -> Lemma:
    """The bound function of spec.operators.rmsnorm against the formula."""
    hypotheses = [given("unit roundoff of binary32", equal("u", U32)), given("rsqrt.approx", equal("rho", RSQRT))]
    claims, wrong, variables = [], [], "u rho"
    for c in dict.fromkeys(samples):
        g = f"g{c}"
        variables += f" {g}"
        rounds = number(rmsnorm.depth(c) + 2)
        hypotheses.append(given(f"g_n for {c} columns, n = {rmsnorm.depth(c)} + 2", is_gamma(g, rounds)))
        scale = one_plus(times(Fraction(1, 2), g, one_plus(g)))
        formula = minus(times(scale, one_plus("rho"), one_plus("u"), one_plus("u")), 1)
        value = rmsnorm.phi({"columns": c})
        claims.append(equal(formula, value))
        wrong.append(equal(formula, value * (1 + power_of_two(-30))))
    return lemma(
        "rmsnorm-bound-values",
        "The bound that the code computes is (1 + (g/2)(1 + g))(1 + 2^-22.9)(1 + u)^2 - 1 with g = g_{h+2}, at the\n"
        f"lengths {', '.join(str(c) for c in dict.fromkeys(samples))}.",
        variables,
        tuple(hypotheses),
        both(*claims),
        both(*wrong),
    )
