"""Runs of the emulator under further schedules: the same bits must come out, whoever goes on first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle

from backend.device import Device
from backend.emulator.device import EmulatorDevice
from spec.ptx.schedules import SCHEDULES

# Where there are few further runs, these.
FIRST = ("parted", "halves", "mixed")
SHARE = 10  # of the steps of a campaign, one in so many may go to further schedules


class Further:
    """Which further runs a campaign makes: none on a GPU, which orders its threads itself.

    Every known answer gets one, in turn under each schedule but the device's own; of drawn cases, those that run twice
    anyhow, as long as further runs have taken no more than their share of all steps.
    """

    def __init__(self, device: Device) -> None:
        self._device = device if isinstance(device, EmulatorDevice) else None
        own = self._device.schedule if self._device else ""
        self._names = cycle(name for name in dict.fromkeys((*FIRST, *SCHEDULES)) if name != own)
        self._steps = self._spent = 0

    def ran(self) -> None:
        """A run under the device's own schedule has ended."""
        if self._device is not None:
            self._steps += self._device.stats.steps

    @property
    def possible(self) -> bool:
        return self._device is not None

    @property
    def cheap(self) -> bool:
        """Whether a run that is made anyhow may be one under another schedule."""
        return self.possible and self._spent * SHARE <= self._steps

    @contextmanager
    def schedule(self) -> Iterator[str]:
        """Under the next schedule; its name."""
        assert self._device is not None
        own, self._device.schedule = self._device.schedule, next(self._names)
        try:
            yield str(self._device.schedule)
        finally:
            self._device.schedule = own
            self._spent += self._device.stats.steps

