"""A copy of the shipped proofs that tests may spoil, with all hashes mended as an attacker would."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from verifier.audit import run_job
from verifier.findings import Finding

ROOT = Path(__file__).resolve().parents[2]


class Copy:
    """One stem's PTX and artifacts below a folder, with the contracts' source and the Coq theories."""

    def __init__(self, root: Path, stem: str) -> None:
        self.root, self.stem = root, stem
        self.ptx = root / "backend/ptx" / f"{stem}.ptx"
        self.folder = root / "proofs/artifacts" / stem
        self.ptx.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "backend/ptx" / f"{stem}.ptx", self.ptx)
        shutil.copytree(ROOT / "proofs/artifacts" / stem, self.folder)
        shutil.copytree(ROOT / "spec/contracts", root / "spec/contracts", dirs_exist_ok=True)
        shutil.copytree(ROOT / "proofs/coq", root / "proofs/coq", dirs_exist_ok=True)
        (self.entry,) = self.manifest()["entries"]

    def findings(self, job: str, launches: int = 5) -> list[Finding]:
        """What one job of the audit finds; `programs` is not for copies without the sources."""
        return run_job(self.root, self.stem, job, launches).findings

    def messages(self, job: str, launches: int = 5) -> str:
        return "\n".join(str(finding) for finding in self.findings(job, launches))

    def access(self, **fields: Any) -> str:
        """Id of the first recorded access with these field values."""
        records = json.loads(self.read(f"{self.entry}.records.json"))
        found: str = next(a["id"] for a in records["accesses"] if all(a[k] == v for k, v in fields.items()))
        return found

    def first_claims(self, *stems: str) -> list[str]:
        """The first claim of each stem, `bounds.` and so on."""
        names = [c["name"] for c in self.manifest()["entries"][self.entry]["claims"]]
        return [next(name for name in names if name.startswith(stem)) for stem in stems]

    # --- files ---
    def manifest(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text())
        return data

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def edit_text(self, name: str, change: Callable[[str], str]) -> None:
        """Change a file, which must make a difference, and mend the hashes."""
        before = self.read(name)
        after = change(before)
        assert after != before, f"the edit of {name} changed nothing"
        self.write(name, after)
        self.mend()

    def edit_json(self, name: str, change: Callable[[Any], object]) -> None:
        """Change a JSON file in place and mend the hashes."""
        data = json.loads(self.read(name))
        change(data)
        self.edit_text(name, lambda _: to_text(data))

    def edit_manifest(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the manifest and mend its seal."""
        data = self.manifest()
        change(data)
        self.write("manifest.json", to_text(data))
        self.mend()

    def edit_records(self, change: Callable[[Any], object]) -> None:
        self.edit_json(f"{self.entry}.records.json", change)

    def edit_ptx(self, change: Callable[[str], str]) -> None:
        """Change the PTX and every place that names its hash."""
        before = self.ptx.read_text()
        after = change(before)
        assert after != before
        self.ptx.write_text(after)
        for path in self.folder.glob("*.json"):
            path.write_text(path.read_text().replace(sha256(before), sha256(after)))
        self.mend()

    def drop_claim(self, name: str) -> None:
        """Remove a claim and its query as if it had never been."""
        (self.folder / f"{self.entry}.{name}.smt2").unlink()
        self.edit_manifest(lambda m: _keep(m["entries"][self.entry]["claims"], lambda c: c["name"] != name))

    def mend(self) -> None:
        """Make every hash of the manifest, and its seal, fit the files."""
        data = self.manifest()
        names = [p.name for p in self.folder.iterdir() if p.name != "manifest.json"]
        data["files"] = {name: sha256(self.read(name)) for name in sorted(names)}
        data["contract_sha256"] = data["files"]["contract.json"]
        data["ptx_sha256"] = sha256(self.ptx.read_text())
        data.pop("seal")
        data["seal"] = sha256(to_text(data))
        self.write("manifest.json", to_text(data))

    def query(self, claim: str) -> str:
        return f"{self.entry}.{claim}.smt2"


def _keep(rows: list[Any], wanted: Callable[[Any], bool]) -> None:
    rows[:] = [row for row in rows if wanted(row)]


def without(rows: list[Any], **fields: Any) -> None:
    """Drop the rows that have these field values; there must be some."""
    before = len(rows)
    _keep(rows, lambda row: any(row[name] != value for name, value in fields.items()))
    assert len(rows) < before


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def to_text(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True) + "\n"
