"""For each kind of claim: what the emulator must show for a counterexample to count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

import numpy as np

from proofs.problem import BufferTerms
from proofs.records import Point, Range
from proofs.replay.attempt import Attempt, Endless, Sign
from proofs.replay.concerned import blocks_at
from proofs.replay.endless import endless
from proofs.replay.evaluate import term_value
from proofs.replay.watch import Seen, Watch
from proofs.terms import Poly
from spec.contracts.model import ACTIVE, MAX_GRID
from spec.ptx.ast import Instr, Mem, Operand, Reg, Vec, type_width
from spec.ptx.block import StepEvent
from spec.ptx.faults import (
    BARRIER,
    INACTIVE_LANE,
    MISALIGNED,
    OUT_OF_BOUNDS,
    RACE,
    READ_ONLY,
    STEP_LIMIT,
    TRAP,
    UNINITIALISED,
    Enough,
    Fault,
)
from spec.ptx.machine import Result

STEP_BUDGET = 30_000  # of one block; a launch of small sizes that takes more shows nothing
MAX_BLOCKS = 512
MAX_ELEMENTS = 2**16  # that are looked at one by one
HALF = 2**63


def sign_of(attempt: Attempt) -> Sign | str:
    """What the launch shows against the claim, or why it shows nothing."""
    kind = attempt.claim.name.partition(".")[0]
    return SIGNS[kind](attempt)


def _faults(
    attempt: Attempt, kinds: tuple[str, ...], fits: Callable[[Fault], bool], limit: int = STEP_BUDGET
) -> Sign | str:
    watch = attempt.watch()

    def shows(fault: Fault) -> bool:
        return fault.kind in kinds and fits(fault)

    result = watch.run(attempt.schedule, limit, enough=shows)
    return _shown(watch, result, shows) or _nothing(result, f"no {' or '.join(kinds)} at the claim's lines")


def _shown(watch: Watch, result: Result, shows: Callable[[Fault], bool]) -> Sign | None:
    """The first fault that shows the claim to be false."""
    for fault in result.faults:
        if shows(fault):
            accesses = _accesses(watch, fault)
            pair = fault.kind == RACE and len(accesses) == 2
            words = f"race: {accesses[0]}; {accesses[1]}; nothing orders the two" if pair else str(fault)
            return Sign(words, accesses)
    return None


def _nothing(result: Result, words: str) -> str:
    words += f"; seen instead: {result.faults[0]}" if result.faults else ""
    if any(f.kind == STEP_LIMIT for f in result.faults):
        raise Endless(words)
    return words


def _accesses(watch: Watch, fault: Fault) -> tuple[Seen, ...]:
    """The accesses of a fault: of a race both."""
    at, width = fault.address, max(fault.bytes, 1)
    found = [watch.find(fault.line, fault.block, fault.threads[0], at, width)]
    if fault.other_line is not None and len(fault.threads) > 1:
        found.append(watch.find(fault.other_line, fault.other_block or fault.block, fault.threads[1], at, width))
    return tuple(s for s in found if s is not None)


def _at_line(attempt: Attempt) -> Callable[[Fault], bool]:
    return lambda fault: fault.line in attempt.claim.lines


def _bounds(attempt: Attempt) -> Sign | str:
    return _faults(attempt, (OUT_OF_BOUNDS,), _at_line(attempt))


def _split(attempt: Attempt) -> Sign | str:
    return _faults(attempt, (OUT_OF_BOUNDS, MISALIGNED), _at_line(attempt))


def _align(attempt: Attempt) -> Sign | str:
    return _faults(attempt, (MISALIGNED,), _at_line(attempt))


def _race(attempt: Attempt) -> Sign | str:
    """The race of the claim, or another one of the same launch: either refutes that there is none."""
    found = _race_at(attempt)
    if isinstance(found, Sign):
        return found
    result = attempt.watch().run(attempt.schedule, STEP_BUDGET)
    others = ((f.line, f.other_line) for f in result.faults if f.kind == RACE and f.other_line is not None)
    for there in others:
        other = _race_at(replace(attempt, claim=replace(attempt.claim, lines=tuple(dict.fromkeys(there)))))
        if isinstance(other, Sign):
            return replace(other, lines=tuple(dict.fromkeys(there)))
    return found


def _race_at(attempt: Attempt) -> Sign | str:
    """A race between the accesses at the claim's lines."""
    lines = set(attempt.claim.lines)
    return _faults(attempt, (RACE,), lambda fault: {fault.line, fault.other_line} == lines)


