"""Phases that stage data through a ring in shared memory, by stores or asynchronous copies."""

from __future__ import annotations

from dataclasses import dataclass

from tests.campaign.families.memory import bar, mix, shared_words
from tests.campaign.families.phases_shared import partner
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer


@dataclass(frozen=True)
class _Ring:
    """A ring of `stages` tiles, a word (or four) for each thread; `source` walks through a row of the block."""

    s: Shape
    base: str
    source: str
    stages: int
    copied: bool

    def fill(self, w: Writer, tile: str, stage: str, s: Shape) -> None:
        target = w.near(self.base, w.linear(stage, s.threads, s.thread), 4)
        address = w.far(self.source, w.linear(tile, s.threads, s.thread), 4)
        if self.copied:
            w.put(f"cp.async.ca.shared.global [{target}], [{address}], 4")
        else:
            w.put(f"st.shared.u32 [{target}], {w.r('ld.global.u32', f'[{address}]')}")

    def commit(self, w: Writer) -> None:
        if self.copied and not w.slip("commit dropped"):
            w.put("cp.async.commit_group")


def ring(w: Writer, s: Shape) -> None:
    """Tiles go by, `ahead` of them under way."""
    pick = w.random
    stages, copied = pick.choice((2, 3, 4)), w.chance(0.65)
    ahead = pick.randrange(1, stages)
    count_name, count = w.number((1, 2, stages + 1), 1, pick.choice((20, 1000)))
    _, source = w.pointer("u32", f"{count_name}*{s.threads}", "r")
    array = shared_words(w, s, stages * s.threads)
    found = _Ring(s, array.base, source, stages, copied)
    other = partner(w, s)
    for i in range(ahead - (1 if w.slip("prologue one stage short") else 0)):
        tile = w.r("mov.u32", i)
        with w.below(tile, count, slips=i > 0):
            found.fill(w, tile, tile, s)
        found.commit(w)
    early = w.chance(0.5)
    stage = w.r("mov.u32", "0") if w.chance(0.4) else ""
    with w.rounds(0, count) as k:
        if copied:
            lax = 1 if w.slip("wait one group too lax") else 0
            w.put(f"cp.async.wait_group {ahead - 1 + lax}")
        bar(w, s)
        if early:
            _next(w, s, found, k, ahead, count)
        now = stage or w.divided(k, stages)[1]
        address = w.near(array.base, w.linear(now, s.threads, other), 4)
        mix(w, w.r("ld.shared.u32", f"[{address}]"))
        if not early:
            _next(w, s, found, k, ahead, count)
        if stage:
            w.put(f"add.u32 {stage}, {stage}, 1")
            full = stages - 1 if w.slip("stage counter turns too early") else stages
            w.put(f"selp.b32 {stage}, 0, {stage}, {w.p('setp.eq.u32', stage, full)}")
    if copied:
        w.put("cp.async.wait_all")
    if w.chance(0.6):
        bar(w, s, "barrier behind the ring dropped")
        array.store(w, s.thread, VALUE, slips=False)
        bar(w, s)
        mix(w, array.load(w, other, slips=False))


def _next(w: Writer, s: Shape, found: _Ring, k: str, ahead: int, count: str) -> None:
    tile = w.r("add.u32", k, ahead)
    with w.below(tile, count):
        off = w.r("add.u32", tile, 1) if w.slip("stage one too far") else tile
        found.fill(w, tile, w.divided(off, found.stages)[1], s)
    found.commit(w)


def copy_once(w: Writer, s: Shape) -> None:
    """One tile copied and waited for, in groups or at once, whole or with zeros behind the end."""
    pick = w.random
    wide = s.fixed and w.chance(0.4)
    words = 4 if wide else 1
    array = shared_words(w, s, words * s.threads)
    aligned = 8 if wide and w.slip("copy at a smaller alignment") else 16
    _, source = w.pointer("u32", f"{words}*{s.threads}", "r", aligned)
    target = w.near(array.base, s.thread, 4 * words)
    address = w.far(source, s.thread, 4 * words)
    cop = pick.choice(("ca", "cg")) if wide else "ca"
    half = ""
    if w.chance(0.3):
        half = f", {w.r('selp.b32', str(4 * words), '0', w.p('setp.lt.u32', s.thread, max(1, s.threads // 2)))}"
    w.put(f"cp.async.{cop}.shared.global [{target}], [{address}], {4 * words}{half}")
    if w.chance(0.7):
        if not w.slip("commit dropped"):
            w.put("cp.async.commit_group")
        w.put(f"cp.async.wait_group {1 if w.slip('wait one group too lax') else 0}")
    elif not w.slip("wait dropped"):
        w.put("cp.async.wait_all")
    bar(w, s)
    other = partner(w, s)
    mix(w, array.load(w, other if not wide else w.times(other, 4)))
