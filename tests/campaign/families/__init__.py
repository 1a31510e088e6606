"""The generators of the campaign: each family is a module with `generate(seed) -> Kernel`, whose kernel names it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from tests.campaign.families import mutants, random_kernels, rings, structured
from tests.campaign.kernel import Kernel

FAMILIES: Mapping[str, Callable[[int], Kernel]] = {
    "mutants": mutants.generate,
    "random_kernels": random_kernels.generate,
    "rings": rings.generate,
    "structured": structured.generate,
}
# How often a family is taken, against the others.
WEIGHTS: Mapping[str, int] = {"random_kernels": 16, "rings": 12, "mutants": 16, "structured": 56}


def kernel_of(seed: int) -> Kernel:
    """The kernel of a seed, which decides on the family, too."""
    (family,) = random.Random(f"family {seed}").choices(list(WEIGHTS), list(WEIGHTS.values()))
    return FAMILIES[family](seed)
