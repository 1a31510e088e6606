"""contract.json: what each entry may assume and must deliver, read strictly, and the domain it means as conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.expressions import read_comparisons, read_sum
from verifier.findings import Unreadable
from verifier.terms import Name, Term

ELEMENT_BYTES = {"u8": 1, "f16": 2, "bf16": 2, "u16": 2, "f32": 4, "u32": 4, "s32": 4, "u64": 8, "f64": 8}
PARAMETER_BITS = {"buffer": 64, "u64": 64, "u32": 32, "s32": 32, "f32": 32, "power": 32}
MAX_GRID = (2**31 - 1, 65_535, 65_535)
MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
ACTIVE = 0
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Buffer:
    """A global buffer; `rows` and `leading` (elements) are None for one extent."""

    name: str
    size: int
    rows: Term | None
    columns: Term
    leading: Term | None
    access: str
    align: int


@dataclass(frozen=True)
class Contract:
    """One entry's contract. `requires` are conditions over the parameters; `grid` are terms over them."""

    entry: str
    parameters: tuple[tuple[str, str], ...]
    requires: tuple[Term, ...]
    float_ranges: Mapping[str, tuple[float, float]]
    buffers: Mapping[str, Buffer]
    block: tuple[int, int, int]
    grid: tuple[Term, Term, Term]
    outputs: tuple[str, ...]
    rewrites: tuple[str, ...]
    power: str
    dynamic_shared: int
    ceilings: Mapping[str, int]

    def kind(self, parameter: str) -> str:
        return dict(self.parameters)[parameter]

    def bounds(self, parameter: str) -> tuple[int, int]:
        """The values a parameter can hold at all."""
        kind = self.kind(parameter)
        bits = PARAMETER_BITS[kind]
        return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if kind == "s32" else (0, 2**bits - 1)


_KEYS = {"stem", "entry", "parameters", "requires", "buffers", "block", "grid", "outputs", "ceilings", "operator"}
_KEYS |= {"float_ranges", "rewrites", "power", "dynamic_shared", "facts"}
CEILINGS = ("registers", "static_shared", "dynamic_shared", "spill_bytes", "stack_bytes", "code_bytes")


def read_contract(data: Any, where: str) -> Contract:
    """The contract one JSON object states; Unreadable for missing, unknown or ill-typed fields."""
    if not isinstance(data, dict) or set(data) != _KEYS:
        found = set(data) if isinstance(data, dict) else set()
        raise Unreadable(f"{where}: fields missing {sorted(_KEYS - found)}, not known {sorted(found - _KEYS)}")
    try:
        return _contract(data, f"{where}: {data['entry']}")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{where}: not a contract: {error!r}") from None


def read_contracts(data: Any, where: str) -> dict[str, Contract]:
    """The contracts of a file, by entry."""
    if not isinstance(data, dict) or not data:
        raise Unreadable(f"{where}: contracts by entry are expected")
    found = {str(entry): read_contract(contract, where) for entry, contract in data.items()}
    for entry, contract in found.items():
        if contract.entry != entry:
            raise Unreadable(f"{where}: the contract under {entry} is that of {contract.entry}")
    return found


def _contract(data: dict[str, Any], where: str) -> Contract:
    parameters = tuple((str(p["name"]), str(p["kind"])) for p in data["parameters"])
    for name, kind in parameters:
        if kind not in PARAMETER_BITS:
            raise Unreadable(f"{where}: parameter {name} of unknown kind {kind}")
    ceilings = {name: int(data["ceilings"][name]) for name in CEILINGS}
    x, y, z = (read_sum(text, where) for text in data["grid"])
    bx, by, bz = (int(size) for size in data["block"])
    contract = Contract(
        entry=str(data["entry"]),
        parameters=parameters,
        requires=tuple(c for text in data["requires"] for c in read_comparisons(text, where)),
        float_ranges={name: (float(low), float(high)) for name, (low, high) in data["float_ranges"].items()},
        buffers={b["name"]: _buffer(b, where) for b in data["buffers"]},
        block=(bx, by, bz),
        grid=(x, y, z),
        outputs=tuple(data["outputs"]),
        rewrites=tuple(data["rewrites"]),
        power=str(data["power"]),
        dynamic_shared=int(data["dynamic_shared"]),
        ceilings=ceilings,
    )
    _check(contract, where)
    return contract


