"""Whether TC(24, 2) holds of a device: layout, named probes, special values, groups, and the bound on random vectors.

It is a gate on the assumption, not a recognition of models: a device that no model describes may pass, one beyond the
bound may not. Which models give the same bits is noted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.device import Device
from backend.probe.matrix import Dots, layout
from spec.scalar import F16, F32, Kind, decode, kind_of
from spec.tensor_core import KAPPA, MODELS, judge
from spec.tensor_probes import PROBES, SPECIALS, Special, Vector, adversarial, groups

Array = npt.NDArray[Any]

VECTORS = 1_000_000
BATCH = 1 << 16
LAYOUTS = 64
MOST_GROUPS = 2
_SHOWN = 5
_NEAR = 1 - 2.0**-40  # from this part of its limit on a magnitude is compared exactly


@dataclass
class Outcome:
    """Of a named probe: the result as a word and what it is, whether the assumption admits it, which models give it."""

    name: str
    result: str
    value: str
    admitted: bool
    models: list[str]
    shows: str


@dataclass
class Random:
    """Of the random vectors: how many were beyond the bound or grew, the worst error as a part of it, and where.

    `other_bits` counts, for each model, the vectors of which it gives other bits.
    """

    seed: int
    vectors: int = 0
    beyond: int = 0
    grew: int = 0
    worst_ratio: float = 0.0
    worst: dict[str, str] = field(default_factory=dict)
    first: list[dict[str, str]] = field(default_factory=list)
    other_bits: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MODELS, 0))


@dataclass
class TensorReport:
    """What a tensor core did. `faults` are the reasons why TC(24, 2) does not hold, in words."""

    seconds: float = 0.0
    layouts: int = LAYOUTS
    layout_wrong: int = 0
    differing: int = 0
    probes: list[Outcome] = field(default_factory=list)
    specials: list[Outcome] = field(default_factory=list)
    groups: list[list[int]] = field(default_factory=list)
    random: Random = field(default_factory=lambda: Random(0))

    @property
    def models(self) -> list[str]:
        """Models that gave every bit of the random vectors."""
        return [name for name, other in self.random.other_bits.items() if self.random.vectors and not other]

    @property
    def faults(self) -> list[str]:
        found = [f"{o.name}: {o.value} ({o.result})" for o in (*self.probes, *self.specials) if not o.admitted]
        if self.layout_wrong:
            found.append(f"{self.layout_wrong} results of {self.layouts} matrices are not where the ISA has them")
        if self.differing:
            found.append(f"results of one vector differ between lanes, for {self.differing} vectors")
        if not grouped(self.groups):
            found.append(f"products are added in the groups {self.groups}")
        if self.random.beyond:
            found.append(
                f"{self.random.beyond} of {self.random.vectors} random vectors beyond the bound, "
                f"worst {self.random.worst_ratio:.3f} of it: {self.random.worst}"
            )
        if self.random.grew:
            found.append(f"{self.random.grew} results are larger than |c| + sum |a b|")
        return found

    def told(self) -> str:
        """One line of numbers."""
        sizes = " + ".join(str(len(group)) for group in self.groups)
        return (
            f"{len(self.probes)} probes, {len(self.specials)} special values, groups {sizes}, {self.layouts} layouts; "
            f"{self.random.vectors} random vectors, worst {self.random.worst_ratio:.4f} of the bound "
            f"{float(KAPPA):.3e} Y; bits as {', '.join(self.models) or 'no model'}"
        )


def run_tensor(
    device: Device, seed: int = 0, vectors: int = VECTORS, say: Callable[[str], None] = lambda line: None
) -> TensorReport:
    """All probes of a tensor core; `vectors` random ones are drawn by the seed."""
    start = time.monotonic()
    report, dots = TensorReport(random=Random(seed)), Dots(device)
    report.layout_wrong = layout(device, seed, LAYOUTS)
    results = dots(*_stacked([p.words() for p in PROBES]))
    for probe, word in zip(PROBES, results.tolist(), strict=True):
        finite = kind_of(word, F32) is Kind.FINITE
        value = decode(word, F32) if finite else None
        like = [name for name, expected in probe.expected.items() if expected == value]
        admitted = value is not None and probe.admits(value)
        report.probes.append(Outcome(probe.name, f"{word:#010x}", _shown(word), admitted, like, probe.shows))
    results = dots(*_stacked([s.words() for s in SPECIALS]))
    report.specials = [_special(s, word) for s, word in zip(SPECIALS, results.tolist(), strict=True)]
    report.groups = [list(group) for group in groups(dots)]
    say(f"tensor core: {len(PROBES)} probes, groups {report.groups}")
    rng = np.random.Generator(np.random.Philox(seed))
    while report.random.vectors < vectors:
        drawn = adversarial(rng, min(BATCH, vectors - report.random.vectors))
        _judge(report.random, drawn, dots(*drawn))
    report.differing = dots.differing
    report.seconds = round(time.monotonic() - start, 1)
    say(f"tensor core: {report.told()}")
    for fault in report.faults:
        say(f"tensor core: NOT TC(24,2): {fault}")
    return report


def grouped(found: list[list[int]]) -> bool:
    """Whether the groups are at most two, and share no product."""
    return len(found) <= MOST_GROUPS and sorted(k for group in found for k in group) == list(range(16))


def _special(special: Special, word: int) -> Outcome:
    kind = kind_of(word, F32)
    return Outcome(special.name, f"{word:#010x}", _shown(word), kind is special.expected, [], special.expected.name)


def _judge(found: Random, vector: Vector, d: Array) -> None:
    """Add a batch: the bound, exactly; magnitudes; and which models give the same bits."""
    a, b, c = vector
    kept, ratio = judge(a, b, c, d)
    found.vectors += len(d)
    found.beyond += int(np.count_nonzero(~kept))
    found.grew += int(np.count_nonzero(_grown(vector, d)))
    for i in np.flatnonzero(~kept)[: _SHOWN - len(found.first)]:
        found.first.append(_words(vector, d, int(i)))
    worst = int(np.argmax(ratio))
    if ratio[worst] > found.worst_ratio:
        found.worst_ratio, found.worst = float(ratio[worst]), _words(vector, d, worst)
    for name, model in MODELS.items():
        found.other_bits[name] += int(np.count_nonzero(model.dot("f16", "f32", a, b, c) != d))


def _grown(vector: Vector, d: Array) -> Array:
    """Where |d| > |c| + sum |a b|; d that is not finite counts."""
    a, b, c = vector
    x, y = (np.abs(v.view(np.float16).astype(np.float64)) for v in (a, b))
    limit = (x * y).sum(axis=-1) + np.abs(c.view(np.float32).astype(np.float64))
    size = np.abs(d.view(np.float32).astype(np.float64))
    grown: Array = ~(size <= limit * _NEAR)
    for i in np.flatnonzero(grown):
        if kind_of(int(d[i]), F32) is Kind.FINITE:
            exact = sum((abs(decode(int(p), F16) * decode(int(q), F16)) for p, q in zip(a[i], b[i], strict=True)),
                        abs(decode(int(c[i]), F32)))  # fmt: skip
            grown[i] = abs(decode(int(d[i]), F32)) > exact
    return grown


def _words(vector: Vector, d: Array, i: int) -> dict[str, str]:
    """One vector and its result as hexadecimal words."""
    a, b, c = vector
    return {
        "a": " ".join(f"{w:04x}" for w in a[i].tolist()), "b": " ".join(f"{w:04x}" for w in b[i].tolist()),
        "c": f"{int(c[i]):08x}", "d": f"{int(d[i]):08x}",
    }  # fmt: skip


def _stacked(vectors: list[Vector]) -> Vector:
    a, b, c = (np.stack(parts) for parts in zip(*vectors, strict=True))
    return a, b, c


def _shown(word: int) -> str:
    """A binary32 word for the reader: a hexadecimal number, Inf or NaN."""
    kind = kind_of(word, F32)
    if kind is Kind.FINITE:
        value = decode(word, F32)
        return float(value).hex() if value != Fraction(0) else "0"
    return {Kind.NAN: "NaN", Kind.PLUS_INF: "+Inf", Kind.MINUS_INF: "-Inf"}[kind]
