"""From an address to a buffer and an element: the base pointer it names, and its plane, row and column.

The coordinates are read off the polynomial by dividing it by the strides. What they are worth is a claim of its own
(`split`), so a bad guess here costs a proof and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proofs.contents import ContentAtom
from proofs.problem import BufferTerms, Problem
from proofs.records import Access, Point
from proofs.terms import (
    TRUE,
    Atom,
    Cond,
    IteAtom,
    Monomial,
    Poly,
    SymbolAtom,
    conj,
    divide,
    ite,
    le,
    lt,
    modulo,
    within,
)
from proofs.words import LOCAL_WINDOW, SHARED_WINDOW
from spec.errors import Unsupported
from spec.ptx.ast import type_width

MAX_STEPS = 64
MAX_SHOWN = 120  # characters of a term in a message
MAX_CHOICES = 3  # of an address, inside each other
Prove = Callable[[Cond], bool]


@dataclass(frozen=True)
class Element:
    """Where an access begins: `flat` where rows follow each other without a gap and `column` counts through them."""

    plane: Poly
    row: Poly
    column: Poly
    flat: bool = False


def resolve(problem: Problem, at: Point, space: str, kind: str, width: int, address: Poly, prove: Prove) -> Access:
    """The access of `width` bytes at `address`; Unsupported if the address names no buffer, or more than one.

    `prove` decides what holds at this point; it chooses between ways to split an address.
    """
    for name, begin in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
        if space == "generic" and begin.symbols() & address.symbols():
            space, address = name, address - begin
    names = {s.name for s in address.symbols()}
    window = bool({_base_of(SHARED_WINDOW), _base_of(LOCAL_WINDOW)} & names)
    shared = [v for v, term in problem.variables.items() if _base_of(term) in names]
    buffers = [b for b in problem.buffers.values() if b.base.name in names]
    mine = [v for v in problem.local_bytes if _base_of(problem.addresses[v]) in names]
    if space == "local" and len(mine) == 1 and not (buffers or shared or window):
        return Access("", at, "local", kind, width, mine[0], address, Poly({}), address, width)
    if space == "shared" and len(shared) == 1 and not buffers and not window:
        return Access("", at, "shared", kind, width, shared[0], address, Poly({}), address, width)
    offsets = None
    if (
        space not in ("shared", "local") and len(buffers) == 1 and not (shared or mine or window)
        and buffers[0].space == ("const" if space == "const" else "global")
    ):
        offsets = _offsets(address, buffers[0], MAX_CHOICES)
    if offsets is None:
        raise Unsupported(f"{_shown(space, address)} names no single buffer{_why(problem, address)}", line=at.line)
    buffer = buffers[0]
    count = -(-width // buffer.element_bytes)
    found = _choose(offsets, buffer, count, prove)
    if found is None:
        raise Unsupported(f"{_shown(space, address)} is not one of rows in all cases", line=at.line)
    if any(c % buffer.element_bytes for _, offset in offsets for c in offset.terms.values()):
        count += 1  # it may begin inside an element, and then reach into one more
    return Access(
        "", at, buffer.space, kind, width, buffer.name, address, found.row, found.column, count, plane=found.plane,
        flat=found.flat,
    )


def _shown(space: str, address: Poly) -> str:
    """The address as a term where that is short enough to be read."""
    return f"the {space} address" + (f" {address.text}" if len(address.text) <= MAX_SHOWN else "")


def _why(problem: Problem, address: Poly) -> str:
    """What stands in an address that is no pointer and may be meant for one."""
    names = {s.name for s in address.symbols()}
    found = [
        f"{name} is taken for a number, since {flag} speaks of it; declare it with --buffer to make it a pointer"
        for name, flag in problem.numbers.items() if name in names
    ]
    params = {p.name: p for p in problem.function.params}
    for (name, offset, bits), term in problem.fields.items():
        (symbol,) = term.symbols()
        if bits == 64 and symbol.name in names:
            param, shown = params[name], symbol.name.partition("+")[0]
            size = (param.elements or 0) * type_width(param.type) // 8
            found.append(
                f"it is made with byte {offset} of {shown} (PTX line {param.line}); the parameter is a structure of "
                f"{size} bytes; its fields have no names here, so it is not known what they point to"
            )
    return "".join(f": {text}" for text in found[:1])


def _offsets(address: Poly, buffer: BufferTerms, left: int) -> list[tuple[Cond, Poly]] | None:
    """The offset from the base in each case of a choice, such as of a copy that is masked by its address.

    Of the cases that hold the first one counts; the last holds always. None where the address is not base + offset.
    """
    if _coefficient(address, buffer) == 1:
        return [(TRUE, address - Poly.symbol(buffer.base))]
    for monomial, coefficient in address.terms.items():
        if coefficient != 1 or len(monomial) != 1 or not isinstance(atom := monomial[0], IteAtom) or not left:
            continue
        if any(s.name == buffer.base.name for s in atom.symbols()):
            rest = address - Poly.of(atom)
            taken, others = (_offsets(rest + part, buffer, left - 1) for part in (atom.a, atom.b))
            if taken is None or others is None:
                return None
            return [*((conj((atom.condition, c)), offset) for c, offset in taken), *others]
    return None


def _choose(offsets: list[tuple[Cond, Poly]], buffer: BufferTerms, count: int, prove: Prove) -> Element | None:
    """The element of a choice of offsets; None if its rows run on without a gap in some cases only."""
    *first, found = (split(offset, buffer, count, prove) for _, offset in offsets)
    for (condition, _), element in reversed(list(zip(offsets[:-1], first, strict=True))):
        if element.flat != found.flat:
            return None
        pairs = ((element.plane, found.plane), (element.row, found.row), (element.column, found.column))
        plane, row, column = (ite(condition, a, b) for a, b in pairs)
        found = Element(plane, row, column, found.flat)
    return found


def elements_at(problem: Problem, width: int, count: int, address: Poly, prove: Prove) -> tuple[Poly, ...]:
    """The values of `count` words of `width` bits at an address, if they are elements whose content is followed."""
    names = {s.name for s in address.symbols()}
    buffers = [b for b in problem.buffers.values() if b.base.name in names]
    if len(buffers) != 1 or buffers[0].name not in problem.sources or _coefficient(address, buffers[0]) != 1:
        return ()
    buffer, source = buffers[0], problem.sources[buffers[0].name]
    offset = address - Poly.symbol(buffer.base)
    if width != 8 * buffer.element_bytes or any(c % buffer.element_bytes for c in offset.terms.values()):
        return ()
    found = []
    for i in range(count):
        at = split(offset + i * buffer.element_bytes, buffer, 1, prove)
        places = (at.column,) if at.flat else (at.plane, at.row, at.column)[-len(source.extents):]
        found.append(Poly.of(ContentAtom(source, places, at.flat)))
    return tuple(found)


def _base_of(term: Poly) -> str:
    (symbol,) = term.symbols()
    return symbol.name


def _coefficient(address: Poly, buffer: BufferTerms) -> int:
    return next((c for m, c in address.terms.items() if len(m) == 1 and m[0].text == _text(buffer)), 0)


def _text(buffer: BufferTerms) -> str:
    return SymbolAtom(buffer.base).text


def split(offset: Poly, buffer: BufferTerms, count: int, prove: Prove) -> Element:
    """The element at a byte offset: offset = size * (plane * plane_stride + row * leading + column).

    An offset that is not a whole number of elements keeps its remainder in the column; the split claim then fails.
    """
    if buffer.leading is None:
        return Element(Poly({}), Poly({}), _elements(offset, buffer.element_bytes))
    found = _by_strides(offset, buffer)
    if (buffer.leading.value or 0) > 0:
        return _by_digits(found, buffer, prove)
    if _running(found, buffer, count, prove):
        return Element(Poly({}), Poly({}), _elements(offset, buffer.element_bytes), flat=True)
    return found


def _by_strides(offset: Poly, buffer: BufferTerms) -> Element:
    """Each part that is a multiple of a stride goes to the coordinate of that stride."""
    assert buffer.leading is not None
    plane = Poly({})
    if buffer.plane_stride is not None:
        plane, offset = _take(offset, buffer.plane_stride * buffer.element_bytes)
    row, offset = _take(offset, buffer.leading * buffer.element_bytes)
    return Element(plane, row, _elements(offset, buffer.element_bytes))


def _elements(offset: Poly, size: int) -> Poly:
    if all(c % size == 0 for c in offset.terms.values()):
        return Poly({m: c // size for m, c in offset.terms.items()})
    return divide(offset - modulo(offset, size), size)


def _take(term: Poly, stride: Poly) -> tuple[Poly, Poly]:
    """(quotient, rest) with term = quotient * stride + rest: polynomial division by the stride's leading monomial."""
    lead = max(stride.terms, key=lambda m: (len(m), [a.text for a in m]), default=None)
    if lead is None:
        return Poly({}), term
    weight, quotient = stride.terms[lead], Poly({})
    for _ in range(MAX_STEPS):
        found = next(((m, q) for m, c in term.terms.items() if (q := _over(m, lead)) is not None and not c % weight),
                     None)
        if found is None:
            break
        monomial, rest = found
        part = Poly({rest: term.terms[monomial] // weight})
        quotient, term = quotient + part, term - part * stride
    return quotient, term


def _over(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """The monomial without the factors of the divisor, or None if it lacks one."""
    rest: list[Atom] = list(monomial)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _by_digits(found: Element, buffer: BufferTerms, prove: Prove) -> Element:
    """Where an index runs on into the next row or plane: numbers have one quotient and one remainder by a constant."""
    assert buffer.leading is not None
    leading, stride = buffer.leading.value or 1, buffer.plane_stride.value if buffer.plane_stride else None
    plane, row, column = found.plane, found.row, found.column
    if not _below(column, leading, prove):
        row, column = row + divide(column, leading), modulo(column, leading)
    index = row * leading + column
    if stride is not None and stride > 0 and not _below(index, stride, prove):
        plane, index = plane + divide(index, stride), modulo(index, stride)
        row, column = divide(index, leading), modulo(index, leading)
    return Element(plane, row, column)


def _below(term: Poly, limit: int, prove: Prove) -> bool:
    return within(term, 0, limit - 1) or prove(conj((le(0, term), lt(term, limit))))


def _running(found: Element, buffer: BufferTerms, count: int, prove: Prove) -> bool:
    """Whether a column runs through rows that follow each other without a gap, as in an elementwise kernel."""
    if found.row.terms or found.plane.terms or buffer.flat is None or buffer.columns is None:
        return False
    return not prove(le(found.column + count, buffer.columns))
