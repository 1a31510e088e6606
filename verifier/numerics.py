"""The lemmas of the error bound, decided again, and the refinement record, bound to what it was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cvc5

from verifier.findings import Finding, Grade, Unreadable
from verifier.manifest import Bundle, Lemma, canonical_json, read_json, sha256
from verifier.sexpr import SExpr, read_all

EFFORT = 20_000_000
# The steps that docs/numerics.md puts together; without one of them the bound of that operator is not derived.
_RMSNORM = """gamma-step gamma-monotone lower-step parts-step rounding-step factor-step inverse-root rsqrt-constant
rmsnorm-tail rmsnorm-scale-range rmsnorm-product-range rmsnorm-sum-range rmsnorm-bound-values"""
_SILU = """ex2-units rcp-units silu-log2e silu-argument silu-power silu-denominator silu-tail silu-flushed-power
silu-flushed-reciprocal silu-overflow silu-product-range silu-bound-values"""
SELF = "verifier/numerics.py"
STEPS = {"rmsnorm": frozenset(_RMSNORM.split()), "silu": frozenset(_SILU.split())}


def check_lemmas(bundle: Bundle) -> list[Finding]:
    """Each lemma is unsat, its control sat, and the two differ in nothing but the claim."""
    findings: list[Finding] = []
    manifest = bundle.path("manifest.json")
    for entry in bundle.entries:
        operator = str(bundle.contract_data.get(entry, {}).get("operator"))
        have = {lemma.name for lemma in bundle.lemmas if lemma.entry == entry}
        for name in sorted(STEPS.get(operator, frozenset()) - have):
            findings.append(Finding(manifest, f"{entry}: lemma {name} of the error bound is missing"))
        if not have:
            findings.append(Finding(manifest, f"{entry}: no lemma stands behind the error bound"))
        elif operator not in STEPS:
            words = f"{entry}: which lemmas the bound of {operator} needs is not known; STEPS in {SELF} lists them"
            findings.append(Finding(manifest, words))
    for lemma in bundle.lemmas:
        findings += check_lemma(bundle.folder, bundle.texts, lemma)
    return findings


def check_lemma(folder: str, texts: dict[str, str], lemma: Lemma) -> list[Finding]:
    """What is wrong with one lemma of the folder that holds these texts."""
    findings: list[Finding] = []
    parts: list[tuple[list[SExpr], SExpr]] = []
    expected = (f"numerics.{lemma.name}.smt2", f"numerics.{lemma.name}.control.smt2")
    for name, listed, answer in zip(expected, (lemma.file, lemma.control), ("unsat", "sat"), strict=True):
        where = f"{folder}/{name}"
        if listed != name or name not in texts:
            findings.append(Finding(f"{folder}/manifest.json", f"lemma {lemma.name} has no file {name}"))
            continue
        try:
            parts.append(read_lemma(texts[name], where))
            found = decide_reals(texts[name])
        except Unreadable as error:
            findings.append(Finding(where, str(error).removeprefix(f"{where}: "), Grade.UNREADABLE))
            continue
        if found == "unknown":
            findings.append(Finding(where, "cvc5 cannot decide it within its limit", Grade.UNDECIDED))
        elif found != answer:
            findings.append(Finding(where, f"must be {answer}, cvc5 says {found}"))
    if len(parts) == 2 and parts[0][0] != parts[1][0]:
        findings.append(Finding(f"{folder}/{expected[1]}", "assumes something else than the lemma it controls"))
    return findings


def read_lemma(text: str, where: str) -> tuple[list[SExpr], SExpr]:
    """Everything before the last assertion, and the claim that this one negates."""
    commands = read_all(text, where)
    if len(commands) < 3 or commands[0] != ("set-logic", "QF_NRA") or commands[-1] != ("check-sat",):
        raise Unreadable(f"{where}: not a query about reals")
    for command in commands[1:-1]:
        match command:
            case ("declare-const", str(), "Real") | ("assert", _):
                continue
        raise Unreadable(f"{where}: command not understood")
    match commands[-2]:
        case ("assert", ("not", claim)):
            return commands[:-2], claim
    raise Unreadable(f"{where}: the last assertion is no negated claim")


def decide_reals(text: str) -> str:
    """cvc5's answer to a text that was read before: sat, unsat or unknown."""
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("rlimit-per", str(EFFORT))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text.replace("(check-sat)", ""), "lemma")
    try:
        while not (command := parser.nextCommand()).isNull():
            command.invoke(solver, parser.getSymbolManager())
    except RuntimeError as error:
        raise Unreadable(f"cvc5 cannot read it: {str(error).splitlines()[0]}") from None
    result = solver.checkSat()
    return "unsat" if result.isUnsat() else "sat" if result.isSat() else "unknown"


def check_refinement(root: Path, bundle: Bundle, entry: str) -> list[Finding]:
    """The record is whole, says proved at sizes that leave no line out, and was computed from what is here."""
    name = f"{entry}.refinement.json"
    where = bundle.path(name)
    if name not in bundle.texts:
        return [Finding(where, "missing")]
    try:
        record = read_json(bundle.texts[name], where)
        sizes = record["sizes"]
        total = sha256("".join(f"{size['digest']}\n" for size in sizes))
        elements = sum(int(size["elements"]) for size in sizes)
        stated = (record["obligation"], record["stem"], record["entry"], record["verdict"])
    except (Unreadable, KeyError, TypeError, ValueError) as error:
        return [Finding(where, f"not a refinement record: {error}", Grade.UNREADABLE)]
    findings = []
    if stated != ("refinement", bundle.stem, entry, "proved"):
        findings.append(Finding(where, f"says {stated}"))
    if not sizes or not elements or record["lines_missed"] or record["counterexample"] is not None:
        findings.append(Finding(where, "compares nothing, misses lines, or has a counterexample"))
    if record["digest"] != total:
        findings.append(Finding(where, "its digest is not that of its cases"))
    if entry in bundle.manifest:
        key = _inputs(root, bundle, entry)
        if key is None:
            findings.append(Finding(where, "the sources it rests on are not here", Grade.UNDECIDED))
        elif key != bundle.manifest[entry].refinement_inputs:
            words = "was computed from another PTX, contract, operator or instruction table; `fltc verify` renews it"
            findings.append(Finding(where, words))
    return findings


def _inputs(root: Path, bundle: Bundle, entry: str) -> str | None:
    """Digest of PTX, contract and sources, as the manifest keeps it beside the refinement record."""
    sources = [*(root / "spec").rglob("*.py"), *(root / "proofs").glob("refinement*.py")]
    if not sources:
        return None
    sources += [root / "proofs/extraction.py", *(root / "proofs/refinement_cases").glob("*.py")]
    digests = _digests(path for path in sorted(sources) if path.exists())
    contract: dict[str, Any] = {entry: bundle.contract_data.get(entry)}
    return sha256("\n".join((bundle.ptx_sha256, canonical_json(contract), digests)))


def _digests(paths: Iterable[Path]) -> str:
    return sha256("".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths))
