"""Attacks on the shipped proofs, hashes mended: each must be found, and for what it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.verifier.tampering import ROOT, Copy, without
from verifier.__main__ import main
from verifier.audit import AuditReport, Part, audit, run_job
from verifier.findings import Finding, Grade
from verifier.manifest import read_bundle


@pytest.fixture
def silu(tmp_path: Path) -> Copy:
    return Copy(tmp_path, "silu")


@pytest.fixture
def rmsnorm(tmp_path: Path) -> Copy:
    return Copy(tmp_path, "rmsnorm")


@pytest.mark.parametrize("stem", ["silu", "rmsnorm"])
@pytest.mark.parametrize("job", ["records", "claims", "binding"])
def test_the_shipped_proofs_are_clean(tmp_path: Path, stem: str, job: str) -> None:
    part = run_job(Copy(tmp_path, stem).root, stem, job)
    assert part.findings == []
    assert job == "records" or part.decided + part.compared > 100


# --- bytes and files ---
def test_any_byte_of_the_ptx_is_noticed(silu: Copy) -> None:
    whole = silu.ptx.read_bytes()
    for at in range(0, len(whole), len(whole) // 40):
        silu.ptx.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        _, findings = read_bundle(silu.root, "silu")
        assert any(f.file.startswith("backend/ptx/silu.ptx") for f in findings)


def test_any_artifact_with_a_changed_byte_is_named(silu: Copy) -> None:
    paths = sorted(silu.folder.iterdir())
    for path in [p for number, p in enumerate(paths) if p.suffix == ".json" or number % 15 == 0]:
        whole = path.read_bytes()
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
        _, findings = read_bundle(silu.root, "silu")
        assert any(path.name in str(finding) for finding in findings), path.name
        path.write_bytes(whole)
    assert read_bundle(silu.root, "silu")[1] == []


def test_missing_extra_and_unlisted_files_are_named(silu: Copy) -> None:
    (silu.folder / silu.query("align.a1")).unlink()
    silu.write("extra.smt2", "(check-sat)\n")
    messages = silu.messages("records")
    assert "silu_f16.align.a1.smt2: missing, but listed" in messages
    assert "extra.smt2: not listed" in messages
    silu.mend()
    assert "extra.smt2: listed in manifest.json, but it belongs to no claim" in silu.messages("records")


def test_a_wrong_hash_and_an_edited_manifest_are_noticed(silu: Copy) -> None:
    text = silu.read("manifest.json")
    silu.write("manifest.json", text.replace('"proved"', '"proved "', 1))
    (finding,) = silu.findings("records")
    assert "seal does not match" in str(finding)
    assert finding.grade is Grade.UNREADABLE


@pytest.mark.parametrize("broken", ["{", '{"a": 1, "a": 2}', "[]", "\u00e9"])
def test_unreadable_files_are_their_own_grade(silu: Copy, broken: str) -> None:
    silu.write("manifest.json", broken)
    (finding,) = silu.findings("records")
    assert finding.grade is Grade.UNREADABLE
    assert "manifest.json" in finding.file


def test_artifacts_of_another_kernel_do_not_pass(silu: Copy, rmsnorm: Copy) -> None:
    rmsnorm.folder.rename(silu.root / "aside")
    silu.folder.rename(rmsnorm.folder)
    (silu.root / "aside").rename(silu.folder)
    assert "the manifest of rmsnorm, not of silu" in silu.messages("records")


def test_a_kernel_without_proof_and_a_proof_without_kernel(silu: Copy) -> None:
    silu.ptx.rename(silu.ptx.with_name("other.ptx"))
    report = audit(silu.root, processes=1)
    assert report.exit_code == 1
    assert any("backend/ptx/other.ptx: has no proof" in line for line in report.lines)
    assert any("proofs/artifacts/silu: belongs to no shipped PTX file" in line for line in report.lines)


def test_a_folder_without_kernels_is_bad_input(tmp_path: Path) -> None:
    report = audit(tmp_path)
    assert report.exit_code == 3
    assert report.summary_line().startswith("audit impossible")


def test_the_module_prints_findings_and_the_closing_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 3
    assert capsys.readouterr().out.startswith("backend/ptx: no PTX files here\naudit impossible, 1 finding")
    assert main(["a", "b"]) == 3


def test_grades_become_exit_codes() -> None:
    def code(*grades: Grade) -> int:
        return AuditReport(("a",), Part([Finding("f", "m", g) for g in grades])).exit_code

    assert code() == 0
    assert code(Grade.UNDECIDED) == 2
    assert code(Grade.UNREADABLE, Grade.UNDECIDED) == 3
    assert code(Grade.UNDECIDED, Grade.UNREADABLE, Grade.FALSE) == 1


# --- claims and queries ---
def test_dropped_claims_are_missed(silu: Copy) -> None:
    stems = ("align.", "bounds.", "split.", "power.", "variant.", "range.", "abi.grid", "writers.")
    claims = silu.first_claims(*stems)
    for claim in (*claims, "coverage.y.1"):
        silu.drop_claim(claim)
    messages = silu.messages("claims")
    assert all(f"required claim {claim} " in messages for claim in claims)
    assert "leave elements out" in messages


def test_dropped_claims_between_threads_are_missed(rmsnorm: Copy) -> None:
    claims = rmsnorm.first_claims("writers.", "race.i0", "init.", "barrier.", "converged.", "lanes.", "rows.")
    for claim in claims:
        rmsnorm.drop_claim(claim)
    messages = rmsnorm.messages("claims")
    assert all(f"required claim {claim} " in messages for claim in claims)


def test_every_obligation_must_be_there_and_proved(silu: Copy) -> None:
    silu.edit_manifest(lambda m: m["entries"][silu.entry]["obligations"].pop("race"))
    silu.edit_manifest(lambda m: m["entries"][silu.entry]["obligations"].update(coverage="refuted", bounds="unknown"))
    messages = silu.messages("claims")
    assert "obligation race is missing" in messages
    assert "obligation coverage is refuted" in messages
    assert "obligation bounds is unknown" in messages


def test_assert_false_is_no_proof(silu: Copy) -> None:
    silu.edit_text(
        silu.query("bounds.a1"), lambda t: t.replace("(check-sat)", "(assert (! false :named fact.9))\n(check-sat)")
    )
    assert "bounds.a1.smt2: assumes what neither records nor contract give (fact.9): false" in silu.messages("claims")


def test_commands_outside_the_format_are_refused(silu: Copy) -> None:
    commands = ("(assert false)", "(assert (! false :named goal))", "(define-fun f () Int 0)", "(pop)", "(check-sat)")
    names = [silu.query(f"bounds.a{number}") for number in range(1, 6)]
    for name, command in zip(names, commands, strict=True):
        silu.edit_text(name, lambda t, c=command: t.replace("(check-sat)", f"{c}\n(check-sat)"))  # type: ignore[misc]
    found = {f.file.rpartition("/")[2] for f in silu.findings("claims") if f.grade is Grade.UNREADABLE}
    assert found == set(names)


def test_a_contradiction_dressed_as_a_lemma_is_refused(silu: Copy) -> None:
    bad = "(assert (! (=> (and (>= n 0) (>= n 0)) (>= (* n (- 1)) 0)) :named lemma.99))\n(check-sat)"
    silu.edit_text(silu.query("bounds.a1"), lambda t: t.replace("(check-sat)", bad))
    assert "assumes what neither" in silu.messages("claims")


def _goal(text: str, new: Callable[[str], str]) -> str:
    head, _, rest = text.partition("(assert (! (not ")
    goal, _, tail = rest.rpartition(") :named goal))")
    return f"{head}(assert (! (not {new(goal)}) :named goal)){tail}"


def test_valid_but_weaker_queries_are_noticed(silu: Copy) -> None:
    bounds, align, split, writers = silu.first_claims("bounds.", "align.", "split.", "writers.")
    goals = {bounds: "true", align: "(<= 0 1)", split: "(<= 0 n)", writers: "(<= 0 0)"}
    for claim, goal in goals.items():
        silu.edit_text(silu.query(claim), lambda t, g=goal: _goal(t, lambda _: g))  # type: ignore[misc]
    messages = silu.messages("claims")
    assert all(f"{claim}.smt2: concludes something else than {claim} demands" in messages for claim in goals)


def test_a_goal_with_a_part_dropped_is_noticed(silu: Copy) -> None:
    silu.edit_text(silu.query("bounds.a3"), lambda t: _goal(t, lambda g: re.sub(r"\(<= 0 .*?\)\) ", "", g, count=1)))
    assert "bounds.a3.smt2: concludes something else" in silu.messages("claims")


def test_two_queries_swapped_are_noticed(silu: Copy) -> None:
    first, second = silu.query("bounds.a1"), silu.query("bounds.a4")
    one, other = silu.read(first), silu.read(second)
    silu.write(first, other)
    silu.edit_text(second, lambda _: one)
    messages = silu.messages("claims")
    assert "bounds.a1.smt2: concludes something else" in messages
    assert "bounds.a4.smt2: concludes something else" in messages


def test_a_false_claim_is_decided_as_such(silu: Copy) -> None:
    silu.edit_text(silu.query("bounds.a1"), lambda t: re.sub(r"\(assert [^\n]*:named control[^\n]*\n", "", t))
    assert "bounds.a1.smt2: the claim does not hold, cvc5 says" in silu.messages("claims")


# --- records and contract ---
def _everywhere(copy: Copy, access: str, fact: str) -> None:
    """Put a fact into an access's record and into every query about it."""

    def add(records: Any) -> None:
        next(a for a in records["accesses"] if a["id"] == access)["facts"].append(fact)

    for path in copy.folder.glob(f"{copy.entry}.*.{access}.smt2"):
        text = path.read_text()
        if not path.name.startswith((f"{copy.entry}.writers", f"{copy.entry}.race")):
            path.write_text(text.replace("(check-sat)", f"(assert (! {fact} :named fact.77))\n(check-sat)"))
    copy.edit_records(add)


