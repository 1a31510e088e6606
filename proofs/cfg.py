"""Control flow of one function: blocks, dominators, natural loops. Irreducible flow is Unsupported, by line."""

from __future__ import annotations

from dataclasses import dataclass, field

from spec.errors import Unsupported
from spec.ptx.ast import Function, Instr, Label, Sym
from spec.ptx.isa import lookup

EXIT = -1


@dataclass
class Block:
    """Straight-line code; `taken` is the target of its last instruction if it is a branch, `next` the fall-through."""

    index: int
    instructions: list[Instr] = field(default_factory=list)
    taken: int | None = None
    next: int | None = None

    @property
    def line(self) -> int:
        return self.instructions[0].line if self.instructions else 0

    def successors(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(s for s in (self.next, self.taken) if s is not None))


@dataclass(frozen=True)
class Loop:
    """A natural loop: one header, all its blocks, those with a back edge, the loop around it (index of its header)."""

    header: int
    blocks: frozenset[int]
    latches: tuple[int, ...]
    parent: int | None


@dataclass(frozen=True)
class Graph:
    """Blocks in text order, their predecessors, a topological order that ignores back edges, loops by header."""

    blocks: tuple[Block, ...]
    predecessors: dict[int, tuple[int, ...]]
    order: tuple[int, ...]
    loops: dict[int, Loop]

    def innermost(self, block: int) -> Loop | None:
        """The smallest loop that holds the block."""
        holding = [loop for loop in self.loops.values() if block in loop.blocks]
        return min(holding, key=lambda loop: len(loop.blocks), default=None)


def _control(instruction: Instr) -> str:
    found = lookup(instruction.opcode)
    return found[0].control if found else ""


def _split(function: Function) -> list[Block]:
    blocks: list[Block] = [Block(0)]
    labels: dict[str, int] = {}
    pending: list[tuple[Block, str]] = []
    ends = True

    def fresh() -> Block:
        block = Block(len(blocks))
        blocks.append(block)
        return block

    ends = False
    for statement in function.body or ():
        current = blocks[-1]
        if isinstance(statement, Label):
            if current.instructions or ends:
                following = fresh()
                if not ends:
                    current.next = following.index
                current = following
            ends = False
            labels[statement.name] = current.index
            continue
        if ends:
            current, ends = fresh(), False
        current.instructions.append(statement)
        control = _control(statement)
        if control not in ("branch", "exit", "return", "trap"):
            continue
        if control == "branch":
            target = statement.operands[0]
            if not isinstance(target, Sym):
                raise Unsupported(f"{statement.opcode} to something that is not a label", line=statement.line)
            pending.append((current, target.name))
        if statement.guard is not None:
            following = fresh()
            current.next = following.index
        else:
            ends = True
    last = blocks[-1]
    if not last.instructions and len(blocks) > 1:
        last.instructions = []
    for block, name in pending:
        block.taken = labels[name]
    return blocks


def _dominators(count: int, order: list[int], predecessors: dict[int, list[int]]) -> dict[int, set[int]]:
    dominators = {b: set(order) for b in order}
    dominators[order[0]] = {order[0]}
    changed = True
    while changed:
        changed = False
        for b in order[1:]:
            new = set.intersection(*(dominators[p] for p in predecessors[b] if p in dominators)) | {b}
            if new != dominators[b]:
                dominators[b], changed = new, True
    return dominators


def graph_of(function: Function) -> Graph:
    """The control-flow graph; unreachable blocks are left out of `order`."""
    blocks = _split(function)
    order: list[int] = []
    state: dict[int, int] = {}
    stack: list[tuple[int, int]] = [(0, 0)]
    state[0] = 1
    while stack:
        block, at = stack[-1]
        successors = blocks[block].successors()
        if at < len(successors):
            stack[-1] = (block, at + 1)
            if successors[at] not in state:
                state[successors[at]] = 1
                stack.append((successors[at], 0))
            continue
        order.append(block)
        stack.pop()
    order.reverse()
    predecessors: dict[int, list[int]] = {b: [] for b in order}
    for b in order:
        for s in blocks[b].successors():
            predecessors[s].append(b)
    dominators = _dominators(len(blocks), order, predecessors)
    position = {b: i for i, b in enumerate(order)}
    bodies: dict[int, set[int]] = {}
    latches: dict[int, list[int]] = {}
    for b in order:
        for s in blocks[b].successors():
            if position[s] > position[b]:
                continue
            if s not in dominators[b]:
                raise Unsupported("irreducible control flow (a loop with two entries)", line=blocks[s].line)
            body = bodies.setdefault(s, {s})
            latches.setdefault(s, []).append(b)
            work = [b]
            while work:
                x = work.pop()
                if x not in body:
                    body.add(x)
                    work.extend(predecessors[x])
    loops: dict[int, Loop] = {}
    for header, body in bodies.items():
        outer = [h for h, other in bodies.items() if h != header and header in other]
        parent = min(outer, key=lambda h: len(bodies[h]), default=None)
        loops[header] = Loop(header, frozenset(body), tuple(latches[header]), parent)
    return Graph(tuple(blocks), {b: tuple(p) for b, p in predecessors.items()}, tuple(order), loops)
