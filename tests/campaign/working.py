"""A chunk of seeds: kernels are made, assembled together, and judged one by one; some are written down as files."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from common.files import write_atomic
from spec.errors import FltcError
from tests.campaign.assembling import refused
from tests.campaign.families import kernel_of
from tests.campaign.judging import Outcome, judged
from tests.campaign.kernel import Kernel
from tests.campaign.launching import Misfit
from tests.campaign.proving import UNKNOWN, command
from tests.campaign.rows import ERROR, MISFIT, REFUSED, Row
from tests.campaign.shrinking import shrunk

TRACEBACK = 2000  # characters of one
FOLDERS = {REFUSED: "refused", MISFIT: "misfit", ERROR: "errors", UNKNOWN: "unknown"}


@dataclass(frozen=True)
class Chunk:
    """Seeds for one process, and where files go."""

    seeds: Sequence[int]
    folder: Path
    effort: int


def work(chunk: Chunk) -> list[Row]:
    """The rows of a chunk."""
    kernels, rows = [], []
    for seed in chunk.seeds:
        try:
            kernels.append(kernel_of(seed))
        except Exception:  # whatever a generator does wrong is a row that fails the campaign, and the others go on
            rows.append(Row(seed, "", "", ERROR, reasons=(traceback.format_exc()[-TRACEBACK:],)))
    no = refused(kernels)
    for kernel in kernels:
        row = _unjudged(kernel, REFUSED, no[kernel.seed]) if kernel.seed in no else one(kernel, chunk)
        _write(chunk, kernel, row)
        rows.append(row)
    return rows


def one(kernel: Kernel, chunk: Chunk) -> Row:
    """The row of a kernel that is assembled."""
    start = time.process_time()
    try:
        outcome = judged(kernel, chunk.effort)
    except (Misfit, FltcError) as error:
        return _unjudged(kernel, MISFIT, str(error))
    except Exception:  # an internal error of prover or machine is what is looked for: a row that fails the campaign
        return _unjudged(kernel, ERROR, traceback.format_exc()[-TRACEBACK:])
    row = row_of(outcome, time.process_time() - start)
    if row.wrong or row.disagree:
        _disagreement(chunk, outcome)
    return row


def row_of(outcome: Outcome, seconds: float) -> Row:
    """An outcome to keep."""
    kernel, compared, proof = outcome.kernel, outcome.compared, outcome.proof
    return Row(
        kernel.seed, kernel.family, kernel.meant, proof.verdict, proof.statuses, outcome.seen, outcome.wrong,
        compared.agree, compared.disagree, tuple(compared.words), dict(compared.left_out), proof.reasons,
        round(seconds, 4),
    )  # fmt: skip


def _unjudged(kernel: Kernel, verdict: str, message: str) -> Row:
    return Row(kernel.seed, kernel.family, kernel.meant, verdict, reasons=(message,))


def _write(chunk: Chunk, kernel: Kernel, row: Row) -> None:
    """The kernels that a person may want to look at, but for disagreements."""
    if row.verdict in FOLDERS and not row.wrong:
        save(chunk, FOLDERS[row.verdict], kernel, row.reasons)


def _disagreement(chunk: Chunk, outcome: Outcome) -> None:
    """The kernel as it is, then as small as it gets: should shrinking be cut short, there is a file all the same."""
    save(chunk, "disagreements", outcome.kernel, _against(outcome))
    small = shrunk(outcome, chunk.effort)
    save(chunk, "disagreements", small.kernel, _against(small))


def _against(outcome: Outcome) -> tuple[str, ...]:
    return (
        *(f"wrong: {name} is proved, but {words}" for name, words in outcome.wrong.items()),
        *(f"address: {words}" for words in outcome.compared.words),
    )


def save(chunk: Chunk, folder: str, kernel: Kernel, remarks: Sequence[str]) -> None:
    """The kernel as a file that `fltc check` reads, with the command line and the remarks at its top."""
    place = chunk.folder / folder
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{kernel.seed}.ptx"
    write_atomic(path, f"{heading(kernel, path, chunk.effort, remarks)}{kernel.text}")


def heading(kernel: Kernel, path: Path, effort: int, remarks: Sequence[str]) -> str:
    """Comment lines."""
    lines = [
        f"seed {kernel.seed} of family {kernel.family}" + (f", meant: {kernel.meant}" if kernel.meant else ""),
        command(kernel, str(path), effort),
        *(line for remark in remarks for line in remark.splitlines()),
        *(f"launch: grid {s.grid}, block {s.block}, {dict(s.numbers)}" for s in kernel.launches),
    ]
    lines.append(f"PTX lines that are named here count from below this heading, which has {len(lines) + 1} lines")
    return "".join(f"// {line}\n" for line in lines).encode("ascii", "backslashreplace").decode("ascii")
