"""SiLU: exponent argument, ex2, denominator, reciprocal and product; flushed and overflowing intermediates."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

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
    times,
    within,
)
from proofs.numerics.shared import units
from spec.contracts.model import Contract
from spec.enclosure import exp, ln2
from spec.operators import silu
from spec.scalar import F16, F32, U32, decode, power_of_two

RHO = silu.RCP
NORMAL = power_of_two(-126)
SAMPLES = (Fraction(0), power_of_two(-18), Fraction(1, 1000))


def lemmas(contract: Contract) -> list[Lemma]:
    """All steps; they hold for every finite binary16 x, so the contract adds nothing but its name."""
    del contract
    return [
        units("ex2"),
        units("rcp"),
        _log2e(),
        _argument(),
        _power(),
        _denominator(),
        _tail(),
        _flushed_power(),
        _flushed_reciprocal(),
        _overflow(),
        _product_range(),
        _values(),
    ]


def _up(x: Fraction, bits: int) -> Fraction:
    """x rounded up to a multiple of 2^-bits: shorter numbers in the queries."""
    return Fraction(ceil(x * 2**bits), 2**bits)


def _is_phi(phi: Term, a: Term | Fraction) -> Term:
    """phi = (1 + u)(1 + rho) / ((1 - u)(1 - a)) - 1, without division."""
    return equal(times(one_plus(phi), minus(1, U32), minus(1, a)), times(one_plus(U32), one_plus(RHO)))


def _log2e() -> Lemma:
    low, high = ln2(64)
    constant = decode(silu.LOG2_E_BITS, F32)
    error = minus(times(constant, "ln2"), 1)
    return lemma(
        "silu-log2e",
        "The constant L = 0x1.715476p0 is log2 e within 1.34e-8: |L ln 2 - 1| <= 1.34e-8, with ln 2 enclosed by\n"
        "the series of 1 / (k 2^k).",
        "ln2",
        (given("enclosure of ln 2", both(at_most(low, "ln2"), at_most("ln2", high))),),
        within(error, silu.LOG2_E_ERROR),
        within(error, silu.LOG2_E_ERROR * Fraction(98, 100)),
    )


def _argument() -> Lemma:
    factor = minus(times(one_plus("l"), one_plus("d")), 1)
    return lemma(
        "silu-argument",
        "t = mul.rn(x, -L) is -x log2 e (1 + f) with |f| <= dt = (1 + u)(1 + 1.34e-8) - 1.",
        "l d",
        (
            given("silu-log2e", within("l", silu.LOG2_E_ERROR)),
            given("mul.rn x (-L)", within("d", U32)),
        ),
        within(factor, silu.ARGUMENT_ERROR),
        within(factor, U32 + silu.LOG2_E_ERROR),
    )


def _power() -> Lemma:
    error = minus(times("f", one_plus("k")), 1)
    return lemma(
        "silu-power",
        "e = ex2.approx(t) is e^-x f (1 + k) with f = e^(-x f') between 1/F and F, F = e^(|x| dt): its relative error\n"
        "is at most eps = F (1 + k) - 1 (NUMERICS 3.3).",
        "F f k",
        (
            given("F = e^(|x| dt)", at_most(1, "F")),
            given("the factor of the argument's error", both(at_most("f", "F"), at_most(1, times("f", "F")))),
            given("ex2.approx, documented", within("k", silu.EX2)),
        ),
        within(error, minus(times("F", one_plus(silu.EX2)), 1)),
        within(error, minus("F", 1)),
    )


def _denominator() -> Lemma:
    exact = one_plus("E")
    computed = one_plus(times("E", one_plus("eps")))
    return lemma(
        "silu-denominator",
        "1 + e is within relative sigma a of 1 + E, E = e^-x, where e = E (1 + eps), |eps| <= a, sigma = E / (1 + E).",
        "E eps a s",
        (
            given("E = e^-x", at_most(0, "E")),
            given("sigma", equal(times("s", exact), "E")),
            given("silu-power", both(at_most(0, "a"), within("eps", "a"))),
        ),
        within(minus(computed, exact), times("s", "a", exact)),
        within(minus(computed, exact), times(Fraction(99, 100), "s", "a", exact)),
    )


def _tail() -> Lemma:
    return lemma(
        "silu-tail",
        "add.rn, rcp.approx, mul.rn: with the denominator's error a < 1 the result w x / (1 + E) has |w - 1| <= Phi,\n"
        "1 + Phi = (1 + u)(1 + rho) / ((1 - u)(1 - a)), rho = 1.5 * 2^-23.",
        "t a d1 r d2 w Phi",
        (
            given("silu-denominator", both(at_most(0, "a"), below("a", 1), within("t", "a"))),
            given("add.rn", within("d1", U32)),
            given("rcp.approx, documented", within("r", RHO)),
            given("mul.rn", within("d2", U32)),
            given(
                "w = (1 + r)(1 + d2) / ((1 + t)(1 + d1))",
                equal(times("w", one_plus("t"), one_plus("d1")), times(one_plus("r"), one_plus("d2"))),
            ),
            given("Phi", _is_phi("Phi", "a")),
        ),
        within(minus("w", 1), "Phi"),
        within(minus("w", 1), times(Fraction(99, 100), "Phi")),
    )


def _flushed_power() -> Lemma:
    return lemma(
        "silu-flushed-power",
        "Where ex2 may flush, E <= 2^-125: then d = 1 whatever e is, and the result x (1 + r)(1 + d2) is within Phi\n"
        "of x / (1 + E), with Phi of a = 0.",
        "E r d2 w Phi",
        (
            given("ex2 flushes", both(at_most(0, "E"), at_most("E", power_of_two(-125)))),
            given("rcp.approx, documented", within("r", RHO)),
            given("mul.rn", within("d2", U32)),
            given("w: result over exact", equal("w", times(one_plus("r"), one_plus("d2"), one_plus("E")))),
            given("Phi", _is_phi("Phi", Fraction(0))),
        ),
        within(minus("w", 1), "Phi"),
        within(minus("w", 1), RHO),
    )


def _flushed_reciprocal() -> Lemma:
    """D stands for (1 + E) 2^-126."""
    return lemma(
        "silu-flushed-reciprocal",
        "Where rcp flushes to 0, (1 + r) / d < 2^-126 and the result is 0: |Y| <= Phi |Y| + 2^-126 |x|, that is\n"
        "1 - Phi <= 2^-126 (1 + E). D is 2^-126 (1 + E).",
        "t a d1 r D Phi",
        (
            given("silu-denominator", both(at_most(0, "a"), below("a", 1), within("t", "a"))),
            given("add.rn", within("d1", U32)),
            given("rcp.approx, documented", within("r", RHO)),
            given("rcp flushes", below(one_plus("r"), times("D", one_plus("t"), one_plus("d1")))),
            given("Phi", _is_phi("Phi", "a")),
        ),
        at_most(minus(1, "Phi"), "D"),
        at_most(1, "D"),
    )


def _overflow() -> Lemma:
    worst = _up(exp(F16.largest * silu.ARGUMENT_ERROR)[1] * (1 + silu.EX2) - 1, 40)
    return lemma(
        "silu-overflow",
        "Where ex2 gives +Inf the result is 0; E (1 + eps) >= 2^127 there, with eps as of silu-power, so that\n"
        "|Y| = |x| / (1 + E) <= 2^-126 |x|. E is scaled by 2^-126.",
        "E eps",
        (
            given("silu-power at |x| = 65504, by an enclosure of exp", within("eps", worst)),
            given("the largest binary32 value is beyond 2^127", at_most(2, times("E", one_plus("eps")))),
        ),
        at_most(1, "E"),
        at_most(2, "E"),
    )


def _product_range() -> Lemma:
    small = 60
    least = 1 / (_up(exp(Fraction(small))[1], 0) + 1) * Fraction(99, 100)
    return lemma(
        "silu-product-range",
        f"x r is normal: |x| < {small} has 1/r below 1.01 (1 + e^{small}), and where |x| is larger r is normal (or 0,\n"
        "silu-flushed-reciprocal). t = -x L is normal for every x that is not 0.",
        "x r k",
        (
            given("binary16 magnitude", both(at_most(power_of_two(-24), "x"), at_most("x", F16.largest))),
            given("reciprocal of 1 + e", both(at_most(NORMAL, "r"), at_most("r", 2))),
            given("small x has a large reciprocal", either(at_most(small, "x"), at_most(least, "r"))),
            given("rounding", within(minus("k", 1), U32)),
        ),
        both(
            at_most(NORMAL, times("x", "r", "k")),
            below(times("x", "r", "k"), power_of_two(127)),
            at_most(NORMAL, times("x", "k")),
        ),
        at_most(power_of_two(-100), times("x", "r", "k")),
    )


def _values() -> Lemma:
    """tail_phi of spec.operators.silu against the formula, and the uniform bound."""
    eps = _up(exp(-silu.LEAST_UNIFORM * silu.ARGUMENT_ERROR)[1] * (1 + silu.EX2) - 1, 60)
    uniform = _up(silu.phi({}), 50)
    hypotheses, claims, wrong, variables = [], [], [], ""
    for i, a in enumerate((*SAMPLES, eps)):
        variables += f" p{i}"
        hypotheses.append(given(f"Phi at sample {i} of the denominator's error", _is_phi(f"p{i}", a)))
        claims.append(equal(f"p{i}", silu.tail_phi(a)))
        wrong.append(equal(f"p{i}", silu.tail_phi(a) * (1 + power_of_two(-30))))
    last = f"p{len(SAMPLES)}"
    return lemma(
        "silu-bound-values",
        "The bound that the code computes is the formula of silu-tail, at sampled errors of the denominator; the last\n"
        "one is eps(-43), where Phi is at most the uniform bound of the code, and that at most 4.06e-6.",
        variables.strip(),
        tuple(hypotheses),
        both(*claims, at_most(last, uniform), at_most(uniform, Fraction(406, 10**8))),
        both(*wrong),
    )
