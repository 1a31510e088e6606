"""The audit of the Gappa scripts: what they say against the contract, and Gappa and Coq on them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from verifier.demands import Demand, demands
from verifier.findings import Finding, Grade, Unreadable
from verifier.formal import COQC, GAPPA, Stopped, absent, gappa, objections
from verifier.manifest import Bundle, ScriptFiles
from verifier.script import Script, read_script, shows_false
from verifier.theorem import FIRST, theorems


@dataclass
class Formal:
    """What the step found: findings, how many scripts were proved again, and why others were not."""

    findings: list[Finding] = field(default_factory=list)
    proved: int = 0
    not_run: int = 0
    needs: str = ""


@dataclass(frozen=True)
class _Pair:
    """A script whose text is right, with its control."""

    files: ScriptFiles
    script: Script
    text: str
    control: str
    proof: str

    @property
    def theorem(self) -> str:
        return self.files.name.replace("-", "_")


def check_scripts(bundle: Bundle) -> Formal:
    """All scripts of a stem."""
    wanted: dict[str, Demand] = {}
    for entry, contract in bundle.contracts.items():
        operator = str(bundle.contract_data.get(entry, {}).get("operator"))
        wanted |= demands(operator, contract)
    return check(bundle.folder, bundle.texts, bundle.scripts, wanted)


def check(
    folder: str, texts: Mapping[str, str], listed: Sequence[ScriptFiles], wanted: Mapping[str, Demand]
) -> Formal:
    """The listed scripts of a folder, which must be the wanted ones."""
    found = Formal()
    manifest = f"{folder}/manifest.json"
    names = [files.name for files in listed]
    for name in wanted:
        if names.count(name) != 1:
            words = "stands there more than once" if name in names else "of the error bounds is missing"
            found.findings.append(Finding(manifest, f"script {name} {words}"))
    read = [_read(folder, texts, files, wanted.get(files.name), found.findings) for files in listed]
    pairs = [pair for pair in read if pair is not None]
    found.needs = absent((GAPPA, COQC))
    if found.needs:
        found.not_run = len(pairs)
    else:
        _prove(folder, pairs, found)
    return found


def _read(
    folder: str, texts: Mapping[str, str], files: ScriptFiles, demand: Demand | None, findings: list[Finding]
) -> _Pair | None:
    """The script and its control, if both say what they must."""
    stem = f"numerics.{files.name}"
    # Where the artifacts were written without Gappa and Coq, nothing is claimed of the script and there is no proof.
    unclaimed = (files.proof, files.verdict) == ("", "unknown")
    names = (f"{stem}.g", f"{stem}.control.g", "" if unclaimed else f"{stem}.v")
    where = [f"{folder}/{name}" for name in names]
    before = len(findings)
    if (files.file, files.control, files.proof) != names or any(name and name not in texts for name in names):
        words = f"script {files.name} does not have the files {', '.join(names)}"
        findings.append(Finding(f"{folder}/manifest.json", words))
        return None
    if demand is None:
        findings.append(Finding(where[0], "no bound asks for this script"))
        return None
    if files.verdict != "proved" and not unclaimed:
        findings.append(Finding(where[0], f"the manifest calls it {files.verdict}"))
    text, control, proof = (texts.get(name, "") for name in names)
    try:
        script, stronger = read_script(text, where[0]), read_script(control, where[1])
        false = shows_false(stronger)
    except Unreadable as error:
        name, _, message = str(error).partition(": ")
        # Without a file's name it is about the values of the control.
        known = name in where
        findings.append(Finding(name if known else where[1], message if known else str(error), Grade.UNREADABLE))
        return None
    except ValueError as error:
        findings.append(Finding(where[1], f"its values cannot be computed with: {error}", Grade.UNREADABLE))
        return None
    findings += [Finding(where[0], words) for words in demand.unmet(script)]
    if (stronger.definitions, stronger.hypotheses) != (script.definitions, script.hypotheses):
        findings.append(Finding(where[1], "assumes something else than the script it controls"))
    elif not false:
        findings.append(Finding(where[1], "its values do not show that its claim is false"))
    if not unclaimed and not proof.startswith(FIRST):
        findings.append(Finding(where[2], "is not a proof as Gappa writes them"))
    return _Pair(files, script, text, control, proof) if len(findings) == before else None


def _prove(folder: str, pairs: list[_Pair], found: Formal) -> None:
    """Gappa writes each proof again, which must be the stored one, and coqc accepts the theorem that it is about."""
    kept = []
    try:
        for pair in pairs:
            answer, control = gappa(pair.text), gappa(pair.control)
            if not pair.proof:
                words = "was not proved when the artifacts were written; `fltc verify` proves it"
                found.findings.append(Finding(f"{folder}/{pair.files.file}", words))
            elif not answer.accepted:
                words = " ".join(answer.errors.split())[:200]
                found.findings.append(Finding(f"{folder}/{pair.files.file}", f"Gappa does not prove it: {words}"))
            elif answer.output != pair.proof:
                words = "is not what Gappa writes of the script; `fltc verify --fresh` renews it"
                found.findings.append(Finding(f"{folder}/{pair.files.proof}", words))
            elif control.accepted:
                found.findings.append(Finding(f"{folder}/{pair.files.control}", "Gappa must refuse it, and proves it"))
            else:
                kept.append(pair)
        found.findings += _compile(folder, kept)
    except Stopped as error:
        found.findings.append(Finding(folder, str(error), Grade.UNDECIDED))
        return
    found.proved = len(kept) if not found.findings else 0


def _compile(folder: str, pairs: list[_Pair]) -> list[Finding]:
    """All theorems together, since loading Coq's libraries takes longest; one by one if something is wrong."""
    if not pairs or not _objections(pairs):
        return []
    return [Finding(f"{folder}/{p.files.proof}", words) for p in pairs for words in _objections([p])] or [
        Finding(folder, "coqc accepts each proof, but not all of them together")
    ]


def _objections(pairs: list[_Pair]) -> list[str]:
    text = theorems([(p.theorem, p.script, p.proof) for p in pairs])
    return objections({"Scripts.v": text}, [f"Scripts.{p.theorem}" for p in pairs])
