"""write_atomic replaces a file in one step or leaves it alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from common.files import write_atomic


def test_writes_text_and_bytes_and_makes_folders(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a/b/c.txt", "x\n")
    write_atomic(tmp_path / "d.bin", b"\x00\xff")
    assert (tmp_path / "a/b/c.txt").read_bytes() == b"x\n"
    assert (tmp_path / "d.bin").read_bytes() == b"\x00\xff"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_the_old_content_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, stop: type[BaseException]
) -> None:
    target = tmp_path / "f"
    target.write_text("old")

    def interrupted(*_: object) -> None:
        raise stop

    monkeypatch.setattr(os, step, interrupted)
    with pytest.raises(stop):
        write_atomic(target, "new")
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_permissions_of_an_existing_file_stay(tmp_path: Path) -> None:
    target = tmp_path / "f"
    target.write_text("old")
    target.chmod(0o640)
    write_atomic(target, "new")
    assert target.stat().st_mode & 0o777 == 0o640
