"""The calls of the CUDA driver that this project makes, each with its return code checked.

A thin layer over `cuda.bindings.driver`: plain integers in and out, and a DriverError that names the call, the
CUresult, what it means and, where there is something to do, what to do. Source: CUDA Driver API reference.
"""

from __future__ import annotations

import ctypes
import importlib
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.errors import DriverError

_HINTS = {
    "CUDA_ERROR_NO_DEVICE": "no GPU is visible to this process; `--device emulator` needs none",
    "CUDA_ERROR_OUT_OF_MEMORY": "the device has less free memory than asked for",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION": "the driver is older than the PTX version of this file; update the driver",
    "CUDA_ERROR_INVALID_PTX": "the driver's assembler refused the PTX; its log says where",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "the PTX targets a newer architecture than this GPU",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "a kernel touched memory outside every allocation; this context is lost",
    "CUDA_ERROR_MISALIGNED_ADDRESS": "a kernel used an address its access width does not divide; this context is lost",
    "CUDA_ERROR_LAUNCH_FAILED": "a kernel ended abnormally; this context is lost",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": "a block needs more registers or shared memory than there are",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "the user-mode driver and the kernel module differ; reboot or reinstall",
    "CUDA_ERROR_STUB_LIBRARY": "libcuda.so.1 is the toolkit's stub; let the driver's own library be found first",
}
_LOG_BYTES = 16_384
_PARAM_END, _PARAM_BUFFER_POINTER, _PARAM_BUFFER_SIZE = 0, 1, 2  # CU_LAUNCH_PARAM_*, cuda.h


def _bindings() -> ModuleType:
    try:
        driver = importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise DriverError(
            f"the package cuda-bindings is missing ({error}); install it with `pip install 'cuda-bindings==13.0.*'`, "
            "or use `--device emulator`"
        ) from None
    return driver


