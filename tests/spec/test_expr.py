"""The expression language of contracts: reading, evaluating, printing, and refusing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.contracts.expr import (
    MAX_DEPTH,
    Compare,
    Const,
    Expr,
    Op,
    Var,
    evaluate,
    holds,
    names,
    parse_comparisons,
    parse_expr,
    print_expr,
)
from spec.errors import BadInput

VALUES = {"n": 1000, "ld": 24, "grid.x": 7}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("100 / 7 / 2", 7),
        ("-7 / 2", -4),
        ("-7 % 2", 1),
        ("-2 * -3", 6),
        ("--5", 5),
        ("2^40 - 1", 2**40 - 1),
        ("-2^2", -4),
        ("0x10 + 0XfF", 271),
        ("ceil_div(n, 256)", 4),
        ("ceil_div(1024, 256)", 4),
        ("min(n, 3) + max(n, 3)", 1003),
        ("n*ld", 24_000),
        ("grid.x * 2", 14),
    ],
)
def test_values(text: str, value: int) -> None:
    assert evaluate(parse_expr(text), VALUES) == value


@pytest.mark.parametrize(
    "text",
    ["", "1 +", "(1", "1)", "1 2", "n $ 2", "ceil_div(1)", "min(1, 2", "2^n", "2^129", "* 3", "a == b", "3 -"],
)
def test_what_is_not_an_expression(text: str) -> None:
    with pytest.raises(BadInput, match="expression"):
        parse_expr(text)


def test_nesting_has_a_limit() -> None:
    inside = MAX_DEPTH - 1
    assert evaluate(parse_expr("(" * inside + "1" + ")" * inside), {}) == 1
    with pytest.raises(BadInput, match="nested deeper than 64"):
        parse_expr("(" * 5000 + "1" + ")" * 5000)


@pytest.mark.parametrize("divisor", ["0", "ld - 24", "-3"])
def test_division_takes_positive_divisors(divisor: str) -> None:
    for operator in "/%":
        with pytest.raises(BadInput, match="is not positive"):
            evaluate(parse_expr(f"n {operator} ({divisor})"), VALUES)


def test_a_name_without_a_value() -> None:
    with pytest.raises(KeyError, match="missing"):
        evaluate(parse_expr("missing + 1"), VALUES)


def test_comparisons() -> None:
    found = parse_comparisons("n >= 1 && n <= 2^40 && ld % 8 == 0")
    assert [c.op for c in found] == [">=", "<=", "=="]
    assert all(holds(c, VALUES) for c in found)
    assert [holds(c, {"n": 0, "ld": 4}) for c in found] == [False, True, False]
    assert set().union(*(names(c) for c in found)) == {"n", "ld"}


@pytest.mark.parametrize("op", ["==", "!=", "<=", ">=", "<", ">"])
@pytest.mark.parametrize("a", [-1, 0, 1])
def test_each_comparison(op: str, a: int) -> None:
    meaning = {"==": a == 0, "!=": a != 0, "<=": a <= 0, ">=": a >= 0, "<": a < 0, ">": a > 0}
    assert holds(parse_comparisons(f"a {op} 0")[0], {"a": a}) == meaning[op]


@pytest.mark.parametrize("text", ["n", "n >=", "n == 1 &&", "n == 1 n == 2", "n = 1", "n == 1 == 2", "n >= 1, n <= 2"])
def test_what_is_not_a_comparison(text: str) -> None:
    with pytest.raises(BadInput, match="expression"):
        parse_comparisons(text)


def expressions() -> st.SearchStrategy[Expr]:
    leaves: st.SearchStrategy[Expr] = st.integers(-(2**65), 2**65).map(Const) | st.sampled_from("abc").map(Var)
    operators = st.sampled_from(["+", "-", "*", "/", "%", "min", "max"])
    return st.recursive(leaves, lambda inner: st.builds(Op, operators, inner, inner), max_leaves=12)


@given(expressions(), st.tuples(*[st.integers(-9, 9)] * 3))
def test_print_parses_back_to_the_same_value(expr: Expr, values: tuple[int, int, int]) -> None:
    named = dict(zip("abc", values, strict=True))
    again = parse_expr(print_expr(expr))
    assert print_expr(again) == print_expr(parse_expr(print_expr(again)))
    try:
        value = evaluate(expr, named)
    except BadInput:
        with pytest.raises(BadInput):
            evaluate(again, named)
        return
    assert evaluate(again, named) == value


@given(expressions(), expressions(), st.sampled_from(["==", "<="]))
def test_a_comparison_prints_and_parses(a: Expr, b: Expr, op: str) -> None:
    (again,) = parse_comparisons(print_expr(Compare(op, a, b)))
    assert again.op == op
    assert print_expr(again) == print_expr(Compare(op, a, b))
