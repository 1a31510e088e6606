"""The launch of a structured random kernel, and how its threads find their numbers: the first lines of each."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from tests.campaign.families.writer import Writer

LINES = ((4,), (8,), (16,), (32,), (32,), (64,), (64,), (64,), (96,), (128,))
PLANES = ((8, 4), (4, 4), (16, 2), (16, 4), (32, 2), (4, 2, 4), (2, 2, 2), (8, 2, 4))
SYMBOLIC = 64  # the most threads of a block of unknown size
MOST = 2**30


@dataclass(frozen=True)
class Shape:
    """What phases know of the launch.

    Args:
        block: sizes; None for the symbolic one.
        threads: how many threads a block has at most.
        fixed: whether all blocks have just as many.
        count: that number as an operand: a constant or a register.
        size_text: the same in expressions of flags.
        sizes: what launches may have as block.x.
        grid: as `CheckRequest` takes it.
        launched: how many blocks there are in x: a constant, "any", or the name of the size that they cover.
        thread, block_number: registers.
        index: register with the number of the thread in the launch; of 64 bits where `wide`.
        n, n_name: register and name of a size that the launch's grid covers, or not; `most`: its limit.
    """

    block: tuple[int | None, ...]
    threads: int
    fixed: bool
    count: str
    size_text: str
    sizes: tuple[int, ...]
    grid: tuple[int | str | None, ...]
    launched: int | str
    thread: str
    block_number: str
    index: str
    wide: bool
    n: str
    n_name: str
    most: int

    @property
    def kind(self) -> str:
        """Type of the index."""
        return "u64" if self.wide else "u32"

    @property
    def power(self) -> bool:
        return self.fixed and self.threads & (self.threads - 1) == 0

    @property
    def warps(self) -> bool:
        """Whether blocks are whole warps."""
        return self.fixed and self.threads % 32 == 0

    @property
    def extent(self) -> str:
        """How many threads the launch has, for declarations."""
        return f"grid.x*{self.size_text}"


def shape(w: Writer) -> Shape:
    """Draw a launch and write the prologue."""
    pick = w.random
    symbolic = w.chance(0.15)
    block: tuple[int | None, ...] = (None, 1, 1)
    sizes: tuple[int, ...] = (1, 5, 32, 33)
    if symbolic:
        threads, count, size_text = SYMBOLIC, w.r("mov.u32", "%ntid.x"), "block.x"
        w.assumes.append(f"block.x <= {SYMBOLIC}")
        if w.chance(0.3):
            sizes = (32, 64)
            w.assumes.append("block.x % 32 == 0")
    else:
        drawn = pick.choice(LINES if w.chance(0.65) else PLANES)
        block, threads = (*drawn, 1, 1)[:3], prod(drawn)
        count, size_text, sizes = str(threads), str(threads), (drawn[0],)
    thread = _thread(w, block)
    block_number = w.r("mov.u32", "%ctaid.x")
    most = pick.choice((100, 1000, 2**20, MOST))
    n_name, n = w.number(_sizes(threads), 1, most)
    grid, launched = _grid(w, symbolic, threads, n_name)
    index, wide = _index(w, block_number, thread, count, launched == "any")
    if wide:
        n = w.d("cvt.u64.u32", n)
    return Shape(block, threads, not symbolic, count, size_text, sizes, (grid, 1, 1), launched, thread, block_number,
                 index, wide, n, n_name, most)  # fmt: skip


def _sizes(threads: int) -> tuple[int, ...]:
    return tuple(sorted({1, max(1, threads - 1), threads, threads + 1, 2 * threads + 3}))


def _grid(w: Writer, symbolic: bool, threads: int, n_name: str) -> tuple[int | str | None, int | str]:
    drawn = w.random.random()
    if drawn < 0.35:
        return (f"ceil_div({n_name}, {threads})", n_name) if not symbolic else (2, 2)
    if drawn < 0.8:
        return (blocks := w.random.choice((1, 2, 3))), blocks
    w.assumes.append("grid.x <= 2^20")
    return None, "any"


def _thread(w: Writer, block: tuple[int | None, ...]) -> str:
    """The number of the thread in its block, x running fastest."""
    x = w.r("mov.u32", "%tid.x")
    if block[1] == block[2] == 1:
        return x
    y = w.r("mov.u32", "%tid.y")
    if block[2] != 1:
        z = w.r("mov.u32", "%tid.z")
        y = w.r("mad.lo.s32", z, block[1] if w.chance(0.5) else w.r("mov.u32", "%ntid.y"), y)
    if w.chance(0.5):
        return w.linear(y, block[0] or 1, x)
    return w.r("mad.lo.u32", y, w.r("mov.u32", "%ntid.x"), x)


def _index(w: Writer, block_number: str, thread: str, count: str, far: bool) -> tuple[str, bool]:
    """The number of the thread in the launch; `far`: the grid may have any size."""
    if not w.chance(0.3):
        if w.chance(0.3):
            count = w.r("mov.u32", "%ntid.x") if not count.startswith("%") and thread == "%r0" else count
        return w.r(f"mad.lo.{w.random.choice('us')}32", block_number, count, thread), False
    first = w.d("mul.wide.u32", block_number, count)
    return w.d("add.s64", first, w.d("cvt.u64.u32", thread)), True
