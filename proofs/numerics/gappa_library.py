"""Scripts that belong to no shipped kernel: exact products, quantised blocks, SwiGLU, RoPE, attention's division."""

from __future__ import annotations

from fractions import Fraction

from proofs.numerics.gappa import Range, Script, exact, magnitude, within
from proofs.numerics.gappa_shared import LEAST16, SLACK, down, finite16, up
from proofs.numerics.gappa_terms import Term, error, real, rn16, rn32, term, whole
from spec.approximations import TABLE
from spec.operators import rope, silu, swiglu
from spec.scalar import F16, U32, power_of_two
from spec.scalar import rn32 as rounded32

NOTHING = Fraction(0)


def scripts() -> list[Script]:
    """Every script of the library; names are unique, and none is that of a shipped kernel's script."""
    return [_product(), _q4_0(), _q8_0(), _q4_k(), _swiglu(), _rope(), _rope_tables(), _division()]


def _any16(t: Term, what: str) -> Range:
    return magnitude(t, NOTHING, F16.largest, f"{what}: finite")


def _product() -> Script:
    a, b, p = real("a"), real("b"), real("p")
    return Script(
        "product-rounded",
        "The product of two binary16 numbers is exact in binary32: mma, first fma, squares of a row.\n"
        "(The control claims that it is exact in binary16.)",
        (("a", rn16(real("a_"))), ("b", rn16(real("b_"))), ("p", rn32(a * b))),
        (_any16(a, "a"), _any16(b, "b")),
        (exact(p - a * b),),
        (exact(rn16(p) - a * b),),
        {"a_": 1 + power_of_two(-10), "b_": 1 + power_of_two(-10)},
    )


def _q4_0() -> Script:
    d, q, k, y = (real(name) for name in ("d", "q", "k", "y"))
    return Script(
        "q4-0-exact",
        "Q4_0: add.rn(q, -8) and mul.rn with the scale are exact. (The control: exact in binary16.)",
        (("d", rn16(real("d_"))), ("q", whole(real("q_"))), ("k", rn32(q + term(-8))), ("y", rn32(d * k))),
        (_any16(d, "scale"), Range(q, NOTHING, Fraction(15), "four bits")),
        (exact(k - (q + term(-8))), exact(y - d * k)),
        (exact(k - (q + term(-8))), exact(rn16(y) - d * k)),
        {"d_": 1 + power_of_two(-10), "q_": Fraction(1)},
    )


def _q8_0() -> Script:
    d, q, y = (real(name) for name in ("d", "q", "y"))
    return Script(
        "q8-0-exact",
        "Q8_0: mul.rn of scale and signed byte is exact. (The control: exact in binary16.)",
        (("d", rn16(real("d_"))), ("q", whole(real("q_"))), ("y", rn32(d * q))),
        (_any16(d, "scale"), Range(q, Fraction(-128), Fraction(127), "a signed byte")),
        (exact(y - d * q),),
        (exact(rn16(y) - d * q),),
        {"d_": 1 + power_of_two(-10), "q_": Fraction(127)},
    )


def _q4_k() -> Script:
    d, least, sc, m, q = (real(name) for name in ("d", "dmin", "sc", "m", "q"))
    a, b, c = real("a"), real("b"), real("c")
    return Script(
        "q4-k-exact",
        "Q4_K: the three products are exact, so the result is the exact value rounded once: mul and sub or fma, in\n"
        "any order, give the same word. (The control: the difference is exact too.)",
        (
            ("d", rn16(real("d_"))), ("dmin", rn16(real("dmin_"))), ("sc", whole(real("sc_"))),
            ("m", whole(real("m_"))), ("q", whole(real("q_"))),
            ("a", rn32(d * sc)), ("b", rn32(a * q)), ("c", rn32(least * m)),
        ),
        (
            _any16(d, "scale"), _any16(least, "scale of the minimum"),
            Range(sc, NOTHING, Fraction(63), "six bits"), Range(m, NOTHING, Fraction(63), "six bits"),
            Range(q, NOTHING, Fraction(15), "four bits"),
        ),
        (exact(a - d * sc), exact(b - d * sc * q), exact(c - least * m)),
        (exact(a - d * sc), exact(b - d * sc * q), exact(rn32(b - c) - (d * sc * q - least * m))),
        {"d_": Fraction(1), "dmin_": LEAST16, "sc_": Fraction(1), "m_": Fraction(1), "q_": Fraction(2)},
    )


