"""Claims for a reader: in sentences that stand alone, without the names that the prover gives to things."""

from __future__ import annotations

import re

from proofs.claims import Claim
from proofs.records import Records

_AFTER = re.compile(r"\bboth after (entry|[a-z]+\d+)\b")


def states(claim: Claim, records: Records) -> str:
    """What a claim says; a barrier is named by its line."""
    lines = {barrier.id: barrier.at.line for barrier in records.barriers}

    def place(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == "entry":
            return "both come after the start of the kernel"
        return f"both come after the barrier at PTX line {lines[name]}" if name in lines else match.group()

    return _AFTER.sub(place, claim.words)


def hint(claim: Claim, records: Records) -> str:
    """What usually mends a kernel for which the claim does not hold; '' if there is nothing usual."""
    kind = claim.name.partition(".")[0]
    subjects = [access for access, _ in claim.subjects]
    launch_wide = kind == "race" and subjects and all(a.space == "global" for a in subjects)
    if launch_wide and not any(a.flight for a in subjects):
        return (
            "Nothing orders the blocks of a launch: let one thread own these bytes, use atomic operations, or read "
            "only what an earlier launch has written."
        )
    if kind in ("bounds", "writers") and claim.query is not None and _loaded(claim):
        return "The index comes from memory: test it against the extent before it is used. " + HINTS[kind]
    return HINTS.get(kind, "")


def _loaded(claim: Claim) -> bool:
    """Whether the place of an access hangs on a value that was loaded."""
    return any(
        s.name.startswith("v@") for access, _ in claim.subjects
        for term in (access.address, access.row, access.column) for s in term.symbols()
    )  # fmt: skip


HINTS = {
    "split": "Compute the address as base + element bytes * (row * leading + column).",
    "bounds": "Guard the access with the extent it must stay below, in elements of a row and not of the allocation.",
    "writable": "Store through the pointer of an output, or declare the buffer as written.",
    "unchanged": "Keep stores inside their buffers and declare what is written: loads for the whole block rest on it.",
    "offset": "Bound the parameters, or declare the buffer, so that the offset stays inside the address space.",
    "align": "Take the wide access only where base, row stride and column are multiples of its width.",
    "rows": "Require leading >= columns in the contract.",
    "writers": "Give each element to one thread: check the index arithmetic, the strides of loops and the guards.",
    "race": "Put a barrier that both threads pass between the two accesses, or let each thread keep to its own bytes.",
    "barrier": "Move the barrier to where all threads of the block come, out of branches that differ by thread.",
    "converged": "Let all lanes of the mask come here: move it out of branches that differ by thread.",
    "lanes": "Name all 32 lanes in the mask and launch whole warps.",
    "trips": "Let all threads go round equally often: bound the loop by values that are the same for the block.",
    "power": "Test the power parameter before anything is stored, and leave where it is not active.",
    "range": "Compute in more bits (mul.wide, 64-bit registers), or bound the operands.",
    "defined": "Write the register on every path that leads here.",
    "init": "Let some thread write the bytes before the barrier in front of this read.",
    "variant": "Change the loop's counter in every round, towards its bound.",
    "trap": "Leave the trap out, or forbid in the contract what leads to it.",
    "coverage": "Let the grid, the loop and the guards together reach every element, the last ones included.",
    "abi": "Bound the parameters in the contract, or let fewer blocks do more rounds.",
}
