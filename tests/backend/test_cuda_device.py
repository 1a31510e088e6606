"""A GPU as a device: what it loads is what was checked, and what it refuses it explains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from backend import ptx
from backend.cuda.device import CudaDevice
from backend.launch import Span, bind, prepare
from spec.contracts import contracts_of
from spec.contracts.model import ACTIVE
from spec.errors import BadInput, ContractViolation, DriverError
from spec.ptx.parser import parse
from tests.backend.test_emulator_device import GATHER, LOOKUP

pytestmark = pytest.mark.gpu
SILU = contracts_of("silu")[0]


@pytest.fixture
def gpu() -> Iterator[CudaDevice]:
    with CudaDevice() as device:
        yield device


def test_a_launch_changes_what_it_must(gpu: CudaDevice) -> None:
    descriptor = bind(SILU, parse(ptx.load("silu")))
    x, y = gpu.alloc(2 * 1000), gpu.alloc(2 * 1000)
    gpu.upload(x, np.full(1000, 0x3C00, np.uint16))
    gpu.fill(y, 0)
    gpu.launch(prepare(descriptor, {"n": 999, "power_state": ACTIVE}, {"x": x.span(), "y": y.span()}))
    words = gpu.download(y).view(np.uint16)
    assert (words[:999] == 0x39D9).all()
    assert words[999] == 0
    assert gpu.resources_of(descriptor)["local"] == 0


def test_memory_repeats_and_is_counted(gpu: CudaDevice) -> None:
    memory = gpu.alloc(40)
    gpu.upload(memory, np.arange(12, dtype=np.uint8), 4)
    gpu.repeat(memory, 4, 12, 36)
    assert gpu.download(memory, offset=4).tolist() == [*range(12)] * 3
    gpu.free(memory)
    assert gpu.driver.free_memory() > 0


def test_a_ceiling_below_what_was_loaded_is_refused(gpu: CudaDevice) -> None:
    tight = replace(SILU, ceilings=replace(SILU.ceilings, registers=8))
    with pytest.raises(ContractViolation, match=r"registers a thread, the limit is 8"):
        gpu.load(bind(tight, parse(ptx.load("silu"))))


def test_ptx_the_assembler_refuses_comes_with_its_log(gpu: CudaDevice) -> None:
    text = ptx.load("silu").replace("ex2.approx.ftz.f32", "ex2.approx.ftz.f64")
    with pytest.raises(DriverError, match=r"cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX(?s:.)*line"):
        gpu.load(bind(SILU, parse(text)))


def test_the_driver_lays_parameters_out_as_the_descriptor_does(gpu: CudaDevice) -> None:
    descriptor = bind(SILU, parse(ptx.load("silu")))
    found = gpu.driver.parameters(gpu.load(descriptor))
    assert found is None or found == tuple((slot.offset, slot.width) for slot in descriptor.slots)


def test_a_captured_graph_runs_its_launches(gpu: CudaDevice) -> None:
    descriptor = bind(SILU, parse(ptx.load("silu")))
    x, ys = gpu.alloc(64), [gpu.alloc(64) for _ in range(3)]
    gpu.upload(x, np.full(32, 0x4000, np.uint16))
    spans: list[dict[str, Span]] = [{"x": x.span(), "y": y.span()} for y in ys]
    for y in ys:
        gpu.fill(y, 0)
    graph = gpu.capture([prepare(descriptor, {"n": 32, "power_state": ACTIVE}, s) for s in spans])
    assert not gpu.download(ys[0]).any()
    gpu.driver.replay(graph, gpu.stream)
    gpu.driver.synchronize(gpu.stream)
    for y in ys:
        assert (gpu.download(y).view(np.uint16) == 0x3F0C).all()


def test_contents_are_those_that_were_checked(gpu: CudaDevice) -> None:
    """The caller's array and the buffer change after the check; the kernel gathers by what was checked."""
    given = np.array([[0, 0, 0], [2, 0, 3]], np.uint32)
    pool, table, out = gpu.alloc(16), gpu.alloc(64), gpu.alloc(12)
    gpu.upload(pool, np.array([10, 11, 12, 13], np.uint32))
    spans = {"pool": pool.span(), "table": table.span(4), "out": out.span()}
    prepared = prepare(bind(LOOKUP, parse(GATHER)), {"n": 3, "blocks": 4}, spans, {"table": given})
    given[1] = 99
    gpu.upload(table, np.full(16, 88, np.uint32))
    gpu.launch(prepared)
    assert gpu.download(out).view(np.uint32).tolist() == [12, 10, 13]
    held = gpu.download(table).view(np.uint32).tolist()
    assert held == [88, 0, 0, 0, 88, 88, 88, 2, 0, 3, *[88] * 6]
    with pytest.raises(BadInput, match=r"facts about what buffers hold, .* launch it by itself"):
        gpu.capture([prepared])


def test_a_fault_is_a_driver_error_that_names_the_launch() -> None:
    """Last: it costs the context, which only a new process gets back."""
    import subprocess
    import sys

    script = (
        "from backend.cuda.device import CudaDevice\n"
        "from backend.launch import Span, bind, prepare\n"
        "from backend import ptx\n"
        "from spec.contracts import contracts_of\n"
        "from spec.ptx.parser import parse\n"
        "gpu = CudaDevice()\n"
        "d = bind(contracts_of('silu')[0], parse(ptx.load('silu')))\n"
        "gpu.launch(prepare(d, {'n': 64, 'power_state': 0}, {'x': Span(4096, 128), 'y': Span(8192, 128)}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr
    assert "silu_f16 with" in done.stderr