def _together(attempt: Attempt) -> Sign | str:
    """Some thread waits at one of these places and others never come."""
    anywhere = attempt.claim.name.startswith(("trips.", "group."))
    lines = set(attempt.claim.lines)

    def fits(fault: Fault) -> bool:
        paired = re.search(r"pairs lines ([0-9, ]+)", fault.message)
        named = {int(n) for n in paired.group(1).split(",") if n.strip()} if paired else set()
        return anywhere or bool(lines & {fault.line, *named})

    return _faults(attempt, (BARRIER, INACTIVE_LANE), fits)


def _undefined(attempt: Attempt) -> Sign | str:
    return _faults(attempt, (UNINITIALISED,), _at_line(attempt))


def _unwritten(attempt: Attempt) -> Sign | str:
    """A byte is read that nobody has written, or that another thread writes at any time: before the read, or after."""
    here, watch = _at_line(attempt), attempt.watch()

    def unset(fault: Fault) -> bool:
        return fault.kind == UNINITIALISED and here(fault)

    result = watch.run(attempt.schedule, STEP_BUDGET, enough=unset)
    found = _shown(watch, result, unset) or _shown(watch, result, lambda fault: fault.kind == RACE and here(fault))
    return found or _nothing(result, "no uninitialised byte and no race at the claim's lines")


def _trap(attempt: Attempt) -> Sign | str:
    return _faults(attempt, (TRAP,), _at_line(attempt))


def _writers(attempt: Attempt) -> Sign | str:
    watch = attempt.watch(writers=True)
    result = watch.run(attempt.schedule, STEP_BUDGET)
    for a, b in watch.twice:
        if {a.line, b.line} == set(attempt.claim.lines):
            return Sign(f"a byte is written twice: {a}; then {b}", (a, b))
    return _nothing(result, "no byte was written twice by the claim's stores")


def _power(attempt: Attempt) -> Sign | str:
    if attempt.launch.power == ACTIVE:
        return "the model has power active"
    watch = attempt.watch()
    watch.run(attempt.schedule, STEP_BUDGET)
    for seen in watch.seen:
        if seen.kind != "read":
            return Sign(f"power is {attempt.launch.power}, not active, and yet {seen}", (seen,))
    return "nothing was written"


def _coverage(attempt: Attempt) -> Sign | str:
    """The element that the model names has no value after the blocks have run: all, or of a large grid those concerned.

    Of a large grid those blocks are run in which a store may write the element, or one beside it, by the solver's word;
    in all others no thread comes to a store of the element.
    """
    launch, values = attempt.launch, attempt.launch.values
    total = launch.grid[0] * launch.grid[1] * launch.grid[2]
    buffer = attempt.analysis.problem.buffers[attempt.claim.name.split(".")[1]]
    plane, row, column = (values.get(f"e.{name}", 0) for name in ("plane", "row", "column"))
    element = (plane, row, column)
    at, shown = _place(attempt, buffer, element), _named(buffer, element)
    blocks = _blocks_of(attempt, buffer, element, at)
    if blocks is None:
        return f"the grid has {total} blocks, and the solver cannot tell which of them may write element {shown}"
    result = attempt.watch().run(attempt.schedule, STEP_BUDGET, blocks)
    if any(f.kind == STEP_LIMIT for f in result.faults) or (attempt.cost is not None and attempt.cost.over):
        return _nothing(result, "the blocks had not ended when the run was stopped")
    written = launch.memory[buffer.name].written
    if written is None:
        return f"{buffer.name} need not be written"
    run = f"all {total} blocks"
    if len(blocks) < total:
        run = f"{len(blocks)} of {total} blocks, those that come near it,"
    elif _written(attempt, buffer, element):
        elements = (e for e in _elements(attempt, buffer) if not _written(attempt, buffer, e))
        element = next(elements, element)
    if _written(attempt, buffer, element):
        return f"element {_named(buffer, element)} of {buffer.name} was written"
    return Sign(f"{run} have run and element {_named(buffer, element)} of {buffer.name} was not written")


