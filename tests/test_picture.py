"""The histogram as a picture: bars grow with their counts and stay inside, and one result is seen."""

from __future__ import annotations

from itertools import pairwise

from common.histogram import Histogram
from fltc.page.picture import HEIGHT, WIDTH, picture, short

COUNTS = Histogram(
    class_only=12, zero=1_234_567, tenths=[30, 0, 1, 0, 0, 0, 0, 0, 0, 2], vacuous=4, outside=5, wrong_class=3
)


def test_bars_grow_with_the_count_stay_inside_and_one_result_is_seen() -> None:
    drawn = picture("p", "title", COUNTS)
    assert drawn is not None
    by_count = sorted(drawn.bars, key=lambda bar: bar.count)
    for low, high in pairwise(by_count):
        assert low.height < high.height or low.count == high.count
    assert min(bar.height for bar in drawn.bars if bar.count) > 3
    for left, right in pairwise(drawn.bars):
        assert left.x + left.width <= right.x
    for bar in drawn.bars:
        assert 0 < bar.x < bar.x + bar.width < WIDTH
        assert 12 < bar.y <= drawn.base < HEIGHT
        assert (bar.height == 0) == (bar.count == 0)
    assert [tick.label for tick in drawn.ticks] == ["1", "10", "100", "1k", "10k", "100k", "1M", "10M"]
    million = picture("p", "title", Histogram(zero=10**6, vacuous=1))
    assert million is not None
    assert [million.bars[1].y, million.bars[-1].y] == [million.ticks[-1].y, million.ticks[0].y]


def test_nothing_compared_is_no_picture() -> None:
    assert picture("p", "title", Histogram()) is None
    assert picture("p", "title", Histogram(outside=1)) is not None


def test_counts_above_bars_are_short() -> None:
    counts = [0, 9999, 10_000, 12_345, 99_949, 99_950, 542_030, 999_499, 999_500, 35_126_931, 10**12, 10**21]
    assert [short(count) for count in counts] == [
        "0", "9999", "10.0k", "12.3k", "99.9k", "100k", "542k", "999k", "1.0M", "35.1M", "1.0T", "1000E",
    ]  # fmt: skip
