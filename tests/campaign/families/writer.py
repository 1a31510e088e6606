"""Writes the text of a structured random kernel: registers, declarations, spellings, and where a mistake may stand.

Each place where a kernel may go wrong asks `slip(kind)`. A kernel is written once without a mistake, which gives the
list of these places, and, if it shall be faulty, a second time from the same seed with one of them chosen.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

BYTES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "f32": 4, "u64": 8}
VALUE = "%v"  # the one value that goes through the whole kernel
HEAD = ".version 7.8\n.target sm_89\n.address_size 64\n"


@dataclass
class Writer:
    """One kernel in the making.

    Args:
        random: decides on everything.
        planted: number of the place that is to be wrong; -1 for none.
        calm: the kernel's value is never wrapped, so that it may decide where to go.
        looping: what is written now is written inside a loop, and carried out several times.
        sites: kinds of mistakes that were possible, in order of the text.
        meant: the kind that was planted.
        numbers: the values that launches may give to a parameter.
        head: functions and variables of the module.
        dynamic_shared: bytes that launches give.
        pool: shared arrays that may be used again, and their words.
    """

    random: random.Random
    planted: int = -1
    calm: bool = False
    looping: bool = False
    lines: list[str] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    meant: str = ""
    params: list[str] = field(default_factory=list)
    declarations: list[str] = field(default_factory=list)
    buffers: list[str] = field(default_factory=list)
    assumes: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    numbers: dict[str, Sequence[int]] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    head: list[str] = field(default_factory=list)
    dynamic_shared: int = 0
    pool: dict[str, int] = field(default_factory=dict)

    # --- chance ---
    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def slip(self, kind: str) -> bool:
        """Whether the mistake is made here."""
        self.sites.append(kind)
        if len(self.sites) - 1 != self.planted:
            return False
        self.meant = kind
        return True

    # --- statements ---
    def name(self, kind: str) -> str:
        self.used[kind] = self.used.get(kind, 0) + 1
        return f"{kind}{self.used[kind] - 1}"

    def put(self, *texts: str) -> None:
        self.lines += [text + ";" for text in texts]

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def new_label(self) -> str:
        return self.name("L")

    def r(self, opcode: str, *operands: object) -> str:
        """A statement that gives a new register of 32 bits."""
        return self._give("%r", opcode, operands)

    def d(self, opcode: str, *operands: object) -> str:
        return self._give("%d", opcode, operands)

    def p(self, opcode: str, *operands: object) -> str:
        return self._give("%p", opcode, operands)

    def _give(self, kind: str, opcode: str, operands: Sequence[object]) -> str:
        target = self.name(kind)
        self.put(f"{opcode} {', '.join(map(str, (target, *operands)))}")
        return target

    # --- declarations ---
    def pointer(self, element: str, extents: str, access: str, aligned: int = 0) -> tuple[str, str]:
        """A new buffer: the name of the parameter, and a register with its address."""
        name = self.name("a")
        self.params.append(f".param .u64 {name}")
        self.buffers.append(f"{name}={element}[{extents}]:{access}" + (f"@{aligned}" if aligned else ""))
        register = self.d("ld.param.u64", f"[{name}]")
        if self.chance(0.3):
            register = self.d("cvta.to.global.u64", register)
        return name, register

    def number(self, values: Sequence[int], low: int, high: int, wide: bool = False) -> tuple[str, str]:
        """A new parameter in [low, high]: its name, and a register with its value."""
        name, bits = self.name("n"), 64 if wide else 32
        self.params.append(f".param .u{bits} {name}")
        self.assumes.append(f"{name} >= {low} && {name} <= {high}")
        self.numbers[name] = sorted({min(value, high) for value in values})
        return name, (self.d if wide else self.r)(f"ld.param.u{bits}", f"[{name}]")

    def variable(self, space: str, size: int, align: int = 16) -> str:
        """A new shared or local array of so many bytes."""
        name = self.name(space[0])
        self.declarations.append(f".{space} .align {align} .b8 {name}[{size}];")
        return name

    def barrier_number(self) -> int:
        """A named barrier that no phase uses yet (the low numbers are those of the block)."""
        self.used["barrier"] = self.used.get("barrier", 0) + 1
        return 7 + self.used["barrier"]

    # --- spellings ---
    def times(self, register: str, factor: int) -> str:
        """The register times a constant, in 32 bits; the caller knows that it does not wrap."""
        if factor == 1:
            return register
        if factor & (factor - 1) == 0 and self.chance(0.5):
            return self.r("shl.b32", register, factor.bit_length() - 1)
        if self.chance(0.2):
            return self.r("mad.lo.s32", register, factor, 0)
        return self.r(f"mul.lo.{self.random.choice('us')}32", register, factor)

    def plus(self, register: str, other: object) -> str:
        if other == 0:
            return register
        return self.r(f"add.{self.random.choice('us')}32", register, other)

    def linear(self, register: str, factor: int, other: str) -> str:
        """register * factor + other, in 32 bits."""
        if self.chance(0.5):
            return self.r(f"mad.lo.{self.random.choice('us')}32", register, factor, other)
        return self.plus(self.times(register, factor), other)

    def divided(self, register: str, by: int) -> tuple[str, str]:
        """Quotient and remainder of an unsigned number by a constant."""
        if by & (by - 1) == 0 and self.chance(0.7):
            return self.r("shr.u32", register, by.bit_length() - 1), self.r("and.b32", register, by - 1)
        quotient = self.r("div.u32", register, by)
        if self.chance(0.5):
            return quotient, self.r("rem.u32", register, by)
        return quotient, self.r("sub.s32", register, self.r("mul.lo.s32", quotient, by))

    def far(self, base: str, index: str, size: int, wide: bool = False) -> str:
        """Address of an element of global memory; `wide`: the index has 64 bits."""
        pick = self.random
        if not wide:
            drawn = pick.randrange(4)
            if drawn == 0:
                return self.d("mad.wide.u32", index, size, base)
            if drawn == 1:
                return self.d("add.s64", base, self.d("mul.wide.u32", index, size))
            index = self.d("cvt.u64.u32", index)
        if size == 1:
            return self.d("add.s64", base, index)
        drawn = pick.randrange(3)
        if drawn == 0:
            return self.d("mad.lo.s64", index, size, base)
        if drawn == 1:
            return self.d("add.u64", base, self.d("mul.lo.u64", index, size))
        return self.d("add.s64", self.d("shl.b64", index, size.bit_length() - 1), base)

    def near(self, base: str, index: str, size: int) -> str:
        """Address of an element of a shared or local variable: `base` is its name."""
        if self.chance(0.2):
            return self.far(self.d("mov.u64", base), index, size)
        return self.linear(index, size, self.r("mov.u32", base))

    # --- control ---
    @contextmanager
    def only_if(self, predicate: str, negated: bool = False) -> Iterator[None]:
        """What follows is carried out where the predicate holds."""
        away = self.new_label()
        self.put(f"@{'' if negated else '!'}{predicate} bra {away}")
        yield
        self.label(away)

    @contextmanager
    def below(self, index: str, limit: object, kind: str = "u32", slips: bool = True) -> Iterator[None]:
        """What follows is carried out where index < limit."""
        if slips and self.slip("guard dropped"):
            yield
            return
        beyond = slips and self.slip("guard off by one")
        negated = slips and self.slip("guard negated")
        if self.chance(0.5):
            holds = self.p(f"setp.{'le' if beyond else 'lt'}.{kind}", index, limit)
            with self.only_if(holds, negated):
                yield
        else:
            fails = self.p(f"setp.{'gt' if beyond else 'ge'}.{kind}", index, limit)
            with self.only_if(fails, not negated):
                yield

    @contextmanager
    def rounds(self, start: object, limit: object, step: object = 1, kind: str = "u32") -> Iterator[str]:
        """A loop: for (i = start; i < limit; i += step)."""
        i = (self.d if kind.endswith("64") else self.r)(f"mov.{kind}", start)
        again, out = self.new_label(), self.new_label()
        beyond = "gt" if self.slip("loop goes one round too far") else "ge"
        rotated = self.chance(0.5)
        if rotated:
            self.put(f"@{self.p(f'setp.{beyond}.{kind}', i, limit)} bra {out}")
        self.label(again)
        if not rotated:
            self.put(f"@{self.p(f'setp.{beyond}.{kind}', i, limit)} bra {out}")
        yield i
        if not self.slip("loop step dropped"):
            self.put(f"add.{kind} {i}, {i}, {step}")
        if rotated:
            within = "le" if beyond == "gt" else "lt"
            self.put(f"@{self.p(f'setp.{within}.{kind}', i, limit)} bra {again}")
        else:
            self.put(f"bra {again}")
        self.label(out)

    # --- text ---
    def text(self) -> str:
        registers = [
            f".reg .{kind} {name}<{self.used[name]}>;"
            for name, kind in (("%p", "pred"), ("%r", "b32"), ("%d", "b64")) if self.used.get(name)
        ]  # fmt: skip
        head = f".visible .entry k({', '.join(self.params)})\n{{"
        start = (".reg .b32 %v;", *registers, *self.declarations)
        return HEAD + "\n".join((*self.head, head, *start, *self.lines, "ret;", "}", ""))
