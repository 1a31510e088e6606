"""`fltc check` on the test kernels, and the launches that the other checkers get from it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fltc.kernels import Kernel, wrong
from spec.errors import BadInput
from tests.peers.data import FLTC, Results, asked, sha256
from tests.peers.launches import launches

LIMIT = 300  # seconds, so that a run ends; no verdict depends on them


def run_fltc(root: Path, kernels: Sequence[Kernel], results: Results, date: str, say: Callable[[str], None]) -> None:
    """Check each kernel, and keep its verdict and its launches."""
    for kernel in kernels:
        report, trouble = checked(root, kernel)
        kept = results.kernels.setdefault(kernel.name, {})
        broken = {"verdict": "unknown", "found": trouble, "line": False}
        words = judged(kernel, report) if report is not None else broken
        kept[FLTC] = {"of": sha256(kernel.path), "flags": asked(kernel), **words}
        try:
            results.put_launches(kernel.name, launches(kernel, report))
        except BadInput as error:
            kept["launches"] = {}
            say(f"no launch: {error}")
        say(f"{kernel.name} fltc: {kept[FLTC]['verdict']} {kept[FLTC]['found']}")
    results.tools[FLTC] = {"z3": version("z3-solver"), "date": date}


def checked(root: Path, kernel: Kernel) -> tuple[dict[str, Any] | None, str]:
    """The report of a kernel, its launches in it, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        command = [sys.executable, "-m", "tests.peers.replayed", "check", str(kernel.path), *kernel.flags,
                   "--json", str(file), "--jobs", "1"]  # fmt: skip
        try:
            done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return None, f"not done after {LIMIT} s"
        if not file.is_file():
            return None, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return json.loads(file.read_text("utf-8")), ""


def judged(kernel: Kernel, report: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict, the obligations that have it, and whether it is the one that the kernel's file expects."""
    verdict = str(report["verdict"])
    rows = [row["obligation"] for row in report["rows"] if row["verdict"] == verdict]
    return {"verdict": verdict, "found": "" if verdict == "proved" else ", ".join(rows),
            "line": wrong(kernel, report) == ""}  # fmt: skip
