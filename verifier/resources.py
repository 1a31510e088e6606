"""resources.json and abi.json against the assembler and the audit's own reading of the PTX."""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from verifier.conditions import Subject
from verifier.contract import PARAMETER_BITS
from verifier.findings import AuditError, Finding, Grade, Unreadable
from verifier.manifest import Bundle, read_json
from verifier.reader import WIDTHS, Memory, Register, Symbol

PACKAGE = "nvidia-cuda-nvcc"
ARCHITECTURES = ("sm_89", "sm_90")
REGISTERS_PER_BLOCK = 65_536
SHARED_PER_BLOCK = {"sm_89": 101_376, "sm_90": 232_448}
SECONDS = 300
Used = dict[str, int]
_LIMITED = ("registers", "spill_bytes", "stack_bytes", "static_shared", "code_bytes")


def assembler() -> Path:
    """ptxas of the installed Python package; AuditError if there is none."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.parts[-2:] == ("bin", "ptxas"):
            return Path(str(file.locate()))
    raise AuditError(f"ptxas is not installed: it comes with the Python package {PACKAGE}")


def measure(ptx: str, architecture: str) -> dict[str, Used]:
    """What each entry uses on one architecture; AuditError with the assembler's words if it refuses."""
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        source, target = Path(folder, "in.ptx"), Path(folder, "out.cubin")
        source.write_text(ptx, encoding="ascii")
        command = [str(assembler()), "--verbose", f"--gpu-name={architecture}", str(source), "-o", str(target)]
        try:
            told = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise AuditError(f"ptxas does not run: {error}") from None
        if told.returncode != 0:
            raise AuditError(f"ptxas refuses it for {architecture}: {(told.stdout + told.stderr).strip()[:300]}")
        code = _code_sizes(target.read_bytes())
    return _read_report(told.stdout + told.stderr, code)


def _read_report(report: str, code: dict[str, int]) -> dict[str, Used]:
    used: dict[str, Used] = {}
    entry = function = ""
    for line in report.splitlines():
        if match := re.search(r"Compiling entry function '([^']+)'", line):
            entry = match.group(1)
            used[entry] = {"code_bytes": code.get(entry, 0), "static_shared": 0}
        elif match := re.search(r"Function properties for (\S+)", line):
            function = match.group(1)
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack, stores, loads = (int(n) for n in match.groups())
            frame = {"stack_bytes": stack, "spill_store_bytes": stores, "spill_load_bytes": loads}
            used.setdefault(function, {}).update({**frame, "spill_bytes": stores + loads})
        elif match := re.search(r"Used (\d+) registers", line):
            used[entry]["registers"] = int(match.group(1))
            if shared := re.search(r"(\d+) bytes smem", line):
                used[entry]["static_shared"] = int(shared.group(1))
    return used


def _code_sizes(elf: bytes) -> dict[str, int]:
    """Bytes of each section `.text.<entry>` of a 64-bit little-endian ELF file."""
    if elf[:6] != b"\x7fELF\x02\x01":
        raise AuditError("ptxas wrote no 64-bit ELF file")
    at = struct.unpack_from("<Q", elf, 0x28)[0]
    size, count, strings = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, at + i * size) for i in range(count)]
    found = {}
    for header in headers:
        start = headers[strings][4] + header[0]
        name = elf[start : elf.index(b"\0", start)].decode("ascii")
        if name.startswith(".text."):
            found[name.removeprefix(".text.")] = header[5]
    return found


def check_resources(bundle: Bundle, entries: dict[str, Subject]) -> list[Finding]:
    """Re-assemble, compare with the record and with the contract's ceilings."""
    findings: list[Finding] = []
    try:
        measured = {arch: measure(bundle.ptx, arch) for arch in ARCHITECTURES}
    except AuditError as error:
        grade = Grade.FALSE if "refuses" in str(error) else Grade.UNDECIDED
        return [Finding(f"backend/ptx/{bundle.stem}.ptx", str(error), grade)]
    for entry, subject in entries.items():
        name = f"{entry}.resources.json"
        record = _record(bundle, name, findings)
        if record is None:
            continue
        used = {arch: by_entry.get(entry, {}) for arch, by_entry in measured.items()}
        if record.get("used") != used:
            findings.append(Finding(bundle.path(name), f"ptxas gives {used}, the record says {record.get('used')}"))
        if record.get("ceilings") != dict(subject.contract.ceilings):
            findings.append(Finding(bundle.path(name), "the ceilings are not the contract's"))
        findings += [Finding(bundle.path(name), m) for m in _over(used, subject)]
    return findings