Element = tuple[int, int, int]
"""Plane, row and column."""


def _elements(attempt: Attempt, buffer: BufferTerms) -> Iterator[Element]:
    """Elements of a buffer, the first ones of a large one."""
    planes, rows, columns = (1 if t is None else term_value(t, attempt.launch.values) for t in _extents(buffer))
    return islice(product(range(planes), range(rows), range(columns)), MAX_ELEMENTS)


def _extents(buffer: BufferTerms) -> tuple[Poly | None, Poly | None, Poly | None]:
    return buffer.planes, buffer.rows, buffer.columns


def _place(attempt: Attempt, buffer: BufferTerms, element: Element) -> int:
    """How many elements lie before one, gaps included."""
    strides = (buffer.plane_stride, buffer.leading, Poly.constant(1))
    return sum(n * term_value(s, attempt.launch.values) for n, s in zip(element, strides, strict=True) if s is not None)


def _written(attempt: Attempt, buffer: BufferTerms, element: Element) -> bool:
    written = attempt.launch.memory[buffer.name].written
    at = np.array([_place(attempt, buffer, element) * buffer.element_bytes], np.int64)
    return written is None or bool(written.gather(at, buffer.element_bytes).all())


def _named(buffer: BufferTerms, element: Element) -> tuple[int, ...]:
    return tuple(n for n, t in zip(element, _extents(buffer), strict=True) if t is not None)


def _blocks_of(
    attempt: Attempt, buffer: BufferTerms, element: tuple[int, int, int], at: int
) -> Sequence[tuple[int, int, int]] | None:
    x, y, z = attempt.launch.grid
    if x * y * z <= MAX_BLOCKS:
        return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
    plane, row, column = element
    found: dict[tuple[int, int, int], None] = {(0, 0, 0): None, (x - 1, y - 1, z - 1): None}
    for step in (-1, 0, 1):
        near = blocks_at(
            attempt.analysis, attempt.launch.values, buffer, (plane, row, column + step), at + step
        )
        if near is None and step == 0:
            return None
        found |= dict.fromkeys(near or ())
    return list(found)


def _range(attempt: Attempt) -> Sign | str:
    found = _record(attempt)
    return _number(attempt, found.at, found.term, found.term, found.low, found.high)


def _offset(attempt: Attempt) -> Sign | str:
    """The offset from a pointer of undeclared extent goes beyond half of the address space."""
    found = next(a for a in attempt.analysis.records.accesses if f"offset.{a.id}" == attempt.claim.name)
    return _number(attempt, found.at, found.column, found.address, -HALF, HALF - found.width)


