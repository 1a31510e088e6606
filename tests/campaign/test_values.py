"""A fixed slice of the random integer programs, and that the comparison would notice a wrong term."""

from __future__ import annotations

import pytest

from proofs.division import divide
from proofs.polynomials import Poly
from tests.campaign.values import disagreement

SLICE = range(30)


@pytest.mark.parametrize("seed", SLICE)
def test_terms_say_what_the_machine_computes(seed: int) -> None:
    _, wrong = disagreement(seed)
    assert not wrong


def test_values_are_compared() -> None:
    assert sum(disagreement(seed)[0] for seed in SLICE[:5]) > 500


def test_a_quotient_that_rounds_toward_zero_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def rounded(a: Poly, c: int) -> Poly:
        return divide(a + (c - 1), c)

    monkeypatch.setattr("proofs.arithmetic.divide", rounded)
    assert any(disagreement(seed)[1] for seed in SLICE)
