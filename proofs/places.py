"""Names of the places of an entry's text: of its instructions, and of the loops that begin at a label."""

from __future__ import annotations

from proofs.cfg import Graph
from spec.ptx.ast import Function, Label


def instruction_places(function: Function) -> dict[int, str]:
    """A name for each instruction that no other has: its line, with a letter where a line holds several."""
    seen: dict[int, int] = {}
    places: dict[int, str] = {}
    for instruction in function.instructions():
        n = seen.get(instruction.line, 0)
        seen[instruction.line] = n + 1
        places[id(instruction)] = f"L{instruction.line}" + (f".i{n}" if n else "")
    return places


def loops_by_label(function: Function, graph: Graph) -> dict[str, int]:
    """The block at the head of each loop, by every label that stands before it."""
    heads = {id(graph.blocks[h].instructions[0]): h for h in graph.loops if graph.blocks[h].instructions}
    found: dict[str, int] = {}
    before: list[str] = []
    for statement in function.body or ():
        if isinstance(statement, Label):
            before.append(statement.name)
            continue
        found |= {name: heads[id(statement)] for name in before if id(statement) in heads}
        before = []
    return found


def loop_names(function: Function, graph: Graph) -> dict[str, str]:
    """The name that records give each loop, by label."""
    places = instruction_places(function)
    return {
        label: places[id(graph.blocks[head].instructions[0])]
        for label, head in loops_by_label(function, graph).items()
    }
