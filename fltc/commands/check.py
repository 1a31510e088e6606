"""`fltc check`: anybody's PTX, under assumptions given as flags and printed with the verdict."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fltc.output import check_place, progress, stdout, write_json
from fltc.render import print_report
from spec.errors import BadInput

if TYPE_CHECKING:
    from fltc.flags import Flags
    from proofs.check.answers import AnswerStore
    from proofs.check.request import CheckRequest
    from proofs.results import Report

_FATBIN = 0xBA55ED50.to_bytes(4, "little")
_ELF, _MACHINE, _CUDA = b"\x7fELF", slice(18, 20), (190).to_bytes(2, "little")  # e_machine, EM_CUDA of elf.h
_TAKE_OUT = "take the PTX out of it, if it holds some: cuobjdump -xptx all {}, or translate the source: nvcc -ptx"

Sizes = tuple[int | str | None, ...]


def run(
    file: Path, flags: Flags, *, jobs: int, no_store: bool, shard: str | None, sarif_file: Path | None,
    json_file: Path | None,
) -> int:
    """Print the report, write it if asked, and return its exit code."""
    text = read_ptx(file)
    for place in (json_file, sarif_file):
        if place is not None:
            check_place(place)
    request = request_of(file, text, flags, shard=(1, 1) if shard is None else part_of(shard))
    from proofs.check.report import check

    with progress("check") as on_progress:
        report: Report = check(
            request,
            jobs=jobs or os.cpu_count() or 1,
            store=None if no_store else _store(),
            on_progress=on_progress,
        )
    if json_file is not None:
        write_json(json_file, report.to_json())
    if sarif_file is not None:
        from fltc.sarif import sarif_log

        write_json(sarif_file, sarif_log(report, file))
    print_report(stdout(), report)
    return report.exit_code


def request_of(file: Path, text: str, flags: Flags, shard: tuple[int, int] = (1, 1)) -> CheckRequest:
    """What is asked of a file; BadInput for sizes and lists that cannot be read."""
    from proofs.check.request import CheckRequest
    from spec.contracts.model import MAX_BLOCK, MAX_GRID

    return CheckRequest(
        path=str(file),
        text=text,
        entry=flags.entry,
        block=None if flags.block is None else sizes("--block", flags.block, MAX_BLOCK),
        grid=None if flags.grid is None else sizes("--grid", flags.grid, MAX_GRID),
        assumes=flags.assumes,
        buffers=flags.buffers,
        names=() if flags.names is None else parts("--names", flags.names),
        may_alias=tuple(pair("--may-alias", value) for value in flags.may_alias),
        facts=flags.facts,
        covers=flags.covers,
        hints=flags.hints,
        allow_exited=flags.allow_exited,
        effort=flags.effort,
        shard=shard,
    )


def _store() -> AnswerStore | None:
    """Answers of earlier runs in the user's cache folder; if it cannot be used, a note says so."""
    from proofs.check.answers import AnswerStore, default_folder, open_store

    folder = default_folder(os.environ)
    found = "there is no home folder" if folder is None else open_store(folder)
    if isinstance(found, AnswerStore):
        return found
    print(f"fltc: answers are not kept: {found} (--no-store: do not try)", file=sys.stderr)
    return None


def read_ptx(file: Path) -> str:
    """The text of a PTX file; BadInput if it cannot be read or is not text."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror or error}") from error
    if not data.strip():
        raise BadInput(f"{file} is empty; expected PTX, which begins with .version")
    if data.startswith(_FATBIN):
        raise BadInput(f"{file} is a fatbin, not PTX; {_TAKE_OUT.format(file)}")
    if data.startswith(_ELF):
        if data[_MACHINE] == _CUDA:
            raise BadInput(f"{file} is a cubin, machine code without PTX; translate its source again: nvcc -ptx")
        raise BadInput(f"{file} is an ELF file (a program, library or object), not PTX; {_TAKE_OUT.format(file)}")
    if b".version" not in data and b"__global__" in data:
        raise BadInput(f"{file} is CUDA source, not PTX; translate it first: nvcc -ptx -lineinfo {file}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{file}:{line}: byte 0x{data[error.start]:02x} is not text; is this a PTX file?") from error


def part_of(value: str) -> tuple[int, int]:
    """`I/N` as two numbers, I from 1 to N."""
    index, slash, count = value.partition("/")
    if not (slash and index.isascii() and index.isdigit() and count.isascii() and count.isdigit()):
        raise BadInput(f"--shard {value}: expected I/N, such as 1/4")
    if len(count) > 6 or not 1 <= int(index) <= int(count):
        raise BadInput(f"--shard {value}: I is a number from 1 to N, and N has at most 6 digits")
    return int(index), int(count)


def sizes(flag: str, value: str, limits: Sequence[int]) -> Sizes:
    """`X[,Y,Z]` as three sizes: a number, an expression over parameters, or None (symbolic) where nothing stands."""
    given = parts(flag, value)
    if len(given) > len(limits):
        raise BadInput(f"{flag} {value}: {len(given)} sizes given, at most {len(limits)} (x,y,z)")
    found: list[int | str | None] = [None] * len(limits)
    for axis, (size, limit) in enumerate(zip(given, limits, strict=False)):
        if not (size.isascii() and size.isdigit()):
            found[axis] = size
            continue
        if not 1 <= int(size) <= limit:
            raise BadInput(f"{flag} {value}: {'xyz'[axis]} is {size}, the hardware takes 1 to {limit}")
        found[axis] = int(size)
    return tuple(found)


def parts(flag: str, value: str) -> tuple[str, ...]:
    """The items between commas outside parentheses; BadInput if one is empty."""
    items, depth = [""], 0
    for char in value:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            items.append("")
        else:
            items[-1] += char
    stripped = tuple(item.strip() for item in items)
    if "" in stripped:
        raise BadInput(f"{flag} {value!r}: an item between commas is empty")
    return stripped


def pair(flag: str, value: str) -> tuple[str, str]:
    names = parts(flag, value)
    if len(names) != 2 or names[0] == names[1]:
        raise BadInput(f"{flag} {value}: expected two different parameter names, A,B")
    return names[0], names[1]
