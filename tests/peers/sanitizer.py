"""NVIDIA compute-sanitizer on the test kernels: one process for each kernel, launch and tool, since a fault ends the
context. Which of its four tools reports what stands in docs/peers.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

from backend.cuda.driver import Driver
from spec.errors import ToolMissing
from tests.peers.launch import Launch
from tests.peers.verdicts import CLEAN, CRASH, FAILED, FOUND, HANG, SKIPPED, Said

# Options that help a tool to find more; one that this version does not know is left out, and the data says so.
OPTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "memcheck": (("--padding", "65536"),),
    "racecheck": (("--racecheck-report", "analysis"), ("--racecheck-deadlock-timeout", "5000")),
    "initcheck": (("--initcheck-address-space", "all"),),
    "synccheck": (),
}
COMMON = ("--print-limit", "20", "--show-backtrace", "no", "--check-exit-code", "no",
          "--target-processes", "application-only", "--launch-timeout", "60")  # fmt: skip
PLACES = ("/usr/local/cuda/bin/compute-sanitizer",)  # where it is looked for besides the PATH
LIMIT = 20  # seconds for one run
MOST = 64  # GiB of buffers of a launch that is tried
LARGE = 2**31  # bytes from which on a launch runs by itself
PORTS = (49152, 32)  # the first, and how many each of the runs side by side has for itself


def find() -> str:
    """The tool's path; ToolMissing where it or a GPU is missing."""
    found = shutil.which("compute-sanitizer") or next((place for place in PLACES if Path(place).is_file()), "")
    if not found:
        raise ToolMissing("not run here: needs compute-sanitizer (CUDA toolkit) on the PATH and a GPU it supports")
    return found


def version(tool: str) -> str:
    done = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=60, check=False)
    words = re.search(r"Version (\S+)", done.stdout)
    return words.group(1) if words else f"unknown: {(done.stdout + done.stderr).strip()[:80]}"


def options_of(tool: str) -> dict[str, list[str]]:
    """The options that are used with each of its tools, those this version has."""
    done = subprocess.run([tool, "--help"], capture_output=True, text=True, timeout=60, check=False)
    return {name: [word for flag, value in pairs if flag in done.stdout for word in (flag, value)]
            for name, pairs in OPTIONS.items()}  # fmt: skip


def device() -> dict[str, str]:
    """The GPU's name and the driver's version."""
    driver = Driver()
    handle = driver.open(0)
    return {"device": driver.device_name(handle), "driver": driver.version()}


def run_all(
    tool: str, wanted: Sequence[tuple[Launch, str]], jobs: int, most: int, keep: Callable[[Launch, str, Said], None]
) -> None:
    """Run each launch under each tool asked for, `jobs` side by side, and hand every answer to `keep`."""
    options = options_of(tool)
    slots: SimpleQueue[int] = SimpleQueue()
    for slot in range(jobs):
        slots.put(slot)
    lock = Lock()

    def one(item: tuple[Launch, str]) -> None:
        launch, name = item
        slot = slots.get()
        try:
            said = run_one(tool, name, options[name], launch, slot, most)
        finally:
            slots.put(slot)
        with lock:
            keep(launch, name, said)

    large = [item for item in wanted if item[0].total_bytes >= LARGE]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, [item for item in wanted if item not in large]))
    for item in large:
        one(item)


def run_one(tool: str, name: str, options: Sequence[str], launch: Launch, slot: int, most: int) -> Said:
    """One launch under one tool."""
    if launch.total_bytes >= LARGE and name != "memcheck":
        return Said(SKIPPED, ("so large a launch is run under memcheck alone, which looks at addresses",))
    if launch.total_bytes > most * 2**30:
        return Said(SKIPPED, (f"its buffers have {launch.total_bytes / 2**30:.0f} GiB, more than {most}",))
    with tempfile.TemporaryDirectory() as folder:
        place, log = Path(folder) / "launch.json", Path(folder) / "log"
        place.write_text(json.dumps(launch.to_json()), "utf-8")
        command = [tool, "--tool", name, *options, *COMMON, "--port", str(PORTS[0] + PORTS[1] * slot),
                   "--max-connections", str(PORTS[1]), "--log-file", str(log),
                   sys.executable, "-m", "tests.peers.host", str(place)]  # fmt: skip
        start = time.monotonic()
        with (Path(folder) / "own").open("w+b") as own:
            process = subprocess.Popen(command, stdout=own, stderr=own, start_new_session=True)
            try:
                process.wait(LIMIT)
                ended = True
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                ended = False
            seconds = round(time.monotonic() - start, 1)
            own.seek(0)
            words = own.read().decode("utf-8", "replace")
        text = log.read_text("utf-8", "replace") if log.exists() else ""
    keep = os.environ.get("FLTC_PEERS_LOGS")
    if keep:
        (Path(keep) / f"{launch.kernel}.{launch.which}.{name}.txt").write_text(text + "\n" + words, "utf-8")
    return judged(text, words, ended, seconds)


# Lines that are no report of the tool's own: its frame, a failed driver call that follows from what it found, and
# that it has more to say than it keeps.
_FRAME = re.compile(r"COMPUTE-SANITIZER|\w+ SUMMARY:|Program hit|Target application|Warning: Error buffer overflow|"
                    r"\d+ errors were skipped")
_REPORT = re.compile(r"=+ (?=\S)(.+)")
# Where a headline stops saying what was found, and says where.
_WHERE = re.compile(r" (?:between|of size|at|in|on|by|called by) .*| \[\d+ hazards?\].*|\. If you .*|[.:]$")


def kinds_of(text: str) -> tuple[str, ...]:
    """What a log reports, each kind once and without its place: headlines are not indented."""
    lines = [match.group(1) for line in text.splitlines() if (match := _REPORT.match(line)) is not None]
    return tuple(dict.fromkeys(_WHERE.sub("", line) for line in lines if _FRAME.match(line) is None))


def judged(text: str, own: str, ended: bool, seconds: float) -> Said:
    """The verdict of one run, from the tool's log and from what the process itself said."""
    kinds = kinds_of(text)
    if kinds:
        return Said(FOUND, kinds, seconds)
    if not ended:
        return Said(HANG, (f"no end within {LIMIT} s",), seconds)
    broken = re.search(r"driver: .*?(CUDA_ERROR_\w+)", own)
    if broken is not None:
        return Said(CRASH, (broken.group(1),), seconds)
    if "launch ended" not in own or " SUMMARY: " not in text:
        return Said(FAILED, tuple((own.strip() or text.strip()).splitlines()[-1:]), seconds)
    return Said(CLEAN, (), seconds)
