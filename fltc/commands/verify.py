"""`fltc verify`: obligations of the shipped PTX, decided or taken from the store."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from fltc.output import check_place, progress, stdout, write_json
from fltc.render import print_report
from spec.errors import BadInput

if TYPE_CHECKING:
    from proofs.results import Report

_EXECUTOR = re.compile(r"local|dask://[^\s/:]+:\d{1,5}")


def run(root: Path, kernels: list[str], jobs: int, fresh: bool, json_file: Path | None, executor: str) -> int:
    """Print the report, write it if asked, and return its exit code."""
    if _EXECUTOR.fullmatch(executor) is None:
        raise BadInput(f"--executor {executor}: expected `local` or dask://HOST:PORT")
    if json_file is not None:
        check_place(json_file)
    from proofs.verify import verify

    with progress("verify") as on_progress:
        report: Report = verify(
            root=root,
            kernels=kernels,
            jobs=jobs or os.cpu_count() or 1,
            fresh=fresh,
            executor=executor,
            on_progress=on_progress,
        )
    if json_file is not None:
        write_json(json_file, report.to_json())
    print_report(stdout(), report)
    return report.exit_code
