"""The test kernels (tests/ptx/kernels): each fault is refuted at its line, each sound kernel proved.

What the prover cannot do yet stands in tests/ptx/kernels/open.txt: none in it may have an untrue verdict.
`fltc bench --prover` says which of them come out as they should; how long they take depends on the machine.
"""

from __future__ import annotations

import json
import re
import tomllib
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fltc.cli import main
from fltc.commands.bench_prover import SCHEMA, Measured, checked, closing_line, to_json, told
from fltc.kernels import Kernel, false_verdicts, kernels, still_open, wrong
from proofs.ptxas import assemble
from spec.errors import BadInput
from tests.ptx.kernels.build import ptx

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/ptx/kernels"
ALL = kernels(ROOT)
OPEN = still_open(ROOT)
LIMIT, LIMIT_OF_OPEN = 300, 20  # seconds, so that a test run ends; no verdict depends on them


def name_of(kernel: Kernel) -> str:
    return kernel.name


@pytest.mark.parametrize("kernel", [k for k in ALL if k.name not in OPEN], ids=name_of)
def test_the_verdict_is_the_expected_one(kernel: Kernel) -> None:
    run = checked(ROOT, kernel, LIMIT)
    assert run.report is not None, run.trouble
    assert wrong(kernel, run.report) == ""
    assert false_verdicts(kernel, run.report) == []


def test_of_what_is_open_nothing_untrue_is_said() -> None:
    for kernel in (k for k in ALL if k.name in OPEN):
        report = checked(ROOT, kernel, LIMIT_OF_OPEN).report
        if report is not None:
            assert false_verdicts(kernel, report) == [], kernel.name


def test_the_open_list_names_test_kernels_and_causes() -> None:
    assert OPEN.keys() <= {kernel.name for kernel in ALL}
    assert all(OPEN.values())


def test_there_are_enough_kernels_each_sound_and_with_faults() -> None:
    families = {kernel.name.partition("-")[0] for kernel in ALL}
    assert len(ALL) >= 40
    for family in families:
        expected = [kernel.refuted for kernel in ALL if kernel.name.partition("-")[0] == family]
        assert "" in expected, f"{family} has no sound kernel"
        assert any(expected), f"{family} has no faulty kernel"
    assert {k.refuted for k in ALL} >= {"race", "barrier", "bounds", "single-writer", "no-wrap", "init"}


def test_every_file_belongs_to_a_kernel() -> None:
    assert {path.name for path in FOLDER.glob("*.ptx")} == {kernel.path.name for kernel in ALL}
    assert set(FOLDER.glob("*.cu")) <= {kernel.source for kernel in ALL}


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_ptxas_accepts_it_and_it_holds_no_machine_path(kernel: Kernel) -> None:
    text = kernel.path.read_text("utf-8")
    (target,) = re.findall(r"^\.target (\w+)", text, re.M)
    assert assemble(text, target).entries
    assert re.findall(r'"[^"\n]*/[^"\n]*"', text) == []
    spelled = bytes(int(byte) for byte in re.findall(r"^\.b8 (\d+)", text, re.M)).decode("latin-1")
    assert re.findall(r"/(?:home|work|tmp|root|usr)\b", spelled) == []


@pytest.mark.parametrize("kernel", [k for k in ALL if k.refuted], ids=name_of)
def test_the_line_of_the_fault_is_one_of_the_source(kernel: Kernel) -> None:
    source = kernel.path if kernel.source.suffix == ".ptx" else kernel.source
    lines = [" ".join(line.split()) for line in source.read_text("utf-8").splitlines()]
    assert any(kernel.at in line for line in lines)


def test_hand_written_variants_are_what_their_changes_make_of_the_source() -> None:
    for kernel in ALL:
        if kernel.source.suffix == ".ptx":
            family = tomllib.loads(kernel.source.with_suffix(".toml").read_text("utf-8"))
            assert kernel.path.read_text("utf-8") == ptx(kernel.source, family[kernel.name], Namespace())


