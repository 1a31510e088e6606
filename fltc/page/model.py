"""What the page shows, as plain values: no verdict is decided and no number is computed behind these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from common.histogram import Histogram


@dataclass(frozen=True)
class Claim:
    """One statement that was decided, with the artifact that another program can decide again."""

    name: str
    verdict: str
    file: str
    lines: tuple[int, ...] = ()
    control: str = ""


@dataclass(frozen=True)
class Obligation:
    """A row of the prover's report. `assumptions`: names of what it takes for granted of a device; `claims`: what it
    consists of, where that is listed."""

    name: str
    verdict: str
    source: str
    detail: str
    assumptions: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What a device was measured to do with an assumption: 'held', 'violated' or 'not measured', and by what."""

    device: str
    status: str
    detail: str


@dataclass(frozen=True)
class Assumed:
    """A named assumption of spec.assumptions, the entries with a verdict that names it, and what devices do with it."""

    name: str
    statement: str
    source: str
    violated: str
    entries: tuple[str, ...]
    measured: tuple[Measured, ...]


@dataclass(frozen=True)
class RunRow:
    """What a differential run says of one entry. `histogram`: None in files written before there were any."""

    op: str
    entry: str
    cases: int
    results: int
    worst_ratio: float
    worst_case: str
    failures: tuple[str, ...]
    ptx_sha256: str
    histogram: Histogram | None


@dataclass(frozen=True)
class Run:
    """A differential run: of `fltc diff --json`, or the part `diff` of an evidence file."""

    file: str
    device: str
    versions: str
    rows: tuple[RunRow, ...]


@dataclass(frozen=True)
class Compared:
    """A kernel's results in one run. `stale`: they are of other PTX than the shipped one."""

    run: Run
    row: RunRow
    stale: bool


@dataclass(frozen=True)
class Part:
    """A part of an evidence file; `error` where it did not run to its end."""

    name: str
    good: bool
    seconds: float
    error: str


@dataclass(frozen=True)
class Tested:
    """An entry in an evidence file. `state`: 'current', 'stale', or 'not there'."""

    entry: str
    state: str
    ptx_sha256: str


@dataclass(frozen=True)
class Evidence:
    """One file of evidence/: what a device showed, and whether of the PTX that ships."""

    file: str
    device: str
    facts: Mapping[str, str]
    complete: bool
    parts: tuple[Part, ...]
    tested: tuple[Tested, ...]

    @property
    def current(self) -> bool:
        return self.complete and all(entry.state == "current" for entry in self.tested)


@dataclass(frozen=True)
class Proved:
    """What the prover's report says under one name. `other_files`: artifacts that no obligation lists."""

    name: str
    verdict: str
    obligations: tuple[Obligation, ...]
    other_files: tuple[str, ...]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Names of all that its verdicts take for granted of a device."""
        return tuple(dict.fromkeys(name for row in self.obligations for name in row.assumptions))


@dataclass(frozen=True)
class Kernel(Proved):
    """One entry of a shipped PTX file. `requires`: what its contract and the model of PTX assume, in words."""

    entry: str
    ptx: str
    ptx_sha256: str
    sequence: str
    requires: tuple[str, ...]
    compared: tuple[Compared, ...]


@dataclass(frozen=True)
class Page:
    """Everything. `bundles`: proofs of no single kernel; `assumptions`: those that concern every kernel, in words."""

    summary: str
    verdict: str
    kernels: tuple[Kernel, ...]
    bundles: tuple[Proved, ...]
    assumed: tuple[Assumed, ...]
    assumptions: tuple[str, ...]
    runs: tuple[Run, ...]
    evidence: tuple[Evidence, ...]
