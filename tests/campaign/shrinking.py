"""A disagreement between prover and machine made small: fewer statements, simpler operands, fewer and smaller launches.

What stays is that ptxas accepts the kernel and that the same obligation is proved and fails (or, where addresses
disagreed, that they still do).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from spec.errors import FltcError
from tests.campaign.assembling import refused
from tests.campaign.judging import Outcome, judged, runner_of, wrongly_proved
from tests.campaign.kernel import Kernel
from tests.campaign.launching import Misfit, fitting
from tests.campaign.proving import prove
from tests.campaign.seeing import Seen

LITTLE = 2  # effort, at most: what hangs on hard queries is no better for being small
FEW = 800  # steps of a run that is only to show the fault
ATTEMPTS = 120  # kernels that the prover is asked about for one disagreement
_NUMBER = re.compile(r"(?<![\w.%$])(\d+)(?![\w.])")
_REGISTER = re.compile(r"%r[a-z]*\d+")

Size = tuple[int, int, int]


@dataclass
class _Shrinker:
    """The smallest kernel so far that still shows what the first one did.

    Args:
        first: what is to be shrunk.
        left: how often the prover may still be asked.
    """

    first: Outcome
    effort: int
    left: int = ATTEMPTS
    tried: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.kernel = self.first.kernel
        self.wrong = frozenset(self.first.wrong)
        self.run = next((n for name, n in self.first.runs.items() if name in self.wrong), None)

    def keeps(self, kernel: Kernel) -> bool:
        """Whether the kernel shows it, too; then it is the smallest."""
        key = repr(kernel)
        if self.left <= 0 or key in self.tried:
            return False
        self.tried.add(key)
        try:
            if not self._shows(kernel) or refused([kernel]):
                return False
        except (Misfit, FltcError, ArithmeticError, LookupError, ValueError):
            return False
        self.kernel = kernel
        return True

    def _shows(self, kernel: Kernel) -> bool:
        """The machine is quicker than the prover, so that it is asked first where one run is enough."""
        fitting(kernel)
        if self.run is None:
            self.left -= 1
            outcome = judged(kernel, self.effort)
            return bool(self.wrong & outcome.wrong.keys()) or (not self.wrong and outcome.compared.disagree > 0)
        runner = runner_of(kernel, None)
        found = runner.run(self.run, FEW, runner.concrete(self.run))
        told = [t for t in runner.told(found.faults, self.run) if t.obligation in self.wrong]
        if not told:
            return False
        self.left -= 1
        proof = prove(kernel, self.effort)
        if proof.analysis is None:
            return False
        return bool(self.wrong & wrongly_proved(runner, proof.analysis, proof, Seen(told)).keys())

    # --- statements ---
    def statements(self) -> bool:
        """Delta debugging over the lines of the body: halves, quarters, ... are left out while that can be."""
        changed = False
        size = max(len(self._removable()) // 2, 1)
        while True:
            removed = self._without(size)
            changed |= removed
            if size == 1 and not removed:
                return changed
            size = max(size // 2, 1)

    def _removable(self) -> list[int]:
        lines = self.kernel.text.splitlines()
        start = next(n for n, line in enumerate(lines) if line.strip().startswith("{"))
        kept = ("{", "}", "ret")
        return [n for n in range(start + 1, len(lines)) if lines[n].strip() and not lines[n].strip().startswith(kept)]

    def _without(self, size: int) -> bool:
        changed, at = False, 0
        while at < len(places := self._removable()):
            gone = set(places[at : at + size])
            lines = self.kernel.text.splitlines()
            text = "\n".join(line for n, line in enumerate(lines) if n not in gone) + "\n"
            if self.keeps(replace(self.kernel, text=text)):
                changed = True
            else:
                at += size
        return changed

    # --- operands ---
    def operands(self) -> bool:
        """Guards dropped, numbers made 0, 1 or halves, registers made numbers."""
        changed = False
        number = 0
        while number < len(self.kernel.text.splitlines()):
            changed |= any(self._line(number, other) for other in self._simpler(number))
            number += 1
        return changed

    def _simpler(self, number: int) -> Iterator[str]:
        line = self.kernel.text.splitlines()[number]
        if not line.rstrip().endswith(";") or line.lstrip().startswith("."):
            return
        if line.startswith("@") and " bra " not in line:
            yield line.partition(" ")[2]
        for match in _NUMBER.finditer(line):
            value = int(match[1])
            for other in (0, 1, value // 2):
                if other < value:
                    yield line[: match.start()] + str(other) + line[match.end() :]
        for match in list(_REGISTER.finditer(line))[1:]:
            for put in ("0", "1"):
                yield line[: match.start()] + put + line[match.end() :]

    def _line(self, number: int, line: str) -> bool:
        lines = self.kernel.text.splitlines()
        if len(line) > len(lines[number]) or line == lines[number]:
            return False
        lines[number] = line
        return self.keeps(replace(self.kernel, text="\n".join(lines) + "\n"))

    # --- launches ---
    def launches(self) -> bool:
        """One launch is enough as a rule, and often a smaller block or grid, or smaller numbers."""
        changed = False
        for launch in self.kernel.launches:
            if len(self.kernel.launches) > 1 and self.keeps(replace(self.kernel, launches=(launch,))):
                changed = True
                break
        while any(self.keeps(other) for other in self._smaller()):
            changed = True
        return changed

    def _smaller(self) -> Iterator[Kernel]:
        """Sizes that are numbers made smaller, and the launches with them."""
        kernel = self.kernel
        for axis, size in enumerate(kernel.block[:3]):
            for less in _less(size):
                launches = tuple(replace(s, block=_put(s.block, axis, less)) for s in kernel.launches)
                yield replace(kernel, block=_with(kernel.block, axis, less), launches=launches)
        for axis, size in enumerate(kernel.grid[:3]):
            for less in _less(size):
                launches = tuple(replace(s, grid=_put(s.grid, axis, less)) for s in kernel.launches)
                yield replace(kernel, grid=_with(kernel.grid, axis, less), launches=launches)


def _less(size: int | str | None) -> tuple[int, ...]:
    return (1, size // 2) if isinstance(size, int) and size > 1 else ()


def _with(sizes: tuple[int | str | None, ...], axis: int, size: int) -> tuple[int | str | None, ...]:
    return (*sizes[:axis], size, *sizes[axis + 1 :])


def _put(sizes: Size, axis: int, size: int) -> Size:
    x, y, z = (size if n == axis else given for n, given in enumerate(sizes))
    return x, y, z


def shrunk(outcome: Outcome, effort: int, attempts: int = ATTEMPTS) -> Outcome:
    """A smaller kernel with the same disagreement, or the same kernel."""
    shrinker = _Shrinker(outcome, min(effort, LITTLE), attempts)
    shrinker.statements()
    while shrinker.left > 0 and (shrinker.launches() | shrinker.operands()):
        if not shrinker.statements():
            break
    small = judged(shrinker.kernel, effort)
    return small if small.wrong or small.compared.disagree else outcome
