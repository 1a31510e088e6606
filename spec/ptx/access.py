"""Memory of one block: where an address leads, and the detectors that watch each access."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from spec.errors import Unsupported
from spec.ptx.clocks import Clocks
from spec.ptx.faults import MISALIGNED, OUT_OF_BOUNDS, READ_ONLY, UNINITIALISED, Fault, FaultList, Index
from spec.ptx.memory import READ, WINDOW_BYTES, WINDOWS, WRITE, Buffer, Bytes, Memory, Place, Use
from spec.ptx.program import Program
from spec.ptx.races import AccessLog

Array = npt.NDArray[Any]
_WARP = 32
_WORDS = {width: np.uint64(width) for width in (1, 2, 4, 8, 16, 32)}


class AccessEvent(NamedTuple):
    """One memory access of one thread. Address in its own state space, width in bytes, kind as of `Use`."""

    line: int
    block: Index
    thread: Index
    space: str
    address: int
    width: int
    kind: str


Listener = Callable[[AccessEvent], None]


class BlockMemory:
    """Address translation and checks for one block.

    Args:
        program, memory: the kernel and the global buffers.
        threads: threads of the block; `name` gives the index of a thread.
        alike: lines where stores of one warp to one shared address, made at once, are one store.
    """

    def __init__(
        self,
        program: Program,
        memory: Memory,
        threads: int,
        block: Index,
        name: Callable[[int], Index],
        faults: FaultList,
        listener: Listener | None,
        alike: Collection[int] = (),
    ) -> None:
        self.program, self.memory, self.block, self.name = program, memory, block, name
        self.faults, self.listener, self.alike = faults, listener, alike
        shared = program.shared_bytes
        local = program.local_bytes * threads
        self.shared = Buffer("shared memory", 0, shared, Bytes(shared), written=Bytes(shared), space="shared")
        self.local = Buffer("local memory", 0, local, Bytes(local), written=Bytes(local), space="local")
        data = np.frombuffer(program.const_data, np.uint8)
        constants = Bytes(program.const_bytes, 0, data)
        self.const = Buffer("constant memory", 0, program.const_bytes, constants, False, space="const")
        self.log = AccessLog()
        self.whole_log = AccessLog()
        self.readonly_log = AccessLog()
        self.clocks = Clocks(threads, program.copying)
        self.line = 0

    def symbol(self, name: str) -> int:
        for layout in (self.program.shared, self.program.local, self.program.const):
            if name in layout:
                return layout[name]
        if name in self.memory.buffers:
            return self.memory[name].base
        raise Unsupported(f"the address of {name}", line=self.line)

    def in_space(self, space: str, address: Array) -> Array:
        """Which generic addresses lie in a state space; global memory is what lies in no window."""
        windows = [space] if space in WINDOWS else list(WINDOWS)
        inside = np.zeros(np.shape(address), bool)
        for window in windows:
            base = WINDOWS[window]
            inside = inside | ((address >= np.uint64(base)) & (address < np.uint64(base + WINDOW_BYTES)))
        return inside if space in WINDOWS else ~inside

    def to_generic(self, space: str, address: Array) -> Array:
        return np.asarray(address + np.uint64(WINDOWS.get(space, 0)))

    def from_generic(self, space: str, address: Array) -> Array:
        return np.asarray(address - np.uint64(WINDOWS.get(space, 0)))

    def locate(
        self, space: str, nbytes: int, address: Array, use: Use, threads: Array
    ) -> list[Place]:
        """Check the access of these threads and find its places; faulty threads are left out."""
        if address.shape != threads.shape or address.dtype != np.uint64:
            address = np.broadcast_to(np.asarray(address, np.uint64), threads.shape)
        everyone = np.arange(len(threads))
        if space == "generic":
            places = self._generic(nbytes, address, use, threads, everyone)
        else:
            places = self._in_space(space, nbytes, address, use, threads, everyone)
        return places

    def _generic(
        self, nbytes: int, address: Array, use: Use, threads: Array, positions: Array
    ) -> list[Place]:
        places: list[Place] = []
        rest = np.ones(len(threads), bool)
        for space, base in WINDOWS.items():
            inside = (address >= np.uint64(base)) & (address < np.uint64(base + WINDOW_BYTES))
            if inside.any():
                rest &= ~inside
                own = address[inside] - np.uint64(base)
                places += self._in_space(space, nbytes, own, use, threads[inside], positions[inside])
        if rest.any():
            places += self._in_space(
                "global", nbytes, address[rest], use, threads[rest], positions[rest]
            )
        return places

    def _in_space(
        self, space: str, nbytes: int, address: Array, use: Use, threads: Array, positions: Array
    ) -> list[Place]:
        if self.listener is not None:
            self._tell(space, nbytes, address, use, threads)
        if space == "global":
            return self._global(nbytes, address, use, threads, positions)
        buffer = {"shared": self.shared, "local": self.local, "const": self.const}[space]
        limit = self.program.local_bytes if space == "local" else buffer.size
        if self._fits(limit - nbytes, address, address, use.align or nbytes):
            good, offsets = threads, address.astype(np.int64)
        else:
            fits = self._bounds(buffer, limit, nbytes, address, threads)
            fits &= self._aligned(use.align or nbytes, address, threads)
            good, positions, offsets = threads[fits], positions[fits], address[fits].astype(np.int64)
        if space == "local":
            offsets += good.astype(np.int64) * limit
        return self._enter(space, Place(buffer, positions, offsets), nbytes, use, good)

    @staticmethod
    def _fits(last: int, offsets: Array, address: Array, align: int) -> bool:
        """Whether all accesses are aligned and begin at offsets from 0 to `last`; these are unsigned."""
        return last >= 0 and int(offsets.max()) <= last and not (align > 1 and bool((address % _WORDS[align]).any()))

    def _global(
        self, nbytes: int, address: Array, use: Use, threads: Array, positions: Array
    ) -> list[Place]:
        places: list[Place] = []
        left = np.ones(len(threads), bool)
        while left.any():
            first = int(address[int(np.argmax(left))])
            buffer = self.memory.find(first)
            if buffer is None:
                near = left & (address == np.uint64(first))
                self.fault(OUT_OF_BOUNDS, threads[near], first, nbytes, "near no buffer")
                left &= ~near
                continue
            if not places and not (buffer.row_pitch or buffer.plane_pitch):
                own = address - np.uint64(buffer.base)
                if self._fits(buffer.size - nbytes, own, address, use.align or nbytes):
                    return self._enter("global", Place(buffer, positions, own.view(np.int64)), nbytes, use, threads)
            low, high = self.memory.span(buffer)
            near = left & (address >= np.uint64(low)) & (address < np.uint64(high))
            left &= ~near
            own, who = (address[near] - np.uint64(buffer.base)).view(np.int64), threads[near]
            good = self._bounds(buffer, buffer.size, nbytes, own, who)
            good &= self._aligned(use.align or nbytes, address[near], who)
            place = Place(buffer, positions[near][good], own[good])
            places += self._enter("global", place, nbytes, use, who[good])
        return places

    def _bounds(self, buffer: Buffer, limit: int, nbytes: int, offsets: Array, threads: Array) -> Array:
        """Which accesses lie inside the buffer, and inside one of its logical rows."""
        signed = offsets.view(np.int64)
        outside = (signed < 0) | (signed > limit - nbytes)
        if outside.any():
            at = int(signed[outside][0])
            self.fault(
                OUT_OF_BOUNDS, threads[outside], buffer.base + at, nbytes,
                f"{nbytes} bytes at byte {at} of {buffer.name}, which has {limit} bytes",
            )
        inner = signed
        parts = ("plane", buffer.plane_pitch, buffer.plane_bytes), ("row", buffer.row_pitch, buffer.row_bytes)
        for part, pitch, extent in parts:
            if not pitch:
                continue
            number, inner = inner // pitch, inner % pitch
            beyond = ~outside & (inner + nbytes > extent)
            if beyond.any():
                self.fault(
                    OUT_OF_BOUNDS, threads[beyond], buffer.base + int(signed[beyond][0]), nbytes,
                    f"{nbytes} bytes at byte {int(inner[beyond][0])} of {part} {int(number[beyond][0])} of "
                    f"{buffer.name}, whose {part}s have {extent} bytes",
                )
            outside |= beyond
        return np.asarray(~outside)

    def _aligned(self, nbytes: int, address: Array, threads: Array) -> Array:
        off = address % np.uint64(nbytes) != 0
        if off.any():
            at = int(address[off][0])
            self.fault(MISALIGNED, threads[off], at, nbytes, f"{nbytes} bytes at {at:#x}, no multiple of {nbytes}")
        return np.asarray(~off)

    def _enter(
        self, space: str, place: Place, nbytes: int, use: Use, threads: Array
    ) -> list[Place]:
        """The last checks of accesses that are in bounds; logs them. The places that remain."""
        if not len(threads):
            return []
        buffer = place.buffer
        if use.writes and not buffer.writable:
            self.fault(
                READ_ONLY, threads, buffer.base + int(place.offsets[0]), nbytes, f"a store to {buffer.name}, read-only",
            )
            return []
        if use.flight:  # logged, and what it writes marked, by those who know when it happens
            if use.reads and buffer.written is not None:
                self._initialised(buffer, buffer.written, place, nbytes, threads)
            return [place]
        if buffer.written is not None:
            if use.reads:
                self._initialised(buffer, buffer.written, place, nbytes, threads)
            if use.writes:
                buffer.written.mark(place.offsets, nbytes)
        if space in ("global", "shared"):
            start = place.offsets + (buffer.base if space == "global" else WINDOWS["shared"])
            if use.matrix:
                self._log_rows(start, use, threads)
                return [place]
            if use.kind == "write" and space == "shared" and self.line in self.alike:
                first = np.unique(np.stack((threads // _WARP, start)), axis=1, return_index=True)[1]
                threads, start = threads[first], start[first]
            clock = self.clocks.clock[threads]
            size = nbytes // use.parts
            for part in range(use.parts):
                self.log.append(start + part * size if part else start, size, use, threads, clock, self.line)
            if use.readonly:
                self.readonly_log.append(start, nbytes, use, threads, clock, self.line)
        return [place]

    def _initialised(self, buffer: Buffer, written: Bytes, place: Place, nbytes: int, threads: Array) -> None:
        if written.marked(place.offsets, nbytes):
            return
        known = written.gather(place.offsets, nbytes) != 0
        missing = ~known.all(axis=1)
        if missing.any():
            row = int(np.argmax(missing))
            at = int(place.offsets[row]) + int(np.argmin(known[row]))
            self.fault(
                UNINITIALISED, threads[missing], buffer.base + at, nbytes,
                f"byte {at} of {buffer.name} is read and was never written",
            )

    def _log_rows(self, start: Array, use: Use, threads: Array) -> None:
        """Rows of matrices, 16 bytes each, by the lanes that gave their addresses.

        A read counts as one of every lane; two of them tell every other thread apart. A write is one of the lanes that
        hold the elements. Of a warp that is not full, whose missing lanes are a fault of their own, the last thread
        stands for them.
        """
        first, last = threads - threads % 32, self.clocks.threads - 1
        if not use.writes:
            for who in (threads, np.minimum(first + (threads + 1) % 32, last)):
                self.log.append(start, 16, use, who, self.clocks.clock[who], self.line)
            return
        row = threads % 8
        for i in range(8 if use.matrix == "columns" else 4):
            who = np.minimum(first + (4 * i + row // 2 if use.matrix == "columns" else 4 * row + i), last)
            size = 2 if use.matrix == "columns" else 4
            self.log.append(start + size * i, size, use, who, self.clocks.clock[who], self.line)

    def log_flight(
        self, buffer: Buffer, offsets: Array, width: int, write: bool, threads: Array, clock: Array, line: int
    ) -> None:
        """Accesses of asynchronous copies, as those of the actors that make them."""
        start = offsets + (buffer.base if buffer.space == "global" else WINDOWS["shared"])
        actor = threads + self.clocks.threads
        self.log.append(start, width, WRITE if write else READ, threads, clock, line, actor)

    def fault(
        self, kind: str, threads: Array, address: int, nbytes: int, message: str, other_line: int | None = None
    ) -> None:
        if self.faults.again(kind, self.line, other_line):
            return
        names = tuple(self.name(int(t)) for t in threads[:8])
        self.faults.add(Fault(kind, self.line, self.block, names, address, nbytes,
                              f"{message}; block {self.block}, thread {names[0]}", other_line))

    def _tell(self, space: str, nbytes: int, address: Array, use: Use, threads: Array) -> None:
        assert self.listener is not None
        tell, name, line, block, kind = self.listener, self.name, self.line, self.block, use.kind
        for thread, at in zip(threads.tolist(), address.tolist(), strict=True):
            tell(AccessEvent(line, block, name(thread), space, at, nbytes, kind))
