"""The library of lemmas and identities: whole, the reviewed statements, and each decided again by the second solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from verifier.binary16 import check_identity, read_identity, show
from verifier.demands_library import library
from verifier.findings import AuditError, Finding, Grade, Unreadable
from verifier.manifest import NAME, Lemma, check_seal, read_ascii, read_json, read_listed, read_scripts, sha256
from verifier.numerics import check_lemma, read_lemma
from verifier.scripts import Formal, check

FOLDER = "library"
PLACE = f"proofs/artifacts/{FOLDER}"
SELF = "verifier/library.py"
# What docs/numerics.md puts together: without one of these a theorem about any length lacks a step.
_SUMS = """gamma-base gamma-step gamma-power-step gamma-monotone gamma-product theta-product lower-base lower-step
lower-power-step parts-step rounding-step factor-step inverse-root sum-base sum-parts-step sum-rounding-step
rounding-inverse"""
_TENSOR = """mma-clipped-power mma-unit mma-group-base mma-addend-step mma-kept-step mma-group-end mma-groups-base
mma-groups-step mma-constant mma-literal-constant"""
_CHAINS = """mma-chain-base mma-chain-magnitude-step mma-chain-step mma-apriori-base mma-apriori-step
mma-apriori-closed-step mma-growth-base mma-growth-magnitude-step mma-growth-step fma-chain-base fma-chain-step
merge-step scaling-step"""
_SOFTMAX = """telescoping-base telescoping-step rescale-base rescale-step common-base common-step mass-base mass-step
mass-computed term-base term-factor term-step numerator-step quotient-perturbed quotient-residual quotient-common
quotient-rounding"""
_SAMPLING = "prefix-base prefix-step prefix-computed threshold-step sampling-choice sampling-cut"
_IDENTITIES = """f16-add-once f16-sub-once f16-mul-once f16-fma-twice f16-round-trip f16-round-again f16-widen-class
f16-widen-order f16-sign f16-subtract f16-product-exact f16-first-fma f16-int8-exact f32-subnormal-sum f16-round-order
f16-overflow f16-underflow"""
STEPS = frozenset(" ".join((_SUMS, _TENSOR, _CHAINS, _SOFTMAX, _SAMPLING)).split())
IDENTITIES = frozenset(_IDENTITIES.split())
STATEMENTS = "149f65c3741a7ae677bedcee47779fca7dd5ca0eaa408b2dd3b5d753a9a17812"
"""Digest of what the lemmas say, hypotheses and claims: an edited statement needs a review, and then a new digest."""
_FIELDS = {"version", "stem", "solver", "files", "numerics", "binary16", "scripts", "seal"}


def check_library(root: Path) -> tuple[list[Finding], int]:
    """What is wrong with the library below a checkout, its scripts aside, and how many queries were decided."""
    findings: list[Finding] = []
    where = f"{PLACE}/{NAME}"
    try:
        if not (root / where).is_file():
            return [Finding(where, "missing: no lemma of any length stands behind the error bounds")], 0
        manifest = _manifest(root, where)
        texts = read_listed(root, PLACE, manifest["files"], findings)
        scripts = read_scripts(manifest["scripts"], where)
        lemmas, identities = (_lemmas(manifest[part], where) for part in ("numerics", "binary16"))
    except Unreadable as error:
        name, _, message = str(error).partition(": ")
        return [*findings, Finding(name, message, Grade.UNREADABLE)], 0
    findings += [*_names(lemmas, STEPS, where), *_names(identities, IDENTITIES, where)]
    used = {name for lemma in (*lemmas, *identities) for name in (lemma.file, lemma.control)}
    used |= {name for script in scripts for name in (script.file, script.control, script.proof)}
    for name in sorted(set(texts) - used):
        findings.append(Finding(f"{PLACE}/{name}", f"listed in {NAME}, but it belongs to no lemma"))
    complete = not findings
    for lemma in lemmas:
        findings += check_lemma(PLACE, texts, lemma)
    for lemma in identities:
        findings += check_identity(PLACE, texts, lemma)
    try:
        digest = statements(lemmas, identities, texts) if complete else STATEMENTS
    except AuditError:
        digest = STATEMENTS  # A file that cannot be read is a finding already.
    if digest != STATEMENTS:
        words = f"the lemmas do not say what was reviewed: digest {digest}, {SELF} has {STATEMENTS}"
        findings.append(Finding(where, words))
    return findings, 2 * (len(lemmas) + len(identities))


def check_roundings(root: Path) -> Formal:
    """The library's scripts. A library that cannot be read is a finding of check_library."""
    where = f"{PLACE}/{NAME}"
    try:
        manifest = _manifest(root, where)
        texts = read_listed(root, PLACE, manifest["files"], [])
        scripts = read_scripts(manifest["scripts"], where)
    except Unreadable:
        return Formal()
    return check(PLACE, texts, scripts, library())


def statements(lemmas: list[Lemma], identities: list[Lemma], texts: dict[str, str]) -> str:
    """Digest of what lemmas assume and claim, without comments and layout. AuditError where a file is no lemma."""
    lines = []
    for read, group in ((read_lemma, lemmas), (read_identity, identities)):
        for name in sorted(name for lemma in group for name in (lemma.file, lemma.control)):
            if name not in texts:
                raise AuditError(f"{PLACE}/{name}: missing")
            commands, claim = read(texts[name], f"{PLACE}/{name}")
            lines.append(f"{name} {' '.join(map(show, commands))} {show(claim)}\n")
    return sha256("".join(lines))


def _manifest(root: Path, where: str) -> dict[str, Any]:
    manifest = read_json(read_ascii(root / where, where), where)
    if not isinstance(manifest, dict) or set(manifest) != _FIELDS or manifest["version"] != 1:
        raise Unreadable(f"{where}: not a manifest of version 1 with fields {sorted(_FIELDS)}")
    if manifest["stem"] != FOLDER or not isinstance(manifest["files"], dict):
        raise Unreadable(f"{where}: not the manifest of the library")
    check_seal(manifest, where)
    return manifest


def _lemmas(listed: Any, where: str) -> list[Lemma]:
    try:
        return [Lemma(str(m["name"]), "", str(m["file"]), str(m["control"])) for m in listed]
    except (KeyError, TypeError) as error:
        raise Unreadable(f"{where}: not a list of lemmas: {error!r}") from None


def _names(lemmas: list[Lemma], known: frozenset[str], where: str) -> list[Finding]:
    """Each of the known once, and no other."""
    names = [lemma.name for lemma in lemmas]
    findings = [Finding(where, f"lemma {name} is missing") for name in sorted(known - set(names))]
    for name in sorted(set(names)):
        if name not in known:
            findings.append(Finding(where, f"lemma {name} is not known; {SELF} lists them"))
        if names.count(name) > 1:
            findings.append(Finding(where, f"lemma {name} stands there more than once"))
    return findings
