"""The obligation refinement: the shipped PTX computes the operator's ordered expression, at the sizes of its cases.

The PTX is run in the Dag domain: addresses and branches are concrete, floats are graphs of uninterpreted operations.
What the run stores must be, element by element, the very node that spec.operators builds. Every instruction of the
entry must have run in some case, so that no path goes unseen. Reported as "refines at sizes ...", never for all sizes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from proofs.extraction import Extracted, extract
from proofs.refinement_cases import Case, cases_of
from proofs.verdict import Verdict
from spec.contracts.model import ACTIVE, Contract
from spec.errors import BadInput, FltcError, Unsupported
from spec.operators import operator_of
from spec.operators.model import Operator
from spec.ptx.ast import Module
from spec.ptx.node import Node, canonical_lines, first_difference, label

SHOWN = 3
"""Levels of an expression shown in a message."""
WIDE = 4
"""Of a node with more operands, the first two and the last are shown."""


@dataclass(frozen=True)
class CaseResult:
    """One case: how many output elements were compared, and the sha256 of the graph's canonical text."""

    case: Case
    elements: int
    digest: str


@dataclass(frozen=True)
class RefinementResult:
    """What was compared and what came out.

    Args:
        verdict: PROVED at the sizes named, REFUTED with a counterexample, or UNKNOWN with a reason.
        sizes: the cases that were run through.
        lines_missed: PTX lines of instructions that no case ran.
        digest: sha256 over the digests of all cases.
        detail: for the reader.
        counterexample: JSON values; only with REFUTED.
    """

    stem: str
    entry: str
    verdict: Verdict
    sizes: tuple[CaseResult, ...]
    lines_missed: tuple[int, ...]
    digest: str
    detail: str
    counterexample: Mapping[str, object] | None = None

    def to_artifact(self) -> str:
        """Deterministic JSON: the same PTX, contract and operator give the same bytes."""
        content = {
            "obligation": "refinement",
            "stem": self.stem,
            "entry": self.entry,
            "verdict": self.verdict.value,
            "claim": "refines at the sizes listed, not for all sizes",
            "digest": self.digest,
            "lines_missed": list(self.lines_missed),
            "sizes": [
                {
                    "case": s.case.name,
                    "values": dict(s.case.values),
                    "misaligned_by": dict(s.case.offsets),
                    "blocks": list(s.case.blocks) or "all",
                    "power": s.case.power,
                    "elements": s.elements,
                    "digest": s.digest,
                }
                for s in self.sizes
            ],
            "detail": self.detail,
            "counterexample": None if self.counterexample is None else dict(self.counterexample),
        }
        return json.dumps(content, indent=1, sort_keys=True) + "\n"


class _Mismatch(FltcError):
    """An output element that is not what the operator says."""

    def __init__(self, message: str, counterexample: Mapping[str, object]) -> None:
        self.counterexample = counterexample
        super().__init__(message)


def check_refinement(
    stem: str, contract: Contract, module: Module, cases: Sequence[Case] | None = None
) -> RefinementResult:
    """Run the entry at each case and compare every output element.

    Args:
        cases: other cases than those of the stem; BadInput if there are none, MissingPart if the stem has none.
    """
    chosen = cases_of(stem) if cases is None else cases
    if not chosen:
        raise BadInput(f"{stem}: refinement has no sizes to check; add them to proofs/refinement_cases/{stem}.py")
    operator = operator_of(contract.operator)
    function = module.entry(contract.entry)
    reached: set[int] = set()
    done: list[CaseResult] = []

    def result(verdict: Verdict, detail: str, counterexample: Mapping[str, object] | None = None) -> RefinementResult:
        missed = tuple(sorted({i.line for i in function.instructions()} - reached))
        total = hashlib.sha256("".join(f"{d.digest}\n" for d in done).encode()).hexdigest()
        return RefinementResult(stem, contract.entry, verdict, tuple(done), missed, total, detail, counterexample)

    for case in chosen:
        contract.check_values({contract.power: case.power, **case.values})
        try:
            run = extract(contract, module, case)
            reached |= run.lines
            done.append(_compare(contract, operator, case, run))
        except _Mismatch as error:
            return result(Verdict.REFUTED, str(error), error.counterexample)
        except Unsupported as error:
            return result(Verdict.UNKNOWN, f"{_place(contract, case)}: {error}")
    outcome = result(Verdict.PROVED, "")
    sizes = "; ".join(_size(d.case) for d in done)
    if outcome.lines_missed:
        lines = ", ".join(str(n) for n in outcome.lines_missed)
        return result(Verdict.UNKNOWN, f"no case runs the instructions on lines {lines}; sizes were {sizes}")
    return result(Verdict.PROVED, f"refines at sizes {sizes}")


