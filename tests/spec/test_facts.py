"""Facts about contents: read, and held against arrays; every answer is compared with going through all places."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.contracts import facts
from spec.contracts.expr import evaluate, holds
from spec.contracts.facts import Fact, first_breach, parse_fact
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.errors import BadInput, ContractViolation

FACTS = (
    "t[i] in [0, n)", "t[i] in (0, n]", "t[i] <= t[i + 1]", "t[i] < t[j] for i < j", "t[i] != t[j] for i < j",
    "t[0] == 0", "t[n] <= 3", "t[i] >= i", "t[i] == 0 for i >= 2 && i != n", "t[i] / 2 <= max(i, n) % 3",
    "t[i] * t[n - i] >= min(t[0], -n)", "t[i] + n >= 1",
)  # fmt: skip


def slow(fact: Fact, content: Any, values: dict[str, int]) -> tuple[tuple[int, ...], ...] | None:
    """The places of the first breach, found one by one."""
    for numbers in product(range(max(content.shape)), repeat=len(fact.variables)):
        scope = {**values, **dict(zip(fact.variables, numbers, strict=True))}
        places = [tuple(evaluate(i, scope) for i in e.indexes) for e in fact.elements]
        if not all(0 <= at < extent for place in places for at, extent in zip(place, content.shape, strict=True)):
            continue
        scope |= {e.name: int(content[place]) for e, place in zip(fact.elements, places, strict=True)}
        if all(holds(c, scope) for c in fact.guard) and not all(holds(c, scope) for c in fact.holds):
            return tuple(dict.fromkeys(places))
    return None


@given(
    st.sampled_from(FACTS), st.lists(st.integers(-3, 9), min_size=1, max_size=7), st.integers(-2, 8), st.booleans()
)
def test_the_first_breach_is_that_of_going_through_all_places(
    text: str, elements: list[int], n: int, wide: bool
) -> None:
    fact, content = parse_fact(text, {"n"}), np.array(elements, object if wide else np.int32)
    found = first_breach(fact, content, {"n": n})
    assert (None if found is None else tuple(place for place, _ in found.elements)) == slow(fact, content, {"n": n})
    assert found is None or all(value == elements[place[0]] for place, value in found.elements)


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.integers(0, 3))
def test_two_extents(elements: list[int], n: int) -> None:
    content = np.array(elements, np.uint8).reshape(2, 3)
    for text in ("t[s, p] <= n for p < 2", "t[s, 0] <= t[s, p]", "t[s, p] <= t[s + 1, p]"):
        fact = parse_fact(text, {"n"})
        found = first_breach(fact, content, {"n": n})
        assert (None if found is None else tuple(place for place, _ in found.elements)) == slow(
            fact, content, {"n": n}
        )


def test_many_cases_go_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    fact, content = parse_fact("t[i] <= t[j] for i <= j", ()), np.arange(100)
    content[70] = 0
    whole = first_breach(fact, content, {})
    monkeypatch.setattr(facts, "CHUNK", 7)
    assert whole == first_breach(fact, content, {})
    assert whole is not None
    assert whole.words("t") == "t[1] is 1, t[70] is 0"
    monkeypatch.setattr(facts, "MAX_PLACES", 9_999)
    with pytest.raises(BadInput, match="10000 cases at this size, at most 9999"):
        first_breach(fact, content, {})


def test_numbers_beyond_64_bits_are_exact() -> None:
    content = np.array([2**64 - 1, 2**63], np.uint64)
    assert first_breach(parse_fact("t[i] * t[i] >= 2^126", ()), content, {}) is None
    assert first_breach(parse_fact("t[i] < 2^64 - 1 for i >= 1", ()), content, {}) is None
    found = first_breach(parse_fact("t[i] < 2^64 - 1", ()), content, {})
    assert found is not None
    assert found.words("t") == f"t[0] is {2**64 - 1}"
    assert first_breach(parse_fact("min(2^63, 2^63 + 1) == 2^63 && t[i] >= 0", ()), content, {}) is None


def test_of_no_elements_everything_holds() -> None:
    assert first_breach(parse_fact("t[i] == 1", ()), np.zeros(0, np.int32), {}) is None
    assert first_breach(parse_fact("t[9] == 1", ()), np.zeros(4, np.int32), {}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n >= 0", "no buffer"),
        ("t[i] <= u[i]", "it speaks of t, u"),
        ("t[i] in [0]", "expected ELEMENT in"),
        ("t[i,] in [0, n)", "empty index"),
        ("t[2 * i] in [0, n)", "whole index"),
        ("t[i] in [0, m)", "unknown name 'm'"),
        ("t[i] in [0, n) for ", "nothing stands behind"),
        ("t[i]", "expected"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        parse_fact(text, {"n"})


def test_a_divisor_that_is_not_positive_is_refused() -> None:
    with pytest.raises(BadInput, match="divisor is not positive"):
        first_breach(parse_fact("t[i] / n >= 0", {"n"}), np.ones(3, np.int32), {"n": 0})


# --- contracts ---------------------------------------------------------------------------------------------------


def contract(*texts: str, element: str = "u32", shape: tuple[str, ...] = ("n",), access: str = "r") -> Contract:
    return Contract(
        stem="k", entry="k", parameters=(Parameter("t", "buffer"), Parameter("n", "u32")), requires=("n >= 1",),
        buffers=(Buffer("t", element, shape, access),), block=(1, 1, 1), grid=("1", "1", "1"), outputs=(),
        ceilings=Ceilings(1, 0), operator="none", facts=texts,
    )  # fmt: skip


def test_contents_that_break_a_fact_are_named() -> None:
    good, bad = np.array([0, 3, 1], np.uint32), np.array([0, 3, 9], np.uint32)
    given = contract("t[i] in [0, n + 1)", "t[0] == 0")
    given.check_contents({"n": 3}, {"t": good})
    with pytest.raises(ContractViolation, match=r"^k requires t\[i\] in \[0, n \+ 1\); t\[2\] is 9$"):
        given.check_contents({"n": 3}, {"t": bad})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (contract("u[i] == 0"), "u is no buffer of integers that is read"),
        (contract("t[i] == 0", element="f32"), "t is no buffer of integers that is read"),
        (contract("t[i] == 0", access="w"), "t is no buffer of integers that is read"),
        (contract("t[i, j] == 0"), "t has 1 extents, here are 2"),
        (contract("t[i] == m"), "unknown name 'm'"),
    ],
)
def test_a_contract_with_a_fact_that_means_nothing_is_refused(given: Contract, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        given.content_facts()


@pytest.mark.parametrize(
    ("buffer", "strides", "extent"),
    [
        (Buffer("t", "u16", ("n",), "r"), (1,), 10),
        (Buffer("t", "u16", ("n", "3"), "r"), (3, 1), 30),
        (Buffer("t", "u16", ("n", "3"), "r", leading="n + 3"), (8, 1), 70),
        (Buffer("t", "u16", ("2", "n", "3"), "r"), (15, 3, 1), 60),
        (Buffer("t", "u16", ("2", "n", "3"), "r", leading="4"), (20, 4, 1), (20 + 16 + 3) * 2),
        (Buffer("t", "u16", ("2", "n", "3"), "r", leading="4", plane="n * 10"), (50, 4, 1), (50 + 16 + 3) * 2),
        (Buffer("t", "u16", ("0", "n", "3"), "r"), (15, 3, 1), 0),
    ],
)
def test_strides_and_extent_of_a_buffer(buffer: Buffer, strides: tuple[int, ...], extent: int) -> None:
    assert (buffer.strides({"n": 5}), buffer.extent({"n": 5})) == (strides, extent)
