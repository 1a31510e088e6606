"""Rows of attention: their exact run in the order of the contract, the exact result, random ones of many kinds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from spec.enclosure import exp2
from spec.operators import attention
from spec.operators.attention import OneOf
from spec.operators.attention_bound import Bound, bound
from spec.operators.attention_order import Order, Row, row
from spec.operators.model import words
from spec.ptx.node import Node, input_element, parameter
from spec.scalar import F16, Bits16, decode, encode
from spec.tensor_core import TensorCore
from tests.spec.exact_run import Choose, Value, read, run, word16

SCALE = parameter("scale_log2")
ORDERS = {
    "prefill": Order(block=16, lanes=4),
    "prefill, fused": Order(block=16, lanes=4, fused=True),
    "prefill, wide blocks": Order(block=32, lanes=2),
    "splits": Order(block=16, lanes=1, split=16),
    "splits, fused": Order(block=16, lanes=2, split=32, fused=True),
    "binary32 weights": Order(block=16, lanes=1, tensor=False),
    "binary32 weights, splits, fused": Order(block=16, lanes=2, tensor=False, split=32, fused=True, dot_lanes=2),
}


@dataclass(frozen=True)
class Case:
    """One row: binary16 words of q (head), k (keys, head), v (keys, columns), which keys it sees, c."""

    q: Bits16
    k: Bits16
    v: Bits16
    visible: tuple[bool, ...]
    scale: float

    @staticmethod
    def of(q: Sequence[float], k: Sequence[Sequence[float]], v: Sequence[Sequence[float]], scale: float) -> Case:
        rows = [words(*r) for r in k]
        return Case(words(*q), np.array(rows), np.array([words(*r) for r in v]), (True,) * len(rows), scale)

    def allowed(self, order: Order) -> OneOf:
        return attention.attend(self.q[np.newaxis], self.k, self.v, np.array([self.visible]), self.scale, order)

    def bound(self, order: Order) -> Bound:
        q, k, v = (part.view(np.float16).astype(np.float64) for part in (self.q[np.newaxis], self.k, self.v))
        return bound(q, k, v, np.array([self.visible]), self.scale, order)


def simulate(case: Case, order: Order, choose: Choose, core: TensorCore) -> tuple[list[Value], list[int]]:
    """(binary32 results before the conversion, stored words) of the row."""
    leaves: dict[Node, Value] = {SCALE: Fraction(case.scale)}

    def named(buffer: str, element: int, word: int) -> Node:
        node = input_element(buffer, element)
        leaves[node] = read(word, F16)
        return node

    columns, head = case.v.shape[1], len(case.q)
    roots = row(
        order,
        Row(
            [named("q", i, int(w)) for i, w in enumerate(case.q)],
            [[named("k", j * head + i, int(w)) for i, w in enumerate(r)] for j, r in enumerate(case.k)],
            [[named("v", j * columns + i, int(w)) for i, w in enumerate(r)] for j, r in enumerate(case.v)],
            case.visible,
            SCALE,
        ),
    )
    values = run(roots, leaves, choose, core)
    return [values[r.args[0]] for r in roots], [word16(values[r]) for r in roots]


def exact(case: Case) -> list[Fraction]:
    """The real results, to about 2^-120 of the largest |v|."""
    q = [decode(int(w), F16) for w in case.q]
    seen = [j for j, visible in enumerate(case.visible) if visible]
    z = [Fraction(case.scale) * sum((a * decode(int(w), F16) for a, w in zip(q, case.k[j], strict=True))) for j in seen]
    w = [exp2(max(a - max(z), Fraction(-2000)))[0] for a in z]
    return [
        sum((p * decode(int(case.v[j, d]), F16) for p, j in zip(w, seen, strict=True)), Fraction(0)) / sum(w)
        for d in range(case.v.shape[1])
    ]


def ratio(case: Case, order: Order, choose: Choose, core: TensorCore) -> float:
    """The worst error / E of the row, E against both the real result and the reference."""
    found = case.bound(order)
    singles, _ = simulate(case, order, choose, core)
    worst = Fraction(0)
    for d, (single, o) in enumerate(zip(singles, exact(case), strict=True)):
        e = float(found.error[0, d])
        if e == np.inf:
            continue
        assert isinstance(single, Fraction)
        error = max(abs(single - o), abs(single - Fraction(float(found.exact[0, d]))))
        if error:
            worst = max(worst, error / Fraction(e) if e else Fraction(1000))
    return float(worst)


# --- random cases -----------------------------------------------------------------------------------------------------


def any_word(rng: random.Random, exponents: tuple[int, int]) -> int:
    """A binary16 word with an exponent field in this range; 0 is subnormal."""
    return rng.choice([0, 0x8000]) | rng.randint(*exponents) << 10 | rng.randrange(1024)


def normal_word(rng: random.Random, spread: float) -> int:
    return encode(Fraction(rng.gauss(0.0, spread)), F16)


def random_case(rng: random.Random) -> Case:
    keys, head, columns = rng.choice([1, 2, 5, 16, 17, 40, 64]), rng.choice([16, 32]), 2
    spread = rng.choice([0.3, 1.0, 3.0])
    q = [normal_word(rng, 1.0) for _ in range(head)]
    k = [[normal_word(rng, spread) for _ in range(head)] for _ in range(keys)]
    v = [[normal_word(rng, 1.0) for _ in range(columns)] for _ in range(keys)]
    scale = float(np.float32(head**-0.5 * 1.4426950408889634))
    kind = rng.randrange(8)
    if kind == 1:  # scores that rise with every key, so that every block rescales
        q = words(1.0, *[0.0] * (head - 1)).tolist()
        k = [[encode(Fraction(j, 16), F16), *[0] * (head - 1)] for j in range(keys)]
    elif kind == 2:  # all magnitudes of v
        v = [[any_word(rng, (0, 30)) for _ in range(columns)] for _ in range(keys)]
    elif kind == 3:  # subnormal and tiny v
        v = [[any_word(rng, (0, 3)) for _ in range(columns)] for _ in range(keys)]
    elif kind == 4:  # scores that cancel, subnormal factors beside large ones
        for r in k:
            for i in range(0, head, 2):
                r[i + 1] = r[i] ^ 0x8000
        q = [any_word(rng, (0, 20)) for _ in range(head)]
        q[1::2] = q[::2]
    elif kind == 5:  # large scores
        scale = float(np.float32(rng.choice([30.0, 1000.0, 2.0**20])))
    elif kind == 6:  # values far from their mean
        v = [[words(rng.choice([-1000.0, 999.0]))[0] for _ in range(columns)] for _ in range(keys)]
    visible = [rng.random() < 0.7 for _ in range(keys)] if kind == 7 else [True] * keys
    return Case(
        np.array(q, np.uint16),
        np.array(k, np.uint16).reshape(keys, head),
        np.array(v, np.uint16),
        tuple(visible),
        scale,
    )
