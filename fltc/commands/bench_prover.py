"""`fltc bench --prover`: time and peak memory of `fltc check` over the test kernels, each in a process of its own.

Answers of earlier runs are not used.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.markup import escape
from rich.table import Table

from fltc.kernels import Kernel, kernels, still_open, wrong
from fltc.output import check_place, progress, stdout, write_json

SCHEMA = "fltc-bench-prover/1"


@dataclass(frozen=True)
class Measured:
    """One kernel's run.

    Args:
        seconds: on the clock.
        cpu_seconds: of all its processes together.
        peak_mib: of the largest of its processes.
        wrong: empty where the verdicts are as expected.
    """

    kernel: str
    expected: str
    seconds: float
    cpu_seconds: float
    peak_mib: float
    wrong: str


def run(root: Path, only: Sequence[str], jobs: int, limit: int, out: Path | None) -> int:
    """Measure, print a table, and return 0 where every kernel came out as it should, else 1."""
    if out is not None:
        check_place(out)
    chosen = kernels(root, only)
    rows: list[Measured] = []
    listed = still_open(root)
    with ThreadPoolExecutor(jobs) as pool, progress("check") as said:
        for row in pool.map(lambda kernel: measure(root, kernel, limit), chosen):
            rows.append(row)
            said(len(rows), len(chosen), row.kernel)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("kernel", "expected", "seconds", "CPU", "MiB", "result"):
        table.add_column(heading, overflow="fold", justify="right" if heading in ("seconds", "CPU", "MiB") else "left")
    for row in rows:
        numbers = (f"{row.seconds:.1f}", f"{row.cpu_seconds:.1f}", f"{row.peak_mib:.0f}")
        table.add_row(row.kernel, row.expected, *numbers, escape(told(row, listed)))
    console = stdout()
    console.print(table)
    console.print(closing_line(rows), soft_wrap=True)
    if out is not None:
        write_json(out, to_json(rows))
    return int(any(row.wrong for row in rows))


def told(row: Measured, listed: Container[str]) -> str:
    """What came of a kernel, for the table; `listed` are those of which nobody expects it yet."""
    if row.wrong:
        return row.wrong
    return "as expected: take it out of open.txt" if row.kernel in listed else "as expected"


def closing_line(rows: Sequence[Measured]) -> str:
    parts = [f"{sum(not row.wrong for row in rows)} of {len(rows)} kernels as expected"]
    for name, digits, numbers in (
        ("seconds", 1, [row.seconds for row in rows]), ("CPU", 1, [row.cpu_seconds for row in rows]),
        ("MiB", 0, [row.peak_mib for row in rows]),
    ):  # fmt: skip
        parts.append(f"{name}: median {median(numbers):.{digits}f}, maximum {max(numbers):.{digits}f}")
    return " \u00b7 ".join(parts)


def to_json(rows: Sequence[Measured]) -> dict[str, object]:
    columns = {
        "seconds": [row.seconds for row in rows], "cpu_seconds": [row.cpu_seconds for row in rows],
        "peak_mib": [row.peak_mib for row in rows],
    }  # fmt: skip
    return {
        "schema": SCHEMA,
        "kernels": len(rows),
        "as_expected": sum(not row.wrong for row in rows),
        **{name: {"median": round(median(of), 2), "maximum": round(max(of), 2)} for name, of in columns.items()},
        "rows": [asdict(row) for row in rows],
    }


def measure(root: Path, kernel: Kernel, limit: int) -> Measured:
    """Run `fltc check` on one kernel for at most `limit` seconds."""
    run = checked(root, kernel, limit)
    found = run.trouble if run.report is None else wrong(kernel, run.report)
    numbers = (round(run.seconds, 2), round(run.cpu_seconds, 2), round(run.peak_mib, 1))
    return Measured(kernel.name, kernel.expected, *numbers, found)


@dataclass(frozen=True)
class Run:
    """What one process did; `trouble` says why there is no report."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    report: dict[str, Any] | None
    trouble: str = ""


def checked(root: Path, kernel: Kernel, limit: int) -> Run:
    """Run `fltc check` on one kernel."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        command = [sys.executable, "-m", "fltc", "check", str(kernel.path), *kernel.flags, "--json", str(file)]
        command.append("--no-store")
        start = time.monotonic()
        with (Path(folder) / "said").open("w+b") as said:
            # A session of its own, so that the processes it starts end with it.
            process = subprocess.Popen(command, cwd=root, stdout=said, stderr=said, start_new_session=True)
            ended, cpu, peak = _wait(process, start + limit)
            seconds = time.monotonic() - start
            said.seek(0)
            words = said.read().decode("utf-8", "replace").strip().splitlines()
        if not ended:
            return Run(seconds, cpu, peak, None, f"not done after {limit} s")
        if not file.is_file():
            return Run(seconds, cpu, peak, None, f"exit code {process.returncode}: {words[-1] if words else ''}")
        return Run(seconds, cpu, peak, json.loads(file.read_text("utf-8")))


def _wait(process: subprocess.Popen[bytes], until: float) -> tuple[bool, float, float]:
    """Whether it ended by itself, its CPU seconds, and the MiB of its largest process."""
    ended = True
    while True:
        found, status, usage = os.wait4(process.pid, os.WNOHANG)
        if found:
            process.returncode = os.waitstatus_to_exitcode(status)
            return ended, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        if ended and time.monotonic() > until:
            os.killpg(process.pid, 9)
            ended = False
        time.sleep(0.02)
