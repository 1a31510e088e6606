"""Identities of binary16 and binary32 arithmetic, over all words, as floating-point queries that Bitwuzla decides.

`=` is equality of values: all NaN are one, +0 and -0 differ. An exact operation is one whose results rounded up and
rounded down are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import bitwuzla

from proofs.numerics.lemma import Hypothesis, Lemma, Term, apply, both, equal, given, query
from proofs.numerics.obligation import Decided
from spec.scalar import F16, F32, Format

LOGIC = "QF_BVFP"
PREFIX = "binary16"
CALLS = 20_000_000
"""How often Bitwuzla may ask whether to go on with one query: a count of its steps, whatever the machine's load."""

HALF, SINGLE = "Float16", "Float32"
UP, DOWN, NEAREST = "RTP", "RTN", "RNE"
COUNTEREXAMPLE = (0x4576, 0xC3F5, 0x8882)
"""a, b, c for which fma.rn.f32 rounded to binary16 is not fma.rn.f16."""
LIMIT, LEAST = 0x477FF000, 0x33000000
"""65520 and 2^-25 in binary32."""
PLUS_ZERO = "(_ +zero 8 24)"


def identities() -> list[Lemma]:
    """What residual adds, copies, conversions and products of binary16 rest on."""
    return [
        _once("add", "A sum"),
        _once("sub", "A difference"),
        _once("mul", "A product"),
        _double_rounding(),
        _round_trip(),
        _round_again(),
        _widen_class(),
        _widen_order(),
        _signs(),
        _subtract(),
        _product_exact(),
        _first_fma(),
        _quant_exact(),
        _subnormal_sum(),
        _round_order(),
        _overflow(),
        _underflow(),
    ]


def wide(a: Term) -> Term:
    """cvt.f32.f16."""
    return f"((_ to_fp 8 24) RNE {a})"


def narrow(a: Term) -> Term:
    """cvt.rn.f16.f32."""
    return f"((_ to_fp 5 11) RNE {a})"


def _rounded(op: str, mode: str, *parts: Term) -> Term:
    return f"(fp.{op} {mode} {' '.join(parts)})"


def _word(bits: int, form: Format) -> Term:
    """The number whose word this is."""
    digits = f"#x{bits:0{form.width // 4}x}"
    return f"((_ to_fp 5 11) {digits})" if form is F16 else f"((_ to_fp 8 24) {digits})"


def _implies(a: Term, b: Term) -> Term:
    return apply("=>", a, b)


def _negate(a: Term) -> Term:
    return apply("not", a)


def _is(kind: str, a: Term) -> Term:
    return apply(f"fp.is{kind}", a)


def _identity(
    name: str, comment: str, variables: dict[str, str], hypotheses: Sequence[Hypothesis], claim: Term, too_strong: Term
) -> Lemma:
    return query(LOGIC, name, comment, variables, tuple(hypotheses), claim, too_strong)


def _halves(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, HALF)


def _once(op: str, what: str) -> Lemma:
    wider = narrow(_rounded(op, NEAREST, wide("a"), wide("b")))
    return _identity(
        f"f16-{op}-once",
        f"{what} of two binary16 numbers rounded to binary32 and then to binary16 is rounded once: RN16(RN32(.)) is\n"
        f"{op}.rn.f16. Truncation would give something else.",
        _halves("a", "b"),
        (),
        equal(wider, _rounded(op, NEAREST, "a", "b")),
        equal(wider, _rounded(op, "RTZ", "a", "b")),
    )


def _double_rounding() -> Lemma:
    a, b, c = (_word(bits, F16) for bits in COUNTEREXAMPLE)
    differs = _negate(
        equal(narrow(_rounded("fma", NEAREST, *map(wide, "abc"))), _rounded("fma", NEAREST, "a", "b", "c"))
    )
    words = " ".join(f"0x{bits:04X}" for bits in COUNTEREXAMPLE)
    return _identity(
        "f16-fma-twice",
        f"Not so for fma: with a, b, c = {words} the two roundings give another result than fma.rn.f16. A contract\n"
        "must say `via binary32`. The control says that they differ for every c.",
        _halves("a", "b", "c"),
        (given("two of the operands", both(equal("a", a), equal("b", b))),),
        _implies(equal("c", c), differs),
        differs,
    )


def _round_trip() -> Lemma:
    return _identity(
        "f16-round-trip",
        "cvt.f32.f16 and back gives the number again: subnormal numbers, zeros with their sign, Inf, and NaN as NaN.",
        _halves("a"),
        (),
        equal(narrow(wide("a")), "a"),
        _negate(_is("NaN", narrow(wide("a")))),
    )


def _round_again() -> Lemma:
    return _identity(
        "f16-round-again",
        "A binary32 number that was rounded to binary16 is not changed by rounding it again.",
        {"x": SINGLE},
        (),
        equal(narrow(wide(narrow("x"))), narrow("x")),
        equal(wide(narrow("x")), "x"),
    )


def _widen_class() -> Lemma:
    kinds = ("NaN", "Infinite", "Zero", "Negative", "Positive")
    return _identity(
        "f16-widen-class",
        "cvt.f32.f16 keeps class and sign, and no binary16 number is subnormal in binary32: .ftz cannot change it.",
        _halves("a"),
        (),
        both(*(equal(_is(kind, wide("a")), _is(kind, "a")) for kind in kinds), _negate(_is("Subnormal", wide("a")))),
        equal(_is("Normal", wide("a")), _is("Normal", "a")),
    )


