"""The threads of a block as data: registers, special registers, and what a domain asks of its surroundings."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from spec.errors import BadInput, Unsupported
from spec.ptx.access import BlockMemory
from spec.ptx.ast import type_width
from spec.ptx.copies import Copies
from spec.ptx.defined import Defined, Shadowed
from spec.ptx.faults import INACTIVE_LANE, OUT_OF_BOUNDS, UNINITIALISED, Fault, FaultList, Index
from spec.ptx.floats import WORD
from spec.ptx.lanes import put
from spec.ptx.memory import Buffer, Place, Use
from spec.ptx.program import Step, thread_indices
from spec.ptx.reader import Reader
from spec.ptx.shuffle import source_lane
from spec.tensor_core import TensorCore

if TYPE_CHECKING:
    from spec.ptx.machine import Launch

Array = npt.NDArray[Any]

WARP = 32
EVERY_LANE = 0xFFFFFFFF
_CLOCKS = ("clock", "clock64", "globaltimer")
EVERYWHERE, NOWHERE = np.asarray(True), np.asarray(False)


class Threads:
    """Registers and identity of a block's threads; `active` are those that carry out the present instruction.

    Implements `spec.ptx.lanes.Surroundings` for the domain that computes the values.
    """

    domain: Any
    copies: Copies

    def __init__(
        self, launch: Launch, memory: BlockMemory, index: Index, name: Callable[[int], Index], faults: FaultList
    ) -> None:
        self.launch, self.memory, self.index, self.name, self.faults = launch, memory, index, name, faults
        self.program = launch.program
        self.tid = thread_indices(launch.block)
        self.threads = len(self.tid[0])
        self.everyone = np.arange(self.threads)
        self.warp_of, self.lane_of = self.everyone // WARP, self.everyone % WARP
        self.activate(self.everyone)
        self.registers: dict[str, Array] = {}
        self.defined: dict[str, Array | None] = {}
        self._sound: set[str] = set()  # registers that are defined in every thread
        self._made: set[str] = set()
        self._specials: dict[tuple[str, int], Array] = {}
        self.steps_taken = 0
        self.line = 0

    def activate(self, threads: Array) -> None:
        """These carry out what comes."""
        self.active = threads
        self.count = len(threads)
        self.whole = self.count == self.threads

    @cached_property
    def reader(self) -> Reader[Any, Any]:
        return Reader(self.domain, self.program.function.registers, self.read)

    @cached_property
    def shadowed(self) -> Reader[Any, Any]:
        """Reads and gives values with where they are defined; see `spec.ptx.defined`."""
        defined: Any = Defined(self.domain, self._demand, self._exchanged)
        return Reader(defined, self.program.function.registers, self.read_shadowed)

    def fault(
        self, kind: str, threads: Array, message: str, address: int | None = None, nbytes: int = 0,
        other_line: int | None = None,
    ) -> None:
        if self.faults.again(kind, self.line, other_line):
            return
        names = tuple(self.name(int(t)) for t in threads[:8])
        text = f"{message}; block {self.index}, thread {names[0]}"
        self.faults.add(Fault(kind, self.line, self.index, names, address, nbytes, text, other_line))

    def carry_out(self, step: Step) -> None:
        """An instruction that has a meaning, for the active threads."""
        plan, meaning = step.plan, step.row.meaning
        if meaning is None:
            raise Unsupported(step.instr.opcode, line=self.line)
        if not self.launch.lenient or step.demanding or not self.doubtful(plan.reads):
            reader = self.reader
            values = meaning(self.domain, step.form, *[source(reader) for source in plan.sources])
            if plan.only and (not plan.unpacked or len(values) == 1):
                self.write(plan.only, values[0] if plan.unpacked else values)
                return
            for name, value in reader.written(plan, values):
                self.write(name, value)
            return
        shadowed = self.shadowed
        values = meaning(shadowed.domain, step.form, *shadowed.sources(plan))
        for name, result in shadowed.written(plan, values):
            self.write(name, result.value, np.asarray(result.defined))

    # --- registers ---
    def read(self, name: str) -> Array:
        """Value of a register for the active threads; a fault and zero where it is not defined."""
        if name in self._sound:
            value = self.registers[name]
            return value if self.whole else np.asarray(value[self.active])
        known = self._known(name)
        if known is not EVERYWHERE and not known.all():
            made = "holds what was made of one that" if name in self._made else "is read and"
            missing = self.active[~np.broadcast_to(known, self.active.shape)]
            self.fault(UNINITIALISED, missing, f"register {name} {made} was never written")
        return self._value(name)

    def read_shadowed(self, name: str) -> Shadowed:
        """Value of a register for the active threads, and where it is defined."""
        return Shadowed(self._value(name), self._known(name))

    def doubtful(self, names: tuple[str, ...]) -> bool:
        """Whether one of these registers is not defined in an active thread."""
        if self._sound.issuperset(names):
            return False
        return any((known := self._known(name)) is not EVERYWHERE and not known.all() for name in names)

    def _value(self, name: str) -> Array:
        value = self.registers.get(name)
        if value is None:
            return np.zeros(len(self.active), WORD[type_width(self.program.function.registers[name])])
        return value if self.whole else np.asarray(value[self.active])

    def _known(self, name: str) -> Array:
        """In which of the active threads a register is defined."""
        if name not in self.registers:
            if name not in self.program.function.registers:
                raise Unsupported(f"register {name} is not declared", line=self.line)
            return NOWHERE
        known = self.defined[name]
        return EVERYWHERE if known is None else np.asarray(known[self.active])

    def _demand(self, defined: Array) -> None:
        """What an instruction must not do with values that are undefined."""
        if not defined.all():
            missing = self.active[~np.broadcast_to(defined, self.active.shape)]
            self.fault(UNINITIALISED, missing, "a value made of a register that was never written decides here")

    def _exchanged(self, mode: str, defined: Array, b: Array, c: Array, members: Array) -> Array:
        source, _ = self.shuffle_source(mode, b, c, members)
        return np.asarray(np.broadcast_to(defined, source.shape)[source])

    def write(self, name: str, value: Any, defined: Array | None = None) -> None:
        """Set a register of the active threads; `defined` says in which of them the value is, None in all."""
        value = np.asarray(value)
        if defined is None or defined.all():
            if self.whole:
                self.registers[name] = value if value.shape == (self.threads,) else np.full(self.threads, value)
                self.defined[name] = None
                self._sound.add(name)
                return
            if name in self._sound:
                self.registers[name] = put(self.registers[name], self.active, value)
                return
            defined = None
            self._made.discard(name)
        else:
            self._made.add(name)
            self._sound.discard(name)
        if self.whole:
            assert defined is not None
            self.registers[name] = value if value.shape == (self.threads,) else np.full(self.threads, value)
            self.defined[name] = np.array(np.broadcast_to(defined, (self.threads,)))
            return
        old = self.registers.get(name)
        known = self.defined.get(name)
        if old is None:
            old, known = np.zeros(self.threads, value.dtype), np.zeros(self.threads, bool)
        self.registers[name] = put(old, self.active, value)
        known = np.ones(self.threads, bool) if known is None else known.copy()
        known[self.active] = True if defined is None else defined
        self.defined[name] = None if known.all() else known
        if self.defined[name] is None:
            self._sound.add(name)

    # --- Surroundings ---
    @property
    def tensor_core(self) -> TensorCore:
        return self.launch.tensor_core

    def special(self, name: str, width: int) -> Array:
        whole = self._specials.get((name, width))
        if whole is None:
            bare = name.removeprefix("%")
            if bare == "activemask":
                return np.asarray(self.domain.ballot(np.ones(self.count, bool), np.uint32(EVERY_LANE)))
            if bare in _CLOCKS:
                return np.asarray(np.uint64(self.steps_taken)).astype(WORD[width])
            whole = self._specials[name, width] = np.asarray(self._special(bare)).astype(WORD[width])
        return whole if self.whole or not whole.shape else np.asarray(whole[self.active])

    def _special(self, name: str) -> Any:
        """A special register that does not change, for all threads."""
        base, _, axis = name.partition(".")
        if axis in ("x", "y", "z"):
            which = "xyz".index(axis)
            if base == "tid":
                return self.tid[which]
            sizes = {"ntid": self.launch.block, "ctaid": self.index, "nctaid": self.launch.grid}
            if base in sizes:
                return np.uint64(sizes[base][which])
        lanes, one = self.lane_of.astype(np.uint64), np.uint64(1)
        if name == "laneid":
            return lanes
        if name == "warpid":
            return self.warp_of
        if base.startswith("lanemask_"):
            bit = one << lanes
            masks = {"eq": bit, "lt": bit - one, "le": bit - one | bit, "ge": ~(bit - one), "gt": ~(bit - one | bit)}
            return masks[base.removeprefix("lanemask_")] & np.uint64(EVERY_LANE)
        fixed = {
            "arbitrary": 0, "WARP_SZ": WARP, "nwarpid": -(-self.threads // WARP), "smid": 0, "nsmid": 1, "gridid": 0,
            "dynamic_smem_size": self.launch.dynamic_shared, "total_smem_size": self.program.shared_bytes,
        }
        if name in fixed:
            return np.uint64(fixed[name])
        raise Unsupported(f"special register %{name}", line=self.line)

    def symbol(self, name: str) -> int:
        return self.memory.symbol(name)

    def parameter(self, name: str, offset: int, nbytes: int) -> bytes:
        if name not in self.launch.parameters:
            raise Unsupported(f"ld.param of {name}, no parameter of this kernel", line=self.line)
        data = self.launch.parameters[name]
        if not 0 <= offset <= len(data) - nbytes:
            raise BadInput(f"line {self.line}: {nbytes} bytes at {offset} of parameter {name}, {len(data)} bytes long")
        return data[offset : offset + nbytes]

    def locate(self, space: str, nbytes: int, address: Array, use: Use) -> list[Place]:
        address = np.asarray(self.domain.known(address, self.line))
        return self.memory.locate(space, nbytes, address, use, self.active)

    def matrix_rows(self, space: str, count: int, address: Array, use: Use) -> tuple[Buffer, Array]:
        """Offsets of the rows of `count` matrices, (warps, 8 * count), -1 where there is a fault; and their buffer.

        Lane i of a warp gives the address of row i; further lanes' addresses mean nothing.
        """
        giving = np.flatnonzero(self.lanes() < 8 * count)
        address = np.broadcast_to(np.asarray(self.domain.known(address, self.line), np.uint64), self.active.shape)
        names, warp = np.unique(self.warps(), return_inverse=True)
        rows = np.full((len(names), 8 * count), -1, np.int64)
        for place in self.memory.locate(space, 16, address[giving], use, self.active[giving]):
            if place.buffer.space != "shared":
                raise Unsupported("a matrix outside of shared memory", line=self.line)
            who = giving[place.positions]
            rows[warp[who], self.lanes()[who]] = place.offsets
        return self.memory.shared, rows

    def copy_async(self, size: int, target: Array, source: Array, counts: Array) -> None:
        more = counts > size
        if more.any():
            self.fault(OUT_OF_BOUNDS, self.active[more], f"cp.async of {size} bytes reads {int(counts[more][0])}")
        counts = np.minimum(counts, size)
        to = self.locate("shared", size, target, Use("write", flight=True))
        source = np.broadcast_to(np.asarray(self.domain.known(source, self.line), np.uint64), counts.shape)
        places: list[Place] = []
        for count in np.unique(counts[counts > 0]):
            here = np.flatnonzero(counts == count)
            # An access of `count` bytes, aligned as a whole copy is.
            use = Use("read", flight=True, align=size)
            for place in self.memory.locate("global", int(count), source[here], use, self.active[here]):
                places.append(Place(place.buffer, here[place.positions], place.offsets))
        self.copies.issue(self.domain, size, to, places, self.active, counts)

    def in_space(self, space: str, address: Array) -> Array:
        return self.memory.in_space(space, np.asarray(self.domain.known(address, self.line)))

    def to_generic(self, space: str, address: Array) -> Array:
        return self.memory.to_generic(space, address)

    def from_generic(self, space: str, address: Array) -> Array:
        return self.memory.from_generic(space, address)

    def warps(self) -> Array:
        return self.warp_of if self.whole else np.asarray(self.warp_of[self.active])

    def lanes(self) -> Array:
        return self.lane_of if self.whole else np.asarray(self.lane_of[self.active])

    def shuffle_source(self, mode: str, b: Array, c: Array, members: Array) -> tuple[Array, Array]:
        """A source lane that does not take part is a fault, its reader gets its own value."""
        lane = self.lanes()
        b, c = (np.broadcast_to(v, lane.shape).astype(np.int64) & 0x1FFF for v in (b, c))
        source, in_range = source_lane(mode, lane, b, c)
        thread = self.active - lane + source
        position = np.full(self.threads + WARP, -1)
        position[self.active] = np.arange(len(self.active))
        found = position[thread]
        members = np.broadcast_to(members, lane.shape)
        absent = (found < 0) | (members >> source & 1 == 0)
        if absent.any():
            which = int(source[absent][0])
            self.fault(INACTIVE_LANE, self.active[absent], f"the shuffle reads lane {which}, which takes no part")
        return np.where(absent, np.arange(len(lane)), found), in_range
