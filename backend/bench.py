"""`fltc bench`: kernels against copy bandwidth and PyTorch, captured in graphs, measured in turn in one run.

Rows under 100 microseconds would be spoiled by launches from the host, so every contender is a graph of many
operations over rotated buffers. What is compared was computed in the timed configuration: the output of every
rotation is checked against the operator's error contract on sampled rows.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from backend import copy_kernel, ptx
from backend.bench_torch import torch_contenders
from backend.cuda.device import CudaDevice
from backend.device import Memory
from backend.launch import Prepared, bind, prepare
from backend.timing import Contender, Timing, measure, replayer
from common.files import write_atomic
from spec.contracts import STEMS, contracts_of
from spec.contracts.model import ACTIVE
from spec.errors import FltcError
from spec.operators import operator_of
from spec.ptx.parser import parse

MEASURED = ("rmsnorm", "silu")
"""Kernels whose launches `_prepare` knows; others that ship are named in a note."""
SIZES = ((16_384, 8_192), (1, 4_096))
ROUNDS = 60
EPS = float(np.float32(1e-5))
_BEYOND_CACHE = 1 << 29  # bytes that a rotation touches at least, where one operation is not launch-bound
_SMALL = 1 << 20  # bytes of an operation below which launches, not bandwidth, are measured
_CHECKED_ROWS = 24
Words = npt.NDArray[np.uint16]


class BenchError(FltcError):
    """A measured kernel computed something else than its contract says."""


@dataclass(frozen=True)
class BenchRow:
    """One contender at one size.

    `of_copy`: bandwidth as a part of the better copy of the same run; `against_torch`: time of torch.compile over
    this time, above 1 where this is faster (eager where torch.compile did not run); None where there is no torch.
    """

    kernel: str
    rows: int
    columns: int
    contender: str
    microseconds: float
    quartiles: tuple[float, float]
    terabytes_per_second: float
    of_copy: float
    against_torch: float | None
    rounds: int
    repeats: int
    ptx_sha256: str


@dataclass(frozen=True)
class BenchReport:
    """Everything one run measured, and what could not be."""

    device: str
    driver: str
    rows: tuple[BenchRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Sets:
    """Rotated buffers of one kernel and size: inputs and outputs, one of each a rotation."""

    x: list[Memory]
    y: list[Memory]
    w: Memory
    rows: int
    columns: int
    seed_words: list[Words]

    @property
    def bytes(self) -> int:
        """Of one input or output."""
        return 2 * self.rows * self.columns

    @property
    def repeats(self) -> int:
        """Operations in one graph: enough that the graph's own launch does not show."""
        return 64 if self.bytes < _SMALL else 4 * len(self.x)


def run_bench(
    device: str = "cuda", out: Path | None = None, say: Callable[[str], None] | None = None, rounds: int = ROUNDS
) -> BenchReport:
    """Measure, print a table, and write the rows to `out` if given. DriverError without a CUDA device."""
    del device  # the command line accepts nothing but cuda
    tell = say or _to_stderr
    rows: list[BenchRow] = []
    notes = [f"{s} is not measured: backend/bench.py does not know its launch" for s in STEMS if s not in MEASURED]
    with CudaDevice() as gpu:
        for stem in MEASURED:
            for size in SIZES:
                tell(f"bench: {stem} at {size[0]}x{size[1]}")
                rows += _bench(gpu, stem, *size, rounds, notes)
        report = BenchReport(gpu.name, gpu.driver.version(), tuple(rows), tuple(dict.fromkeys(notes)))
    print(table(report))
    if out is not None:
        write_atomic(out, json.dumps(asdict(report), indent=2) + "\n")
    return report


def table(report: BenchReport) -> str:
    """The rows as text."""
    lines = [f"{report.device}, CUDA {report.driver}, graph-captured, median of {max(r.rounds for r in report.rows)}"]
    heading = ("kernel", "size", "contender", "us", "quartiles", "TB/s", "of copy", "x torch", "PTX sha256")
    body = [
        (
            row.kernel,
            f"{row.rows}x{row.columns}",
            row.contender,
            f"{row.microseconds:.2f}",
            f"{row.quartiles[0]:.2f}-{row.quartiles[1]:.2f}",
            f"{row.terabytes_per_second:.3f}",
            f"{100 * row.of_copy:.1f}%",
            "-" if row.against_torch is None else f"{row.against_torch:.2f}",
            row.ptx_sha256[:12],
        )
        for row in report.rows
    ]
    widths = [max(len(line[i]) for line in (heading, *body)) for i in range(len(heading))]
    lines += [
        "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in (heading, *body)
    ]
    return "\n".join([*lines, *(f"note: {note}" for note in report.notes)])


def _bench(gpu: CudaDevice, stem: str, rows: int, columns: int, rounds: int, notes: list[str]) -> list[BenchRow]:
    sets = _make_sets(gpu, rows, columns)
    launches = [_prepare(stem, sets, i) for i in range(len(sets.x))]
    moved = 2 * sets.bytes + (2 * columns if stem == "rmsnorm" else 0)
    order = [launches[i % len(launches)] for i in range(sets.repeats)]
    contenders = [
        Contender(stem, replayer(gpu, gpu.capture(order)), len(order), moved),
        *_copies(gpu, sets),
    ]
    try:
        torch_ones, why = torch_contenders(
            gpu, stem, [m.address for m in sets.x], sets.w.address, rows, columns, EPS, sets.repeats
        )
    except Exception as error:  # torch is a peer, not a part: whatever ails it, our rows stand
        torch_ones, why = [], f"torch did not run: {type(error).__name__}: {error}"
    if why:
        notes.append(why.splitlines()[0])
    contenders += [Contender(name, run, sets.repeats, moved) for name, run in torch_ones]
    timings = measure(gpu, contenders, rounds)
    _check(gpu, stem, sets)
    sha = launches[0].descriptor.sha256
    found = _rows(stem, sets, timings, sha)
    for memory in (*sets.x, *sets.y, sets.w):
        gpu.free(memory)
    return found