def _buffer(data: dict[str, Any], where: str) -> Buffer:
    shape = [read_sum(text, where) for text in data["shape"]]
    if len(shape) not in (1, 2) or data["access"] not in ("r", "w", "rw"):
        raise Unreadable(f"{where}: buffer {data['name']}: one or two extents and an access of r, w, rw are expected")
    leading = read_sum(data["leading"], where) if data["leading"] else shape[-1]
    two = len(shape) == 2
    return Buffer(
        name=str(data["name"]),
        size=ELEMENT_BYTES[data["element"]],
        rows=shape[0] if two else None,
        columns=shape[-1],
        leading=leading if two else None,
        access=data["access"],
        align=int(data["align"]),
    )


def _check(contract: Contract, where: str) -> None:
    pointers = {name for name, kind in contract.parameters if kind == "buffer"}
    if pointers != set(contract.buffers):
        raise Unreadable(f"{where}: pointer parameters {sorted(pointers)} but buffers {sorted(contract.buffers)}")
    if not set(contract.outputs) <= pointers or not contract.outputs:
        raise Unreadable(f"{where}: outputs must be buffers, and there must be one")
    if dict(contract.parameters).get(contract.power) != "power":
        raise Unreadable(f"{where}: no power parameter {contract.power}")
    threads = contract.block[0] * contract.block[1] * contract.block[2]
    if any(not 1 <= b <= m for b, m in zip(contract.block, MAX_BLOCK, strict=True)) or threads > MAX_THREADS:
        raise Unreadable(f"{where}: no device launches a block of {contract.block}")


def extents(contract: Contract) -> dict[str, Term]:
    """Launch sizes and thread coordinates that the contract fixes to a constant, and names for those it does not."""
    values: dict[str, Term] = {}
    for axis, size, grid in zip(AXES, contract.block, contract.grid, strict=True):
        values[f"ntid.{axis}"] = size
        values[f"tid.{axis}"] = 0 if size == 1 else Name(f"tid.{axis}")
        values[f"nctaid.{axis}"] = grid if isinstance(grid, int) else Name(f"nctaid.{axis}")
        values[f"ctaid.{axis}"] = 0 if grid == 1 else Name(f"ctaid.{axis}")
    return values


def domain(contract: Contract, shared: Mapping[str, int]) -> list[Term]:
    """Every condition that may be assumed of any thread of any launch, besides the ranges of symbols.

    `shared` maps shared variables to their alignment in bytes.
    """
    clauses = list(contract.requires)
    values = extents(contract)
    for axis, grid in zip(AXES, contract.grid, strict=True):
        if not isinstance(grid, int):
            clauses.append(("=", Name(f"nctaid.{axis}"), grid))
        clauses.append(("<", values[f"ctaid.{axis}"], values[f"nctaid.{axis}"]))
    for buffer in contract.buffers.values():
        clauses += _placement(buffer)
    for name, align in shared.items():
        clauses.append(("=", ("mod", Name(f"shared.{name}"), align), 0))
    return clauses


def _placement(buffer: Buffer) -> list[Term]:
    """The base is aligned, and the last byte of the last logical row has an address of 64 bits."""
    elements = buffer.columns
    if buffer.rows is not None and buffer.leading is not None:
        elements = ("+", ("*", ("-", buffer.rows, 1), buffer.leading), buffer.columns)
    end = ("+", Name(buffer.name), ("*", elements, buffer.size))
    return [("=", ("mod", Name(buffer.name), buffer.align), 0), ("<=", end, 2**64)]


def special_bounds(contract: Contract) -> dict[str, tuple[int, int]]:
    """Ranges of the special registers that are not constants."""
    bounds: dict[str, tuple[int, int]] = {}
    for axis, size, grid, limit in zip(AXES, contract.block, contract.grid, MAX_GRID, strict=True):
        bounds[f"tid.{axis}"] = (0, size - 1)
        high = grid if isinstance(grid, int) else limit
        bounds[f"ctaid.{axis}"] = (0, high - 1)
        bounds[f"nctaid.{axis}"] = (1, high)
        bounds[f"ntid.{axis}"] = (size, size)
    return bounds
