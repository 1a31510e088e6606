"""Floating-point arithmetic and comparison: f32, f64, f16, bf16 and their packed pairs (PTX ISA 9.7.3, .4, .6, .7).

Without a rounding part add, sub and mul round to nearest even, but an assembler may contract them
(`Row.contractible`); the domain is then told the rounding ''.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spec.ptx.ast import type_width
from spec.ptx.domain import Domain
from spec.ptx.isa_integer import combine, set_word
from spec.ptx.row import BOUNDED, EXACT, Form, Row

W = TypeVar("W")
P = TypeVar("P")

_T = "{type}"
_ROUND = "[round:rn|rz|rm|rp]"
_MUST_ROUND = "{round:rn|rz|rm|rp}"
_HALVES = "{type:f16|f16x2|bf16|bf16x2}"
_FLOAT_CMP = "{cmp:eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}"
_BOOLEANS = "{bool:and|or|xor}"


def by_halves(x: Domain[W, P], f: Form, operation: Callable[..., W], *args: W) -> W:
    """operation(format, *args), applied to each half of a packed type on its own."""
    t = f.type
    if not t.endswith("x2"):
        return operation(t, *args)
    parts = [x.split(16, 2, a) for a in args]
    return x.concat(16, tuple(operation(t.removesuffix("x2"), *(p[i] for p in parts)) for i in range(2)))


def _add(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return by_halves(x, f, lambda t, p, q: x.fadd(t, f["round"], f.has("ftz"), f.has("sat"), p, q), a, b)


def _sub(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return by_halves(x, f, lambda t, p, q: x.fsub(t, f["round"], f.has("ftz"), f.has("sat"), p, q), a, b)


def _mul(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return by_halves(x, f, lambda t, p, q: x.fmul(t, f["round"], f.has("ftz"), f.has("sat"), p, q), a, b)


def _fma(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> W:
    def one(t: str, p: W, q: W, r: W) -> W:
        result = x.ffma(t, f["round"], f.has("ftz"), f.has("sat"), p, q, r)
        # relu: negative results and -0 become +0, NaN stays NaN.
        return x.fmax(t, False, True, result, x.const(16, 0)) if f.has("relu") else result

    return by_halves(x, f, one, a, b, c)


def _min(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return by_halves(x, f, lambda t, p, q: x.fmin(t, f.has("ftz"), f.has("nan"), p, q), a, b)


def _max(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return by_halves(x, f, lambda t, p, q: x.fmax(t, f.has("ftz"), f.has("nan"), p, q), a, b)


def _xorsign(name: str) -> Callable[..., object]:
    """min or max of the magnitudes, with the product's sign."""

    def meaning(x: Domain[W, P], f: Form, a: W, b: W) -> W:
        def one(t: str, p: W, q: W) -> W:
            w = type_width(t)
            sign = x.bit_and(w, x.bit_xor(w, p, q), x.const(w, 1 << (w - 1)))
            sizes = [x.bit_and(w, v, x.const(w, (1 << (w - 1)) - 1)) for v in (p, q)]
            chosen = (x.fmin if name == "min" else x.fmax)(t, f.has("ftz"), f.has("nan"), *sizes)
            return x.bit_or(w, chosen, sign)

        return by_halves(x, f, one, a, b)

    return meaning


def _neg(x: Domain[W, P], f: Form, a: W) -> W:
    return by_halves(x, f, lambda t, p: x.fneg(t, f.has("ftz"), p), a)


def _abs(x: Domain[W, P], f: Form, a: W) -> W:
    return by_halves(x, f, lambda t, p: x.fabs(t, f.has("ftz"), p), a)