def _rows(stem: str, sets: Sets, timings: list[Timing], sha: str) -> list[BenchRow]:
    copy = max(t.bandwidth for t in timings if t.name.startswith("copy"))
    by_name = {t.name: t for t in timings}
    peer = by_name.get("torch.compile") or by_name.get("torch eager")
    return [
        BenchRow(
            stem,
            sets.rows,
            sets.columns,
            t.name,
            1e6 * t.seconds,
            (1e6 * t.quartiles[0], 1e6 * t.quartiles[1]),
            t.bandwidth / 1e12,
            t.bandwidth / copy,
            None if peer is None else peer.seconds / t.seconds,
            t.rounds,
            sets.repeats,
            sha,
        )
        for t in timings
    ]


def _make_sets(gpu: CudaDevice, rows: int, columns: int) -> Sets:
    size = 2 * rows * columns
    count = 64 if size < _SMALL else max(3, -(-_BEYOND_CACHE // (2 * size)))
    random = np.random.Generator(np.random.Philox(7))
    # Random rows, each a rotation of one long random sequence by another amount, so that no two are alike.
    pool = random.standard_normal(columns + 65_537).astype(np.float16).view(np.uint16)
    x, y, words = [], [], []
    for turn in range(count):
        starts = (np.arange(rows, dtype=np.int64) * 7919 + turn * 104_729) % 65_537
        data = np.lib.stride_tricks.sliding_window_view(pool, columns)[starts]
        x.append(gpu.alloc(size))
        y.append(gpu.alloc(size))
        gpu.upload(x[-1], data)
        gpu.upload(y[-1], np.full(rows * columns, 0x7E77, np.uint16))
        picked = np.unique(np.linspace(0, rows - 1, _CHECKED_ROWS).astype(np.int64))
        words.append(data[picked].copy())
    w = gpu.alloc(2 * columns)
    gpu.upload(w, pool[:columns].copy())
    return Sets(x, y, w, rows, columns, words)


def _prepare(stem: str, sets: Sets, turn: int) -> Prepared:
    contract = contracts_of(stem)[0]
    descriptor = bind(contract, parse(ptx.load(stem), name=f"backend/ptx/{stem}.ptx"))
    rows, columns = sets.rows, sets.columns
    buffers = {"x": sets.x[turn].span(), "y": sets.y[turn].span()}
    if stem == "silu":
        return prepare(descriptor, {"n": rows * columns, "power_state": ACTIVE}, buffers)
    values: Mapping[str, int | float] = {
        "rows": rows,
        "columns": columns,
        "x_stride": columns,
        "y_stride": columns,
        "eps": EPS,
        "power_state": ACTIVE,
    }
    return prepare(descriptor, values, {**buffers, "w": sets.w.span()})


def _copies(gpu: CudaDevice, sets: Sets) -> list[Contender]:
    """The driver's device-to-device copy and a plain copy kernel, from the same inputs to buffers of their own."""
    driver, targets = gpu.driver, [gpu.alloc(sets.bytes) for _ in sets.x]
    turns = [i % len(sets.x) for i in range(sets.repeats)]
    driver.begin_capture(gpu.stream)
    for i in turns:
        driver.copy(targets[i].address, sets.x[i].address, sets.bytes, gpu.stream)
    by_driver = driver.end_capture(gpu.stream)
    descriptor = bind(copy_kernel.CONTRACT, parse(copy_kernel.text(), name="copy kernel"))
    values = {"vectors": sets.bytes // 16}
    launches = [prepare(descriptor, values, {"x": sets.x[i].span(), "y": targets[i].span()}) for i in turns]
    by_kernel = gpu.capture(launches)
    moved = 2 * sets.bytes
    return [
        Contender("copy (driver)", replayer(gpu, by_driver), len(turns), moved),
        Contender("copy (kernel)", replayer(gpu, by_kernel), len(turns), moved),
    ]


def _check(gpu: CudaDevice, stem: str, sets: Sets) -> None:
    """BenchError if a sampled row of an output that was timed is not what the contract says."""
    operator = operator_of(stem)
    weights = gpu.download(sets.w).view(np.uint16)
    picked = np.unique(np.linspace(0, sets.rows - 1, _CHECKED_ROWS).astype(np.int64))
    for turn, memory in enumerate(sets.y):
        got = np.stack(
            [gpu.download(memory, 2 * sets.columns, int(r) * 2 * sets.columns).view(np.uint16) for r in picked]
        )
        expected = operator.expected({"x": sets.seed_words[turn], "w": weights}, {"eps": EPS})
        if not expected.accepts(got).all():
            wrong = int((~expected.accepts(got)).sum())
            raise BenchError(f"{stem} at {sets.rows}x{sets.columns}: {wrong} of {got.size} sampled results are wrong")


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
