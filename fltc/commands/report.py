"""`fltc report`: verdicts, error bounds, assumptions and what devices showed, as one static HTML page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

from common.files import write_atomic
from fltc.output import progress, stdout
from fltc.page.html import html
from fltc.page.kernels import assumed_of, for_all, proved_of, shipped
from fltc.page.model import Page
from fltc.page.reading import read_object
from fltc.page.runs import evidence_of, run_of
from spec.errors import BadInput

if TYPE_CHECKING:
    from proofs.results import Report

EVIDENCE = Path("evidence")
INDEX, VERDICTS = "index.html", "verify.json"


def run(root: Path, out: Path, diffs: Sequence[Path]) -> int:
    """Write the page and the prover's report into the folder, and return 0, whatever the verdicts are.

    The page is made before anything is written, and each file is written in one step. BadInput where the folder or a
    file to read is not as it must be.
    """
    check_folder(out)
    runs = [run_of(read_object(path, str(path))) for path in diffs]
    digests = {entry: digest for entry, (_, digest) in shipped(root).items()}
    evidence = []
    for path in sorted((root / EVIDENCE).glob("*.json")):
        found, of_device = evidence_of(path, f"{EVIDENCE}/{path.name}", digests)
        evidence.append(found)
        runs += [of_device] if of_device else []
    report = _verified(root)
    kernels, bundles = proved_of(root, report, runs)
    assumed = assumed_of(root, kernels, bundles)
    text = html(Page(
        summary=report.summary_line(),
        verdict=report.verdict.value,
        kernels=kernels,
        bundles=bundles,
        assumed=assumed,
        assumptions=for_all(report.assumptions, kernels, assumed),
        runs=tuple(runs),
        evidence=tuple(evidence),
    ))  # fmt: skip
    _write(out, {VERDICTS: dumps(report.to_json(), indent=2) + "\n", INDEX: text})
    console = stdout()
    console.print(report.summary_line(), markup=False, soft_wrap=True)
    console.print(f"report written to {out / INDEX}", markup=False, soft_wrap=True)
    return 0


def check_folder(path: Path) -> None:
    """BadInput if the folder is not there and cannot be made, or takes no files; asked before long work."""
    if path.exists() and not path.is_dir():
        raise BadInput(f"cannot write to {path}: it is no folder; name one with --out DIR")
    there = path.absolute() if path.is_dir() else path.absolute().parent
    if not there.is_dir():
        raise BadInput(f"cannot make {path}: there is no folder {there}; make it first, or name another with --out DIR")
    if not os.access(there, os.W_OK | os.X_OK):
        raise BadInput(f"cannot write to {path}: no permission to write in {there}; name another with --out DIR")


def _verified(root: Path) -> Report:
    from proofs.verify import verify

    with progress("verify") as on_progress:
        return verify(
            root=root, kernels=[], jobs=os.cpu_count() or 1, fresh=False, executor="local", on_progress=on_progress
        )


def _write(folder: Path, files: dict[str, str]) -> None:
    """Each file in one step; BadInput names the one that the place does not take."""
    for name, text in files.items():
        try:
            write_atomic(folder / name, text)
        except OSError as error:
            raise BadInput(f"cannot write {folder / name}: {error.strerror or error}; see --out DIR") from error
