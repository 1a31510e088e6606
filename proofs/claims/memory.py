"""Claims about one access: it lies in the logical shape of its buffer, aligned to its width; power gates it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from proofs.claims.model import Claim, Items, domain, known
from proofs.enumeration.question import Everywhere, Question
from proofs.problem import BufferTerms, Problem
from proofs.query import ONE, Hypothesis, Query, build
from proofs.records import Access, Records
from proofs.terms import Cond, DivAtom, ModAtom, Poly, conj, disj, eq, integer, le, lt, modulo, negate, same
from spec.contracts.model import ACTIVE

HALF = 2**63


def memory_claims(problem: Problem, records: Records) -> list[Claim]:
    """split, bounds, align and power claims of every access; rows claims of every buffer."""
    claims: list[Claim] = []
    for access in records.accesses:
        if access.space in ("shared", "local"):
            claims.append(_shared_bounds(problem, access))
        else:
            buffer = problem.buffers[access.buffer]
            if buffer.columns is not None:
                claims += inside(problem, access, buffer)
            else:
                claims.append(_offset(problem, access))
        if access.width > 1:
            claims.append(_align(problem, access))
        if problem.power is not None and access.writes and access.space == "global":
            claims.append(_power(problem, access))
    claims += _permissions(problem, records)
    claims += [_rows(problem, b) for b in problem.buffers.values() if b.leading is not None]
    return claims


def _permissions(problem: Problem, records: Records) -> list[Claim]:
    """What no launch may do: write a buffer declared read-only, or read through .nc what the launch writes."""
    written = {a.buffer for a in records.accesses if a.writes and a.space == "global"}
    claims = []
    for a in records.accesses:
        if a.space != "global":
            continue
        if a.writes and "w" not in problem.buffers[a.buffer].access:
            words = "a buffer declared read-only is not written"
            claims.append(at_access(problem, a, f"writable.{a.id}", "bounds", words, "false", []))
        mine = {b for b in written if problem.alias_of(a.buffer, b)}
        if a.readonly and mine:
            written_here = ", ".join(sorted(mine))
            words = f"{a.buffer}, read through .nc, does not change during the launch, which writes {written_here}"
            claims.append(at_access(problem, a, f"constant.{a.id}", "race", words, "false", []))
    return claims


def at_access(
    problem: Problem, access: Access, name: str, obligation: str, words: str,
    goal: str | Callable[[], tuple[str, Items]], items: Items,
    more: list[Hypothesis] | None = None, splits: Sequence[Poly] = (), finite: Question | None = None,
    aim: Cond | None = None,
) -> Claim:
    """A claim under what is known at an access. The goal may be given as what makes it, and the terms in it.

    `aim` is the same as a condition.
    """
    comment = (
        f"{obligation}: {words}", f"PTX line {access.at.line}: {access.kind} of {access.width} bytes, "
        f"{access.space} {access.buffer}",
    )

    def query(linear: bool) -> Query:
        here = [*(more or []), *known(access.at)]
        text, terms = goal() if callable(goal) else (goal, items)
        return build(name, comment, [*domain(problem, linear=linear), *here], text, terms, splits=splits, aim=aim)

    given = (query(False), query(True)) if finite is None else (lambda: query(False), lambda: query(True))
    return Claim(
        name, obligation, (access.at.line,), given[0], words, given[1], subjects=((access, ONE),), finite=finite
    )


def _split(problem: Problem, access: Access, buffer: BufferTerms) -> Claim:
    parts = []
    items: Items = [access.address, Poly.symbol(buffer.base), access.row, access.column]
    if buffer.planes is not None and buffer.plane_stride is not None:
        parts.append(f"(* {access.plane.text} {buffer.plane_stride.text})")
        items += [access.plane, buffer.plane_stride]
    if buffer.leading is not None:
        parts.append(f"(* {access.row.text} {buffer.leading.text})")
        items.append(buffer.leading)
    element = f"(+ {' '.join(parts)} {access.column.text})" if parts else access.column.text
    base = Poly.symbol(buffer.base)
    goal = f"(= {access.address.text} (+ {base.text} (* {buffer.element_bytes} {element})))"
    index = access.column if buffer.leading is None else access.row * buffer.leading + access.column
    if buffer.planes is not None and buffer.plane_stride is not None:
        index = access.plane * buffer.plane_stride + index
    words = "the address is that of element (row, column)"
    aim = same(access.address, base + index * buffer.element_bytes)
    return at_access(problem, access, f"split.{access.id}", "bounds", words, goal, items, aim=aim)


def inside(problem: Problem, access: Access, buffer: BufferTerms) -> list[Claim]:
    """That an access to a declared buffer is one to elements of its logical shape."""
    return [_split(problem, access, buffer), _bounds(problem, access, buffer)]


def _bounds(problem: Problem, access: Access, buffer: BufferTerms) -> Claim:
    columns = buffer.flat if access.flat else buffer.columns
    assert columns is not None
    parts = [f"(<= 0 {access.column.text})", f"(<= (+ {access.column.text} {access.count}) {columns.text})"]
    items: Items = [access.column, columns]
    aim = [le(0, access.column), le(access.column + access.count, columns)]
    for coordinate, extent in ((access.row, buffer.rows), (access.plane, buffer.planes)):
        if extent is not None and not access.flat:
            parts = [f"(<= 0 {coordinate.text})", f"(< {coordinate.text} {extent.text})", *parts]
            items += [coordinate, extent]
            aim += [le(0, coordinate), lt(coordinate, extent)]
    goal = f"(and {' '.join(parts)})"
    words = "the elements lie in the buffer's logical shape"
    claim = at_access(
        problem, access, f"bounds.{access.id}", "bounds", words, goal, items, aim=conj(aim)
    )
    return replace(claim, visible=_outside(access, buffer))


def _outside(access: Access, buffer: BufferTerms) -> str:
    """That the access leaves the whole buffer, or its row for the gap behind it; '' where there are no rows.

    What leaves a row for the next one is beyond the logical shape too, but no byte of memory tells.
    """
    if buffer.leading is None or buffer.rows is None or buffer.columns is None or buffer.elements is None:
        return ""
    index = access.row * buffer.leading + access.column
    if buffer.plane_stride is not None:
        index = index + access.plane * buffer.plane_stride
    end = access.column + access.count
    gap = conj((le(0, access.row), lt(access.row, buffer.rows), lt(buffer.columns, end), le(end, buffer.leading)))
    return disj((lt(index, 0), lt(buffer.elements, index + access.count), gap)).text


def _offset(problem: Problem, access: Access) -> Claim:
    """For a pointer of undeclared extent: offsets that differ are different bytes, since neither goes round 2^64."""
    goal = f"(and (<= {integer(-HALF)} {access.column.text}) (<= (+ {access.column.text} {access.width}) {HALF}))"
    words = "the offset from the pointer lies within 2^63 bytes, so that different offsets are different bytes"
    aim = conj((le(-HALF, access.column), le(access.column + access.width, HALF)))
    return at_access(problem, access, f"offset.{access.id}", "bounds", words, goal, [access.column], aim=aim)


def _shared_bounds(problem: Problem, access: Access) -> Claim:
    base, size = problem.variable_of(access.space, access.buffer)
    end = f"(+ {base.text} {size.text})"
    goal = f"(and (<= {base.text} {access.address.text}) (<= (+ {access.address.text} {access.width}) {end}))"
    aim = conj((le(base, access.address), le(access.address + access.width, base + size)))
    return at_access(
        problem, access, f"bounds.{access.id}", "bounds", f"the bytes lie in the {access.space} variable", goal,
        [access.address, base, size], finite=Everywhere(access, aim) if access.space == "shared" else None, aim=aim,
    )


def _align(problem: Problem, access: Access) -> Claim:
    goal = f"(= (mod {access.address.text} {access.width}) 0)"
    clauses = [*(c for _, c in problem.domain), *access.at.known()]
    multiple = eq(modulo(access.address, access.width))
    claim = at_access(
        problem, access, f"align.{access.id}", "bounds", f"the address is a multiple of {access.width}", goal,
        [access.address, modulo(access.address, access.width)], splits=_quotients(clauses, access),
        finite=Everywhere(access, multiple) if access.space == "shared" else None, aim=multiple,
    )

    def of_multiples() -> Query:
        # Mostly it follows from what is a multiple of what; a solver sees that where nothing else is in its way.
        assert claim.query is not None
        return claim.query.restricted(_says_multiple)

    return replace(claim, shorter=of_multiples if callable(claim.full) else of_multiples())


def _says_multiple(clause: Cond) -> bool:
    return all(_says_multiple(part) for part in clause.args) if clause.op in ("and", "or", "not") else (
        clause.op == "eq" and clause.term is not None and any(isinstance(a, ModAtom) for a in clause.term.atoms())
    )


def _quotients(clauses: list[Cond], access: Access) -> list[Poly]:
    """What the address divided by the width must be, less what it is: 0 where a part is known to be a multiple."""
    width, found = access.width, []
    for clause in clauses:
        for part in clause.args if clause.op == "and" else (clause,):
            atoms = part.term.atoms() if part.op == "eq" and part.term is not None else frozenset()
            atom = next(iter(atoms)) if len(atoms) == 1 else None
            if not isinstance(atom, ModAtom) or atom.c % width or part.term != Poly.of(atom):
                continue
            rest = access.address - atom.a
            if all(c % width == 0 for c in rest.terms.values()):
                known = Poly.of(DivAtom(atom.a, atom.c)) * (atom.c // width)
                quotient = Poly({m: c // width for m, c in rest.terms.items()})
                found.append(known + quotient - Poly.of(DivAtom(access.address, width)))
    return found


def _power(problem: Problem, access: Access) -> Claim:
    assert problem.power is not None
    inactive = negate(eq(Poly.symbol(problem.power) - ACTIVE))
    more = [Hypothesis("inactive", inactive.text, inactive)]
    return at_access(
        problem, access, f"power.{access.id}", "power-gate", "no write is reached unless power is active", "false", [],
        more,
    )


def _rows(problem: Problem, buffer: BufferTerms) -> Claim:
    assert buffer.leading is not None
    assert buffer.columns is not None
    words = "rows do not overlap, so (row, column) names one element"
    goal = f"(and (<= 1 {buffer.leading.text}) (<= {buffer.columns.text} {buffer.leading.text}))"
    items: Items = [buffer.leading, buffer.columns]
    aim = [le(1, buffer.leading), le(buffer.columns, buffer.leading)]
    if buffer.plane_stride is not None and buffer.rows is not None:
        inner = (buffer.rows - 1) * buffer.leading + buffer.columns
        words = "rows and planes do not overlap, so (plane, row, column) names one element"
        goal = f"(and {goal} (<= 1 {buffer.plane_stride.text}) (<= {inner.text} {buffer.plane_stride.text}))"
        items += [buffer.plane_stride, inner]
        aim += [le(1, buffer.plane_stride), le(inner, buffer.plane_stride)]
    name, comment = f"rows.{buffer.name}", (f"single-writer: {words}", f"buffer {buffer.name}")
    # Rows without elements cannot overlap.
    some = le(1, buffer.columns)
    given = [] if any(c == some for _, c in problem.domain) else [Hypothesis("elements", some.text, some)]
    full = build(name, comment, [*domain(problem), *given], goal, items, aim=conj(aim))
    reduced = build(name, comment, [*domain(problem, linear=True), *given], goal, items)
    return Claim(name, "single-writer", (), full, words, reduced)
