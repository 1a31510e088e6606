"""Probes of a tensor core: models that TC(24, 2) covers pass, others are named with what gives them away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from backend.device import Device
from backend.emulator.device import EmulatorDevice
from backend.probe import matrix, tensor
from backend.probe.matrix import Dots, layout
from backend.probe.report import HELD, VIOLATED, findings
from backend.probe.tensor import TensorReport, run_tensor
from spec.ptx.parser import parse
from spec.tensor_core import ADA, HOPPER, VOLTA, TensorCore
from spec.tensor_probes import adversarial

Array = npt.NDArray[Any]
Dot = Callable[[Array, Array, Array], Array]
DEVICE: Any = None  # stands for a device that Given does not ask


@pytest.fixture(scope="module")
def emulator() -> Iterator[Device]:
    with EmulatorDevice() as device:
        yield device


def core(model: TensorCore) -> Dot:
    return lambda a, b, c: model.dot("f16", "f32", a, b, c)


def probed(dot: Dot, monkeypatch: pytest.MonkeyPatch, vectors: int = 3000) -> TensorReport:
    """The report of a device with these dot products."""

    class Given:
        differing = 0

        def __init__(self, device: Device) -> None: ...
        def __call__(self, a: Array, b: Array, c: Array) -> Array:
            return dot(a, b, c)

    monkeypatch.setattr(tensor, "Dots", Given)
    monkeypatch.setattr(tensor, "layout", lambda device, seed, count: 0)
    return run_tensor(DEVICE, seed=3, vectors=vectors)


def test_the_emulator_computes_as_its_model(emulator: Device) -> None:
    dots, vectors = Dots(emulator), adversarial(np.random.default_rng(1), 500)
    words = dots(*vectors)
    assert np.array_equal(words, HOPPER.dot("f16", "f32", *vectors)) or np.array_equal(
        words, ADA.dot("f16", "f32", *vectors)
    )
    assert dots.differing == 0
    report = run_tensor(emulator, vectors=500)
    assert report.faults == []
    assert len(report.models) == 1
    assert findings([], [], report)["TC(24,2)"].status == HELD


@pytest.mark.parametrize(("model", "sizes"), [(ADA, [8, 8]), (HOPPER, [16])], ids=["ada", "hopper"])
def test_models_of_the_assumption_pass(
    model: TensorCore, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = probed(core(model), monkeypatch)
    assert report.faults == []
    assert [len(group) for group in report.groups] == sizes
    assert report.models == [model.name]
    assert 0.2 < report.random.worst_ratio <= 1
    assert all(model.name in outcome.models for outcome in report.probes)


def test_volta_is_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    report = probed(core(VOLTA), monkeypatch)
    finding = findings([], [], report)["TC(24,2)"]
    assert finding.status == VIOLATED
    assert "P1: 0 (0x00000000)" in finding.detail
    assert "added in the groups" in finding.detail
    assert report.models == []


def chained(a: Array, b: Array, c: Array) -> Array:
    """A chain of fma.rn.f32."""
    total = c.view(np.float32).astype(np.float64)
    with np.errstate(all="ignore"):
        for k in range(16):
            product = a[..., k].view(np.float16).astype(np.float64) * b[..., k].view(np.float16).astype(np.float64)
            total = (total + product).astype(np.float32).astype(np.float64)
        return np.asarray(total.astype(np.float32).view(np.uint32))


def flushing(a: Array, b: Array, c: Array) -> Array:
    """Subnormal factors are taken for 0."""
    a, b = (np.where(v & 0x7C00, v, v & 0x8000).astype(np.uint16) for v in (a, b))
    return HOPPER.dot("f16", "f32", a, b, c)


def nearest(a: Array, b: Array, c: Array) -> Array:
    """One word further from zero than Hopper's, where that is a finite number other than 0."""
    d = HOPPER.dot("f16", "f32", a, b, c)
    size = d & 0x7FFFFFFF
    return np.where((size > 0) & (size < 0x7F7FFFFF), d + 1, d).astype(np.uint32)


def off_one(a: Array, b: Array, c: Array) -> Array:
    """Wrong by 2^-21 of the result where the first factor's lowest bits are these: only random vectors meet that."""
    d = HOPPER.dot("f16", "f32", a, b, c)
    size = d & 0x7FFFFFFF
    hit = ((a[..., 0] & 0x3F) == 0x2A) & (size > 0x00800000) & (size < 0x7F000000)
    return np.where(hit, d - 16, d).astype(np.uint32)


def finite(a: Array, b: Array, c: Array) -> Array:
    """Inf becomes the largest number."""
    d = HOPPER.dot("f16", "f32", a, b, c)
    return np.where(d & 0x7FFFFFFF == 0x7F800000, d - 1, d).astype(np.uint32)


@pytest.mark.parametrize(
    ("dot", "words"),
    [
        (chained, ["P1: 0"]),
        (flushing, ["P7: 0 (0x00000000)", "P7b: 0", "beyond the bound"]),
        (nearest, ["P5+: 0x1.0000040000000p+0", "larger than |c| + sum |a b|"]),
        (off_one, ["random vectors beyond the bound"]),
        (finite, ["Inf * 1: 0x1.fffffe0000000p+127 (0x7f7fffff)", "Inf accumulator"]),
    ],
)  # fmt: skip
def test_other_devices_are_refused_and_say_why(dot: Dot, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    finding = findings([], [], probed(dot, monkeypatch))["TC(24,2)"]
    assert finding.status == VIOLATED
    assert [w for w in words if w not in finding.detail] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{%a0, %a1, %a2, %a3}, {%b0, %b1}", "{%a0, %a2, %a1, %a3}, {%b0, %b1}"),
        ("{%a0, %a1, %a2, %a3}, {%b0, %b1}", "{%a0, %a1, %a2, %a3}, {%b1, %b0}"),
        ("{%c0, %c1, %c2, %c3}", "{%c0, %c2, %c1, %c3}"),
        ("st.global.f32 [%at+128], %d1", "st.global.f32 [%at+128], %d0"),
        ("ld.global.u32 %a0, [%at]", "ld.global.u32 %a0, [%at+4]"),
    ],
)
def test_a_register_elsewhere_changes_results(
    emulator: Device, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = matrix._module().text
    start = text.index(".entry fragments")
    wrong = text[:start] + text[start:].replace(old, new)
    assert wrong != text
    monkeypatch.setattr(matrix, "_module", lambda: parse(wrong, name="matrix.ptx"))
    assert layout(emulator, 0, 4) > 20


def test_the_layout_is_that_of_the_fragments(emulator: Device) -> None:
    assert layout(emulator, 0, 8) == 0


def test_lanes_that_differ_are_counted(emulator: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    text = matrix._module().text.replace("mov.b32 %w3, %d3;", "mov.b32 %w3, %d3;\n    add.u32 %w3, %w3, %place;")
    monkeypatch.setattr(matrix, "_module", lambda: parse(text, name="matrix.ptx"))
    dots = Dots(emulator)
    dots(*adversarial(np.random.default_rng(2), 20))
    assert dots.differing == 20
    assert "differ between lanes" in "".join(TensorReport(differing=20, groups=[list(range(16))]).faults)
