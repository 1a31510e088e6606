"""What the scripts behind an operator's error bound must say, from the contract's numbers and nothing else.

A script may assume less than is listed here (a wider range, one hypothesis fewer) and claim more (a narrower range),
never the other way round. Definitions must be these. Source of the formulas: docs/numerics.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from verifier.contract import Contract
from verifier.findings import Unreadable
from verifier.script import Bounds, Script, Term, read_definitions, read_expression, relative
from verifier.terms import Name

U16, U32 = Fraction(1, 2**11), Fraction(1, 2**24)
LEAST16, MOST16 = Fraction(1, 2**24), Fraction(65504)
OVERFLOW16 = Fraction(65520)
GROWN = 1 + Fraction(1, 2**40)
"""The harness makes every bound so much larger, so a claim may be."""
EX2, RCP = Fraction(5, 2) / 2**23, Fraction(3, 2) / 2**23
LOG2E = Fraction(0xB8AA3B, 2**23)
"""RN32(log2 e)."""
LOG2E_ERROR = Fraction(134, 10**10)
SILU_FROM = -43


@dataclass(frozen=True)
class Demand:
    """Definitions, what a script may assume, and what it must claim."""

    definitions: tuple[tuple[str, Term], ...]
    hypotheses: tuple[Bounds, ...]
    goals: tuple[Bounds, ...]

    def unmet(self, script: Script) -> list[str]:
        """What is wrong with a script, in words."""
        wrong = []
        if script.definitions != self.definitions:
            wrong.append("its definitions are not the operations of the contract")
        wrong += self.assumed_too_much(script)
        for goal in self.goals:
            claimed = [g for g in script.goals if g.term == goal.term]
            if not any(goal.low <= g.low and g.high <= goal.high for g in claimed):
                wrong.append(f"it does not claim the bound: {_shown(goal)} is demanded")
        if len(script.goals) != len(self.goals):
            wrong.append(f"{len(self.goals)} goals are demanded, it has {len(script.goals)}")
        return wrong

    def assumed_too_much(self, script: Script) -> list[str]:
        """Hypotheses that are not in the contract, or narrower than there."""
        wrong = []
        for given in script.hypotheses:
            allowed = [h for h in self.hypotheses if h.term == given.term]
            if not any(given.low <= h.low and h.high <= given.high for h in allowed):
                known = f"; the contract gives {_shown(allowed[0])}" if allowed else ""
                wrong.append(f"it assumes {_shown(given)}{known}")
        return wrong


def _shown(b: Bounds) -> str:
    return f"{_text(b.term)} in [{float(b.low)!r}, {float(b.high)!r}]"


def _text(term: Term) -> str:
    if term[0] in ("name", "number"):
        return str(term[1])
    parts = [_text(t) for t in term[1:]]
    return f"{term[0]}({parts[0]})" if len(parts) == 1 else f"({parts[0]} {term[0]} {parts[1]})"


def in_range(text: str, low: Fraction | int, high: Fraction | int) -> Bounds:
    """An expression in a closed range."""
    return Bounds(read_expression(text), Fraction(low), Fraction(high))


def near(computed: str, exact: str, bound: Fraction) -> Bounds:
    """A relative error of at most the bound."""
    return Bounds(relative(computed, exact), -bound, bound)


def finite(name: str) -> Bounds:
    """A finite binary16 number that is not 0."""
    return in_range(f"|{name}|", LEAST16, MOST16)


def _conversions() -> dict[str, Demand]:
    definitions = read_definitions("y = rn16(x)")
    normal, half = Fraction(1, 2**14), LEAST16 / 2
    return {
        "cvt-relative": Demand(definitions, (in_range("|x|", normal, OVERFLOW16),), (near("y", "x", U16),)),
        "cvt-absolute": Demand(definitions, (in_range("|x|", 0, normal),), (in_range("y - x", -half, half),)),
    }


# --- RMSNorm ----------------------------------------------------------------------------------------------------------


def most(contract: Contract, name: str) -> int:
    """The upper end of a parameter's range: the least of the contract's clauses `name <= number`."""
    found = []
    for clause in contract.requires:
        match clause:
            case ("<=", Name(parameter), int(high)) | (">=", int(high), Name(parameter)) if parameter == name:
                found.append(high)
            case ("<", Name(parameter), int(high)) | (">", int(high), Name(parameter)) if parameter == name:
                found.append(high - 1)
    if not found:
        raise Unreadable(f"the contract of {contract.entry} gives {name} no upper end")
    return min(found)


def roundings(columns: int, threads: int) -> int:
    """The most roundings between a square and the sum, over all rows of up to `columns` elements.

    A thread adds whole vectors of 8 in turns and at most one element of the rest; its first addition is exact. Then
    come the trees over a warp and over the warps.
    """
    def chain(length: int) -> int:
        vectors = length // 8
        mine = [8 * ((vectors - t + threads - 1) // threads) + (t < length % 8) for t in range(min(threads, 8))]
        return max(mine)

    longest = max(chain(length) for length in range(max(1, columns - 8 * threads), columns + 1))
    return longest - 1 + 5 + (threads // 32 - 1).bit_length()


def gamma(n: int) -> Fraction:
    """n u / (1 - n u)."""
    return n * U32 / (1 - n * U32)


def rsqrt_error() -> Fraction:
    """2^-22.9, rounded up at the 90th bit: the least such q with (q 2^22.9)^10 >= 1."""
    low, high = 0, 2**90
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if Fraction(middle, 2**90) ** 10 * 2**229 >= 1 else (middle, high)
    return Fraction(high, 2**90)


_SUM = """Sh = rn32(S_)
mh = rn32(Sh / n)
vh = rn32(mh + eps)
V = S / n + eps
"""
_ROW = _SUM + """x = rn16(x_)
w = rn16(w_)
r = rn32(r_)
y = rn32(rn32(x * r) * w)
"""


def _rmsnorm(contract: Contract) -> dict[str, Demand]:
    columns = most(contract, "columns")
    x, y, z = contract.block
    h = roundings(columns, x * y * z)
    low, high = (Fraction(end) for end in contract.float_ranges["eps"])
    g, rho = gamma(h + 2), rsqrt_error()
    sums = (
        in_range("S", LEAST16**2, columns * MOST16**2), in_range("n", 1, columns), in_range("eps", low, high),
        near("Sh", "S", gamma(h)),
    )
    rows = (*sums, finite("x"), finite("w"), near("r", "1 / sqrt(vh)", rho))
    phi = (1 + g / 2 * (1 + g)) * (1 + rho) * (1 + U32) ** 2 - 1
    return _conversions() | {
        "rmsnorm-prefix": Demand(read_definitions(_SUM), sums, (near("vh", "V", g),)),
        "rmsnorm-result": Demand(read_definitions(_ROW), rows, (near("y", "x * (1 / sqrt(V)) * w", phi * GROWN),)),
    }


# --- SiLU -------------------------------------------------------------------------------------------------------------


def exponential(x: Fraction) -> Fraction:
    """e^x for 0 <= x <= 64, rounded up: the series at x / 2^7 with its rest doubled, squared seven times."""
    part, total, term = x / 128, Fraction(0), Fraction(1)
    for k in range(1, 40):
        total, term = total + term, term * part / k
    total += 2 * term
    for _ in range(7):
        total = Fraction(-((-total.numerator << 200) // total.denominator), 1 << 200) ** 2
    return total


_POWER = """x = rn16(x_)
e = rn32(e_)
d = rn32(1 + e)
r = rn32(r_)
y = rn32(x * r)
"""
_ARGUMENT = """x = rn16(x_)
t = rn32(x * -12102203b-23)
"""


def _silu_argument() -> Fraction:
    return (1 + U32) * (1 + LOG2E_ERROR) - 1


def _silu_power() -> Fraction:
    return exponential(-SILU_FROM * _silu_argument()) * (1 + EX2) - 1


def _silu_tail(denominator: Fraction) -> Fraction:
    return (1 + U32) * (1 + RCP) / ((1 - U32) * (1 - denominator)) - 1


def silu_phi() -> Fraction:
    """Phi for every x from SILU_FROM on."""
    return _silu_tail(_silu_power())


def _silu(_: Contract) -> dict[str, Demand]:
    dt, eps = _silu_argument(), _silu_power()
    tiny, tiny16 = Fraction(1, 2**60), Fraction(1, 2**16)
    reciprocal = near("r", "1 / d", RCP)
    exact = "x * (1 / (1 + E))"
    return _conversions() | {
        "silu-argument-rounded": Demand(
            read_definitions(_ARGUMENT),
            (finite("x"), in_range("c", -LOG2E - tiny16, -LOG2E + tiny16), near("-12102203b-23", "c", LOG2E_ERROR)),
            (near("t", "x * c", dt * GROWN),),
        ),
        "silu-result": Demand(
            read_definitions(_POWER),
            (finite("x"), in_range("E", tiny, exponential(Fraction(-SILU_FROM))), near("e", "E", eps), reciprocal),
            (near("y", exact, silu_phi() * GROWN),),
        ),
        "silu-large": Demand(
            read_definitions(_POWER),
            (finite("x"), in_range("E", 0, tiny), in_range("e", 0, tiny * (1 + eps)), reciprocal),
            (near("y", exact, _silu_tail(Fraction(0)) * GROWN),),
        ),
    }


DEMANDS: dict[str, Callable[[Contract], dict[str, Demand]]] = {"rmsnorm": _rmsnorm, "silu": _silu}
"""By operator. An operator that is not here needs no scripts, and may have none."""


def demands(operator: str, contract: Contract) -> dict[str, Demand]:
    """Every script that an entry of this operator must have, by name."""
    return DEMANDS[operator](contract) if operator in DEMANDS else {}
