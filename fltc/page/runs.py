"""Differential runs and evidence files, as the page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from common.histogram import Histogram
from fltc.page.model import Compared, Evidence, Part, Run, RunRow, Tested
from fltc.page.reading import Object, read_object
from spec.errors import BadInput

SCHEMA = 1  # of evidence files; docs/evidence.md
VERSIONS = ("seed", "hypothesis", "numpy")


def run_of(found: Object) -> Run:
    """A run from what `fltc diff --json` wrote, or from the part `diff` of evidence."""
    versions = ", ".join(f"{name} {found.value[name]}" for name in VERSIONS if name in found.value)
    return Run(found.file, found.get("device", str), versions, tuple(_row(row) for row in found.children("rows")))


def _row(found: Object) -> RunRow:
    histogram = None
    if "histogram" in found.value:
        try:
            histogram = Histogram.read(found.value["histogram"])
        except ValueError as error:
            raise BadInput(f"{found.file}: {found.at}.histogram: {error}") from error
    results = found.get("elements", int)
    if histogram is not None and histogram.total != results:
        raise BadInput(
            f"{found.file}: {found.at}: the histogram counts {histogram.total} results of {results}; was it edited?"
        )
    return RunRow(
        op=found.get("op", str),
        entry=found.get("entry", str),
        cases=found.get("cases", int),
        results=results,
        worst_ratio=found.get("worst_ratio", float),
        worst_case=found.get("worst_case", str, ""),
        failures=tuple(map(str, found.get("failures", list))),
        ptx_sha256=found.get("ptx_sha256", str),
        histogram=histogram,
    )


def compared(runs: Sequence[Run], entry: str, shipped: str) -> tuple[Compared, ...]:
    """What the runs say of an entry whose shipped text has the hash `shipped`."""
    rows = ((run, row) for run in runs for row in run.rows if row.entry == entry)
    return tuple(Compared(run, row, row.ptx_sha256 != shipped) for run, row in rows)


def evidence_of(path: Path, shown: str, shipped: Mapping[str, str]) -> tuple[Evidence, Run | None]:
    """An evidence file, and its differential run if it has one. `shipped`: hash of the PTX by entry."""
    found = read_object(path, shown)
    if (schema := found.get("schema", int)) != SCHEMA:
        raise BadInput(f"{shown} is of schema {schema}, known is {SCHEMA}; `make verify-gpu` writes it anew")
    device, kernels = found.child("device"), found.child("kernels")
    tested = []
    for entry, sha256 in shipped.items():
        there = kernels.child(entry).get("ptx_sha256", str) if entry in kernels.value else ""
        tested.append(Tested(entry, "current" if there == sha256 else "stale" if there else "not there", there))
    parts = tuple(
        _part(name, Object(value, shown, name))
        for name, value in found.value.items()
        if isinstance(value, Mapping) and ("good" in value or "error" in value)
    )
    evidence = Evidence(
        file=shown,
        device=device.get("name", str),
        facts={name: str(value) for name, value in device.value.items() if name != "name"},
        complete=found.get("complete", bool),
        parts=parts,
        tested=tuple(tested),
    )
    run = run_of(Object(found.value["diff"], shown, "diff")) if "rows" in found.value.get("diff", ()) else None
    return evidence, run


def _part(name: str, found: Object) -> Part:
    error = found.get("error", str, "")
    return Part(name, found.get("good", bool, False), found.get("seconds", float, 0.0), error)
