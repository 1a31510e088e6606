"""All mutants of a target, judged and kept row by row: a run that was interrupted goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

import proofs
import spec
from common.files import write_atomic
from proofs.check.answers import open_store
from proofs.check.work import workers
from proofs.mutation.judging import DISAGREE, KILLED, NOT_ASKED, REFUSED, SURVIVES, Judge, Proof, Result, judge_of
from proofs.mutation.making import Made, kinds_named, mutants_of, spread
from proofs.mutation.target import Target
from spec.errors import BadInput

RESULTS, ANSWERS, SURVIVORS, DISAGREEMENTS = "results.jsonl", "answers", "survivors", "disagreements"
# Rows that stay when more launches are run, or more is proved to change nothing; but what the prover calls proved may
# show a fault in a further launch.
LASTING = (KILLED, REFUSED)
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Campaign:
    """What came of all mutants.

    Args:
        proof: of the target itself; nothing else is there unless it is proved.
        results: a row for each mutant, in text order.
        made: the mutants, in the same order.
        taken: how many rows stood in the folder.
    """

    proof: Proof
    results: tuple[Result, ...] = ()
    made: tuple[Made, ...] = ()
    taken: int = 0


def mutate(
    target: Target, folder: Path, kinds: Sequence[str], limit: int, jobs: int, on_progress: Progress,
    quick: bool = False,
) -> Campaign:
    """Judge the mutants of a target. BadInput: a kind that there is not, or a folder that cannot be written.

    Args:
        kinds: names of operators; none means all.
        limit: at most so many mutants, spread evenly; 0 means all.
        quick: the prover is asked only of mutants that the emulator does not kill. Another run asks it of the others.
    """
    chosen = spread(mutants_of(target.module, target.entry, kinds_named(kinds)), limit)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--out {folder}: {error.strerror or error}") from error
    store = open_store(folder / ANSWERS)
    if isinstance(store, str):
        raise BadInput(f"--out {folder}: {store}")
    kept = Kept(folder / RESULTS, f"{target.key}.{sources_digest()}.{sha256(target.request.text.encode()).hexdigest()}")
    on_progress(0, len(chosen), "the original")
    judge = judge_of(target, store)
    if isinstance(judge, Proof):
        return Campaign(judge)
    judge.quick = quick
    known = {made.id: row for made in chosen if (row := kept.get(made)) is not None}
    rows = {name: replace(row, id=name) for name, row in known.items() if quick or row.prover.verdict != NOT_ASKED}
    taken = len(rows)
    todo = [made for made in chosen if made.id not in rows]
    with workers(jobs) as processes, kept.open() as keep:
        for made, row in zip(todo, processes.map(partial(_judged, judge), todo, partial(_died, judge)), strict=True):
            rows[made.id] = row
            keep(row)
            on_progress(len(rows), len(chosen), made.id)
    return Campaign(Proof("proved"), tuple(rows[m.id] for m in chosen), tuple(chosen), taken)


_JUDGES: dict[str, Judge] = {}


def _judged(judge: Judge, made: Made) -> Result:
    """The row of a mutant; what a judge has found out of the original stays in its process."""
    key = f"{judge.target.key}.{judge.cubin}.{judge.quick}.{judge.store.path if judge.store else ''}"
    if key not in _JUDGES:
        _JUDGES.clear()
        _JUDGES[key] = judge
    return _JUDGES[key].judge(made)


def _died(judge: Judge, made: Made) -> Result:
    reason = "the process that judged it ended, out of memory as it seems; --jobs 1 needs less"
    return Result(made.id, made.kind, made.line, made.words, made.key, SURVIVES, reason=reason)


class Kept:
    """The rows in a file: one a line, of this target, these flags and these sources of the prover."""

    def __init__(self, path: Path, key: str) -> None:
        self.path, self.key = path, key
        self._rows: dict[str, Result] = {}
        for line in self._lines():
            try:
                value = json.loads(line)
                if value.pop("of") == key:
                    engine = value.pop("engine")
                    row = Result.of_json(value)
                    if not row.sound:
                        continue
                    lasting = row.status in LASTING and row.prover.verdict != "proved"
                    if engine == engine_digest() or lasting:
                        self._rows[row.key] = row
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a line that was cut off, or does not say what a row says: the mutant is judged again

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{self.path}: {error}; take another folder, --out DIR") from error

    def get(self, made: Made) -> Result | None:
        return self._rows.get(made.key)

    def open(self) -> _Writer:
        return _Writer(self.path, self.key)


class _Writer:
    """Appends rows, each at once on the disk."""

    def __init__(self, path: Path, key: str) -> None:
        self.path, self.key = path, key

    def __enter__(self) -> Callable[[Result], None]:
        try:
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot write {self.path}: {error.strerror or error}") from error
        if self._file.tell() and not self.path.read_text("utf-8").endswith("\n"):
            self._file.write("\n")
        return self._keep

    def _keep(self, row: Result) -> None:
        self._file.write(json.dumps({"of": self.key, "engine": engine_digest(), **row.to_json()}) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __exit__(self, *error: object) -> None:
        self._file.close()


@cache
def sources_digest() -> str:
    """A digest of what a verdict depends on besides text and flags: the prover and the emulator."""
    digest = sha256()
    for package in (proofs, spec):
        top = Path(package.__file__ or "").parent
        for path in sorted(top.rglob("*.py")):
            if "mutation" not in path.parts:
                digest.update(f"{path.relative_to(top)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


@cache
def engine_digest() -> str:
    """A digest of what chooses launches and proves that edits change nothing."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(f"{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


# --- files --------------------------------------------------------------------------------------------------------


def write_survivors(campaign: Campaign, folder: Path, command: Mapping[str, str]) -> dict[str, Path]:
    """A file for each survivor and each disagreement, by id; files of earlier runs go.

    Args:
        command: `check`, the command line behind `fltc check FILE`, and `file`, the original.
    """
    found: dict[str, Path] = {}
    for name, status in ((SURVIVORS, SURVIVES), (DISAGREEMENTS, DISAGREE)):
        wanted = {
            folder / name / f"{row.id}.ptx": _commented(made, row, command)
            for made, row in zip(campaign.made, campaign.results, strict=True) if row.status == status
        }  # fmt: skip
        for path in sorted((folder / name).glob("*.ptx")) if (folder / name).is_dir() else ():
            if path not in wanted:
                path.unlink()
        for path, text in wanted.items():
            write_atomic(path, text)
            found[path.stem] = path
    return found


def _commented(made: Made, row: Result, command: Mapping[str, str]) -> str:
    """The text under a comment that says what it is."""
    lines = [
        f"{row.status}: {made.id} of {command['file']}", f"line {made.line} there: {made.words}",
        *_said(row), f"fltc check {made.id}.ptx{command['check']}",
    ]  # fmt: skip
    return "".join(f"// {' '.join(line.split())}\n" for line in lines) + made.text


def _said(row: Result) -> Iterator[str]:
    proof, shown = row.prover, row.emulator
    yield " ".join(("prover:", proof.verdict, proof.obligation, proof.claim, proof.detail))
    yield " ".join(("emulator:", shown.verdict, shown.launch, shown.detail))
