"""A histogram as a drawing: where each bar, tick and label goes. The template makes SVG of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from common.histogram import Histogram

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 8, 24, 84
ROOM = 0.35
"""Decades between the axis and a single result, so that one can be seen."""
UNITS = ("", "k", "M", "G", "T", "P", "E")


@dataclass(frozen=True)
class Bar:
    """A bar with its texts. `short`: the count as it fits above the bar; `pattern`: how it is filled."""

    label: str
    count: int
    short: str
    pattern: str
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 1)


@dataclass(frozen=True)
class Tick:
    label: str
    y: float


@dataclass(frozen=True)
class Picture:
    """A drawing of WIDTH by HEIGHT, in units of a CSS pixel at its natural size."""

    ident: str
    title: str
    description: str
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    left: float = LEFT
    right: float = WIDTH - RIGHT
    base: float = HEIGHT - BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


def picture(ident: str, title: str, histogram: Histogram) -> Picture | None:
    """The bars of a histogram to a logarithmic scale; None where nothing was compared."""
    bins = histogram.bins()
    if not histogram.total:
        return None
    decades = max(1, math.ceil(math.log10(max(bin.count for bin in bins))))
    slot = (WIDTH - LEFT - RIGHT) / len(bins)
    bars = []
    for i, bin in enumerate(bins):
        y = _y(bin.count, decades)
        x, height = round(LEFT + (i + 0.1) * slot, 1), round(HEIGHT - BOTTOM - y, 1)
        pattern = bin.standing.name.lower().replace("_", "-")
        bars.append(Bar(bin.label, bin.count, short(bin.count), pattern, x, y, round(0.8 * slot, 1), height))
    ticks = tuple(Tick(f"{10 ** (d % 3)}{UNITS[d // 3]}", _y(10**d, decades)) for d in range(decades + 1))
    return Picture(ident, title, described(histogram), tuple(bars), ticks)


def described(histogram: Histogram) -> str:
    """The picture in words, for who does not see it."""
    bars = "; ".join(f"{bin.label}: {bin.count:,}" for bin in histogram.bins() if bin.count)
    return f"Number of results by error/bound, on a logarithmic scale. Of {histogram.total:,} results, {bars}."


def short(count: int) -> str:
    """At most five characters: 9999, 12.3k, 542k, 35.1M."""
    if count < 10_000:
        return str(count)
    unit = next(i for i in range(1, len(UNITS)) if count < 999.5 * 1000**i or i == len(UNITS) - 1)
    part = count / 1000**unit
    return f"{part:.1f}{UNITS[unit]}" if part < 99.95 else f"{part:.0f}{UNITS[unit]}"


def _y(count: int, decades: int) -> float:
    """Height of a count in the drawing; the axis for 0."""
    base = HEIGHT - BOTTOM
    if count == 0:
        return base
    return round(base - (base - TOP) * (math.log10(count) + ROOM) / (decades + ROOM), 1)
