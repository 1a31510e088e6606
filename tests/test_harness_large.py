"""The cases of a GPU, run small in the emulator: the harness for them works, and finds what is wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from backend import ptx
from backend.device import Memory
from backend.emulator.device import EmulatorDevice
from backend.launch import bind
from spec.contracts import contracts_of
from spec.contracts.model import ACTIVE
from spec.ptx.parser import parse
from tests.harness import large
from tests.harness.large import Large, run_large

SMALL = {
    "rmsnorm": Large(
        "small", {"rows": 9, "columns": 20, "x_stride": 24, "y_stride": 28, "eps": 2.0**-10, "power_state": ACTIVE}, 4
    ),
    "silu": Large("small", {"n": 3_000, "power_state": ACTIVE}, 701, 2),
}


class Emulated(EmulatorDevice):
    """The emulator with what large cases ask of a GPU besides."""

    driver = SimpleNamespace(free_memory=lambda: 2**30)

    def fill(self, memory: Memory, word: int) -> None:
        self.upload(memory, np.full(memory.bytes // 4, word, np.uint32))

    def repeat(self, memory: Memory, start: int, period: int, extent: int) -> None:
        row = self.download(memory, period, start)
        self.upload(memory, np.resize(row, extent), start)


def run(stem: str, text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(large, "large_cases", lambda stem: (SMALL[stem],))
    descriptor = bind(contracts_of(stem)[0], parse(text, name=stem))
    (result,) = run_large(cast(Any, Emulated()), {stem: descriptor}, lambda line: None)
    assert result.name == f"{stem}: small"
    return result.failures


@pytest.mark.parametrize("stem", sorted(SMALL))
def test_a_shipped_kernel_passes(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(stem, ptx.load(stem), monkeypatch) == []


@pytest.mark.parametrize("stem", sorted(SMALL))
def test_a_faulty_kernel_is_found(stem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = ptx.load(stem).replace("cvt.rn.f16.f32", "cvt.rz.f16.f32")
    (complaint,) = run(stem, faulty, monkeypatch)
    assert "value outside the bound" in complaint
