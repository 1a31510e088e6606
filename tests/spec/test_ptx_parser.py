"""The PTX parser and printer: every form once, parse -> print -> parse, and what the tree says."""

from __future__ import annotations

from pathlib import Path

import pytest

from spec.ptx.parser import parse
from spec.ptx.printer import print_module, strip_lines

SAMPLES = sorted((Path(__file__).parents[1] / "ptx" / "parser").glob("*.ptx"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_printed_text_reads_as_the_same_module(path: Path) -> None:
    module = parse(path.read_text(encoding="ascii"), name=path.name)
    printed = print_module(module)
    again = parse(printed)
    assert strip_lines(again) == strip_lines(module)
    assert print_module(again) == printed
