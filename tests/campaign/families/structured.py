"""Structured random kernels: one to four phases drawn from the idioms of GPU code, between rewritings and dead code.

A kernel is sound by construction, or has one mistake, drawn first by its kind, then by its place.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spec.contracts.expr import holds, parse_comparisons
from tests.campaign.families import (
    phases_control,
    phases_groups,
    phases_indexing,
    phases_lanes,
    phases_maps,
    phases_ring,
    phases_shared,
    phases_uniform,
    phases_warp,
)
from tests.campaign.families.memory import bar, deciding, mix
from tests.campaign.families.shape import Shape, shape
from tests.campaign.families.writer import VALUE, Writer
from tests.campaign.kernel import Kernel, Launch

FAULTY = 0.5
ANY, TOGETHER, FIXED, POWER, WARPS, PAIRS, LINES = range(7)


@dataclass(frozen=True)
class Phase:
    """A phase: how often it is drawn, and what it needs.

    Args:
        needs: ANY thread alone, all of a block TOGETHER, a FIXED block, one of a POWER of two threads, of whole WARPS,
            of PAIRS of halves that are whole warps.
    """

    write: Callable[[Writer, Shape], None]
    weight: int
    needs: int = ANY


PHASES = (
    Phase(phases_maps.map_guarded, 5),
    Phase(phases_maps.map_whole, 3),
    Phase(phases_maps.map_vectors, 3),
    Phase(phases_maps.stride_of_grid, 2),
    Phase(phases_maps.stride_of_block, 2),
    Phase(phases_maps.rows, 3),
    Phase(phases_maps.gather, 2),
    Phase(phases_maps.scatter, 1),
    Phase(phases_shared.exchange, 5, TOGETHER),
    Phase(phases_shared.exchange_in_rounds, 3, TOGETHER),
    Phase(phases_shared.halo, 2, TOGETHER),
    Phase(phases_shared.tree, 2, POWER),
    Phase(phases_shared.scan, 2, FIXED),
    Phase(phases_shared.bins, 3, TOGETHER),
    Phase(phases_shared.counter, 2),
    Phase(phases_warp.shuffles, 3, WARPS),
    Phase(phases_warp.votes, 5, WARPS),
    Phase(phases_warp.warp_sums, 2, WARPS),
    Phase(phases_warp.warp_exchange, 2, WARPS),
    Phase(phases_ring.ring, 3, FIXED),
    Phase(phases_ring.copy_once, 3, FIXED),
    Phase(phases_groups.hand_over, 4, PAIRS),
    Phase(phases_groups.hand_over_in_rounds, 4, PAIRS),
    Phase(phases_groups.within_groups, 3, PAIRS),
    Phase(phases_control.local_array, 3),
    Phase(phases_control.segments, 3),
    Phase(phases_control.search, 1),
    Phase(phases_control.down, 1),
    Phase(phases_control.choose, 2),
    Phase(phases_indexing.map_predicated, 2),
    Phase(phases_indexing.backwards, 2),
    Phase(phases_indexing.swizzle, 2, POWER),
    Phase(phases_indexing.exchange_generic, 1, TOGETHER),
    Phase(phases_indexing.exchange_dynamic, 1, TOGETHER),
    Phase(phases_indexing.exchange_called, 1, FIXED),
    Phase(phases_indexing.by_index, 1),
    Phase(phases_indexing.triangle, 1),
    Phase(phases_uniform.decided_together, 2, TOGETHER),
    Phase(phases_uniform.decided_by_one, 2, TOGETHER),
    Phase(phases_uniform.rows_by_warps, 2, WARPS),
    Phase(phases_uniform.some_warps, 2, WARPS),
    Phase(phases_uniform.swapped, 2, FIXED),
    Phase(phases_lanes.few_lanes, 2, WARPS),
    Phase(phases_lanes.parts_of_warps, 1, WARPS),
    Phase(phases_lanes.fragments, 2, WARPS),
    Phase(phases_lanes.own_copy, 1, FIXED),
)


def _fits(phase: Phase, s: Shape, together: bool) -> bool:
    if phase.needs != ANY and not together:
        return False
    return {
        ANY: True, TOGETHER: True, FIXED: s.fixed, POWER: s.power, WARPS: s.warps,
        PAIRS: s.warps and s.power and s.threads >= 64,
    }[phase.needs]  # fmt: skip


def noise(w: Writer, s: Shape) -> None:
    """Code that changes nothing, or only the kernel's value."""
    pick = w.random
    for _ in range(pick.choice((0, 0, 1, 2))):
        drawn = pick.randrange(7)
        if drawn == 0:
            w.r(pick.choice(("add.u32", "mul.lo.u32", "xor.b32", "min.s32")), VALUE, pick.choice((3, 17, s.thread)))
        elif drawn == 1:
            w.p(f"setp.{pick.choice(('lt', 'ne'))}.u32", s.thread, pick.randrange(40))
        elif drawn == 2 and not w.calm:
            w.put(f"mul.lo.u32 {VALUE}, {VALUE}, {pick.choice((3, 5, 2654435761))}")
        elif drawn == 3:
            w.put(f"mov.u32 {VALUE}, {VALUE}")
        elif drawn == 4:
            w.put(f"bfe.u32 {VALUE}, {VALUE}, {pick.randrange(4)}, {pick.randrange(8, 33)}")
        elif drawn == 5:
            w.put(f"shf.l.wrap.b32 {VALUE}, {VALUE}, {VALUE}, {pick.randrange(1, 31)}")
        elif drawn == 6:
            dead = w.r("mad.lo.u32", s.thread, pick.choice((4, 12)), s.block_number)
            w.r("shr.u32", dead, pick.randrange(1, 5))


