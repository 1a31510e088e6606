"""Each kind of mistake that structured kernels are given is one: some kernel with it shows a fault when it is run.

Where the generator changes, other seeds show them: `python -m tests.campaign.test_mistakes` prints `SHOWN` anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import pytest

from tests.campaign.families.structured import compose, generate
from tests.campaign.judging import runner_of
from tests.campaign.proving import prove
from tests.campaign.seeing import watched

SHOWN = {
    "address moved by one byte": 21, "address moved by two bytes": 27, "arrays not swapped": 441,
    "arrival dropped": 540, "atomic of too small a scope": 222, "barrier behind the ring dropped": 890,
    "barrier between reading and writing dropped": 213, "barrier between the steps of a tree dropped": 408,
    "barrier between two uses of an array dropped": 270, "barrier dropped": 39,
    "barrier of the warp between warps": 1029, "barrier of the warp dropped": 870,
    "barrier over the back edge dropped": 58, "barrier under a divergent guard": 4, "bin beyond the last": 336,
    "bins not set to zero": 354, "both barriers have one number": 394, "bound that never comes": 94,
    "branch beyond its list": 778, "branch by the lane around exchanges": 2888,
    "branch by the own vote around barriers": 1538, "branch by the vote of the warp around barriers": 300,
    "branch taken by some threads around barriers": 30, "commit dropped": 266, "consumer does not wait for full": 589,
    "consumer goes one round too far": 3290, "copy at a smaller alignment": 431, "count of the barrier wrong": 608,
    "dynamic shared memory too small": 1154, "entry of a local array not written": 16,
    "exchange with a lane that has nothing": 2129, "fact about the index missing": 1744,
    "fact about the index one too far": 2268, "flag of each thread around barriers": 413,
    "freed before it is read": 495, "guard dropped": 12, "guard negated": 6, "guard off by one": 56,
    "halo not written": 40, "index beyond a local array": 7, "index compared as signed": 1742,
    "index compared as unsigned": 183, "index scaled wrongly": 10, "indexes may be equal": 287,
    "inner loop one round too long": 263, "last turn of empty forgotten": 446, "loop goes one round too far": 2,
    "loop step dropped": 24, "mask without some lanes": 136, "neighbour one too far": 481,
    "number of the block forgotten": 89, "one element further": 98, "one sum too many read": 4351,
    "partner in the other group": 386, "partner one beyond": 8, "plain store where an atomic is needed": 130,
    "predicate dropped": 68, "producer does not wait for empty": 696, "prologue one stage short": 1825,
    "read beside an atomic": 534, "read of another thread's copy without a barrier": 1006, "roles swapped": 447,
    "row address moved by eight bytes": 549, "rows of the warp counted by the thread": 610,
    "second barrier of the warp dropped": 935, "shared array one element short": 1, "shared array one row short": 635,
    "shuffle behind a divergent branch": 268, "stage counter turns too early": 3222, "stage one too far": 1554,
    "store by lanes that have nothing": 1780, "store to a buffer that is only read": 42,
    "stride of one block only": 1051, "stride of the row one short": 860,
    "stride of the transposition one too long": 139, "sum stored by the wrong lane": 1970,
    "swizzle by the whole row": 917, "threads leave in front of a barrier": 11,
    "tree begins with the whole block": 1487, "value of the own thread not written by all": 176,
    "vector at a smaller alignment": 17, "vector at every word": 244, "vector one word further": 315,
    "vote behind a divergent branch": 249, "wait dropped": 799, "wait one group too lax": 324,
}  # fmt: skip
SHOWN_FOR_LARGE_SIZES = {"product too narrow": 3267}  # by the run of a counterexample

SEEDS = 20_000  # that are looked through
TRIES = 40  # kernels that are run of a kind before it is given up


def showing(kinds: Collection[str], seeds: Iterable[int]) -> dict[str, int]:
    """Of each of these kinds the first of these seeds whose kernel is meant to have it and shows it when it is run."""
    found: dict[str, int] = {}
    tried = Counter[str]()
    for seed in seeds:
        kernel = generate(seed)
        kind = kernel.meant
        if kind not in kinds or kind in found or tried[kind] == TRIES:
            continue
        tried[kind] += 1
        if watched(runner_of(kernel, None)).told:
            found[kind] = seed
    return found


def main() -> None:
    """Print `SHOWN`: seeds that still show their kind stay; kinds for which no seed was found are named."""
    offered = {kind for seed in range(400) for kind in compose(seed)[0].sites}
    kinds = {*SHOWN, *offered} - {*SHOWN_FOR_LARGE_SIZES}
    found = showing(kinds, sorted(SHOWN.values()))
    found |= showing(kinds - found.keys(), range(SEEDS))
    for kind in sorted(found):
        print(f'    "{kind}": {found[kind]},')
    for kind in sorted(kinds - found.keys()):
        print(f"no seed below {SEEDS} shows: {kind}")


@pytest.mark.parametrize("kind", SHOWN)
def test_a_run_shows_the_mistake(kind: str) -> None:
    kernel = generate(SHOWN[kind])
    assert kernel.meant == kind
    assert watched(runner_of(kernel, None)).told


@pytest.mark.parametrize("kind", SHOWN_FOR_LARGE_SIZES)
def test_a_counterexample_shows_the_mistake(kind: str) -> None:
    kernel = generate(SHOWN_FOR_LARGE_SIZES[kind])
    assert kernel.meant == kind
    assert prove(kernel).verdict == "refuted"


def test_there_is_no_other_kind() -> None:
    offered = {kind for seed in range(400) for kind in compose(seed)[0].sites}
    assert offered <= {*SHOWN, *SHOWN_FOR_LARGE_SIZES}


def test_a_seed_is_found_only_where_a_run_shows_the_kind() -> None:
    shown, silent = SHOWN["barrier dropped"], SHOWN_FOR_LARGE_SIZES["product too narrow"]
    assert showing(("barrier dropped",), (0, shown)) == {"barrier dropped": shown}
    assert showing(("product too narrow",), (silent,)) == {}
    assert showing((), (shown,)) == {}


if __name__ == "__main__":
    main()