def _widen_order() -> Lemma:
    return _identity(
        "f16-widen-order",
        "Comparisons and selections may be made in binary32: a < b holds of the widened numbers where it does of a, b.",
        _halves("a", "b"),
        (),
        equal(apply("fp.lt", wide("a"), wide("b")), apply("fp.lt", "a", "b")),
        equal(apply("fp.lt", wide("a"), wide("b")), apply("fp.leq", "a", "b")),
    )


def _signs() -> Lemma:
    return _identity(
        "f16-sign",
        "neg and abs of binary16 may be made in binary32.",
        _halves("a"),
        (),
        both(
            equal(narrow(apply("fp.neg", wide("a"))), apply("fp.neg", "a")),
            equal(narrow(apply("fp.abs", wide("a"))), apply("fp.abs", "a")),
        ),
        equal(narrow(apply("fp.abs", wide("a"))), "a"),
    )


def _subtract() -> Lemma:
    opposite = _rounded("add", NEAREST, apply("fp.neg", "a"), apply("fp.neg", "b"))
    return _identity(
        "f16-subtract",
        "a - b is a + (-b), bit for bit. The control: -(a + b) is not (-a) + (-b) where the sum is zero.",
        _halves("a", "b"),
        (),
        equal(_rounded("sub", NEAREST, "a", "b"), _rounded("add", NEAREST, "a", apply("fp.neg", "b"))),
        equal(apply("fp.neg", _rounded("add", NEAREST, "a", "b")), opposite),
    )


def _product_exact() -> Lemma:
    return _identity(
        "f16-product-exact",
        "The product of two binary16 numbers is exact in binary32. It is not in binary16.",
        _halves("a", "b"),
        (),
        equal(_rounded("mul", UP, wide("a"), wide("b")), _rounded("mul", DOWN, wide("a"), wide("b"))),
        equal(_rounded("mul", UP, "a", "b"), _rounded("mul", DOWN, "a", "b")),
    )


def _first_fma() -> Lemma:
    product = _rounded("mul", NEAREST, wide("a"), wide("b"))
    first = _rounded("fma", NEAREST, wide("a"), wide("b"), PLUS_ZERO)
    return _identity(
        "f16-first-fma",
        "fma.rn.f32(a, b, +0) of binary16 numbers is the exact product. Only the sign of a zero may change:\n"
        "-0 + 0 is +0.",
        _halves("a", "b"),
        (given("no NaN, as fp.eq says nothing of it", _negate(_is("NaN", product))),),
        apply("fp.eq", first, product),
        equal(first, product),
    )


def _quant_exact() -> Lemma:
    factor, narrower = "((_ to_fp 8 24) RNE q)", "((_ to_fp 5 11) RNE q)"
    return _identity(
        "f16-int8-exact",
        "A binary16 scale times an 8-bit signed integer (Q8_0; Q4_0 is the case of 4 bits) is exact in binary32.",
        {"a": HALF, "q": "(_ BitVec 8)"},
        (),
        equal(_rounded("mul", UP, wide("a"), factor), _rounded("mul", DOWN, wide("a"), factor)),
        equal(_rounded("mul", UP, "a", narrower), _rounded("mul", DOWN, "a", narrower)),
    )


def _subnormal_sum() -> Lemma:
    exact = equal(_rounded("add", UP, "x", "y"), _rounded("add", DOWN, "x", "y"))
    return _identity(
        "f32-subnormal-sum",
        "A binary32 sum that is subnormal is exact: the rounding error of a sum is relative, down to zero.",
        {"x": SINGLE, "y": SINGLE},
        (),
        _implies(_is("Subnormal", _rounded("add", NEAREST, "x", "y")), exact),
        exact,
    )


def _round_order() -> Lemma:
    return _identity(
        "f16-round-order",
        "Rounding to binary16 is monotone: what lies between s - E and s + E is stored between their roundings.",
        {"x": SINGLE, "y": SINGLE},
        (given("in order", apply("fp.leq", "x", "y")),),
        apply("fp.leq", narrow("x"), narrow("y")),
        apply("fp.lt", narrow("x"), narrow("y")),
    )


def _overflow() -> Lemma:
    limit = _word(LIMIT, F32)
    infinite = _is("Infinite", narrow("x"))
    return _identity(
        "f16-overflow",
        "cvt.rn.f16.f32 gives Inf from 65520 on, 65504 plus half a unit, and not before.",
        {"x": SINGLE},
        (),
        equal(infinite, apply("fp.leq", limit, apply("fp.abs", "x"))),
        equal(infinite, apply("fp.lt", limit, apply("fp.abs", "x"))),
    )


def _underflow() -> Lemma:
    limit = _word(LEAST, F32)
    zero = _is("Zero", narrow("x"))
    return _identity(
        "f16-underflow",
        "cvt.rn.f16.f32 gives zero up to 2^-25, half of the least number, and not beyond.",
        {"x": SINGLE},
        (),
        equal(zero, apply("fp.leq", apply("fp.abs", "x"), limit)),
        equal(zero, apply("fp.lt", apply("fp.abs", "x"), limit)),
    )


def solver_version() -> str:
    """Name and version of the solver."""
    return f"bitwuzla {bitwuzla.version()}"


def decide(text: str, calls: int = CALLS) -> str:
    """Bitwuzla's answer to one query: sat, unsat or unknown."""
    left = calls

    def stop() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(text.replace("(check-sat)", ""), parse_file=False)
    solver = parser.bitwuzla()
    solver.configure_terminator(stop)
    return str(solver.check_sat()).lower()


def discharge(steps: Sequence[Lemma]) -> list[Decided]:
    """Decide every identity and its control."""
    return [Decided(m, decide(m.smt_text), decide(m.negative_control_text)) for m in steps]
