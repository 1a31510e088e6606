"""Terms: the domain in which a word is an integer polynomial congruent to its value, or unknown.

A word holds *any* integer congruent to the register's value modulo 2^width, so that add, sub, mul.lo, shl by a constant
and the like need nothing. Every other operation *observes* the canonical value; its range must then be proved, and
each such proof is recorded (the no-wrap obligation). Where it cannot be proved, an explicit mod stays in the term and
the wrap is recorded. Floats and values loaded from memory are unknown; an unknown that is observed becomes a symbol.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from proofs.terms import (
    BLOCK,
    THREAD,
    TRUE,
    Cond,
    ModAtom,
    Poly,
    Symbol,
    SymbolAtom,
    conj,
    disj,
    divide,
    eq,
    ite,
    le,
    lt,
    modulo,
    negate,
    opaque_truth,
    same,
    truth,
    within,
)
from spec.ptx.ast import type_width
from spec.ptx.domain import Shape

MAX_DEGREE, MAX_TERMS = 4, 48
EVERY_LANE = 2**32 - 1
# Where the window of shared memory begins in the generic address space; it ends below 2^64.
SHARED_WINDOW = Poly.symbol(Symbol("window.shared", "special", BLOCK, 0, 2**64 - 2**21))
FLOAT_WIDTH = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


@dataclass(frozen=True)
class Word:
    """A value of `width` bits: a ring representative, or unknown (None) with the name that it would get."""

    width: int
    term: Poly | None
    key: str = ""
    loops: frozenset[str] = frozenset()
    line: int = 0


@dataclass(frozen=True)
class Observation:
    """A register value looked at as a number: `term` must lie in [low, high]."""

    line: int
    term: Poly
    low: int
    high: int
    proved: bool


@dataclass(frozen=True)
class Marks:
    """What sets an access apart from a plain one.

    Args:
        readonly: through the .nc path.
        scope: of an atomic, the threads for which it is indivisible: cta, cluster, gpu or sys.
        warp: every lane of the warp makes it (ldmatrix).
        flight: an asynchronous copy makes it, at any time until its group has been waited for.
        guard: under what condition it is made, besides what leads here.
    """

    readonly: bool = False
    scope: str = ""
    warp: bool = False
    flight: bool = False
    guard: Cond = TRUE


PLAIN = Marks()


class Hooks(ABC):
    """What the domain needs from the machine that drives it."""

    @abstractmethod
    def prove(self, goal: Cond) -> bool:
        """Whether the goal follows from what is known at this point."""

    @abstractmethod
    def observe(self, observation: Observation) -> None:
        """A value was looked at."""

    @abstractmethod
    def access(
        self, kind: str, space: str, width: int, count: int, address: Poly | None, marks: Marks = PLAIN
    ) -> None:
        """Memory was accessed, `count` words of `width` bits at `address`; `kind` is read, write or atomic."""

    @abstractmethod
    def converge(self, members: Poly | None) -> None:
        """An instruction that all lanes of a mask must execute together."""


class Terms:
    """The symbolic interpretation of one kernel.

    Args:
        parameters: what `ld.param` gives, by name: a term, or None for an unknown.
        specials: terms of special registers.
        variables: addresses of variables, by name.
        hooks: the machine.
    """

    def __init__(
        self,
        parameters: Mapping[str, Poly | None],
        specials: Mapping[str, Poly],
        variables: Mapping[str, Poly],
        hooks: Hooks,
    ) -> None:
        self.parameters, self.specials, self.variables, self.hooks = parameters, specials, variables, hooks
        self.line = 0
        self.place = ""
        self.loops: frozenset[str] = frozenset()
        self.optimistic = False
        self._fresh = 0
        self._ors: dict[Symbol, tuple[Poly, Poly]] = {}

    # --- helpers ---
    def at(self, line: int, place: str, loops: frozenset[str]) -> None:
        """Move to an instruction; names of unknowns come from its place, which no other instruction has."""
        self.line, self.place, self.loops, self._fresh = line, place, loops, 0

    def unknown(self, width: int, key: str = "") -> Word:
        """A word of which nothing is known."""
        if not key:
            key = f"v@{self.place}" + (f".{self._fresh}" if self._fresh else "")
            self._fresh += 1
        return Word(width, None, key, self.loops, self.line)

    def _bounded(self, width: int, low: int, high: int, definition: str = "") -> Word:
        word = self.unknown(width)
        symbol = Symbol(word.key, "opaque", THREAD, low, high, self.line, definition, self.loops)
        return replace(word, term=Poly.symbol(symbol))

    def _truth(self) -> Cond:
        word = self.unknown(1)
        return opaque_truth(Symbol(word.key, "boolean", THREAD, None, None, self.line, "", self.loops))

    def common(self, kind: str) -> Word | Cond:
        """An unknown of a PTX type that is the same for all threads of a block; in a loop, where two threads may be in
        different rounds, one that each has for itself.
        """
        width = type_width(kind)
        key = self.unknown(width).key
        scope = THREAD if self.loops else BLOCK
        if kind == "pred":
            return opaque_truth(Symbol(key, "boolean", scope, None, None, self.line, "", self.loops))
        return Word(width, Poly.symbol(Symbol(key, "opaque", scope, 0, 2**width - 1, self.line, "", self.loops)))

    def term(self, a: Word) -> Poly:
        """A ring representative; an unknown gets its symbol."""
        if a.term is not None:
            return a.term
        return Poly.symbol(Symbol(a.key, "opaque", THREAD, 0, 2**a.width - 1, a.line, "", a.loops))

    def number(self, a: Word, signed: bool, width: int = 0) -> Poly:
        """The canonical value; its range is proved and recorded, or an explicit mod is left in the term."""
        width = width or a.width
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
        term = self.term(a)
        if term.value is not None:
            return Poly.constant((term.value - low) % 2**width + low)
        if a.term is None and signed:
            return ite(le(term, high), term, term - 2**width)
        inside = within(term, low, high)
        if inside and len(term.terms) == 1 and term.degree == 1:
            return term
        if self.optimistic:
            return term
        inside = inside or self.hooks.prove(conj((le(low, term), le(term, high))))
        self.hooks.observe(Observation(self.line, term, low, high, inside))
        return term if inside else modulo(term - low, 2**width) + low

    def _word(self, width: int, term: Poly) -> Word:
        if term.degree > MAX_DEGREE or len(term.terms) > MAX_TERMS:
            return self.unknown(width)
        return Word(width, term)

    def _float(self, t: str) -> Word:
        return self.unknown(FLOAT_WIDTH[t])

    # --- integers ---
    def const(self, width: int, value: int) -> Word:
        value %= 2**width
        negative = value >= 2 ** (width - 1) and width > 1
        return Word(width, Poly.constant(value - 2**width if negative else value))

    def special(self, name: str, width: int) -> Word:
        term = self.specials.get(name)
        return self.unknown(width) if term is None else Word(width, term)

    def add(self, width: int, a: Word, b: Word) -> Word:
        return self._word(width, self.term(a) + self.term(b))

    def sub(self, width: int, a: Word, b: Word) -> Word:
        return self._word(width, self.term(a) - self.term(b))

    def mul(self, width: int, a: Word, b: Word) -> Word:
        return self._word(width, self.term(a) * self.term(b))

    def mul_wide(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        return self._word(2 * width, self.number(a, signed, width) * self.number(b, signed, width))

    def mul_hi(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        return self._word(width, divide(self.number(a, signed) * self.number(b, signed), 2**width))

    def div(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        dividend, divisor = self.number(a, signed), self.number(b, signed)
        if divisor.value is not None and divisor.value > 0 and within(dividend, 0, None):
            return Word(width, divide(dividend, divisor.value))
        return self.unknown(width)

    def rem(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        dividend, divisor = self.number(a, signed), self.number(b, signed)
        if divisor.value is not None and divisor.value > 0 and within(dividend, 0, None):
            return Word(width, modulo(dividend, divisor.value))
        return self.unknown(width)

    def min(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        x, y = self.number(a, signed), self.number(b, signed)
        return self._word(width, ite(le(x, y), x, y))

    def max(self, width: int, signed: bool, a: Word, b: Word) -> Word:
        x, y = self.number(a, signed), self.number(b, signed)
        return self._word(width, ite(le(y, x), x, y))

    def bit_and(self, width: int, a: Word, b: Word) -> Word:
        if a.term is not None and a.term.value is not None:
            a, b = b, a
        mask = b.term.value if b.term is not None else None
        if mask is not None:
            mask %= 2**width
            if mask & (mask + 1) == 0:
                return Word(width, modulo(self.term(a), mask + 1) if mask else Poly({}))
            clear = 2**width - mask
            if clear & (clear - 1) == 0:
                return self._word(width, self.term(a) - modulo(self.term(a), clear))
        return self._bits("bvand", width, a, b)

    def bit_or(self, width: int, a: Word, b: Word) -> Word:
        return self._bits("bvor", width, a, b)

    def bit_xor(self, width: int, a: Word, b: Word) -> Word:
        return self._bits("bvxor", width, a, b)

    def _bits(self, op: str, width: int, a: Word, b: Word) -> Word:
        x, y = self.number(a, False), self.number(b, False)
        if x.value is not None and y.value is not None:
            value = {"bvand": x.value & y.value, "bvor": x.value | y.value, "bvxor": x.value ^ y.value}[op]
            return self.const(width, value)
        if op != "bvand" and (x.value == 0 or y.value == 0 or _disjoint(x, y)):
            return Word(width, x + y)
        (_, xh), (_, yh) = x.interval, y.interval
        if xh is None or yh is None:
            high = 2**width - 1
        else:
            high = min(xh, yh) if op == "bvand" else 2 ** max(xh, yh).bit_length() - 1
            high = min(high, 2**width - 1)
        result = self._bounded(width, 0, high, f"({op} {x.text} {y.text})")
        if op == "bvor":
            (symbol,) = self.term(result).symbols()
            self._ors[symbol] = (x, y)
        return result

    def bit_not(self, width: int, a: Word) -> Word:
        return self._word(width, -self.term(a) - 1)

    def shl(self, width: int, a: Word, amount: Word) -> Word:
        count = self.number(amount, False).value
        if count is None:
            return self.unknown(width)
        return Word(width, Poly({})) if count >= width else self._word(width, self.term(a) * 2**count)

    def shr(self, width: int, signed: bool, a: Word, amount: Word) -> Word:
        count = self.number(amount, False).value
        value = self.number(a, signed)
        if count is None:
            low, high = value.interval
            bounded = low is not None and low >= 0 and high is not None
            return self._bounded(width, 0, high) if bounded and high is not None else self.unknown(width)
        if count >= width and not signed:
            return Word(width, Poly({}))
        return Word(width, divide(value, 2 ** min(count, width)))

    def popc(self, width: int, a: Word) -> Word:
        return self._bounded(32, 0, width)

    def clz(self, width: int, a: Word) -> Word:
        return self._bounded(32, 0, width)

    def brev(self, width: int, a: Word) -> Word:
        return self.unknown(width)

    def extend(self, source: int, target: int, signed: bool, a: Word) -> Word:
        return Word(target, self.number(a, signed, source))

    def truncate(self, source: int, target: int, a: Word) -> Word:
        return self.unknown(target) if a.term is None else Word(target, a.term)

    def concat(self, width: int, parts: tuple[Word, ...]) -> Word:
        total = width * len(parts)
        if any(p.term is None for p in parts):
            return self.unknown(total)
        term = Poly({})
        for i, part in enumerate(parts):
            term = term + self.number(part, False, width) * 2 ** (width * i)
        return self._word(total, term)

    def split(self, width: int, count: int, a: Word) -> tuple[Word, ...]:
        if a.term is None:
            return tuple(self.unknown(width) for _ in range(count))
        value = self.number(a, False)
        return tuple(Word(width, modulo(divide(value, 2 ** (width * i)), 2**width)) for i in range(count))

    # --- predicates ---
    def truth(self, value: bool) -> Cond:
        return truth(value)

    def compare(self, width: int, signed: bool, op: str, a: Word, b: Word) -> Cond:
        x, y = self.number(a, signed, width), self.number(b, signed, width)
        if op in ("eq", "ne"):
            equal = self._zero(x) if y.value == 0 else same(x, y)
            return equal if op == "eq" else negate(equal)
        return {"lt": lt(x, y), "le": le(x, y), "gt": lt(y, x), "ge": le(y, x)}[op]

    def _zero(self, x: Poly) -> Cond:
        """x == 0. A bitwise or, or its low bits, is 0 iff both its parts are."""
        atoms = x.atoms()
        if len(atoms) == 1 and x == Poly.of(atom := next(iter(atoms))):
            if isinstance(atom, SymbolAtom) and atom.symbol in self._ors:
                return conj(self._zero(p) for p in self._ors[atom.symbol])
            if isinstance(atom, ModAtom) and atom.c & (atom.c - 1) == 0:
                inner = atom.a.atoms()
                one = next(iter(inner)) if len(inner) == 1 else None
                if isinstance(one, SymbolAtom) and atom.a == Poly.of(one) and one.symbol in self._ors:
                    return conj(self._zero(modulo(p, atom.c)) for p in self._ors[one.symbol])
        return eq(x)

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
        if a.term is None or b.term is None:
            return a if a == b else self.unknown(width)
        return self._word(width, ite(p, a.term, b.term))

    # --- floats: values are not tracked ---
    def fadd(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word) -> Word:
        return self._float(t)

    fsub = fmul = fadd

    def ffma(self, t: str, rounding: str, ftz: bool, sat: bool, a: Word, b: Word, c: Word) -> Word:
        return self._float(t)

    def fdiv(self, t: str, rounding: str, ftz: bool, a: Word, b: Word) -> Word:
        return self._float(t)

    def fsqrt(self, t: str, rounding: str, ftz: bool, a: Word) -> Word:
        return self._float(t)

    def fneg(self, t: str, ftz: bool, a: Word) -> Word:
        return self._float(t)

    fabs = fneg

    def fmin(self, t: str, ftz: bool, nan: bool, a: Word, b: Word) -> Word:
        return self._float(t)

    fmax = fmin

    def fcompare(self, t: str, ftz: bool, op: str, a: Word, b: Word) -> Cond:
        return self._truth()

    def fconvert(self, source: str, target: str, rounding: str, ftz: bool, sat: str, a: Word) -> Word:
        return self._float(target)

    def int_to_float(self, source: int, signed: bool, target: str, rounding: str, a: Word) -> Word:
        if a.term is not None:
            self.number(a, signed, source)
        return self._float(target)

    def float_to_int(self, source: str, target: int, signed: bool, rounding: str, ftz: bool, a: Word) -> Word:
        return self.unknown(target)

    def round_integral(self, t: str, rounding: str, ftz: bool, a: Word) -> Word:
        return self._float(t)

    def approximate(self, name: str, t: str, ftz: bool, args: tuple[Word, ...]) -> Word:
        return self._float(t)

    # --- lanes ---
    def shuffle(self, mode: str, a: Word, b: Word, c: Word, members: Word) -> tuple[Word, Cond]:
        self.hooks.converge(members.term)
        return self.unknown(32), self._truth()

    def vote(self, mode: str, p: Cond, members: Word) -> Cond:
        self.hooks.converge(members.term)
        return self._truth()

    def ballot(self, p: Cond, members: Word) -> Word:
        self.hooks.converge(members.term)
        return self.unknown(32)

    def redux(self, op: str, signed: bool, a: Word, members: Word) -> Word:
        self.hooks.converge(members.term)
        return self.unknown(32)

    def match(self, mode: str, width: int, a: Word, members: Word) -> tuple[Word, Cond]:
        self.hooks.converge(members.term)
        return self.unknown(32), self._truth()

    def elect(self, members: Word) -> tuple[Word, Cond]:
        self.hooks.converge(members.term)
        return self.unknown(32), self._truth()

    # --- memory ---
    def symbol(self, name: str, width: int) -> Word:
        term = self.variables.get(name)
        return self.unknown(width) if term is None else Word(width, term)

    def load_param(self, name: str, offset: int, width: int, count: int) -> tuple[Word, ...]:
        term = self.parameters.get(name)
        if term is None or offset or count != 1:
            return tuple(self.unknown(width) for _ in range(count))
        return (Word(width, term),)

    def load(self, space: str, width: int, count: int, address: Word, readonly: bool) -> tuple[Word, ...]:
        self.hooks.access("read", space, width, count, address.term, Marks(readonly=readonly))
        return tuple(self.unknown(width) for _ in range(count))

    def store(self, space: str, width: int, address: Word, values: tuple[Word, ...]) -> None:
        self.hooks.access("write", space, width, len(values), address.term)

    def atomic(
        self, space: str, width: int, count: int, address: Word, update: Callable[[int, Word, str], Word], scope: str
    ) -> tuple[Word, ...]:
        """The old words are unknown, and so are the new ones: what memory holds is not followed."""
        self.hooks.access("atomic", space, width, count, address.term, Marks(scope=scope))
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
        return self._truth()

    def to_generic(self, space: str, width: int, address: Word) -> Word:
        return self._window(space, width, address, 1)

    def from_generic(self, space: str, width: int, address: Word) -> Word:
        return self._window(space, width, address, -1)

    def _window(self, space: str, width: int, address: Word, sign: int) -> Word:
        """Generic addresses of shared memory lie in a window somewhere; those of global memory are the addresses."""
        if space == "global":
            return address
        if space != "shared" or width != 64:
            return self.unknown(width)
        return self._word(width, self.term(address) + SHARED_WINDOW * sign)


def _disjoint(x: Poly, y: Poly) -> bool:
    """Whether two non-negative numbers have no bit in common: one is below a power of two that divides the other."""
    for a, b in ((x, y), (y, x)):
        high = a.interval[1]
        if high is None or not within(a, 0, None):
            continue
        step = 1 << high.bit_length()
        if all(c % step == 0 for c in b.terms.values()):
            return True
    return False
