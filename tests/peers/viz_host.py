"""One launch under triton-viz: `python -m tests.peers.viz_host LAUNCH.json SOURCE.py FAULT`, in its environment.

The source compiles its kernel when it is run; only the imports and the kernel are taken from it, and how it fixes the
`constexpr` parameters. Prints one line `report: LINE` for each access that is reported, then `launch ended`.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import mmap
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import triton_viz
from triton_viz.clients import Sanitizer

from tests.peers.contents import DRAWN, content
from tests.peers.launch import Argument, Launch, launch_from

KINDS = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "u8": torch.uint8,
         "s32": torch.int32, "u32": torch.int32, "s64": torch.int64, "u64": torch.int64}  # fmt: skip

NORESERVE = 0x4000  # MAP_NORESERVE of Linux, which the module has no name for before Python 3.13


def kernel_of(source: Path, fault: str, folder: Path) -> tuple[Any, dict[str, Any]]:
    """The kernel function and its constants; the lines keep their numbers."""
    text = source.read_text("utf-8")
    tree = ast.parse(text)
    kept = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom | ast.FunctionDef)]
    last = max(n.end_lineno or 0 for n in kept)
    place = folder / source.name
    place.write_text("\n".join(text.splitlines()[:last]) + "\n", "utf-8")
    spec = importlib.util.spec_from_file_location(source.stem, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (call,) = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func) == "ASTSource"]
    constants = eval(compile(ast.Expression(call.args[2]), source.name, "eval"), {"FAULT": fault})
    return getattr(module, ast.unparse(call.args[0])), constants


def tensor(argument: Argument, seed: int) -> torch.Tensor:
    """A buffer as a tensor of its declared shape."""
    kind = KINDS[argument.element]
    count = argument.bytes // kind.itemsize
    if argument.bytes > DRAWN:  # addresses without memory behind them: the sanitizer looks at addresses alone
        space = mmap.mmap(-1, argument.bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE)
        flat = torch.frombuffer(space, dtype=kind, count=count)
    elif argument.filled:
        flat = torch.from_numpy(content(argument, seed).copy()).view(kind)
    else:
        flat = torch.empty(count, dtype=kind)
    return torch.as_strided(flat, argument.extents, (*argument.strides, 1))


def values(launch: Launch, names: Sequence[str], constants: dict[str, Any]) -> dict[str, Any]:
    """What the kernel is called with; parameters that the compiler added at the end are not among its own."""
    found = dict(constants)
    own = [name for name in names if name not in constants]
    for seed, (name, argument) in enumerate(zip(own, launch.arguments, strict=False)):
        found[name] = tensor(argument, seed) if argument.kind == "buffer" else argument.value
    return found


def main() -> int:
    launch = launch_from(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        kernel, constants = kernel_of(Path(sys.argv[2]), sys.argv[3], Path(folder))
        watcher = Sanitizer(abort_on_error=False)
        traced = triton_viz.trace(watcher)(kernel)
        traced[launch.grid](**values(launch, kernel.arg_names, constants))
        for record in watcher.records:
            for place in record.user_code_tracebacks[-1:]:
                print(f"report: {record.op_type.__name__.lower()} out of bounds at {place.lineno}")
    print("launch ended")
    return 0


if __name__ == "__main__":
    sys.exit(main())
