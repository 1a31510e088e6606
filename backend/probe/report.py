"""What the probes say of each assumption of spec.assumptions: held, violated, or not measured, with the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from backend.device import Device
from backend.probe.rounded import OPERATIONS, Rounded, run_rounded
from backend.probe.sweeps import INSTRUCTIONS, WORDS, Sweep, run_sweeps
from backend.probe.tensor import VECTORS, TensorReport, run_tensor
from spec.assumptions import IEEE, TABLE, TENSOR_CORE

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
    rounded: list[Rounded] = field(default_factory=list)
    tensor: TensorReport | None = None
    findings: dict[str, Finding] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Everything ran and could be judged, and nothing contradicts an assumption."""
        judged = self.sweeps and self.rounded and self.tensor and all(s.good for s in self.sweeps)
        right = all(not r.wrong for r in self.rounded) and not (self.tensor and self.tensor.faults)
        return bool(judged) and right and all(f.status != VIOLATED for f in self.findings.values())

    def summary(self) -> str:
        """How many assumptions were found how."""
        counts = {status: sum(f.status == status for f in self.findings.values()) for status in STATUSES}
        return ", ".join(f"{count} {status}" for status, count in counts.items())

    def to_json(self) -> dict[str, Any]:
        tensor = self.tensor
        return {
            "device": self.device,
            "seed": self.seed,
            "clean": self.clean,
            "assumptions": {name: asdict(finding) for name, finding in self.findings.items()},
            "sweeps": [asdict(sweep) for sweep in self.sweeps],
            "rounded": [asdict(rounded) for rounded in self.rounded],
            "tensor": tensor and {**asdict(tensor), "faults": tensor.faults, "models": tensor.models},
        }


def run_probe(device: Device, seed: int = 0, say: Callable[[str], None] = lambda line: None) -> ProbeReport:
    """All probes. On the emulator, which is a model and no device, all of them are small and none is a finding."""
    report = ProbeReport(device.name, seed)
    if device.name != "emulator":
        report.sweeps = run_sweeps(device, INSTRUCTIONS, seed, say=say)
        report.rounded = run_rounded(device, OPERATIONS, seed, say=say)
        report.tensor = run_tensor(device, seed, VECTORS, say)
        report.findings = findings(report.sweeps, report.rounded, report.tensor)
        return report
    few, step = _EMULATOR_WORDS, _EMULATOR_STEP
    report.sweeps = run_sweeps(device, INSTRUCTIONS, seed, few, step, blocks=1, samples=64, say=say)
    report.rounded = run_rounded(device, OPERATIONS, seed, few, blocks=1, say=say)
    report.tensor = run_tensor(device, seed, few, say)
    report.findings = {name: Finding(NOT_MEASURED, "the emulator is a model, not a device") for name in TABLE}
    return report


def findings(sweeps: list[Sweep], rounded: list[Rounded], tensor: TensorReport | None) -> dict[str, Finding]:
    """Every assumption of the table, judged by what was measured."""
    found = {name: Finding(NOT_MEASURED, "no probe of this run measures it") for name in TABLE}
    for name in TABLE:
        if own := [s for s in sweeps if f"doc-{s.instruction.partition('.')[0]}" == name]:
            found[name] = _of_sweeps(own)
    if rounded:
        found[IEEE] = _of_rounded(rounded)
    if tensor:
        faults = tensor.faults
        found[TENSOR_CORE] = Finding(VIOLATED, "; ".join(faults)) if faults else Finding(HELD, tensor.told())
    return found


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


def _of_rounded(rounded: list[Rounded]) -> Finding:
    wrong = [f"{r.operation}: {r.wrong} of {r.tried} wrong, {r.first[0]}" for r in rounded if r.wrong]
    if wrong:
        return Finding(VIOLATED, "; ".join(wrong))
    full = ", ".join(r.operation for r in rounded if r.exhaustive)
    drawn = ", ".join(f"{r.operation} ({r.tried})" for r in rounded if not r.exhaustive)
    return Finding(HELD, f"all operands of {full or 'none'}; drawn operands of {drawn or 'none'}")
