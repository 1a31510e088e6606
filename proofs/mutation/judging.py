"""What becomes of a mutant: the assembler, the emulator, the prover, and what proves that it is no fault at all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from proofs import abi, resources
from proofs.check.answers import AnswerStore
from proofs.check.entry import check_entry
from proofs.check.known import Known
from proofs.check.work import Workers
from proofs.effort import Meter, limits_of
from proofs.entry import Analysis, analyse
from proofs.mutation.equivalent import Equivalence, equivalence
from proofs.mutation.launches import Chooser, Setting
from proofs.mutation.making import Made
from proofs.mutation.operators import SYNCHRONISES
from proofs.mutation.running import Subject, execute
from proofs.mutation.target import Target
from proofs.ptxas import assemble
from proofs.refinement import check_refinement
from proofs.refinement_cases import cases_of
from proofs.results import Row
from proofs.verdict import Verdict, conjunction
from spec.errors import AssemblerRefused, BadInput, PtxSyntaxError, Unsupported
from spec.ptx.ast import Module
from spec.ptx.faults import Fault
from spec.ptx.parser import parse

REFUSED, KILLED, EQUIVALENT, SURVIVES, DISAGREE = "refused", "killed", "equivalent", "survives", "DISAGREE"
NOT_ASKED = "not asked"
PROOFS = ("proved", "refuted", "unknown", NOT_ASKED)
SHOWN = ("fault", "differs", "long", "same", "unable", NOT_ASKED)
FEW = 4  # runs of a quick look, those that take least
LONGER = 4  # times the steps of the original, and some: a mutant that takes more does something else
SOME = 500
WORDS = 300  # characters of a detail that are kept
Schedule = str


@dataclass(frozen=True)
class Proof:
    """What the prover says: `verdict` (or NOT_ASKED), the obligation that refutes, the claim, the first line of why."""

    verdict: str
    obligation: str = ""
    claim: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Shown:
    """What the emulator shows: `fault` where a detector reported something, `differs` where memory is another in the
    end, `long` where the run does not end, `same`, or `unable`; in which launch.
    """

    verdict: str
    launch: str = ""
    detail: str = ""

    @property
    def kills(self) -> bool:
        return self.verdict in ("fault", "differs", "long")


@dataclass(frozen=True)
class Result:
    """One row. `status`: one of REFUSED, KILLED, EQUIVALENT, SURVIVES, DISAGREE."""

    id: str
    kind: str
    line: int
    words: str
    key: str
    status: str
    prover: Proof = Proof("unknown")
    emulator: Shown = Shown("unable")
    claim: str = ""
    reason: str = ""
    seconds: float = 0.0

    @property
    def sound(self) -> bool:
        """Whether the status is what prover and emulator say, so that nobody has changed it alone."""
        proof, shown = self.prover.verdict, self.emulator.verdict
        if proof not in PROOFS or shown not in SHOWN:
            return False
        killed, disagree = proof == "refuted" or self.emulator.kills, (proof, shown) == ("proved", "fault")
        return {
            REFUSED: bool(self.reason), KILLED: killed and not disagree, EQUIVALENT: bool(self.claim) and not killed,
            SURVIVES: not killed, DISAGREE: disagree,
        }.get(self.status, False)  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of_json(value: dict[str, Any]) -> Result:
        return Result(**{**value, "prover": Proof(**value["prover"]), "emulator": Shown(**value["emulator"])})


@dataclass(frozen=True)
class Run:
    """One run of the original: a launch under a schedule, what memory held in the end, and its steps."""

    setting: Setting
    schedule: Schedule
    memory: dict[str, str]
    steps: int


@dataclass
class Judge:
    """Judges mutants of one target.

    Args:
        target: the entry.
        runs: of the original, those that take least first.
        cubin: sha256 of the machine code of the original.
        store: answers of the solver.
        one_value: as in `Analysis`, of the original.
        known: claims that were found to hold, which most mutants have as well.
        quick: the prover is asked only of mutants that the emulator does not kill.
    """

    target: Target
    runs: Sequence[Run]
    cubin: str
    store: AnswerStore | None = None
    one_value: frozenset[frozenset[int]] = frozenset()
    known: Known = field(default_factory=Known)
    quick: bool = False

    @cached_property
    def original(self) -> Analysis:
        found = analyse(self.target.problem(self.target.module), ask=Meter(store=self.store))
        return replace(found, one_value=self.one_value)

    def judge(self, made: Made) -> Result:
        """The row of a mutant."""
        start = time.process_time()
        found = self._judge(made)
        return replace(found, seconds=round(time.process_time() - start, 2))

    def _judge(self, made: Made) -> Result:
        result = Result(made.id, made.kind, made.line, made.words, made.key, REFUSED)
        try:
            module = parse(made.text, name=made.id)
            cubin = code_of(self.target, made.text)
        except (AssemblerRefused, PtxSyntaxError, BadInput) as error:
            return replace(result, reason=_short(str(error)))
        if self.quick and (found := self._in_short(made, module, cubin)) is not None:
            status, shown, proof, same = found
            claim, reason = (same.claim, same.detail) if same is not None else ("", "")
            return replace(result, prover=proof, emulator=shown, status=status, claim=claim, reason=reason)
        shown = self.show(module)
        proof, one_value = self.prove(made, module)
        if proof.verdict == "proved" and shown.kills and self.show(module, faults=True).verdict == "fault":
            shown = self._knowing(module, one_value)
        result = replace(result, prover=proof, emulator=shown, status=KILLED)
        if proof.verdict == "proved" and shown.verdict == "fault":
            return replace(result, status=DISAGREE)
        if proof.verdict == "refuted" or shown.kills:
            return result
        same = self._same_code(cubin) or equivalence(self.original, made, proof.verdict == "proved", self.store)
        if same is None:
            return replace(result, status=SURVIVES)
        return replace(result, status=EQUIVALENT, claim=same.claim, reason=same.detail)

    def _in_short(
        self, made: Made, module: Module, cubin: str
    ) -> tuple[str, Shown, Proof, Equivalence | None] | None:
        """What can be said of a mutant with little work, the cheapest first; None if nothing.

        Of edits that only synchronise, the proof of the mutant says that they change nothing, which costs less than all
        runs.
        """
        nobody = Proof(NOT_ASKED)
        if same := self._same_code(cubin):
            return EQUIVALENT, Shown(NOT_ASKED), nobody, same
        few = self.show(module, self.runs[:FEW])
        if few.kills:
            return KILLED, few, nobody, None
        proof = self.prove(made, module)[0] if made.kind in SYNCHRONISES else nobody
        if same := equivalence(self.original, made, proof.verdict == "proved", self.store):
            return EQUIVALENT, few, proof, same
        if proof.verdict == "refuted":
            return KILLED, few, proof, None
        shown = self.show(module, self.runs[FEW:])
        return (KILLED, shown, nobody, None) if shown.kills else None

    def _same_code(self, cubin: str) -> Equivalence | None:
        return Equivalence("same-code", "ptxas makes the same machine code of it") if cubin == self.cubin else None

    # --- the emulator ---
    def show(
        self, module: Module, runs: Sequence[Run] | None = None, like: Analysis | None = None, faults: bool = False
    ) -> Shown:
        """Run a mutant in launches of the original, all if not told, until one run differs, or shows a fault."""
        subject = subject_of(like or self.original, module, self.target.entry)
        for run in self.runs if runs is None else runs:
            launch = run.setting.make(self.original)
            where = f"{_sizes(launch.parameters)}; grid {launch.grid}, block {launch.block}; {run.schedule}"
            try:
                seen = execute(subject, launch, run.schedule, LONGER * run.steps + SOME, enough=_any_fault)
            except (Unsupported, BadInput) as error:
                return Shown("unable", where, _short(str(error)))
            if seen.faults:
                return Shown("fault", where, _short(str(seen.faults[0])))
            if faults:
                continue
            if seen.long:
                return Shown("long", where, f"a block takes more than {LONGER} times the steps of the original")
            if other := [name for name, digest in seen.memory.items() if run.memory.get(name) != digest]:
                return Shown("differs", where, f"{', '.join(other)} does not hold the same in the end")
        return Shown("same")

    def _knowing(self, module: Module, one_value: frozenset[frozenset[int]]) -> Shown:
        """What the emulator shows if it knows which stores are proved to be alike in the mutant, a fault if any run has
        one: a run that only differs may come before it, and says nothing of the prover.
        """
        found = replace(analyse(self.target.problem(module), ask=Meter(store=self.store)), one_value=one_value)
        shown = self.show(module, like=found, faults=True)
        return shown if shown.verdict == "fault" else self.show(module, like=found)

    # --- the prover ---
    def prove(self, made: Made, module: Module) -> tuple[Proof, frozenset[frozenset[int]]]:
        """The verdict of `fltc check`, or of all obligations of the contract, and which stores put one value.

        No more is looked at than refutes.
        """
        try:
            problem = self.target.problem(module)
        except (BadInput, Unsupported) as error:
            return Proof("unknown", detail=_short(str(error))), frozenset()
        limits = limits_of(self.target.request.effort)
        checked = check_entry(
            problem, limits, Workers(1), self.store, lambda done, total: None, first=True, known=self.known
        )
        found = proof_of(checked.rows)
        if found.verdict != "refuted" and self.target.contract is not None:
            found = self._shipped(made, module) or found
        return found, checked.one_value

    def _shipped(self, made: Made, module: Module) -> Proof | None:
        """A refutation by the obligations that only kernels under a contract have."""
        contract = self.target.contract
        assert contract is not None
        verdict, detail, _ = abi.judge(abi.abi_json("", module.entry(contract.entry), contract))
        if verdict is Verdict.REFUTED:
            return Proof("refuted", "abi", "", _short(detail))
        used = resources.measure(made.text, made.id)[contract.entry]
        verdict, detail, _ = resources.judge(resources.resources_json("", used, contract))
        if verdict is Verdict.REFUTED:
            return Proof("refuted", "resources", "", _short(detail))
        cases = sorted(cases_of(self.target.stem), key=lambda case: max(case.values.values()))
        try:
            result = check_refinement(self.target.stem, contract, module, cases)
        except (BadInput, Unsupported) as error:
            return Proof("unknown", "refinement", "", _short(str(error)))
        if result.verdict is not Verdict.PROVED:
            return Proof(result.verdict.value, "refinement", "", _short(result.detail))
        return None


def _any_fault(fault: Fault) -> bool:
    return True


def proof_of(rows: Sequence[Row]) -> Proof:
    """The verdict of all rows: what refutes, or else what is open."""
    verdict = conjunction(row.verdict for row in rows)
    for row in rows:
        if row.verdict is verdict and verdict is not Verdict.PROVED:
            claim = str((row.counterexample or {}).get("claim", ""))
            return Proof(verdict.value, row.obligation, claim, _short(row.detail))
    return Proof(verdict.value)


def subject_of(analysis: Analysis, module: Module, entry: str) -> Subject:
    """What is run of a module, as forgiving as the prover is."""
    problem, accesses = analysis.problem, analysis.records.accesses
    unlike = {a.at.line for a in accesses if not a.alike}
    alike = frozenset(a.at.line for a in accesses if not problem.strict) - unlike
    return Subject(
        module.entry(entry), module, not problem.strict, problem.allow_exited, alike, analysis.one_value
    )


def code_of(target: Target, text: str) -> str:
    """A digest of the machine code; AssemblerRefused if there is none."""
    return sha256(assemble(text, target.architecture, name=target.request.path).cubin).hexdigest()


def judge_of(target: Target, store: AnswerStore | None) -> Judge | Proof:
    """The judge of a target's mutants; what the prover says of the target where it is not proved itself."""
    cubin = code_of(target, target.request.text)
    judge = Judge(target, (), cubin, store)
    made = Made("original", "", 0, "nothing", target.request.text, target.entry, 0, {})
    proof, judge.one_value = judge.prove(made, target.module)
    if proof.verdict != "proved":
        return proof
    subject = subject_of(judge.original, target.module, target.entry)
    settings = Chooser(judge.original, subject, target.elements).choose()
    runs = []
    for setting, schedule in plan(settings):
        launch = setting.make(judge.original)
        seen = execute(subject, launch, schedule, 10**7)
        if seen.faults:
            words = f"it shows a fault: {seen.faults[0]} ({_sizes(launch.parameters)})"
            return Proof("DISAGREE", "", "", words)
        runs.append(Run(setting, schedule, seen.memory, seen.steps))
    judge.runs = runs
    return judge


def plan(settings: Sequence[Setting]) -> list[tuple[Setting, Schedule]]:
    """Every launch once, the small ones first; some again with warps in another order."""
    short, middle = settings[len(settings) // 3], settings[len(settings) // 2]
    again: list[tuple[Setting, Schedule]] = [(settings[-1], "pieces"), (middle, "reverse"), (short, "parted:1")]
    return [*((s, "forward") for s in settings), *again]


def _sizes(parameters: Any) -> str:
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WORDS else line[: WORDS - 3] + "..."
