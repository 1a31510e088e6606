"""The paged gather as a kernel with a contract: what `fltc check` proves with `--fact`, its facts prove too."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fltc.commands.bench_prover import checked
from fltc.kernels import kernels
from proofs import verify
from proofs.check.entry import KINDS
from proofs.contract import contract_problem
from proofs.verdict import Verdict
from spec.contracts.model import Buffer, Ceilings, Contract, Parameter
from spec.errors import BadInput
from spec.ptx.parser import parse
from verifier.audit import audit
from verifier.findings import Grade

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = Contract(
    stem="paged", entry="paged",
    parameters=(
        Parameter("pool", "buffer"), Parameter("table", "buffer"), Parameter("out", "buffer"),
        Parameter("pages", "u32"), Parameter("width", "u32"), Parameter("tokens", "u32"),
        Parameter("power_state", "power"),
    ),
    requires=("pages >= 1 && pages <= 2^24 && width >= 1 && width <= 2^16", "tokens >= 1 && tokens <= 2^31 - 1"),
    buffers=(
        Buffer("pool", "u32", ("16 * pages", "width"), "r", align=4),
        Buffer("table", "u32", ("ceil_div(tokens, 16)",), "r", align=4),
        Buffer("out", "u32", ("tokens", "width"), "w", align=4),
    ),
    block=(128, 1, 1), grid=("tokens", "1", "1"), outputs=("out",), ceilings=Ceilings(64, 0), operator="none",
    facts=("table[i] in [0, pages)",),
)  # fmt: skip
TABLE = CONTRACT.buffer("table")
# What every kernel with a contract has, and the test kernel lacks: a grid from a parameter, and the power state.
CHANGES = (
    (".param .u32 width", ".param .u32 width, .param .u32 tokens,\n    .param .u32 power_state"),
    ("[width];\n", "[width];\nld.param.u32 %r9, [power_state];\nsetp.ne.u32 %p0, %r9, 0;\n@%p0 bra DONE;\n"),
)
CHECKED = ("bounds", "race", "barrier", "single-writer", "no-wrap", "init", "no-trap", "coverage", "power-gate")


@cache
def text(*changes: tuple[str, str]) -> str:
    found = (ROOT / "tests/ptx/kernels/paged.ptx").read_text("utf-8")
    for old, new in (*CHANGES, *changes):
        assert old in found
        found = found.replace(old, new)
    return found


def verified(
    root: Path, monkeypatch: pytest.MonkeyPatch, contract: Contract, *changes: tuple[str, str]
) -> verify.Finished:
    folder = root / "backend/ptx"
    folder.mkdir(parents=True)
    (folder / "paged.ptx").write_text(text(*changes), "ascii")
    monkeypatch.setattr(verify, "contracts_of", lambda stem: (contract,))
    return verify.verify_stem(root, "paged", True)


def verdicts(finished: verify.Finished) -> dict[str, Verdict]:
    return {row.obligation: row.verdict for row in finished.rows if row.obligation in CHECKED}


# Of a block that leaves where its entry names no page.
LEAVES = ("// the page\n", "// the page\n    setp.ge.u32     %p0, %r4, %r0;\n    @%p0 bra        DONE;\n")
NEXT = ("shr.u32         %r3, %r2, 4;", "shr.u32         %r3, %r2, 4;\n    add.s32         %r3, %r3, 1;")


@pytest.mark.parametrize(
    ("kernel", "contract", "changes"),
    [
        ("paged", CONTRACT, ()),
        ("paged-unchecked", replace(CONTRACT, facts=()), ()),
        ("paged-checked", replace(CONTRACT, facts=()), (LEAVES,)),
        ("paged-next_entry", CONTRACT, (NEXT,)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_verdicts_are_those_of_the_flags(
    kernel: str, contract: Contract, changes: tuple[tuple[str, str], ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (of_flags,) = kernels(ROOT, [kernel])[:1]
    report = checked(ROOT, of_flags, 100).report
    assert report is not None
    expected = {row["obligation"]: row["verdict"] for row in report["rows"]}
    found = {row.obligation: row.verdict.value for row in verified(tmp_path, monkeypatch, contract, *changes).rows}
    assert {o: found[o] for o in expected} == expected
    assert set(expected) == set(KINDS)


def test_what_the_contract_says_of_the_table_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished = verified(tmp_path, monkeypatch, CONTRACT)
    assert verdicts(finished) == dict.fromkeys(CHECKED, Verdict.PROVED)
    assert "paged: table[i] in [0, pages), which the host checks before a launch" in finished.assumptions
    assert "paged: what facts speak of is changed by nobody else during the launch" in finished.assumptions
    assert json.loads(finished.files["contract.json"])["paged"]["facts"] == ["table[i] in [0, pages)"]


def test_a_fact_that_is_too_weak_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finished = verified(tmp_path, monkeypatch, replace(CONTRACT, facts=("table[i] in [0, pages]",)))
    assert verdicts(finished)["bounds"] is Verdict.REFUTED


def test_facts_do_not_survive_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block writes its table entry before it reads it."""
    store = ("    ld.global.nc.u32 %r4", "    st.global.u32 [%rd3], %r1;\n    ld.global.u32 %r4")
    contract = replace(CONTRACT, buffers=(CONTRACT.buffers[0], replace(TABLE, access="rw"), CONTRACT.buffers[2]))
    finished = verified(tmp_path, monkeypatch, contract, store)
    assert verdicts(finished)["bounds"] is not Verdict.PROVED
    assert "paged: facts about table are not used, since the launch writes there" in finished.assumptions


