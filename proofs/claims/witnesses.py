"""Which stores may write an element: those of whole elements whose coordinates are sums of digits (`digits.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from proofs.claims.digits import Coordinate, coordinate, parts_of
from proofs.claims.rounds import ROUND, Rounds, split_rounds
from proofs.problem import BufferTerms, Problem
from proofs.records import Access, Point, Records
from proofs.terms import THREAD, Cond, Poly, Symbol


@dataclass(frozen=True)
class Witness:
    """How one store finds the thread for an element: digits of each coordinate, and what is left over.

    Stores whose columns differ by a constant share their digits; `shift` is what this store takes off the smallest one.
    `parts` are numbers whose quotients and remainders the access speaks of; in `access` they are sums of parts.
    `rounds`: how the column counts the rounds of a loop that was split; its digits then name a round of that loop.
    """

    access: Access
    row: Coordinate
    column: Coordinate
    plane: Coordinate
    shift: int
    parts: Mapping[Symbol, Poly]
    rounds: Rounds | None = None

    @property
    def group(self) -> str:
        """Witnesses of one group share their digits."""
        return " | ".join((self.row.text, self.column.text, self.plane.text))


def witnesses(problem: Problem, records: Records, buffer: str) -> list[Witness]:
    """The stores to a buffer whose coordinates are sums of digits."""
    stores = [_in_parts(problem, whole) for whole in whole_stores(problem, records, buffer)]
    found = [w for access, parts in stores if (w := _witness(problem, access, parts)) is not None]
    if len(found) == len(stores) and not any(_of_threads(w) for w in found):
        return found
    columns = [access.column for access, _ in stores]
    names = [free_symbols(problem, access, parts) for access, parts in stores]
    loops = [{n: s for n, s in free.items() if s.kind == "iteration"} for free in names]
    split: list[Rounds | None] = [None] * len(stores)
    # The parts of a loop that was split store alike: a loop over vectors beside one over elements is another one.
    for count in {access.count for access, _ in stores}:
        alike = [i for i, (access, _) in enumerate(stores) if access.count == count]
        of_these = split_rounds([columns[i] for i in alike], [loops[i] for i in alike], [names[i] for i in alike])
        for i, rounds in zip(alike, of_these, strict=True):
            split[i] = rounds
    if all(r is None or (r.step == 1 and not r.offset.terms) for r in split):
        return found
    both = [
        (_witness(problem, access, parts, rounds) if rounds else None) or _witness(problem, access, parts)
        for (access, parts), rounds in zip(stores, split, strict=True)
    ]
    return [w for w in both if w is not None]


def whole_stores(problem: Problem, records: Records, buffer: str) -> list[Access]:
    """The stores to a buffer, each as one of the elements that it writes whole."""
    return [
        whole for a in records.accesses if a.kind == "write" and a.buffer == buffer and a.space == "global"
        and (whole := _of_whole_elements(problem.buffers[buffer], a)) is not None
    ]  # fmt: skip


def _of_threads(witness: Witness) -> bool:
    """Whether digits begin where a thread's own unknown says, so that they do not name the thread."""
    offsets = (c.offset for c in (witness.row, witness.column, witness.plane))
    return any(s.scope == THREAD for offset in offsets for s in offset.symbols())


def _of_whole_elements(buffer: BufferTerms, access: Access) -> Access | None:
    """The store as one of the elements that it writes whole; None if it may write parts only."""
    inside = access.count > -(-access.width // buffer.element_bytes)
    count = access.width // buffer.element_bytes
    return None if inside or not count else replace(access, count=count)


def items_of(access: Access) -> list[Poly | Cond]:
    """What a store speaks of."""
    return [access.plane, access.row, access.column, *access.at.control, *access.at.facts]


def _numbers(problem: Problem) -> dict[str, Symbol]:
    registers = [f"%{r}.{a}" for r in ("ctaid", "tid") for a in ("x", "y", "z")]
    return {s.name: s for r in registers for s in problem.specials[r].symbols()}


def free_symbols(problem: Problem, witness: Access, parts: Mapping[Symbol, Poly]) -> dict[str, Symbol]:
    """What a witness may choose: thread, block, and the rounds of the loops around the store."""
    names: dict[str, Symbol] = {}
    for name, symbol in _numbers(problem).items():
        names |= {s.name: s for s in parts[symbol].symbols()} if symbol in parts else {name: symbol}
    loops = {f"k@{loop}" for loop in witness.at.loops}
    for item in items_of(witness):
        names |= {s.name: s for s in item.symbols() if s.name in loops}
    return names


def _witness(
    problem: Problem, access: Access, parts: Mapping[Symbol, Poly], rounds: Rounds | None = None
) -> Witness | None:
    free = free_symbols(problem, access, parts)
    if rounds is not None:
        free = {n: s for n, s in free.items() if s != rounds.loop} | {ROUND.name: ROUND}
    terms = (access.row, access.column if rounds is None else rounds.term, access.plane)
    row, column, plane = (coordinate(term, free) for term in terms)
    if row is None or column is None or plane is None:
        return None
    names = [d.symbol.name for c in (row, column, plane) for d in c.digits]
    if len(set(names)) < len(names):
        return None
    shift = 0
    if column.sign > 0:
        constant = column.offset.terms.get((), 0)
        if len(column.digits) > 1 and (above := column.digits[1].weight.value) is not None:
            constant %= above
        if column.digits and (weight := column.digits[0].weight.value) is not None:
            column, shift = replace(column, offset=column.offset - constant), constant // weight
    return Witness(access, row, column, plane, shift, parts, rounds)


def _in_parts(problem: Problem, access: Access) -> tuple[Access, dict[Symbol, Poly]]:
    """The store in terms of the parts of thread and block numbers that it speaks of, and those parts."""
    parts = parts_of(_numbers(problem).values(), items_of(access))
    at = access.at
    point = Point(
        at.line, tuple(c.substitute(parts) for c in at.control), tuple(c.substitute(parts) for c in at.facts), at.loops,
        at.place,
    )
    row, column, plane = (p.substitute(parts) for p in (access.row, access.column, access.plane))
    return replace(access, at=point, row=row, column=column, plane=plane), parts
