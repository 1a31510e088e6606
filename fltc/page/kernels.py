"""The shipped kernels, as the page shows them: rows of the prover's report, artifacts behind them, contracts, runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fltc.page.model import Assumed, Claim, Kernel, Measured, Obligation, Proved, Run
from fltc.page.reading import Object, read_object
from fltc.page.runs import compared
from spec.errors import BadInput

if TYPE_CHECKING:
    from proofs.results import Report, Row
    from spec.contracts.model import Contract

PTX = Path("backend/ptx")
ARTIFACTS = Path("proofs/artifacts")
NUMERICS = "numerics"


def shipped(root: Path) -> dict[str, tuple[str, str]]:
    """Stem and sha256 of the PTX text by entry, of every kernel that ships."""
    from spec.contracts import STEMS, contracts_of

    digests = {stem: hashlib.sha256(_bytes(root / PTX / f"{stem}.ptx")).hexdigest() for stem in STEMS}
    return {contract.entry: (stem, digests[stem]) for stem in STEMS for contract in contracts_of(stem)}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}; `make ptx` writes it") from error


def proved_of(root: Path, report: Report, runs: Sequence[Run]) -> tuple[tuple[Kernel, ...], tuple[Proved, ...]]:
    """The kernels of the report, and what in it belongs to no kernel, such as a library of lemmas; in its order."""
    from spec.contracts import STEMS

    by_name: dict[str, list[Row]] = {}
    for row in report.rows:
        by_name.setdefault(row.kernel, []).append(row)
    kernels, bundles, entries = [], [], shipped(root)
    for name, rows in by_name.items():
        stem = name.partition(":")[0]
        manifest = read_object(root / ARTIFACTS / stem / "manifest.json", f"{ARTIFACTS}/{stem}/manifest.json")
        if stem in STEMS:
            kernels.append(_kernel(name, rows, manifest, entries, report.assumptions, runs))
        else:
            bundles.append(_proved(name, rows, manifest, ""))
    return tuple(kernels), tuple(bundles)


def _kernel(
    name: str, rows: Sequence[Row], manifest: Object, entries: Mapping[str, tuple[str, str]],
    assumptions: Sequence[str], runs: Sequence[Run],
) -> Kernel:  # fmt: skip
    from spec.operators import operator_of

    contract = _contract(name)
    stem, digest = entries[contract.entry]
    proved = _proved(name, rows, manifest, contract.entry)
    return Kernel(
        name=name,
        verdict=proved.verdict,
        obligations=proved.obligations,
        other_files=proved.other_files,
        entry=contract.entry,
        ptx=f"{PTX}/{stem}.ptx",
        ptx_sha256=digest,
        sequence=operator_of(contract.operator).sequence,
        requires=tuple(_about(contract.entry, assumptions)),
        compared=compared(runs, contract.entry, digest),
    )


def _proved(name: str, rows: Sequence[Row], manifest: Object, entry: str) -> Proved:
    """`entry`: the one whose claims count, '' where there is none."""
    from proofs.verdict import conjunction

    claims = _claims(manifest, entry)
    obligations = tuple(_obligation(row, claims) for row in rows)
    named = {file for o in obligations for claim in o.claims for file in (claim.file, claim.control)}
    others = tuple(sorted(set(manifest.child("files").value) - named))
    return Proved(name, conjunction(row.verdict for row in rows).value, obligations, others)


def assumed_of(root: Path, kernels: Sequence[Kernel], bundles: Sequence[Proved] = ()) -> tuple[Assumed, ...]:
    """Every named assumption behind a verdict, and what the devices of evidence/ do with it."""
    from proofs.devices import measured
    from spec.assumptions import TABLE

    devices = measured(root)
    found = []
    everything = [*((kernel.entry, kernel) for kernel in kernels), *((bundle.name, bundle) for bundle in bundles)]
    for name in dict.fromkeys(name for _, proved in everything for name in proved.assumptions):
        one = TABLE[name]
        entries = tuple(called for called, proved in everything if name in proved.assumptions)
        seen = tuple(Measured(m.device, m.status, m.detail) for m in devices if m.assumption == name)
        found.append(Assumed(name, one.statement, one.source, one.violated, entries, seen))
    return tuple(found)


def for_all(
    assumptions: Iterable[str], kernels: Sequence[Kernel], assumed: Sequence[Assumed]
) -> tuple[str, ...]:
    """The assumptions that are neither of one entry nor named ones, which stand elsewhere on the page."""
    own = {f"{kernel.entry}: {text}" for kernel in kernels for text in kernel.requires}
    named = tuple(f"{one.name}: " for one in assumed)
    return tuple(text for text in assumptions if text not in own and not text.startswith(named))


def _contract(kernel: str) -> Contract:
    """`stem`, or `stem:entry` where a file has several."""
    from spec.contracts import contracts_of

    stem, _, entry = kernel.partition(":")
    return next(c for c in contracts_of(stem) if not entry or c.entry == entry)


def _obligation(row: Row, claims: Mapping[str, tuple[Claim, ...]]) -> Obligation:
    own = claims.get(row.obligation, ())
    return Obligation(row.obligation, row.verdict.value, row.source, row.detail, tuple(row.assumptions), own)


def _claims(manifest: Object, entry: str) -> dict[str, tuple[Claim, ...]]:
    """By obligation, what the manifest of the artifacts lists: claims of the entry, and the lemmas of its bound."""
    found: dict[str, list[Claim]] = {}
    for claim in manifest.child("entries").child(entry).children("claims") if entry else ():
        lines = tuple(map(int, claim.get("lines", list)))
        one = Claim(claim.get("name", str), claim.get("verdict", str), claim.get("file", str), lines)
        found.setdefault(claim.get("obligation", str), []).append(one)
    for lemma in manifest.children(NUMERICS):
        name, verdict, file = (lemma.get(key, str) for key in ("name", "verdict", "file"))
        found.setdefault(NUMERICS, []).append(Claim(name, verdict, file, control=lemma.get("control", str, "")))
    return {obligation: tuple(claims) for obligation, claims in found.items()}


def _about(entry: str, assumptions: Iterable[str]) -> list[str]:
    return [text.removeprefix(f"{entry}: ") for text in assumptions if text.startswith(f"{entry}: ")]
