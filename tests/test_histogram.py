"""Class first, value second, and where each compared result is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend import ptx
from backend.launch import Prepared, bind
from common.histogram import TENTHS, Histogram, Standing
from spec.contracts import contracts_of
from spec.operators import operator_of
from spec.operators.attention import attend
from spec.operators.model import Expected, Operator, raw
from spec.ptx.parser import parse
from spec.scalar import Bits16, Kind, Reals, encode16
from tests.harness import run as harness
from tests.harness.compare import Verdict, judge
from tests.harness.reference_device import ReferenceDevice
from tests.harness.run import DiffReport, DiffRow, Profile, campaign
from tests.harness.strategies import Limits

SILU = operator_of("silu")
SMALL = Profile(30, Limits(rows=3, columns=300, elements=600, padding=20), widest=2048)


def judged(expected: Expected, words: Bits16) -> Verdict:
    verdict = Verdict()
    judge(expected, {SILU.output: words}, SILU, verdict)
    return verdict


def finite(exact: list[float], bound: list[float]) -> Expected:
    return Expected(np.zeros(len(exact), np.int8), np.array(exact), np.array(bound))


# --- one case ---------------------------------------------------------------------------------------------------------


def test_each_result_is_counted_once_where_it_belongs() -> None:
    half = 2.0**-11  # of the distance from 1 to the next word
    kinds = np.array([Kind.NAN, Kind.PLUS_INF, Kind.NAN, 0, 0, 0, 0, 0, 0, 0, 0], np.int8)
    due = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    bound = [0.0, 0.0, 0.0, half, 10 * half, 4 * half, half, half / 2, 1e6, half, 0.0]
    words = raw(0xFE01, 0x7C00, 0x7C00, 0x3C00, 0x3C01, 0x3C01, 0x3C01, 0x3C01, 0x5640, 0x7C00, 0x3C01)
    verdict = judged(Expected(kinds, np.array(due), np.array(bound)), words)
    counts = verdict.counts
    assert (counts.class_only, counts.zero, counts.vacuous) == (2, 1, 1)
    assert (counts.outside, counts.wrong_class) == (2, 2)
    # A ratio on the edge of two bins belongs to the lower one: (0, 0.1].
    assert counts.tenths == [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    assert counts.total == words.size
    assert counts.accepted == 7
    assert verdict.worst_ratio == 1.0


def test_the_class_is_told_before_the_value_and_both_are() -> None:
    expected = Expected(np.array([0, Kind.NAN, 0], np.int8), np.array([1.0, 0.0, 1.0]), np.array([1e-6, 0.0, 1e-6]))
    first, second = judged(expected, raw(0x3C01, 0x7C00, 0x3C02)).complaints
    assert first == "y[1] = 0x7c00 (inf), expected 0x7e00 (nan): wrong class; 1 of 3 results"
    assert second.startswith("y[0] = 0x3c01 (1.0009765625), expected 0x3c00 (1.0): value outside the bound (exact")
    assert second.endswith("; 2 of 3 results")
    assert judged(expected, raw(0x3C00, 0x7C00, 0x3C00)).complaints == [first]
    assert judged(expected, raw(0x3C01, 0xFFFF, 0x3C02)).complaints == [second]


def test_an_infinity_where_the_bound_reaches_none_is_of_the_wrong_class_and_a_finite_word_is_outside() -> None:
    assert judged(finite([65000.0], [1.0]), raw(0x7C00)).counts.wrong_class == 1
    assert judged(finite([70000.0], [1.0]), raw(0x7BFF)).counts.outside == 1
    assert judged(finite([70000.0], [1.0]), raw(0x7C00)).counts.zero == 1
    assert judged(finite([65519.0], [2.0]), raw(0x7C00)).counts.tenths[4] == 1


def test_at_a_tie_an_exact_result_has_no_error_and_the_other_neighbour_is_still_outside() -> None:
    tie = 1 + 2.0**-11
    assert judged(finite([tie], [0.0]), raw(0x3C00)).counts.zero == 1
    assert judged(finite([tie], [0.0]), raw(0x3C01)).counts == Histogram(outside=1)


def test_vacuous_bounds_are_counted_give_no_ratio_and_forgive_no_class() -> None:
    kinds, exact, bound = np.zeros(4, np.int8), np.zeros(4), np.array([np.inf, 2.0, 2.0, np.inf])
    expected = Expected(kinds, exact, bound, np.array([False, True, False, False]))
    verdict = judged(expected, raw(0x7BFF, 0x3C00, 0, 0x7E00))
    assert verdict.counts == Histogram(vacuous=2, zero=1, wrong_class=1)
    assert verdict.worst_ratio == 0.0
    assert judged(replace(expected, vacuous=None), raw(0, 0x3C00, 0, 0)).counts == Histogram(
        vacuous=2, zero=1, tenths=[0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    )


def test_attention_with_huge_scores_is_counted_and_judged_not_skipped() -> None:
    rng = np.random.default_rng(1)
    scales = {(3, 16): 1e-5, (40, 16): 1e4, (40, 8): 1.0}
    q, k, v = (encode16(scale * rng.normal(size=size)) for size, scale in scales.items())
    q[1:] = encode16(np.full((2, 16), 30000.0))  # scores beyond 2^28: E covers all that v can give
    expected = attend(q, k, v, np.ones((3, 40), np.bool_), 1.0)
    words = expected.nearest()
    verdict = judged(expected, words)
    assert not verdict.complaints
    assert verdict.counts == Histogram(zero=8, vacuous=16)
    words[1, 2], words[2, 3] = 0x7E00, encode16(np.array([100.0]))[0]  # NaN; more than C max |v|
    counts = judged(expected, words).counts
    assert (counts.wrong_class, counts.outside, counts.vacuous) == (1, 1, 14)


def loose(inputs: Mapping[str, Bits16], floats: Mapping[str, float]) -> Expected:
    """SiLU, with a bound that says nothing below -4 (it covers the result's range) and reaches everything above 4."""
    found = SILU.expected(inputs, floats)
    x = inputs["x"].view(np.float16).astype(np.float64)
    bound: Reals = np.where(x > 4, np.inf, np.where(x < -4, 1.0, found.bound))
    return Expected(found.kinds, found.exact, bound, x < -4)


LOOSE: Operator = replace(SILU, name="loose", expected=loose)


def loosely(monkeypatch: pytest.MonkeyPatch, device: ReferenceDevice) -> DiffRow:
    monkeypatch.setattr(harness, "operator_of", lambda name: LOOSE)
    descriptor = bind(contracts_of("silu")[0], parse(ptx.load("silu"), name="silu"))
    return campaign(device, descriptor, SMALL, 3, lambda line: None)


def test_a_campaign_counts_the_vacuous_results_of_an_operator_that_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    row = loosely(monkeypatch, ReferenceDevice())
    assert not row.failures
    assert DiffReport("reference", "reference", 3, (row,)).clean
    assert row.histogram.total == row.elements
    # The case "every word" alone has this many finite words beyond 4 on either side.
    assert row.histogram.vacuous >= 2 * (0x7BFF - 0x4400)
    assert row.histogram.zero > 1000
    row.histogram = Histogram(vacuous=row.elements)
    assert not DiffReport("reference", "reference", 3, (row,)).clean, "no bound that says anything was tried"


def test_a_nan_under_a_vacuous_bound_is_still_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(device: ReferenceDevice, prepared: Prepared, output: Bits16) -> None:
        output[output == 0x7800] = 0x7E00  # silu(32768)

    row = loosely(monkeypatch, ReferenceDevice(spoil))
    assert "wrong class" in " ".join(row.failures)
    assert row.histogram.wrong_class > 0


# --- the counts -------------------------------------------------------------------------------------------------------

COUNTS = st.integers(0, 10**12)
HISTOGRAMS = st.builds(
    Histogram, COUNTS, COUNTS, st.lists(COUNTS, min_size=TENTHS, max_size=TENTHS), COUNTS, COUNTS, COUNTS
)


@given(HISTOGRAMS, HISTOGRAMS)
def test_adding_adds_every_bar_and_the_bars_are_everything(a: Histogram, b: Histogram) -> None:
    before = [(bar.count, other.count) for bar, other in zip(a.bins(), b.bins(), strict=True)]
    a.add(b)
    assert [bar.count for bar in a.bins()] == [x + y for x, y in before]
    assert sum(bar.count for bar in a.bins()) == a.total
    wrong = [bar.count for bar in a.bins() if bar.standing in (Standing.OUTSIDE, Standing.WRONG_CLASS)]
    assert a.accepted + sum(wrong) == a.total
    assert Histogram.read(asdict(a)) == a


def test_the_labels_say_which_end_belongs_to_a_bar() -> None:
    labels = [bar.label for bar in Histogram().bins()]
    assert labels[:4] == ["NaN, Inf", "0", "(0, 0.1]", "(0.1, 0.2]"]
    assert labels[10:] == ["(0.8, 0.9]", "(0.9, 1]", "> 1", "wrong class", "vacuous"]


@pytest.mark.parametrize(
    "change",
    [{"tenths": [1] * 9}, {"tenths": "0000000000"}, {"zero": -1}, {"zero": 1.5}, {"zero": True}, {"more": 0}],
    ids=str,
)
def test_what_is_no_histogram_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"histogram|tenths|integers"):
        Histogram.read(asdict(Histogram()) | change)
    with pytest.raises(ValueError, match="keys"):
        Histogram.read(None)
