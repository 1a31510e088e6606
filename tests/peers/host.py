"""One launch on the GPU: `python -m tests.peers.host LAUNCH.json`. Checkers watch this process.

Every buffer is an allocation of its own, of exactly its size. What the launch may read is written first; what it is to
write in full is copied back afterwards. Exit code 0: the launch ended; 1: the driver reported an error, on stderr.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

from backend.cuda.driver import Driver
from spec.errors import DriverError
from tests.peers.contents import BYTE, DRAWN, content, pieces
from tests.peers.launch import Launch, launch_from

FOLDER = Path("tests/ptx/kernels")
DEFAULT_SHARED = 48 * 1024  # dynamic shared memory beyond this must be asked for (CUDA C++ programming guide, 16.7.3)


def parameter_bytes(launch: Launch, addresses: dict[str, int]) -> bytes:
    """The parameters as the driver takes them: each at a multiple of its size."""
    data = bytearray()
    for argument in launch.arguments:
        width = argument.bits // 8
        data += bytes(-len(data) % min(width, 8))
        if argument.kind == "float":
            data += struct.pack("<f" if width == 4 else "<d", argument.value)
        elif argument.kind in ("bytes", "null"):
            data += bytes.fromhex(argument.data) if argument.data else bytes(width)
        else:
            value = addresses[argument.name] if argument.kind == "buffer" else int(argument.value)
            data += (value % 2 ** argument.bits).to_bytes(width, "little")
    return bytes(data)


def run(launch: Launch) -> None:
    driver = Driver()
    driver.open(0)
    stream = driver.stream()
    module, _ = driver.load((FOLDER / f"{launch.kernel}.ptx").read_text("utf-8"))
    function = driver.function(module, launch.entry)
    addresses: dict[str, int] = {}
    for seed, argument in enumerate(launch.arguments):
        if argument.kind != "buffer":
            continue
        address = driver.alloc(max(argument.bytes + argument.offset, 1)) + argument.offset
        addresses[argument.name] = address
        if argument.filled and argument.bytes <= DRAWN:
            driver.to_device(address, content(argument, seed), stream)
        elif argument.filled:
            driver.call("cuMemsetD8Async", address, 0 if argument.exact else BYTE, argument.bytes, stream)
            for offset, data in pieces(argument):
                driver.to_device(address + offset, data, stream)
    driver.synchronize(stream, "before the launch")
    if launch.dynamic_shared > DEFAULT_SHARED:
        member = driver.enum("CUfunction_attribute", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")
        driver.call("cuFuncSetAttribute", function, member, launch.dynamic_shared)
    driver.launch(function, launch.grid, launch.block, launch.dynamic_shared, stream,
                  parameter_bytes(launch, addresses), detail=launch.kernel)  # fmt: skip
    driver.synchronize(stream, launch.kernel)
    for argument in launch.arguments:
        if argument.taken and argument.bytes <= DRAWN:
            driver.to_host(addresses[argument.name], argument.bytes, stream)
    print("launch ended")


def main() -> int:
    launch = launch_from(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    try:
        run(launch)
    except DriverError as error:
        print(f"driver: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
