"""Terms: the domain in which a word is an integer polynomial congruent to its value, or unknown.

What it does with integers is in `arithmetic` and `bitwise`, what observing a value means in `values`; here are
predicates, the lanes of a warp and memory.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from proofs.alike import EVERY, common, exchanged
from proofs.bitwise import Bitwise
from proofs.floating import FLOAT_WIDTH, Floating
from proofs.terms import (
    BLOCK,
    THREAD,
    TRUE,
    Cond,
    Poly,
    Symbol,
    conj,
    disj,
    ite,
    le,
    lt,
    negate,
    opaque_truth,
    truth,
    within,
)
from proofs.values import MAX_DEGREE, MAX_TERMS, Facts, Observation, Word
from spec.ptx.ast import type_width
from spec.ptx.domain import Shape

EVERY_LANE = 2**32 - 1
# Where the window of shared memory begins in the generic address space; it ends below 2^64.
SHARED_WINDOW = Poly.symbol(Symbol("window.shared", "special", BLOCK, 0, 2**64 - 2**21))
# The same of the thread's local memory.
LOCAL_WINDOW = Poly.symbol(Symbol("window.local", "special", THREAD, 0, 2**64 - 2**21))


@dataclass(frozen=True)
class Marks:
    """What sets an access apart from a plain one.

    Args:
        readonly: through the .nc path.
        scope, parts: of an atomic, the threads for which it is indivisible, cta, cluster, gpu or sys, and in how many
            parts it is so.
        warp: every lane of the warp makes it (ldmatrix).
        flight: an asynchronous copy makes it, at any time until its group has been waited for.
        guard: under what condition it is made, besides what leads here.
        values: of a store, the words, where they are followed.
        alike: of a store, all lanes of the warp have the value alike.
    """

    readonly: bool = False
    scope: str = ""
    parts: int = 1
    warp: bool = False
    flight: bool = False
    guard: Cond = TRUE
    alike: bool = False
    values: tuple[Poly | None, ...] = ()


PLAIN = Marks()


class Hooks(Facts):
    """What the domain needs from the machine that drives it."""

    @abstractmethod
    def access(
        self, kind: str, space: str, width: int, count: int, address: Poly | None, marks: Marks = PLAIN
    ) -> None:
        """Memory was accessed, `count` words of `width` bits at `address`; `kind` is read, write or atomic."""

    def content(self, space: str, width: int, count: int, address: Poly | None) -> tuple[Poly, ...]:
        """What these words hold, if their content is followed; () where it is not."""
        return ()

    @abstractmethod
    def converge(self, members: Poly | None) -> None:
        """An instruction that all lanes of a mask must execute together."""


class Terms(Bitwise, Floating):
    """The symbolic interpretation of one kernel.

    Args:
        parameters: what `ld.param` gives, by name: a term, or None for an unknown.
        specials: terms of special registers.
        variables: addresses of variables, by name.
        hooks: the machine.
        fields: terms of what is loaded of a structure, by parameter, byte and width.
    """

    def __init__(
        self,
        parameters: Mapping[str, Poly | None],
        specials: Mapping[str, Poly],
        variables: Mapping[str, Poly],
        hooks: Hooks,
        fields: Mapping[tuple[str, int, int], Poly] | None = None,
    ) -> None:
        super().__init__(hooks)
        self.fields = fields or {}
        self.parameters, self.specials, self.variables, self.hooks = parameters, specials, variables, hooks

    def arbitrary(self, kind: str) -> Word | Cond:
        """An unknown of a PTX type."""
        return self.unknown_truth() if kind == "pred" else self.unknown(type_width(kind))

    def common(self, kind: str) -> Word | Cond:
        """An unknown of a PTX type that is the same for all threads of a block (in a loop: in the same round)."""
        width = type_width(kind)
        key = self.unknown(width).key
        scope = THREAD if self.loops else BLOCK
        if kind == "pred":
            return opaque_truth(Symbol(key, "boolean", scope, None, None, self.line, "", self.loops, uniform=True))
        symbol = Symbol(key, "opaque", scope, 0, 2**width - 1, self.line, "", self.loops, uniform=True)
        return Word(width, Poly.symbol(symbol))

    def special(self, name: str, width: int) -> Word:
        term = self.specials.get(name)
        return self.unknown(width) if term is None else Word(width, term)

    # --- predicates ---
    def truth(self, value: bool) -> Cond:
        return truth(value)

    def p_and(self, a: Cond, b: Cond) -> Cond:
        return conj((a, b))

    def p_or(self, a: Cond, b: Cond) -> Cond:
        return disj((a, b))

    def p_xor(self, a: Cond, b: Cond) -> Cond:
        return disj((conj((a, negate(b))), conj((negate(a), b))))

    def p_not(self, a: Cond) -> Cond:
        return negate(a)

    def select(self, width: int, p: Cond, a: Word, b: Word) -> Word:
        if p.op in ("true", "false"):
            return a if p.op == "true" else b
        if a == b or (a.term is None and b.term is None):
            return a if a == b else self.unknown(width)
        return self.word(width, ite(p, self.term(a), self.term(b)))

    # --- lanes ---
    def shuffle(self, mode: str, a: Word, b: Word, c: Word, members: Word) -> tuple[Word, Cond]:
        self.hooks.converge(members.term)
        alike, partner = exchanged(mode, a, b, c, members)
        return replace(self.unknown(32), alike=alike, partner=partner, settled=True), self.unknown_truth()

    def vote(self, mode: str, p: Cond, members: Word) -> Cond:
        self.hooks.converge(members.term)
        return self.unknown_truth()

    def ballot(self, p: Cond, members: Word) -> Word:
        self.hooks.converge(members.term)
        return self.unknown(32)

    def redux(self, op: str, signed: bool, a: Word, members: Word) -> Word:
        self.hooks.converge(members.term)
        return self.unknown(32)

    def match(self, mode: str, width: int, a: Word, members: Word) -> tuple[Word, Cond]:
        self.hooks.converge(members.term)
        return self.unknown(32), self.unknown_truth()

    def elect(self, members: Word) -> tuple[Word, Cond]:
        self.hooks.converge(members.term)
        return self.unknown(32), self.unknown_truth()

    # --- memory ---
    def symbol(self, name: str, width: int) -> Word:
        term = self.variables.get(name)
        return self.unknown(width) if term is None else Word(width, term)

    def load_param(self, name: str, offset: int, width: int, count: int) -> tuple[Word, ...]:
        term = self.parameters.get(name)
        if term is None or offset or count != 1:
            size = width // 8
            parts = [self.fields.get((name, offset + n * size, width)) for n in range(count)]
            return tuple(self.unknown(width) if part is None else Word(width, part) for part in parts)
        return (Word(width, term),)

    def load(self, space: str, width: int, count: int, address: Word, readonly: bool) -> tuple[Word, ...]:
        self.hooks.access("read", space, width, count, address.term, Marks(readonly=readonly))
        known = self.hooks.content(space, width, count, address.term)
        if known:
            return tuple(Word(width, term) for term in known)
        return tuple(replace(self.unknown(width), settled=True) for _ in range(count))

    def store(self, space: str, width: int, address: Word, values: tuple[Word, ...]) -> None:
        stored = Marks(alike=common(values) == EVERY, values=tuple(map(self._stored, values)))
        self.hooks.access("write", space, width, len(values), address.term, stored)

    def _stored(self, a: Word) -> Poly | None:
        """What is stored, if other threads may be known to store the same."""
        return self.term(a) if a.term is not None or a.uniform else None

    def atomic(
        self, space: str, width: int, count: int, address: Word, update: Callable[[int, Word, str], Word], scope: str
    ) -> tuple[Word, ...]:
        """The old words are unknown, and so are the new ones: what memory holds is not followed."""
        self.hooks.access("atomic", space, width, count, address.term, Marks(scope=scope, parts=count))
        return tuple(self.unknown(width) for _ in range(count))

    def copy_async(self, size: int, target: Word, source: Word, count: Word | None, ignore: Cond | None) -> None:
        """Bytes that are not read become zero: the whole target is written. A part of a source counts as all of it."""
        reads = TRUE if ignore is None else negate(ignore)
        if count is not None:
            bytes_read = self.number(count, False)
            fits = within(bytes_read, 0, size)
            if not fits and not self.optimistic:
                fits = self.hooks.prove(le(bytes_read, size))
                self.hooks.observe(Observation(self.line, bytes_read, 0, size, fits))
            reads = lt(0, bytes_read)
        self.hooks.access("read", "global", 8, size, source.term, Marks(flight=True, guard=reads))
        self.hooks.access("write", "shared", 8, size, target.term, Marks(flight=True))

    # --- matrices: every lane of the warp takes part, and reads or writes whole rows ---
    def load_matrices(self, space: str, count: int, trans: bool, address: Word) -> tuple[Word, ...]:
        self._rows("read", space, count, address)
        return tuple(self.unknown(32) for _ in range(count))

    def store_matrices(self, space: str, trans: bool, address: Word, values: tuple[Word, ...]) -> None:
        self._rows("write", space, len(values), address)

    def _rows(self, kind: str, space: str, count: int, address: Word) -> None:
        """The lanes below 8 * count give the address of a row, 16 bytes."""
        self.hooks.converge(Poly.constant(EVERY_LANE))
        lane = self.specials.get("%laneid")
        giving = TRUE if lane is None or count == 4 else lt(lane, 8 * count)
        self.hooks.access(kind, space, 8, 16, address.term, Marks(warp=True, guard=giving))

    def transpose_matrix(self, a: Word) -> Word:
        self.hooks.converge(Poly.constant(EVERY_LANE))
        return self.unknown(32)

    def mma(self, shape: Shape, a: tuple[Word, ...], b: tuple[Word, ...], c: tuple[Word, ...]) -> tuple[Word, ...]:
        self.hooks.converge(Poly.constant(EVERY_LANE))
        return tuple(self.unknown(32) for _ in c)

    def is_space(self, space: str, width: int, address: Word) -> Cond:
        return self.unknown_truth()

    def to_generic(self, space: str, width: int, address: Word) -> Word:
        return self._window(space, width, address, 1)

    def from_generic(self, space: str, width: int, address: Word) -> Word:
        return self._window(space, width, address, -1)

    def _window(self, space: str, width: int, address: Word, sign: int) -> Word:
        """Generic addresses of shared and local memory lie in windows; those of global memory are the addresses."""
        if space == "global":
            return address
        window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}.get(space)
        if window is None or width != 64:
            return self.unknown(width)
        return self.word(width, self.term(address) + window * sign)


__all__ = [
    "FLOAT_WIDTH", "LOCAL_WINDOW", "MAX_DEGREE", "MAX_TERMS", "PLAIN", "SHARED_WINDOW", "Facts", "Hooks", "Marks",
    "Observation", "Terms", "Word",
]
