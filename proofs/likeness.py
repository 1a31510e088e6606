"""Values that lanes of a warp have in common, though nobody knows what they are: results of exchanges between lanes.

After `b = shfl.bfly a, m` and `c = a + b` lane l and lane l^m hold the same c, since addition commutes; masks of all
five bits in turn leave one value for the whole warp. What lanes had in common before they keep. All lanes take part in
an exchange (the `converged` and `lanes` claims).
"""

from __future__ import annotations

from collections.abc import Iterable

LANES, LAST = 32, 31
BITS = frozenset(1 << i for i in range(5))


class Likeness:
    """For each value by its name, masks m such that lanes l and l^m hold the same.

    A name is that of the value of one thread in one round; what is said of it is said anew each time it is computed.
    """

    def __init__(self) -> None:
        self._masks: dict[str, frozenset[int]] = {}
        self._partners: dict[str, tuple[str, int]] = {}

    def computed(self, result: str, *operands: str) -> None:
        """A function of its operands: alike where all of them are."""
        self._partners.pop(result, None)
        shared = [self._masks.get(o, frozenset()) for o in operands]
        self._masks[result] = frozenset.intersection(*shared) if shared else frozenset()

    def joined(self, result: str, a: str, b: str) -> None:
        """A function of two operands that may change places."""
        self.computed(result, a, b)
        for one, other in ((a, b), (b, a)):
            found = self._partners.get(other)
            if found is not None and found[0] == one:
                self._masks[result] = self._masks.get(one, frozenset()) | {found[1]}

    def exchanged(self, result: str, a: str, mask: int) -> None:
        """Each lane has the value of the lane whose number differs by `mask`."""
        self.computed(result, a)
        if 0 < mask < LANES:
            self._partners[result] = (a, mask)

    def common(self, result: str) -> None:
        """All lanes of a warp have this value."""
        self._partners.pop(result, None)
        self._masks[result] = BITS

    def whole(self, values: Iterable[str]) -> bool:
        """Whether all lanes of a warp have the same of each of these values."""
        return all(_rank(self._masks.get(v, frozenset())) == len(BITS) for v in values)


def _rank(masks: Iterable[int]) -> int:
    """Dimension of the space of masks that can be put together by exclusive or."""
    basis: list[int] = []
    for mask in masks:
        for b in basis:
            mask = min(mask, mask ^ b)
        if mask:
            basis.append(mask)
    return len(basis)
