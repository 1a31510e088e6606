"""Stores of different threads to one tile of a matrix, as a question for enumeration.

Where each coordinate is `W*B + r`, B a number of the block and r one of the thread with 0 <= r <= W - count, accesses
can only meet where the B are equal, that is in one tile. What is left is whether they meet inside of it, where rows lie
behind each other: in `r_row * W_column + r_column` two accesses meet iff they meet in every coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from proofs.claims.model import FIRST, GRID_SCOPES, SECOND, identity
from proofs.enumeration.question import Apart
from proofs.problem import Problem
from proofs.query import Copy
from proofs.records import Access
from proofs.terms import BLOCK, THREAD, Poly, Symbol, SymbolAtom

MAX_TILE = 2**20


@dataclass(frozen=True)
class Part:
    """A coordinate inside of its tile: of the first access, of the second, and how many values there are."""

    first: Poly
    second: Poly
    extent: int
    block: Symbol | None


def tile_question(problem: Problem, a: Access, b: Access) -> Apart | None:
    """That two stores never write the same element; of one store, that different threads do not. None: no tile."""
    parts = parts_of_tile(problem, a, b)
    if parts is None:
        return None
    threads = [s for s in identity(problem, GRID_SCOPES) if s.scope == THREAD]
    blocks = {s.name for s in identity(problem, GRID_SCOPES) if s.scope == BLOCK}
    if a.id == b.id and blocks - {p.block.name for p in parts if p.block is not None}:
        return None  # two blocks may have the same tile
    plane, row, column = parts
    if plane.extent * row.extent * column.extent > MAX_TILE:
        return None
    places = [
        (p * row.extent + r) * column.extent + c
        for p, r, c in ((plane.first, row.first, column.first), (plane.second, row.second, column.second))
    ]
    # Of the conditions nothing is used: they may speak of blocks, which need not be the same.
    first, second = (
        replace(x, id=f"{x.id}.tile", at=replace(x.at, control=(), facts=()), address=place, width=x.count)
        for x, place in zip((a, b), places, strict=True)
    )
    excused = tuple(Poly.symbol(s) for s in threads) if a.id == b.id else None
    return Apart((first, _one(FIRST)), (second, _one(SECOND)), excused)


def parts_of_tile(problem: Problem, a: Access, b: Access) -> list[Part] | None:
    """Plane, row and column of two stores inside of their tile; None if they have no tile in common."""
    if a.buffer != b.buffer or a.flat or b.flat or a.at.loops or b.at.loops:
        return None
    parts = []
    for x, y, count in ((a.plane, b.plane, 1), (a.row, b.row, 1), (a.column, b.column, max(a.count, b.count))):
        part = _part(problem, x, y, count)
        if part is None:
            return None
        parts.append(part)
    return parts


def _one(mark: str) -> Copy:
    return Copy(mark, frozenset({THREAD}))


def _part(problem: Problem, x: Poly, y: Poly, count: int) -> Part | None:
    (tile, inside), (other, beside) = _parted(x), _parted(y)
    if tile != other:
        return None
    allowed = {s.name for s in identity(problem, GRID_SCOPES) if s.scope == THREAD}
    if any(s.name not in allowed for s in inside.symbols() | beside.symbols()):
        return None
    (low, high), (least, most) = inside.interval, beside.interval
    if low is None or high is None or least is None or most is None or min(low, least) < 0:
        return None
    extent = max(high, most) + count
    if not tile.terms:
        return Part(inside, beside, extent, None)
    ((monomial, weight),) = tile.terms.items() if len(tile.terms) == 1 else (((), 0),)
    if len(monomial) != 1 or not isinstance(monomial[0], SymbolAtom) or weight < extent:
        return None
    return Part(inside, beside, weight, monomial[0].symbol)


def _parted(term: Poly) -> tuple[Poly, Poly]:
    """What a number of the block alone adds, and the rest."""
    tile = {m: c for m, c in term.terms.items() if m and all(s.scope == BLOCK for a in m for s in a.symbols())}
    return Poly(tile), Poly({m: c for m, c in term.terms.items() if m not in tile})
