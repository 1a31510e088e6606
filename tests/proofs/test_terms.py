"""Terms against plain integers: arithmetic, division, choices, conditions, substitution, intervals, SMT-LIB text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import and_, or_, xor

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.query import Copy, rename_text
from proofs.terms import (
    FALSE,
    THREAD,
    TRUE,
    Cond,
    Poly,
    Symbol,
    combine,
    conj,
    disj,
    divide,
    eq,
    ge,
    implies,
    ite,
    le,
    lt,
    marked,
    modulo,
    negate,
    opaque_truth,
    quote,
    same,
)
from tests.proofs.evaluation import value_of

Values = Mapping[str, int]
PROFILE = settings(max_examples=300, deadline=None, database=None, derandomize=True)

# Two free, one with each kind of bound; names that need quotes, and one that looks like another's renaming.
SYMBOLS = (
    Symbol("a", "opaque", THREAD, None, None),
    Symbol("k@L5", "opaque", THREAD, 0, None),
    Symbol("v@L5'L3", "opaque", THREAD, -7, 100),
    Symbol("tid.x", "special", THREAD, 0, 255),
    Symbol("n!1", "opaque", THREAD, None, 3),
    Symbol("big", "opaque", THREAD, 0, 2**64 - 1),
)
TRUTHS = (Symbol("p@x", "boolean", THREAD, None, None), Symbol("q", "boolean", THREAD, None, None))


@dataclass(frozen=True)
class Made:
    """A term or condition with what it means, said once more in Python."""

    item: Poly | Cond
    meaning: Callable[[Values], int]

    @property
    def term(self) -> Poly:
        assert isinstance(self.item, Poly)
        return self.item

    @property
    def cond(self) -> Cond:
        assert isinstance(self.item, Cond)
        return self.item


NUMBERS = st.one_of(st.integers(-9, 9), st.integers(-(2**70), 2**70), st.sampled_from([2**31, 2**32, 2**64]))
DIVISORS = st.one_of(st.integers(1, 20), st.sampled_from([32, 256, 2**31, 2**32, 2**64]))
INNER = ("+", "-", "*", "div", "mod", "ite", "bits")
JOIN: dict[str, Callable[[int, int], int]] = {"and": and_, "or": or_, "xor": xor}
COMPARED = ("le", "lt", "same")
JOINED = ("not", "and", "or", "implies")


@st.composite
def terms(draw: st.DrawFn, depth: int = 3) -> Made:
    """A term of at most this depth."""
    kind = draw(st.sampled_from(("symbol", "symbol", "number", *INNER * 2) if depth else ("symbol", "number")))
    if kind == "symbol":
        s = draw(st.sampled_from(SYMBOLS))
        return Made(Poly.symbol(s), lambda v: v[s.name])
    if kind == "number":
        c = draw(NUMBERS)
        return Made(Poly.constant(c), lambda v: c)
    a = draw(terms(depth - 1))
    if kind in ("div", "mod"):
        d = draw(DIVISORS)
        if kind == "div":
            return Made(divide(a.term, d), lambda v: a.meaning(v) // d)
        return Made(modulo(a.term, d), lambda v: a.meaning(v) % d)
    b = draw(terms(depth - 1))
    if kind == "bits":
        return draw(bits(a, b))
    if kind == "ite":
        p = draw(conditions(1, depth - 1))
        return Made(ite(p.cond, a.term, b.term), lambda v: a.meaning(v) if p.meaning(v) else b.meaning(v))
    if kind == "+":
        return Made(a.term + b.term, lambda v: a.meaning(v) + b.meaning(v))
    if kind == "-":
        return Made(a.term - b.term, lambda v: a.meaning(v) - b.meaning(v))
    return Made(a.term * b.term, lambda v: a.meaning(v) * b.meaning(v))


@st.composite
def bits(draw: st.DrawFn, a: Made, b: Made) -> Made:
    """Fields of two terms, or any number and a field, joined bit by bit; the sum where that is too wide for a term."""
    op = draw(st.sampled_from(("and", "or", "xor")))
    (c, k), (d, n) = (draw(st.tuples(st.sampled_from((1, 2, 8, 24)), st.sampled_from((2, 8, 16, 256)))) for _ in "ab")
    whole = draw(st.booleans())
    joined = combine(op, a.term * c if whole else modulo(a.term, k) * c, modulo(b.term, n) * d)
    if joined is None:
        return Made(a.term + b.term, lambda v: a.meaning(v) + b.meaning(v))
    return Made(joined, lambda v: JOIN[op](a.meaning(v) * c if whole else a.meaning(v) % k * c, b.meaning(v) % n * d))


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2, inside: int = 1) -> Made:
    """A condition of at most this depth, on terms of depth `inside`."""
    kind = draw(st.sampled_from((*COMPARED, "opaque", "constant", *(JOINED * 2 if depth else ()))))
    if kind == "opaque":
        s = draw(st.sampled_from(TRUTHS))
        return Made(opaque_truth(s), lambda v: v[s.name])
    if kind == "constant":
        return draw(st.sampled_from([Made(TRUE, lambda v: 1), Made(FALSE, lambda v: 0)]))
    if kind in COMPARED:
        a, b = draw(terms(inside)), draw(terms(inside))
        if kind == "le":
            return Made(le(a.term, b.term), lambda v: int(a.meaning(v) <= b.meaning(v)))
        if kind == "lt":
            return Made(lt(a.term, b.term), lambda v: int(a.meaning(v) < b.meaning(v)))
        return Made(same(a.term, b.term), lambda v: int(a.meaning(v) == b.meaning(v)))
    parts = [draw(conditions(depth - 1, inside)) for _ in range(draw(st.integers(1, 3)))]
    if kind == "not":
        return Made(negate(parts[0].cond), lambda v: 1 - parts[0].meaning(v))
    if kind == "implies":
        first, last = parts[0], parts[-1]
        return Made(implies(first.cond, last.cond), lambda v: int(not first.meaning(v) or bool(last.meaning(v))))
    build, decide = (conj, all) if kind == "and" else (disj, any)
    return Made(build(x.cond for x in parts), lambda v: int(decide(x.meaning(v) for x in parts)))


@st.composite
def values(draw: st.DrawFn) -> dict[str, int]:
    found = {}
    for s in SYMBOLS:
        low = -(2**70) if s.low is None else s.low
        high = 2**70 if s.high is None else s.high
        near = st.integers(max(low, min(high, 0) - 20), min(high, max(low, 0) + 20))
        edge = st.sampled_from([x for x in (s.low, s.high) if x is not None] or [0])
        found[s.name] = draw(st.one_of(near, edge, st.integers(low, high)))
    return found | {s.name: draw(st.integers(0, 1)) for s in TRUTHS}


@PROFILE
@given(terms(), values())
def test_terms_are_the_integers_they_stand_for(made: Made, at: dict[str, int]) -> None:
    want = made.meaning(at)
    assert value_of(made.term, at) == want
    low, high = made.term.interval
    assert low is None or low <= want
    assert high is None or want <= high
    assert made.term.value in (None, want)


@PROFILE
@given(conditions(), values())
def test_conditions_hold_where_they_should(made: Made, at: dict[str, int]) -> None:
    want = made.meaning(at)
    assert value_of(made.cond, at) == want
    assert value_of(negate(made.cond), at) == 1 - want
    assert value_of(negate(negate(made.cond)), at) == want


@PROFILE
@given(st.one_of(terms(), conditions()), values(), st.sampled_from(SYMBOLS), terms())
def test_substitution_is_evaluation_at_another_value(
    made: Made, at: dict[str, int], symbol: Symbol, by: Made
) -> None:
    """A symbol's interval is a promise: only values inside it may take its place."""
    there = by.meaning(at)
    if (symbol.low is not None and there < symbol.low) or (symbol.high is not None and there > symbol.high):
        return
    replaced = made.item.substitute({symbol: by.term})
    assert value_of(replaced, at) == made.meaning({**at, symbol.name: there})
    assert symbol in by.term.symbols() or symbol not in replaced.symbols()


