"""What devices were measured to do with what error bounds assume of them (evidence/*.json, docs/evidence.md).

A verdict that names an assumption which a device violates becomes *assumption violated*. That is done where a report is
made, after everything was decided: stored proofs are about the text and do not change with devices.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from proofs.results import Row
from proofs.verdict import Verdict
from spec.assumptions import TABLE
from spec.errors import BadInput

EVIDENCE = Path("evidence")
_STATUSES = ("held", "violated", "not measured")


@dataclass(frozen=True)
class Measured:
    """One assumption on one device, as its evidence file has it; `status` is one of _STATUSES."""

    assumption: str
    device: str
    status: str
    detail: str


def measured(root: Path) -> list[Measured]:
    """What all committed evidence says; a file without probes says nothing.

    Raises:
        BadInput: for a file that cannot be read as evidence, or that names an assumption there is not: what it says
            would be passed over.
    """
    found: list[Measured] = []
    for file in sorted((root / EVIDENCE).glob("*.json")):
        try:
            content = json.loads(file.read_text())
            assumptions = content.get("probe", {}).get("assumptions", {})
            found += [_read(file, content["device"]["name"], name, said) for name, said in assumptions.items()]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadInput(f"{file} is no evidence file (docs/evidence.md): {type(error).__name__}: {error}") from None
    return found


def _read(file: Path, device: str, name: str, said: Any) -> Measured:
    if name not in TABLE or said["status"] not in _STATUSES:
        raise BadInput(f"{file}: {name} {said['status']!r}: assumptions are {', '.join(TABLE)}, each one of "
                       f"{', '.join(_STATUSES)}; run `fltc probe` of this version there again")  # fmt: skip
    return Measured(name, device, said["status"], said["detail"])


def judged(rows: Iterable[Row], found: Sequence[Measured]) -> list[Row]:
    """The rows, those that name a violated assumption as VIOLATED; what is refuted stays refuted."""
    return [_judged(row, found) for row in rows]


def _judged(row: Row, found: Sequence[Measured]) -> Row:
    broken = [m for m in found if m.status == "violated" and m.assumption in row.assumptions]
    if not broken or row.verdict is Verdict.REFUTED:
        return row
    said = [f"{m.assumption} does not hold on {m.device}: {m.detail}" for m in broken]
    rest = f"{row.verdict.value} where it holds" + (f": {row.detail}" if row.detail else "")
    return replace(row, verdict=Verdict.VIOLATED, detail="\n".join([*said, rest]))


def described(names: Iterable[str], found: Sequence[Measured]) -> list[str]:
    """Each named assumption in words, and on which devices it was measured."""
    words = []
    for name in dict.fromkeys(names):
        devices = [f"{m.status} on {m.device}" for m in found if m.assumption == name and m.status != "not measured"]
        words.append(f"{name}: {TABLE[name].statement} ({'; '.join(devices) or 'measured on no device'})")
    return words
