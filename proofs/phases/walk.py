"""Walks over the code from a place, with the iteration of each loop relative to where the walk began."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from proofs.cfg import Block, Graph
from proofs.phases.modes import FREE, Modes, following, parse, spell
from proofs.records import Records
from spec.ptx.ast import Instr

Visit = Callable[[str, Instr, Modes, Any], Iterable[Any]]
Turn = Callable[[Block, Modes, Any], Iterable[tuple[int, Any]]]


def anywhere(block: Block, modes: Modes, extra: Any) -> Iterable[tuple[int, Any]]:
    """Every way out of a block."""
    return [(successor, extra) for successor in block.successors()]


class Walker:
    """Follows every path of the code.

    Args:
        stops: places of the barriers that matter to this walk.
        ahead: rounds that are told apart; later ones are free.
        every: whether iterations of all loops are followed (one thread alone), or only of those that hold a stop.
    """

    def __init__(
        self, graph: Graph, records: Records, places: dict[int, str], stops: Iterable[str], ahead: int,
        every: bool = False,
    ) -> None:
        self.graph, self.places, self.ahead = graph, places, ahead
        self.stops = frozenset(stops)
        self.position: dict[str, tuple[int, int]] = {}
        self.headers: dict[int, str] = {}
        for index in graph.order:
            for at, instruction in enumerate(graph.blocks[index].instructions):
                self.position[places[id(instruction)]] = (index, at)
            if index in graph.loops:
                first = graph.blocks[index].instructions
                self.headers[index] = places[id(first[0])] if first else f"B{index}"
        self.accesses: dict[str, list[Any]] = {}
        for access in records.accesses:
            self.accesses.setdefault(access.at.place, []).append(access)
        self.followed = {
            h for h, loop in graph.loops.items() if every or any(self.position[b][0] in loop.blocks for b in self.stops)
        }
        self.outermost = {self.headers[h] for h in self.followed if graph.loops[h].parent is None}
        self.inside = {
            index: frozenset(self.headers[h] for h, loop in graph.loops.items() if index in loop.blocks)
            for index in graph.order
        }

    def tracks(self, loop: str) -> bool:
        """Whether iterations of the loop are followed."""
        return any(self.headers[h] == loop for h in self.followed)

    def base(self, loops: Iterable[str]) -> Modes:
        """Where a walk begins that starts inside these loops."""
        return tuple((loop, "base" if self.tracks(loop) else FREE) for loop in loops)

    def explore(
        self, index: int, at: int, modes: Modes, extra: Any, visit: Visit, turn: Turn = anywhere
    ) -> None:
        """Call `visit(place, instruction, modes, extra)` on every path; what it gives are the extras to go on with.

        `turn(block, modes, extra)` gives the ways out of a block, with the extra to go on with.
        """
        start = (index, at, tuple(sorted(modes)), extra)
        seen = {start}
        work = [start]
        while work:
            index, at, modes, extra = work.pop()
            block = self.graph.blocks[index]
            going = True
            for n in range(at, len(block.instructions)):
                instruction = block.instructions[n]
                place = self.places[id(instruction)]
                after = list(visit(place, instruction, modes, extra))
                if not after:
                    going = False
                    break
                extra = after[0]
                for other in after[1:]:
                    state = (index, n + 1, modes, other)
                    if state not in seen:
                        seen.add(state)
                        work.append(state)
            if not going:
                continue
            for successor, going_on in turn(block, modes, extra):
                state = (successor, 0, self.moved(index, successor, modes), going_on)
                if state not in seen:
                    seen.add(state)
                    work.append(state)

    def moved(self, source: int, target: int, modes: Modes) -> Modes:
        """The iterations behind an edge."""
        inside = self.inside[target]
        kept = {}
        for loop, mode in modes:
            if loop in inside:
                kept[loop] = mode
            elif mode != FREE and loop in self.outermost:
                origin, offset = parse(mode)
                ended = {"base": spell("exit", -offset), "": spell("left", offset)}
                kept[loop] = ended.get(origin, mode)
        name = self.headers.get(target)
        if name is not None:
            if target not in self.followed:
                kept[name] = FREE
            elif source in self.graph.loops[target].blocks:
                kept[name] = following(kept.get(name, FREE), self.ahead)
            else:
                kept[name] = "0"
        return tuple(sorted(kept.items()))
