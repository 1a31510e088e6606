"""What a compiler has computed in front of a loop, ahead of the branch in the loop behind which alone it is used.

nvcc takes the number of rounds `(n - 1 - t) >> 8` of an inner loop out of the loop around it, in front of the guard
`t < n`: where the guard fails that number has wrapped, and nobody uses it. `sunk` puts such instructions back behind
the branch, so that what is known there is known of them.

That changes nothing that anybody can see. With A the block that an instruction is taken from and S the one that it goes
to, it only computes, unconditionally, a register that no other instruction writes, from registers each of which one
instruction writes, in front of it; every path to S leads through A, and every path to a use leads through S. So between
the last time at A and S nothing that it reads is written again: whoever writes that lies on every path to A, and A on
every path from there to S. The same holds of S and the uses. Where there are several such S, each for some of the uses,
it is put into all of them: whichever comes last, it gives the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from proofs.cfg import Dominators, Graph, Loop
from spec.ptx.ast import Imm, Instr, Reg
from spec.ptx.isa import lookup
from spec.ptx.operands import bind, registers_in
from spec.ptx.row import EXACT

MAX_SEEDS, MAX_MOVED = 256, 64  # instructions looked at; those that go together
Place = tuple[int, int]  # a block, and the number of an instruction in it


@dataclass
class _Uses:
    """Where registers are written and read."""

    written: dict[str, list[Place]] = field(default_factory=dict)
    read: dict[str, list[Place]] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph) -> _Uses:
        found = cls()
        for block in graph.order:
            for i, instruction in enumerate(graph.blocks[block].instructions):
                results, others = _registers(instruction)
                for name in results:
                    found.written.setdefault(name, []).append((block, i))
                for name in others:
                    found.read.setdefault(name, []).append((block, i))
        return found


def _registers(instruction: Instr) -> tuple[list[str], list[str]]:
    """The registers that an instruction may write, and those that it may read."""
    everything = [name for operand in instruction.operands for name in registers_in(operand)]
    guard = [instruction.guard.name] if instruction.guard is not None else []
    found = lookup(instruction.opcode)
    if found is None:
        return everything, [*everything, *guard]
    binding = bind(instruction, found[0])
    results = [name for _, operand in binding.results for name in registers_in(operand)]
    return results, [*guard, *(name for _, operand in binding.sources for name in registers_in(operand))]


def sunk(graph: Graph, places: Mapping[int, str], looked_at: Collection[str]) -> Graph | None:
    """The graph with instructions put behind branches of loops that they stand in front of; None if there are none.

    Args:
        places: the name of each instruction, by identity.
        looked_at: those to be moved where they can be; what uses their results goes with them.
    """
    seeds = [
        (block, i) for block in graph.order for i, instruction in enumerate(graph.blocks[block].instructions)
        if places[id(instruction)] in looked_at
    ][:MAX_SEEDS]  # fmt: skip
    if not seeds or not graph.loops:
        return None
    uses, dominators, behind = _Uses.of(graph), Dominators(graph.order, graph.predecessors), _behind_branches(graph)
    moved: dict[Place, frozenset[int]] = {}
    for seed in seeds:
        together = _together(graph, uses, dominators, seed)
        targets = _targets(graph, uses, dominators, behind, together) if together else frozenset()
        if targets and not any(moved.get(place, targets) != targets for place in together):
            moved |= dict.fromkeys(together, targets)
    return _with(graph, moved) if moved else None


def _together(graph: Graph, uses: _Uses, dominators: Dominators, seed: Place) -> set[Place]:
    """An instruction and those in its block that use it and can be moved too; empty if it cannot be moved."""
    found: set[Place] = set()
    work = [seed]
    while work and len(found) < MAX_MOVED:
        place = work.pop()
        if place[0] == seed[0] and place not in found and _movable(graph, uses, dominators, place):
            found.add(place)
            (name,) = _registers(_at(graph, place))[0]
            work += uses.read.get(name, [])
    return found if seed in found else set()


def _at(graph: Graph, place: Place) -> Instr:
    return graph.blocks[place[0]].instructions[place[1]]


def _movable(graph: Graph, uses: _Uses, dominators: Dominators, place: Place) -> bool:
    instruction = _at(graph, place)
    found = lookup(instruction.opcode)
    # The first one of a block gives loops their names.
    if found is None or found[0].kind != EXACT or instruction.guard is not None or not place[1]:
        return False
    target, *sources = instruction.operands
    if not isinstance(target, Reg) or not all(isinstance(operand, Reg | Imm) for operand in sources):
        return False
    results, read = _registers(instruction)
    if results != [target.name] or uses.written[target.name] != [place]:
        return False
    return all(_before(dominators, uses.written.get(name, []), place) for name in read)


def _before(dominators: Dominators, written: list[Place], place: Place) -> bool:
    """Whether one instruction writes, and comes before the place on every path to it."""
    if len(written) != 1:
        return False
    block, i = written[0]
    return i < place[1] if block == place[0] else dominators.of(block, place[0])


def _behind_branches(graph: Graph) -> list[tuple[int, Loop]]:
    """The blocks that only one side of a branch leads to, with the loop that they are in."""
    found = []
    for block in graph.order:
        before, loop = graph.predecessors[block], graph.innermost(block)
        if len(before) == 1 and len(graph.blocks[before[0]].successors()) == 2 and loop is not None:
            found.append((block, loop))
    return found


def _targets(
    graph: Graph, uses: _Uses, dominators: Dominators, behind: list[tuple[int, Loop]], together: set[Place]
) -> frozenset[int]:
    """The blocks behind a branch, in a loop that the instructions are not in, of which one leads to each other use."""
    origin = next(iter(together))[0]
    used = {user for place in together for name in _registers(_at(graph, place))[0] for user in uses.read.get(name, [])}
    left = {block for block, _ in used - together}
    found: set[int] = set()
    for block, loop in behind:
        if origin in loop.blocks or not dominators.of(origin, block):
            continue
        reached = {user for user in left if dominators.of(block, user)}
        if reached:
            found.add(block)
            left -= reached
    return frozenset() if left else frozenset(found)


def _with(graph: Graph, moved: Mapping[Place, frozenset[int]]) -> Graph:
    """The graph with instructions moved to the heads of these blocks, in the order that they stand in."""
    put: dict[int, list[Instr]] = {}
    for block in graph.order:
        for i, instruction in enumerate(graph.blocks[block].instructions):
            for target in moved.get((block, i), ()):
                put.setdefault(target, []).append(instruction)
    blocks = [
        replace(block, instructions=[
            *put.get(block.index, []),
            *(instruction for i, instruction in enumerate(block.instructions) if (block.index, i) not in moved),
        ]) for block in graph.blocks
    ]  # fmt: skip
    return replace(graph, blocks=tuple(blocks))
