"""Phases among the lanes of a warp: shuffles, votes, reductions of warps, memory ordered by a barrier of the warp."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from tests.campaign.families.memory import bar, joining, mix, shared_words
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer


def _mask(w: Writer) -> str:
    if w.slip("mask without some lanes"):
        return "0x0000ffff"
    return w.random.choice(("-1", "0xffffffff"))


def shuffles(w: Writer, s: Shape) -> None:
    """A reduction by exchanges of lanes, at times behind a branch that not all take."""
    pick = w.random
    mode = pick.choice(("bfly", "down", "up", "idx"))
    clamp = {"bfly": "31", "down": "31", "up": "0", "idx": "31"}[mode]
    around: AbstractContextManager[None] = nullcontext()
    if w.slip("shuffle behind a divergent branch"):
        around = w.only_if(w.p("setp.lt.u32", s.thread, pick.choice((1, 7, s.threads - 1))))
    with around:
        for distance in pick.choice(((16, 8, 4, 2, 1), (1, 2), (16,), (4, 2, 1))):
            amount = pick.choice(("0", str(distance))) if mode == "idx" else str(distance)
            mix(w, w.r(f"shfl.sync.{mode}.b32", VALUE, amount, clamp, _mask(w)))


def votes(w: Writer, s: Shape) -> None:
    """Votes and reductions over the warp."""
    pick = w.random
    asked = w.p("setp.lt.u32", VALUE, pick.choice((1, 100, 2**31)))
    around: AbstractContextManager[None] = nullcontext()
    if w.slip("vote behind a divergent branch"):
        around = w.only_if(w.p("setp.ge.u32", s.thread, pick.choice((1, s.threads // 2))))
    with around:
        drawn = pick.randrange(4)
        if drawn == 0:
            mix(w, w.r("vote.sync.ballot.b32", asked, _mask(w)))
        elif drawn == 1:
            answer = w.p(f"vote.sync.{pick.choice(('any', 'all', 'uni'))}.pred", asked, _mask(w))
            mix(w, w.r("selp.b32", "3", VALUE, answer))
        elif drawn == 2:
            op = pick.choice(("add.u32", "max.s32", "min.u32", "xor.b32", "or.b32"))
            mix(w, w.r(f"redux.sync.{op}", VALUE, _mask(w)))
        else:
            mix(w, w.r("match.any.sync.b32", VALUE, _mask(w)))


def warp_sums(w: Writer, s: Shape) -> None:
    """The first lane of each warp stores its sum, and the block reads them all."""
    warps = s.threads // 32
    array = shared_words(w, s, warps)
    join = joining(w)
    for distance in (16, 8, 4, 2, 1):
        w.put(f"{join} {VALUE}, {VALUE}, {w.r('shfl.sync.down.b32', VALUE, distance, 31, _mask(w))}")
    warp, lane = w.divided(s.thread, 32)
    if w.slip("sum stored by the wrong lane"):
        lane = warp
    with w.only_if(w.p("setp.eq.u32", lane, 0)):
        array.store(w, warp, VALUE)
    bar(w, s)
    beyond = 1 if w.slip("one sum too many read") else 0
    for i in range(warps + beyond):
        mix(w, array.load(w, w.r("mov.u32", i), slips=False))


def warp_exchange(w: Writer, s: Shape) -> None:
    """Lanes exchange through shared memory, ordered by a barrier of the warp."""
    pick = w.random
    array = shared_words(w, s, s.threads)
    across = s.threads > 32 and w.slip("barrier of the warp between warps")
    mask = 32 if across else pick.choice((1, 2, 16, 31))
    other = w.r("xor.b32", s.thread, mask)
    array.store(w, s.thread, VALUE)
    if not w.slip("barrier of the warp dropped"):
        w.put("bar.warp.sync 0xffffffff")
    mix(w, array.load(w, other))
    if w.chance(0.4):
        if not w.slip("second barrier of the warp dropped"):
            w.put("bar.warp.sync -1")
        array.store(w, s.thread, VALUE)
        if not w.slip("barrier of the warp dropped"):
            w.put("bar.warp.sync -1")
        mix(w, array.load(w, other))
