"""`python -m tests.peers.replayed check ...`: `fltc` whose reports also hold all of the launches that showed a fault.

A counterexample then has `launch`: the bytes of shared memory given at the launch, the parameters as bytes, and what
the emulator had in its buffers before the run.
"""

from __future__ import annotations

import base64
import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import proofs.replay as replays
from fltc.cli import main
from proofs.replay.model import Launch
from spec.ptx.memory import Buffer

LARGEST = 2**28  # bytes of a buffer that is kept in one piece


def pieces(buffer: Buffer) -> list[list[Any]]:
    """The bytes of a buffer that are not zero, as [offset, base64 of zlib]."""
    content = buffer.content
    if content.dense is not None:
        found = [(0, content.dense[: buffer.size])]
    else:
        found = [(number * 2**16, page) for number, page in sorted(content.pages.items())]
    kept = []
    for offset, data in found:
        used = np.flatnonzero(data)
        if len(used):
            low, high = int(used[0]), int(used[-1]) + 1
            kept.append([offset + low, packed(data[low:high].tobytes())])
    return kept


def packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def run(arguments: Sequence[str]) -> int:
    """What `fltc` does with these arguments."""
    before: dict[int, tuple[Launch, dict[str, Any]]] = {}
    make, answer = replays.__dict__["launch_of"], replays.__dict__["_reply"]

    def launch_of(*given: Any) -> Launch:
        launch: Launch = make(*given)
        values = {name: v.hex() if isinstance(v, bytes) else v for name, v in launch.arguments.items()}
        memory = {name: pieces(buffer) for name, buffer in launch.memory.buffers.items()}
        kept = {"dynamic_shared": launch.dynamic_shared, "arguments": values, "memory": memory}
        before[id(launch)] = (launch, kept)
        return launch

    def reply(analysis: Any, claim: Any, launch: Launch | None, schedule: str, found: Any) -> replays.Replay:
        said: replays.Replay = answer(analysis, claim, launch, schedule, found)
        if launch is None:
            return said
        kept = before[id(launch)][1]
        before.clear()
        return replace(said, content={**said.content, "launch": kept})

    replays.__dict__.update(launch_of=launch_of, _reply=reply)
    try:
        return main([*arguments])
    finally:
        replays.__dict__.update(launch_of=make, _reply=answer)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
