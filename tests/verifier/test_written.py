"""Enumerations of initialisation: gone through again by the audit, edits noticed, and nothing untrue confirmed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from proofs.artifacts import contract_json, records_json, sha256, to_text
from proofs.contract import contract_problem
from proofs.entry import Analysis, analyse
from proofs.enumeration.artifact_written import written_json
from spec.contracts import contracts_of
from spec.ptx.parser import parse
from tests.proofs.kernels import contract, module_of
from tests.proofs.test_written import BRANCHES, FILL, HEAD, LAST, NEIGHBOUR, programs, ring, uninitialised
from tests.verifier.tampering import ROOT, Copy
from tests.verifier.test_enumeration import replaced
from verifier.conditions import Subject
from verifier.contract import read_contracts
from verifier.enumeration import TooLarge
from verifier.findings import Unreadable
from verifier.forms import Open
from verifier.intervals import Walk
from verifier.reader import read_ptx
from verifier.records import read_records
from verifier.written import Again, objections, read_initialised

Content = dict[str, Any]
FILLED = {"extent": 20, "step": 6, "read": 20, "barrier": "bar.sync 0;", "skip": ""}
WRAP = "rem.u32 %r3, %r3, 6;"


LATE = """mad.lo.u32 %r2, %r1, 4, %r9;
add.u32 %r3, %r1, 1;
rem.u32 %r3, %r3, 6;
mad.lo.u32 %r3, %r3, 4, %r9;
ld.shared.u32 %r4, [%r3];
bar.sync 0;
st.shared.u32 [%r2], %r1;"""


class Program:
    """A body with what prover and audit make of it."""

    def __init__(self, body: str) -> None:
        # The audit reads one statement a line.
        module = parse(re.sub(r";[ ]*(?=[.])", ";\n", module_of(HEAD + body + "\nret;", "s[1024]").text), name="k.ptx")
        made = contract(block=6)
        self.analysis: Analysis = analyse(contract_problem(made, module))
        self.digest = sha256(module.text)
        self.records = records_json(self.analysis, self.digest)
        contracts = read_contracts(contract_json([made]), "contract")
        entry = read_ptx(module.text, "k.ptx")["k"]
        self.subject = Subject(entry, contracts["k"], read_records(self.records, "records"))
        self.walk = Walk(self.subject)

    @property
    def files(self) -> dict[str, Content]:
        """What the prover writes of each read."""
        claims = [c for c in self.analysis.claims if c.name.startswith("init.")]
        made = {c.name: written_json(c, self.analysis.enumerator, "k", self.digest) for c in claims}
        return {name: json.loads(to_text(content)) for name, content in made.items() if content is not None}

    def against(self, claim: str, content: Content) -> str:
        """What the audit has against a file; '' if it confirms the claim."""
        try:
            found = read_initialised(to_text(content), claim)
        except Unreadable as error:
            return str(error)
        said = list(objections(found, claim, self.subject, self.walk, self.digest))
        if said:
            return "\n".join(said)
        try:
            return Again(found, self.subject).refuted()
        except (Open, TooLarge) as error:
            return f"cannot be enumerated: {error}"

    def forged(self) -> Iterator[tuple[str, Content]]:
        """Of each read, a file that counts every write that the audit does not object to, in all ways."""
        accesses = self.records["accesses"]
        loops = [loop["id"] for loop in self.records["loops"]]
        for read in (a for a in accesses if a["space"] == "shared" and a["kind"] == "read"):
            claim = f"init.{read['id']}"
            for around, depth, modulus in product(("", *loops), (0, 2, 4), (1, 2, 3, 4)):
                content: Content = {
                    "version": 1, "entry": "k", "claim": claim, "ptx_sha256": self.digest,
                    "read": _place(read, read["control"] + read["facts"]), "ring": around, "depth": depth,
                    "writers": [], "symbols": {f"k@{around}": {"modulus": modulus, "start": 0}} if around else {},
                }  # fmt: skip
                for write, by, back in product(accesses, ("anyone", "thread"), range(4)):
                    writer = {**_place(write, write["control"]), "by": by, "back": back}
                    alone = read_initialised(to_text({**content, "writers": [writer]}), claim)
                    if not list(objections(alone, claim, self.subject, self.walk, self.digest)):
                        content["writers"].append(writer)
                yield claim, content


def _place(access: Content, conditions: list[str]) -> Content:
    return {"access": access["id"], "address": access["address"], "width": access["width"], "conditions": conditions}


@cache
def program(body: str) -> Program:
    return Program(body)


GOOD = {
    "neighbour": NEIGHBOUR.format(guard="", barrier="bar.sync 0;", ahead=1, wrap=WRAP),
    "neighbour of a guarded store": NEIGHBOUR.format(
        guard=LAST, barrier="bar.sync 0;", ahead=1, wrap="rem.u32 %r3, %r3, 5;"
    ),
    "own word": NEIGHBOUR.format(guard="", barrier="", ahead=0, wrap=""),
    "fill loop": FILL.format(**FILLED),
    "ring": ring(),
    "ring that stores what is needed": ring(guard="add.u32 %r7, %r11, 2;\nsetp.lt.u32 %p2, %r7, %r20;\n@%p2 "),
    "ring of four": ring(stages=4, prologue=3, write=3),
    "ring that reads ahead": ring(read=1),
}
BAD = {
    "no barrier": NEIGHBOUR.format(guard="", barrier="", ahead=1, wrap=WRAP),
    "beyond the last": NEIGHBOUR.format(guard="", barrier="bar.sync 0;", ahead=1, wrap=""),
    "guarded store": NEIGHBOUR.format(guard=LAST, barrier="bar.sync 0;", ahead=1, wrap=WRAP),
    "filled too little": FILL.format(**{**FILLED, "read": 21}),
    "filled with gaps": FILL.format(**{**FILLED, "step": 7}),
    "filled without a barrier": FILL.format(**{**FILLED, "barrier": ""}),
    "filled but for one": FILL.format(**{**FILLED, "skip": "setp.ne.u32 %p3, %r2, 13;\n@%p3 "}),
    "filled up to what is not known": FILL.format(**{**FILLED, "extent": "%r20"}),
    "ring without its second stage": ring(prologue=1),
    "ring that overtakes": ring(write=0),
    "ring of four without its third": ring(stages=4, prologue=2, write=3),
    "ring without a barrier": ring(top=""),
    "ring that reads too far ahead": ring(read=2),
    "ring that stops too early": ring(guard="add.u32 %r7, %r11, 3;\nsetp.lt.u32 %p2, %r7, %r20;\n@%p2 "),
    "written after it is read": LATE,
    "one of two branches": BRANCHES.format(other=""),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_the_prover_writes_is_confirmed(name: str) -> None:
    found = program(GOOD[name])
    assert found.files
    for claim, content in found.files.items():
        assert found.against(claim, content) == ""


@pytest.mark.parametrize("name", BAD)
def test_of_what_is_not_written_there_is_no_file_and_none_can_be_made(name: str) -> None:
    found = program(BAD[name])
    assert found.files == {}
    forged = list(found.forged())
    assert forged
    for claim, content in forged:
        assert found.against(claim, content) != ""


@pytest.mark.parametrize("name", [n for n in GOOD if n != "fill loop"])
def test_what_can_be_made_of_a_good_program_holds(name: str) -> None:
    """So that no file can be made of the bad ones says something."""
    found = program(GOOD[name])
    assert any(found.against(claim, content) == "" for claim, content in found.forged())


@settings(max_examples=10, deadline=None)
@given(programs())
def test_what_is_confirmed_the_emulator_finds_written(body: str) -> None:
    """Whatever the file says, if the audit confirms every read, no read sees what nobody wrote."""
    found = Program(body)
    confirmed = {claim for claim, content in found.forged() if found.against(claim, content) == ""}
    reads = {f"init.{a['id']}" for a in found.records["accesses"] if a["space"] == "shared" and a["kind"] == "read"}
    if confirmed == reads:
        assert not any(uninitialised(body, n) for n in (0, 1, 2, 3, 5, 8))


# --- edits -------------------------------------------------------------------------------------------------------


def _writers(content: Content, change: Callable[[Content], object], **wanted: Any) -> None:
    found = [w for w in content["writers"] if all(w[k] == v for k, v in wanted.items())]
    assert found
    for writer in found:
        change(writer)


def _dropped(**wanted: Any) -> Callable[[Content], object]:
    def change(content: Content) -> None:
        before = len(content["writers"])
        content["writers"] = [w for w in content["writers"] if any(w[k] != v for k, v in wanted.items())]
        assert len(content["writers"]) < before

    return change


def _swapped(content: Content) -> None:
    first, second = content["writers"][:2]
    first["address"], second["address"] = second["address"], first["address"]


EDITS: list[tuple[str, str, Callable[[Content], object], str]] = [
    ("writer dropped", "ring", _dropped(access="a1"), "may not be written"),
    ("round dropped", "ring", _dropped(back=2), "may not be written"),
    ("all dropped", "neighbour", _dropped(), "may not be written"),
    ("terms swapped", "ring", _swapped, "which the records do not say"),
    ("address moved", "ring", lambda c: _writers(c, lambda w: w.update(address=f"(+ 4 {w['address']})"), access="a1"),
     "which the records do not say"),
    ("width", "neighbour", lambda c: _writers(c, lambda w: w.update(width=8)), "which the records do not say"),
    ("read moved", "neighbour", lambda c: c["read"].update(address="|shared.s|"), "which the records do not say"),
    ("read narrowed", "neighbour", lambda c: c["read"].update(width=2), "which the records do not say"),
    ("guard of the write left out", "neighbour of a guarded store",
     lambda c: _writers(c, lambda w: w.update(conditions=[])), "under other conditions"),
    ("guard of the read invented", "neighbour", lambda c: c["read"].update(conditions=["(<= |tid.x| 3)"]),
     "under other conditions"),
    ("an earlier round taken for this", "ring", lambda c: _writers(c, lambda w: w.update(back=0), back=2),
     "it does not come before the read"),
    ("one before the loop taken for a round", "ring", lambda c: _writers(c, lambda w: w.update(back=1), access="a1"),
     "no earlier round of"),
    ("another thread's taken without a barrier", "own word", lambda c: _writers(c, lambda w: w.update(by="anyone")),
     "no barrier lies between"),
    ("the loop left out", "ring", lambda c: c.update(ring=""), "no earlier round of"),
    ("another loop", "ring", lambda c: c.update(ring="L1"), "no loop around the read"),
    ("first rounds left out", "ring", lambda c: c.update(depth=0), "may not be written"),
    ("too many first rounds", "ring", lambda c: c.update(depth=10**6), "rounds that are cases of their own"),
    ("remainders of two", "ring", lambda c: c["symbols"]["k@L21"].update(modulus=2), "cannot be enumerated"),
    ("no remainders", "ring", lambda c: c.update(symbols={}), "cannot be enumerated"),
    ("range cut at the end", "fill loop", lambda c: c["symbols"]["k@L28"].update(high=18), "made beyond"),
    ("range cut at the start", "fill loop", lambda c: c["symbols"]["k@L28"].update(low=1), "whose least value is 0"),
    ("range by remainders", "fill loop", lambda c: c["symbols"].update({"k@L28": {"modulus": 20, "start": 0}}),
     "whose least value"),
    ("threads cut", "neighbour", lambda c: c["symbols"].update({"tid.x": {"low": 0, "high": 3}}), "does not have"),
    ("symbol made up", "neighbour", lambda c: c["symbols"].update({"made.up": {"low": 0, "high": 3}}), "does not have"),
    ("parameter cut", "ring", lambda c: c["symbols"].update({"n": {"low": 0, "high": 1}}), "whose range is"),
    ("a write that is none", "neighbour", lambda c: _writers(c, lambda w: w.update(access=c["read"]["access"])),
     "is no write"),
    ("a write that is not there", "neighbour", lambda c: _writers(c, lambda w: w.update(access="a99")), "is no write"),
    ("another claim", "neighbour", lambda c: c.update(claim="init.a9"), "another claim"),
    ("another PTX", "neighbour", lambda c: c.update(ptx_sha256="0"), "another claim"),
    ("another version", "neighbour", lambda c: c.update(version=2), "not an enumeration"),
    ("another reader", "neighbour", lambda c: _writers(c, lambda w: w.update(by="its warp")), "writes for 'its warp'"),
    ("a round to come", "neighbour", lambda c: _writers(c, lambda w: w.update(back=-1)), "-1 rounds before"),
    ("a field less", "neighbour", lambda c: c.pop("depth"), "not an enumeration"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "of", "edit", "message"), EDITS, ids=[e[0] for e in EDITS])
def test_an_edited_file_is_noticed(name: str, of: str, edit: Callable[[Content], object], message: str) -> None:
    found = program(GOOD[of])
    ((claim, content),) = found.files.items()
    edit(content)
    assert message in found.against(claim, content)


def test_a_file_less_is_still_enough_if_the_others_write_it() -> None:
    """The rounds that a ring of three comes back to are two and three before; one of them is enough."""
    found = program(GOOD["ring"])
    ((claim, content),) = found.files.items()
    _dropped(back=3)(content)
    assert found.against(claim, content) == ""


# --- a shipped kernel --------------------------------------------------------------------------------------------


@cache
def of_rmsnorm() -> dict[str, Content]:
    text = (ROOT / "backend/ptx/rmsnorm.ptx").read_text()
    (made,) = contracts_of("rmsnorm")
    found = analyse(contract_problem(made, parse(text, name="rmsnorm.ptx")))
    claims = [c for c in found.claims if c.name.startswith("init.")]
    files = {c.name: written_json(c, found.enumerator, made.entry, sha256(text)) for c in claims}
    return {name: content for name, content in files.items() if content is not None}


def test_the_audit_takes_it_in_place_of_a_query(tmp_path: Path) -> None:
    copy = Copy(tmp_path, "rmsnorm")
    files = of_rmsnorm()
    assert files
    for name, content in files.items():
        replaced(copy, name, content)
    assert copy.messages("claims") == ""
    assert copy.messages("records") == ""
    name = next(iter(files))
    content = json.loads(to_text(files[name]))
    content["writers"].clear()
    copy.write(f"{copy.entry}.{name}.json", to_text(content))
    copy.mend()
    assert f"{copy.entry}.{name}.json: enumeration does not confirm the claim: byte 0" in copy.messages("claims")
