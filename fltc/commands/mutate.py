"""`fltc mutate`: faulty copies of anybody's PTX, and whether prover and emulator notice each of them."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fltc.commands.check import read_ptx, request_of
from fltc.failure import REFUTED, UNKNOWN
from fltc.output import check_place, progress, stdout, write_json
from spec.errors import BadInput

if TYPE_CHECKING:
    from fltc.flags import Flags
    from proofs.mutation.judging import Result

SCHEMA = "fltc-mutate/1"
COLUMNS = ("made", "refused", "counted", "asked", "prover", "emulator", "both", "equivalent", "survive")


def run(
    file: Path, flags: Flags, *, jobs: int, kinds: Sequence[str], limit: int, quick: bool,
    out: Path | None, argued_file: Path | None, json_file: Path | None,
) -> int:  # fmt: skip
    """Print table and survivors; 0 if every one of them is argued, 1 if not, 2 if the original is not proved."""
    request = request_of(file, read_ptx(file), flags)
    if json_file is not None:
        check_place(json_file)
    argued = {} if argued_file is None else read_argued(argued_file)
    folder = out or Path(f"{file.name}.mutants")
    from proofs.mutation.campaign import mutate, write_survivors
    from proofs.mutation.target import target_of

    target = target_of(request)
    with progress("mutate") as on_progress:
        campaign = mutate(target, folder, kinds, limit, jobs or os.cpu_count() or 1, on_progress, quick)
    console = stdout()
    if campaign.proof.verdict != "proved":
        proof = campaign.proof
        _say(console, f"{file} itself is {proof.verdict}: {proof.obligation} {proof.detail}".rstrip())
        _say(console, "faulty copies of what is not proved show nothing; `fltc check` says more")
        return REFUTED if proof.verdict == "DISAGREE" else UNKNOWN
    rows = campaign.results
    said = "".join(f" {shlex.quote(w)}" for w in flags.words())
    said = f" # under the contract of {target.stem}" if target.stem else said
    files = write_survivors(campaign, folder, {"file": str(file), "check": said})
    survivors = [row for row in rows if row.status == "survives"]
    _check_argued(argued, argued_file, rows, whole=not (kinds or limit))
    open_ = [row for row in survivors if row.id not in argued]
    disagree = [row for row in rows if row.status == "DISAGREE"]
    _print(console, rows)
    for row in (*disagree, *open_):
        style = "bold red" if row in disagree else "yellow"
        _say(console, f"{row.status} {row.id}: {row.words}", style)
        _say(console, f"  prover: {row.prover.verdict} {row.prover.obligation} {row.prover.detail}".rstrip())
        _say(console, f"  emulator: {row.emulator.verdict} {row.emulator.launch} {row.emulator.detail}".rstrip())
        _say(console, f"  {files[row.id]}")
    for row in survivors:
        if row.id in argued:
            _say(console, f"argued {row.id}: {argued[row.id]}")
    if disagree:
        _say(console, f"{len(disagree)} mutants are proved and show a fault: the prover is wrong", "bold red")
    if json_file is not None:
        write_json(json_file, to_json(str(file), rows, argued))
    _say(console, closing_line(rows, len(survivors) - len(open_), campaign.taken))
    return REFUTED if open_ or disagree else 0


def read_argued(path: Path) -> dict[str, str]:
    """The reasons by mutant; BadInput if the file cannot be read or is something else."""
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"--argued {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f'--argued {path}: {error}; each line is "ID" = "why it changes nothing"') from error
    for name, reason in found.items():
        if not isinstance(reason, str) or len(reason.split()) < 3:
            raise BadInput(f'--argued {path}, "{name}": expected a sentence that says why, three words at least')
    return found


def _check_argued(argued: Mapping[str, str], path: Path | None, rows: Sequence[Result], whole: bool) -> None:
    """BadInput for an entry that names no survivor; where only some mutants were made, it may name another one."""
    known = {row.id: row.status for row in rows}
    wrong = [f"{name} ({known.get(name, 'no such mutant')})" for name in argued
             if known.get(name, "" if whole else "survives") != "survives"]
    if wrong:
        raise BadInput(f"--argued {path}: no survivors: {', '.join(wrong)}; take them out")


def counts(rows: Iterable[Result]) -> dict[str, int]:
    """How many of them fared how.

    `asked`: of how many the prover was asked; `prover` and `emulator`: what each kills; `both`: what both do.
    """
    found = Counter(dict.fromkeys(COLUMNS, 0))
    for row in rows:
        found["made"] += 1
        found["refused"] += row.status == "refused"
        found["counted"] += row.status != "refused"
        found["asked"] += row.status != "refused" and row.prover.verdict != "not asked"
        prover, emulator = row.prover.verdict == "refuted", row.emulator.kills
        found["prover"] += prover
        found["emulator"] += emulator
        found["both"] += prover and emulator
        found["equivalent"] += row.status == "equivalent"
        found["survive"] += row.status == "survives"
    return dict(found)


def _print(console: Console, rows: Sequence[Result]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("edit", no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right")
    kinds = list(dict.fromkeys(row.kind for row in rows))
    for kind in (*sorted(kinds), "all"):
        found = counts(row for row in rows if kind in (row.kind, "all"))
        table.add_row(kind, *(str(found[name]) for name in COLUMNS))
    console.print(table)


def closing_line(rows: Sequence[Result], argued: int, taken: int) -> str:
    """The last line; scripts read it. (The dot is U+00B7.)"""
    found = counts(rows)
    killed = sum(row.status == "killed" for row in rows)
    share = 100 * found["survive"] / found["counted"] if found["counted"] else 0.0
    parts = [
        f"killed {killed}", f"equivalent {found['equivalent']}", f"survive {found['survive']} ({share:.1f} %)",
        f"argued {argued}", f"of {found['counted']} mutants", f"refused {found['refused']}", f"from the folder {taken}",
    ]  # fmt: skip
    return " \u00b7 ".join(parts)


def to_json(file: str, rows: Sequence[Result], argued: Mapping[str, str]) -> dict[str, object]:
    """The report: docs/mutate.md says what is in it."""
    kinds = sorted({row.kind for row in rows})
    return {
        "schema": SCHEMA, "file": file, "summary": counts(rows),
        "kinds": {kind: counts(row for row in rows if row.kind == kind) for kind in kinds},
        "rows": [{**row.to_json(), "argued": argued.get(row.id, "")} for row in rows],
    }  # fmt: skip


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style=style), soft_wrap=True)
