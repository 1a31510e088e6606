"""Evidence of a device that violates an assumption: every verdict that names it says so, and no other changes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fltc.cli import main
from proofs.devices import Measured, described, judged, measured
from proofs.results import Report, Row
from proofs.verdict import Verdict
from spec.assumptions import TABLE
from spec.errors import BadInput

ROOT = Path(__file__).resolve().parents[2]
BROKEN = Measured("doc-ex2", "GPU", "violated", "3 arguments")


def row(verdict: Verdict, *assumptions: str) -> Row:
    example = {"lemma": "x"} if verdict is Verdict.REFUTED else None
    return Row("k", "numerics", verdict, detail="why", counterexample=example, assumptions=assumptions)


def evidence(folder: Path, assumptions: dict[str, Any], name: str = "gpu.json") -> None:
    (folder / "evidence").mkdir(exist_ok=True)
    content = {"device": {"name": "GPU"}, "probe": {"assumptions": assumptions}}
    (folder / "evidence" / name).write_text(json.dumps(content))


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.DERIVED, Verdict.PROVED])
def test_every_verdict_that_names_it_is_violated(verdict: Verdict) -> None:
    (found,) = judged([row(verdict, "ieee-rn", "doc-ex2")], [BROKEN])
    assert found.verdict is Verdict.VIOLATED
    assert found.detail == f"doc-ex2 does not hold on GPU: 3 arguments\n{verdict.value} where it holds: why"
    assert Report([found]).exit_code == 1


def test_what_is_refuted_or_names_another_stays() -> None:
    rows = [row(Verdict.REFUTED, "doc-ex2"), row(Verdict.DERIVED, "doc-rcp"), row(Verdict.PROVED)]
    assert judged(rows, [BROKEN]) == rows
    named = [row(Verdict.DERIVED, "doc-ex2")]
    for status in ("held", "not measured"):
        assert judged(named, [Measured("doc-ex2", "GPU", status, "")]) == named


def test_one_device_of_several_is_enough() -> None:
    found = [Measured("doc-ex2", "other", "held", ""), BROKEN, Measured("doc-ex2", "third", "violated", "1")]
    (only,) = judged([row(Verdict.DERIVED, "doc-ex2")], found)
    assert only.detail.splitlines()[:2] == [
        "doc-ex2 does not hold on GPU: 3 arguments", "doc-ex2 does not hold on third: 1",
    ]  # fmt: skip


def test_evidence_is_read_and_described(tmp_path: Path) -> None:
    assert measured(tmp_path) == []
    evidence(tmp_path, {"doc-ex2": {"status": "violated", "detail": "3 arguments"}})
    evidence(tmp_path, {"doc-ex2": {"status": "held", "detail": "all"}}, "a.json")
    (tmp_path / "evidence/none.json").write_text('{"device": {"name": "X"}}')  # a run of other parts alone
    found = measured(tmp_path)
    assert found == [Measured("doc-ex2", "GPU", "held", "all"), BROKEN]
    one, other = described(["doc-ex2", "doc-rcp", "doc-ex2"], found)
    assert one == f"doc-ex2: {TABLE['doc-ex2'].statement} (held on GPU; violated on GPU)"
    assert other.endswith("(measured on no device)")


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", '{"probe": {"assumptions": {"doc-ex2": {"status": "held", "detail": ""}}}}',
        '{"device": {"name": "X"}, "probe": {"assumptions": {"doc-ex3": {"status": "held", "detail": ""}}}}',
        '{"device": {"name": "X"}, "probe": {"assumptions": {"doc-ex2": {"status": "Violated", "detail": ""}}}}',
        '{"device": {"name": "X"}, "probe": {"assumptions": {"doc-ex2": "violated"}}}',
        '{"device": {"name": "X"}, "probe": "violated"}',
        # The second of two equal keys would hide the first.
        '{"device": {"name": "X"}, "probe": {"assumptions": {"doc-ex2": {"status": "violated", "detail": ""},'
        '"doc-ex2": {"status": "held", "detail": ""}}}}',
        '{"device": {"name": "X"}, "probe": {"assumptions": {"doc-ex2": {"status": "held", "detail": 1}}}}',
        '{"device": {"name": 1}, "probe": {"assumptions": {"doc-ex2": {"status": "held", "detail": ""}}}}',
        "[" * 100_000,
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_not_passed_over(tmp_path: Path, content: str) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence/gpu.json").write_text(content)
    with pytest.raises(BadInput, match=r"gpu\.json"):
        measured(tmp_path)


def test_a_folder_in_place_of_a_file_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "evidence/gpu.json").mkdir(parents=True)
    with pytest.raises(BadInput, match=r"gpu\.json"):
        measured(tmp_path)


def test_verify_fails_where_committed_evidence_says_violated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in ("backend/ptx", "proofs", "spec"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    evidence(tmp_path, {"doc-ex2": {"status": "violated", "detail": "0x00000001 gives 0x40000000"}})
    artifacts = tmp_path / "proofs/artifacts/silu"
    assert main(["verify", "--root", str(tmp_path), "--kernel", "silu", "--json", str(tmp_path / "v.json")]) == 1
    shown = capsys.readouterr().out
    assert "ASSUMPTION VIOLATED silu numerics: doc-ex2 does not hold on GPU: 0x00000001 gives 0x40000000" in shown
    assert "silu numerics assumes of the device: ieee-rn, doc-ex2, doc-rcp" in shown
    assert "assumption violated 1 \u00b7 of 13 obligations" in shown
    report = json.loads((tmp_path / "v.json").read_text())
    assert report["verdict"] == "assumption violated"
    (numerics,) = [r for r in report["rows"] if r["obligation"] == "numerics"]
    assert numerics["verdict"] == "assumption violated"
    assert numerics["assumptions"] == ["ieee-rn", "doc-ex2", "doc-rcp"]
    # What is stored is about the text, and speaks of no device.
    assert "violated" not in (artifacts / "manifest.json").read_text()
