"""A report as SARIF 2.1.0, for editors and code hosts: one result for each refuted or unknown finding of `fltc check`.

Source: OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", sections 3.13 to 3.30.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from proofs.results import Report, Row

VERSION = "2.1.0"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RULES: Mapping[str, str] = {
    "race": "No two threads touch a byte, one of them writing, without a barrier between",
    "barrier": "Every barrier is reached by the whole block, every exchange between lanes by the whole warp",
    "bounds": "Every access lies in its buffer, aligned to its width",
    "single-writer": "One thread, in one iteration, writes a byte of global memory",
    "no-wrap": "No integer that is looked at as a number has wrapped",
    "init": "Registers and shared memory are written before they are read",
    "no-trap": "Every loop ends and no trap is reached",
    "coverage": "Every element of the named buffers is written",
}
# What is unknown is "open", for which section 3.27.10 demands the level "none".
LEVELS = {"refuted": ("fail", "error"), "unknown": ("open", "none")}


def sarif_log(report: Report, file: Path) -> dict[str, object]:
    """The report as one SARIF run. A finding is at the source line where the PTX has one, and at its PTX lines."""
    rules = list(dict.fromkeys([*RULES, *(row.kind for row in report.rows)]))
    results = [result for row in report.rows for result in _results(row, file, rules)]
    driver = {
        "name": "fltc check", "version": _version(),
        "rules": [{"id": kind, "shortDescription": {"text": RULES.get(kind, kind)}} for kind in rules],
    }
    run = {
        "tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints",
        "properties": {"verdict": report.verdict.value, "assumptions": list(report.assumptions)},
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _version() -> str:
    try:
        return metadata.version("fltc")
    except metadata.PackageNotFoundError:
        return "0.0.0"


def _results(row: Row, file: Path, rules: Sequence[str]) -> Iterator[dict[str, object]]:
    verdict = row.verdict.value
    if verdict not in LEVELS:
        return
    found: list[tuple[str, Mapping[str, Any]]] = []
    if row.counterexample is not None:
        example: Mapping[str, Any] = row.counterexample
        for one in (example, *example.get("others", ())):
            hint = f" Hint: {one['hint']}" if one.get("hint") else ""
            said = f"this fails: {one.get('states', row.obligation)}. {one.get('replay', '')}.{hint}"
            found.append((f"{row.kernel}: {said}", one))
    for one in row.open if row.counterexample is None else ():
        helped = "".join(f" Help: {text}." for text in one["help"])
        found.append((f"{row.kernel}: undecided: {one['states']}. Why: {one['why']}.{helped}", one))
    kind, level = LEVELS[verdict]
    for text, one in found or [(f"{row.kernel}: {row.detail}", {})]:
        yield {
            "ruleId": row.kind, "ruleIndex": rules.index(row.kind), "kind": kind, "level": level,
            "message": {"text": text}, **_places(one, file),
            "properties": {"entry": row.kernel, "verdict": verdict},
        }


def _places(one: Mapping[str, Any], file: Path) -> dict[str, object]:
    """`locations` is the source line, or the PTX line where there is none; PTX lines stand in `relatedLocations`."""
    lines, sources = one.get("lines", ()), one.get("source", {})
    ptx = [_place(file.as_posix(), int(line)) for line in lines]
    written = []
    for source in dict.fromkeys(str(sources[str(n)]) for n in lines if str(n) in sources):
        path, _, line = source.rpartition(":")
        if int(line) >= 1:
            written.append(_place(path, int(line)))
    places = [*written[:1], *ptx[: 0 if written else 1]] or [_place(file.as_posix(), 1)]
    related = [*written[1:], *(ptx if written else ptx[1:])]
    out: dict[str, object] = {"locations": places}
    if related:
        out["relatedLocations"] = related
    return out


def _place(path: str, line: int) -> dict[str, object]:
    uri = f"file://{quote(path)}" if path.startswith("/") else quote(path)
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}