@pytest.mark.parametrize("fact", ["(<= n 100)", "(= 0 tid.x)", "(<= ctaid.x 3)", "(= 0 (mod x 64))"])
def test_a_false_fact_added_everywhere_does_not_bind(silu: Copy, fact: str) -> None:
    _everywhere(silu, "a1", fact)
    assert "access a1: recorded fact does not hold" in silu.messages("binding", launches=16)


def test_a_contradiction_in_control_does_not_bind(silu: Copy) -> None:
    def spoil(records: Any) -> None:
        records["accesses"][0]["control"].append("(<= n 0)")

    silu.edit_records(spoil)
    assert "access a1: recorded control does not hold" in silu.messages("binding")


def test_a_changed_address_does_not_bind(silu: Copy) -> None:
    def spoil(records: Any) -> None:
        access = records["accesses"][0]
        access["address"] = access["address"].replace("(* 16 tid.x)", "(* 8 tid.x)")

    silu.edit_records(spoil)
    assert "access a1: the address term gives" in silu.messages("binding")


def test_control_that_is_too_weak_does_not_bind(silu: Copy) -> None:
    def spoil(records: Any) -> None:
        records["accesses"][0]["control"].pop()

    silu.edit_records(spoil)
    assert "access a1: its recorded control holds, but PTX line" in silu.messages("binding")


