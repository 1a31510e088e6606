"""Which checkout a command works on."""

from __future__ import annotations

from pathlib import Path

from spec.errors import BadInput

SHIPPED = Path("backend/ptx")


def checkout(given: Path | None) -> Path:
    """The folder given, or else the nearest one at or above the current folder that ships PTX; BadInput otherwise."""
    if given is not None:
        if not (given / SHIPPED).is_dir():
            raise BadInput(f"--root {given}: no folder {SHIPPED} in it; give the top of an fltc checkout")
        return given.resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / SHIPPED).is_dir():
            return folder
    raise BadInput(f"{here} is not inside an fltc checkout; go to one, or name it with --root DIR")
