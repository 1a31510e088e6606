"""`fltc check`: what is proved, refuted or unknown of anybody's PTX under the assumptions given as flags."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proofs.check.answers import AnswerStore
from proofs.check.entry import KINDS, Checked, check_entry, unknown_entry
from proofs.check.flags import problems
from proofs.check.request import CheckRequest
from proofs.check.work import Workers, workers
from proofs.effort import Limits, limits_of
from proofs.entry import Analysis
from proofs.problem import Problem
from proofs.ptxas import architecture_for
from proofs.results import Report, Row

Progress = Callable[[int, int, str], None]
ALWAYS = (
    "ptxas and the hardware execute PTX as its ISA says; %laneid is the thread's number in its block modulo 32",
    "a generic address of global memory is the global address",
    "this prover and Z3 decide rightly: no artifact of a check is kept, and no second decider goes through it",
)
ASSEMBLED = "ptxas has accepted the text before, and was not asked again"


def check(
    request: CheckRequest, *, jobs: int = 1, store: AnswerStore | None = None, on_progress: Progress | None = None,
    on_analysis: Callable[[Analysis], None] | None = None,
) -> Report:
    """The report on every entry asked for. Errors: those of `proofs.check.flags.problems`.

    Args:
        jobs: processes; their number changes no verdict.
        store: answers of earlier runs, which are taken, and added to.
        on_progress: called with (done, total, what).
        on_analysis: told what was read off each entry that is understood, once all is decided; with one process only.
    """
    limits = limits_of(request.effort)
    found = problems(request)
    progress = on_progress or (lambda done, total, item: None)
    with workers(jobs) as processes:
        checked = list(_entries(found, limits, processes, store, progress, on_analysis))
    rows: list[Row] = []
    said: list[str] = []
    for problem, done in zip(found, checked, strict=True):
        mark = f"{problem.function.name}: " if len(found) > 1 else ""
        rows += done.rows
        said += [f"{mark}{text}" for text in (*problem.assumptions, *(t for t, _ in problem.domain), *done.notes)]
    assembled = (ASSEMBLED,) if request.assembled else _assembled_for(found[0].module.target[0])
    return Report(rows, (*said, *assembled, *ALWAYS))


def _assembled_for(target: str) -> tuple[str, ...]:
    taken = architecture_for(target)
    if taken == target:
        return ()
    return (f"the file is for {target}, which this ptxas no longer knows: it was assembled for {taken}",)


def _entries(
    found: Sequence[Problem], limits: Limits, processes: Workers, store: AnswerStore | None, progress: Progress,
    on_analysis: Callable[[Analysis], None] | None,
) -> list[Checked]:
    """Many entries: each in a process of its own. One: its claims in several."""
    if len(found) == 1 or processes.jobs == 1:
        alone = len(found) == 1
        out = []
        for n, problem in enumerate(found):
            name = problem.function.name
            progress(n, len(found), name)

            def on_claims(done: int, total: int, name: str = name) -> None:
                if alone:
                    progress(done, total, name)

            out.append(check_entry(problem, limits, processes, store, on_claims, on_analysis))
        return out
    tasks = [(problem, limits, store) for problem in found]
    out = []
    progress(0, len(found), "")
    for done in processes.map(_one, tasks, _died):
        out.append(done)
        progress(len(out), len(found), done.rows[0].kernel)
    return out


def _one(task: tuple[Problem, Limits, AnswerStore | None]) -> Checked:
    problem, limits, store = task
    return check_entry(problem, limits, Workers(1), store, lambda done, total: None)


def _died(task: tuple[Problem, Limits, AnswerStore | None]) -> Checked:
    return unknown_entry(
        task[0], "the process that checked this entry ended, out of memory as it seems; --jobs 1 needs less"
    )


__all__ = ["KINDS", "check"]