@PROFILE
@given(terms(), terms(), terms())
def test_equal_terms_have_equal_text(a: Made, b: Made, c: Made) -> None:
    x, y, z = a.term, b.term, c.term
    assert (x + y).text == (y + x).text
    assert (x * y).text == (y * x).text
    assert ((x + y) + z).text == (x + (y + z)).text
    # Quotients and remainders of one number may be joined in another order, but what is equal has no difference.
    assert ((x + y) * z - (x * z + y * z)).value == 0
    assert (x - x).value == 0
    assert hash(x + y) == hash(y + x)
    assert (x + y == y + x) is True


def test_a_solver_reads_the_same_numbers() -> None:
    """z3 on the text, with the symbols put to numbers, gives what the meaning gives."""
    @settings(max_examples=120, deadline=None, database=None, derandomize=True)
    @given(st.one_of(terms(), conditions()), values())
    def check(made: Made, at: dict[str, int]) -> None:
        names = {quote(s.name): z3.Bool(s.name) if s.kind == "boolean" else z3.Int(s.name) for s in (*SYMBOLS, *TRUTHS)}
        want = made.meaning(at)
        sort = "Int" if isinstance(made.item, Poly) else "Bool"
        declared = "\n".join(f"(declare-const {n} {v.sort()})" for n, v in names.items())
        text = f"{declared}\n(declare-const r {sort})(assert (= r {made.item.text}))"
        (asserted,) = z3.parse_smt2_string(text)
        numbers = [
            (v, z3.BoolVal(bool(at[str(v)])) if z3.is_bool(v) else z3.IntVal(at[str(v)])) for v in names.values()
        ]
        result = z3.simplify(z3.substitute(asserted.arg(1), *numbers))
        got = result.as_long() if isinstance(made.item, Poly) else int(z3.is_true(result))
        assert got == want

    check()


