"""Control flow of one entry: successors, dominators, natural loops, and which registers may be read unwritten."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.findings import Unknown
from verifier.reader import Entry, Instruction, Symbol

ENDS = ("ret", "exit", "trap")


@dataclass(frozen=True)
class Loop:
    """A natural loop: positions of its header, its body (header included), and of the loop around it."""

    header: int
    line: int
    body: frozenset[int]
    parent: int | None


@dataclass(frozen=True)
class Flow:
    """Positions index Entry.instructions; `loops` is keyed by header position.

    `chains`: for each position, the loops around it, outermost first.
    """

    successors: tuple[tuple[int, ...], ...]
    loops: dict[int, Loop]
    reachable: frozenset[int]
    chains: tuple[tuple[Loop, ...], ...]


def flow_of(entry: Entry) -> Flow:
    """The control flow graph. Unknown if a path runs off the end or a cycle has several entries."""
    successors = tuple(_successors(entry, at) for at in range(len(entry.instructions)))
    if not successors:
        raise Unknown(f"entry {entry.name} has no instructions")
    order = _postorder(successors)
    dominators = _dominators(successors, order)
    loops = _loops(entry, successors, order, dominators)
    chains = tuple(
        tuple(sorted((loop for loop in loops.values() if at in loop.body), key=lambda loop: -len(loop.body)))
        for at in range(len(successors))
    )
    return Flow(successors, loops, frozenset(order), chains)


def branch_target(entry: Entry, instruction: Instruction) -> int:
    """Position a `bra` leads to; Unknown for anything but a plain label."""
    target = instruction.operands[0] if len(instruction.operands) == 1 else None
    if not isinstance(target, Symbol) or target.name not in entry.labels:
        raise Unknown(f"line {instruction.line}: branch target not understood: {instruction.text}")
    return entry.labels[target.name]


def _successors(entry: Entry, at: int) -> tuple[int, ...]:
    instruction = entry.instructions[at]
    following: list[int] = []
    if instruction.opcode[0] == "bra":
        following.append(branch_target(entry, instruction))
    if instruction.opcode[0] not in ("bra", *ENDS) or instruction.guard is not None:
        following.append(at + 1)
    if any(place >= len(entry.instructions) for place in following):
        raise Unknown(f"line {instruction.line}: control runs past the end of {entry.name}")
    return tuple(dict.fromkeys(following))


def _postorder(successors: tuple[tuple[int, ...], ...]) -> list[int]:
    seen, order = {0}, []
    stack = [(0, iter(successors[0]))]
    while stack:
        node, rest = stack[-1]
        for after in rest:
            if after not in seen:
                seen.add(after)
                stack.append((after, iter(successors[after])))
                break
        else:
            order.append(node)
            stack.pop()
    return order


def _dominators(successors: tuple[tuple[int, ...], ...], order: list[int]) -> dict[int, int]:
    """Immediate dominator of every reachable position (Cooper, Harvey and Kennedy's iteration)."""
    rank = {node: i for i, node in enumerate(order)}
    before: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for after in successors[node]:
            before[after].append(node)
    idom = {0: 0}

    def meet(a: int, b: int) -> int:
        while a != b:
            while rank[a] < rank[b]:
                a = idom[a]
            while rank[b] < rank[a]:
                b = idom[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in reversed(order):
            known = [p for p in before[node] if p in idom]
            if node == 0 or not known:
                continue
            best = known[0]
            for other in known[1:]:
                best = meet(best, other)
            if idom.get(node) != best:
                idom[node] = best
                changed = True
    return idom


def _dominates(idom: dict[int, int], a: int, b: int) -> bool:
    while b != a and b != 0:
        b = idom[b]
    return a == b


def _loops(
    entry: Entry, successors: tuple[tuple[int, ...], ...], order: list[int], idom: dict[int, int]
) -> dict[int, Loop]:
    rank = {node: i for i, node in enumerate(order)}
    before: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for after in successors[node]:
            before[after].append(node)
    bodies: dict[int, set[int]] = {}
    for node in order:
        for header in successors[node]:
            if rank[header] < rank[node]:
                continue
            if not _dominates(idom, header, node):
                raise Unknown(f"line {entry.instructions[node].line}: a cycle with more than one way in")
            body = bodies.setdefault(header, {header})
            stack = [node]
            while stack:
                inside = stack.pop()
                if inside not in body:
                    body.add(inside)
                    stack.extend(before[inside])
    loops = {}
    for header, body in bodies.items():
        around = [h for h, other in bodies.items() if h != header and body <= other]
        parent = min(around, key=lambda h: len(bodies[h]), default=None)
        loops[header] = Loop(header, entry.instructions[header].line, frozenset(body), parent)
    return loops
