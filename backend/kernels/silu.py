"""silu_f16: y[i] = x[i] / (1 + exp(-x[i])), elementwise, blocks striding over the whole array.

    t = mul.rn(x, -log2(e)); e = ex2.approx.ftz(t); d = add.rn(1, e); r = rcp.approx.ftz(d)
    y = cvt.rn.f16(mul.rn(x, r))

so -Inf gives NaN (-Inf * 0), +Inf gives +Inf. Vector path (x and y start at multiples of 16 bytes): a block takes tiles
of consecutive vectors of 8 elements; the n % 8 elements behind them belong to the first threads of block 0. Scalar
path: tiles of elements, 2-byte accesses. Counters are 64-bit: n <= 2^40 and the largest step keep them below 2^41.
"""

from __future__ import annotations

from collections.abc import Callable

from backend.kernels.emit import B16, B32, F32, U32, U64, Kernel, Pred, f32, module, unless
from spec.contracts.silu import CONTRACTS, SCALARS_PER_THREAD, THREADS, VECTOR, VECTORS_PER_THREAD

VECTOR_BYTES = 2 * VECTOR
LOG2_E = float.fromhex("0x1.715476p0")  # log2(e) rounded to binary32

_HEADING = """\
SiLU of binary16 numbers. Written by `python -m backend.kernels` from backend/kernels/silu.py."""


def emit() -> str:
    """The text of backend/ptx/silu.ptx."""
    return module(_HEADING, [_Silu().build()])


