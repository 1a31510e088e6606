"""The benchmark's parts that need no GPU."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from backend import bench, copy_kernel
from backend.bench import BenchReport, BenchRow, run_bench, table
from backend.launch import bind
from backend.timing import Contender, Timing, measure
from proofs.ptxas import assemble
from spec.errors import DriverError
from spec.ptx.parser import parse


def test_without_a_gpu_the_message_is_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    with pytest.raises(DriverError, match="cuda-bindings is missing"):
        run_bench()


def test_the_copy_kernel_assembles_and_matches_its_contract() -> None:
    text = copy_kernel.text()
    used = assemble(text, "sm_90", name="copy").entries["copy_v4"]
    assert used.spill_bytes == 0
    assert bind(copy_kernel.CONTRACT, parse(text)).parameter_bytes == 24


def row(contender: str, us: float, of_copy: float, against: float | None) -> BenchRow:
    return BenchRow("silu", 16, 8, contender, us, (us - 1, us + 1), 4.0, of_copy, against, 60, 12, "ab" * 32)


def test_the_table_names_every_row_and_the_text_that_ran() -> None:
    report = BenchReport(
        "GPU", "13.0", (row("silu", 10.0, 0.97, 1.01), row("copy (driver)", 9.7, 1.0, None)), ("no torch",)
    )
    text = table(report)
    assert "97.0%" in text
    assert "abababababab" in text
    assert "note: no torch" in text
    assert len({len(line.split("  ")[0]) for line in text.splitlines()[1:2]}) == 1


def fake_gpu(durations: dict[str, list[float]], ran: list[str]) -> Any:
    """A device whose events measure what the contender that just ran is scripted to take."""
    turns = {name: iter(values) for name, values in durations.items()}
    driver = SimpleNamespace(
        event=object,
        record=lambda event, stream: None,
        elapsed=lambda start, end: next(turns[ran[-1]]),
        synchronize=lambda stream, detail="": None,
        call=lambda *_: None,
    )
    return SimpleNamespace(driver=driver, stream=None)


def test_contenders_take_turns_and_the_median_counts() -> None:
    ran: list[str] = []
    script = {"a": [4.0, 8.0, 400.0], "b": [2.0, 2.0, 2.0]}
    contenders = [Contender(name, lambda n=name: ran.append(n), 4, 100) for name in script]  # type: ignore[misc]
    a, b = measure(fake_gpu(script, ran), contenders, rounds=3, warm_up=1)
    assert ran == ["a", "b", "a", "b", "b", "a", "a", "b"]
    assert (a.seconds, b.seconds) == (2.0, 0.5)
    assert (a.bandwidth, a.rounds) == (50.0, 3)


def test_ratios_are_against_the_better_copy_and_the_compiled_peer() -> None:
    sets = SimpleNamespace(rows=16, columns=8, repeats=4)
    timings = [
        Timing("silu", 1.0, (1.0, 1.0), 60, 100),
        Timing("copy (driver)", 0.8, (0.8, 0.8), 60, 100),
        Timing("copy (kernel)", 0.9, (0.9, 0.9), 60, 100),
        Timing("torch eager", 3.0, (3.0, 3.0), 60, 100),
        Timing("torch.compile", 1.1, (1.1, 1.1), 60, 100),
    ]
    ours = bench._rows("silu", sets, timings, "00")[0]  # type: ignore[arg-type]
    assert ours.of_copy == pytest.approx(0.8)
    assert ours.against_torch == pytest.approx(1.1)
    without = bench._rows("silu", sets, timings[:3], "00")[0]  # type: ignore[arg-type]
    assert without.against_torch is None
