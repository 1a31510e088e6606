"""Correctly rounded operations: the references round as the emulator does, and each wrong operation is noticed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.device import Device
from backend.emulator.device import EmulatorDevice
from backend.probe import rounded
from backend.probe.report import HELD, VIOLATED, findings
from backend.probe.rounded import OPERATIONS, WORDS, Operation, run_rounded
from spec.ptx.parser import parse

SOURCE = Path(rounded.__file__).with_name("rounded.cu")
BY_NAME = {operation.spelled: operation for operation in OPERATIONS}
# What is like the operation, and is not: rounded elsewhere, flushed, saturated or of another sign.
OTHERS = {
    "add.rn.f32": "add.rz.f32", "sub.rn.f32": "sub.rm.f32", "mul.rn.f32": "mul.rn.ftz.f32", "fma.rn.f32": "fma.rp.f32",
    "div.rn.f32": "div.rz.f32", "rcp.rn.f32": "rcp.rn.ftz.f32", "sqrt.rn.f32": "sqrt.rz.f32",
    "cvt.rn.f16.f32": "cvt.rz.f16.f32", "cvt.rn.bf16.f32": "cvt.rz.bf16.f32", "cvt.f32.f16": "cvt.sat.f32.f16",
    "cvt.rn.f32.s32": "cvt.rz.f32.s32", "cvt.rn.f32.u32": "cvt.rn.f32.s32", "add.rn.f16": "add.rn.ftz.f16",
    "sub.rn.f16": "add.rn.f16", "mul.rn.f16": "mul.rn.ftz.f16", "fma.rn.f16": "fma.rn.ftz.f16",
}  # fmt: skip


@pytest.fixture(scope="module")
def emulator() -> Iterator[Device]:
    with EmulatorDevice() as device:
        yield device


@pytest.mark.skipif(shutil.which("g++") is None, reason="not run here: needs g++, with which nvcc works")
def test_the_kernels_are_what_nvcc_makes_of_their_source(tmp_path: Path) -> None:
    from proofs.ptxas import ptxas

    made = tmp_path / "rounded.ptx"
    subprocess.run([ptxas().with_name("nvcc"), "-ptx", "-arch=sm_89", SOURCE, "-o", made], check=True, timeout=100)
    assert made.read_bytes() == SOURCE.with_suffix(".ptx").read_bytes()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: o.spelled)
def test_the_references_round_as_the_emulator_does(emulator: Device, operation: Operation) -> None:
    """The emulator's meaning of these is exact and is tested by itself; two ways to one result."""
    (found,) = run_rounded(emulator, [operation], seed=operation.operands + 7, most=8192, blocks=2)
    assert (found.tried, found.wrong, found.first) == (8192, 0, [])
    assert not found.exhaustive


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: o.spelled)
def test_another_operation_is_noticed(
    emulator: Device, operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = rounded.module().text
    entry = text.index(f".entry rounded_{operation.suffix}(")
    wrong = text[:entry] + text[entry:].replace(f"{operation.spelled} ", f"{OTHERS[operation.spelled]} ", 1)
    assert wrong != text
    monkeypatch.setattr(rounded, "module", lambda: parse(wrong, name="rounded.ptx"))
    (found,) = run_rounded(emulator, [operation], most=8192, blocks=2)
    assert 0 < found.wrong < 8192
    assert 0 < len(found.first) <= 5
    finding = findings([], [found], None)["ieee-rn"]
    assert finding.status == VIOLATED
    assert operation.spelled in finding.detail


def test_every_half_is_widened(emulator: Device) -> None:
    (found,) = run_rounded(emulator, [BY_NAME["cvt.f32.f16"]], blocks=8)
    assert (found.tried, found.wrong, found.exhaustive) == (2**16, 0, True)
    assert findings([], [found], None)["ieee-rn"].status == HELD


def test_what_is_drawn_is_never_called_all(emulator: Device) -> None:
    assert {o.spelled for o in OPERATIONS if not o.operands} == {
        "add.rn.f32", "sub.rn.f32", "mul.rn.f32", "fma.rn.f32", "div.rn.f32", "fma.rn.f16",
    }  # fmt: skip
    assert all(o.operands in (0, 2**16, WORDS) for o in OPERATIONS)
    (found,) = run_rounded(emulator, [BY_NAME["add.rn.f32"]], most=256, blocks=1)
    assert findings([], [found], None)["ieee-rn"].detail == "all operands of none; drawn operands of add.rn.f32 (256)"
