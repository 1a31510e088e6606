"""Phases about lanes that read what only some have written, fragments of matrices, and copies that nobody shares."""

from __future__ import annotations

from tests.campaign.families.memory import bar, mix, shared_words
from tests.campaign.families.phases_shared import partner
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer


def few_lanes(w: Writer, s: Shape) -> None:
    """A reduction over the first lanes of a warp; the others take part with registers that they have not written."""
    pick = w.random
    width = pick.choice((2, 4, 8, 16))
    array = shared_words(w, s, s.threads)
    array.store(w, s.thread, VALUE)
    bar(w, s)
    held = w.name("%r")
    few = w.p("setp.lt.u32", s.thread, width)
    w.put(f"@{few} ld.shared.u32 {held}, {array.address(w, s.thread, False)}")
    distance = width if w.slip("exchange with a lane that has nothing") else width // 2
    while distance:
        w.put(f"add.u32 {held}, {held}, {w.r('shfl.sync.bfly.b32', held, distance, 31, '-1')}")
        distance //= 2
    stored = "" if w.slip("store by lanes that have nothing") else f"@{few} "
    w.put(f"{stored}st.shared.u32 {array.address(w, s.thread, False)}, {held}")
    bar(w, s)
    mix(w, array.load(w, w.r("mov.u32", 0), slips=False))


def parts_of_warps(w: Writer, s: Shape) -> None:
    """Exchanges within segments of a warp."""
    pick = w.random
    width = pick.choice((4, 8, 16))
    mode = pick.choice(("bfly", "down", "up"))
    clamp = (32 - width) << 8 | (0 if mode == "up" else 31)
    distance = pick.choice((1, 2, width // 2))
    found, there = w.name("%r"), w.name("%p")
    mask = "0x0000ffff" if w.slip("mask without some lanes") else "-1"
    w.put(f"shfl.sync.{mode}.b32 {found}|{there}, {VALUE}, {distance}, {clamp}, {mask}")
    with w.only_if(there):
        mix(w, found)


def fragments(w: Writer, s: Shape) -> None:
    """Each warp stores a tile, loads fragments of it, and multiplies them."""
    pick = w.random
    base = w.r("mov.u32", w.variable("shared", 16 * s.threads - (16 if w.slip("shared array one row short") else 0)))
    warp, lane = w.divided(s.thread, 32)
    mine = w.linear(s.thread, 16, base)
    w.put(f"st.shared.v4.u32 [{mine}], {{{VALUE}, {s.thread}, {VALUE}, {s.block_number}}}")
    alone = w.chance(0.4)
    tile = warp
    if s.threads > 32 and not alone and w.chance(0.5):
        tile = w.r("xor.b32", warp, 1) if s.power else warp
    if alone:
        if not w.slip("barrier of the warp dropped"):
            w.put("bar.warp.sync -1")
    else:
        bar(w, s)
    row = w.linear(w.linear(tile, 32, w.r("xor.b32", lane, pick.choice((0, 1, 7)))), 16, base)
    if w.slip("row address moved by eight bytes"):
        row = w.r("add.u32", row, 8)
    a = [w.name("%r") for _ in range(4)]
    turned = pick.choice(("", ".trans"))
    w.put(f"ldmatrix.sync.aligned.m8n8.x4{turned}.shared.b16 {{{', '.join(a)}}}, [{row}]")
    c = [w.name("%r") for _ in range(2)]
    w.put(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
        f"{{{', '.join(c)}}}, {{{', '.join(a)}}}, {{{a[0]}, {a[3]}}}, {{{a[1]}, {a[2]}}}"
    )
    for register in c:
        mix(w, register)


def own_copy(w: Writer, s: Shape) -> None:
    """A copy that only its own thread reads: no barrier is needed, but the wait is."""
    pick = w.random
    array = shared_words(w, s, s.threads)
    _, source = w.pointer("u32", f"{s.threads}", "r")
    other = partner(w, s)
    read = other if w.slip("read of another thread's copy without a barrier") else s.thread
    with w.below(s.thread, w.number((1, 3), 1, s.threads)[1], slips=False):
        target, address = w.near(array.base, s.thread, 4), w.far(source, s.thread, 4)
        w.put(f"cp.async.ca.shared.global [{target}], [{address}], 4")
        if not w.slip("commit dropped"):
            w.put("cp.async.commit_group")
        if w.chance(0.3):
            w.put("cp.async.commit_group")
            w.put(f"cp.async.wait_group {pick.choice((0, 2 if w.slip('wait one group too lax') else 1))}")
        else:
            w.put(f"cp.async.wait_group {1 if w.slip('wait one group too lax') else 0}")
        mix(w, array.load(w, read, slips=False))
    w.pool.pop(array.base, None)
