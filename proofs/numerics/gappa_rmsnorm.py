"""RMSNorm's roundings behind the sum of squares, as Gappa scripts: mean and eps, then the products."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from proofs.numerics.domain import float_range, largest
from proofs.numerics.gappa import Range, Script, magnitude, within
from proofs.numerics.gappa_shared import conversions, down, finite16, up
from proofs.numerics.gappa_terms import error, real, rn16, rn32, root
from spec.approximations import TABLE
from spec.contracts.model import Contract
from spec.enclosure import sqrt
from spec.operators import rmsnorm
from spec.scalar import F16, power_of_two


def scripts(contract: Contract) -> list[Script]:
    """All scripts, for the row with the most roundings that the contract allows, and its range of eps."""
    columns = largest(contract, "columns")
    eps_range = float_range(contract, "eps")
    return [*conversions(), _prefix(columns, eps_range), _result(columns, eps_range)]


def deepest(columns: int) -> int:
    """The length up to `columns` whose sum has the most roundings: it may be one with a remainder, a bit shorter."""
    return max(range(max(1, columns - rmsnorm.VECTOR + 1), columns + 1), key=rmsnorm.depth)


def _prefix(columns: int, eps_range: tuple[Fraction, Fraction]) -> Script:
    s, mean, eps, v, exact = (real(name) for name in ("S", "mh", "eps", "vh", "V"))
    rounds = rmsnorm.depth(deepest(columns))
    bound = down(rmsnorm.gamma(rounds + 2))
    return Script(
        "rmsnorm-prefix",
        "v = add.rn(div.rn(sum, n), eps) is within g_(h+2) of V = mean + eps, where the sum is within g_h of S:\n"
        f"h = {rounds} roundings at most in {columns} columns.",
        (
            ("Sh", rn32(real("S_"))), ("mh", rn32(real("Sh") / real("n"))), ("vh", rn32(mean + eps)),
            ("V", s / real("n") + eps),
        ),
        _sum_hypotheses(columns, eps_range),
        (within(error(v, exact), bound),),
        (within(error(v, exact), down(bound * Fraction(rounds - 2, rounds + 2))),),
        _sum_witness(columns, eps_range),
    )


def _result(columns: int, eps_range: tuple[Fraction, Fraction]) -> Script:
    x, w, r, y, v = (real(name) for name in ("x", "w", "r", "y", "vh"))
    bound = down(rmsnorm.phi({"columns": deepest(columns)}))
    reciprocal = up(TABLE["rsqrt"].relative)
    exact = x * (1 / root(real("V"))) * w
    return Script(
        "rmsnorm-result",
        "y = mul.rn(mul.rn(x, r), w), r = rsqrt.approx(v), is within Phi of x w / sqrt(mean + eps), where the sum is\n"
        f"within g_h: everything behind the sum of squares, for up to {columns} columns.",
        (
            ("Sh", rn32(real("S_"))), ("mh", rn32(real("Sh") / real("n"))), ("vh", rn32(real("mh") + real("eps"))),
            ("V", real("S") / real("n") + real("eps")), ("x", rn16(real("x_"))), ("w", rn16(real("w_"))),
            ("r", rn32(real("r_"))), ("y", rn32(rn32(x * r) * w)),
        ),
        (
            *_sum_hypotheses(columns, eps_range),
            magnitude(*finite16(x, "x")),
            magnitude(*finite16(w, "w")),
            within(error(r, 1 / root(v)), reciprocal, "rsqrt.approx, documented"),
        ),
        (within(error(y, exact), bound),),
        (within(error(y, exact), down(bound * Fraction(15, 16))),),
        _sum_witness(columns, eps_range) | {"x_": Fraction(1), "w_": Fraction(1), "r_": _low_reciprocal(columns)},
    )


def _sum_hypotheses(columns: int, eps_range: tuple[Fraction, Fraction]) -> tuple[Range, ...]:
    total = real("S")
    before = up(rmsnorm.gamma(rmsnorm.depth(deepest(columns))))
    return (
        Range(total, power_of_two(2 * F16.least), columns * F16.largest**2, "a sum of squares that is not 0"),
        Range(real("n"), Fraction(1), Fraction(columns), "contract: columns"),
        Range(real("eps"), *eps_range, "contract: eps"),
        within(error(real("Sh"), total), before, "the computed sum"),
    )


def _sum_witness(columns: int, eps_range: tuple[Fraction, Fraction]) -> dict[str, Fraction]:
    """A sum of 2^20 in one column, computed as large as its error allows: the roundings behind it add little."""
    total = power_of_two(20)
    return {"S": total, "S_": total * _beyond(columns), "n": Fraction(1), "eps": eps_range[0]}


def _beyond(columns: int) -> Fraction:
    """The greatest multiple of 2^-23 that is at most 1 + g_h."""
    return floor((1 + rmsnorm.gamma(rmsnorm.depth(deepest(columns)))) * 2**23) * power_of_two(-23)


def _low_reciprocal(columns: int) -> Fraction:
    """A binary32 number near the low end of what rsqrt.approx may give for the sum of the witness."""
    least = 1 / sqrt(power_of_two(20) * _beyond(columns))[1] * (1 - TABLE["rsqrt"].relative)
    return ceil(least * 2**34) * power_of_two(-34)
