"""Which way a thread goes at a branch, from what is known where its walk began and from the branches it took since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from proofs.cfg import Block, Graph
from proofs.phases.modes import FREE, Modes
from proofs.records import Point, Records
from proofs.terms import Cond, conj, negate

Taken = frozenset[tuple[Cond, Modes]]


@dataclass(frozen=True)
class Paths:
    """The paths of one thread from a place on.

    Args:
        origin: where it begins; its conditions hold there, in the iterations in which it begins.
        branches: conditions of branches, by line.
        related: conditions that several branches and guards look at, in either sense; the others are not remembered.
    """

    origin: Point
    branches: dict[int, Cond]
    related: frozenset[Cond]

    def holds(self, condition: Cond, modes: Modes, taken: Taken) -> bool | None:
        """Whether the condition is known to hold, or not to hold, in these iterations."""
        if condition.op in ("true", "false"):
            return condition.op == "true"
        here = {c for c, when in taken if when == modes}
        if self._at_origin(condition, modes):
            here.update(part for c in self.origin.known() for part in (c.args if c.op == "and" else (c,)))
        parts = condition.args if condition.op == "and" else (condition,)
        if all(part in here for part in parts):
            return True
        if any(negate(part) in here for part in parts) or negate(condition) in here:
            return False
        return None

    def assume(self, condition: Cond, modes: Modes, taken: Taken) -> Taken:
        """What has been taken, and that the condition holds in these iterations."""
        known = frozenset((c, when) for c, when in taken if when == modes)
        followed = dict(modes)
        loops = _loops(condition)
        if not {condition, negate(condition)} & self.related or any(followed.get(n, FREE) == FREE for n in loops):
            return known
        return known | {(condition, modes)}

    def ways(self, block: Block, modes: Modes, taken: Taken) -> Iterable[tuple[int, Taken]]:
        """The ways out of a block."""
        last = block.instructions[-1] if block.instructions else None
        condition = self.branches.get(last.line) if last is not None and last.guard is not None else None
        if condition is None or block.taken is None or block.next is None:
            return [(successor, taken) for successor in block.successors()]
        found = self.holds(condition, modes, taken)
        ways = []
        if found is not False:
            ways.append((block.taken, self.assume(condition, modes, taken)))
        if found is not True:
            ways.append((block.next, self.assume(negate(condition), modes, taken)))
        return ways

    def _at_origin(self, condition: Cond, modes: Modes) -> bool:
        """Whether what the condition speaks of is the same as where the walk began."""
        followed = dict(modes)
        return all(followed.get(loop) == "base" for loop in _loops(condition))


def _loops(condition: Cond) -> set[str]:
    """The loops whose iteration the condition depends on."""
    found: set[str] = set()
    for symbol in condition.symbols():
        found |= symbol.loops
        kind, _, loop = symbol.name.partition("@")
        if kind == "k":
            found.add(loop)
    return found


def paths_from(origin: Point, records: Records, graph: Graph) -> Paths:
    """The paths from a place."""
    lines = Counter(i.line for index in graph.order for i in graph.blocks[index].instructions)
    branches = {line: condition for line, condition in records.branches if lines[line] == 1}
    seen: dict[Cond, int] = {}
    points = [c.at for c in records.commits] + [w.at for w in records.waits]
    for condition in (*branches.values(), *(conj(at.control) for at in points)):
        for part in (condition.args if condition.op == "and" else (condition,)):
            key = min(part, negate(part), key=lambda c: c.text)
            seen[key] = seen.get(key, 0) + 1
    return Paths(origin, branches, frozenset(c for c, n in seen.items() if n > 1))
