"""What an instruction may do with values: the one interface that Lanes, Dag and Terms implement.

A *word* is a value of a known width in bits; a *predicate* is a truth value. Each row of the instruction table
(`spec.ptx.isa`) states its meaning once, with these operations; a domain that lacks one does not type-check.
Widths are in bits, offsets and sizes of memory in bytes. Float formats are PTX type names: f16, bf16, f32, f64.
Rounding is one of rn, rz, rm, rp; of fadd, fsub and fmul also '' where the instruction names none: to nearest even,
but the assembler may contract the operation with another. Integer operations are modulo 2^width unless said otherwise.
Source of each meaning: PTX ISA, section 9.7; the row names its subsection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

W = TypeVar("W")
P = TypeVar("P")

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


@dataclass(frozen=True)
class Shape:
    """One mma: D = A*B + C, A of m x k, B of k x n; element types of A and B, and of C and D; `sat` clamps integers."""

    m: int
    n: int
    k: int
    a: str
    b: str
    c: str
    sat: bool = False


class Domain(Protocol[W, P]):
    """Values and effects of one interpretation of PTX."""

    # --- integers ---
    def const(self, width: int, value: int) -> W:
        """The word with this value modulo 2^width."""

    def special(self, name: str, width: int) -> W:
        """A special register, `%tid.x`; width as the reading instruction wants it (32 or 64)."""

    def add(self, width: int, a: W, b: W) -> W: ...
    def sub(self, width: int, a: W, b: W) -> W: ...
    def mul(self, width: int, a: W, b: W) -> W:
        """Low half of the product."""

    def mul_wide(self, width: int, signed: bool, a: W, b: W) -> W:
        """The whole product of two words of `width`, 2*width bits."""

    def mul_hi(self, width: int, signed: bool, a: W, b: W) -> W: ...
    def div(self, width: int, signed: bool, a: W, b: W) -> W:
        """Quotient toward zero; by zero an unspecified value (PTX ISA 9.7.1.8)."""

    def rem(self, width: int, signed: bool, a: W, b: W) -> W: ...
    def min(self, width: int, signed: bool, a: W, b: W) -> W: ...
    def max(self, width: int, signed: bool, a: W, b: W) -> W: ...
    def bit_and(self, width: int, a: W, b: W) -> W: ...
    def bit_or(self, width: int, a: W, b: W) -> W: ...
    def bit_xor(self, width: int, a: W, b: W) -> W: ...
    def bit_not(self, width: int, a: W) -> W: ...
    def shl(self, width: int, a: W, amount: W) -> W:
        """Left shift; `amount` is a 32-bit unsigned word, clamped: amounts >= width give 0."""

    def shr(self, width: int, signed: bool, a: W, amount: W) -> W:
        """Right shift, filling with the sign if signed; `amount` unsigned 32-bit, clamped to width."""

    def popc(self, width: int, a: W) -> W:
        """Number of one bits, a 32-bit word."""

    def clz(self, width: int, a: W) -> W:
        """Number of leading zero bits, a 32-bit word."""

    def brev(self, width: int, a: W) -> W: ...
    def extend(self, source: int, target: int, signed: bool, a: W) -> W:
        """Widen from source to target bits by sign or by zeros."""

    def truncate(self, source: int, target: int, a: W) -> W:
        """Keep the low target bits."""

    def concat(self, width: int, parts: tuple[W, ...]) -> W:
        """Pack parts of `width` bits each, least significant first."""

    def split(self, width: int, count: int, a: W) -> tuple[W, ...]:
        """Unpack into `count` parts of `width` bits, least significant first."""

    # --- predicates ---
    def truth(self, value: bool) -> P: ...
    def compare(self, width: int, signed: bool, op: str, a: W, b: W) -> P:
        """`op` is one of COMPARISONS."""

    def p_and(self, a: P, b: P) -> P: ...
    def p_or(self, a: P, b: P) -> P: ...
    def p_xor(self, a: P, b: P) -> P: ...
    def p_not(self, a: P) -> P: ...
    def select(self, width: int, p: P, a: W, b: W) -> W:
        """a where p holds, else b."""

    # --- floats; `t` is the format ---
    def fadd(self, t: str, rounding: str, ftz: bool, sat: bool, a: W, b: W) -> W: ...
    def fsub(self, t: str, rounding: str, ftz: bool, sat: bool, a: W, b: W) -> W: ...
    def fmul(self, t: str, rounding: str, ftz: bool, sat: bool, a: W, b: W) -> W: ...
    def ffma(self, t: str, rounding: str, ftz: bool, sat: bool, a: W, b: W, c: W) -> W:
        """a*b + c with one rounding."""

    def fdiv(self, t: str, rounding: str, ftz: bool, a: W, b: W) -> W:
        """Correctly rounded quotient."""

    def fsqrt(self, t: str, rounding: str, ftz: bool, a: W) -> W: ...
    def fneg(self, t: str, ftz: bool, a: W) -> W: ...
    def fabs(self, t: str, ftz: bool, a: W) -> W: ...
    def fmin(self, t: str, ftz: bool, nan: bool, a: W, b: W) -> W: ...
    def fmax(self, t: str, ftz: bool, nan: bool, a: W, b: W) -> W: ...
    def fcompare(self, t: str, ftz: bool, op: str, a: W, b: W) -> P:
        """`op`: COMPARISONS, their unordered forms with a `u` behind (equ, neu, ltu, ...), num, nan."""

    def fconvert(self, source: str, target: str, rounding: str, ftz: bool, sat: str, a: W) -> W:
        """Float to float; `rounding` is '' where the conversion is exact; sat in '', 'sat', 'satfinite'."""

    def int_to_float(self, source: int, signed: bool, target: str, rounding: str, a: W) -> W: ...
    def float_to_int(self, source: str, target: int, signed: bool, rounding: str, ftz: bool, a: W) -> W:
        """`rounding` in rni, rzi, rmi, rpi; saturates (PTX ISA 9.7.9.21).

        NaN gives 0, but 2^(target-1) where the source is f64 or the target has 64 bits.
        """

    def round_integral(self, t: str, rounding: str, ftz: bool, a: W) -> W:
        """Float to float of an integral value, `cvt.rni.f32.f32`."""

    def approximate(self, name: str, t: str, ftz: bool, args: tuple[W, ...]) -> W:
        """An operation with a documented error: ex2, lg2, rcp, rsqrt, sqrt, tanh, sin, cos, div (approx), div_full."""

    # --- lanes of the warp ---
    def shuffle(self, mode: str, a: W, b: W, c: W, members: W) -> tuple[W, P]:
        """shfl.sync; mode in up, down, bfly, idx; the predicate tells whether the source lane was in range."""

    def vote(self, mode: str, p: P, members: W) -> P:
        """vote.sync all, any, uni."""

    def ballot(self, p: P, members: W) -> W: ...
    def redux(self, op: str, signed: bool, a: W, members: W) -> W:
        """redux.sync of 32-bit words; op in add, min, max, and, or, xor."""

    def match(self, mode: str, width: int, a: W, members: W) -> tuple[W, P]:
        """match.sync: the members with the same word (any), or all members if all have it, else none, and whether."""

    def elect(self, members: W) -> tuple[W, P]:
        """elect.sync: one lane of the members, the same for all, and whether it is this one."""

    # --- memory; `space` in global, shared, local, const, generic ---
    def symbol(self, name: str, width: int) -> W:
        """Address of a variable in its own state space."""

    def load_param(self, name: str, offset: int, width: int, count: int) -> tuple[W, ...]:
        """`count` words of `width` bits from the kernel's parameter `name`, `offset` bytes in."""

    def load(self, space: str, width: int, count: int, address: W, readonly: bool) -> tuple[W, ...]:
        """`count` consecutive words of `width` bits at a byte address; `readonly` for the .nc path."""

    def store(self, space: str, width: int, address: W, values: tuple[W, ...]) -> None: ...
    def atomic(
        self, space: str, width: int, count: int, address: W, update: Callable[[int, W, str], W], scope: str
    ) -> tuple[W, ...]:
        """Replace words in memory, each in one indivisible step; the words that were there before.

        `update(i, old, where)` gives the new i-th word of the `count` at `address` from the old one; `where` is the
        state space that the address lies in. `scope` is cta, cluster, gpu or sys.
        """

    def copy_async(self, size: int, target: W, source: W, count: W | None, ignore: P | None) -> None:
        """cp.async: start copying `size` bytes from global to shared memory.

        Only the first `count` of them (all where None) are read, none where `ignore` holds; the others become zero. The
        thread's wait, carried out by the machine, completes it.
        """

    # --- matrices over the lanes of a warp: of 8x8 elements of 16 bits, two in each lane's word ---
    def load_matrices(self, space: str, count: int, trans: bool, address: W) -> tuple[W, ...]:
        """ldmatrix: `count` matrices; lane i gives the address of row i % 8 of matrix i / 8, 16 bytes."""

    def store_matrices(self, space: str, trans: bool, address: W, values: tuple[W, ...]) -> None:
        """stmatrix: as many matrices as values."""

    def transpose_matrix(self, a: W) -> W: ...
    def mma(self, shape: Shape, a: tuple[W, ...], b: tuple[W, ...], c: tuple[W, ...]) -> tuple[W, ...]:
        """The registers of A*B + C. Of floats, neither order nor rounding of the sums is specified."""

    def is_space(self, space: str, width: int, address: W) -> P:
        """isspacep: whether a generic address lies in a state space."""

    def to_generic(self, space: str, width: int, address: W) -> W:
        """cvta: address of a state space to a generic one."""

    def from_generic(self, space: str, width: int, address: W) -> W: ...
