"""Phases whose branches and loops are the same for a block or a warp by what its threads have told each other."""

from __future__ import annotations

from tests.campaign.families.memory import bar, deciding, mix, shared_words
from tests.campaign.families.phases_shared import exchange, partner
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer


def decided_together(w: Writer, s: Shape) -> None:
    """All threads vote, and then all or none exchange."""
    pick = w.random
    mine = w.p("setp.gt.u32", deciding(w, s), pick.choice((0, 5, 1000)))
    if w.slip("branch by the own vote around barriers"):
        taken = mine
    elif s.warps and s.threads > 32 and w.slip("branch by the vote of the warp around barriers"):
        first = w.p("setp.lt.u32", s.thread, 7)
        taken = w.p("vote.sync.any.pred", first, "-1")
    else:
        taken = w.p(f"bar.red.{pick.choice(('or', 'and'))}.pred", 0, mine)
    with w.only_if(taken):
        exchange(w, s)


def decided_by_one(w: Writer, s: Shape) -> None:
    """One thread writes what all go by behind a barrier."""
    flag = shared_words(w, s, s.threads)
    with w.only_if(w.p("setp.eq.u32", s.thread, 0)):
        flag.store(w, w.r("mov.u32", 0), w.r("and.b32", deciding(w, s), 1))
    bar(w, s, divergent=False)
    place = w.r("mov.u32", 0)
    if w.slip("flag of each thread around barriers"):
        flag.store(w, s.thread, s.thread, slips=False)
        place = s.thread
    taken = w.p("setp.ne.u32", flag.load(w, place, slips=False), 0)
    w.pool.pop(flag.base, None)
    with w.only_if(taken):
        exchange(w, s)


def rows_by_warps(w: Writer, s: Shape) -> None:
    """Each warp takes rows in turn, its lanes the columns, and adds up by exchanges of lanes."""
    row_name, rows = w.number((1, 2, s.threads // 32 + 1), 1, 1000)
    column_name, columns = w.number((1, 31, 33), 1, 1000)
    _, x = w.pointer("u32", f"{row_name},{column_name}", "r")
    warp, lane = w.divided(s.thread, 32)
    by = s.threads // 32
    if w.slip("rows of the warp counted by the thread"):
        warp, by = s.thread, s.threads
    with w.rounds(warp, rows, by) as row:
        start = w.r("mul.lo.u32", row, columns)
        with w.rounds(lane, columns, 32) as column:
            mix(w, w.r("ld.global.u32", f"[{w.far(x, w.plus(start, column), 4)}]"))
        for distance in w.random.choice(((16, 8, 4, 2, 1), (1,), (8, 4))):
            mix(w, w.r("shfl.sync.bfly.b32", VALUE, distance, 31, "-1"))


def some_warps(w: Writer, s: Shape) -> None:
    """Only some warps exchange, among their lanes."""
    pick = w.random
    warp, lane = w.divided(s.thread, 32)
    array = shared_words(w, s, s.threads)
    place = lane if w.slip("branch by the lane around exchanges") else warp
    with w.only_if(w.p("setp.eq.u32", place, pick.randrange(s.threads // 32)), w.chance(0.3) and s.threads > 32):
        if w.chance(0.5):
            mix(w, w.r(f"shfl.sync.{pick.choice(('bfly', 'down', 'idx'))}.b32", VALUE, 1, 31, "-1"))
        array.store(w, s.thread, VALUE)
        if not w.slip("barrier of the warp dropped"):
            w.put("bar.warp.sync -1")
        mix(w, array.load(w, w.r("xor.b32", s.thread, pick.choice((1, 16)))))


def swapped(w: Writer, s: Shape) -> None:
    """Two arrays whose addresses change places in each round, so that one barrier in a round is enough."""
    if w.chance(0.1):
        current, following = (w.r("mov.u32", w.variable("shared", 4 * s.threads)) for _ in range(2))
    else:
        current = w.r("mov.u32", w.variable("shared", 8 * s.threads))
        following = w.r("add.u32", current, 4 * s.threads)
    mine = w.times(s.thread, 4)
    theirs = w.times(partner(w, s), 4)
    limit: object = 3
    if w.chance(0.7):
        _, limit = w.number((0, 1, 3), 0, 1000)
    with w.rounds(0, limit):
        w.put(f"st.shared.u32 [{w.plus(current, mine)}], {VALUE}")
        bar(w, s)
        mix(w, w.r("ld.shared.u32", f"[{w.plus(current, theirs)}]"))
        if not w.slip("arrays not swapped"):
            held = w.r("mov.u32", current)
            w.put(f"mov.u32 {current}, {following}", f"mov.u32 {following}, {held}")
