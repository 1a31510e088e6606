"""Short names for the nodes that ordered expressions are made of: binary32 arithmetic, round to nearest, no .ftz."""

from __future__ import annotations

from collections.abc import Sequence

from spec.ptx.node import Node, bits, constant

ZERO = constant(32, 0)
ONE = constant(32, 0x3F800000)


def widen(a: Node) -> Node:
    """cvt.f32.f16, exact."""
    return Node("fconvert", ("f16", "f32", "", False, ""), (a,))


def narrow(a: Node) -> Node:
    """cvt.rn.f16.f32."""
    return Node("fconvert", ("f32", "f16", "rn", False, ""), (a,))


def add(a: Node, b: Node) -> Node:
    """add.rn.f32"""
    return Node("fadd", ("f32", "rn", False, False), (a, b))


def mul(a: Node, b: Node) -> Node:
    """mul.rn.f32"""
    return Node("fmul", ("f32", "rn", False, False), (a, b))


def fma(a: Node, b: Node, c: Node) -> Node:
    """fma.rn.f32"""
    return Node("ffma", ("f32", "rn", False, False), (a, b, c))


def div(a: Node, b: Node) -> Node:
    """div.rn.f32"""
    return Node("fdiv", ("f32", "rn", False), (a, b))


def sub(a: Node, b: Node) -> Node:
    """sub.rn.f32"""
    return Node("fsub", ("f32", "rn", False, False), (a, b))


def neg(a: Node) -> Node:
    """neg.f32"""
    return Node("fneg", ("f32", False), (a,))


def from_integer(width: int, signed: bool, *parts: tuple[Node, int, int]) -> Node:
    """cvt.rn.f32 of an integer of so many bits, put together of parts (word, offset, width), least significant first.

    The width is that of the number, not of the register that holds it extended.
    """
    word = parts[0][0] if len(parts) == 1 and parts[0][1:] == (0, 8) else bits(parts)
    return Node("int_to_float", (width, signed, "f32", "rn"), (word,))


def from_u32(value: int) -> Node:
    """cvt.rn.f32.u32 of a known integer."""
    return Node("int_to_float", (32, False, "f32", "rn"), (constant(32, value),))


def approximate(name: str, ftz: bool, a: Node) -> Node:
    """NAME.approx[.ftz].f32"""
    return Node("approximate", (name, "f32", ftz), (a,))


def halving_tree(parts: Sequence[Node]) -> Node:
    """The value of lane 0 after a butterfly: lane t adds lane t xor k, for k = half the lanes down to 1."""
    lanes = list(parts)
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [add(lanes[t], lanes[t + half]) for t in range(half)]
    return lanes[0]


def neighbour_tree(parts: Sequence[Node]) -> Node:
    """Pairs of neighbours are added, then pairs of these sums, until one is left; the number is a power of two."""
    level = list(parts)
    while len(level) > 1:
        level = [add(level[i], level[i + 1]) for i in range(0, len(level), 2)]
    return level[0]
