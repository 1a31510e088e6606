"""An obligation whose own claims hold is not proved while one that it rests on fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from proofs.outcome import missing_premises
from proofs.verdict import Verdict
from proofs.verify import verify_stem

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("obligation", "failing", "written", "named"),
    [
        ("race", {"bounds"}, True, "bounds"),
        ("race", {"barrier"}, True, "barrier"),
        ("single-writer", {"bounds"}, True, "bounds"),
        ("coverage", {"no-trap"}, True, "no-trap"),
        ("bounds", set(), False, "init (a register may be read before it is written)"),
    ],
)
def test_a_missing_premise_is_named(obligation: str, failing: set[str], written: bool, named: str) -> None:
    assert missing_premises(obligation, failing, written).endswith(f": {named}")


def test_races_are_told_by_elements_only_where_rows_are_apart() -> None:
    assert missing_premises("race", set(), True, rows_apart=False).endswith("(rows of a buffer may overlap)")
    assert missing_premises("bounds", set(), True, rows_apart=False) == ""


def test_nothing_is_missing_where_all_hold() -> None:
    assert missing_premises("race", set(), True) == ""
    assert missing_premises("bounds", {"race"}, True) == ""


def test_verify_does_not_call_races_proved_beside_a_stray_load(tmp_path: Path) -> None:
    """A guard off by one: bounds is refuted, and what rests on it is unknown, with the reason."""
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    shutil.copytree(ROOT / "proofs", tmp_path / "proofs", ignore=shutil.ignore_patterns("artifacts"))
    folder = tmp_path / "backend/ptx"
    folder.mkdir(parents=True)
    text = (ROOT / "backend/ptx/silu.ptx").read_text()
    guard = "setp.lt.u64 %slot0, %at, %vectors;"
    assert guard in text
    (folder / "silu.ptx").write_text(text.replace(guard, guard.replace(".lt.", ".le.")))
    rows = {row.obligation: row for row in verify_stem(tmp_path, "silu", True).rows}
    assert rows["bounds"].verdict is Verdict.REFUTED
    assert rows["race"].verdict is Verdict.UNKNOWN
    assert "holds only if these hold too, which is not proved: bounds" in rows["race"].detail