def test_a_wrong_loop_condition_does_not_bind(silu: Copy) -> None:
    def spoil(records: Any) -> None:
        records["loops"][0]["continue"] = "(< |k@" + records["loops"][0]["id"] + "| 0)"

    silu.edit_records(spoil)
    assert "`continue` is" in silu.messages("binding")


def test_a_wrong_branch_condition_does_not_bind(silu: Copy) -> None:
    def spoil(records: Any) -> None:
        records["branches"][0]["condition"] = "(<= power_state 0)"

    silu.edit_records(spoil)
    assert "the recorded condition of the branch" in silu.messages("binding")


def test_an_observation_dropped_or_changed_does_not_bind(silu: Copy) -> None:
    silu.edit_records(lambda r: r["observations"].pop(0))
    assert "may have wrapped: no observation has its value" in silu.messages("binding")


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("accesses", "is read of 2 bytes, global"),
        ("barriers", "is block barrier"),
        ("shuffles", "is shuffle of 0xffffffff"),
    ],
)
def test_a_place_left_out_of_the_records_is_missed(rmsnorm: Copy, kind: str, says: str) -> None:
    name = {"accesses": rmsnorm.access(kind="read", width=2), "barriers": "b1", "shuffles": "s2"}[kind]

    def spoil(records: Any) -> None:
        without(records[kind], id=name)
        records["lines"] = {line: ids for line, ids in records["lines"].items() if name not in ids}
        for interval in records["intervals"]:
            interval["members"] = [m for m in interval["members"] if m["access"] != name]

    rmsnorm.edit_records(spoil)
    assert f"{says}, the records say: nothing" in rmsnorm.messages("records")