def test_constants_fold() -> None:
    assert divide(Poly.constant(-7), 2).value == -4
    assert modulo(Poly.constant(-7), 2).value == 1
    assert Poly({}).value == 0
    assert Poly({}).text == "0"
    assert Poly.constant(-3).text == "(- 3)"
    assert ge(Poly.constant(0)) == TRUE
    assert ge(Poly.constant(-1)) == FALSE
    assert eq(Poly.constant(0)) == TRUE


def test_rewriting_keeps_whole_multiples_out_of_div_and_mod() -> None:
    tid, big = Poly.symbol(SYMBOLS[3]), Poly.symbol(SYMBOLS[5])
    assert divide(big * 256 + tid, 256) == big
    assert modulo(big * 256 + tid, 256) == tid
    assert modulo(modulo(big, 64), 16) == modulo(big, 16)
    assert divide(divide(big, 8), 4) == divide(big, 32)
    assert modulo(big * 12 + 5, 4) == Poly.constant(1)


def test_a_choice_of_multiples_is_one() -> None:
    tid, big = Poly.symbol(SYMBOLS[3]), Poly.symbol(SYMBOLS[5])
    chosen = ite(le(big, 3), Poly({}), big * 4)
    assert modulo(chosen + tid, 2) == modulo(tid, 2)
    assert modulo(chosen * 3 + tid, 6) == modulo(tid, 6)
    assert divide(chosen, 4) == ite(le(big, 3), Poly({}), big)
    assert modulo(ite(le(big, 3), Poly.constant(1), big * 4), 2) != Poly({})


def test_digits_are_put_together_again() -> None:
    x, y = Poly.symbol(SYMBOLS[5]), Poly.symbol(SYMBOLS[1])
    z = x * 9 + y
    assert divide(x, 8) * 8 + modulo(x, 8) == x
    assert divide(z, 8) * 24 + modulo(z, 8) * 3 == z * 3
    assert x - modulo(x, 8) == divide(x, 8) * 8
    assert x - divide(x, 8) * 8 == modulo(x, 8)
    assert modulo(divide(x, 8), 4) * 8 + modulo(x, 8) == modulo(x, 32)
    assert modulo(x, 32) - modulo(x, 8) == modulo(divide(x, 8), 4) * 8
    assert divide(modulo(x, 32), 8) == modulo(divide(x, 8), 4)
    assert modulo(modulo(x, 64) + y, 16) == modulo(x + y, 16)
    assert modulo(x * 8 + modulo(y, 8), 32) == modulo(x, 4) * 8 + modulo(y, 8)
    assert divide(x * 8 + modulo(y, 8), 32) == divide(x, 4)
    assert (divide(x, 8) * 8 + modulo(x, 8)) * y == x * y


def test_fields_that_do_not_meet_are_added() -> None:
    x, lane = Poly.symbol(SYMBOLS[5]), Poly.symbol(SYMBOLS[3])
    row, column = divide(lane, 8), modulo(lane, 8)
    assert combine("or", row * 8, column) == combine("xor", row * 8, column) == lane
    assert combine("and", row * 8, column) == Poly({})
    swizzled = combine("xor", row * 8 + column, modulo(row, 8))
    assert swizzled is not None
    assert divide(swizzled, 8) == row
    assert modulo(swizzled, 8) == combine("xor", column, modulo(row, 8))
    assert combine("xor", swizzled, modulo(row, 8)) == lane
    assert combine("xor", lane, Poly.constant(255)) == Poly.constant(255) - lane
    assert combine("xor", x, lane) is not None, "above bit 8 there is only x"
    assert combine("xor", x, divide(x, 2**32)) is None


def test_equal_exclusive_ors_have_equal_operands() -> None:
    a, b, c = (modulo(Poly.symbol(s), 8) for s in (SYMBOLS[0], SYMBOLS[1], SYMBOLS[5]))
    first, second = combine("xor", a, c), combine("xor", b, c)
    assert first is not None
    assert second is not None
    assert same(first, second) == same(a, b)
    assert same(first * 16, second * 16 + 4) == FALSE


