"""triton-viz's sanitizer on the Triton sources of the test kernels, in an environment of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

from fltc.kernels import Kernel
from spec.errors import ToolMissing
from tests.peers.launch import Launch
from tests.peers.verdicts import CLEAN, FAILED, FOUND, HANG, Said

FOLDER = Path("build/peers/triton-viz")
# triton-viz 3.0 looks for parts of Triton that 3.8 no longer has (InterpreterBuilder.create_make_block_ptr), so an
# older one is put in afterwards, of which torch's own requirement does not know.
STEPS = (("triton-viz==3.0", "torch==2.14.1", "numpy"), ("--no-deps", "triton==3.6.0"))
LIMIT = 100  # seconds for one launch


def environment(folder: Path, make: bool) -> Path:
    """The Python of the environment, made first if asked; ToolMissing where there is none."""
    python, marker, made_of = folder / "bin/python", folder / "installed", f"{STEPS}\n"
    if marker.is_file() and marker.read_text("utf-8") == made_of:
        return python
    if not make:
        raise ToolMissing(f"not run here: needs triton-viz in {folder}; --install makes it (about 6 GB)")
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    for step in STEPS:
        install = [str(python), "-m", "pip", "install", "--quiet", *step]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(folder)
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise ToolMissing(f"not run here: pip install {' '.join(step)}: {reason}")
    marker.write_text(made_of, "utf-8")
    return python


def versions(python: Path) -> dict[str, str]:
    code = ("import importlib.metadata as m, json, platform; print(json.dumps({'python': platform.python_version(), "
            "**{p: m.version(p) for p in ('triton-viz', 'triton', 'torch', 'z3-solver')}}))")  # fmt: skip
    done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def applies(kernel: Kernel) -> bool:
    return kernel.source.suffix == ".py"


def run_viz(
    python: Path, wanted: Sequence[tuple[Kernel, Launch]], say: Callable[[str], None]
) -> list[tuple[Launch, Said]]:
    found = []
    for kernel, launch in wanted:
        said = run_one(python, kernel, launch)
        found.append((launch, said))
        say(f"{kernel.name} {launch.which} triton-viz: {said.verdict} {', '.join(said.kinds)} ({said.seconds} s)")
    return found


def run_one(python: Path, kernel: Kernel, launch: Launch) -> Said:
    family = tomllib.loads(kernel.source.with_suffix(".toml").read_text("utf-8"))
    fault = next(iter(family[kernel.name].get("define", [])), "")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "launch.json"
        place.write_text(json.dumps(launch.to_json()), "utf-8")
        command = [str(python.absolute()), "-m", "tests.peers.viz_host", str(place), str(kernel.source), fault]
        start = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False,
                                  env={**os.environ, "PYTHONPATH": "."})  # fmt: skip
        except subprocess.TimeoutExpired:
            return Said(HANG, (f"no end within {LIMIT} s",), float(LIMIT))
        return judged(done.stdout, done.stderr, round(time.monotonic() - start, 1))


def judged(output: str, errors: str, seconds: float) -> Said:
    """The verdict of one run from what `viz_host` printed."""
    reports = tuple(dict.fromkeys(re.findall(r"^report: (.*)$", output, re.M)))
    if reports:
        return Said(FOUND, reports, seconds)
    if "launch ended" not in output:
        return Said(FAILED, tuple(errors.strip().splitlines()[-1:]), seconds)
    return Said(CLEAN, (), seconds)
