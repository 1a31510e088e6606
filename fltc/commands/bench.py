"""`fltc bench`: performance against ceilings and peers. Runs where no solver is installed."""

from __future__ import annotations

from pathlib import Path

from spec.errors import BadInput


def run(root: Path, device: str, out: Path | None) -> int:
    """Measure; BadInput where there is nothing to measure."""
    if device != "cuda":
        raise BadInput(f"--device {device}: speed is measured on a CUDA device only; the emulator has none to report")
    from backend.bench import run_bench

    run_bench(device=device, out=out)
    return 0
