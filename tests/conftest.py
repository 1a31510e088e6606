"""What every test run needs: tests marked `gpu` say why they did not run. Imports no solver, so that it works there."""

from __future__ import annotations

from functools import cache

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") is None:
        return
    reason = missing_device()
    if reason:
        pytest.skip(f"not run here: needs a CUDA device ({reason})")


@cache
def missing_device() -> str:
    """Why there is no CUDA device, or an empty string if there is one."""
    from backend.cuda.driver import Driver
    from spec.errors import DriverError

    try:
        Driver()
    except DriverError as error:
        return str(error)
    return ""
