"""SiLU's roundings as Gappa scripts: the exponent's argument, and everything behind ex2. E stands for e^-x."""

from __future__ import annotations

from fractions import Fraction

from proofs.numerics.gappa import Range, Script, magnitude, within
from proofs.numerics.gappa_shared import ALMOST, SLACK, conversions, down, finite16, up
from proofs.numerics.gappa_terms import Term, error, real, rn16, rn32, term
from spec.contracts.model import Contract
from spec.enclosure import exp
from spec.operators import silu
from spec.scalar import F32, decode, power_of_two
from spec.scalar import rn32 as rounded32

SMALL = power_of_two(-60)
"""Where E is below this, x > 41, its error no longer counts relative to 1."""
POWER = exp(-silu.LEAST_UNIFORM * silu.ARGUMENT_ERROR)[1] * (1 + silu.EX2) - 1
"""The relative error of ex2's result (silu-power) for every x from silu.LEAST_UNIFORM to 43."""


def scripts(contract: Contract) -> list[Script]:
    """All scripts; they hold for every x from silu.LEAST_UNIFORM on, so the contract adds nothing but its name."""
    del contract
    return [*conversions(), _argument(), _result(), _large()]


def _argument() -> Script:
    x, t, c = real("x"), real("t"), real("c")
    constant = term(-decode(silu.LOG2_E_BITS, F32))
    return Script(
        "silu-argument-rounded",
        "t = mul.rn(x, -L) is within dt of x c, where c is -log2 e and L is within 1.34e-8 of log2 e.",
        (("x", rn16(real("x_"))), ("t", rn32(x * constant))),
        (
            magnitude(*finite16(x, "x")),
            Range(c, Fraction(-3, 2), Fraction(-1), "-log2 e"),
            within(error(constant, c), up(silu.LOG2_E_ERROR), "silu-log2e"),
        ),
        (within(error(t, x * c), up(silu.ARGUMENT_ERROR)),),
        (within(error(t, x * c), down(silu.ARGUMENT_ERROR * Fraction(3, 4))),),
        {"x_": Fraction(1458, 1024), "c": _constant_far_off()},
    )


def _constant_far_off() -> Fraction:
    """Something near -log2 e from which -L is nearly as far as it may be."""
    return up(decode(silu.LOG2_E_BITS, F32) / (1 + silu.LOG2_E_ERROR * ALMOST)) * -1


def _behind_power() -> tuple[tuple[str, Term], ...]:
    return (
        ("x", rn16(real("x_"))), ("e", rn32(real("e_"))), ("d", rn32(1 + real("e"))), ("r", rn32(real("r_"))),
        ("y", rn32(real("x") * real("r"))),
    )


def _result() -> Script:
    x, e, d, r, y, power = (real(name) for name in ("x", "e", "d", "r", "y", "E"))
    exact = x * (1 / (1 + power))
    bound = down(silu.phi({}) * SLACK)
    largest = up(exp(Fraction(-silu.LEAST_UNIFORM))[1])
    computed = 1 + rounded32(power_of_two(40) * (1 - POWER * Fraction(15, 16)))
    return Script(
        "silu-result",
        "y = mul.rn(x, r), r = rcp.approx(d), d = add.rn(1, e), is within Phi of x / (1 + E), where e is within\n"
        f"e^(43 dt) (1 + 2.5 * 2^-23) - 1 of E = e^-x, from x = {silu.LEAST_UNIFORM} to 41.",
        _behind_power(),
        (
            magnitude(*finite16(x, "x")),
            Range(power, SMALL, largest, "e^-x"),
            within(error(e, power), up(POWER), "silu-power"),
            within(error(r, 1 / d), up(silu.RCP), "rcp.approx, documented"),
        ),
        (within(error(y, exact), bound),),
        (within(error(y, exact), down(bound * Fraction(3, 4))),),
        {
            "x_": Fraction(1), "E": power_of_two(40), "e_": computed - 1,
            "r_": rounded32((1 + silu.RCP * Fraction(5, 8)) / computed),
        },
    )


def _large() -> Script:
    x, e, d, r, y, power = (real(name) for name in ("x", "e", "d", "r", "y", "E"))
    exact = x * (1 / (1 + power))
    bound = down(silu.tail_phi(Fraction(0)))
    return Script(
        "silu-large",
        "The same for larger x, where E is below 2^-60 and ex2 may flush: d is 1, and y is within Phi of x / (1 + E)\n"
        "with Phi of no error in the denominator.",
        _behind_power(),
        (
            magnitude(*finite16(x, "x")),
            Range(power, Fraction(0), SMALL, "e^-x"),
            Range(e, Fraction(0), 2 * SMALL, "silu-power, or flushed to 0"),
            within(error(r, 1 / d), up(silu.RCP), "rcp.approx, documented"),
        ),
        (within(error(y, exact), bound),),
        (within(error(y, exact), down(bound * Fraction(1, 2))),),
        {"x_": Fraction(1), "E": Fraction(0), "e_": Fraction(0), "r_": 1 - silu.RCP},
    )
