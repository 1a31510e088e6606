"""The differential harness: every kernel against its reference, on inputs drawn from its contract."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.reporting import with_reporter

from backend import ptx
from backend.device import Device, open_device
from backend.launch import Descriptor, bind
from common.files import write_atomic
from common.histogram import Histogram
from spec.contracts import STEMS, contracts_of
from spec.contracts.model import ACTIVE, Contract
from spec.errors import BadInput, ContractViolation, DriverError, FltcError
from spec.operators import operator_of
from spec.operators.model import Expected, Operator
from spec.ptx.parser import parse
from tests.harness.adverse import Adverse, adverse
from tests.harness.compare import Outcome, Verdict, execute, judge, same_bits
from tests.harness.further import Further
from tests.harness.layout import CANARY, UNWRITTEN, place
from tests.harness.strategies import CUDA, EMULATOR, Case, Limits, cases


@dataclass(frozen=True)
class Profile:
    """How many cases, and how large, on one kind of device. `widest`: elements of a row in a case made by hand."""

    cases: int
    limits: Limits
    widest: int = 65_536
    shrink: bool = True


PROFILES = {"emulator": Profile(300, EMULATOR, widest=8192), "cuda": Profile(1000, CUDA)}


@dataclass
class DiffRow:
    """What one operator's campaign came to.

    `worst_ratio`: largest error/bound among the accepted results whose bound is not vacuous. `histogram`: every
    compared result, those of the runs that shrink a failure included.
    """

    op: str
    cases: int = 0
    worst_ratio: float = 0.0
    failures: list[str] = field(default_factory=list)
    entry: str = ""
    ptx_sha256: str = ""
    launches: int = 0
    elements: int = 0
    worst_case: str = ""
    histogram: Histogram = field(default_factory=Histogram)


@dataclass(frozen=True)
class DiffReport:
    """Rows in the order of the operators.

    A report is clean if each operator ran, had results that not only vacuous bounds accepted, and none failed.
    """

    device: str
    device_name: str
    seed: int
    rows: tuple[DiffRow, ...]

    @property
    def clean(self) -> bool:
        return bool(self.rows) and all(row.histogram.tried and not row.failures for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        return {
            "device": self.device_name,
            "seed": self.seed,
            "hypothesis": hypothesis.__version__,
            "numpy": np.__version__,
            "rows": [asdict(row) for row in self.rows],
        }


class Mismatch(Exception):
    """A case that failed; its text says which and why."""


def run_diff(
    device: str,
    ops: Sequence[str],
    seed: int = 0,
    evidence: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> DiffReport:
    """Run the campaign of each operator (all if `ops` is empty) on `emulator` or `cuda`.

    The same seed, Hypothesis and NumPy give the same cases. `evidence`: a file that the report is written to as JSON.
    BadInput for an operator that does not exist; DriverError without a CUDA device.
    """
    if unknown := sorted(set(ops) - set(STEMS)):
        raise BadInput(f"no operator {', '.join(unknown)}; have {', '.join(STEMS)}")
    say = progress or _to_stderr
    with open_device(device) as opened:
        rows = []
        for stem in ops or STEMS:
            text = ptx.load(stem)
            module = parse(text, name=f"backend/ptx/{stem}.ptx")
            for contract in contracts_of(stem):
                descriptor = bind(contract, module)
                rows.append(campaign(opened, descriptor, PROFILES[device], seed, say))
        report = DiffReport(device, opened.name, seed, tuple(rows))
    if evidence is not None:
        write_atomic(evidence, json.dumps(report.to_json(), indent=2, sort_keys=True) + "\n")
    return report


def campaign(
    device: Device, descriptor: Descriptor, profile: Profile, base_seed: int, say: Callable[[str], None]
) -> DiffRow:
    """Known answers, cases made by hand, then drawn ones; a failing draw is shrunk and reported once.

    On the emulator, some also under another schedule (`Further`).
    """
    contract, operator = descriptor.contract, operator_of(descriptor.contract.operator)
    row = DiffRow(contract.operator, entry=contract.entry, ptx_sha256=descriptor.sha256)
    step, further = max(1, profile.cases // 5), Further(device)
    for answer in operator.known_answers:
        row.cases += 1
        row.failures += [
            f"known answer {answer.name!r}: {c}" for c in _known(device, descriptor, operator, answer, row, further)
        ]
    for made in adverse(contract.stem, profile.widest):
        row.cases += 1
        row.failures += [f"{made.name}: {c}" for c in _made(device, descriptor, operator, made, row)]
        further.ran()

    def check(case: Case) -> None:
        if row.failures:  # the device is lost (below), or a known answer is wrong: nothing more to learn
            return
        row.cases += 1
        if row.cases % step == 0:
            say(f"{contract.entry}: {row.cases} cases, worst error/bound {row.worst_ratio:.3f}")
        try:
            verdict = _verdict(device, descriptor, operator, case, row, further)
        except DriverError as error:  # a fault on a GPU ends its context: no other case can run, none can be shrunk
            row.failures.append(f"{case}: {error}")
            return
        if verdict.worst_ratio > row.worst_ratio:
            row.worst_ratio, row.worst_case = verdict.worst_ratio, str(case)
        if verdict.complaints:
            raise Mismatch(f"{case}: {'; '.join(verdict.complaints)}")

    drawn = given(cases(contract, profile.limits))(check)
    drawn = settings(
        max_examples=profile.cases,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink) if profile.shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )(drawn)
    drawn = seed(base_seed)(drawn)
    try:
        with with_reporter(lambda _: None):
            drawn()
    except Mismatch as error:
        row.failures.append(str(error))
    return row


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _launch(
    device: Device, descriptor: Descriptor, case: Case, inputs: Mapping[str, Any], row: DiffRow, **fill: int
) -> Outcome:
    row.launches += 1
    return execute(device, descriptor, case.values, inputs, case.offsets, **fill)


def _verdict(
    device: Device, descriptor: Descriptor, operator: Operator, case: Case, row: DiffRow, further: Further
) -> Verdict:
    """Everything about one case; a fault of the device is a complaint, an error of the harness is not."""
    contract, verdict = descriptor.contract, Verdict()
    inputs = {name: recipe.make(_shape(contract, name, case)) for name, recipe in case.recipes.items()}
    try:
        outcome = _launch(device, descriptor, case, inputs, row)
        further.ran()
        verdict.complaints += outcome.complaints
        if case.values[contract.power] != ACTIVE:
            return verdict
        floats = {name: float(np.float32(v)) for name, v in case.values.items() if isinstance(v, float)}
        judge(operator.expected(inputs, floats), outcome.outputs, operator, verdict)
        _count(row, verdict)
        verdict.complaints += _extra(device, descriptor, case, inputs, outcome, row, further)
    except (ContractViolation, DriverError):
        raise
    except FltcError as error:
        verdict.complaints.append(f"{type(error).__name__}: {error}")
    return verdict


def _extra(
    device: Device, descriptor: Descriptor, case: Case, inputs: Mapping[str, Any], outcome: Outcome, row: DiffRow,
    further: Further,
) -> list[str]:
    """The case's second run, compared bit for bit with the first."""
    (output,) = descriptor.contract.outputs
    first = outcome.outputs[output]
    if case.extra == "tail":
        around = {"canary": CANARY ^ 0x81FF, "fresh": UNWRITTEN ^ 0x8011}
        how = "with other bytes around the buffers"
        with further.schedule() if further.cheap else nullcontext("") as schedule:
            second = _launch(device, descriptor, case, inputs, row, **around)
        return [*second.complaints, *same_bits(first, second.outputs[output], f"{how}{_under(schedule)}")]
    if case.extra == "alone":
        last = int(case.values["rows"]) - 1
        # Another alignment: the order of the sums may depend on neither the neighbours nor the path.
        shifted = {**case.offsets, "x": (case.offsets["x"] + descriptor.contract.buffer("x").align) % 16}
        alone = replace(case, values={**case.values, "rows": 1}, offsets=shifted)
        second = _launch(device, descriptor, alone, {**inputs, "x": inputs["x"][last:]}, row)
        return [*second.complaints, *same_bits(first[last:], second.outputs[output], f"row {last} alone")]
    if case.extra == "negate":
        second = _launch(device, descriptor, case, {**inputs, "x": inputs["x"] ^ np.uint16(0x8000)}, row)
        number = (first & 0x7FFF) <= 0x7C00
        a, b = (np.where(number, words, np.uint16(0)) for words in (first, second.outputs[output] ^ np.uint16(0x8000)))
        return [*second.complaints, *same_bits(a, b, "with x negated")]
    return []