def test_loops_and_branches_left_out_are_missed(silu: Copy) -> None:
    silu.edit_records(lambda r: (r["loops"].pop(0), r["branches"].pop(1)))
    messages = silu.messages("records")
    assert "is missing from the records" in messages
    assert "a branch or end that the records lack" in messages


@pytest.mark.parametrize(
    ("symbol", "field", "value"),
    [("tid.x", "scope", "block"), ("tid.x", "high", 3), ("n", "high", 4096), ("k@L45", "high", 5)],
)
def test_a_symbol_that_is_less_than_it_can_be_is_noticed(silu: Copy, symbol: str, field: str, value: object) -> None:
    def spoil(records: Any) -> None:
        next(s for s in records["symbols"] if s["name"] == symbol)[field] = value

    silu.edit_records(spoil)
    assert f"symbol {symbol} " in silu.messages("records")


def test_an_interval_that_lacks_an_access_is_noticed(rmsnorm: Copy) -> None:
    def spoil(records: Any) -> None:
        shared = {a["id"] for a in records["accesses"] if a["space"] == "shared"}
        interval = next(i for i in records["intervals"] if any(m["access"] in shared for m in i["members"]))
        interval["members"] = [m for m in interval["members"] if m["access"] not in shared]

    rmsnorm.edit_records(spoil)
    assert "belongs to the interval that starts at" in rmsnorm.messages("records")


def test_a_shared_write_moved_behind_the_barrier_loses_its_proof(rmsnorm: Copy) -> None:
    """The barrier gone from the PTX, and from every record that speaks of it."""

    def spoil(text: str) -> str:
        return re.sub(r"(?m)^(\s*)bar\.sync 0;", r"\1mov.b32 %w0w0, 0;", text)

    rmsnorm.edit_ptx(spoil)
    rmsnorm.edit_records(lambda r: (r["barriers"].clear(), r["lines"].pop(_line_of(rmsnorm, "bar.sync"), None)))
    rmsnorm.drop_claim("barrier.b1")
    assert "belongs to the interval that starts at entry" in rmsnorm.messages("records")
    messages = rmsnorm.messages("claims")
    assert re.search(r"init\.a\d+\.smt2: concludes something else", messages)


def _line_of(copy: Copy, opcode: str) -> str:
    lines = (ROOT / "backend/ptx" / f"{copy.stem}.ptx").read_text().splitlines()
    return next(str(n) for n, line in enumerate(lines, start=1) if opcode in line)


def test_a_contradicting_contract_is_noticed(silu: Copy) -> None:
    silu.edit_json("contract.json", lambda c: c[silu.entry]["requires"].append("n <= 0"))
    messages = silu.messages("claims")
    assert "the contract cannot be met by a launch of several blocks" in messages


def test_a_strengthened_contract_is_noticed(silu: Copy) -> None:
    silu.edit_json("contract.json", lambda c: c[silu.entry].update(requires=["n >= 1 && n <= 2^30"]))
    messages = silu.messages("claims")
    assert "in spec/contracts/silu.py it is ['n >= 1 && n <= 2^40']" in silu.messages("records")
    assert "assumes what neither records nor contract give (domain" in messages


# --- coverage ---
def test_digits_that_say_more_than_digits_are_refused(silu: Copy) -> None:
    low = "(<= 0 w1.column.rest)"
    silu.edit_text(silu.query("coverage.y.1"), lambda t: t.replace(low, f"{low} (<= w1.column.tid.x 3)", 1))
    assert "coverage.y.1.smt2: " in silu.messages("claims")


def test_a_way_that_forgets_a_condition_is_none(silu: Copy) -> None:
    forget = re.compile(r"\(<= \(\+ 1 \(\* \d+ w1\.column\.ctaid\.x\) w1\.column\.tid\.x .*?\) \(div n 8\)\) ")
    silu.edit_text(silu.query("coverage.y.1"), lambda t: _goal(t, lambda g: forget.sub("", g, count=1)))
    assert "a way to write the element that is none" in silu.messages("claims")


def test_an_element_that_is_only_some_is_refused(silu: Copy) -> None:
    less = "(assert (! (<= e.column 7) :named element.2))\n(check-sat)"
    silu.edit_text(silu.query("coverage.y.1"), lambda t: t.replace("(check-sat)", less))
    assert "the cases leave elements out" in silu.messages("claims")


