"""Random vectors against theorem 2.1: `python -m tests.spec.tensor_fuzz [SEED [COUNT]]` prints the worst ratios."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from spec.tensor_core import MODELS, PRODUCTS, judge, kappa
from spec.tensor_probes import adversarial

COUNT = 1_000_000
_PART = 1 << 15  # vectors at a time, so that they stay in a processor's cache


@dataclass
class Found:
    """Of one model: the largest error / bound with its own constant, vectors that break the bound, and where."""

    name: str
    worst: float = 0.0
    violations: int = 0
    first: str = ""


def fuzz(seed: int, count: int = COUNT) -> list[Found]:
    """Every model on `count` adversarial vectors."""
    rng = np.random.default_rng(seed)
    found = {name: Found(name) for name in MODELS}
    for start in range(0, count, _PART):
        a, b, c = adversarial(rng, min(_PART, count - start))
        for name, core in MODELS.items():
            d = core.dot("f16", "f32", a, b, c)
            kept, ratio = judge(a, b, c, d, kappa(core.kept, core.groups("f16", PRODUCTS)))
            mine = found[name]
            mine.worst = max(mine.worst, float(ratio.max()))
            mine.violations += int((~kept).sum())
            if not kept.all() and not mine.first:
                i = int(np.flatnonzero(~kept)[0])
                mine.first = f"a={a[i].tolist()} b={b[i].tolist()} c={int(c[i]):#x} d={int(d[i]):#x}"
    return list(found.values())


def table(seed: int, count: int, found: list[Found]) -> str:
    """What was found, for readers."""
    lines = [f"{count} vectors, seed {seed}: model, worst error/bound, violations"]
    lines += [f"{f.name:8} {f.worst:.3f} {f.violations} {f.first}".rstrip() for f in found]
    return "\n".join(lines)


if __name__ == "__main__":
    _seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    _count = int(sys.argv[2]) if len(sys.argv) > 2 else COUNT
    print(table(_seed, _count, fuzz(_seed, _count)))
