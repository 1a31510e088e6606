"""What the checks say of a mutant."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proofs import abi, resources
from proofs.claims import OBLIGATIONS
from proofs.contract import contract_problem
from proofs.discharge import decide_claim
from proofs.entry import Analysis, analyse
from proofs.mutation.model import Mutant
from proofs.mutation.systematic import systematic
from proofs.mutation.written import base_text, written
from proofs.numerics.obligation import discharge
from proofs.outcome import SOLVER_OBLIGATIONS, judge
from proofs.ptxas import assemble
from proofs.refinement import check_refinement
from proofs.refinement_cases import cases_of
from proofs.verdict import Verdict
from spec.contracts import STEMS, contracts_of
from spec.errors import BadInput, Unsupported
from spec.ptx.parser import parse

PTX = Path("backend/ptx")
REPLAYED = frozenset(SOLVER_OBLIGATIONS)


@dataclass(frozen=True)
class Killed:
    """A mutant refuted.

    Args:
        obligation: the one that refutes it.
        claim: the claim of it, or '' where the obligation is not made of claims.
        replayed: the emulator showed the fault (obligations that a solver decides).
        detail: what was seen.
    """

    obligation: str
    claim: str
    replayed: bool
    detail: str


@dataclass(frozen=True)
class Survived:
    """A mutant that no obligation refutes. `unknown`: what is not proved of it all the same."""

    unknown: tuple[str, ...]


def shipped(root: Path, stem: str) -> str:
    """The text of a shipped kernel."""
    return (root / PTX / f"{stem}.ptx").read_text(encoding="ascii")


def mutants(root: Path, stem: str) -> list[Mutant]:
    """All mutants of a kernel, in a fixed order."""
    text = shipped(root, stem)
    order = {o: i for i, o in enumerate(OBLIGATIONS)}
    found = [*systematic(stem, text), *written(stem, text)]
    if len({m.id for m in found}) != len(found):
        raise BadInput(f"{stem}: two mutants have one name")
    return sorted(found, key=lambda m: order[m.obligation])


def kill(root: Path, mutant: Mutant) -> Killed | Survived:
    """The named obligation is asked first; if it does not refute the mutant, all others are."""
    checks = [mutant.obligation, *(o for o in OBLIGATIONS if o != mutant.obligation)]
    unknown: list[str] = []
    for obligation in checks:
        found = _check(root, mutant, obligation)
        if isinstance(found, Killed):
            return found
        unknown += found
    return Survived(tuple(unknown))


def _check(root: Path, mutant: Mutant, obligation: str) -> Killed | list[str]:
    """A refutation by one obligation, or what it leaves open."""
    contract = contracts_of(mutant.stem)[0]
    if obligation in SOLVER_OBLIGATIONS:
        return _solved(root, mutant, obligation)
    if obligation == "numerics":
        if mutant.lemma is None:
            return []
        verdict: tuple[Verdict, str] = (discharge([mutant.lemma])[0].verdict, f"lemma {mutant.lemma.name} is false")
    elif obligation == "refinement":
        cases = sorted(cases_of(mutant.stem), key=lambda case: max(case.values.values()))
        try:
            result = check_refinement(mutant.stem, contract, parse(mutant.text), cases)
        except (BadInput, Unsupported) as error:
            return [f"refinement: {error}"]
        verdict = result.verdict, result.detail
    elif obligation == "abi":
        verdict = abi.judge(abi.abi_json("", parse(mutant.text).entry(contract.entry), contract))[:2]
    else:
        used = resources.measure(mutant.text, mutant.id)[contract.entry]
        verdict = resources.judge(resources.resources_json("", used, contract))[:2]
    if verdict[0] is Verdict.REFUTED:
        return Killed(obligation, "", False, verdict[1])
    return [f"{obligation}: {verdict[1]}"] if verdict[0] is Verdict.UNKNOWN else []


def _solved(root: Path, mutant: Mutant, obligation: str) -> Killed | list[str]:
    try:
        analysis = _analysis(mutant.stem, mutant.text)
    except (BadInput, Unsupported) as error:
        return [f"{obligation}: {error}"]
    proved = _proved(shipped(root, mutant.stem), mutant.stem, mutant.base)
    unknown = []
    for claim in analysis.claims:
        if claim.obligation != obligation or (claim.query is not None and _digest(claim.query.text) in proved):
            continue
        decision = decide_claim(claim)
        verdict, detail, _ = judge(analysis, decision)
        if verdict is Verdict.REFUTED:
            return Killed(obligation, claim.name, True, detail)
        if verdict is Verdict.UNKNOWN:
            unknown.append(f"{obligation}: {detail}")
    return unknown


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _proved(text: str, stem: str, base: str) -> frozenset[str]:
    """Queries that hold of the unbroken kernel. BadInput if one does not: then nothing is shown by a mutant of it."""
    analysis = _analysis(stem, base_text(stem, base, text))
    proved = set()
    for claim in analysis.claims:
        if decide_claim(claim).status != "unsat" or claim.query is None:
            raise BadInput(f"{stem} ({base}): {claim.name} is not proved of the kernel that mutants are made from")
        proved.add(_digest(claim.query.text))
    return frozenset(proved)


_LAST: dict[str, Analysis] = {}
_ANSWERS: dict[str, bool] = {}


def _analysis(stem: str, text: str) -> Analysis:
    """The analysis of a text; the last one is kept, since several obligations ask in turn."""
    if text not in _LAST:
        found = analyse(contract_problem(contracts_of(stem)[0], parse(text)), _ANSWERS)
        _LAST.clear()
        _LAST[text] = found
    return _LAST[text]


def accepted(mutant: Mutant) -> None:
    """AssemblerRefused if ptxas does not take the mutant, PtxSyntaxError if the parser does not."""
    parse(mutant.text)
    assemble(mutant.text, "sm_89", name=mutant.id)


def all_mutants(root: Path) -> Iterator[Mutant]:
    """The mutants of both kernels."""
    for stem in STEMS:
        yield from mutants(root, stem)