def _shape(contract: Contract, name: str, case: Case) -> tuple[int, ...]:
    integers = {k: v for k, v in case.values.items() if isinstance(v, int)}
    return place(contract.buffer(name), integers, 0).shape


def _under(schedule: str) -> str:
    return f" and under the schedule {schedule}" if schedule else ""


def _known(
    device: Device, descriptor: Descriptor, operator: Operator, answer: Any, row: DiffRow, further: Further
) -> list[str]:
    """Complaints about a known answer: the reference must allow it, and the kernel must give it, in any order."""
    contract = descriptor.contract
    expected = operator.expected(answer.inputs, answer.floats)
    if not expected.accepts(answer.output).all():
        return ["the reference itself does not allow it"]
    made = Adverse(answer.name, _sizes_of(contract, answer), answer.inputs)
    complaints, got = _one(device, descriptor, made, expected, operator, row)
    if answer.bitwise and got is not None and not _equal(got, answer.output):
        complaints.append(f"words {got.ravel()[:8]} instead of {answer.output.ravel()[:8]}")
    further.ran()
    if further.possible and got is not None:
        with further.schedule() as schedule:
            more, again = _one(device, descriptor, made, expected, operator, row)
        complaints += [f"{complaint}{_under(schedule)}" for complaint in more]
        complaints += same_bits(got, again, f"once more{_under(schedule)}") if again is not None else []
    return complaints


