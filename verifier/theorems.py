"""Theorems about every length behind an error bound: the theories are the reviewed ones, the statement is the
contract's, and coqc accepts both, resting on the axioms of the real numbers only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from verifier import theorem_rmsnorm, theorem_silu
from verifier.contract import Contract
from verifier.findings import Finding, Grade, Unreadable
from verifier.formal import COQC, Stopped, absent, objections
from verifier.manifest import Bundle, read_ascii, read_json, sha256

SELF = "verifier/theorems.py"
FOLDER = "proofs/coq"
THEORIES = {
    "Rounding.v": "c8a3d8888d23de24dd1adc45208fa60f8926d706f9b160c140f74bde01ea28c9",
    "Gamma.v": "6cb6ea52d8096595169b24df8cd1e3b596b5a98cecf4ebc2bf3299f324b5cc0d",
    "Sum.v": "e03de9dbb372955657fcf8a34358c5014493797b910891c9771034b55f493fd0",
    "Order.v": "de3bca6366bc8a0586f77bf86b6a7fcf31e455ab20a31b73150438540ea719ea",
    "Computed.v": "22d75ba7f5d50258cdb3db2600327140a778fac27985219d8faa8113f30f9fd9",
    "Factors.v": "40797377eb19ee5cec851f9b8050d78761ba5bfc78d1df55aae8d854fd011b22",
    "Rmsnorm.v": "ebdfbb4c1cc1e9780ac7bcc8275a12e160ddd1989c05ccfe599aeaf70e26a1f7",
    "Lengths.v": "f8feb9961e3ea6f9605727c93dcd3fe9ea92ead6043c9392447d96153a76da99",
    "Log2.v": "ce1c14408e6fd32bba0e37cee0decd8f307ca5a2aab0890add59a163a1df5a4a",
    "Tail.v": "5b947942307f7af6518be240b8f6584d360453d7cfcdc86d87d632cc1674a78d",
    "Silu.v": "49ab04bb519a66ac5683401efd3b0bf30a475ff1475103cc6047d68e2a32a3ea",
}
"""Digest of each reviewed theory, in the order in which they are compiled: their definitions say what is proved. An
edited theory needs a review, and then a new digest."""
ARTIFACT, CHECK = "Contract_", "Audit_"
_SENTENCES = "From Import Open Definition Theorem Example Proof Qed"
_TACTICS = "intros refine exact apply unfold lia lra vm_compute vm_cast_no_check reflexivity"
_WORDS = frozenset((*_SENTENCES.split(), *_TACTICS.split()))


@dataclass(frozen=True)
class Demand:
    """What is asked about an operator's theorem: the checking text for a contract and lengths, its theorems, and the
    theories below it."""

    text: Callable[[Contract, str, list[int]], str]
    theorems: tuple[str, ...]
    theories: tuple[str, ...]


DEMANDS = {
    "rmsnorm": Demand(theorem_rmsnorm.check_text, theorem_rmsnorm.THEOREMS, theorem_rmsnorm.THEORIES),
    "silu": Demand(theorem_silu.check_text, theorem_silu.THEOREMS, theorem_silu.THEORIES),
}


@dataclass
class Theorems:
    """What was found, how many theorems coqc accepted again, and how many it could not be asked about."""

    findings: list[Finding] = field(default_factory=list)
    proved: int = 0
    not_run: int = 0
    needs: str = ""


def check_theorems(root: Path, bundle: Bundle) -> Theorems:
    """The theorem of each entry whose error bound is called proved, or that has one."""
    found = Theorems()
    for entry in bundle.manifest:
        record = bundle.manifest[entry].theorem
        claimed = bundle.manifest[entry].obligations.get("numerics") == "proved"
        where = bundle.path("manifest.json")
        if not record:
            if claimed:
                words = f"{entry}: numerics is called proved, but no theorem puts its lemmas together"
                found.findings.append(Finding(where, words))
            continue
        if claimed and record.get("verdict") != "proved":
            words = f"{entry}: numerics is called proved, its theorem is {record.get('verdict')}"
            found.findings.append(Finding(where, words))
        if record.get("verdict") == "proved":
            _check(root, bundle, entry, record, found)
    return found


def _check(root: Path, bundle: Bundle, entry: str, record: dict[str, str], found: Theorems) -> None:
    name = f"{entry}.numerics.v"
    where = bundle.path(name)
    demand = DEMANDS.get(str(bundle.contract_data.get(entry, {}).get("operator")))
    if demand is None:
        words = "what a theorem of this operator must say is not known"
        found.findings.append(Finding(where, f"{words}; DEMANDS in {SELF} lists them"))
        return
    if record.get("file") != name or name not in bundle.texts:
        found.findings.append(Finding(bundle.path("manifest.json"), f"{entry}: its theorem has no file {name}"))
        return
    before = len(found.findings)
    theories = reviewed(root, found.findings, {theory: THEORIES[theory] for theory in demand.theories})
    text = bundle.texts[name]
    found.findings += [Finding(where, f"a sentence of it is not expected there: {s}") for s in strange(text)]
    inputs = sha256("".join(f"{sha256(t)}\n" for t in (*theories.values(), text)))
    if not found.findings[before:] and inputs != record.get("inputs"):
        found.findings.append(Finding(where, "it was compiled with other theories; `fltc verify` renews it"))
    if found.findings[before:]:
        return
    found.needs = absent((COQC,))
    if found.needs:
        found.not_run += 1
        return
    contract = bundle.contracts[entry]
    files = {f"{ARTIFACT}.v": text, f"{CHECK}.v": demand.text(contract, ARTIFACT, _lengths(bundle, entry))}
    try:
        wrong = objections(files, [f"{CHECK}.{theorem}" for theorem in demand.theorems], "Fltc", theories)
    except Stopped as stopped:
        found.findings.append(Finding(where, str(stopped), Grade.UNDECIDED))
        return
    found.findings += [Finding(where, words) for words in wrong]
    found.proved += not wrong


def reviewed(
    root: Path, findings: list[Finding], theories: Mapping[str, str] = THEORIES, source: str = SELF
) -> dict[str, str]:
    """Theories by file name, each with the digest of its review, which `source` has."""
    texts: dict[str, str] = {}
    for name, digest in theories.items():
        where = f"{FOLDER}/{name}"
        try:
            texts[name] = read_ascii(root / where, where)
        except Unreadable as error:
            findings.append(Finding(where, str(error).removeprefix(f"{where}: ")))
            continue
        if sha256(texts[name]) != digest:
            findings.append(Finding(where, f"is not what was reviewed: {source} has another digest"))
    return texts


def strange(text: str) -> list[str]:
    """Sentences of a Coq text, its comments left out, that begin with no word of an instance.

    A string is strange wherever it stands: for Coq a comment does not begin in one, and what is seen here would not be
    what Coq reads.
    """
    _, quote, string = text.partition('"')
    if quote:
        return [f"a string, {quote}{' '.join(string[:40].split())}"]
    bare = re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)
    found = []
    for sentence in re.split(r"\.(?=\s|$)", bare):
        words = " ".join(sentence.split())
        first = re.match(r"(?:[-+*{} ]|\d+(?:, \d+)*:)*(\w*)", words)
        if words and (first is None or first.group(1) not in _WORDS):
            found.append(words[:60])
    return found


def _lengths(bundle: Bundle, entry: str) -> list[int]:
    """The rows' lengths at which refinement compared the PTX with the ordered expression."""
    name = f"{entry}.refinement.json"
    try:
        sizes = read_json(bundle.texts[name], bundle.path(name))["sizes"]
        columns = {int(size["values"].get("columns", 0)) for size in sizes}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"{bundle.path(name)}: not a refinement record: {error!r}") from None
    return sorted(n for n in columns if n > 0)
