"""Small launches that fulfil an entry's assumptions, chosen so that together they take every way of its code.

A solver is asked for sizes near ones that were drawn: tiny, around a tile, no multiple of anything, with buffers that
begin at awkward addresses. Of the launches so found those are kept that run an instruction, or let a guard go a way,
that none before did; for accesses that none reaches the solver is asked for a launch that does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from proofs.claims.model import domain, known
from proofs.decide import decide
from proofs.entry import Analysis
from proofs.mutation.running import Outcome, Subject, execute
from proofs.problem import DYNAMIC, Problem
from proofs.query import Hypothesis, build
from proofs.records import Access
from proofs.replay.layout import MIXED, RESIDUE
from proofs.replay.model import Index, Launch, launch_of
from proofs.terms import LAUNCH, Cond, Poly, Symbol, le, negate, quote
from spec.contracts.model import ACTIVE
from spec.errors import BadInput, Unsupported
from spec.ptx.memory import Buffer

CAPS = (3, 10, 136, 40, 1_100, 72, 3_000, 40, 136)  # of sizes, in turn
CANDIDATES = 18
ASKED = 10  # queries for one candidate
KEPT = 9
LEAST = 6  # launches that are kept whatever they run
MOST_THREADS, MOST_BLOCKS = 16_384, 64  # of one launch that are run
RLIMIT = 300_000
REACHING = (64, 136, 512, 4_096, 2**14)  # bounds of sizes under which a launch is sought that reaches an access
SWEPT = (1, 2, 3, 7, 8, 9, 16, 17, 24, 31, 32, 33, 48, 56, 63, 64, 65)  # of an extent, while the others are small
SMALL = (8, 32, 128)
TOGETHER = ((33, 64), (65, 112), (113, 160))  # in which all extents lie at once: whole tiles, and some beside them
FAR = (1_057, 1_300)  # of an extent, while the others are small: a counter that steps one too far is a round off there
MOST_WAYS = 16  # looked for
CHEAP = 8  # times the cost of the cheapest launch: what the one may cost that is run first, as it shows most
STEPS = 60_000  # of one block of the original; a launch that takes more is not kept
SIZES = 2**24  # bytes of a buffer
Names = Mapping[str, str]


@dataclass(frozen=True)
class Setting:
    """One launch with what its buffers hold, to be made anew for each run; of a large one only some blocks run."""

    values: Mapping[str, int]
    seed: int
    elements: Names = field(default_factory=dict)
    blocks: tuple[Index, ...] = ()

    def make(self, analysis: Analysis) -> Launch:
        """The launch in fresh memory, its buffers filled."""
        problem = analysis.problem
        launch = launch_of(problem, self.values, analysis.records)
        x, y, z = launch.grid
        blocks = self.blocks
        if not blocks and x * y * z <= MOST_BLOCKS:
            blocks = tuple((i, j, k) for k in range(z) for j in range(y) for i in range(x))
        launch = replace(launch, blocks=blocks)
        rng = np.random.default_rng(self.seed)
        for name, buffer in launch.memory.buffers.items():
            source = problem.sources.get(name)
            if source is None or not source.facts:
                _fill(buffer, self.elements.get(name, ""), rng, launch.origins.get(name, buffer.base))
        return launch


def _fill(buffer: Buffer, element: str, rng: np.random.Generator, origin: int) -> None:
    """Numbers of moderate size for floats; for integers half of them small, since they are often counted with."""
    size = min(buffer.size, MIXED) if origin == buffer.base else 2**12
    if buffer.written is not None or size <= 0:
        return
    data = _numbers(element, size, rng)
    buffer.content.scatter(np.full(1, origin - buffer.base, np.int64), data[None, :size])


def _numbers(element: str, size: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
    width = int(element[-2:]) // 8 if element[-2:].isdigit() else 1
    count = -(-size // width)
    if element.startswith(("f", "bf")):
        wide = rng.standard_normal(count)
        if element == "bf16":
            return (wide.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
        return wide.astype(f"f{width}").view(np.uint8)
    anything = rng.integers(0, 256, count * width, dtype=np.uint8).reshape(count, width)
    small = rng.random(count) < 0.5
    anything[small, 1:] = 0
    anything[small, 0] %= 8
    return anything.reshape(-1)


@dataclass
class Chooser:
    """Chooses launches for one entry.

    Args:
        analysis: of the entry as it is.
        elements: types of the buffers' elements where they are known.
    """

    analysis: Analysis
    subject: Subject
    elements: Names
    seen: set[tuple[object, ...]] = field(default_factory=set)
    kept: list[tuple[Setting, Outcome]] = field(default_factory=list)

    @property
    def problem(self) -> Problem:
        return self.analysis.problem

    def choose(self) -> list[Setting]:
        """The launches. BadInput if there is none that can be run."""
        for number in range(CANDIDATES):
            if len(self.kept) < KEPT:
                values = self._near(number)
                if values is not None:
                    self._consider(values, number, always=len(self.kept) < LEAST)
        for access in self.analysis.records.accesses:
            if ("line", access.at.line) not in self.seen:
                for values in self._reaching(access):
                    if self._consider(values, CANDIDATES + access.at.line):
                        break
        for axes in ((0, 1), (0,), (1,), (2,)):
            if not all(("grid", axis) in self.seen for axis in axes):
                self._several_blocks(axes)
        self._later_rounds()
        self._sweep()
        self._together()
        for hypotheses in self._other_ways():
            if not self._one_way():
                break
            for values in self._found([*domain(self.problem), *hypotheses]):
                if self._consider(values, len(self.kept)):
                    break
        if self.problem.power is not None and self.kept:
            values = {**self.kept[0][0].values, self.problem.power.name: ACTIVE + 1}
            self._consider(values, 0, always=True)
        if not self.kept:
            raise BadInput(
                f"{self.problem.function.name}: no launch of at most {MOST_THREADS} threads was found that fulfils the "
                "assumptions and runs in the emulator; allow smaller sizes"
            )
        self.kept.sort(key=lambda pair: pair[1].cost)
        cheap = [pair for pair in self.kept if pair[1].cost <= CHEAP * self.kept[0][1].cost]
        first = max(cheap, key=lambda pair: (len(pair[1].ways), pair[1].busy))
        return [first[0], *(setting for setting, _ in self.kept if setting is not first[0])]

    def _consider(
        self, values: Mapping[str, int], seed: int, always: bool = False, blocks: tuple[Index, ...] = ()
    ) -> bool:
        """Keep a launch if it can be run and adds something."""
        setting = Setting(values, seed, self.elements, blocks)
        try:
            launch = setting.make(self.analysis)
            if not _small(launch):
                return False
            outcome = execute(self.subject, launch, "forward", STEPS, watched=True)
        except (BadInput, Unsupported):
            return False
        if outcome.long or outcome.faults:
            return False
        ways = outcome.ways | {("grid", axis) for axis, extent in enumerate(launch.grid) if extent > 1}
        new = ways - self.seen
        if not (new or always) or any(s.values == setting.values for s, _ in self.kept):
            return False
        self.seen |= ways
        self.kept.append((setting, outcome))
        return True

    # --- sizes ---
    def _symbols(self) -> list[Symbol]:
        clauses = [c for _, c in self.problem.domain]
        found = {s.name: s for c in clauses for s in c.symbols() if s.scope == LAUNCH}
        return list(found.values())

    def _near(self, number: int) -> dict[str, int] | None:
        """A model of the assumptions that fulfils many wishes drawn at random."""
        rng = random.Random(number)
        bases = {b.base.name: b for b in self.problem.buffers.values()}
        cap = CAPS[number % len(CAPS)]
        wishes = []
        for symbol in self._symbols():
            name = quote(symbol.name)
            if symbol.name in bases:
                steps = (0,) if number < 2 else (0, bases[symbol.name].element_bytes, 16, 32)
                wishes.append(f"(= (mod {name} {RESIDUE}) {rng.choice(steps)})")
            elif symbol.name.startswith("nctaid"):
                wishes += [f"(<= {name} {rng.choice((1, 2, 3))})", f"(<= {name} 4)"]
            elif symbol.name.startswith("ntid"):
                wishes += [f"(= {name} {rng.choice((32, 64, 33, 96, 128))})", f"(= {name} 1)", f"(<= {name} 64)"]
            elif symbol.kind in ("parameter", "special"):
                high = rng.choice((cap, cap, max(cap // 2, 1)))
                wishes += [f"(and (<= {-cap} {name}) (<= {name} {cap}))", f"(and (<= 0 {name}) (<= {name} {4 * cap}))"]
                wishes += [f"(and (<= {3 * high // 4} {name}) (<= {name} {high}))"]
                if rng.random() < 0.3:
                    wishes.insert(0, f"(= {name} {rng.choice((0, 1))})")
                if rng.random() < 0.5:
                    wishes.append(f"(distinct (mod {name} {rng.choice((4, 16, 32))}) 0)")
        rng.shuffle(wishes)
        return self._model(wishes, {s.name for s in self._symbols()})

    def _model(self, wishes: Sequence[str], names: set[str]) -> dict[str, int] | None:
        text = build("launch", (), domain(self.problem), "false", []).text
        granted: list[str] = []
        answer = decide(text, RLIMIT)
        if answer.status != "sat":
            return None
        # Many at once first: most of them can be granted.
        todo = [list(wishes)]
        for _ in range(ASKED):
            if not todo:
                break
            group = todo.pop(0)
            tried = "\n".join(f"(assert {w})" for w in (*granted, *group))
            found = decide(text.replace("(check-sat)", f"{tried}\n(check-sat)"), RLIMIT)
            if found.status == "sat":
                granted += group
                answer = found
            elif len(group) > 1:
                todo[:0] = [group[: len(group) // 2], group[len(group) // 2 :]]
        return {name: value for name, value in answer.model.items() if name in names}

    def _later_rounds(self) -> None:
        """For each access in a loop that never came again: a launch in which it does, of which one block is run."""
        done: set[str] = set()
        for access in self.analysis.records.accesses:
            loop = next((r for r in self.analysis.records.loops if r.id in access.at.loops[-1:]), None)
            if loop is None or loop.id in done or ("again", access.at.line) in self.seen:
                continue
            done.add(loop.id)
            again = le(1, Poly.symbol(loop.iteration))
            hypotheses = [*domain(self.problem), *known(access.at), Hypothesis("way", again.text, again)]
            for values in self._found(hypotheses, (*REACHING, 2**21, 2**30), whole=True):
                block = tuple(max(values.get(f"ctaid.{axis}", 0), 0) for axis in "xyz")
                names = {s.name for s in self._symbols()}
                launch = {name: value for name, value in values.items() if name in names}
                if self._consider(launch, len(self.kept), blocks=((block[0], block[1], block[2]),)):
                    break

    def _sweep(self) -> None:
        """Launches with one extent of the buffers at many values and all other sizes small: edges lie there."""
        extents = self._extents()
        for swept in extents:
            others = [s for s in extents if s is not swept]
            for low, high in (*((value, value) for value in SWEPT), FAR):
                for bound in SMALL:
                    small = [c for s in others for c in (le(Poly.symbol(s), bound),)]
                    if self._within([swept], low, high, small, 2 * bound):
                        break

    def _together(self) -> None:
        """Launches with all extents of the buffers of the size of a tile, or somewhat more."""
        if len(extents := self._extents()) > 1:
            for low, high in TOGETHER:
                self._within(extents, low, high)

    def _extents(self) -> list[Symbol]:
        found = {
            s.name: s for b in self.problem.buffers.values() for t in (b.planes, b.rows, b.columns) if t is not None
            for s in t.symbols() if s.scope == LAUNCH and s.kind == "parameter"
        }  # fmt: skip
        return list(found.values())

    def _within(
        self, extents: Sequence[Symbol], low: int, high: int, more: Sequence[Cond] = (), bound: int = 0
    ) -> bool:
        """Keep a launch with some extents between two values, if there is one."""
        here = [c for s in extents for c in (le(low, Poly.symbol(s)), le(Poly.symbol(s), high))]
        hypotheses = [*domain(self.problem), *(Hypothesis("way", c.text, c) for c in (*here, *more))]
        values = next(self._found(hypotheses, (max(bound, high),)), None)
        if values is not None:
            self._consider(values, high, always=True)
        return values is not None

    def _several_blocks(self, axes: Sequence[int]) -> None:
        """A launch with two or three blocks along some axes, if there may be one."""
        extents = [self.problem.specials[f"%nctaid.{'xyz'[axis]}"] for axis in axes]
        if all(e.value is None for e in extents):
            conditions = [c for e in extents for c in (le(2, e), le(e, 3))]
            for values in self._found([*domain(self.problem), *(Hypothesis("way", c.text, c) for c in conditions)]):
                if self._consider(values, len(self.kept)):
                    break

    def _reaching(self, access: Access) -> Iterator[dict[str, int]]:
        """Launches in which a thread comes to an access."""
        return self._found([*domain(self.problem), *known(access.at)])

    def _one_way(self) -> bool:
        """Whether there are branches that always went one way."""
        guarded = [i.line for i in self.problem.function.instructions() if i.base == "bra" and i.guard is not None]
        return any(("line", line) not in self.seen or ("not", line) not in self.seen for line in guarded)

    def _other_ways(self) -> Iterator[list[Hypothesis]]:
        """Where the way to an access is left: all conditions up to one, and that one does not hold."""
        told: set[tuple[str, ...]] = set()
        for access in reversed(self.analysis.records.accesses):
            for number, condition in enumerate(access.at.control):
                prefix = (*access.at.control[:number], negate(condition))
                key = tuple(c.text for c in prefix)
                if key not in told and len(told) < MOST_WAYS:
                    told.add(key)
                    yield [Hypothesis("way", c.text, c) for c in prefix]

    def _found(
        self, hypotheses: Sequence[Hypothesis], bounds: Sequence[int] = REACHING, whole: bool = False
    ) -> Iterator[dict[str, int]]:
        """Models of what is assumed, the smallest bounds of sizes first; of launches only, if not `whole`."""
        symbols = self._symbols()
        text = build("reach", (), hypotheses, "false", []).text
        bases = {b.base.name for b in self.problem.buffers.values()}
        others = {*bases, DYNAMIC}
        sizes = [s for s in symbols if s.kind in ("parameter", "special") and s.name not in others]
        for bound in bounds:
            lines = [f"(assert (<= {-bound} {quote(s.name)} {bound}))" for s in sizes]
            grid = [s for s in sizes if s.name.startswith("nctaid")] if bound <= REACHING[-1] else []
            lines += [f"(assert (<= {quote(s.name)} 4))" for s in grid]
            found = decide(text.replace("(check-sat)", "\n".join([*lines, "(check-sat)"])), RLIMIT)
            if found.status == "sat":
                names = {s.name for s in symbols}
                yield {name: value for name, value in found.model.items() if whole or name in names}


def _small(launch: Launch) -> bool:
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    blocks = len(launch.blocks)
    within = all(b.size <= SIZES or b.content.dense is None for b in launch.memory.buffers.values())
    return within and blocks > 0 and blocks * threads <= MOST_THREADS
