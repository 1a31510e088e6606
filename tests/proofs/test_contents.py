"""Content facts: what is read of them, what is not, and that memory for a replay is made as they say."""

from __future__ import annotations

import numpy as np
import pytest

from proofs.contents import ContentAtom, Source, statements
from proofs.facts import read_fact
from proofs.replay.evaluate import condition_value
from proofs.symbols import LAUNCH, Symbol
from proofs.terms import Poly, conj
from spec.contracts.facts import spoken_buffer
from spec.errors import BadInput

N = Poly.symbol(Symbol("n", "parameter", LAUNCH, 0, 100))
NAMES = {"n": N}


def _source(*facts: str) -> Source:
    return Source("t", -(2**31), 2**31 - 1, (N,), None, tuple(read_fact(f, 1, NAMES) for f in facts))


def _holds(source: Source, elements: dict[int, int], n: int) -> bool:
    """Whether what is stated of elements at constant places is true of these values."""
    atoms = [ContentAtom(source, (Poly.constant(i),)) for i in elements]
    values = {a.name: v for a, v in zip(atoms, elements.values(), strict=True)}
    low, high = source.interval
    inside = all(low <= v <= high for v in values.values()) if low is not None and high is not None else True
    return inside and condition_value(conj(statements(atoms)), {"n": n, **values})


@pytest.mark.parametrize(
    ("fact", "good", "bad"),
    [
        ("t[i] in [0, n)", {0: 0, 1: 3}, {0: 0, 1: 4}),
        ("t[i] in (0, n]", {0: 1, 1: 4}, {0: 0}),
        ("t[i] in [min(n, 2), max(n, 9)]", {0: 2}, {0: 1}),
        ("t[i] <= t[i + 1]", {0: 1, 1: 1, 3: 0}, {0: 1, 1: 0}),
        ("t[i] < t[j] for i < j", {0: 1, 1: 2, 3: 5}, {0: 1, 3: 1}),
        ("t[i] != t[j] for i < j", {0: 1, 1: 0, 2: 7}, {1: 4, 3: 4}),
        ("t[0] == 0", {0: 0, 1: 9}, {0: 1}),
        ("t[i] >= i", {0: 0, 1: 1, 3: 9}, {2: 1}),
        ("t[i] == 0 for i >= 2", {0: 5, 1: 5, 2: 0}, {3: 5}),
    ],
)
def test_what_a_fact_says_of_elements(fact: str, good: dict[int, int], bad: dict[int, int]) -> None:
    assert _holds(_source(fact), good, 4)
    assert not _holds(_source(fact), bad, 4)


def test_a_fact_says_nothing_beyond_the_buffer() -> None:
    assert _holds(_source("t[i] in [0, n)"), {4: 77, -1: 99}, 4)
    assert not _holds(_source("t[i] in [0, n)"), {4: 77}, 5)


def test_only_a_fact_about_every_element_bounds_the_type() -> None:
    assert _source("t[i] in [0, 10)").interval == (0, 9)
    for fact in ("t[0] in [0, 10)", "t[n] in [0, 10)", "t[i] in [0, 10) for i < 3", "t[i] in [0, n)"):
        low, high = _source(fact).interval
        assert (low, high) in ((-(2**31), 2**31 - 1), (0, 2**31 - 1))
        assert high == 2**31 - 1


def test_equal_places_hold_equal_values() -> None:
    source = _source()
    i, j = (Poly.symbol(Symbol(s, "special", LAUNCH, 0, 9)) for s in "ij")
    a, b = ContentAtom(source, (i,)), ContentAtom(source, (j,))
    (stated,) = statements([a, b])
    assert not condition_value(stated, {"i": 3, "j": 3, a.name: 1, b.name: 2})
    assert condition_value(stated, {"i": 3, "j": 4, a.name: 1, b.name: 2})


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("n >= 0", "no buffer"),
        ("t[i] <= u[i]", "it speaks of t, u"),
        ("t[i] in [0]", "expected ELEMENT in"),
        ("t[i,] in [0, n)", "empty index"),
        ("t[i, j] in [0, n)", "t has 1 extents"),
        ("t[2 * i] in [0, n)", "whole index"),
        ("t[i] in [0, m)", "unknown name 'm'"),
        ("t[i] in [0, n) for ", "nothing stands behind"),
        ("t[i]", "expected"),
    ],
)
def test_facts_that_cannot_be_read(fact: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_fact(fact, 1 if spoken_buffer(fact) == "t" else 0, NAMES)


def test_memory_is_filled_as_the_facts_say() -> None:
    from proofs.problem import BufferTerms
    from proofs.replay.contents import fill

    base = Symbol("t", "parameter", LAUNCH, 0, 2**64 - 1)
    buffer = BufferTerms("t", base, 4, None, None, N, "r", 4)
    source = _source("t[i] in [1, n]", "t[i] <= t[j] for i < j")
    atoms = [ContentAtom(source, (Poly.constant(i),)) for i in (2, 5)]
    values = {"n": 8, atoms[0].name: 3, atoms[1].name: 7}
    held = fill(source, buffer, values, atoms)
    assert np.all(np.diff([held[(i,)] for i in range(8)]) >= 0)
    assert [held[(i,)] for i in (0, 2, 5, 7)] == [1, 3, 7, 7]
    with pytest.raises(BadInput, match="breaks the fact"):
        fill(source, buffer, {**values, atoms[1].name: 2}, atoms)
