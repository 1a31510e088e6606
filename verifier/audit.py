"""The audit: everything under proofs/artifacts against everything under backend/ptx, trusting neither."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from verifier.binding import bind
from verifier.completeness import incomplete
from verifier.conditions import Subject
from verifier.contract_source import check_source
from verifier.decide import solver_version
from verifier.findings import AuditError, Finding, Grade, Unknown, Unreadable
from verifier.formal import PACKAGES
from verifier.judgement import judge
from verifier.library import FOLDER as LIBRARY
from verifier.library import check_library, check_roundings
from verifier.manifest import NAME, Bundle, read_bundle
from verifier.numerics import check_lemmas, check_refinement
from verifier.points import sample, thread_of
from verifier.resources import check_abi, check_resources
from verifier.scripts import Formal, check_scripts
from verifier.theorem_tensor import check_tensor_core
from verifier.theorems import check_theorems
from verifier.vacuity import vacuous

Progress = Callable[[int, int, str], None]
JOBS = ("binding", "claims", "formal", "programs", "records")
LIBRARY_JOBS = ("lemmas", "formal", "theorems")
PROCESSES = 2
LAUNCHES = 40
SEED = 20_260_601


def _theorems(count: int) -> str:
    return f"{count} theorem{'' if count == 1 else 's'} about every length"


@dataclass
class Part:
    """What one job found, and what it looked at: queries decided, threads run, terms compared, scripts proved again.

    Theorems, too, are proved again. `not_run` and `unasked` count the scripts and theorems that need a program that is
    not here; `needs` names it.
    """

    findings: list[Finding] = field(default_factory=list)
    decided: int = 0
    threads: int = 0
    compared: int = 0
    scripts: int = 0
    not_run: int = 0
    theorems: int = 0
    unasked: int = 0
    needs: str = ""

    @property
    def missed(self) -> str:
        """Words for the scripts and theorems that are not run, empty if all are."""
        scripts = [f"{self.not_run} Gappa scripts"] if self.not_run else []
        return " and ".join([*scripts, *([_theorems(self.unasked)] if self.unasked else [])])

    def add(self, other: Part) -> None:
        """Take another part's findings and counts."""
        self.findings += other.findings
        self.decided += other.decided
        self.threads += other.threads
        self.compared += other.compared
        self.scripts += other.scripts
        self.not_run += other.not_run
        self.theorems += other.theorems
        self.unasked += other.unasked
        self.needs = self.needs or other.needs

    def take(self, found: Formal) -> None:
        """Take what became of scripts."""
        self.findings += found.findings
        self.scripts, self.not_run, self.needs = found.proved, found.not_run, found.needs


@dataclass(frozen=True)
class AuditReport:
    """Findings of all jobs. exit_code: 0 clean, 1 something is false, missing or edited, 2 undecided, 3 unreadable."""

    stems: tuple[str, ...]
    total: Part

    @property
    def exit_code(self) -> int:
        grades = {finding.grade for finding in self.total.findings}
        if not self.stems:
            return int(Grade.UNREADABLE)
        return next((int(g) for g in (Grade.FALSE, Grade.UNREADABLE, Grade.UNDECIDED) if g in grades), 0)

    @property
    def lines(self) -> list[str]:
        """Each finding: the file and what is wrong."""
        return [str(finding) for finding in self.total.findings] + self._missing()

    def _missing(self) -> list[str]:
        if not self.total.missed:
            return []
        return [f"not run here: {self.total.needs} (apt install {PACKAGES}): {self.total.missed}"]

    def summary_line(self) -> str:
        """The last line of `fltc audit`. (The dot is U+00B7.)"""
        words = {0: "audit clean", 1: "audit failed", 2: "audit undecided", 3: "audit impossible"}[self.exit_code]
        count = len(self.total.findings)
        parts = [
            words if not count else f"{words}, {count} finding{'s' if count > 1 else ''}",
            f"{len(self.stems)} kernels",
            f"{self.total.decided} claims decided again by {solver_version()}",
            *([f"{self.total.scripts} Gappa scripts proved again in Coq"] if self.total.scripts else []),
            *([f"{_theorems(self.total.theorems)} as well"] if self.total.theorems else []),
            *([f"{not_run} not run"] if (not_run := self.total.not_run + self.total.unasked) else []),
            f"{self.total.compared} terms compared in {self.total.threads} threads",
            "bound by sampling and regeneration",
        ]
        return " \u00b7 ".join(parts)


