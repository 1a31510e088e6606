"""Claims that stores to a matrix do not meet, decided by going through the threads of one tile.

Where each coordinate is `weight * B + r`, B a number of the block and r one of the thread, 0 <= r <= weight - width,
stores of blocks that differ in B are apart. What is worked out here: that the coordinates in the records are of that
form with the weights of the file, that every thread stays inside its tile, and that within it no two threads meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from verifier.canonical import polynomial
from verifier.conditions import GRID, Subject
from verifier.enumeration import MAX_LANES, TooLarge, read_number, read_site_term
from verifier.findings import Unreadable
from verifier.forms import Form, value
from verifier.manifest import read_json
from verifier.records import Access
from verifier.terms import Name, Term, show

COORDINATES = ("row", "column")


@dataclass(frozen=True)
class Site:
    """One store: its coordinates, and how many elements of a row it writes."""

    access: str
    row: Term
    column: Term
    count: int


@dataclass(frozen=True)
class Tile:
    """What a coordinate adds for the block: weight * symbol; a symbol of '' where the block has no part in it."""

    symbol: str
    weight: int

    @property
    def begin(self) -> Term:
        return ("*", self.weight, Name(self.symbol)) if self.symbol else 0


@dataclass(frozen=True)
class Tiled:
    """What was enumerated."""

    entry: str
    claim: str
    ptx_sha256: str
    sites: tuple[Site, ...]
    tile: Mapping[str, Tile]


def read_tiled(text: str, where: str) -> Tiled:
    """The file's content; Unreadable for anything outside the format."""
    data = read_json(text, where)
    if not isinstance(data, dict) or set(data) != {"version", "entry", "claim", "ptx_sha256", "sites", "tile"}:
        raise Unreadable(f"{where}: not an enumeration of a tile")
    try:
        sites = tuple(_site(s, where) for s in data["sites"])
        tile = {c: _tile(data["tile"][c], where) for c in COORDINATES}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{where}: not an enumeration of a tile: {error!r}") from None
    if data["version"] != 1 or len(sites) != 2 or len(data["tile"]) != 2:
        raise Unreadable(f"{where}: not an enumeration of a tile of version 1, with two stores and two coordinates")
    return Tiled(str(data["entry"]), str(data["claim"]), str(data["ptx_sha256"]), sites, tile)


def _site(data: Any, where: str) -> Site:
    if set(data) != {"access", "row", "column", "count"}:
        raise Unreadable(f"{where}: not a store")
    row, column = (read_site_term(data[c], where) for c in COORDINATES)
    return Site(str(data["access"]), row, column, read_number(data["count"], where))


def _tile(data: Any, where: str) -> Tile:
    if set(data) != {"symbol", "weight"} or not isinstance(data["symbol"], str):
        raise Unreadable(f"{where}: not a tile: {data!r}")
    return Tile(data["symbol"], read_number(data["weight"], where))


def objections(found: Tiled, claim: str, subject: Subject, digest: str) -> Iterator[str]:
    """Where the file speaks of something else than the claim, or its stores are not those of tiles."""
    if (found.entry, found.claim, found.ptx_sha256) != (subject.entry.name, claim, digest):
        yield "enumerates another claim, entry or PTX"
    accesses = [subject.records.accesses.get(site.access) for site in found.sites]
    if claim != "writers." + ".".join(site.access for site in found.sites):
        yield f"speaks of other stores than {claim}"
    for site, access in zip(found.sites, accesses, strict=True):
        if access is None or access.space != "global" or access.kind != "write":
            yield f"{site.access} is no store to global memory"
            return
        yield from _as_recorded(site, access)
    first, second = (a for a in accesses if a is not None)
    if first.buffer != second.buffer or first.buffer in subject.contract.rewrites:
        yield f"the stores of {claim} are not to one buffer whose elements are written once"
    blocks = [name for name in subject.identity(GRID) if name.startswith("ctaid.")]
    used = [tile.symbol for tile in found.tile.values() if tile.symbol]
    if any(name not in blocks for name in used) or len(set(used)) < len(used):
        yield f"tiles of {' and '.join(used)}: they must be numbers of the block, each in one coordinate"
    if first.id == second.id and set(blocks) - set(used):
        yield f"blocks that differ only in {', '.join(sorted(set(blocks) - set(used)))} have the same tile"


def _as_recorded(site: Site, access: Access) -> Iterator[str]:
    if access.loops:
        yield f"{access.id} is made in a loop, whose rounds are not gone through"
    same = polynomial(site.row) == polynomial(access.row) and polynomial(site.column) == polynomial(access.column)
    if not same or site.count != access.count:
        where = f"row {show(site.row)[:80]}, column {show(site.column)[:80]}"
        yield f"{access.id} is {site.count} elements at {where}, which the records do not say"


def refuted(found: Tiled, subject: Subject) -> str:
    """What speaks against the claim, or ''. TooLarge, or Open for a coordinate that is not followed."""
    x, y, z = subject.contract.block
    threads = list(product(range(x), range(y), range(z)))
    if len(threads) * sum(site.count for site in found.sites) > MAX_LANES:
        raise TooLarge(f"more than {MAX_LANES} elements of one tile")
    inside = [[_inside(site, found.tile, dict(zip(("tid.x", "tid.y", "tid.z"), t, strict=True))) for t in threads]
              for site in found.sites]  # fmt: skip
    owners: dict[tuple[int, int], tuple[int, ...]] = {}
    same = found.sites[0].access == found.sites[1].access
    for number, (site, places) in enumerate(zip(found.sites, inside, strict=True)):
        for thread, (row, column) in zip(threads, places, strict=True):
            for coordinate, at, width in (("row", row, 1), ("column", column, site.count)):
                tile = found.tile[coordinate]
                if tile.symbol and not 0 <= at <= tile.weight - width:
                    return f"thread {thread} leaves its tile: {coordinate} {at} of {tile.weight}"
            if number and same:
                continue
            for at in range(column, column + site.count):
                other = owners.get((row, at))
                if other is not None and (not same or other != thread) and (same or number):
                    return f"threads {other} and {thread} write row {row}, column {at} of a tile"
                if not number:
                    owners[row, at] = thread
    return ""


def _inside(site: Site, tile: Mapping[str, Tile], thread: Mapping[str, int]) -> tuple[int, int]:
    """The coordinates of a store inside of its tile."""
    values = {name: Form.of(number) for name, number in thread.items()}
    terms = {"row": site.row, "column": site.column}
    row, column = (value(("-", terms[c], tile[c].begin), values, {}).constant() for c in COORDINATES)
    return row, column