class _Silu:
    """Registers of the kernel by meaning, and the parts of its text in order."""

    def __init__(self) -> None:
        k = self.k = Kernel(CONTRACTS[0])
        self.thread, self.block, self.blocks = (k.reg(U32, name) for name in ("thread", "block", "blocks"))
        self.lane = k.reg(U64, "thread64")
        self.n, self.vectors = k.reg(U64, "n"), k.reg(U64, "vectors")
        self.x_base, self.y_base = k.reg(U64, "x_base"), k.reg(U64, "y_base")
        self.x_at, self.y_at, self.offset = (k.reg(U64, name) for name in ("x_at", "y_at", "offset"))
        self.base, self.step, self.at = (k.reg(U64, name) for name in ("base", "step", "at"))
        self.slot_at = k.reg(U64, "slot_at")
        self.is_vector, self.done = k.reg(Pred, "is_vector"), k.reg(Pred, "done")
        self.exists = k.regs(Pred, "slot", max(VECTORS_PER_THREAD, SCALARS_PER_THREAD))
        self.words = [k.regs(B32, f"x{j}w", VECTOR // 2) for j in range(VECTORS_PER_THREAD)]
        self.halves = k.regs(B16, "h", SCALARS_PER_THREAD)
        self.x, self.t = k.reg(F32, "x"), k.reg(F32, "t")

    def build(self) -> Kernel:
        k = self.k
        k.power_gate("EXIT")
        self._paths()
        k.bra("SCALAR", guard=unless(self.is_vector))
        k.blank()
        self._loop("VECTOR", "TAIL", VECTORS_PER_THREAD, VECTOR_BYTES, self.vectors, self._vectors)
        k.blank()
        k.label("SCALAR")
        self._loop("SCALAR_NEXT", "EXIT", SCALARS_PER_THREAD, 2, self.n, self._scalars)
        k.blank()
        k.label("TAIL")
        self._tail()
        k.blank()
        k.label("EXIT")
        k.ret()
        return k

    def _paths(self) -> None:
        k = self.k
        bits = k.reg(U64, "bits")
        k.blank()
        k.special(self.thread, "tid.x")
        k.special(self.block, "ctaid.x")
        k.special(self.blocks, "nctaid.x")
        k.widen(self.lane, self.thread)
        k.ld_param(self.x_base, "x")
        k.ld_param(self.y_base, "y")
        k.ld_param(self.n, "n")
        k.shr(self.vectors, self.n, 3, remark="whole vectors of 8 elements")
        k.blank()
        k.comment("Vector path: both buffers start at multiples of 16 bytes.")
        k.or_(bits, self.x_base, self.y_base)
        k.and_(bits, bits, VECTOR_BYTES - 1)
        k.setp("eq", self.is_vector, bits, 0)

    def _loop(
        self, label: str, exit_label: str, slots: int, item_bytes: int, items: U64, body: Callable[[], None]
    ) -> None:
        """Blocks stride over tiles of THREADS * slots items; `base`, a tile's first item, is alike in all threads."""
        k = self.k
        k.mul_wide(self.base, self.block, THREADS * slots)
        k.mul_wide(self.step, self.blocks, THREADS * slots)
        k.label(label)
        k.setp("ge", self.done, self.base, items)
        k.bra(exit_label, guard=self.done)
        k.add(self.at, self.base, self.lane)
        k.shl(self.offset, self.at, item_bytes.bit_length() - 1)
        k.add(self.x_at, self.x_base, self.offset)
        k.add(self.y_at, self.y_base, self.offset)
        for j in range(slots):
            if j:
                k.add(self.slot_at, self.at, THREADS * j)
            k.setp("lt", self.exists[j], self.slot_at if j else self.at, items)
        body()
        k.add(self.base, self.base, self.step)
        k.bra(label)

    def _vectors(self) -> None:
        k = self.k
        for j, words in enumerate(self.words):
            for word in words:
                k.set(word, 0, remark="kept where there is no such vector" if word is words[0] else "")
            k.ld_vector(words, self.x_at, THREADS * VECTOR_BYTES * j, guard=self.exists[j])
        for j, words in enumerate(self.words):
            for word in words:
                k.unpack(self.halves[0], self.halves[1], word)
                self._silu(self.halves[0])
                self._silu(self.halves[1])
                k.pack(word, self.halves[0], self.halves[1])
            k.st_vector(self.y_at, THREADS * VECTOR_BYTES * j, words, guard=self.exists[j])

    def _scalars(self) -> None:
        k = self.k
        for j, half in enumerate(self.halves):
            k.set(half, 0)
            k.ld_half(half, self.x_at, THREADS * 2 * j, guard=self.exists[j])
        for half in self.halves:
            self._silu(half)
        for j, half in enumerate(self.halves):
            k.st_half(self.y_at, THREADS * 2 * j, half, guard=self.exists[j])

    def _tail(self) -> None:
        """The elements behind the last vector."""
        k = self.k
        tail, half = k.reg(U64, "tail"), self.halves[0]
        k.and_(tail, self.n, VECTOR - 1)
        k.setp("eq", self.done, tail, 0)
        k.bra("EXIT", guard=self.done)
        k.setp("ne", self.done, self.block, 0)
        k.bra("EXIT", guard=self.done)
        k.setp("lt", self.exists[0], self.lane, tail)
        k.shl(self.at, self.vectors, 3)
        k.add(self.at, self.at, self.lane)
        k.shl(self.offset, self.at, 1)
        k.add(self.x_at, self.x_base, self.offset)
        k.add(self.y_at, self.y_base, self.offset)
        k.set(half, 0)
        k.ld_half(half, self.x_at, guard=self.exists[0])
        self._silu(half)
        k.st_half(self.y_at, 0, half, guard=self.exists[0])

    def _silu(self, half: B16) -> None:
        """The register becomes the output element."""
        k = self.k
        k.from_half(self.x, half)
        k.fmul(self.t, self.x, f32(-LOG2_E))
        k.approx("ex2.approx.ftz", self.t, self.t)
        k.fadd(self.t, f32(1.0), self.t)
        k.approx("rcp.approx.ftz", self.t, self.t)
        k.fmul(self.x, self.x, self.t)
        k.to_half(half, self.x)
