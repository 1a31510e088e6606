"""The results of all checkers, as the file `results.json` beside this one keeps them.

An answer belongs to the file it was given for (`of`, the sha256) and to the launch (`launch`, the sha256 of its JSON);
where the present file or launch is another one, it is stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.files import write_atomic
from fltc.kernels import Kernel
from spec.errors import BadInput
from tests.peers.launch import Launch, launch_from
from tests.peers.verdicts import NOT_RUN, Said, said_from

SCHEMA = "fltc-peers/1"
RESULTS = Path("tests/peers/results.json")
FLTC, SANITIZER, VIZ = "fltc", "compute-sanitizer", "triton-viz"
TOOLS = (FLTC, SANITIZER, VIZ)
PARTS = ("memcheck", "racecheck", "initcheck", "synccheck")  # of compute-sanitizer
STALE = "stale"
Content = dict[str, Any]


@dataclass
class Results:
    """All answers.

    Args:
        tools: of each tool its version, the date, and what else it needs to be judged.
        kernels: by kernel `launches`, `fltc` and, by tool, the answers by launch.
    """

    tools: dict[str, Content] = field(default_factory=dict)
    kernels: dict[str, Content] = field(default_factory=dict)

    def launches(self, kernel: str) -> dict[str, Launch]:
        found = self.kernels.get(kernel, {}).get("launches", {})
        return {which: launch_from(content) for which, content in found.items()}

    def put_launches(self, kernel: str, launches: Sequence[Launch]) -> None:
        self.kernels.setdefault(kernel, {})["launches"] = {launch.which: launch.to_json() for launch in launches}

    def put(self, tool: str, launch: Launch, of: str, said: Said) -> None:
        answers = self.kernels[launch.kernel].setdefault(tool, {})
        answers[launch.which] = {"of": of, "launch": digest(launch), **said.to_json()}

    def said(self, tool: str, kernel: Kernel, which: str) -> Said:
        """The answer for the present file and launch; `not run` or `stale` where there is none."""
        found = self.kernels.get(kernel.name, {}).get(tool, {}).get(which)
        if found is None:
            return Said(NOT_RUN)
        launch = self.launches(kernel.name).get(which)
        if found["of"] != sha256(file_of(tool, kernel)) or launch is None or found["launch"] != digest(launch):
            return Said(STALE)
        return said_from(found)


def file_of(tool: str, kernel: Kernel) -> Path:
    """The file that a tool reads."""
    return kernel.source if tool == VIZ else kernel.path


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def asked(kernel: Kernel) -> str:
    """The sha256 of a kernel's flags."""
    return hashlib.sha256("\0".join(kernel.flags).encode()).hexdigest()


def digest(launch: Launch) -> str:
    return hashlib.sha256(json.dumps(launch.to_json(), sort_keys=True).encode()).hexdigest()


def load(path: Path) -> Results:
    """The results in a file, none if there is no file; BadInput for a file of something else."""
    if not path.exists():
        return Results()
    content = json.loads(path.read_text("utf-8"))
    if content.get("schema") != SCHEMA:
        raise BadInput(f"{path}: expected results of {SCHEMA}, found {content.get('schema')!r}")
    return Results(content["tools"], content["kernels"])


def save(path: Path, results: Results) -> None:
    """Write the results, a line for each answer."""
    write_atomic(path, _text({"schema": SCHEMA, "tools": results.tools, "kernels": results.kernels}) + "\n")


def _text(value: Mapping[str, Any], depth: int = 0) -> str:
    """JSON whose objects are broken into lines down to the answers."""
    if depth == 3 or (depth and not all(isinstance(v, dict) for v in value.values())):
        return json.dumps(value, sort_keys=True)
    inner = " " * (depth + 1)
    items = [f"{inner}{json.dumps(k)}: {_text(v, depth + 1) if isinstance(v, dict) else json.dumps(v)}"
             for k, v in sorted(value.items())]  # fmt: skip
    return "{\n" + ",\n".join(items) + "\n" + " " * depth + "}" if items else "{}"
