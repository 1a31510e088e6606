"""Enumerations of tiles: confirmed where no two threads meet, refused where they do, edits noticed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from typing import Any

import pytest

from proofs.artifacts import contract_json, records_json, sha256, to_text
from proofs.contract import contract_problem
from proofs.entry import analyse
from proofs.enumeration.artifact_tile import tile_json
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.ptx.parser import parse
from tests.proofs.test_tiles import BLOCK, GRID, PTX, STORES, collide
from verifier.conditions import Subject
from verifier.contract import read_contracts
from verifier.enumeration import TooLarge
from verifier.findings import Unreadable
from verifier.forms import Open
from verifier.reader import read_ptx
from verifier.records import read_records
from verifier.tiles import objections, read_tiled, refuted

Content = dict[str, Any]
CONTRACT = Contract(
    stem="k", entry="k", parameters=(Parameter("C", "buffer"), Parameter("power", "power")), requires=("power <= 9",),
    buffers=(Buffer("C", "u32", ("64", "64"), "w", align=8),), block=(BLOCK, BLOCK, 1),
    grid=(str(GRID), str(GRID), "1"), outputs=("C",), ceilings=Ceilings(64, 0), operator="none", power="power",
)  # fmt: skip
GOOD = {"rows": 4, "columns": 4, "mask": 3, "step": 1, "count": 1}
WIDE = {"rows": 4, "columns": 8, "mask": 3, "step": 2, "count": 2}


class Program:
    """The test kernel of tiles with what prover and audit make of it."""

    def __init__(self, of: Mapping[str, int], second: str = "") -> None:
        text = PTX.replace("STORE", STORES[of["count"]] + second)
        text = text.replace(".param .u64 C", ".param .u64 C, .param .u32 power")
        for name in ("rows", "mask", "step", "columns"):
            text = text.replace(name.upper(), str(of[name]))
        self.module = parse(re.sub(r";[ ]*(?=[.])", ";\n", text), name="k.ptx")
        self.analysis = analyse(contract_problem(CONTRACT, self.module))
        self.digest = sha256(self.module.text)
        contracts = read_contracts(contract_json([CONTRACT]), "contract")
        records = read_records(records_json(self.analysis, self.digest), "records")
        self.subject = Subject(read_ptx(self.module.text, "k.ptx")["k"], contracts["k"], records)

    def file(self, claim: str) -> Content | None:
        (found,) = (c for c in self.analysis.claims if c.name == claim)
        content = tile_json(found, self.analysis.enumerator, "k", self.digest)
        return None if content is None else json.loads(to_text(content))

    def forged(self, first: str, second: str, weights: tuple[int, int]) -> Content:
        """A file that says what the records say, whether it holds or not."""
        accesses = self.subject.records.accesses
        terms = {a["id"]: a for a in records_json(self.analysis, self.digest)["accesses"]}
        sites = [{"access": n, "row": terms[n]["row"], "column": terms[n]["column"], "count": accesses[n].count}
                 for n in (first, second)]  # fmt: skip
        symbols = {"row": ("ctaid.y", weights[0]), "column": ("ctaid.x", weights[1])}
        tile = {name: {"symbol": symbol, "weight": weight} for name, (symbol, weight) in symbols.items()}
        return {"version": 1, "entry": "k", "claim": f"writers.{first}.{second}", "ptx_sha256": self.digest,
                "sites": sites, "tile": tile}  # fmt: skip

    def against(self, claim: str, content: Content) -> str:
        """What the audit has against a file; '' if it confirms the claim."""
        try:
            found = read_tiled(to_text(content), claim)
        except Unreadable as error:
            return str(error)
        said = list(objections(found, claim, self.subject, self.digest))
        try:
            return "\n".join(said) or refuted(found, self.subject)
        except (Open, TooLarge) as error:
            return f"cannot be enumerated: {error}"


@cache
def program(rows: int, columns: int, mask: int, step: int, count: int, second: str = "") -> Program:
    return Program({"rows": rows, "columns": columns, "mask": mask, "step": step, "count": count}, second)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("mask", [1, 2, 3])
def test_a_store_is_confirmed_only_if_no_two_threads_meet(mask: int, count: int) -> None:
    confirmed = 0
    for rows, columns, step in product((2, 4, 5), (2, 4, 8), (1, 2)):
        of = {"rows": rows, "columns": columns, "mask": mask, "step": step, "count": count}
        found = program(**of)
        content = found.file("writers.a1.a1")
        if content is not None:
            assert found.against("writers.a1.a1", content) == ""
        told = found.against("writers.a1.a1", found.forged("a1", "a1", (rows, columns)))
        assert told != "" or not collide(**of), of
        confirmed += told == ""
    assert confirmed or mask != 3


@pytest.mark.parametrize(("offset", "holds"), [(8, True), (4, False), (256, False)])
def test_two_stores_of_one_tile(offset: int, holds: bool) -> None:
    """Threads write columns 0, 4, 8 and 12 of a tile. 256 bytes on is the next row, the last in another tile."""
    second = f"\n    st.global.v2.u32 [%d2+{offset}], {{%r5, %r6}};"
    found = program(rows=4, columns=16, mask=3, step=4, count=2, second=second)
    content = found.file("writers.a1.a2")
    assert (content is not None) == holds
    assert (found.against("writers.a1.a2", found.forged("a1", "a2", (4, 16))) == "") == holds
    if content is not None:
        assert found.against("writers.a1.a2", content) == ""


def test_blocks_of_one_tile_are_noticed() -> None:
    """Both blocks of a row write the same columns."""
    found = program(rows=4, columns=0, mask=3, step=1, count=1)
    content = found.forged("a1", "a1", (4, 1))
    content["tile"]["column"] = {"symbol": "", "weight": 4}
    assert "blocks that differ only in ctaid.x have the same tile" in found.against("writers.a1.a1", content)


EDITS: list[tuple[str, Callable[[Content], object], str]] = [
    ("terms swapped", lambda c: [s.update(row=s["column"], column=s["row"]) for s in c["sites"]], "records do not say"),
    ("site removed", lambda c: c["sites"].pop(), "with two stores"),
    ("count", lambda c: [s.update(count=1) for s in c["sites"]], "records do not say"),
    ("weight halved", lambda c: c["tile"]["column"].update(weight=4), "cannot be enumerated"),
    ("weight doubled", lambda c: c["tile"]["row"].update(weight=8), "cannot be enumerated"),
    ("symbols swapped", lambda c: c.update(tile={"row": c["tile"]["column"], "column": c["tile"]["row"]}), "cannot be"),
    ("one symbol twice", lambda c: c["tile"]["row"].update(symbol="ctaid.x"), "each in one coordinate"),
    ("a thread's number", lambda c: c["tile"]["row"].update(symbol="tid.y"), "must be numbers of the block"),
    ("no block", lambda c: c["tile"]["row"].update(symbol=""), "differ only in ctaid.y"),
    ("another claim", lambda c: c.update(claim="writers.a2.a2"), "another claim"),
    ("another PTX", lambda c: c.update(ptx_sha256="0"), "another claim"),
    ("another store", lambda c: [s.update(access="a9") for s in c["sites"]], "other stores"),
    ("another version", lambda c: c.update(version=2), "of version 1"),
    ("a field more", lambda c: c.update(more=1), "not an enumeration of a tile"),
]


@pytest.mark.parametrize(("name", "edit", "message"), EDITS, ids=[e[0] for e in EDITS])
def test_an_edited_file_is_noticed(name: str, edit: Callable[[Content], object], message: str) -> None:
    found = program(**WIDE)
    content = found.file("writers.a1.a1")
    assert content is not None
    assert found.against("writers.a1.a1", content) == ""
    edit(content)
    assert message in found.against("writers.a1.a1", content)


def test_a_thread_that_leaves_its_tile_is_noticed() -> None:
    """Blocks lie two rows apart, and their threads write four."""
    found = program(**{**GOOD, "rows": 2})
    assert "leaves its tile: row 2 of 2" in found.against("writers.a1.a1", found.forged("a1", "a1", (2, 4)))