def _compare(contract: Contract, operator: Operator, case: Case, run: Extracted) -> CaseResult:
    """Every element that should be written is, as the operator says, and nothing else is."""
    if run.faults:
        raise _Mismatch(
            f"{_place(contract, case)}: the run faults: {run.faults[0]}",
            {**_shown(case), "fault": run.faults[0]},
        )
    wanted: list[tuple[str, int]] = []
    if case.power == ACTIVE:
        wanted = sorted(run.outputs) if case.blocks else _elements(contract, case)
    if not wanted and case.power == ACTIVE:
        raise _Mismatch(f"{_place(contract, case)}: nothing was written", _shown(case))
    for key in wanted:
        buffer, element = key
        if key not in run.outputs:
            raise _Mismatch(
                f"{_place(contract, case)}: {buffer}[{element}] is not written",
                {**_shown(case), "element": f"{buffer}[{element}]"},
            )
        try:
            expected = operator.expression(case.values, buffer, element)
        except BadInput as error:
            raise _Mismatch(
                f"{_place(contract, case)}: {buffer}[{element}] is written but is no output element",
                {**_shown(case), "element": f"{buffer}[{element}]", "line": run.store_lines.get(key)},
            ) from error
        found = run.outputs[key]
        if found is not expected:
            raise _different(contract, case, key, run, expected)
    extra = sorted(run.outputs.keys() - set(wanted))
    if extra:
        buffer, element = extra[0]
        raise _Mismatch(
            f"{_place(contract, case)}: {buffer}[{element}] is written and should not be",
            {**_shown(case), "element": f"{buffer}[{element}]", "line": run.store_lines.get(extra[0])},
        )
    text = hashlib.sha256()
    for line in canonical_lines(run.outputs):
        text.update(line.encode() + b"\n")
    return CaseResult(case, len(wanted), text.hexdigest())


def _elements(contract: Contract, case: Case) -> list[tuple[str, int]]:
    """The output elements of a whole launch, as (buffer, elements from its base)."""
    found = []
    for name in contract.outputs:
        buffer = contract.buffer(name)
        strides = buffer.strides(case.values)
        for index in product(*(range(size) for size in buffer.sizes(case.values))):
            found.append((name, sum(i * stride for i, stride in zip(index, strides, strict=True))))
    return found


def _different(contract: Contract, case: Case, key: tuple[str, int], run: Extracted, expected: Node) -> _Mismatch:
    buffer, element = key
    found = run.outputs[key]
    pair = first_difference(expected, found)
    assert pair is not None  # they are different objects, so they differ somewhere
    wanted, got = pair
    line = run.node_lines.get(got, 0)
    where = f" (line {line})" if line else ""
    message = (
        f"{_place(contract, case)}: {buffer}[{element}], stored on line {run.store_lines.get(key, 0)}, differs first "
        f"in {shown(got)}{where}; the operator has {shown(wanted)}"
    )
    return _Mismatch(
        message,
        {
            **_shown(case),
            "element": f"{buffer}[{element}]",
            "store_line": run.store_lines.get(key, 0),
            "found": shown(got),
            "found_line": line,
            "expected": shown(wanted),
        },
    )


def shown(node: Node, levels: int = SHOWN) -> str:
    """An expression as text, cut off below some levels; of many operands some are left out."""
    if not node.args:
        return label(node)
    if levels <= 1:
        return f"{label(node)}(...)"
    parts = [shown(a, levels - 1) for a in node.args]
    if len(parts) > WIDE:
        parts[2:-1] = [f"{len(parts) - 3} more"]
    return f"{label(node)}({', '.join(parts)})"


def _shown(case: Case) -> dict[str, object]:
    return {"case": case.name, "values": dict(case.values), "misaligned_by": dict(case.offsets)}


def _size(case: Case) -> str:
    values = ", ".join(f"{name} {value}" for name, value in case.values.items())
    moved = "".join(f", {name} off by {by} bytes" for name, by in case.offsets.items())
    blocks = f", blocks {', '.join(str(b) for b in case.blocks)}" if case.blocks else ""
    power = f", power {case.power}" if case.power != ACTIVE else ""
    return f"({values}{moved}{blocks}{power})"


def _place(contract: Contract, case: Case) -> str:
    return f"{contract.entry} at {_size(case)}"
