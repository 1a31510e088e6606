"""`fltc verify`: every obligation of the shipped kernels, decided or taken from the store, artifacts written.

One job per PTX file. A job is pure up to its end: it returns the files to write; they are written by the caller, each
atomically, the manifest last, so that a killed run leaves the old proof, the new one, or one whose manifest does not
fit its files: that is noticed and decided again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from common.files import write_atomic
from proofs import abi, resources
from proofs.artifacts import (
    VERSION,
    assumptions,
    contract_json,
    records_json,
    sha256,
    to_text,
)
from proofs.claims import OBLIGATIONS, Claim
from proofs.contract import contract_problem
from proofs.decide import solver_version
from proofs.devices import described, judged, measured
from proofs.discharge import Decision, decide_claim
from proofs.entry import Analysis, analyse
from proofs.enumeration.artifact import enumeration_json
from proofs.enumeration.artifact_tile import tile_json
from proofs.enumeration.artifact_written import written_json
from proofs.numerics.bundle import NAME as LIBRARY
from proofs.numerics.bundle import verify_library
from proofs.numerics.gappa_obligation import check as check_scripts
from proofs.numerics.gappa_obligation import scripts_of
from proofs.numerics.obligation import counterexample, queries
from proofs.numerics.obligation import discharge as discharge_lemmas
from proofs.numerics.theorem import Standing, theorem_of
from proofs.numerics.theorem import judge as judge_theorem
from proofs.outcome import SOLVER_OBLIGATIONS, judge, missing_premises, row_of
from proofs.ptxas import version
from proofs.refinement import check_refinement
from proofs.results import Report, Row
from proofs.store import MANIFEST, Store, read_record, read_store, sealed
from proofs.vacuity import occasions, vacuity_query
from proofs.verdict import Verdict
from spec.contracts import STEMS, contracts_of
from spec.contracts.model import Contract
from spec.errors import BadInput, MissingPart, Unsupported
from spec.operators import operator_of
from spec.ptx.ast import Module
from spec.ptx.parser import parse

Progress = Callable[[int, int, str], None]
ARTIFACTS = Path("proofs/artifacts")
PTX = Path("backend/ptx")
Outcome = tuple[Verdict, str, Any]


@dataclass
class Finished:
    """What a job returns: rows, assumptions, and the text of every artifact."""

    stem: str
    rows: list[Row] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def verify(
    root: Path, kernels: Sequence[str], jobs: int, fresh: bool, executor: str, on_progress: Progress
) -> Report:
    """Verify shipped kernels; BadInput for an unknown kernel or a contract that does not fit its PTX.

    Args:
        root: the checkout.
        kernels: stems, or the library; empty means all.
        jobs: processes.
        fresh: decide everything again.
        executor: `local`, or `dask://host:port`.
        on_progress: called with (done, total, what).
    """
    stems = list(dict.fromkeys(kernels)) or [*STEMS, LIBRARY]
    for stem in stems:
        if stem not in (*STEMS, LIBRARY):
            raise BadInput(f"no kernel {stem!r}; there are {', '.join(STEMS)}, and {LIBRARY}")
        if stem != LIBRARY and not (root / PTX / f"{stem}.ptx").is_file():
            raise BadInput(
                f"{root / PTX / f'{stem}.ptx'}: no such file; `make ptx` writes it; for another checkout: --root"
            )
    if executor != "local":
        raise BadInput(f"--executor {executor}: only `local` is there yet")
    devices = measured(root)
    rows: list[Row] = []
    words: list[str] = []
    on_progress(0, len(stems), "reading")
    with _pool(min(jobs, len(stems))) as pool:
        waiting: dict[Future[Finished], str] = {pool.submit(verify_stem, root, s, fresh): s for s in stems}
        done: dict[str, Finished] = {}
        for future in as_completed(waiting):
            finished = future.result()
            _write(root / ARTIFACTS / finished.stem, finished.files)
            done[finished.stem] = finished
            on_progress(len(done), len(stems), finished.stem)
    for stem in stems:
        rows += done[stem].rows
        words += done[stem].assumptions
    rows = judged(rows, devices)
    return Report(rows, [*words, *described((name for row in rows for name in row.assumptions), devices)])


def _pool(jobs: int) -> Executor:
    return ProcessPoolExecutor(max(1, jobs))


def _write(folder: Path, files: dict[str, str]) -> None:
    """Write what changed, the manifest last; remove what no longer belongs."""
    for name, text in sorted(files.items(), key=lambda item: item[0] == MANIFEST):
        path = folder / name
        if not path.exists() or path.read_text() != text:
            write_atomic(path, text)
    for path in folder.iterdir() if folder.exists() else ():
        if path.is_file() and path.name not in files:
            path.unlink()


def verify_stem(root: Path, stem: str, fresh: bool) -> Finished:
    """All obligations of all entries of one PTX file, or the lemmas of the library."""
    start = time.monotonic()
    if stem == LIBRARY:
        library = verify_library(root / ARTIFACTS / LIBRARY, fresh)
        return Finished(stem, library.rows, library.notes, library.files, time.monotonic() - start)
    text = (root / PTX / f"{stem}.ptx").read_text()
    module = parse(text, name=f"{stem}.ptx")
    contracts = contracts_of(stem)
    _same_entries(stem, module, contracts)
    store = Store() if fresh else read_store(root / ARTIFACTS / stem)
    job = _Job(root, stem, text, module, store)
    job.files["contract.json"] = to_text(contract_json(contracts))
    measured = job.measured(contracts)
    for contract in contracts:
        kernel = f"{stem}:{contract.entry}" if len(contracts) > 1 else stem
        job.entry(contract, measured.get(contract.entry, {}), kernel)
    job.finish(contracts)
    out = Finished(stem, job.rows, [*assumptions(contracts), *job.notes], job.files, time.monotonic() - start)
    if store.damage:
        out.assumptions.append(f"{stem}: the store was not used: {store.damage}")
    return out


def _same_entries(stem: str, module: Module, contracts: Sequence[Contract]) -> None:
    have, want = {f.name for f in module.entries}, {c.entry for c in contracts}
    if have != want:
        raise BadInput(
            f"backend/ptx/{stem}.ptx has entries {', '.join(sorted(have))}; contracts are there for "
            f"{', '.join(sorted(want))}"
        )


def sources_digest(root: Path) -> str:
    """Digest of the code that a refinement run depends on: instruction meanings, operators, cases, the comparison."""
    names = [*(root / "spec").rglob("*.py"), *(root / "proofs").glob("refinement*.py"), root / "proofs/extraction.py"]
    names += (root / "proofs/refinement_cases").glob("*.py")
    return sha256("".join(sha256(p.read_bytes()) for p in sorted(names) if p.exists()))


class _Job:
    """One PTX file on its way to rows and artifacts."""

    def __init__(self, root: Path, stem: str, text: str, module: Module, store: Store) -> None:
        self.stem, self.text, self.module, self.store = stem, text, module, store
        self.sources = sources_digest(root)
        self.digest = sha256(text)
        self.files: dict[str, str] = {}
        self.rows: list[Row] = []
        self.entries: dict[str, Any] = {}
        self.rungs: dict[tuple[str, str], dict[str, str]] = {}
        self.numerics: list[dict[str, Any]] = []
        self.scripts: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def measured(self, contracts: Sequence[Contract]) -> dict[str, dict[str, dict[str, int]]]:
        """What ptxas says, taken from the store while the PTX and the assembler are the same."""
        found: dict[str, dict[str, dict[str, int]]] = {}
        for contract in contracts:
            stored = self.store.files.get(f"{contract.entry}.resources.json")
            record = read_record(stored)
            if record.get("ptx_sha256") != self.digest or record.get("ptxas") != version() or "used" not in record:
                return resources.measure(self.text, f"{self.stem}.ptx")
            found[contract.entry] = record["used"]
        return found

    def entry(self, contract: Contract, measured: dict[str, dict[str, int]], kernel: str) -> None:
        """Every obligation of one entry."""
        outcomes: dict[str, list[Outcome]] = {o: [] for o in OBLIGATIONS}
        seconds = dict.fromkeys(OBLIGATIONS, 0.0)
        source = dict.fromkeys(OBLIGATIONS, "now")
        self.entries[contract.entry] = {"claims": [], "occasions": [], "obligations": {}}
        self._resources(contract, measured, outcomes)
        self._abi(contract, outcomes)
        start = time.monotonic()
        memory: frozenset[str] = frozenset()
        try:
            problem = contract_problem(contract, self.module)
            analysis = analyse(problem)
        except Unsupported as error:
            for obligation in SOLVER_OBLIGATIONS:
                outcomes[obligation].append((Verdict.UNKNOWN, str(error), None))
        else:
            self.notes += [
                f"{contract.entry}: facts about {b} are not used, since the launch writes there"
                for b in sorted(analysis.rewritten)
            ]
            self.notes += [f"{contract.entry}: this hint was not proved: {text}" for text in analysis.unproved]
            memory = self._solve(contract, analysis, outcomes, seconds, source)
        seconds["bounds"] += time.monotonic() - start - sum(seconds.values())
        self._numerics(contract, outcomes, seconds, source)
        self._refinement(contract, outcomes, seconds, source)
        self._premises(contract.entry, outcomes, memory)
        for obligation in OBLIGATIONS:
            row = row_of(kernel, obligation, outcomes[obligation], source[obligation], seconds[obligation])
            assumed = self._assumed(contract) if obligation == "numerics" else ()
            rungs = self.rungs.get((contract.entry, obligation), {})
            self.rows.append(replace(row, rungs=rungs, assumptions=assumed))
            self.entries[contract.entry]["obligations"][obligation] = row.verdict.value

    def _assumed(self, contract: Contract) -> tuple[str, ...]:
        """What the operator's error bound takes for granted of a device."""
        try:
            return operator_of(contract.operator).assumptions
        except MissingPart:
            return ()  # then numerics is unknown, and says so

    def _premises(self, entry: str, outcomes: dict[str, list[Outcome]], memory: frozenset[str]) -> None:
        """An obligation is not proved while another that its claims rest on is refuted or open.

        `memory`: the obligations whose claims rest on what memory holds.
        """
        failing = {o for o, found in outcomes.items() if any(v < Verdict.DERIVED for v, _, _ in found)}
        claims = self.entries[entry]["claims"]
        written, apart = (
            all(c["verdict"] == Verdict.PROVED.value for c in claims if c["name"].startswith(kind))
            for kind in ("defined.", "rows.")
        )
        for obligation in SOLVER_OBLIGATIONS:
            words = missing_premises(obligation, failing, written, obligation in memory, apart)
            if words and obligation not in failing:
                outcomes[obligation].append((Verdict.UNKNOWN, words, None))

    def _resources(
        self, contract: Contract, measured: dict[str, dict[str, int]], outcomes: dict[str, list[Outcome]]
    ) -> None:
        record = resources.resources_json(self.digest, measured, contract)
        self.files[f"{contract.entry}.resources.json"] = to_text(record)
        outcomes["resources"].append(resources.judge(record))

    def _abi(self, contract: Contract, outcomes: dict[str, list[Outcome]]) -> None:
        record = abi.abi_json(self.digest, self.module.entry(contract.entry), contract)
        self.files[f"{contract.entry}.abi.json"] = to_text(record)
        outcomes["abi"].append(abi.judge(record))

    def _solve(
        self, contract: Contract, analysis: Analysis, outcomes: dict[str, list[Outcome]], seconds: dict[str, float],
        source: dict[str, str],
    ) -> frozenset[str]:
        """Decide every claim; the obligations for which it mattered what memory holds."""
        entry = contract.entry
        self.files[f"{entry}.records.json"] = to_text(records_json(analysis, self.digest))
        self._vacuity(entry, analysis, outcomes)
        taken = dict.fromkeys(OBLIGATIONS, True)
        memory = set(analysis.memory)
        claims = self.entries[entry]["claims"]
        for claim in analysis.claims:
            decision = self._stored(claim)
            if decision is None:
                decision = decide_claim(claim)
                taken[claim.obligation] = False
            suffix = "smt2"
            if decision.status == "unknown" and (enumerated := self._enumerated(entry, analysis, claim)) is not None:
                decision, suffix = enumerated, "json"
            if decision.rung != "enumeration" and claim.query is not None and claim.query.contents:
                memory.add(claim.obligation)
            verdict, detail, example = judge(analysis, decision)
            self.rungs.setdefault((entry, claim.obligation), {})[claim.name] = decision.rung
            outcomes[claim.obligation].append((verdict, detail, example))
            seconds[claim.obligation] += decision.seconds
            file = f"{entry}.{claim.name}.{suffix}" if decision.text else ""
            if file:
                self.files[file] = decision.text
            claims.append({
                "name": claim.name, "obligation": claim.obligation, "file": file, "lines": list(claim.lines),
                "verdict": verdict.value,
            })
        for obligation in SOLVER_OBLIGATIONS:
            if taken[obligation] and outcomes[obligation] and self.store.manifest:
                source[obligation] = "store"
        return frozenset(memory)

    def _stored(self, claim: Claim) -> Decision | None:
        for query in (claim.reduced, claim.query):
            if query is not None and sha256(query.text) in self.store.proved:
                rung = "z3-direct" if query is claim.query else "z3-structured"
                return Decision(claim, "unsat", query.text, 0.0, rung=rung)
        return None

    def _enumerated(self, entry: str, analysis: Analysis, claim: Claim) -> Decision | None:
        """What enumeration decides of a claim that the solver leaves open; its text is what the audit goes through."""
        start = time.monotonic()
        make = {"init": written_json, "writers": tile_json}.get(claim.name.partition(".")[0], enumeration_json)
        content = make(claim, analysis.enumerator, entry, self.digest)
        if content is None:
            return None
        return Decision(claim, "unsat", to_text(content), time.monotonic() - start, rung="enumeration")

    def _vacuity(self, entry: str, analysis: Analysis, outcomes: dict[str, list[Outcome]]) -> None:
        text = vacuity_query(analysis.problem).text
        self.files[f"{entry}.vacuity.smt2"] = text
        before = self.store.manifest.get("entries", {}).get(entry, {})
        stored = before.get("occasions")
        # Occasions that were not found are not stored, but they left every one of these obligations unknown.
        complete = any(before.get("obligations", {}).get(o) == Verdict.PROVED.value for o in SOLVER_OBLIGATIONS)
        known = self.store.files.get(f"{entry}.records.json") == self.files[f"{entry}.records.json"]
        if stored and known and complete:
            self.entries[entry]["occasions"] = stored
            return
        found, missing = occasions(analysis)
        if missing:
            places = ", ".join(map(str, missing))
            words = f"no launch that the contract allows reaches line {places}: the code is dead or the contract empty"
            for obligation in SOLVER_OBLIGATIONS:
                outcomes[obligation].append((Verdict.UNKNOWN, words, None))
        self.entries[entry]["occasions"] = [{"lines": list(o.lines), "values": o.values} for o in found]

    def _numerics(
        self, contract: Contract, outcomes: dict[str, list[Outcome]], seconds: dict[str, float], source: dict[str, str]
    ) -> None:
        start = time.monotonic()
        try:
            lemmas = queries(contract)
        except MissingPart as error:
            outcomes["numerics"].append((Verdict.UNKNOWN, str(error), None))
            return
        self._scripts(contract, outcomes)
        names = {lemma.name for lemma in lemmas}
        decided = not all(
            sha256(t) in self.store.proved
            for lemma in lemmas for t in (lemma.smt_text, lemma.negative_control_text)
        )
        results = discharge_lemmas(lemmas) if decided else []
        verdicts = {d.lemma.name: d for d in results}
        best, words = self._assembly(contract, len(names), outcomes)
        for lemma in lemmas:
            file, control = f"numerics.{lemma.name}.smt2", f"numerics.{lemma.name}.control.smt2"
            self.files[file], self.files[control] = lemma.smt_text, lemma.negative_control_text
            verdict = verdicts[lemma.name].verdict if decided else Verdict.DERIVED
            if verdict < Verdict.DERIVED:
                found = verdicts[lemma.name]
                values = counterexample(found) if verdict is Verdict.REFUTED else None
                outcomes["numerics"].append((verdict, found.words, values))
            else:
                outcomes["numerics"].append((best, "" if outcomes["numerics"] else words, None))
            if not any(n["name"] == lemma.name for n in self.numerics):
                self.numerics.append({
                    "name": lemma.name, "file": file, "expected": lemma.expected, "control": control,
                    "verdict": verdict.value, "entry": contract.entry,
                })
        seconds["numerics"] = time.monotonic() - start
        source["numerics"] = "now" if decided else "store"

    def _assembly(
        self, contract: Contract, lemmas: int, outcomes: dict[str, list[Outcome]]
    ) -> tuple[Verdict, str]:
        """What good lemmas amount to, in words too: PROVED where a theorem speaks of every length, else DERIVED."""
        by_hand = f"{lemmas} lemmas decided, put together over lengths by hand (docs/numerics.md)"
        theorem = theorem_of(contract)
        if theorem is None:
            return Verdict.DERIVED, by_hand
        stored = self.store.manifest.get("entries", {}).get(contract.entry, {}).get("theorem", {})
        judged = judge_theorem(theorem, stored)
        file = f"{contract.entry}.numerics.v"
        self.files[file] = theorem.text
        self.entries[contract.entry]["theorem"] = judged.record(file)
        if judged.standing is Standing.WRONG:
            outcomes["numerics"].append((Verdict.UNKNOWN, judged.words, None))
        if judged.standing is not Standing.PROVED:
            return Verdict.DERIVED, f"{by_hand}; {judged.words}"
        return Verdict.PROVED, judged.words

    def _scripts(self, contract: Contract, outcomes: dict[str, list[Outcome]]) -> None:
        """The Gappa scripts of the operator. One that is not run here neither helps nor hurts the verdict."""
        for checked in check_scripts(scripts_of(contract), self.store.files, self.store.proved):
            name = checked.script.name
            if not checked.ran:
                self.notes.append(f"{contract.entry}: Gappa script {name}: {checked.words}")
            elif checked.verdict is not Verdict.PROVED:
                outcomes["numerics"].append((checked.verdict, f"Gappa script {name}: {checked.words}", None))
            self.files |= checked.files()
            if not any(s["name"] == name for s in self.scripts):
                self.scripts.append({**checked.record(), "entry": contract.entry})

    def _refinement(
        self, contract: Contract, outcomes: dict[str, list[Outcome]], seconds: dict[str, float], source: dict[str, str]
    ) -> None:
        start = time.monotonic()
        name = f"{contract.entry}.refinement.json"
        key = sha256("\n".join((self.digest, to_text(contract_json([contract])), self.sources)))
        self.entries[contract.entry]["refinement_inputs"] = key
        stored = self.store.files.get(name)
        if stored and self.store.manifest["entries"].get(contract.entry, {}).get("refinement_inputs") == key:
            record = read_record(stored)
            verdict = next((v for v in Verdict if v.value == record.get("verdict")), None)
            if verdict and {"detail", "counterexample"} <= set(record):
                self.files[name], source["refinement"] = stored, "store"
                outcomes["refinement"].append((verdict, record["detail"], record["counterexample"]))
                return
        try:
            result = check_refinement(self.stem, contract, self.module)
        except MissingPart as error:
            outcomes["refinement"].append((Verdict.UNKNOWN, str(error), None))
            return
        self.files[name] = result.to_artifact()
        outcomes["refinement"].append((result.verdict, result.detail, result.counterexample))
        seconds["refinement"] = time.monotonic() - start

    def finish(self, contracts: Sequence[Contract]) -> None:
        """The manifest, over everything else."""
        manifest = {
            "version": VERSION, "stem": self.stem, "ptx_sha256": self.digest,
            "contract_sha256": sha256(self.files["contract.json"]), "solver": solver_version(),
            "files": {name: sha256(text) for name, text in sorted(self.files.items())}, "entries": self.entries,
            "numerics": self.numerics, "scripts": self.scripts, "assumptions": assumptions(contracts),
        }
        self.files[MANIFEST] = to_text(sealed(manifest))
