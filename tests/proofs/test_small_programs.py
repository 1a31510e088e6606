"""Small programs that must not come out as proved, each with its repaired sibling where that must.

Each file states in its head what it is about (`// ...`), the flags (`// flags:`), the verdict of every obligation
(`// expect:`) and, where it matters, what the report must say (`// says:`). `open` is refuted or unknown: a fault that
takes a launch too large to be replayed, or a limit of the prover, but never a proof.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from fltc.cli import main

FOLDER = Path(__file__).resolve().parents[1] / "ptx/small"
KINDS = ("race", "barrier", "bounds", "single-writer", "no-wrap", "init", "no-trap")
ALLOWED = {
    "proved": {"proved"}, "refuted": {"refuted"}, "unknown": {"unknown"}, "open": {"refuted", "unknown"},
}  # fmt: skip
BAD_INPUT = "bad-input"


@dataclass(frozen=True)
class Program:
    path: Path
    flags: tuple[str, ...]
    expect: dict[str, str]
    says: tuple[str, ...]


def program(path: Path) -> Program:
    """The head of a file, read."""
    text = path.read_text()
    flags = re.findall(r"^// flags: (.*)$", text, re.M)
    (line,) = re.findall(r"^// expect: (.*)$", text, re.M)
    expect = {BAD_INPUT: ""} if line == BAD_INPUT else dict(word.split("=") for word in line.split())
    if "all" in expect:
        expect = dict.fromkeys(kinds(flags), expect["all"])
    return Program(path, tuple(f for t in flags for f in shlex.split(t)), expect,
                   tuple(re.findall(r"^// says: (.*)$", text, re.M)))  # fmt: skip


def kinds(flags: tuple[str, ...] | list[str]) -> set[str]:
    """The obligations that flags ask for."""
    asked = {"coverage"} if any("--covers" in text for text in flags) else set()
    return {*KINDS, *asked}


PROGRAMS = [program(path) for path in sorted(FOLDER.glob("*.ptx"))]


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.path.stem)
def test_the_verdicts_are_those_in_the_file(
    case: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    code = main(["check", str(case.path), *case.flags, "--json", str(report)])
    told = capsys.readouterr()
    if BAD_INPUT in case.expect:
        assert code == 3
        assert not report.exists()
    else:
        content = json.loads(report.read_text())
        found = {row["obligation"]: row["verdict"] for row in content["rows"]}
        wrong = {k: f"{found[k]}, expected {v}" for k, v in case.expect.items() if found[k] not in ALLOWED[v]}
        assert not wrong, told.out
        assert code == {"proved": 0, "refuted": 1, "unknown": 2}[content["verdict"]]
    for text in case.says:
        assert text in told.out + told.err


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.path.stem)
def test_every_obligation_has_an_expectation(case: Program) -> None:
    assert set(case.expect) in ({BAD_INPUT}, kinds(case.flags))
    assert set(case.expect.values()) <= {"", *ALLOWED}


UNSUPPORTED = [c for c in PROGRAMS if set(c.expect.values()) == {"unknown"} and c.path.stem != "nothing_to_do"]


@pytest.mark.parametrize("case", UNSUPPORTED, ids=lambda case: case.path.stem)
def test_what_is_not_understood_is_named_with_its_line(case: Program, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(case.path), *case.flags]) == 2
    (text,) = case.says
    (line,) = re.findall(rf"^unknown k race, [a-z, -]+: line (\d+): .*{re.escape(text)}", capsys.readouterr().out, re.M)
    named = case.path.read_text().splitlines()[int(line) - 1].strip()
    assert named.startswith((text.partition(" ")[0], "st.", ".local")), "the line has what the message speaks of"


def test_most_programs_are_wrong_and_some_are_right() -> None:
    right = [c for c in PROGRAMS if set(c.expect.values()) == {"proved"}]
    assert len(right) >= 15
    assert len(PROGRAMS) - len(right) >= 45
