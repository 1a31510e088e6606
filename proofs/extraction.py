"""Ordered expressions of what an entry stores at one case: a launch of its contract in the domain Dag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proofs.refinement_cases import Case
from spec.contracts.model import Buffer, Contract
from spec.ptx.ast import Module
from spec.ptx.extraction import extract as run_for_expressions
from spec.ptx.memory import Memory
from spec.ptx.node import Node

Key = tuple[str, int]


@dataclass(frozen=True)
class Extracted:
    """One launch.

    Args:
        outputs: the expression stored last at (buffer, element from its base).
        store_lines: the line of that store.
        node_lines: the line that first computed a node, or loaded an input.
        lines: lines of the instructions that some thread carried out.
        faults: what went wrong; the rest is then incomplete.
    """

    outputs: Mapping[Key, Node]
    store_lines: Mapping[Key, int]
    node_lines: Mapping[Node, int]
    lines: frozenset[int]
    faults: tuple[str, ...] = ()


def extract(contract: Contract, module: Module, case: Case) -> Extracted:
    """Run the blocks of the case. Unsupported for what the domain Dag cannot express."""
    values = {contract.power: case.power, **case.values}
    memory = Memory()
    args: dict[str, int | bytes] = {}
    for parameter in contract.parameters:
        if parameter.kind == "buffer":
            args[parameter.name] = _add(memory, contract.buffer(parameter.name), values, case)
        else:
            # A float parameter stays a symbol; its bytes are not looked at.
            args[parameter.name] = values.get(parameter.name, 0)
    launch = run_for_expressions(
        module.entry(contract.entry),
        module,
        memory=memory,
        outputs={b.name: b.element for b in contract.buffers if "w" in b.access},
        parameters=[p.name for p in contract.parameters if p.kind == "f32"],
        args=args,
        grid=contract.grid_for(values),
        block=contract.block,
        blocks=[(number, 0, 0) for number in case.blocks] or None,
        dynamic_shared=contract.dynamic_shared,
    )
    faults = tuple(str(fault) for fault in launch.result.faults)
    lines = frozenset(launch.result.stats.lines)
    return Extracted(launch.outputs, launch.store_lines, launch.node_lines, lines, faults)


def _add(memory: Memory, buffer: Buffer, values: Mapping[str, int], case: Case) -> int:
    """The buffer in the launch's memory, its rows as the contract has them; content is named, not numbers."""
    counts, width = buffer.sizes(values), buffer.element_bytes
    strides = [width * n for n in buffer.strides(values)]
    rank, plane = len(counts), 0
    if rank == 3 and 0 not in counts:
        plane = (counts[1] - 1) * strides[1] + counts[2] * width
    return memory.add(
        buffer.name,
        size=buffer.extent(values),
        writable="w" in buffer.access,
        initialised="r" in buffer.access,
        offset=case.offsets.get(buffer.name, 0),
        symbolic=buffer.element if "r" in buffer.access else "",
        row_pitch=strides[-2] if rank > 1 else 0,
        row_bytes=counts[-1] * width if rank > 1 else 0,
        plane_pitch=strides[0] if rank == 3 else 0,
        plane_bytes=plane,
    )
