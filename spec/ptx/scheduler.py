"""Which threads of a block go on next, as a schedule has it.

Threads that can go on are kept in groups that stand at one instruction and belong to one unit of the schedule; groups
that come to one place are one from there on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from spec.ptx.schedules import ANY, BLOCK, EVEN, FIRST, HALF, HIGHEST, SWITCH, Schedule

Array = npt.NDArray[Any]

_WARP = 32
# Picks of one unit, or of one of several paths, after which others that can go on get their turn. A pick is good for a
# step, or for a stretch of steps without branches.
PATIENCE = 500
# A choice at random, so many times in a hundred steps: of another unit, of another path, of a part of the threads.
_SWITCHES, _TURNS, _SPLITS = 20, 30, 20
# Paths of one unit beyond which the lowest goes on: each path takes the steps that all could take at once.
_MOST_PATHS = 6


class Scheduler:
    """The threads of a block that can go on.

    Args:
        threads: of the block, all of them at the first instruction.
        purpose: names the block, so that chance deals with each in another way.
    """

    def __init__(self, schedule: Schedule, threads: int, purpose: str) -> None:
        self.schedule = schedule
        self.everyone = np.arange(threads)
        self._random = schedule.chance(purpose).random
        self._unit_of = _units(schedule, self.everyone)
        self._one_unit = schedule.units == BLOCK or int(self._unit_of.max()) == 0
        # Unit to program counter to (threads in order, when the oldest of them came there).
        self._ready: dict[int, dict[int, tuple[Array, int]]] = {}
        self._last: dict[int, int] = {}  # when a unit went on
        self._now = 0
        self._turn = -1
        self._stayed = 0  # picks of this unit, one after the other
        self._parted: dict[int, int] = {}  # picks for which a unit has been on several paths
        self._at = -1
        self.release(self.everyone, 0)

    # --- who goes on ---
    def pick(self) -> tuple[Array, int] | None:
        """Take out threads that stand at one instruction, and where that is; None where nobody can go on."""
        ready = self._ready
        if not ready:
            return None
        self._now += 1
        unit = 0 if self._one_unit else self._whose_turn()
        paths = ready[unit]
        if len(paths) == 1:
            at, (threads, _) = paths.popitem()
            if self._parted:
                self._parted.pop(unit, None)
        else:
            at = self._path(unit, paths)
            threads, _ = paths.pop(at)
        if self.schedule.splits and len(threads) > 1 and self._random() * 100 < _SPLITS:
            threads = self._part(paths, threads, at)
        if not paths:
            del ready[unit]
        return threads, at

    def _whose_turn(self) -> int:
        turn, ready = self._turn, self._ready
        self._stayed += 1
        if len(ready) == 1:
            (turn,) = ready
        elif turn not in ready or (self.schedule.turn == SWITCH and self._random() * 100 < _SWITCHES):
            turn = self._next(sorted(ready))
        elif self._stayed > PATIENCE:
            self._last[turn] = self._now
            turn = min(ready, key=lambda unit: self._last.get(unit, 0))
        else:
            return turn
        if turn != self._turn:
            self._last[self._turn] = self._now
            self._turn, self._stayed = turn, 0
        return turn

    def _next(self, able: list[int]) -> int:
        kind = self.schedule.turn
        if kind == SWITCH:
            return able[int(self._random() * len(able))]
        if kind == EVEN:
            return max(able, key=lambda unit: (unit % 2 == 0, unit))
        return able[0] if kind == FIRST else able[-1]

    def _path(self, unit: int, paths: dict[int, tuple[Array, int]]) -> int:
        parted = self._parted[unit] = self._parted.get(unit, 0) + 1
        if parted // PATIENCE % 2:
            return min(paths, key=lambda at: paths[at][1])
        kind = self.schedule.paths
        if kind == HIGHEST:
            return max(paths)
        if kind != ANY or len(paths) > _MOST_PATHS:
            return min(paths)
        if self._at not in paths or self._random() * 100 < _TURNS:
            self._at = sorted(paths)[int(self._random() * len(paths))]
        return self._at

    def _part(self, paths: dict[int, tuple[Array, int]], threads: Array, at: int) -> Array:
        """Some of these threads; the others stay."""
        if len(paths) >= _MOST_PATHS:
            return threads
        some = np.array([self._random() < 0.5 for _ in threads])
        if some.all() or not some.any():
            return threads
        paths[at] = threads[~some], self._now
        return np.asarray(threads[some])

    @property
    def settled(self) -> bool:
        """Whether the threads picked last would be picked again as they come to the next instruction."""
        ready, chance = self._ready, self.schedule.splits or self.schedule.turn == SWITCH
        return not ready or (not chance and not self._one_unit and self._turn not in ready)

    # --- where they stand then ---
    def place(self, threads: Array, at: int) -> None:
        """Threads of the unit that was picked stand at an instruction now."""
        self._put(0 if self._one_unit else self._turn, threads, at)

    def release(self, threads: Array, at: int) -> None:
        """Any threads, which did not go on before, stand at an instruction and can go on."""
        if self._one_unit:
            self._put(0, threads, at)
            return
        units = self._unit_of[threads]
        for unit in dict.fromkeys(units.tolist()):
            self._put(unit, threads[units == unit], at)

    def _put(self, unit: int, threads: Array, at: int) -> None:
        paths = self._ready.get(unit)
        if paths is None:
            paths = self._ready[unit] = {}
        if at in paths:
            others, since = paths[at]
            threads = np.sort(np.concatenate((others, threads)))
            paths[at] = threads, since
        else:
            paths[at] = threads, self._now
        if self.schedule.paths == ANY:
            self._at = at


def _units(schedule: Schedule, everyone: Array) -> Array:
    if schedule.units == BLOCK:
        return np.zeros_like(everyone)
    if schedule.units == HALF:
        # The odd lanes of a warp first.
        return np.asarray(everyone // _WARP * 2 + (everyone + 1) % 2)
    return np.asarray(everyone // _WARP)


