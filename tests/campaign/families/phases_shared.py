"""Phases in which the threads of a block meet in shared memory: exchanges, reductions, scans, bins."""

from __future__ import annotations

from collections.abc import Callable

from tests.campaign.families.memory import Array, bar, deciding, joining, mix, shared_words
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer

OPERATIONS = ("red.shared.add.u32", "red.shared.max.u32", "atom.shared.add.u32", "atom.shared.exch.b32")


def partner(w: Writer, s: Shape) -> str:
    """The number of another thread of the block: a permutation."""
    pick, t = w.random, s.thread
    ways = ["reverse", "rotate", *(("xor", "wrap") if s.power else ())]
    way = pick.choice([*ways, "transpose"] if s.power and s.threads > 4 else ways)
    if way == "reverse":
        last = "0" if w.slip("partner one beyond") else "1"
        return w.r("sub.u32", w.r("sub.u32", w.r("mov.u32", s.count), last), t)
    if way == "rotate":
        shifted = w.r("add.u32", t, 1)
        test = "setp.gt.u32" if w.slip("partner one beyond") else "setp.ge.u32"
        return w.r("selp.b32", "0", shifted, w.p(test, shifted, s.count))
    if way == "xor":
        mask = pick.choice([m for m in (1, 2, 3, 7, 16, s.threads // 2, s.threads - 1) if 0 < m < s.threads])
        return w.r("xor.b32", t, s.threads if w.slip("partner one beyond") else mask)
    if way == "wrap":
        return w.r("and.b32", w.r("add.u32", t, pick.randrange(1, 2 * s.threads)),
                   2 * s.threads - 1 if w.slip("partner one beyond") else s.threads - 1)  # fmt: skip
    side = 2 ** pick.randrange(1, s.threads.bit_length() - 1)
    quotient, rest = w.divided(t, side)
    beyond = 1 if w.slip("stride of the transposition one too long") else 0
    return w.linear(rest, s.threads // side + beyond, quotient)


def exchange(w: Writer, s: Shape) -> None:
    """Each thread writes a word and reads another's."""
    words = s.threads
    if not w.looping and w.chance(0.2):
        _, base = w.pointer("u32", s.extent, "rw")
        start = w.r("mul.lo.u32", s.block_number, s.count)
        array = Array("global", w.far(base, start, 4))
    else:
        array = shared_words(w, s, words)
    other = partner(w, s)
    if w.slip("value of the own thread not written by all"):
        with w.below(s.thread, max(1, s.threads - 1), slips=False):
            array.store(w, s.thread, VALUE)
    else:
        array.store(w, s.thread, VALUE)
    bar(w, s)
    mix(w, array.load(w, other))


def exchange_in_rounds(w: Writer, s: Shape) -> None:
    """The same over and over, with a barrier before the array is written again; or with two arrays in turn."""
    pick = w.random
    array = shared_words(w, s, 2 * s.threads)
    other = partner(w, s)
    limit: object = pick.choice((2, 3))
    if w.chance(0.6):
        _, limit = w.number((0, 1, 3), 0, pick.choice((10, 2**20)))
    two = s.fixed and w.chance(0.4)
    with w.rounds(0, limit) as i:
        at, there = s.thread, other
        if two:
            stage = w.r("and.b32", i, 1)
            at, there = w.linear(stage, s.threads, at), w.linear(stage, s.threads, there)
        array.store(w, at, VALUE)
        bar(w, s)
        mix(w, array.load(w, there))
        if not two:
            bar(w, s, "barrier over the back edge dropped")


def halo(w: Writer, s: Shape) -> None:
    """A tile with its two neighbours, as stencils read it."""
    array = shared_words(w, s, s.threads + 2)
    inner = w.r("add.u32", s.thread, 1)
    array.store(w, inner, VALUE)
    if not w.slip("halo not written"):
        with w.only_if(w.p("setp.eq.u32", s.thread, 0)):
            array.store(w, w.r("mov.u32", "0"), VALUE)
            array.store(w, w.r("add.u32", w.r("mov.u32", s.count), 1), s.thread)
    bar(w, s)
    mix(w, array.load(w, s.thread))
    mix(w, array.load(w, w.r("add.u32", s.thread, 3 if w.slip("neighbour one too far") else 2)))


def tree(w: Writer, s: Shape) -> None:
    """Sums over the block, halving; then all read the first word."""
    array = shared_words(w, s, s.threads)
    array.store(w, s.thread, VALUE)
    first = s.threads if w.slip("tree begins with the whole block") else s.threads // 2
    off = w.slip("guard off by one")
    join = joining(w)
    step_bar = not w.slip("barrier between the steps of a tree dropped")

    def step(h: object) -> None:
        if step_bar:
            bar(w, s)
        with w.only_if(w.p(f"setp.{'le' if off else 'lt'}.u32", s.thread, h)):
            mine = array.load(w, s.thread, slips=False)
            other = array.load(w, w.r("add.u32", s.thread, h), slips=False)
            array.store(w, s.thread, w.r(join, mine, other), slips=False)

    if w.chance(0.5):
        h, again, out = w.r("mov.u32", first), w.new_label(), w.new_label()
        w.label(again)
        w.put(f"@{w.p('setp.eq.u32', h, 0)} bra {out}")
        step(h)
        if w.slip("loop step dropped"):
            pass
        else:
            w.put(f"shr.u32 {h}, {h}, 1")
        w.put(f"bra {again}")
        w.label(out)
    else:
        half = first
        while half:
            step(half)
            half //= 2
    bar(w, s)
    mix(w, array.load(w, w.r("mov.u32", "0")))


def scan(w: Writer, s: Shape) -> None:
    """Sums of all before, in doubling steps, two barriers in each."""
    array = shared_words(w, s, s.threads)
    array.store(w, s.thread, VALUE)
    unguarded = w.slip("guard dropped")
    top = s.threads

    def step(o: object) -> None:
        bar(w, s)
        found = w.r("mov.u32", "0")
        before = w.r("sub.u32", s.thread, o)
        if unguarded:
            w.put(f"ld.shared.u32 {found}, {array.address(w, before, False)}")
        else:
            with w.only_if(w.p("setp.ge.u32", s.thread, o)):
                w.put(f"ld.shared.u32 {found}, {array.address(w, before, False)}")
        bar(w, s, "barrier between reading and writing dropped")
        mix(w, found)
        array.store(w, s.thread, VALUE, slips=False)

    if w.chance(0.5):
        o, again = w.r("mov.u32", "1"), w.new_label()
        w.label(again)
        step(o)
        w.put(f"shl.b32 {o}, {o}, 1")
        w.put(f"@{w.p('setp.lt.u32', o, top)} bra {again}")
    else:
        offset = 1
        while offset < top:
            step(offset)
            offset *= 2


def bins(w: Writer, s: Shape) -> None:
    """Counts in shared memory, added up in global memory, by atomics."""
    pick = w.random
    count = pick.choice((4, 8, 16, 40))
    array = shared_words(w, s, count)
    if not w.slip("bins not set to zero"):
        _over(w, s, count, lambda i: array.store(w, i, "0", slips=False))
    bar(w, s)
    data = deciding(w, s)
    if count & (count - 1) == 0:
        chosen = w.r("and.b32", data, 2 * count - 1 if w.slip("bin beyond the last") else count - 1)
    else:
        chosen = w.r("rem.u32", data, count + 1 if w.slip("bin beyond the last") else count)
    if w.slip("plain store where an atomic is needed"):
        old = array.load(w, chosen, slips=False)
        array.store(w, chosen, w.r("add.u32", old, 1), slips=False)
    else:
        for _ in range(pick.choice((1, 1, 2))):
            op = pick.choice(OPERATIONS)
            result = f"{w.name('%r')}, " if op.startswith("atom") else ""
            w.put(f"{op} {result}{array.address(w, chosen)}, {pick.choice(('1', s.thread))}")
    if w.slip("read beside an atomic"):
        mix(w, array.load(w, w.r("mov.u32", "0"), slips=False))
    bar(w, s)
    if w.chance(0.5):
        mix(w, array.load(w, w.r("mov.u32", str(pick.randrange(count)))))
        return
    _, base = w.pointer("u32", str(count), "rw")
    plain = w.slip("plain store where an atomic is needed")
    scope = ".cta" if s.launched != 1 and w.slip("atomic of too small a scope") else pick.choice(("", ".gpu"))

    def add(i: str) -> None:
        found = array.load(w, i, slips=False)
        address = w.far(base, i, 4)
        if plain:
            w.put(f"st.global.u32 [{address}], {found}")
        else:
            w.put(f"red{f'.relaxed{scope}' if scope else ''}.global.add.u32 [{address}], {found}")

    _over(w, s, count, add)


def _over(w: Writer, s: Shape, count: int, act: Callable[[str], None]) -> None:
    """Do it for each number below `count`, by the threads of the block."""
    if s.fixed and s.threads >= count and w.chance(0.6):
        with w.below(s.thread, count, slips=False):
            act(s.thread)
    else:
        with w.rounds(s.thread, count, s.count) as i:
            act(i)


def counter(w: Writer, s: Shape) -> None:
    """Atomics of global memory: counters of all blocks, or an extreme for each."""
    pick = w.random
    _, base = w.pointer("u32", "8", "rw")
    which = w.r("and.b32", deciding(w, s), 15 if w.slip("bin beyond the last") else 7)
    scope = ".cta" if s.launched != 1 and w.slip("atomic of too small a scope") else pick.choice(("", ".gpu", ".sys"))
    head = f".relaxed{scope}.global" if scope else ".global"
    op = pick.choice(("add.u32", "max.u32", "min.s32", "or.b32", "inc.u32", "exch.b32", "cas.b32"))
    target = "[" + w.far(base, which, 4) + "]"
    with w.below(s.index, s.n, s.kind, slips=False):
        if w.slip("plain store where an atomic is needed"):
            w.put(f"st.global.u32 {target}, {VALUE}")
        elif op == "cas.b32":
            mix(w, w.r(f"atom{head}.{op}", target, "0", VALUE))
        else:
            mix(w, w.r(f"atom{head}.{op}", target, VALUE))
        if w.slip("read beside an atomic"):
            mix(w, w.r("ld.global.u32", target))
