"""What an enumeration of a tile leaves behind, for the audit to go through again: its stores and how wide it is."""

from __future__ import annotations

from typing import Any

from proofs.claims.model import Claim
from proofs.claims.tiles import parts_of_tile
from proofs.enumeration import Apart, Enumerator, enumerate_claim
from proofs.terms import Poly, Symbol

VERSION = 1


def tile_json(claim: Claim, given: Enumerator, entry: str, ptx_sha256: str) -> dict[str, Any] | None:
    """The content of the file, or None: the claim does not hold by enumeration, or is not about rows and columns."""
    if not isinstance(claim.finite, Apart) or any(isinstance(s, Symbol) for s in given.block.sizes):
        return None
    stores = [access for access, _ in claim.subjects]
    parts = parts_of_tile(given.problem, stores[0], stores[1]) if len(stores) == 2 else None
    if parts is None or any(a.plane != Poly({}) for a in stores) or not enumerate_claim(given, claim.finite).holds:
        return None
    _, row, column = parts
    return {
        "version": VERSION, "entry": entry, "claim": claim.name, "ptx_sha256": ptx_sha256,
        "sites": [
            {"access": a.id, "row": a.row.text, "column": a.column.text, "count": a.count} for a in stores
        ],
        "tile": {
            name: {"symbol": "" if part.block is None else part.block.name, "weight": part.extent}
            for name, part in (("row", row), ("column", column))
        },
    }  # fmt: skip
