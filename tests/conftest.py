"""What every test run needs: tests marked `gpu` say why they did not run. Imports no solver, so that it works there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") is None:
        return
    reason = missing_device()
    if reason:
        pytest.skip(f"not run here: needs a CUDA device ({reason})")


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Programs keep what they remember in a folder of the test run, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


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