def audit(
    root: Path, on_progress: Progress | None = None, processes: int = PROCESSES, require_formal: bool = False
) -> AuditReport:
    """Audit a checkout.

    Args:
        root: the checkout, with backend/ptx and proofs/artifacts.
        on_progress: called with (done, total, what).
        processes: how many to use.
        require_formal: a script or theorem that is not run, since Gappa or Coq is missing, leaves the audit undecided.
    """
    stems = tuple(sorted(path.stem for path in (root / "backend/ptx").glob("*.ptx")))
    total = Part(_strays(root, stems))
    if not stems:
        return AuditReport((), Part([Finding("backend/ptx", "no PTX files here", Grade.UNREADABLE)]))
    tell = on_progress or (lambda done, count, what: None)
    jobs = [*((stem, job) for job in JOBS for stem in stems), *((LIBRARY, job) for job in LIBRARY_JOBS)]
    tell(0, len(jobs), "reading")
    parts: dict[tuple[str, str], Part] = {}
    with _pool(min(processes, len(jobs))) as pool:
        waiting = {pool.submit(run_job, root, stem, job): (stem, job) for stem, job in jobs}
        for done, future in enumerate(as_completed(waiting), start=1):
            key = waiting[future]
            parts[key] = future.result()
            tell(done, len(jobs), f"{key[0]} {key[1]}")
    for key in sorted(parts):
        total.add(parts[key])
    if require_formal and total.missed:
        words = f"{total.missed} are not run, and they are required: {total.needs}"
        total.findings.append(Finding("proofs/artifacts", words, Grade.UNDECIDED))
    total.findings = list(dict.fromkeys(total.findings))
    return AuditReport(stems, total)


def _pool(processes: int) -> Executor:
    return ProcessPoolExecutor(max(1, processes))


def _strays(root: Path, stems: Iterable[str]) -> list[Finding]:
    """Artifacts of no shipped PTX file."""
    folder = root / "proofs/artifacts"
    if not folder.is_dir():
        return [Finding("proofs/artifacts", "missing: nothing is proved here")]
    known = {*stems, LIBRARY}
    return [
        Finding(f"proofs/artifacts/{path.name}", "belongs to no shipped PTX file")
        for path in sorted(folder.iterdir())
        if path.name not in known
    ]


def run_job(root: Path, stem: str, job: str, launches: int = LAUNCHES) -> Part:
    """One of JOBS on one PTX file, or of LIBRARY_JOBS on the library. Never raises for bad input: it is a finding.

    `launches`: how many launches the binding samples, besides the manifest's occasions.
    """
    part = Part()
    try:
        if stem == LIBRARY:
            _library(root, job, part)
            return part
        bundle, findings = read_bundle(root, stem)
        if job == "records":
            part.findings += findings
        if bundle is None:
            return part
        subjects = {
            entry: Subject(bundle.entries[entry], bundle.contracts[entry], records)
            for entry, records in bundle.records.items()
        }
        if job == "binding":
            _binding(bundle, subjects, part, launches)
        else:
            jobs = {"claims": _claims, "formal": _formal, "programs": _programs, "records": _records}
            jobs[job](root, bundle, subjects, part)
    except Unreadable as error:
        name, _, message = str(error).partition(": ")
        part.findings.append(Finding(name, message, Grade.UNREADABLE))
    except Unknown as error:
        part.findings.append(Finding(f"backend/ptx/{stem}.ptx", str(error), Grade.UNDECIDED))
    except (AuditError, KeyError, ValueError, IndexError, RecursionError) as error:
        message = f"the artifacts do not fit together ({job}): {type(error).__name__} {error}"
        part.findings.append(Finding(f"proofs/artifacts/{stem}", message))
    return part