def _over(used: dict[str, Used], subject: Subject) -> list[str]:
    """What is above a ceiling or above what a block may have."""
    ceilings, block = subject.contract.ceilings, subject.contract.block
    warps = -(-(block[0] * block[1] * block[2]) // 32)
    found = []
    for arch, numbers in used.items():
        for what in _LIMITED:
            if what not in numbers:
                found.append(f"{arch}: ptxas does not say how many {what} are used")
            elif numbers[what] > ceilings[what]:
                found.append(f"{arch}: {what} {numbers[what]} is above the ceiling {ceilings[what]}")
        registers = -(-numbers.get("registers", 0) // 8) * 8 * 32 * warps
        if registers > REGISTERS_PER_BLOCK:
            found.append(f"{arch}: a block needs {registers} registers, the device has {REGISTERS_PER_BLOCK}")
        shared = numbers.get("static_shared", 0) + subject.contract.dynamic_shared
        if shared > SHARED_PER_BLOCK[arch] or subject.contract.dynamic_shared > ceilings["dynamic_shared"]:
            found.append(f"{arch}: a block needs {shared} bytes of shared memory, more than allowed")
    return found


def _record(bundle: Bundle, name: str, findings: list[Finding]) -> dict[str, Any] | None:
    """The JSON object of a record file that speaks of this PTX."""
    if name not in bundle.texts:
        findings.append(Finding(bundle.path(name), "missing"))
        return None
    try:
        record = read_json(bundle.texts[name], bundle.path(name))
    except Unreadable as error:
        findings.append(Finding(bundle.path(name), str(error).partition(": ")[2], Grade.UNREADABLE))
        return None
    if not isinstance(record, dict) or record.get("ptx_sha256") != bundle.ptx_sha256:
        findings.append(Finding(bundle.path(name), "is not a record of this PTX"))
        return None
    return record


def check_abi(bundle: Bundle, subject: Subject) -> list[Finding]:
    """Parameter order, names, widths, signedness of use and the block size, PTX against contract and record."""
    name = f"{subject.entry.name}.abi.json"
    findings: list[Finding] = []
    record = _record(bundle, name, findings)
    where = f"backend/ptx/{bundle.stem}.ptx"
    entry, contract = subject.entry, subject.contract
    if [n for n, _ in entry.parameters] != [n for n, _ in contract.parameters]:
        findings.append(Finding(where, f"{entry.name}: parameters are not those of the contract, in its order"))
    for parameter, kind in entry.parameters:
        wanted = dict(contract.parameters).get(parameter)
        if wanted is not None and WIDTHS[kind] != PARAMETER_BITS[wanted]:
            findings.append(
                Finding(where, f"{entry.name}: {parameter} has {WIDTHS[kind]} bits, {wanted} in the contract")
            )
    findings += [Finding(where, message) for message in _uses(subject)]
    required = entry.limits.get("reqntid", ())
    if required and (*required, 1, 1)[:3] != contract.block:
        findings.append(Finding(where, f"{entry.name} requires a block of {required}, the contract {contract.block}"))
    if record is not None:
        findings += [Finding(bundle.path(name), m) for m in _abi_record(record, subject)]
    return findings


def _abi_record(record: dict[str, Any], subject: Subject) -> list[str]:
    entry, contract = subject.entry, subject.contract
    declared = [{"name": n, "type": kind, "bytes": WIDTHS[kind] // 8, "scalar": True} for n, kind in entry.parameters]
    wanted = [{"name": n, "kind": k, "bytes": PARAMETER_BITS[k] // 8} for n, k in contract.parameters]
    found = []
    if record.get("declared") != declared or record.get("contract") != wanted:
        found.append("its parameter lists are not those of the PTX and of the contract")
    loads = [(r.get("line"), r.get("parameter"), r.get("as")) for r in record.get("reads", []) if r["use"] == "load"]
    own = [(line, parameter, kind) for line, parameter, kind, _ in _loads(subject)]
    if loads != own:
        found.append("its list of parameter reads is not that of the PTX")
    if record.get("block") != list(contract.block) or tuple(record.get("required_block", ())) != entry.limits.get(
        "reqntid", ()
    ):
        found.append("its block sizes are not those of PTX and contract")
    return found


def _loads(subject: Subject) -> list[tuple[int, str, str, str]]:
    """(line, parameter, type, register) of every parameter read."""
    found = []
    for instruction in subject.entry.instructions:
        if instruction.opcode[:2] == ("ld", "param"):
            target, place = instruction.operands
            if isinstance(place, Memory) and isinstance(place.base, Symbol) and isinstance(target, Register):
                found.append((instruction.line, place.base.name, instruction.opcode[-1], target.name))
    return found


def _uses(subject: Subject) -> list[str]:
    """Reads and uses whose signedness or kind is not the contract's."""
    kinds = dict(subject.contract.parameters)
    fits = {"f32": "fb", "s32": "sb"}
    holder: dict[str, set[str]] = {}
    found = []
    for line, parameter, kind, register in _loads(subject):
        holder.setdefault(register, set()).add(parameter)
        if kind[0] not in fits.get(kinds.get(parameter, ""), "ub"):
            found.append(f"line {line}: {parameter} is {kinds.get(parameter)} in the contract, read as {kind}")
    for instruction in subject.entry.instructions:
        kind = instruction.opcode[-1]
        if kind not in ("s16", "s32", "s64") or instruction.opcode[0] in ("ld", "st"):
            continue
        for operand in instruction.operands[1:]:
            if isinstance(operand, Register):
                for parameter in sorted(holder.get(operand.name, ())):
                    if kinds.get(parameter) != "s32":
                        found.append(f"line {instruction.line}: {parameter} is unsigned, used as {kind}")
    return found
