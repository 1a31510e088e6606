"""docs/limits.md: what is unknown of sound kernels, each with an example that is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fltc.kernels import kernels
from tests.proofs.test_small_programs import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
MOST = 3
UNKNOWN = {kernel.name for kernel in kernels(ROOT) if kernel.unknown}
SMALL = {program.path.stem: set(program.expect.values()) for program in PROGRAMS}
ROWS = re.findall(r"^\| .* \| .* \| (`.*) \|$", (ROOT / "docs/limits.md").read_text("utf-8"), re.M)
NAMED = [name for row in ROWS for name in re.findall(r"`(\w+)`", row)]


def test_few_kernels_are_unknown_and_the_page_names_each() -> None:
    assert len(UNKNOWN) <= MOST
    assert set(NAMED) >= UNKNOWN


@pytest.mark.parametrize("name", NAMED)
def test_an_example_is_unknown_and_not_refuted(name: str) -> None:
    if name not in UNKNOWN:
        assert "unknown" in SMALL[name]
        assert "refuted" not in SMALL[name]


def test_every_row_has_an_example() -> None:
    assert len(ROWS) >= 12
    assert len(NAMED) == len(set(NAMED))
