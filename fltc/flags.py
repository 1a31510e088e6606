"""The flags that say what is assumed of a PTX file, the same for every command that asks for a proof of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from spec.errors import BadInput

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE.ptx", help="PTX from anywhere: nvcc, Triton, hand-written.")
]
EntryOption = Annotated[
    list[str] | None, typer.Option("--entry", metavar="E", help="The entry; default: all of them.")
]
BlockOption = Annotated[
    list[str] | None, typer.Option("--block", metavar="X[,Y,Z]", help="Block size; symbolic where not given.")
]
GridOption = Annotated[
    list[str] | None, typer.Option("--grid", metavar="X[,Y,Z]", help="Grid size; symbolic where not given.")
]
AssumeOption = Annotated[
    list[str] | None, typer.Option("--assume", metavar="EXPR", help="A fact about parameters; may be repeated.")
]
BufferOption = Annotated[
    list[str] | None,
    typer.Option("--buffer", metavar="P=f32[n]:r", help="What a pointer parameter names; may be repeated."),
]
NamesOption = Annotated[
    list[str] | None, typer.Option("--names", metavar="A,B,C", help="Names of the parameters, in order.")
]
MayAliasOption = Annotated[
    list[str] | None, typer.Option("--may-alias", metavar="A,B", help="Two buffers that may overlap; repeatable.")
]
FactOption = Annotated[
    list[str] | None,
    typer.Option("--fact", metavar="FACT", help="What a buffer holds: 'table[i] in [0, blocks)'; repeatable."),
]
CoversOption = Annotated[
    list[str] | None,
    typer.Option("--covers", metavar="BUFFER", help="Every element of this buffer must be written; repeatable."),
]
HintOption = Annotated[
    list[str] | None,
    typer.Option("--hint", metavar="HINT", help="May help, and is proved: 'loop L1: %r2 <= n'; repeatable."),
]
AllowExitedOption = Annotated[
    bool, typer.Option("--allow-exited", help="A thread that has exited is not missing at a barrier.")
]
EffortOption = Annotated[
    int, typer.Option("--effort", metavar="N", help="How much work an entry may cost; about seconds of a core.")
]
JobsOption = Annotated[int, typer.Option("--jobs", min=0, metavar="N", help="Processes; 0: one for each CPU.")]
JsonOption = Annotated[Path | None, typer.Option("--json", metavar="F", help="Also write the report to F as JSON.")]


@dataclass(frozen=True)
class Flags:
    """The flags as they were typed."""

    entry: str | None
    block: str | None
    grid: str | None
    assumes: tuple[str, ...]
    buffers: tuple[str, ...]
    names: str | None
    may_alias: tuple[str, ...]
    facts: tuple[str, ...]
    covers: tuple[str, ...]
    hints: tuple[str, ...]
    allow_exited: bool
    effort: int

    def words(self) -> tuple[str, ...]:
        """The flags as a command line has them, but for the effort."""
        once = (("--entry", self.entry), ("--block", self.block), ("--grid", self.grid), ("--names", self.names))
        found = [word for flag, value in once if value is not None for word in (flag, value)]
        for flag, values in (
            ("--assume", self.assumes), ("--buffer", self.buffers), ("--may-alias", self.may_alias),
            ("--fact", self.facts), ("--covers", self.covers), ("--hint", self.hints),
        ):  # fmt: skip
            found += [word for value in values for word in (flag, value)]
        return (*found, *(["--allow-exited"] if self.allow_exited else []))


def flags_of(
    entry: list[str] | None, block: list[str] | None, grid: list[str] | None, assume: list[str] | None,
    buffer: list[str] | None, names: list[str] | None, may_alias: list[str] | None, facts: list[str] | None,
    covers: list[str] | None, hint: list[str] | None, allow_exited: bool, effort: int,
) -> Flags:  # fmt: skip
    """What the command line gave; BadInput where a flag that means something only once is given again."""
    return Flags(
        _once("--entry", entry), _once("--block", block), _once("--grid", grid), tuple(assume or ()),
        tuple(buffer or ()), _once("--names", names), tuple(may_alias or ()), tuple(facts or ()), tuple(covers or ()),
        tuple(hint or ()), allow_exited, effort,
    )  # fmt: skip


def _once(flag: str, values: list[str] | None) -> str | None:
    """The value of a flag that means something only once; the library would silently take the last one."""
    if values and len(values) > 1:
        raise BadInput(f"{flag} is given {len(values)} times: {', '.join(values)}; give it once")
    return values[0] if values else None