def _copysign(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    """The magnitude of b with the sign of a (PTX ISA 9.7.3.2)."""
    sign = x.const(f.width, 1 << (f.width - 1))
    return x.bit_or(f.width, x.bit_and(f.width, a, sign), x.bit_and(f.width, b, x.bit_not(f.width, sign)))


def _one(f: Form) -> int:
    return 0x3F800000 if f.width == 32 else 0x3FF0000000000000


def _approx(name: str) -> Callable[..., object]:
    def meaning(x: Domain[W, P], f: Form, *args: W) -> W:
        return by_halves(x, f, lambda t, *v: x.approximate(name, t, f.has("ftz"), v), *args)

    return meaning


def _setp(x: Domain[W, P], f: Form, a: W, b: W) -> tuple[P, P]:
    holds = x.fcompare(f.type, f.has("ftz"), f["cmp"], a, b)
    return holds, x.p_not(holds)


def _setp_with(x: Domain[W, P], f: Form, a: W, b: W, c: P) -> tuple[P, P]:
    holds = x.fcompare(f.type, f.has("ftz"), f["cmp"], a, b)
    return combine(x, f["bool"], holds, c), combine(x, f["bool"], x.p_not(holds), c)


def _setp_packed(x: Domain[W, P], f: Form, a: W, b: W) -> tuple[P, P]:
    """p for the low halves, q for the high ones (PTX ISA 9.7.7.2)."""
    low_a, high_a = x.split(16, 2, a)
    low_b, high_b = x.split(16, 2, b)
    t, ftz = f.type.removesuffix("x2"), f.has("ftz")
    return x.fcompare(t, ftz, f["cmp"], low_a, low_b), x.fcompare(t, ftz, f["cmp"], high_a, high_b)


def _set(x: Domain[W, P], f: Form, a: W, b: W) -> W:
    return set_word(x, f["target"], x.fcompare(f.type, f.has("ftz"), f["cmp"], a, b))


def _testp(x: Domain[W, P], f: Form, a: W) -> P:
    w = f.width
    mantissa = 23 if w == 32 else 52
    infinity = ((1 << (w - 1 - mantissa)) - 1) << mantissa
    magnitude = x.bit_and(w, a, x.const(w, (1 << (w - 1)) - 1))

    def less(bound: int) -> P:
        return x.compare(w, False, "lt", magnitude, x.const(w, bound))

    subnormal = x.p_and(less(1 << mantissa), x.p_not(less(1)))
    if f["property"] == "finite":
        return less(infinity)
    if f["property"] == "infinite":
        return x.compare(w, False, "eq", magnitude, x.const(w, infinity))
    if f["property"] == "notanumber":
        return x.p_not(less(infinity + 1))
    if f["property"] == "number":
        return less(infinity + 1)
    if f["property"] == "subnormal":
        return subnormal
    return x.p_and(less(infinity), x.p_not(subnormal))  # zeros count as normal here


def _arithmetic(base: str, meaning: Callable[..., object], sections: tuple[str, str]) -> tuple[Row, ...]:
    """add, sub or mul in every format."""
    single, half = sections
    two = (_T, _T)
    return (
        Row(f"{base}{_ROUND}[ftz:ftz][sat:sat].{{type:f32}}", (_T,), two, EXACT, single, meaning, contractible=True),
        Row(f"{base}{_ROUND}.{{type:f64}}", (_T,), two, EXACT, single, meaning, contractible=True),
        Row(
            f"{base}[round:rn][ftz:ftz][sat:sat].{{type:f16|f16x2}}", (_T,), two, EXACT, half, meaning,
            contractible=True,
        ),
        Row(f"{base}[round:rn].{{type:bf16|bf16x2}}", (_T,), two, EXACT, half, meaning, contractible=True),
    )


def _extremum(base: str, meaning: Callable[..., object], sections: tuple[str, str]) -> tuple[Row, ...]:
    """min or max in every format; `.NaN` hands NaN on."""
    single, half = sections
    return (
        Row(f"{base}[ftz:ftz][nan:NaN].{{type:f32}}", (_T,), (_T, _T), EXACT, single, meaning),
        Row(f"{base}.{{type:f64}}", (_T,), (_T, _T), EXACT, single, meaning),
        Row(f"{base}[ftz:ftz][nan:NaN].{{type:f16|f16x2}}", (_T,), (_T, _T), EXACT, half, meaning),
        Row(f"{base}[nan:NaN].{{type:bf16|bf16x2}}", (_T,), (_T, _T), EXACT, half, meaning),
        Row(f"{base}[ftz:ftz][nan:NaN].{{xor:xorsign.abs}}.{{type:f32}}", (_T,), (_T, _T), EXACT, single,
            _xorsign(base)),
        Row(f"{base}[ftz:ftz][nan:NaN].{{xor:xorsign.abs}}.{{type:f16|f16x2}}", (_T,), (_T, _T), EXACT, half,
            _xorsign(base)),
        Row(f"{base}[nan:NaN].{{xor:xorsign.abs}}.{{type:bf16|bf16x2}}", (_T,), (_T, _T), EXACT, half, _xorsign(base)),
    )


def _sign(base: str, meaning: Callable[..., object], sections: tuple[str, str]) -> tuple[Row, ...]:
    """neg or abs in every format."""
    single, half = sections
    return (
        Row(f"{base}[ftz:ftz].{{type:f32}}", (_T,), (_T,), EXACT, single, meaning),
        Row(f"{base}.{{type:f64}}", (_T,), (_T,), EXACT, single, meaning),
        Row(f"{base}[ftz:ftz].{{type:f16|f16x2}}", (_T,), (_T,), EXACT, half, meaning),
        Row(f"{base}.{{type:bf16|bf16x2}}", (_T,), (_T,), EXACT, half, meaning),
    )


def _slct(x: Domain[W, P], f: Form, a: W, b: W, c: W) -> W:
    """a where c is at least 0 of either sign, b where it is below or NaN (PTX ISA 9.7.6.4): told by its bits."""
    positive = x.compare(32, False, "le", c, x.const(32, 0x7F800000))
    ignored = 0x007FFFFF if f.has("ftz") else 0
    minus_zero = x.compare(32, False, "eq", x.bit_or(32, c, x.const(32, ignored)), x.const(32, 0x80000000 | ignored))
    return x.select(f.width, x.p_or(positive, minus_zero), a, b)


def _division() -> tuple[Row, ...]:
    def quotient(x: Domain[W, P], f: Form, a: W, b: W) -> W:
        return x.fdiv(f.type, f["round"], f.has("ftz"), a, b)

    def reciprocal(x: Domain[W, P], f: Form, a: W) -> W:
        return x.fdiv(f.type, f["round"], f.has("ftz"), x.const(f.width, _one(f)), a)

    def root(x: Domain[W, P], f: Form, a: W) -> W:
        return x.fsqrt(f.type, f["round"], f.has("ftz"), a)

    f32, f64 = f"{_MUST_ROUND}[ftz:ftz].{{type:f32}}", f"{_MUST_ROUND}.{{type:f64}}"
    return (
        Row(f"div.{f32}", (_T,), (_T, _T), EXACT, "9.7.3.8", quotient),
        Row(f"div.{f64}", (_T,), (_T, _T), EXACT, "9.7.3.8", quotient),
        Row(f"rcp.{f32}", (_T,), (_T,), EXACT, "9.7.3.13", reciprocal),
        Row(f"rcp.{f64}", (_T,), (_T,), EXACT, "9.7.3.13", reciprocal),
        Row(f"sqrt.{f32}", (_T,), (_T,), EXACT, "9.7.3.15", root),
        Row(f"sqrt.{f64}", (_T,), (_T,), EXACT, "9.7.3.15", root),
    )


def _approximations() -> tuple[Row, ...]:
    single = "approx[ftz:ftz].{type:f32}"
    unary = {"rcp": "13", "sqrt": "15", "rsqrt": "16", "sin": "18", "cos": "19", "lg2": "20", "ex2": "21"}
    return (
        *(Row(f"{b}.{single}", (_T,), (_T,), BOUNDED, f"9.7.3.{s}", _approx(b)) for b, s in unary.items()),
        Row("tanh.approx.{type:f32}", (_T,), (_T,), BOUNDED, "9.7.3.22", _approx("tanh")),
        Row(f"tanh.approx.{_HALVES}", (_T,), (_T,), BOUNDED, "9.7.4.9", _approx("tanh")),
        Row("ex2.approx.{type:f16|f16x2}", (_T,), (_T,), BOUNDED, "9.7.4.10", _approx("ex2")),
        Row("ex2.approx.{ftz:ftz}.{type:bf16|bf16x2}", (_T,), (_T,), BOUNDED, "9.7.4.10", _approx("ex2")),
        Row(f"div.{single}", (_T,), (_T, _T), BOUNDED, "9.7.3.8", _approx("div")),
        Row("div.full[ftz:ftz].{type:f32}", (_T,), (_T, _T), BOUNDED, "9.7.3.8", _approx("div_full")),
    )


def _comparisons() -> tuple[Row, ...]:
    two, both = (_T, _T), ("pred", "pred?")
    f32 = "[ftz:ftz].{type:f32}"
    return (
        Row(f"setp.{_FLOAT_CMP}{f32}", both, two, EXACT, "9.7.6.2", _setp),
        Row(f"setp.{_FLOAT_CMP}.{{type:f64}}", both, two, EXACT, "9.7.6.2", _setp),
        Row(f"setp.{_FLOAT_CMP}.{_BOOLEANS}{f32}", both, (*two, "pred"), EXACT, "9.7.6.2", _setp_with),
        Row(f"setp.{_FLOAT_CMP}.{_BOOLEANS}.{{type:f64}}", both, (*two, "pred"), EXACT, "9.7.6.2", _setp_with),
        Row(f"setp.{_FLOAT_CMP}[ftz:ftz].{{type:f16}}", both, two, EXACT, "9.7.7.2", _setp),
        Row(f"setp.{_FLOAT_CMP}.{{type:bf16}}", both, two, EXACT, "9.7.7.2", _setp),
        Row(f"setp.{_FLOAT_CMP}[ftz:ftz].{{type:f16x2}}", ("pred", "pred"), two, EXACT, "9.7.7.2", _setp_packed),
        Row(f"setp.{_FLOAT_CMP}.{{type:bf16x2}}", ("pred", "pred"), two, EXACT, "9.7.7.2", _setp_packed),
        Row(
            f"set.{_FLOAT_CMP}[ftz:ftz].{{target:u32|s32|f32}}.{{type:f32}}", ("{target}",), two, EXACT, "9.7.6.1",
            _set,
        ),
        Row(f"set.{_FLOAT_CMP}.{{target:u32|s32|f32}}.{{type:f64}}", ("{target}",), two, EXACT, "9.7.6.1", _set),
        Row(
            "slct[ftz:ftz].{type:b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64}.{selector:f32}", (_T,), (*two, "f32"),
            EXACT, "9.7.6.4", _slct,
        ),
    )


ROWS: tuple[Row, ...] = (
    *_arithmetic("add", _add, ("9.7.3.3", "9.7.4.1")),
    *_arithmetic("sub", _sub, ("9.7.3.4", "9.7.4.2")),
    *_arithmetic("mul", _mul, ("9.7.3.5", "9.7.4.3")),
    Row(f"fma.{_MUST_ROUND}[ftz:ftz][sat:sat].{{type:f32}}", (_T,), (_T, _T, _T), EXACT, "9.7.3.6", _fma),
    Row(f"fma.{_MUST_ROUND}.{{type:f64}}", (_T,), (_T, _T, _T), EXACT, "9.7.3.6", _fma),
    Row("fma.{round:rn}[ftz:ftz][sat:sat].{type:f16|f16x2}", (_T,), (_T, _T, _T), EXACT, "9.7.4.4", _fma),
    Row("fma.{round:rn}[ftz:ftz].{relu:relu}.{type:f16|f16x2}", (_T,), (_T, _T, _T), EXACT, "9.7.4.4", _fma),
    Row("fma.{round:rn}[relu:relu].{type:bf16|bf16x2}", (_T,), (_T, _T, _T), EXACT, "9.7.4.4", _fma),
    Row(f"mad.{_MUST_ROUND}[ftz:ftz][sat:sat].{{type:f32}}", (_T,), (_T, _T, _T), EXACT, "9.7.3.7", _fma),
    Row(f"mad.{_MUST_ROUND}.{{type:f64}}", (_T,), (_T, _T, _T), EXACT, "9.7.3.7", _fma),
    *_sign("neg", _neg, ("9.7.3.10", "9.7.4.5")),
    *_sign("abs", _abs, ("9.7.3.9", "9.7.4.6")),
    *_extremum("min", _min, ("9.7.3.11", "9.7.4.7")),
    *_extremum("max", _max, ("9.7.3.12", "9.7.4.8")),
    Row("copysign.{type:f32|f64}", (_T,), (_T, _T), EXACT, "9.7.3.2", _copysign),
    Row(
        "testp.{property:finite|infinite|number|notanumber|normal|subnormal}.{type:f32|f64}", ("pred",), (_T,), EXACT,
        "9.7.3.1", _testp,
    ),
    *_division(),
    *_approximations(),
    *_comparisons(),
)
