"""NVIDIA's assembler as gate and meter: it must accept a file before anything is said about it, and it tells what each
entry uses. The program is the one of the Python package nvidia-cuda-nvcc, never one found elsewhere.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from spec.errors import AssemblerRefused, BadInput, ToolMissing

PACKAGE = "nvidia-cuda-nvcc"
AGAIN = f"install it again: pip install --force-reinstall '{PACKAGE}==13.0.*'"
SECONDS_LIMIT = 300
SHIPPED_ARCHITECTURES = ("sm_89", "sm_90")
OLDEST_ARCHITECTURE = "sm_75"

_ARCHITECTURE = re.compile(r"sm_\d+[af]?")
_ENTRY = re.compile(r"Compiling entry function '([^']+)' for '[^']+'")
_PROPERTIES = re.compile(r"Function properties for (\S+)")
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


@dataclass(frozen=True)
class Resources:
    """What one entry uses when assembled for one architecture.

    registers is per thread; stack_bytes and the spills are bytes per thread; static_shared is bytes per block;
    code_bytes is the size of the entry's machine code.
    """

    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    static_shared: int
    code_bytes: int

    @property
    def spill_bytes(self) -> int:
        return self.spill_store_bytes + self.spill_load_bytes


@dataclass(frozen=True)
class Assembly:
    """A module that ptxas accepted: its machine code and the resources of each entry."""

    architecture: str
    cubin: bytes
    entries: Mapping[str, Resources]


@cache
def ptxas() -> Path:
    """The assembler; ToolMissing says what to install."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        raise ToolMissing(f"ptxas is not installed: it comes with the Python package {PACKAGE}==13.0.*") from None
    for file in files:
        if file.parts[-2:] == ("bin", "ptxas"):
            found = Path(str(file.locate())).resolve()
            if found.is_file() and os.access(found, os.X_OK):
                return found
            raise ToolMissing(f"{found} is missing or cannot be run: {AGAIN}")
    raise ToolMissing(f"the installed Python package {PACKAGE} has no bin/ptxas: {AGAIN}")


def architecture_for(target: str) -> str:
    """The architecture at which a file is assembled: its own target, or the oldest that this assembler still knows.

    A newer architecture runs PTX of an older one (PTX ISA 11.1.2, `.target`).
    """
    number = re.fullmatch(r"sm_(\d+)", target)
    return OLDEST_ARCHITECTURE if number and int(number[1]) < int(OLDEST_ARCHITECTURE[3:]) else target


def version() -> str:
    """The version line of the assembler, such as `Cuda compilation tools, release 13.0, V13.0.88`."""
    told = subprocess.run([ptxas(), "--version"], capture_output=True, text=True, timeout=SECONDS_LIMIT, check=True)
    return next(line for line in told.stdout.splitlines() if "release" in line)


def assemble(ptx_text: str, arch: str, *, name: str = "input.ptx") -> Assembly:
    """Assemble a module for an architecture.

    Args:
        ptx_text: the module.
        arch: a real architecture, `sm_89`.
        name: how messages call the module.

    Raises:
        BadInput: an architecture that is no architecture.
        AssemblerRefused: with the message of ptxas.
        ToolMissing: there is no ptxas.
    """
    if _ARCHITECTURE.fullmatch(arch) is None:
        raise BadInput(f"{arch!r} is not an architecture such as sm_89")
    with tempfile.TemporaryDirectory(prefix="fltc-ptxas-") as folder:
        source, target = Path(folder, "input.ptx"), Path(folder, "output.cubin")
        source.write_text(ptx_text, encoding="utf-8")
        command = [str(ptxas()), "--verbose", f"--gpu-name={arch}", str(source), "--output-file", str(target)]
        try:
            told = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise AssemblerRefused(f"{name}: ptxas for {arch} did not finish in {SECONDS_LIMIT} s") from None
        message = (told.stdout + told.stderr).replace(str(source), name).replace(str(target), "output")
        if told.returncode != 0 or not target.exists():
            newer = "" if "Unsupported .version" not in message else (
                f"\nThis is the assembler of {version()}, {PACKAGE}: compile with a compiler of that "
                "release or an older one."
            )
            raise AssemblerRefused(
                f"{name}: ptxas refuses it for {arch} (exit {told.returncode}):\n{message.strip()}{newer}"
            )
        cubin = target.read_bytes()
    return Assembly(arch, cubin, _resources(message, cubin))


def _resources(message: str, cubin: bytes) -> dict[str, Resources]:
    """One Resources for each entry that the verbose message speaks of; every number must be there."""
    code = _code_bytes(cubin)
    frames: dict[str, tuple[int, int, int]] = {}
    used: dict[str, tuple[int, int]] = {}
    entry = function = ""
    for line in message.splitlines():
        if found := _ENTRY.search(line):
            entry = found.group(1)
        elif found := _PROPERTIES.search(line):
            function = found.group(1)
        elif found := _FRAME.search(line):
            stack, stores, loads = (int(n) for n in found.groups())
            frames[function] = (stack, stores, loads)
        elif found := _USED.search(line):
            shared = _SHARED.search(line)
            used[entry] = (int(found.group(1)), int(shared.group(1)) if shared else 0)
    out = {}
    for name, (registers, shared_bytes) in used.items():
        if name not in frames or name not in code:
            raise AssemblerRefused(f"ptxas accepted {name} but its report cannot be read:\n{message.strip()}")
        stack, stores, loads = frames[name]
        out[name] = Resources(registers, stores, loads, stack, shared_bytes, code[name])
    return out


def _code_bytes(cubin: bytes) -> dict[str, int]:
    """Sizes of the sections `.text.<entry>` of a 64-bit little-endian ELF file."""
    if cubin[:6] != b"\x7fELF\x02\x01":
        raise AssemblerRefused("ptxas wrote something that is not a 64-bit ELF file")
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", cubin, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", cubin, table + i * entry_size) for i in range(count)]
    names_at = sections[names_index][4]
    out = {}
    for name_at, _type, _flags, _address, _offset, size in sections:
        start = names_at + name_at
        name = cubin[start : cubin.index(b"\0", start)].decode("ascii")
        if name.startswith(".text."):
            out[name.removeprefix(".text.")] = size
    return out
