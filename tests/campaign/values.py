"""Random compositions of integer instructions: what the prover's terms say a register holds, against the machine.

The instruction table is compared row by row elsewhere; here terms are built on terms. What a term asks to have proved
is granted wherever it is true at the points that are looked at, so that the most daring form of each term is tried.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from proofs.terms import THREAD, Cond, Poly, Symbol
from proofs.words import PLAIN, Hooks, Marks, Observation, Terms, Word
from spec.ptx.floats import WORD
from spec.ptx.isa import lookup
from spec.ptx.lanes import Lanes
from spec.ptx.parser import parse
from spec.ptx.reader import Reader
from tests.proofs.evaluation import Unvalued, value_of, with_definitions

POINTS = 16
WIDTHS = {"h": 16, "r": 32, "d": 64}
HEAD = """.version 7.8
.target sm_89
.address_size 64
.visible .entry k()
{
.reg .pred %p<99>;
.reg .b16 %h<99>;
.reg .b32 %r<199>;
.reg .b64 %d<99>;
"""
DIVISORS = (2, 3, 4, 5, 7, 8, 12, 16, 32, 33, 100, 256)
FIELDS = (0, 1, 2, 3, 5, 8, 16, 29, 31, 32, 33)
CHAINS = ((32, 8), (8, 32), (12, 4), (4, 12), (6, 4), (5, 25), (16, 3), (9, 3), (33, 11))
SIMPLE = ("add", "sub", "mul.lo", "min", "max")
LOGIC = ("and.b", "or.b", "xor.b")


@dataclass
class Program:
    """Statements in the order in which they were drawn, and the registers that hold a value, by class."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    held: dict[str, list[str]] = field(default_factory=lambda: {"p": [], "h": [], "r": [], "d": []})

    def fresh(self, kind: str) -> str:
        self.held[kind].append(f"%{kind}{len(self.held[kind])}")
        return self.held[kind][-1]

    def put(self, kind: str, opcode: str, *operands: object) -> str:
        """A statement that gives a new register of this class."""
        given = ", ".join(map(str, operands))
        target = self.fresh(kind)
        self.lines.append(f"{opcode} {target}, {given};")
        return target

    def register(self, kind: str) -> str:
        found = self.held[kind]
        return self.random.choice(found[-6:] if self.random.random() < 0.6 else found)

    def operand(self, kind: str) -> str:
        pick, width = self.random, WIDTHS[kind]
        r = pick.random()
        if r < 0.45:
            return self.register(kind)
        if r < 0.75:
            return str(pick.choice((0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127, 255, 256, 1023, -1, -2, -8, -3)))
        power = 2 ** pick.randrange(width - 1) - pick.choice((0, 1))
        return str(pick.choice((power, pick.randrange(2 ** (width - 1)))))

    def step(self) -> None:
        """One instruction, or a few that compilers write together."""
        pick = self.random
        kind = pick.choices("rhd", (8, 1, 3))[0]
        width, sign = WIDTHS[kind], pick.choice("us")
        a, t = self.register(kind), f"{sign}{width}"
        drawn = pick.randrange(20)
        if drawn < 3:
            self.put(kind, f"{pick.choice(SIMPLE)}.{t}", a, self.operand(kind))
        elif drawn < 5:
            self.put(kind, f"{pick.choice(LOGIC)}{width}", a, self.operand(kind))
        elif drawn < 7:
            amount = pick.choice((0, 1, 2, 3, 5, width // 2, width - 1, width, width + 5))
            self.put(kind, pick.choice((f"shl.b{width}", f"shr.{t}")), a, amount)
        elif drawn == 7:
            self.put(kind, f"{pick.choice(('div', 'rem'))}.{t}", a, pick.choice(DIVISORS))
        elif drawn == 8:
            self.put("p", f"setp.{pick.choice(('lt', 'le', 'eq', 'ne', 'gt'))}.{t}", a, self.operand(kind))
            self.put(kind, f"selp.b{width}", a, self.operand(kind), self.held["p"][-1])
        elif drawn == 9:
            other = pick.choice("hrd")
            self.put(other, f"cvt.{pick.choice('us')}{pick.choice((8, WIDTHS[other]))}.{t}", a)
        elif drawn == 10:
            self.put("d", f"mul.wide.{sign}32", self.register("r"), self.operand("r"))
            self.put(kind, f"mul.hi.{t}", a, self.operand(kind))
        elif drawn == 11:
            self.fields(sign)
        elif drawn == 12:
            self.put("r", "lop3.b32", self.register("r"), self.operand("r"), self.operand("r"), pick.randrange(256))
        elif drawn == 13:
            self.put("r", f"{pick.choice(('popc', 'clz', 'brev'))}.b32", self.register("r"))
            self.put("r", f"bfind{pick.choice(('', '.shiftamt'))}.{sign}32", self.register("r"))
        elif drawn == 14:
            self.halves()
        elif drawn == 15:
            self.reciprocal()
        elif drawn == 16:
            one, two = pick.choice(CHAINS)
            part = self.put(kind, f"{pick.choice(('div', 'rem'))}.{t}", a, one)
            other = self.put(kind, f"{pick.choice(('div', 'rem'))}.{t}", pick.choice((part, a)), two)
            whole = self.put(kind, f"mul.lo.{t}", part, pick.choice((one, two, 1, -one)))
            self.put(kind, f"{pick.choice(('add', 'sub'))}.{t}", pick.choice((a, other)), whole)
        else:
            self.swizzle()

    def fields(self, sign: str) -> None:
        """Fields of bits, taken out, put in, permuted and shifted through."""
        pick, a, b = self.random, self.register("r"), self.operand("r")
        at, length = pick.choice(FIELDS), pick.choice(FIELDS)
        self.put("r", f"bfe.{sign}32", a, at, length)
        self.put("r", "bfi.b32", a, b, at, length)
        self.put("r", "prmt.b32", a, b, pick.choice((0x3210, 0x5410, 0x7632, 0x8888, pick.randrange(65536))))
        self.put("r", f"shf.{pick.choice('lr')}.{pick.choice(('clamp', 'wrap'))}.b32", a, b, at)

    def halves(self) -> None:
        """Packing and unpacking."""
        pair = f"{{{self.register('r')}, {self.register('r')}}}"
        self.put("d", "mov.b64", pair)
        source = self.register("d")
        self.lines.append(f"mov.b64 {{{self.fresh('r')}, {self.fresh('r')}}}, {source};")

    def reciprocal(self) -> None:
        """A division as compilers write it, with a factor that is at times not the right one."""
        pick, d, shift = self.random, self.random.choice((3, 5, 6, 7, 10, 25, 100, 641)), self.random.randrange(8)
        a = self.register("r")
        if pick.random() < 0.3:
            a = self.put("r", "and.b32", a, 2 ** pick.randrange(3, 31) - 1)
        factor = (-(-(2 ** (32 + shift)) // d) + pick.choice((0, 0, 0, 1, -1))) % 2**32
        if pick.random() < 0.5:
            quotient = self.put("r", "shr.u32", self.put("r", "mul.hi.u32", a, factor), shift)
        else:
            high = self.put("r", "mul.hi.s32", a, factor - 2**32 if factor >= 2**31 else factor)
            if factor >= 2**31:
                high = self.put("r", "add.s32", high, a)
            high = self.put("r", "shr.s32", high, shift)
            quotient = self.put("r", "add.s32", high, self.put("r", "shr.u32", pick.choice((a, high)), 31))
        self.put("r", "sub.u32", a, self.put("r", "mul.lo.u32", quotient, d))

    def swizzle(self) -> None:
        """Bits of one number joined with bits of another that may share them."""
        pick, a, b = self.random, self.register("r"), self.register("r")
        low = self.put("r", "and.b32", self.put("r", "shr.u32", a, pick.randrange(6)), 2 ** pick.randrange(1, 6) - 1)
        mask = self.put("r", "and.b32", b, 2 ** pick.randrange(1, 7) - 1)
        joined = self.put("r", pick.choice(LOGIC) + "32", low, mask)
        shifted = self.put("r", "shl.b32", joined, pick.randrange(6))
        self.put("r", pick.choice(("add.u32", "or.b32", "xor.b32")), shifted, self.register("r"))


class _Granting(Hooks):
    """Proves what is true at all the points."""

    def __init__(self, points: list[dict[str, int]]) -> None:
        self.points = points

    def prove(self, goal: Cond) -> bool:
        try:
            return all(value_of(goal, point) for point in self.points)
        except Unvalued:
            return False

    def observe(self, observation: Observation) -> None:
        """Nothing is kept."""

    def access(
        self, kind: str, space: str, width: int, count: int, address: Poly | None, marks: Marks = PLAIN
    ) -> None:
        raise AssertionError("no program of this kind touches memory")

    def converge(self, members: Poly | None) -> None:
        raise AssertionError("no program of this kind looks at other lanes")


class _Terms(Terms):
    """Remembers the symbols that it makes."""

    def __init__(self, hooks: Hooks) -> None:
        super().__init__({}, {}, {}, hooks)
        self.made: list[Symbol] = []

    def bounded(self, width: int, low: int, high: int, definition: str = "") -> Word:
        word = super().bounded(width, low, high, definition)
        self.made += self.term(word).symbols()
        return word


def disagreement(seed: int) -> tuple[int, str]:
    """How many values were compared, and the first that differs, or ''."""
    pick = random.Random(seed)
    program = Program(pick)
    ranges: dict[str, tuple[int, int]] = {}
    for kind, number in (("r", 4), ("d", 2), ("h", 1)):
        top = 2 ** WIDTHS[kind]
        for _ in range(number):
            low, high = pick.choice(((0, 31), (0, 1023), (0, top // 2 - 1), (0, top - 1), (-top // 2, top // 2 - 1)))
            ranges[program.fresh(kind)] = max(low, -top // 2), min(high, top - 1)
    points = [{name[1:]: _number(pick, *bounds) for name, bounds in ranges.items()} for _ in range(POINTS)]
    for _ in range(pick.randrange(3, 20)):
        program.step()
    function = parse(HEAD + "\n".join(program.lines) + "\nret;\n}\n").entries[0]
    terms: dict[str, Any] = {}
    lanes: dict[str, Any] = {}
    for name, (low, high) in ranges.items():
        width = WIDTHS[name[1]]
        terms[name] = Word(width, Poly.symbol(Symbol(name[1:], "parameter", THREAD, low, high)))
        lanes[name] = np.array([point[name[1:]] % 2**width for point in points], WORD[width])
    domain = _Terms(_Granting(points))
    symbolic: Reader[Word, Cond] = Reader(domain, function.registers, terms.__getitem__)
    concrete: Reader[Any, Any] = Reader(Lanes(), function.registers, lanes.__getitem__)
    compared = 0
    for number, instruction in enumerate(list(function.instructions())[:-1]):
        found = lookup(instruction.opcode)
        assert found is not None
        domain.at(number + 1, f"L{number}", frozenset())
        with np.errstate(all="ignore"):
            lanes |= dict(concrete.execute(instruction, *found))
        given = dict(symbolic.execute(instruction, *found))
        points[:] = [with_definitions(point, domain.made) for point in points]
        terms |= given
        for register, value in given.items():
            wanted = np.broadcast_to(lanes[register], (POINTS,))
            for point, want in zip(points, wanted, strict=True):
                wrong = _wrong(value, int(want), point)
                if wrong:
                    return compared, f"seed {seed}, {program.lines[number]} {wrong} at {point}"
                compared += isinstance(value, Cond) or value.term is not None
    return compared, ""


def _number(pick: random.Random, low: int, high: int) -> int:
    near = pick.choice((low, high, 0, 1, -1, 2, 31, 32, pick.randrange(70)))
    return min(high, max(low, near if pick.random() < 0.6 else pick.randint(low, high)))


def _wrong(value: Word | Cond, want: int, point: dict[str, int]) -> str:
    """How a value differs from the machine's; an unknown gets the machine's number, which its range must allow."""
    if isinstance(value, Word) and value.term is None:
        point[value.key] = want
        return ""
    term = value if isinstance(value, Cond) else value.term
    assert term is not None
    alone = _alone(term)
    if alone is not None and alone.name not in point:
        if isinstance(value, Word) and (alone.low or 0) < 0 and want >= 2 ** (value.width - 1):
            want -= 2**value.width  # the symbol is the signed number
        point[alone.name] = want
        inside = (alone.low is None or alone.low <= want) and (alone.high is None or want <= alone.high)
        return "" if inside else f"is in [{alone.low}, {alone.high}], not {want}"
    try:
        got = value_of(term, point)
    except Unvalued:
        return ""
    if isinstance(term, Poly):
        low, high = term.interval
        if (low is not None and got < low) or (high is not None and got > high):
            return f"is {got}, outside of its interval [{low}, {high}]"
    size = 1 if isinstance(value, Cond) else value.width
    return "" if got % 2**size == want else f"is {term.text[:200]} = {got}, not {want}"


def _alone(term: Poly | Cond) -> Symbol | None:
    """The symbol that is all of the term."""
    symbols = term.symbols()
    symbol = next(iter(symbols)) if len(symbols) == 1 else None
    if symbol is None or isinstance(term, Cond):
        return symbol if isinstance(term, Cond) and term.symbol is not None else None
    return symbol if term == Poly.symbol(symbol) else None


