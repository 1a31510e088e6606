"""Ordered expressions of what an entry stores: a launch run with concrete addresses and symbolic floats.

All threads of a block go through the text together, those with the least position first, so that divergent paths
meet again. Integers, predicates and addresses are known; floats are `spec.ptx.node` graphs. Whatever cannot be
followed is `Unsupported` with its line; whatever a launch must not do is a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proofs.refinement_cases import Case
from proofs.symbolic_words import Symbolic, Words, as_node
from spec.contracts.model import Contract
from spec.errors import FltcError, Unsupported
from spec.ptx.ast import Function, Instr, Label, Module, Reg, Sym
from spec.ptx.isa import lookup
from spec.ptx.node import Node, input_element, parameter
from spec.ptx.operands import Reader
from spec.ptx.row import Form, Row

Key = tuple[str, int]
REGION = 1 << 44
"""Distance between the bases of two buffers, above the extent of any."""


class Fault(FltcError):
    """Something that a launch must not do, on this line."""


@dataclass(frozen=True)
class Extracted:
    """One launch.

    Args:
        outputs: the expression stored last at (buffer, element from its base).
        store_lines: the line of that store.
        node_lines: the line that first computed a node.
        lines: lines of the instructions that some thread carried out.
        faults: what went wrong; the rest is then incomplete.
    """

    outputs: Mapping[Key, Node]
    store_lines: Mapping[Key, int]
    node_lines: Mapping[Node, int]
    lines: frozenset[int]
    faults: tuple[str, ...] = ()


def extract(contract: Contract, module: Module, case: Case) -> Extracted:
    """Run the blocks of the case. Unsupported for what this interpretation does not know."""
    launch = _Launch(contract, module, case)
    faults: tuple[str, ...] = ()
    try:
        for block in case.blocks or range(launch.grid):
            _Block(launch, block).run()
    except Fault as fault:
        faults = (str(fault),)
    return Extracted(launch.outputs, launch.store_lines, launch.node_lines, frozenset(launch.lines), faults)


@dataclass(frozen=True)
class _Step:
    """An instruction with its row, and where a branch goes."""

    instr: Instr
    row: Row
    form: Form
    target: int


class _Launch:
    """What all blocks share: the text, the parameters, global memory."""

    def __init__(self, contract: Contract, module: Module, case: Case) -> None:
        self.contract, self.function = contract, module.entry(contract.entry)
        values = {contract.power: case.power, **case.values}
        grid = contract.grid_for(values)
        if contract.block[1:] != (1, 1) or grid[1:] != (1, 1):
            raise Unsupported(f"{contract.entry}: expression runs know blocks and grids of one dimension only")
        self.grid = grid[0]
        self.bases = {b.name: (i + 1) * REGION + case.offsets.get(b.name, 0) for i, b in enumerate(contract.buffers)}
        self.extents = {b.name: b.extent(values) for b in contract.buffers}
        self.params: dict[str, Any] = {**values, **self.bases}
        self.params |= {p.name: parameter(p.name) for p in contract.parameters if p.kind == "f32"}
        self.widths = {p.name: 8 * p.bytes for p in contract.parameters}
        self.steps = _steps(self.function)
        self.outputs: dict[Key, Node] = {}
        self.store_lines: dict[Key, int] = {}
        self.node_lines: dict[Node, int] = {}
        self.lines: set[int] = set()

    def place(self, address: int, nbytes: int, line: int) -> tuple[str, int, int]:
        """(buffer, first element, number of elements) of an access."""
        buffer = self.contract.buffers[min(max(address // REGION - 1, 0), len(self.contract.buffers) - 1)]
        offset, size = address - self.bases[buffer.name], buffer.element_bytes
        if not (offset >= 0 and offset + nbytes <= self.extents[buffer.name]) or address % nbytes:
            raise Fault(f"line {line}: {nbytes} bytes at {buffer.name} + {offset}, outside or misaligned")
        if offset % size or nbytes % size:
            raise Unsupported(f"an access to part of an element of {buffer.name}", line=line)
        return buffer.name, offset // size, nbytes // size


def _steps(function: Function) -> list[_Step]:
    """The instructions in order, branch targets resolved. Unsupported names the first that has no meaning here."""
    position: dict[str, int] = {}
    count = 0
    for statement in function.body or ():
        if isinstance(statement, Label):
            position[statement.name] = count
        else:
            count += 1
    steps = []
    for instr in function.instructions():
        found = lookup(instr.opcode)
        if found is None:
            raise Unsupported(f"{instr.opcode} has no meaning in the instruction table", line=instr.line)
        target = -1
        if found[0].control == "branch":
            label = instr.operands[0]
            if not isinstance(label, Sym | Reg) or label.name not in position:
                raise Unsupported(f"{instr.opcode} to something that is not a label", line=instr.line)
            target = position[label.name]
        steps.append(_Step(instr, *found, target))
    return steps


@dataclass
class _Block:
    """The threads of one block, `at` being the position of each in the text."""

    launch: _Launch
    index: int
    shared: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.threads = self.launch.contract.block[0]
        self.at = np.zeros(self.threads, np.int64)
        self.waiting = np.zeros(self.threads, bool)
        self.gone = np.zeros(self.threads, bool)
        self.registers: dict[str, Words] = {}
        self.active = np.arange(self.threads)
        self.line = 0
        self.reader: Reader[Any, Any] = Reader(Symbolic(self), self.launch.function.registers, self.read)

    # --- execution ---
    def run(self) -> None:
        steps = self.launch.steps
        while not self.gone.all():
            ready = ~(self.gone | self.waiting)
            if not ready.any():
                if self.gone.any():
                    raise Fault(f"line {self.line}: a barrier that some threads of block {self.index} never reach")
                self.waiting[:] = False
                continue
            position = int(self.at[ready].min())
            if position >= len(steps):
                self.gone |= ready & (self.at == position)
                continue
            self.active = np.flatnonzero(ready & (self.at == position))
            self.at[self.active] += 1
            self.step(steps[position])

    def step(self, step: _Step) -> None:
        """Carry out one instruction for the threads whose guard holds."""
        instr, self.line = step.instr, step.instr.line
        if instr.guard is not None:
            holds = self.read(instr.guard.name).astype(bool) ^ instr.guard_negated
            self.active = self.active[holds]
            if not len(self.active):
                return
        self.launch.lines.add(instr.line)
        control = step.row.control
        if control == "branch":
            self.at[self.active] = step.target
        elif control in ("return", "exit"):
            self.gone[self.active] = True
        elif control == "barrier":
            self.waiting[self.active] = True
        elif control in ("warp_barrier", "fence"):
            return
        elif control:
            raise Unsupported(f"{instr.opcode} in an expression run", line=instr.line)
        else:
            for name, value in self.reader.execute(instr, step.row, step.form):
                self.write(name, value)

    def read(self, name: str) -> Words:
        """A register of the active threads."""
        if name not in self.registers:
            raise Fault(f"line {self.line}: {name} is read before it is written")
        values = self.registers[name][self.active]
        if any(v is None for v in values):
            raise Fault(f"line {self.line}: {name} is read before it is written")
        return values

    def write(self, name: str, value: Any) -> None:
        if name not in self.registers:
            self.registers[name] = np.full(self.threads, None, dtype=object)
        self.registers[name][self.active] = value

    # --- what the domain asks for ---
    def remember(self, node: Node) -> Node:
        """Note the line that first computes this node."""
        self.launch.node_lines.setdefault(node, self.line)
        return node

    def special(self, name: str) -> Any:
        known = {"%ctaid.x": self.index, "%nctaid.x": self.launch.grid, "%ntid.x": self.threads}
        zero = {"%tid.y", "%tid.z", "%ctaid.y", "%ctaid.z"}
        one = {"%ntid.y", "%ntid.z", "%nctaid.y", "%nctaid.z"}
        if name in ("%tid.x", "%laneid"):
            lane = self.active if name == "%tid.x" else self.active % 32
            return np.array([int(t) for t in lane], dtype=object)
        if name in known:
            return known[name]
        if name in zero | one:
            return int(name in one)
        raise Unsupported(f"{name} in an expression run", line=self.line)

    def symbol(self, name: str) -> int:
        """Shared variables lie one after the other, each at a multiple of 16."""
        at = 0
        for variable in self.launch.function.variables:
            if variable.name == name:
                return at
            at += -(-(variable.bytes or 0) // 16) * 16
        raise Unsupported(f"the address of {name}", line=self.line)

    def parameter(self, name: str, offset: int, width: int) -> Any:
        if offset or self.launch.widths.get(name) != width:
            raise Unsupported(f"{width} bits at {name} + {offset} of the parameters", line=self.line)
        return self.launch.params[name]

    def load(self, space: str, width: int, count: int, address: Any) -> list[Words]:
        """`count` columns of words."""
        rows = [self._load(space, width, count, int(a)) for a in self._addresses(address)]
        return [_column([row[i] for row in rows]) for i in range(count)]

    def store(self, space: str, width: int, address: Any, values: tuple[Any, ...]) -> None:
        columns = [np.broadcast_to(np.asarray(v, dtype=object), (len(self.active),)) for v in values]
        for i, place in enumerate(self._addresses(address)):
            self._store(space, width, int(place), [c[i] for c in columns])

    def partners(self, mode: str, b: Any, c: Any) -> NDArray[np.int64]:
        """Places, among the active threads, of the lanes that a butterfly reads from."""
        if mode != "bfly" or not isinstance(b, int) or c != 31:
            raise Unsupported(f"shfl.sync.{mode} with these operands in an expression run", line=self.line)
        place = {int(t): i for i, t in enumerate(self.active)}
        sources = [int(t) ^ b for t in self.active]
        if any(s not in place for s in sources):
            raise Fault(f"line {self.line}: shfl.sync reads a lane that does not take part")
        return np.array([place[s] for s in sources])

    def _addresses(self, address: Any) -> Any:
        return np.broadcast_to(np.asarray(address, dtype=object), (len(self.active),))

    def _load(self, space: str, width: int, count: int, address: int) -> list[Any]:
        nbytes = width // 8
        if space == "shared":
            found = [self.shared.get(address + i * nbytes, (0, None)) for i in range(count)]
            if any(have != width for have, _ in found):
                raise Fault(f"line {self.line}: shared memory at {address} holds no {width}-bit word")
            return [value for _, value in found]
        if space != "global":
            raise Unsupported(f"ld.{space}", line=self.line)
        buffer, first, elements = self.launch.place(address, nbytes * count, self.line)
        places = range(first, first + elements)
        values = [self.launch.outputs.get((buffer, e)) or input_element(buffer, e) for e in places]
        if elements % count:
            raise Unsupported(f"{width}-bit words of elements of {buffer}", line=self.line)
        each = elements // count
        return [Symbolic.pack(width // each, values[i * each : (i + 1) * each]) for i in range(count)]

    def _store(self, space: str, width: int, address: int, values: list[Any]) -> None:
        nbytes = width // 8
        if space == "shared":
            for i, value in enumerate(values):
                self.shared[address + i * nbytes] = (width, value)
            return
        if space != "global":
            raise Unsupported(f"st.{space}", line=self.line)
        buffer, first, elements = self.launch.place(address, nbytes * len(values), self.line)
        each = elements // len(values)
        parts = [p for value in values for p in Symbolic.unpack(width // each, each, value, self.line)]
        for element, part in enumerate(parts, first):
            self.launch.outputs[buffer, element] = as_node(width // each, part)
            self.launch.store_lines[buffer, element] = self.line


def _column(values: list[Any]) -> Words:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made
