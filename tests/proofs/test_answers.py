"""The store of answers that `fltc check` keeps between runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fltc.cli import main
from proofs.check.answers import AnswerStore, default_folder, open_store
from proofs.check.report import check
from proofs.decide import Answer
from proofs.verdict import Verdict
from tests.proofs.test_effort import saxpy, verdicts

ROOT = Path(__file__).resolve().parents[2]


def test_a_second_run_takes_answers_from_the_store_and_says_the_same(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path)
    flags = {"block": (256, 1, 1), "assumes": ("p0 >= 1 && p0 <= 2^20",), "grid": ("ceil_div(p0, 256)", 1, 1)}
    first = check(saxpy(**flags), store=store)
    second = check(saxpy(**flags), store=AnswerStore(tmp_path))
    assert verdicts(first) == verdicts(second)
    assert {row.source for row in first.rows} == {"decided now"}
    proved = [row for row in second.rows if row.verdict is Verdict.PROVED and row.claims]
    asked = [row for row in proved if any(rung.startswith("z3") for rung in row.rungs.values())]
    assert asked
    assert {row.source for row in asked} == {"taken from the store"}


def test_an_edited_answer_is_not_taken(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path)
    store.put({"k": (5, Answer("unknown", reason="x", used=3))})
    assert store.get("k") == (5, Answer("unknown", reason="x", used=3))
    connection = store._open()
    assert connection is not None
    with connection:
        connection.execute("update answers set answer = replace(answer, 'unknown', 'unsat')")
    assert store.get("k") is None


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "check.sqlite").write_text("something else entirely, and long enough to be looked at as a file")
    found = open_store(tmp_path)
    assert isinstance(found, str)
    assert "check.sqlite" in found
    assert (tmp_path / "check.sqlite").read_text().startswith("something else")


def test_a_folder_that_others_may_write_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    assert open_store(folder) == f"{folder} can be written by others"
    assert list(folder.iterdir()) == []


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = open_store(tmp_path / "file" / "fltc")
    assert isinstance(found, str)


def test_the_cache_folder_follows_the_xdg_specification() -> None:
    assert default_folder({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/fltc")
    assert default_folder({"XDG_CACHE_HOME": "relative", "HOME": "/h"}) == Path("/h/.cache/fltc")
    assert default_folder({"HOME": "/h"}) == Path("/h/.cache/fltc")
    assert default_folder({}) is None


def test_the_option_switches_the_store_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    ptx = str(ROOT / "tests/ptx/corpus/saxpy.ptx")
    main(["check", ptx, "--no-store", "--jobs", "1"])
    assert not (tmp_path / "cache").exists()
    main(["check", ptx, "--jobs", "1", "--json", str(tmp_path / "r.json")])
    assert (tmp_path / "cache/fltc/check.sqlite").exists()
    assert json.loads((tmp_path / "r.json").read_text())["rows"]


def test_a_folder_that_cannot_be_used_is_said_and_the_check_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    code = main(["check", str(ROOT / "tests/ptx/corpus/saxpy.ptx"), "--jobs", "1"])
    assert code in (1, 2)
    assert "answers are not kept" in capsys.readouterr().err
