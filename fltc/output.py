"""What commands write: consoles, progress, and JSON files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from common.files import write_atomic
from spec.errors import BadInput

WIDTH_OF_A_FILE = 120

OnProgress = Callable[[int, int, str], None]


def stdout() -> Console:
    """The console for results: coloured on a terminal, plain and wide in a file or a pipe."""
    console = Console(highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(highlight=False, width=WIDTH_OF_A_FILE)


@contextmanager
def progress(what: str) -> Iterator[OnProgress]:
    """A callback (done, total, current item) that draws a bar on stderr if that is a terminal, else draws nothing."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        def on_progress(done: int, total: int, item: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{what} {item}".rstrip())

        yield on_progress


def check_place(path: Path) -> None:
    """BadInput if nothing can be written there; asked before long work, so that no result of it is lost."""
    folder = path.absolute().parent
    if path.is_dir():
        raise BadInput(f"cannot write {path}: it is a folder; name a file")
    if not folder.exists():
        raise BadInput(f"cannot write {path}: there is no folder {folder}; make it first")
    if not folder.is_dir():
        raise BadInput(f"cannot write {path}: {folder} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"cannot write {path}: no permission to write in {folder}")


def write_json(path: Path, value: Mapping[str, object]) -> None:
    """Write a JSON file in one step; BadInput if the place does not take it."""
    try:
        write_atomic(path, json.dumps(value, indent=2) + "\n")
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error
