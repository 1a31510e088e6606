"""The domain Lanes: concrete values, one array element for each active thread.

A word of `width` bits is a NumPy array of the unsigned type of that width, a predicate an array of bools; a constant
may be of shape () and broadcasts. Threads and memory it asks of its surroundings, which the machine implements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from spec.ptx import floats, matrices, tensor
from spec.ptx.domain import Shape
from spec.ptx.floats import WORD
from spec.ptx.memory import READ, WRITE, Buffer, Place, Use
from spec.tensor_core import TensorCore

Array = npt.NDArray[Any]


class Surroundings(Protocol):
    """What the machine offers a concrete domain. Positions count the threads that execute the instruction."""

    line: int
    """PTX line of the instruction being carried out."""
    count: int
    """How many positions there are."""

    @property
    def tensor_core(self) -> TensorCore:
        """How products of matrices of floats are added up."""

    def special(self, name: str, width: int) -> Array:
        """A special register, a word of `width` bits for each position."""

    def symbol(self, name: str) -> int:
        """Address of a variable in its own state space."""

    def parameter(self, name: str, offset: int, nbytes: int) -> bytes:
        """Bytes of a kernel parameter."""

    def locate(self, space: str, nbytes: int, address: Array, use: Use) -> list[Place]:
        """Check an access of all positions and say where it goes; faulty positions are in no place."""

    def matrix_rows(self, space: str, count: int, address: Array, use: Use) -> tuple[Buffer, Array]:
        """The buffer and, for each warp, the offsets of its 8 * count rows; -1 where a row has a fault."""

    def copy_async(self, size: int, target: Array, source: Array, counts: Array) -> None:
        """Start an asynchronous copy of `size` bytes for each position, the first `counts` of them from the source."""

    def in_space(self, space: str, address: Array) -> Array:
        """Which generic addresses lie in a state space."""

    def to_generic(self, space: str, address: Array) -> Array: ...
    def from_generic(self, space: str, address: Array) -> Array: ...
    def shuffle_source(self, mode: str, b: Array, c: Array, members: Array) -> tuple[Array, Array]:
        """Position each position reads from, and whether its lane was in range."""

    def warps(self) -> Array:
        """Number of the warp of each position."""

    def lanes(self) -> Array:
        """Lane of each position."""


def put(into: Array, positions: Array, values: Array) -> Array:
    """`into` with these positions replaced; an object array where either is one (see the domain Dag)."""
    out = into.astype(object) if values.dtype == object and into.dtype != object else into.copy()
    out[positions] = values
    return out


def signed_view(width: int, a: Array) -> Array:
    """The same bits, read as two's complement."""
    return np.asarray(a).view(np.dtype(f"i{width // 8}"))


@lru_cache(maxsize=4096)
def _constant(width: int, value: int) -> Array:
    out = np.asarray(value % (1 << width), WORD[width])
    out.flags.writeable = False
    return out


