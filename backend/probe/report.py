"""What the probes say of each assumption of spec.assumptions: held, violated, or not measured, with the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from backend.device import Device
from backend.probe.sweeps import INSTRUCTIONS, WORDS, Sweep, run_sweeps
from spec.assumptions import TABLE

HELD, VIOLATED, NOT_MEASURED = "held", "violated", "not measured"
STATUSES = (HELD, VIOLATED, NOT_MEASURED)
_EMULATOR_WORDS, _EMULATOR_STEP = 2048, 2_097_143  # few enough to wait for; the step is prime, near 2^32 / 2048


@dataclass(frozen=True)
class Finding:
    """Of one assumption: HELD, VIOLATED or NOT_MEASURED, and by what."""

    status: str
    detail: str


@dataclass
class ProbeReport:
    """The probes of one device."""

    device: str
    seed: int
    sweeps: list[Sweep] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Nothing that was measured contradicts an assumption, and every sweep could be judged."""
        judged = all(sweep.good for sweep in self.sweeps)
        return judged and bool(self.sweeps) and all(f.status != VIOLATED for f in self.findings.values())

    def summary(self) -> str:
        """How many assumptions were found how."""
        counts = {status: sum(f.status == status for f in self.findings.values()) for status in STATUSES}
        return ", ".join(f"{count} {status}" for status, count in counts.items())

    def to_json(self) -> dict[str, Any]:
        return {
            "device": self.device,
            "seed": self.seed,
            "clean": self.clean,
            "assumptions": {name: asdict(finding) for name, finding in self.findings.items()},
            "sweeps": [asdict(sweep) for sweep in self.sweeps],
        }


def run_probe(device: Device, seed: int = 0, say: Callable[[str], None] = lambda line: None) -> ProbeReport:
    """All probes. On the emulator, which is a model and no device, sweeps are samples and no assumption is judged."""
    real = device.name != "emulator"
    report = ProbeReport(device.name, seed)
    if real:
        report.sweeps = run_sweeps(device, INSTRUCTIONS, seed, say=say)
    else:
        report.sweeps = run_sweeps(
            device, INSTRUCTIONS, seed, words=_EMULATOR_WORDS, step=_EMULATOR_STEP, blocks=1, samples=64, say=say
        )
    report.findings = findings(report.sweeps) if real else _none("the emulator is a model, not a device")
    return report


def findings(sweeps: list[Sweep]) -> dict[str, Finding]:
    """Every assumption of the table, judged by what was measured."""
    found = _none("no probe of this run measures it")
    for name in TABLE:
        if own := [s for s in sweeps if f"doc-{s.instruction.partition('.')[0]}" == name]:
            found[name] = _of_sweeps(own)
    return found


def _none(why: str) -> dict[str, Finding]:
    return {name: Finding(NOT_MEASURED, why) for name in TABLE}


def _of_sweeps(sweeps: list[Sweep]) -> Finding:
    said = []
    for sweep in sweeps:
        if sweep.refused_count:
            words = f"{sweep.instruction}: {sweep.refused_count} arguments with results not allowed: "
            return Finding(VIOLATED, words + ", ".join(sweep.refused[:3]))
        worst = {name: (w.error, w.argument) for name, w in sweep.worst.items()}
        units, limit = worst.get("units", (0.0, "-")), worst.get("of_limit", (0.0, "-"))
        said.append(
            f"{sweep.instruction}: worst {units[0]:.4f} ulp at {units[1]}, {limit[0]:.3f} of the limit at {limit[1]}"
        )
    open_ = [f"{s.instruction}: {s.unsettled or f'{s.words} of {WORDS} words'}" for s in sweeps if not s.complete]
    return Finding(NOT_MEASURED, "; ".join(open_)) if open_ else Finding(HELD, "all 2^32 arguments: " + "; ".join(said))
