"""Places of an entry's text as a reader looks for them: the PTX line, and the source line where `.loc` gives one."""

from __future__ import annotations

from functools import cached_property
from pathlib import PurePath

from proofs.problem import Problem

MAX_SHOWN = 100  # characters of an instruction that are shown


class Places:
    """The lines of one entry in words."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @cached_property
    def _lines(self) -> list[str]:
        return self.problem.module.text.splitlines()

    @cached_property
    def _sources(self) -> dict[int, tuple[str, int]]:
        return {
            i.line: (i.source.file, i.source.line)
            for i in self.problem.function.instructions() if i.source is not None
        }  # fmt: skip

    def text(self, line: int) -> str:
        """The instruction at a line without comments and surplus blanks; '' where there is no such line."""
        if not 1 <= line <= len(self._lines):
            return ""
        shown = " ".join(self._lines[line - 1].partition("//")[0].split())
        return shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 3] + "..."

    def source(self, line: int) -> str:
        """`kernel.cu:7` of a PTX line, with the path that the compiler wrote; '' where it wrote none."""
        file, number = self._sources.get(line, ("", 0))
        return f"{file}:{number}" if file else ""

    def place(self, line: int) -> str:
        """`PTX line 12 (kernel.cu:7)`."""
        file, number = self._sources.get(line, ("", 0))
        return f"PTX line {line}" + (f" ({PurePath(file).name}:{number})" if file else "")

    def whole(self, line: int) -> str:
        """`PTX line 12 (kernel.cu:7): st.shared.u32 [%r1], %r2;`."""
        text = self.text(line)
        return self.place(line) + (f": {text}" if text else "")
