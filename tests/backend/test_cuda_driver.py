"""The CUDA layer without a GPU: every failure is a clear message, and every return code is looked at."""

from __future__ import annotations

import sys
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import pytest

from backend.cuda import driver as cuda_driver
from backend.cuda.driver import Driver
from backend.device import open_device
from spec.errors import DriverError


class CUresult(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NO_DEVICE = 100
    CUDA_ERROR_INVALID_PTX = 218


def bindings(**calls: Any) -> SimpleNamespace:
    """A driver with one device whose calls answer as given."""
    standard = {
        "CUresult": CUresult,
        "CUjit_option": SimpleNamespace(
            CU_JIT_INFO_LOG_BUFFER=3,
            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES=4,
            CU_JIT_ERROR_LOG_BUFFER=5,
            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES=6,
            CU_JIT_LOG_VERBOSE=12,
        ),
        "cuInit": lambda flags: (CUresult.CUDA_SUCCESS,),
        "cuDeviceGetCount": lambda: (CUresult.CUDA_SUCCESS, 1),
        "cuGetErrorString": lambda code: (CUresult.CUDA_SUCCESS, b"what it means"),
    }
    return SimpleNamespace(**{**standard, **calls})


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    def set_bindings(**calls: Any) -> None:
        monkeypatch.setattr(cuda_driver, "_bindings", lambda: bindings(**calls))

    return set_bindings


def test_real_bindings_say_that_there_is_no_driver_or_find_one() -> None:
    try:
        Driver()
    except DriverError as error:
        text = str(error)
        assert "--device emulator" in text
        assert "libcuda" in text or "NO_DEVICE" in text or "no device" in text
    else:
        with open_device("cuda") as device:
            assert device.name


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    with pytest.raises(DriverError, match=r"package cuda-bindings is missing .*pip install 'cuda-bindings"):
        Driver()


def test_no_library(use: Any) -> None:
    def fail(flags: int) -> None:
        raise RuntimeError("Failed to dlopen libcuda.so.1")

    use(cuInit=fail)
    with pytest.raises(DriverError, match=r"no NVIDIA driver here .*libcuda.so.1.*nvidia-smi"):
        Driver()


def test_no_device(use: Any) -> None:
    use(cuInit=lambda flags: (CUresult.CUDA_ERROR_NO_DEVICE,))
    with pytest.raises(DriverError, match=r"cuInit: CUDA_ERROR_NO_DEVICE \(100\): what it means; no GPU is visible"):
        Driver()
    use(cuDeviceGetCount=lambda: (CUresult.CUDA_SUCCESS, 0))
    with pytest.raises(DriverError, match="sees no device"):
        Driver()


def test_a_failed_call_says_what_was_asked(use: Any) -> None:
    use(cuMemAlloc=lambda size: (CUresult.CUDA_ERROR_OUT_OF_MEMORY, None))
    with pytest.raises(
        DriverError, match=r"cuMemAlloc \(64 bytes\): CUDA_ERROR_OUT_OF_MEMORY \(2\): what it means; the dev"
    ):
        Driver().alloc(64)


def test_a_code_without_description_keeps_its_name(use: Any) -> None:
    use(
        cuMemAlloc=lambda size: (CUresult.CUDA_ERROR_INVALID_VALUE, None),
        cuGetErrorString=lambda code: (CUresult.CUDA_ERROR_INVALID_VALUE, None),
    )
    with pytest.raises(DriverError, match=r"CUDA_ERROR_INVALID_VALUE \(1\): no description"):
        Driver().alloc(64)


def test_refused_ptx_carries_the_assembler_log(use: Any) -> None:
    def load(image: bytes, count: int, options: list[int], values: list[Any]) -> tuple[CUresult, None]:
        assert image == b"bad ptx\0"
        assert len(options) == len(values) == count
        log = values[options.index(5)]
        log[:13] = b"line 1; fatal"
        return CUresult.CUDA_ERROR_INVALID_PTX, None

    use(cuModuleLoadDataEx=load)
    with pytest.raises(DriverError, match=r"CUDA_ERROR_INVALID_PTX(?s:.)*line 1; fatal"):
        Driver().load("bad ptx")


def test_parameters_end_at_the_first_refused_index(use: Any) -> None:
    sizes = [(0, 8), (8, 4)]
    past = (CUresult.CUDA_ERROR_INVALID_VALUE, None, None)
    use(cuFuncGetParamInfo=lambda f, i: (CUresult.CUDA_SUCCESS, *sizes[i]) if i < len(sizes) else past)
    assert Driver().parameters(None) == ((0, 8), (8, 4))
    use()
    assert Driver().parameters(None) is None


def test_launch_hands_over_the_packed_bytes(use: Any) -> None:
    import ctypes

    seen: list[bytes] = []

    def launch(*arguments: Any) -> tuple[CUresult]:
        extra = (ctypes.c_void_p * 5).from_address(arguments[-1])
        size = ctypes.c_size_t.from_address(extra[3] or 0).value
        assert (extra[0], extra[2], extra[4]) == (1, 2, None)
        seen.append(ctypes.string_at(extra[1] or 0, size))
        assert arguments[1:8] == (2, 1, 1, 32, 1, 1, 0)
        return (CUresult.CUDA_SUCCESS,)

    use(cuLaunchKernel=launch)
    Driver().launch(None, (2, 1, 1), (32, 1, 1), 0, None, b"\1\0\0\0\2\0\0\0")
    assert seen == [b"\1\0\0\0\2\0\0\0"]
