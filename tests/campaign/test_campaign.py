"""A fixed slice of the random kernels, and that the comparison would notice a prover that proves too much."""

from __future__ import annotations

import pytest

from proofs.intervals import Member
from tests.campaign.compare import compare, faults
from tests.campaign.families.random_kernels import generate

SLICE = range(40)
RACY = (1, 6, 12)  # bounds and barriers of these are proved, and they race in shared memory
UNDECLARED = (217, 595)  # a query once named a symbol that it did not declare


@pytest.fixture(autouse=True)
def no_assembler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels are known to be valid; starting ptxas for each would take most of the time."""
    monkeypatch.setattr("proofs.check.flags.assemble", lambda *args, **kwargs: None)


@pytest.mark.parametrize("seed", SLICE)
def test_no_fault_that_the_machine_sees_is_proved_away(seed: int) -> None:
    outcome = compare(generate(seed), seed)
    assert not outcome.wrong


def test_a_seed_gives_one_text() -> None:
    assert generate(7) == generate(7)


def test_the_slice_has_faults_of_every_kind() -> None:
    found = [faults(generate(seed), seed) for seed in SLICE]
    seen = {name for f in found for name in (*f.faults, *f.writers)}
    assert seen >= {"bounds", "race", "single-writer", "init", "barrier"}


@pytest.mark.parametrize("seed", RACY)
def test_a_prover_that_overlooks_accesses_is_found_out(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(walker: object, start: object, ways: object) -> tuple[Member, ...]:
        return ()

    monkeypatch.setattr("proofs.intervals.between", nothing)
    assert "race" in compare(generate(seed), seed).wrong


@pytest.mark.parametrize("seed", UNDECLARED)
def test_a_query_names_declared_symbols_only(seed: int) -> None:
    assert not compare(generate(seed), seed).wrong