class Driver:
    """The driver, initialised. DriverError from the constructor if the package, the driver or a device is missing."""

    def __init__(self) -> None:
        self._api: Any = _bindings()
        try:
            self.call("cuInit", 0)
        except RuntimeError as error:  # the bindings could not load libcuda
            raise DriverError(
                f"no NVIDIA driver here ({error}); install one and check that `nvidia-smi` lists a GPU, "
                "or use `--device emulator`"
            ) from None
        if int(self.call("cuDeviceGetCount")) == 0:
            raise DriverError(f"the NVIDIA driver sees no device: {_HINTS['CUDA_ERROR_NO_DEVICE']}")

    def call(self, name: str, *arguments: Any, detail: str = "") -> Any:
        """The results of one driver call without the code (None, one value, or a tuple); DriverError if it failed."""
        code, *results = getattr(self._api, name)(*arguments)
        if code != self._api.CUresult.CUDA_SUCCESS:
            raise DriverError(self._explain(name, code, detail))
        if not results:
            return None
        return results[0] if len(results) == 1 else tuple(results)

    def has(self, name: str) -> bool:
        """Whether the bindings know a call."""
        return hasattr(self._api, name)

    def enum(self, kind: str, member: str) -> Any:
        return getattr(getattr(self._api, kind), member)

    def _explain(self, call: str, code: Any, detail: str) -> str:
        member = str(getattr(code, "name", code))
        failed, text = self._api.cuGetErrorString(code)
        unknown = failed != self._api.CUresult.CUDA_SUCCESS or text is None
        meaning = "no description" if unknown else text.decode(errors="replace")
        hint = f"; {_HINTS[member]}" if member in _HINTS else ""
        return f"{call}{f' ({detail})' if detail else ''}: {member} ({int(code)}): {meaning}{hint}"

    # --- device and context ---

    def open(self, ordinal: int) -> Any:
        """The device of this number, with its primary context retained and current on this thread."""
        device = self.call("cuDeviceGet", ordinal, detail=f"device {ordinal}")
        self.call("cuCtxSetCurrent", self.call("cuDevicePrimaryCtxRetain", device))
        return device

    def release(self, device: Any) -> None:
        self.call("cuDevicePrimaryCtxRelease", device)

    def device_name(self, device: Any) -> str:
        raw: bytes = self.call("cuDeviceGetName", 256, device)
        return raw.split(b"\0", 1)[0].decode(errors="replace")

    def device_attribute(self, device: Any, member: str) -> int:
        """`member` without its prefix: MULTIPROCESSOR_COUNT, L2_CACHE_SIZE, ..."""
        wanted = self.enum("CUdevice_attribute", f"CU_DEVICE_ATTRIBUTE_{member}")
        return int(self.call("cuDeviceGetAttribute", wanted, device, detail=member))

    def version(self) -> str:
        """The newest CUDA version that the driver supports, as `13.0`."""
        number = int(self.call("cuDriverGetVersion"))
        return f"{number // 1000}.{number % 1000 // 10}"

    def free_memory(self) -> int:
        """Bytes free on the current device."""
        free, _ = self.call("cuMemGetInfo")
        return int(free)

    # --- memory ---

    def alloc(self, size: int) -> int:
        return int(self.call("cuMemAlloc", size, detail=f"{size} bytes"))

    def free(self, address: int) -> None:
        self.call("cuMemFree", address)

    def to_device(self, address: int, data: npt.NDArray[Any], stream: Any) -> None:
        """Copy a contiguous array in stream order, and wait (cuMemcpyHtoD may return before the last bytes arrive)."""
        if data.nbytes:
            detail = f"{data.nbytes} bytes"
            self.call("cuMemcpyHtoDAsync", address, data.ctypes.data, data.nbytes, stream, detail=detail)
            self.synchronize(stream, detail)

    def to_host(self, address: int, size: int, stream: Any) -> npt.NDArray[np.uint8]:
        """A copy of `size` bytes, in stream order."""
        data = np.empty(size, np.uint8)
        if size:
            self.call("cuMemcpyDtoHAsync", data.ctypes.data, address, size, stream, detail=f"{size} bytes")
            self.synchronize(stream, f"copy of {size} bytes to the host")
        return data

    def fill(self, address: int, word: int, words: int, stream: Any) -> None:
        """Write `words` copies of a 32-bit word."""
        if words:
            self.call("cuMemsetD32Async", address, word, words, stream)

    def copy(self, target: int, source: int, size: int, stream: Any) -> None:
        """Copy between two places on the device, in stream order."""
        self.call("cuMemcpyDtoDAsync", target, source, size, stream, detail=f"{size} bytes")

    # --- modules ---

    def load(self, ptx: str) -> tuple[Any, str]:
        """The module of a PTX text, and the assembler's information log. A refused text carries the error log."""
        option = self._api.CUjit_option
        information, errors = bytearray(_LOG_BYTES), bytearray(_LOG_BYTES)
        options = [
            option.CU_JIT_INFO_LOG_BUFFER,
            option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            option.CU_JIT_ERROR_LOG_BUFFER,
            option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            option.CU_JIT_LOG_VERBOSE,
        ]
        values = [information, _LOG_BYTES, errors, _LOG_BYTES, 1]
        try:
            module = self.call("cuModuleLoadDataEx", ptx.encode("ascii") + b"\0", len(options), options, values)
        except DriverError as error:
            raise DriverError(f"{error}\n{_text(errors)}") from None
        return module, _text(information)

    def unload(self, module: Any) -> None:
        self.call("cuModuleUnload", module)

    def function(self, module: Any, entry: str) -> Any:
        return self.call("cuModuleGetFunction", module, entry.encode("ascii"), detail=entry)

    def attribute(self, function: Any, member: str) -> int:
        """`member` without its prefix: NUM_REGS, SHARED_SIZE_BYTES, LOCAL_SIZE_BYTES, MAX_THREADS_PER_BLOCK, ..."""
        wanted = self.enum("CUfunction_attribute", f"CU_FUNC_ATTRIBUTE_{member}")
        return int(self.call("cuFuncGetAttribute", wanted, function, detail=member))

    def parameters(self, function: Any) -> tuple[tuple[int, int], ...] | None:
        """(offset, bytes) of each parameter as the driver laid them out; None without that call (before 12.4)."""
        if not self.has("cuFuncGetParamInfo"):
            return None
        found: list[tuple[int, int]] = []
        while True:
            code, *place = self._api.cuFuncGetParamInfo(function, len(found))
            if code == self._api.CUresult.CUDA_ERROR_INVALID_VALUE:  # past the last one
                return tuple(found)
            if code != self._api.CUresult.CUDA_SUCCESS:
                raise DriverError(self._explain("cuFuncGetParamInfo", code, f"parameter {len(found)}"))
            found.append((int(place[0]), int(place[1])))

    # --- streams, events, graphs ---

    def launch(
        self,
        function: Any,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
        stream: Any,
        parameters: bytes,
        detail: str = "",
    ) -> None:
        """Enqueue a kernel with its parameter bytes as they are. The driver copies them before it returns."""
        data = ctypes.create_string_buffer(parameters, max(1, len(parameters)))
        size = ctypes.c_size_t(len(parameters))
        extra = (ctypes.c_void_p * 5)(
            _PARAM_BUFFER_POINTER, ctypes.addressof(data), _PARAM_BUFFER_SIZE, ctypes.addressof(size), _PARAM_END
        )
        self.call("cuLaunchKernel", function, *grid, *block, shared, stream, 0, ctypes.addressof(extra), detail=detail)

    def stream(self) -> Any:
        return self.call("cuStreamCreate", int(self.enum("CUstream_flags", "CU_STREAM_NON_BLOCKING")))

    def synchronize(self, stream: Any, detail: str = "") -> None:
        self.call("cuStreamSynchronize", stream, detail=detail)

    def event(self) -> Any:
        return self.call("cuEventCreate", int(self.enum("CUevent_flags", "CU_EVENT_DEFAULT")))

    def record(self, event: Any, stream: Any) -> None:
        self.call("cuEventRecord", event, stream)

    def elapsed(self, start: Any, end: Any) -> float:
        """Seconds between two recorded events; waits for the second."""
        self.call("cuEventSynchronize", end)
        return float(self.call("cuEventElapsedTime", start, end)) * 1e-3

    def begin_capture(self, stream: Any) -> None:
        mode = self.enum("CUstreamCaptureMode", "CU_STREAM_CAPTURE_MODE_THREAD_LOCAL")
        self.call("cuStreamBeginCapture", stream, mode)

    def end_capture(self, stream: Any) -> Any:
        """The executable graph of what was enqueued since `begin_capture`."""
        graph = self.call("cuStreamEndCapture", stream)
        executable = self.call("cuGraphInstantiate", graph, 0)
        self.call("cuGraphDestroy", graph)
        return executable

    def replay(self, executable: Any, stream: Any) -> None:
        self.call("cuGraphLaunch", executable, stream)


def _text(log: bytearray) -> str:
    return bytes(log).split(b"\0", 1)[0].decode(errors="replace").strip()
