"""Loads and stores of structured random kernels: arrays in one of the spaces, and accesses with their mistakes."""

from __future__ import annotations

from dataclasses import dataclass

from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer

ELEMENTS = ("u32", "u32", "u32", "f32", "s32", "u16", "u8", "u64")
CALM = (
    ("xor.b32",), ("or.b32",), ("and.b32",), ("max.u32",), ("min.u32",), ("and.b32", "or.b32 1"),
    ("xor.b32", "shr.u32 3"),
)  # fmt: skip
MIXES = (
    ("add.u32",), ("xor.b32",), ("max.u32",), ("sub.s32",), ("min.s32",), ("add.u32", "shl.b32 1"),
    ("xor.b32", "not.b32"), ("mul.lo.u32",), ("add.u32", "shr.u32 3"),
)  # fmt: skip


@dataclass(frozen=True)
class Array:
    """Elements of four bytes that threads exchange through.

    Args:
        space: shared, global or local.
        base: name of the variable, or register with the address.
    """

    space: str
    base: str
    size: int = 4

    def address(self, w: Writer, index: str, slips: bool = True) -> str:
        size = self.size
        if slips and w.slip("index scaled wrongly"):
            size *= 2
        register = w.far(self.base, index, size) if self.space == "global" else w.near(self.base, index, size)
        moved = "+2" if slips and w.slip("address moved by two bytes") else ""
        return f"[{register}{moved}]"

    def store(self, w: Writer, index: str, value: str, slips: bool = True) -> None:
        w.put(f"st.{self.space}.{w.random.choice(('u32', 'b32'))} {self.address(w, index, slips)}, {value}")

    def load(self, w: Writer, index: str, slips: bool = True) -> str:
        return w.r(f"ld.{self.space}.{w.random.choice(('u32', 'b32'))}", self.address(w, index, slips))


def mix(w: Writer, value: str) -> None:
    """Make it part of the kernel's value."""
    if w.calm and w.chance(0.2):
        halves = [w.r("and.b32", v, 0xFFFF) for v in (VALUE, value)]
        w.put(f"add.u32 {VALUE}, {', '.join(halves)}")
        return
    for step in w.random.choice(CALM if w.calm else MIXES):
        opcode, _, operand = step.partition(" ")
        if opcode == "not.b32":
            w.put(f"not.b32 {VALUE}, {VALUE}")
        else:
            w.put(f"{opcode} {VALUE}, {VALUE}, {operand or value}")


def joining(w: Writer) -> str:
    """An operation that joins two values."""
    return w.random.choice(("max.u32", "xor.b32", "or.b32") if w.calm else ("add.u32", "add.u32", "max.s32", "xor.b32"))


def deciding(w: Writer, s: Shape) -> str:
    """A value that differs from thread to thread and may decide about control and addresses: it has not wrapped."""
    if w.calm:
        return VALUE
    _, base = w.pointer("u32", s.extent, "r")
    return w.r("ld.global.u32", f"[{w.far(base, s.index, 4, s.wide)}]")


def load(w: Writer, element: str, address: str, cache: str = "") -> str:
    """An element of global memory as a word of 32 bits."""
    if element == "u64":
        return w.r("cvt.u32.u64", w.d(f"ld.global{cache}.u64", f"[{address}]"))
    return w.r(f"ld.global{cache}.{element}", f"[{address}]")


def store(w: Writer, element: str, address: str, value: str) -> None:
    if element == "u64":
        value = w.d("cvt.u64.u32", value)
    w.put(f"st.global{w.random.choice(('', '', '.cs', '.wt'))}.{element} [{address}], {value}")


def element_address(w: Writer, base: str, index: str, size: int, wide: bool, most: int = 0) -> str:
    """Address of an element of a global buffer; `most`: what the index may come to."""
    if w.slip("index scaled wrongly"):
        size = size * 2
    if not wide and most * size > 2**32 and w.slip("product too narrow"):
        return w.d("add.s64", base, w.d("cvt.u64.u32", w.r("mul.lo.u32", index, size)))
    address = w.far(base, index, size, wide)
    if size > 1 and w.slip("address moved by one byte"):
        address = w.d("add.s64", address, 1)
    return address


def bar(w: Writer, s: Shape, kind: str = "barrier dropped", divergent: bool = True) -> None:
    """A barrier of the block."""
    if w.slip(kind):
        return
    guard = ""
    if divergent and w.slip("barrier under a divergent guard"):
        guard = f"@{w.p('setp.lt.u32', s.thread, max(1, s.threads // 2))} "
    drawn = w.random.random()
    if drawn < 0.75:
        w.put(f"{guard}bar.sync {w.random.choice((0, 0, 0, 0, 1, 7))}")
    elif drawn < 0.85:
        w.put(f"{guard}barrier.sync{w.random.choice(('', '.aligned'))} 0")
    elif s.warps:
        w.put(f"{guard}bar.sync {w.random.choice((0, 1))}, {s.threads}")
    else:
        w.put(f"{guard}bar.red.popc.u32 {w.name('%r')}, 0, {w.p('setp.ne.u32', VALUE, 0)}")


def shared_words(w: Writer, s: Shape, words: int) -> Array:
    """A shared array of so many words: a new one, or one that a phase before used, behind a barrier."""
    fit = [name for name, size in w.pool.items() if size >= words]
    if fit and w.chance(0.5):
        bar(w, s, "barrier between two uses of an array dropped")
        return Array("shared", w.random.choice(fit))
    held = words - (1 if words > 1 and w.slip("shared array one element short") else 0)
    name = w.variable("shared", 4 * held)
    w.pool[name] = words
    return Array("shared", name)
