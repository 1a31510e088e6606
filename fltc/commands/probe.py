"""`fltc probe`: what error bounds assume of a device, measured on it. Runs where no solver is installed."""

from __future__ import annotations

from pathlib import Path

from fltc.commands.diff import default_device
from fltc.output import check_place, stdout, write_json


def run(device: str | None, seed: int, json_file: Path | None) -> int:
    """Print what the probes find, write it if asked; 0 if nothing contradicts an assumption, else 1."""
    if json_file is not None:
        check_place(json_file)
    from backend.device import open_device
    from backend.probe.report import run_probe

    console = stdout()

    def say(line: str) -> None:
        console.print(line, markup=False, soft_wrap=True)

    if device is None:
        device, reason = default_device()
        say(f"device: {device} ({reason})")
    with open_device(device) as opened:
        if device == "cuda":
            say(f"probes of {opened.name}, seed {seed}")
        else:
            say(f"probes of the emulator, a model: this says nothing of a device; seed {seed}")
        report = run_probe(opened, seed, say)
    for name, finding in report.findings.items():
        say(f"{name}: {finding.status}: {finding.detail}")
    if json_file is not None:
        write_json(json_file, report.to_json())
    say(f"probe on {report.device}: {report.summary()}")
    return 0 if report.clean else 1
