"""The obligation resources: what ptxas says each entry uses, under the contract's ceilings and the device's limits."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from proofs.ptxas import SHIPPED_ARCHITECTURES, assemble, version
from proofs.verdict import Verdict
from spec.contracts.model import Contract

REGISTERS_PER_BLOCK = 65_536
SHARED_PER_BLOCK = {"sm_89": 101_376, "sm_90": 232_448}


def measure(ptx: str, name: str) -> dict[str, dict[str, dict[str, int]]]:
    """Resources by entry and architecture; AssemblerRefused if ptxas does not take the file."""
    measured: dict[str, dict[str, dict[str, int]]] = {}
    for arch in SHIPPED_ARCHITECTURES:
        for entry, used in assemble(ptx, arch, name=name).entries.items():
            measured.setdefault(entry, {})[arch] = {**asdict(used), "spill_bytes": used.spill_bytes}
    return measured


def resources_json(ptx_sha256: str, measured: dict[str, dict[str, int]], contract: Contract) -> dict[str, Any]:
    """The record of one entry."""
    return {
        "version": 1, "entry": contract.entry, "ptx_sha256": ptx_sha256, "ptxas": version(), "used": measured,
        "ceilings": asdict(contract.ceilings), "threads": contract.block[0] * contract.block[1] * contract.block[2],
    }


def judge(record: dict[str, Any]) -> tuple[Verdict, str, dict[str, Any] | None]:
    """PROVED if every number is under its limit on every architecture; else which is not, asked and limit."""
    ceilings, threads = record["ceilings"], record["threads"]
    missing = [arch for arch in SHIPPED_ARCHITECTURES if arch not in record["used"]]
    if missing:
        return Verdict.UNKNOWN, f"{record['entry']} was not measured for {', '.join(missing)}", None
    over = []
    for arch, used in sorted(record["used"].items()):
        limits = {
            "registers": ceilings["registers"], "spill_bytes": ceilings["spill_bytes"],
            "stack_bytes": ceilings["stack_bytes"], "static_shared": ceilings["static_shared"],
            "code_bytes": ceilings["code_bytes"],
        }
        over += [f"{arch}: {k} {used[k]} > ceiling {limit}" for k, limit in limits.items() if used[k] > limit]
        # Registers are given out by the warp in units of 8 a thread.
        registers = -(-used["registers"] // 8) * 8 * (-(-threads // 32) * 32)
        if registers > REGISTERS_PER_BLOCK:
            over.append(f"{arch}: {registers} registers in a block > {REGISTERS_PER_BLOCK}")
        shared = used["static_shared"] + ceilings["dynamic_shared"]
        if shared > SHARED_PER_BLOCK[arch]:
            over.append(f"{arch}: {shared} bytes of shared memory in a block > {SHARED_PER_BLOCK[arch]}")
    if over:
        return Verdict.REFUTED, "; ".join(over), {"over": over}
    shown = ", ".join(f"{arch} {u['registers']} registers" for arch, u in sorted(record["used"].items()))
    return Verdict.PROVED, shown, None
