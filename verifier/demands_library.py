"""What the scripts of the library must say: of every finite input, and of formulas of docs/numerics.md."""

from __future__ import annotations

from fractions import Fraction

from verifier.demands import (
    GROWN,
    MOST16,
    RCP,
    U32,
    Demand,
    finite,
    in_range,
    near,
    silu_phi,
)
from verifier.script import Bounds, read_definitions

ONE = Fraction(1)


def library() -> dict[str, Demand]:
    """Every script of the library, by name."""
    return {
        "product-rounded": Demand(
            read_definitions("a = rn16(a_)\nb = rn16(b_)\np = rn32(a * b)"),
            (_any("a"), _any("b")),
            (in_range("p - a * b", 0, 0),),
        ),
        "q4-0-exact": Demand(
            read_definitions("d = rn16(d_)\nq = toward0(q_)\nk = rn32(q + -8)\ny = rn32(d * k)"),
            (_any("d"), in_range("q", 0, 15)),
            (in_range("k - (q + -8)", 0, 0), in_range("y - d * k", 0, 0)),
        ),
        "q8-0-exact": Demand(
            read_definitions("d = rn16(d_)\nq = toward0(q_)\ny = rn32(d * q)"),
            (_any("d"), in_range("q", -128, 127)),
            (in_range("y - d * q", 0, 0),),
        ),
        "q4-k-exact": _q4_k(),
        "swiglu-product": _swiglu(),
        **_rope(),
        "attention-division": Demand(
            read_definitions("O = rn32(O_)\nL = rn32(L_)\nr = rn32(r_)\ny = rn32(O * r)"),
            (
                in_range("|O|", Fraction(1, 2**60), 2**60), in_range("L", Fraction(1, 2), 2**40),
                near("r", "1 / L", RCP),
            ),
            (near("y", "O * (1 / L)", (1 + RCP) * (1 + U32) - 1),),
        ),
    }


def _any(name: str) -> Bounds:
    """Any finite binary16 number, 0 among them."""
    return in_range(f"|{name}|", 0, MOST16)


def _q4_k() -> Demand:
    return Demand(
        read_definitions(
            "d = rn16(d_)\ndmin = rn16(dmin_)\nsc = toward0(sc_)\nm = toward0(m_)\nq = toward0(q_)\n"
            "a = rn32(d * sc)\nb = rn32(a * q)\nc = rn32(dmin * m)"
        ),
        (_any("d"), _any("dmin"), in_range("sc", 0, 63), in_range("m", 0, 63), in_range("q", 0, 15)),
        (in_range("a - d * sc", 0, 0), in_range("b - d * sc * q", 0, 0), in_range("c - dmin * m", 0, 0)),
    )


def _swiglu() -> Demand:
    """Before the product, silu-result's claim; |silu| is above 2^-65 where a gate from -43 on is not 0."""
    before, after = silu_phi() * GROWN, ((1 + silu_phi()) * (1 + U32) - 1) * GROWN
    return Demand(
        read_definitions("s = rn32(s_)\nup = rn16(up_)\ny = rn32(s * up)"),
        (in_range("|s|", Fraction(1, 2**65), MOST16), finite("up"), near("s", "Q", before)),
        (near("y", "Q * up", after),),
    )


def _rope() -> dict[str, Demand]:
    """E = u (|x2 s| (1 + u) + |x1 c - x2 s|), and u (|x1 c| + |x2 s|) / (1 - u) for the tables, each at its largest."""
    turned = read_definitions(
        "x1 = rn16(x1_)\nx2 = rn16(x2_)\nc = rn32(c_)\ns = rn32(s_)\nt = rn32(x2 * s)\nr = rn32(x1 * c - t)"
    )
    rotation = U32 * (MOST16 * (1 + U32) + 2 * MOST16)
    tables = U32 * (3 + U32) + 2 * U32 / (1 - U32)
    return {
        "rope-rotation": Demand(
            turned,
            (_any("x1"), _any("x2"), in_range("|c|", 0, 1), in_range("|s|", 0, 1)),
            (in_range("r - (x1 * c - x2 * s)", -rotation, rotation),),
        ),
        "rope-tables": Demand(
            turned,
            tuple(in_range(f"|{name}|", 0, 1) for name in ("x1", "x2", "c_", "s_")),
            (in_range("r - (x1 * c_ - x2 * s_)", -tables, tables),),
        ),
    }
