"""The order of attention: which rounded operations, in which order, make one row of the output.

For a block of keys with scores s[j] (-Inf where masked), running maximum m, sums l (one per lane) and O:

    s[j]  = q . k[j]               chain of mma over 16 elements of the head each, or fma.rn chains and a butterfly
    m'    = max(m, max of s[j])    a = 0 where m' = -Inf, else m'
    alpha = ex2(mul.rn(sub.rn(m, a), c))        p[j] = ex2(mul.rn(sub.rn(s[j], a), c))
    l     = mul.rn(l, alpha), then l = add.rn(l, p[j]) in the order of j, each key in the sum of its lane
    O     = mul.rn(O, alpha), then O = mma(cvt.rn.f16(p), v, O) over 16 keys each, or O = fma.rn(p[j], v[j], O)
    end:    l = butterfly of the lanes;  o = 0 where l = 0, else cvt.rn.f16(mul.rn(O, rcp(l)))

ex2 and rcp are .approx.ftz.f32. `fused` is the shorter form A = mul.rn(a, c), p[j] = ex2(fma.rn(s[j], c, -A)),
alpha = ex2(sub.rn(mul.rn(m, c), A)). It saves an operation per score, but from |c s| of about 2^27 on finite inputs may
give Inf and NaN: what fma keeps of the maximum, up to half an ulp of A, is then an exponent too large for binary16.

Keys may be split; each split exports m, l and O without dividing. The merge, splits in ascending order:

    m = max of m[s];  f[s] = ex2(mul.rn(sub.rn(m[s], a), c));  l = fma.rn(l[s], f[s], l);  O = fma.rn(O[s], f[s], O)

The score of a masked key is -Inf and its v is 0, whatever memory holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from spec.errors import BadInput
from spec.operators.build import ZERO, add, approximate, fma, halving_tree, mul, narrow, widen
from spec.ptx.node import Node, constant

STEP = 16
"""Products of one mma.m16n8k16."""
VECTOR = 8
"""Neighbouring elements of the head that one lane multiplies, where there is no mma."""
MINUS_INF = constant(32, 0xFF80_0000)
_ZERO16 = constant(16, 0)


@dataclass(frozen=True)
class Order:
    """A way of going through the keys.

    Args:
        block: keys per block, a multiple of 16: the maximum is looked at once for each.
        lanes: sums that l is kept in; key i of a block goes to sum (i / 2) mod lanes. A power of two.
        tensor: dot products by mma, p in binary16; otherwise fma.rn in binary32, p as it is.
        fused: the shorter form of the argument.
        split: keys per split, a multiple of `block`; 0: no splits, no merge.
        dot_lanes: without mma, lanes that share a dot product, 8 neighbouring elements in turn. A power of two.
    """

    block: int = 64
    lanes: int = 4
    tensor: bool = True
    fused: bool = False
    split: int = 0
    dot_lanes: int = 1

    def __post_init__(self) -> None:
        if self.block < STEP or self.block % STEP or self.split < 0 or self.split % self.block:
            raise BadInput(f"a block has a multiple of {STEP} keys, a split a multiple of that, got {self}")
        for count in (self.lanes, self.dot_lanes):
            if count < 1 or count & (count - 1):
                raise BadInput(f"lanes come in powers of two, got {self}")

    def splits(self, keys: int) -> list[range]:
        """The keys of each split."""
        size = self.split or max(keys, 1)
        return [range(start, min(start + size, keys)) for start in range(0, keys, size)]

    def blocks(self, part: range) -> list[range]:
        """The keys of each block of a split."""
        return [range(start, min(start + self.block, part.stop)) for start in range(part.start, part.stop, self.block)]

    @property
    def sequence(self) -> str:
        """The rounded operations in order, for readers."""
        dot = "mma chain over the head" if self.tensor else f"fma.rn chains over the head in {self.dot_lanes} lanes"
        power = "ex2.approx.ftz(fma.rn)" if self.fused else "ex2.approx.ftz(mul.rn(sub.rn))"
        product = f"cvt.rn.f16, mma over {STEP} keys" if self.tensor else "fma.rn per key"
        merge = f"per {self.split} keys a split, merged by ex2.approx.ftz and fma.rn; " if self.split else ""
        return (
            f"per {self.block} keys: {dot}, max, {power} of weights, rescaling by ex2.approx.ftz and mul.rn, add.rn in "
            f"{self.lanes} lanes, {product}; {merge}add.rn butterfly, rcp.approx.ftz, mul.rn, cvt.rn.f16"
        )

    def lane(self, position: int) -> int:
        """The sum that the key at this position of its block goes to."""
        return position // 2 % self.lanes


@dataclass(frozen=True)
class Row:
    """The leaves of one row: binary16 nodes of q (head), k (keys, head) and v (keys, columns), visible keys, c."""

    q: Sequence[Node]
    k: Sequence[Sequence[Node]]
    v: Sequence[Sequence[Node]]
    visible: Sequence[bool]
    scale: Node

    @property
    def columns(self) -> int:
        return len(self.v[0]) if self.v else 0


@dataclass(frozen=True)
class State:
    """What a split exports."""

    maximum: Node
    total: Node
    output: tuple[Node, ...]


def row(order: Order, leaves: Row) -> list[Node]:
    """The ordered expressions of one row of the output, binary16."""
    if not leaves.v:
        raise BadInput("no keys: the row is +0 and nothing is computed")
    parts = [split(order, leaves, part) for part in order.splits(len(leaves.k))]
    whole = merge(order, parts, leaves.scale) if order.split else parts[0]
    inverse = approximate("rcp", True, whole.total)
    return [narrow(_where_equal(whole.total, ZERO, ZERO, mul(o, inverse))) for o in whole.output]


def split(order: Order, leaves: Row, part: range) -> State:
    """Online softmax over the keys of one split."""
    maximum, totals, output = MINUS_INF, [ZERO] * order.lanes, [ZERO] * leaves.columns
    for keys in order.blocks(part):
        scores = [_dot(order, leaves.q, leaves.k[j]) if leaves.visible[j] else MINUS_INF for j in keys]
        scores += [MINUS_INF] * (order.block - len(keys))
        before, maximum = maximum, _maximum(maximum, _block_maximum(order, scores))
        shift = _where_equal(maximum, MINUS_INF, ZERO, maximum)
        alpha = _power(order, before, shift, leaves.scale)
        powers = [_weight(order, s, shift, leaves.scale) for s in scores]
        totals = [mul(total, alpha) for total in totals]
        for i, p in enumerate(powers):
            totals[order.lane(i)] = add(totals[order.lane(i)], p)
        output = [
            _accumulate(order, mul(o, alpha), powers, [leaves.v[j][d] if leaves.visible[j] else _ZERO16 for j in keys])
            for d, o in enumerate(output)
        ]
    return State(maximum, halving_tree(totals), tuple(output))


def merge(order: Order, parts: Sequence[State], scale: Node) -> State:
    """The splits put together."""
    maximum = reduce(_maximum, (p.maximum for p in parts), MINUS_INF)
    shift = _where_equal(maximum, MINUS_INF, ZERO, maximum)
    total, output = ZERO, [ZERO] * len(parts[0].output)
    for part in parts:
        factor = _power(order, part.maximum, shift, scale)
        total = fma(part.total, factor, total)
        output = [fma(theirs, factor, o) for theirs, o in zip(part.output, output, strict=True)]
    return State(maximum, total, tuple(output))


def _dot(order: Order, q: Sequence[Node], k: Sequence[Node]) -> Node:
    if order.tensor:
        if len(q) % STEP:
            raise BadInput(f"mma takes heads of a multiple of {STEP}, got {len(q)}")
        return reduce(lambda sum_, i: mma(q[i : i + STEP], k[i : i + STEP], sum_), range(0, len(q), STEP), ZERO)
    lanes = [ZERO] * order.dot_lanes
    for i, (a, b) in enumerate(zip(q, k, strict=True)):
        at = i // VECTOR % order.dot_lanes
        lanes[at] = fma(widen(a), widen(b), lanes[at])
    return halving_tree(lanes)


def _block_maximum(order: Order, scores: Sequence[Node]) -> Node:
    """Each lane over its keys, then a butterfly; any order gives the same value."""
    lanes = [
        reduce(_maximum, (s for i, s in enumerate(scores) if order.lane(i) == lane)) for lane in range(order.lanes)
    ]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [_maximum(lanes[t], lanes[t + half]) for t in range(half)]
    return lanes[0]


def _power(order: Order, maximum: Node, shift: Node, scale: Node) -> Node:
    """2^(c (maximum - shift)), what sums made under an earlier maximum are worth under this one."""
    if order.fused:
        return approximate("ex2", True, _subtract(mul(maximum, scale), mul(shift, scale)))
    return approximate("ex2", True, mul(_subtract(maximum, shift), scale))


def _weight(order: Order, score: Node, shift: Node, scale: Node) -> Node:
    if not order.fused:
        return _power(order, score, shift, scale)
    return approximate("ex2", True, fma(score, scale, Node("fneg", ("f32", False), (mul(shift, scale),))))


def _accumulate(order: Order, start: Node, powers: Sequence[Node], values: Sequence[Node]) -> Node:
    values = [*values, *[_ZERO16] * (len(powers) - len(values))]
    if not order.tensor:
        pairs = zip(powers, values, strict=True)
        return reduce(lambda o, pair: fma(pair[0], ZERO if pair[1] is _ZERO16 else widen(pair[1]), o), pairs, start)
    halves = [narrow(p) for p in powers]
    steps = range(0, len(halves), STEP)
    return reduce(lambda o, i: mma(halves[i : i + STEP], values[i : i + STEP], o), steps, start)


def mma(a: Sequence[Node], b: Sequence[Node], c: Node) -> Node:
    """One element of mma.m16n8k16.f32.f16.f16.f32."""
    return Node("mma", ("f16", "f32"), (*(part for pair in zip(a, b, strict=True) for part in pair), c))


def _subtract(a: Node, b: Node) -> Node:
    return Node("fsub", ("f32", "rn", False, False), (a, b))


def _maximum(a: Node, b: Node) -> Node:
    """max.f32: the other one where one is NaN."""
    return Node("fmax", ("f32", False, False), (a, b))


def _where_equal(a: Node, b: Node, then: Node, otherwise: Node) -> Node:
    return Node("select", (32,), (Node("fcompare", ("f32", False, "eq"), (a, b)), then, otherwise))
