"""`python -m tests.harness.gpu_evidence --out evidence`: everything that only a GPU can show, in one JSON file.

The file is described in docs/evidence.md. It is written after every part, so that a run that is cut short leaves
what it has; `complete` says whether every part ran and was good. One part can be run again on its own.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np

from backend import ptx
from backend.bench import run_bench
from backend.cuda.device import CudaDevice
from backend.launch import Descriptor, bind
from backend.probe.report import run_probe
from common.files import write_atomic
from spec.assumptions import TABLE
from spec.contracts import STEMS, contracts_of
from spec.errors import DriverError, FltcError
from spec.ptx.isa import ROWS
from spec.ptx.parser import parse
from tests.harness.isa_forms import rows_of_values
from tests.harness.isa_gpu import cuda_compiles, run_isa
from tests.harness.large import run_large
from tests.harness.run import run_diff

SCHEMA = 1
PARTS = ("diff", "large", "isa", "probe", "bench")


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every part that was asked for ran and was good, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.harness.gpu_evidence", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("evidence"), help="folder of <gpu>.json")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--check", action="store_true", help="only compare the evidence there is with the shipped PTX")
    chosen = parser.parse_args(arguments)
    if chosen.check:
        return _check(sorted(chosen.out.glob("*.json")))
    try:
        return collect(chosen.out, chosen.seed, chosen.part or PARTS, _to_stderr)
    except DriverError as error:
        print(f"no evidence: {error}", file=sys.stderr)
        return 1


def collect(out: Path, seed: int, parts: Sequence[str], say: Callable[[str], None]) -> int:
    """Run the parts in order and write the file after each. Parts not asked for stay if they are of the same run."""
    with CudaDevice() as gpu:
        evidence = _header(gpu, seed)
    target = out / f"{file_stem(evidence['device']['name'])}.json"
    evidence |= _kept(target, evidence)
    good = True
    for part in parts:
        started = time.monotonic()
        try:
            content, fine = _PARTS[part](seed, say)
        except FltcError as error:
            content, fine = {"error": f"{type(error).__name__}: {error}"}, False
        good = good and fine
        evidence[part] = {"good": fine, "seconds": round(time.monotonic() - started, 1), **content}
        evidence["complete"] = all(evidence.get(name, {}).get("good") for name in PARTS)
        write_atomic(target, json.dumps(evidence, indent=1, sort_keys=True) + "\n")
        say(f"{part}: {'good' if fine else 'NOT GOOD'}, {evidence[part]['seconds']} s, in {target}")
    return 0 if good else 1


def _check(files: Sequence[Path]) -> int:
    found = [line for file in files for line in stale(file)]
    if not files:
        found = ["no evidence file there"]
    print("\n".join(found) or f"{', '.join(map(str, files))}: complete and of the shipped PTX")
    for file in files:
        for template in not_run(file):
            print(f"{file}: not run on this device: row {template}")
        for name in not_measured(file):
            print(f"{file}: not measured on this device: assumption {name}")
    return 1 if found else 0


def not_run(file: Path) -> list[str]:
    """Exact and bounded rows of the table that are newer than the file's part `isa`, or that it could not run."""
    rows = json.loads(file.read_text()).get("isa", {}).get("rows", [])
    ran = {row["template"] for row in rows if row["spellings"]}
    return [row.template for row in rows_of_values(ROWS) if row.template not in ran]


def not_measured(file: Path) -> list[str]:
    """Assumptions about devices that the file's part `probe` says nothing of."""
    found = json.loads(file.read_text()).get("probe", {}).get("assumptions", {})
    return [name for name in TABLE if found.get(name, {}).get("status", "not measured") == "not measured"]


def stale(file: Path) -> list[str]:
    """What keeps a file from being evidence of the shipped kernels; empty if nothing does."""
    evidence = json.loads(file.read_text())
    device, found = evidence["device"]["name"], list[str]()
    if evidence["schema"] != SCHEMA or not evidence["complete"]:
        found.append(f"{file}: a run on {device} that is not complete, or of another schema")
    for descriptor in descriptors().values():
        entry = descriptor.contract.entry
        tested = evidence["kernels"].get(entry, {}).get("ptx_sha256")
        if tested != descriptor.sha256:
            found.append(
                f"{file}: evidence stale: {entry} was tested on {device} as {tested}, shipped is {descriptor.sha256}"
            )
    return found


def file_stem(device: str) -> str:
    """`NVIDIA H200` -> `nvidia-h200`."""
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")


def descriptors() -> dict[str, Descriptor]:
    """The first entry of every shipped kernel."""
    return {s: bind(contracts_of(s)[0], parse(ptx.load(s), name=f"backend/ptx/{s}.ptx")) for s in STEMS}


def _header(gpu: CudaDevice, seed: int) -> dict[str, Any]:
    kernels = {
        d.contract.entry: {"stem": stem, "ptx_sha256": d.sha256, "loaded": gpu.resources_of(d)}
        for stem, d in descriptors().items()
    }
    return {
        "schema": SCHEMA,
        "device": {
            "name": gpu.name,
            "compute_capability": gpu.compute_capability,
            "driver": gpu.driver.version(),
            "multiprocessors": gpu.attribute("MULTIPROCESSOR_COUNT"),
            "l2_bytes": gpu.attribute("L2_CACHE_SIZE"),
        },
        "python": platform.python_version(),
        "numpy": np.__version__,
        "hypothesis": hypothesis.__version__,
        "seed": seed,
        "kernels": kernels,
        "complete": False,
    }


def _kept(target: Path, header: dict[str, Any]) -> dict[str, Any]:
    """The parts of an earlier file with the same header: same device, versions, seed and kernels."""
    try:
        earlier = json.loads(target.read_text())
    except (OSError, ValueError):
        return {}
    same = all(earlier.get(key) == value for key, value in header.items() if key != "complete")
    return {name: earlier[name] for name in PARTS if same and name in earlier}


def _diff(seed: int, say: Callable[[str], None]) -> tuple[dict[str, Any], bool]:
    report = run_diff("cuda", (), seed, None, say)
    return report.to_json(), report.clean


def _large(seed: int, say: Callable[[str], None]) -> tuple[dict[str, Any], bool]:
    with CudaDevice() as gpu:
        results = run_large(gpu, descriptors(), say)
    return {"cases": [asdict(r) for r in results]}, all(not r.failures for r in results)


def _isa(seed: int, say: Callable[[str], None]) -> tuple[dict[str, Any], bool]:
    with CudaDevice() as gpu:
        report = run_isa(gpu, cuda_compiles(gpu), seed, say=say)
    return report.to_json(), report.clean


def _probe(seed: int, say: Callable[[str], None]) -> tuple[dict[str, Any], bool]:
    with CudaDevice() as gpu:
        report = run_probe(gpu, seed, say)
    return report.to_json(), report.clean


def _bench(seed: int, say: Callable[[str], None]) -> tuple[dict[str, Any], bool]:
    report = run_bench(say=say)
    return asdict(report), bool(report.rows)


_PARTS: dict[str, Callable[[int, Callable[[str], None]], tuple[dict[str, Any], bool]]] = {
    "diff": _diff,
    "large": _large,
    "isa": _isa,
    "probe": _probe,
    "bench": _bench,
}


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
