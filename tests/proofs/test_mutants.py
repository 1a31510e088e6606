"""Mutants of the shipped kernels: two for each kernel and obligation are refuted here, all of them in the kill table.

`python -m proofs.mutation` runs every mutant and writes docs/kill-table.md; these tests hold the document to the list
of mutants and to what the two of each kind do.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from proofs.claims import OBLIGATIONS
from proofs.mutation import Killed, Mutant, Survived, all_mutants, kill
from proofs.mutation.killing import REPLAYED, shipped
from proofs.mutation.table import EQUIVALENT, MOST_SURVIVORS, TABLE, Entry, row
from spec.contracts import STEMS
from spec.ptx.parser import parse

ROOT = Path(__file__).resolve().parents[2]
LEAST = 60
KINDS = [(stem, obligation) for stem in STEMS for obligation in OBLIGATIONS]


@cache
def everything() -> tuple[Mutant, ...]:
    return tuple(all_mutants(ROOT))


@cache
def rows() -> dict[str, str]:
    """Rows of the kill table by mutant."""
    lines = [x for x in (ROOT / TABLE).read_text().splitlines() if x.startswith(("| rmsnorm.", "| silu."))]
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines}


def of_kind(stem: str, obligation: str) -> list[Mutant]:
    return [m for m in everything() if (m.stem, m.obligation) == (stem, obligation)]


@pytest.mark.parametrize(("stem", "obligation"), KINDS)
@pytest.mark.parametrize("which", [0, -1], ids=["first", "last"])
def test_a_mutant_is_refuted_by_the_obligation_named(stem: str, obligation: str, which: int) -> None:
    mutant = of_kind(stem, obligation)[which]
    outcome = kill(ROOT, mutant)
    assert isinstance(outcome, Killed), (mutant.id, outcome)
    assert outcome.obligation == obligation, (mutant.id, outcome)
    assert outcome.replayed == (obligation in REPLAYED)
    assert row(Entry(mutant, outcome)) == rows()[mutant.id], "run `python -m proofs.mutation`"


@pytest.mark.parametrize(("stem", "obligation"), KINDS)
def test_every_obligation_has_two_mutants_that_it_refutes(stem: str, obligation: str) -> None:
    refuted = [m for m in of_kind(stem, obligation) if f" | {obligation}" in rows()[m.id]]
    assert len(refuted) >= 2


def test_the_table_lists_every_mutant_as_it_is_made() -> None:
    assert len(everything()) >= LEAST
    assert list(rows()) == [m.id for m in everything()]
    for mutant in everything():
        begin = row(Entry(mutant, Survived(()))).removesuffix(" survives | - |")
        assert rows()[mutant.id].startswith(begin), "run `python -m proofs.mutation`"


def test_survivors_are_few_and_each_has_a_reason() -> None:
    survivors = [name for name, line in rows().items() if line.endswith("| survives | - |")]
    assert set(survivors) == EQUIVALENT.keys()
    assert len(survivors) <= MOST_SURVIVORS * len(rows())


def test_every_mutant_is_ptx_and_differs_from_the_kernel() -> None:
    for mutant in everything():
        parse(mutant.text)
        assert mutant.text != shipped(ROOT, mutant.stem) or mutant.lemma is not None, mutant.id


def test_an_unbroken_kernel_is_not_refuted() -> None:
    text = shipped(ROOT, "silu")
    outcome = kill(ROOT, Mutant("silu.unbroken", "silu", "shipped", "bounds", "nothing", 0, text))
    assert outcome == Survived(())
