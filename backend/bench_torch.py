"""PyTorch as a peer: the same operators over the same memory, captured in graphs on the same stream."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from backend.cuda.device import CudaDevice

Runs = list[tuple[str, Callable[[], None]]]


def torch_contenders(
    gpu: CudaDevice, stem: str, inputs: list[int], weights: int, rows: int, columns: int, eps: float, repeats: int
) -> tuple[Runs, str]:
    """(name, replay) of torch eager and torch.compile, and why one is missing ('' if none is).

    Args:
        inputs, weights: addresses of binary16 data on the device, (rows, columns) and (columns).
        repeats: operations in one graph, over the inputs in turn.
    """
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError:
        return [], "torch is not installed: no peers were measured"
    if not torch.cuda.is_available():
        return [], "this torch has no CUDA: no peers were measured"
    stream = torch.cuda.ExternalStream(int(gpu.stream))
    xs = [_view(torch, address, (rows, columns)) for address in inputs]
    w = _view(torch, weights, (columns,))
    functional = torch.nn.functional

    def operation(x: Any) -> Any:
        return functional.silu(x) if stem == "silu" else functional.rms_norm(x, (columns,), w, eps)

    runs: Runs = []
    missing = ""
    candidates: dict[str, Callable[[], Any]] = {
        "torch eager": lambda: operation,
        "torch.compile": lambda: torch.compile(operation, dynamic=False),
    }
    for name, make in candidates.items():
        try:
            runs.append((name, _captured(torch, stream, make(), xs, repeats)))
        except Exception as error:  # a compiler that does not work here is a missing peer, and is said
            missing = f"{name} did not run: {type(error).__name__}: {error}"
    return runs, missing


def _captured(
    torch: Any, stream: Any, operation: Callable[[Any], Any], xs: list[Any], repeats: int
) -> Callable[[], None]:
    """A function that replays `repeats` operations on the stream."""
    with torch.cuda.stream(stream), torch.no_grad():
        for x in xs[:3]:
            operation(x)
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for i in range(repeats):
                operation(xs[i % len(xs)])

    def replay() -> None:
        with torch.cuda.stream(stream):
            graph.replay()

    return replay


class _Span:
    """Device memory as CUDA array interface, which torch wraps without a copy."""

    def __init__(self, address: int, shape: tuple[int, ...]) -> None:
        self.__cuda_array_interface__ = {"shape": shape, "typestr": "<f2", "data": (address, False), "version": 3}


def _view(torch: Any, address: int, shape: tuple[int, ...]) -> Any:
    return torch.as_tensor(_Span(address, shape), device="cuda")