def _made(device: Device, descriptor: Descriptor, operator: Operator, made: Adverse, row: DiffRow) -> list[str]:
    """Complaints about a case made by hand."""
    floats = {name: v for name, v in made.values.items() if isinstance(v, float)}
    return _one(device, descriptor, made, operator.expected(made.inputs, floats), operator, row)[0]


def _one(
    device: Device, descriptor: Descriptor, made: Adverse, expected: Expected, operator: Operator, row: DiffRow
) -> tuple[list[str], Any]:
    """Complaints and the output (None after a fault, which is a complaint); the row notes ratio and elements."""
    case = Case(made.values, {}, {b.name: 0 for b in descriptor.contract.buffers})
    try:
        outcome = _launch(device, descriptor, case, made.inputs, row)
    except ContractViolation:
        raise
    except FltcError as error:
        return [f"{type(error).__name__}: {error}"], None
    verdict = Verdict(complaints=list(outcome.complaints))
    judge(expected, outcome.outputs, operator, verdict)
    if verdict.worst_ratio > row.worst_ratio:
        row.worst_ratio, row.worst_case = verdict.worst_ratio, made.name
    _count(row, verdict)
    return verdict.complaints, outcome.outputs[operator.output]


def _count(row: DiffRow, verdict: Verdict) -> None:
    row.elements += verdict.counts.total
    row.histogram.add(verdict.counts)


def _equal(a: Any, b: Any) -> bool:
    """The same words, any NaN equal to any NaN, zeros equal."""
    nan = ((a & 0x7FFF) > 0x7C00) & ((b & 0x7FFF) > 0x7C00)
    zero = ((a | b) & 0x7FFF) == 0
    return bool((nan | zero | (a == b)).all())


def _sizes_of(contract: Contract, answer: Any) -> dict[str, int | float]:
    """Parameter values for inputs of these shapes: each extent that is a parameter, rows packed."""
    values: dict[str, int | float] = {contract.power: ACTIVE, **answer.floats}
    for buffer in contract.buffers:
        if buffer.name in answer.inputs:
            for name, size in zip(buffer.shape, answer.inputs[buffer.name].shape, strict=True):
                values[name] = size
    for buffer in contract.buffers:
        if buffer.leading:
            values[buffer.leading] = values[buffer.shape[-1]]
    return values