def test_reciprocals_divide_only_in_their_range() -> None:
    """ceil(2^33 / 3) * x >> 33 is x / 3 below 2^32; ceil(2^32 / 7) * x >> 32 fails before 2^32."""
    x = Poly.symbol(Symbol("x", "opaque", THREAD, 0, 2**32 - 1))
    small = Poly.symbol(Symbol("s", "opaque", THREAD, 0, 2**20))
    signed = Poly.symbol(Symbol("i", "opaque", THREAD, 0, 2**31 - 1))
    assert divide(x * 0xAAAAAAAB, 2**33) == divide(x, 3)
    assert divide(divide(x * 0xAAAAAAAB, 2**32), 2) == divide(x, 3)
    assert divide(small * 613566757, 2**32) == divide(small, 7)
    assert divide(x * 613566757, 2**32) != divide(x, 7)
    assert divide(small * 4 * 0xAAAAAAAB, 2**33) == divide(small * 4, 3)
    assert divide(x * 4 * 0xAAAAAAAB, 2**33) != divide(x * 4, 3)
    assert divide((small * 256 + 5) * 613566757, 2**32) == divide(small * 256 + 5, 7)
    assert divide(divide(signed * -1840700269, 2**32) + signed, 4) == divide(signed, 7)


def test_minima_and_maxima_are_bounded_by_both() -> None:
    k, tid = Poly.symbol(SYMBOLS[1]), Poly.symbol(SYMBOLS[3])
    assert ite(le(k, tid), k, tid).interval == (0, 255)
    assert ite(lt(tid, k), k, tid).interval == (0, None)
    assert ite(le(tid + 10, k), k, tid + 10).interval == (10, None)
    v = Poly.symbol(SYMBOLS[2])
    assert ite(lt(v, 0), -v, v).interval == (0, 100)


def test_contradictions_and_excluded_middles_close() -> None:
    p, n = opaque_truth(TRUTHS[0]), ge(Poly.symbol(SYMBOLS[0]))
    for c in (p, n, eq(Poly.symbol(SYMBOLS[0]) - 4)):
        assert conj((c, negate(c))) == FALSE
        assert disj((c, negate(c))) == TRUE
        assert conj((c, c)) == c
        assert disj((c, FALSE)) == c
        assert conj(()) == TRUE
        assert disj(()) == FALSE


# --- names -------------------------------------------------------------------------------------------------------

NAMES = ("x", "x!1", "x!2", "x'L3", "x@L3", "x.1", "x.1!1", "x1", "ctaid.x", "k@L5.i1", "m@B2.%r3", "_x", "x$y")


@pytest.mark.parametrize("name", NAMES)
def test_names_survive_as_symbols_of_a_solver(name: str) -> None:
    (parsed,) = z3.parse_smt2_string(f"(declare-const {quote(name)} Int)(assert (= {quote(name)} 4))")
    assert parsed.arg(0).decl().name() == name


def test_names_do_not_collide() -> None:
    assert len({quote(name) for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_text_is_renamed_symbol_by_symbol(name: str) -> None:
    """Renaming the text of a query equals substituting in the term, for whatever stands beside the symbol."""
    symbols = [Symbol(n, "opaque", THREAD, 0, 99) for n in NAMES]
    total = Poly({})
    for i, s in enumerate(symbols):
        total = total + Poly.symbol(s) * (i + 1) + modulo(Poly.symbol(s), 7)
    target = next(s for s in symbols if s.name == name)
    copy = Copy("!9", frozenset(), {name: Poly.symbol(symbols[0]) + 1000})
    at = {s.name: 3 * i + 1 for i, s in enumerate(symbols)}
    moved = {**at, name: at[symbols[0].name] + 1000}
    renamed = rename_text(total.text, copy.spelling(total.symbols()))
    assert quote(target.name) in total.text
    for text in (renamed, copy.text(total)):
        assert value_of(_Text(text), at) == value_of(total, moved)
    assert value_of(copy.poly(total), at) == value_of(total, moved)


class _Text(Poly):
    """A text in the place of a term."""

    def __init__(self, text: str) -> None:
        super().__init__({})
        self.__dict__["text"] = text


def test_threads_get_names_of_their_own() -> None:
    per_thread = Symbol("v", "opaque", THREAD, 0, 9)
    per_block = Symbol("ctaid.x", "special", "block", 0, 9)
    item = Poly.symbol(per_thread) + Poly.symbol(per_block) * 10
    first, second = (Copy(m, frozenset({THREAD})) for m in ("!1", "!2"))
    names = {s.name for c in (first, second) for s in c.poly(item).symbols()}
    assert names == {"v!1", "v!2", "ctaid.x"}
    assert marked("'", frozenset({THREAD}), item.symbols()) == {per_thread: Poly.symbol(per_thread.renamed("v'"))}
    renamed = next(s for s in first.poly(item).symbols() if s.name == "v!1")
    assert (renamed.low, renamed.high, renamed.scope) == (0, 9, THREAD)
