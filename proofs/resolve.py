"""From an address to a buffer and an element: the base pointer it names, and its row and column."""

from __future__ import annotations

from proofs.problem import BufferTerms, Problem
from proofs.records import Access, Point
from proofs.terms import Atom, Poly, SymbolAtom, divide, modulo
from proofs.words import SHARED_WINDOW
from spec.errors import Unsupported


def resolve(problem: Problem, at: Point, space: str, kind: str, width: int, address: Poly) -> Access:
    """The access of `width` bytes at `address`; Unsupported if the address names no buffer, or more than one."""
    if space == "generic" and SHARED_WINDOW.symbols() & address.symbols():
        space, address = "shared", address - SHARED_WINDOW
    names = {s.name for s in address.symbols()}
    window = _base_of(SHARED_WINDOW) in names
    shared = [v for v, term in problem.variables.items() if _base_of(term) in names]
    buffers = [b for b in problem.buffers.values() if b.base.name in names]
    if space == "shared" and len(shared) == 1 and not buffers and not window:
        return Access("", at, "shared", kind, width, shared[0], address, Poly({}), address, width)
    if space == "shared" or len(buffers) != 1 or shared or window or _coefficient(address, buffers[0]) != 1:
        raise Unsupported(f"the {space} address {address.text[:120]} names no single buffer", line=at.line)
    buffer = buffers[0]
    row, column = split(address - Poly.symbol(buffer.base), buffer)
    count = -(-width // buffer.element_bytes)
    element = column if buffer.leading is None else row * buffer.leading + column
    if address != Poly.symbol(buffer.base) + element * buffer.element_bytes:
        count += 1  # it may begin inside an element, and then reach into one more
    return Access("", at, "global", kind, width, buffer.name, address, row, column, count)


def _base_of(term: Poly) -> str:
    (symbol,) = term.symbols()
    return symbol.name


def _coefficient(address: Poly, buffer: BufferTerms) -> int:
    return next((c for m, c in address.terms.items() if len(m) == 1 and m[0].text == _text(buffer)), 0)


def _text(buffer: BufferTerms) -> str:
    return SymbolAtom(buffer.base).text


def split(offset: Poly, buffer: BufferTerms) -> tuple[Poly, Poly]:
    """(row, column) in elements with offset = size * (row * leading + column), read off the monomials.

    An offset that is not a whole number of elements keeps its remainder in the column; the split claim then fails.
    """
    size = buffer.element_bytes
    leading = buffer.leading
    row = Poly({})
    if leading is not None and len(leading.terms) == 1:
        ((factor, coefficient),) = leading.terms.items()
        for monomial, c in offset.terms.items():
            rest = list(monomial)
            if factor and all(_remove(rest, a) for a in factor) and c % (size * coefficient) == 0:
                row = row + Poly({tuple(rest): c // (size * coefficient)})
        offset = offset - row * leading * size
    if all(c % size == 0 for c in offset.terms.values()):
        return row, Poly({m: c // size for m, c in offset.terms.items()})
    return row, divide(offset - modulo(offset, size), size)


def _remove(factors: list[Atom], atom: Atom) -> bool:
    if atom not in factors:
        return False
    factors.remove(atom)
    return True