def test_the_same_without_the_write_is_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contract = replace(CONTRACT, buffers=(CONTRACT.buffers[0], replace(TABLE, access="rw"), CONTRACT.buffers[2]))
    finished = verified(tmp_path, monkeypatch, contract)
    assert verdicts(finished)["bounds"] is Verdict.PROVED
    assert not any("not used" in words for words in finished.assumptions)


def test_a_write_to_a_table_that_is_read_only_is_out_of_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ("    ld.global.nc.u32 %r4", "    st.global.u32 [%rd3], %r1;\n    ld.global.u32 %r4")
    assert verdicts(verified(tmp_path, monkeypatch, CONTRACT, store))["bounds"] is not Verdict.PROVED


@pytest.mark.parametrize("more", ["table[i] >= pages", "table[i] in [2, 1]", "table[i] < 0"])
def test_facts_that_no_memory_satisfies_are_an_error(more: str) -> None:
    contract = replace(CONTRACT, facts=(*CONTRACT.facts, more))
    with pytest.raises(BadInput, match="contract of paged: no content of table satisfies the facts"):
        contract_problem(contract, parse(text(), name="paged.ptx"))


def test_planes_in_a_contract_are_those_of_the_flags() -> None:
    buffer = Buffer("pool", "u32", ("pages", "16", "width"), "r", align=4)
    problem = contract_problem(
        replace(CONTRACT, facts=(), buffers=(buffer, *CONTRACT.buffers[1:])), parse(text(), name="paged.ptx")
    )
    terms = problem.buffers["pool"]
    assert terms.planes is not None
    assert terms.plane_stride is not None
    assert [t.text for t in (terms.planes, terms.plane_stride)] == ["pages", "(* 16 width)"]
    assert terms.flat is not None


# --- the audit ---------------------------------------------------------------------------------------------------


def test_the_audit_confirms_nothing_that_speaks_of_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no reading of elements of its own, so it says so, and does not pass."""
    finished = verified(tmp_path, monkeypatch, CONTRACT)
    verify._write(tmp_path / verify.ARTIFACTS / "paged", finished.files)
    (tmp_path / "spec/contracts").mkdir(parents=True)
    shutil.copy(ROOT / "spec/contracts/model.py", tmp_path / "spec/contracts/model.py")
    report = audit(tmp_path, processes=1)
    assert report.exit_code != 0
    (finding,) = (f for f in report.total.findings if "memory holds" in f.message)
    assert finding.grade is Grade.UNREADABLE
    assert finding.file.endswith("paged.records.json")
    assert "table[(div ctaid.x 16)]: that is not derived here, so nothing that rests on it" in finding.message
