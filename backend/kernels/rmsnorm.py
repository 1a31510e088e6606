"""rmsnorm_f16: one block of 256 threads normalises one row, y = x * rsqrt(mean(x^2) + eps) * w.

Which elements a thread owns, and in which order it adds their squares, is the same on every path, so a row's result
depends neither on alignment nor on strides. With V = columns / 8 (floor) and thread t of 256:

    P[t] = +0; for v = t, t+256, t+512, ... < V, for i = 0..7:  P[t] = fma.rn(x[8v+i], x[8v+i], P[t])
    if t < columns % 8:  P[t] = fma.rn(x[8V+t], x[8V+t], P[t])
    for k = 16, 8, 4, 2, 1, in each warp, all lanes at once:  P[t] = add.rn(P[t], P[t xor k])
    s[j] = P[32j] for warp j = 0..7
    S = add.rn(add.rn(add.rn(s0, s1), add.rn(s2, s3)), add.rn(add.rn(s4, s5), add.rn(s6, s7)))
    r = rsqrt.approx(add.rn(div.rn(S, columns), eps));  y[c] = cvt.rn.f16(mul.rn(mul.rn(x[c], r), w[c]))

Vector path (this row of x, this row of y and w start at multiples of 16 bytes): the first 3 vectors of a thread stay
in registers; later ones, and the tail, are read again for the output, from a cache as long as rows are short. Three is
what pays on an H200: with four, 40 registers no longer suffice, fewer blocks fit and all sizes get slower. Scalar path:
2-byte accesses in the same order. Every branch is taken by the whole block; what differs by thread is a guard on one
instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backend.kernels.emit import B16, B32, F32, U32, U64, Kernel, Pred, module, unless
from spec.contracts.rmsnorm import CONTRACTS, SLOTS, THREADS, VECTOR

VECTOR_BYTES = 2 * VECTOR
ROUND_BYTES = THREADS * VECTOR_BYTES  # from a vector of a thread to its next one
WARPS = THREADS // 32

_HEADING = """\
RMSNorm over rows of binary16 numbers. Written by `python -m backend.kernels` from backend/kernels/rmsnorm.py.
Every branch is taken by all threads of the block alike; guards on single instructions differ by thread."""


def emit() -> str:
    """The text of backend/ptx/rmsnorm.ptx."""
    return module(_HEADING, [_RmsNorm().build()])


@dataclass(frozen=True)
class _Slot:
    """One vector of a thread: whether the row has it, its words of x and w, its place behind the base address."""

    exists: Pred
    x: list[B32]
    w: list[B32]
    offset: int


class _RmsNorm:
    """Registers of the kernel by meaning, and the parts of its text in order."""

    def __init__(self) -> None:
        k = self.k = Kernel(CONTRACTS[0])
        self.thread = k.reg(U32, "thread")
        self.columns = k.reg(U32, "columns")
        self.vectors = k.reg(U32, "vectors")
        self.x_row, self.w_row, self.y_row = (k.reg(U64, f"{b}_row") for b in "xwy")
        self.x_at, self.w_at, self.y_at = (k.reg(U64, f"{b}_at") for b in "xwy")
        self.offset = k.reg(U64, "offset")
        self.is_vector = k.reg(Pred, "is_vector")
        self.owns_tail = k.reg(Pred, "owns_tail")
        self.x_tail, self.w_tail = k.reg(B16, "x_tail"), k.reg(B16, "w_tail")
        self.x_half, self.w_half = k.regs(B16, "xh", VECTOR), k.regs(B16, "wh", VECTOR)
        self.x, self.w = k.reg(F32, "x"), k.reg(F32, "w")
        self.sum, self.scale = k.reg(F32, "sum"), k.reg(F32, "scale")
        self.tail, self.no_tail = k.reg(U32, "tail"), k.reg(Pred, "no_tail")
        self.base, self.vector, self.at = (k.reg(U32, name) for name in ("base", "vector", "at"))
        self.done = k.reg(Pred, "done")
        self.slots = [self._slot(f"{j}", j) for j in range(SLOTS)]
        self.absent = k.regs(Pred, "no_slot", SLOTS)
        self.rest = self._slot("_rest", 0)

    def _slot(self, name: str, index: int) -> _Slot:
        k = self.k
        return _Slot(
            k.reg(Pred, f"slot{name}"),
            k.regs(B32, f"x{name}w", VECTOR // 2),
            k.regs(B32, f"w{name}w", VECTOR // 2),
            index * ROUND_BYTES,
        )

    def build(self) -> Kernel:
        self.k.power_gate("EXIT")
        self._addresses()
        self._paths()
        self.k.bra("SUM_SCALAR", guard=unless(self.is_vector))
        self._load_slots()
        self._sum_slots()
        self.k.blank()
        self._loop("SUM_REST", "SUM_TAIL", SLOTS * THREADS, "x", self._sum_rest)
        self.k.blank()
        self.k.label("SUM_SCALAR")
        self._loop("SUM_SCALAR_NEXT", "SUM_TAIL", 0, "x", self._sum_scalar)
        self._sum_tail()
        self._reduce()
        self.k.bra("OUT_SCALAR", guard=unless(self.is_vector))
        self._store_slots()
        self.k.blank()
        self._loop("OUT_REST", "OUT_TAIL", SLOTS * THREADS, "xwy", self._store_rest)
        self.k.blank()
        self.k.label("OUT_SCALAR")
        self._loop("OUT_SCALAR_NEXT", "OUT_TAIL", 0, "xwy", self._store_scalar)
        self._store_tail()
        self.k.label("EXIT")
        self.k.ret()
        return self.k

    def _addresses(self) -> None:
        """Addresses of the row that this block owns."""
        k = self.k
        row, stride, offset = k.reg(U32, "row"), k.reg(U32, "stride"), self.offset
        k.blank()
        k.special(self.thread, "tid.x")
        k.special(row, "ctaid.x")
        for base, name in ((self.x_row, "x"), (self.y_row, "y")):
            k.ld_param(base, name)
            k.ld_param(stride, f"{name}_stride")
            k.mul_wide(offset, row, stride, remark="elements before the row")
            k.shl(offset, offset, 1)
            k.add(base, base, offset)
        k.ld_param(self.w_row, "w")

    def _paths(self) -> None:
        """What decides the way through the kernel."""
        k = self.k
        bits = k.reg(U64, "bits")
        k.blank()
        k.comment("Vector path: the three rows start at multiples of 16 bytes.")
        k.or_(bits, self.x_row, self.y_row)
        k.or_(bits, bits, self.w_row)
        k.and_(bits, bits, VECTOR_BYTES - 1)
        k.setp("eq", self.is_vector, bits, 0)
        k.blank()
        k.ld_param(self.columns, "columns")
        k.shr(self.vectors, self.columns, 3, remark="whole vectors of 8 elements")
        for j, slot in enumerate(self.slots):
            self._exists(slot.exists, self.thread, j)
            k.setp("le", self.absent[j], self.vectors, THREADS * j, remark=f"no thread has vector {j}")
            self._clear(slot.x + slot.w)
        k.fset(self.sum, 0.0)
        k.and_(self.tail, self.columns, VECTOR - 1, remark="elements behind them")
        k.setp("eq", self.no_tail, self.tail, 0)

    def _point_at_tail(self, *buffers: str) -> None:
        """Set addresses to this thread's element behind the last vector, and whether it owns one."""
        k = self.k
        k.setp("lt", self.owns_tail, self.thread, self.tail)
        k.shl(self.at, self.vectors, 3)
        k.add(self.at, self.at, self.thread)
        k.mul_wide(self.offset, self.at, 2)
        self._point(*buffers)

    def _load_tail(self, half: B16, at: U64) -> None:
        self._clear([half])
        self.k.ld_half(half, at, guard=self.owns_tail)

    def _clear(self, registers: Sequence[B32 | B16]) -> None:
        """First values, kept where a guarded load does not happen."""
        for register in registers:
            self.k.set(register, 0)

    def _exists(self, exists: Pred, vector: U32, slot: int) -> None:
        """Whether the row has the vector `slot` rounds behind this one."""
        k = self.k
        if slot:
            k.add(self.at, vector, THREADS * slot)
        k.setp("lt", exists, self.at if slot else vector, self.vectors)

    def _point(self, *buffers: str) -> None:
        """Set the addresses of these buffers to `offset` bytes into the row."""
        rows = {"x": (self.x_at, self.x_row), "w": (self.w_at, self.w_row), "y": (self.y_at, self.y_row)}
        for name in buffers:
            at, row = rows[name]
            self.k.add(at, row, self.offset)

    def _loop(self, label: str, exit_label: str, start: int, buffers: str, body: Callable[[], None]) -> None:
        """All threads count `base` from `start` to the number of vectors; thread t takes vector base + t."""
        k = self.k
        k.set(self.base, start)
        k.label(label)
        k.setp("ge", self.done, self.base, self.vectors)
        k.bra(exit_label, guard=self.done)
        k.add(self.vector, self.base, self.thread)
        k.mul_wide(self.offset, self.vector, VECTOR_BYTES)
        self._point(*buffers)
        self._exists(self.rest.exists, self.vector, 0)
        body()
        k.add(self.base, self.base, THREADS)
        k.bra(label)

    # --- the sum of squares ---
    def _load_slots(self) -> None:
        k = self.k
        k.blank()
        k.comment("All loads of the vector path are under way before the first use.")
        k.mul_wide(self.offset, self.thread, VECTOR_BYTES)
        self._point("x", "w")
        for slot in self.slots:
            k.ld_vector(slot.x, self.x_at, slot.offset, guard=slot.exists)
        for slot in self.slots:
            k.ld_vector(slot.w, self.w_at, slot.offset, guard=slot.exists)

    def _sum_slots(self) -> None:
        for j, slot in enumerate(self.slots):
            self.k.blank()
            self.k.bra("SUM_TAIL", guard=self.absent[j])
            self._sum_vector(slot)

    def _sum_vector(self, slot: _Slot) -> None:
        for word in slot.x:
            self.k.unpack(self.x_half[0], self.x_half[1], word)
            for half in self.x_half[:2]:
                self._square(half, slot.exists)

    def _square(self, half: B16, exists: Pred) -> None:
        self.k.from_half(self.x, half)
        self.k.fma(self.sum, self.x, self.x, self.sum, guard=exists)

    def _sum_rest(self) -> None:
        self._clear(self.rest.x)
        self.k.ld_vector(self.rest.x, self.x_at, guard=self.rest.exists)
        self._sum_vector(self.rest)

    def _sum_scalar(self) -> None:
        exists = self.rest.exists
        self._clear(self.x_half)
        for i, half in enumerate(self.x_half):
            self.k.ld_half(half, self.x_at, 2 * i, guard=exists)
        for half in self.x_half:
            self._square(half, exists)

    def _sum_tail(self) -> None:
        self.k.blank()
        self.k.label("SUM_TAIL")
        self.k.bra("REDUCE", guard=self.no_tail)
        self._point_at_tail("x")
        self._load_tail(self.x_tail, self.x_at)
        self._square(self.x_tail, self.owns_tail)
        self.k.blank()
        self.k.label("REDUCE")

    def _reduce(self) -> None:
        """The sum over the block in every thread, then the factor of the row."""
        k = self.k
        lane, warp, at = k.reg(U32, "lane"), k.reg(U32, "warp"), k.reg(U32, "partial_at")
        first, other, part = k.reg(Pred, "is_first"), k.reg(F32, "other"), k.regs(F32, "part", WARPS)
        count, eps = k.reg(F32, "count"), k.reg(F32, "eps")
        k.shared_f32("partial", WARPS)
        k.comment("Sum over the warp: the same in all 32 lanes.")
        for lanes in (16, 8, 4, 2, 1):
            k.shuffle_xor(other, self.sum, lanes)
            k.fadd(self.sum, self.sum, other)
        k.blank()
        k.comment("Sum over the warps: one word each, added by every thread in the same order.")
        k.and_(lane, self.thread, 31)
        k.setp("eq", first, lane, 0)
        k.shr(warp, self.thread, 5)
        k.shl(warp, warp, 2)
        k.address_of(at, "partial")
        k.add(at, at, warp)
        k.st_shared(at, self.sum, guard=first)
        k.bar_sync()
        for start in range(0, WARPS, 4):
            k.ld_shared_vector(part[start : start + 4], "partial", 4 * start)
        gap = 1
        while gap < WARPS:
            for left in range(0, WARPS, 2 * gap):
                k.fadd(part[left], part[left], part[left + gap])
            gap *= 2
        k.blank()
        k.comment("scale = 1 / sqrt(sum / columns + eps)")
        k.float_of(count, self.columns, remark="exact: columns <= 2^16")
        k.fdiv(self.scale, part[0], count)
        k.ld_param(eps, "eps")
        k.fadd(self.scale, self.scale, eps)
        k.approx("rsqrt.approx", self.scale, self.scale)

    # --- the output ---
    def _store_slots(self) -> None:
        self.k.blank()
        self.k.mul_wide(self.offset, self.thread, VECTOR_BYTES)
        self._point("y")
        for j, slot in enumerate(self.slots):
            self.k.blank()
            self.k.bra("OUT_TAIL", guard=self.absent[j])
            self._store_vector(slot)

    def _store_vector(self, slot: _Slot) -> None:
        k = self.k
        for x_word, w_word in zip(slot.x, slot.w, strict=True):
            k.unpack(self.x_half[0], self.x_half[1], x_word)
            k.unpack(self.w_half[0], self.w_half[1], w_word)
            for x_half, w_half in zip(self.x_half[:2], self.w_half[:2], strict=True):
                self._normalise(x_half, w_half)
            k.pack(x_word, self.x_half[0], self.x_half[1])
        k.st_vector(self.y_at, slot.offset, slot.x, guard=slot.exists)

    def _normalise(self, x: B16, w: B16) -> None:
        """x becomes the output element."""
        k = self.k
        k.from_half(self.x, x)
        k.from_half(self.w, w)
        k.fmul(self.x, self.x, self.scale)
        k.fmul(self.x, self.x, self.w)
        k.to_half(x, self.x)

    def _store_rest(self) -> None:
        self._clear(self.rest.x + self.rest.w)
        self.k.ld_vector(self.rest.x, self.x_at, guard=self.rest.exists)
        self.k.ld_vector(self.rest.w, self.w_at, guard=self.rest.exists)
        self._store_vector(self.rest)

    def _store_scalar(self) -> None:
        k = self.k
        exists = self.rest.exists
        for halves, at in ((self.x_half, self.x_at), (self.w_half, self.w_at)):
            self._clear(halves)
            for i, half in enumerate(halves):
                k.ld_half(half, at, 2 * i, guard=exists)
        for x, w in zip(self.x_half, self.w_half, strict=True):
            self._normalise(x, w)
        for i, x in enumerate(self.x_half):
            k.st_half(self.y_at, 2 * i, x, guard=exists)

    def _store_tail(self) -> None:
        self.k.blank()
        self.k.label("OUT_TAIL")
        self.k.bra("EXIT", guard=self.no_tail)
        self._point_at_tail("x", "w", "y")
        self._load_tail(self.x_tail, self.x_at)
        self._load_tail(self.w_tail, self.w_at)
        self._normalise(self.x_tail, self.w_tail)
        self.k.st_half(self.y_at, 0, self.x_tail, guard=self.owns_tail)
        self.k.blank()
