"""The library as a bundle: lemmas over the reals, identities of binary16, scripts about roundings, and their files.

Each is decided, or taken from the store if it has the text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofs.artifacts import VERSION, sha256, to_text
from proofs.decide import solver_version
from proofs.numerics import binary16
from proofs.numerics.gappa_library import scripts
from proofs.numerics.gappa_obligation import Checked, check
from proofs.numerics.lemma import Lemma
from proofs.numerics.library import lemmas
from proofs.numerics.obligation import Decided, discharge
from proofs.results import Row, Source
from proofs.store import MANIFEST, Store, read_store, sealed
from proofs.verdict import Verdict, conjunction

NAME = "library"
"""The name of the bundle in reports, and of its folder."""

Decide = Callable[[Sequence[Lemma]], list[Decided]]


@dataclass
class Library:
    """What a run on the library returns: rows, the text of every file, and what the reader should know."""

    rows: list[Row] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def verify_library(folder: Path, fresh: bool) -> Library:
    """Every lemma of the library.

    Args:
        folder: where its artifacts are.
        fresh: decide everything again.
    """
    store = Store() if fresh else read_store(folder)
    found = Library()
    if store.damage:
        found.notes.append(f"{NAME}: the store was not used: {store.damage}")
    reals = _part(found, store, "numerics", lemmas(), discharge)
    bits = _part(found, store, binary16.PREFIX, binary16.identities(), binary16.discharge)
    words = f"{len(reals)} lemmas decided, put together over lengths by hand (docs/numerics.md, Assembly)"
    found.rows.append(_row("numerics", reals, Verdict.DERIVED, words))
    found.rows.append(_row("identities", bits, Verdict.PROVED, f"{len(bits)} identities of floating-point words"))
    scripts = _scripts(found, store)
    manifest = {
        "version": VERSION, "stem": NAME, "solver": f"{solver_version()}, {binary16.solver_version()}",
        "files": {name: sha256(text) for name, text in sorted(found.files.items())},
        "numerics": [_record("numerics", d, Verdict.DERIVED) for d in reals.decided],
        binary16.PREFIX: [_record(binary16.PREFIX, d, Verdict.PROVED) for d in bits.decided],
        "scripts": [checked.record() for checked in scripts],
    }
    found.files[MANIFEST] = to_text(sealed(manifest))
    return found


def _scripts(found: Library, store: Store) -> list[Checked]:
    """The Gappa scripts, in a row of their own if any was run or is in the store."""
    start = time.monotonic()
    checked = check(scripts(), store.files, store.proved)
    for script in checked:
        found.files |= script.files()
        if not script.ran:
            found.notes.append(f"{NAME}: Gappa script {script.script.name}: {script.words}")
    ran = [c for c in checked if c.ran]
    if ran:
        failed = [f"script {c.script.name}: {c.words}" for c in ran if c.verdict is not Verdict.PROVED]
        words = "; ".join(failed) or f"{len(ran)} Gappa scripts about roundings, checked by Coq"
        now = any(sha256(c.proof) not in store.proved for c in ran)
        source: Source = "decided now" if now else "taken from the store"
        verdict = conjunction(c.verdict for c in ran)
        seconds = time.monotonic() - start
        found.rows.append(Row(NAME, "roundings", verdict, source, seconds, words, None, claims=len(ran)))
    return checked


@dataclass(frozen=True)
class _Answers:
    decided: list[Decided]
    source: Source
    seconds: float

    def __len__(self) -> int:
        return len(self.decided)


def _part(found: Library, store: Store, prefix: str, steps: Sequence[Lemma], decide: Decide) -> _Answers:
    """Answers to all of the steps: those that the store has are taken from it."""
    start = time.monotonic()
    missing = [m for m in steps if not all(sha256(text) in store.proved for text in _texts(prefix, m).values())]
    now = {d.lemma.name: d for d in decide(missing)}
    for step in steps:
        found.files |= _texts(prefix, step)
    decided = [now.get(m.name, Decided(m, m.expected, "sat")) for m in steps]
    source: Source = "decided now" if missing else "taken from the store"
    return _Answers(decided, source, time.monotonic() - start)


def _texts(prefix: str, step: Lemma) -> dict[str, str]:
    file, control = _names(prefix, step)
    return {file: step.smt_text, control: step.negative_control_text}


def _names(prefix: str, step: Lemma) -> tuple[str, str]:
    return f"{prefix}.{step.name}.smt2", f"{prefix}.{step.name}.control.smt2"


def _row(obligation: str, answers: _Answers, best: Verdict, words: str) -> Row:
    """One row over all steps, at most `best`: DERIVED where something is put together by hand."""
    verdict = _at_best(conjunction(d.verdict for d in answers.decided), best)
    example = None
    if verdict < Verdict.DERIVED:
        failed = [d for d in answers.decided if d.verdict is verdict]
        words = "; ".join(d.words for d in failed)
        example = {"lemmas": [d.lemma.name for d in failed]} if verdict is Verdict.REFUTED else None
    return Row(NAME, obligation, verdict, answers.source, answers.seconds, words, example, claims=len(answers))


def _at_best(verdict: Verdict, best: Verdict) -> Verdict:
    """`best` for lemmas that hold: whether something is put together by hand is no matter of a single one."""
    return best if verdict >= Verdict.DERIVED else verdict


def _record(prefix: str, decided: Decided, best: Verdict) -> dict[str, Any]:
    file, control = _names(prefix, decided.lemma)
    return {
        "name": decided.lemma.name, "file": file, "control": control, "expected": decided.lemma.expected,
        "verdict": _at_best(decided.verdict, best).value,
    }
