"""CUDA kernels with one mistake each, compiled by nvcc: the message names the obligation and the line of the mistake.

A kernel's first lines say which obligation must be refuted at which source line, and how it is launched.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from fltc.cli import main

KERNELS = sorted((Path(__file__).resolve().parents[1] / "ptx/planted").glob("*.cu"))


def paragraphs(out: str) -> dict[str, str]:
    """What is said of each refuted obligation."""
    found = re.findall(r"^REFUTED \S+ (\S+): (.*(?:\n .*)*)", out, re.M)
    return dict(found)


@pytest.mark.parametrize("source", KERNELS, ids=lambda path: path.stem)
def test_the_message_alone_names_the_mistake(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = re.search(r"^// bug: ([a-z -]+) at (\d+): .*\n// flags: (.*)$", source.read_text(), re.M)
    assert head is not None
    kinds, line, flags = head.groups()
    assert main(["check", str(source.with_suffix(".ptx")), *shlex.split(flags), "--jobs", "1"]) == 1
    told = paragraphs(capsys.readouterr().out)
    for kind in kinds.split():
        assert kind in told
        assert f"({source.name}:{line})" in told[kind], told[kind]
        assert "replayed in the emulator" in told[kind]
        assert "hint: " in told[kind]


def test_there_are_kernels() -> None:
    assert len(KERNELS) >= 6
