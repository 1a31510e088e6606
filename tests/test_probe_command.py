"""`fltc probe`: what it prints, writes and returns, with a device, without one, and on the emulator."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from backend.probe import report as probe
from backend.probe.report import Finding, ProbeReport
from fltc.cli import main
from spec.assumptions import TABLE


@pytest.fixture(autouse=True)
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)


def test_without_a_driver_it_says_so_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "--device", "cuda", "--json", str(tmp_path / "p.json")]) == 1
    assert "the package cuda-bindings is missing" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_emulator_is_named_a_model_and_nothing_is_claimed_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_EMULATOR_WORDS", 256)
    monkeypatch.setattr(probe, "_EMULATOR_STEP", 16_777_213)
    assert main(["probe", "--json", str(tmp_path / "p.json")]) == 0
    shown = capsys.readouterr().out
    assert "device: emulator (the package cuda-bindings is missing" in shown
    assert "probes of the emulator, a model: this says nothing of a device" in shown
    assert f"probe on emulator: 0 held, 0 violated, {len(TABLE)} not measured" in shown
    written = json.loads((tmp_path / "p.json").read_text())
    assert written["device"] == "emulator"
    assert {said["status"] for said in written["assumptions"].values()} == {"not measured"}
    assert written["assumptions"].keys() == TABLE.keys()
    assert len(written["sweeps"]) == 11
    assert written["tensor"]["faults"] == []


def test_a_violation_is_printed_and_returns_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ProbeReport("GPU", 0, findings={"doc-ex2": Finding("violated", "3 arguments")})
    monkeypatch.setitem(sys.modules, "backend.probe.report", SimpleNamespace(run_probe=lambda *_: found))
    assert main(["probe", "--device", "emulator"]) == 1
    assert "doc-ex2: violated: 3 arguments\nprobe on GPU: 0 held, 1 violated, 0 not measured" in capsys.readouterr().out


def test_a_report_without_a_part_is_not_clean() -> None:
    assert not ProbeReport("GPU", 0).clean
