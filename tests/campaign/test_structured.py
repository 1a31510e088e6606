"""The structured random kernels: one text for a seed, taken by ptxas, launches within the assumptions, all idioms."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from tests.campaign.assembling import refused
from tests.campaign.families.structured import generate
from tests.campaign.kernel import Kernel
from tests.campaign.launching import fitting

MANY = 300
SHARE = 0.03
PLAIN = {
    "asynchronous copies": r"cp\.async\.c[ag]", "named barriers": r"bar\.(sync|arrive) ([89]|1\d), \d+;",
    "shuffles": r"shfl\.sync", "votes": r"vote\.sync|redux\.sync|match\.",
    "global atomics": r"(atom|red)[a-z._]*\.global", "shared atomics": r"(atom|red)[a-z._]*\.shared",
    "branches": r"@!?%p\d+ bra", "local memory": r"\.local",
    "vector accesses": r"global\.v[24]", "shared memory": r"\.shared \.align", "barriers": r"bar\.sync \d+;",
}  # fmt: skip


@cache
def kernel(seed: int) -> Kernel:
    return generate(seed)


def loops(text: str) -> list[tuple[int, int]]:
    """First and last line of each loop."""
    lines = text.splitlines()
    where = {line[:-1]: n for n, line in enumerate(lines) if line.endswith(":")}
    jumps = [(n, found[1]) for n, line in enumerate(lines) if (found := re.search(r"bra (\w+);", line))]
    return [(where[label], n) for n, label in jumps if where[label] < n]


def features(k: Kernel) -> set[str]:
    found = {name for name, pattern in PLAIN.items() if re.search(pattern, k.text)}
    around = loops(k.text)
    sizes = [re.fullmatch(r"\w+=\w+\[(.*)\]:.*", b) for b in k.buffers]
    found |= {"loops"} if around else set()
    found |= {"nested loops"} if any(a < c and d < b for a, b in around for c, d in around) else set()
    found |= {"two dimensions"} if any(s is not None and "," in s[1] for s in sizes) else set()
    found |= {"symbolic blocks"} if None in k.block else set()
    found |= {"symbolic grids"} if None in k.grid else set()
    found |= {"symbolic sizes"} if any(s is not None and re.search(r"\bn\d", s[1]) for s in sizes) else set()
    return found | ({"facts"} if k.facts else set())


def test_a_seed_gives_one_kernel() -> None:
    for seed in range(20):
        assert generate(seed) == generate(seed)


def test_ptxas_takes_them_all() -> None:
    assert refused([kernel(seed) for seed in range(100)]) == {}


def test_launches_fulfil_the_assumptions() -> None:
    for seed in range(MANY):
        assert 2 <= len(kernel(seed).launches) <= 4
        fitting(kernel(seed))


def test_every_idiom_has_its_share() -> None:
    counts = Counter(feature for seed in range(MANY) for feature in features(kernel(seed)))
    wanted = {
        *PLAIN, "loops", "nested loops", "two dimensions", "symbolic blocks", "symbolic grids", "symbolic sizes",
        "facts",
    }  # fmt: skip
    assert {name: counts[name] for name in wanted if counts[name] < SHARE * MANY} == {}


def test_about_half_are_meant_to_be_faulty() -> None:
    faulty = sum(bool(kernel(seed).meant) for seed in range(MANY))
    assert 0.35 * MANY < faulty < 0.65 * MANY
