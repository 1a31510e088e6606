"""Attention over binary16: o = sum of 2^z[j] v[j] / sum of 2^z[j] over the keys j that a row sees, z[j] = c q.k[j].

c is the binary32 constant RN32(scale * log2 e), given; a row sees the keys that its mask or the causal order leaves.
Prefill, decode over pages and split-KV differ in the order (spec.operators.attention_order) and so in the bound
(spec.operators.attention_bound) only: pages are keys in logical order, `from_pages` says which.

Exceptional inputs, of keys that the row sees; what it does not see never counts, memory beyond a sequence included:

    no keys, or scores of -Inf alone           +0, whatever v is
    a score that is NaN or +Inf                the row is NaN (max drops NaN, its weight brings it back)
    v NaN; v of +Inf and -Inf in a column      NaN there
    v Inf under a score of -Inf                NaN there (0 * Inf)
    v Inf of one sign                          that Inf, or NaN where the weight vanishes in binary16
    finite scores too large for the bound      finite, at most C max |v|; any class where `fused` and |c s| > 2^27

Scores of Inf and NaN come from Inf and NaN in q and k: 0 * Inf and Inf - Inf are NaN, as IEEE 754 has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spec.assumptions import IEEE, TENSOR_CORE
from spec.errors import BadInput
from spec.operators.attention_bound import bound
from spec.operators.attention_order import Order, Row, row
from spec.operators.model import NAN16, Expected, KnownAnswer, Operator, raw, words
from spec.ptx.node import Node, input_element, parameter
from spec.scalar import Bits16, Kind, Reals, kinds16

PREFILL = Order(block=64, lanes=4)
DECODE = Order(block=64, lanes=4, split=256)
SCALE = "scale_log2"
"""The float parameter c."""
CAUSAL = "causal"
"""A float of `expected`, 1 where row r of R sees the keys up to r + keys - R only."""
VISIBLE = "visible"
"""An optional input of `expected` (rows, keys): 0 where a row does not see a key."""

Bools = NDArray[np.bool_]
_ANY = sum(1 << kind for kind in Kind)


@dataclass(frozen=True)
class OneOf(Expected):
    """As Expected, where some elements may be of further classes: `also`, uint8, has bit 1 << Kind for each."""

    also: NDArray[np.uint8] = field(default_factory=lambda: np.zeros((), np.uint8))

    def accepts(self, bits: Bits16) -> Bools:
        return super().accepts(bits) | self._further(bits)

    def ratio(self, bits: Bits16) -> Reals:
        found: Reals = np.where(self._further(bits), 0.0, super().ratio(bits))
        return found

    def _further(self, bits: Bits16) -> Bools:
        verdict: Bools = (self.also >> kinds16(bits).astype(np.uint8)) & 1 != 0
        return verdict


# --- meaning ----------------------------------------------------------------------------------------------------------


def attend(q: Bits16, k: Bits16, v: Bits16, visible: Bools, scale: float, order: Order = PREFILL) -> OneOf:
    """What o (rows, columns) may be for words q (rows, head), k (keys, head), v (keys, columns)."""
    if q.ndim != 2 or k.ndim != 2 or v.ndim != 2 or k.shape[1:] != q.shape[1:] or len(v) != len(k):
        raise BadInput(f"q (rows, head), k (keys, head), v (keys, columns), got {q.shape}, {k.shape}, {v.shape}")
    if visible.shape != (len(q), len(k)):
        raise BadInput(f"visible is (rows, keys) = {(len(q), len(k))}, got {visible.shape}")
    kinds = _score_kinds(q, k)
    live = visible & (kinds != Kind.MINUS_INF)
    lost = (visible & ((kinds == Kind.NAN) | (kinds == Kind.PLUS_INF))).any(axis=1)
    seen = live & ~lost[:, np.newaxis]
    found = bound(_finite(q), _finite(k), _finite(v), seen, scale, order)
    special, also = _value_kinds(v, visible & ~live, seen)
    # Without a weight that counts the row is +0, whatever v is.
    nothing = ~live.any(axis=1)[:, np.newaxis] & ~lost[:, np.newaxis]
    result = np.where(lost[:, np.newaxis], Kind.NAN, np.where(nothing, Kind.FINITE, special)).astype(np.int8)
    also = np.where((result == Kind.PLUS_INF) | (result == Kind.MINUS_INF), also, 0)
    also = np.where(found.open[:, np.newaxis] & (result != Kind.NAN), _ANY, also).astype(np.uint8)
    return OneOf(result, found.exact, found.error, found.vacuous & (result == Kind.FINITE), also)


def from_pages(pages: Bits16, table: NDArray[np.int32], length: int) -> Bits16:
    """The first `length` tokens of a sequence: pages (pages, tokens, ...) in the order of its block table.

    Entries past the last token are not looked at. Tokens of the last page past `length` are no keys.
    """
    tokens = pages.shape[1]
    used = table[: -(-length // tokens)]
    if len(used) * tokens < length or (used < 0).any() or (used >= len(pages)).any():
        raise BadInput(f"{length} tokens need pages that the table {table.tolist()} does not name")
    found: Bits16 = pages[used].reshape(len(used) * tokens, *pages.shape[2:])[:length]
    return found


def causal(rows: int, keys: int) -> Bools:
    """The last row sees every key, each earlier one a key less."""
    seen: Bools = np.arange(keys)[np.newaxis, :] <= np.arange(rows)[:, np.newaxis] + keys - rows
    return seen


def _finite(part: Bits16) -> Reals:
    return np.where(kinds16(part) == Kind.FINITE, part, 0).astype(np.uint16).view(np.float16).astype(np.float64)


def _score_kinds(q: Bits16, k: Bits16) -> NDArray[np.int8]:
    """Classes of the scores. Finite words cannot overflow binary32: 2^12 products of 2^32."""
    rows, keys = (np.flatnonzero((kinds16(part) != Kind.FINITE).any(axis=1)) for part in (q, k))
    found = np.zeros((len(q), len(k)), np.int8)
    a, b = (part.view(np.float16).astype(np.float64) for part in (q, k))
    with np.errstate(invalid="ignore"):
        for row_ in rows:
            found[row_] = _kinds_of((a[row_] * b).sum(axis=1))
        for key in keys:
            found[:, key] = _kinds_of((a * b[key]).sum(axis=1))
    return found


def _kinds_of(values: Reals) -> NDArray[np.int8]:
    infinite = np.where(values > 0, Kind.PLUS_INF, Kind.MINUS_INF)
    found: NDArray[np.int8] = np.where(
        np.isnan(values), Kind.NAN, np.where(np.isinf(values), infinite, Kind.FINITE)
    ).astype(np.int8)
    return found


def _value_kinds(v: Bits16, dead: Bools, seen: Bools) -> tuple[NDArray[np.int8], NDArray[np.uint8]]:
    """Classes that the values alone bring about, and which further ones are allowed there."""
    kinds = kinds16(v)
    nan, plus, minus = (kinds == kind for kind in (Kind.NAN, Kind.PLUS_INF, Kind.MINUS_INF))
    has_nan = _any(seen | dead, nan) | _any(dead, plus | minus)
    has_plus, has_minus = _any(seen, plus), _any(seen, minus)
    result = np.select(
        [has_nan | (has_plus & has_minus), has_plus, has_minus], [Kind.NAN, Kind.PLUS_INF, Kind.MINUS_INF], Kind.FINITE
    ).astype(np.int8)
    return result, np.full(result.shape, 1 << Kind.NAN, np.uint8)


def _any(rows: Bools, columns: Bools) -> Bools:
    """(rows, keys) and (keys, columns): whether a row has a key whose column is set."""
    found: Bools = (rows.astype(np.float32) @ columns.astype(np.float32)) > 0.0
    return found


# --- operator ---------------------------------------------------------------------------------------------------------


def expression(values: Mapping[str, int], buffer: str, element: int, order: Order = PREFILL) -> Node:
    """y[r * columns + d]; values: rows, keys, head, columns and causal (0 or 1), all buffers without padding."""
    rows, keys, head, columns = (values[name] for name in ("rows", "keys", "head", "columns"))
    r, d = divmod(element, columns)
    if buffer != "y" or not 0 <= r < rows:
        raise BadInput(f"{buffer}[{element}] is no output element at {dict(values)}")
    leaves = Row(
        [input_element("q", r * head + i) for i in range(head)],
        [[input_element("k", j * head + i) for i in range(head)] for j in range(keys)],
        [[input_element("v", j * columns + d)] for j in range(keys)],
        causal(rows, keys)[r].tolist() if values["causal"] else [True] * keys,
        parameter(SCALE),
    )
    return row(order, leaves)[0]


def _phi(values: Mapping[str, int]) -> Fraction:
    raise BadInput(f"attention has no bound that holds for all data, asked at {dict(values)}; `expected` gives E")


def operator(name: str, order: Order, known_answers: tuple[KnownAnswer, ...]) -> Operator:
    """Attention in this order."""

    def expected(inputs: Mapping[str, Bits16], floats: Mapping[str, float]) -> Expected:
        q, k, v = inputs["q"], inputs["k"], inputs["v"]
        visible = causal(len(q), len(k)) if floats.get(CAUSAL) else np.ones((len(q), len(k)), np.bool_)
        if VISIBLE in inputs:
            visible = visible & (inputs[VISIBLE] != 0)
        return attend(q, k, v, visible, floats[SCALE], order)

    return Operator(
        name=name,
        sequence=order.sequence,
        expression=lambda values, buffer, element: expression(values, buffer, element, order),
        expected=expected,
        phi=_phi,
        approximations=("ex2", "rcp"),
        assumptions=(IEEE, "doc-ex2", "doc-rcp", *((TENSOR_CORE,) if order.tensor else ())),
        known_answers=known_answers,
    )


# --- known answers ----------------------------------------------------------------------------------------------------

LOG2_E = float(np.float32(1.4426950408889634))
_HEAD = 16


def _scores(
    name: str, scores: tuple[float, ...], values: tuple[float, ...], result: int, bitwise: bool = False
) -> KnownAnswer:
    """One row whose scores are these to the base e (head 16, q of one 1), with one column of values."""
    q = words(1.0, *[0.0] * (_HEAD - 1))[np.newaxis, :]
    k = np.array([words(s, *[0.0] * (_HEAD - 1)) for s in scores], np.uint16).reshape(len(scores), _HEAD)
    v = words(*values).reshape(len(values), 1)
    return KnownAnswer(name, {"q": q, "k": k, "v": v}, raw(result)[np.newaxis, :], {SCALE: LOG2_E}, bitwise)


def _masked(case: KnownAnswer, name: str, keys: tuple[int, ...]) -> KnownAnswer:
    visible = np.ones((1, len(case.inputs["k"])), np.uint16)
    visible[0, list(keys)] = 0
    return KnownAnswer(name, {**case.inputs, VISIBLE: visible}, case.output, case.floats, case.bitwise)


def _eighth() -> KnownAnswer:
    ones = words(*[1.0] * 64)
    k = np.array([ones, raw(*[0] * 64)], np.uint16)
    scale = float(np.float32(0.125 * 1.4426950408889634))
    v = words(1.0, 0.0)[:, np.newaxis]
    return KnownAnswer(
        "64 ones, scale 1/8", {"q": ones[np.newaxis], "k": k, "v": v}, raw(0x3BFF)[np.newaxis], {SCALE: scale}
    )


def _causal() -> KnownAnswer:
    q = words(*[1.0, *[0.0] * 15] * 2).reshape(2, _HEAD)
    v = words(0.3330078125, -2.0)[:, np.newaxis]
    return KnownAnswer(
        "causal: the first row is the first value", {"q": q, "k": raw(*[0] * 32).reshape(2, _HEAD), "v": v},
        raw(0x3554, 0xBAAB)[:, np.newaxis], {SCALE: LOG2_E, CAUSAL: 1.0},
    )  # fmt: skip


KNOWN_ANSWERS = (
    _scores("one key: its value", (2.5,), (65504.0,), 0x7BFF, bitwise=True),
    _scores("one key, subnormal value", (-9.0,), (2.0**-24,), 0x0001, bitwise=True),
    _scores("4 equal keys", (0.0,) * 4, (1.0, 2.0, 3.0, 6.0), 0x4200),
    _scores("a constant value", (1.0, -3.0, 2.0), (65504.0,) * 3, 0x7BFF),
    _scores("values that cancel", (3.0, 3.0), (1.0, -1.0), 0x0000),
    _scores("scores 0, 1", (0.0, 1.0), (0.0, 1.0), 0x39D9),
    _scores("scores 0 to 3, rising", (0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 2.0, 3.0), 0x40FC),
    _scores("scores 3 to 0, falling", (3.0, 2.0, 1.0, 0.0), (3.0, 2.0, 1.0, 0.0), 0x40FC),
    _scores("a weight of 4e-18 beside 1", (0.0, 40.0), (65504.0, 1.0), 0x3C00),
    _scores("a weight that binary16 rounds to 2^-23", (16.0, 0.0), (0.0, 1.0), 0x0002),
    _scores("a weight that binary16 loses", (17.5, 0.0), (0.0, 1.0), 0x0000),
    _eighth(),
    _causal(),
    _masked(_scores("", (2.0, 1.0), (1.0, float("nan")), 0x3C00, True), "a masked NaN does not count", (1,)),
    _masked(_scores("", (2.0, 1.0), (1.0, float("inf")), 0x3C00, True), "a masked Inf does not count", (1,)),
    _masked(_scores("", (2.0, 1.0), (7.0, float("nan")), 0x0000, True), "a fully masked row", (0, 1)),
    _scores("all scores -Inf but one", (float("-inf"), 0.5, float("-inf")), (9.0, 3.0, 8.0), 0x4200, True),
    _scores("all scores -Inf", (float("-inf"),) * 2, (9.0, float("nan")), 0x0000, True),
    _scores("a NaN among the scores", (1.0, float("nan")), (1.0, 1.0), NAN16, True),
    _scores("a score of +Inf", (1.0, float("inf")), (1.0, 1.0), NAN16, True),
    _scores("NaN among the values", (1.0, 0.0), (1.0, float("nan")), NAN16, True),
)

_FAR = 33
DECODE_ANSWERS = (
    *KNOWN_ANSWERS,
    _scores("no keys", (), (), 0x0000, True),
    _scores("2^4 equal keys: their mean", (1.5,) * 16, tuple(range(16)), 0x4780),
    _scores("the last key of many has the greatest score", (*[0.0] * _FAR, 30.0), (*[1.0] * _FAR, 5.0), 0x4500),
    _masked(
        _scores("", (1.0,) * 20, (*[float("nan")] * 16, 2.0, 2.0, 2.0, float("inf")), 0x4000),
        "splits without a key that counts, NaN and Inf behind masks", (*range(16), 19),
    ),
)  # fmt: skip

OPERATOR = operator("attention", PREFILL, KNOWN_ANSWERS)
DECODE_OPERATOR = operator("attention_decode", DECODE, DECODE_ANSWERS)
