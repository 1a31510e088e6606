"""The obligation abi: the launch descriptor is the entry's parameter list, in order, width, alignment and use."""

from __future__ import annotations

from typing import Any

from proofs.verdict import Verdict
from spec.contracts.model import Contract
from spec.ptx.ast import Function, Mem, Reg, Sym, type_width
from spec.ptx.isa import lookup
from spec.ptx.operands import bind, operand_type

LOADS = {"buffer": "u b", "u64": "u b", "u32": "u b", "power": "u b", "s32": "s b", "f32": "f b"}


def abi_json(ptx_sha256: str, function: Function, contract: Contract) -> dict[str, Any]:
    """Both parameter lists and how each parameter is read."""
    declared = [
        {
            "name": p.name, "type": p.type, "bytes": type_width(p.type) // 8 * (p.elements or 1),
            "scalar": p.elements is None,
        }
        for p in function.params
    ]
    wanted = [{"name": p.name, "kind": p.kind, "bytes": p.bytes} for p in contract.parameters]
    return {
        "version": 1, "entry": contract.entry, "ptx_sha256": ptx_sha256, "declared": declared, "contract": wanted,
        "reads": _reads(function), "block": list(contract.block),
        "required_block": list(function.directives.get("reqntid", ())),
    }


def _reads(function: Function) -> list[dict[str, Any]]:
    """Each load of a parameter with its type, and each signed use of the register it went to."""
    holder: dict[str, set[str]] = {}
    found: list[dict[str, Any]] = []
    for instruction in function.instructions():
        row_form = lookup(instruction.opcode)
        if row_form is None:
            continue
        row, form = row_form
        if instruction.opcode.startswith("ld.param"):
            source = instruction.operands[1]
            target = instruction.operands[0]
            if isinstance(source, Mem) and isinstance(source.base, Sym) and isinstance(target, Reg):
                holder.setdefault(target.name, set()).add(source.base.name)
                found.append({"line": instruction.line, "parameter": source.base.name, "as": form.type, "use": "load"})
            continue
        for declared, operand in bind(instruction, row).sources:
            if not isinstance(operand, Reg) or operand.name not in holder or declared in ("mem", "pred", "label"):
                continue
            kind = operand_type(declared, form)
            if kind.startswith("s"):
                found += [
                    {"line": instruction.line, "parameter": p, "as": kind, "use": instruction.opcode}
                    for p in sorted(holder[operand.name])
                ]
    return found


def judge(record: dict[str, Any]) -> tuple[Verdict, str, dict[str, Any] | None]:
    """PROVED if both sides agree; else every difference."""
    wrong = []
    declared, wanted = record["declared"], record["contract"]
    if len(declared) != len(wanted):
        wrong.append(f"{len(declared)} parameters in the PTX, {len(wanted)} in the contract")
    for i, (have, want) in enumerate(zip(declared, wanted, strict=False)):
        if have["name"] != want["name"]:
            wrong.append(f"parameter {i}: {have['name']} in the PTX, {want['name']} in the contract")
        if have["bytes"] != want["bytes"] or not have["scalar"]:
            wrong.append(f"parameter {want['name']}: {have['bytes']} bytes in the PTX, {want['bytes']} in the contract")
    kinds = {p["name"]: p["kind"] for p in wanted}
    sizes = {p["name"]: p["bytes"] for p in wanted}
    for read in record["reads"]:
        kind = kinds.get(read["parameter"], "")
        width = type_width(read["as"]) // 8
        if read["use"] == "load" and width != sizes.get(read["parameter"], width):
            wrong.append(
                f"line {read['line']}: {read['parameter']} has {sizes[read['parameter']]} bytes, {width} are loaded"
            )
        if kind and read["as"][0] not in LOADS[kind].split():
            wrong.append(f"line {read['line']}: {read['parameter']} is {kind} in the contract, used as {read['as']}")
    required = record["required_block"]
    if required and [*required, 1, 1][:3] != record["block"]:
        wrong.append(f"the PTX requires a block of {required}, the contract launches {record['block']}")
    if wrong:
        return Verdict.REFUTED, "; ".join(wrong), {"differences": wrong}
    return Verdict.PROVED, f"{len(wanted)} parameters agree", None
