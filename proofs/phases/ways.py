"""What every way to an access says of the launch: the branches on it whose conditions are the same for all threads.

Behind an interval's start a loop may be entered or skipped. Where the launch alone decides which (`n < 4` before a loop
that was unrolled by four), no thread enters it while another one of the block is behind it.
"""

from __future__ import annotations

from collections import Counter

from proofs.cfg import EXIT, Block
from proofs.phases.modes import Modes
from proofs.phases.walk import Walker
from proofs.records import Records
from proofs.terms import THREAD, Cond, Symbol, negate

At = tuple[int, Modes]


class Ways:
    """The conditions of the launch, or of its block, under which a walk comes to each block of the code."""

    def __init__(self, walker: Walker, records: Records) -> None:
        self.walker = walker
        lines = Counter(i.line for b in walker.graph.blocks for i in b.instructions)
        self.branches = {
            line: c for line, c in records.branches
            if lines[line] == 1 and c.op not in ("true", "false") and all(_of_block(s) for s in c.symbols())
        }

    def certain(self, start: tuple[int, int, Modes]) -> dict[At, frozenset[Cond]]:
        """What holds wherever a walk from `start` comes to a block, as often as it does."""
        if not self.branches:
            return {}
        index, at, modes = start
        first = (index, tuple(sorted(modes)))
        found: dict[At, frozenset[Cond]] = {}
        work: list[tuple[At, int, frozenset[Cond]]] = [(first, at, frozenset())]
        while work:
            here, begin, known = work.pop()
            if begin == 0:
                before = found.get(here)
                known = known if before is None else before & known
                if known == before:
                    continue
                found[here] = known
            block = self.walker.graph.blocks[here[0]]
            if self._ends(block, begin):
                continue
            for successor, more in self._out(block):
                if successor != EXIT:
                    there = (successor, self.walker.moved(here[0], successor, here[1]))
                    work.append((there, 0, known | more))
        return found

    def _ends(self, block: Block, begin: int) -> bool:
        """Whether every thread stops in the block."""
        return any(
            self.walker.places[id(i)] in self.walker.stops and i.guard is None for i in block.instructions[begin:]
        )

    def _out(self, block: Block) -> list[tuple[int, frozenset[Cond]]]:
        last = block.instructions[-1] if block.instructions else None
        condition = self.branches.get(last.line) if last is not None and last.guard is not None else None
        if condition is None or block.taken is None or block.next is None or block.taken == block.next:
            return [(successor, frozenset()) for successor in block.successors()]
        return [(block.taken, frozenset({condition})), (block.next, frozenset({negate(condition)}))]


def _of_block(symbol: Symbol) -> bool:
    return symbol.scope != THREAD and not symbol.loops
