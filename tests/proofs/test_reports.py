"""What `fltc check` writes for other programs: JSON after its schema, SARIF after the parts of the standard we use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fltc.cli import main
from tests.schema import misfits

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/report.schema.json").read_text())
SMALL = ROOT / "tests/ptx/small"
CORPUS = ROOT / "tests/ptx/corpus"
FLAGS = ["--block", "256", "--jobs", "1"]


def written(tmp_path: Path, ptx: Path, *flags: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON report and the SARIF log of one check."""
    report, sarif = tmp_path / "report.json", tmp_path / "report.sarif"
    main(["check", str(ptx), *flags, "--json", str(report), "--sarif", str(sarif)])
    return json.loads(report.read_text()), json.loads(sarif.read_text())


@pytest.mark.parametrize(
    ("ptx", "flags"),
    [
        (CORPUS / "reduce_race.ptx", FLAGS), (CORPUS / "saxpy.ptx", FLAGS), (CORPUS / "reduce.ptx", ["--jobs", "1"]),
        (SMALL / "loaded_index.ptx", ["--block", "32", "--grid", "1"]), (SMALL / "local_memory.ptx", FLAGS),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)  # fmt: skip
def test_reports_fit_their_schemas(ptx: Path, flags: list[str], tmp_path: Path) -> None:
    report, sarif = written(tmp_path, ptx, *flags)
    assert list(misfits(report, SCHEMA, SCHEMA)) == []
    assert any("no second decider goes through it" in text for text in report["assumptions"])
    assert sarif["version"] == "2.1.0"
    (run,) = sarif["runs"]
    rules = run["tool"]["driver"]["rules"]
    lines = len(ptx.read_text().splitlines())
    by_verdict = {"refuted": ("fail", "error"), "unknown": ("open", "none")}
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert (result["kind"], result["level"]) == by_verdict[result["properties"]["verdict"]]
        assert result["message"]["text"]
        assert len(result["locations"]) == 1
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            physical = place["physicalLocation"]
            assert physical["region"]["startLine"] >= 1
            if physical["artifactLocation"]["uri"].endswith(".ptx"):
                assert physical["region"]["startLine"] <= lines
    wanted = {row["obligation"] for row in report["rows"] if row["verdict"] in by_verdict}
    assert {result["ruleId"] for result in run["results"]} == wanted


def test_a_finding_stands_at_its_source_line_and_at_its_ptx_lines(tmp_path: Path) -> None:
    report, sarif = written(tmp_path, CORPUS / "reduce_race.ptx", *FLAGS)
    row = next(r for r in report["rows"] if r["obligation"] == "race")
    result = next(r for r in sarif["runs"][0]["results"] if r["ruleId"] == "race")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("reduce_race.cu")
    related = [p["physicalLocation"] for p in result["relatedLocations"]]
    ptx = {p["region"]["startLine"] for p in related if p["artifactLocation"]["uri"].endswith(".ptx")}
    assert ptx == set(row["counterexample"]["lines"])


def test_the_schema_notices_a_wrong_report(tmp_path: Path) -> None:
    report, _ = written(tmp_path, CORPUS / "saxpy.ptx", *FLAGS)
    report["rows"][0]["verdict"] = "maybe"
    report["rows"][1]["extra"] = 1
    del report["rows"][2]["open"]
    assert len(list(misfits(report, SCHEMA, SCHEMA))) == 3


# --- parts of a file ---
def two_entries(tmp_path: Path) -> Path:
    text = (CORPUS / "saxpy.ptx").read_text()
    body = text[text.index(".visible .entry") : text.index("\t.file")]
    path = tmp_path / "two.ptx"
    path.write_text(text + body.replace("saxpy", "another"))
    return path


def test_parts_of_a_file_are_its_entries_each_in_one_part(tmp_path: Path) -> None:
    path = two_entries(tmp_path)
    seen = []
    for part in ("1/2", "2/2"):
        report, _ = written(tmp_path, path, "--shard", part, "--jobs", "1")
        seen.append({row["kernel"] for row in report["rows"]})
    assert seen == [{"saxpy"}, {"another"}]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("3/3", "that part is empty"), ("0/2", "I is a number from 1 to N"), ("3/2", "I is a number from 1 to N"),
        ("1", "expected I/N"), ("a/b", "expected I/N"), ("1/9999999", "at most 6 digits"), ("-1/2", "expected I/N"),
    ],
)  # fmt: skip
def test_parts_that_are_none_are_bad_input(
    part: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(two_entries(tmp_path)), f"--shard={part}"]) == 3
    assert message in capsys.readouterr().err


def test_more_entries_than_a_run_takes_are_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proofs.check.entries.MAX_ENTRIES", 1)
    assert main(["check", str(two_entries(tmp_path))]) == 3
    assert "--shard" in capsys.readouterr().err
