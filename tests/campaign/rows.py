"""Results of a campaign, a row for each seed, in one SQLite file.

The rows belong to the sources of the prover, of the machine and of the campaign: with others they are thrown away. A
chunk of rows is written in one transaction, so that a run which is killed loses the chunks in flight and nothing else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from proofs.decide import solver_version

FILE = "campaign.sqlite"
ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("spec", "proofs", "verifier", "tests/campaign")
REFUSED, MISFIT, ERROR = "refused", "misfit", "error"


@dataclass(frozen=True)
class Row:
    """What became of the kernel of one seed.

    Args:
        verdict: proved, refuted or unknown; of a kernel that was not judged, REFUSED (by ptxas), MISFIT (launches that
            are none of those that its flags allow, or a check that refuses it) or ERROR (of the prover or machine).
        statuses: of each obligation.
        seen: the first fault of each obligation that some run showed; under `long`, that one took long.
        wrong: what was proved and failed.
        agree, disagree: accesses that are where the prover says, and those that are not; `apart` says how.
        left_out: accesses that were not compared, by reason.
        reasons: why something is unknown; or the message of what kept the kernel from being judged.
        seconds: CPU time.
    """

    seed: int
    family: str
    meant: str
    verdict: str
    statuses: Mapping[str, str] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    agree: int = 0
    disagree: int = 0
    apart: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def bad(self) -> bool:
        """Whether the campaign fails by this kernel."""
        return bool(self.wrong or self.disagree or self.verdict in (REFUSED, MISFIT, ERROR))


_COLUMNS = tuple(f.name for f in fields(Row))
_JSON = ("statuses", "seen", "wrong", "apart", "left_out", "reasons")


def digest(effort: int) -> str:
    """What the results depend on: sources, solver, effort."""
    found = sha256(f"{solver_version()} {effort}".encode())
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.name.startswith("test_"):
                found.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


class Rows:
    """The rows of one folder. `anew`: there were rows of other sources, which are gone."""

    def __init__(self, folder: Path, key: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(folder / FILE, timeout=60)
        with self._connection as changes:
            changes.execute("create table if not exists sources (digest text not null)")
            held = [row[0] for row in changes.execute("select digest from sources")]
            self.anew = bool(held) and held != [key]
            if self.anew:
                changes.execute("drop table if exists kernels")
            changes.execute("delete from sources")
            changes.execute("insert into sources values (?)", (key,))
            columns = ", ".join(f"{name} {'integer primary key' if name == 'seed' else ''}" for name in _COLUMNS)
            changes.execute(f"create table if not exists kernels ({columns})")

    def seeds(self) -> frozenset[int]:
        """Those that have a row."""
        return frozenset(row[0] for row in self._connection.execute("select seed from kernels"))

    def put(self, rows: Iterable[Row]) -> None:
        """Keep rows, all of them or none."""
        marks = ", ".join("?" for _ in _COLUMNS)
        with self._connection as changes:
            changes.executemany(f"insert or replace into kernels values ({marks})", map(_written, rows))

    def of(self, seeds: Collection[int]) -> Iterator[Row]:
        """The rows of these seeds."""
        for values in self._connection.execute(f"select {', '.join(_COLUMNS)} from kernels order by seed"):
            if values[0] in seeds:
                yield _read(dict(zip(_COLUMNS, values, strict=True)))

    def close(self) -> None:
        self._connection.close()


def _written(row: Row) -> tuple[object, ...]:
    held = asdict(row)
    return tuple(json.dumps(held[name]) if name in _JSON else held[name] for name in _COLUMNS)


def _read(held: dict[str, Any]) -> Row:
    for name in _JSON:
        found = json.loads(str(held[name]))
        held[name] = tuple(found) if isinstance(found, list) else found
    return Row(**held)
