"""Nothing left out: every access, barrier, shuffle, branch, trap and loop of the PTX stands in the records, none other.

All of it by the audit's own reading of the PTX.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.canonical import canonical
from verifier.conditions import Subject, check_symbols
from verifier.contract import domain
from verifier.flow import Flow, flow_of
from verifier.intervals import Walk, check_intervals
from verifier.opcodes import Effect, effect_of
from verifier.query import forms
from verifier.reader import Entry, Immediate, Instruction, is_special, registers_in
from verifier.terms import conjuncts, show


def incomplete(subject: Subject) -> list[str]:
    """What is missing from the records of an entry, or does not belong there."""
    return [
        *check_symbols(subject),
        *_places(subject),
        *_loops(subject),
        *_domain(subject),
        *_permissions(subject),
        *_unwritten(subject),
        *check_intervals(Walk(subject)),
    ]


def _places(subject: Subject) -> Iterator[str]:
    """Line by line: what the PTX does there and what the records say of it."""
    records = subject.records
    own: dict[int, list[str]] = {}
    branches: set[int] = set()
    for instruction in subject.entry.instructions:
        effect = effect_of(instruction)
        if effect.kind in ("branch", "end", "trap"):
            branches.add(instruction.line)
        if what := _what(instruction, effect):
            own.setdefault(instruction.line, []).append(what)
    said: dict[int, list[str]] = {}
    for a in records.accesses.values():
        said.setdefault(a.line, []).append(f"{a.kind} of {a.width} bytes, {a.space}")
    for b in records.barriers.values():
        said.setdefault(b.line, []).append(f"{b.kind} barrier")
    for s in records.shuffles.values():
        said.setdefault(s.line, []).append(f"shuffle of {s.members:#x}")
    for t in records.traps.values():
        said.setdefault(t.line, []).append("trap")
    for line in sorted(own.keys() | said.keys()):
        have, want = sorted(said.get(line, [])), sorted(own.get(line, []))
        if have != want:
            yield f"PTX line {line} is {' and '.join(want) or 'nothing of note'}, the records say: {have or 'nothing'}"
    given: dict[int, set[str]] = {}
    for group in (records.accesses, records.barriers, records.shuffles, records.traps):
        for point in group.values():
            given.setdefault(point.line, set()).add(point.id)
    if given != {line: set(ids) for line, ids in records.lines.items()}:
        yield "`lines` does not list exactly the places of the records"
    spoken = {line for line, _ in records.branches}
    for line in sorted(branches ^ spoken):
        yield f"PTX line {line}: a branch or end that the records {'lack' if line in branches else 'invent'}"


def _what(instruction: Instruction, effect: Effect) -> str:
    if effect.kind in ("load", "store"):
        kind = "read" if effect.kind == "load" else "write"
        return f"{kind} of {effect.bytes} bytes, {effect.space}"
    if effect.kind == "barrier":
        return "block barrier"
    if effect.kind in ("shuffle", "warp_barrier"):
        mask = instruction.operands[-1]
        return f"shuffle of {mask.value % 2**32:#x}" if isinstance(mask, Immediate) else "shuffle of an unknown mask"
    return "trap" if effect.kind == "trap" else ""


def _loops(subject: Subject) -> Iterator[str]:
    flow = flow_of(subject.entry)
    records = subject.records
    by_line = {loop.line: loop for loop in records.loops.values()}
    own = {loop.line for loop in flow.loops.values()}
    for line in sorted(own ^ by_line.keys()):
        yield f"the loop at PTX line {line} is {'missing from' if line in own else 'only in'} the records"
    lines = {i.line: at for at, i in enumerate(subject.entry.instructions)}
    for point in records.points():
        if point.line not in lines:
            yield f"{point.id} speaks of PTX line {point.line}, where no instruction of {subject.entry.name} stands"
            continue
        around = [by_line[loop.line].id for loop in flow.chains[lines[point.line]] if loop.line in by_line]
        if list(point.loops) != around:
            yield f"{point.id}: the loops around PTX line {point.line} are {around}, the records say {point.loops}"
    for loop in records.loops.values():
        chain = [by_line[around.line].id for around in flow.chains[lines[loop.line]] if around.line in by_line]
        parent = chain[chain.index(loop.id) - 1] if loop.id in chain and chain.index(loop.id) else None
        if loop.parent != parent:
            yield f"loop {loop.id}: the loop around it is {parent}, the records say {loop.parent}"


def _domain(subject: Subject) -> Iterator[str]:
    """The records' copy of the domain is the contract's."""
    own = forms(tuple(domain(subject.contract, subject.shared)))
    for clause in subject.records.domain:
        for part in conjuncts(clause):
            if canonical(part) not in own:
                yield f"the recorded domain has a clause that the contract does not make: {show(part)[:120]}"
    if subject.records.block != subject.contract.block:
        yield f"the records are of a block {subject.records.block}, the contract of {subject.contract.block}"


def _permissions(subject: Subject) -> Iterator[str]:
    """Writes only to buffers declared writable; `.nc` reads only of buffers that the launch does not write."""
    records = subject.records
    accesses = [a for a in records.accesses.values() if a.space == "global"]
    written = {a.buffer for a in accesses if a.kind == "write"}
    text = {i.line: i.opcode for i in subject.entry.instructions}
    for access in accesses:
        buffer = subject.contract.buffers.get(access.buffer)
        if buffer is None:
            yield f"access {access.id} names buffer {access.buffer}, which the contract does not have"
        elif access.kind == "write" and "w" not in buffer.access:
            yield f"PTX line {access.line} writes {access.buffer}, which the contract lets nobody write"
        elif access.kind == "read" and "r" not in buffer.access:
            yield f"PTX line {access.line} reads {access.buffer}, which the contract does not let anybody read"
        if "nc" in text.get(access.line, ()) and access.buffer in written:
            yield f"PTX line {access.line} reads {access.buffer} as constant, but this launch writes it"
        if buffer is not None and access.count * buffer.size != access.width:
            yield f"access {access.id}: {access.count} elements of {buffer.size} bytes are not {access.width} bytes"


def _unwritten(subject: Subject) -> Iterator[str]:
    """Registers that a path leaves unwritten where they are read, unless a `defined` claim speaks of them."""
    known = {(r.line, r.register) for r in subject.records.reads.values()}
    for line, register in unwritten_reads(subject.entry):
        if (line, register) not in known:
            yield f"PTX line {line} may read {register} before it is written, and no record speaks of it"


def unwritten_reads(entry: Entry) -> list[tuple[int, str]]:
    """(line, register) of reads that some path reaches without an unguarded write."""
    flow: Flow = flow_of(entry)
    before: dict[int, frozenset[str]] = {0: frozenset()}
    work = [0]
    while work:
        at = work.pop()
        after = before[at] | _writes(entry.instructions[at])
        for target in flow.successors[at]:
            met = before[target] & after if target in before else after
            if before.get(target) != met:
                before[target] = met
                work.append(target)
    found = []
    for at in sorted(flow.reachable):
        instruction = entry.instructions[at]
        for name in _reads(instruction):
            if name not in before[at] and not is_special(name):
                found.append((instruction.line, name))
    return found


def _writes(instruction: Instruction) -> frozenset[str]:
    if instruction.guard is not None or not effect_of(instruction).writes:
        return frozenset()
    return frozenset(registers_in(instruction.operands[0]))


def _reads(instruction: Instruction) -> list[str]:
    names = [instruction.guard[0]] if instruction.guard else []
    effect = effect_of(instruction)
    operands = instruction.operands[1:] if effect.writes else instruction.operands
    return names + [name for operand in operands for name in registers_in(operand)]
