"""Edits written out by hand: what rules do not find, and what a kernel has nothing of to drop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofs.mutation.model import Edit, Extension, Mutant, edited, line_of
from proofs.numerics.obligation import queries
from spec.contracts import contracts_of
from spec.stems import part

STEMS_PACKAGE = "proofs.mutation.stems"
SHIPPED = "shipped"
GATE = "@%inactive bra EXIT;"
TESTED = "setp.ne.u32 %inactive, %power, 0;"
COMMON = (
    Edit("gate-dropped", "power-gate", "power check removed", GATE, ""),
    Edit("gate-inverted", "power-gate", "power check the wrong way round", TESTED, "setp.eq.u32 %inactive, %power, 0;"),
    Edit("gate-other-state", "power-gate", "another state than ACTIVE lets it run", TESTED,
         "setp.ne.u32 %inactive, %power, 1;"),
    Edit("gate-one-thread", "power-gate", "only the first 64 threads obey", GATE,
         "mov.u32 %thread, %tid.x; setp.lt.u32 %inactive, %thread, 64; setp.ne.and.u32 %inactive, %power, 0, "
         "%inactive; @%inactive bra EXIT;"),
)


def base_text(stem: str, base: str, text: str) -> str:
    """The sound kernel that mutants of a base are made from."""
    if base == SHIPPED:
        return text
    extension: Extension = part(STEMS_PACKAGE, stem, "EXTENSION")
    return extension.extend(text)


def written(stem: str, text: str) -> Iterator[Mutant]:
    """The mutants of a kernel that are written out."""
    own: tuple[Edit, ...] = part(STEMS_PACKAGE, stem, "EDITS")
    for edit in (*COMMON, *own):
        yield _mutant(stem, SHIPPED, edit, text)
    extension: Extension | None = part(STEMS_PACKAGE, stem, "EXTENSION")
    if extension is not None:
        extended = extension.extend(text)
        for edit in extension.edits:
            yield _mutant(stem, extension.name, edit, extended)
    yield from _faulty_lemmas(stem, text)


def _mutant(stem: str, base: str, edit: Edit, text: str) -> Mutant:
    number = line_of(text, edit.old, edit.nth)
    mark = "" if base == SHIPPED else f"{base}-"
    changed = edited(text, number, edit.new)
    if edit.gone:
        changed = edited(changed, line_of(changed, edit.gone), "")
    return Mutant(f"{stem}.{mark}{edit.name}", stem, base, edit.obligation, edit.words, number, changed)


def _faulty_lemmas(stem: str, text: str) -> Iterator[Mutant]:
    """Lemmas of the error bound that claim a little more than is true."""
    for lemma in queries(contracts_of(stem)[0])[:: 3]:
        faulty = replace(lemma, smt_text=lemma.negative_control_text)
        words = f"claim of lemma {lemma.name} tightened beyond the truth"
        yield Mutant(f"{stem}.lemma.{lemma.name}", stem, "shipped", "numerics", words, 0, text, faulty)
