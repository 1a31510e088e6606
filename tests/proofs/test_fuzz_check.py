"""Mutated PTX through `fltc check`: a report or an error of the project, whatever the text. More: tests/fuzz_ptx.py."""

from __future__ import annotations

import pytest

from tests.fuzz_ptx import checked, texts


@pytest.mark.parametrize("seed", range(4))
def test_mutated_kernels_end_in_a_report_or_an_error(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ptxas, which would refuse most of them."""
    monkeypatch.setattr("proofs.check.flags.assemble", lambda *args, **kwargs: None)
    seen = [checked(text) for text in texts(30, 1000 + seed)]
    assert any(seen), "some texts are kernels still"
    assert not all(seen)
