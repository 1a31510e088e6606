"""The shipped PTX, one file a stem."""

from __future__ import annotations

from importlib.resources import files

from spec.contracts import STEMS
from spec.errors import BadInput, MissingPart


def load(stem: str) -> str:
    """The text of backend/ptx/<stem>.ptx, byte for byte as shipped.

    Raises:
        MissingPart: the stem is registered, its PTX is not written yet.
        BadInput: there is no such stem; names those there are.
    """
    place = files(__name__) / f"{stem}.ptx"
    if not place.is_file() and stem in STEMS:
        words = f"`make ptx` writes it from backend/kernels/{stem}.py"
        raise MissingPart(f"{stem}: there is no backend/ptx/{stem}.ptx; {words}")
    if not place.is_file():
        have = sorted(p.name.removesuffix(".ptx") for p in files(__name__).iterdir() if p.name.endswith(".ptx"))
        raise BadInput(f"no shipped kernel {stem!r}; have {', '.join(have) or 'none'}")
    return place.read_bytes().decode("ascii")
