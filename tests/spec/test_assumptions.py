"""Named assumptions: every operator lists what its ordered expressions need of a device, and nothing else."""

from __future__ import annotations

import pytest

from proofs.refinement_cases import cases_of
from spec.approximations import TABLE as APPROXIMATIONS
from spec.assumptions import TABLE, needed
from spec.contracts import STEMS, contracts_of
from spec.errors import BadInput
from spec.operators import operator_of
from spec.operators.build import add, approximate, fma, mul, narrow, widen
from spec.ptx.node import Node, constant, input_element

X, Y = (widen(input_element(name, 0)) for name in "xy")
NAMES = ("ieee-rn", "doc-ex2", "doc-rcp", "doc-rsqrt", "doc-lg2", "doc-sqrt", "doc-tanh", "TC(24,2)")


def test_the_table_has_these_names_and_every_entry_says_all() -> None:
    assert tuple(TABLE) == NAMES
    for name, entry in TABLE.items():
        assert entry.name == name
        assert all((entry.statement, entry.source, entry.violated))
    assert {name.removeprefix("doc-") for name in TABLE if name.startswith("doc-")} == set(APPROXIMATIONS)


@pytest.mark.parametrize("stem", STEMS)
def test_an_operator_lists_what_its_expressions_need(stem: str) -> None:
    for contract in contracts_of(stem):
        operator = operator_of(contract.operator)
        for case in cases_of(stem):
            assert operator.assumptions == needed([operator.expression(case.values, operator.output, 0)]), case.name


def test_each_kind_of_operation_needs_its_assumption() -> None:
    assert needed([input_element("x", 0)]) == ()
    for made in (add(X, Y), mul(X, Y), fma(X, Y, X), narrow(X), X):
        assert needed([made]) == ("ieee-rn",)
    root = approximate("rsqrt", False, approximate("ex2", True, X))
    assert needed([root]) == ("ieee-rn", "doc-ex2", "doc-rsqrt")
    products = tuple(input_element("x", i // 2) for i in range(32))
    assert needed([Node("mma", ("f16", "f32"), (*products, constant(32, 0)))]) == ("TC(24,2)",)


@pytest.mark.parametrize(
    "node",
    [
        Node("fadd", ("f32", "", False, False), (X, Y)),
        Node("fmul", ("f32", "rz", False, False), (X, Y)),
        Node("fconvert", ("f32", "f16", "rz", False, ""), (X,)),
        Node("approximate", ("sin", "f32", False), (X,)),
        Node("approximate", ("tanh", "f16", False), (X,)),
        Node("mma", ("bf16", "f32"), (X,) * 33),
        Node("mma", ("f16", "f32"), (X,) * 17),
    ],
    ids=lambda node: node.op,
)
def test_what_no_assumption_covers_is_refused(node: Node) -> None:
    with pytest.raises(BadInput, match="no assumption says what"):
        needed([node])


def test_lg2_is_absolute_near_one() -> None:
    assert APPROXIMATIONS["lg2"].relative == APPROXIMATIONS["lg2"].near_one == APPROXIMATIONS["sqrt"].relative * 2