# --- vacuity ---
def test_occasions_are_replayed(silu: Copy) -> None:
    def spoil(manifest: dict[str, Any]) -> None:
        occasions = manifest["entries"][silu.entry]["occasions"]
        occasions[0]["values"]["n"] = 8
        occasions[1]["values"]["power_state"] = 1
        occasions.pop()

    silu.edit_manifest(spoil)
    messages = silu.messages("claims")
    assert "occasion 1 breaks the contract" in messages
    assert "occasion 2 does not execute PTX line" in messages
    assert "no occasion executes PTX line" in messages


def test_a_vacuity_query_that_asks_less_is_noticed(silu: Copy) -> None:
    silu.edit_text(silu.query("vacuity"), lambda t: _goal(t, lambda _: "true"))
    assert "its goal must be false" in silu.messages("claims")


# --- programs ---
def _program_messages(copy: Copy) -> str:
    return "\n".join(m for m in copy.messages("programs").splitlines() if "refinement" not in m)


def test_resources_and_parameters_are_measured_again(silu: Copy) -> None:
    assert _program_messages(silu) == ""
    silu.edit_json(f"{silu.entry}.resources.json", lambda r: r["used"]["sm_89"].update(registers=8))
    silu.edit_json(f"{silu.entry}.abi.json", lambda r: r["declared"].reverse())
    messages = _program_messages(silu)
    assert "resources.json: ptxas gives" in messages
    assert "abi.json: its parameter lists" in messages


def test_ceilings_below_what_is_used_are_noticed(silu: Copy) -> None:
    silu.edit_json("contract.json", lambda c: c[silu.entry]["ceilings"].update(registers=16))
    assert "registers " in _program_messages(silu)
    assert "is above the ceiling 16" in _program_messages(silu)


def test_swapped_parameters_are_noticed(silu: Copy) -> None:
    silu.edit_ptx(lambda t: t.replace(".param .u64 x,\n    .param .u64 y,", ".param .u64 y,\n    .param .u64 x,"))
    assert "parameters are not those of the contract" in _program_messages(silu)


def test_a_lemma_needs_its_premises_and_its_control(silu: Copy) -> None:
    name, control = "numerics.silu-power.smt2", "numerics.silu-power.control.smt2"

    def contradict(text: str) -> str:
        head, _, tail = text.rpartition("(assert ")
        return f"{head}(assert (< 1.0 0.0))\n(assert {tail}"

    silu.edit_text(name, contradict)
    assert "control.smt2: assumes something else than the lemma" in _program_messages(silu)
    silu.edit_text(control, contradict)
    assert "control.smt2: must be sat, cvc5 says unsat" in _program_messages(silu)
    silu.edit_manifest(lambda m: without(m["numerics"], name="silu-tail"))
    assert "lemma silu-tail of the error bound is missing" in _program_messages(silu)


# --- the PTX itself, everything else mended ---
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r"\[%x_at\+(\d+)\]", lambda m: f"[%x_at+{int(m.group(1)) + 2}]", "the address term gives"),
        (r"setp\.ne\.u32 %inactive", "setp.eq.u32 %inactive", "branch"),
        (r"shl\.b64 %offset, %at, 4", "shl.b64 %offset, %at, 3", "the address term gives"),
        (r"setp\.ge\.u64 %done", "setp.gt.u64 %done", "branch"),
        (r"@%slot1 st\.", "@%slot0 st.", "its recorded control holds|does not hold"),
        (r"(mul\.wide\.u32 %step, %blocks, )\d+", r"\g<1>64", "gives|continue"),
        (r"and\.b64 %bits, %bits, 15", "and.b64 %bits, %bits, 7", "branch|control"),
    ],
)
def test_records_of_another_ptx_do_not_bind(silu: Copy, old: str, new: Any, says: str) -> None:
    silu.edit_ptx(lambda text: re.sub(old, new, text, count=1))
    assert re.search(says, silu.messages("binding", launches=16))


def test_an_instruction_that_is_not_known_is_a_finding(silu: Copy) -> None:
    silu.edit_ptx(lambda text: text.replace("or.b64 %bits, %x_base", "lop3.b64 %bits, %x_base", 1))
    (finding,) = silu.findings("binding")
    assert "instruction not known" in str(finding)
    assert finding.grade is Grade.UNDECIDED
