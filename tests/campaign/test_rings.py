"""A fixed slice of the random rings, and that the comparison would notice a prover that overlooks accesses."""

from __future__ import annotations

import pytest

from proofs.intervals import Member
from tests.campaign.compare import compare, faults
from tests.campaign.families.rings import generate

SLICE = range(24)


@pytest.fixture(autouse=True)
def no_assembler(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernels are known to be valid; starting ptxas for each would take most of the time."""
    monkeypatch.setattr("proofs.check.flags.assemble", lambda *args, **kwargs: None)


@pytest.mark.parametrize("seed", SLICE)
def test_no_fault_that_the_machine_sees_is_proved_away(seed: int) -> None:
    outcome = compare(generate(seed), seed)
    assert outcome.understood
    assert not outcome.wrong


def test_some_are_good_and_some_are_not() -> None:
    found = [faults(generate(seed), seed).faults for seed in SLICE]
    assert {} in found
    assert {name for f in found for name in f} >= {"race", "init"}


def test_a_prover_that_overlooks_accesses_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(walker: object, start: object, ways: object) -> tuple[Member, ...]:
        return ()

    monkeypatch.setattr("proofs.intervals.between", nothing)
    assert any("race" in compare(generate(seed), seed).wrong for seed in SLICE)
