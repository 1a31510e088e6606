"""Phases of warps with different roles, ordered by named barriers."""

from __future__ import annotations

from tests.campaign.families.memory import mix, shared_words
from tests.campaign.families.shape import Shape
from tests.campaign.families.writer import VALUE, Writer


def _count(w: Writer, threads: int) -> int:
    if w.slip("count of the barrier wrong"):
        return threads - 32 if threads > 32 and w.chance(0.5) else threads + 32
    return threads


def hand_over(w: Writer, s: Shape) -> None:
    """Half of the warps write, arrive, and go on; the others wait and read."""
    pick = w.random
    half = s.threads // 2
    array = shared_words(w, s, half)
    name = w.barrier_number()
    lane = w.r("and.b32", s.thread, half - 1)
    reader, done = w.new_label(), w.new_label()
    swapped = w.slip("roles swapped")
    w.put(f"@{w.p('setp.ge.u32', s.thread, half)} bra {reader}")
    array.store(w, lane, VALUE)
    if not w.slip("arrival dropped"):
        w.put(f"{'bar.sync' if swapped else 'bar.arrive'} {name}, {_count(w, s.threads)}")
    w.put(f"bra {done}")
    w.label(reader)
    w.put(f"{'bar.arrive' if swapped else 'bar.sync'} {name}, {_count(w, s.threads)}")
    mix(w, array.load(w, w.r("xor.b32", lane, pick.choice((0, 1, 16)))))
    w.label(done)


def hand_over_in_rounds(w: Writer, s: Shape) -> None:
    """Producer and consumer with one stage: a barrier says full, another says empty."""
    pick = w.random
    half = s.threads // 2
    array = shared_words(w, s, half)
    full, empty = w.barrier_number(), w.barrier_number()
    if w.slip("both barriers have one number"):
        empty = full
    _, rounds = w.number((1, 2, 4), 1, 1000)
    lane = w.r("and.b32", s.thread, half - 1)
    there = w.r("xor.b32", lane, pick.choice((0, 1, 16)))
    i, count = w.r("mov.u32", "0"), s.threads
    consumer, produce, consume, done = (w.new_label() for _ in range(4))
    w.put(f"@{w.p('setp.ge.u32', s.thread, half)} bra {consumer}")
    w.label(produce)
    if not w.slip("producer does not wait for empty"):
        w.put(f"bar.sync {empty}, {_count(w, count)}")
    array.store(w, lane, VALUE)
    w.put(f"bar.arrive {full}, {_count(w, count)}", f"add.u32 {i}, {i}, 1")
    w.put(f"@{w.p('setp.lt.u32', i, rounds)} bra {produce}")
    if not w.slip("last turn of empty forgotten"):
        w.put(f"bar.sync {empty}, {count}")
    w.put(f"bra {done}")
    w.label(consumer)
    w.put(f"bar.arrive {empty}, {count}")
    w.label(consume)
    early = w.slip("freed before it is read")
    if w.slip("consumer does not wait for full"):
        w.put(f"bar.arrive {full}, {count}")
    else:
        w.put(f"bar.sync {full}, {count}")
    if early:
        w.put(f"bar.arrive {empty}, {count}")
    mix(w, array.load(w, there))
    if not early:
        w.put(f"bar.arrive {empty}, {count}")
    w.put(f"add.u32 {i}, {i}, 1")
    beyond = "le" if w.slip("consumer goes one round too far") else "lt"
    w.put(f"@{w.p(f'setp.{beyond}.u32', i, rounds)} bra {consume}")
    w.label(done)


def within_groups(w: Writer, s: Shape) -> None:
    """Each half of the block exchanges among itself behind a barrier of its own."""
    pick = w.random
    half = s.threads // 2
    array = shared_words(w, s, s.threads)
    mask = half if w.slip("partner in the other group") else pick.choice([m for m in (1, 16, half - 1) if m < half])
    other = w.r("xor.b32", s.thread, mask)
    one, two = w.barrier_number(), w.barrier_number()
    array.store(w, s.thread, VALUE)
    if w.chance(0.95):
        upper, done = w.new_label(), w.new_label()
        w.put(f"@{w.p('setp.ge.u32', s.thread, half)} bra {upper}")
        w.put(f"bar.sync {one}, {_count(w, half)}", f"bra {done}")
        w.label(upper)
        w.put(f"bar.sync {two}, {_count(w, half)}")
        w.label(done)
    else:
        group = w.r("shr.u32", s.thread, half.bit_length() - 1)
        w.put(f"bar.sync {w.r('add.u32', group, one)}, {_count(w, half)}")
    mix(w, array.load(w, other))
