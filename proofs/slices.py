"""Which numbers matter: a slice of an entry, backwards from addresses, guards and bounds.

A number matters if it can reach the address of an access, what decides whether an access, a branch, a barrier or an
exchange between lanes is carried out, the number or count of a barrier, the lane or mask of an exchange, the size of a
copy, or a divisor. It gets there through registers, along the paths of the code, also as the guard of an instruction
that only computes and as the predicate of a choice; through an exchange between lanes; and through memory: what is
stored to a place from which a number that matters is loaded matters, whichever thread stores it and whenever.

The slice may be too large, never too small: memory is told apart by buffers and variables only, and an access of which
nothing is known touches all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from proofs.cfg import Graph
from proofs.opaque import READ_ONLY, WHOLE_WARP, computes_a_value, read, written
from proofs.problem import Problem
from proofs.records import Access, Records
from spec.ptx.ast import Instr, Mem, Not, Operand, Reg, Vec
from spec.ptx.isa import lookup
from spec.ptx.operands import bind, operand_type
from spec.ptx.row import BOUNDED, EXACT, MEMORY, Form, Row

Cell = tuple[str, str]  # a state space, and a buffer or variable in it
EVERYTHING: Cell = ("", "")
# Of these the first operand is what the lanes exchange; the others say between which of them.
EXCHANGES = frozenset(("shfl", "vote", "match", "redux", "elect"))


@dataclass(frozen=True)
class Touched:
    """What an instruction may read and write of memory; EVERYTHING where it is not known."""

    read: frozenset[Cell] = frozenset((EVERYTHING,))
    written: frozenset[Cell] = frozenset((EVERYTHING,))


@dataclass(frozen=True)
class Slice:
    """`places`: instructions whose operands matter (`proofs.places`); `memory`: whether something
    that is loaded matters, so that the slice rests on what is stored where.
    """

    places: frozenset[str]
    memory: bool


def idle_places(graph: Graph, places: Mapping[int, str]) -> frozenset[str]:
    """Instructions whose operands do not matter, whatever is stored where."""
    found = slice_of(graph, places, {}, lambda a, b: True)
    return frozenset(places[id(i)] for b in graph.order for i in graph.blocks[b].instructions) - found.places


def touched(accesses: Iterable[Access]) -> dict[str, Touched]:
    """What the instruction at each place was found to access."""
    found: dict[str, tuple[set[Cell], set[Cell]]] = {}
    for access in accesses:
        reads, writes = found.setdefault(access.at.place, (set(), set()))
        cell = (access.space, access.buffer)
        if access.reads:
            reads.add(cell)
        if access.writes:
            writes.add(cell)
    return {place: Touched(frozenset(r), frozenset(w)) for place, (r, w) in found.items()}


@dataclass(frozen=True)
class Wrapping:
    """Where numbers may wrap since they do not matter: PTX lines. `memory`: that they do not rests on what is stored
    where, so on the bounds of all accesses.
    """

    lines: tuple[int, ...] = ()
    memory: bool = False


NOWHERE = Wrapping()


def without_wrapping(
    problem: Problem, graph: Graph, places: Mapping[int, str], records: Records
) -> tuple[Records, Wrapping]:
    """The records without what was looked at in instructions whose result does not matter.

    Nothing rests on the ranges that go: where one was not proved, the terms say what is left modulo the width.
    """
    found = slice_of(graph, places, touched(records.accesses), problem.alias_of)
    kept = tuple(r for r in records.ranges if r.always or r.at.place in found.places)
    gone = [r for r in records.ranges if not (r.always or r.at.place in found.places)]
    lines = sorted({r.at.line for r in gone if not r.proved})
    return replace(records, ranges=kept), Wrapping(tuple(lines), bool(gone) and found.memory)


@dataclass
class _Step:
    """What becomes of the registers of one instruction, as sets of bits.

    Args:
        gives: written; `settles`: whatever the guard, nothing is left of what they held.
        takes: what it gives is made of these.
        asks: matter in any case.
        stores: go to memory, `touched.written`; `loads`: what it gives comes from memory, `touched.read`.
        copies: memory that it moves without a register.
        computes: it does nothing else than give values, so that its operands matter only if these do.
    """

    place: str
    touched: Touched
    gives: int = 0
    settles: bool = True
    takes: int = 0
    asks: int = 0
    stores: int = 0
    loads: bool = False
    copies: bool = False
    computes: bool = False


@dataclass
class _Numbers:
    """A bit for each register."""

    bits: dict[str, int] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            found |= 1 << self.bits.setdefault(name, len(self.bits))
        return found


def slice_of(
    graph: Graph, places: Mapping[int, str], known: Mapping[str, Touched], overlap: Callable[[str, str], bool]
) -> Slice:
    """The slice.

    Args:
        places: the name of each instruction, by identity.
        known: what the instruction at a place accesses; one that is not named there may access anything.
        overlap: whether two buffers of global memory may be one.
    """
    numbers = _Numbers()
    steps = {b: [_step(i, places[id(i)], known, numbers) for i in graph.blocks[b].instructions] for b in graph.order}
    hot: frozenset[Cell] = frozenset()
    while True:
        places_found, loaded = _matters(graph, steps, hot, overlap)
        if loaded <= hot:
            return Slice(places_found, bool(hot))
        hot |= loaded


def _matters(
    graph: Graph, steps: Mapping[int, list[_Step]], hot: frozenset[Cell], overlap: Callable[[str, str], bool]
) -> tuple[frozenset[str], frozenset[Cell]]:
    """Where operands matter if what is loaded from `hot` does, and the memory from which such numbers are loaded."""
    before = dict.fromkeys(graph.order, 0)
    places: set[str] = set()
    loaded: set[Cell] = set()
    work = list(graph.order)
    while work:
        block = work.pop()
        wanted = 0
        for successor in graph.blocks[block].successors():
            wanted |= before.get(successor, 0)
        for step in reversed(steps[block]):
            given = step.gives & wanted
            if step.settles:
                wanted &= ~step.gives
            if given:
                wanted |= step.takes
                if step.loads:
                    loaded |= step.touched.read
            if step.stores or step.copies:
                kept = any(_meet(a, b, overlap) for a in step.touched.written for b in hot)
                wanted |= step.stores if kept else 0
                if kept and step.copies:
                    loaded |= step.touched.read
            wanted |= step.asks
            if given or not step.computes:
                places.add(step.place)
        if wanted != before[block]:
            before[block] = wanted
            work += graph.predecessors[block]
    return frozenset(places), frozenset(loaded)


def _meet(a: Cell, b: Cell, overlap: Callable[[str, str], bool]) -> bool:
    if EVERYTHING in (a, b) or a == b:
        return True
    return a[0] == b[0] == "global" and overlap(a[1], b[1])


def _step(instruction: Instr, place: str, known: Mapping[str, Touched], numbers: _Numbers) -> _Step:
    step = _Step(place, known.get(place, Touched()), settles=instruction.guard is None)
    guard = numbers.of([instruction.guard.name] if instruction.guard is not None else [])
    found = lookup(instruction.opcode)
    if found is None and not computes_a_value(instruction):
        step.asks = numbers.of(name for operand in instruction.operands for name in _registers(operand))
    elif found is None:
        step.gives, step.takes = numbers.of(written(instruction)), numbers.of(read(instruction))
        step.loads = instruction.base in READ_ONLY
        step.computes = instruction.base not in WHOLE_WARP
    else:
        _fill(step, instruction, *found, numbers)
    if step.computes:
        step.takes |= guard
    else:
        step.asks |= guard
    return step


def _fill(step: _Step, instruction: Instr, row: Row, form: Form, numbers: _Numbers) -> None:
    """What an instruction of the table does."""
    binding = bind(instruction, row)
    step.gives = numbers.of(name for _, operand in binding.results for name in _registers(operand))
    sources = [(declared, numbers.of(_registers(operand))) for declared, operand in binding.sources]
    whole = [bits for _, bits in sources]
    addresses = sum(declared == "mem" for declared, _ in sources)
    if row.kind in (EXACT, BOUNDED) or (row.kind == MEMORY and not addresses):
        step.computes, step.takes = True, _all(whole)
        if row.base in ("div", "rem") and not operand_type(row.sources[1], form).startswith("f"):
            step.asks = whole[1]
    elif addresses:
        step.asks = _all(bits for declared, bits in sources if declared in ("mem", "size?"))
        beside = ("mem", "size?", "imm")
        step.stores = _all(bits for declared, bits in sources if declared.partition(":")[0] not in beside)
        step.loads, step.copies = bool(binding.results), addresses > 1
    elif row.control:
        step.asks = _all(bits for declared, bits in sources if declared != "pred" and row.control != "fence")
        step.takes = _all(bits for declared, bits in sources if declared == "pred")
    elif row.base in EXCHANGES:
        step.takes, step.asks = whole[0], _all(whole[1:] or whole)
    else:
        step.takes = _all(whole)


def _all(sets: Iterable[int]) -> int:
    found = 0
    for bits in sets:
        found |= bits
    return found


def _registers(operand: Operand) -> Iterator[str]:
    if isinstance(operand, Reg):
        yield operand.name
    elif isinstance(operand, Not):
        yield operand.operand.name
    elif isinstance(operand, Vec):
        for part in operand.elems:
            yield from _registers(part)
    elif isinstance(operand, Mem) and isinstance(operand.base, Reg):
        yield operand.base.name
