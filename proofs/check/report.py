"""`fltc check`: what is proved, refuted or unknown of anybody's PTX under the assumptions given as flags."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from proofs.check.flags import UNDECIDED, problems
from proofs.check.request import CheckRequest
from proofs.claims import Claim
from proofs.claims.model import domain, known
from proofs.decide import decide
from proofs.discharge import decide_claim
from proofs.entry import Analysis, analyse
from proofs.outcome import NOTHING, first_of, judge, missing_premises
from proofs.problem import Problem
from proofs.query import build
from proofs.records import Access
from proofs.results import Report, Row
from proofs.verdict import Verdict
from spec.errors import Unsupported

# Without an output named by --covers there is no coverage to speak of.
KINDS = ("race", "barrier", "bounds", "single-writer", "no-wrap", "init", "no-trap")
MAX_REPLAYS = 4
REACH_RLIMIT = 400_000
ALWAYS = (
    "ptxas and the hardware execute PTX as its ISA says; %laneid is the thread's number in its block modulo 32",
    "a generic address of global memory is the global address",
)


@dataclass
class Finding:
    """What stands against one kind of obligation: claims refuted or open.

    `assumed`: what could not be asked for want of a declaration. The kind itself is then unknown, not the kinds that
    stand on it, since what is missing is among the assumptions of the report.
    """

    claims: int = 0
    seconds: float = 0.0
    replays: int = 0
    refuted: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.refuted and not self.open


def check(request: CheckRequest) -> Report:
    """The report on every entry asked for. Errors: those of `proofs.check.flags.problems`."""
    rows: list[Row] = []
    said: list[str] = []
    found = problems(request)
    for problem in found:
        mark = f"{problem.function.name}: " if len(found) > 1 else ""
        more, notes = _entry(problem)
        rows += more
        said += [f"{mark}{text}" for text in (*problem.assumptions, *(t for t, _ in problem.domain), *notes)]
    return Report(rows, (*said, *ALWAYS))


def _entry(problem: Problem) -> tuple[list[Row], list[str]]:
    """The rows of one entry, and notes for the reader."""
    start = time.monotonic()
    name = problem.function.name
    kinds = (*KINDS, "coverage") if problem.outputs else KINDS
    try:
        analysis = analyse(problem)
    except Unsupported as error:
        seconds = (time.monotonic() - start) / len(kinds)
        text = _line(problem, error.line)
        detail = f"{error}" + (f"\n{text}" if text else "") + "\nnothing is said of an entry that is not understood"
        return [Row(name, kind, Verdict.UNKNOWN, seconds=seconds, detail=detail) for kind in kinds], []
    dead = _unreachable(analysis)
    findings = {kind: Finding() for kind in kinds}
    registers = Finding()
    for claim in analysis.claims:
        undeclared = any(_undeclared(problem, access) for access, _ in claim.subjects)
        if claim.obligation == "bounds" and undeclared and not claim.name.startswith("offset."):
            continue  # _undeclared_bounds says what is missing
        if not _settle(analysis, claim, findings[claim.obligation]) and claim.name.startswith("defined."):
            registers.open.append(claim.name)
    _undeclared_bounds(analysis, findings["bounds"])
    _unwritten(analysis, findings["init"])
    accesses = analysis.records.accesses
    nothing = bool(accesses) and len(dead) == len(accesses)
    rows = [_row(problem, kind, findings, registers, nothing) for kind in kinds]
    return rows, [f"note: under these assumptions no thread reaches {_short(problem, a)}" for a in dead]


def _settle(analysis: Analysis, claim: Claim, finding: Finding) -> bool:
    """Decide one claim and file the outcome; whether it is proved."""
    start = time.monotonic()
    decision = decide_claim(claim)
    finding.claims += 1
    if decision.status == "sat" and finding.replays >= MAX_REPLAYS:
        finding.open.append(f"{claim.name}: {claim.words}: a solver has a counterexample, not replayed as enough were")
    else:
        finding.replays += decision.status == "sat"
        verdict, detail, example = judge(analysis, decision)
        lines = claim.lines if example is None else example["lines"]
        where = "".join(_text(analysis.problem, line) for line in lines)
        if example is not None:
            # Several claims may lead to the same two accesses of one launch; that is one finding.
            if not any(e["accesses"] and e["accesses"] == example["accesses"] for _, e in finding.refuted):
                finding.refuted.append((detail + where, example))
        elif verdict is not Verdict.PROVED:
            finding.open.append(detail + where)
    finding.seconds += time.monotonic() - start
    return decision.status == "unsat"


def _row(
    problem: Problem, kind: str, findings: Mapping[str, Finding], registers: Finding, nothing: bool
) -> Row:
    finding = findings[kind]
    entry, seconds = problem.function.name, finding.seconds
    if finding.refuted:
        detail = "\n".join(text for text, _ in finding.refuted)
        example = first_of([found for _, found in finding.refuted])
        return Row(entry, kind, Verdict.REFUTED, seconds=seconds, detail=detail, counterexample=example)
    if finding.open or finding.assumed:
        detail = "\n".join((*finding.open, *finding.assumed))
        return Row(entry, kind, Verdict.UNKNOWN, seconds=seconds, detail=detail)
    detail = missing_premises(kind, {k for k, f in findings.items() if not f.holds}, registers.holds)
    if detail:
        return Row(entry, kind, Verdict.UNKNOWN, seconds=seconds, detail=detail)
    if nothing:
        detail = "under these assumptions no thread reaches any memory access, so nothing was examined"
        return Row(entry, kind, Verdict.UNKNOWN, seconds=seconds, detail=detail)
    if any(text.startswith(UNDECIDED) for text in problem.assumptions):
        detail = "cannot tell whether the assumptions contradict each other, in which case everything would follow"
        return Row(entry, kind, Verdict.UNKNOWN, seconds=seconds, detail=detail)
    detail = f"{finding.claims} claims" if finding.claims else NOTHING[kind]
    return Row(entry, kind, Verdict.PROVED, seconds=seconds, detail=detail)


def _undeclared(problem: Problem, access: Access) -> bool:
    return access.space == "global" and problem.buffers[access.buffer].columns is None


def _undeclared_bounds(analysis: Analysis, bounds: Finding) -> None:
    """Accesses through pointers of which neither size nor alignment is known."""
    problem = analysis.problem
    for access in analysis.records.accesses:
        if _undeclared(problem, access):
            bounds.assumed.append(
                f"line {access.at.line}: {access.buffer} is not declared, its extent and alignment are unknown "
                f"(--buffer {access.buffer}=f32[n]:rw, for example){_text(problem, access.at.line)}"
            )


def _unwritten(analysis: Analysis, init: Finding) -> None:
    """Reads of buffers that were declared write only: nobody promises that their bytes hold anything."""
    problem = analysis.problem
    for access in analysis.records.accesses:
        if access.space == "global" and access.kind == "read" and "r" not in problem.buffers[access.buffer].access:
            line = access.at.line
            init.open.append(f"line {line}: reads {access.buffer}, which is declared :w{_text(problem, line)}")


def _unreachable(analysis: Analysis) -> list[Access]:
    """Accesses that no thread reaches under the assumptions."""
    problem = analysis.problem
    dead = []
    for access in analysis.records.accesses:
        here = [*domain(problem), *known(access.at)]
        if decide(build("reach", (), here, "false", []).text, REACH_RLIMIT).status == "unsat":
            dead.append(access)
    return dead


# --- text for the reader ---
def _text(problem: Problem, line: int) -> str:
    found = _line(problem, line)
    return f"\n{found}" if found else ""


def _line(problem: Problem, line: int) -> str:
    """`  PTX line 12 (kernel.cu:7): st.shared.u32 [%r1], %r2;`, or '' where there is no such line."""
    lines = problem.module.text.splitlines()
    if not 1 <= line <= len(lines):
        return ""
    return f"  PTX line {line}{_source(problem, line)}: {' '.join(lines[line - 1].partition('//')[0].split())}"


def _source(problem: Problem, line: int) -> str:
    for instruction in problem.function.instructions():
        if instruction.line == line and instruction.source is not None:
            return f" ({PurePath(instruction.source.file).name}:{instruction.source.line})"
    return ""


def _short(problem: Problem, access: Access) -> str:
    return f"PTX line {access.at.line} ({access.kind} of {access.buffer})"
