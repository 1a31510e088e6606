"""Claims for a reader: in sentences that stand alone, without the names that the prover gives to things."""

from __future__ import annotations

import re

from proofs.claims import Claim
from proofs.contents import ContentAtom
from proofs.polynomials import Poly
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
    if kind == "race" and {a.kind for a in subjects} == {"read", "write"} and len({a.address for a in subjects}) == 1:
        return UPDATE
    if kind == "bounds" and loaded_from(claim):
        return f"The index comes from memory ({', '.join(loaded_from(claim))}): test it before it is used."
    if kind == "barrier" and claim.name.endswith(".number"):
        return "A block has the barriers 0 to 15: number them so, one number for all threads that come to one place."
    return HINTS.get(kind, "")


def loaded_from(claim: Claim) -> list[str]:
    """The buffers whose content decides where the accesses of a claim go."""
    found: dict[str, None] = {}
    work: list[Poly] = [
        term for access, _ in claim.subjects for term in (access.address, access.plane, access.row, access.column)
    ]  # fmt: skip
    while work:
        for atom in work.pop().atoms():
            if isinstance(atom, ContentAtom):
                found[atom.source.buffer] = None
                work += atom.at
            else:
                work += [p for p in (getattr(atom, "a", None), getattr(atom, "b", None)) if isinstance(p, Poly)]
    return list(found)


# Of a read and a write whose address is written in the same way: often both belong to one `x[i] += 1`.
UPDATE = (
    "If the two accesses are one update, such as x[i] += 1, make it an atomic operation; else put a barrier that both "
    "threads pass between them, or let each thread keep to its own bytes."
)
HINTS = {
    "split": "Compute the address as base + element bytes * (row * leading + column).",
    "bounds": "Guard the access with the extent it must stay below, in elements of a row and not of the allocation. An "
    "offset far outside is often an index that wrapped in 32 bits.",
    "writable": "Store through the pointer of an output, or declare the buffer as written.",
    "constant": "Load what the launch writes without .nc.",
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
    "group": "Let exactly as many threads, in whole warps, arrive in each phase as the barrier waits for.",
    "power": "Test the power parameter before anything is stored, and leave where it is not active.",
    "range": "Compute in more bits (mul.wide, 64-bit registers), or bound the operands.",
    "defined": "Write the register on every path that leads here.",
    "init": "Let some thread write the bytes before the barrier in front of this read.",
    "variant": "Change the loop's counter in every round, towards its bound.",
    "trap": "Leave the trap out, or forbid in the contract what leads to it.",
    "coverage": "Let the grid, the loop and the guards together reach every element, the last ones included.",
    "abi": "Bound the parameters in the contract, or let fewer blocks do more rounds.",
}
