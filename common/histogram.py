"""Counts of error/bound over compared results, in bins that never change: any two of them can be added or compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

TENTHS = 10


class Standing(StrEnum):
    """What the results of a bin have come to."""

    ACCEPTED = "accepted"
    VACUOUS = "accepted by a vacuous bound"
    OUTSIDE = "value outside the bound"
    WRONG_CLASS = "wrong class"


@dataclass(frozen=True)
class Bin:
    """One bar: its label, how many results, and whether they were accepted."""

    label: str
    count: int
    standing: Standing = Standing.ACCEPTED


@dataclass
class Histogram:
    """How many results fell where; each compared result counts once.

    Args:
        class_only: NaN or an infinity was due and came; there is no error to measure.
        zero: the correctly rounded result, so that no error before the conversion is needed to explain it.
        tenths: accepted with error/bound in (0, 0.1], (0.1, 0.2], ..., (0.9, 1].
        vacuous: accepted by a bound that says nothing; error/bound would mean nothing.
        outside: of the right class, but outside the bound.
        wrong_class: of another class than the one due.
    """

    class_only: int = 0
    zero: int = 0
    tenths: list[int] = field(default_factory=lambda: [0] * TENTHS)
    vacuous: int = 0
    outside: int = 0
    wrong_class: int = 0

    @property
    def accepted(self) -> int:
        return self.class_only + self.zero + sum(self.tenths) + self.vacuous

    @property
    def total(self) -> int:
        return self.accepted + self.outside + self.wrong_class

    @property
    def tried(self) -> int:
        """Results whose value or class could have been refused: all but those that a vacuous bound accepted."""
        return self.total - self.vacuous

    def add(self, other: Histogram) -> None:
        """Count the other's results here too."""
        self.class_only += other.class_only
        self.zero += other.zero
        self.tenths = [a + b for a, b in zip(self.tenths, other.tenths, strict=True)]
        self.vacuous += other.vacuous
        self.outside += other.outside
        self.wrong_class += other.wrong_class

    def bins(self) -> tuple[Bin, ...]:
        """The bars in the order of a picture: what is certain, by growing ratio, what is wrong, what says nothing."""
        tenths = (
            Bin(f"({'0' if i == 0 else f'0.{i}'}, {'1' if i == TENTHS - 1 else f'0.{i + 1}'}]", count)
            for i, count in enumerate(self.tenths)
        )
        return (
            Bin("NaN, Inf", self.class_only),
            Bin("0", self.zero),
            *tenths,
            Bin("> 1", self.outside, Standing.OUTSIDE),
            Bin("wrong class", self.wrong_class, Standing.WRONG_CLASS),
            Bin("vacuous", self.vacuous, Standing.VACUOUS),
        )

    @classmethod
    def read(cls, value: object) -> Histogram:
        """From what `dataclasses.asdict` gave, as JSON keeps it; ValueError for anything else."""
        names = set(cls.__dataclass_fields__)
        if not isinstance(value, Mapping) or set(value) != names:
            raise ValueError(f"a histogram has the keys {', '.join(sorted(names))}")
        tenths = value["tenths"]
        if not isinstance(tenths, list) or len(tenths) != TENTHS:
            raise ValueError(f"tenths are a list of {TENTHS} counts")
        counts: list[Any] = [*tenths, *(value[name] for name in names - {"tenths"})]
        if any(not isinstance(count, int) or isinstance(count, bool) or count < 0 for count in counts):
            raise ValueError("counts are integers, not negative")
        return cls(**{**value, "tenths": list(tenths)})
