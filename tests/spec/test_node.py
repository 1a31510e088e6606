"""Expression graphs: sharing, immutability, digests and the first difference."""

from __future__ import annotations

import copy
import gc
import pickle

import pytest

from spec.ptx.node import Node, constant, digest, first_difference, input_element, label, parameter, topological

ADD = ("f32", "rn", False, False)


def test_equal_forms_are_one_object() -> None:
    a, b = input_element("x", 0), input_element("x", 1)
    assert Node("fadd", ADD, (a, b)) is Node("fadd", ADD, (a, b))
    assert Node("fadd", ADD, (a, b)) is not Node("fadd", ADD, (b, a))
    assert Node("fadd", ("f32", "rn", True, False), (a, b)) is not Node("fadd", ADD, (a, b))
    assert Node("k", (1,)) is not Node("k", (True,))


def test_nodes_are_immutable_and_survive_copies() -> None:
    node = Node("fadd", ADD, (parameter("eps"), constant(32, 0x3F800000)))
    with pytest.raises(AttributeError):
        node.op = "fsub"
    assert copy.deepcopy(node) is node
    assert pickle.loads(pickle.dumps(node)) is node


def test_long_chains_need_no_recursion() -> None:
    def chain() -> Node:
        node = constant(32, 0)
        for i in range(50_000):
            node = Node("fadd", ADD, (node, input_element("x", i)))
        return node

    root = chain()
    assert sum(1 for _ in topological([root])) == 100_001
    assert digest({("y", 0): root}) == digest({("y", 0): chain()})
    del root
    gc.collect()


def test_digest_sees_order_and_place() -> None:
    a, b = input_element("x", 0), input_element("x", 1)
    ab, ba = Node("fadd", ADD, (a, b)), Node("fadd", ADD, (b, a))
    assert len({digest({("y", 0): ab}), digest({("y", 0): ba}), digest({("y", 1): ab})}) == 3


def test_first_difference_names_the_deepest_pair() -> None:
    a, b, c = (input_element("x", i) for i in range(3))
    left = Node("fadd", ADD, (Node("fmul", ADD, (a, b)), c))
    right = Node("fadd", ADD, (Node("fmul", ("f32", "", False, False), (a, b)), c))
    found = first_difference(left, right)
    assert found is not None
    assert [label(n) for n in found] == ["fmul.f32.rn.False.False", "fmul.f32.-.False.False"]
    assert first_difference(left, left) is None
