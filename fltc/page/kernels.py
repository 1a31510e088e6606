"""The shipped kernels, as the page shows them: rows of the prover's report, artifacts behind them, contracts, runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fltc.page.model import Assumed, Claim, Kernel, Measured, Obligation, Run
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


def kernels_of(root: Path, report: Report, runs: Sequence[Run]) -> tuple[Kernel, ...]:
    """One for each kernel of the report, in its order."""
    from proofs.verdict import conjunction
    from spec.operators import operator_of

    by_kernel: dict[str, list[Row]] = {}
    for row in report.rows:
        by_kernel.setdefault(row.kernel, []).append(row)
    entries = shipped(root)
    found = []
    for name, rows in by_kernel.items():
        contract = _contract(name)
        stem, digest = entries[contract.entry]
        manifest = read_object(root / ARTIFACTS / stem / "manifest.json", f"{ARTIFACTS}/{stem}/manifest.json")
        claims = _claims(manifest, contract.entry)
        obligations = tuple(_obligation(row, claims) for row in rows)
        named = {file for o in obligations for claim in o.claims for file in (claim.file, claim.control)}
        found.append(Kernel(
            name=name,
            entry=contract.entry,
            ptx=f"{PTX}/{stem}.ptx",
            ptx_sha256=digest,
            verdict=conjunction(row.verdict for row in rows).value,
            obligations=obligations,
            other_files=tuple(sorted(set(manifest.child("files").value) - named)),
            sequence=operator_of(contract.operator).sequence,
            requires=tuple(_about(contract.entry, report.assumptions)),
            compared=compared(runs, contract.entry, digest),
        ))  # fmt: skip
    return tuple(found)


def assumed_of(root: Path, kernels: Sequence[Kernel]) -> tuple[Assumed, ...]:
    """Every named assumption behind a verdict, and what the devices of evidence/ do with it."""
    from proofs.devices import measured
    from spec.assumptions import TABLE

    devices = measured(root)
    found = []
    for name in dict.fromkeys(name for kernel in kernels for name in kernel.assumptions):
        one = TABLE[name]
        entries = tuple(kernel.entry for kernel in kernels if name in kernel.assumptions)
        seen = tuple(Measured(m.device, m.status, m.detail) for m in devices if m.assumption == name)
        found.append(Assumed(name, one.statement, one.source, one.violated, entries, seen))
    return tuple(found)


def for_all(assumptions: Iterable[str], kernels: Sequence[Kernel]) -> tuple[str, ...]:
    """The assumptions that are neither of one entry nor named ones, which stand elsewhere on the page."""
    own = {f"{kernel.entry}: {text}" for kernel in kernels for text in kernel.requires}
    named = tuple(f"{name}: " for kernel in kernels for name in kernel.assumptions)
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
    for claim in manifest.child("entries").child(entry).children("claims"):
        lines = tuple(map(int, claim.get("lines", list)))
        one = Claim(claim.get("name", str), claim.get("verdict", str), claim.get("file", str), lines)
        found.setdefault(claim.get("obligation", str), []).append(one)
    for lemma in manifest.children(NUMERICS):
        name, verdict, file = (lemma.get(key, str) for key in ("name", "verdict", "file"))
        found.setdefault(NUMERICS, []).append(Claim(name, verdict, file, control=lemma.get("control", str, "")))
    return {obligation: tuple(claims) for obligation, claims in found.items()}


def _about(entry: str, assumptions: Iterable[str]) -> list[str]:
    return [text.removeprefix(f"{entry}: ") for text in assumptions if text.startswith(f"{entry}: ")]
