"""What buffers hold: elements of memory that the launch does not write, as terms, and facts about them.

A load from such a buffer gives the same value for the same element, whoever loads it and when. So the value is an atom
that is named by its element: `table[3 + ctaid.x]`. A query declares it as a constant, says that equal elements have
equal values, and states the facts of the elements that occur, each under the condition that the element exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from proofs.conditions import Cond, conj, ge, implies, lt, same
from proofs.polynomials import Atom, Poly
from proofs.symbols import LAUNCH, Interval, Symbol
from spec.contracts import facts as stated

MAX_INSTANCES = 64
FLAT = "flat"


@dataclass(frozen=True)
class Fact:
    """A condition on elements of one buffer, for all values of its index variables.

    Args:
        said: as it was given.
        names: the terms of the names in it that are no variables.
        refs: for each element spoken of, the symbol that stands for its value and its coordinates over `variables`.
        guard, holds: over variables, values and parameters: where the guard holds, so does the other.
    """

    said: stated.Fact
    names: Mapping[str, Poly]
    refs: tuple[tuple[Symbol, tuple[Poly, ...]], ...]
    variables: tuple[Symbol, ...]
    guard: Cond
    holds: Cond

    @property
    def text(self) -> str:
        return self.said.text


@dataclass(frozen=True)
class Source:
    """A buffer of integers that the launch does not write: extents outermost first, and what is known of it."""

    buffer: str
    low: int
    high: int
    extents: tuple[Poly, ...]
    flat: Poly | None
    facts: tuple[Fact, ...] = field(default=(), compare=False)

    @property
    def interval(self) -> Interval:
        """Bounds of every element: those of the type, or of a fact that gives constants.

        What is loaded from beyond the buffer has them as well: proofs that rest on memory rest on bounds, too.
        """
        low, high = self.low, self.high
        for fact in self.facts:
            for bound in (c for c in _parts(fact.holds) if fact.guard.op == "true"):
                if bound.op != "ge" or bound.term is None or len(bound.symbols()) != 1:
                    continue
                (symbol,) = bound.symbols()
                value = Poly.symbol(symbol)
                if not any(symbol == s and _any(at, fact.variables) for s, at in fact.refs):
                    continue
                if (least := (value - bound.term).value) is not None:
                    low = max(low, least)
                if (most := (value + bound.term).value) is not None:
                    high = min(high, most)
        return low, high


    @property
    def contradictory(self) -> bool:
        """Whether facts that give constants leave no value at all."""
        low, high = self.interval
        return low is not None and high is not None and low > high


class ContentAtom(Atom):
    """The element of a source at some coordinates (as many as it has extents, or one if `flat`)."""

    __slots__ = ("at", "flat", "name", "source")

    def __init__(self, source: Source, at: tuple[Poly, ...], flat: bool = False) -> None:
        self.source, self.at, self.flat = source, at, flat
        inner = ", ".join(p.text.replace("|", "") for p in at)
        self.name = f"{source.buffer}[{f'{FLAT} ' if flat else ''}{inner}]"
        self.text, self.interval = f"|{self.name}|", source.interval

    def rebuild(self, mapping: Mapping[Symbol, Poly]) -> Poly:
        if self.symbol in mapping:
            return mapping[self.symbol]
        return Poly.of(ContentAtom(self.source, tuple(p.substitute(mapping) for p in self.at), self.flat))

    def symbols(self) -> frozenset[Symbol]:
        return frozenset(s for p in self.at for s in p.symbols())

    def parts(self) -> tuple[Poly, ...]:
        return self.at

    def value(self, values: Mapping[str, int]) -> int:
        low, high = self.interval
        return values.get(self.name, min(max(0, low or 0), high or 0))

    @property
    def symbol(self) -> Symbol:
        """The constant that stands for it in a query."""
        return Symbol(self.name, "content", LAUNCH, *self.interval)

    @property
    def exists(self) -> Cond:
        """That there is such an element."""
        extents = (self.source.flat,) if self.flat else self.source.extents
        bounds = [c for p, e in zip(self.at, extents, strict=True) if e is not None for c in (ge(p), lt(p, e))]
        return conj(bounds)


def contents_of(items: Iterable[Poly | Cond]) -> tuple[ContentAtom, ...]:
    """The elements of memory that terms and conditions speak of, those inside of others too, by name."""
    found: dict[str, ContentAtom] = {}
    seen: set[str] = set()
    work = [p for item in items for p in ([item] if isinstance(item, Poly) else item.polys())]
    while work:
        for atom in work.pop().atoms():
            if atom.text in seen:
                continue
            seen.add(atom.text)
            if isinstance(atom, ContentAtom):
                found[atom.name] = atom
            work += atom.parts()
    return tuple(found[name] for name in sorted(found))


def statements(atoms: Sequence[ContentAtom]) -> list[Cond]:
    """What holds of these elements: one value for one element, and the facts."""
    found: dict[Cond, None] = {}
    for a, b in combinations(atoms, 2):
        if a.source.buffer == b.source.buffer and a.flat == b.flat:
            one = conj(same(x, y) for x, y in zip(a.at, b.at, strict=True))
            found[implies(one, same(Poly.of(a), Poly.of(b)))] = None
    by_buffer: dict[str, list[ContentAtom]] = {}
    for atom in atoms:
        by_buffer.setdefault(atom.source.buffer, []).append(atom)
    for mine in by_buffer.values():
        for fact in mine[0].source.facts:
            for cond in _instances(fact, mine):
                found[cond] = None
    return [c for c in found if c.op != "true"]


def _instances(fact: Fact, atoms: Sequence[ContentAtom]) -> Iterator[Cond]:
    """The fact for every choice of elements that occur."""
    if len(fact.refs) == 1 and _same_for_all(fact):
        ((value, _),) = fact.refs
        for atom in atoms:
            yield implies(atom.exists, fact.holds.substitute({value: Poly.of(atom)}))
        return
    fitting = [a for a in atoms if not a.flat]
    for number, chosen in enumerate(product(fitting, repeat=len(fact.refs))):
        if number >= MAX_INSTANCES:
            return  # a fact less: what needs it stays open
        mapping: dict[Symbol, Poly] = {}
        for (_, at), atom in zip(fact.refs, chosen, strict=True):
            for index, place in zip(at, atom.at, strict=True):
                variable = _variable(index, fact.variables)
                if variable is not None:
                    mapping.setdefault(variable, place)
        where = [a.exists for a in chosen]
        for (value, at), atom in zip(fact.refs, chosen, strict=True):
            where += [same(index.substitute(mapping), place) for index, place in zip(at, atom.at, strict=True)]
            mapping[value] = Poly.of(atom)
        yield implies(conj((*where, fact.guard.substitute(mapping))), fact.holds.substitute(mapping))


def _same_for_all(fact: Fact) -> bool:
    """Whether the fact says one thing of every element, wherever it is."""
    ((_, at),) = fact.refs
    spoken = fact.guard.symbols() | fact.holds.symbols()
    return fact.guard.op == "true" and _any(at, fact.variables) and not spoken & {*fact.variables}


def example(source: Source) -> tuple[list[Cond], list[Cond]]:
    """That two arbitrary elements of a buffer exist, and what holds of them."""
    rank = len(source.extents)
    places = [
        tuple(Poly.symbol(Symbol(f"element.{n}.{i}", "index", LAUNCH, 0, None)) for i in range(rank)) for n in (1, 2)
    ]
    atoms = [ContentAtom(source, at) for at in places]
    return [a.exists for a in atoms], statements(atoms)


def without(sources: Mapping[str, Source], written: Iterable[str]) -> dict[str, Source]:
    """The sources that are left when the launch turns out to write some buffers."""
    gone = set(written)
    return {name: source for name, source in sources.items() if name not in gone}


def _variable(index: Poly, variables: Sequence[Symbol]) -> Symbol | None:
    return next((v for v in variables if index == Poly.symbol(v)), None)


def _any(at: tuple[Poly, ...], variables: Sequence[Symbol]) -> bool:
    """Whether these are the coordinates of any element: each a variable of its own."""
    return len(set(at)) == len(at) and all(_variable(p, variables) is not None for p in at)


def _parts(cond: Cond) -> tuple[Cond, ...]:
    return cond.args if cond.op == "and" else (cond,)
