"""`fltc bench --prover`: time and peak memory of `fltc check` over the test kernels, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

from fltc.kernels import Kernel, kernels, wrong
from fltc.output import progress, stdout, write_json

SCHEMA = "fltc-bench-prover/1"


@dataclass(frozen=True)
class Measured:
    """One kernel's run. `peak_mib` is of the largest process. `wrong` is empty where the verdicts are as expected."""

    kernel: str
    expected: str
    seconds: float
    peak_mib: float
    wrong: str


def run(root: Path, only: Sequence[str], jobs: int, limit: int, out: Path | None) -> int:
    """Measure, print a table, and return 0 where every kernel came out as it should, else 1."""
    chosen = kernels(root, only)
    rows: list[Measured] = []
    with ThreadPoolExecutor(jobs) as pool, progress("check") as said:
        for row in pool.map(lambda kernel: measure(root, kernel, limit), chosen):
            rows.append(row)
            said(len(rows), len(chosen), row.kernel)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("kernel", "expected", "seconds", "MiB", "result"):
        table.add_column(heading, overflow="fold", justify="right" if heading in ("seconds", "MiB") else "left")
    for row in rows:
        table.add_row(row.kernel, row.expected, f"{row.seconds:.1f}", f"{row.peak_mib:.0f}", row.wrong or "as expected")
    console = stdout()
    console.print(table)
    console.print(closing_line(rows), soft_wrap=True)
    if out is not None:
        write_json(out, to_json(rows))
    return int(any(row.wrong for row in rows))


def closing_line(rows: Sequence[Measured]) -> str:
    seconds, memory = [row.seconds for row in rows], [row.peak_mib for row in rows]
    good = sum(not row.wrong for row in rows)
    return (
        f"{good} of {len(rows)} kernels as expected · seconds: median {median(seconds):.1f}, maximum {max(seconds):.1f}"
        f" · MiB: median {median(memory):.0f}, maximum {max(memory):.0f}"
    )


def to_json(rows: Sequence[Measured]) -> dict[str, object]:
    seconds, memory = [row.seconds for row in rows], [row.peak_mib for row in rows]
    return {
        "schema": SCHEMA,
        "kernels": len(rows),
        "as_expected": sum(not row.wrong for row in rows),
        "seconds": {"median": round(median(seconds), 2), "maximum": round(max(seconds), 2)},
        "peak_mib": {"median": round(median(memory), 1), "maximum": round(max(memory), 1)},
        "rows": [asdict(row) for row in rows],
    }


def measure(root: Path, kernel: Kernel, limit: int) -> Measured:
    """Run `fltc check` on one kernel for at most `limit` seconds."""
    seconds, peak, report, trouble = checked(root, kernel, limit)
    return Measured(kernel.name, kernel.expected, round(seconds, 2), round(peak, 1),
                    trouble if report is None else wrong(kernel, report))  # fmt: skip


def checked(root: Path, kernel: Kernel, limit: int) -> tuple[float, float, dict[str, Any] | None, str]:
    """Seconds, MiB, the report, and, where there is none, why."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        command = [sys.executable, "-m", "fltc", "check", str(kernel.path), *kernel.flags, "--json", str(file)]
        start = time.monotonic()
        with (Path(folder) / "said").open("w+b") as said:
            # A session of its own, so that the processes it starts end with it.
            process = subprocess.Popen(command, cwd=root, stdout=said, stderr=said, start_new_session=True)
            ended, usage = _wait(process, start + limit)
            seconds = time.monotonic() - start
            said.seek(0)
            words = said.read().decode("utf-8", "replace").strip().splitlines()
        peak = usage / 1024
        if not ended:
            return seconds, peak, None, f"not done after {limit} s"
        if not file.is_file():
            return seconds, peak, None, f"exit code {process.returncode}: {words[-1] if words else ''}"
        return seconds, peak, json.loads(file.read_text("utf-8")), ""


def _wait(process: subprocess.Popen[bytes], until: float) -> tuple[bool, int]:
    """Whether it ended by itself, and the KiB of its largest process."""
    ended = True
    while True:
        found, status, usage = os.wait4(process.pid, os.WNOHANG)
        if found:
            process.returncode = os.waitstatus_to_exitcode(status)
            return ended, usage.ru_maxrss
        if ended and time.monotonic() > until:
            os.killpg(process.pid, 9)
            ended = False
        time.sleep(0.02)
