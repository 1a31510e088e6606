"""Enumerations of shipped claims: written by the prover, gone through again by the audit, edits noticed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from proofs.artifacts import contract_json, records_json, sha256, to_text
from proofs.contract import contract_problem
from proofs.entry import Analysis, analyse
from proofs.enumeration.artifact import enumeration_json
from spec.contracts import contracts_of
from spec.ptx.parser import parse
from tests.proofs.kernels import contract, module_of
from tests.proofs.test_written import HEAD
from tests.proofs.test_written import ring as stages
from tests.verifier.tampering import ROOT, Copy
from verifier.claims import required
from verifier.conditions import Subject
from verifier.contract import read_contracts
from verifier.enumeration import Again, Enumeration, differences, read_enumeration
from verifier.findings import Unreadable
from verifier.forms import Form, Open, truth, value
from verifier.judgement import Judgement, judge_claim
from verifier.manifest import read_bundle
from verifier.reader import read_ptx
from verifier.records import read_records
from verifier.terms import read_term

STEM = "rmsnorm"


@cache
def analysis() -> Analysis:
    module = parse((ROOT / f"backend/ptx/{STEM}.ptx").read_text(), name=f"{STEM}.ptx")
    (contract,) = contracts_of(STEM)
    return analyse(contract_problem(contract, module))


@cache
def enumerations() -> dict[str, dict[str, Any]]:
    """What the prover writes of each claim of the kernel about shared memory."""
    found, digest = analysis(), sha256((ROOT / f"backend/ptx/{STEM}.ptx").read_bytes())
    entry = found.problem.function.name
    made = {c.name: enumeration_json(c, found.enumerator, entry, digest) for c in found.claims if c.finite}
    return {name: content for name, content in made.items() if content is not None}


@pytest.fixture
def rmsnorm(tmp_path: Path) -> Copy:
    return Copy(tmp_path, STEM)


def replaced(copy: Copy, name: str, content: dict[str, Any]) -> None:
    """Let the claim rest on an enumeration instead of a query."""
    file = f"{copy.entry}.{name}.json"
    (copy.folder / f"{copy.entry}.{name}.smt2").unlink()
    copy.write(file, to_text(content))

    def change(manifest: dict[str, Any]) -> None:
        (claim,) = (c for c in manifest["entries"][copy.entry]["claims"] if c["name"] == name)
        claim["file"] = file

    copy.edit_manifest(change)


def judged(copy: Copy, name: str) -> str:
    """What the audit says of one claim."""
    bundle, findings = read_bundle(copy.root, STEM)
    assert bundle is not None
    subject = Subject(bundle.entries[copy.entry], bundle.contracts[copy.entry], bundle.records[copy.entry])
    judgement = Judgement(bundle, findings)
    (claim,) = (c for c in bundle.manifest[copy.entry].claims if c.name == name)
    judge_claim(judgement, subject, claim, next(c for c in required(subject) if c.name == name))
    return "\n".join(map(str, judgement.findings))


def first(*stems: str) -> list[str]:
    return [next(n for n in enumerations() if n.startswith(stem)) for stem in stems]


def test_races_bounds_and_alignment_are_written() -> None:
    kinds = {name.partition(".")[0] for name in enumerations()}
    assert kinds == {"race", "bounds", "align"}
    # Of initialisation and of tiles in global memory there is no file.
    shared = [c.name for c in analysis().claims if c.finite and not c.name.startswith(("init.", "writers."))]
    assert sorted(enumerations()) == sorted(shared), "all of them are finite"


def test_every_enumeration_is_confirmed(rmsnorm: Copy) -> None:
    for name, content in enumerations().items():
        replaced(rmsnorm, name, content)
    assert rmsnorm.messages("claims") == ""
    assert rmsnorm.messages("records") == ""


def _site(change: Callable[[dict[str, Any]], object], at: int = 0) -> Callable[[dict[str, Any]], object]:
    return lambda content: change(content["sites"][at])


EDITS: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("race", _site(lambda s: s.update(address="(+ " + s["address"] + " 4)")), "concludes something else"),
    ("race", _site(lambda s: s.update(width=1)), "concludes something else"),
    ("race", _site(lambda s: s.update(conditions=["(<= |tid.x!1| 3)"])), "assumes what neither"),
    ("race", lambda c: c.update(excused=None), "concludes something else"),
    ("race", lambda c: c["excused"].append(["|tid.x!1|", "|tid.x!2|"]), ""),
    ("race", lambda c: c["symbols"]["tid.x!1"].update(high=3), "whose range is"),
    ("race", lambda c: c["symbols"].update({"tid.x!1": {"modulus": 4, "start": 0}}), "cannot be enumerated"),
    ("race", lambda c: c["symbols"].pop("tid.x!1"), "cannot be enumerated"),
    ("race", lambda c: c["symbols"].update({"made.up": {"low": 0, "high": 1}}), "goes through made.up"),
    ("race", lambda c: c.update(claim="race.i9.a1.a1"), "another claim"),
    ("race", lambda c: c.update(entry="other"), "another claim"),
    ("race", lambda c: c.update(ptx_sha256="0"), "another claim"),
    ("race", lambda c: c.update(version=2), "not an enumeration"),
    ("race", lambda c: c["sites"].pop(), "two sites make a pair"),
    ("race", lambda c: c["symbols"]["tid.x!1"].update(high=1.5), "not a number"),
    ("race", lambda c: c["symbols"]["tid.x!1"].update(high=-1), "values of one symbol"),
    ("bounds", lambda c: c.update(goal="true"), "concludes something else"),
    ("bounds", lambda c: c["symbols"]["tid.x"].update(low=1), "whose range is"),
    ("align", lambda c: c.update(goal=c["goal"].replace("4)", "2)")), "concludes something else"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "edit", "message"), EDITS, ids=lambda v: v if isinstance(v, str) else "")
def test_an_edited_enumeration_is_noticed(
    rmsnorm: Copy, kind: str, edit: Callable[[dict[str, Any]], object], message: str
) -> None:
    (name,) = first(kind)
    content = json.loads(to_text(enumerations()[name]))
    edit(content)
    replaced(rmsnorm, name, content)
    told = judged(rmsnorm, name)
    assert message in told
    assert bool(told) == bool(message)
    assert not told or f"{rmsnorm.entry}.{name}.json" in told


def test_a_claim_that_does_not_hold_is_not_confirmed(rmsnorm: Copy) -> None:
    """Records and enumeration agree that all threads write one word: going through them finds two that do."""
    (name,) = first("race")
    content = json.loads(to_text(enumerations()[name]))
    access = content["sites"][0]["access"]
    name = f"race.{name.split('.')[1]}.{access}.{access}"
    content = json.loads(to_text(enumerations()[name]))
    base = f"shared.{_buffer(rmsnorm, access)}"

    def flatten(records: dict[str, Any]) -> None:
        for a in records["accesses"]:
            if a["id"] == access:
                a["address"] = a["column"] = base

    rmsnorm.edit_json(f"{rmsnorm.entry}.records.json", flatten)
    for site in content["sites"]:
        site["address"] = base
    replaced(rmsnorm, name, content)
    assert "enumeration does not confirm the claim: bytes of threads" in judged(rmsnorm, name)


def _buffer(copy: Copy, access: str) -> str:
    records = json.loads(copy.read(f"{copy.entry}.records.json"))
    found: str = next(a["buffer"] for a in records["accesses"] if a["id"] == access)
    return found


# --- a kernel with a ring of stages ---------------------------------------------------------------------------------


def ring(write: int) -> tuple[Analysis, Subject]:
    """Stages of a ring, read in one and written in another, with orbits and remainders of the round."""
    body = HEAD + stages(stages=3, prologue=2, write=write)
    # The audit reads one statement a line.
    module = parse(re.sub(r";[ ]*(?=[.])", ";\n", module_of(body + "\nret;", "s[1024]").text), name="k.ptx")
    made = contract(block=6)
    found = analyse(contract_problem(made, module))
    records = read_records(records_json(found, sha256(module.text)), "records")
    contracts = read_contracts(contract_json([made]), "contract")
    return found, Subject(read_ptx(module.text, "k.ptx")["k"], contracts["k"], records)


def confirmed(again: Enumeration, subject: Subject) -> bool:
    try:
        return Again(again, subject).refuted() == ""
    except Open:
        return False


def test_a_ring_is_gone_through_by_remainders() -> None:
    found, subject = ring(2)
    digest = sha256(found.problem.module.text)
    conditions = {c.name: c for c in required(subject)}
    seen = []
    for claim in found.claims:
        content = enumeration_json(claim, found.enumerator, "k", digest)
        if content is None:
            continue
        again = read_enumeration(to_text(content), claim.name)
        assert list(differences(again, conditions[claim.name], subject, digest)) == []
        assert Again(again, subject).refuted() == ""
        seen.append(claim.name)
        for name, axis in content["symbols"].items():
            if name.startswith("k@"):
                assert axis["modulus"] == 3
                fewer = json.loads(to_text(content))
                fewer["symbols"][name]["modulus"] = 2
                assert not confirmed(read_enumeration(to_text(fewer), claim.name), subject)
    assert sum(name.startswith("race.") for name in seen) > 3


def test_a_ring_one_stage_short_is_not_written() -> None:
    """The stage that is written is the one that is read; whoever claims otherwise is told where they meet."""
    found, subject = ring(3)
    digest = sha256(found.problem.module.text)
    good, _ = ring(2)
    refused = [
        c for c in found.claims
        if c.name.startswith("race.i") and enumeration_json(c, found.enumerator, "k", digest) is None
    ]
    assert refused
    for claim in refused:
        same = next(c for c in good.claims if c.name == claim.name)
        content = enumeration_json(same, good.enumerator, "k", digest)
        assert content is not None
        for at, (access, copy) in enumerate(claim.subjects):
            content["sites"][at]["address"] = copy.text(access.address)
        assert "meet" in Again(read_enumeration(to_text(content), claim.name), subject).refuted()


# --- values with unknown parts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number", "unknowns"),
    [
        ("(+ (* 4 k) 3 (- k))", 3, {"k": 3}),
        ("(mod (+ (* 6 k) 11) 3)", 2, {}),
        ("(div (+ (* 6 k) 11) 3)", 3, {"k": 2}),
        ("(ite (< t 3) t k)", 2, {}),
        ("(* 3 (+ k t))", 6, {"k": 3}),
        ("(mod (- 1) 4)", 3, {}),
        ("(ite (<= 0 k) 1 0)", 1, {}),
    ],
)
def test_values(text: str, number: int, unknowns: dict[str, int]) -> None:
    found = value(read_term(text, "t"), {"t": Form.of(2)}, {"k": (0, None)})
    assert (found.number, dict(found.unknowns)) == (number, unknowns)


@pytest.mark.parametrize("text", ["(mod k 3)", "(* k k)", "(ite (< k 3) 1 2)", "(div (* 4 k) 8)", "(mod 3 k)"])
def test_what_is_not_known_is_open(text: str) -> None:
    with pytest.raises(Open):
        value(read_term(text, "t"), {}, {"k": (0, None)})


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("(and (< k 3) (< t 1))", False),
        ("(or (< k 3) (<= t 2))", True),
        ("(< k 3)", None),
        ("(not (< k 0))", True),
        ("(= k (- 1))", False),
        ("(=> (< k 0) (< k 7))", True),
        ("(> (+ k 1) 0)", True),
        ("(>= t k)", None),
        ("p", None),
    ],
)
def test_truth(text: str, holds: bool | None) -> None:
    assert truth(read_term(text, "t"), {"t": Form.of(2)}, {"k": (0, None)}) is holds


def test_terms_outside_the_format_are_unreadable() -> None:
    with pytest.raises(Unreadable):
        read_term("(bvmul x 3)", "t")
