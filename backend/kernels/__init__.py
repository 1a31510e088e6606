"""The programs that write the shipped PTX: one module per stem, each with `emit() -> str`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from spec.contracts import STEMS
from spec.stems import part

PTX_FOLDER = Path(__file__).resolve().parent.parent / "ptx"


def emit(stem: str) -> str:
    """The PTX module of a stem, as text; the same text every time."""
    write: Callable[[], str] = part("backend.kernels", stem, "emit")
    return write()


def ptx_path(stem: str) -> Path:
    """Where the shipped PTX of a stem lies."""
    return PTX_FOLDER / f"{stem}.ptx"


__all__ = ["PTX_FOLDER", "STEMS", "emit", "ptx_path"]
