"""Control flow of one function: blocks, dominators, natural loops. Irreducible flow is Unsupported, by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from spec.errors import Unsupported
from spec.ptx.ast import Function, Instr, Label, Sym
from spec.ptx.isa import lookup

EXIT = -1
MAX_LOOPS, MAX_BODIES = 1_000, 1_000_000  # loops of a function; their blocks together, those of inner loops in each


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
            target = statement.operands[0] if statement.operands else None
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


class Dominators:
    """Which block lies on every path to another: the tree of immediate dominators, and when a walk enters and leaves.

    The iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"), linear in memory.
    """

    def __init__(self, order: Sequence[int], predecessors: Mapping[int, Sequence[int]]) -> None:
        position = {b: i for i, b in enumerate(order)}
        parent: list[int] = [0] + [-1] * (len(order) - 1)
        changed = True
        while changed:
            changed = False
            for i in range(1, len(order)):
                known = [position[p] for p in predecessors[order[i]] if parent[position[p]] >= 0]
                best = known[0]
                for other in known[1:]:
                    while best != other:
                        if other > best:
                            other = parent[other]
                        else:
                            best = parent[best]
                if parent[i] != best:
                    parent[i], changed = best, True
        children: list[list[int]] = [[] for _ in order]
        for i in range(1, len(order)):
            children[parent[i]].append(i)
        self._entered, self._left, clock = [0] * len(order), [0] * len(order), 0
        walk = [(0, False)]
        while walk:
            i, leaving = walk.pop()
            clock += 1
            if leaving:
                self._left[i] = clock
                continue
            self._entered[i] = clock
            walk.append((i, True))
            walk += [(child, False) for child in children[i]]
        self._position = position

    def of(self, above: int, below: int) -> bool:
        """Whether every path to `below` goes through `above`."""
        a, b = self._position[above], self._position[below]
        return self._entered[a] <= self._entered[b] and self._left[b] <= self._left[a]


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
    dominators = Dominators(order, predecessors)
    position = {b: i for i, b in enumerate(order)}
    bodies: dict[int, set[int]] = {}
    latches: dict[int, list[int]] = {}
    size = 0
    for b in order:
        for s in blocks[b].successors():
            if position[s] > position[b]:
                continue
            if not dominators.of(s, b):
                raise Unsupported("irreducible control flow (a loop with two entries)", line=blocks[s].line)
            body = bodies.setdefault(s, {s})
            latches.setdefault(s, []).append(b)
            work = [b]
            while work:
                x = work.pop()
                if x not in body:
                    body.add(x)
                    size += 1
                    work.extend(predecessors[x])
            if len(bodies) > MAX_LOOPS or size > MAX_BODIES:
                raise Unsupported(f"more than {MAX_LOOPS} loops, or too many blocks in them", line=blocks[s].line)
    loops: dict[int, Loop] = {}
    for header, body in bodies.items():
        outer = [h for h, other in bodies.items() if h != header and header in other]
        parent = min(outer, key=lambda h: len(bodies[h]), default=None)
        loops[header] = Loop(header, frozenset(body), tuple(latches[header]), parent)
    return Graph(tuple(blocks), {b: tuple(p) for b, p in predecessors.items()}, tuple(order), loops)
