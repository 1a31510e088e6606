"""Medians of several contenders measured in turn on one stream, so that all of them see the same clocks and weather."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from backend.cuda.device import CudaDevice


@dataclass(frozen=True)
class Contender:
    """Something to measure.

    Args:
        run: enqueues `repeats` operations on the device's stream (a graph replay).
        moved: bytes that one operation reads and writes.
    """

    name: str
    run: Callable[[], None]
    repeats: int
    moved: int


@dataclass(frozen=True)
class Timing:
    """Seconds an operation takes: median, and the first and third quartile over the rounds."""

    name: str
    seconds: float
    quartiles: tuple[float, float]
    rounds: int
    moved: int

    @property
    def bandwidth(self) -> float:
        """Bytes a second."""
        return self.moved / self.seconds


def measure(device: CudaDevice, contenders: Sequence[Contender], rounds: int = 60, warm_up: int = 5) -> list[Timing]:
    """Time each contender once a round, each round beginning with another one; at least 50 rounds are a result."""
    driver, stream = device.driver, device.stream
    start, end = driver.event(), driver.event()
    samples: dict[str, list[float]] = {c.name: [] for c in contenders}
    for _ in range(warm_up):
        for contender in contenders:
            contender.run()
    driver.synchronize(stream, "warm-up")
    for turn in range(rounds):
        first = turn % len(contenders)
        for contender in (*contenders[first:], *contenders[:first]):
            driver.record(start, stream)
            contender.run()
            driver.record(end, stream)
            samples[contender.name].append(driver.elapsed(start, end) / contender.repeats)
    for event in (start, end):
        driver.call("cuEventDestroy", event)
    return [_timing(contender, sorted(samples[contender.name])) for contender in contenders]


def _timing(contender: Contender, ordered: list[float]) -> Timing:
    quarter = len(ordered) // 4
    return Timing(
        contender.name,
        median(ordered),
        (ordered[quarter], ordered[-1 - quarter]),
        len(ordered),
        contender.moved,
    )


def replayer(device: CudaDevice, graph: Any) -> Callable[[], None]:
    """A function that replays a graph on the device's stream."""
    return lambda: device.driver.replay(graph, device.stream)
