"""S-expressions, terms and their normal form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.canonical import canonical, polynomial
from verifier.findings import Unreadable
from verifier.sexpr import read_all, read_one
from verifier.terms import Unvalued, evaluate, names, read_term, show


def value(text: str, **values: int) -> int:
    return evaluate(read_term(text, "test"), values)


def test_sexpr_reads_comments_quotes_and_nesting() -> None:
    assert read_all("; c\n(a |b!1 x| (c)) d", "f") == [("a", "b!1 x", ("c",)), "d"]


@pytest.mark.parametrize("text", ["(a", "a)", "(|5| a)", "|true|", '"x"', "(|and| a b)", "||", "1a", "a\\b"])
def test_sexpr_refuses_what_is_not_plain(text: str) -> None:
    with pytest.raises(Unreadable):
        read_one(text, "f")


@pytest.mark.parametrize("text", ["(foo 1)", "()", "((a) b)", "(div 1)", "(ite a b)", "(not a b)", "(+)"])
def test_terms_outside_the_format_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_term(text, "f")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(div (- 7) 2)", -4),
        ("(mod (- 7) 2)", 1),
        ("(div 7 (- 2))", -3),
        ("(- 3)", -3),
        ("(- 9 2 3)", 4),
        ("(+ 1 2 3)", 6),
        ("(* 2 3 4)", 24),
        ("(ite (< 1 2) 5 6)", 5),
        ("(and (<= 0 1) (distinct 1 2))", 1),
        ("(=> true false)", 0),
        ("(=> false false)", 1),
        ("(<= 1 2 2)", 1),
        ("(< 1 2 2)", 0),
        ("(bvand 12 10)", 8),
        ("(bvor 12 10 1)", 15),
        ("(bvxor 12 10)", 6),
        ("(bvnot 4 5)", 10),
        ("(trunc 4 37)", 5),
        ("(sext 4 9)", -7),
    ],
)
def test_evaluation(text: str, expected: int) -> None:
    assert value(text) == expected


def test_a_missing_symbol_matters_only_where_it_decides() -> None:
    assert value("(and (< x 0) b)", x=1) == 0
    assert value("(or b (< 0 x))", x=1) == 1
    with pytest.raises(Unvalued):
        value("(and (< 0 x) b)", x=1)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("(< a b)", "(not (<= b a))"),
        ("(<= (+ a 1) b)", "(< a b)"),
        ("(= (* 2 a) b)", "(= b (+ a a))"),
        ("(not (and p (<= a b)))", "(or (> a b) (not p))"),
        ("(=> p q r)", "(or (not p) r (not q))"),
        ("(and (and p q) p)", "(and q p)"),
        ("(= (ite (and p q) 1 2) a)", "(= a (ite (and q p) 1 2))"),
        ("(<= 0 (* a (+ b 1)))", "(>= (+ (* b a) a) 0)"),
        ("(distinct a b)", "(not (= b a))"),
        ("(<= 0 5)", "true"),
    ],
)
def test_equal_conditions_with_one_normal_form(a: str, b: str) -> None:
    assert canonical(read_term(a, "a")) == canonical(read_term(b, "b"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("(< a b)", "(<= a b)"),
        ("(= a b)", "(= a (+ b 1))"),
        ("(and p q)", "p"),
        ("(= (div a 4) 0)", "(= (mod a 4) 0)"),
        ("(<= a b)", "(<= b a)"),
    ],
)
def test_different_conditions_keep_different_forms(a: str, b: str) -> None:
    assert canonical(read_term(a, "a")) != canonical(read_term(b, "b"))


_INTS = st.recursive(
    st.sampled_from(["a", "b", "c"]) | st.integers(0, 9).map(str),
    lambda sub: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*"]), sub, sub).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(st.sampled_from(["div", "mod"]), sub, st.integers(1, 9)).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    ),
    max_leaves=6,
)
_BOOLS = st.recursive(
    st.tuples(st.sampled_from(["<=", "<", ">=", ">", "="]), _INTS, _INTS).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    lambda sub: st.one_of(
        sub.map(lambda s: f"(not {s})"),
        st.tuples(st.sampled_from(["and", "or", "=>"]), sub, sub).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    ),
    max_leaves=4,
)


def poly_value(poly: Any, values: dict[str, int]) -> int:
    total = 0
    for monomial, coefficient in poly:
        product = coefficient
        for atom in monomial:
            if atom[0] == "symbol":
                product *= values[atom[1]]
            else:
                a, b = (poly_value(part, values) for part in atom[1:])
                product *= a // b if atom[0] == "div" else a % b
        total += product
    return int(total)


def form_value(form: Any, values: dict[str, int]) -> bool:
    match form[0]:
        case "true" | "false":
            return bool(form[0] == "true")
        case "and":
            return all(form_value(part, values) for part in form[1])
        case "or":
            return any(form_value(part, values) for part in form[1])
        case "<=0":
            return bool(poly_value(form[1], values) <= 0)
    assert form[0] in ("=0", "!=0")
    return bool((poly_value(form[1], values) == 0) == (form[0] == "=0"))


@given(_BOOLS, st.lists(st.tuples(*(st.integers(-9, 9),) * 3), min_size=8, max_size=8))
def test_the_normal_form_means_the_same(text: str, points: list[tuple[int, int, int]]) -> None:
    term = read_term(text, "a")
    form, negation = canonical(term), canonical(("not", term))
    for x, y, z in points:
        values = {"a": x, "b": y, "c": z}
        assert form_value(form, values) == bool(evaluate(term, values)) != form_value(negation, values)


@given(_INTS)
def test_show_reads_back(text: str) -> None:
    term = read_term(text, "a")
    assert polynomial(read_term(show(term), "b")) == polynomial(term)
    assert set(names(term)) <= {"a", "b", "c"}
