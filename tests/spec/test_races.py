"""Which accesses of one block collide, against the plain definition: every pair, each thread's knowledge as a set."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spec.ptx import races
from spec.ptx.clocks import Clocks
from spec.ptx.faults import RACE
from spec.ptx.memory import READ, WRITE, Memory, Use
from spec.ptx.races import AccessLog, collisions
from tests.spec.programs import kernel, launch

THREADS = 4
KINDS = (READ, WRITE, Use("atomic", scope="cta"))
Event = tuple[str, tuple[int, ...], int]
Kind = tuple[int, int]

_some = st.lists(st.integers(0, THREADS - 1), min_size=1, max_size=3, unique=True).map(lambda t: tuple(sorted(t)))
_events = st.one_of(
    st.tuples(st.just("access"), st.integers(0, THREADS - 1).map(lambda t: (t,)), st.integers(0, 8)),
    st.tuples(st.just("meet"), _some, st.integers(0, THREADS - 1)),
    st.tuples(st.just("arrive"), _some, st.just(0)),
)


def _found(events: list[Event]) -> tuple[set[Kind], set[Kind]]:
    """Pairs of lines, by the emulator and by the definition. Each access has a line of its own."""
    clocks, log = Clocks(THREADS), AccessLog()
    known: list[set[int]] = [set() for _ in range(THREADS)]  # lines that come before what each thread does next
    accesses: list[tuple[int, int, int, set[int]]] = []
    handed: list[tuple[np.ndarray, set[int]]] = []
    for line, (what, threads, number) in enumerate(events):
        here = np.array(threads)
        if what == "access":
            place, use = divmod(number, 3)
            start = np.array([4 * (place % 2)])
            width = 4 if place < 2 else 8
            if width == 8:
                start[:] = 0
            (thread,) = threads
            log.append(start, width, KINDS[use], here, clocks.clock[here], line)
            accesses.append((line, place, use, set(known[thread])))
            known[thread] = known[thread] | {line}
        elif what == "arrive":
            handed.append((clocks.release(here), set().union(*(known[t] for t in threads))))
        else:
            rows, lines = zip(*handed[:number], strict=True) if handed[:number] else ((), ())
            del handed[:number]
            clocks.meet(here, rows)
            joint = set().union(*lines, *(known[t] for t in threads))
            for thread in threads:
                known[thread] = set(joint)
    wanted = set()
    for (line, place, use, _), (later, other, its, before) in combinations(accesses, 2):
        overlap = place == other or 2 in (place, other)
        if line in before or not overlap or KINDS[use] == KINDS[its] == READ:
            continue
        if not (KINDS[use].scope and KINDS[its].scope and place == other):
            wanted.add((line, later))
    seen = {(a.line, b.line) for a, b in collisions(log, clocks)}
    return seen, wanted


@settings(max_examples=400, deadline=None)
@given(st.lists(_events, max_size=30))
@example([("access", (0,), 1), ("arrive", (0,), 0), ("meet", (1,), 1), ("access", (1,), 0)])
@example([("access", (0,), 1), ("arrive", (0,), 0), ("access", (0,), 1), ("meet", (1,), 1), ("access", (1,), 0)])
def test_collisions_are_those_of_the_definition(events: list[Event]) -> None:
    seen, wanted = _found(events)
    assert seen == wanted


@pytest.mark.parametrize("told", [True, False])
def test_what_is_handed_over_in_many_rounds(told: bool) -> None:
    """Two threads write and read one word in turn; with one arrival left out, one round of them races."""
    clocks, log = Clocks(2), AccessLog()
    writer, reader, word = np.array([0]), np.array([1]), np.array([0])
    for round_ in range(1000):
        log.append(word, 4, WRITE, writer, clocks.clock[writer], 1)
        if told or round_ != 500:
            clocks.meet(reader, [clocks.release(writer)])
        log.append(word, 4, READ, reader, clocks.clock[reader], 2)
        clocks.meet(writer, [clocks.release(reader)])
    assert bool(list(collisions(log, clocks))) != told


@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize("partial", [False, True])
def test_stores_of_one_value_meet_no_store_but_reads(read: bool, partial: bool) -> None:
    lines = ["bar.warp.sync -1;" if partial else "", "st.shared.u32 [s], 5;", "ld.shared.u32 %r1, [s];" if read else ""]
    module = kernel("\n".join(lines), shared="s[4]", params="")
    store = next(i.line for i in module.entries[0].instructions() if i.base == "st")

    def raced(one_value: frozenset[frozenset[int]]) -> set[tuple[int, int | None]]:
        result = launch(module, Memory(), {}, block=(64, 1, 1), one_value=one_value)
        return {(f.line, f.other_line) for f in result.faults if f.kind == RACE}

    assert (store, store) in raced(frozenset())
    found = raced(frozenset({frozenset({store})}))
    assert (store, store) not in found
    assert bool(found) is read


def test_stores_of_one_value_hide_no_race_behind_them() -> None:
    """However many bytes have only such stores."""
    log, one_value = AccessLog(), frozenset({frozenset({1})})
    threads = np.arange(2)
    for word in range(600):
        log.append(np.full(2, 4 * word), 4, WRITE, threads, np.ones(2, np.int64), 1)
    assert list(collisions(log, None, one_value=one_value)) == []
    log.append(np.full(2, 4 * 600), 4, WRITE, threads, np.ones(2, np.int64), 2)
    assert [(a.line, b.line) for a, b in collisions(log, None, one_value=one_value)] == [(2, 2)]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from((0, 4)), st.sampled_from((4, 8)), st.integers(0, 2), st.integers(0, 3),
                  st.integers(1, 3)),
        min_size=2, max_size=12,
    ),
    st.sampled_from((frozenset(), frozenset({frozenset({1})}), frozenset({frozenset({1, 2})}))),
)  # fmt: skip
def test_few_accesses_are_compared_like_many(
    rows: list[tuple[int, int, int, int, int]], one_value: frozenset[frozenset[int]]
) -> None:
    log = AccessLog()
    for start, width, use, thread, line in rows:
        log.append(np.array([0 if width == 8 else start]), width, KINDS[use], np.array([thread]), np.array([1]), line)
    group = np.arange(len(rows))
    few = list(races._first_pair(log, group, 1, one_value))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(races, "_FEW", 0)
        assert list(races._first_pair(log, group, 1, one_value)) == few