def _library(root: Path, job: str, part: Part) -> None:
    if job == "lemmas":
        part.findings, part.decided = check_library(root)
    elif job == "formal":
        part.take(check_roundings(root))
    else:
        found = check_tensor_core(root)
        part.findings, part.theorems = found.findings, found.proved
        part.unasked, part.needs = found.not_run, found.needs


def _records(root: Path, bundle: Bundle, subjects: dict[str, Subject], part: Part) -> None:
    """Files, contract and records: nothing missing, nothing left over."""
    part.findings += check_source(root, bundle)
    used = {"contract.json"}
    for entry, subject in subjects.items():
        where = bundle.path(f"{entry}.records.json")
        part.findings += [Finding(where, message) for message in incomplete(subject)]
        used |= {claim.file for claim in bundle.manifest[entry].claims}
        used |= {f"{entry}.{kind}.json" for kind in ("records", "resources", "abi", "refinement")}
        used.add(f"{entry}.vacuity.smt2")
    for lemma in bundle.lemmas:
        used |= {lemma.file, lemma.control}
    for script in bundle.scripts:
        used |= {script.file, script.control, script.proof}
    used |= {found.theorem["file"] for found in bundle.manifest.values() if "file" in found.theorem}
    for name in sorted(set(bundle.texts) - used):
        part.findings.append(Finding(bundle.path(name), f"listed in {NAME}, but it belongs to no claim"))


def _claims(root: Path, bundle: Bundle, subjects: dict[str, Subject], part: Part) -> None:
    """Queries: each asks what its claim demands, and cvc5 agrees; the assumptions can be met."""
    for subject in subjects.values():
        judgement = judge(bundle, subject)
        part.findings += judgement.findings
        part.decided += judgement.decided
        part.findings += vacuous(bundle, subject)


def _formal(root: Path, bundle: Bundle, subjects: dict[str, Subject], part: Part) -> None:
    """Scripts about roundings and theorems about lengths: they claim what the contract needs, and are proved again."""
    part.take(check_scripts(bundle))
    theorems = check_theorems(root, bundle)
    part.findings += theorems.findings
    part.theorems, part.unasked, part.needs = theorems.proved, theorems.not_run, part.needs or theorems.needs


def _binding(bundle: Bundle, subjects: dict[str, Subject], part: Part, launches: int) -> None:
    for entry, subject in subjects.items():
        where = bundle.path(f"{entry}.records.json")
        chance = random.Random(SEED)
        points = [*sample(subject.contract, subject.shared, chance, launches)]
        for _, values in bundle.manifest[entry].occasions:
            points.append(thread_of(subject.contract, values, subject.shared, chance))
        outcome = bind(subject.entry, subject.contract, subject.records, points)
        part.findings += [Finding(where, message) for message in outcome.messages.values()]
        part.threads += outcome.threads
        part.compared += outcome.compared
        places = (*subject.records.accesses.values(), *subject.records.barriers.values())
        for line in sorted({p.line for p in (*places, *subject.records.shuffles.values())} - outcome.executed):
            part.findings.append(Finding(where, f"PTX line {line} was never executed in the samples", Grade.UNDECIDED))


def _programs(root: Path, bundle: Bundle, subjects: dict[str, Subject], part: Part) -> None:
    part.findings += check_resources(bundle, subjects)
    for subject in subjects.values():
        part.findings += check_abi(bundle, subject)
    part.findings += check_lemmas(bundle)
    part.decided += 2 * len(bundle.lemmas)
    for entry in subjects:
        part.findings += check_refinement(root, bundle, entry)
