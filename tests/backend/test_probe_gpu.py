"""The probes on a GPU: whole sweeps can be judged, and what they find is what an evidence file would say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.cuda.device import CudaDevice
from backend.probe.report import HELD, NOT_MEASURED, findings
from backend.probe.rounded import OPERATIONS, run_rounded
from backend.probe.sweeps import INSTRUCTIONS, run_sweeps
from backend.probe.tensor import run_tensor
from spec.assumptions import TABLE

pytestmark = pytest.mark.gpu
SEED = 20


@pytest.fixture(scope="module")
def gpu() -> Iterator[CudaDevice]:
    with CudaDevice() as device:
        yield device


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda i: i.spelled)
def test_a_whole_sweep_is_judged(gpu: CudaDevice, instruction: object) -> None:
    (found,) = run_sweeps(gpu, [i for i in INSTRUCTIONS if i is instruction], SEED)
    assert found.complete, found.unsettled
    assert found.good, found.refused
    assert found.worst.keys() == {"units", "relative", "of_limit"}
    again = run_sweeps(gpu, [i for i in INSTRUCTIONS if i is instruction], SEED + 1)[0]
    assert (again.classes, again.apart, again.worst) == (found.classes, found.apart, found.worst)


def test_every_assumption_is_measured(gpu: CudaDevice) -> None:
    rounded = run_rounded(gpu, OPERATIONS, SEED)
    tensor = run_tensor(gpu, SEED, vectors=50_000)
    found = findings(run_sweeps(gpu, INSTRUCTIONS, SEED), rounded, tensor)
    assert [name for name in TABLE if found[name].status == NOT_MEASURED] == []
    assert {name: f.detail for name, f in found.items() if f.status != HELD} == {}
