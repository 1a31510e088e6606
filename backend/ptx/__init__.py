"""The shipped PTX, one file a stem."""

from __future__ import annotations

from importlib.resources import files

from spec.errors import BadInput


def load(stem: str) -> str:
    """The text of backend/ptx/<stem>.ptx, byte for byte as shipped; BadInput with the stems there are, otherwise."""
    place = files(__name__) / f"{stem}.ptx"
    if not place.is_file():
        have = sorted(p.name.removesuffix(".ptx") for p in files(__name__).iterdir() if p.name.endswith(".ptx"))
        raise BadInput(f"no shipped kernel {stem!r}; have {', '.join(have) or 'none'}")
    return place.read_bytes().decode("ascii")