def phases(w: Writer, s: Shape, count: int, together: bool, depth: int = 1) -> None:
    """So many phases, some of them within a branch or a loop. `together`: all threads of the block are here."""
    while count > 0:
        noise(w, s)
        drawn = w.random.random()
        if depth and drawn < 0.1:
            _within_branch(w, s, min(count, w.random.choice((1, 2))), together)
            count -= 1
        elif depth and drawn < 0.17:
            _within_loop(w, s, together)
        else:
            fit = [phase for phase in PHASES if _fits(phase, s, together)]
            (phase,) = w.random.choices(fit, [phase.weight for phase in fit])
            phase.write(w, s)
        count -= 1


def _within_branch(w: Writer, s: Shape, count: int, together: bool) -> None:
    """Phases that only some blocks, or launches, or (without barriers) threads come to."""
    pick = w.random
    drawn = pick.randrange(0 if s.launched != 1 else 1, 3)
    uniform = True
    if together and w.slip("branch taken by some threads around barriers"):
        asked = w.p("setp.lt.u32", s.thread, max(1, s.threads // 2))
    elif drawn == 0:
        asked = w.p("setp.eq.u32", s.block_number, 0)
    elif drawn == 1:
        _, number = w.number((0, 1, 2), 0, 1000)
        asked = w.p("setp.ne.u32", w.r("and.b32", number, 1), 0)
    else:
        uniform = False
        test = pick.choice((deciding(w, s), s.thread))
        asked = w.p(f"setp.{pick.choice(('lt', 'gt'))}.u32", test, pick.choice((1, 5, 1000)))
    with w.only_if(asked, w.chance(0.3)):
        phases(w, s, count, together and uniform, 0)


def _within_loop(w: Writer, s: Shape, together: bool) -> None:
    """A phase over and over, which all threads do equally often."""
    limit: object = w.random.choice((1, 2, 3))
    if w.chance(0.5):
        _, limit = w.number((0, 1, 2), 0, 1000)
    with w.rounds(0, limit):
        w.looping = True
        fit = [p for p in PHASES if _fits(p, s, together) and p.write in REPEATABLE]
        (phase,) = w.random.choices(fit, [p.weight for p in fit])
        phase.write(w, s)
        if phase.needs != ANY:
            bar(w, s, "barrier over the back edge dropped")
    w.looping = False


REPEATABLE = {
    phases_shared.exchange, phases_shared.halo, phases_shared.tree, phases_shared.scan, phases_shared.counter,
    phases_warp.shuffles, phases_warp.votes, phases_warp.warp_sums, phases_warp.warp_exchange,
    phases_ring.copy_once, phases_control.choose, phases_control.local_array, phases_maps.gather, phases_control.search,
}  # fmt: skip


def compose(seed: int, planted: int = -1) -> tuple[Writer, Shape]:
    """The kernel of a seed, with the mistake of that number."""
    w = Writer(random.Random(seed), planted)
    w.calm = w.chance(0.5)
    s = shape(w)
    w.put(f"mov.u32 {VALUE}, {s.thread}")
    together = True
    if w.chance(0.1):
        # No barrier may follow where threads have left.
        with_barriers = w.slip("threads leave in front of a barrier")
        w.put(f"@{w.p(f'setp.ge.{s.kind}', s.index, s.n)} ret")
        together = with_barriers
    phases(w, s, w.random.choice((1, 1, 2, 2, 3)), together)
    if w.meant == "threads leave in front of a barrier":
        bar(w, s)
    noise(w, s)
    if w.chance(0.75):
        _, out = w.pointer("u32", s.extent, "w")
        w.put(f"st.global.u32 [{w.far(out, s.index, 4, s.wide)}], {VALUE}")
    else:
        mix(w, s.thread)
    return w, s


def generate(seed: int) -> Kernel:
    """The kernel of a seed."""
    w, s = compose(seed)
    pick = random.Random(f"mistake {seed}")
    if w.sites and pick.random() < FAULTY:
        kind = pick.choice(sorted(set(w.sites)))
        w, s = compose(seed, pick.choice([i for i, site in enumerate(w.sites) if site == kind]))
    return kernel_from(w, s, pick, seed)


def kernel_from(w: Writer, s: Shape, pick: random.Random, seed: int) -> Kernel:
    """What was written, with launches."""
    return Kernel(
        "structured", w.text(), s.block, s.grid, tuple(w.assumes), tuple(w.buffers), launches(w, s, pick), seed,
        w.meant, tuple(w.facts), w.dynamic_shared,
    )  # fmt: skip


def launches(w: Writer, s: Shape, pick: random.Random) -> tuple[Launch, ...]:
    """Small launches that fulfil the assumptions, with sizes at the edges first."""
    found: dict[tuple[object, ...], Launch] = {}
    for attempt in range(60):
        numbers = {name: pick.choice(values) for name, values in w.numbers.items()}
        if attempt < 2:
            numbers[s.n_name] = w.numbers[s.n_name][0 if attempt == 0 else -2]
        x = pick.choice(s.sizes)
        block = (x, s.block[1] or 1, s.block[2] or 1)
        blocks = _blocks(s, numbers, pick)
        known = {**numbers, "block.x": x, "grid.x": blocks, "dynamic_shared": w.dynamic_shared}
        if all(holds(c, known) for text in w.assumes for c in parse_comparisons(text)):
            found.setdefault((x, blocks, *numbers.values()), Launch((blocks, 1, 1), block, numbers))
        if len(found) == 3:
            break
    return tuple(found.values())


def _blocks(s: Shape, numbers: Mapping[str, int], pick: random.Random) -> int:
    if isinstance(s.launched, int):
        return s.launched
    if s.launched == "any":
        return pick.choice((1, 2))
    return -(-numbers[s.launched] // s.threads)
