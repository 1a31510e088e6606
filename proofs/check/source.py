"""Places of an entry's text as a reader looks for them: the PTX line, and the source line where `.loc` gives one."""

from __future__ import annotations

from functools import cached_property
from pathlib import PurePath

from proofs.problem import Problem
from spec.ptx.ast import SourceLoc

MAX_SHOWN = 100  # characters of an instruction that are shown


class Places:
    """The lines of one entry in words."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @cached_property
    def _lines(self) -> list[str]:
        return self.problem.module.text.splitlines()

    @cached_property
    def _sources(self) -> dict[int, SourceLoc]:
        return {i.line: i.source for i in self.problem.function.instructions() if i.source is not None}

    def text(self, line: int) -> str:
        """The instruction at a line without comments and surplus blanks; '' where there is no such line."""
        if not 1 <= line <= len(self._lines):
            return ""
        shown = " ".join(self._lines[line - 1].partition("//")[0].split())
        return shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 3] + "..."

    def source(self, line: int) -> str:
        """`fold.h:7, inlined at kernel.cu:7`, with the paths that the compiler wrote; '' where it wrote none."""
        source = self._sources.get(line)
        return source.text if source else ""

    def place(self, line: int) -> str:
        """`PTX line 12 (kernel.cu:7)`."""
        source = self._sources.get(line)
        if source is None:
            return f"PTX line {line}"
        return f"PTX line {line} ({', inlined at '.join(f'{PurePath(p.file).name}:{p.line}' for p in source.places)})"

    def whole(self, line: int) -> str:
        """`PTX line 12 (kernel.cu:7): st.shared.u32 [%r1], %r2;`."""
        text = self.text(line)
        return self.place(line) + (f": {text}" if text else "")