def test_a_wrong_report_is_seen() -> None:
    sound, faulty = kernels(ROOT, ["reduce_tree"])[:2]
    assert (sound.refuted, faulty.refuted) == ("", "race")
    (line,) = [n for n, text in enumerate(faulty.source.read_text("utf-8").splitlines(), 1) if faulty.at in text]
    shown = {"reproduced": True, "source": {"40": f"{faulty.source.name}:{line}"}, "text": {}}

    def report(verdict: str, example: dict[str, Any] | None = None) -> dict[str, Any]:
        return {"rows": [{"obligation": "race", "verdict": verdict, "counterexample": example}]}

    assert wrong(faulty, report("refuted", shown)) == ""
    assert wrong(faulty, report("refuted", shown | {"source": {"40": f"{faulty.source.name}:{line + 1}"}}))
    assert wrong(faulty, report("refuted", shown | {"reproduced": False}))
    assert wrong(faulty, report("unknown")) == "race unknown"
    assert wrong(sound, report("unknown")) == "race unknown"
    assert wrong(sound, report("proved")) == ""
    assert false_verdicts(faulty, report("proved")) == ["race proved"]
    assert false_verdicts(sound, report("refuted", shown)) == ["race refuted"]
    assert false_verdicts(faulty, report("refuted", shown)) == false_verdicts(sound, report("unknown")) == []


def test_what_is_unknown_must_be_so_for_its_reason() -> None:
    (proved,) = (kernel for kernel in ALL if kernel.name == "reduce_tree")
    limit = replace(proved, unknown=("race",), because="not followed")

    def report(verdict: str, why: str = "", bounds: str = "proved") -> dict[str, Any]:
        rows: list[dict[str, Any]] = [{"obligation": "race", "verdict": verdict, "open": [{"why": why}] if why else []}]
        return {"rows": [*rows, {"obligation": "bounds", "verdict": bounds, "open": []}]}

    assert limit.expected == "race unknown"
    assert wrong(limit, report("unknown", "this is not followed here")) == ""
    assert wrong(limit, report("unknown", "the effort is used up")) == "race unknown, but not because 'not followed'"
    assert wrong(limit, report("unknown", "not followed", "unknown")) == "bounds unknown"
    assert wrong(limit, report("proved")) == "race proved"
    assert false_verdicts(limit, report("refuted")) == ["race refuted"]


def test_an_unknown_kernel_is_bad_input() -> None:
    with pytest.raises(BadInput, match="no test kernel is called nonesuch"):
        kernels(ROOT, ["nonesuch"])


def test_bench_measures_a_kernel_in_a_process_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rows.json"
    assert main(["bench", "--prover", "--kernel", "reduce_shuffle-divergent", "--out", str(out)]) == 0
    content = json.loads(out.read_text("utf-8"))
    (row,) = content["rows"]
    assert row["kernel"] == "reduce_shuffle-divergent"
    assert row["wrong"] == ""
    assert row["seconds"] > 0
    assert row["peak_mib"] > 10
    assert content["schema"] == SCHEMA
    assert "1 of 1 kernels as expected" in capsys.readouterr().out.splitlines()[-1]


def test_a_check_over_its_limit_is_stopped_and_told() -> None:
    (kernel,) = kernels(ROOT, ["reduce_shuffle-divergent"])
    run = checked(ROOT, kernel, 0)
    assert run.report is None
    assert run.trouble == "not done after 0 s"


def test_the_closing_line_and_the_file_tell_median_and_maximum() -> None:
    rows = [Measured("a", "proved", 1.0, 1.5, 50.0, ""), Measured("b", "race refuted", 4.0, 6.0, 90.0, "race unknown"),
            Measured("c", "proved", 2.0, 2.5, 70.0, "")]  # fmt: skip
    assert closing_line(rows).startswith("2 of 3 kernels as expected")
    assert "seconds: median 2.0, maximum 4.0" in closing_line(rows)
    assert "CPU: median 2.5, maximum 6.0" in closing_line(rows)
    assert "MiB: median 70, maximum 90" in closing_line(rows)
    assert to_json(rows)["seconds"] == {"median": 2.0, "maximum": 4.0}


def test_the_bench_says_when_an_open_kernel_comes_out_as_it_should() -> None:
    right = Measured("a", "proved", 1.0, 1.0, 1.0, "")
    assert told(right, {"b"}) == "as expected"
    assert told(right, {"a"}) == "as expected: take it out of open.txt"
    assert told(Measured("a", "proved", 1.0, 1.0, 1.0, "race unknown"), {"a"}) == "race unknown"
