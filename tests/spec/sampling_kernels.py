"""Kernels that sample, run exactly: their scans in several orders, and the mistakes that are made in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce

import numpy as np

from spec.operators.sampling import Logits, Request, ranked, threshold, weight
from spec.ptx.node import Node, input_element, parameter
from spec.scalar import F32
from tests.spec.exact_run import Choose, Value, rounded, run

Weights = Sequence[Fraction]
Scan = Callable[[Weights], list[Fraction]]


def add(a: Fraction, b: Fraction) -> Fraction:
    return finite(rounded(a + b, F32))


def finite(value: Value) -> Fraction:
    assert isinstance(value, Fraction)
    return value


def in_sequence(w: Weights) -> list[Fraction]:
    found = [w[0]]
    for value in w[1:]:
        found.append(add(found[-1], value))
    return found


def doubling(w: Weights) -> list[Fraction]:
    """Each round adds what stands twice as far to the left: depth log2 of the length."""
    found, step = list(w), 1
    while step < len(w):
        found = [add(found[i - step], found[i]) if i >= step else found[i] for i in range(len(w))]
        step *= 2
    return found


def by_threads(threads: int) -> Scan:
    """Neighbours in sequence, the threads' sums by doubling, then the sum before a thread to each of its own."""

    def scan(w: Weights) -> list[Fraction]:
        size = -(-len(w) // threads)
        own = [in_sequence(w[i : i + size]) for i in range(0, len(w), size)]
        before = doubling([part[-1] for part in own])
        return own[0] + [add(before[i], value) for i, part in enumerate(own[1:]) for value in part]

    return scan


def each_its_own(rng: random.Random) -> Scan:
    """Every C from a tree of its own: not even monotone."""

    def tree(w: Weights) -> Fraction:
        if len(w) == 1:
            return w[0]
        cut = rng.randrange(1, len(w))
        return add(tree(w[:cut]), tree(w[cut:]))

    return lambda w: [tree(w[: i + 1]) for i in range(len(w))]


MISTAKES = (
    "top-p of all logits", "temperature before top-k", "at least in place of greater", "top-p before top-k",
    "equal logits by descending index", "no temperature", "nucleus without its last",
)  # fmt: skip


def draw(logits: Logits, request: Request, scan: Scan, choose: Choose, rng: random.Random, mistake: str = "") -> int:
    """The index that a kernel returns. Where several fit, because C is not monotone, any of them."""
    order = _ranking(logits, request, mistake)
    candidates = list(order[: request.k] if request.k and mistake != "top-p before top-k" else order)
    w = weights(logits[candidates], 1.0 if mistake == "no temperature" else request.temperature, choose)
    c = scan(w)
    cut = len(c) - 1
    if request.p < 1.0:
        whole = c
        if mistake == "top-p of all logits":
            whole = scan(weights(logits[order], request.temperature, choose))
        limit = _threshold(request.p, whole[-1])
        cut = rng.choice([j for j in range(len(c)) if (c[j - 1] if j else -1) < limit <= c[j]] or [cut])
        cut -= int(cut > 0 and mistake == "nucleus without its last")
    if request.k and mistake == "top-p before top-k":
        cut = min(cut, request.k - 1)
    at = _threshold(request.uniform, c[cut])
    fits = [i for i in range(cut + 1) if (c[i - 1] if i else 0) <= at < c[i] and w[i] > 0]
    if mistake == "at least in place of greater":
        fits = [i for i in range(cut + 1) if c[i] >= at and w[i] > 0][:1]
    return int(candidates[rng.choice(fits or [max(i for i in range(cut + 1) if w[i] > 0)])])


def _ranking(logits: Logits, request: Request, mistake: str) -> Sequence[int]:
    if mistake == "temperature before top-k":
        return list(ranked((logits.astype(np.float32) / np.float32(request.temperature)).astype(np.float32)))
    if mistake == "equal logits by descending index":
        last = len(logits) - 1
        return [last - i for i in ranked(logits[::-1]).tolist()]
    return list(ranked(logits))


def weights(values: Logits, temperature: float, choose: Choose) -> list[Fraction]:
    """The contract's expressions of the candidates' weights, run."""
    leaves: dict[Node, Value] = {parameter("temperature"): Fraction(temperature)}
    x = [input_element("x", i) for i in range(len(values))]
    for node, value in zip(x, values.tolist(), strict=True):
        leaves[node] = value if value == -np.inf else Fraction(value)
    roots = [weight(node, x[0], parameter("temperature")) for node in x]
    found = run(roots, leaves, choose)
    return [finite(found[root]) for root in roots]


def _threshold(part: float, total: Fraction) -> Fraction:
    q, z = parameter("part"), parameter("total")
    root = threshold(q, z)
    return finite(run([root], {q: Fraction(part), z: total}, lambda _, low, __: low)[root])


def total_of(values: Weights) -> Fraction:
    return reduce(lambda a, b: a + b, values, Fraction(0))