class Lanes:
    """Implements `spec.ptx.domain.Domain` for NumPy arrays. `around` is None where only values are computed."""

    def __init__(self, around: Surroundings | None = None) -> None:
        self._around = around

    @property
    def around(self) -> Surroundings:
        if self._around is None:
            raise RuntimeError("this operation needs a machine: Lanes was made without one")
        return self._around

    def known(self, value: Array, line: int) -> Array:
        """A value that control or an address depends on; here every value is known."""
        return value

    # --- integers ---
    def const(self, width: int, value: int) -> Array:
        return _constant(width, value)

    def special(self, name: str, width: int) -> Array:
        return self.around.special(name, width)

    def add(self, width: int, a: Array, b: Array) -> Array:
        return np.asarray(a + b)

    def sub(self, width: int, a: Array, b: Array) -> Array:
        return np.asarray(a - b)

    def mul(self, width: int, a: Array, b: Array) -> Array:
        return np.asarray(a * b)

    def mul_wide(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return np.asarray(self.extend(width, 2 * width, signed, a) * self.extend(width, 2 * width, signed, b))

    def mul_hi(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        if width < 64:
            return self.truncate(2 * width, width, self.mul_wide(width, signed, a, b) >> WORD[2 * width].type(width))
        mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
        a1, a0, b1, b0 = a >> half, a & mask, b >> half, b & mask
        middle = a1 * b0 + (a0 * b0 >> half)
        high = a1 * b1 + (middle >> half) + (a0 * b1 + (middle & mask) >> half)
        if signed:
            high = high - np.where(signed_view(64, a) < 0, b, np.uint64(0))
            high = high - np.where(signed_view(64, b) < 0, a, np.uint64(0))
        return np.asarray(high)

    def div(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        """By zero, all ones: hardware's habit, but PTX leaves it unspecified."""
        return self._divide(width, signed, a, b)[0]

    def rem(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return self._divide(width, signed, a, b)[1]

    def _divide(self, width: int, signed: bool, a: Array, b: Array) -> tuple[Array, Array]:
        word = WORD[width].type
        negative_a, negative_b = (signed_view(width, v) < 0 if signed else np.asarray(False) for v in (a, b))
        # Magnitudes, so that the quotient rounds toward zero; that of the least number is right as unsigned.
        size_a, size_b = np.where(negative_a, word(0) - a, a), np.where(negative_b, word(0) - b, b)
        zero = size_b == 0
        divisor = np.where(zero, word(1), size_b)
        quotient, rest = size_a // divisor, size_a % divisor
        quotient = np.where(negative_a != negative_b, word(0) - quotient, quotient)
        rest = np.where(negative_a, word(0) - rest, rest)
        return np.where(zero, word((1 << width) - 1), quotient), np.where(zero, a, rest)

    def min(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return np.where(self.compare(width, signed, "lt", a, b), a, b)

    def max(self, width: int, signed: bool, a: Array, b: Array) -> Array:
        return np.where(self.compare(width, signed, "gt", a, b), a, b)

    def bit_and(self, width: int, a: Array, b: Array) -> Array:
        return np.asarray(a & b)

    def bit_or(self, width: int, a: Array, b: Array) -> Array:
        return np.asarray(a | b)

    def bit_xor(self, width: int, a: Array, b: Array) -> Array:
        return np.asarray(a ^ b)

    def bit_not(self, width: int, a: Array) -> Array:
        return np.asarray(~a)

    def shl(self, width: int, a: Array, amount: Array) -> Array:
        word = WORD[width].type
        inside = amount < width
        shifted = np.asarray(a << np.where(inside, amount, 0).astype(word))
        return np.where(inside, shifted, word(0))

    def shr(self, width: int, signed: bool, a: Array, amount: Array) -> Array:
        word = WORD[width]
        clamped = np.minimum(amount, np.uint32(width - 1)).astype(word)
        if signed:
            shifted: Array = signed_view(width, a) >> clamped.view(f"i{width // 8}")
            return np.asarray(np.asarray(shifted).view(word))
        return np.where(amount < width, np.asarray(a >> clamped), word.type(0))

    def popc(self, width: int, a: Array) -> Array:
        return np.asarray(np.bitwise_count(np.asarray(a)), np.uint32)

    def clz(self, width: int, a: Array) -> Array:
        spread = np.asarray(a)
        shift = 1
        while shift < width:
            spread = spread | spread >> WORD[width].type(shift)
            shift *= 2
        return np.asarray(np.uint32(width) - self.popc(width, spread)).astype(np.uint32)

    def brev(self, width: int, a: Array) -> Array:
        word = WORD[width].type
        out = np.zeros_like(np.asarray(a))
        for i in range(width):
            out = out | ((a >> word(i)) & word(1)) << word(width - 1 - i)
        return np.asarray(out)

    def extend(self, source: int, target: int, signed: bool, a: Array) -> Array:
        if signed:
            return signed_view(source, a).astype(f"i{target // 8}").view(WORD[target])
        return np.asarray(np.asarray(a).astype(WORD[target]))

    def truncate(self, source: int, target: int, a: Array) -> Array:
        return np.asarray(np.asarray(a).astype(WORD[target]))

    def concat(self, width: int, parts: tuple[Array, ...]) -> Array:
        whole = WORD[width * len(parts)]
        out = np.asarray(parts[0]).astype(whole)
        for i, part in enumerate(parts[1:], 1):
            out = out | np.asarray(part).astype(whole) << whole.type(i * width)
        return np.asarray(out)

    def split(self, width: int, count: int, a: Array) -> tuple[Array, ...]:
        whole = WORD[width * count].type
        return tuple(np.asarray(a >> whole(i * width)).astype(WORD[width]) for i in range(count))

    # --- predicates ---
    def truth(self, value: bool) -> Array:
        return np.asarray(value)

    def compare(self, width: int, signed: bool, op: str, a: Array, b: Array) -> Array:
        if signed:
            a, b = signed_view(width, a), signed_view(width, b)
        compared = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
                    "ge": np.greater_equal}[op](a, b)
        return np.asarray(compared)

    def p_and(self, a: Array, b: Array) -> Array:
        return np.asarray(a & b)

    def p_or(self, a: Array, b: Array) -> Array:
        return np.asarray(a | b)

    def p_xor(self, a: Array, b: Array) -> Array:
        return np.asarray(a ^ b)

    def p_not(self, a: Array) -> Array:
        return np.asarray(~a)

    def select(self, width: int, p: Array, a: Array, b: Array) -> Array:
        return np.where(p, a, b)

    # --- floats ---
    def fadd(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
        return floats.add(t, rounding, ftz, sat, a, b)

    def fsub(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
        return floats.sub(t, rounding, ftz, sat, a, b)

    def fmul(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array) -> Array:
        return floats.mul(t, rounding, ftz, sat, a, b)

    def ffma(self, t: str, rounding: str, ftz: bool, sat: bool, a: Array, b: Array, c: Array) -> Array:
        return floats.fma(t, rounding, ftz, sat, a, b, c)

    def fdiv(self, t: str, rounding: str, ftz: bool, a: Array, b: Array) -> Array:
        return floats.div(t, rounding, ftz, a, b)

    def fsqrt(self, t: str, rounding: str, ftz: bool, a: Array) -> Array:
        return floats.sqrt(t, rounding, ftz, a)

    def fneg(self, t: str, ftz: bool, a: Array) -> Array:
        return floats.negate(t, ftz, a)

    def fabs(self, t: str, ftz: bool, a: Array) -> Array:
        return floats.absolute(t, ftz, a)

    def fmin(self, t: str, ftz: bool, nan: bool, a: Array, b: Array) -> Array:
        return floats.extremum(t, ftz, nan, False, a, b)

    def fmax(self, t: str, ftz: bool, nan: bool, a: Array, b: Array) -> Array:
        return floats.extremum(t, ftz, nan, True, a, b)

    def fcompare(self, t: str, ftz: bool, op: str, a: Array, b: Array) -> Array:
        return floats.compare(t, ftz, op, a, b)

    def fconvert(self, source: str, target: str, rounding: str, ftz: bool, sat: str, a: Array) -> Array:
        return floats.convert(source, target, rounding, ftz, sat, a)

    def int_to_float(self, source: int, signed: bool, target: str, rounding: str, a: Array) -> Array:
        return floats.from_int(source, signed, target, rounding, a)

    def float_to_int(self, source: str, target: int, signed: bool, rounding: str, ftz: bool, a: Array) -> Array:
        return floats.to_int(source, target, signed, rounding, ftz, a)

    def round_integral(self, t: str, rounding: str, ftz: bool, a: Array) -> Array:
        return floats.integral(t, rounding, ftz, a)

    def approximate(self, name: str, t: str, ftz: bool, args: tuple[Array, ...]) -> Array:
        return floats.approximate(name, t, ftz, args)

    # --- lanes of the warp: the machine has made sure that the active threads of a warp are the members ---
    def shuffle(self, mode: str, a: Array, b: Array, c: Array, members: Array) -> tuple[Array, Array]:
        source, in_range = self.around.shuffle_source(mode, b, c, members)
        return np.broadcast_to(a, source.shape)[source], in_range

    def vote(self, mode: str, p: Array, members: Array) -> Array:
        every, some = self._per_warp(np.logical_and, True, p, members), self._per_warp(np.logical_or, False, p, members)
        return {"all": every, "any": some, "uni": every | ~some}[mode]

    def ballot(self, p: Array, members: Array) -> Array:
        bits = np.where(p, np.uint32(1) << self.around.lanes().astype(np.uint32), np.uint32(0))
        return self._per_warp(np.bitwise_or, 0, bits, members)

    def redux(self, op: str, signed: bool, a: Array, members: Array) -> Array:
        values = signed_view(32, a) if signed else np.asarray(a)
        limits = np.iinfo(values.dtype)
        function, start = {
            "add": (np.add, 0), "min": (np.minimum, limits.max), "max": (np.maximum, limits.min),
            "and": (np.bitwise_and, 0xFFFFFFFF), "or": (np.bitwise_or, 0), "xor": (np.bitwise_xor, 0),
        }[op]
        return self._per_warp(function, start, values, members).view(np.uint32)

    def match(self, mode: str, width: int, a: Array, members: Array) -> tuple[Array, Array]:
        warps, lanes = self.around.warps(), self.around.lanes()
        a, members = np.broadcast_to(a, warps.shape), np.broadcast_to(members, warps.shape)
        group = np.unique(warps.astype(np.uint64) << np.uint64(32) | members, return_inverse=True)[1]
        alike = np.unique(np.stack([group.astype(np.uint64), a.astype(np.uint64)]), axis=1, return_inverse=True)[1]
        masks = np.zeros(int(alike.max()) + 1, np.uint32)
        np.bitwise_or.at(masks, alike.ravel(), np.uint32(1) << lanes.astype(np.uint32))
        same = masks[alike.ravel()]
        if mode == "any":
            return same, same == members
        every = same == self._per_warp(np.bitwise_or, 0, np.uint32(1) << lanes.astype(np.uint32), members)
        return np.where(every, same, np.uint32(0)), every

    def elect(self, members: Array) -> tuple[Array, Array]:
        """The lowest lane, as hardware does; PTX leaves the choice open."""
        lanes = self.around.lanes().astype(np.uint32)
        chosen = self._per_warp(np.minimum, 31, lanes, members)
        return chosen, chosen == lanes

    def _per_warp(self, function: Any, start: Any, values: Array, members: Array) -> Array:
        """Combine the values of all active threads of a warp that name the same members; each gets the result."""
        warps = self.around.warps()
        values, members = np.broadcast_to(values, warps.shape), np.broadcast_to(members, warps.shape)
        group = np.unique(warps.astype(np.uint64) << np.uint64(32) | members, return_inverse=True)[1]
        out = np.full(int(group.max()) + 1, start, values.dtype)
        function.at(out, group, values)
        return np.asarray(out[group])

    # --- memory ---
    def symbol(self, name: str, width: int) -> Array:
        return self.const(width, self.around.symbol(name))

    def load_param(self, name: str, offset: int, width: int, count: int) -> tuple[Array, ...]:
        size = width // 8
        data = self.around.parameter(name, offset, size * count)
        parts = (data[i * size : (i + 1) * size] for i in range(count))
        return tuple(self.const(width, int.from_bytes(part, "little")) for part in parts)

    def load(self, space: str, width: int, count: int, address: Array, readonly: bool) -> tuple[Array, ...]:
        size, n = width // 8, self.around.count
        use = Use("read", readonly=True) if readonly else READ
        places = self.around.locate(space, size * count, address, use)
        if len(places) == 1 and len(places[0].positions) == n:
            (place,) = places
            return tuple([self.fetch(place.buffer, place.offsets + i * size if i else place.offsets, size)
                          for i in range(count)])
        out: list[Array] = [np.zeros(n, WORD[width]) for _ in range(count)]
        for place in places:
            for i in range(count):
                out[i] = put(out[i], place.positions, self.fetch(place.buffer, place.offsets + i * size, size))
        return tuple(out)

    def store(self, space: str, width: int, address: Array, values: tuple[Array, ...]) -> None:
        size, n = width // 8, self.around.count
        for place in self.around.locate(space, size * len(values), address, WRITE):
            for i, value in enumerate(values):
                words = value if value.shape == (n,) else np.broadcast_to(value, (n,))
                if len(place.positions) < n:
                    words = words[place.positions]
                self.deposit(place.buffer, place.offsets + i * size if i else place.offsets, size, words)

    def atomic(
        self, space: str, width: int, count: int, address: Array, update: Callable[[int, Array, str], Array], scope: str
    ) -> tuple[Array, ...]:
        """Threads one after the other, lower ones first; of a vector, its elements in order."""
        size, n = width // 8, self.around.count
        out: list[Array] = [np.zeros(n, WORD[width]) for _ in range(count)]
        for place in self.around.locate(space, size * count, address, Use("atomic", scope=scope, parts=count)):
            where = place.buffer.space
            left = np.arange(len(place.offsets))
            while len(left):
                # Of the threads left, the first at each address.
                turn = left[np.unique(place.offsets[left], return_index=True)[1]]
                here, at = place.positions[turn], place.offsets[turn]
                for i in range(count):
                    out[i] = put(out[i], here, self.fetch(place.buffer, at + i * size, size))
                    new = np.broadcast_to(update(i, out[i], where), (n,))
                    self.deposit(place.buffer, at + i * size, size, new[here])
                left = np.setdiff1d(left, turn, assume_unique=True)
        return tuple(out)

    def copy_async(
        self, size: int, target: Array, source: Array, count: Array | None, ignore: Array | None
    ) -> None:
        n = self.around.count
        counts = np.full(n, size, np.int64)
        if count is not None:
            counts = np.broadcast_to(self.known(count, self.around.line).astype(np.int64), (n,)).copy()
        if ignore is not None:
            counts[np.broadcast_to(self.known(ignore, self.around.line).astype(bool), (n,))] = 0
        self.around.copy_async(size, target, source, counts)

    # --- matrices ---
    def load_matrices(self, space: str, count: int, trans: bool, address: Array) -> tuple[Array, ...]:
        use = Use("read", matrix="columns" if trans else "rows")
        buffer, rows = self.around.matrix_rows(space, count, address, use)
        return matrices.loaded(self, self._in_warps(), buffer, rows, count, trans)

    def store_matrices(self, space: str, trans: bool, address: Array, values: tuple[Array, ...]) -> None:
        use = Use("write", matrix="columns" if trans else "rows")
        buffer, rows = self.around.matrix_rows(space, len(values), address, use)
        matrices.stored(self, self._in_warps(), buffer, rows, trans, values)

    def transpose_matrix(self, a: Array) -> Array:
        return matrices.transposed(self, self._in_warps(), a)

    def mma(
        self, shape: Shape, a: tuple[Array, ...], b: tuple[Array, ...], c: tuple[Array, ...]
    ) -> tuple[Array, ...]:
        return matrices.mma(self, self._in_warps(), shape, a, b, c)

    def _in_warps(self) -> matrices.Warps:
        return matrices.Warps(self.around.warps(), self.around.lanes())

    def dot(self, shape: Shape, a: Array, b: Array, c: Array) -> Array:
        """c + the products along the last axis, as bits; floats as the launch's tensor core has it."""
        if shape.c == "s32":
            return tensor.integer_dot(shape.a, shape.b, shape.sat, a, b, c)
        return self.around.tensor_core.dot(shape.a, shape.c, a, b, c)

    def fetch(self, buffer: Buffer, offsets: Array, size: int) -> Array:
        """Words of `size` bytes at offsets that were checked."""
        return buffer.content.words(offsets, size)

    def deposit(self, buffer: Buffer, offsets: Array, size: int, words: Array) -> None:
        buffer.content.set_words(offsets, size, words)

    def is_space(self, space: str, width: int, address: Array) -> Array:
        return self.around.in_space(space, np.asarray(address))

    def to_generic(self, space: str, width: int, address: Array) -> Array:
        return self.around.to_generic(space, address)

    def from_generic(self, space: str, width: int, address: Array) -> Array:
        return self.around.from_generic(space, address)
