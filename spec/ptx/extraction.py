"""Ordered expressions of what a kernel stores, by a run of the concrete machine in the domain Dag."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spec.ptx.ast import Function, Module, type_width
from spec.ptx.dag import domain_of
from spec.ptx.dag_floats import Recorder
from spec.ptx.dag_words import assemble, content, whole
from spec.ptx.machine import Result, run
from spec.ptx.memory import Memory
from spec.ptx.node import Node


@dataclass(frozen=True)
class Extracted:
    """Ordered expressions of what a launch stored.

    Args:
        outputs: the expression last stored to (buffer, element), elements counted from the buffer's base; elements
            nobody stored are not in it.
        store_lines: the line of that store.
        node_lines: the line that first computed a node, or loaded an input.
        result: faults and lines executed; with faults the expressions are those of a faulty run.
    """

    outputs: Mapping[tuple[str, int], Node]
    store_lines: Mapping[tuple[str, int], int]
    node_lines: Mapping[Node, int]
    result: Result


def extract(
    function: Function,
    module: Module,
    *,
    memory: Memory,
    outputs: Mapping[str, str],
    parameters: Iterable[str] = (),
    **launch: Any,
) -> Extracted:
    """Run a launch with known integers and symbolic floats.

    Args:
        memory: buffers with `symbolic` set to their element type have named elements instead of content.
        outputs: element type of each buffer whose stores are wanted.
        parameters: float parameters that stay symbols; `args` still needs bytes for them.
        launch: the other arguments of `spec.ptx.machine.run`.

    Raises:
        Unsupported: a branch, address or store depends on a float in a way this domain cannot express.
    """
    recorder = Recorder(frozenset(parameters))
    result = run(function, module, memory=memory, domain=domain_of(recorder), **launch)
    found: dict[tuple[str, int], Node] = {}
    lines: dict[tuple[str, int], int] = {}
    for name, kind in outputs.items():
        buffer, width = memory[name], type_width(kind)
        size = width // 8
        for element in sorted({byte // size for where, byte in recorder.stored if where == name}):
            raw = buffer.data(element * size, size)
            word = assemble([content(buffer, element * size + k, raw[k]) for k in range(size)])
            lines[name, element] = recorder.stored.get((name, element * size), 0)
            found[name, element] = whole(width, word, lines[name, element])
    return Extracted(found, lines, recorder.node_lines, result)
