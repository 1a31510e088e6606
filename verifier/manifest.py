"""manifest.json and the files it lists: present, whole, of this PTX, and no others."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifier.contract import Contract, read_contracts
from verifier.findings import Finding, Grade, Unreadable
from verifier.reader import Entry, read_ptx
from verifier.records import Records, read_records

NAME = "manifest.json"
OBLIGATIONS: tuple[str, ...] = (
    "coverage",
    "single-writer",
    "bounds",
    "barrier",
    "race",
    "resources",
    "power-gate",
    "abi",
)
OBLIGATIONS += ("numerics", "refinement", "no-wrap", "init", "no-trap")
_FIELDS = {"version", "stem", "ptx_sha256", "contract_sha256", "solver", "files", "entries", "numerics", "assumptions"}
_FIELDS |= {"seal", "scripts"}
_SCRIPT = ("name", "file", "control", "proof", "verdict")
MAX_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Claimed:
    """A claim as the manifest lists it."""

    name: str
    obligation: str
    file: str
    lines: tuple[int, ...]
    verdict: str


@dataclass(frozen=True)
class EntryManifest:
    """What the manifest says of one entry."""

    claims: tuple[Claimed, ...]
    occasions: tuple[tuple[tuple[int, ...], dict[str, int]], ...]
    obligations: dict[str, str]
    refinement_inputs: str
    theorem: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lemma:
    """A lemma of the error bound: its query must be unsat, its control, with a tightened claim, sat."""

    name: str
    entry: str
    file: str
    control: str


@dataclass(frozen=True)
class ScriptFiles:
    """A Gappa script of the error bound, its control, and the Coq proof that Gappa writes of it."""

    name: str
    file: str
    control: str
    proof: str
    verdict: str


@dataclass(frozen=True)
class Bundle:
    """Everything there is about one PTX file, read. `texts` holds each artifact."""

    stem: str
    folder: str
    ptx: str
    ptx_sha256: str
    entries: dict[str, Entry]
    contracts: dict[str, Contract]
    contract_data: dict[str, Any]
    manifest: dict[str, EntryManifest]
    lemmas: tuple[Lemma, ...]
    scripts: tuple[ScriptFiles, ...]
    records: dict[str, Records]
    texts: dict[str, str]

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}"


def read_bundle(root: Path, stem: str) -> tuple[Bundle | None, list[Finding]]:
    """The PTX and artifacts of one stem, and what is wrong with the files. No bundle if they cannot be read."""
    ptx_name, folder = f"backend/ptx/{stem}.ptx", f"proofs/artifacts/{stem}"
    findings: list[Finding] = []
    try:
        ptx = read_ascii(root / ptx_name, ptx_name)
        if not (root / folder / NAME).is_file():
            return None, [Finding(ptx_name, f"has no proof: {folder}/{NAME} is missing")]
        manifest = _json(read_ascii(root / folder / NAME, f"{folder}/{NAME}"), f"{folder}/{NAME}")
        _shape(manifest, stem, f"{folder}/{NAME}")
        digest = sha256(ptx)
        if manifest["ptx_sha256"] != digest:
            findings.append(Finding(ptx_name, "its bytes are not those that the manifest's sha256 names"))
        texts = read_listed(root, folder, manifest["files"], findings)
        if texts.get("contract.json") is None:
            return None, [*findings, Finding(f"{folder}/contract.json", "missing")]
        bundle = _bundle(stem, folder, ptx, digest, manifest, texts, findings)
    except Unreadable as error:
        name, _, message = str(error).partition(": ")
        return None, [*findings, Finding(name, message, Grade.UNREADABLE)]
    return bundle, findings


def _bundle(
    stem: str,
    folder: str,
    ptx: str,
    digest: str,
    manifest: dict[str, Any],
    texts: dict[str, str],
    findings: list[Finding],
) -> Bundle | None:
    entries = read_ptx(ptx, f"backend/ptx/{stem}.ptx")
    if sha256(texts["contract.json"]) != manifest["contract_sha256"]:
        findings.append(Finding(f"{folder}/contract.json", "its bytes are not those that contract_sha256 names"))
    data = _json(texts["contract.json"], f"{folder}/contract.json")
    contracts = read_contracts(data, f"{folder}/contract.json")
    claimed = {name: _entry(given, f"{folder}/{NAME}") for name, given in manifest["entries"].items()}
    records: dict[str, Records] = {}
    for entry in entries:
        name = f"{entry}.records.json"
        if entry not in contracts:
            findings.append(Finding(f"{folder}/contract.json", f"no contract for entry {entry}"))
        elif entry not in claimed:
            findings.append(Finding(f"{folder}/{NAME}", f"nothing is claimed of entry {entry}"))
        elif name not in texts:
            findings.append(Finding(f"{folder}/{name}", f"missing: entry {entry} has no records"))
        else:
            records[entry] = read_records(_json(texts[name], f"{folder}/{name}"), f"{folder}/{name}")
            if records[entry].entry != entry or records[entry].ptx_sha256 != digest:
                findings.append(Finding(f"{folder}/{name}", "the records are not of this PTX and entry"))
    for extra in sorted((set(contracts) | set(claimed)) - set(entries)):
        findings.append(Finding(f"{folder}/{NAME}", f"speaks of entry {extra}, which the PTX does not have"))
    lemmas = tuple(
        Lemma(str(m["name"]), str(m["entry"]), str(m["file"]), str(m["control"])) for m in manifest["numerics"]
    )
    scripts = read_scripts(manifest["scripts"], f"{folder}/{NAME}")
    return Bundle(stem, folder, ptx, digest, entries, contracts, data, claimed, lemmas, scripts, records, texts)


def read_scripts(listed: Any, where: str) -> tuple[ScriptFiles, ...]:
    """The Gappa scripts that a manifest lists."""
    try:
        return tuple(ScriptFiles(*(str(m[field]) for field in _SCRIPT)) for m in listed)
    except (KeyError, TypeError) as error:
        raise Unreadable(f"{where}: not a list of scripts: {error!r}") from None


def read_listed(root: Path, folder: str, listed: dict[str, str], findings: list[Finding]) -> dict[str, str]:
    """The texts of the listed files; findings for those that are missing, changed, or not listed."""
    texts: dict[str, str] = {}
    for name, digest in listed.items():
        if "/" in name or name in (NAME, "", ".", ".."):
            raise Unreadable(f"{folder}/{NAME}: lists {name!r}, which is not a file of this folder")
        path = root / folder / name
        if not path.is_file():
            findings.append(Finding(f"{folder}/{name}", "missing, but listed in the manifest"))
            continue
        texts[name] = read_ascii(path, f"{folder}/{name}")
        if sha256(texts[name]) != digest:
            findings.append(Finding(f"{folder}/{name}", "its bytes are not those that the manifest's sha256 names"))
    for path in sorted((root / folder).rglob("*")):
        name = path.relative_to(root / folder).as_posix()
        if name != NAME and name not in listed:
            findings.append(Finding(f"{folder}/{name}", "not listed in the manifest"))
    return texts


def _shape(manifest: Any, stem: str, where: str) -> None:
    if not isinstance(manifest, dict) or set(manifest) != _FIELDS or manifest["version"] != 1:
        raise Unreadable(f"{where}: not a manifest of version 1 with fields {sorted(_FIELDS)}")
    if manifest["stem"] != stem:
        raise Unreadable(f"{where}: the manifest of {manifest['stem']}, not of {stem}")
    for name, kind in (("files", dict), ("entries", dict), ("numerics", list), ("scripts", list)):
        if not isinstance(manifest[name], kind):
            raise Unreadable(f"{where}: {name} is not what it should be")
    check_seal(manifest, where)


def check_seal(manifest: dict[str, Any], where: str) -> None:
    """Unreadable if the manifest is not what its seal is the digest of."""
    body = {name: value for name, value in manifest.items() if name != "seal"}
    if manifest["seal"] != sha256(canonical_json(body)):
        raise Unreadable(f"{where}: the seal does not match: the manifest was edited")


def _entry(data: Any, where: str) -> EntryManifest:
    try:
        claims = tuple(
            Claimed(c["name"], c["obligation"], c["file"], tuple(c["lines"]), c["verdict"]) for c in data["claims"]
        )
        occasions = tuple(
            (tuple(int(n) for n in o["lines"]), {str(k): int(v) for k, v in o["values"].items()})
            for o in data["occasions"]
        )
        theorem = {str(k): str(v) for k, v in data.get("theorem", {}).items()}
        return EntryManifest(claims, occasions, dict(data["obligations"]), str(data["refinement_inputs"]), theorem)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{where}: not the claims of an entry: {error!r}") from None


def canonical_json(value: Any) -> str:
    """The form in which artifacts are written."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=True) + "\n"


def sha256(text: str) -> str:
    """Hex digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_ascii(path: Path, shown: str) -> str:
    """A file's text; Unreadable, by the name `shown`, if it is too large or not ASCII."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Unreadable(f"{shown}: larger than {MAX_BYTES} bytes")
        return path.read_bytes().decode("ascii")
    except OSError as error:
        raise Unreadable(f"{shown}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{shown}: not ASCII") from None


def read_json(text: str, where: str) -> Any:
    """JSON without repeated keys; Unreadable otherwise."""
    return _json(text, where)


def _json(text: str, where: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{where}: not JSON: {error}") from None