def _swiglu() -> Script:
    s, q, u, y = (real(name) for name in ("s", "Q", "up", "y"))
    before, after = up(silu.phi({}) * SLACK), down(swiglu.phi({}) * SLACK)
    return Script(
        "swiglu-product",
        "SwiGLU's last mul.rn: s within SiLU's Phi of Q = silu(gate) gives s up within (1 + Phi)(1 + u) - 1 of Q up.",
        (("s", rn32(real("s_"))), ("up", rn16(real("up_"))), ("y", rn32(s * u))),
        (
            magnitude(s, power_of_two(-80), F16.largest, "silu(gate) from gate = -43 on, not 0"),
            magnitude(*finite16(u, "up")),
            within(error(s, q), before, "silu-result"),
        ),
        (within(error(y, q * u), after),),
        (within(error(y, q * u), before),),
        _far_product(before),
    )


def _far_product(before: Fraction) -> dict[str, Fraction]:
    """A product that is rounded away from what s approximates, s nearly as far off as it may be."""
    s = 1 + power_of_two(-23) * int(before * 2**23)
    ups = (1 + Fraction(k, 1024) for k in range(1, 1024))
    up_ = next(w for w in ups if rounded32(s * w) > s * w * (1 + U32 / 2))
    return {"Q": up(s / (1 + before * (1 - power_of_two(-8)))), "s_": s, "up_": up_}


def _rope() -> Script:
    x1, x2, c, s, r = (real(name) for name in ("x1", "x2", "c", "s", "r"))
    largest = F16.largest
    bound = down(rope.bound(largest, 2 * largest))
    result = r - (x1 * c - x2 * s)
    return Script(
        "rope-rotation",
        "fma.rn(x1, c, -mul.rn(x2, s)) for tables as they are: the error is at most the contract's E where that is\n"
        "largest.",
        _turned(),
        (
            _any16(x1, "x1"), _any16(x2, "x2"),
            magnitude(c, NOTHING, Fraction(1), "table"), magnitude(s, NOTHING, Fraction(1), "table"),
        ),
        (within(result, bound),),
        (within(result, bound * Fraction(5, 16)),),
        {"x1_": largest, "x2_": largest - 32, "c_": Fraction(1), "s_": -(1 - 39 * U32)},
    )


def _turned() -> tuple[tuple[str, Term], ...]:
    return (
        ("x1", rn16(real("x1_"))), ("x2", rn16(real("x2_"))), ("c", rn32(real("c_"))), ("s", rn32(real("s_"))),
        ("t", rn32(real("x2") * real("s"))), ("r", rn32(real("x1") * real("c") - real("t"))),
    )


def _rope_tables() -> Script:
    x1, x2, c, s, r = (real(name) for name in ("x1", "x2", "c_", "s_", "r"))
    one = Fraction(1)
    result = r - (x1 * c - x2 * s)
    return Script(
        "rope-tables",
        "The same against cosine and sine themselves, which the tables round once, for |x| <= 1: at most 5 * 2^-25.",
        _turned(),
        tuple(magnitude(t, NOTHING, one, what) for t, what in ((x1, "x1"), (x2, "x2"), (c, "cosine"), (s, "sine"))),
        (within(result, 5 * U32 / 2),),
        (within(result, 3 * U32 / 2),),
        {"x1_": one, "x2_": 1 - power_of_two(-10), "c_": _above(1 - 4 * U32), "s_": -_above(1 - 19 * U32)},
    )


def _above(table: Fraction) -> Fraction:
    """A number that rounds to this one below 1 in binary32, nearly as far off as it may be."""
    return table + U32 / 2 * (1 - power_of_two(-8))


def _division() -> Script:
    o, total, r, y = (real(name) for name in ("O", "L", "r", "y"))
    reciprocal = TABLE["rcp"].relative
    bound, divisor = down((1 + reciprocal) * (1 + U32) - 1), Fraction(1987, 1024)
    return Script(
        "attention-division",
        "y = mul.rn(O, r), r = rcp.approx(L), is within (1 + 1.5 * 2^-23)(1 + u) - 1 of O / L: attention's end.",
        (("O", rn32(real("O_"))), ("L", rn32(real("L_"))), ("r", rn32(real("r_"))), ("y", rn32(o * r))),
        (
            magnitude(o, power_of_two(-60), power_of_two(60), "the weighted sum, not 0"),
            Range(total, Fraction(1, 2), power_of_two(40), "the sum of weights, the largest of them about 1"),
            within(error(r, 1 / total), up(reciprocal), "rcp.approx, documented"),
        ),
        (within(error(y, o * (1 / total)), bound),),
        (within(error(y, o * (1 / total)), down(bound * Fraction(31, 32))),),
        {"O_": 1 - power_of_two(-10), "L_": divisor, "r_": rounded32((1 + reciprocal * Fraction(63, 64)) / divisor)},
    )