def _number(attempt: Attempt, at: Point, term: Poly, held: Poly, low: int, high: int) -> Sign | str:
    """The thread of the model is at the line, and a register holds what is left of a number that does not fit.

    `term` is the number that must lie in [low, high]; `held` the one of which the register has the low bits.
    """
    values = attempt.launch.values
    exact, whole = term_value(term, values), term_value(held, values)
    if low <= exact <= high:
        return f"in this launch the value is {exact}, in range"
    thread = attempt.thread
    wanted = {loop: values.get(f"k@{loop}", 0) for loop in at.loops}
    signs: list[Sign] = []
    reached: list[int] = []

    def look(event: StepEvent, watch: Watch) -> None:
        if thread not in event.standing or any(watch.rounds(thread).get(n) != k for n, k in wanted.items()):
            return
        reached.append(event.instr.line)
        for register, added in _registers(event.instr):
            if register not in event.registers:
                continue
            kind = attempt.analysis.problem.function.registers[register]
            content, width = int(event.registers[register][thread]), type_width(kind)
            if kind != "pred" and (content + added - whole) % 2**width == 0:
                signs.append(Sign(
                    f"line {event.instr.line}: the exact value is {exact}, outside of {low} .. {high}; {register} "
                    f"holds {content}; block {event.block}, thread {watch.index(thread)}"
                    + "".join(f", iteration {k} of the loop at line {n.removeprefix('L')}" for n, k in wanted.items())
                ))
                raise Enough

    result = attempt.watch(on_line=look).run(attempt.schedule, STEP_BUDGET)
    if signs:
        return signs[0]
    if reached:
        return _nothing(
            result,
            f"the run comes to this line, but with other numbers than the counterexample, which needs {whole} there: "
            "no run of this launch may give that",
        )
    return _nothing(
        result,
        f"in the run, thread {attempt.watch().index(thread)} of the counterexample does not come to this line"
        + (" in the iteration that it names" if wanted else ""),
    )


def _record(attempt: Attempt) -> Range:
    return next(r for r in attempt.analysis.records.ranges if f"range.{r.id}" == attempt.claim.name)


def _registers(instruction: Instr) -> list[tuple[str, int]]:
    """The registers an instruction reads, with what an address adds to them."""
    found: list[tuple[str, int]] = []

    def walk(operand: Operand) -> None:
        if isinstance(operand, Reg):
            found.append((operand.name, 0))
        elif isinstance(operand, Vec):
            for part in operand.elems:
                walk(part)
        elif isinstance(operand, Mem) and isinstance(operand.base, Reg):
            found.append((operand.base.name, operand.offset))

    for operand in instruction.operands:
        walk(operand)
    return found


def _grid(attempt: Attempt) -> Sign | str:
    for extent, limit, axis in zip(attempt.launch.grid, MAX_GRID, "xyz", strict=True):
        if not 1 <= extent <= limit:
            return Sign(f"the launch function gives {extent} blocks in {axis}; the hardware takes 1 to {limit}")
    return f"the grid is {attempt.launch.grid}"


def _rows(attempt: Attempt) -> Sign | str:
    buffer: BufferTerms = attempt.analysis.problem.buffers[attempt.claim.name.partition(".")[2]]
    assert buffer.leading is not None
    assert buffer.columns is not None
    leading, columns = (term_value(t, attempt.launch.values) for t in (buffer.leading, buffer.columns))
    if leading >= max(1, columns):
        return f"rows of {columns} elements are {leading} apart"
    return Sign(f"rows of {buffer.name} have {columns} elements and begin {leading} elements apart: they overlap")


def _writable(attempt: Attempt) -> Sign | str:
    return _faults(attempt, (READ_ONLY,), _at_line(attempt))


def _unchanged(attempt: Attempt) -> Sign | str:
    return "a write outside its buffer is shown under bounds; what it may change is not followed"


def _constant(attempt: Attempt) -> Sign | str:
    """Bytes change that the read-only path may hold (PTX ISA 9.7.9.9)."""
    return _faults(attempt, (RACE,), _at_line(attempt))


SIGNS: Mapping[str, Callable[[Attempt], Sign | str]] = {
    "split": _split, "bounds": _bounds, "align": _align, "rows": _rows, "writers": _writers,
    "race": _race, "barrier": _together, "converged": _together, "lanes": _together, "trips": _together,
    "group": _together,
    "power": _power, "range": _range, "defined": _undefined, "init": _unwritten, "variant": endless, "trap": _trap,
    "coverage": _coverage, "abi": _grid, "writable": _writable, "offset": _offset, "unchanged": _unchanged,
    "constant": _constant,
}
