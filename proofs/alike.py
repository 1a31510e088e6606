"""Which lanes of a warp hold the same value.

Floats are not followed, but a butterfly is: `shfl.sync.bfly` by m gives lane l what lane l^m has, so that a commutative
operation on a value and its exchange gives l and l^m the same. The masks m under which a value does not change form a
group; a reduction over 16, 8, 4, 2, 1 ends with all. A value made of such values keeps what they have in common.
That every lane takes part is a claim about the exchange (`converged`, `lanes`, `trips`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from proofs.terms import THREAD
from proofs.values import Word

LANES = 32
EVERY = frozenset(range(1, LANES))
FULL_MASK = 2**LANES - 1
WHOLE_WARP = 0x1F  # the operand c of shfl: no segments, no clamp short of lane 31 (PTX ISA 9.7.9.6)


def masks(word: Word) -> frozenset[int]:
    """The m for which lane l^m holds what lane l holds."""
    if word.term is not None and all(s.scope != THREAD for s in word.term.symbols()):
        return EVERY
    return word.alike


def common(words: Iterable[Word]) -> frozenset[int]:
    """The masks of a value that is a function of these."""
    return reduce(frozenset.__and__, (masks(word) for word in words), EVERY)


def exchanged(mode: str, a: Word, b: Word, c: Word, members: Word) -> tuple[frozenset[int], tuple[str, int] | None]:
    """Masks of what a shuffle gives, and (value, m) if it is that value of lane l^m."""
    lane, ends = (w.term.value if w.term is not None else None for w in (b, c))
    mask = members.term.value if members.term is not None else None
    if lane is None or ends is None or mask is None or mask % 2**LANES != FULL_MASK or ends & 0x1F1F != WHOLE_WARP:
        return frozenset(), None
    if mode == "idx":
        return EVERY, None
    if mode != "bfly":
        return frozenset(), None
    return masks(a), (identity(a), lane % LANES)


def commuted(a: Word, b: Word) -> frozenset[int]:
    """Masks of a commutative operation on two words."""
    for one, other in ((a, b), (b, a)):
        if other.partner is not None and other.partner[0] == identity(one):
            return span(masks(one) | {other.partner[1]})
    return common((a, b))


def identity(word: Word) -> str:
    """A name that no other value of the state has."""
    return word.key if word.term is None else word.term.text


def span(found: frozenset[int]) -> frozenset[int]:
    """Everything that masks make together."""
    group = {0}
    for mask in found:
        group |= {mask ^ m for m in group}
    return frozenset(group - {0})
