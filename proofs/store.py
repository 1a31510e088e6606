"""The store of decided queries: the artifacts themselves, keyed by the sha256 of each query's text.

A stored verdict is taken only if the manifest's seal is whole and the query's file has the recorded bytes. Editing a
verdict breaks the seal; who mends the seal too is found by `fltc audit`, which decides every query again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proofs.artifacts import sha256, to_text

MANIFEST = "manifest.json"
SEAL = "seal"
DECIDED = ("derived", "proved")
"""Verdicts of a lemma whose query and control got the answers they should."""


def sealed(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the digest of the rest of it."""
    body = {k: v for k, v in manifest.items() if k != SEAL}
    return {**body, SEAL: sha256(to_text(body))}


@dataclass(frozen=True)
class Store:
    """What a previous run left for one stem.

    Args:
        proved: sha256 of the text of a query that got the answer it should, to the solver that answered.
        other: sha256 of a claim's inputs to its stored file text, for claims not decided by a query.
        damage: what was found to be edited; nothing is taken from a damaged store.
    """

    proved: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)
    damage: str = ""


def read_store(folder: Path) -> Store:
    """The store in an artifact folder; empty if there is none, `damage` set if it was edited."""
    store = read_files(folder)
    manifest = store.manifest
    try:
        names: dict[str, str] = manifest.get("files", {})
        proved = {
            names[claim["file"]]: manifest["solver"]
            for entry in manifest.get("entries", {}).values()
            for claim in entry["claims"]
            if claim["verdict"] == "proved" and claim["file"]
        }
        for lemma in (*manifest.get("numerics", ()), *manifest.get("binary16", ())):
            if lemma["verdict"] in DECIDED:
                proved |= {names[lemma[part]]: manifest["solver"] for part in ("file", "control")}
        for script in manifest.get("scripts", ()):
            if script["verdict"] == "proved":
                proved |= {names[script[part]]: "coq" for part in ("file", "control", "proof")}
    except (KeyError, TypeError, AttributeError) as error:
        return Store(damage=_unreadable(error))
    return replace(store, proved=proved)


def read_files(folder: Path) -> Store:
    """Manifest and files of a folder, with nothing taken as proved yet; `damage` set if something was edited."""
    path = folder / MANIFEST
    if not path.exists():
        return Store()
    try:
        manifest = json.loads(path.read_text())
        if not isinstance(manifest, dict) or sealed(manifest)[SEAL] != manifest.get(SEAL):
            return Store(damage=f"{path.name}: the seal does not match: the manifest was edited")
        files: dict[str, str] = {}
        for name, digest in manifest["files"].items():
            file = folder / name
            if not file.exists():
                return Store(damage=f"{name}: missing")
            text = file.read_text()
            if sha256(text) != digest:
                return Store(damage=f"{name}: its bytes are not those that were recorded")
            files[name] = text
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return Store(damage=_unreadable(error))
    return Store(files=files, manifest=manifest)


def read_record(text: str | None) -> dict[str, Any]:
    """The JSON object of a stored record; empty where there is none, so that what it would say is found out again."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _unreadable(error: Exception) -> str:
    return f"{MANIFEST}: not readable ({error.__class__.__name__})"
