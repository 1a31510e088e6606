"""Random small kernels over two global buffers and one shared array, with branches, loops, barriers and guards.

Most are faulty in some way; those called tame only in one or two, so that the prover gets far. The text depends on the
seed alone. `x` and `y` have X_WORDS words, `s` has S_WORDS; the one number `n` is at most MAX_N.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.campaign.kernel import Kernel, Launch

X_WORDS, S_WORDS, MAX_N = 64, 32, 5
BLOCKS = ((4, 1, 1), (8, 1, 1), (4, 2, 1), (32, 1, 1), (2, 2, 2))
GRIDS = ((1, 1, 1), (2, 1, 1), (2, 2, 1))
PREDICATES = 4
Size = tuple[int, int, int]
DEPTH = 2
HEAD = """.version 7.8
.target sm_89
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n)
{
.reg .pred %p<4>;
.reg .b32 %r<200>;
.reg .b64 %d<8>;
.shared .align 16 .b8 s[128];
ld.param.u64 %d0, [x];
ld.param.u64 %d1, [y];
mov.u64 %d2, s;
"""


@dataclass
class _Writer:
    random: random.Random
    lines: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    next_register: int = 0
    next_label: int = 0
    tame: bool = True
    counters: list[str] = field(default_factory=list)

    def fresh(self) -> str:
        self.next_register += 1
        return f"%r{self.next_register - 1}"

    def label(self) -> str:
        self.next_label += 1
        return f"L{self.next_label}"

    def put(self, text: str) -> None:
        self.lines.append(text + ";")

    def value(self) -> str:
        if self.random.random() < 0.2:
            return str(self.random.choice((0, 1, 2, 3, 4, 7, 8, 16, 31)))
        return self.random.choice(self.values)

    def register(self) -> str:
        return self.random.choice(self.values)

    def predicate(self) -> str:
        return f"%p{self.random.randrange(PREDICATES)}"

    def guard(self) -> str:
        r = self.random.random()
        return "" if r < 0.75 else f"@{self.predicate()} " if r < 0.9 else f"@!{self.predicate()} "

    # --- statements ---
    def arithmetic(self) -> None:
        pick = self.random
        op = pick.choice((
            "add.u32", "add.u32", "add.s32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32", "min.u32",
            "max.s32", "min.s32", "shl", "shr.u32", "shr.s32", "rem.u32", "div.u32", "rem.s32", "selp", "mad.lo.u32",
            "neg.s32", "not.b32", "bfe.u32", "abs.s32",
        ))  # fmt: skip
        # Sometimes a register that exists is changed: that is what loops and joins are about.
        again = [v for v in self.values[4:] if v not in self.counters]
        target = pick.choice(again) if again and pick.random() < 0.3 else self.fresh()
        guard = self.guard() if target in self.values else ""
        a = self.register()
        if op in ("shl", "shr.u32", "shr.s32"):
            spelled = "shl.b32" if op == "shl" else op
            self.put(f"{guard}{spelled} {target}, {a}, {pick.choice((1, 2, 4, 31, 32))}")
        elif op in ("rem.u32", "div.u32", "rem.s32"):
            self.put(f"{guard}{op} {target}, {a}, {pick.choice((2, 3, 4, 8, 32))}")
        elif op == "selp":
            self.put(f"{guard}selp.b32 {target}, {a}, {self.value()}, {self.predicate()}")
        elif op == "mad.lo.u32":
            self.put(f"{guard}{op} {target}, {a}, {pick.choice((2, 4, 8))}, {self.register()}")
        elif op in ("neg.s32", "not.b32", "abs.s32"):
            self.put(f"{guard}{op} {target}, {a}")
        elif op == "bfe.u32":
            self.put(f"{guard}{op} {target}, {a}, {pick.choice((0, 1, 2))}, {pick.choice((1, 2, 3, 5))}")
        else:
            self.put(f"{guard}{op} {target}, {a}, {self.value()}")
        if target not in self.values:
            self.values.append(target)

    def compare(self) -> None:
        pick = self.random
        op = pick.choice(("lt.u32", "lt.s32", "ge.u32", "ge.s32", "eq.u32", "ne.u32", "le.u32", "gt.s32"))
        p = self.predicate()
        r = pick.random()
        if r < 0.7:
            self.put(f"{self.guard() if pick.random() < 0.3 else ''}setp.{op} {p}, {self.register()}, {self.value()}")
        elif r < 0.9:
            test, kind = op.split(".")
            joined = f"setp.{test}.{pick.choice(('and', 'or', 'xor'))}.{kind}"
            self.put(f"{joined} {p}, {self.register()}, {self.value()}, {self.predicate()}")
        else:
            self.put(f"{pick.choice(('and', 'or', 'xor'))}.pred {p}, {self.predicate()}, {self.predicate()}")

    def index(self, words: int) -> str:
        """A register for an index, most often brought into range somehow."""
        pick, target, a = self.random, self.fresh(), self.register()
        r = pick.random()
        if r < 0.35 or self.tame:
            self.put(f"and.b32 {target}, {a}, {pick.choice((words - 1, words // 2 - 1, 3))}")
        elif r < 0.5:
            self.put(f"rem.u32 {target}, {a}, {pick.choice((words, words + 1, words // 2))}")
        elif r < 0.6:
            self.put(f"min.u32 {target}, {a}, {pick.choice((words - 1, words))}")
        else:
            return a
        return target

    def memory(self) -> None:
        pick = self.random
        shared = pick.random() < 0.5
        index = self.index(S_WORDS if shared else X_WORDS)
        width = pick.choice(("u32", "u32", "u32", "u8") if self.tame else ("u32", "u32", "u32", "u8", "v2.u32"))
        scale = {"u32": 4, "u8": 1, "v2.u32": 8}[width]
        wide = pick.choice(("mul.wide.u32", "mul.wide.u32", "mul.wide.s32"))
        base = "%d2" if shared else pick.choice(("%d0", "%d1"))
        self.put(f"{wide} %d3, {index}, {scale}")
        self.put(f"add.u64 %d4, {base}, %d3")
        space, guard = "shared" if shared else "global", self.guard()
        if pick.random() < 0.55:
            value = self.register()
            operand = f"{{{value}, {value}}}" if width.startswith("v") else value
            self.put(f"{guard}st.{space}.{width} [%d4], {operand}")
            return
        first = self.fresh()
        second = self.fresh() if width.startswith("v") else first
        # A guarded load leaves the register unwritten: give it a value before.
        for register in dict.fromkeys((first, second)) if guard else ():
            self.put(f"mov.u32 {register}, 0")
        self.put(f"{guard}ld.{space}.{width} {f'{{{first}, {second}}}' if width.startswith('v') else first}, [%d4]")
        self.values += dict.fromkeys((first, second))

    def barrier(self, depth: int) -> None:
        """Of tame kernels only outside branches and loops, and without a guard."""
        if not self.tame:
            self.put(f"{self.guard() if self.random.random() < 0.1 else ''}bar.sync 0")
        elif depth == DEPTH:
            self.put("bar.sync 0")

    def branch(self, depth: int) -> None:
        away, known = self.label(), len(self.values)
        negated = self.random.choice(("", "!"))
        predicate = self.predicate()
        if self.random.random() < 0.4:
            end = self.label()
            self.put(f"@{negated}{predicate} bra {away}")
            self.body(depth - 1)
            self.put(f"bra {end}")
            self.lines.append(f"{away}:")
            del self.values[known:]
            self.body(depth - 1)
            self.lines.append(f"{end}:")
        else:
            self.put(f"@{negated}{predicate} bra {away}")
            self.body(depth - 1)
            self.lines.append(f"{away}:")
        del self.values[known:]

    def loop(self, depth: int) -> None:
        pick, counter, known = self.random, self.fresh(), len(self.values)
        again, out, test = self.label(), self.label(), self.predicate()
        bound = pick.choice(("1", "2", "3", "%r0" if self.tame else self.register()))
        self.put(f"mov.u32 {counter}, {pick.choice(('0', '0', '1', '0' if self.tame else self.register()))}")
        self.values.append(counter)
        if self.tame:
            self.counters.append(counter)
        self.lines.append(f"{again}:")
        top = pick.random() < 0.5
        if top:
            self.put(f"setp.ge.{pick.choice('us')}32 {test}, {counter}, {bound}")
            self.put(f"@{test} bra {out}")
        self.body(depth - 1)
        if pick.random() < 0.3:
            self.put(f"@{self.predicate()} bra {out}")
        self.put(f"add.u32 {counter}, {counter}, {pick.choice((1, 1, 1, 2, 3))}")
        if top:
            self.put(f"bra {again}")
        else:
            less = pick.choice(("lt.u32", "lt.s32", "lt.s32" if self.tame else "ne.u32"))
            self.put(f"setp.{less} {test}, {counter}, {bound}")
            self.put(f"@{test} bra {again}")
        self.lines.append(f"{out}:")
        del self.values[known:]

    def body(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 4 if depth else 2)):
            r = self.random.random()
            if r < 0.3:
                self.arithmetic()
            elif r < 0.42:
                self.compare()
            elif r < 0.7:
                self.memory()
            elif r < 0.8:
                self.barrier(depth)
            elif r < 0.9 and depth:
                self.branch(depth)
            elif depth:
                self.loop(depth)


def over_two_buffers(family: str, text: str, block: Size, grid: Size, seed: int) -> Kernel:
    """A kernel of a fixed size over x, y and n."""
    sizes = (0, 1, random.Random(seed).randint(2, MAX_N))
    return Kernel(
        family, text, block, grid, (f"n <= {MAX_N}",), (f"x=u32[{X_WORDS}]:rw", f"y=u32[{X_WORDS}]:rw"),
        tuple(Launch(grid, block, {"n": n}) for n in sizes), seed,
    )  # fmt: skip


def generate(seed: int) -> Kernel:
    """The kernel of a seed."""
    pick = random.Random(seed)
    writer = _Writer(pick, tame=pick.random() < 0.7)
    n, thread, wide, lane = (writer.fresh() for _ in range(4))
    writer.put(f"ld.param.u32 {n}, [n]")
    writer.put(f"mov.u32 {thread}, %tid.x")
    writer.put(f"mov.u32 {lane}, %tid.y")
    writer.put(f"mov.u32 {wide}, %ctaid.x")
    writer.put(f"mad.lo.u32 {wide}, {wide}, {pick.choice((4, 8, 32))}, {thread}")
    writer.values += [n, thread, wide, lane]
    for i in range(PREDICATES):
        writer.put(f"setp.{pick.choice(('lt', 'ge', 'eq'))}.u32 %p{i}, {pick.choice((n, thread, wide))}, "
                   f"{pick.choice((0, 1, 2, 4))}")  # fmt: skip
    for _ in range(pick.randint(2, 4)):
        writer.body(DEPTH)
    text = HEAD + "\n".join(writer.lines) + "\nret;\n}\n"
    return over_two_buffers("random_kernels", text, pick.choice(BLOCKS), pick.choice(GRIDS), seed)
