"""Evidence files: when they speak of the shipped kernels, and that a run without a GPU leaves none."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from backend.probe.sweeps import INSTRUCTIONS
from spec.assumptions import TABLE
from spec.ptx.isa import ROWS
from spec.tensor_probes import PROBES
from tests.harness import gpu_evidence
from tests.harness.gpu_evidence import PARTS, descriptors, file_stem, main, not_measured, not_run, stale
from tests.harness.isa_forms import rows_of_values


def evidence() -> dict[str, Any]:
    kernels = {d.contract.entry: {"ptx_sha256": d.sha256} for d in descriptors().values()}
    return {"schema": 1, "device": {"name": "GPU"}, "kernels": kernels, "complete": True}


def write(folder: Path, content: dict[str, Any]) -> Path:
    (folder / "gpu.json").write_text(json.dumps(content))
    return folder / "gpu.json"


def test_evidence_of_the_shipped_text_is_current(tmp_path: Path) -> None:
    assert stale(write(tmp_path, evidence())) == []
    assert main(["--check", "--out", str(tmp_path)]) == 0


def test_rows_that_the_file_does_not_have_are_named_and_do_not_make_it_stale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [{"template": row.template, "spellings": 1} for row in rows_of_values(ROWS)]
    content = evidence() | {"isa": {"rows": listed}}
    assert not_run(write(tmp_path, content)) == []
    refused, absent = listed[3]["template"], listed.pop()["template"]
    listed[3]["spellings"] = 0
    assert not_run(write(tmp_path, content)) == [refused, absent]
    assert main(["--check", "--out", str(tmp_path)]) == 0
    assert f"not run on this device: row {absent}" in capsys.readouterr().out


def test_assumptions_that_no_probe_measured_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = {name: {"status": "held", "detail": ""} for name in TABLE}
    assert not_measured(write(tmp_path, evidence() | {"probe": {"assumptions": said}})) == []
    said["doc-ex2"]["status"] = "not measured"
    del said["ieee-rn"]
    assert not_measured(write(tmp_path, evidence() | {"probe": {"assumptions": said}})) == ["ieee-rn", "doc-ex2"]
    assert main(["--check", "--out", str(tmp_path)]) == 0
    assert "not measured on this device: assumption ieee-rn" in capsys.readouterr().out


def test_the_committed_evidence_has_the_probes_of_an_h200() -> None:
    file = Path(__file__).resolve().parent.parent / "evidence/nvidia-h200.json"
    probe = json.loads(file.read_text())["probe"]
    assert not_measured(file) == []
    assert {s["instruction"] for s in probe["sweeps"]} == {i.spelled for i in INSTRUCTIONS}
    for sweep in probe["sweeps"]:
        assert sweep["words"] == sum(sweep["classes"].values()) == 2**32
        assert sweep["worst"].keys() == {"units", "relative", "of_limit"}
        assert sweep["unsettled"] == ""
    assert probe["tensor"]["random"]["vectors"] >= 10**6
    assert [p["name"] for p in probe["tensor"]["probes"]] == [p.name for p in PROBES]


def test_the_table_of_the_documentation_is_that_of_the_evidence() -> None:
    root = Path(__file__).resolve().parent.parent
    probe = json.loads((root / "evidence/nvidia-h200.json").read_text())["probe"]
    text = (root / "docs/evidence.md").read_text("utf-8")
    shown = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", text, re.MULTILINE))
    for sweep in probe["sweeps"]:
        units, limit = sweep["worst"]["units"], sweep["worst"]["of_limit"]
        near = "see below" if sweep["instruction"].startswith("lg2") else f"{units['error']:.3f} at {units['argument']}"
        rounded = 100 * sweep["apart"][0] / sum(sweep["apart"])
        row = f"{near} | {limit['error']:.3f} at {limit['argument']} | {rounded:.1f}%"
        assert shown[sweep["instruction"]] == row


def test_another_hash_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = evidence()
    content["kernels"]["silu_f16"]["ptx_sha256"] = "00"
    write(tmp_path, content)
    assert main(["--check", "--out", str(tmp_path)]) == 1
    assert "evidence stale: silu_f16 was tested on GPU as 00" in capsys.readouterr().out


def test_a_kernel_without_evidence_and_a_run_cut_short_are_named(tmp_path: Path) -> None:
    content = evidence()
    del content["kernels"]["rmsnorm_f16"]
    content["complete"] = False
    first, second = stale(write(tmp_path, content))
    assert "not complete" in first
    assert "rmsnorm_f16" in second


def test_no_file_is_no_evidence(tmp_path: Path) -> None:
    assert main(["--check", "--out", str(tmp_path)]) == 1


def test_without_a_driver_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    assert main(["--out", str(tmp_path)]) == 1
    assert "no evidence: the package cuda-bindings is missing" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_every_part_has_its_run() -> None:
    assert tuple(gpu_evidence._PARTS) == PARTS
    assert file_stem("NVIDIA H200") == "nvidia-h200"


def test_a_part_run_alone_keeps_the_others_of_the_same_run(tmp_path: Path) -> None:
    header = {"device": {"name": "GPU"}, "seed": 0, "complete": False}
    file = write(tmp_path, {**header, "complete": True, "isa": {"good": True}, "bench": {"good": False}})
    assert gpu_evidence._kept(file, header) == {"isa": {"good": True}, "bench": {"good": False}}
    assert gpu_evidence._kept(file, {**header, "seed": 1}) == {}
    assert gpu_evidence._kept(tmp_path / "none.json", header) == {}
