"""Makes the PTX files of this folder from the sources that stand beside them.

    python tests/ptx/kernels/build.py [--nvcc PATH] [--triton DIR] [STEM]...

A STEM.toml names its source and, for each PTX file, what makes it differ: macros for nvcc, the kernel's variant for
Triton, text that is replaced in hand-written PTX. Machine paths are cut out of what the compilers write.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvcc", default="nvcc", help="the nvcc to use, 13.0")
    parser.add_argument("--triton", default="", help="a folder to import triton from")
    parser.add_argument("stems", nargs="*", metavar="STEM")
    options = parser.parse_args()
    for path in sorted(HERE.glob("*.toml")):
        if options.stems and path.stem not in options.stems:
            continue
        family = tomllib.loads(path.read_text("utf-8"))
        source = HERE / family["source"]
        for name, variant in family.items():
            if isinstance(variant, dict):
                target = HERE / f"{name}.ptx"
                text = ptx(source, variant, options)
                if target != source:
                    target.write_text(text, "utf-8")
                print(target.name, file=sys.stderr)


def ptx(source: Path, variant: dict[str, Any], options: argparse.Namespace) -> str:
    """The text of one variant."""
    if source.suffix == ".ptx":
        return replaced(source.read_text("utf-8"), variant.get("replace", []))
    if source.suffix == ".py":
        # Debug data holds the folder, and lengths that go with it: a folder of one length for everybody.
        place = Path(tempfile.gettempdir()) / "fltc-test-kernels"
        place.mkdir(exist_ok=True)
        shutil.copy(source, place)
        text = run([sys.executable, source.name, *variant.get("define", [])], place, {"PYTHONPATH": options.triton})
        text = without(text, str(place))
    else:
        defines = [f"-D{macro}" for macro in variant.get("define", [])]
        text = run([options.nvcc, "-arch=sm_90", "-ptx", "-lineinfo", *defines, source.name, "-o", "-"], HERE, {})
    return re.sub(r'"[^"\n]*/([^"/\n]+)"', r'"\1"', text)


def without(text: str, place: str) -> str:
    """`text` with a path in its debug sections, which list byte by byte, turned into `./././`, of the same length."""
    listed = "".join(rf"\n\.b8 {ord(char)}\b[^\n]*" for char in place)
    dots = "".join(f"\n.b8 {ord('./'[n % 2])}" for n in range(len(place)))
    return re.sub(listed, dots, text)


def run(command: list[str], folder: Path, more: dict[str, str]) -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/"), **more}
    with tempfile.TemporaryDirectory() as cache:
        environment["TRITON_CACHE_DIR"] = cache
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


def replaced(text: str, changes: list[list[str]]) -> str:
    """`text` with each [old, new] exchanged; each old must be there exactly once."""
    for old, new in changes:
        if text.count(old) != 1:
            raise SystemExit(f"found {text.count(old)} times, wanted once: {old}")
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    main()
