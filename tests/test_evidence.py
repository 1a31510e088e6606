"""Evidence files: when they speak of the shipped kernels, and that a run without a GPU leaves none."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from spec.ptx.isa import ROWS
from tests.harness import gpu_evidence
from tests.harness.gpu_evidence import PARTS, descriptors, file_stem, main, not_run, stale
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
